//! Modules and roots from real-looking build files, and the class of a path.

use ide_project_resolver::{Area, Case, MemoryFs, Project, RootKind};

use crate::project;

/// `name dir [build] sources | tests`, one line a module.
fn modules(project: &Project) -> Vec<String> {
    let list = |m: &ide_project_resolver::Module, kind| m.roots_of(kind).collect::<Vec<_>>().join(",");
    project
        .modules()
        .iter()
        .map(|m| {
            let build: Vec<String> = m.build.iter().map(ToString::to_string).collect();
            let dir = project.root().relative(&m.root).unwrap_or(m.root.as_str()).to_owned();
            format!(
                "{} {dir:?} {} {} | {}",
                m.name,
                build.join("+"),
                list(m, RootKind::Source),
                list(m, RootKind::Test)
            )
        })
        .collect()
}

fn problems(project: &Project) -> Vec<String> {
    project.problems().iter().map(|p| format!("{}: {}", p.file, p.message)).collect()
}

#[test]
fn maven() {
    let fs = MemoryFs::default()
        .file(
            "/p/pom.xml",
            "<?xml version='1.0'?><!-- <module>not</module> --><project xmlns='x'><parent><artifactId>boot</artifactId></parent>
             <artifactId>shop</artifactId><modules><module>core</module><module>web/pom-web.xml</module><module>gone</module></modules>
             <profiles><profile><modules><module>${basedir}/extra</module></modules></profile></profiles></project>",
        )
        .file("/p/core/pom.xml", "<project><artifactId>core</artifactId><build><sourceDirectory>src</sourceDirectory><testSourceDirectory>${t}</testSourceDirectory></build></project>")
        .file("/p/web/pom-web.xml", "<project/>")
        .file("/p/web/pom.xml", "<project><artifactId>web</artifactId></project>")
        .dir("/p/web/src/main/java")
        .dir("/p/web/src/main/kotlin")
        .dir("/p/web/src/main/resources")
        .dir("/p/web/src/test/java")
        .file("/p/extra/pom.xml", "<project><artifactId>broken</project>");
    let p = project(&fs, "/p");
    assert_eq!(
        modules(&p),
        [
            "shop \"\" maven  | ",
            "core \"core\" maven core/src | ",
            "extra \"extra\" maven  | ",
            "web \"web\" maven web/src/main/java,web/src/main/kotlin | web/src/test/java",
        ]
    );
    let problems = problems(&p);
    assert_eq!(problems.len(), 3, "{problems:#?}");
    assert!(problems.iter().any(|m| m.contains("`gone` does not exist")));
    assert!(problems.iter().any(|m| m.starts_with("core/pom.xml") && m.contains("${t}")));
    assert!(problems.iter().any(|m| m.starts_with("extra/pom.xml")));
}

#[test]
fn gradle() {
    let fs = MemoryFs::default()
        .file(
            "/p/settings.gradle.kts",
            "rootProject.name = \"shop\" // include(\"comment\")\n/* include(\"no\") */\ninclude(\":core\", \":api:v1\",\n  \":moved\")\n\
             include(\"$computed\")\nproject(\":moved\").projectDir = file(\"elsewhere/moved\")\nincludeBuild(\"tools\")\n",
        )
        .dir("/p/core/src/commonMain/kotlin")
        .dir("/p/core/src/commonTest/kotlin")
        .dir("/p/core/src/integrationTest/java")
        .dir("/p/api/v1/src/main/java")
        .file("/p/elsewhere/moved/build.gradle", "")
        .file("/p/tools/settings.gradle", "include 'a'\nproject(':a').projectDir = new File(settingsDir, 'x/a')")
        .dir("/p/tools/x/a");
    let p = project(&fs, "/p");
    assert_eq!(
        modules(&p),
        [
            "shop \"\" gradle  | ",
            "v1 \"api/v1\" gradle api/v1/src/main/java | ",
            "core \"core\" gradle core/src/commonMain/kotlin | core/src/commonTest/kotlin,core/src/integrationTest/java",
            "moved \"elsewhere/moved\" gradle  | ",
            "tools \"tools\" gradle  | ",
            "a \"tools/x/a\" gradle  | ",
        ]
    );
    assert_eq!(problems(&p), Vec::<String>::new());
}

#[test]
fn node_and_pnpm() {
    let fs = MemoryFs::default()
        .file(
            "/p/package.json",
            r#"{"name": "root", "workspaces": {"packages": ["packages/*", "!packages/old"]}}"#,
        )
        .file("/p/pnpm-workspace.yaml", "packages:\n  - apps/**\n")
        .file("/p/packages/a/package.json", r#"{"name": "@x/a"}"#)
        .file("/p/packages/a/node_modules/dep/package.json", "{}")
        .file("/p/packages/old/package.json", "{}")
        .dir("/p/packages/not-a-package")
        .file("/p/apps/web/package.json", "{}")
        .dir("/p/apps/web/tests")
        .file("/p/apps/web/node_modules/dep/package.json", "{}");
    let p = project(&fs, "/p");
    assert_eq!(
        modules(&p),
        [
            "root \"\" node  | ",
            "web \"apps/web\" node apps/web | apps/web/tests",
            "@x/a \"packages/a\" node packages/a | ",
            // excluded from the workspace, yet a package of its own
            "old \"packages/old\" node packages/old | ",
        ]
    );
}

#[test]
fn cargo() {
    let fs = MemoryFs::default()
        .file("/p/Cargo.toml", "[workspace]\nmembers = ['crates/*', 'xtask']\nexclude = ['crates/out']\n[workspace.dependencies]\ninner = { path = 'deep/inner' }\n")
        .file("/p/crates/a/Cargo.toml", "[package]\nname = 'a-crate'\n[lib]\npath = 'lib/a.rs'\n[dev-dependencies]\nb = { path = '../b' }")
        .dir("/p/crates/a/src")
        .dir("/p/crates/a/tests")
        .file("/p/crates/out/Cargo.toml", "")
        .file("/p/deep/inner/Cargo.toml", "[package]\nname = 'inner'")
        .file("/p/xtask/Cargo.toml", "not toml [")
        .file("/p/crates/a/target/package/x/Cargo.toml", "");
    let p = project(&fs, "/p");
    assert_eq!(
        modules(&p),
        [
            "p \"\" cargo  | ",
            "a-crate \"crates/a\" cargo crates/a/lib,crates/a/src | crates/a/tests",
            "out \"crates/out\" cargo  | ",
            "inner \"deep/inner\" cargo  | ",
            "xtask \"xtask\" cargo  | ",
        ]
    );
    assert!(problems(&p)[0].starts_with("xtask/Cargo.toml: "), "{:?}", p.problems());
}

#[test]
fn go_python_and_php() {
    let fs = MemoryFs::default()
        .file("/p/go.work", "go 1.24\n\nuse (\n\t./svc\n)\n")
        .file("/p/svc/go.mod", "module example.com/svc\n")
        .file("/p/py/pyproject.toml", "[project]\nname = 'tool'\n[tool.uv.workspace]\nmembers = ['libs/*']\n[tool.pytest.ini_options]\ntestpaths = ['checks']")
        .file("/p/py/src/tool/__init__.py", "")
        .file("/p/py/checks/test_x.py", "")
        .file("/p/py/libs/flat/pyproject.toml", "[tool.poetry]\nname = 'flat'\npackages = [{ include = 'flat', from = 'python' }]")
        .dir("/p/py/libs/flat/python")
        .file(
            "/p/php/composer.json",
            r#"{"name": "acme/php", "autoload": {"psr-4": {"Acme\\": ["src/", "more/"]}, "classmap": ["legacy"]},
                "autoload-dev": {"psr-4": {"Acme\\Tests\\": "tests/"}}, "repositories": {"own": {"type": "path", "url": "pkg/*"}}}"#,
        )
        .dir("/p/php/src")
        .dir("/p/php/legacy")
        .dir("/p/php/tests")
        .file("/p/php/pkg/one/composer.json", r#"{"name": "acme/one"}"#);
    let p = project(&fs, "/p");
    assert_eq!(
        modules(&p),
        [
            "p \"\" go  | ",
            "acme/php \"php\" composer php/legacy,php/src | php/tests",
            "acme/one \"php/pkg/one\" composer php/pkg/one | ",
            "tool \"py\" python py/src | py/checks",
            "flat \"py/libs/flat\" python py/libs/flat/python | ",
            "example.com/svc \"svc\" go svc | ",
        ]
    );
}

#[test]
fn a_build_file_cannot_widen_the_project() {
    let fs = MemoryFs::default()
        .file("/w/p/composer.json", r#"{"autoload": {"psr-4": {"X\\": "../../etc"}}, "repositories": [{"type": "path", "url": "/"}, {"type": "path", "url": "../other"}, {"type": "path", "url": "evil"}]}"#)
        .dir("/etc")
        .file("/w/other/composer.json", "{}")
        .link("/w/p/evil", "/etc");
    let p = project(&fs, "/w/p");
    assert!(p.content_roots().is_empty());
    assert_eq!(p.problems().len(), 4, "{:#?}", p.problems());
    let trusted = [ide_project_resolver::Root::open(&fs, "/w").unwrap()];
    let p = Project::open(&fs, "/w/p", &trusted, ide_project_resolver::Exclusions::default()).unwrap();
    let roots: Vec<&str> = p.content_roots().iter().map(|r| r.spelling()).collect();
    assert_eq!(roots, ["/w/other"]);
}

#[test]
fn build_files_that_are_links_are_read_inside_of_the_project_only() {
    let fs = MemoryFs::default()
        .file("/home/secret", "[workspace]\nmembers = ['sub']\n")
        .file("/w/p/real/Cargo.toml", "[workspace]\nmembers = ['sub']\n")
        .file("/w/p/sub/Cargo.toml", "")
        .link("/w/p/Cargo.toml", "/home/secret")
        .link("/w/q/Cargo.toml", "inner.toml")
        .file("/w/q/inner.toml", "[workspace]\nmembers = ['sub']\n")
        .file("/w/q/sub/Cargo.toml", "[package]\nname = 'inner'");
    let p = project(&fs, "/w/p");
    assert!(p.problems().iter().any(|problem| problem.message.contains("leads out of the project")));
    assert!(p.problems().iter().all(|problem| !problem.message.contains("workspace")));
    let q = project(&fs, "/w/q");
    assert!(q.problems().is_empty(), "{:?}", q.problems());
    assert!(q.modules().iter().any(|module| module.name == "inner"));
}

#[test]
fn circles_end() {
    let fs = MemoryFs::default()
        .file("/p/pom.xml", "<project><modules><module>a</module><module>.</module></modules></project>")
        .file(
            "/p/a/pom.xml",
            "<project><modules><module>..</module><module>link</module></modules></project>",
        )
        .link("/p/a/link", "..");
    assert_eq!(modules(&project(&fs, "/p")).len(), 2);
}

#[test]
fn a_plain_directory_is_source_up_to_its_modules() {
    let fs = MemoryFs::default()
        .file("/p/script.py", "")
        .file("/p/core/pom.xml", "<project/>")
        .dir("/p/core/src/main/java");
    let p = project(&fs, "/p");
    for (path, area) in [
        ("script.py", Area::Production),
        ("tools/x.sh", Area::Production),
        ("core/pom.xml", Area::NonSource),
        ("core/src/main/java/A.java", Area::Production),
    ] {
        assert_eq!(p.classifier().classify(path).area, area, "{path}");
    }
}

#[test]
fn classes_of_paths() {
    let fs = MemoryFs::default()
        .file("/p/pom.xml", "<project><modules><module>core</module></modules></project>")
        .file("/p/core/pom.xml", "<project/>")
        .dir("/p/core/src/main/java")
        .dir("/p/core/src/test/java")
        .dir("/p/core/src/test/resources")
        .file("/p/ui/package.json", "{}")
        .dir("/p/ui/e2e")
        .file("/p/svc/go.mod", "module m\n");
    let p = project(&fs, "/p");
    for (path, area, generated) in [
        ("core/src/main/java/com/x/FooTest.java", Area::Production, false),
        ("core/src/test/java/com/x/Foo.java", Area::Test, false),
        ("core/src/test/resources/a.json", Area::Test, false),
        ("core/target/generated-sources/x/Y.java", Area::Production, true),
        ("core/target/generated-test-sources/x/Y.java", Area::Test, true),
        ("core/src/main/java/com/generated/X.java", Area::Production, true),
        ("core/src/main/javascript/x.js", Area::NonSource, false),
        ("core/pom.xml", Area::NonSource, false),
        ("README.md", Area::NonSource, false),
        ("ui/app.ts", Area::Production, false),
        ("ui/app.spec.ts", Area::Test, false),
        ("ui/src/__tests__/app.ts", Area::Test, false),
        ("ui/e2e/login.ts", Area::Test, false),
        ("svc/api.pb.go", Area::Production, true),
        ("svc/api_test.go", Area::Test, false),
        ("/goroot/src/fmt/print.go", Area::NonSource, false),
    ] {
        let class = p.classifier().classify(path);
        assert_eq!((class.area, class.generated), (area, generated), "{path}");
    }
}

#[test]
fn names_that_the_disk_spells_otherwise_and_links() {
    let manifest = "[package]\nname = 'x'";
    let fs = MemoryFs::new(Case::Insensitive, false).file("/p/cargo.TOML", manifest).dir("/p/Src");
    assert_eq!(modules(&project(&fs, "/p")), ["x \"\" cargo Src | "]);

    let fs =
        MemoryFs::default().file("/p/Cargo.toml", manifest).dir("/p/real/in").link("/p/src", "/p/real/in");
    assert_eq!(modules(&project(&fs, "/p")), ["x \"\" cargo real/in | "]);

    let fs = MemoryFs::default().file("/p/cargo.TOML", manifest).dir("/p/Src");
    assert_eq!(modules(&project(&fs, "/p")), ["p \"\"   | "]);
}
