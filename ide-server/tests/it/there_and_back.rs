//! A rename and the rename back leave the bytes that were there, whatever they are.

use proptest::prelude::*;
use serde_json::json;
use test_fixture::scaled;

use crate::support::Home;

/// The layout of a text besides its code.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// Bits say of each line whether it ends in CRLF.
    returns: u32,
    has_tabs: bool,
    has_mark: bool,
    ends_in_line: bool,
}

struct Sample {
    file: &'static str,
    /// `T` is the name; lines are indented with tabs.
    text: &'static str,
    other: (&'static str, &'static str),
}

const SAMPLES: &[Sample] = &[
    Sample {
        file: "j/A.java",
        text: "// \u{1f600} \u{e9}\npackage j;\nclass A {\n\tstatic int T(int x) { return x; }\n\t/* \u{1f600} */ int use() { String s = \"\u{1f600}\"; return T(1) + A.T(2); }\n}",
        other: ("j/B.java", "package j;\nclass B {\n\tint use() { /* \u{1f600} */ return A.T(3); }\n}\n"),
    },
    Sample {
        file: "kt/A.kt",
        text: "// \u{1f600} \u{e9}\npackage kt.a\n\nfun T(x: Int): Int {\n\treturn x\n}\n\nval y = /* \u{1f600} */ T(1)",
        other: ("kt/B.kt", "package kt.b\n\nimport kt.a.T\n\nval z = \"\u{1f600} ${T(2)}\"\n"),
    },
    Sample {
        file: "py/a.py",
        text: "# \u{1f600} \u{e9}\nimport os\n\ndef T(x):\n\t\"\"\"\u{1f600}\"\"\"\n\treturn x\n\nprint('\u{1f600}', T(1))",
        other: ("py/b.py", "from py.a import T\nprint(\"\u{1f600}\", T(2))\n"),
    },
    Sample {
        file: "ts/a.ts",
        text: "// \u{1f600} \u{e9}\nexport const y = 1;\n\nexport function T(x: number) {\n\treturn x;\n}\n\nconsole.log('\u{1f600}', `${T(1)}`);",
        other: ("ts/b.ts", "import { T } from './a';\nconsole.log('\u{1f600}', T(2));\n"),
    },
    Sample {
        file: "go/a.go",
        text: "// \u{1f600} \u{e9}\npackage goes\n\nfunc T(x int) int {\n\treturn x\n}\n\nvar y = len(\"\u{1f600}\") + T(1)",
        other: ("go/b.go", "package goes\n\nvar z = len(`\u{1f600}`) + T(2)\n"),
    },
    Sample {
        file: "php/a.php",
        text: "<?php\n// \u{1f600} \u{e9}\n\nfunction T($x) {\n\treturn $x;\n}\n\necho '\u{1f600}', T(1);",
        other: ("php/b.php", "<?php\necho \"\u{1f600}\", T(2);\n"),
    },
    Sample {
        file: "rust/src/lib.rs",
        text: "// \u{1f600} \u{e9}\nmod b;\n\npub fn T(x: u32) -> u32 {\n\tx\n}\n\npub fn y() -> u32 { let _s = \"\u{1f600}\"; T(1) }",
        other: ("rust/src/b.rs", "fn z() -> u32 { let _s = '\u{1f600}'; crate::T(2) }\n"),
    },
];

impl Manner {
    fn written(self, text: &str) -> String {
        let text = text.replace('T', "target");
        let text = if self.has_tabs { text } else { text.replace('\t', "    ") };
        let text =
            if self.ends_in_line { format!("{}\n", text.trim_end()) } else { text.trim_end().to_owned() };
        let mut out = if self.has_mark { "\u{feff}".to_owned() } else { String::new() };
        for (i, line) in text.split_inclusive('\n').enumerate() {
            let has_return = line.ends_with('\n') && self.returns >> (i % 32) & 1 == 1;
            out.push_str(line.trim_end_matches('\n'));
            out.push_str(match (line.ends_with('\n'), has_return) {
                (false, _) => "",
                (true, true) => "\r\n",
                (true, false) => "\n",
            });
        }
        out
    }
}

fn manners() -> impl Strategy<Value = Manner> {
    let returns = prop_oneof![Just(0), Just(u32::MAX), any::<u32>()];
    (returns, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(returns, has_tabs, has_mark, ends_in_line)| Manner { returns, has_tabs, has_mark, ends_in_line },
    )
}

/// Line 4 declares the name in every sample; its column counts UTF-16 units.
fn place(text: &str, name: &str) -> u32 {
    let line = text.split('\n').nth(3).unwrap();
    line[..line.find(name).unwrap()].encode_utf16().count() as u32 + 1
}

#[test]
fn a_rename_and_back_leaves_every_byte() {
    let cargo = ("rust/Cargo.toml", "[package]\nname = \"x\"\n");
    let home = Home::writing(&[cargo, ("go/go.mod", "module goes\n")]);
    let root = home.dir.path();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: scaled(3, 16),
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let check = |(one, two): (Manner, Manner)| {
        for sample in SAMPLES {
            let old =
                [(sample.file, one.written(sample.text)), (sample.other.0, two.written(sample.other.1))];
            for (file, text) in &old {
                crate::support::write(root, file, text);
            }
            let rename = |from: &str, to: &str| {
                let column = place(&home.read(sample.file), from);
                let args = json!({"file": sample.file, "line": 4, "column": column, "newName": to});
                home.ok("ide_refactor_rename", args)
            };
            let done = rename("target", "renamed");
            prop_assert_eq!(done["affectedFiles"].as_array().map(Vec::len), Some(2), "{}", done);
            for (file, text) in &old {
                prop_assert_eq!(home.read(file), text.replace("target", "renamed"));
            }
            rename("renamed", "target");
            for (file, text) in &old {
                prop_assert_eq!(&home.read(file), text);
            }
        }
        Ok(())
    };
    runner.run(&(manners(), manners()), check).unwrap();
}
