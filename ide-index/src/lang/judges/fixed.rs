//! Names that have their value for good, by language.

use ide_model::{Language, SymbolKind, Visibility};

use super::{is_own, knows_classes_around, knows_supers};
use crate::facts::{Def, DefFlags, DefId, Expr, ImportFlags, RefId, Role, ScopeKind, TypeExpr};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// The functions around a place up to the class that it stands in, innermost first.
pub(super) fn functions_around(file: &FileView, reference: RefId) -> Vec<DefId> {
    file.scope_chain(file.reference(reference).scope)
        .map(|scope| file.scope(scope))
        .take_while(|scope| scope.kind != ScopeKind::Class)
        .filter(|scope| scope.kind == ScopeKind::Function)
        .filter_map(|scope| scope.owner)
        .collect()
}

/// Whether a place is run by a method, so not while an object is made.
fn is_in_method(file: &FileView, reference: RefId) -> bool {
    let around =
        file.scope_chain(file.reference(reference).scope).filter_map(|scope| file.scope(scope).owner);
    let mut has_method = false;
    for owner in around {
        let def = file.def(owner);
        match def.kind {
            SymbolKind::Constructor => return false,
            SymbolKind::Method | SymbolKind::Function => has_method |= !def.flags.has(DefFlags::ANONYMOUS),
            _ => {}
        }
    }
    has_method
}

fn is_in_lambda(file: &FileView, reference: RefId) -> bool {
    functions_around(file, reference).iter().any(|function| file.has_flag(*function, DefFlags::ANONYMOUS))
}

fn is_on_this(file: &FileView, reference: RefId) -> bool {
    file.reference(reference).receiver.is_some_and(|receiver| matches!(file.expr(receiver), Expr::This(_)))
}

fn is_in_class_of(rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
    let around = file.enclosing_class(file.reference(reference).scope).map(|(_, class)| file.global(class));
    around.is_some() && around == rx.owner_class(def)
}

pub(super) fn java(rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
    let own = rx.def(def);
    let is_final = own.flags.has(DefFlags::FINAL) && !own.flags.has(DefFlags::SYNTHETIC);
    is_final
        && rx.language_of(def) == Language::Java
        && match own.kind {
            SymbolKind::Parameter => own.flags.has(DefFlags::LOCAL),
            SymbolKind::Variable => own.flags.has(DefFlags::LOCAL) && own.init.is_some(),
            SymbolKind::Field | SymbolKind::Constant | SymbolKind::EnumCase => {
                is_own(rx, def) && (own.init.is_some() || is_in_method(file, reference))
            }
            _ => false,
        }
}

pub(super) fn kotlin(
    rx: &Resolver,
    (file, text): (&FileView, &str),
    reference: RefId,
    def: GlobalDef,
) -> bool {
    let own = rx.def(def);
    // `list += item` calls a function, where the value is no number and no text.
    let behind = text.get(file.reference(reference).range.end as usize..).unwrap_or("").trim_start();
    let is_literal = own.init.is_some_and(|init| matches!(rx.file(def.file).expr(init), Expr::Literal(_)));
    let is_step = behind.starts_with("++") || behind.starts_with("--") || is_literal;
    if file.reference(reference).role == Role::ReadWrite && !is_step {
        return false;
    }
    let odd = [DefFlags::VAR, DefFlags::SYNTHETIC, DefFlags::EXPECT, DefFlags::ACTUAL, DefFlags::EXTENSION];
    if odd.iter().any(|flag| own.flags.has(*flag)) || rx.language_of(def) != Language::Kotlin {
        return false;
    }
    let is_plain = file.reference(reference).receiver.is_none();
    match own.kind {
        SymbolKind::Parameter => {
            let of = rx.file(def.file).scope(own.scope).owner.map(|owner| rx.file(def.file).def(owner).kind);
            is_plain && of.is_some_and(|of| matches!(of, SymbolKind::Function | SymbolKind::Method))
        }
        SymbolKind::Variable => is_plain && own.flags.has(DefFlags::LOCAL) && own.init.is_some(),
        SymbolKind::Property => {
            let has_value = own.init.is_some()
                || own.flags.has(DefFlags::DELEGATED)
                || own.flags.has(DefFlags::PROMOTED)
                || is_in_method(file, reference);
            let is_extension = |function: &DefId| file.has_flag(*function, DefFlags::EXTENSION);
            let of = file.reference(reference).receiver.filter(|_| !is_on_this(file, reference));
            if let Some(of) = of {
                let odd = [DefFlags::OPEN, DefFlags::ABSTRACT, DefFlags::SEALED];
                let is_final = |class| {
                    rx.kind(class) == SymbolKind::Class && !odd.iter().any(|flag| rx.has_flag(class, *flag))
                        || rx.kind(class) == SymbolKind::Object
                };
                return is_own(rx, def)
                    && rx.owner_class(def).is_some_and(is_final)
                    && matches!(rx.expr_type(file, of), Ty::Instance(class, _) if rx.owner_class(def) == Some(class))
                    && crate::check::is_certain_value(rx, file, of);
            }
            is_own(rx, def)
                && has_value
                && (is_plain || is_on_this(file, reference))
                && is_in_class_of(rx, file, reference, def)
                && !is_in_lambda(file, reference)
                && !functions_around(file, reference).iter().any(is_extension)
                && knows_classes_around(rx, file, reference)
        }
        _ => false,
    }
}

pub(super) fn go(rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
    let own = rx.def(def);
    let is_package = |of| matches!(rx.expr_type(file, of), Ty::Package(_));
    file.reference(reference).receiver.is_none_or(is_package)
        && own.receiver.is_none()
        && (own.kind == SymbolKind::Constant || own.kind == SymbolKind::Function || own.kind.is_type())
}

pub(super) fn rust(rx: &Resolver, (file, text): (&FileView, &str), reference: RefId, def: GlobalDef) -> bool {
    let own = rx.def(def);
    let odd = [DefFlags::MUT, DefFlags::ANONYMOUS, DefFlags::SYNTHETIC];
    if odd.iter().any(|flag| own.flags.has(*flag)) || rx.def_name(def) == "self" {
        return false;
    }
    let is_plain = file.reference(reference).receiver.is_none();
    is_plain
        && match own.kind {
            SymbolKind::Variable => {
                // `let x;` gets its value later, by which its type is known.
                let behind = text.get(own.name_range.end as usize..).unwrap_or("");
                let is_given = behind.find(['=', ';']).is_some_and(|at| behind[at..].starts_with('='));
                own.flags.has(DefFlags::LOCAL) && own.init.is_some() && is_given && def.file == file.id
            }
            SymbolKind::Parameter => own.flags.has(DefFlags::LOCAL),
            // `&mut LIMIT` borrows a copy.
            SymbolKind::Constant => file.reference(reference).role != Role::Read && is_own(rx, def),
            _ => false,
        }
}

/// A property of PHP that can be written once, seen from no class and no function that could be bound to one.
pub(super) fn php(rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
    let own = rx.def(def);
    let scope = file.reference(reference).scope;
    own.flags.has(DefFlags::READONLY)
        && is_own(rx, def)
        && file.reference(reference).receiver.is_some()
        && file.enclosing_class(scope).is_none_or(|(_, class)| is_stranger(rx, file.global(class), def))
        && !is_in_lambda(file, reference)
}

/// Whether a class is neither that of a member nor one below or above it.
pub(super) fn is_stranger(rx: &Resolver, class: GlobalDef, member: GlobalDef) -> bool {
    let line = |of: GlobalDef| rx.linearization(&Ty::instance(of));
    let owner = rx.owner_class(member);
    rx.kind(class) == SymbolKind::Class
        && knows_supers(rx, &Ty::instance(class))
        && owner.is_some_and(|owner| {
            rx.kind(owner) == SymbolKind::Class
                && line(class).iter().all(|of| of.def() != Some(owner))
                && line(owner).iter().all(|of| of.def() != Some(class))
        })
}

pub(super) fn ecma(rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
    let own = rx.def(def);
    let written = file.reference(reference);
    if own.flags.has(DefFlags::SYNTHETIC) {
        return false;
    }
    if written.receiver.is_none() {
        // `let one = require("one")` may be given another value.
        let is_import = rx.bound(file, reference).is_some_and(|bound| {
            let import = file.def(bound).import.map(|import| file.import(import));
            import.is_some_and(|import| !import.flags.has(ImportFlags::DYNAMIC))
                && written.role == Role::Write
        });
        return is_import
            || def.file == file.id && own.kind == SymbolKind::Constant && !own.name_range.is_empty();
    }
    let is_readonly = own.flags.has(DefFlags::READONLY)
        && matches!(own.kind, SymbolKind::Field | SymbolKind::Property)
        && file.language() == Language::TypeScript;
    is_readonly
        && is_own(rx, def)
        && (is_on_this(file, reference)
            && is_in_class_of(rx, file, reference, def)
            && is_in_method(file, reference)
            && !is_in_lambda(file, reference)
            || is_declared_as_owner(rx, file, reference, def))
}

/// Whether the receiver is a variable that is declared as just the type that a member belongs to, or made as such.
fn is_declared_as_owner(rx: &Resolver, file: &FileView, reference: RefId, member: GlobalDef) -> bool {
    let receiver = file.reference(reference).receiver.and_then(|receiver| rx.expr_ref(file, receiver));
    let Some(receiver) = receiver.filter(|receiver| file.reference(*receiver).receiver.is_none()) else {
        return false;
    };
    let found = rx.resolve(file.global_ref(receiver)).resolution;
    let mut defs = found.defs();
    let (Some(def), None) = (defs.next(), defs.next()) else { return false };
    let view = rx.file(def.file);
    let named = |def: &Def| match view.ty(def.ty?) {
        TypeExpr::Named { name, args } if args.is_empty() => {
            rx.resolve(view.global_ref(name)).resolution.defs().next()
        }
        _ => None,
    };
    let own = rx.def(def);
    // `const cart = new Cart()` is of just that class.
    let made = || {
        let init = own.init.filter(|_| own.kind == SymbolKind::Constant && own.ty.is_none())?;
        match rx.expr_type(view, init) {
            Ty::Instance(of, _) if matches!(view.expr(init), Expr::New { .. }) => Some(of),
            _ => None,
        }
    };
    let owner = rx.owner_class(member);
    let is_of_owner =
        |of: GlobalDef| rx.linearization(&Ty::instance(of)).iter().any(|part| part.def() == owner);
    let is_variable = own.flags.has(DefFlags::LOCAL) || own.kind == SymbolKind::Constant;
    is_variable && owner.is_some() && named(own).or_else(made).is_some_and(is_of_owner)
}

/// Whether a member of a class can only have its value from where it is declared, and has none.
pub(super) fn is_unset_java(rx: &Resolver, file: &FileView, id: DefId) -> bool {
    let def = file.def(id);
    let odd = [DefFlags::PROMOTED, DefFlags::SYNTHETIC, DefFlags::LOCAL];
    def.kind == SymbolKind::Field
        && def.flags.has(DefFlags::FINAL)
        && def.init.is_none()
        && !odd.iter().any(|flag| def.flags.has(*flag))
        && def.decorators.is_empty()
        && !generates_members(file)
        && is_never_written(file, def)
        && rx.owner_class(file.global(id)).is_some_and(|class| {
            matches!(rx.kind(class), SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Enum)
                && rx.def(class).decorators.is_empty()
        })
}

/// The same of a property of Kotlin, whose file comes with its text.
pub(super) fn is_unset_kotlin(rx: &Resolver, file: &FileView, text: &str, id: DefId) -> bool {
    let def = file.def(id);
    let odd = [
        DefFlags::PROMOTED,
        DefFlags::SYNTHETIC,
        DefFlags::LOCAL,
        DefFlags::DELEGATED,
        DefFlags::LATEINIT,
        DefFlags::ABSTRACT,
        DefFlags::EXTERNAL,
        DefFlags::EXPECT,
        DefFlags::EXTENSION,
    ];
    let may_be_abstract = |class: GlobalDef| {
        let flags = [DefFlags::EXPECT, DefFlags::EXTERNAL, DefFlags::ACTUAL];
        matches!(rx.kind(class), SymbolKind::Interface | SymbolKind::Annotation)
            || flags.iter().any(|flag| rx.has_flag(class, *flag))
    };
    // Accessors may stand on the next line.
    let mut lines = text.get(def.name_range.end as usize..).unwrap_or("").lines();
    let own = lines.next().unwrap_or("").split("//").next().unwrap_or("");
    let next =
        lines.map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("//")).unwrap_or("");
    let begins = [
        "get",
        "set",
        "by",
        "=",
        "private",
        "protected",
        "internal",
        "@",
        "inline",
        "external",
        "field",
        "/",
    ];
    def.kind == SymbolKind::Property
        && def.init.is_none()
        && !def.name_range.is_empty()
        && !odd.iter().any(|flag| def.flags.has(*flag))
        && !["get", "by", "set", "="].iter().any(|word| own.contains(word))
        && !begins.iter().any(|word| next.starts_with(word))
        && is_never_written(file, def)
        && file.scope_chain(def.scope).filter_map(|scope| file.scope(scope).owner).all(|owner| {
            let flags = [DefFlags::EXPECT, DefFlags::EXTERNAL];
            !flags.iter().any(|flag| file.has_flag(owner, *flag))
        })
        && rx.owner_class(file.global(id)).is_none_or(|class| !may_be_abstract(class))
}

/// Whether an annotation of a library may make constructors and members.
pub(super) fn generates_members(file: &FileView) -> bool {
    file.imports.iter().any(|import| file.name(import.module).starts_with("lombok"))
}

fn is_never_written(file: &FileView, def: &Def) -> bool {
    !file
        .refs_named(def.name)
        .iter()
        .any(|id| matches!(file.reference(*id).role, Role::Write | Role::ReadWrite | Role::Key))
}

/// Whether a private declaration is seen where it cannot be: by the classes around both places.
pub(super) fn is_hidden_by_class(rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
    let own = rx.def(def);
    if own.visibility != Some(Visibility::Private) || own.flags.has(DefFlags::SYNTHETIC) || !is_own(rx, def) {
        return false;
    }
    let Some(owner) = rx.owner_class(def) else { return false };
    // Accessors that the language or a library generates lead to a field, and are public: `point.x()` of a record.
    let reads_by_name = rx.def_name(def) == file.ref_name(reference) && rx.kind(owner) != SymbolKind::Record;
    let is_accessor = !reads_by_name || file.reference(reference).role == Role::Call;
    if !own.kind.is_callable() && is_accessor {
        return false;
    }
    let is_own_name = || {
        let named = rx.own_members(owner, rx.def_name(def));
        named.iter().all(|member| rx.def(*member).visibility == Some(Visibility::Private))
    };
    // Behind no receiver a name may be one of a class around.
    let is_behind = file.reference(reference).receiver.is_some();
    let is_declared_here = || file.def_ids().any(|id| file.def_name(id) == file.ref_name(reference));
    let home = rx.file(def.file);
    let is_around = || {
        let outermost = home
            .scope_chain(own.scope)
            .filter(|scope| home.scope(*scope).kind == ScopeKind::Class)
            .last()
            .map(|scope| home.scope(scope).range);
        outermost.is_none_or(|range| range.encloses(file.reference(reference).range))
    };
    (def.file != file.id || !is_around()) && is_own_name() && (is_behind || !is_declared_here())
}

/// Whether a protected member of a class of the JVM is named where neither a class around is below that class nor the package is
/// the same.
pub(super) fn is_protected_from(rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
    let own = rx.def(def);
    let view = rx.file(def.file);
    let package = |of: &FileView| of.package.map_or(String::new(), |name| of.name(name).to_owned());
    let is_member = matches!(own.kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::Property);
    if own.visibility != Some(Visibility::Protected)
        || !is_member
        || own.flags.has(DefFlags::SYNTHETIC)
        || !is_own(rx, def)
        || file.reference(reference).receiver.is_none()
        || rx.def_name(def) != file.ref_name(reference)
    {
        return false;
    }
    let Some(owner) = rx.owner_class(def) else { return false };
    let is_elsewhere = |of: GlobalDef| {
        let of = Ty::instance(of);
        knows_supers(rx, &of) && rx.linearization(&of).iter().all(|part| part.def() != Some(owner))
    };
    let mut around = file
        .scope_chain(file.reference(reference).scope)
        .filter(|scope| file.scope(*scope).kind == ScopeKind::Class)
        .filter_map(|scope| file.scope(scope).owner);
    let is_java = view.language() == Language::Java;
    (!is_java || package(view) != package(file))
        && rx.kind(owner) != SymbolKind::Interface
        && around.all(|class| is_elsewhere(file.global(class)))
}
