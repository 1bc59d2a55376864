//! Names that lead into installed packages: found where they lie, read when they are asked for, fresh.

use std::fs;
use std::path::Path;

use ide_model::{
    Completeness, Confidence, Cx, FilePath, MatchMode, SearchKind, Snapshot, Stop, SymbolMatch, SymbolQuery,
    Target,
};
use ide_project_resolver::Root;
use ide_store::{Options, OsFs, Places, ProjectBackend};

use crate::fill;

/// A project with answers.
pub(crate) struct Opened {
    pub(crate) backend: ProjectBackend,
    root: std::path::PathBuf,
}

impl Opened {
    pub(crate) fn new(root: &Path, places: Places) -> Self {
        Self::with(root, Options { places, ..Options::default() })
    }

    fn with(root: &Path, options: Options) -> Self {
        let root = root.canonicalize().expect("the project is there");
        Self { backend: ProjectBackend::open(&root, options).expect("threads start"), root }
    }

    /// The declaration of the name behind `mark` in a file, as `path:name`.
    pub(crate) fn definition(&self, file: &str, mark: &str) -> Result<String, String> {
        let text =
            fs::read_to_string(self.root.join(file)).or_else(|_| fs::read_to_string(file)).expect("is there");
        let offset = text.find(mark).expect("the mark is in the file") + mark.len();
        let target = Target::Position { file: FilePath::new(file), offset: offset as u32 };
        let stop = Stop::new();
        let cx = Cx::new(&stop);
        let snapshot = self.backend.store_snapshot(cx).expect("the index is built");
        let found = snapshot.resolve(cx, &target).map_err(|error| format!("{error:?}"))?.value;
        let (symbol, confidence) = found.first().ok_or("nothing")?;
        assert!(*confidence <= Confidence::Inferred, "{symbol:?}");
        Ok(format!("{}:{}", symbol.file, symbol.name))
    }

    pub(crate) fn answers(&self, wanted: &[(&str, &str, &str)]) {
        for (file, mark, place) in wanted {
            assert_eq!(self.definition(file, mark).as_deref(), Ok(*place), "{mark}");
        }
    }
}

#[test]
fn node_packages_by_types_exports_and_types_of_others() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            (
                "src/a.ts",
                "import { one } from 'typed';\nimport { two } from 'exporting/sub';\nimport { three } from '@s/plain';\n\
                 import { four } from 'scripted';\nimport five from 'ambient';\nimport { readFile } from 'node:fs';\n\
                 import { inner } from 'linked';\none().deep; two; three; four(); five; readFile; inner;\n",
            ),
            (
                "node_modules/typed/package.json",
                r#"{"name":"typed","types":"lib/index.d.ts","main":"lib/index.js"}"#,
            ),
            (
                "node_modules/typed/lib/index.d.ts",
                "export interface Made { deep: string }\nexport declare function one(): Made;\n",
            ),
            ("node_modules/typed/lib/index.js", "exports.one = () => 1;\n"),
            (
                "node_modules/exporting/package.json",
                r#"{"exports":{"./sub":{"types":"./types/sub.d.ts","default":"./sub.js"}}}"#,
            ),
            ("node_modules/exporting/types/sub.d.ts", "export declare const two: number;\n"),
            ("node_modules/@s/plain/package.json", r#"{"main":"index.js"}"#),
            ("node_modules/@s/plain/index.js", "exports.three = 3;\n"),
            ("node_modules/@types/s__plain/index.d.ts", "export declare const three: number;\n"),
            ("node_modules/scripted/package.json", r#"{"main":"./main"}"#),
            ("node_modules/scripted/main.js", "function four() {}\nmodule.exports = { four };\n"),
            ("node_modules/ambient/package.json", "{}"),
            ("node_modules/ambient/index.d.ts", "declare const five: number;\nexport default five;\n"),
            ("node_modules/@types/node/fs.d.ts", "declare module 'fs' {\n  function readFile(): void;\n}\n"),
            (
                "node_modules/.pnpm/linked@1.0.0/node_modules/linked/index.d.ts",
                "export { inner } from 'below';\n",
            ),
            (
                "node_modules/.pnpm/linked@1.0.0/node_modules/below/index.d.ts",
                "export declare const inner: 1;\n",
            ),
        ],
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        ".pnpm/linked@1.0.0/node_modules/linked",
        dir.path().join("node_modules/linked"),
    )
    .unwrap();
    let opened = Opened::new(dir.path(), Places::default());
    opened.answers(&[
        ("src/a.ts", "\none", "node_modules/typed/lib/index.d.ts:one"),
        ("src/a.ts", "one().", "node_modules/typed/lib/index.d.ts:deep"),
        ("src/a.ts", "deep; ", "node_modules/exporting/types/sub.d.ts:two"),
        ("src/a.ts", "two; ", "node_modules/@types/s__plain/index.d.ts:three"),
        ("src/a.ts", "three; ", "node_modules/scripted/main.js:four"),
        ("src/a.ts", "four(); ", "node_modules/ambient/index.d.ts:five"),
        ("src/a.ts", "five; ", "node_modules/@types/node/fs.d.ts:readFile"),
    ]);
    #[cfg(unix)]
    opened.answers(&[(
        "src/a.ts",
        "readFile; ",
        "node_modules/.pnpm/linked@1.0.0/node_modules/below/index.d.ts:inner",
    )]);
}

#[test]
fn packages_of_declarations_fill_the_global_scope() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            ("tsconfig.json", r#"{ "compilerOptions": { "types": ["runner/globals"] } }"#),
            (
                "src/a.tsx",
                "import { join } from 'node:way';\nhost.exit; Host.Wide; join; check;\n\
                 export const view = <box onPick={(pick) => pick.chosen} wide />;\nUi.render;\n",
            ),
            (
                "node_modules/@types/host/index.d.ts",
                "/** A licence. */\n\n/// <reference path=\"globals.d.ts\" />\n/// <reference path='way.d.ts' />\n",
            ),
            (
                "node_modules/@types/host/globals.d.ts",
                "declare var host: Host.Process;\ndeclare namespace Host { interface Process { exit(): void } }\n\
                 interface Shown { lazy: import('./way').Way }\n",
            ),
            (
                "node_modules/@types/host/way.d.ts",
                "declare module 'way' {\n  global { namespace Host { interface Wide {} } }\n  \
                 interface Way { join(): void }\n  const way: Way;\n  export = way;\n}\n\
                 declare module 'node:way' {\n  import way = require('way');\n  export = way;\n}\n",
            ),
            (
                "node_modules/@types/react/package.json",
                r#"{ "exports": {
                ".": { "types@<=5.0": "./old/index.d.ts", "types": "./index.d.ts" },
                "./jsx-runtime": { "types@<=5.0": "./old/jsx-runtime.d.ts", "types": "./jsx-runtime.d.ts" } } }"#,
            ),
            (
                "node_modules/@types/react/old/jsx-runtime.d.ts",
                "export namespace JSX { interface IntrinsicElements { box: 1 } }\n",
            ),
            (
                "node_modules/@types/react/index.d.ts",
                "export = Ui;\nexport as namespace Ui;\ndeclare namespace Ui {\n  function render(): void;\n  \
                 interface Pick { chosen: string }\n  interface Box { onPick?: (pick: Pick) => void; wide?: boolean }\n  \
                 namespace JSX { interface IntrinsicElements { box: Box } }\n}\n",
            ),
            (
                "node_modules/@types/react/jsx-runtime.d.ts",
                "import * as Ui from './';\nexport namespace JSX {\n  \
                 interface IntrinsicElements extends Ui.JSX.IntrinsicElements {}\n}\n",
            ),
            ("node_modules/runner/globals.d.ts", "declare global { let check: number }\nexport {};\n"),
        ],
    );
    let opened = Opened::new(dir.path(), Places::default());
    opened.answers(&[
        ("src/a.tsx", "\n", "node_modules/@types/host/globals.d.ts:host"),
        ("src/a.tsx", "host.", "node_modules/@types/host/globals.d.ts:exit"),
        ("src/a.tsx", "Host.", "node_modules/@types/host/way.d.ts:Wide"),
        ("src/a.tsx", "Wide; ", "node_modules/@types/host/way.d.ts:join"),
        ("src/a.tsx", "join; ", "node_modules/runner/globals.d.ts:check"),
        ("src/a.tsx", "<", "node_modules/@types/react/index.d.ts:box"),
        ("src/a.tsx", "<box ", "node_modules/@types/react/index.d.ts:onPick"),
        ("src/a.tsx", "pick.", "node_modules/@types/react/index.d.ts:chosen"),
        ("src/a.tsx", "Ui.", "node_modules/@types/react/index.d.ts:render"),
    ]);
}

#[test]
fn blocks_of_several_files_of_a_package_are_one_module() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            (
                "src/a.ts",
                "import _, { zip } from 'low';\nimport { Model } from 'goose';\nimport { Bytes } from 'host:b';\n\
                 _.chunk().held; zip; Model.find(); let b: Bytes; b.fill;\n",
            ),
            (
                "node_modules/@types/low/index.d.ts",
                "/// <reference path=\"./common/array.d.ts\" />\n/// <reference path=\"./common/list.d.ts\" />\n\
                 export = _;\ndeclare const _: _.Static;\ndeclare namespace _ { interface Static {} }\n",
            ),
            (
                "node_modules/@types/low/common/array.d.ts",
                "import _ = require('../index');\n\
                 declare module '../index' { interface Static { chunk(): List; zip: _.List } }\n",
            ),
            (
                "node_modules/@types/low/common/list.d.ts",
                "export {};\ndeclare module '../index' { interface List { held: 1 } }\n",
            ),
            ("node_modules/goose/package.json", r#"{ "types": "./types/index.d.ts" }"#),
            (
                "node_modules/goose/types/index.d.ts",
                "/// <reference path=\"./models.d.ts\" />\ndeclare module 'goose' { const Model: Models; }\n",
            ),
            (
                "node_modules/goose/types/models.d.ts",
                "declare module 'goose' { interface Models { find(): void } }\n",
            ),
            (
                "node_modules/@types/host/index.d.ts",
                "/// <reference path=\"one.d.ts\" />\n/// <reference path=\"two.d.ts\" />\n",
            ),
            (
                "node_modules/@types/host/one.d.ts",
                "declare module 'host:b' { interface Bytes { size: 1 } }\n",
            ),
            (
                "node_modules/@types/host/two.d.ts",
                "declare module 'host:b' {\n  global { interface Wide { fill(): void } }\n  \
                 interface Bytes extends Wide {}\n  export { Bytes };\n}\n",
            ),
        ],
    );
    let opened = Opened::new(dir.path(), Places::default());
    opened.answers(&[
        ("src/a.ts", "\n_.", "node_modules/@types/low/common/array.d.ts:chunk"),
        ("src/a.ts", "chunk().", "node_modules/@types/low/common/list.d.ts:held"),
        ("src/a.ts", "held; ", "node_modules/@types/low/common/array.d.ts:zip"),
        ("src/a.ts", "Model.", "node_modules/goose/types/models.d.ts:find"),
        ("src/a.ts", "b.", "node_modules/@types/host/two.d.ts:fill"),
    ]);
}

#[test]
fn types_and_namespaces_of_one_name_are_told_apart_and_their_parts_put_together() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            ("src/a.ts", "import App from 'made';\nnew App().use; new App().on; App.on; env.held;\n"),
            (
                "node_modules/made/index.d.ts",
                "import { Emitter } from './emitter';\ndeclare class App<S = App.State> { constructor(name?: string); use(): void }\n\
                 interface App<S> extends Emitter {}\n\
                 declare namespace App {\n  interface State {}\n  function on(): 1;\n}\nexport = App;\n",
            ),
            ("node_modules/made/emitter.d.ts", "export interface Emitter { on(): this }\n"),
            (
                "node_modules/@types/host/index.d.ts",
                "/// <reference path=\"env.d.ts\" />\n\
                 declare namespace Host { interface Dict<T> { held: T } }\n",
            ),
            (
                "node_modules/@types/host/env.d.ts",
                "declare namespace Host { interface Env extends Dict<string> {} }\n\
                 declare const env: Host.Env;\n",
            ),
        ],
    );
    let opened = Opened::new(dir.path(), Places::default());
    opened.answers(&[
        ("src/a.ts", "\nnew App().", "node_modules/made/index.d.ts:use"),
        ("src/a.ts", "; new App().", "node_modules/made/emitter.d.ts:on"),
        ("src/a.ts", "; App.", "node_modules/made/index.d.ts:on"),
        ("src/a.ts", "env.", "node_modules/@types/host/index.d.ts:held"),
    ]);
}

#[test]
fn overloads_of_packages_by_what_may_be_nothing_and_what_lists_hold() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            (
                "src/a.ts",
                "import { read, each, other, some, make } from 'overloaded';\nread('a', 'utf8').letters; read('b').size;\n\
                 each(['c']).letters; each([['d']]).size;\n\
                 other().letters; some(() => true).letters;\n\
                 make({ letters: 1 }).letters; make({ secure: true }).size;\n",
            ),
            (
                "node_modules/overloaded/index.d.ts",
                "interface Bytes { size: 1 }\ninterface Text { letters: 1 }\n\
                 export function read(path: string, options?: { flag?: string } | null): Bytes;\n\
                 export function read(path: string, options: 'utf8'): Text;\n\
                 export function each<T extends any[]>(all: T[]): Bytes;\n\
                 export function each<T>(all: T[]): Text;\n\
                 declare namespace named { interface Options {} }\ndeclare function named<T>(n?: 2): Text;\ntype Named = typeof named;\n\
                 export declare const other: Named;\nexport function some(on: BooleanConstructor): Bytes;\n\
                 export function some<T>(on: (one: T) => boolean): Text;\n\
                 type Secure = Partial<Text> & { secure: true };\nexport function make(options: Secure): Bytes;\n\
                 export function make(options: Partial<Text>): Text;\n",
            ),
        ],
    );
    let opened = Opened::new(dir.path(), Places::default());
    opened.answers(&[
        ("src/a.ts", "'utf8').", "node_modules/overloaded/index.d.ts:letters"),
        ("src/a.ts", "'b').", "node_modules/overloaded/index.d.ts:size"),
        ("src/a.ts", "'c']).", "node_modules/overloaded/index.d.ts:letters"),
        ("src/a.ts", "'d']]).", "node_modules/overloaded/index.d.ts:size"),
        ("src/a.ts", "other().", "node_modules/overloaded/index.d.ts:letters"),
        ("src/a.ts", "some(() => true).", "node_modules/overloaded/index.d.ts:letters"),
        ("src/a.ts", "make({ letters: 1 }).", "node_modules/overloaded/index.d.ts:letters"),
        ("src/a.ts", "make({ secure: true }).", "node_modules/overloaded/index.d.ts:size"),
    ]);
}

#[test]
fn what_changes_in_a_package_is_seen_at_once() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("a.js", "const { one } = require('late');\none;\n"), ("package.json", "{}")]);
    let opened = Opened::new(dir.path(), Places::default());
    let before = opened.definition("a.js", ";\n");
    assert_ne!(before.as_deref(), Ok("node_modules/late/index.js:one"));
    fill(dir.path(), &[("node_modules/late/index.js", "function one() {}\nmodule.exports = { one };\n")]);
    opened.answers(&[("a.js", ";\n", "node_modules/late/index.js:one")]);
    fs::write(dir.path().join("node_modules/late/index.js"), "\n\nexports.one = class one {};\n").unwrap();
    let place = opened.definition("a.js", ";\n").unwrap();
    assert_eq!(place, "node_modules/late/index.js:one");
    fs::remove_dir_all(dir.path().join("node_modules")).unwrap();
    let gone = opened.definition("a.js", ";\n");
    assert_ne!(gone.as_deref(), Ok("node_modules/late/index.js:one"));
}

#[test]
fn python_packages_of_a_virtual_environment() {
    let dir = tempfile::tempdir().unwrap();
    let site = ".venv/lib/python3.12/site-packages";
    let at = |path: &str| format!("{site}/{path}");
    let files = [
        (
            "app/main.py".to_owned(),
            "import os\nfrom thing import Thing\nfrom thing.sub import helper\nimport stubbed\nimport space.part\n\
             Thing().run().go()\nhelper()\nstubbed.call()\nspace.part.VALUE\nutils.x\n",
        ),
        ("utils.py".to_owned(), "x = 1\n"),
        (".venv/pyvenv.cfg".to_owned(), "home = /usr\n"),
        (at("thing/__init__.py"), "from .core import Thing\n"),
        (
            at("thing/core.py"),
            "import utils\nclass Other:\n    def go(self): ...\nclass Thing:\n    def run(self) -> Other: ...\n",
        ),
        (at("thing/sub.py"), "def helper(): ...\n"),
        (at("utils.py"), "y = 2\n"),
        (at("stubbed/__init__.py"), "def call(): pass\n"),
        (at("stubbed-stubs/__init__.pyi"), "def call() -> int: ...\n"),
        (at("space/part.py"), "VALUE = 1\n"),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    fill(dir.path(), &files);
    let opened = Opened::new(dir.path(), Places::default());
    let place = |path: &str| at(path);
    opened.answers(&[
        ("app/main.py", "space.part\n", &place("thing/core.py:Thing")),
        ("app/main.py", "Thing().", &place("thing/core.py:run")),
        ("app/main.py", "run().", &place("thing/core.py:go")),
        ("app/main.py", "go()\n", &place("thing/sub.py:helper")),
        ("app/main.py", "\nstubbed.", &place("stubbed-stubs/__init__.pyi:call")),
        ("app/main.py", "\nspace.part.", &place("space/part.py:VALUE")),
        // Installed packages look into installed packages first.
        (&place("thing/core.py"), "import ", &place("utils.py:utils")),
    ]);
}

#[test]
fn go_modules_of_the_cache_replaced_and_vendored() {
    let dir = tempfile::tempdir().unwrap();
    let (project, cache) = (dir.path().join("p"), dir.path().join("cache"));
    fill(
        &project,
        &[
            (
                "go.mod",
                "module ex.org/app\n\nrequire (\n\tgithub.com/Big/thing v1.2.0 // indirect\n\tex.org/near v0.0.0\n)\nreplace ex.org/near => ./near\n",
            ),
            (
                "main.go",
                "package main\n\nimport (\n\t\"ex.org/near\"\n\t\"ex.org/sold/kept\"\n\t\"github.com/Big/thing/part\"\n)\n\nfunc main() {\n\tpart.New().Run()\n\tnear.Do()\n\tkept.Own()\n}\n",
            ),
            ("near/go.mod", "module ex.org/near\n"),
            ("near/near.go", "package near\n\nfunc Do() {}\n"),
            ("vendor/ex.org/sold/kept/kept.go", "package kept\n\nfunc Own() {}\n"),
        ],
    );
    fill(
        &cache,
        &[
            (
                "github.com/!big/thing@v1.2.0/part/part.go",
                "package part\n\ntype T struct{}\n\nfunc New() *T { return nil }\n\nfunc (t *T) Run() {}\n",
            ),
            ("github.com/!big/thing@v1.1.0/part/part.go", "package part\n\nfunc New() int { return 1 }\n"),
        ],
    );
    let opened = Opened::new(&project, Places { go_modules: Some(cache.clone()), ..Places::default() });
    let cached = cache.canonicalize().unwrap().join("github.com/!big/thing@v1.2.0/part/part.go");
    let cached = cached.to_str().unwrap();
    opened.answers(&[
        ("main.go", "\tpart.", &format!("{cached}:New")),
        ("main.go", "New().", &format!("{cached}:Run")),
        ("main.go", "\tnear.", "near/near.go:Do"),
        ("main.go", "\tkept.", "vendor/ex.org/sold/kept/kept.go:Own"),
    ]);
}

#[test]
fn php_packages_by_the_autoloader() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            ("composer.json", "{}"),
            (
                "a.php",
                "<?php\nuse Acme\\Log\\Logger;\n$l = new Logger();\n$l->write();\n\\Acme\\Log\\help();\nOld_Thing::make();\nMapped::go();\n",
            ),
            (
                "vendor/composer/installed.json",
                r#"{"packages":[{"name":"acme/log","install-path":"../acme/log","autoload":{"psr-4":{"Acme\\Log\\":"src/"},"files":["functions.php"]}},
                    {"name":"old/thing","install-path":"../old/thing","autoload":{"psr-0":{"Old_":"lib/"}}}]}"#,
            ),
            (
                "vendor/composer/autoload_classmap.php",
                "<?php\nreturn array(\n    'Mapped' => $vendorDir . '/any/where.php',\n);\n",
            ),
            (
                "vendor/acme/log/src/Logger.php",
                "<?php\nnamespace Acme\\Log;\nclass Logger { public function write() {} }\n",
            ),
            ("vendor/acme/log/functions.php", "<?php\nnamespace Acme\\Log;\nfunction help() {}\n"),
            ("vendor/old/thing/lib/Old/Thing.php", "<?php\nclass Old_Thing { static function make() {} }\n"),
            ("vendor/any/where.php", "<?php\nclass Mapped { static function go() {} }\n"),
        ],
    );
    Opened::new(dir.path(), Places::default()).answers(&[
        ("a.php", "new ", "vendor/acme/log/src/Logger.php:Logger"),
        ("a.php", "$l->", "vendor/acme/log/src/Logger.php:write"),
        ("a.php", "\n\\Acme\\Log\\", "vendor/acme/log/functions.php:help"),
        ("a.php", "Old_Thing::", "vendor/old/thing/lib/Old/Thing.php:make"),
        ("a.php", "Mapped::", "vendor/any/where.php:go"),
    ]);
}

#[test]
fn a_search_with_libraries_finds_what_they_declare() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[("a.py", "class OrderedDictionary:\n    pass\n"), ("b.php", "<?php class ArrayIterator2 {}\n")],
    );
    let opened = Opened::new(dir.path(), Places::default());
    let found = |pattern: &str, kind, with_libraries| {
        let stop = Stop::new();
        let snapshot = opened.backend.store_snapshot(Cx::new(&stop)).unwrap();
        let query = SymbolQuery {
            pattern,
            mode: MatchMode::Substring,
            kind,
            language: None,
            filter: &|_| true,
            with_libraries,
            limit: 4,
        };
        let answer = snapshot.search(Cx::new(&stop), &query).unwrap();
        assert_eq!(answer.completeness, Completeness::Exact, "nothing is installed");
        let name = |hit: &SymbolMatch| format!("{}:{}", hit.symbol.file, hit.symbol.name);
        (answer.value.items.iter().map(name).collect::<Vec<_>>(), answer.value.cut)
    };
    let types = |pattern: &str| found(pattern, SearchKind::Types, true).0;
    let own = "a.py:OrderedDictionary";
    assert_eq!(found("OrderedDict", SearchKind::Types, false).0, [own]);
    let dict = "lib://python!/typeshed/stdlib/collections/__init__.pyi:OrderedDict";
    let both = types("OrderedDict");
    assert!(both.contains(&own.to_owned()) && both[0] == dict, "{both:?}");
    assert!(types("ArrayIterator")[0].starts_with("lib://php!/"), "{:?}", types("ArrayIterator"));
    assert_eq!(types("HashMap"), Vec::<String>::new(), "no language of the project sees it");
    let members = found("OrderedDict.move_to_end", SearchKind::All, true).0;
    assert_eq!(members, ["lib://python!/typeshed/stdlib/collections/__init__.pyi:move_to_end"]);
    let (many, cut) = found("e", SearchKind::All, true);
    assert_eq!((many.len(), cut), (4, true));
    assert_eq!(found("OrdredDict", SearchKind::Types, true).0[0], dict, "with a typing error");
}

#[test]
fn modules_beside_the_project_are_part_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(dir.path()).unwrap();
    fill(
        &top,
        &[
            (
                "p/Cargo.toml",
                "[package]\nname = \"app\"\nedition = \"2021\"\n[dependencies]\nbeside = { path = \"../beside\" }\n",
            ),
            ("p/src/lib.rs", "use beside::part::Made;\npub fn f(m: Made) {\n    m.run();\n}\n"),
            ("beside/Cargo.toml", "[package]\nname = \"beside\"\nedition = \"2021\"\n"),
            ("beside/src/lib.rs", "pub mod part;\n"),
            ("beside/src/part.rs", "pub struct Made;\nimpl Made {\n    pub fn run(&self) {}\n}\n"),
            ("p/package.json", r#"{"name": "app", "workspaces": ["../shared"]}"#),
            (
                "p/src/a.ts",
                "import { one } from '../../shared/one';\nimport { two } from '@x/shared';\none; two;\n",
            ),
            ("shared/package.json", r#"{"name": "@x/shared", "main": "index.ts"}"#),
            ("shared/one.ts", "import { back } from '../p/src/back';\nexport const one = back;\n"),
            ("shared/index.ts", "export { two } from './two';\n"),
            ("shared/two.ts", "export const two = 2;\n"),
            ("p/src/back.ts", "export const back = 1;\n"),
        ],
    );
    let trusted = vec![Root::open(&OsFs, top.to_str().unwrap()).unwrap()];
    let opened = Opened::with(&top.join("p"), Options { trusted, ..Options::default() });
    let at = |path: &str| top.join(path).to_str().unwrap().to_owned();
    opened.answers(&[
        ("src/lib.rs", "m: ", &at("beside/src/part.rs:Made")),
        ("src/lib.rs", "m.", &at("beside/src/part.rs:run")),
        ("src/a.ts", "'@x/shared';\n", &at("shared/one.ts:one")),
        ("src/a.ts", "one; ", &at("shared/two.ts:two")),
        (&at("shared/one.ts"), "one = ", "src/back.ts:back"),
    ]);
}

#[test]
fn nothing_outside_of_the_roots_is_a_library() {
    let dir = tempfile::tempdir().unwrap();
    let (project, secret) = (dir.path().join("p"), dir.path().join("secret"));
    fill(&secret, &[("index.js", "exports.key = 1;\n")]);
    fill(&project, &[("a.js", "const { key } = require('linked');\nkey;\n"), ("node_modules/", "")]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, project.join("node_modules/linked")).unwrap();
    let opened = Opened::new(&project, Places::default());
    let stop = Stop::new();
    let snapshot = opened.backend.store_snapshot(Cx::new(&stop)).unwrap();
    for path in ["node_modules/linked/index.js", "node_modules/../../secret/index.js", "/etc/passwd"] {
        assert!(snapshot.text(&FilePath::new(path)).is_err(), "{path}");
    }
}

#[test]
fn a_package_is_shown_by_a_file_that_is_no_test() {
    let dir = tempfile::tempdir().unwrap();
    let test = ("a/a_test.go", "package a\n");
    fill(dir.path(), &[("go.mod", "module example.com/m\n"), test, ("a/b.go", "package a\nfunc F() {}\n")]);
    let opened = Opened::new(dir.path(), Places::default());
    opened.answers(&[("a/a_test.go", "package ", "a/b.go:a")]);
}
