//! The certainty of PHP.

use ide_model::{SourceKind, SymbolKind, Visibility};

use super::super::imports::imports;
use super::{
    fixed, head, is_abstract, is_nowhere, is_own, is_same_parameter, knows_supers, may_be_unread, statements,
};
use crate::check::{Arity, Judge, Refused, declared_arity, is_slip_of};
use crate::facts::{
    Def, DefFlags, DefId, Expr, ExprId, Import, ImportFlags, ImportKind, RefId, Role, ScopeKind, SuperKind,
};
use crate::refactor::tree::Syntax;
use crate::resolve::{FileView, Member, Reason, Resolution, Resolver, Target, Ty};
use crate::world::{DeclarationSite, GlobalDef};

/// Whether a class of PHP's own above a type hands calls on to the object inside of it.
fn hands_on_calls(rx: &Resolver, of: &Ty) -> bool {
    rx.linearization(of).iter().filter_map(Ty::def).any(|class| rx.def_name(class) == "IteratorIterator")
}

/// Whether everything above a type that may have members with bodies is known: all but its interfaces.
fn knows_bodies(rx: &Resolver, ty: &Ty) -> bool {
    let is_known = |class: GlobalDef| {
        let file = rx.file(class.file);
        let has_bodies = |kind| matches!(kind, SuperKind::Extends | SuperKind::Mixes);
        let mut written = file.list(file.def(class.def).supers).filter(|edge| has_bodies(edge.kind));
        written.all(|edge| rx.type_of(file, edge.ty).def().is_some())
    };
    rx.linearization(ty).iter().filter_map(Ty::def).all(is_known)
}

/// Whether two functions or classes of one name are declared in any case: at the beginning of their lines.
fn is_same_item(file: &FileView, text: &str, first: DefId, second: DefId) -> bool {
    let is_item = |id: DefId| {
        let def = file.def(id);
        let start = def.range.start as usize;
        let is_top = text.get(..start).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
        let is_kind =
            def.kind == SymbolKind::Function || def.kind.is_type() && def.kind != SymbolKind::TypeAlias;
        is_top && is_kind && !def.flags.has(DefFlags::SYNTHETIC) && def.body.is_some()
    };
    let (a, b) = (file.def(first), file.def(second));
    let is_function = |def: &Def| def.kind == SymbolKind::Function;
    a.scope == b.scope && is_item(first) && is_item(second) && is_function(a) == is_function(b)
}

/// Whether a name behind `$this` stands in a closure that the file may give another object: `Closure::bind(function () { … }, $o)`.
fn may_be_bound(file: &FileView, reference: RefId) -> bool {
    let reference = file.reference(reference);
    let in_closure = || {
        file.scope_chain(reference.scope)
            .filter_map(|scope| file.scope(scope).owner)
            .any(|owner| file.def(owner).kind.is_callable() && file.has_flag(owner, DefFlags::ANONYMOUS))
    };
    let binds = || ["bind", "bindTo", "call"].iter().any(|name| file.name_id(name).is_some());
    let is_this = matches!(reference.receiver.map(|receiver| file.expr(receiver)), Some(Expr::This(_)));
    is_this && binds() && in_closure()
}

/// Whether a value is a variable that is given an object once, by `new`.
fn is_made_once(rx: &Resolver, file: &FileView, receiver: Option<Expr>) -> bool {
    let Some(Expr::Ref(variable)) = receiver else { return false };
    let found = rx.resolve(file.global_ref(variable)).resolution;
    let mut defs = found.defs();
    let (Some(def), None) = (defs.next(), defs.next()) else { return false };
    let own = rx.def(def);
    let is_alone = || {
        let writes = file.refs_named(own.name).iter().filter(|id| {
            let other = file.reference(**id);
            other.scope == own.scope && matches!(other.role, Role::Write | Role::ReadWrite)
        });
        writes.count() <= 1 && file.in_scope(own.scope, own.name).len() == 1
    };
    def.file == file.id
        && own.kind == SymbolKind::Variable
        && own.flags.has(DefFlags::LOCAL)
        && own.init.is_some_and(|init| matches!(file.expr(init), Expr::New { .. }))
        && is_alone()
}

pub(super) struct Php;

impl Judge for Php {
    fn refused_statements(&self, _file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        statements::php(tree, found);
    }

    fn is_undeclared(&self, _rx: &Resolver, file: &FileView, reference: RefId, found: &Resolution) -> bool {
        let role = file.reference(reference).role;
        let is_type = matches!(role, Role::New | Role::Extends | Role::Implements | Role::Type);
        if role == Role::Call {
            return found.defs().next().is_none() && found.reason != Reason::Cut;
        }
        let name = file.ref_name(reference);
        let is_qualified =
            |full: &str| full == name || full.strip_suffix(name).is_some_and(|space| space.ends_with('\\'));
        is_type && matches!(&found.targets[..], [Target::External(full)] if is_qualified(full))
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        // A class that the project has in another namespace, and in this one nobody: what is in no namespace of the project
        // may be loaded from anywhere.
        let name = file.ref_name(reference);
        let is_call = file.reference(reference).role == Role::Call;
        let is_meant = |site: &DeclarationSite| match is_call {
            true => site.kind == SymbolKind::Function && !site.is_member,
            false => site.kind.is_type(),
        };
        if is_slip_of(rx, file, reference, &is_meant) {
            return true;
        }
        // A class without a namespace may be loaded from anywhere.
        let is_global = || {
            let found = rx.resolve(file.global_ref(reference)).resolution;
            matches!(&found.targets[..], [Target::External(full)] if **full == *name)
        };
        if is_call || is_global() {
            return false;
        }
        let space = file.package.map_or("", |space| file.name(space));
        if !space.is_empty()
            && super::super::php::lacks_class(rx, &format!("{space}\\{name}"))
            && !may_be_unread(rx, file.family(), name, "")
        {
            return true;
        }
        let mut sites = rx.world().declarations(name).into_iter();
        let is_of_php = |at: GlobalDef| {
            rx.world().file(at.file).source == SourceKind::Library && rx.file(at.file).package.is_none()
        };
        let is_own_space = || {
            let mut files = rx.world().files_of_package(file.family(), space).into_iter();
            files.any(|other| other != file.id && rx.world().file(other).source != SourceKind::Library)
        };
        !space.is_empty()
            && sites.any(|site| {
                site.kind.is_type() && !site.is_nested && (is_own(rx, site.at) || is_of_php(site.at))
            })
            && is_own_space()
    }

    fn lacks_module(&self, rx: &Resolver, file: &FileView, import: &Import, _text: &str) -> bool {
        let at = import.member.or_else(|| file.list(import.path).last());
        let Some(at) = at.filter(|_| import.kind == ImportKind::Member) else { return false };
        let odd = [ImportFlags::FUNCTION, ImportFlags::CONSTANT];
        let found = rx.resolve(file.global_ref(at)).resolution;
        let lacks = |target: &Target| match target {
            Target::External(full) => super::super::php::lacks_class(rx, full),
            _ => false,
        };
        !odd.iter().any(|flag| import.flags.has(*flag))
            && !found.targets.is_empty()
            && found.targets.iter().all(lacks)
            && !may_be_unread(rx, file.family(), file.ref_name(at), "")
    }

    fn import_line(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<String> {
        let kind = rx.kind(def);
        let is_given = kind.is_type() || matches!(kind, SymbolKind::Function | SymbolKind::Constant);
        let name = rx.policy(file).qualified_name(rx, def).filter(|_| is_given)?;
        Some(imports(file.language())?.statement_of(kind, name.trim_start_matches('\\')))
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        let (Ty::Instance(class, _) | Ty::Class(class, _)) = of else { return false };
        let receiver = file.reference(reference).receiver.map(|receiver| file.expr(receiver));
        // Declared types may say less than the value is.
        let is_exact =
            matches!(receiver, Some(Expr::This(_) | Expr::Super(_) | Expr::Type(_) | Expr::New { .. }))
                || matches!(of, Ty::Class(..))
                || is_made_once(rx, file, receiver);
        let answers = |name: &&str| !rx.inherited_members(&Ty::instance(*class), name).is_empty();
        // Nothing is below an enumeration.
        let is_of_enum = rx.kind(*class) == SymbolKind::Enum && file.reference(reference).role == Role::Call;
        (is_exact || is_of_enum)
            && !may_be_bound(file, reference)
            && is_own(rx, *class)
            && matches!(rx.kind(*class), SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Enum)
            && knows_supers(rx, of)
            && !["__call", "__callStatic", "__get"].iter().any(answers)
            && !hands_on_calls(rx, of)
            && (is_of_enum || is_nowhere(rx, file.ref_name(reference)))
    }

    fn initializer(&self, rx: &Resolver, class: GlobalDef) -> Option<GlobalDef> {
        let of = Ty::instance(class);
        let is_plain = is_own(rx, class) && rx.kind(class) == SymbolKind::Class && knows_bodies(rx, &of);
        let members = if is_plain { rx.inherited_members(&of, "__construct") } else { Vec::new() };
        members.first().and_then(Member::def).filter(|def| rx.kind(*def).is_callable())
    }

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        // `new static` makes an object of a class below.
        if let Expr::New { ty, .. } = file.expr(call)
            && rx.named_type_ref(file, ty).is_none_or(|name| file.ref_name(name) == "static")
        {
            return None;
        }
        if let Expr::Call { callee, .. } = file.expr(call)
            && rx.expr_ref(file, callee).is_some_and(|callee| may_be_bound(file, callee))
        {
            return None;
        }
        // An item of an array may be any that the array was given.
        let is_item = match file.expr(call) {
            Expr::Call { callee, .. } => {
                rx.expr_ref(file, callee).and_then(|callee| file.reference(callee).receiver).is_some_and(
                    |receiver| matches!(file.expr(receiver), Expr::Index { .. } | Expr::Item { .. }),
                )
            }
            _ => false,
        };
        // More arguments than parameters are legal.
        (!is_item && is_own(rx, function)).then(|| Arity { most: None, ..declared_arity(rx, function, 0) })
    }

    fn is_fixed(
        &self,
        rx: &Resolver,
        (file, _): (&FileView, &str),
        reference: RefId,
        def: GlobalDef,
    ) -> bool {
        fixed::php(rx, file, reference, def)
    }

    fn is_hidden(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        // A closure may be bound to another class, and `__get` and `__call` answer for what is hidden.
        let (own, scope) = (rx.def(def), file.reference(reference).scope);
        let Some(owner) = rx.owner_class(def) else { return false };
        let in_closure = file
            .scope_chain(scope)
            .filter_map(|scope| file.scope(scope).owner)
            .any(|of| file.has_flag(of, DefFlags::ANONYMOUS));
        let around = file.enclosing_class(scope).map(|(_, class)| file.global(class));
        let of =
            file.reference(reference).receiver.map_or(Ty::Unknown, |receiver| rx.expr_type(file, receiver));
        let answers = |name: &&str| !rx.inherited_members(&of, name).is_empty();
        let is_closed = match own.visibility {
            Some(Visibility::Private) => true,
            // A class that has nothing to do with the owner, or none at all.
            Some(Visibility::Protected) => around.is_none_or(|class| fixed::is_stranger(rx, class, def)),
            _ => false,
        };
        is_closed
            && !own.flags.has(DefFlags::SYNTHETIC)
            && is_own(rx, def)
            && matches!(rx.kind(owner), SymbolKind::Class | SymbolKind::AbstractClass)
            && around != Some(owner)
            && !in_closure
            && around.is_none_or(|around| rx.kind(around) == SymbolKind::Class)
            && matches!(&of, Ty::Instance(class, _) if *class == owner
                || own.visibility == Some(Visibility::Protected) && rx.descends(&of, owner))
            && !["__call", "__callStatic", "__get", "__set"].iter().any(answers)
    }

    fn has_no_objects(&self, rx: &Resolver, class: GlobalDef) -> bool {
        is_abstract(rx, class)
            || is_own(rx, class) && matches!(rx.kind(class), SymbolKind::Trait | SymbolKind::Enum)
    }

    fn named_parameters(
        &self,
        rx: &Resolver,
        _file: &FileView,
        _call: ExprId,
        function: GlobalDef,
    ) -> Option<Vec<GlobalDef>> {
        let view = rx.file(function.file);
        let params: Vec<DefId> = view.list(view.def(function.def).params).collect();
        // A method below may call its parameters otherwise.
        let is_alone = rx.kind(function) == SymbolKind::Constructor
            || rx.world().declarations(rx.def_name(function)).len() == 1;
        let takes_any = params.iter().any(|param| view.has_flag(*param, DefFlags::VARARG));
        (is_own(rx, function) && is_alone && !takes_any)
            .then(|| params.into_iter().map(|param| view.global(param)).collect())
    }

    fn is_twice(&self, rx: &Resolver, (file, text): (&FileView, &str), first: DefId, second: DefId) -> bool {
        if is_same_parameter(file, first, second) || is_same_item(file, text, first, second) {
            return true;
        }
        // A comment may describe a property that is declared, too.
        let is_member = |id: DefId| {
            let (def, around) = (file.def(id), file.scope(file.def(id).scope));
            around.kind == ScopeKind::Class && around.range.encloses(def.name_range)
        };
        is_member(first)
            && is_member(second)
            && file.def(first).kind == file.def(second).kind
            && rx.policy(file).collides(rx, file.global(first), file.global(second))
    }

    fn must_implement(&self, rx: &Resolver, class: GlobalDef, _head: &str) -> bool {
        let def = rx.def(class);
        def.kind == SymbolKind::Class
            && !def.flags.has(DefFlags::ABSTRACT)
            && knows_bodies(rx, &Ty::instance(class))
    }

    fn is_announced(&self, rx: &Resolver, member: GlobalDef) -> bool {
        let of_interface =
            || rx.owner_class(member).is_some_and(|owner| rx.kind(owner) == SymbolKind::Interface);
        rx.has_flag(member, DefFlags::ABSTRACT) || rx.kind(member).is_callable() && of_interface()
    }

    fn stub(&self, rx: &Resolver, member: GlobalDef, text: &str) -> Option<String> {
        let head = head(rx, member, text)?;
        Some(format!("{head}\n{{\n\tthrow new \\LogicException('not implemented');\n}}"))
    }

    fn reports_unused_imports(&self, _rx: &Resolver, _file: &FileView) -> bool {
        true
    }
}
