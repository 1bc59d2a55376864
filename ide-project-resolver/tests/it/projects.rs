//! Which project a call means.

use ide_project_resolver::{
    AvailableProject, Case, Choice, Hint, Listing, MemoryFs, ProjectError, ProjectSettings, Projects,
};
use proptest::prelude::*;

use crate::opened;

fn disk() -> MemoryFs {
    MemoryFs::default()
        .file("/w/app/.git/HEAD", "")
        .file("/w/app/package.json", r#"{"workspaces": ["packages/*"]}"#)
        .file("/w/app/packages/ui/package.json", "{}")
        .file("/w/app/packages/ui/src/x.ts", "")
        .file("/w/app-two/pom.xml", "<project/>")
        .file("/w/trees/app/.git", "gitdir: /w/app/.git/worktrees/app")
        .file("/w/trees/app/go.mod", "module m\n")
        .file("/w/loose/notes.txt", "")
        .file("/far/gradle/build.gradle", "")
        .file("/far/file.txt", "")
        .dir("/far/plain")
        .link("/w/short", "app")
}

fn named(projects: &Projects, fs: &MemoryFs, path: &str) -> String {
    match projects.resolve(fs, Some(path), &[]) {
        Ok(Choice::Open(s)) => {
            let narrowed = s.narrowed.map(|i| s.project.content_roots()[i].canonical().to_string());
            format!(
                "{}{}",
                s.project.root().canonical(),
                narrowed.map_or(String::new(), |n| format!(" > {n}"))
            )
        }
        Ok(Choice::Load { root }) => format!("load {root}"),
        Err(e) => e.slug().to_owned(),
    }
}

#[test]
fn the_four_rules() {
    let fs = disk();
    let projects = opened(&fs, ProjectSettings::default(), &["/w/app", "/w/trees/app"]);
    for (path, want) in [
        ("/w/app", "/w/app"),
        ("/w/app/", "/w/app"),
        ("\\w\\app\\", "/w/app"),
        ("/w/short", "/w/app"),
        ("/w/short/packages/ui/", "/w/app > /w/app/packages/ui"),
        ("/w/app/packages/ui", "/w/app > /w/app/packages/ui"),
        ("/w/app/packages/ui/src/x.ts", "/w/app"),
        ("/w/app/packages/gone/x.ts", "/w/app"),
        ("/w/app/../app/packages", "/w/app"),
        ("/w/trees/app", "/w/trees/app"),
        ("/w/app-two", "project_not_found"),
        ("/w/application", "project_not_found"),
        ("w/app", "invalid_argument"),
        ("app", "invalid_argument"),
    ] {
        assert_eq!(named(&projects, &fs, path), want, "{path}");
    }
}

#[test]
fn nested_projects_and_shared_roots() {
    let fs = MemoryFs::default()
        .file("/w/settings.gradle", "include 'lib', 'app'")
        .file("/w/lib/build.gradle", "")
        .file("/w/app/settings.gradle", "include 'core'\nincludeBuild '../lib'")
        .file("/w/app/core/build.gradle", "")
        .file("/w/three/settings.gradle", "includeBuild '../lib'")
        .dir("/elsewhere");
    let trust = ProjectSettings { workspace_roots: vec!["/w".into()], ..ProjectSettings::default() };
    let all = opened(&fs, trust.clone(), &["/w", "/w/app"]);
    assert_eq!(named(&all, &fs, "/w/app/core"), "/w/app > /w/app/core", "the nearest project owns it");
    assert_eq!(named(&all, &fs, "/w/app"), "/w/app", "a project root beats a content root");
    assert_eq!(named(&all, &fs, "/w/lib"), "/w > /w/lib", "an inner content root beats an outer one");
    let outer = opened(&fs, trust, &["/w/app", "/w/three"]);
    assert_eq!(named(&outer, &fs, "/w/lib"), "multiple_projects_open", "no guess between two outer roots");
    assert_eq!(named(&outer, &fs, "/w/lib/src"), "multiple_projects_open");
    let allowed = ProjectSettings { allowed_roots: vec!["/w".into()], ..ProjectSettings::default() };
    let untrusted = opened(&fs, allowed, &["/w/app"]);
    assert!(
        untrusted.all()[0].content_roots().iter().all(|root| root.spelling() != "/w/lib"),
        "to be opened is not to be named"
    );
    let untrusted = opened(&fs, ProjectSettings::default(), &["/w/app"]);
    assert_eq!(named(&untrusted, &fs, "/w/lib"), "project_not_found");
    assert!(untrusted.all()[0].problems()[0].message.contains("lies outside of the project"));
}

#[test]
fn build_files_reach_the_rest_of_their_checkout_and_nothing_else() {
    let members = r#"{"name": "a", "workspaces": ["../b", "../../.ssh", "link"]}"#;
    let disk = |marker: &str| {
        MemoryFs::default()
            .file("/home/u/.ssh/id_rsa", "")
            .file(marker, "")
            .file("/home/u/mono/a/package.json", members)
            .link("/home/u/mono/a/link", "/home/u/.ssh")
            .file("/home/u/mono/b/package.json", "{}")
    };
    let settings = ProjectSettings {
        allowed_roots: vec!["/home/u".into()],
        home: Some("/home/u".into()),
        ..ProjectSettings::default()
    };
    let roots = |fs: &MemoryFs| {
        let projects = opened(fs, settings.clone(), &["/home/u/mono/a"]);
        projects.all()[0].content_roots().iter().map(|root| root.spelling().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(roots(&disk("/home/u/mono/.git/HEAD")), ["/home/u/mono/b"]);
    assert!(roots(&disk("/home/u/mono/a/.git/HEAD")).is_empty());
    assert!(roots(&disk("/home/u/.git/HEAD")).is_empty(), "a home directory is no checkout of one project");
}

#[test]
fn without_a_path_only_one_project_is_clear() {
    let fs = disk();
    let none = Projects::new(ProjectSettings::default());
    assert_eq!(none.resolve(&fs, None, &[]).unwrap_err(), ProjectError::NoneOpen { closed: vec![] });

    let mut one = opened(&fs, ProjectSettings::default(), &["/w/short/"]);
    for blank in [None, Some(""), Some("  ")] {
        assert!(matches!(one.resolve(&fs, blank, &[]), Ok(Choice::Open(s)) if s.project.name() == "short"));
    }
    let root = one.all()[0].root().canonical().clone();
    assert!(one.close(&root) && !one.close(&root));
    assert_eq!(
        one.resolve(&fs, None, &[]).unwrap_err(),
        ProjectError::NoneOpen { closed: vec!["/w/short".into()] }
    );

    let two = opened(&fs, ProjectSettings::default(), &["/w/app", "/w/trees/app"]);
    let error = two.resolve(&fs, None, &[]).unwrap_err();
    assert_eq!(error.slug(), "multiple_projects_open");
    let root = |path: &str| vec![path.to_owned()];
    for client in ["/w/trees/app", "/w/trees/app/go.mod"] {
        let choice = two.resolve(&fs, None, &root(client)).unwrap();
        assert!(matches!(choice, Choice::Open(s) if s.project.root().spelling() == "/w/trees/app"));
    }
    let both = vec!["/w/app".to_owned(), "/w/trees/app".to_owned()];
    assert_eq!(two.resolve(&fs, None, &both).unwrap_err().slug(), "multiple_projects_open");
}

#[test]
fn errors_carry_what_an_agent_needs() {
    let fs = disk();
    let settings =
        ProjectSettings { allowed_roots: vec!["/w".into(), "/not/there".into()], ..Default::default() };
    let projects = opened(&fs, settings, &["/w/trees/app", "/w/app"]);
    for (path, want) in [
        ("/w/missing", Hint::Missing),
        ("/far/file.txt", Hint::IsFile),
        ("/w/loose/notes.txt", Hint::IsFile),
        ("/far/plain", Hint::NoMarker),
        ("/w/loose", Hint::NoMarker),
        ("/far/gradle", Hint::NotOpen),
    ] {
        match projects.resolve(&fs, Some(path), &[]).unwrap_err() {
            ProjectError::NotFound { requested, hint, available } => {
                assert_eq!((requested.as_str(), hint, available.len()), (path, want, 3), "{path}");
            }
            other => panic!("{path}: {other:?}"),
        }
    }
    let entry = |name: &str, path: &str, workspace: Option<&str>| AvailableProject {
        name: name.into(),
        path: path.into(),
        workspace: workspace.map(str::to_owned),
    };
    let expanded = vec![
        entry("app", "/w/app", None),
        entry("ui", "/w/app/packages/ui", Some("app")),
        entry("app", "/w/trees/app", None),
    ];
    assert_eq!(projects.available(), expanded);
    let compact = ProjectSettings { listing: Listing::Compact, ..ProjectSettings::default() };
    let projects = opened(&fs, compact, &["/w/trees/app", "/w/app"]);
    assert_eq!(projects.available(), [entry("app", "/w/app", None), entry("app", "/w/trees/app", None)]);
}

#[test]
fn loading_on_demand_stays_below_allowed_roots() {
    let fs = disk();
    let settings = ProjectSettings {
        allowed_roots: vec!["~/".into()],
        home: Some("/w".into()),
        ..ProjectSettings::default()
    };
    let mut projects = Projects::new(settings);
    for (path, want) in [
        ("/w/app/packages/ui/src/x.ts", "load /w/app"),
        ("~/app", "load /w/app"),
        ("/w/short", "load /w/short"),
        ("/w/trees/app", "load /w/trees/app"),
        ("/w/app-two", "load /w/app-two"),
        ("/w/loose", "project_not_found"),
        ("/w", "project_not_found"),
        ("/far/gradle", "project_not_found"),
        ("/w/app/../../far/gradle", "project_not_found"),
    ] {
        assert_eq!(named(&projects, &fs, path), want, "{path}");
    }
    assert!(matches!(
        projects.resolve(&fs, None, &["/w/app-two".to_owned()]),
        Ok(Choice::Load { root }) if root == "/w/app-two"
    ));
    projects.open(&fs, "/w/app").unwrap();
    assert_eq!(named(&projects, &fs, "/w/app/packages/ui"), "/w/app > /w/app/packages/ui");
}

#[test]
fn one_directory_is_one_project_however_it_is_spelled() {
    let fs = MemoryFs::new(Case::Insensitive, false).file("/Disk/App/x", "").link("/link", "/Disk/App");
    let mut projects = Projects::new(ProjectSettings::default());
    for spelling in ["/disk/app", "/Disk/App/", "/link", "/DISK/x/../app"] {
        if projects.open(&fs, spelling).is_ok() {
            assert_eq!(projects.all().len(), 1, "{spelling}");
        }
    }
    assert_eq!(projects.all()[0].root().spelling(), "/disk/app", "the first spelling stays");
    assert_eq!(named(&projects, &fs, "/DISK/APP/X"), "/Disk/App");
    assert!(projects.open(&fs, "/Disk/App/x").is_err(), "a file is no project");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// No answer depends on the order in which projects were opened.
    #[test]
    fn order_does_not_matter(
        order in Just(vec!["/w", "/w/a", "/w/a/b", "/w/ab", "/x", "/x/lib"]).prop_shuffle(),
        open in 1_usize..=6,
    ) {
        let fs = MemoryFs::default()
            .file("/w/pom.xml", "<project><modules><module>a</module><module>ab</module></modules></project>")
            .file("/w/a/pom.xml", "<project><modules><module>b</module></modules></project>")
            .file("/w/a/b/pom.xml", "<project/>")
            .file("/w/ab/pom.xml", "<project><modules><module>../../x/lib</module></modules></project>")
            .file("/x/composer.json", r#"{"repositories": [{"type": "path", "url": "lib"}]}"#)
            .file("/x/lib/composer.json", "{}");
        let settings = ProjectSettings { allowed_roots: vec!["/".into()], ..Default::default() };
        let mut sorted: Vec<&str> = order[..open].to_vec();
        let shuffled = opened(&fs, settings.clone(), &sorted);
        sorted.sort_unstable();
        let straight = opened(&fs, settings, &sorted);
        prop_assert_eq!(shuffled.available(), straight.available());
        for path in ["/", "/w", "/w/a", "/w/a/b", "/w/a/b/c", "/w/ab", "/w/abc", "/x", "/x/lib", "/x/lib/y"] {
            prop_assert_eq!(named(&shuffled, &fs, path), named(&straight, &fs, path));
        }
    }
}
