//! The dependencies of modules, by build files and lock files of every ecosystem.

use ide_project_resolver::{DependencyReport, MemoryFs, dependencies};

fn report(fs: &MemoryFs) -> DependencyReport {
    dependencies(fs, &crate::project(fs, "/p"), None)
}

/// `module: name declared -> version SCOPE`, with `^` in front of what is needed in turn and `@` before modules.
fn rows(fs: &MemoryFs) -> Vec<String> {
    let report = report(fs);
    assert_eq!(report.problems, []);
    let row = |d: &ide_project_resolver::Dependency| {
        let mark = if d.is_module { "@" } else { "" };
        let mark = if d.is_direct { mark.to_owned() } else { format!("^{mark}") };
        let (declared, version) = (d.declared.as_deref().unwrap_or("-"), d.version.as_deref().unwrap_or("-"));
        format!("{}: {mark}{} {declared} -> {version} {}", d.module, d.name, d.scope)
    };
    let mut rows: Vec<String> = report.dependencies.iter().map(row).collect();
    rows.sort_by_key(|row| row.replace(['^', '@'], ""));
    rows
}

#[test]
fn cargo_with_a_workspace_and_its_lock_file() {
    let fs = MemoryFs::default()
        .file("/p/Cargo.toml", "[workspace]\nmembers=['a','b']\n[workspace.dependencies]\nserde={version='1.0',features=['x']}\n")
        .file("/p/a/Cargo.toml", "[package]\nname='a'\n[dependencies]\nserde={workspace=true}\nb={path='../b'}\nre={package='regex',version='1'}\n[dev-dependencies]\ntempfile='3'\n[target.'cfg(unix)'.dependencies]\nlibc='0.2'\n")
        .file("/p/b/Cargo.toml", "[package]\nname='b'\n")
        .file("/p/Cargo.lock", "[[package]]\nname='a'\nversion='0.1.0'\ndependencies=['b','libc','regex','serde','tempfile']\n[[package]]\nname='b'\nversion='0.2.0'\n[[package]]\nname='serde'\nversion='1.0.9'\nsource='r'\n[[package]]\nname='regex'\nversion='1.2.0'\nsource='r'\ndependencies=['memchr 2.1.0']\n[[package]]\nname='memchr'\nversion='1.0.0'\nsource='r'\n[[package]]\nname='memchr'\nversion='2.1.0'\nsource='r'\n[[package]]\nname='tempfile'\nversion='3.9.0'\nsource='r'\ndependencies=['fastrand','memchr 1.0.0']\n[[package]]\nname='fastrand'\nversion='2.0.0'\nsource='r'\n[[package]]\nname='libc'\nversion='0.2.5'\nsource='r'\n");
    assert_eq!(
        rows(&fs),
        [
            "a: @b - -> 0.2.0 COMPILE",
            "a: ^fastrand - -> 2.0.0 TEST",
            "a: libc 0.2 -> 0.2.5 COMPILE",
            "a: ^memchr - -> 1.0.0 TEST",
            "a: ^memchr - -> 2.1.0 COMPILE",
            "a: regex 1 -> 1.2.0 COMPILE",
            "a: serde 1.0 -> 1.0.9 COMPILE",
            "a: tempfile 3 -> 3.9.0 TEST",
        ]
    );
    assert!(report(&fs).unlocked.is_empty());
}

#[test]
fn npm_with_nested_packages_and_workspaces() {
    let fs = MemoryFs::default()
        .file("/p/package.json", r#"{"name":"top","workspaces":["packages/*"],"devDependencies":{"jest":"^29"}}"#)
        .file("/p/packages/x/package.json", r#"{"name":"x","dependencies":{"y":"*","left":"^1.0.0"},"peerDependencies":{"react":">=18"}}"#)
        .file("/p/packages/y/package.json", r#"{"name":"y"}"#)
        .file("/p/package-lock.json", r#"{"lockfileVersion":3,"packages":{
            "":{"workspaces":["packages/*"]},"packages/x":{"version":"1.0.0"},"packages/y":{"version":"1.1.0","dependencies":{"left":"^2"}},
            "node_modules/x":{"resolved":"packages/x","link":true},"node_modules/y":{"resolved":"packages/y","link":true},
            "node_modules/left":{"version":"2.0.0"},"packages/x/node_modules/left":{"version":"1.0.5","dependencies":{"pad":"1"}},
            "packages/x/node_modules/left/node_modules/pad":{"version":"1.1.1"},
            "node_modules/jest":{"version":"29.7.0","dependencies":{"@jest/core":"29"}},"node_modules/@jest/core":{"version":"29.6.0"},
            "node_modules/react":{"version":"18.2.0"}}}"#);
    assert_eq!(
        rows(&fs),
        [
            "top: jest ^29 -> 29.7.0 TEST",
            "top: ^@jest/core - -> 29.6.0 TEST",
            "x: ^left - -> 2.0.0 COMPILE",
            "x: left ^1.0.0 -> 1.0.5 COMPILE",
            "x: ^pad - -> 1.1.1 COMPILE",
            "x: react >=18 -> 18.2.0 PROVIDED",
            "x: @y * -> 1.1.0 COMPILE",
        ]
    );
}

const PACKAGE: &str = r#"{"name":"top","dependencies":{"@a/b":"^1.0.0"},"devDependencies":{"c":"~2.0.0"}}"#;
const LOCKED: [&str; 3] =
    ["top: @a/b ^1.0.0 -> 1.2.0 COMPILE", "top: c ~2.0.0 -> 2.0.3 TEST", "top: ^d - -> 3.0.0 COMPILE"];

#[test]
fn pnpm_yarn_and_bun_say_the_same() {
    for (name, lock) in [
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      '@a/b':\n        specifier: ^1.0.0\n        version: 1.2.0(c@2.0.3)\n    devDependencies:\n      c:\n        specifier: ~2.0.0\n        version: 2.0.3\n\npackages:\n\n  '@a/b@1.2.0':\n    resolution: {integrity: sha512-x}\n    peerDependencies:\n      c: '*'\n\n  c@2.0.3:\n    resolution: {integrity: sha512-x}\n\n  d@3.0.0:\n    resolution: {integrity: sha512-x}\n\nsnapshots:\n\n  '@a/b@1.2.0(c@2.0.3)':\n    dependencies:\n      d: 3.0.0\n\n  c@2.0.3: {}\n\n  d@3.0.0: {}\n",
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: 5.4\nspecifiers:\n  '@a/b': ^1.0.0\ndependencies:\n  '@a/b': 1.2.0_c@2.0.3\ndevDependencies:\n  c: 2.0.3\npackages:\n  /@a/b/1.2.0_c@2.0.3:\n    dependencies:\n      d: 3.0.0\n    dev: false\n  /c/2.0.3:\n    dev: true\n  /d/3.0.0:\n    dev: false\n",
        ),
        (
            "yarn.lock",
            "# yarn lockfile v1\n\n\n\"@a/b@^1.0.0\", \"@a/b@^1.1.0\":\n  version \"1.2.0\"\n  resolved \"x\"\n  dependencies:\n    d \"^3.0.0\"\n\nc@~2.0.0:\n  version \"2.0.3\"\n\nd@^3.0.0:\n  version \"3.0.0\"\n",
        ),
        (
            "yarn.lock",
            "__metadata:\n  version: 8\n\n\"@a/b@npm:^1.0.0\":\n  version: 1.2.0\n  resolution: \"@a/b@npm:1.2.0\"\n  dependencies:\n    d: \"npm:^3.0.0\"\n  languageName: node\n\n\"c@npm:~2.0.0\":\n  version: 2.0.3\n\n\"d@npm:^3.0.0\":\n  version: 3.0.0\n\n\"top@workspace:.\":\n  version: 0.0.0-use.local\n",
        ),
        (
            "bun.lock",
            "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {\"\": {\"name\": \"top\",},},\n  \"packages\": {\n    \"@a/b\": [\"@a/b@1.2.0\", \"\", { \"dependencies\": { \"d\": \"^3.0.0\" } }, \"sha\"],\n    \"c\": [\"c@2.0.3\", \"\", {}, \"sha\"],\n    \"d\": [\"d@3.0.0\", \"\", {}, \"sha\"],\n  }\n}\n",
        ),
        (
            "package-lock.json",
            r#"{"lockfileVersion":1,"dependencies":{"@a/b":{"version":"1.2.0","requires":{"d":"^3.0.0"},"dependencies":{"d":{"version":"3.0.0"}}},"c":{"version":"2.0.3","dev":true}}}"#,
        ),
    ] {
        let fs = MemoryFs::default().file("/p/package.json", PACKAGE).file(&format!("/p/{name}"), lock);
        assert_eq!(rows(&fs), LOCKED, "{name}: {lock}");
    }
}

#[test]
fn go_names_every_module_and_what_replaces_it() {
    let fs = MemoryFs::default().file("/p/go.mod", "module m\n\ngo 1.22\n\nrequire (\n\ta.org/x v1.0.0\n\tb.org/y v0.1.0 // indirect\n)\n\nrequire c.org/z v2.0.0 // used\n\nreplace a.org/x => a.org/fork v1.0.1\n");
    assert_eq!(
        rows(&fs),
        [
            "m: a.org/x v1.0.0 -> v1.0.1 COMPILE",
            "m: ^b.org/y - -> v0.1.0 COMPILE",
            "m: c.org/z v2.0.0 -> v2.0.0 COMPILE",
        ]
    );
}

#[test]
fn python_by_all_of_its_tools() {
    let uv = "[[package]]\nname='x'\nversion='0.1'\nsource={editable='.'}\ndependencies=[{name='requests'}]\n[[package]]\nname='requests'\nversion='2.31.0'\ndependencies=[{name='urllib3'}]\n[[package]]\nname='urllib3'\nversion='2.0.0'\n[[package]]\nname='pytest'\nversion='8.0.0'\n";
    let project = "[project]\nname='x'\ndependencies=['requests[socks]>=2; python_version>\"3\"']\n[dependency-groups]\ntest=['pytest']\n";
    let expected =
        ["x: pytest - -> 8.0.0 TEST", "x: requests >=2 -> 2.31.0 COMPILE", "x: ^urllib3 - -> 2.0.0 COMPILE"];
    let fs = MemoryFs::default().file("/p/pyproject.toml", project).file("/p/uv.lock", uv);
    assert_eq!(rows(&fs), expected);
    let poetry = "[tool.poetry]\nname='x'\n[tool.poetry.dependencies]\npython='^3.11'\nrequests={version='>=2',extras=['socks']}\n[tool.poetry.group.dev.dependencies]\npytest='*'\n";
    let lock = "[[package]]\nname='requests'\nversion='2.31.0'\n[package.dependencies]\nurllib3='>=1'\n[[package]]\nname='urllib3'\nversion='2.0.0'\n[[package]]\nname='pytest'\nversion='8.0.0'\n";
    let fs = MemoryFs::default().file("/p/pyproject.toml", poetry).file("/p/poetry.lock", lock);
    assert_eq!(
        rows(&fs),
        [expected[0].replace('-', "*").replace("*>", "->"), expected[1].to_owned(), expected[2].to_owned()]
    );
    let fs = MemoryFs::default()
        .file("/p/Pipfile", "[packages]\nrequests='>=2'\n[dev-packages]\npytest='*'\n")
        .file("/p/Pipfile.lock", r#"{"default":{"requests":{"version":"==2.31.0"},"urllib3":{"version":"==2.0.0"}},"develop":{"pytest":{"version":"==8.0.0"}}}"#);
    assert_eq!(
        rows(&fs),
        ["p: pytest * -> 8.0.0 TEST", "p: requests >=2 -> 2.31.0 COMPILE", "p: ^urllib3 - -> 2.0.0 COMPILE"]
    );
    let fs = MemoryFs::default()
        .file("/p/setup.cfg", "[metadata]\nname = x\n[options]\ninstall_requires =\n    requests>=2\n    six\n[options.extras_require]\nfast = numpy\n")
        .file("/p/requirements.txt", "-r base.txt\nrequests==2.31.0 --hash=sha256:x\n# no\nhttps://x.org/y.whl\n")
        .file("/p/base.txt", "six==1.16.0 # why\n")
        .file("/p/requirements-dev.txt", "pytest\n");
    assert_eq!(
        rows(&fs),
        [
            "p: numpy - -> - RUNTIME",
            "p: pytest - -> - TEST",
            "p: requests >=2 -> - COMPILE",
            "p: six - -> - COMPILE",
        ]
    );
}

#[test]
fn composer_with_and_without_its_lock_file() {
    let package =
        r#"{"name":"x/y","require":{"php":">=8","ext-json":"*","a/b":"^1"},"require-dev":{"p/unit":"^10"}}"#;
    let lock = r#"{"packages":[{"name":"a/b","version":"v1.4.0","require":{"php":">=7","psr/log":"1"}},{"name":"psr/log","version":"1.1.4"}],"packages-dev":[{"name":"p/unit","version":"10.1.0"}]}"#;
    let fs = MemoryFs::default().file("/p/composer.json", package);
    assert_eq!(rows(&fs), ["x/y: a/b ^1 -> - COMPILE", "x/y: p/unit ^10 -> - TEST"]);
    assert_eq!(report(&fs).unlocked.len(), 1);
    let fs = fs.file("/p/composer.lock", lock);
    assert_eq!(
        rows(&fs),
        [
            "x/y: a/b ^1 -> 1.4.0 COMPILE",
            "x/y: p/unit ^10 -> 10.1.0 TEST",
            "x/y: ^psr/log - -> 1.1.4 COMPILE"
        ]
    );
}

#[test]
fn gradle_scripts_catalogues_and_lock_files() {
    let kotlin = "plugins { id(\"java\") }\nval ktor = \"2.3.0\"\ndependencies {\n  implementation(project(\":core\"))\n  api(\"io.ktor:ktor:$ktor\")\n  implementation(libs.foo.bar)\n  testImplementation(libs.bundles.testing) // both\n  implementation(platform(\"g:bom:1\"))\n  runtimeOnly(\"r:r:1.+\")\n  implementation(kotlin(\"stdlib\"))\n  constraints { implementation(\"no:no:1\") }\n}\n";
    let groovy = "buildscript { dependencies { classpath 'no:plugin:1' } }\ndependencies {\n  compileOnly group: 'g', name: 'n', version: '1.0'\n  testImplementation 'a:b:1.0', 'c:d:2.0'\n}\n";
    let fs = MemoryFs::default()
        .file("/p/settings.gradle.kts", "include(\":app\", \":core\")\n")
        .file("/p/gradle/libs.versions.toml", "[versions]\nfoo='1.5'\n[libraries]\nfoo-bar={module='f:bar',version.ref='foo'}\njunit={group='j',name='unit',version='5'}\nmockk='m:ockk:1.1'\n[bundles]\ntesting=['junit','mockk']\n")
        .file("/p/app/build.gradle.kts", kotlin)
        .file("/p/core/build.gradle", groovy)
        .file("/p/core/gradle.lockfile", "# head\na:b:1.0.1=testCompileClasspath,testRuntimeClasspath\ne:f:3.0=runtimeClasspath\nempty=\n");
    assert_eq!(
        rows(&fs),
        [
            "app: @core - -> - COMPILE",
            "app: f:bar 1.5 -> 1.5 COMPILE",
            "app: g:bom 1 -> 1 COMPILE",
            "app: io.ktor:ktor 2.3.0 -> 2.3.0 COMPILE",
            "app: j:unit 5 -> 5 TEST",
            "app: m:ockk 1.1 -> 1.1 TEST",
            "app: org.jetbrains.kotlin:kotlin-stdlib - -> - COMPILE",
            "app: r:r 1.+ -> - RUNTIME",
            "core: a:b 1.0 -> 1.0.1 TEST",
            "core: c:d 2.0 -> 2.0 TEST",
            "core: ^e:f - -> 3.0 RUNTIME",
            "core: g:n 1.0 -> 1.0 PROVIDED",
        ]
    );
}

#[test]
fn broken_files_are_told_and_do_not_hide_the_rest() {
    let fs = MemoryFs::default()
        .file("/p/a/package.json", r#"{"name":"a","dependencies":{"x":"1"}}"#)
        .file("/p/a/package-lock.json", "{")
        .file("/p/b/go.mod", "module b\nrequire y.org/z v1.0.0\n");
    let report = report(&fs);
    assert_eq!(report.problems.len(), 1);
    assert!(report.problems[0].message.contains("package-lock.json"));
    let names: Vec<&str> = report.dependencies.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["x", "y.org/z"]);
}
