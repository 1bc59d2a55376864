//! Checks: what must be found and where the checks must be silent, one file of small projects a language.
//!
//! `~ code` behind a line, in a comment, says that this is found there, and `~^ code` that it is found in the line above.
//! Projects begin with `=== name`. Everything else must be
//! silent.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::{FileId, MemoryWorld, World, lang};
use ide_model::{Cx, FileText, Stop};
use test_fixture::{Fixture, scaled};

type Row = (String, u32, String);

fn found(fixture: &Fixture) -> BTreeSet<Row> {
    let files = fixture.files().iter().map(|file| (file.path.clone(), file.text.clone()));
    let world = Arc::new(MemoryWorld::new(files, lang::front_end));
    let pool = Resolvers::new(world.clone());
    let stop = Stop::new();
    let mut all = BTreeSet::new();
    for id in 0..world.file_count() {
        let path = world.file(FileId(id)).path.clone();
        let text = FileText::new(fixture.text(path.as_str()));
        let problems =
            query::diagnostics(&pool, Cx::new(&stop), &path, &text.text).expect("the file is in the project");
        let row = |p: ide_model::Diagnostic| {
            (path.to_string(), text.position(p.range.start).line, p.code.to_owned())
        };
        all.extend(problems.into_iter().map(row));
    }
    all
}

fn wanted(fixture: &Fixture) -> BTreeSet<Row> {
    let mut all = BTreeSet::new();
    for file in fixture.files() {
        for (at, line) in file.text.lines().enumerate() {
            let (line, codes) = match (line.split_once("~ "), line.split_once("~^ ")) {
                (Some((_, codes)), _) => (at as u32 + 1, codes),
                (_, Some((_, codes))) => (at as u32, codes),
                _ => continue,
            };
            let row = |code: &str| (file.path.clone(), line, code.trim().to_owned());
            all.extend(codes.split(", ").map(row));
        }
    }
    all
}

fn check(projects: &str) {
    let mut count = 0;
    for project in projects.split("\n=== ") {
        let (name, source) = project.split_once('\n').expect("each project has a head");
        let name = name.trim_start_matches("=== ");
        let fixture = Fixture::parse(source);
        assert_eq!(found(&fixture), wanted(&fixture), "{name}");
        count += 1;
    }
    assert!(count > 1, "no projects");
}

#[test]
fn java() {
    check(include_str!("checks/java.txt"));
}

#[test]
fn kotlin() {
    check(include_str!("checks/kotlin.txt"));
}

#[test]
fn python() {
    check(include_str!("checks/python.txt"));
}

#[test]
fn ecma() {
    check(include_str!("checks/ecma.txt"));
}

#[test]
fn go() {
    check(include_str!("checks/go.txt"));
}

#[test]
fn php() {
    check(include_str!("checks/php.txt"));
}

#[test]
fn rust() {
    check(include_str!("checks/rust.txt"));
}

/// Members of one name are compared by look-up: one by one, this takes minutes.
#[test]
fn very_many_members_of_one_name_are_checked() {
    let pair = "get run() { return this.run; } set run(a) { this.lost(a); }\n";
    let fixture = Fixture::parse(&format!("//- a.js\nclass A {{\n{}}}\n", pair.repeat(scaled(250, 800))));
    let found = found(&fixture);
    assert!(found.iter().all(|(_, _, code)| code != "syntax"), "{found:?}");
}
