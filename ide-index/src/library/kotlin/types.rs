//! Types of `kotlin.Metadata` as they are written in sources.

use std::cell::Cell;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::metadata::Strings;
use super::wire::{Value, fields};
use crate::lang::kotlin::needs_backticks;

/// Deeper types are cut, and so are those of a class that has more parts: both guard against damaged files.
const MAX_DEPTH: u32 = 32;
const MAX_PARTS: u32 = 100_000;

/// The text for a type that cannot be written.
const ANY: &str = "kotlin.Any";

/// A type's message, and whether the table says that it may be null.
pub(super) type Ty<'b> = (&'b [u8], bool);

/// The types of one class or file.
pub(super) struct Types<'b> {
    pub(super) strings: Strings<'b>,
    table: Vec<&'b [u8]>,
    /// From this number on the types of the table may be null.
    first_nullable: u32,
    /// Names of the type parameters that can be seen.
    pub(super) params: FxHashMap<u32, String>,
    /// How many parts of types may still be written.
    left: Cell<u32>,
}

impl<'b> Types<'b> {
    /// `table` is the message with all types of a class or file.
    pub(super) fn new(strings: Strings<'b>, table: &'b [u8], params: FxHashMap<u32, String>) -> Self {
        let mut types =
            Self { strings, table: Vec::new(), first_nullable: u32::MAX, params, left: Cell::new(MAX_PARTS) };
        for (field, value) in fields(table) {
            match field {
                1 => types.table.push(value.bytes()),
                2 => types.first_nullable = value.int(),
                _ => {}
            }
        }
        types
    }

    pub(super) fn by_id(&self, id: u32) -> Ty<'b> {
        let bytes = self.table.get(id as usize).copied().unwrap_or_default();
        (bytes, id >= self.first_nullable)
    }

    /// The type that a field holds, or whose number another one holds.
    pub(super) fn field(&self, value: Value<'b>) -> Ty<'b> {
        match value {
            Value::Bytes(bytes) => (bytes, false),
            Value::Int(id) => self.by_id(id as u32),
        }
    }

    pub(super) fn text(&self, ty: Ty<'b>) -> String {
        self.nested(ty, 0)
    }

    fn nested(&self, (bytes, nullable): Ty<'b>, depth: u32) -> String {
        let left = self.left.get();
        if depth == MAX_DEPTH || left == 0 {
            return ANY.to_owned();
        }
        self.left.set(left - 1);
        let mut args: Vec<&[u8]> = Vec::new();
        let (mut class, mut param) = (None, None);
        let (mut flags, mut is_extension, mut nullable) = (0, false, nullable);
        for (field, value) in fields(bytes) {
            match field {
                1 => flags = value.int(),
                2 => args.push(value.bytes()),
                3 => nullable |= value.int() != 0,
                6 => class = Some(self.strings.get(value.int())),
                7 => param = self.params.get(&value.int()).cloned(),
                9 => param = Some(self.strings.get(value.int())),
                100 => is_extension |= self.is_annotated(value.bytes(), "kotlin/ExtensionFunctionType"),
                _ => {}
            }
        }
        let is_suspend = flags & 1 != 0;
        let mut text = match (class.as_deref(), param) {
            (None, None) => ANY.to_owned(),
            (None, Some(param)) => identifier(&param),
            // Local classes have no place.
            (Some(class), _) if class.starts_with('.') => ANY.to_owned(),
            (Some(class), _) if is_function(class) => {
                let function = self.function(&args, is_suspend, is_extension, depth);
                let function = function.unwrap_or_else(|| ANY.to_owned());
                if nullable { format!("({function})") } else { function }
            }
            (Some(class), _) => {
                let args: Vec<String> = args.iter().map(|arg| self.argument(arg, depth)).collect();
                let args = if args.is_empty() { String::new() } else { format!("<{}>", args.join(", ")) };
                format!("{}{args}", class_name(class))
            }
        };
        if nullable {
            text.push('?');
        }
        text
    }

    fn is_annotated(&self, annotation: &[u8], with: &str) -> bool {
        fields(annotation).any(|(field, value)| field == 1 && self.strings.get(value.int()) == with)
    }

    /// The type of a type argument.
    fn of_argument(&self, bytes: &'b [u8]) -> Option<Ty<'b>> {
        fields(bytes).find(|(field, _)| matches!(field, 2 | 3)).map(|(_, value)| self.field(value))
    }

    fn argument(&self, bytes: &'b [u8], depth: u32) -> String {
        let projection = fields(bytes).find(|(field, _)| *field == 1).map_or(2, |(_, value)| value.int());
        let variance = match projection {
            0 => "in ",
            1 => "out ",
            _ => "",
        };
        match self.of_argument(bytes).filter(|_| projection != 3) {
            Some(ty) => format!("{variance}{}", self.nested(ty, depth + 1)),
            None => "*".to_owned(),
        }
    }

    fn function(
        &self,
        args: &[&'b [u8]],
        is_suspend: bool,
        is_extension: bool,
        depth: u32,
    ) -> Option<String> {
        let mut types: Vec<Ty<'b>> = args.iter().filter_map(|arg| self.of_argument(arg)).collect();
        let mut result = types.pop()?;
        if is_suspend {
            // Its result is the parameter of the last parameter, a continuation.
            let (continuation, _) = types.pop()?;
            let given = fields(continuation).find(|(field, _)| *field == 2)?;
            result = self.of_argument(given.1.bytes())?;
        }
        let mut out = String::from(if is_suspend { "suspend " } else { "" });
        if is_extension && !types.is_empty() {
            let receiver = self.nested(types.remove(0), depth + 1);
            let needs_parens = receiver.contains("->");
            let _ = if needs_parens { write!(out, "({receiver}).") } else { write!(out, "{receiver}.") };
        }
        let params: Vec<String> = types.into_iter().map(|ty| self.nested(ty, depth + 1)).collect();
        let _ = write!(out, "({}) -> {}", params.join(", "), self.nested(result, depth + 1));
        Some(out)
    }

    /// `<T, out R>` with what stands behind `where`; the names can be seen from then on.
    pub(super) fn type_params(&mut self, messages: &[&'b [u8]]) -> (String, String) {
        for bytes in messages {
            let (mut id, mut name) = (0, String::new());
            for (field, value) in fields(bytes) {
                match field {
                    1 => id = value.int(),
                    2 => name = self.strings.get(value.int()),
                    _ => {}
                }
            }
            self.params.insert(id, name);
        }
        let (mut heads, mut bounds) = (Vec::new(), Vec::new());
        for bytes in messages {
            let (mut name, mut variance, mut reified) = (String::new(), "", "");
            let mut above: Vec<Ty<'b>> = Vec::new();
            for (field, value) in fields(bytes) {
                match field {
                    2 => name = identifier(&self.strings.get(value.int())),
                    3 if value.int() != 0 => reified = "reified ",
                    4 => variance = ["in ", "out "].get(value.int() as usize).copied().unwrap_or(""),
                    5 => above.push(self.field(value)),
                    6 => above.extend(value.ints().map(|id| self.by_id(id))),
                    _ => {}
                }
            }
            let above: Vec<String> = above.into_iter().map(|ty| self.text(ty)).collect();
            let bound = match &above[..] {
                [one] => format!(" : {one}"),
                _ => String::new(),
            };
            if above.len() > 1 {
                bounds.extend(above.iter().map(|bound| format!("{name} : {bound}")));
            }
            heads.push(format!("{reified}{variance}{name}{bound}"));
        }
        let head = if heads.is_empty() { String::new() } else { format!("<{}>", heads.join(", ")) };
        let bounds = if bounds.is_empty() { String::new() } else { format!(" where {}", bounds.join(", ")) };
        (head, bounds)
    }
}

fn is_function(name: &str) -> bool {
    name.strip_prefix("kotlin/Function")
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// `a/b/C.D` as it is written.
pub(super) fn class_name(name: &str) -> String {
    qualified(&name.replace('/', "."))
}

pub(super) fn qualified(name: &str) -> String {
    name.split('.').map(identifier).collect::<Vec<_>>().join(".")
}

pub(super) fn identifier(name: &str) -> String {
    if needs_backticks(name) { format!("`{name}`") } else { name.to_owned() }
}
