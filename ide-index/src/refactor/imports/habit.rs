//! The way in which a file writes its statements.

use crate::lang::imports::imports;
use crate::resolve::FileView;

/// The style of a file's statements.
pub(crate) struct Habit {
    pub(in crate::refactor) quote: char,
    pub(in crate::refactor) has_semicolons: bool,
    /// Whether the text shows it.
    #[cfg_attr(
        not(feature = "tree-sitter"),
        expect(dead_code, reason = "declarations move only with trees")
    )]
    pub(in crate::refactor) is_seen: bool,
}

impl Habit {
    pub(crate) fn of(text: &str) -> Self {
        let (single, double) = (text.matches('\'').count(), text.matches('"').count());
        let lines = || {
            text.lines()
                .map(str::trim_end)
                .filter(|line| line.starts_with("import ") || line.starts_with("export "))
        };
        let closed = |line: &&str| line.contains(" from ") || line.contains(" = ");
        let with = lines().filter(closed).filter(|line| line.ends_with(';')).count();
        let without = lines().filter(closed).filter(|line| line.ends_with(['\'', '"'])).count();
        let has_semicolons = if with + without == 0 {
            text.contains(";\n") || !text.contains('\n') || text.contains(";\r\n")
        } else {
            with >= without
        };
        Self { quote: if double > single { '"' } else { '\'' }, has_semicolons, is_seen: single + double > 0 }
    }

    /// The statement of an import, written with double quotes and a semicolon, in this way.
    pub(crate) fn styled(&self, file: &FileView, statement: &str) -> String {
        if !imports(file.language()).is_some_and(|row| row.makes_module) {
            return statement.to_owned();
        }
        let statement = statement.replace('"', &self.quote.to_string());
        if self.has_semicolons { statement } else { statement.trim_end_matches(';').to_owned() }
    }
}

impl Default for Habit {
    fn default() -> Self {
        Self { quote: '\'', has_semicolons: true, is_seen: false }
    }
}
