//! Classes and their members, functions, properties and type aliases of `kotlin.Metadata` as they are written in sources.
//! Declarations that a library does not publish are left out, and so are those that only compiled code still sees.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::super::classfile::{Class, Member};
use super::metadata::{CLASS, Metadata, Strings};
use super::types::{Ty, Types, identifier};
use super::wire::{Value, fields};

/// Deeper nesting of classes is cut.
const MAX_NESTED: usize = 16;

const PROTECTED: u32 = 2;
const PUBLIC: u32 = 3;
const ABSTRACT: u32 = 2;

/// Kinds of classes.
const INTERFACE: u32 = 1;
const ENUM: u32 = 2;
const ANNOTATION: u32 = 4;
const OBJECT: u32 = 5;
const COMPANION: u32 = 6;

/// Made by the compiler: `copy`, `component1`.
const SYNTHESIZED: u32 = 3;

/// The message of a class or a file.
pub(super) struct Declarations<'b> {
    class: &'b Class,
    message: &'b [u8],
    types: Types<'b>,
    depth: usize,
}

impl<'b> Declarations<'b> {
    /// `bytes` are those of the metadata.
    pub(super) fn read(class: &'b Class, metadata: &'b Metadata, bytes: &'b [u8]) -> Option<Self> {
        let mut rest = bytes;
        let strings = Strings::read(&mut rest, &metadata.d2)?;
        let table = fields(rest).find(|(field, _)| *field == 30).map_or(&[][..], |(_, value)| value.bytes());
        let types = Types::new(strings, table, FxHashMap::default());
        Some(Self { class, message: rest, types, depth: 0 })
    }

    /// Writes what a file declares.
    pub(super) fn of_file(mut self, out: &mut String) {
        for (field, value) in fields(self.message) {
            match field {
                3 => self.function(value.bytes(), false, out),
                4 => self.property(value.bytes(), false, out),
                5 => self.alias(value.bytes(), out),
                _ => {}
            }
        }
    }

    /// Writes a class with its members and nested classes.
    pub(super) fn class(mut self, nested: &[Class], out: &mut String) {
        let mut flags = 6;
        let (mut own_params, mut companion, mut inside) = (Vec::new(), None, Vec::new());
        let (mut primary, mut supers): (_, Vec<Ty<'b>>) = (None, Vec::new());
        for (field, value) in fields(self.message) {
            match field {
                1 => flags = value.int(),
                2 => supers.extend(value.ints().map(|id| self.types.by_id(id))),
                4 => companion = Some(self.types.strings.get(value.int())),
                5 => own_params.push(value.bytes()),
                6 => supers.push(self.types.field(value)),
                7 => inside.extend(value.ints().map(|name| self.types.strings.get(name))),
                8 if flags_of(value.bytes(), 1, 6) & 1 << 4 == 0 => primary = Some(value.bytes()),
                _ => {}
            }
        }
        let kind = flags >> 6 & 7;
        let name = self.types.strings.get(flags_of(self.message, 3, u32::MAX));
        let simple = name.rsplit(['/', '.']).next().unwrap_or(&name);
        let (params, bounds) = self.types.type_params(&own_params);
        self.deprecation(self.class.said.is_deprecated, out);
        self.indent(out);
        let _ = write!(out, "{}{} {}{params}", modifiers_of_class(flags), keyword(kind), identifier(simple));
        if let Some(primary) = primary.filter(|_| !matches!(kind, INTERFACE | OBJECT | COMPANION)) {
            let visibility = match flags_of(primary, 1, 6) >> 1 & 7 {
                PUBLIC => "",
                PROTECTED => " protected constructor",
                0 => " internal constructor",
                _ => " private constructor",
            };
            let _ = write!(out, "{visibility}({})", self.params(primary, 2));
        }
        let is_implied =
            |name: &str| name == "kotlin.Any" || kind == ENUM && name.starts_with("kotlin.Enum<");
        let supers: Vec<String> =
            supers.into_iter().map(|ty| self.types.text(ty)).filter(|name| !is_implied(name)).collect();
        if !supers.is_empty() && kind != ANNOTATION {
            let _ = write!(out, " : {}", supers.join(", "));
        }
        let _ = writeln!(out, "{bounds} {{");
        self.depth += 1;
        self.body(kind, out);
        inside.extend(companion.clone());
        inside.sort();
        inside.dedup();
        for name in inside {
            self.nested_class(&name, nested, out);
        }
        self.depth -= 1;
        self.indent(out);
        out.push_str("}\n");
    }

    /// Entries, constructors, properties and functions.
    fn body(&mut self, kind: u32, out: &mut String) {
        let entries = fields(self.message).filter(|(field, _)| *field == 13).filter_map(|(_, entry)| {
            let (_, name) = fields(entry.bytes()).find(|(field, _)| *field == 1)?;
            Some(identifier(&self.types.strings.get(name.int())))
        });
        let entries: Vec<String> = entries.collect();
        if kind == ENUM {
            self.indent(out);
            let _ = writeln!(out, "{};", entries.join(", "));
        }
        let is_interface = kind == INTERFACE;
        for (field, value) in fields(self.message) {
            match field {
                8 => self.secondary(value.bytes(), out),
                9 => self.function(value.bytes(), is_interface, out),
                10 => self.property(value.bytes(), is_interface, out),
                _ => {}
            }
        }
    }

    fn nested_class(&self, name: &str, nested: &[Class], out: &mut String) {
        let internal = format!("{}${name}", self.class.name);
        let Some(class) = nested.iter().find(|class| class.name == internal) else { return };
        let Some(metadata) = class.said.kotlin.as_ref().filter(|m| m.kind == CLASS) else { return };
        let bytes = metadata.bytes();
        let Some(mut declarations) = Declarations::read(class, metadata, &bytes) else { return };
        let visibility = flags_of(declarations.message, 1, 6) >> 1 & 7;
        if self.depth < MAX_NESTED && matches!(visibility, 0 | PROTECTED | PUBLIC) {
            declarations.depth = self.depth;
            declarations.types.params = self.types.params.clone();
            declarations.class(nested, out);
        }
    }

    fn secondary(&self, bytes: &'b [u8], out: &mut String) {
        let flags = flags_of(bytes, 1, 6);
        let Some(visibility) = seen(flags).filter(|_| flags & 1 << 4 != 0) else { return };
        let params = self.params(bytes, 2);
        let arity = fields(bytes).filter(|(field, _)| *field == 2).count();
        let marks = self.method("<init>", fields(bytes).find(|(field, _)| *field == 100), arity);
        if !marks.said.is_hidden {
            self.deprecation(marks.said.is_deprecated, out);
            self.indent(out);
            let _ = writeln!(out, "{visibility}constructor({params})");
        }
    }

    fn function(&mut self, bytes: &'b [u8], in_interface: bool, out: &mut String) {
        let flags = flags_of(bytes, 9, 6);
        let Some(visibility) = seen(flags).filter(|_| flags >> 6 & 3 != SYNTHESIZED) else { return };
        let (mut name, mut result, mut receiver, mut own_params) = (String::new(), None, None, Vec::new());
        let (mut signature, mut arity) = (None, usize::from(flags & 1 << 13 != 0));
        for (field, value) in fields(bytes) {
            match field {
                2 => name = self.types.strings.get(value.int()),
                3 | 7 => result = Some(self.types.field(value)),
                4 => own_params.push(value.bytes()),
                5 | 8 => {
                    receiver = Some(self.types.field(value));
                    arity += 1;
                }
                6 => arity += 1,
                100 => signature = Some((field, value)),
                _ => {}
            }
        }
        let marks = self.method(&name, signature, arity);
        if marks.said.is_hidden || name.starts_with('<') {
            return;
        }
        let (type_params, bounds) = self.types.type_params(&own_params);
        self.deprecation(marks.said.is_deprecated, out);
        self.indent(out);
        out.push_str(if marks.said.is_static { "@JvmStatic " } else { "" });
        let is_abstract = flags >> 4 & 3 == ABSTRACT;
        let _ = write!(out, "{visibility}{}", modality(flags, in_interface));
        for (bit, word) in [(8, "operator "), (9, "infix "), (10, "inline "), (13, "suspend ")] {
            out.push_str(if flags & 1 << bit != 0 { word } else { "" });
        }
        let receiver = receiver.map_or(String::new(), |ty| self.receiver(ty));
        let space = if type_params.is_empty() { "" } else { " " };
        let result = result.map_or("kotlin.Unit".to_owned(), |ty| self.types.text(ty));
        let params = self.params(bytes, 6);
        let body = if is_abstract { "" } else { " {}" };
        let name = identifier(&name);
        let _ = writeln!(out, "fun {type_params}{space}{receiver}{name}({params}): {result}{bounds}{body}");
    }

    fn property(&mut self, bytes: &'b [u8], in_interface: bool, out: &mut String) {
        let flags = flags_of(bytes, 11, 518);
        let Some(visibility) = seen(flags) else { return };
        let (mut name, mut ty, mut receiver, mut own_params) = (String::new(), None, None, Vec::new());
        let (mut setter, mut signature) = (flags, None);
        for (field, value) in fields(bytes) {
            match field {
                2 => name = self.types.strings.get(value.int()),
                3 | 9 => ty = Some(self.types.field(value)),
                4 => own_params.push(value.bytes()),
                5 | 10 => receiver = Some(self.types.field(value)),
                8 => setter = value.int(),
                100 => signature = fields(value.bytes()).find(|(field, _)| *field == 2),
                _ => {}
            }
        }
        // Annotations are written on a method that is there for nothing else.
        let marks = signature.map_or(Member::default(), |synthetic| self.method("", Some(synthetic), 0));
        if marks.said.is_hidden || name.starts_with('<') {
            return;
        }
        let (type_params, bounds) = self.types.type_params(&own_params);
        self.deprecation(marks.said.is_deprecated, out);
        self.indent(out);
        let _ = write!(out, "{visibility}{}", modality(flags, in_interface));
        out.push_str(if flags & 1 << 11 != 0 { "const " } else { "" });
        let word = if flags & 1 << 8 != 0 && seen(setter).is_some() { "var" } else { "val" };
        let receiver = receiver.map_or(String::new(), |ty| self.receiver(ty));
        let space = if type_params.is_empty() { "" } else { " " };
        let ty = ty.map_or("kotlin.Any".to_owned(), |ty| self.types.text(ty));
        let is_default = in_interface && flags >> 4 & 3 != ABSTRACT;
        let getter = if is_default { " get() = TODO()" } else { "" };
        let name = identifier(&name);
        let _ = writeln!(out, "{word} {type_params}{space}{receiver}{name}: {ty}{bounds}{getter}");
    }

    fn alias(&mut self, bytes: &'b [u8], out: &mut String) {
        let Some(visibility) = seen(flags_of(bytes, 1, 6)) else { return };
        let (mut name, mut own_params, mut of) = (String::new(), Vec::new(), None);
        for (field, value) in fields(bytes) {
            match field {
                2 => name = self.types.strings.get(value.int()),
                3 => own_params.push(value.bytes()),
                6 | 7 => of = Some(self.types.field(value)),
                _ => {}
            }
        }
        let (type_params, _) = self.types.type_params(&own_params);
        let of = of.map_or("kotlin.Any".to_owned(), |ty| self.types.text(ty));
        let _ = writeln!(out, "{visibility}typealias {}{type_params} = {of}", identifier(&name));
    }

    fn receiver(&self, ty: Ty<'b>) -> String {
        let text = self.types.text(ty);
        if text.contains("->") { format!("({text}).") } else { format!("{text}.") }
    }

    /// The value parameters that a message has in a field.
    fn params(&self, bytes: &'b [u8], field: u32) -> String {
        let own = fields(bytes).filter(|(at, _)| *at == field);
        let params: Vec<String> = own.map(|(_, value)| self.param(value.bytes())).collect();
        params.join(", ")
    }

    fn param(&self, bytes: &'b [u8]) -> String {
        let (mut flags, mut name, mut ty, mut element) = (0, String::new(), None, None);
        for (field, value) in fields(bytes) {
            match field {
                1 => flags = value.int(),
                2 => name = self.types.strings.get(value.int()),
                3 | 5 => ty = Some(self.types.field(value)),
                4 | 6 => element = Some(self.types.field(value)),
                _ => {}
            }
        }
        let vararg = if element.is_some() { "vararg " } else { "" };
        let ty = element.or(ty).map_or("kotlin.Any".to_owned(), |ty| self.types.text(ty));
        let default = if flags & 1 << 1 != 0 { " = TODO()" } else { "" };
        format!("{vararg}{}: {ty}{default}", identifier(&name))
    }

    /// The facts about a method in the class file; `signature` is the field with the unusual parts of its name and
    /// descriptor. Of several that may be meant, what all of them have.
    fn method(&self, usual: &str, signature: Option<(u32, Value<'_>)>, arity: usize) -> Member {
        let (mut name, mut descriptor) = (usual.to_owned(), None);
        for (field, value) in fields(signature.map_or(&[][..], |(_, value)| value.bytes())) {
            match field {
                1 => name = self.types.strings.get(value.int()),
                2 => descriptor = Some(self.types.strings.get(value.int())),
                _ => {}
            }
        }
        let is_meant = |method: &&Member| {
            method.name == name
                && descriptor
                    .as_ref()
                    .map_or(takes(&method.descriptor) == arity, |text| method.descriptor == *text)
        };
        let found = self.class.methods.iter().filter(is_meant).cloned();
        let both = |mut a: Member, b: Member| {
            a.said.is_deprecated &= b.said.is_deprecated;
            a.said.is_hidden &= b.said.is_hidden;
            a.said.is_static &= b.said.is_static;
            a
        };
        found.reduce(both).unwrap_or_default()
    }

    fn deprecation(&self, is_deprecated: bool, out: &mut String) {
        if is_deprecated {
            self.indent(out);
            out.push_str("@Deprecated(\"\")\n");
        }
    }

    fn indent(&self, out: &mut String) {
        out.extend(std::iter::repeat_n("    ", self.depth));
    }
}

/// How many parameters a descriptor has.
fn takes(descriptor: &str) -> usize {
    let (mut count, mut in_name) = (0, false);
    for letter in descriptor.chars().skip(1).take_while(|letter| *letter != ')') {
        count += usize::from(!in_name && letter != '[');
        in_name = if in_name { letter != ';' } else { letter == 'L' };
    }
    count
}

/// The number in a field of a message.
fn flags_of(bytes: &[u8], field: u32, default: u32) -> u32 {
    fields(bytes).find(|(at, _)| *at == field).map_or(default, |(_, value)| value.int())
}

/// The word for the visibility of what others see.
fn seen(flags: u32) -> Option<&'static str> {
    match flags >> 1 & 7 {
        PUBLIC => Some(""),
        PROTECTED => Some("protected "),
        _ => None,
    }
}

fn modality(flags: u32, in_interface: bool) -> &'static str {
    match flags >> 4 & 3 {
        _ if in_interface => "",
        1 => "open ",
        ABSTRACT => "abstract ",
        _ => "",
    }
}

fn modifiers_of_class(flags: u32) -> String {
    let visibility = seen(flags).unwrap_or("internal ");
    let modality = match (flags >> 4 & 3, flags >> 6 & 7) {
        (3, _) => "sealed ",
        (_, kind) if kind != 0 => "",
        (1, _) => "open ",
        (ABSTRACT, _) => "abstract ",
        _ => "",
    };
    let words = [(9, "inner "), (10, "data "), (13, "value "), (14, "fun ")];
    let words = words.iter().filter(|(bit, _)| flags & 1 << bit != 0).map(|(_, word)| *word);
    format!("{visibility}{modality}{}", words.collect::<String>())
}

fn keyword(kind: u32) -> &'static str {
    match kind {
        INTERFACE => "interface",
        ENUM => "enum class",
        ANNOTATION => "annotation class",
        OBJECT => "object",
        COMPANION => "companion object",
        _ => "class",
    }
}
