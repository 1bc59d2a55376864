//! Files that others name by their paths: in statements that include them, in manifests, by rules of a package.

use crate::moves::{moved, moves};
use crate::relocate;

const COMPOSER: &str = "//- composer.json\n{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\"}}}\n";
const CODE: &str = "//- src/Model/Item.php\n<?php\nnamespace App\\Model;\nclass It<caret>em {}\n\
    //- src/Model/Status.php\n<?php\nnamespace App\\Model;\nclass Status {}\n";

#[test]
fn classes_stay_where_the_package_finds_them() {
    let source = format!("{COMPOSER}{CODE}");
    let plain = source.replace("<caret>", "");
    let refused = [
        moved(&plain, "src/Model/Status.php", "Status.php"),
        moved(&plain, "src/Model", "top/Model"),
        relocate::moved(&source, "src/Model/Status.php"),
        relocate::moved(&source, "src/Model/New.php"),
    ];
    for outcome in refused {
        assert_eq!(outcome.conflicts, ["unsupported_form"], "{:#?}", outcome.changed);
    }
    moves(
        &plain,
        "src/Model/Item.php",
        "src/Item.php",
        &[("src/Item.php", "<?php\nnamespace App;\nclass Item {}\n")],
    );
}

#[test]
fn files_that_are_included_by_a_plain_path_are_followed() {
    let helper = "<?php\nfunction help() {}\n";
    let main = "<?php\nrequire_once 'src/helper.php';\ninclude 'src/helper.php.bak';\nhelp();\n";
    let wanted = main.replacen("src/helper.php", "src/lib/help.php", 1);
    moves(
        &format!("//- src/helper.php\n{helper}//- main.php\n{main}"),
        "src/helper.php",
        "src/lib/help.php",
        &[("main.php", &wanted), ("src/lib/help.php", helper)],
    );
    let outcome = moved(
        &format!("//- a.php\n{helper}//- t/a.php\n{helper}//- t/m.php\n<?php\nrequire 'a.php';\n"),
        "t/a.php",
        "t/b.php",
    );
    assert_eq!(outcome.conflicts, ["unsupported_form"]);
}

#[test]
fn keys_of_a_manifest_stay_and_lead_to_the_new_place() {
    let manifest = "{\n  \"name\": \"@acme/lib\",\n  \"exports\": { \".\": \"./src/index.ts\", \"./util\": \"./src/util.ts\", \"./feat/*\": \"./src/feat/*.ts\" }\n}\n";
    let (util, app) = ("export const u = 1;\n", "import { u } from '@acme/lib/util';\nconsole.log(u);\n");
    let source = format!(
        "//- packages/lib/package.json\n{manifest}//- packages/lib/src/index.ts\nexport * from './util';\n//- packages/lib/src/util.ts\n{util}//- packages/lib/src/feat/a.ts\nexport const a = 1;\n//- packages/app/package.json\n{{\"name\": \"app\"}}\n//- packages/app/main.ts\n{app}//- packages/app/feat.ts\nimport {{ a }} from '@acme/lib/feat/a';\nconsole.log(a);\n"
    );
    moves(
        &source,
        "packages/lib/src/util.ts",
        "packages/lib/src/math/util.ts",
        &[
            ("packages/lib/package.json", &manifest.replace("./src/util.ts", "./src/math/util.ts")),
            ("packages/lib/src/index.ts", "export * from './math/util';\n"),
            ("packages/lib/src/math/util.ts", util),
        ],
    );
    moves(
        &source,
        "packages/lib/src/feat/a.ts",
        "packages/lib/src/feat/b.ts",
        &[
            ("packages/app/feat.ts", "import { a } from '@acme/lib/feat/b';\nconsole.log(a);\n"),
            ("packages/lib/src/feat/b.ts", "export const a = 1;\n"),
        ],
    );
    let hidden = moved(&source, "packages/lib/src/feat/a.ts", "packages/lib/src/a.ts");
    assert!(hidden.conflicts.contains(&"unsupported_form"), "{:#?}", hidden.changed);
    let outside = moved(&source, "packages/lib/src/util.ts", "packages/util.ts");
    assert!(outside.conflicts.contains(&"unsupported_form"), "{:#?}", outside.changed);
}
