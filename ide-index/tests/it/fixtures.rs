//! Runs the fixtures of every language through the real front ends, resolver and queries.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "reads its own fixtures")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::{FileId, MemoryWorld, World, lang};
use ide_model::{Access, Confidence, Cx, FilePath, QueryError, Stop, Symbol, Target};
use test_fixture::{Fixture, Found, Question, Role, Spot};

#[test]
fn every_fixture_holds() {
    let mut failed = Vec::new();
    let mut run = 0;
    for path in fixture_files() {
        let source = std::fs::read_to_string(&path).unwrap();
        let fixture = Fixture::parse(&source);
        let failures = test_fixture::failures(&fixture, engine(&fixture));
        run += 1;
        if !failures.is_empty() {
            let reports: Vec<&str> = failures.iter().map(|f| f.report.as_str()).collect();
            failed.push(format!("== {}\n{}", path.display(), reports.join("\n")));
        }
    }
    assert!(run > 0, "no fixtures found");
    assert!(failed.is_empty(), "{} of {run} fixtures fail\n{}", failed.len(), failed.join("\n"));
}

/// All fixtures, or those whose path contains `FIXTURE` from the environment.
pub(crate) fn fixture_files() -> Vec<PathBuf> {
    let wanted = std::env::var_os("FIXTURE").map(|f| f.to_string_lossy().into_owned());
    let lang = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lang");
    let mut found = Vec::new();
    for language in std::fs::read_dir(lang).unwrap() {
        let Ok(files) = std::fs::read_dir(language.unwrap().path().join("fixtures")) else { continue };
        found.extend(files.map(|f| f.unwrap().path()));
    }
    found.retain(|path| {
        path.extension().is_some_and(|e| e == "txt")
            && wanted.as_ref().is_none_or(|w| path.to_string_lossy().contains(w.as_str()))
    });
    found.sort();
    found
}

/// Answers questions about a fixture from the index.
fn engine(fixture: &Fixture) -> impl FnMut(Question, &Spot) -> Result<Vec<Found>, String> {
    let files = fixture.files().iter().map(|f| (f.path.clone(), f.text.clone()));
    let world = Arc::new(MemoryWorld::new(files, lang::front_end));
    let pool = Resolvers::new(world.clone());
    move |question, from| {
        let stop = Stop::new();
        let cx = Cx::new(&stop);
        let target = Target::Position { file: FilePath::new(from.path.as_str()), offset: from.start };
        let all = |_: &_| true;
        let at = match query::resolve(&pool, cx, &target) {
            Ok(found) => found,
            Err(QueryError::OutsideIndex { qualified_name }) if question == Question::Library => {
                return Ok(vec![Found { spot: spot(&FilePath::new(qualified_name), 0, 0), role: None }]);
            }
            Err(QueryError::Made { from, .. }) if question == Question::Definition => {
                from.into_iter().map(|symbol| (symbol, Confidence::Exact)).collect()
            }
            Err(QueryError::OutsideIndex { .. } | QueryError::NotFound { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(format!("{error:?}")),
        };
        let certain: Vec<&Symbol> =
            at.iter().filter(|(_, c)| *c <= Confidence::Ambiguous).map(|(s, _)| s).collect();
        let answer = match question {
            Question::Definition => in_project(&certain).map(|s| found(&world, s)).collect(),
            Question::Library => {
                let outside = certain.iter().filter(|s| s.is_library);
                let names = outside.filter_map(|s| s.qualified_name.as_deref());
                names.map(|name| Found { spot: spot(&FilePath::new(name), 0, 0), role: None }).collect()
            }
            Question::References => {
                let mut uses = Vec::new();
                for symbol in in_project(&certain) {
                    let set = query::references(&pool, cx, symbol, &all, usize::MAX)
                        .map_err(|e| format!("{e:?}"))?;
                    uses.extend(
                        set.references
                            .into_iter()
                            .filter(|r| r.access != Access::Doc && r.confidence.is_certain())
                            .map(|r| Found {
                                spot: spot(&r.file, r.range.start, r.range.end),
                                role: role(r.access),
                            }),
                    );
                }
                uses.sort();
                uses.dedup();
                uses
            }
            Question::Implementations => {
                let symbol = in_project(&certain).next().ok_or("nothing there")?;
                let found_at =
                    query::implementations(&pool, cx, symbol, &all).map_err(|e| format!("{e:?}"))?;
                found_at.iter().map(|(s, _)| found(&world, s)).collect()
            }
            Question::Supers => {
                let symbol = in_project(&certain).next().ok_or("nothing there")?;
                if symbol.kind.is_type() {
                    let links = query::supertypes(&pool, cx, symbol).map_err(|e| format!("{e:?}"))?;
                    let supers: Vec<&Symbol> = links.iter().filter_map(|l| l.symbol.as_ref()).collect();
                    in_project(&supers).map(|s| found(&world, s)).collect()
                } else {
                    let supers = query::super_methods(&pool, cx, symbol).map_err(|e| format!("{e:?}"))?;
                    in_project(&supers.iter().collect::<Vec<_>>()).map(|s| found(&world, s)).collect()
                }
            }
        };
        Ok(answer)
    }
}

/// Claims are about the fixture's own files, but for those on libraries.
fn in_project<'s>(symbols: &[&'s Symbol]) -> impl Iterator<Item = &'s Symbol> {
    symbols.iter().copied().filter(|s| !s.is_library)
}

fn spot(file: &FilePath, start: u32, end: u32) -> Spot {
    Spot { path: file.as_str().to_owned(), start, end }
}

/// Modules are claimed at the first character of their file.
fn found(world: &MemoryWorld, symbol: &Symbol) -> Found {
    let range = symbol.name_range;
    let end = if range.is_empty() {
        let id: FileId = world.file_by_path(symbol.file.as_str()).expect("symbols lie in files of the world");
        world.text(id).split(|c: char| !c.is_alphanumeric()).next().map_or(0, str::len) as u32
    } else {
        range.end
    };
    Found { spot: spot(&symbol.file, range.start, end), role: None }
}

fn role(access: Access) -> Option<Role> {
    match access {
        Access::Write | Access::ReadWrite => Some(Role::Write),
        Access::Call | Access::Instantiation => Some(Role::Call),
        _ => None,
    }
}

#[test]
fn a_sigil_means_the_name_behind_it() {
    let text = "<?php\nclass A { static $own; public $p; }\nfunction f($x) { $y = A::$own; return g(x: $x, $y->p); }\n";
    let world = Arc::new(MemoryWorld::new([("a.php".into(), text.into())], lang::front_end));
    let pool = Resolvers::new(world);
    let stop = Stop::new();
    let name_at = |before: &str| {
        let offset = (text.find(before).unwrap() + before.len()) as u32;
        let target = Target::Position { file: FilePath::new("a.php"), offset };
        let found = query::resolve(&pool, Cx::new(&stop), &target).unwrap();
        found.into_iter().map(|(symbol, _)| symbol.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(name_at("static "), ["own"]);
    assert_eq!(name_at("f("), ["x"]);
    assert_eq!(name_at("A::"), ["own"]);
    assert_eq!(name_at("return g(x: "), ["x"]);
    assert_eq!(name_at("return g(x: $x, "), ["y"]);
    assert_eq!(name_at("return g(x:"), ["f"], "no sigil stands there");
    assert_eq!(name_at("$y-"), ["f"], "no sigil stands there");
}
