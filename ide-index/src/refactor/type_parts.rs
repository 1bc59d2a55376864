//! Types of parts: the results of a call, what a range clause or a test gives, elements and slices. They are read from the
//! types that declarations write, as the lengths of arrays and the names of packages stand there.

use std::sync::Arc;

use ide_model::{Family, SourceKind, SymbolKind, Visibility};

use super::tree::{NodeId, Syntax, has};
use super::types::{MAX_DEPTH, TypeWriter};
use crate::facts::{DefFlags, RefId, Role};
use crate::resolve::{FileView, Target, Ty};
use crate::world::GlobalDef;

impl TypeWriter<'_> {
    /// The types of all that a call gives; `None` where it is not known, and for each that cannot be said here.
    pub(super) fn results_of(&self, call: NodeId) -> Option<Vec<Option<String>>> {
        let reference = self.last_name(call)?;
        let resolved = self.rx.resolve(self.file.global_ref(reference));
        if let [Target::External(name)] = &resolved.resolution.targets[..] {
            let builtin = name.strip_prefix("builtin.")?;
            let gives = !has("clear close delete panic print println", builtin);
            return Some(if gives { vec![self.of_builtin(call, builtin, 0)] } else { Vec::new() });
        }
        let [Target::Def(def)] = &resolved.resolution.targets[..] else { return None };
        let d = self.rx.def(*def);
        let is_function = d.kind.is_callable() && d.kind != SymbolKind::Constructor;
        if !resolved.resolution.confidence.is_certain() || !is_function {
            return None;
        }
        let (home, syntax) = self.home_of(*def)?;
        let function = syntax.parent(syntax.around(d.name_range))?;
        syntax.field(function, "parameters")?;
        let result = ["result", "type"].iter().find_map(|field| syntax.field(function, field));
        let Some(result) = result.filter(|ty| syntax.text_of(*ty) != "void") else { return Some(Vec::new()) };
        if syntax.kind(result) != "parameter_list" {
            return Some(vec![self.sayable(home, &syntax, result)]);
        }
        let mut types = Vec::new();
        for parameter in syntax.named(result) {
            let ty = syntax.field(parameter, "type").and_then(|ty| self.sayable(home, &syntax, ty));
            let names = syntax.named(parameter).filter(|id| syntax.node(*id).field == "name").count();
            types.extend(std::iter::repeat_n(ty, names.max(1)));
        }
        Some(types)
    }

    /// The file of a declaration with its tree.
    pub(super) fn home_of(&self, def: GlobalDef) -> Option<(&FileView, Arc<Syntax>)> {
        let home = self.rx.file(def.file);
        let is_library = self.rx.world().file(def.file).source == SourceKind::Library;
        if is_library && !self.is_qualified() {
            return None;
        }
        let text = (self.ctx.text)(def.file).ok()?;
        let syntax = self.ctx.syntax(home, text.text.clone()).ok()?;
        Some((home, syntax))
    }

    /// The type that one of several names gets that are declared together.
    pub(super) fn of_binding(&self, name: NodeId, depth: u32) -> Option<String> {
        let syntax = self.syntax;
        if depth > MAX_DEPTH || !self.is_qualified() {
            return None;
        }
        let kinds = "short_var_declaration var_spec range_clause";
        let at = syntax.ancestors(name).take(4).find(|id| syntax.is_in(*id, kinds))?;
        let list = syntax.field(at, "left").unwrap_or(at);
        let names: Vec<NodeId> =
            syntax.named(list).filter(|id| has("identifier blank_identifier", syntax.kind(*id))).collect();
        let index = names.iter().position(|id| *id == name)?;
        let right = syntax.field(at, "right").or_else(|| syntax.field(at, "value"))?;
        if syntax.kind(at) == "range_clause" {
            return ranged(&self.of_value_at(right, depth + 1)?, index);
        }
        let values: Vec<NodeId> =
            if syntax.kind(right) == "expression_list" { syntax.named(right).collect() } else { vec![right] };
        let [only] = values[..] else { return self.of_value_at(*values.get(index)?, depth + 1) };
        if syntax.is_in(only, syntax.shape.calls) {
            return self.results_of(only)?.get(index)?.clone();
        }
        match index {
            0 => self.of_value_at(only, depth + 1),
            1 if has("index_expression type_assertion_expression unary_expression", syntax.kind(only)) => {
                Some("bool".to_owned())
            }
            _ => None,
        }
    }

    /// The type of a value that its form tells.
    pub(super) fn of_form(&self, node: NodeId, depth: u32) -> Option<String> {
        let syntax = self.syntax;
        if !self.is_qualified() {
            return None;
        }
        let operand = || self.of_value_at(syntax.field(node, "operand")?, depth + 1);
        match syntax.kind(node) {
            "slice_expression" => {
                let ty = operand()?;
                if ty == "string" || ty.starts_with("[]") {
                    return Some(ty);
                }
                let (_, item) = ty.strip_prefix('[')?.split_once(']')?;
                Some(format!("[]{item}"))
            }
            "index_expression" => {
                let ty = operand()?;
                if ty == "string" { Some("byte".to_owned()) } else { part_of(&ty, 1) }
            }
            "type_assertion_expression" | "type_conversion_expression" => {
                Some(syntax.text_of(syntax.field(node, "type")?).to_owned())
            }
            "func_literal" => {
                let body = syntax.range(syntax.field(node, "body")?);
                let head = ide_model::TextRange::new(syntax.range(node).start, body.start);
                Some(syntax.slice(head).trim().to_owned())
            }
            "call_expression" => match &self.results_of(node)?[..] {
                [only] => only.clone(),
                _ => None,
            },
            _ => None,
        }
    }

    fn of_builtin(&self, call: NodeId, name: &str, depth: u32) -> Option<String> {
        let syntax = self.syntax;
        let first = syntax.named(syntax.field(call, "arguments")?).next();
        match name {
            "len" | "cap" | "copy" => Some("int".to_owned()),
            "make" => Some(syntax.text_of(first?).to_owned()),
            "new" => Some(format!("*{}", syntax.text_of(first?))),
            "append" => self.of_value_at(first?, depth + 1).filter(|ty| ty.starts_with("[]")),
            "recover" => Some("any".to_owned()),
            "complex" | "imag" | "real" | "min" | "max" => None,
            // A conversion.
            _ => Some(name.to_owned()),
        }
    }

    /// Whether a name of another package has that package before it.
    pub(super) fn is_qualified(&self) -> bool {
        self.words().is_some_and(|words| words.is_qualified)
    }

    /// The qualifier before the names of the package that a target is in.
    pub(super) fn qualifier(&self, target: &Target) -> Option<String> {
        let Target::Def(def) = target else { return None };
        if self.rx.member_owner(*def).is_some() {
            return None;
        }
        if self.file.family() == Family::Jvm {
            return self.jvm_package(*def);
        }
        if !self.is_qualified() {
            return None;
        }
        let is_exported = self.rx.shared_name(*def).starts_with(char::is_uppercase);
        let home = self.rx.file(def.file);
        let folder = home.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = self.file;
        let mut imports = file.def_ids().filter(|id| file.def(*id).kind == SymbolKind::Import);
        let import = imports.find(|id| {
            let import = Target::Def(file.global(*id));
            let ty = self.rx.policy(file).target_type(self.rx, &import);
            matches!(ty, Ty::Package(directory) if *directory == *folder)
        })?;
        let name = file.def_name(import);
        let is_shadowed =
            || file.def_ids().any(|id| file.def_name(id) == name && file.def(id).flags.has(DefFlags::LOCAL));
        (is_exported && !["_", "."].contains(&name) && !is_shadowed()).then(|| name.to_owned())
    }

    /// The package of a type, where its name with the package is one that everyone may say.
    fn jvm_package(&self, def: GlobalDef) -> Option<String> {
        let (home, file) = (self.rx.file(def.file), self.file);
        let d = home.def(def.def);
        let is_seen = !matches!(d.visibility, Some(Visibility::Private | Visibility::Package));
        let is_type = d.kind.is_type() && d.kind != SymbolKind::TypeParameter;
        let package = home.package.map(|name| home.name(name)).filter(|_| is_type && is_seen)?;
        let first = package.split('.').next().unwrap_or(package);
        (!file.def_ids().any(|id| file.def_name(id) == first)).then(|| package.to_owned())
    }

    /// Whether a type that is written with its package means the same with the words of this file.
    pub(super) fn has_same_qualifier(
        &self,
        home: &FileView,
        syntax: &Syntax,
        reference: RefId,
        target: &Target,
    ) -> bool {
        let before = &syntax.text[..home.reference(reference).range.start as usize];
        let written = before.strip_suffix('.').unwrap_or("");
        let word = written.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next();
        !self.is_qualified() || home.id == self.file.id || self.qualifier(target).as_deref() == word
    }

    /// Whether a reference is the package in a name such as `package.Name`.
    pub(super) fn is_qualifier(&self, home: &FileView, syntax: &Syntax, reference: RefId) -> bool {
        let r = home.reference(reference);
        self.is_qualified()
            && matches!(r.role, Role::Read | Role::Type)
            && r.receiver.is_none()
            && syntax.text[r.range.end as usize..].starts_with('.')
    }
}

/// Types of numbers that a range counts through.
const COUNTED: &str = "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune";

/// The type of the first (0) or second (1) variable of a range.
fn ranged(ty: &str, index: usize) -> Option<String> {
    if index == 0 && has(COUNTED, ty) {
        return Some(ty.to_owned());
    }
    if let Some(item) = ["<-chan ", "chan "].iter().find_map(|mark| ty.strip_prefix(mark)) {
        return (index == 0).then(|| item.trim().to_owned());
    }
    // `func(yield func(K, V) bool)`, as it is and by its names in the library.
    let yields = ty.strip_prefix("func(").and_then(|rest| {
        let (name, rest) = rest.split_once("func(")?;
        let is_name = name.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name.then(|| rest.strip_suffix(" bool)")?.strip_suffix(')')).flatten()
    });
    let named = || {
        let rest = ty.strip_prefix("iter.Seq")?;
        rest.strip_prefix('2').unwrap_or(rest).strip_prefix('[')?.strip_suffix(']')
    };
    match yields.or_else(named) {
        Some(list) => {
            let part = parts(list).nth(index)?.trim();
            // The parameters of `yield` may have names.
            let is_name = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
            match part.split_once(' ') {
                Some((name, ty)) if is_name(name) && !has("func chan map", name) => {
                    Some(ty.trim().to_owned())
                }
                _ => Some(part.to_owned()),
            }
        }
        None => part_of(ty, index),
    }
}

/// The parts between commas outside of brackets.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    list.split(move |c| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        c == ',' && depth == 0
    })
}

/// The key (0) or the element (1) of what a type holds.
fn part_of(ty: &str, index: usize) -> Option<String> {
    if let Some(rest) = ty.strip_prefix("map[") {
        let end = closing(rest)?;
        return Some(if index == 0 { &rest[..end] } else { &rest[end + 1..] }.to_owned());
    }
    if ty == "string" {
        return Some(if index == 0 { "int" } else { "rune" }.to_owned());
    }
    let (_, item) = ty.strip_prefix('[')?.split_once(']')?;
    Some(if index == 0 { "int" } else { item }.to_owned())
}

/// The offset of the bracket that closes one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '[' => depth += 1,
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::{part_of, ranged};

    #[test]
    fn ranges_over_numbers_channels_and_functions() {
        let types = |ty| (ranged(ty, 0).unwrap_or_default(), ranged(ty, 1).unwrap_or_default());
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(types("int"), pair("int", ""));
        assert_eq!(types("uint8"), pair("uint8", ""));
        assert_eq!(types("<-chan *T"), pair("*T", ""));
        assert_eq!(types("func(yield func(string, map[int]T) bool)"), pair("string", "map[int]T"));
        assert_eq!(types("func(func(k K, v V) bool)"), pair("K", "V"));
        assert_eq!(types("iter.Seq2[K, []V]"), pair("K", "[]V"));
        assert_eq!(types("iter.Seq[V]"), pair("V", ""));
        assert_eq!(types("[]T"), pair("int", "T"));
    }

    #[test]
    fn keys_and_elements_are_read_from_the_type() {
        let parts = |ty| (part_of(ty, 0).unwrap_or_default(), part_of(ty, 1).unwrap_or_default());
        assert_eq!(parts("map[[2]string][]int"), ("[2]string".to_owned(), "[]int".to_owned()));
        assert_eq!(parts("[]*T"), ("int".to_owned(), "*T".to_owned()));
        assert_eq!(parts("[4]T"), ("int".to_owned(), "T".to_owned()));
        assert_eq!(parts("string"), ("int".to_owned(), "rune".to_owned()));
        assert_eq!(part_of("Set", 0), None);
    }
}
