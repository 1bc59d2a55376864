//! Supertypes that a type cannot have, and members that are incompatible with the ones that they override.

use ide_model::{Language, SymbolKind, Visibility};

use super::overriding::{known_above, members_named};
use super::statements::{INCOMPATIBLE_OVERRIDE, WRONG_SUPERTYPE, refuse};
use super::{erased, is_conditional, is_own};
use crate::check::{Refused, declared_arity};
use crate::facts::{DefFlags, DefId, RefFlags, ScopeKind, SuperKind, SuperType, TypeExpr};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// Supertypes of a type that are searched for a circle.
const MOST_ABOVE: usize = 64;

/// Reports these in a file.
pub(super) fn report(rx: &Resolver, file: &FileView, found: &mut Vec<Refused>) {
    for id in file.def_ids() {
        let def = file.def(id);
        if !def.supers.is_empty() && !def.flags.has(DefFlags::ANONYMOUS) && def.kind.is_type() {
            supertypes(rx, file, id, found);
        } else if def.kind == SymbolKind::Method && !def.flags.has(DefFlags::SYNTHETIC) {
            member(rx, file, id, found);
        }
    }
}

fn supertypes(rx: &Resolver, file: &FileView, id: DefId, found: &mut Vec<Refused>) {
    let def = file.def(id);
    for edge in file.list(def.supers) {
        let Some(name) = rx.named_type_ref(file, edge.ty) else { continue };
        let reference = file.reference(name);
        let Some(of) = rx.resolve(file.global_ref(name)).resolution.certain_def() else { continue };
        let is_known = is_own(rx, of)
            && rx.language_of(of) == file.language()
            && edge.kind != SuperKind::Other
            && !reference.flags.has(RefFlags::IN_DOC)
            && rx.type_of(file, edge.ty).def() == Some(of);
        if let Some(message) = wrong(rx, def.kind, edge, of).filter(|_| is_known) {
            refuse(found, WRONG_SUPERTYPE, reference.range, format!("`{}` {message}", file.ref_name(name)));
        } else if is_known && is_circle(rx, file.global(id), of) {
            let message = format!("`{}` inherits from `{}` itself", file.ref_name(name), file.def_name(id));
            refuse(found, WRONG_SUPERTYPE, reference.range, message);
        }
    }
}

/// The reason why a type cannot extend or implement another one.
fn wrong(rx: &Resolver, kind: SymbolKind, edge: SuperType, of: GlobalDef) -> Option<&'static str> {
    let above = rx.kind(of);
    let is_interface = above == SymbolKind::Interface;
    let is_class = matches!(
        above,
        SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Enum | SymbolKind::Record
    );
    let is_below_class = matches!(kind, SymbolKind::Class | SymbolKind::AbstractClass);
    let language = rx.language_of(of);
    if !matches!(language, Language::Java | Language::Php) {
        return None;
    }
    match edge.kind {
        SuperKind::Extends if is_below_class && is_interface => {
            Some("is an interface, which a class implements")
        }
        SuperKind::Extends if is_below_class && is_class && rx.has_flag(of, DefFlags::FINAL) => {
            Some("is final and cannot be extended")
        }
        SuperKind::Extends | SuperKind::Implements if kind == SymbolKind::Interface && is_class => {
            Some("is not an interface")
        }
        SuperKind::Implements if is_class => Some("is not an interface"),
        SuperKind::Mixes if language == Language::Php && (is_class || is_interface) => Some("is not a trait"),
        _ => None,
    }
}

/// Whether a type inherits from itself through one of the types that it names.
fn is_circle(rx: &Resolver, class: GlobalDef, first: GlobalDef) -> bool {
    let mut seen = vec![first];
    let mut at = 0;
    let is_nominal = matches!(rx.language_of(class), Language::Java | Language::Kotlin | Language::Php);
    while let Some(of) = seen.get(at).copied().filter(|_| is_nominal && seen.len() <= MOST_ABOVE) {
        if of == class {
            return true;
        }
        let above = rx.declared_supers(of);
        for next in above.iter().filter_map(Ty::def).filter(|next| is_own(rx, *next)) {
            if !seen.contains(&next) {
                seen.push(next);
            }
        }
        at += 1;
    }
    false
}

fn member(rx: &Resolver, file: &FileView, id: DefId, found: &mut Vec<Refused>) {
    let scope = file.scope(file.def(id).scope);
    let Some(class) = scope.owner.filter(|_| scope.kind == ScopeKind::Class) else { return };
    // A comment may describe a method.
    if file.def(class).supers.is_empty() || !scope.range.encloses(file.def(id).name_range) {
        return;
    }
    let message = match file.language() {
        Language::Rust => rust(rx, file, class, id),
        Language::Java | Language::Kotlin | Language::Php | Language::TypeScript => {
            of_classes(rx, file, class, id)
        }
        _ => None,
    };
    if let Some(message) = message {
        refuse(found, INCOMPATIBLE_OVERRIDE, file.def(id).name_range, message);
    }
}

fn of_classes(rx: &Resolver, file: &FileView, class: DefId, id: DefId) -> Option<String> {
    let (def, language) = (file.def(id), file.language());
    let name = file.def_name(id);
    let is_plain =
        ![DefFlags::SIGNATURE, DefFlags::EXTENSION, DefFlags::GETTER, DefFlags::SETTER, DefFlags::ACTUAL]
            .iter()
            .any(|flag| def.flags.has(*flag))
            && !name.is_empty()
            && name != "__construct"
            && (language != Language::Kotlin || def.flags.has(DefFlags::OVERRIDE));
    if !is_plain {
        return None;
    }
    let above = known_above(rx, file.global(class), language)?;
    let own = Member { rx, at: file.global(id) };
    for owner in above.into_iter().filter(|owner| is_own(rx, *owner) && rx.kind(*owner) != SymbolKind::Trait)
    {
        // One of several of a name may be meant.
        let [base] = members_named(rx, owner, name)[..] else { continue };
        let base = Member { rx, at: base };
        if !base.is_base(owner) || !own.takes_the_same(&base, language) {
            continue;
        }
        let wrong = own.differs(&base, owner, language);
        if let Some(wrong) = wrong {
            return Some(format!("`{name}` {wrong} of `{}`", rx.def_name(owner)));
        }
    }
    None
}

/// A method beside one that it overrides or implements.
struct Member<'a> {
    rx: &'a Resolver,
    at: GlobalDef,
}

impl Member<'_> {
    fn has(&self, flag: DefFlags) -> bool {
        self.rx.has_flag(self.at, flag)
    }

    /// Whether subclasses can override it.
    fn is_base(&self, owner: GlobalDef) -> bool {
        let def = self.rx.def(self.at);
        let odd = [DefFlags::SYNTHETIC, DefFlags::EXTENSION, DefFlags::GETTER, DefFlags::SETTER];
        let is_written = self.rx.file(self.at.file).scope(def.scope).range.encloses(def.name_range);
        let is_static_of_interface =
            def.flags.has(DefFlags::STATIC) && self.rx.kind(owner) == SymbolKind::Interface;
        is_written
            && def.kind == SymbolKind::Method
            && def.visibility != Some(Visibility::Private)
            && !odd.iter().any(|flag| def.flags.has(*flag))
            && !is_static_of_interface
    }

    fn parameters(&self) -> Vec<Option<Ty>> {
        let view = self.rx.file(self.at.file);
        let ty = |param: DefId| view.def(param).ty.and_then(|ty| erased(&self.rx.type_of(view, ty)));
        view.list(view.def(self.at.def).params).map(ty).collect()
    }

    /// Whether it overrides the other one by its parameters, where methods may be overloaded.
    fn takes_the_same(&self, base: &Self, language: Language) -> bool {
        let has_overloads = matches!(language, Language::Java | Language::Kotlin);
        let (own, other) = (self.parameters(), base.parameters());
        !has_overloads || own == other && own.iter().all(Option::is_some)
    }

    fn differs(&self, base: &Self, owner: GlobalDef, language: Language) -> Option<&'static str> {
        let is_class_based = matches!(language, Language::Java | Language::Php);
        if is_class_based && base.has(DefFlags::FINAL) && !base.has(DefFlags::STATIC) {
            return Some("overrides the final method");
        }
        if is_class_based && self.has(DefFlags::STATIC) != base.has(DefFlags::STATIC) {
            let word = if self.has(DefFlags::STATIC) {
                "is static, unlike the method"
            } else {
                "is not static, unlike the method"
            };
            return Some(word);
        }
        if is_class_based && self.openness(self.rx.owner_class(self.at)?) < base.openness(owner) {
            return Some("is less visible than the method");
        }
        if language == Language::Php && self.takes_fewer(base) {
            return Some("does not take the arguments of the method");
        }
        self.returns_other(base, language).then_some("returns another type than the method")
    }

    fn openness(&self, owner: GlobalDef) -> u32 {
        let is_of_interface = self.rx.kind(owner) == SymbolKind::Interface;
        let is_php = self.rx.language_of(self.at) == Language::Php;
        match self.rx.def(self.at).visibility {
            _ if is_of_interface => 3,
            Some(Visibility::Public) => 3,
            None if is_php => 3,
            Some(Visibility::Protected) => 2,
            Some(Visibility::Private) => 0,
            _ => 1,
        }
    }

    fn takes_fewer(&self, base: &Self) -> bool {
        let (own, other) = (declared_arity(self.rx, self.at, 0), declared_arity(self.rx, base.at, 0));
        let is_short = match (own.most, other.most) {
            (Some(own), Some(other)) => own < other,
            (Some(_), None) => true,
            (None, _) => false,
        };
        own.least > other.least || is_short
    }

    /// Whether both return primitive types, and not the same.
    fn returns_other(&self, base: &Self, language: Language) -> bool {
        let name = |of: GlobalDef| {
            let (view, def) = (self.rx.file(of.file), self.rx.def(of));
            // A comment may say the type in PHP.
            let is_in_comment = language == Language::Php && def.doc.is_some();
            let is_plain = !def.flags.has(DefFlags::ASYNC) && !def.flags.has(DefFlags::GENERATOR);
            match view.ty(def.ty.filter(|_| is_plain && !is_in_comment)?) {
                TypeExpr::Primitive(name) => Some(view.name(name).to_owned()),
                TypeExpr::Named { name, args } if args.is_empty() => {
                    let name = view.ref_name(name);
                    let is_known =
                        language == Language::Kotlin || language == Language::Java && name == "String";
                    is_known.then(|| name.to_owned())
                }
                _ => None,
            }
        };
        const OF_LANGUAGE: &str = "boolean byte short int long float double char string number bool String Int Long \
            Short Byte Float Double Boolean Char";
        let is_of_language = |name: &str| OF_LANGUAGE.split_whitespace().any(|known| known == name);
        let is_void = |name: &str| name == "void" && matches!(language, Language::Java | Language::Php);
        match (name(self.at), name(base.at)) {
            (Some(own), Some(other)) => {
                let is_number = language == Language::Php && own == "int" && other == "float";
                own != other
                    && !is_number
                    && (is_of_language(&own) || is_void(&own))
                    && (is_of_language(&other) || is_void(&other))
            }
            _ => false,
        }
    }
}

/// A method of an implementation whose parameters are not those of the trait.
fn rust(rx: &Resolver, file: &FileView, block: DefId, id: DefId) -> Option<String> {
    let def = file.def(id);
    let edge = file.list(file.def(block).supers).find(|edge| edge.kind == SuperKind::Implements)?;
    let of = rx.type_of(file, edge.ty).def().filter(|of| is_own(rx, *of))?;
    let [base] = members_named(rx, of, file.def_name(id))[..] else { return None };
    let (view, other) = (rx.file(base.file), rx.def(base));
    let is_odd = |view: &FileView, id: DefId| {
        !view.def(id).decorators.is_empty()
            || is_conditional(view, id)
            || view.list(view.def(id).params).any(|param| !view.def(param).decorators.is_empty())
    };
    let is_known = other.kind == SymbolKind::Method
        && rx.kind(of) == SymbolKind::Trait
        && file.def(block).kind == SymbolKind::Impl
        && file.def(block).decorators.is_empty()
        && rx.def(of).decorators.is_empty()
        && !is_odd(file, id)
        && !is_odd(view, base.def);
    let is_same = def.params.len == other.params.len
        && def.flags.has(DefFlags::STATIC) == other.flags.has(DefFlags::STATIC);
    (is_known && !is_same).then(|| {
        format!("`{}` takes other arguments than the method of `{}`", file.def_name(id), rx.def_name(of))
    })
}
