//! Texts that clients and projects bring: cursors, encodings, build files, paths.

use std::time::Duration;

use history::{Binding, CursorError, Slots};
use ide_project_resolver::{Access, Exclusions, Libraries, MemoryFs, Project};

const BINDING: Binding<'static> = Binding { client: "c", tool: "t", project: "p" };

/// A page token of a client's making leads to what was kept, or nowhere.
pub(crate) fn cursor(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let mut slots = Slots::default();
    let entry = slots.keep(BINDING, 7, Duration::ZERO, 1);
    let issued = entry.token(3, 3);
    for cursor in [text, &*issued] {
        match slots.find(BINDING, cursor, Duration::from_secs(1)) {
            Ok(hit) => {
                assert_eq!((hit.entry, *hit.payload), (entry, 7));
                assert!(hit.page_size.is_none_or(|size| (1..=500).contains(&size)));
                if let Some(size) = hit.page_size {
                    let again = hit.entry.token(hit.offset, size);
                    assert!(slots.find(BINDING, &again, Duration::from_secs(1)).is_ok());
                }
            }
            Err(error) => {
                assert!(cursor != issued && matches!(error, CursorError::Malformed | CursorError::NotFound));
            }
        }
    }
}

/// Any file is text of bounded size, or binary.
pub(crate) fn text(input: &[u8]) {
    if let Some(text) = ide_store::decode(input) {
        assert!(text.len() <= input.len() * 3);
    }
}

/// Build files, in every place where one is looked for; and paths, of which none leads out of the project. The input is
/// the path, then the build file.
pub(crate) fn project(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (path, build_file) = text.split_once('\n').unwrap_or(("", &text));
    let mut fs =
        MemoryFs::default().file("/secret/key", "k").file("/p/a.rs", "").file("/p/src/main/java/A.java", "");
    for name in [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "setup.cfg",
        "go.mod",
        "go.work",
        "pom.xml",
        "build.gradle",
        "settings.gradle",
        "settings.gradle.kts",
        "composer.json",
        "pnpm-workspace.yaml",
        "tsconfig.json",
    ] {
        fs = fs.file(&format!("/p/{name}"), build_file);
    }
    let fs = fs.link("/p/out", "/secret");
    let project = Project::open(&fs, "/p", &[], Exclusions::default()).expect("the directory is there");
    for module in project.modules() {
        let root = module.root.as_str();
        assert!(root == "/p" || root.starts_with("/p/"), "{root}");
    }
    for access in [Access::Read, Access::Write] {
        if let Ok(file) = project.resolve_file(&fs, &Libraries::default(), path, Some("/home"), access) {
            let found = file.path.as_str();
            assert!(found == "/p" || found.starts_with("/p/"), "{path:?} leads to {found}");
        }
    }
}
