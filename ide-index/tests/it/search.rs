//! Symbol search over several layers.

use std::sync::Arc;

use ide_index::{IndexSnapshot, Segment, SegmentBuilder, Unit, World, lang};
use ide_model::{Cx, FileMeta, Language, MatchMode, QueryError, SearchKind, Stop, StopReason, SymbolQuery};

use crate::toy::unit;

fn index() -> IndexSnapshot {
    let inputs = [
        ("src/a/Service.java", "package a class UserService { def find def findAll } class Old { }"),
        ("src/b/Service.java", "package b class UserService { def find }"),
        ("src/c.py", "class user_store { def find }"),
    ];
    let bytes = SegmentBuilder::build(&inputs, &[], 1, |(path, text), b| Some(b.encode(unit(path, text, 1))))
        .expect("small");
    let base = IndexSnapshot::new(
        "/p",
        [Arc::new(Segment::open(Arc::new(bytes), 1).expect("just built"))],
        1,
        Arc::default(),
        None,
        1,
    );
    let changed = [("src/b/Service.java", "package b class UserService { def found }")];
    let removed = ["src/c.py".into()];
    base.changed(&changed, &removed, |(path, text), b| Some(b.encode(unit(path, text, 2))), |_, _, _| None)
        .expect("sound")
        .0
}

fn search(pattern: &str, kind: SearchKind, limit: usize) -> (Vec<String>, bool) {
    search_where(pattern, kind, limit, &|_| true)
}

fn search_where(
    pattern: &str,
    kind: SearchKind,
    limit: usize,
    filter: &(dyn Fn(&FileMeta) -> bool + Sync),
) -> (Vec<String>, bool) {
    let index = index();
    let stop = Stop::new();
    let query = SymbolQuery {
        pattern,
        mode: MatchMode::Substring,
        kind,
        language: None,
        filter,
        with_libraries: false,
        limit,
    };
    let found = index.search(Cx::new(&stop), &query).expect("not stopped");
    let show = |hit: &ide_index::SearchHit| {
        let facts = index.facts(hit.at.file);
        format!("{}:{}", index.file(hit.at.file).path, facts.def_name(hit.at.def))
    };
    (found.items.iter().map(show).collect(), found.cut)
}

#[test]
fn matches_are_ranked_and_hidden_files_are_not_found() {
    let (found, cut) = search("find", SearchKind::All, 10);
    assert_eq!(found, ["src/a/Service.java:find", "src/a/Service.java:findAll"]);
    assert!(!cut);
    assert_eq!(search("USvc", SearchKind::Types, 10).0.len(), 2);
    assert_eq!(search("find", SearchKind::Types, 10).0.len(), 0);
}

/// The finds of a search for exactly a name in files of real languages, as lines.
fn lines_of(files: &[(&str, &str)], name: &str) -> Vec<String> {
    let read = |path: &str, text: &str| {
        let front_end = lang::front_end(Language::of_path(path).expect("a language")).expect("a front end");
        Unit { facts: Some(front_end.facts(path, text)), ..unit(path, text, 1) }
    };
    let bytes = SegmentBuilder::build(files, &[], 1, |(path, text), b| Some(b.encode(read(path, text))));
    let segment = Segment::open(Arc::new(bytes.expect("small")), 1).expect("just built");
    let index = IndexSnapshot::new("/p", [Arc::new(segment)], 1, Arc::default(), None, 1);
    let stop = Stop::new();
    let query = SymbolQuery {
        pattern: name,
        mode: MatchMode::Exact,
        kind: SearchKind::All,
        language: None,
        filter: &|_| true,
        with_libraries: false,
        limit: 10,
    };
    let found = index.search(Cx::new(&stop), &query).expect("not stopped");
    let line = |hit: &ide_index::SearchHit| {
        let path = index.file(hit.at.file).path.as_str().to_owned();
        let text = files.iter().find(|(of, _)| *of == path).expect("given").1;
        let start = index.facts(hit.at.file).def(hit.at.def).name_range.start as usize;
        format!("{path}:{}", text[..start].matches('\n').count() + 1)
    };
    found.items.iter().map(line).collect()
}

#[test]
fn a_companion_is_found_by_the_name_that_the_language_gives_it() {
    let files = [("a.kt", "class A {\n  companion object { val x = 1 }\n}\n")];
    assert_eq!(lines_of(&files, "Companion"), ["a.kt:2"]);
    assert_eq!(lines_of(&files, "A.Companion"), ["a.kt:2"]);
}

#[test]
fn the_head_of_a_class_is_no_constructor_beside_it() {
    let files =
        [("a.kt", "class A(val n: Int) {\n  constructor() : this(1)\n}\nclass B internal constructor()\n")];
    assert_eq!(lines_of(&files, "A"), ["a.kt:1", "a.kt:2"]);
    assert_eq!(lines_of(&files, "B"), ["a.kt:4", "a.kt:4"]);
}

#[test]
fn private_names_are_found_with_their_sign() {
    let files = [("a.ts", "class A {\n  #x = 1;\n  x = 2;\n}\n")];
    assert_eq!(lines_of(&files, "#x"), ["a.ts:2"]);
    assert_eq!(lines_of(&files, "A.x"), ["a.ts:3"]);
}

#[test]
fn functions_given_to_prototypes_are_found() {
    let files = [(
        "a.js",
        "var ask = Object.create(Base.prototype);\nask.get = ask.read = function () {};\nask.size = 3;\n\
         var proto = Base.prototype;\nproto.put = () => 1;\nvar it = make();\nit.gone = () => 1;\n",
    )];
    assert_eq!(lines_of(&files, "get"), ["a.js:2"]);
    assert_eq!(lines_of(&files, "read"), ["a.js:2"]);
    assert_eq!(lines_of(&files, "put"), ["a.js:5"]);
    assert_eq!(lines_of(&files, "size").len() + lines_of(&files, "gone").len(), 0);
}

#[test]
fn what_is_only_read_or_imported_again_is_no_declaration() {
    let files = [
        ("a.tsx", "const icon = <path fill=\"none\" />;\nexport default { icon };\n"),
        ("a.php", "<?php\n/** @phpstan-import-type Row from Table */\nclass View {}\n"),
        ("b.php", "<?php\n/**\n * @phpstan-type Row array{id: int}\n */\nclass Table {}\n"),
        ("a.py", "try:\n    import fast\nexcept ImportError:\n    fast = None\n"),
    ];
    assert_eq!(lines_of(&files, "fill").len(), 0);
    assert_eq!(lines_of(&files, "icon"), ["a.tsx:1"]);
    assert_eq!(lines_of(&files, "Row"), ["b.php:3"]);
    assert_eq!(lines_of(&files, "fast"), ["a.py:4"]);
}

#[test]
fn a_filter_is_applied_before_the_cap() {
    let (found, cut) = search("UserService", SearchKind::All, 1);
    assert_eq!((found.len(), cut), (1, true));
    let only_b =
        |meta: &FileMeta| meta.path.as_str().contains("/b/") && meta.language == Some(Language::Java);
    let (found, cut) = search_where("UserService", SearchKind::All, 1, &only_b);
    assert_eq!((found, cut), (vec!["src/b/Service.java:UserService".to_owned()], false));
}

/// Names that cannot be among the first are passed over, without a trace in the answer.
#[test]
fn a_small_limit_gives_the_beginning_of_a_large_one() {
    let names =
        ["get", "getName", "gnomeMap", "nameGetter", "bigNameMap", "GETTER", "xgnm", "outgetx", "g_n_m"];
    let words = |i: usize| (0..3).map(move |at| names[(i * 4 + at * 5) % names.len()]);
    let inputs: Vec<(String, String)> = (0..12)
        .map(|i| (format!("f{i:02}.py"), words(i).map(|word| format!("def {word} ")).collect()))
        .collect();
    let bytes = SegmentBuilder::build(&inputs, &[], 1, |(path, text), b| Some(b.encode(unit(path, text, 1))));
    let segment = Segment::open(Arc::new(bytes.expect("small")), 1).expect("just built");
    let index = IndexSnapshot::new("/p", [Arc::new(segment)], 1, Arc::default(), None, 1);
    let stop = Stop::new();
    for pattern in ["g", "get", "gnm", "GNM", "et", "nam", "gx", "*m", "f03.get", "gett"] {
        let search = |limit| {
            let mode = MatchMode::Substring;
            let (kind, filter): (_, &(dyn Fn(&FileMeta) -> bool + Sync)) = (SearchKind::All, &|_| true);
            let query =
                SymbolQuery { pattern, mode, kind, language: None, filter, with_libraries: false, limit };
            index.search(Cx::new(&stop), &query).expect("not stopped")
        };
        let all = search(1_000).items;
        for limit in 1..all.len() {
            let some = search(limit);
            assert_eq!((&some.items[..], some.cut), (&all[..limit], true), "{pattern} {limit}");
        }
        assert!(!search(all.len()).cut, "{pattern}");
    }
}

#[test]
fn containers_narrow_a_qualified_pattern() {
    assert_eq!(search("UserService.find", SearchKind::All, 10).0.first().unwrap(), "src/a/Service.java:find");
    assert_eq!(search("b.UserService", SearchKind::All, 10).0, ["src/b/Service.java:UserService"]);
    assert_eq!(search("Old#find", SearchKind::All, 10).0.len(), 0);
}

#[test]
fn a_typing_error_is_forgiven_only_when_nothing_matches() {
    assert_eq!(search("UserServcie", SearchKind::All, 10).0.len(), 2);
}

#[test]
fn a_stopped_search_gives_no_part_of_an_answer() {
    let stop = Stop::new();
    stop.stop(StopReason::Cancelled);
    let query = SymbolQuery {
        pattern: "find",
        mode: MatchMode::Substring,
        kind: SearchKind::All,
        language: None,
        filter: &|_| true,
        with_libraries: false,
        limit: 5,
    };
    assert_eq!(index().search(Cx::new(&stop), &query), Err(QueryError::Cancelled));
}
