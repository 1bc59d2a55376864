//! Positions of editors and of agents, and names as people type them: `cargo run -p ideindex-model --example positions`.

use ide_model::{Language, LineColumn, LineIndex, MatchMode, NameMatcher};

fn main() {
    let text = "let s = \"é\";\nlet t = 1;\n";
    let lines = LineIndex::new(text);
    // Offsets are bytes, columns are UTF-16 code units from 1.
    let at = LineColumn { line: 2, column: 5 };
    assert_eq!(lines.offset(text, at), Some(18));
    assert_eq!(lines.position(text, 18), at);

    // `USvc` finds `UserService`: capitals begin its words.
    let matcher = NameMatcher::plain("USvc", MatchMode::Substring);
    assert!(matcher.score("UserService").is_some());
    assert!(matcher.score("Order").is_none());

    assert_eq!(Language::of_path("src/main.rs"), Some(Language::Rust));
}
