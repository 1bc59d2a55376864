//! The languages as data. A `match` on [`Language`] anywhere but here and in the language directories of the
//! index fails the tidy check: what differs between languages is a column of this table.

/// How much the embedded index knows about a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// Text search and file search only.
    Text,
    /// Structure (headings, keys, declarations) and name-level search.
    Structure,
    /// Declarations, references, resolution and types.
    Resolved,
}

/// Languages of one family share a symbol space: a Kotlin file may use a Java class, a TypeScript file a
/// JavaScript function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    Jvm,
    Python,
    Ecma,
    Go,
    Php,
    Rust,
    /// Languages without a shared symbol space.
    None,
}

macro_rules! languages {
    ($($variant:ident $name:literal $id:literal $depth:ident $family:ident [$($ext:literal)*] [$($file:literal)*] $line:expr, $block:expr;)*) => {
        /// A language that the server recognises.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Language { $($variant),* }

        /// Every language, in the order of the enum.
        pub const LANGUAGES: &[LanguageInfo] = &[$(LanguageInfo {
            language: Language::$variant, name: $name, id: $id, depth: Depth::$depth, family: Family::$family,
            extensions: &[$($ext),*], file_names: &[$($file),*], line_comment: $line, block_comment: $block,
        }),*];
    };
}

/// One row of the language table.
#[derive(Debug)]
pub struct LanguageInfo {
    pub language: Language,
    /// Display name, as tools print it and accept it (case-insensitively).
    pub name: &'static str,
    /// Language identifier of the Language Server Protocol.
    pub id: &'static str,
    pub depth: Depth,
    pub family: Family,
    /// File name extensions without the dot, lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names, case-sensitive.
    pub file_names: &'static [&'static str],
    pub line_comment: Option<&'static str>,
    pub block_comment: Option<(&'static str, &'static str)>,
}

const C_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));
const XML_BLOCK: Option<(&str, &str)> = Some(("<!--", "-->"));

languages! {
    Java "Java" "java" Resolved Jvm ["java"] [] Some("//"), C_BLOCK;
    Kotlin "Kotlin" "kotlin" Resolved Jvm ["kt" "kts"] [] Some("//"), C_BLOCK;
    Python "Python" "python" Resolved Python ["py" "pyi" "pyw"] [] Some("#"), None;
    JavaScript "JavaScript" "javascript" Resolved Ecma ["js" "jsx" "mjs" "cjs"] [] Some("//"), C_BLOCK;
    TypeScript "TypeScript" "typescript" Resolved Ecma ["ts" "tsx" "mts" "cts"] [] Some("//"), C_BLOCK;
    Go "Go" "go" Resolved Go ["go"] [] Some("//"), C_BLOCK;
    Php "PHP" "php" Resolved Php ["php" "phtml" "inc"] [] Some("//"), C_BLOCK;
    Rust "Rust" "rust" Resolved Rust ["rs"] [] Some("//"), C_BLOCK;
    Vue "Vue" "vue" Structure Ecma ["vue"] [] Some("//"), XML_BLOCK;
    Svelte "Svelte" "svelte" Structure Ecma ["svelte"] [] Some("//"), XML_BLOCK;
    Astro "Astro" "astro" Structure Ecma ["astro"] [] Some("//"), XML_BLOCK;
    Markdown "Markdown" "markdown" Structure None ["md" "markdown" "mdx"] [] None, XML_BLOCK;
    Json "JSON" "json" Structure None ["json" "jsonc" "json5"] [] Some("//"), C_BLOCK;
    Yaml "YAML" "yaml" Structure None ["yaml" "yml"] [] Some("#"), None;
    Toml "TOML" "toml" Structure None ["toml"] ["Cargo.lock" "poetry.lock"] Some("#"), None;
    Html "HTML" "html" Structure None ["html" "htm" "xhtml"] [] None, XML_BLOCK;
    Xml "XML" "xml" Structure None ["xml" "xsd" "xsl" "svg"] [] None, XML_BLOCK;
    Css "CSS" "css" Structure None ["css" "scss" "less"] [] None, C_BLOCK;
    Sql "SQL" "sql" Structure None ["sql"] [] Some("--"), C_BLOCK;
    Shell "Shell" "shellscript" Structure None ["sh" "bash" "zsh"] ["Makefile"] Some("#"), None;
    C "C" "c" Structure None ["c" "h"] [] Some("//"), C_BLOCK;
    Cpp "C++" "cpp" Structure None ["cc" "cpp" "cxx" "hh" "hpp" "hxx"] [] Some("//"), C_BLOCK;
    CSharp "C#" "csharp" Structure None ["cs"] [] Some("//"), C_BLOCK;
    Ruby "Ruby" "ruby" Structure None ["rb" "rake"] ["Gemfile" "Rakefile"] Some("#"), None;
    Swift "Swift" "swift" Structure None ["swift"] [] Some("//"), C_BLOCK;
    Scala "Scala" "scala" Structure None ["scala" "sc"] [] Some("//"), C_BLOCK;
    PlainText "Text" "plaintext" Text None ["txt"] [] None, None;
}

impl Language {
    /// The row of this language.
    pub fn info(self) -> &'static LanguageInfo {
        &LANGUAGES[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.info().name
    }

    pub fn family(self) -> Family {
        self.info().family
    }

    /// Whether names of the language have a character: of JavaScript also `$`, as in `this.$emit`.
    pub fn has_in_names(self, c: char) -> bool {
        c.is_alphanumeric() || c == '_' || c == '$' && self.family() == Family::Ecma
    }

    /// True when the index resolves names of this language.
    pub fn is_resolved(self) -> bool {
        self.info().depth == Depth::Resolved
    }

    /// The language of a path by its file name or extension; `None` for anything unknown.
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        if let Some(row) = LANGUAGES.iter().find(|row| row.file_names.contains(&name)) {
            return Some(row.language);
        }
        let ext = name.rsplit_once('.')?.1;
        LANGUAGES
            .iter()
            .find(|row| row.extensions.iter().any(|e| e.eq_ignore_ascii_case(ext)))
            .map(|row| row.language)
    }

    /// The language with this display name or identifier, case-insensitively; a few names that clients use
    /// for a language of ours are accepted too (`ts`, `js`, `py`, `golang`, `kt`).
    pub fn by_name(name: &str) -> Option<Self> {
        LANGUAGES
            .iter()
            .find(|row| {
                row.name.eq_ignore_ascii_case(name)
                    || row.id.eq_ignore_ascii_case(name)
                    || row.extensions.first().is_some_and(|e| e.eq_ignore_ascii_case(name))
            })
            .map(|row| row.language)
            .or_else(|| name.eq_ignore_ascii_case("golang").then_some(Self::Go))
    }

    /// The language whose enum value is `raw`, for decoding.
    pub fn from_u8(raw: u8) -> Option<Self> {
        LANGUAGES.get(usize::from(raw)).map(|row| row.language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enum_and_extensions_are_unique() {
        let mut seen = std::collections::HashSet::new();
        for (i, row) in LANGUAGES.iter().enumerate() {
            assert_eq!(row.language as usize, i, "{}", row.name);
            for ext in row.extensions {
                assert!(seen.insert(*ext), "extension {ext} stands twice");
            }
        }
    }

    #[test]
    fn languages_are_found_by_path_and_by_name() {
        assert_eq!(Language::of_path("a/b/Foo.JAVA"), Some(Language::Java));
        assert_eq!(Language::of_path("x\\y.tsx"), Some(Language::TypeScript));
        assert_eq!(Language::of_path("Makefile"), Some(Language::Shell));
        assert_eq!(Language::of_path("noext"), None);
        assert_eq!(Language::by_name("typescript"), Some(Language::TypeScript));
        assert_eq!(Language::by_name("PY"), Some(Language::Python));
        assert_eq!(Language::by_name("golang"), Some(Language::Go));
        assert_eq!(Language::by_name("cobol"), None);
    }
}
