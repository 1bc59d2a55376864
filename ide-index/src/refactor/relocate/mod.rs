//! A declaration goes to another file, or a static member to another type, with all that uses it.
//!
//! A declaration that stands alone in its file takes the file along. Where files of one namespace or package see each
//! other, a declaration that goes to another one is cut out into a file of its own, that file is moved like any file,
//! and what it holds is put into the file that is there already; each step is planned on the world that the one
//! before leaves, and proved there. Where a file is a module of its own, the one step from file to file does all of
//! it.

mod barrels;
mod importers;
mod member;
mod new_module;
mod order;
mod overlay;
mod paste;
mod shift;
mod shown;
mod texts;

use ide_model::{
    Conflict, ConflictKind, EditPlan, FilePath, MoveTo, QueryError, Refactored, Symbol, SymbolKind,
};

use self::overlay::Overlay;
use super::included::is_included;
use super::members::Declarations;
use super::namespace::is_at_top;
use super::scene::Scene;
use super::{RefactorContext, conflict, in_library, move_file};
use crate::facts::DefFlags;
use crate::lang;
use crate::query::definition::definition_of;
use crate::resolve::Place;
use crate::world::GlobalDef;

/// Plans that a declaration goes elsewhere; see [`ide_model::Refactoring::MoveSymbol`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a resolver.
pub(super) fn relocate(
    ctx: &RefactorContext<'_>,
    symbol: &Symbol,
    to: MoveTo<'_>,
) -> Result<Refactored, QueryError> {
    if !lang::has_policy(symbol.language) {
        return Err(QueryError::Unsupported {
            query: "moving declarations",
            language: Some(symbol.language),
            supported: lang::with_policy(),
        });
    }
    let (_, def) = ctx.pool.with(|rx| definition_of(rx, symbol))?;
    let Some(def) = def else {
        return Ok(refused(format!("`{}` is a file; ide_move_file moves it", symbol.name)));
    };
    if let Some(conflict) = in_library(ctx, def.file, &symbol.name) {
        return Ok(Refactored { conflicts: vec![conflict], ..Refactored::default() });
    }
    if let MoveTo::Type(class) = to {
        let (_, class) = ctx.pool.with(|rx| definition_of(rx, class))?;
        return match class {
            Some(class) => member::to_type(ctx, def, class),
            None => Ok(refused("the target is a file, not a type".to_owned())),
        };
    }
    let (is_top, name) = ctx.pool.with(|rx| (is_at_top(rx, def), rx.shared_name(def)));
    if !is_top {
        let message =
            format!("`{name}` is not declared at the top of a file; static members go to a `targetClass`");
        return Ok(refused(message));
    }
    if ctx.pool.with(|rx| rx.def(def).receiver.is_some() && !rx.def(def).flags.has(DefFlags::EXTENSION)) {
        return Ok(refused(format!(
            "`{name}` is a method: it lies in the package of its type, and goes with it"
        )));
    }
    let path = match to {
        MoveTo::File(path) => path.clone(),
        MoveTo::Directory(folder) => in_directory(ctx, def, folder),
        MoveTo::Type(_) => unreachable!("handled above"),
    };
    let mut planned = to_file(ctx, def, &path)?;
    let not_loaded = |path: &FilePath| ctx.pool.with(|rx| rx.policy_of(def).not_loaded(rx, def, path));
    if let Some(why) = not_loaded(&path) {
        let is_new = ctx.pool.world().file_by_path(path.as_str()).is_none();
        let is_type = ctx.pool.with(|rx| rx.kind(def).is_type());
        // Nobody loads a function when it is called.
        if not_loaded(&ctx.path(def.file)).is_none() || !is_type && !is_included(ctx, &path)? {
            planned.conflicts.push(conflict(ConflictKind::Form, why, None));
        } else if is_new {
            planned.warnings.push(why);
        }
    }
    Ok(planned)
}

fn refused(message: String) -> Refactored {
    Refactored { conflicts: vec![conflict(ConflictKind::Form, message, None)], ..Refactored::default() }
}

/// Why a variable that a statement declares cannot go without it: the statement does something else too, or the variable
/// tells of the module that it stands in.
fn by_statement(ctx: &RefactorContext<'_>, def: GlobalDef) -> Result<Option<String>, QueryError> {
    let scene = Scene::open(ctx, def.file)?;
    let (syntax, d) = (&scene.syntax, scene.view.def(def.def));
    let name = scene.view.def_name(def.def);
    if d.kind.is_type() || d.kind.is_callable() || !syntax.shape.by_indent {
        return Ok(None);
    }
    if name.starts_with("__") && name.ends_with("__") {
        return Ok(Some(format!("`{name}` tells of the module that it stands in")));
    }
    const OTHERS: &str = "with_statement for_statement while_statement match_statement try_statement";
    let mut around = syntax.ancestors(syntax.around(d.name_range));
    Ok(around
        .any(|id| syntax.is_in(id, OTHERS))
        .then(|| format!("`{name}` is declared by a statement that does something else too")))
}

/// The file of a directory that a declaration goes to: one called like it where the language asks for that, else one
/// called like the file that it comes from.
fn in_directory(ctx: &RefactorContext<'_>, def: GlobalDef, folder: &FilePath) -> FilePath {
    let from = ctx.path(def.file);
    let file = from.file_name();
    let ending = file.split_once('.').map_or("", |(_, ending)| ending);
    let own = ctx
        .pool
        .with(|rx| rx.policy_of(def).names_its_file(rx, def).then(|| rx.shared_name(def).to_string()));
    let file = own.map_or_else(|| file.to_owned(), |name| format!("{name}.{ending}"));
    let folder = folder.as_str().trim_end_matches('/');
    if folder.is_empty() || folder == "." {
        FilePath::new(file)
    } else {
        FilePath::new(format!("{folder}/{file}"))
    }
}

/// Declarations that go together: what is one symbol, and what belongs to a type.
fn together(ctx: &RefactorContext<'_>, def: GlobalDef) -> Vec<GlobalDef> {
    ctx.pool.with(|rx| {
        let policy = rx.policy_of(def);
        let mut all = vec![def];
        let same = policy
            .same_symbol(rx, def)
            .into_iter()
            .filter(|other| other.file == def.file && is_at_top(rx, *other));
        all.extend(same.filter(|other| *other != def));
        if rx.def(def).kind.is_type() {
            all.extend(policy.belongs_to(rx, def));
        }
        all
    })
}

fn to_file(ctx: &RefactorContext<'_>, def: GlobalDef, to: &FilePath) -> Result<Refactored, QueryError> {
    let from = ctx.path(def.file);
    let name = ctx.pool.with(|rx| rx.shared_name(def));
    let title = format!("move {name} to {to}");
    if *to == from {
        return Ok(refused(format!("`{name}` is declared in `{to}` already")));
    }
    if ide_model::Language::of_path(to.as_str()).map(ide_model::Language::family)
        != Some(ctx.pool.with(|rx| rx.language_of(def)).family())
    {
        return Ok(refused(format!("{to} is not a file of the same language")));
    }
    if let Some(message) = must_be_called(ctx, def, &from, to) {
        return Ok(refused(message));
    }
    if let Some(message) = by_statement(ctx, def)? {
        return Ok(refused(message));
    }
    let is_conditional = ctx.pool.with(|rx| {
        let at = rx.world().file_by_path(to.as_str());
        let policy = rx.policy_of(def);
        at.is_some_and(|at| policy.is_conditional(rx, at) && !policy.is_conditional(rx, def.file))
    });
    if is_conditional {
        return Ok(refused(format!("{to} is compiled under a condition only, and {from} is not")));
    }
    let there = match ctx.pool.world().file_by_path(to.as_str()) {
        Some(there) => (ctx.text)(there)?.text.to_string(),
        None => String::new(),
    };
    let condition = lang::places::condition(to.as_str(), &there);
    if condition != lang::places::condition(from.as_str(), &(ctx.text)(def.file)?.text) {
        return Ok(refused(format!("other builds have {to} than {from}")));
    }
    let roots = together(ctx, def);
    let place = ctx.pool.with(|rx| rx.policy(rx.file(def.file)).place());
    let exists = ctx.pool.world().file_by_path(to.as_str()).is_some();
    if !exists && place != Place::Tree && is_all(ctx, &roots)? {
        let mut planned = move_file::move_file(ctx, &from, to, None)?;
        planned.plan.title.clone_from(&title);
        if planned.conflicts.iter().all(|conflict| conflict.kind.is_doubt()) {
            let mut overlay = Overlay::new(ctx);
            overlay.take(&planned.plan)?;
            planned.landmarks = overlay.landmarks(to, &root_names(ctx, &roots))?;
        }
        return Ok(planned);
    }
    if !exists && place == Place::Tree {
        return new_module::to_new_module(ctx, def, to, &title);
    }
    if matches!(place, Place::Path | Place::Tree) || is_one_namespace(ctx, def, to)? {
        return shift::shift(ctx, &roots, to, &title);
    }
    by_way_of_a_file(ctx, &roots, to, &title)
}

/// Whether a file declares nothing but these.
fn is_all(ctx: &RefactorContext<'_>, roots: &[GlobalDef]) -> Result<bool, QueryError> {
    let file = roots[0].file;
    let text = (ctx.text)(file)?;
    let declarations = Declarations::read(ctx, file, &text.text)?;
    let own: Vec<_> = roots.iter().filter_map(|root| declarations.extent(ctx, *root).ok()).collect();
    let is_own = |range: &ide_model::TextRange| own.iter().any(|extent| extent.range.encloses(*range));
    Ok(declarations.outermost().all.iter().all(is_own))
}

/// A type that gives its file its name must find a file of its name; so must one that everyone sees.
fn must_be_called(
    ctx: &RefactorContext<'_>,
    def: GlobalDef,
    from: &FilePath,
    to: &FilePath,
) -> Option<String> {
    let stem = |path: &FilePath| path.file_name().split('.').next().unwrap_or("").to_owned();
    ctx.pool.with(|rx| {
        let name = rx.shared_name(def);
        let names_it = rx.policy_of(def).names_its_file(rx, def);
        let is_seen = rx.def(def).visibility == Some(ide_model::Visibility::Public);
        (names_it && (stem(from) == *name || is_seen) && stem(to) != *name)
            .then(|| format!("the file must be named after the type `{name}`: {to} is not"))
    })
}

/// Whether what is declared in a file would be declared in the same namespace at another path.
fn is_one_namespace(ctx: &RefactorContext<'_>, def: GlobalDef, to: &FilePath) -> Result<bool, QueryError> {
    let view = ctx.pool.with(|rx| rx.shared_file(def.file));
    let own = view.package.map_or("", |package| view.name(package));
    let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    if let Some(id) = ctx.pool.world().file_by_path(to.as_str()) {
        let there = ctx.pool.with(|rx| rx.shared_file(id));
        let same = there.package.map_or("", |package| there.name(package)) == own;
        let is_directory = ctx.pool.with(|rx| rx.policy(&view).place()) == Place::Package;
        return Ok(same && (!is_directory || folder(&view.path) == folder(to.as_str())));
    }
    Ok(folder(&view.path) == folder(to.as_str()))
}

/// Cut out into a file of its own, which is moved, and put into the one that is there.
fn by_way_of_a_file(
    ctx: &RefactorContext<'_>,
    roots: &[GlobalDef],
    to: &FilePath,
    title: &str,
) -> Result<Refactored, QueryError> {
    let mut overlay = Overlay::new(ctx);
    let exists = ctx.pool.world().file_by_path(to.as_str()).is_some();
    let from = ctx.path(roots[0].file);
    let mut at = from.clone();
    if !is_all(ctx, roots)? {
        at = unused_path(ctx, &from, to);
        let step = shift::shift(ctx, roots, &at, title)?;
        if stops(&step) {
            return Ok(overlay.told(step.conflicts, title));
        }
        overlay.take(&step.plan)?;
    }
    let target = if exists { unused_path(ctx, to, &at) } else { to.clone() };
    let step = overlay.with(|ctx| move_file::move_file(ctx, &at, &target, exists.then_some(to)))?;
    if stops(&step) {
        return Ok(overlay.told(step.conflicts, title));
    }
    overlay.take(&step.plan)?;
    if exists {
        let names = root_names(ctx, roots);
        let step = overlay.with(|ctx| {
            let found = roots_again(ctx, &target, &names)?;
            shift::shift(ctx, &found, to, title)
        })?;
        if stops(&step) {
            return Ok(overlay.told(step.conflicts, title));
        }
        overlay.take(&step.plan)?;
    }
    let landmarks = overlay.landmarks(to, &root_names(ctx, roots))?;
    Ok(Refactored { plan: overlay.plan(title)?, landmarks, ..Refactored::default() })
}

/// Whether nothing goes on from here.
fn stops(step: &Refactored) -> bool {
    !step.conflicts.is_empty()
}

/// The name of a declaration, and what it is.
type RootName = (String, SymbolKind);

fn root_names(ctx: &RefactorContext<'_>, roots: &[GlobalDef]) -> Vec<RootName> {
    ctx.pool
        .with(|rx| roots.iter().map(|def| (rx.shared_name(*def).to_string(), rx.def(*def).kind)).collect())
}

/// The declarations that a file was made for.
fn roots_again(
    ctx: &RefactorContext<'_>,
    path: &FilePath,
    names: &[RootName],
) -> Result<Vec<GlobalDef>, QueryError> {
    let file = crate::query::file_id(&**ctx.pool.world(), path)?;
    let found: Vec<GlobalDef> = ctx.pool.with(|rx| {
        let view = rx.file(file);
        let is_it = |def: &GlobalDef| {
            let key = (rx.shared_name(*def).to_string(), rx.def(*def).kind);
            names.contains(&key) && is_at_top(rx, *def)
        };
        view.def_ids().map(|def| view.global(def)).filter(is_it).collect()
    });
    if found.is_empty() {
        return Err(QueryError::Failed { message: format!("there is nothing to move in {path}") });
    }
    Ok(found)
}

/// A path beside a file at which nothing lies.
fn unused_path(ctx: &RefactorContext<'_>, beside: &FilePath, other: &FilePath) -> FilePath {
    let folder = beside.as_str().strip_suffix(beside.file_name()).unwrap_or_default();
    let name = beside.file_name();
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    // The end of a name that means something to a build stays its end.
    let (stem, tail) = stem.strip_suffix("_test").map_or((stem, ""), |stem| (stem, "_test"));
    let paths = (1..).map(|n| FilePath::new(format!("{folder}{stem}Moved{n}{tail}.{ending}")));
    let is_free = |path: &FilePath| path != other && ctx.pool.world().file_by_path(path.as_str()).is_none();
    paths.into_iter().find(is_free).expect("numbers do not end")
}

/// A plan that is not to be carried out.
fn told(conflicts: Vec<Conflict>, title: &str) -> Refactored {
    Refactored { plan: EditPlan::new(title), conflicts, ..Refactored::default() }
}
