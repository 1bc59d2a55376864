//! Rust's rules, as the resolver asks for them.

use ide_model::{Confidence, FilePath, Language, SourceKind, SymbolKind};

use super::arguments::{self, Given};
use super::conditions::{self, has_conditions, is_active};
use super::crates::{Crates, UNREAD, nearest_module};
use super::expected;
use super::guesses;
use super::implementations::{self, of_type};
use super::infer::{self, named};
use super::members::{self, container, head, settle};
use super::names::{self, Space};
use super::outside_types;
use super::variants::variants;
use super::{library, names::space_of, predicates, variables};
use crate::facts::{
    BinaryOp, DefFlags, DefId, Expr, ExprId, ImportId, Literal, RefFlags, RefId, Role, ScopeId, ScopeKind,
    TypeExpr, UnaryOp,
};
use crate::query::definition::At;
use crate::resolve::{
    ANOTHER_BUILD, FileView, GivenName, MacroWord, Member, ModuleMove, ModulePath, ModulePlace, Place,
    Policy, Reason, Resolution, Resolved, Resolver, Target, Ty, Types,
};
use crate::world::{FileId, GlobalDef};

pub(crate) struct RustPolicy;

impl RustPolicy {
    /// The type or trait that `Self` means in a scope.
    fn self_type(rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        let owner = file.scope_chain(scope).find_map(|id| {
            let scope = file.scope(id);
            let owner = scope.owner.filter(|_| scope.kind == ScopeKind::Class)?;
            (!matches!(file.def(owner).kind, SymbolKind::EnumCase | SymbolKind::TypeAlias)).then_some(owner)
        });
        let Some(owner) = owner else { return Ty::Unknown };
        let at = file.global(owner);
        match file.def(owner).kind {
            SymbolKind::Impl => members::self_type_of(rx, at),
            SymbolKind::Trait => Ty::Param(at),
            _ => rx.self_type(at),
        }
    }

    /// The members that have a meaning where the reference stands.
    fn fitting(rx: &Resolver, file: &FileView, reference: RefId, members: &[Member]) -> Vec<Member> {
        let r = file.reference(reference);
        let space = space_of(file, reference);
        let is_path = match r.receiver.map(|receiver| file.expr(receiver)) {
            Some(Expr::Ref(before)) => file.reference(before).flags.has(RefFlags::TYPE_ONLY),
            Some(Expr::Type(_)) => true,
            Some(Expr::Block { value, .. }) => matches!(file.expr(value), Expr::Text(_)),
            _ => false,
        };
        let fits = |member: &&Member| {
            let Some(def) = member.def() else {
                return space != Space::Value || !matches!(member.target, Target::Module(_));
            };
            let d = rx.def(def);
            match space {
                Space::Any => true,
                Space::Macro => d.kind == SymbolKind::Macro || d.kind == SymbolKind::Function,
                Space::Type => {
                    d.kind.is_type() || matches!(d.kind, SymbolKind::Module | SymbolKind::EnumCase)
                }
                Space::Value if is_path => {
                    !matches!(d.kind, SymbolKind::Field | SymbolKind::Module | SymbolKind::Macro)
                        && (!d.kind.is_type() || names::is_value(rx, def))
                }
                Space::Value if r.role == Role::Call => {
                    matches!(d.kind, SymbolKind::Method | SymbolKind::Field)
                }
                Space::Value => d.kind == SymbolKind::Field,
            }
        };
        let mut found: Vec<Member> = members.iter().filter(fits).cloned().collect();
        // A method before a field that holds a function.
        let is_method = |m: &Member| m.def().is_none_or(|def| rx.def(def).kind != SymbolKind::Field);
        if r.role == Role::Call && found.iter().any(is_method) {
            found.retain(is_method);
        }
        found
    }

    /// Of several implementations for one type, those whose parameters take the arguments; false where none does.
    fn by_arguments(rx: &Resolver, file: &FileView, reference: RefId, members: &mut Vec<Member>) -> bool {
        let given: Vec<Given> = match file.reference(reference).call.map(|call| file.expr(call)) {
            Some(Expr::Call { args, .. }) => file.list(args).map(|arg| Given::of(rx, file, arg)).collect(),
            Some(_) => return true,
            // A function that is passed as a value is called with the arguments that the callee declares.
            None => {
                let Some(place) = file.expected_ref(reference) else { return true };
                let signature = infer::signature(rx, &expected::expected(rx, file, place));
                let Some((params, _)) = signature else { return true };
                params.into_iter().map(Given::Value).collect()
            }
        };
        let takes = |member: &Member| {
            let Some(def) = member.def() else { return true };
            let home = rx.file(def.file);
            let params: Vec<DefId> = home.list(home.def(def.def).params).collect();
            let mut own = rx.type_params(def);
            own.extend(container(rx, def).map_or(Vec::new(), |owner| rx.declared_type_params(owner)));
            let shift = given.len().saturating_sub(params.len());
            params
                .iter()
                .zip(given.iter().skip(shift))
                .all(|(param, given)| given.fits(rx, &rx.def_type(home.global(*param)), &own))
        };
        let fits = members.iter().any(takes);
        if fits {
            members.retain(takes);
        }
        fits
    }

    /// Whether a member of a library type comes from a library trait, in a way that other implementations may
    /// give too.
    fn is_foreign(rx: &Resolver, member: &Member) -> bool {
        let Some(owner) = member.def().and_then(|def| container(rx, def)) else { return false };
        let of = members::trait_of(rx, owner).filter(|_| rx.def(owner).kind == SymbolKind::Impl);
        of.is_some_and(|of| of.def().is_none())
            && matches!(head(rx, &members::self_type_of(rx, owner)), Some(members::Head::Named(_)))
    }

    /// A member that `self` has by several implementations (for `T` and for `&T`) is the one of the
    /// implementation around.
    fn by_place(rx: &Resolver, file: &FileView, reference: RefId, members: &mut Vec<Member>) {
        let r = file.reference(reference);
        // `Self::from(x)` inside of `from` hardly calls itself.
        let is_itself = || {
            let mut functions = file.scope_chain(r.scope).filter_map(|scope| file.scope(scope).owner);
            functions.any(|def| file.def(def).kind == SymbolKind::Method && file.def(def).name == r.name)
        };
        let on_self = r.receiver.is_some_and(|receiver| match file.expr(receiver) {
            Expr::This(_) => true,
            Expr::Type(ty) => matches!(file.ty(ty), TypeExpr::TypeOf(_)) && !is_itself(),
            _ => false,
        });
        let around: Vec<GlobalDef> = file
            .scope_chain(r.scope)
            .filter_map(|scope| file.scope(scope).owner)
            .map(|owner| file.global(owner))
            .collect();
        let is_here =
            |m: &Member| m.def().and_then(|d| container(rx, d)).is_some_and(|c| around.contains(&c));
        if members.len() > 1 && on_self && members.iter().any(is_here) {
            members.retain(is_here);
        }
    }

    /// An associated type is what the trait declares, whichever implementation gives it.
    fn declared_by_traits(rx: &Resolver, members: &mut Vec<Member>) {
        for member in members.iter_mut() {
            let Some(def) = member.def().filter(|def| rx.def(*def).kind == SymbolKind::TypeAlias) else {
                continue;
            };
            let of = container(rx, def).filter(|owner| rx.def(*owner).kind == SymbolKind::Impl);
            match of.and_then(|owner| members::trait_of(rx, owner)) {
                Some(Ty::External(path, _)) => {
                    member.target = Target::External(format!("{path}::{}", rx.def_name(def)).into());
                }
                Some(Ty::Instance(of, _)) => {
                    if let Some(declared) = rx.own_members(of, rx.def_name(def)).first() {
                        member.target = Target::Def(*declared);
                    }
                }
                _ => {}
            }
        }
        let mut unique: Vec<Member> = Vec::new();
        for member in members.drain(..) {
            if !unique.iter().any(|m| m.target == member.target) {
                unique.push(member);
            }
        }
        *members = unique;
    }

    fn is_certain_of(given: &[Member]) -> bool {
        given.len() == 1
    }
}

impl Policy for RustPolicy {
    fn reference(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<Resolved> {
        predicates::qualified(rx, self, file, reference)
    }

    fn before_scopes(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<Resolution> {
        Some(names::plain(rx, file, reference))
    }

    fn implicit(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        names::plain(rx, file, reference)
    }

    fn import(&self, rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
        let i = file.import(import);
        if let Some(last) = i.member.or_else(|| file.list(i.path).last()) {
            return rx.resolve(file.global_ref(last)).resolution;
        }
        match names::root_type(rx, file, i.scope, file.name(i.module)) {
            Ty::Module(id) => Resolution::exact(Target::Module(id)),
            Ty::Class(def, _) => Resolution::def(def),
            _ => Resolution::unknown(Reason::NotFound),
        }
    }

    fn import_segment(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        match file.reference(reference).receiver {
            Some(receiver) => {
                let receiver = rx.expr_type(file, receiver);
                let found = rx.resolve_member(file, reference, &receiver).resolution;
                if found.is_unknown() && receiver.is_unknown() {
                    return Resolution::unknown(Reason::UnknownReceiver);
                }
                found
            }
            None => names::plain(rx, file, reference),
        }
    }

    /// A field of a literal or pattern, or an associated type among arguments.
    fn keyword(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        let name = file.ref_name(reference);
        let Some(of) = file.reference(reference).call else { return Resolution::unknown(Reason::NotFound) };
        let ty = match file.expr(of) {
            // The literal's own type, not the enum that a variant is of.
            Expr::New { ty, .. } => rx.type_of(file, ty),
            _ => rx.expr_type(file, of),
        };
        let ty = match ty {
            Ty::Intersection(parts) => parts.first().cloned().unwrap_or(Ty::Unknown),
            other => other,
        };
        match &ty {
            Ty::Instance(def, _) | Ty::Class(def, _) => {
                let own = rx.own_members(*def, name);
                match own.first() {
                    Some(first) => Resolution {
                        targets: conditions::alternatives(rx, *first).into_iter().map(Target::Def).collect(),
                        confidence: Confidence::Exact,
                        reason: Reason::None,
                    },
                    None => {
                        let found = members::members(rx, file, &ty, name);
                        found.first().map_or_else(
                            || Resolution::unknown(Reason::NotFound),
                            |m| Resolution::of(m.target(), m.confidence),
                        )
                    }
                }
            }
            Ty::External(owner, _) | Ty::ExternalName(owner) => {
                Resolution::external(format!("{owner}::{name}"))
            }
            _ => Resolution::unknown(Reason::UnknownReceiver),
        }
    }

    fn members(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        members::members(rx, from, ty, name)
    }

    fn choose(&self, rx: &Resolver, file: &FileView, reference: RefId, all: &[Member]) -> Resolution {
        let mut found = Self::fitting(rx, file, reference, all);
        if space_of(file, reference) == Space::Type {
            Self::declared_by_traits(rx, &mut found);
        }
        if found.is_empty() {
            return Resolution::unknown(Reason::NotFound);
        }
        if found.len() > 1 {
            let is_built = |m: &Member| m.def().is_none_or(|d| is_active(rx, d));
            let in_impls = found.iter().all(|m| m.def().is_some_and(|d| container(rx, d).is_some()));
            if !in_impls {
                // Alternatives under different conditions, or one name in several spaces.
                found.sort_by_key(|m| !is_built(m));
                let confidence = found.iter().map(|m| m.confidence).max().unwrap_or(Confidence::Exact);
                return Resolution {
                    targets: found.iter().map(Member::target).collect(),
                    confidence,
                    reason: Reason::None,
                };
            }
            if found.iter().any(is_built) {
                found.retain(is_built);
            }
        }
        let is_foreign = found.iter().all(|m| Self::is_foreign(rx, m));
        if found.len() > 1 || is_foreign {
            let fits = Self::by_arguments(rx, file, reference, &mut found);
            if is_foreign && !fits {
                return Resolution::external(format!("std::{}", file.ref_name(reference)));
            }
            Self::by_place(rx, file, reference, &mut found);
        }
        arguments::of_first(rx, file, reference, &mut found);
        if Self::is_certain_of(&found) {
            return Resolution::of(found[0].target(), found[0].confidence);
        }
        Resolution {
            targets: found.iter().map(Member::target).collect(),
            confidence: Confidence::Ambiguous,
            reason: Reason::SeveralCandidates,
        }
    }

    fn member_fallback(&self, rx: &Resolver, file: &FileView, reference: RefId, receiver: &Ty) -> Resolution {
        if receiver.is_unknown() {
            return guesses::by_name(rx, file, reference);
        }
        Resolution::unknown(Reason::NotFound)
    }

    /// `mod name;` means the file.
    fn adjust(
        &self,
        rx: &Resolver,
        _file: &FileView,
        _reference: RefId,
        mut resolution: Resolution,
    ) -> Resolution {
        for target in &mut resolution.targets {
            if let Target::Def(def) = target {
                *target = names::through_module(rx, *def);
            }
        }
        resolution
    }

    fn files_seeing(&self, rx: &Resolver, files: &[FileId]) -> Option<Vec<FileId>> {
        Crates::of(rx).files_seeing(rx.world(), files)
    }

    fn declared_as(&self, rx: &Resolver, def: GlobalDef) -> Resolution {
        Resolution::exact(names::through_module(rx, def))
    }

    // ---- types --------------------------------------------------------------------------------------------------

    fn type_params(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let mut own = rx.declared_type_params(def);
        match rx.def(def).kind {
            SymbolKind::EnumCase => rx.owner_class(def).map_or(own, |of| rx.declared_type_params(of)),
            SymbolKind::Trait => {
                own.push(def);
                own
            }
            // Parameters of the implementation can be told by the arguments too.
            SymbolKind::Method => {
                if let Some(owner) = container(rx, def) {
                    own.extend(self.type_params(rx, owner));
                }
                own
            }
            _ => own,
        }
    }

    fn supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        let mut all = rx.declared_supers(class);
        let kind = rx.def(class).kind;
        if matches!(kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union) {
            for implementation in of_type(rx, class).iter().copied() {
                if members::implemented_by(rx, implementation) == Some(class)
                    && let Some(of) = members::trait_of(rx, implementation)
                    && !all.contains(&of)
                {
                    all.push(of);
                }
            }
        }
        all
    }

    fn def_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let d = rx.def(def);
        match d.kind {
            SymbolKind::EnumCase | SymbolKind::Module => Ty::class(def),
            SymbolKind::TypeParameter if d.flags.has(DefFlags::CONST) => {
                let file = rx.file(def.file);
                d.ty.map_or(Ty::Unknown, |ty| rx.type_of(file, ty))
            }
            SymbolKind::TypeAlias if members::is_projection(rx, def) => Ty::Instance(def, Types::default()),
            // A declared type may leave parts open that the value tells.
            SymbolKind::Variable => match (d.ty, d.init) {
                (Some(ty), Some(init)) => {
                    let file = rx.file(def.file);
                    let declared = rx.type_of(file, ty);
                    let value = settle(rx, &rx.expr_type(file, init));
                    let declared = variables::collected_into(rx, file, declared, init);
                    variables::declared_or(declared, value)
                }
                (None, Some(init)) => {
                    let file = rx.file(def.file);
                    match settle(rx, &rx.expr_type(file, init)) {
                        Ty::Unknown if matches!(file.expr(init), Expr::Value(_)) => {
                            settle(rx, &variables::given_later(rx, def))
                        }
                        value => variables::grown(rx, file, def.def, value),
                    }
                }
                _ => rx.default_def_type(def),
            },
            SymbolKind::Constant if d.flags.has(super::THREAD_LOCAL) => {
                named("LocalKey", vec![rx.default_def_type(def)])
            }
            _ => settle(rx, &rx.default_def_type(def)),
        }
    }

    fn target_type(&self, rx: &Resolver, target: &Target) -> Ty {
        rx.default_target_type(target)
    }

    fn return_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        match d.ty {
            Some(ty) => rx.type_of(file, ty),
            None => infer::best(file.list(d.returns).map(|e| rx.expr_type(file, e))),
        }
    }

    fn type_expr(&self, rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
        infer::written_type(rx, file, ty)
    }

    fn expr(&self, rx: &Resolver, file: &FileView, id: ExprId, expr: Expr) -> Option<Ty> {
        infer::expr(rx, file, id, expr)
    }

    fn literal(&self, _rx: &Resolver, _file: &FileView, literal: Literal) -> Ty {
        Ty::Primitive(
            match literal {
                Literal::String => "str",
                Literal::Int | Literal::Long => "i32",
                Literal::Float | Literal::SmallFloat => "f64",
                Literal::Char => "char",
                Literal::Bool => "bool",
                Literal::Bytes => return Ty::Array(std::sync::Arc::new(Ty::Primitive("u8".into()))),
                Literal::Other => "u8",
                _ => return Ty::Unknown,
            }
            .into(),
        )
    }

    fn this(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        Self::self_type(rx, file, scope)
    }

    fn element(&self, rx: &Resolver, _file: &FileView, ty: &Ty) -> Ty {
        members::item(rx, ty).unwrap_or(Ty::Unknown)
    }

    fn awaited(&self, rx: &Resolver, ty: &Ty) -> Ty {
        let ty = settle(rx, ty);
        let future = |part: &Ty| match part {
            Ty::External(name, args)
                if matches!(library::last(name), "Future" | "BoxFuture" | "Pin" | "Box") =>
            {
                args.first().cloned()
            }
            _ => None,
        };
        match &ty {
            Ty::Intersection(parts) => parts.iter().find_map(future).unwrap_or(Ty::Unknown),
            Ty::External(name, _) if matches!(library::last(name), "Pin" | "Box") => {
                future(&ty).map_or(Ty::Unknown, |inner| self.awaited(rx, &inner))
            }
            Ty::External(..) => {
                let declared = || outside_types::associated(rx, &ty, "Future", "Output");
                future(&ty).or_else(declared).unwrap_or(ty)
            }
            Ty::Instance(..) => members::associated(rx, &ty, "Future", "Output")
                .or_else(|| members::associated(rx, &ty, "IntoFuture", "Output"))
                .unwrap_or(ty),
            _ => ty,
        }
    }

    fn tried(&self, rx: &Resolver, ty: &Ty) -> Ty {
        match settle(rx, ty) {
            Ty::External(name, args) if matches!(library::last(&name), "Option" | "Result" | "Poll") => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            _ => Ty::Unknown,
        }
    }

    fn deref(&self, rx: &Resolver, ty: &Ty) -> Ty {
        let ty = settle(rx, ty);
        members::pointed(rx, &ty).map_or(ty, |inner| settle(rx, &inner))
    }

    fn binary(&self, rx: &Resolver, _file: &FileView, op: BinaryOp, left: &Ty, right: &Ty) -> Ty {
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Compare => Ty::Primitive("bool".into()),
            BinaryOp::Range => named("Range", vec![infer::best([left.clone(), right.clone()])]),
            _ => {
                let traits: &[&str] = match op {
                    BinaryOp::Plus => &["Add"],
                    BinaryOp::Arithmetic => &["Sub", "Mul", "Div", "Rem"],
                    BinaryOp::Bits => &["BitOr", "BitAnd", "BitXor"],
                    BinaryOp::Shift => &["Shl", "Shr"],
                    _ => &[],
                };
                let output = traits.iter().find_map(|of| members::associated(rx, left, of, "Output"));
                output.unwrap_or_else(|| if left.is_unknown() { right.clone() } else { left.clone() })
            }
        }
    }

    fn unary(&self, _rx: &Resolver, _file: &FileView, _op: UnaryOp, value: &Ty) -> Ty {
        value.clone()
    }

    fn expected(&self, rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
        expected::expected(rx, file, expr)
    }

    fn signature(&self, rx: &Resolver, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        infer::signature(rx, ty)
    }

    // ---- declarations -------------------------------------------------------------------------------------------

    /// Alternatives under different conditions; the bindings of one variable in the alternatives of a pattern.
    fn same_symbol(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if matches!(d.kind, SymbolKind::Variable | SymbolKind::Parameter) && d.flags.has(DefFlags::LOCAL) {
            return file
                .in_scope(d.scope, d.name)
                .iter()
                .filter(|other| **other == def.def || d.init.is_some() && file.def(**other).range == d.range)
                .map(|other| file.global(*other))
                .collect();
        }
        let mut all = conditions::alternatives(rx, def);
        all.extend(variants(rx, self, def));
        // A name in a macro call that several things are declared by.
        if !d.name_range.is_empty() {
            let here = file.by_place().names.at(d.name_range).filter(|other| *other != def.def);
            all.extend(here.map(|other| file.global(other)));
        }
        all
    }

    fn member_owner(&self, rx: &Resolver, member: GlobalDef) -> Option<GlobalDef> {
        let owner = rx.owner_class(member)?;
        match rx.def(owner).kind {
            SymbolKind::Impl => Some(self.implemented_type(rx, owner).unwrap_or(owner)),
            _ => Some(owner),
        }
    }

    fn declared_members(&self, rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        let mut found = rx.own_members(class, name);
        found.retain(|def| rx.def(*def).kind != SymbolKind::TypeParameter);
        if matches!(rx.def(class).kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union) {
            for implementation in of_type(rx, class).iter().copied() {
                if members::self_type_of(rx, implementation).def() == Some(class) {
                    found.extend(rx.own_members(implementation, name));
                }
            }
        }
        found
    }

    fn implements(&self, rx: &Resolver, _of: GlobalDef, below: GlobalDef) -> bool {
        rx.def(below).kind != SymbolKind::Trait
    }

    fn implementation_head(&self, file: &FileView, def: DefId) -> Option<String> {
        implementations::block_head(file, def)
    }

    fn implemented_type(&self, rx: &Resolver, def: GlobalDef) -> Option<GlobalDef> {
        if rx.def(def).kind != SymbolKind::Impl {
            return None;
        }
        members::implemented_by(rx, def)
    }

    fn place(&self) -> Place {
        Place::Tree
    }

    fn module_name(
        &self,
        rx: &Resolver,
        _like: &FileView,
        importer: &str,
        module: &str,
    ) -> Result<String, String> {
        super::refactor::module_name(rx, importer, module)
    }

    fn sees_private_of(&self, rx: &Resolver, file: FileId, home: FileId) -> bool {
        super::refactor::sees_private_of(rx, file, home)
    }

    fn belongs_to(&self, rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        super::refactor::implementations_beside(rx, class)
    }

    fn declarations_of_module(&self, rx: &Resolver, file: FileId) -> Vec<GlobalDef> {
        Crates::of(rx).declarations_of(file)
    }

    fn module_move(&self, rx: &Resolver, file: FileId, to: &FilePath) -> Result<ModuleMove, String> {
        super::moves::module_move(rx, file, to)
    }

    fn module_at(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Option<ModulePlace> {
        Some(super::moves::place_of(rx, names::module_of(rx, file, scope)?))
    }

    fn directory_of(&self, rx: &Resolver, def: GlobalDef) -> Option<String> {
        super::moves::directory_of_inline(rx, def)
    }

    fn module_of_value(&self, rx: &Resolver, file: &FileView, value: ExprId) -> Option<ModulePlace> {
        super::moves::module_of_value(rx, file, value)
    }

    fn seen_within(&self, rx: &Resolver, def: GlobalDef, text: &str) -> Option<ModulePath> {
        super::moves::seen_within(rx, def, text)
    }

    fn import_works_unnamed(&self, rx: &Resolver, file: &FileView, import: ImportId) -> bool {
        super::refactor::import_works_unnamed(rx, file, import)
    }

    /// A member of an implementation of the trait that declares the other.
    fn overrides(&self, rx: &Resolver, _of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
        let of = container(rx, method).and_then(|owner| members::trait_of(rx, owner)).and_then(|t| t.def());
        of.is_some() && container(rx, base) == of && rx.def_name(method) == rx.def_name(base)
    }

    /// `S { ref a }` becomes `S { key: ref a }`.
    fn key_start(&self, before: &str) -> usize {
        let without = |text: &str, word: &str| {
            let rest = text.trim_end().strip_suffix(word)?;
            let is_whole = !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            (is_whole && text.ends_with(char::is_whitespace)).then_some(rest.len())
        };
        let end = without(before, "mut").unwrap_or(before.len());
        without(&before[..end], "ref").unwrap_or(end)
    }

    fn means_in_macro(&self, rx: &Resolver, def: GlobalDef, word: &MacroWord<'_>) -> Option<bool> {
        super::refactor::means_in_macro(rx, def, word)
    }

    fn has_unseen_uses(&self, rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
        if rx.has_flag(def, DefFlags::LOCAL) || rx.kind(def) == SymbolKind::TypeParameter {
            return None;
        }
        let is_included = Crates::of(rx).includes_unread(def.file);
        let is_unmatched =
            super::refactor::is_alternative(rx, def.file) && variants(rx, self, def).is_empty();
        is_unmatched.then_some(ANOTHER_BUILD).or(is_included.then_some(UNREAD))
    }

    fn is_conditional(&self, rx: &Resolver, file: FileId) -> bool {
        super::refactor::modules_of(rx, file).into_iter().any(|module| has_conditions(rx, module))
    }

    fn left_out(&self, rx: &Resolver, file: &FileView) -> std::sync::Arc<[ide_model::TextRange]> {
        conditions::left_out(rx, file)
    }

    fn calls_fields(&self) -> bool {
        false
    }

    /// An implementation of a trait that is not in the world.
    fn may_override_unseen(&self, rx: &Resolver, def: GlobalDef) -> bool {
        let is_impl = |owner: &GlobalDef| rx.def(*owner).kind == SymbolKind::Impl;
        let owner = container(rx, def).filter(is_impl);
        let owner = owner.filter(|_| rx.def(def).kind != SymbolKind::TypeParameter);
        owner.and_then(|owner| members::trait_of(rx, owner)).is_some_and(|of| of.def().is_none())
    }

    fn other_names(&self, rx: &Resolver, def: GlobalDef) -> Vec<std::sync::Arc<str>> {
        super::derives::derived_by(rx.file(def.file), def.def).map(Into::into).into_iter().collect()
    }

    fn outside(&self, rx: &Resolver, name: &str, asking: Option<(&FileView, RefId)>) -> Vec<Target> {
        super::outside_names::targets(rx, name, asking)
    }

    fn given_name(&self, rx: &Resolver, file: &FileView, at: At) -> Option<GivenName> {
        super::aliases::given_name(rx, file, at)
    }

    fn qualified_name(&self, rx: &Resolver, def: GlobalDef) -> Option<String> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        let is_nameless =
            matches!(d.kind, SymbolKind::Import | SymbolKind::Impl) || d.flags.has(DefFlags::ANONYMOUS);
        if d.flags.has(DefFlags::LOCAL) || is_nameless {
            return None;
        }
        if rx.world().file(def.file).source == SourceKind::Library {
            return super::outside_names::qualified_name(rx, def);
        }
        let crates = Crates::of(rx);
        let name = file.def_name(def.def);
        let inner = nearest_module(file, d.scope);
        let module = match file.scope(inner).owner {
            Some(owner) if inner != ScopeId(0) => crates.of_declaration(file.global(owner))?,
            _ => crates.of_file(def.file)?,
        };
        let path = crates.path(rx, module).join("::");
        let Some(owner) = rx.owner_class(def) else { return Some(format!("{path}::{name}")) };
        if let Some(of) = members::trait_of(rx, owner).filter(|_| rx.def(owner).kind == SymbolKind::Impl) {
            let of = of.def().map(|d| rx.def_name(d).to_owned()).or_else(|| match &of {
                Ty::External(name, _) => Some(library::last(name).to_owned()),
                _ => None,
            });
            let class = match self.implemented_type(rx, owner) {
                Some(class) => self.qualified_name(rx, class)?,
                None => implementations::written(rx.file(owner.file), rx.def(owner).ty?),
            };
            return Some(format!("<{class} as {}>::{name}", of?));
        }
        let class = self.member_owner(rx, def)?;
        let class = self.qualified_name(rx, class)?;
        Some(format!("{class}::{name}"))
    }

    fn by_qualified_name(&self, rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>> {
        let name = name.trim();
        let (owner, last) = name.rsplit_once("::").unwrap_or(("", name));
        let is_word = !last.is_empty() && last.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_word {
            return Err(vec![
                "my_crate::module::Type".to_owned(),
                "Type::method".to_owned(),
                "<Type as Trait>::method".to_owned(),
            ]);
        }
        let wanted = format!("::{name}");
        let matches = |def: GlobalDef| {
            let Some(full) = self.qualified_name(rx, def) else { return false };
            if let (Some((class, of)), Some((written, trait_name))) = (split_trait(&full), split_trait(name))
            {
                return of == trait_name && ends_with_path(class, written);
            }
            // `Type::method` means one of a trait too.
            match split_trait(&full) {
                Some((class, _)) => !owner.is_empty() && ends_with_path(class, owner),
                None => full == name || full.ends_with(&wanted) || owner.is_empty(),
            }
        };
        let crate_name = name.strip_prefix("crate::");
        let own: Vec<GlobalDef> = rx
            .world()
            .declarations(last)
            .into_iter()
            .map(|site| site.at)
            .filter(|def| rx.language_of(*def) == Language::Rust)
            .filter(|def| match crate_name {
                Some(rest) => self
                    .qualified_name(rx, *def)
                    .is_some_and(|full| full.split_once("::").is_some_and(|(_, path)| path == rest)),
                None => matches(*def),
            })
            .collect();
        // Declarations beside the world are known by whole paths only.
        let is_path = own.is_empty() && !owner.is_empty();
        Ok(if is_path { super::outside::declarations(rx, name).to_vec() } else { own })
    }
}

/// `<Type as Trait>::member` in parts.
fn split_trait(name: &str) -> Option<(&str, &str)> {
    let (inner, _) = name.strip_prefix('<')?.rsplit_once(">::")?;
    inner.split_once(" as ")
}

fn ends_with_path(full: &str, tail: &str) -> bool {
    full.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_traits_are_told_by_their_types() {
        assert_eq!(split_trait("<a::T as Tr>::m"), Some(("a::T", "Tr")));
        assert!(ends_with_path("a::b::T", "b::T") && ends_with_path("T", "T"));
        assert!(!ends_with_path("a::xT", "T"));
    }
}
