//! `META-INF/*.kotlin_module`: the classes that hold the functions and properties of a module's files.

use std::collections::BTreeMap;

use super::wire::{Value, fields};

/// A class in which the functions, properties and type aliases of one or more Kotlin files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facade {
    /// The package of the files: `kotlinx.coroutines`.
    pub package: String,
    /// The class by its internal name: `kotlinx/coroutines/BuildersKt`.
    pub class: String,
    /// For a class made of several files: the internal names of the classes that hold one each.
    pub parts: Vec<String>,
}

/// The facades that the contents of a `.kotlin_module` file list. Nothing of what is damaged.
pub fn kotlin_facades(bytes: &[u8]) -> Vec<Facade> {
    let Some(module) = message(bytes) else { return Vec::new() };
    let jvm_packages: Vec<String> =
        fields(module).filter(|(field, _)| *field == 3).map(|(_, value)| text(value)).collect();
    let parts = fields(module).filter(|(field, _)| *field == 1);
    parts.flat_map(|(_, value)| of_package(value.bytes(), &jvm_packages)).collect()
}

/// Behind the version, and the flags that newer ones have.
fn message(bytes: &[u8]) -> Option<&[u8]> {
    let number = |at: usize| {
        let bytes = bytes.get(4 * at..4 * at + 4)?;
        Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let count = usize::try_from(number(0)?).ok().filter(|count| *count < 16)?;
    let version = (number(1)?, number(2)?);
    bytes.get(4 * (1 + count + usize::from(version >= (1, 4)))..)
}

fn text(value: Value<'_>) -> String {
    String::from_utf8_lossy(value.bytes()).into_owned()
}

/// Short names of classes with, one more than its number, the facade that each is a part of.
#[derive(Default)]
struct Classes {
    names: Vec<String>,
    facades: Vec<u32>,
}

fn of_package(bytes: &[u8], jvm_packages: &[String]) -> Vec<Facade> {
    let mut package = String::new();
    let (mut plain, mut moved) = (Classes::default(), Classes::default());
    let (mut facades, mut places) = (Vec::new(), Vec::new());
    for (field, value) in fields(bytes) {
        match field {
            1 => package = text(value),
            2 => plain.names.push(text(value)),
            3 => plain.facades.extend(value.ints()),
            4 => facades.push(text(value)),
            5 => moved.names.push(text(value)),
            6 => places.extend(value.ints()),
            7 => moved.facades.extend(value.ints()),
            _ => {}
        }
    }
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let internal = |package: &str, name: &str| match package {
        "" => name.to_owned(),
        package => format!("{}/{name}", package.replace('.', "/")),
    };
    let mut add = |classes: &Classes, i: usize, package: &str| {
        let name = internal(package, &classes.names[i]);
        let facade = classes.facades.get(i).and_then(|n| facades.get((*n as usize).checked_sub(1)?));
        let (class, part) = match facade {
            Some(facade) => (internal(package, facade), Some(name)),
            None => (name, None),
        };
        found.entry(class).or_default().extend(part);
    };
    for i in 0..plain.names.len() {
        add(&plain, i, &package);
    }
    for i in 0..moved.names.len() {
        let place = places.get(i).or(places.last()).and_then(|n| jvm_packages.get(*n as usize));
        if let Some(place) = place {
            add(&moved, i, place);
        }
    }
    let facade = |(class, parts)| Facade { package: package.clone(), class, parts };
    found.into_iter().map(facade).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
    }

    #[test]
    fn facades_are_listed_with_their_parts() {
        let package = [
            field(1, b"a.b"),
            field(2, b"PlainKt"),
            field(2, b"Both__OneKt"),
            field(2, b"Both__TwoKt"),
            field(3, &[0, 1, 1]),
            field(4, b"Both"),
            field(5, b"MovedKt"),
            field(6, &[0]),
        ];
        let mut bytes: Vec<u8> = [3, 1, 9, 0, 0].iter().flat_map(|n: &u32| n.to_be_bytes()).collect();
        bytes.extend(field(1, &package.concat()));
        bytes.extend(field(3, b"j"));
        let of = |class: &str, parts: &[&str]| Facade {
            package: "a.b".to_owned(),
            class: class.to_owned(),
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
        };
        let both = of("a/b/Both", &["a/b/Both__OneKt", "a/b/Both__TwoKt"]);
        assert_eq!(kotlin_facades(&bytes), [both, of("a/b/PlainKt", &[]), of("j/MovedKt", &[])]);
        for len in 0..bytes.len() {
            drop(kotlin_facades(&bytes[..len]));
        }
    }
}
