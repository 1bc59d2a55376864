//! The formatters that are known: how a project asks for them, where they lie, and how they are called.

use ide_model::Language;

use super::{Job, read};

/// One formatter.
pub(super) struct Formatter {
    pub(super) name: &'static str,
    pub(super) languages: &'static [Language],
    pub(super) program: &'static str,
    /// Folders of a project that have such programs.
    pub(super) places: &'static [&'static str],
    /// Files whose presence asks for it.
    pub(super) configs: &'static [&'static str],
    /// Files that ask for it when they hold a word.
    pub(super) mentions: &'static [(&'static str, &'static str)],
    pub(super) install: &'static str,
    pub(super) code: Code,
    pub(super) way: TextInput,
}

/// When a formatter of the machine runs code of the project that it formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// Its configuration is data.
    Never,
    /// Its configuration is code, or names plugins.
    Always,
    /// In a directory with one of these files, which can name another program to be run in its place.
    ChosenBy(&'static [&'static str]),
}

/// How a formatter is given its text.
#[derive(Clone, Copy)]
pub(super) enum TextInput {
    /// From standard input to standard output, with these arguments.
    Stream(fn(&Job<'_>) -> Vec<String>),
    /// A file that it rewrites, by the path of that.
    Copy(fn(&Job<'_>, &str) -> Vec<String>),
}

const NODE: &[&str] = &["node_modules/.bin"];
const VENV: &[&str] = &[".venv/bin", "venv/bin"];
const VENDOR: &[&str] = &["vendor/bin"];
const WEB: &[Language] = &[
    Language::JavaScript,
    Language::TypeScript,
    Language::Json,
    Language::Css,
    Language::Html,
    Language::Vue,
];

/// In the order in which they are taken when a project asks for none.
pub(super) const FORMATTERS: &[Formatter] = &[
    Formatter {
        name: "rustfmt",
        languages: &[Language::Rust],
        program: "rustfmt",
        places: &[],
        configs: &["rustfmt.toml", ".rustfmt.toml", "Cargo.toml"],
        mentions: &[],
        install: "rustup component add rustfmt",
        code: Code::ChosenBy(&["rust-toolchain", "rust-toolchain.toml"]),
        way: TextInput::Stream(rustfmt),
    },
    Formatter {
        name: "goimports",
        languages: &[Language::Go],
        program: "goimports",
        places: &[],
        configs: &[],
        mentions: &[
            (".golangci.yml", "goimports"),
            (".golangci.yaml", "goimports"),
            (".pre-commit-config.yaml", "go-imports"),
        ],
        install: "go install golang.org/x/tools/cmd/goimports@latest",
        code: Code::Always,
        way: TextInput::Stream(|job| vec!["-srcdir".to_owned(), path(job)]),
    },
    Formatter {
        name: "gofmt",
        languages: &[Language::Go],
        program: "gofmt",
        places: &[],
        configs: &["go.mod"],
        mentions: &[],
        install: "it comes with Go",
        code: Code::Never,
        way: TextInput::Stream(|_| Vec::new()),
    },
    Formatter {
        name: "black",
        languages: &[Language::Python],
        program: "black",
        places: VENV,
        configs: &[],
        mentions: &[
            ("pyproject.toml", "[tool.black"),
            (".pre-commit-config.yaml", "id: black"),
            ("requirements-dev.txt", "black"),
        ],
        install: "pip install black",
        code: Code::Never,
        way: TextInput::Stream(black),
    },
    Formatter {
        name: "ruff",
        languages: &[Language::Python],
        program: "ruff",
        places: VENV,
        configs: &["ruff.toml", ".ruff.toml"],
        mentions: &[
            ("pyproject.toml", "[tool.ruff"),
            (".pre-commit-config.yaml", "ruff-format"),
            ("requirements-dev.txt", "ruff"),
        ],
        install: "pip install ruff",
        code: Code::Never,
        way: TextInput::Stream(|job| words(&["format", "--stdin-filename", &path(job), "-"])),
    },
    Formatter {
        name: "biome",
        languages: WEB,
        program: "biome",
        places: NODE,
        configs: &["biome.json", "biome.jsonc"],
        mentions: &[("package.json", "\"@biomejs/biome\"")],
        install: "npm install --save-dev @biomejs/biome",
        code: Code::Never,
        way: TextInput::Stream(|job| words(&["format", &format!("--stdin-file-path={}", path(job))])),
    },
    Formatter {
        name: "prettier",
        languages: &[
            Language::JavaScript,
            Language::TypeScript,
            Language::Json,
            Language::Css,
            Language::Html,
            Language::Vue,
            Language::Svelte,
            Language::Astro,
            Language::Markdown,
            Language::Yaml,
        ],
        program: "prettier",
        places: NODE,
        configs: &[
            ".prettierrc",
            ".prettierrc.json",
            ".prettierrc.json5",
            ".prettierrc.yaml",
            ".prettierrc.yml",
            ".prettierrc.toml",
            ".prettierrc.js",
            ".prettierrc.cjs",
            ".prettierrc.mjs",
            "prettier.config.js",
            "prettier.config.cjs",
            "prettier.config.mjs",
        ],
        mentions: &[("package.json", "\"prettier\"")],
        install: "npm install --save-dev prettier",
        code: Code::Always,
        way: TextInput::Stream(|job| words(&["--stdin-filepath", &path(job)])),
    },
    Formatter {
        name: "google-java-format",
        languages: &[Language::Java],
        program: "google-java-format",
        places: &[],
        configs: &[],
        mentions: &[
            ("pom.xml", "googleJavaFormat"),
            ("pom.xml", "google-java-format"),
            ("build.gradle", "googleJavaFormat"),
            ("build.gradle.kts", "googleJavaFormat"),
            (".pre-commit-config.yaml", "google-java-format"),
        ],
        install: "put google-java-format on the search path (its releases, or a package manager)",
        code: Code::Never,
        way: TextInput::Stream(google_java_format),
    },
    Formatter {
        name: "ktfmt",
        languages: &[Language::Kotlin],
        program: "ktfmt",
        places: &[],
        configs: &[],
        mentions: &[
            ("build.gradle.kts", "ktfmt"),
            ("build.gradle", "ktfmt"),
            ("pom.xml", "ktfmt"),
            (".pre-commit-config.yaml", "ktfmt"),
        ],
        install: "put ktfmt on the search path (its releases, or a package manager)",
        code: Code::Never,
        way: TextInput::Stream(ktfmt),
    },
    Formatter {
        name: "ktlint",
        languages: &[Language::Kotlin],
        program: "ktlint",
        places: &[],
        configs: &[],
        mentions: &[
            ("build.gradle.kts", "ktlint"),
            ("build.gradle", "ktlint"),
            ("pom.xml", "ktlint"),
            (".editorconfig", "ktlint_"),
            (".pre-commit-config.yaml", "ktlint"),
        ],
        install: "put ktlint on the search path (its releases, or a package manager)",
        code: Code::Never,
        way: TextInput::Stream(|job| {
            words(&["--format", "--stdin", "--log-level=none", &format!("--stdin-path={}", path(job))])
        }),
    },
    Formatter {
        name: "php-cs-fixer",
        languages: &[Language::Php],
        program: "php-cs-fixer",
        places: VENDOR,
        configs: &[".php-cs-fixer.php", ".php-cs-fixer.dist.php"],
        mentions: &[("composer.json", "friendsofphp/php-cs-fixer")],
        install: "composer require --dev friendsofphp/php-cs-fixer",
        code: Code::Always,
        way: TextInput::Copy(php_cs_fixer),
    },
    Formatter {
        name: "pint",
        languages: &[Language::Php],
        program: "pint",
        places: VENDOR,
        configs: &["pint.json"],
        mentions: &[("composer.json", "laravel/pint")],
        install: "composer require --dev laravel/pint",
        code: Code::Always,
        way: TextInput::Copy(|job, copy| {
            let mut args = words(&["--quiet", copy]);
            args.extend(job.nearest(&["pint.json"]).map(|config| format!("--config={}", config.display())));
            args
        }),
    },
    Formatter {
        name: "mago",
        languages: &[Language::Php],
        program: "mago",
        places: VENDOR,
        configs: &["mago.toml"],
        mentions: &[("composer.json", "carthage-software/mago")],
        install: "composer require --dev carthage-software/mago",
        code: Code::Never,
        way: TextInput::Stream(|_| words(&["format", "--stdin-input"])),
    },
];

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn path(job: &Job<'_>) -> String {
    job.file.to_string_lossy().into_owned()
}

fn rustfmt(job: &Job<'_>) -> Vec<String> {
    let edition = |text: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with("edition"))?;
        let value = line.split_once('=')?.1.trim().trim_matches('"');
        (value.len() == 4 && value.bytes().all(|b| b.is_ascii_digit())).then(|| value.to_owned())
    };
    let manifests = job.folders().filter_map(|folder| read(&folder.join("Cargo.toml")));
    let edition = manifests.filter_map(|text| edition(&text)).next().unwrap_or_else(|| "2015".to_owned());
    words(&["--emit", "stdout", "--edition", &edition])
}

fn black(job: &Job<'_>) -> Vec<String> {
    let mut args = words(&["--quiet", "--stdin-filename", &path(job)]);
    if let Some((first, last)) = job.lines {
        args.push(format!("--line-ranges={first}-{last}"));
    }
    args.push("-".to_owned());
    args
}

fn google_java_format(job: &Job<'_>) -> Vec<String> {
    let mut args = words(&["--skip-sorting-imports", "--skip-removing-unused-imports"]);
    let build = job.nearest(&["pom.xml", "build.gradle.kts", "build.gradle"]).and_then(|path| read(&path));
    if build.is_some_and(|text| text.to_lowercase().contains("aosp")) {
        args.push("--aosp".to_owned());
    }
    if let Some((first, last)) = job.lines {
        args.push(format!("--lines={first}:{last}"));
    }
    args.push("-".to_owned());
    args
}

fn ktfmt(job: &Job<'_>) -> Vec<String> {
    let build = job.nearest(&["build.gradle.kts", "build.gradle", "pom.xml"]).and_then(|path| read(&path));
    let style = build.map(|text| text.to_lowercase()).filter(|text| text.contains("kotlinlang"));
    let mut args: Vec<String> = style.map(|_| "--kotlinlang-style".to_owned()).into_iter().collect();
    args.extend(words(&["--do-not-remove-unused-imports", &format!("--stdin-name={}", path(job)), "-"]));
    args
}

fn php_cs_fixer(job: &Job<'_>, copy: &str) -> Vec<String> {
    let mut args = words(&["fix", "--quiet", "--using-cache=no", "--path-mode=override"]);
    let config = job.nearest(&[".php-cs-fixer.php", ".php-cs-fixer.dist.php"]);
    args.extend(config.map(|config| format!("--config={}", config.display())));
    args.push(copy.to_owned());
    args
}
