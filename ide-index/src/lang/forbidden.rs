//! Names that a language forbids in a place, though they are identifiers that may be used elsewhere.

use ide_model::{Family, Language, SymbolKind};

use super::{kotlin, python};
use crate::facts::{DefFlags, ScopeId};
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

/// Properties that every class and function of JavaScript has and that cannot be given away.
const OF_FUNCTIONS: &str = "prototype name length";

/// Variables that PHP makes itself in every function.
pub(crate) const SUPERGLOBALS: &str = "GLOBALS _GET _POST _SERVER _COOKIE _FILES _ENV _REQUEST _SESSION";

/// Why a declaration used in these files may not have a name where it stands; completes "the name …".
pub(crate) fn forbidden(rx: &Resolver, def: GlobalDef, new: &str, used_in: &[FileId]) -> Option<String> {
    let why = match rx.language_of(def).family() {
        Family::Ecma => in_ecma(rx, def, new),
        Family::Python => in_python(rx, def, new, used_in),
        Family::Go => in_go(rx, def, new),
        Family::Php => in_php(rx, def, new),
        Family::Jvm => on_the_jvm(rx, def, new),
        _ => None,
    };
    why.map(str::to_owned)
}

fn is_one_of(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

fn in_ecma(rx: &Resolver, def: GlobalDef, new: &str) -> Option<&'static str> {
    let d = rx.def(def);
    if d.kind == SymbolKind::EnumCase {
        return is_one_of("NaN Infinity", new)
            .then_some("is the name of a number, which no member of an enum may have");
    }
    let is_class = |def| matches!(rx.kind(def), SymbolKind::Class | SymbolKind::AbstractClass);
    let owner = rx.member_owner(def);
    let is_static = owner.is_some_and(is_class) && d.flags.has(DefFlags::STATIC);
    if (is_static || is_given_to_function(rx, def)) && is_one_of(OF_FUNCTIONS, new) {
        return Some("is a built-in property of classes and functions");
    }
    let is_class = is_class(owner?);
    if new == "__proto__" {
        return Some("sets the prototype of an object");
    }
    let is_constructor = new == "#constructor" || new == "constructor" && !is_static;
    (is_class && is_constructor).then_some("is reserved for the constructor")
}

/// Whether something is a property that a function or class is given by an assignment.
fn is_given_to_function(rx: &Resolver, def: GlobalDef) -> bool {
    let file = rx.file(def.file);
    let object = file.def(def.def).attach.and_then(|object| rx.expr_ref(file, object));
    object.filter(|object| file.reference(*object).receiver.is_none()).is_some_and(|object| {
        let meant = rx.resolve(file.global_ref(object)).resolution;
        meant.defs().any(|of| rx.kind(of).is_callable() || rx.kind(of) == SymbolKind::Class)
    })
}

fn in_python(rx: &Resolver, def: GlobalDef, new: &str, used_in: &[FileId]) -> Option<&'static str> {
    let d = rx.def(def);
    let is_between = |mark: &str| new.len() > 2 * mark.len() && new.starts_with(mark) && new.ends_with(mark);
    if d.kind == SymbolKind::EnumCase && (is_between("_") || new == "mro") {
        return Some("is reserved in an enumeration");
    }
    if let Some(owner) = rx.member_owner(def) {
        let is_field = !d.kind.is_callable() && d.kind != SymbolKind::EnumCase;
        return (is_field && new.starts_with('_') && python::is_named_tuple(rx, owner))
            .then_some("begins with `_`, which fields of a named tuple may not");
    }
    // In a class `__name` means `_Class__name`.
    let is_mangled = |name: &str| name.starts_with("__") && !name.ends_with("__");
    let is_seen = d.kind == SymbolKind::Parameter || !d.flags.has(DefFlags::LOCAL);
    let has_class = |file: &FileId| rx.file(*file).defs.iter().any(|other| other.kind.is_type());
    (is_mangled(new) && !is_mangled(rx.def_name(def)) && is_seen && used_in.iter().any(has_class))
        .then_some("is rewritten to `_Class__name` inside of classes")
}

fn in_go(rx: &Resolver, def: GlobalDef, new: &str) -> Option<&'static str> {
    let d = rx.def(def);
    (new == "init"
        && d.scope == ScopeId(0)
        && d.kind != SymbolKind::Function
        && rx.member_owner(def).is_none())
    .then_some("is reserved for functions that run when the program starts")
}

fn in_php(rx: &Resolver, def: GlobalDef, new: &str) -> Option<&'static str> {
    let kind = rx.kind(def);
    let is_variable = matches!(kind, SymbolKind::Variable | SymbolKind::Parameter);
    if is_variable && is_one_of(SUPERGLOBALS, new.trim_start_matches('$')) {
        return Some("is a variable of PHP itself");
    }
    let is_class = kind.is_type() && kind != SymbolKind::TypeParameter;
    let is_reserved = || super::names::spelling_problem(Language::Php, &new.to_ascii_lowercase()).is_some();
    (is_class && is_reserved()).then_some("is a reserved or predeclared word of PHP")
}

/// Methods that compilers make for enums and for properties.
fn on_the_jvm(rx: &Resolver, def: GlobalDef, new: &str) -> Option<&'static str> {
    if kotlin::clashes(rx, def, new) {
        return Some(
            "would give a class file the same method twice: of a function and as the accessor of a property",
        );
    }
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let owner = rx.member_owner(def)?;
    let params = file.list(d.params).len();
    let is_made = new == "values" && params == 0 || new == "valueOf" && params == 1;
    (d.kind.is_callable() && rx.kind(owner) == SymbolKind::Enum && is_made)
        .then_some("is the name of a method that the compiler generates for every enum")
}
