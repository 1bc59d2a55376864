//! Source sets that replace each other: what one declares all of them do.

use ide_model::Refactoring;

use crate::refactor::{change, renames};

const CONFIG: &str = "//- app/src/debug/java/a/Config.java\npackage a;\npublic class Config { public static int lev<caret>el() { return 1; } }\n\
    //- app/src/release/java/a/Config.java\npackage a;\npublic class Config { public static int level() { return 2; } }\n\
    //- app/src/main/java/a/Use.java\npackage a;\nclass Use { int i = Config.level(); }\n";

#[test]
fn a_method_is_renamed_in_all_of_them() {
    renames(
        CONFIG,
        "depth",
        &[
            (
                "app/src/debug/java/a/Config.java",
                "package a;\npublic class Config { public static int depth() { return 1; } }\n",
            ),
            (
                "app/src/release/java/a/Config.java",
                "package a;\npublic class Config { public static int depth() { return 2; } }\n",
            ),
            ("app/src/main/java/a/Use.java", "package a;\nclass Use { int i = Config.depth(); }\n"),
        ],
    );
}

#[test]
fn each_of_them_is_in_use() {
    let other =
        CONFIG.replace("<caret>", "").replace("int level() { return 2", "int lev<caret>el() { return 2");
    for source in [CONFIG, &other] {
        let outcome =
            change(source, |symbol, plan| plan(&Refactoring::SafeDelete { symbol, in_spite: false }));
        assert!(outcome.conflicts.contains(&"in_use"), "{:#?}", outcome.refactored.conflicts);
    }
}
