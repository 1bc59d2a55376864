//! Breaks code that compiles, one place at a time, and counts what the checks find of it: `detect TREE [COUNT]`. Each change
//! is one that no compiler takes: a member or function is called by a name that nobody has, an argument is left out, an import
//! is taken away, a method that an interface asks for is taken away.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a program for people, with files")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::resolve::{FileView, Resolver};
use ide_index::{Expr, ExprId, FileId, LayeredWorld, MemoryWorld, Role, World, is_configuration, lang};
use ide_model::{Cx, Language, Stop, TextRange};

/// A change: what is broken, and the range that gets another text.
type Change = (&'static str, TextRange, String);

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let count: usize = args.get(2).map_or(200, |count| count.parse().expect("a number"));
    let mut files = Vec::new();
    read_tree(Path::new(&args[1]), "", &mut files);
    let texts: BTreeMap<String, String> = files.iter().cloned().collect();
    let world = Arc::new(MemoryWorld::new(files, lang::front_end));
    let pool = Resolvers::new(world.clone());
    let layered = Arc::new(LayeredWorld::new(world.clone(), []));
    let rx = Resolver::new(layered);
    let mut all: BTreeMap<&str, Vec<(FileId, Change)>> = BTreeMap::new();
    for id in (0..world.file_count()).map(FileId) {
        let Some(language) = world.file(id).language.filter(|l| lang::has_policy(*l)) else { continue };
        if lang::own_front_end(language).is_none() {
            continue;
        }
        let view = rx.file(id);
        for change in changes(&rx, view, &texts[world.file(id).path.as_str()]) {
            all.entry(change.0).or_default().push((id, change));
        }
    }
    for (kind, places) in all {
        let step = (places.len() / count).max(1);
        let (mut tried, mut found) = (0, 0);
        for (id, (_, range, new)) in places.iter().step_by(step).take(count) {
            let path = &world.file(*id).path;
            let mut text = texts[path.as_str()].clone();
            let before = problems(&pool, path, &text);
            text.replace_range(range.start as usize..range.end as usize, new);
            let language = world.file(*id).language.expect("a language");
            let facts = lang::own_front_end(language).expect("a front end").facts(path.as_str(), &text);
            if !facts.errors.is_empty() {
                continue;
            }
            tried += 1;
            let changed = Resolvers::new(world.clone()).knowing([(*id, facts)]);
            found += usize::from(problems(&changed, path, &text) > before);
        }
        println!(
            "{kind}: {found} of {tried} found ({:.0} %)",
            100.0 * f64::from(found as u32) / f64::from(tried.max(1))
        );
    }
}

fn problems(pool: &Resolvers, path: &ide_model::FilePath, text: &str) -> usize {
    let stop = Stop::new();
    let found = query::diagnostics(pool, Cx::new(&stop), path, text).expect("an answer");
    found.iter().filter(|problem| problem.code != "unused-import").count()
}

/// Changes of a file that its compiler would refuse.
fn changes(rx: &Resolver, file: &FileView, text: &str) -> Vec<Change> {
    let mut all = Vec::new();
    for id in file.written_refs() {
        let r = file.reference(id);
        let resolved = rx.resolve(file.global_ref(id)).resolution;
        let is_known = resolved.confidence.is_certain() && resolved.defs().next().is_some();
        if r.role == Role::Call
            && is_known
            && text.get(r.range.start as usize..r.range.end as usize) == Some(file.ref_name(id))
        {
            let kind = if r.receiver.is_some() { "member misspelt" } else { "function misspelt" };
            all.push((kind, TextRange::new(r.range.start, r.range.start), "zq".to_owned()));
        }
    }
    for id in (0..file.exprs.len() as u32).map(ExprId) {
        let Expr::Call { callee, args, .. } = file.expr(id) else { continue };
        let args: Vec<ExprId> = file.list(args).collect();
        let Some(name) = rx.expr_ref(file, callee) else { continue };
        let resolved = rx.resolve(file.global_ref(name)).resolution;
        let takes = resolved.defs().next().is_some_and(|def| {
            let view = rx.file(def.file);
            let params: Vec<_> = view.list(view.def(def.def).params).collect();
            rx.kind(def).is_callable()
                && resolved.targets.len() == 1
                && params.len() >= args.len()
                && params.iter().all(|p| view.def(*p).init.is_none())
        });
        let behind = text.get(file.reference(name).range.end as usize..).unwrap_or("");
        if let ([_], true) = (&args[..], takes && behind.starts_with('(') && resolved.confidence.is_certain())
        {
            let start = file.reference(name).range.end + 1;
            let end =
                behind.find([')', '(', '"', '\'']).filter(|at| behind[*at..].starts_with(')') && *at > 1);
            if let Some(end) = end.filter(|end| !behind[..*end].contains(',')) {
                let end = file.reference(name).range.end + end as u32;
                all.push(("argument left out", TextRange::new(start, end), String::new()));
            }
        }
    }
    for import in &file.imports {
        let Some(def) = import.def else { continue };
        let name = file.def_name(def);
        let is_used = file.written_refs().any(|r| {
            let r = file.reference(r);
            r.receiver.is_none()
                && file.name(r.name) == name
                && !matches!(r.role, Role::Import | Role::Package)
        });
        let at = file.def(def).name_range.start as usize;
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let is_own =
            rx.through_imports(ide_index::resolve::Resolution::def(file.global(def))).defs().next().is_some();
        let line = &text[start..end];
        if is_used
            && is_own
            && !line.contains(',')
            && !line.contains('{')
            && (line.starts_with("import") || line.starts_with("from") || line.starts_with("use "))
        {
            all.push(("import taken away", TextRange::new(start as u32, end as u32), String::new()));
        }
    }
    all
}

fn read_tree(dir: &Path, prefix: &str, into: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(dir).expect("a directory").map(|e| e.expect("entry")) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let kind = entry.file_type().expect("type");
        if kind.is_dir() && !name.starts_with('.') && name != "node_modules" && name != "target" {
            read_tree(&entry.path(), &path, into);
        } else if kind.is_file()
            && (Language::of_path(&path).is_some() || is_configuration(&path))
            && let Ok(text) = std::fs::read_to_string(entry.path())
            && text.len() < 300_000
        {
            into.push((path, text));
        }
    }
}
