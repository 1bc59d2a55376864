//! The resolver's rules for Python.

use std::borrow::Cow;
use std::sync::Arc;

use ide_model::{Confidence, SymbolKind};

use crate::facts::{
    BinaryOp, DefFlags, DefId, Expr, ExprId, ImportId, Literal, Ref, RefFlags, RefId, Role, ScopeId,
    ScopeKind, TypeExpr, UnaryOp,
};
use crate::guard::{self, Limit};
use crate::query::definition::At;
use crate::resolve::{
    ANOTHER_BUILD, FileView, GivenName, Member, Place, Policy, Reason, Resolution, Resolved, Resolver,
    Target, Ty,
};
use crate::world::{FileId, GlobalDef};

use super::modules::{self, Module};
use super::{annotations, flow, library, members, pytest, values};

/// The rules of `.py` and `.pyi`.
pub(in crate::lang) struct Python;

/// How deep star imports are followed for a plain name.
const MAX_STARS: usize = 8;

impl Policy for Python {
    /// The places in which pytest looks for a fixture.
    fn reference(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<Resolved> {
        let resolution = || pytest::requested(rx, file, reference);
        pytest::is_request(file.reference(reference))
            .then(|| Resolved { resolution: resolution(), owner: Ty::Unknown })
    }

    fn enters_scope(&self, file: &FileView, reference: &Ref, scope: ScopeId, crossed: bool) -> bool {
        let is_parameter = |def: &DefId| file.def(*def).kind == SymbolKind::TypeParameter;
        !crossed
            || file.scope(scope).kind != ScopeKind::Class
            || file.in_scope(scope, reference.name).iter().any(is_parameter)
    }

    /// Of very many values of one name the first, the last and those around the reference.
    fn near<'f>(&self, file: &FileView, reference: &Ref, named: &'f [DefId]) -> Cow<'f, [DefId]> {
        const FEW: usize = 16;
        const MANY: usize = 512;
        if named.len() <= MANY {
            return Cow::Borrowed(named);
        }
        guard::note(Limit::Work);
        let here = named.partition_point(|def| file.def(*def).name_range.start <= reference.range.start);
        let from = here.saturating_sub(FEW).max(FEW);
        let to = (here + FEW).min(named.len()).max(from);
        let last = (named.len() - FEW).max(to);
        Cow::Owned([&named[..FEW], &named[from..to], &named[last..]].concat())
    }

    /// Names are visible in all of their scope, except that code which runs at once does not see what comes later.
    fn sees(&self, rx: &Resolver, file: &FileView, reference: &Ref, def: DefId) -> bool {
        let d = file.def(def);
        if d.flags.has(DefFlags::ATTRIBUTE) {
            return false;
        }
        let is_value = matches!(d.kind, SymbolKind::Variable | SymbolKind::Field | SymbolKind::EnumCase);
        let in_own = d.range.contains(reference.range.start) && d.name_range != reference.range;
        let in_own_value = is_value && in_own;
        match file.scope(d.scope).kind {
            ScopeKind::Class => {
                let runs_now = file.scope_chain(reference.scope).next() == Some(d.scope);
                !runs_now || d.name_range.start <= reference.range.start && !in_own
            }
            ScopeKind::File => {
                // Before its first value the name of a built-in thing means that, and where nothing runs that gives one.
                let is_before = reference.range.start < d.name_range.start && runs_with_file(file, reference);
                let is_made = !d.flags.has(DefFlags::NOT_BUILT);
                is_made && !(is_before || in_own_value) || library::builtin(rx, file.name(d.name)).is_none()
            }
            _ => true,
        }
    }

    fn pick_lexical(
        &self,
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        found: &[DefId],
    ) -> Option<Resolution> {
        if found.len() > 1
            && let Some(def) = flow::latest(file, file.reference(reference), found)
        {
            return Some(Resolution::def(file.global(def)));
        }
        if let [only] = found {
            return Some(Resolution::def(file.global(*only)));
        }
        let mut defs: Vec<GlobalDef> = found.iter().map(|d| file.global(*d)).collect();
        defs.sort_by_key(|d| modules::precedence(file, d.def));
        modules::preferred(rx, &defs).map(Resolution::def)
    }

    fn implicit(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        let name = file.ref_name(reference);
        if let Some(target) = modules::star_member(rx, file.id, name, MAX_STARS) {
            return Resolution::exact(target);
        }
        if let Some(def) = library::builtin(rx, name) {
            return Resolution::def(def);
        }
        // The members of every module.
        let of_module = Ty::instance(library::known(rx).module);
        if let Some(member) = members::members(rx, &of_module, name).first() {
            return Resolution::exact(member.target());
        }
        if library::is_former_builtin(name) {
            return Resolution::external(format!("builtins.{name}"));
        }
        Resolution::unknown(Reason::NotFound)
    }

    fn import(&self, rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
        flow::index(file).imported(file, import, || modules::imported(rx, file, import))
    }

    fn import_segment(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        match flow::index(file).segment(file, reference) {
            Some((import, None)) => self.import(rx, file, import),
            Some((import, upto)) => {
                let (module, name) = modules::imported_module(rx, file, import, upto);
                Resolution::exact(module.target(&name))
            }
            None => Resolution::unknown(Reason::NotFound),
        }
    }

    fn keyword(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        match file.reference(reference).call {
            Some(call) => members::keyword(rx, file, call, file.ref_name(reference)),
            None => Resolution::unknown(Reason::NotFound),
        }
    }

    fn named_argument(&self, rx: &Resolver, file: &FileView, call: ExprId, name: &str) -> Resolution {
        members::keyword(rx, file, call, name)
    }

    fn given_name(&self, rx: &Resolver, file: &FileView, at: At) -> Option<GivenName> {
        super::aliases::given_name(rx, file, at)
    }

    fn members(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        match modules::imported_part(rx, from, ty, name) {
            Some(target) => vec![Member::of(target)],
            None => members::members(rx, ty, name),
        }
    }

    fn supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        members::supers(rx, class)
    }

    fn type_params(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        members::type_params(rx, def)
    }

    fn linearization(&self, rx: &Resolver, ty: &Ty) -> Vec<Ty> {
        members::linearization(rx, ty)
    }

    fn member_fallback(&self, rx: &Resolver, file: &FileView, reference: RefId, receiver: &Ty) -> Resolution {
        let name = file.ref_name(reference);
        if receiver.is_unknown()
            && let Some(made) = pytest::receiver_type(rx, file, reference)
        {
            let found: Vec<Member> =
                made.parts().iter().flat_map(|p| members::members(rx, p, name)).collect();
            return match found.first() {
                Some(first) => Resolution {
                    reason: Reason::ByNameOnly,
                    ..Resolution::of(first.target(), Confidence::NameOnly)
                },
                None => members::fallback(rx, name, &made),
            };
        }
        members::fallback(rx, name, receiver)
    }

    fn choose(&self, _rx: &Resolver, _file: &FileView, _reference: RefId, found: &[Member]) -> Resolution {
        match found {
            [] => Resolution::unknown(Reason::NotFound),
            [first, ..] => Resolution {
                targets: found.iter().map(Member::target).collect(),
                confidence: first.confidence,
                reason: Reason::None,
            },
        }
    }

    fn def_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        values::def_type(rx, def)
    }

    fn return_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        values::return_type(rx, def)
    }

    fn type_expr(&self, rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
        annotations::type_expr(rx, file, ty)
    }

    fn expr(&self, rx: &Resolver, file: &FileView, id: ExprId, expr: Expr) -> Option<Ty> {
        match expr {
            Expr::Yield(value) => Some(values::received(rx, file, id, value)),
            _ => values::expr(rx, file, expr),
        }
    }

    fn literal(&self, rx: &Resolver, _file: &FileView, literal: Literal) -> Ty {
        values::literal(rx, literal)
    }

    fn super_of(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        let in_class_method = file
            .enclosing_function(scope)
            .is_some_and(|f| file.has_flag(f, DefFlags::CLASS_METHOD) || file.def_name(f) == "__new__");
        members::super_value(match rx.enclosing_instance(file, scope) {
            Ty::Instance(def, args) if in_class_method => Ty::Class(def, args),
            other => other,
        })
    }

    fn binary(&self, rx: &Resolver, file: &FileView, op: BinaryOp, left: &Ty, right: &Ty) -> Ty {
        values::binary(rx, file, op, left, right)
    }

    fn unary(&self, rx: &Resolver, _file: &FileView, op: UnaryOp, value: &Ty) -> Ty {
        match op {
            UnaryOp::Not => Ty::instance(library::known(rx).bool),
            _ => value.clone(),
        }
    }

    fn expected(&self, rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
        values::expected(rx, file, expr)
    }

    fn argument_type(&self, rx: &Resolver, file: &FileView, call: ExprId, _: u32, argument: ExprId) -> Ty {
        values::argument_type(rx, file, call, argument)
    }

    fn has_shapes(&self) -> bool {
        true
    }

    fn is_shape(&self, rx: &Resolver, class: GlobalDef) -> bool {
        rx.def(class).kind == SymbolKind::Interface || library::is_typed_dict(rx, class)
    }

    fn named_by_text(
        &self,
        rx: &Resolver,
        file: &FileView,
        members: &[GlobalDef],
        name: &str,
        around: (&str, &str),
    ) -> bool {
        super::refactor::named_by_text(rx, file, members, name, around)
    }

    fn lists_name(&self, rx: &Resolver, file: &FileView, members: &[GlobalDef], at: u32) -> bool {
        super::refactor::is_listed(rx, file, members, at)
    }

    /// The definitions of a name in one scope are one symbol: overloads, property accessors, alternatives.
    fn same_symbol(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        // Inside a function a later definition is another one.
        if d.flags.has(DefFlags::LOCAL) && file.scope(d.scope).kind == ScopeKind::Function {
            return vec![def];
        }
        if matches!(d.kind, SymbolKind::Import | SymbolKind::Parameter) || d.flags.has(DefFlags::ANONYMOUS) {
            return vec![def];
        }
        let mut all: Vec<DefId> = file
            .in_scope(d.scope, d.name)
            .iter()
            .copied()
            .filter(|o| file.def(*o).kind != SymbolKind::Import)
            .collect();
        let weak = DefFlags::ATTRIBUTE.0 | DefFlags::HOISTED.0 | DefFlags::NOT_BUILT.0;
        all.sort_by_key(|o| file.def(*o).flags.0 & weak != 0);
        all.into_iter().map(|o| file.global(o)).collect()
    }

    /// An attribute that its class, or a base, declares with a type elsewhere, or as a method, is that.
    fn declared_as(&self, rx: &Resolver, def: GlobalDef) -> Resolution {
        let d = rx.def(def);
        if let Some(fixture) = pytest::of_parameter(rx, def) {
            return Resolution::of(Target::Def(fixture), Confidence::Inferred);
        }
        if d.flags.has(DefFlags::ATTRIBUTE)
            && d.ty.is_none()
            && let Some(class) = rx.owner_class(def)
            && let found = members::members(rx, &rx.self_type(class), rx.def_name(def))
            && let Some(declared) = found.first().and_then(Member::def)
        {
            return Resolution::def(declared);
        }
        Resolution::def(def)
    }

    /// The name that its decorator gives to a fixture.
    fn other_names(&self, rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
        pytest::given_name(rx.file(def.file), def.def).map(Arc::from).into_iter().collect()
    }

    fn renamed_with(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let mut all = rx.default_renamed_with(def);
        all.extend(pytest::overriding(rx, def));
        all
    }

    /// The parameters that a fixture fills.
    fn used_indirectly(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        pytest::parameters_of(rx, def)
    }

    fn name_problem(
        &self,
        rx: &Resolver,
        def: GlobalDef,
        new_name: &str,
        _used_in: &[FileId],
    ) -> Option<String> {
        let is_mangled = |name: &str| name.starts_with("__");
        let changes = is_mangled(new_name) != is_mangled(rx.def_name(def));
        if changes && rx.member_owner(def).is_some() {
            return Some("changes whether the language hides the member from other classes".to_owned());
        }
        super::stars::hides(rx, def, new_name)
    }

    fn import_works_unnamed(&self, rx: &Resolver, file: &FileView, import: ImportId) -> bool {
        super::refactor::import_works_unnamed(rx, file, import)
    }

    fn place(&self) -> Place {
        Place::Path
    }

    fn module_name(
        &self,
        rx: &Resolver,
        like: &FileView,
        importer: &str,
        module: &str,
    ) -> Result<String, String> {
        super::refactor::module_name(rx, like, importer, module)
    }

    fn import_problems(&self, rx: &Resolver, file: FileId) -> Vec<String> {
        super::refactor::import_problems(rx, file)
    }

    fn module_path(
        &self,
        rx: &Resolver,
        written: &str,
        importer: (&str, &str),
        target: (&str, &str),
    ) -> Option<String> {
        let new = modules::moved(written, importer.1, target)?;
        // Dots lead to nothing outside of the importer's package.
        let (from, to) = [importer.1, target.1].map(|path| modules::modules(rx).name_of(path)).into();
        let is_near = from.split('.').next() == to.split('.').next();
        Some(if written.starts_with('.') && !is_near { to } else { new })
    }

    fn qualified_name(&self, rx: &Resolver, def: GlobalDef) -> Option<String> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.flags.has(DefFlags::LOCAL) {
            return None;
        }
        let mut parts: Vec<String> = vec![file.name(d.name).to_owned()];
        let mut scope = d.scope;
        while let Some(owner) = file.enclosing_def(scope) {
            parts.push(file.def_name(owner).to_owned());
            scope = file.def(owner).scope;
        }
        parts.push(modules::modules(rx).name_of(&file.path));
        parts.reverse();
        Some(parts.join("."))
    }

    fn by_qualified_name(&self, rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>> {
        let wanted = name.replace('#', ".");
        let segments: Vec<&str> = wanted.split('.').collect();
        let is_name = |s: &str| !s.is_empty() && !s.contains(|c: char| !(c.is_alphanumeric() || c == '_'));
        if segments.len() < 2 || !segments.iter().all(|s| is_name(s)) {
            return Err(["pkg.mod.Class", "pkg.mod.func", "pkg.mod.Class.method", "pkg.mod.Class#method"]
                .map(str::to_owned)
                .to_vec());
        }
        let last = segments[segments.len() - 1];
        let sites = rx.world().declarations(last);
        let named: Vec<(GlobalDef, String)> = sites
            .iter()
            .filter(|site| rx.language_of(site.at) == ide_model::Language::Python)
            .filter_map(|site| Some((site.at, self.qualified_name(rx, site.at)?)))
            .collect();
        let exact: Vec<GlobalDef> = named.iter().filter(|(_, q)| *q == wanted).map(|(d, _)| *d).collect();
        if !exact.is_empty() {
            return Ok(exact);
        }
        let passed_on = self.passed_on(rx, &segments);
        if !passed_on.is_empty() {
            return Ok(passed_on);
        }
        let tail = format!(".{wanted}");
        Ok(named.into_iter().filter(|(_, q)| q.ends_with(&tail)).map(|(d, _)| d).collect())
    }

    fn root_type(&self) -> Option<&'static str> {
        Some("builtins.object")
    }

    fn overrides(&self, rx: &Resolver, _of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
        let name = rx.def_name(method);
        let is_private = name.starts_with("__") && !name.ends_with("__");
        !is_private && name == rx.def_name(base)
    }

    /// A method's assignment to its object overrides nothing that the class declares.
    fn implements(&self, rx: &Resolver, _of: GlobalDef, below: GlobalDef) -> bool {
        let d = rx.def(below);
        d.kind != SymbolKind::Field || !d.flags.has(DefFlags::ATTRIBUTE)
    }

    fn runs_when_made(&self, rx: &Resolver, method: GlobalDef) -> bool {
        let is_maker = matches!(rx.def_name(method), "__init__" | "__new__");
        is_maker && rx.def(method).kind == SymbolKind::Method
    }

    fn annotations_run(&self) -> bool {
        true
    }

    /// A use of the parameter for the receiver names the method.
    fn only_in(&self, rx: &Resolver, def: GlobalDef) -> Option<Vec<FileId>> {
        self.default_only_in(rx, def).or_else(|| {
            let file = rx.file(def.file);
            let function = file.enclosing_function(file.def(def.def).scope)?;
            let f = file.def(function);
            let is_receiver = file.list(f.params).next() == Some(def.def)
                && rx.owner_class(file.global(function)).is_some()
                && (!f.flags.has(DefFlags::STATIC) || f.flags.has(DefFlags::CLASS_METHOD))
                && !f.flags.has(DefFlags::ANONYMOUS);
            is_receiver.then(|| rx.world().files_mentioning(file.def_name(function)))
        })
    }

    fn keywords_name_parameters(&self) -> bool {
        true
    }

    /// Modules give what stands at their top.
    fn may_be_renamed(&self, rx: &Resolver, def: GlobalDef) -> bool {
        rx.def(def).scope == ScopeId(0)
    }

    /// A declaration for where an import of the same name fails.
    fn has_unseen_uses(&self, rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        let is_import = |other: &DefId| file.def(*other).kind == SymbolKind::Import;
        let named = file.in_scope(d.scope, d.name);
        // Mostly there are more imports than things of one name.
        let is_of_name = |import: DefId| (file.def(import).scope, file.def(import).name) == (d.scope, d.name);
        let has_import = || match named.len() > file.imports.len() {
            true => file.imports.iter().filter_map(|import| import.def).any(is_of_name),
            false => named.iter().any(is_import),
        };
        (d.kind != SymbolKind::Import && has_import()).then_some(ANOTHER_BUILD)
    }
}

impl Python {
    /// The declaration that a module passes on under a qualified name: `pkg.Class` for a class that lies in
    /// `pkg.mod`.
    fn passed_on(&self, rx: &Resolver, segments: &[&str]) -> Vec<GlobalDef> {
        let modules = modules::modules(rx);
        for split in (1..segments.len()).rev() {
            let Module::File(file) = modules.below_roots(rx, &segments[..split].join(".")) else { continue };
            let mut target = modules::module_member(rx, &Module::File(file), segments[split], None);
            for member in &segments[split + 1..] {
                let Some(found) = target.take() else { break };
                let through = rx.through_imports(Resolution::exact(found));
                let ty = through.targets.first().map_or(Ty::Unknown, |t| rx.default_target_type(t));
                target = members::members(rx, &ty, member).first().map(Member::target);
            }
            let found: Vec<GlobalDef> =
                target.map(|t| rx.through_imports(Resolution::exact(t)).defs().collect()).unwrap_or_default();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}

/// Whether a reference is looked up while the code of its file runs from top to bottom: code of functions runs later, and
/// so do types in strings, all types of stubs, and those of a file that puts them off.
fn runs_with_file(file: &FileView, reference: &Ref) -> bool {
    let is_late = reference.flags.has(RefFlags::IN_STRING)
        || file.path.ends_with(".pyi")
        || reference.role == Role::Type && flow::index(file).puts_types_off(file);
    !is_late && !file.scope_chain(reference.scope).any(|s| file.scope(s).kind == ScopeKind::Function)
}
