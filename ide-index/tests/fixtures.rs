//! Runs the fixtures of every language through the real front ends, resolver and queries.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "reads its own fixtures")]

use std::path::Path;
use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::{FileId, MemoryWorld, World, lang};
use ide_model::{Access, Confidence, Cx, FilePath, QueryError, Stop, Symbol, Target};
use libtest_mimic::{Arguments, Failed, Trial};
use test_fixture::{Fixture, Found, Question, Role, Spot};

/// One test a fixture, named by its language and its file: `java::generics`. Arguments are those of every test program.
fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lang");
    let tests = test_fixture::files(&root).into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap().with_extension("");
        let name = name.components().map(|part| part.as_os_str().to_string_lossy());
        let name = name.filter(|part| part != "fixtures").collect::<Vec<_>>().join("::");
        Trial::test(name, move || holds(&path).map_err(Failed::from))
    });
    let tests: Vec<Trial> = tests.collect();
    assert!(!tests.is_empty(), "no fixtures found");
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

fn holds(path: &Path) -> Result<(), String> {
    let fixture = Fixture::parse(&std::fs::read_to_string(path).unwrap());
    let failures = test_fixture::failures(&fixture, engine(&fixture));
    let reports: Vec<String> = failures.into_iter().map(|failure| failure.report).collect();
    if reports.is_empty() { Ok(()) } else { Err(reports.join("\n")) }
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
