//! The members that Lombok generates from annotations when a class is compiled, so that no file declares it:
//! accessors, builders, loggers, `val` (its manual, "Lombok features"). An accessor is a use of its field, the
//! methods that lead to a builder are uses of its class. The type of a builder is the pointer to what it makes: Java
//! has no other use for pointers.

use std::sync::Arc;

use ide_model::SymbolKind;

use super::names;
use crate::facts::{DefFlags, DefId, Expr, ExprId, Literal, RefId, TypeExpr};
use crate::lang::kotlin::{capitalized, property_names};
use crate::resolve::{FileView, Member, Resolved, Resolver, Target, Ty};
use crate::world::GlobalDef;

const LIBRARY: &str = "lombok.";

/// The action of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Get,
    Set,
    /// Gives a copy with another value.
    With,
}

impl Does {
    /// Annotations that ask for it.
    fn asked_by(self) -> &'static [&'static str] {
        match self {
            Self::Get => &["Getter", "Data", "Value"],
            Self::Set => &["Setter", "Data"],
            Self::With => &["With", "Wither"],
        }
    }

    fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::Get => &["get", "is"],
            Self::Set => &["set"],
            Self::With => &["with"],
        }
    }
}

const ALL: [Does; 3] = [Does::Get, Does::Set, Does::With];

/// Annotations that ask for a builder.
const BUILDERS: &[&str] = &["Builder", "SuperBuilder"];

/// The methods of a class that lead to its builder, and that of the builder which leads back.
const TO_BUILDER: [&str; 2] = ["builder", "toBuilder"];
const BUILD: &str = "build";

/// The loggers by the annotations that declare a field `log`.
const LOGGERS: [(&str, &str); 8] = [
    ("Slf4j", "org.slf4j.Logger"),
    ("XSlf4j", "org.slf4j.ext.XLogger"),
    ("Log", "java.util.logging.Logger"),
    ("Log4j", "org.apache.log4j.Logger"),
    ("Log4j2", "org.apache.logging.log4j.Logger"),
    ("CommonsLog", "org.apache.commons.logging.Log"),
    ("JBossLog", "org.jboss.logging.Logger"),
    ("Flogger", "com.google.common.flogger.FluentLogger"),
];

/// Whether a file says anything of Lombok.
fn is_used(file: &FileView) -> bool {
    file.name_id("lombok").is_some()
}

/// The annotation of a declaration that has one of these names and is Lombok's, with its arguments.
fn annotation<'f>(
    rx: &Resolver,
    file: &'f FileView,
    def: DefId,
    names: &[&str],
) -> Option<(RefId, impl Iterator<Item = ExprId> + use<'f>)> {
    let mut all = file.list(file.def(def).decorators).filter_map(|e| match file.expr(e) {
        Expr::Ref(name) => Some((name, crate::facts::List::EMPTY)),
        Expr::New { ty, args } => match file.ty(ty) {
            TypeExpr::Named { name, .. } => Some((name, args)),
            _ => None,
        },
        _ => None,
    });
    let is_it = |name: RefId| names.contains(&file.ref_name(name)) && is_of_library(rx, file, name);
    all.find(|(name, _)| is_it(*name)).map(|(name, args)| (name, file.list(args)))
}

fn is_of_library(rx: &Resolver, file: &FileView, name: RefId) -> bool {
    match rx.resolve(file.global_ref(name)).resolution.targets.first() {
        Some(Target::External(full)) => full.starts_with(LIBRARY),
        Some(Target::Def(def)) => {
            let home = rx.file(def.file);
            home.package.is_some_and(|package| format!("{}.", home.name(package)).starts_with(LIBRARY))
        }
        _ => names::dotted(file, name).starts_with(LIBRARY),
    }
}

fn has(rx: &Resolver, file: &FileView, def: DefId, names: &[&str]) -> bool {
    annotation(rx, file, def, names).is_some()
}

/// Whether an annotation of a declaration gives a key a truth value; facts do not tell which, and `false` need not be written.
fn is_set(rx: &Resolver, file: &FileView, def: DefId, name: &str, wanted: &str) -> bool {
    annotation(rx, file, def, &[name]).is_some_and(|(_, mut args)| {
        args.any(|arg| match file.expr(arg) {
            Expr::Named { key, value } => {
                file.ref_name(key) == wanted && file.expr(value) == Expr::Literal(Literal::Bool)
            }
            _ => false,
        })
    })
}

/// The class of a field of instances.
fn class_of(file: &FileView, field: DefId) -> Option<DefId> {
    let d = file.def(field);
    let is_field = d.kind == SymbolKind::Field && !d.flags.has(DefFlags::STATIC);
    file.scope(d.scope).owner.filter(|class| is_field && file.def(*class).kind.is_type())
}

fn has_accessor(rx: &Resolver, file: &FileView, field: DefId, does: Does) -> bool {
    let asked = does.asked_by();
    class_of(file, field).is_some_and(|class| has(rx, file, field, asked) || has(rx, file, class, asked))
}

/// Whether accessors of a field have its own name.
fn is_fluent(rx: &Resolver, file: &FileView, field: DefId) -> bool {
    let says = |def| is_set(rx, file, def, "Accessors", "fluent");
    says(field) || class_of(file, field).is_some_and(says)
}

/// The declarations behind the name of a generated method: the field that it reads or writes, the class that it leads
/// to the builder of.
pub(super) fn declared_members(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
    let file = rx.file(class.file);
    let is_likely =
        || TO_BUILDER.contains(&name) || ALL.iter().flat_map(|d| d.prefixes()).any(|p| name.starts_with(p));
    if !is_likely() || !is_used(file) {
        return Vec::new();
    }
    if TO_BUILDER.contains(&name) && builder_of(rx, file, class.def).is_some() {
        return vec![class];
    }
    let mut found = Vec::new();
    for does in ALL {
        let prefix = does.prefixes().iter().find(|prefix| name.starts_with(**prefix));
        let Some(rest) = prefix.map(|prefix| &name[prefix.len()..]) else { continue };
        // The fields that a setter of that ending may write.
        let fields = property_names(&format!("set{rest}"));
        let own = fields.iter().flat_map(|field| rx.own_members(class, field));
        found.extend(own.filter(|def| has_accessor(rx, file, def.def, does)));
    }
    found
}

/// Whether a member that was found under a name is reached by a method of that name which is not written.
pub(super) fn is_accessed(rx: &Resolver, def: GlobalDef, name: &str) -> bool {
    let file = rx.file(def.file);
    is_used(file)
        && match file.def(def.def).kind {
            SymbolKind::Field => {
                let is_own = || name.starts_with("is") && has_accessor(rx, file, def.def, Does::Get);
                file.def_name(def.def) != name || is_own() || is_fluent(rx, file, def.def)
            }
            kind => kind.is_type() && (TO_BUILDER.contains(&name) || name == BUILD),
        }
}

/// The class or constructor whose parts a builder of a class takes.
fn builder_of(rx: &Resolver, file: &FileView, class: DefId) -> Option<DefId> {
    let is_it = |def: &DefId| has(rx, file, *def, BUILDERS);
    let constructors = || {
        let named = file.named_in_scope(file.def(class).body?, file.def_name(class)).iter().copied();
        named.filter(|def| file.def(*def).kind == SymbolKind::Constructor).find(is_it)
    };
    if is_it(&class) { Some(class) } else { constructors() }
}

/// The members of a type's builder under a name.
pub(super) fn builder_members(rx: &Resolver, of: &Arc<Ty>, name: &str) -> Vec<Member> {
    let Some(class) = of.def() else { return Vec::new() };
    let owner = Ty::Pointer(of.clone());
    let member = |def| Member { owner: owner.clone(), ..Member::plain(def) };
    if name == BUILD {
        return vec![member(class)];
    }
    let part = |ty: &Ty| {
        let class = ty.def()?;
        let file = rx.file(class.file);
        let parts = builder_of(rx, file, class.def)?;
        let found = if parts == class.def {
            let fields = file.all_in_scope(file.def(class.def).body?).iter().copied();
            fields.filter(|def| class_of(file, *def).is_some()).find(|field| takes(rx, file, *field, name))
        } else {
            let parameter = file.list(file.def(parts).params).find(|part| takes(rx, file, *part, name));
            // A constructor parameter mostly goes into the field of that name.
            let kept = file.named_in_scope(file.def(class.def).body?, file.def_name(parameter?)).iter();
            kept.copied().find(|def| class_of(file, *def).is_some()).or(parameter)
        };
        Some(member(file.global(found?)))
    };
    rx.linearization(of).iter().find_map(part).into_iter().collect()
}

/// Whether a method of this name gives a builder a part, or of a part that is a collection one item.
fn takes(rx: &Resolver, file: &FileView, part: DefId, name: &str) -> bool {
    file.def_name(part) == name || singular(rx, file, part).is_some_and(|one| one == name)
}

/// How one item of a collection is called.
fn singular<'f>(rx: &Resolver, file: &'f FileView, part: DefId) -> Option<&'f str> {
    let (_, mut args) = annotation(rx, file, part, &["Singular"])?;
    match args.next().map(|arg| file.expr(arg)) {
        Some(Expr::Text(name)) => Some(file.name(name)),
        _ => file.def_name(part).strip_suffix('s'),
    }
}

/// The names of methods that are uses of a field or class, and are not written.
pub(super) fn other_names(rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
    let file = rx.file(def.file);
    if !is_used(file) {
        return Vec::new();
    }
    let d = file.def(def.def);
    if d.kind.is_type() {
        let names = TO_BUILDER.into_iter().chain([BUILD]);
        return names.filter(|_| builder_of(rx, file, def.def).is_some()).map(Arc::from).collect();
    }
    let name = file.def_name(def.def);
    if class_of(file, def.def).is_none() {
        return Vec::new();
    }
    let rests = endings(name);
    let mut names: Vec<Arc<str>> = Vec::new();
    for does in ALL.into_iter().filter(|does| has_accessor(rx, file, def.def, *does)) {
        for prefix in does.prefixes() {
            names.extend(rests.iter().map(|rest| Arc::from(format!("{prefix}{rest}"))));
        }
    }
    names.extend(singular(rx, file, def.def).map(Arc::from));
    names
}

/// The accessors that a field has made for it.
pub(super) fn accessors(rx: &Resolver, file: &FileView, field: DefId) -> Vec<String> {
    if !is_used(file) {
        return Vec::new();
    }
    let name = file.def_name(field);
    let asked = ALL.into_iter().filter(|does| has_accessor(rx, file, field, *does));
    if is_fluent(rx, file, field) {
        return asked.map(|_| name.to_owned()).take(1).collect();
    }
    let names = asked.flat_map(|does| {
        let prefixes = does.prefixes().iter();
        prefixes.flat_map(|prefix| endings(name).into_iter().map(move |ending| format!("{prefix}{ending}")))
    });
    names.collect()
}

/// The endings of the names of a field's accessors: a field `isActive` may have a `setActive`.
fn endings(field: &str) -> Vec<String> {
    let short = field.strip_prefix("is").filter(|rest| rest.starts_with(char::is_uppercase));
    short.map(str::to_owned).into_iter().chain([capitalized(field)]).collect()
}

/// How an accessor is called when its field gets another name.
pub(super) fn respelled(written: &str, old: &str, new: &str) -> Option<String> {
    let prefixes = ALL.iter().flat_map(|does| does.prefixes());
    prefixes.copied().find_map(|prefix| {
        let rest = written.strip_prefix(prefix)?;
        endings(old).iter().any(|ending| ending == rest).then(|| format!("{prefix}{}", endings(new)[0]))
    })
}

/// The value of a call of such a method.
pub(super) fn call_type(rx: &Resolver, name: &str, called: &Resolved) -> Option<Ty> {
    let def = called.resolution.defs().next()?;
    let file = rx.file(def.file);
    if let Ty::Pointer(made) = &called.owner {
        return Some(if name == BUILD { Ty::clone(made) } else { called.owner.clone() });
    }
    if file.def(def.def).kind.is_callable() || !is_accessed(rx, def, name) {
        return None;
    }
    if file.def(def.def).kind.is_type() {
        return Some(Ty::Pointer(Arc::new(rx.self_type(def))));
    }
    let is_chained = |def: DefId| {
        is_set(rx, file, def, "Accessors", "chain") || is_set(rx, file, def, "Accessors", "fluent")
    };
    if name.starts_with("with") && has_accessor(rx, file, def.def, Does::With)
        || name.starts_with("set") && class_of(file, def.def).is_some_and(is_chained)
    {
        return Some(called.owner.clone());
    }
    if name.starts_with("set") {
        return Some(super::types::primitive("void"));
    }
    Some(rx.def_type(def).substitute(&rx.arguments_of(&called.owner)))
}

/// The logger that `log` means in a class.
pub(super) fn logger(rx: &Resolver, file: &FileView, class: DefId) -> Option<&'static str> {
    let (name, _) = annotation(rx, file, class, &LOGGERS.map(|(name, _)| name))?;
    LOGGERS.iter().find(|(of, _)| *of == file.ref_name(name)).map(|(_, logger)| *logger)
}

/// Whether a variable is declared by `val` of the library: it has the type of its value.
pub(super) fn is_inferred(rx: &Resolver, file: &FileView, variable: DefId) -> bool {
    let Some(TypeExpr::Named { name, .. }) = file.def(variable).ty.map(|ty| file.ty(ty)) else {
        return false;
    };
    file.ref_name(name) == "val" && is_used(file) && is_of_library(rx, file, name)
}
