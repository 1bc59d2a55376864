//! The rules that hold for every hand-written front end on any input: no panic, spans inside the text, on
//! characters.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "reads the fixtures")]

use ide_index::{FileFacts, lang};
use ide_model::{LANGUAGES, Language, TextRange};
use proptest::prelude::*;
use test_fixture::{Fixture, scaled};

use crate::fixture_files;

/// Sources of every language with a front end of its own, from the fixtures.
fn sources() -> Vec<(Language, String, String)> {
    let mut all = Vec::new();
    for path in fixture_files() {
        let fixture = Fixture::parse(&std::fs::read_to_string(path).unwrap());
        for file in fixture.files() {
            if let Some(language) =
                Language::of_path(&file.path).filter(|l| lang::own_front_end(*l).is_some())
            {
                all.push((language, file.path.clone(), file.text.clone()));
            }
        }
    }
    all
}

fn facts_of(language: Language, path: &str, text: &str) -> FileFacts {
    lang::own_front_end(language).expect("asked for those that have one").facts(path, text)
}

fn check(text: &str, facts: &FileFacts) {
    let inside = |range: TextRange| text.get(range.start as usize..range.end as usize).is_some();
    for def in &facts.defs {
        assert!(inside(def.name_range) && inside(def.range), "{def:?} in {text:?}");
    }
    for reference in &facts.refs {
        assert!(inside(reference.range), "{reference:?} in {text:?}");
    }
    for scope in &facts.scopes {
        assert!(inside(scope.range), "{scope:?} in {text:?}");
    }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

#[test]
fn damaged_sources_are_read_to_the_end() {
    let mut dice = Dice(1);
    for (language, path, text) in sources() {
        check(&text, &facts_of(language, &path, &text));
        let chars: Vec<char> = text.chars().collect();
        for _ in 0..if chars.is_empty() { 0 } else { scaled(10, 40) } {
            let mut bent = chars.clone();
            let at = dice.below(bent.len());
            match dice.below(4) {
                0 => bent.truncate(at),
                1 => drop(bent.remove(at)),
                2 => bent.insert(at, ['(', '}', '"', '`', '<', '\\', '𝛼', '\n'][dice.below(8)]),
                _ => bent.swap(at, chars.len() - 1),
            }
            let bent: String = bent.into_iter().collect();
            check(&bent, &facts_of(language, &path, &bent));
        }
    }
}

#[test]
fn deep_nesting_is_stepped_over() {
    for row in LANGUAGES {
        let Some(front) = lang::own_front_end(row.language) else { continue };
        for open in ["(", "[", "{", "<", "a(", "a[", "if (", "!", "new ", "- "] {
            let text = format!("<?php x = {}", open.repeat(20_000));
            check(&text, &front.facts(&format!("a.{}", row.extensions[0]), &text));
        }
    }
}

#[test]
fn long_chains_are_read() {
    for row in LANGUAGES {
        let Some(front) = lang::own_front_end(row.language) else { continue };
        for part in
            ["x || ", "!x && ", "x ?? ", "x = ", "x ? y : ", "x.f().", "if (x) {} else ", "elseif (x) {} "]
        {
            let text = format!("<?php if (x) {{}} {}x", part.repeat(scaled(4_000, 20_000)));
            check(&text, &front.facts(&format!("a.{}", row.extensions[0]), &text));
        }
    }
}

#[test]
fn a_template_that_the_text_leaves_open_ends_with_it() {
    let front = lang::own_front_end(Language::TypeScript).unwrap();
    for text in ["`a${ { [", "`a${ {", "`a${ { 'b", "({ [`a${"] {
        check(text, &front.facts("a.ts", text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nonsense_is_read_to_the_end(words in proptest::collection::vec(
        prop_oneof![
            Just("class"), Just("function"), Just("func"), Just("def"), Just("import"), Just("export"), Just("{"), Just("}"),
            Just("("), Just(")"), Just("["), Just("]"), Just("<"), Just(">"), Just("=>"), Just("->"), Just("::"), Just(":="),
            Just("="), Just(","), Just(";"), Just("."), Just("..."), Just("?"), Just(":"), Just("\n"), Just("x"), Just("$y"),
            Just("T"), Just("\"s\""), Just("`a${"), Just("<?php"), Just("?>"), Just("/*"), Just("@"), Just("#["), Just("ü"),
            Just("case"), Just("switch"), Just("type"), Just("interface"), Just("extends"), Just("range"), Just("for"),
            Just("async"), Just("new"), Just("return"), Just("<<<A\n"), Just("</"), Just("let"), Just("match"), Just("use"),
        ],
        0..60,
    )) {
        let text = words.join(" ");
        for row in LANGUAGES {
            let Some(front) = lang::own_front_end(row.language) else { continue };
            for extension in row.extensions {
                check(&text, &front.facts(&format!("a.{extension}"), &text));
            }
        }
    }
}
