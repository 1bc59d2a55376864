//! `paths` against a project: the leading directory must exist, and the error says what works.

use ide_project_resolver::{GlobError, MemoryFs, PathGlobs};

use crate::project;

#[test]
fn a_missing_directory_names_the_working_spelling() {
    let fs = MemoryFs::default()
        .file("/w/shop/package.json", r#"{"workspaces": ["backend"]}"#)
        .file("/w/shop/backend/package.json", "{}")
        .file("/w/shop/backend/src/api/x.ts", "")
        .file("/w/shop/Docs/readme.md", "")
        .link("/shop", "/w/shop");
    let shop = project(&fs, "/shop");
    for (glob, working) in [
        ("docs/**", Some("Docs/**")),
        ("src/api/*.ts", Some("backend/src/api/*.ts")),
        ("/w/shop/backend/**", Some("backend/**")),
        ("/shop/Docs", Some("Docs")),
        ("shop/Docs/*", Some("Docs/*")),
        ("nowhere/*.ts", None),
        ("../other/**", None),
    ] {
        let error = PathGlobs::parse(&[glob]).unwrap().check(&fs, &shop).unwrap_err();
        let GlobError::NoSuchDirectory { glob: named, working: found, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!((named.as_str(), found.as_deref()), (glob, working));
        assert!(error.to_string().contains(glob), "{error}");
    }
    for fine in ["Docs", "Docs/readme.md", "backend/src/a*/x", "**/x.ts", "*.json", "!nowhere/**", "."] {
        assert_eq!(PathGlobs::parse(&[fine]).unwrap().check(&fs, &shop), Ok(()), "{fine}");
    }
}
