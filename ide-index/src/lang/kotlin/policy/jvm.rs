//! The names of Kotlin's declarations in class files: accessors, names given by `@JvmName`.

use ide_model::{Confidence, Language, SymbolKind, Visibility};

use super::java::{capitalized, property_names};
use super::members::is_read;
use crate::facts::{DefFlags, DefId, Expr, ExprId, RefId, Role, TypeExpr};
use crate::resolve::{FileView, Reason, Resolution, Resolver, Target, Ty};
use crate::world::{DeclarationSite, GlobalDef};

const ANNOTATION: &str = "JvmName";
/// The parts of a property that may have a name of their own, as annotations say it.
const GETTER: &str = "get";
const SETTER: &str = "set";

/// The name that `@JvmName` gives to a function, or to an accessor of a property.
fn given_name<'f>(file: &'f FileView, def: DefId, part: &str) -> Option<&'f str> {
    let text = |arg: ExprId| match file.expr(arg) {
        Expr::Text(name) => Some(file.name(name)),
        _ => None,
    };
    file.list(file.def(def).decorators).find_map(|annotation| {
        let Expr::New { ty, args } = file.expr(annotation) else { return None };
        let TypeExpr::Named { name, .. } = file.ty(ty) else { return None };
        let mut args = file.list(args);
        let given = args.next().and_then(text).filter(|_| file.ref_name(name) == ANNOTATION)?;
        (args.next().and_then(text).unwrap_or_default() == part).then_some(given)
    })
}

fn has_given_names(file: &FileView) -> bool {
    file.name_id(ANNOTATION).is_some()
}

/// The name of a function in class files.
pub(super) fn method_name(file: &FileView, def: DefId) -> &str {
    let given = has_given_names(file).then(|| given_name(file, def, "")).flatten();
    given.unwrap_or_else(|| file.def_name(def))
}

/// The methods by which Java reads and writes a property that is called so.
pub(in crate::lang) fn plain_accessors(property: &str) -> [String; 2] {
    let is_form =
        property.strip_prefix("is").filter(|rest| rest.starts_with(|first: char| !first.is_lowercase()));
    match is_form {
        Some(rest) => [property.to_owned(), format!("set{rest}")],
        None => {
            let capital = capitalized(property);
            [format!("get{capital}"), format!("set{capital}")]
        }
    }
}

/// The methods by which Java reads and writes a property, the getter first.
pub(super) fn accessors(file: &FileView, property: DefId) -> Vec<String> {
    let d = file.def(property);
    let mut names = plain_accessors(file.name(d.name));
    if has_given_names(file) {
        let written = |flag: DefFlags| {
            let is_it = |def: &DefId| file.has_flag(*def, flag) && d.range.encloses(file.def(*def).range);
            file.def_ids().filter(|def| file.has_flag(*def, DefFlags::ANONYMOUS)).find(is_it)
        };
        let parts = [(GETTER, DefFlags::GETTER), (SETTER, DefFlags::SETTER)];
        for (name, (part, flag)) in names.iter_mut().zip(parts) {
            let on_accessor = || given_name(file, written(flag)?, "");
            if let Some(given) = given_name(file, property, part).or_else(on_accessor) {
                *name = given.to_owned();
            }
        }
    }
    let count = if d.flags.has(DefFlags::VAR) { 2 } else { 1 };
    names.into_iter().take(count).collect()
}

/// Declarations among some that `@JvmName` calls so, or whose accessors it does.
pub(super) fn given(all: &[DefId], file: &FileView, name: &str) -> Vec<GlobalDef> {
    if !has_given_names(file) || file.name_id(name).is_none() {
        return Vec::new();
    }
    let is_called = |def: &DefId| match file.def(*def).kind {
        SymbolKind::Property => accessors(file, *def).iter().any(|accessor| accessor == name),
        kind => {
            kind.is_callable()
                && !file.has_flag(*def, DefFlags::ANONYMOUS)
                && given_name(file, *def, "") == Some(name)
        }
    };
    all.iter().copied().filter(is_called).map(|def| file.global(def)).collect()
}

/// The property of Kotlin that an accessor of Java is: all capitals at the beginning become small, but for the last before
/// another word (`getURLPath` is `urlPath`).
pub(in crate::lang) fn synthetic_property(accessor: &str) -> Option<String> {
    let rest = accessor.strip_prefix("get").or_else(|| accessor.strip_prefix("set"));
    let Some(rest) = rest else {
        let rest = accessor.strip_prefix("is")?;
        return rest.starts_with(|first: char| !first.is_lowercase()).then(|| accessor.to_owned());
    };
    rest.chars().next().filter(|first| !first.is_lowercase())?;
    Some(uncapitalized(rest))
}

fn uncapitalized(name: &str) -> String {
    let capitals = name.chars().take_while(char::is_ascii_uppercase).count();
    let small = match capitals {
        0 | 1 => capitals,
        all if all == name.len() => all,
        several => several - 1,
    };
    name[..small].to_ascii_lowercase() + &name[small..]
}

/// The endings of accessors that are read as a property of this name.
pub(super) fn accessor_endings(property: &str) -> Vec<String> {
    let small = property.bytes().take_while(u8::is_ascii_lowercase).count();
    let raised = (1..=small.max(1)).filter(|up| property.is_char_boundary(*up) && *up <= property.len());
    let all = raised.map(|up| property[..up].to_uppercase() + &property[up..]);
    all.filter(|ending| uncapitalized(ending) == property || *ending == capitalized(property)).collect()
}

/// Whether a property is a static field of a class file: one of an object that Java sees without its getter.
pub(in crate::lang) fn is_static_field(rx: &Resolver, def: GlobalDef) -> bool {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    d.kind == SymbolKind::Property
        && rx.owner_class(def).is_some_and(|owner| rx.kind(owner) == SymbolKind::Object)
        && (d.flags.has(DefFlags::LATEINIT) || has_annotation(rx, file, def.def, "JvmField"))
}

fn has_annotation(rx: &Resolver, file: &FileView, def: DefId, annotation: &str) -> bool {
    let is_it = |of: ExprId| match file.expr(of) {
        Expr::Ref(name) => file.ref_name(name) == annotation,
        Expr::New { ty, .. } => {
            rx.named_type_ref(file, ty).is_some_and(|name| file.ref_name(name) == annotation)
        }
        _ => false,
    };
    file.list(file.def(def).decorators).any(is_it)
}

/// Whether a property or function with a new name would be, in a class file, the same method as a function or an accessor beside
/// it: `val x` has `getX()`.
pub(in crate::lang) fn clashes(rx: &Resolver, def: GlobalDef, new: &str) -> bool {
    if rx.language_of(def) != Language::Kotlin || rx.has_flag(def, DefFlags::LOCAL) {
        return false;
    }
    let others = |name: &str| rx.declared_anywhere(name).to_vec().into_iter().map(|site| site.at);
    match rx.kind(def) {
        SymbolKind::Property => plain_accessors(new)
            .iter()
            .enumerate()
            .any(|(part, name)| others(name).any(|function| is_accessor(rx, def, function, part))),
        kind if kind.is_callable() && method_name(rx.file(def.file), def.def) == rx.def_name(def) => {
            property_of(new).iter().any(|name| {
                let part = plain_accessors(name).iter().position(|accessor| accessor == new);
                part.is_some_and(|part| others(name).any(|property| is_accessor(rx, property, def, part)))
            })
        }
        _ => false,
    }
}

/// Whether the accessor of a property and a function are one method of a class, but for their names; `part` is 1 for setters.
fn is_accessor(rx: &Resolver, property: GlobalDef, function: GlobalDef, part: usize) -> bool {
    let (file, other) = (rx.file(property.file), rx.file(function.file));
    let (p, f) = (file.def(property.def), other.def(function.def));
    let is_private = |visibility| visibility == Some(Visibility::Private);
    let is_written = |flag: DefFlags| {
        let is_it = |def: &DefId| file.has_flag(*def, flag) && p.range.encloses(file.def(*def).range);
        file.def_ids().any(|def| is_it(&def))
    };
    // A private property is a field, unless its accessor is written out.
    let flag = [DefFlags::GETTER, DefFlags::SETTER][part];
    let has_accessor = p.kind == SymbolKind::Property
        && !p.flags.has(DefFlags::LOCAL)
        && (part == 0 || p.flags.has(DefFlags::VAR))
        && (!is_private(p.visibility) || is_written(flag))
        && !p.flags.has(DefFlags::CONST)
        && !has_annotation(rx, file, property.def, "JvmField")
        && given_name(file, property.def, [GETTER, SETTER][part]).is_none();
    let is_method = f.kind.is_callable()
        && other.language() == Language::Kotlin
        && !f.flags.has(DefFlags::LOCAL)
        && other.list(f.params).len() == part
        && method_name(other, function.def) == other.def_name(function.def);
    if !has_accessor || !is_method || p.receiver.is_some() != f.receiver.is_some() {
        return false;
    }
    let is_above = |below: GlobalDef, above: GlobalDef| {
        rx.linearization(&rx.self_type(below)).iter().any(|ty| ty.def() == Some(above))
    };
    let is_beside = match (rx.member_owner(property), rx.member_owner(function)) {
        (Some(a), Some(b)) if a != b => {
            !is_private(p.visibility) && !is_private(f.visibility) && (is_above(a, b) || is_above(b, a))
        }
        (a, b) => a == b && (a.is_some() || property.file == function.file),
    };
    let differ = |a: &Ty, b: &Ty| a.def().is_some() && b.def().is_some() && a.def() != b.def();
    let of_property = rx.def_type(property);
    let same_receiver = match (p.receiver, f.receiver) {
        (Some(a), Some(b)) => !differ(&rx.type_of(file, a), &rx.type_of(other, b)),
        _ => true,
    };
    let same_types = match other.list(f.params).next() {
        Some(param) => {
            !differ(&of_property, &rx.def_type(other.global(param)))
                && rx.return_type(function).def().is_none_or(|result| &*rx.shared_name(result) == "Unit")
        }
        None => !differ(&of_property, &rx.return_type(function)),
    };
    is_beside && same_receiver && same_types
}

/// The possible meaning of a member behind an unknown value, with properties that have accessors of that name: the
/// only declaration there is.
pub(in crate::lang) fn or_by_accessor(
    rx: &Resolver,
    file: &FileView,
    reference: RefId,
    found: Resolution,
) -> Resolution {
    let name = file.ref_name(reference);
    let is_call = file.reference(reference).role == Role::Call;
    let names: Vec<String> = match (file.language(), is_call) {
        (_, true) => property_names(name).into_iter().chain([name.to_owned()]).collect(),
        (Language::Kotlin, false) if name.starts_with(|first: char| !first.is_uppercase()) => {
            accessor_endings(name).into_iter().map(|ending| format!("get{ending}")).collect()
        }
        _ => Vec::new(),
    };
    let sites = names.iter().flat_map(|other| rx.declared_anywhere(other).to_vec());
    let is_meant = |site: &DeclarationSite| {
        let is_field = matches!(site.kind, SymbolKind::Field | SymbolKind::Property);
        if rx.language_of(site.at).family() != file.family() {
            false
        } else if is_call {
            is_field
                && rx.policy_of(site.at).accessors(rx, site.at).iter().any(|accessor| **accessor == *name)
        } else {
            site.kind == SymbolKind::Method && is_read(rx, site.at) && site.is_nested
        }
    };
    let mut others: Vec<GlobalDef> = sites.filter(is_meant).map(|site| site.at).collect();
    others.sort_unstable();
    others.dedup();
    match (&others[..], found.is_unknown()) {
        ([], false) => found,
        ([], true) => Resolution::unknown(Reason::UnknownReceiver),
        ([one], true) if found.reason != Reason::SeveralCandidates => Resolution {
            targets: std::iter::once(Target::Def(*one)).collect(),
            confidence: Confidence::NameOnly,
            reason: Reason::ByNameOnly,
        },
        _ => Resolution::unknown(Reason::SeveralCandidates),
    }
}

/// How a use is written that names a property by its accessor, or the other way round, when one of them gets another name.
pub(in crate::lang) fn respelled(written: &str, old: &str, new: &str) -> Option<String> {
    let (was, is) = (plain_accessors(old), plain_accessors(new));
    if let Some(at) = was.iter().position(|accessor| accessor == written) {
        return Some(is[at].clone());
    }
    if let Some(at) = property_of(old).iter().position(|property| property == written) {
        return property_of(new).into_iter().nth(at);
    }
    // One accessor of a property for another.
    let (was, is) = (synthetic_property(old)?, synthetic_property(new)?);
    let at = plain_accessors(&was).iter().position(|accessor| accessor == written)?;
    Some(plain_accessors(&is)[at].clone())
}

/// The getter of a property with a new name, where its old one had its own name: `isReady()`.
pub(in crate::lang) fn getter_after(old: &str, new: &str) -> Option<String> {
    let ([was, _], [is, _]) = (plain_accessors(old), plain_accessors(new));
    (was == old).then_some(is)
}

/// The property that a getter of Java with a new name is read as, where the old one was read by its own name.
pub(super) fn property_after(old: &str, new: &str) -> Option<String> {
    synthetic_property(old).filter(|was| was == old).and_then(|_| synthetic_property(new))
}

/// The properties that an accessor may stand for, first as Kotlin reads those of Java.
fn property_of(accessor: &str) -> Vec<String> {
    let Some(first) = synthetic_property(accessor) else { return Vec::new() };
    let rest = accessor.strip_prefix("get").or_else(|| accessor.strip_prefix("set"));
    let plain = rest.map(|rest| {
        let mut letters = rest.chars();
        letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect::<String>()
    });
    let is_form = accessor.strip_prefix("set").map(|rest| format!("is{rest}"));
    [Some(first), plain, rest.map(str::to_owned), is_form].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessors_and_properties_belong_together() {
        for (accessor, property) in [
            ("getName", "name"),
            ("getURL", "url"),
            ("getURLPath", "urlPath"),
            ("setX", "x"),
            ("isOpen", "isOpen"),
            ("get_a", "_a"),
        ] {
            assert_eq!(synthetic_property(accessor).as_deref(), Some(property));
        }
        assert_eq!(synthetic_property("getaway"), None);
        assert_eq!(synthetic_property("island"), None);
        assert_eq!(accessor_endings("urlPath"), ["UrlPath", "URLPath"]);
        assert_eq!(accessor_endings("name"), ["Name", "NAME"]);
    }

    #[test]
    fn uses_follow_in_their_own_spelling() {
        let respelled = |written, old, new| respelled(written, old, new);
        assert_eq!(respelled("getName", "name", "title").as_deref(), Some("getTitle"));
        assert_eq!(respelled("setURL", "URL", "URI").as_deref(), Some("setURI"));
        assert_eq!(respelled("size", "setSize", "setLength").as_deref(), Some("length"));
        assert_eq!(respelled("setSize", "getSize", "getLength").as_deref(), Some("setLength"));
        assert_eq!(respelled("isOpen", "isOpen", "isShut").as_deref(), Some("isShut"));
        assert_eq!(respelled("size", "setSize", "length"), None);
    }
}
