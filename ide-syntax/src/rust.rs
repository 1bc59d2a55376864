//! Rust, read by syn.

use ide_model::TextRange;

use crate::{Checked, SyntaxError};

/// The first error of a file: syn ends at it.
pub(crate) fn check(text: &str) -> Checked {
    let errors = match syn::parse_file(text) {
        Ok(_) => Vec::new(),
        Err(error) => error.into_iter().map(|error| place(text, &error)).collect(),
    };
    // Places are kept by the thread until it is told that nobody asks for them any more.
    proc_macro2::extra::invalidate_current_thread_spans();
    Checked { errors, is_final: true }
}

fn place(text: &str, error: &syn::Error) -> SyntaxError {
    let span = error.span();
    let offset = |at: proc_macro2::LineColumn| {
        let line_start =
            text.split_inclusive('\n').take(at.line.saturating_sub(1)).map(str::len).sum::<usize>();
        let rest = text.get(line_start..).unwrap_or("");
        line_start + rest.char_indices().nth(at.column).map_or(rest.len(), |(bytes, _)| bytes)
    };
    let (start, end) = (offset(span.start()), offset(span.end()));
    // An error behind the last token has no place of its own.
    let is_at_end = error.to_string().starts_with("unexpected end of input") && start == 0;
    let start = if is_at_end { text.trim_end().len() } else { start.min(text.len()) };
    SyntaxError {
        range: TextRange::new(start as u32, end.clamp(start, text.len()) as u32),
        message: error.to_string(),
    }
}
