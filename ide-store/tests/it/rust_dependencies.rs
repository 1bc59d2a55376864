//! Packages of Cargo's registry and the standard library of Rust.

use std::path::Path;

use ide_model::{Cx, Language, Snapshot, Stop, Target};
use ide_store::Places;

use crate::dependencies::Opened;
use crate::fill;

#[test]
fn rust_paths_of_the_registry_and_the_standard_library() {
    let dir = tempfile::tempdir().unwrap();
    let (project, cargo, std) = (dir.path().join("p"), dir.path().join("cargo"), dir.path().join("library"));
    fill(
        &project,
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"app\"\nedition = \"2021\"\n[dependencies]\nouter-thing = \"1\"\n",
            ),
            ("Cargo.lock", "[[package]]\nname = \"outer-thing\"\nversion = \"1.4.2\"\n"),
            (
                "src/lib.rs",
                "use outer_thing::Made;\nuse std::collections::HashMap;\npub fn f(o: Option<u8>, m: Made, d: outer_thing::parts::deep::Far, h: HashMap<u8, u8>, b: std::path::PathBuf) {\n    o.map(|x| x);\n    Made::build();\n    std::f64::consts::PI;\n    b.join(\"x\");\n    \"s\".to_owned();\n    outer_thing::made_by!();\n}\npub fn g<T: ?Sized + Clone + Iterator>(t: T) {\n    t.collect();\n}\n#[derive(Clone, outer_thing::Outer)]\npub struct S {\n    #[outer(x)]\n    x: u8,\n}\n",
            ),
        ],
    );
    fill(
        &cargo,
        &[
            ("registry/src/index/outer-thing-1.4.2/Cargo.toml", "[package]\nname = \"outer-thing\"\n"),
            (
                "registry/src/index/outer-thing-1.4.2/src/lib.rs",
                "#[macro_use]\nmod macros;\nmod inner;\npub use self::inner::*;\npub mod parts {\n    include!(\"Parts/all.rs\");\n}\n#[proc_macro_derive(Outer, attributes(other, outer))]\npub fn derive_outer() {}\n",
            ),
            (
                "registry/src/index/outer-thing-1.4.2/src/macros.rs",
                "#[macro_export]\nmacro_rules! made_by {\n    () => {};\n}\n",
            ),
            (
                "registry/src/index/outer-thing-1.4.2/src/Parts/all.rs",
                "pub mod deep;\ninclude!(\"all.rs\");\n",
            ),
            ("registry/src/index/outer-thing-1.4.2/src/Parts/deep/mod.rs", "pub struct Far;\n"),
            (
                "registry/src/index/outer-thing-1.4.2/src/inner.rs",
                "pub struct Made;\nimpl Made {\n    pub fn build() {}\n}\n",
            ),
        ],
    );
    fill(
        &std,
        &[
            (
                "std/src/lib.rs",
                "extern crate core as kernel;\npub mod core {}\npub use kernel::option;\npub use kernel::iter;\npub mod path;\npub mod borrow;\npub mod collections;\n#[path = \"num/f64.rs\"]\npub mod f64;\n",
            ),
            ("std/src/num/f64.rs", "pub use kernel::number::consts;\n"),
            ("core/src/number.rs", "pub mod consts {\n    pub const PI: f64 = 3.0;\n}\n"),
            ("std/src/collections/mod.rs", "mod hash;\npub use hash::HashMap;\n"),
            ("std/src/collections/hash.rs", "pub struct HashMap<K, V>(K, V);\n"),
            (
                "std/src/path.rs",
                "pub struct Path;\npub struct PathBuf;\nimpl Path {\n    pub fn join(&self) {}\n}\n",
            ),
            ("std/src/borrow.rs", "pub trait ToOwned {\n    fn to_owned(&self);\n}\n"),
            ("core/src/iter.rs", "pub trait Iterator {\n    fn collect(self);\n}\n"),
            ("core/src/lib.rs", "pub mod option;\npub mod number;\npub mod iter;\n"),
            (
                "core/src/option.rs",
                "pub enum Option<T> { None, Some(T) }\nimpl<T> Option<T> {\n    pub fn map<U>(self) -> Option<U> {}\n}\n",
            ),
        ],
    );
    let places =
        Places { cargo_home: Some(cargo.clone()), rust_library: Some(std.clone()), ..Places::default() };
    let opened = Opened::new(&project, places);
    let at = |root: &Path, path: &str| root.canonicalize().unwrap().join(path).to_str().unwrap().to_owned();
    let inner = at(&cargo, "registry/src/index/outer-thing-1.4.2/src/inner.rs");
    let derive = at(&cargo, "registry/src/index/outer-thing-1.4.2/src/lib.rs:derive_outer");
    opened.answers(&[
        ("src/lib.rs", "use ", &at(&cargo, "registry/src/index/outer-thing-1.4.2/src/lib.rs:lib")),
        ("src/lib.rs", "m: ", &format!("{inner}:Made")),
        ("src/lib.rs", "Clone, outer_thing::", &derive),
        ("src/lib.rs", "    #[", &derive),
        ("src/lib.rs", "Made::", &format!("{inner}:build")),
        (
            "src/lib.rs",
            "deep::",
            &at(&cargo, "registry/src/index/outer-thing-1.4.2/src/Parts/deep/mod.rs:Far"),
        ),
        (
            "src/lib.rs",
            "thing::made",
            &at(&cargo, "registry/src/index/outer-thing-1.4.2/src/macros.rs:made_by"),
        ),
        ("src/lib.rs", "o: ", &at(&std, "core/src/option.rs:Option")),
        ("src/lib.rs", "o.", &at(&std, "core/src/option.rs:map")),
        ("src/lib.rs", "h: ", &at(&std, "std/src/collections/hash.rs:HashMap")),
        ("src/lib.rs", "consts::", &at(&std, "core/src/number.rs:PI")),
        ("src/lib.rs", "b.", &at(&std, "std/src/path.rs:join")),
        ("src/lib.rs", "\"s\".", &at(&std, "std/src/borrow.rs:to_owned")),
        ("src/lib.rs", "t.", &at(&std, "core/src/iter.rs:collect")),
    ]);
}

#[test]
fn types_flow_through_rust_packages() {
    let dir = tempfile::tempdir().unwrap();
    let (project, cargo) = (dir.path().join("p"), dir.path().join("cargo"));
    let used = "use outer::traits::*;
use outer::Made;
pub async fn f(s: outer::Short, mut all: outer::All<u8>) {
    outer::make(1).unwrap().build().part.deep();
    Made::with(2)?.lend();
    s.lend();
    for one in outer::All::<Made>::new() { one.same(); }
    outer::waited().await.of_waited();
    let (tx, _) = outer::pair::<Made>();
    tx.given().anywhere();
    Made::build().extra().part.deep();
    Some(Made::build()).map(Made::parted).unwrap().deep();
    let kind = outer::Kind::One(Made::build());
    kind.of_kind();
    match kind { outer::Kind::One(held) => held.same() }
}
";
    fill(
        &project,
        &[
            ("Cargo.toml", "[package]\nname = \"app\"\nedition = \"2021\"\n[dependencies]\nouter = \"1\"\n"),
            ("Cargo.lock", "[[package]]\nname = \"outer\"\nversion = \"1.0.0\"\n"),
            ("src/lib.rs", used),
        ],
    );
    let outer = |file: &str| format!("registry/src/index/outer-1.0.0/{file}");
    fill(
        &cargo,
        &[
            (&outer("Cargo.toml"), "[package]\nname = \"outer\"\n"),
            (
                &outer("src/lib.rs"),
                "mod error;\nmod make;\nmod rest;\npub mod traits;\nuse error::*;\npub use crate::make::{make, Made, All, pair};\n\
                 pub type Short = Made;\npub enum Kind { One(Made) }\nimpl Kind {\n    pub fn of_kind(&self) {}\n}\n\
                 pub struct Later;\npub struct Waited;\nimpl Waited {\n    pub fn of_waited(&self) {}\n}\n\
                 impl std::future::Future for Later {\n    type Output = Waited;\n}\npub fn waited() -> Later {}\n\
                 pub fn tried() -> Result<Made> {}\n",
            ),
            (
                &outer("src/error.rs"),
                "pub struct Error;\npub type Result<T> = std::result::Result<T, Error>;\n",
            ),
            (
                &outer("src/make.rs"),
                "use super::{Error, error::Result};\npub mod part;\npub struct Made { pub part: part::Part, lend: u8 }\n\
                 impl Made {\n    pub fn with(n: u8) -> Result<Self> {}\n    pub fn build(self) -> Self {}\n    pub fn lend(&self) {}\n    pub fn same(&self) {}\n    pub fn parted(self) -> part::Part {}\n}\n\
                 pub fn make(n: u8) -> Option<Made> {}\npub struct All<T>(T);\nimpl<T> All<T> {\n    pub fn new() -> Self {}\n}\n\
                 impl<T> Iterator for All<T> {\n    type Item = T;\n}\npub struct Giver<T>(T);\nimpl<T> Giver<T> {\n    pub fn given(&self) -> &T {}\n}\n\
                 pub fn pair<T>() -> (Giver<T>, u8) {}\n",
            ),
            (&outer("src/make/part.rs"), "pub struct Part;\nimpl Part {\n    pub fn deep(&self) {}\n}\n"),
            (&outer("src/rest.rs"), "impl super::Made {\n    pub fn anywhere(&self) {}\n}\n"),
            (
                &outer("src/traits.rs"),
                "pub trait Extra {\n    fn extra(self) -> Self;\n}\nimpl Extra for crate::Made {}\n",
            ),
        ],
    );
    let opened = Opened::new(&project, Places { cargo_home: Some(cargo.clone()), ..Places::default() });
    let at = |file: &str| format!("{}/{file}", cargo.canonicalize().unwrap().join(outer("src")).display());
    opened.answers(&[
        ("src/lib.rs", "unwrap().", &at("make.rs:build")),
        ("src/lib.rs", "build().", &at("make.rs:part")),
        ("src/lib.rs", "part.", &at("make/part.rs:deep")),
        ("src/lib.rs", "?.", &at("make.rs:lend")),
        ("src/lib.rs", "    s.", &at("make.rs:lend")),
        ("src/lib.rs", "one.", &at("make.rs:same")),
        ("src/lib.rs", "await.", &at("lib.rs:of_waited")),
        ("src/lib.rs", "tx.", &at("make.rs:given")),
        ("src/lib.rs", "given().", &at("rest.rs:anywhere")),
        ("src/lib.rs", "Made::build().", &at("traits.rs:extra")),
        ("src/lib.rs", "parted).unwrap().", &at("make/part.rs:deep")),
        ("src/lib.rs", "kind.", &at("lib.rs:of_kind")),
        ("src/lib.rs", "held) => held.", &at("make.rs:same")),
        ("src/lib.rs", "extra().part.", &at("make/part.rs:deep")),
    ]);
}

#[test]
fn rusts_standard_library_is_at_hand_without_its_component() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("p");
    let used = "use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::unix::*;
#[derive(Debug)]
pub struct S;
pub fn f(all: Vec<S>, s: &mut String) -> io::Result<()> {
    all.first();
    vec![1];
    write!(s, \"x\");
    let mut file = File::open(\"a\")?;
    file.read_to_string(s)?;
    file.metadata()?.modified()?.elapsed().unwrap().subsec_nanos();
    std::process::Command::new(\"x\").arg(\"y\").output()?.stdout.len();
    std::sync::Arc::new(std::sync::Mutex::new(1)).lock();
    f64::EPSILON;
    Ok(())
}
";
    fill(
        &project,
        &[("Cargo.toml", "[package]\nname = \"app\"\nedition = \"2021\"\n"), ("src/lib.rs", used)],
    );
    let opened = Opened::new(&project, Places::default());
    let at = |file: &str| format!("lib://rust!/library/{file}");
    opened.answers(&[
        ("src/lib.rs", "use std::", &at("std/src/fs.rs:fs")),
        ("src/lib.rs", "use std::fs::", &at("std/src/fs.rs:File")),
        ("src/lib.rs", "derive(", &at("core/src/fmt/mod.rs:Debug")),
        ("src/lib.rs", "all: ", &at("alloc/src/vec/mod.rs:Vec")),
        ("src/lib.rs", "all.", &at("core/src/slice/mod.rs:first")),
        ("src/lib.rs", "();\n    ", &at("alloc/src/macros.rs:vec")),
        ("src/lib.rs", "[1];\n    ", &at("core/src/macros/mod.rs:write")),
        ("src/lib.rs", "File::", &at("std/src/fs.rs:open")),
        ("src/lib.rs", "file.", &at("std/src/fs.rs:read_to_string")),
        ("src/lib.rs", "metadata()?.", &at("std/src/fs.rs:modified")),
        ("src/lib.rs", "unwrap().", &at("core/src/time.rs:subsec_nanos")),
        ("src/lib.rs", "(\"y\").", &at("std/src/process.rs:output")),
        ("src/lib.rs", "output()?.", &at("std/src/process.rs:stdout")),
        ("src/lib.rs", "new(1)).", &at("std/src/sync/poison/mutex.rs:lock")),
        ("src/lib.rs", "f64::", &at("core/src/num/f64.rs:EPSILON")),
        ("src/lib.rs", "std::os::", &at("std/src/os/unix/mod.rs:mod")),
    ]);
    let stop = Stop::new();
    let snapshot = opened.backend.store_snapshot(Cx::new(&stop)).unwrap();
    let named = |symbol: &str| {
        let target = Target::Named { language: Language::Rust, symbol: symbol.into() };
        let found = snapshot.resolve(Cx::new(&stop), &target).map(|answer| answer.value);
        found.map(|all| {
            all.iter()
                .map(|(symbol, _)| symbol.qualified_name.as_deref().unwrap_or("").to_owned())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(named("std::vec::Vec::push").unwrap(), ["std::vec::Vec::push"]);
    assert_eq!(named("std::collections::HashMap").unwrap(), ["std::collections::HashMap"]);
    assert!(named("std::vec::Vec::no_such_method").is_err());
}

#[test]
fn star_imports_of_the_standard_library_in_circles_are_followed_once() {
    let dir = tempfile::tempdir().unwrap();
    let (project, std) = (dir.path().join("p"), dir.path().join("library"));
    fill(
        &project,
        &[
            ("Cargo.toml", "[package]\nname = \"app\"\nedition = \"2021\"\n"),
            ("src/lib.rs", "use std::m0::Far;\nuse std::m0::Missing;\npub fn f(a: Far, b: Missing) {}\n"),
        ],
    );
    let modules: Vec<String> = (0..12).map(|n| format!("m{n}")).collect();
    let declared: String = modules.iter().map(|name| format!("pub mod {name};\n")).collect();
    let stars: String =
        modules.iter().map(|name| format!("pub use super::{name}::*;\npub use {name}::gone::*;\n")).collect();
    fill(&std, &[("std/src/lib.rs", &declared), ("core/src/lib.rs", "")]);
    for name in &modules {
        fill(&std, &[(&format!("std/src/{name}.rs"), &stars)]);
    }
    fill(&std, &[("std/src/m11.rs", &format!("{stars}pub struct Far;\n"))]);
    let opened = Opened::new(&project, Places { rust_library: Some(std.clone()), ..Places::default() });
    let far = std.canonicalize().unwrap().join("std/src/m11.rs");
    opened.answers(&[("src/lib.rs", "a: ", &format!("{}:Far", far.display()))]);
    assert!(opened.definition("src/lib.rs", "b: ").is_err());
}
