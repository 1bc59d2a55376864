//! The projects that are changed, and the compilers that judge them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::repo;

/// Reads PHP and prints the names that nothing declares.
const PHP_NAMES: &str = include_str!("../../assets/names.php");

/// Has a language server for PHP print what it finds wrong: members, variables, arguments.
const PHP_MEMBERS: &str = include_str!("../../assets/intelephense.mjs");

/// The manifest that brings the compiler of Kotlin, into `$TOOLS/kotlin/jars`.
const KOTLIN_POM: &str = include_str!("../../assets/kotlin.xml");

/// A project and what judges it.
pub(super) struct Subject {
    pub(super) lang: &'static str,
    /// Of accuracy/projects.json.
    pub(super) project: &'static str,
    /// The directory in which names are picked, and the endings of its files.
    pub(super) sources: &'static str,
    pub(super) endings: &'static [&'static str],
    /// The judge, run in the project; what it prints is counted by the lines with `mark`.
    pub(super) judge: &'static str,
    pub(super) mark: &'static str,
    /// A new parameter as it is declared: its type and a value of it.
    pub(super) parameter: (&'static str, &'static str),
}

pub(super) const SUBJECTS: &[Subject] = &[
    Subject {
        lang: "java",
        project: "jsoup",
        sources: "src/main/java",
        endings: &[".java"],
        judge: "find src/main/java -name '*.java' ! -name module-info.java > $OUT/files; javac -d $OUT/classes -proc:none -nowarn -Xmaxerrs 9999 @$OUT/files",
        mark: "error:",
        parameter: ("int", "0"),
    },
    Subject {
        lang: "python",
        project: "requests",
        sources: "",
        endings: &[".py"],
        // Whether every type is said is a matter of style, so the project's own settings are left aside. Names begin where
        // they do with settings in the project.
        judge: "echo \"{\\\"include\\\": [\\\"../$(basename $PWD)\\\"], \\\"extraPaths\\\": [\\\"../$(basename $PWD)\\\", \\\"../$(basename $PWD)/src\\\"]}\" > $OUT/pyright.json; \
            $TOOLS/node_modules/.bin/pyright -p $OUT/pyright.json",
        mark: " - error",
        parameter: ("int", "0"),
    },
    Subject {
        lang: "typescript",
        project: "rxjs",
        sources: "src/internal",
        endings: &[".ts"],
        judge: "$TOOLS/node_modules/.bin/tsc --noEmit -p tsconfig.json --incremental --tsBuildInfoFile $OUT/known",
        mark: "error TS",
        parameter: ("number", "0"),
    },
    Subject {
        lang: "javascript",
        project: "eslint",
        sources: "lib",
        endings: &[".js"],
        // The types of what it requires are those of the packages; the project's own declarations stand for itself.
        // Its type errors contradict each other in thousands of places, and their wording depends on the order of
        // files: only names, members and numbers of arguments count.
        judge: r#"echo '{"extends": "../eslint/tsconfig.json", "include": ["../eslint/lib"], "compilerOptions": {
            "incremental": true, "tsBuildInfoFile": "known", "types": ["node"], "typeRoots": ["../tools/node_modules/@types"], "baseUrl": "..",
            "paths": {"eslint": ["eslint/lib/types/index.d.ts"], "*": ["tools/node_modules/@types/*", "tools/node_modules/*"]}}}' > $OUT/tsconfig.json;
            $TOOLS/node_modules/.bin/tsc -p $OUT/tsconfig.json | sed -E 's/ (Did you mean|on type) .*//; s/TS2552/TS2304/; s/TS2551/TS2339/; s/TS2503: Cannot find namespace/TS2304: Cannot find name/' |
            grep -E 'error TS(1[0-9]{3}|2300|2304|2305|2307|2339|2448|2451|2554|2555|2588)'"#,
        mark: "error TS",
        parameter: ("number", "0"),
    },
    Subject {
        lang: "go",
        project: "cobra",
        sources: "",
        endings: &[".go"],
        judge: "go vet ./...; go test -gcflags=-e -run '^$' ./...",
        mark: ".go:",
        parameter: ("int", "0"),
    },
    Subject {
        lang: "php",
        project: "monolog",
        sources: "src",
        endings: &[".php"],
        judge: "php $TOOLS/names.php src; node $TOOLS/intelephense.mjs $TOOLS/node_modules src",
        mark: ".php:",
        parameter: ("int", "0"),
    },
    Subject {
        lang: "rust",
        project: "serde_json",
        sources: "src",
        endings: &[".rs"],
        // Code that exists only with, or without, a feature is compiled too. Tests need more than the bare crate
        // has.
        judge: "export CARGO_TARGET_DIR=$OUT/target; check='cargo check -q --message-format short'; $check --tests; $check --all-features; $check --no-default-features --features alloc",
        mark: ": error",
        parameter: ("i32", "0"),
    },
    Subject {
        lang: "kotlin",
        project: "exposed",
        sources: "",
        endings: &[".kt"],
        // An error of our own: the compiler ends when it knows all errors, and generates no code.
        judge: "echo 'val stop: Int = \"\"' > $OUT/stop.kt; java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp \"$TOOLS/kotlin/jars/*\" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -nowarn -d $OUT/classes -cp $(echo $TOOLS/kotlin/jars/*.jar | tr ' ' ':') org $OUT/stop.kt",
        mark: ": error:",
        parameter: ("Int", "0"),
    },
];

/// The type checkers that come as packages.
pub(super) fn judges(work: &Path) -> Result<PathBuf> {
    let tools = work.join("tools");
    // The packages that ESLint requires, and their types.
    let types = ["eslint", "@types/node", "@types/estree", "@types/eslint-scope", "@types/esquery"];
    let is_there = [&["pyright", "typescript", "intelephense"], &types[..]].concat();
    if !is_there.iter().all(|name| tools.join("node_modules").join(name).exists()) {
        fs::create_dir_all(&tools)?;
        fs::write(tools.join("package.json"), "{\"private\":true}")?;
        let mut npm = Command::new("npm");
        // From 5.7 on a member whose name is worked out lets every other name pass, in all of RxJS.
        npm.args(["install", "--silent", "--no-audit", "--no-fund"]);
        npm.args(["pyright@1.1.400", "typescript@5.6", "intelephense@1.14", "eslint@10.15.0"]);
        npm.args(&types[1..]);
        repo::run(npm.current_dir(&tools))?;
    }
    let kotlin = tools.join("kotlin");
    if !kotlin.join("jars").exists() {
        fs::create_dir_all(&kotlin)?;
        fs::write(kotlin.join("pom.xml"), KOTLIN_POM)?;
        let mut maven = Command::new("mvn");
        maven.args(["--quiet", "--batch-mode", "dependency:copy-dependencies", "-DoutputDirectory=jars"]);
        repo::output(maven.current_dir(&kotlin))?;
    }
    fs::write(tools.join("names.php"), PHP_NAMES)?;
    fs::write(tools.join("intelephense.mjs"), PHP_MEMBERS)?;
    Ok(tools)
}

/// Copies a tree.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in repo::walk(from, |folder| folder == "target")? {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().context("a file lies in a folder")?)?;
        fs::copy(from.join(&file), &target)?;
    }
    Ok(())
}
