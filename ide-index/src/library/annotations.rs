//! Annotations of class files (JVMS 4.7.16), as far as anything depends on them.

use super::classfile::{ClassFileError, Input, Pool};
use super::kotlin::Metadata;

/// Deeper values are damage.
const MAX_DEPTH: u32 = 8;

/// A value of an annotation's element.
enum Element {
    Int(u32),
    /// A text as code units.
    Text(Vec<u16>),
    /// The name of an enum's entry.
    Entry(String),
    Array(Vec<Element>),
    Other,
}

impl Element {
    fn text(self) -> Option<Vec<u16>> {
        if let Self::Text(units) = self { Some(units) } else { None }
    }

    fn texts(self) -> Vec<Vec<u16>> {
        let Self::Array(items) = self else { return Vec::new() };
        items.into_iter().filter_map(Self::text).collect()
    }
}

/// The content of the annotations of a class or of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) kotlin: Option<Metadata>,
    /// `kotlin.Deprecated`.
    pub(super) is_deprecated: bool,
    /// That with the level at which only compiled code sees it still.
    pub(super) is_hidden: bool,
    /// `kotlin.jvm.JvmStatic`.
    pub(super) is_static: bool,
}

impl Said {
    /// Takes what an attribute with annotations says.
    pub(super) fn read(&mut self, input: &mut Input<'_>, pool: &Pool<'_>) -> Result<(), ClassFileError> {
        for _ in 0..input.u16()? {
            let name = pool.text(input.u16()?)?;
            let elements = elements(input, pool, 0)?;
            match name.as_str() {
                "Lkotlin/Metadata;" => self.kotlin = Some(metadata(elements)),
                "Lkotlin/jvm/JvmStatic;" => self.is_static = true,
                "Lkotlin/Deprecated;" => {
                    self.is_deprecated = true;
                    self.is_hidden |=
                        elements.iter().any(|(_, e)| matches!(e, Element::Entry(name) if name == "HIDDEN"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn metadata(elements: Vec<(String, Element)>) -> Metadata {
    let mut metadata = Metadata::default();
    let text = |units: Vec<u16>| String::from_utf16_lossy(&units);
    for (name, value) in elements {
        match (name.as_str(), value) {
            ("k", Element::Int(kind)) => metadata.kind = kind,
            ("d1", value) => metadata.d1 = value.texts(),
            ("d2", value) => metadata.d2 = value.texts().into_iter().map(text).collect(),
            ("pn", value) => metadata.package = value.text().map(text).unwrap_or_default(),
            _ => {}
        }
    }
    metadata
}

fn elements(
    input: &mut Input<'_>,
    pool: &Pool<'_>,
    depth: u32,
) -> Result<Vec<(String, Element)>, ClassFileError> {
    let mut all = Vec::new();
    for _ in 0..input.u16()? {
        all.push((pool.text(input.u16()?)?, element(input, pool, depth)?));
    }
    Ok(all)
}

fn element(input: &mut Input<'_>, pool: &Pool<'_>, depth: u32) -> Result<Element, ClassFileError> {
    if depth == MAX_DEPTH {
        return Err(ClassFileError::Truncated);
    }
    Ok(match input.u8()? {
        b'I' => Element::Int(pool.constant(input.u16()?, 3)?.u32()?),
        b's' => Element::Text(code_units(pool.bytes(input.u16()?)?)),
        b'e' => {
            input.take(2)?;
            Element::Entry(pool.text(input.u16()?)?)
        }
        b'@' => {
            input.take(2)?;
            elements(input, pool, depth + 1)?;
            Element::Other
        }
        b'[' => {
            let mut items = Vec::new();
            for _ in 0..input.u16()? {
                items.push(element(input, pool, depth + 1)?);
            }
            Element::Array(items)
        }
        _ => {
            input.take(2)?;
            Element::Other
        }
    })
}

/// The code units of a text in the form of class files (JVMS 4.4.7); each is of one to three bytes.
fn code_units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().map(|byte| u16::from(*byte));
    while let Some(first) = rest.next() {
        let mut more = || rest.next().unwrap_or(0) & 0x3f;
        units.push(match first {
            0xc0..=0xdf => (first & 0x1f) << 6 | more(),
            0xe0.. => (first & 0x0f) << 12 | more() << 6 | more(),
            _ => first,
        });
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_units_of_one_to_three_bytes() {
        assert_eq!(code_units(&[0xc0, 0x80, b'a', 0xef, 0xbf, 0xbf]), [0, 0x61, 0xffff]);
        assert_eq!(code_units(&[0xef]), [0xf000], "cut off");
    }
}
