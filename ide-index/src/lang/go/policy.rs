//! Go's rules: packages are directories, methods stand beside their types, embedding promotes, interfaces are
//! satisfied without saying so.

use std::sync::Arc;

use ide_model::{Confidence, FilePath, SourceKind, SymbolKind, paths};

use super::builtins::is_builtin;
use super::interfaces;
use super::packages::Packages;
use super::sameness::Sameness;
use crate::facts::{
    BinaryOp, DefFlags, DefId, Expr, ExprId, ImportId, Literal, Ref, RefFlags, RefId, Role, ScopeId,
    SuperKind, TypeExpr, UnaryOp,
};
use crate::resolve::{
    FileView, Member, PackagePlace, Place, Policy, Reason, Resolution, Resolver, Substitution, Target, Ty,
    Types,
};
use crate::world::{FileId, GlobalDef};

pub(crate) struct GoPolicy;

/// Embedding deeper than this is a cycle.
pub(super) const MAX_EMBEDDING: usize = 8;
/// Candidates of an unknown receiver: more say nothing.
const MAX_BY_NAME: usize = 4;
/// Builtin generic types are external types under these names.
pub(super) const MAP: &str = "#map";
pub(super) const CHANNEL: &str = "#chan";

impl GoPolicy {
    pub(super) fn siblings(rx: &Resolver, file: &FileView) -> Vec<FileId> {
        let packages = Packages::of(rx);
        file.package.map_or_else(Vec::new, |package| packages.siblings(rx, &file.path, file.name(package)))
    }

    /// Methods declared for a type, in its package, and its fields or interface methods.
    pub(super) fn direct_members(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        let mut found = rx.own_members(class, name);
        if !found.is_empty() {
            return found;
        }
        let home = rx.file(class.file);
        let directory = paths::directory(&home.path);
        if rx.world().file(home.id).source == SourceKind::Library {
            let methods = Self::siblings(rx, home).into_iter().flat_map(|file| rx.top_level(file, name));
            found.extend(methods.filter(|def| Self::receiver_type(rx, *def) == Some(class)));
        }
        found.extend(Self::methods_of(rx, directory, name, class));
        Self::prefer_built(rx, &mut found);
        found
    }

    /// Of several declarations, those that the default build has.
    pub(super) fn prefer_built(rx: &Resolver, found: &mut Vec<GlobalDef>) {
        let is_built = |def: &GlobalDef| !rx.def(*def).flags.has(DefFlags::NOT_BUILT);
        if found.len() > 1 && found.iter().any(is_built) {
            found.retain(is_built);
        }
    }

    /// The type that a method is declared for.
    pub(super) fn receiver_type(rx: &Resolver, method: GlobalDef) -> Option<GlobalDef> {
        let file = rx.file(method.file);
        let mut ty = file.def(method.def).receiver?;
        while let TypeExpr::Pointer(inner) = file.ty(ty) {
            ty = inner;
        }
        let TypeExpr::Named { name, .. } = file.ty(ty) else { return None };
        rx.resolve(file.global_ref(name)).resolution.defs().next()
    }

    pub(super) fn underlying(rx: &Resolver, class: GlobalDef) -> Option<Ty> {
        let file = rx.file(class.file);
        let d = file.def(class.def);
        let ty = d.ty.filter(|_| d.kind == SymbolKind::Class)?;
        Some(rx.type_of(file, ty))
    }

    /// Pointers, and the constraints of type parameters, have the members of what they point to.
    pub(super) fn through(ty: &Ty) -> Ty {
        match ty {
            Ty::Pointer(inner) => Self::through(inner),
            other => other.clone(),
        }
    }
}

pub(super) fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

impl Policy for GoPolicy {
    fn import_is_declaration(&self, _rx: &Resolver, _def: GlobalDef) -> bool {
        true
    }

    fn sees(&self, _rx: &Resolver, file: &FileView, reference: &Ref, def: DefId) -> bool {
        let d = file.def(def);
        let is_label = d.kind == SymbolKind::Label;
        if d.receiver.is_some() || is_label != (reference.role == Role::Label) {
            return false;
        }
        // A name in a signature means a declaration around the function.
        if d.kind == SymbolKind::Parameter && reference.flags.has(RefFlags::TYPE_ONLY) {
            return false;
        }
        let is_variable = matches!(d.kind, SymbolKind::Variable | SymbolKind::Constant);
        if d.flags.has(DefFlags::LOCAL) && is_variable {
            // Visible behind the declaration, which ends with its values.
            return d.range.end.max(d.name_range.end) <= reference.range.start;
        }
        true
    }

    /// Fields and methods are never reached without their value.
    fn enters_scope(&self, file: &FileView, _reference: &Ref, scope: ScopeId, _crossed: bool) -> bool {
        file.scope(scope).owner.is_none() || file.scope(scope).kind != crate::facts::ScopeKind::Class
    }

    /// The last declaration before the use: names may be declared again in one block only by a mistake, but the
    /// variable of a type switch stands in each clause.
    fn pick_lexical(
        &self,
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        candidates: &[DefId],
    ) -> Option<Resolution> {
        if file.reference(reference).scope == ScopeId(0) || candidates.len() == 1 {
            return candidates.first().map(|d| Resolution::def(file.global(*d)));
        }
        let members: Vec<Member> = candidates.iter().map(|d| Member::plain(file.global(*d))).collect();
        Some(self.choose(rx, file, reference, &members))
    }

    fn may_be_renamed(&self, _rx: &Resolver, _def: GlobalDef) -> bool {
        false
    }

    fn choose(&self, _rx: &Resolver, _file: &FileView, _reference: RefId, members: &[Member]) -> Resolution {
        match members {
            [] => Resolution::unknown(Reason::NotFound),
            [first, ..] => Resolution::of(first.target(), first.confidence),
        }
    }

    fn implicit(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        let name = file.ref_name(reference);
        if let Some(def) = Self::in_files(rx, &Self::siblings(rx, file), name) {
            return Resolution::def(def);
        }
        if let Some(import) = Self::import_by_package_name(rx, file, name) {
            return Resolution::def(import);
        }
        let mut has_foreign_star = None;
        for import in file.stars() {
            let path = file.name(import.module);
            match Packages::of(rx).directory(rx, path) {
                Some(directory) => {
                    let files = Packages::of(rx).imported(rx, &directory);
                    if let Some(def) = Self::in_files(rx, &files, name) {
                        return Resolution::def(def);
                    }
                }
                None => has_foreign_star = Some(path.to_owned()),
            }
        }
        if is_builtin(name) {
            return Resolution::external(format!("builtin.{name}"));
        }
        match has_foreign_star {
            Some(path) => Resolution::external(format!("{path}.{name}")),
            None => Resolution::unknown(Reason::NotFound),
        }
    }

    fn import(&self, rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
        match Self::imported_directory(rx, file, import) {
            Ok(directory) => Resolution::exact(Target::Package(directory)),
            Err(path) => Resolution::external(path),
        }
    }

    /// A name that is not exported is known to the files of its directory, and an import's name to its own
    /// file.
    fn only_in(&self, rx: &Resolver, def: GlobalDef) -> Option<Vec<FileId>> {
        if rx.def(def).kind == SymbolKind::Import {
            return Some(vec![def.file]);
        }
        let package = rx.world().package(def.file);
        let is_everywhere = match package.as_deref() {
            Some("builtin") => true,
            // Nobody else can import it.
            Some("main") => false,
            _ => is_exported(rx.def_name(def)),
        };
        self.default_only_in(rx, def).or_else(|| {
            let directory = rx.world().file(def.file).path.directory();
            rx.world().directory(directory).filter(|_| !is_everywhere).map(|entries| entries.files)
        })
    }

    fn packages_are_bound(&self) -> bool {
        true
    }

    /// Its import path, and what it calls itself.
    fn names_of_package(&self, rx: &Resolver, package: &str) -> Vec<Arc<str>> {
        let packages = Packages::of(rx);
        let path = packages.import_path(package).into();
        packages.name_of(rx, package).into_iter().chain([path]).collect()
    }

    fn place(&self) -> Place {
        Place::Package
    }

    fn packages_of_move(
        &self,
        rx: &Resolver,
        file: &FileView,
        to: &FilePath,
    ) -> Result<(PackagePlace, PackagePlace), String> {
        super::refactor::packages_of_move(rx, file, to)
    }

    fn belongs_to(&self, rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        let view = rx.file(class.file);
        let is_method =
            |def: &GlobalDef| view.def(def.def).receiver.is_some() && rx.member_owner(*def) == Some(class);
        view.def_ids().map(|def| view.global(def)).filter(is_method).collect()
    }

    fn import_problems(&self, rx: &Resolver, file: FileId) -> Vec<String> {
        super::refactor::import_problem(rx, file).into_iter().collect()
    }

    fn import_for(
        &self,
        rx: &Resolver,
        file: &FileView,
        qualifier: &str,
        like: &[FileId],
    ) -> Result<Option<String>, String> {
        let path = super::qualifiers::import_for(rx, file, qualifier, like)?;
        Ok(path.map(|path| format!("import \"{path}\"")))
    }

    fn import_works_unnamed(&self, rx: &Resolver, file: &FileView, import: ImportId) -> bool {
        super::refactor::import_works_unnamed(rx, file, import)
    }

    fn import_segment(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        if file.reference(reference).role == Role::Package {
            return Resolution::exact(Target::Package(paths::directory(&file.path).into()));
        }
        let path = file.ref_name(reference);
        match Packages::of(rx).directory(rx, path) {
            Some(directory) => Resolution::exact(Target::Package(directory)),
            None => Resolution::external(path),
        }
    }

    fn members(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        match ty {
            Ty::Package(directory) => {
                let packages = Packages::of(rx);
                let mut found = Self::in_files(rx, &packages.imported(rx, directory), name);
                // A test beside a package is built with the tests in it.
                let is_beside =
                    from.path.ends_with("_test.go") && paths::directory(&from.path) == &**directory;
                if found.is_none() && is_beside {
                    found = Self::in_files(rx, &packages.with_tests(rx, directory), name);
                }
                found.into_iter().map(Member::plain).collect()
            }
            Ty::Param(parameter) => Self::bound(rx, *parameter)
                .map_or_else(Vec::new, |bound| Self::visible(rx, &bound, name, &from.path)),
            Ty::ExternalName(package) => vec![Member {
                target: Target::External(format!("{package}.{name}").into()),
                owner: Ty::Unknown,
                confidence: Confidence::Exact,
            }],
            _ => {
                let found = Self::visible(rx, ty, name, &from.path);
                if found.is_empty() && self.leads_outside(rx, ty) {
                    let through = Self::through(ty);
                    let owner = outside_name(&through);
                    return vec![Member {
                        target: Target::External(format!("{owner}.{name}").into()),
                        owner: Ty::Unknown,
                        confidence: Confidence::Inferred,
                    }];
                }
                found
            }
        }
    }

    fn supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        let file = rx.file(class.file);
        file.list(file.def(class.def).supers)
            .filter(|edge| edge.kind != SuperKind::Other)
            .map(|edge| rx.type_of(file, edge.ty))
            .collect()
    }

    fn member_fallback(&self, rx: &Resolver, file: &FileView, reference: RefId, receiver: &Ty) -> Resolution {
        let r = file.reference(reference);
        if r.role == Role::Key {
            // The key of a map or array literal is a value.
            return match Self::structure(rx, receiver) {
                Ty::Instance(..) | Ty::Class(..) => Resolution::unknown(Reason::NotFound),
                _ => rx.resolve_plain(file, reference),
            };
        }
        if !receiver.is_unknown() {
            return Resolution::unknown(Reason::NotFound);
        }
        let directory = paths::directory(&file.path).to_owned();
        let is_call = r.role == Role::Call;
        rx.by_name_only(file, reference, MAX_BY_NAME, |site| {
            let is_visible = || {
                let home = &rx.world().file(site.at.file).path;
                site.flags.has(DefFlags::EXPORTED) || paths::directory(home.as_str()) == directory
            };
            let is_member = || {
                rx.file(site.at.file).def(site.at.def).receiver.is_some() || rx.owner_class(site.at).is_some()
            };
            (site.kind == SymbolKind::Method) == is_call && is_visible() && is_member()
        })
    }

    fn target_type(&self, rx: &Resolver, target: &Target) -> Ty {
        if let Target::Def(def) = target
            && let Some(import) = rx.import_of(*def)
        {
            let file = rx.file(def.file);
            return match Self::imported_directory(rx, file, import) {
                Ok(directory) => Ty::Package(directory),
                Err(path) => Ty::ExternalName(path),
            };
        }
        rx.default_target_type(target)
    }

    fn return_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        rx.default_return_type(def).substitute(&Self::receiver_parameters(rx, def))
    }

    fn def_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let d = rx.def(def);
        if d.kind == SymbolKind::TypeAlias {
            return Self::alias(rx, def);
        }
        let ty = rx.default_def_type(def);
        if d.flags.has(DefFlags::VARARG) { Ty::Array(Arc::new(ty)) } else { ty }
    }

    fn type_expr(&self, rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
        match ty {
            TypeExpr::Map { key, value } => {
                Some(Ty::External(MAP.into(), Types::from([rx.type_of(file, key), rx.type_of(file, value)])))
            }
            TypeExpr::Sized { item, .. } => Some(Ty::Array(Arc::new(rx.type_of(file, item)))),
            TypeExpr::Channel(item) | TypeExpr::Sender(item) | TypeExpr::Receiver(item) => {
                Some(Ty::External(CHANNEL.into(), Types::from([rx.type_of(file, item)])))
            }
            _ => None,
        }
    }

    fn expr(&self, rx: &Resolver, file: &FileView, _id: ExprId, expr: Expr) -> Option<Ty> {
        match expr {
            Expr::Item { base, index } => {
                let ty = rx.expr_type(file, base);
                Some(match Self::structure(rx, &ty) {
                    // A range over a number counts in the type of that.
                    Ty::External(name, _)
                        if is_integer(&name) && matches!(file.expr(base), Expr::Spread(_)) =>
                    {
                        ty
                    }
                    structure if matches!(file.expr(base), Expr::Spread(_)) => self.range_key(rx, &structure),
                    Ty::Tuple(items) => items.get(index as usize).cloned().unwrap_or(Ty::Unknown),
                    // Results of a function that is not in the world.
                    Ty::External(..) if matches!(file.expr(base), Expr::Call { .. }) => ty,
                    // `v, ok := m[k]` and the like.
                    _ if index == 0 => ty,
                    _ => Ty::external("builtin.bool"),
                })
            }
            Expr::Element(base) => {
                let ty = rx.expr_type(file, base);
                Some(self.element(rx, file, &ty))
            }
            // As a value it keeps what it holds.
            Expr::Type(ty) => match rx.type_of(file, ty) {
                ty @ Ty::External(..) if is_builtin_generic(&ty) => Some(ty),
                _ => None,
            },
            Expr::Ref(reference) => Self::method_expression(rx, file, reference),
            _ => None,
        }
    }

    fn literal(&self, _rx: &Resolver, _file: &FileView, literal: Literal) -> Ty {
        Ty::external(match literal {
            Literal::String => "builtin.string",
            Literal::Int | Literal::Long => "builtin.int",
            Literal::Float | Literal::SmallFloat => "builtin.float64",
            Literal::Char => "builtin.rune",
            _ => return Ty::Unknown,
        })
    }

    fn element(&self, rx: &Resolver, _file: &FileView, ty: &Ty) -> Ty {
        match Self::structure(rx, ty) {
            Ty::Array(item) => (*item).clone(),
            Ty::External(name, args) if &*name == MAP => args.get(1).cloned().unwrap_or(Ty::Unknown),
            Ty::External(name, args) if &*name == CHANNEL => args.first().cloned().unwrap_or(Ty::Unknown),
            Ty::External(name, _) if &*name == "builtin.string" => Ty::external("builtin.rune"),
            function @ (Ty::Callable { .. } | Ty::Function(..)) => {
                self.yielded(rx, &function).last().cloned().unwrap_or(Ty::Unknown)
            }
            // A member of a library that is not in the world is outside too.
            outside @ Ty::External(..) => outside,
            Ty::ExternalName(name) => Ty::external(name),
            _ => Ty::Unknown,
        }
    }

    fn index(&self, rx: &Resolver, file: &FileView, base: &Ty, index: &Ty) -> Ty {
        match base {
            Ty::Class(alias, _) if rx.kind(*alias) == SymbolKind::TypeAlias => {
                Self::instantiated_alias(rx, *alias, &Self::instantiated(base, index))
            }
            Ty::Function(..) | Ty::Class(..) => Self::instantiated(base, index),
            // A value of a library that is not in the world, or one with type arguments.
            Ty::ExternalName(_) => base.clone(),
            _ => self.element(rx, file, base),
        }
    }

    /// Receiving from a channel.
    fn awaited(&self, rx: &Resolver, ty: &Ty) -> Ty {
        match Self::structure(rx, ty) {
            Ty::External(name, args) if &*name == CHANNEL => args.first().cloned().unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    fn deref(&self, rx: &Resolver, ty: &Ty) -> Ty {
        match ty {
            Ty::Pointer(inner) => (**inner).clone(),
            Ty::Class(..) => ty.clone(),
            other => match Self::structure(rx, other) {
                Ty::Pointer(inner) => (*inner).clone(),
                _ => other.clone(),
            },
        }
    }

    fn unary(&self, _rx: &Resolver, _file: &FileView, op: UnaryOp, value: &Ty) -> Ty {
        match op {
            UnaryOp::AddressOf => Ty::Pointer(Arc::new(value.clone())),
            _ => value.clone(),
        }
    }

    fn binary(&self, _rx: &Resolver, _file: &FileView, op: BinaryOp, left: &Ty, right: &Ty) -> Ty {
        match op {
            BinaryOp::Compare => Ty::external("builtin.bool"),
            BinaryOp::And | BinaryOp::Or if matches!(left, Ty::External(..)) && right.is_unknown() => {
                left.clone()
            }
            // The count has a type of its own.
            BinaryOp::Shift => left.clone(),
            // A constant adapts to the other side.
            _ if matches!(left, Ty::External(..) | Ty::Unknown) => right.clone(),
            _ => left.clone(),
        }
    }

    fn call(&self, rx: &Resolver, file: &FileView, callee: &Ty, call: ExprId) -> Ty {
        let is_conversion =
            || matches!(file.expr(call), Expr::Call { callee, .. } if Self::names_type(rx, file, callee));
        match callee {
            // A conversion.
            Ty::Class(..) => callee.clone().instantiate(),
            Ty::Callable { .. } if is_conversion() => callee.clone(),
            Ty::Callable { result, .. } => (**result).clone(),
            Ty::ExternalName(name) => self.builtin_call(rx, file, name, call),
            // A conversion to a type that was written as one or to a type parameter, or the call of a value of a function type.
            other => match Self::structure(rx, other) {
                _ if is_conversion() => other.clone(),
                Ty::Callable { result, .. } => (*result).clone(),
                _ if matches!(other, Ty::Param(_)) => other.clone(),
                _ => Ty::Unknown,
            },
        }
    }

    /// A call is typed by its arguments alone.
    fn expected(&self, rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
        match file.expr(expr) {
            Expr::Call { .. } => Ty::Unknown,
            _ => rx.default_expected(file, expr),
        }
    }

    /// A type without a name implements what it implements where it is written, and nowhere else.
    fn implements(&self, rx: &Resolver, of: GlobalDef, below: GlobalDef) -> bool {
        !rx.has_flag(below, DefFlags::ANONYMOUS) && interfaces::may_implement(rx, of, below)
    }

    fn core(&self, rx: &Resolver, ty: &Ty) -> Option<Ty> {
        Some(Self::structure(rx, ty)).filter(|core| core != ty)
    }

    fn infer_more(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
        into: &mut Substitution,
    ) {
        Self::infer_more(rx, file, call, function, into);
    }

    fn signature(&self, rx: &Resolver, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        Self::signature_of(rx, &Self::structure(rx, ty))
    }

    /// The variable of a type switch is declared in every clause; a declaration of another platform is the same symbol.
    fn same_symbol(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.flags.has(DefFlags::LOCAL) && d.kind == SymbolKind::Variable {
            let here = file.by_place().names.at(d.name_range).filter(|id| file.def(*id).name == d.name);
            return here.map(|id| file.global(id)).collect();
        }
        Self::variants(rx, def)
    }

    fn member_owner(&self, rx: &Resolver, member: GlobalDef) -> Option<GlobalDef> {
        Self::receiver_type(rx, member).or_else(|| rx.owner_class(member))
    }

    fn declared_members(&self, rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        Self::direct_members(rx, class, name)
    }

    fn overrides(&self, rx: &Resolver, _of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
        rx.def(base).flags.has(DefFlags::ABSTRACT)
            && rx.def(method).kind == SymbolKind::Method
            && Sameness::new(rx).methods(method, base)
    }

    fn structural_subtypes(&self, rx: &Resolver, interface: GlobalDef) -> Vec<GlobalDef> {
        interfaces::satisfying(rx, interface)
    }

    fn structural_supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        interfaces::satisfied(rx, class)
    }

    fn asked_for_inside(&self, rx: &Resolver, method: GlobalDef) -> Vec<GlobalDef> {
        interfaces::inside_functions(rx, method)
    }

    fn taken_over(&self, rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        let all = Self::select(rx, &Ty::instance(class), name, None).members;
        let all = all.iter().filter_map(Member::def);
        // An interface asks for what it embeds.
        let is_interface = interfaces::interface_of(rx, class).is_some();
        all.filter(|def| is_interface || !rx.def(*def).flags.has(DefFlags::ABSTRACT)).collect()
    }

    fn takers(&self, rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        interfaces::takers(rx, class)
    }

    fn calls_types(&self) -> bool {
        false
    }

    fn name_problem(
        &self,
        rx: &Resolver,
        def: GlobalDef,
        new_name: &str,
        used_in: &[FileId],
    ) -> Option<String> {
        let directory = |file: FileId| rx.world().file(file).path.directory();
        let loses = is_exported(rx.def_name(def)) && !is_exported(new_name);
        let home = directory(def.file);
        (loses
            && !rx.def(def).flags.has(DefFlags::LOCAL)
            && used_in.iter().any(|file| directory(*file) != home))
        .then(|| "is not exported, but other packages use it".to_owned())
    }

    fn may_override_unseen(&self, _rx: &Resolver, _def: GlobalDef) -> bool {
        // No type names what it implements; well-known methods are a matter of their names.
        false
    }

    /// The package `builtin` of the standard library describes the names of the language.
    fn outside(&self, rx: &Resolver, name: &str, _asking: Option<(&FileView, RefId)>) -> Vec<Target> {
        let find = || {
            let mut path = name.strip_prefix("builtin.")?.split('.');
            let packages = Packages::of(rx);
            let files = packages.imported(rx, &packages.directory(rx, "builtin")?);
            let def = Self::in_files(rx, &files, path.next()?)?;
            match path.next() {
                None => Some(def),
                Some(member) => {
                    let file = rx.file(def.file);
                    let named = file.named_in_scope(file.def(def.def).body?, member).first();
                    named.map(|member| file.global(*member))
                }
            }
        };
        find().into_iter().map(Target::Def).collect()
    }

    fn qualified_name(&self, rx: &Resolver, def: GlobalDef) -> Option<String> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.flags.has(DefFlags::LOCAL) || d.kind == SymbolKind::Import {
            return None;
        }
        let package = Packages::of(rx).import_path(paths::directory(&file.path));
        let owner = Self::receiver_type(rx, def).or_else(|| rx.owner_class(def));
        Some(match owner {
            Some(owner) => format!("{package}.{}.{}", rx.def_name(owner), file.def_name(def.def)),
            None => format!("{package}.{}", file.def_name(def.def)),
        })
    }

    fn by_qualified_name(&self, rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>> {
        let name = name.trim().trim_start_matches('*');
        let (path, rest) = match name.rsplit_once('/') {
            Some((head, tail)) => match tail.split_once('.') {
                Some((package, rest)) => (format!("{head}/{package}"), rest),
                None => return Err(grammar_examples()),
            },
            None => match name.split_once('.') {
                Some((package, rest)) => (package.to_owned(), rest),
                None => (String::new(), name),
            },
        };
        let parts: Vec<&str> = rest.split('.').collect();
        if parts.len() > 2 || parts.iter().any(|p| p.is_empty()) {
            return Err(grammar_examples());
        }
        let last = parts[parts.len() - 1];
        let wanted_owner = (parts.len() == 2).then(|| parts[0]);
        let matches_path = |def: GlobalDef| {
            let directory = Packages::of(rx).import_path(paths::directory(&rx.file(def.file).path));
            path.is_empty() || directory == path || directory.ends_with(&format!("/{path}"))
        };
        Ok(rx
            .world()
            .declarations(last)
            .into_iter()
            .map(|site| site.at)
            .filter(|def| rx.file(def.file).language() == ide_model::Language::Go && matches_path(*def))
            .filter(|def| {
                let owner = self.member_owner(rx, *def).map(|o| rx.def_name(o));
                owner == wanted_owner
            })
            .collect())
    }
}

impl GoPolicy {
    /// The type of a range clause's first variable.
    fn range_key(&self, rx: &Resolver, structure: &Ty) -> Ty {
        match structure {
            Ty::External(name, args) if matches!(&**name, MAP | CHANNEL) => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            function @ (Ty::Callable { .. } | Ty::Function(..)) => {
                self.yielded(rx, function).first().cloned().unwrap_or(Ty::Unknown)
            }
            _ => Ty::external("builtin.int"),
        }
    }

    /// The types that a function yields to the body of a range over it.
    fn yielded(&self, rx: &Resolver, function: &Ty) -> Vec<Ty> {
        let params = self.signature(rx, function).map(|(params, _)| params).unwrap_or_default();
        let yielded = params.first().and_then(|param| self.signature(rx, param));
        yielded.map(|(params, _)| params).unwrap_or_default()
    }

    /// Whether some of a type is not in the world, so that a missing member may be there.
    fn leads_outside(&self, rx: &Resolver, ty: &Ty) -> bool {
        let ty = Self::through(ty);
        match ty {
            Ty::External(..) => !is_builtin_generic(&ty),
            Ty::Instance(..) => {
                rx.linearization(&ty).iter().any(|part| matches!(Self::through(part), Ty::External(..)))
            }
            _ => false,
        }
    }

    fn builtin_call(&self, rx: &Resolver, file: &FileView, name: &str, call: ExprId) -> Ty {
        let Expr::Call { args, .. } = file.expr(call) else { return Ty::Unknown };
        let first = file.list(args).next().map_or(Ty::Unknown, |arg| rx.expr_type(file, arg));
        match name {
            "builtin.append" => first,
            "builtin.min" | "builtin.max" => {
                let typed = file.list(args).find(|arg| !Self::is_untyped(rx, file, *arg));
                typed.map_or(first, |arg| rx.expr_type(file, arg))
            }
            "builtin.make" => first.instantiate(),
            "builtin.new" => Ty::Pointer(Arc::new(first.instantiate())),
            "builtin.len" | "builtin.cap" | "builtin.copy" => Ty::external("builtin.int"),
            // A conversion to a builtin type, or a function that is not in the world: its value is not either.
            _ => Ty::external(name),
        }
    }
}

fn is_integer(name: &str) -> bool {
    let name = name.strip_prefix("builtin.").unwrap_or("");
    let size = name.strip_prefix('u').unwrap_or(name).strip_prefix("int");
    matches!(name, "byte" | "rune" | "uintptr")
        || size.is_some_and(|size| matches!(size, "" | "8" | "16" | "32" | "64"))
}

/// Whether a type is a map or a channel.
pub(super) fn is_builtin_generic(ty: &Ty) -> bool {
    matches!(ty, Ty::External(name, _) if matches!(&**name, MAP | CHANNEL))
}

fn outside_name(ty: &Ty) -> &str {
    match ty {
        Ty::External(name, _) => name,
        _ => "external",
    }
}

fn grammar_examples() -> Vec<String> {
    vec!["example.com/module/pkg.Name".to_owned(), "example.com/module/pkg.Type.Method".to_owned()]
}
