//! The exports of a module, by either module system.

use ide_model::{Confidence, Language, SymbolKind};
use smallvec::SmallVec;

use super::ambient::Ambient;
use super::blocks::Blocks;
use super::paths::Paths;
use super::policy::{EcmaPolicy, MAX_HOPS};
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, Import, ImportFlags, ImportKind, Ref, RefFlags, RefId, Role, ScopeId,
    TypeExpr,
};
use crate::resolve::{FileView, Member, Policy, Reason, Resolution, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

const EXTENSIONS: &[&str] = &[".d.ts", ".tsx", ".ts", ".jsx", ".mjs", ".cjs", ".js", ".mts", ".cts"];

/// The two spaces of names.
pub(super) fn has_type_meaning(kind: SymbolKind) -> bool {
    kind.is_type()
        || matches!(
            kind,
            SymbolKind::TypeParameter | SymbolKind::Import | SymbolKind::Namespace | SymbolKind::Module
        )
}

pub(super) fn has_value_meaning(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Interface | SymbolKind::TypeAlias | SymbolKind::TypeParameter)
}

/// Whether a place cannot ask for this: constants hold no types, interfaces are no values.
pub(super) fn cannot_be_meant(reference: &Ref, kind: SymbolKind) -> bool {
    match reference.role {
        _ if reference.flags.has(RefFlags::TYPE_ONLY) => false,
        Role::Type => matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Function),
        Role::Read | Role::Call | Role::New => matches!(kind, SymbolKind::Interface),
        _ => false,
    }
}

/// Whether a place asks for this meaning of a name: type, value or namespace.
pub(super) fn is_meant(reference: &Ref, kind: SymbolKind) -> bool {
    match reference.role {
        _ if reference.flags.has(RefFlags::TYPE_ONLY) => true,
        // The head of a qualified type holds types.
        Role::Type if reference.flags.has(RefFlags::STATIC) => {
            matches!(kind, SymbolKind::Namespace | SymbolKind::Module | SymbolKind::Enum)
        }
        Role::Type | Role::Implements => {
            has_type_meaning(kind) && !matches!(kind, SymbolKind::Namespace | SymbolKind::Module)
        }
        Role::Read | Role::Write | Role::Call | Role::New => has_value_meaning(kind),
        _ => true,
    }
}

/// A member that is declared outside of the world.
pub(super) fn external(name: String) -> Member {
    Member { target: Target::External(name.into()), owner: Ty::Unknown, confidence: Confidence::Inferred }
}

impl EcmaPolicy {
    /// Why a declaration cannot be imported by its own name.
    pub(super) fn not_exported(rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
        let flags = rx.def(def).flags;
        if flags.has(DefFlags::DEFAULT_EXPORT) {
            return Some("is the default export of its module");
        }
        (!flags.has(DefFlags::EXPORTED)).then_some("is not exported where it is declared")
    }

    /// `export`, where a declaration at the top of a module has none. Scripts with `require` give away other things.
    pub(in crate::lang) fn word_of_export(rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
        let (file, flags) = (rx.file(def.file), rx.def(def).flags);
        let is_given = |def: &crate::facts::Def| {
            def.flags.has(DefFlags::EXPORTED) || def.flags.has(DefFlags::DEFAULT_EXPORT)
        };
        let is_module = || {
            file.language() == Language::TypeScript && file.exports.is_empty()
                || file.imports.iter().any(|import| !import.flags.has(ImportFlags::DYNAMIC))
                || file.def_ids().any(|def| is_given(file.def(def)))
        };
        let is_hidden = !flags.has(DefFlags::EXPORTED) && !flags.has(DefFlags::DEFAULT_EXPORT);
        (is_hidden && file.def(def.def).scope == ScopeId(0) && is_module()).then_some("export ")
    }

    pub(super) fn module_of(rx: &Resolver, file: &FileView, specifier: &str) -> Option<FileId> {
        let declared = if specifier.starts_with('.') { None } else { Ambient::of(rx).module(specifier) };
        let is_required = || {
            let is_dynamic = |import: &Import| import.flags.has(ImportFlags::DYNAMIC);
            !file.imports.is_empty() && file.imports.iter().all(is_dynamic) && !Self::is_ambient(file)
        };
        declared.or_else(|| Paths::of(rx).resolve_as(rx.world(), &file.path, specifier, is_required()))
    }

    /// The export of a module under a name.
    pub(super) fn exported(rx: &Resolver, module: FileId, name: &str, hops: usize) -> Resolution {
        if hops == 0 {
            return Resolution::unknown(Reason::Cut);
        }
        let file = rx.file(module);
        if let Some(export) = file.exports.iter().find(|e| file.name(e.name) == name) {
            return Self::export_value(rx, file, export.value);
        }
        let declared: SmallVec<[Target; 1]> = file
            .named_in_scope(ScopeId(0), name)
            .iter()
            .filter(|d| {
                file.has_flag(**d, DefFlags::EXPORTED)
                    || file.exports.is_empty()
                        && file.def(**d).kind != SymbolKind::Import
                        && (Self::is_ambient(file) || file.path.ends_with(".json"))
            })
            .map(|d| Target::Def(file.global(*d)))
            .collect();
        let declared = if declared.is_empty() { Self::in_declared_module(file, name) } else { declared };
        let declared = if declared.is_empty() {
            Blocks::declared(rx, module, name).into_iter().map(Target::Def).collect()
        } else {
            declared
        };
        if !declared.is_empty() {
            return Resolution { targets: declared, confidence: Confidence::Exact, reason: Reason::None };
        }
        for import in file.imports.iter().filter(|i| i.kind == ImportKind::ReExport) {
            let passed = import.exported_as.or_else(|| import.member.map(|m| file.reference(m).name));
            if passed.is_some_and(|n| file.name(n) == name)
                && let Some(member) = import.member
            {
                return Self::from_module(
                    rx,
                    file,
                    file.name(import.module),
                    file.ref_name(member),
                    hops - 1,
                );
            }
        }
        let mut outside = None;
        if name != "default" {
            for import in file.imports.iter().filter(|i| i.kind == ImportKind::ReExportStar) {
                let found = Self::from_module(rx, file, file.name(import.module), name, hops - 1);
                if found.reason == Reason::Library {
                    outside = Some(found);
                } else if !found.is_unknown() {
                    return found;
                }
            }
        }
        // `module.exports = value`: the members of the value, or the value as the default export.
        if let Some(export) = file.exports.iter().find(|e| file.name(e.name).is_empty()) {
            if name == "default" {
                return Self::whole_value(rx, file, export.value);
            }
            if let Some(found) = Self::member_given(rx, file, &rx.expr_type(file, export.value), name, hops) {
                return found;
            }
        }
        let is_given_out = |d: &DefId| {
            let to = file.def(*d).attach.map(|to| file.expr(to));
            matches!(to, Some(Expr::Ref(to)) if file.ref_name(to) == "exports")
        };
        let is_component = matches!(file.language(), Language::Vue | Language::Svelte | Language::Astro);
        if name == "default" && (is_component || file.attached().iter().any(is_given_out)) {
            return Resolution::exact(Target::Module(module));
        }
        let described = || Paths::described_by(rx.world(), &file.path);
        match outside {
            Some(outside) => outside,
            None => described().map_or_else(
                || Resolution::unknown(Reason::NotFound),
                |module| Self::exported(rx, module, name, hops - 1),
            ),
        }
    }

    /// A member of the value that a module gives out as a whole. The value may be made of what other modules give out, of
    /// which this may be one: `module.exports = Object.assign(module.exports, …)`.
    fn member_given(rx: &Resolver, file: &FileView, ty: &Ty, name: &str, hops: usize) -> Option<Resolution> {
        ty.parts().iter().find_map(|part| match part {
            Ty::Intersection(parts) => {
                let mut found =
                    parts.iter().filter_map(|part| Self::member_given(rx, file, part, name, hops));
                found.find(|found| found.defs().next().is_some())
            }
            Ty::Module(module) if *module == file.id => None,
            Ty::Module(module) => {
                let found = Self::exported(rx, *module, name, hops - 1);
                (!found.is_unknown()).then_some(found)
            }
            part => {
                EcmaPolicy.members(rx, file, part, name).first().map(|member| Self::shorthand(rx, member))
            }
        })
    }

    /// The export of a module as a whole (`module.exports = value`, `export = value`), else the module itself.
    pub(super) fn given_as_whole(rx: &Resolver, module: FileId) -> Resolution {
        let home = rx.file(module);
        match home.exports.iter().find(|export| home.name(export.name).is_empty()) {
            Some(whole) => Self::whole_value(rx, home, whole.value),
            None => Resolution::exact(Target::Module(module)),
        }
    }

    /// The value that is exported as a whole. An object that only passes on names of its module is no more than a
    /// list of them: the module is meant.
    fn whole_value(rx: &Resolver, file: &FileView, value: ExprId) -> Resolution {
        match file.expr(value) {
            Expr::Class(literal) if Self::is_list_of_names(file, literal) => {
                Resolution::exact(Target::Module(file.id))
            }
            _ => Self::export_value(rx, file, value),
        }
    }

    fn is_list_of_names(file: &FileView, literal: DefId) -> bool {
        let members = file.def(literal).body.map(|body| file.all_in_scope(body)).unwrap_or_default();
        !members.is_empty() && members.iter().all(|def| file.def(*def).flags.has(DefFlags::SYNTHETIC))
    }

    /// A member of a class or function that a module gives out as a whole, and beside it by that name:
    /// `module.exports = F; module.exports.name = …`.
    pub(super) fn given_out_with(rx: &Resolver, def: GlobalDef, name: &str) -> Vec<Member> {
        let file = rx.file(def.file);
        let whole = file.exports.iter().find(|e| file.name(e.name).is_empty());
        let Some(beside) =
            file.exports.iter().find(|e| file.name(e.name) == name).filter(|_| !name.is_empty())
        else {
            return Vec::new();
        };
        let is_it = |value| {
            Self::is_made_there(file, value, def.def)
                || Self::export_value(rx, file, value).targets.contains(&Target::Def(def))
        };
        if !whole.is_some_and(|whole| is_it(whole.value)) {
            return Vec::new();
        }
        Self::export_value(rx, file, beside.value).defs().map(Member::plain).collect()
    }

    /// The export of `declare module "specifier" { }` under a name; `None` where a file has no such module.
    fn given_by_declared(rx: &Resolver, file: &FileView, specifier: &str, name: &str) -> Option<Resolution> {
        let is_it = |d: &&DefId| file.def(**d).kind == SymbolKind::Module;
        let body = file.def(*file.named_in_scope(ScopeId(0), specifier).iter().find(is_it)?).body?;
        let given = file.exports.iter().filter(|export| {
            let scope = match file.expr(export.value) {
                Expr::Ref(reference) => file.reference(reference).scope,
                Expr::Value(def) | Expr::Function(def) | Expr::Class(def) => file.def(def).scope,
                _ => return false,
            };
            file.scope_chain(scope).any(|around| around == body)
        });
        let by_name = |wanted: &str| given.clone().find(|export| file.name(export.name) == wanted);
        let whole = || by_name("").filter(|_| name == "default");
        if let Some(export) = by_name(name).or_else(whole) {
            return Some(Self::export_value(rx, file, export.value));
        }
        let targets: SmallVec<[Target; 1]> =
            file.named_in_scope(body, name).iter().map(|d| Target::Def(file.global(*d))).collect();
        if targets.is_empty() {
            return Self::given_by_whole(rx, file, specifier, by_name("")?.value, name);
        }
        Some(Resolution { targets, confidence: Confidence::Exact, reason: Reason::None })
    }

    /// A member of what `export = value` gives out in `declare module "specifier" { }`: another module, a namespace, or the
    /// value's.
    fn given_by_whole(
        rx: &Resolver,
        file: &FileView,
        specifier: &str,
        value: ExprId,
        name: &str,
    ) -> Option<Resolution> {
        let Expr::Ref(reference) = file.expr(value) else { return None };
        let r = file.reference(reference);
        let named = file.in_scope(r.scope, r.name);
        if let Some(import) = named.iter().find_map(|def| file.def(*def).import) {
            let other = file.name(file.import(import).module);
            let module = Self::module_of(rx, file, other).filter(|_| other != specifier)?;
            return Some(Self::imported(rx, module, other, name));
        }
        let mut targets: SmallVec<[Target; 1]> = SmallVec::new();
        for def in named {
            match file.def(*def).body.filter(|_| file.def(*def).kind == SymbolKind::Namespace) {
                Some(body) => {
                    targets
                        .extend(file.named_in_scope(body, name).iter().map(|d| Target::Def(file.global(*d))));
                }
                None => {
                    let ty = rx.def_type(file.global(*def));
                    let members = ty.parts().iter().flat_map(|part| EcmaPolicy.members(rx, file, part, name));
                    targets.extend(members.map(|member| member.target()));
                }
            }
        }
        let found = Resolution { targets, confidence: Confidence::Exact, reason: Reason::None };
        Some(found).filter(|found| !found.targets.is_empty())
    }

    /// The export of an imported module under a name.
    pub(super) fn imported(rx: &Resolver, module: FileId, specifier: &str, name: &str) -> Resolution {
        let file = rx.file(module);
        let is_declared = !specifier.starts_with('.') && Self::is_ambient(file);
        let ambient = Ambient::of(rx);
        let blocks = ambient.blocks(specifier).iter().map(|block| rx.file(block.file));
        let mut blocks = std::iter::once(file).chain(blocks.filter(|other| other.id != module));
        let mut declared = || blocks.find_map(|block| Self::given_by_declared(rx, block, specifier, name));
        let declared = if is_declared { declared() } else { None };
        declared.unwrap_or_else(|| Self::exported(rx, module, name, MAX_HOPS))
    }

    /// The modules that a declaration file declares by `declare module "…" { }`.
    fn in_declared_module(file: &FileView, name: &str) -> SmallVec<[Target; 1]> {
        let modules =
            file.all_in_scope(ScopeId(0)).iter().filter(|d| file.def(**d).kind == SymbolKind::Module);
        let bodies = modules.filter_map(|d| file.def(*d).body);
        bodies
            .flat_map(|body| file.named_in_scope(body, name))
            .map(|d| Target::Def(file.global(*d)))
            .collect()
    }

    /// The target of a name that only passes on another; anything else is itself.
    pub(super) fn passed_on(rx: &Resolver, target: Target) -> SmallVec<[Target; 1]> {
        let through = Self::shorthand(rx, &Member::of(target.clone())).targets;
        let is_alias = matches!(&target, Target::Def(def) if rx.def(*def).kind == SymbolKind::TypeAlias);
        if through.len() == 1 || is_alias && !through.is_empty() {
            through
        } else {
            [target].into_iter().collect()
        }
    }

    /// A property written `{ name }` passes on what the name is, as `import name = N.M` does.
    pub(super) fn shorthand(rx: &Resolver, member: &Member) -> Resolution {
        if let Some(def) = member.def() {
            let file = rx.file(def.file);
            let d = file.def(def.def);
            if (d.flags.has(DefFlags::SYNTHETIC) || d.kind == SymbolKind::TypeAlias)
                && let Some(Expr::Ref(reference)) = d.init.map(|e| file.expr(e))
            {
                return rx.resolve(file.global_ref(reference)).resolution;
            }
        }
        Resolution::of(member.target(), member.confidence)
    }

    pub(super) fn is_ambient(file: &FileView) -> bool {
        super::front::is_declaration_file(&file.path)
    }

    pub(super) fn export_value(rx: &Resolver, file: &FileView, value: ExprId) -> Resolution {
        match file.expr(value) {
            Expr::Ref(reference) => {
                // `exports.name = …` declares the name itself.
                let own = file
                    .attached()
                    .iter()
                    .find(|d| file.def(**d).name_range == file.reference(reference).range);
                match own {
                    Some(def) => Self::assigned_export(rx, file, *def),
                    None => rx.resolve(file.global_ref(reference)).resolution,
                }
            }
            Expr::Value(def) => rx.through_imports(Resolution::def(file.global(def))),
            Expr::Function(def) => Resolution::def(file.global(Self::own_name(file, def).unwrap_or(def))),
            Expr::Class(def) => Resolution::def(file.global(def)),
            // A class expression.
            Expr::Type(ty) if let TypeExpr::Object(def) = file.ty(ty) => Resolution::def(file.global(def)),
            Expr::Assign { value, .. } => Self::export_value(rx, file, value),
            _ => Resolution::exact(Target::Module(file.id)),
        }
    }

    /// Whether a declaration of a file is what it gives out under a name.
    pub(super) fn is_exported_as(rx: &Resolver, file: &FileView, name: &str, def: GlobalDef) -> bool {
        let mut named = file.exports.iter().filter(|export| file.name(export.name) == name);
        named.any(|export| Self::export_value(rx, file, export.value).targets.contains(&Target::Def(def)))
    }

    /// The name that a function expression has for itself: `function name() { }`.
    fn own_name(file: &FileView, function: DefId) -> Option<DefId> {
        let around = file.scope(file.def(function).body?).parent?;
        let is_it = |def: &&DefId| {
            let d = file.def(**def);
            d.kind == SymbolKind::Function
                && d.init.is_some_and(|value| file.expr(value) == Expr::Function(function))
        };
        file.all_in_scope(around).iter().find(is_it).copied()
    }

    /// `exports.f = f` passes on what `f` is when that is a declaration of its own.
    pub(super) fn assigned_export(rx: &Resolver, file: &FileView, def: DefId) -> Resolution {
        let init = file.def(def).init.map(|e| (e, file.expr(e)));
        if let Some((_, Expr::Ref(reference))) = init
            && file.reference(reference).receiver.is_none()
        {
            let resolution = rx.resolve(file.global_ref(reference)).resolution;
            if resolution.defs().next().is_some() {
                return resolution;
            }
        }
        Resolution::def(file.global(def))
    }

    /// Whether an expression is the `exports` of `exports.name = value` that declares the name, and stands for nothing else.
    pub(super) fn declares_export(rx: &Resolver, file: &FileView, exports: ExprId) -> bool {
        let is_own = |def: &DefId| {
            let own = Target::Def(file.global(*def));
            file.def(*def).attach == Some(exports)
                && Self::assigned_export(rx, file, *def).targets[..] == [own]
        };
        file.attached().iter().any(is_own)
    }

    pub(super) fn from_module(
        rx: &Resolver,
        file: &FileView,
        specifier: &str,
        name: &str,
        hops: usize,
    ) -> Resolution {
        match Self::module_of(rx, file, specifier) {
            Some(module) => Self::exported(rx, module, name, hops),
            None => Resolution::external(format!("{specifier}#{name}")),
        }
    }

    /// The object literal that a required module gives out, if it is more than a list of names: the variable that holds it is
    /// what people mean.
    pub(super) fn required_object(rx: &Resolver, import: &Import, module: FileId) -> Option<ExprId> {
        let whole = import.kind == ImportKind::Module && import.flags.has(ImportFlags::DYNAMIC);
        let home = rx.file(module);
        let export = home.exports.iter().find(|e| whole && home.name(e.name).is_empty())?;
        // An object that is filled later goes by the variable that it is filled under.
        let Expr::Class(literal) = home.expr(export.value) else { return None };
        let body = home.def(literal).body?;
        let has_members = !home.all_in_scope(body).is_empty();
        (has_members && !Self::is_list_of_names(home, literal)).then_some(export.value)
    }

    /// `const x = require("x")`, `const x = require("x").y`. Of `const { x } = require("x")` the name is the module's, and
    /// `import x = require("x")` is an import like others.
    pub(super) fn is_required_variable(rx: &Resolver, def: GlobalDef) -> bool {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        let is_variable = d.init.is_some() && !d.flags.has(DefFlags::ANONYMOUS);
        let Some(import) = d.import.filter(|_| is_variable) else { return false };
        let import = file.import(import);
        let stands_behind = |member: RefId| file.reference(member).range.start > d.name_range.end;
        import.flags.has(ImportFlags::DYNAMIC) && import.member.is_none_or(stands_behind)
    }

    /// `path#name.member`.
    pub(super) fn full_name(rx: &Resolver, def: GlobalDef) -> Option<String> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.flags.has(DefFlags::LOCAL) || d.flags.has(DefFlags::ANONYMOUS) || d.kind == SymbolKind::Import {
            return None;
        }
        let mut parts = vec![file.def_name(def.def)];
        let mut scope = d.scope;
        while let Some(owner) = file.enclosing_def(scope) {
            parts.push(file.def_name(owner));
            scope = file.def(owner).scope;
        }
        // `Foo.prototype.bar = …` stands outside of `Foo`.
        let is_member = matches!(d.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field);
        if parts.len() == 1
            && is_member
            && let Some(owner) = rx.member_owner(def).filter(|owner| owner.file == def.file)
        {
            parts.push(file.def_name(owner.def));
        }
        parts.reverse();
        let path = EXTENSIONS.iter().find_map(|e| file.path.strip_suffix(e)).unwrap_or(&file.path);
        Some(format!("{path}#{}", parts.join(".")))
    }

    /// The meaning of `path#name.member`.
    pub(super) fn named_in_full(rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>> {
        let Some((path, symbol)) = name.rsplit_once('#').filter(|(p, s)| !p.is_empty() && !s.is_empty())
        else {
            return Err(vec![
                "src/service#createService".into(),
                "src/service#Service.start".into(),
                "src/app#default".into(),
            ]);
        };
        let path = path.trim_start_matches("./");
        let Some(module) = Paths::of(rx).resolve(rx.world(), "", &format!("./{path}")) else {
            return Ok(Vec::new());
        };
        let mut parts = symbol.split('.');
        let first = parts.next().unwrap_or(symbol);
        let exported = rx.through_imports(Self::exported(rx, module, first, MAX_HOPS));
        let mut found: Vec<GlobalDef> = exported.defs().collect();
        if found.is_empty() {
            found = rx.top_level(module, first);
        }
        for part in parts {
            found = found
                .into_iter()
                .flat_map(|owner| {
                    let file = rx.file(owner.file);
                    let ty = match rx.def(owner).kind {
                        kind if kind.is_type() || kind == SymbolKind::Namespace => Ty::instance(owner),
                        _ => rx.def_type(owner),
                    };
                    let mut members = EcmaPolicy.members(rx, file, &ty, part);
                    members.extend(EcmaPolicy.members(rx, file, &Ty::class(owner), part));
                    members.into_iter().filter_map(|m| m.def()).collect::<Vec<_>>()
                })
                .collect();
        }
        found.dedup();
        Ok(found)
    }
}
