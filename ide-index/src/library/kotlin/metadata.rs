//! The metadata that the Kotlin compiler writes into class files: the annotation `kotlin.Metadata`.

use super::wire::{delimited, fields};

/// The elements of the annotation. Texts of `d1` are kept as code units, since they stand for bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::library) struct Metadata {
    pub(in crate::library) kind: u32,
    pub(in crate::library) d1: Vec<Vec<u16>>,
    pub(in crate::library) d2: Vec<String>,
    /// `pn`: the package, where it is not that of the class.
    pub(in crate::library) package: String,
}

/// Values of [`Metadata::kind`].
pub(in crate::library) const CLASS: u32 = 1;
pub(super) const FILE: u32 = 2;
pub(super) const PART: u32 = 5;

impl Metadata {
    /// The bytes that `d1` stands for.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut units = self.d1.iter().flatten().copied();
        let marker = self.d1.first().and_then(|first| first.first());
        let is_packed = match marker {
            Some(0) => false,
            Some(0xffff) => true,
            _ => return unpacked(units),
        };
        units.next();
        if is_packed { unpacked(units) } else { units.map(|unit| unit as u8).collect() }
    }
}

/// Seven bits a unit, each one more than it was, to eight bits a byte.
fn unpacked(units: impl Iterator<Item = u16>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for unit in units {
        bits |= u32::from(unit.wrapping_add(0x7f) & 0x7f) << count;
        count += 7;
        if count >= 8 {
            bytes.push(bits as u8);
            bits >>= 8;
            count -= 8;
        }
    }
    bytes
}

/// The texts that a message names by numbers.
pub(super) struct Strings<'m> {
    d2: &'m [String],
    /// With the number behind the last one that they are for.
    records: Vec<(u32, Record)>,
}

#[derive(Default)]
struct Record {
    predefined: Option<usize>,
    text: Option<String>,
    operation: u32,
    part: Vec<u32>,
    replace: Vec<u32>,
}

impl<'m> Strings<'m> {
    /// Takes the table from the beginning of the bytes.
    pub(super) fn read(bytes: &mut &[u8], d2: &'m [String]) -> Option<Self> {
        let table = delimited(bytes)?;
        let mut end = 0_u32;
        let records = fields(table).filter(|(field, _)| *field == 1).map(|(_, value)| {
            let (mut record, mut range) = (Record::default(), 1);
            for (field, value) in fields(value.bytes()) {
                match field {
                    1 => range = value.int(),
                    2 => record.predefined = Some(value.int() as usize),
                    3 => record.operation = value.int(),
                    4 => record.part.extend(value.ints()),
                    5 => record.replace.extend(value.ints()),
                    6 => record.text = Some(String::from_utf8_lossy(value.bytes()).into_owned()),
                    _ => {}
                }
            }
            end = end.saturating_add(range);
            (end, record)
        });
        Some(Self { d2, records: records.collect() })
    }

    /// A text by its number; empty when there is none.
    pub(super) fn get(&self, index: u32) -> String {
        let at = self.records.partition_point(|(end, _)| *end <= index);
        let of_file = || self.d2.get(index as usize).cloned().unwrap_or_default();
        let Some((_, record)) = self.records.get(at) else { return of_file() };
        let predefined = record.predefined.and_then(|at| PREDEFINED.split_whitespace().nth(at));
        let mut text = match (&record.text, predefined) {
            (Some(text), _) => text.clone(),
            (None, Some(name)) => format!("kotlin/{name}"),
            (None, None) => of_file(),
        };
        if let [from, to, ..] = record.part[..]
            && let Some(part) = text.get(from as usize..to as usize)
        {
            text = part.to_owned();
        }
        if let [from, to, ..] = record.replace[..]
            && let (Some(from), Some(to)) = (char::from_u32(from), char::from_u32(to))
        {
            text = text.replace(from, &to.to_string());
        }
        match record.operation {
            1 => text.replace('$', "."),
            2 => text.trim_start_matches('L').trim_end_matches(';').replace('$', "."),
            _ => text,
        }
    }
}

/// Texts that tables name by numbers, behind `kotlin/`.
const PREDEFINED: &str = "Any Nothing Unit Throwable Number Byte Double Float Int Long Short Boolean Char CharSequence \
    String Comparable Enum Array ByteArray DoubleArray FloatArray IntArray LongArray ShortArray BooleanArray CharArray \
    Cloneable Annotation collections/Iterable collections/MutableIterable collections/Collection \
    collections/MutableCollection collections/List collections/MutableList collections/Set collections/MutableSet \
    collections/Map collections/MutableMap collections/Map.Entry collections/MutableMap.MutableEntry \
    collections/Iterator collections/MutableIterator collections/ListIterator collections/MutableListIterator";

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(d1: &[&[u16]]) -> Metadata {
        Metadata { d1: d1.iter().map(|units| units.to_vec()).collect(), ..Metadata::default() }
    }

    #[test]
    fn bytes_are_kept_one_a_unit_or_packed() {
        assert_eq!(metadata(&[&[0, 1, 255], &[7]]).bytes(), [1, 255, 7]);
        // 0x81, 0x02 are the groups 0000001 0000101 00: each is kept as one more.
        assert_eq!(metadata(&[&[0xffff, 2, 6], &[1]]).bytes(), [0x81, 0x02]);
        assert!(metadata(&[]).bytes().is_empty());
    }

    #[test]
    fn texts_are_predefined_or_made_of_those_of_the_file() {
        // Records: twice what the file says; predefined 8; `La/B$C;` to a class.
        let table = [12, 0x0a, 2, 0x08, 2, 0x0a, 2, 0x10, 8, 0x0a, 2, 0x18, 2, 0xff];
        let d2: Vec<String> = ["x", "y", "", "La/B$C;"].iter().map(|s| (*s).to_owned()).collect();
        let mut bytes = &table[..];
        let strings = Strings::read(&mut bytes, &d2).unwrap();
        assert_eq!(bytes, [0xff]);
        let all: Vec<String> = (0..5).map(|i| strings.get(i)).collect();
        assert_eq!(all, ["x", "y", "kotlin/Int", "a/B.C", ""]);
    }
}
