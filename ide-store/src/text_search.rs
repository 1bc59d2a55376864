//! Text search over a known list of files: the engine of ripgrep, in process.
//!
//! Files are searched in parallel and reported in the order of the list. At most one match per line is
//! given. The cap is exact: `cut` is true only when one more match was really found.

use std::io::{self, Read as _};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;

use grep_matcher::{LineMatchKind, Matcher as _, NoError};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ide_index::parallel::divided;
use ide_model::{
    Capped, Cx, FilePath, FileText, QueryError, TextContext, TextMatch, TextRange, TextSearchResult,
};
use rayon::prelude::*;

use crate::decode::{decode, is_binary, is_utf16};
use crate::extract::read_once;
use crate::open::open_real;

/// Larger files are skipped and counted: nobody reads them, and one would cost more than all others.
pub const MAX_TEXT_BYTES: u64 = 16 << 20;

/// Files handed to the threads at once. Small at first, so that a common word answers soon.
const FIRST_CHUNK: usize = 64;
const LARGEST_CHUNK: usize = 4_096;
/// Files that a thread takes at once. Left alone, rayon gives out quarters of a chunk, and one thread would wait for the other.
const PER_TASK: usize = 16;

/// Bytes of a compiled expression: an ordinary one takes a hundredth of it, `a{100000}` more.
const MAX_COMPILED: usize = 2 << 20;
/// Bytes between two looks at the deadline: lines are not cut in two.
const WINDOW: usize = 64 << 10;

/// The pattern of a text search.
#[derive(Clone, Debug)]
pub struct TextPattern {
    matcher: RegexMatcher,
    /// Finds lines that may hold a match by literals inside the expression. Only for expressions that
    /// cannot match a line ending: then it gives the same answer several times faster.
    lines: Option<RegexMatcher>,
    context: Option<TextContext>,
}

/// How a pattern is to be read.
#[derive(Clone, Copy, Debug)]
pub struct TextPatternOptions {
    /// A regular expression instead of literal text. It may match across lines; `^` and `$` are the
    /// ends of lines, `\n` or `\r\n`.
    pub is_regex: bool,
    /// Upper and lower case differ.
    pub case_sensitive: bool,
    /// No letter, digit or `_` may touch the match.
    pub whole_word: bool,
    /// Only matches that stand there.
    pub context: Option<TextContext>,
}

impl TextPattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// [`QueryError::BadPattern`] when it is blank or not a regular expression.
    pub fn new(pattern: &str, options: TextPatternOptions) -> Result<TextPattern, QueryError> {
        let refused = |message: String| QueryError::BadPattern { message };
        if pattern.trim().is_empty() {
            return Err(refused("the pattern is blank".to_owned()));
        }
        // carriage returns belong to line endings, yet matches may cross them
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(!options.case_sensitive)
            .multi_line(true)
            .crlf(true)
            .line_terminator(None)
            .fixed_strings(!options.is_regex)
            .size_limit(MAX_COMPILED)
            .word(options.whole_word);
        let matcher =
            builder.build(pattern).map_err(|e| refused(format!("invalid regular expression: {e}")))?;
        let in_one_line = options.is_regex
            && matcher
                .non_matching_bytes()
                .is_some_and(|never| never.contains(b'\n') && never.contains(b'\r'));
        let lines = if in_one_line { builder.line_terminator(Some(b'\n')).build(pattern).ok() } else { None };
        let lines = lines.filter(|lines| lines.line_terminator().is_some());
        Ok(TextPattern { matcher, lines, context: options.context })
    }

    /// A position in the first line at or behind the start of `bytes` that may hold a match.
    fn candidate(&self, cx: Cx<'_>, bytes: &[u8]) -> Result<Option<usize>, QueryError> {
        let Some(lines) = &self.lines else { return Ok(sure(self.matcher.shortest_match(bytes))) };
        let mut from = 0;
        while from < bytes.len() {
            cx.check()?;
            let behind = bytes.len().min(from + WINDOW);
            let to = memchr::memchr(b'\n', &bytes[behind..]).map_or(bytes.len(), |at| behind + at + 1);
            if let Some(kind) = sure(lines.find_candidate_line(&bytes[from..to])) {
                let (LineMatchKind::Confirmed(at) | LineMatchKind::Candidate(at)) = kind;
                return Ok(Some(from + at));
            }
            from = to;
        }
        Ok(None)
    }

    /// The matches in order; with `one_per_line` only the first that starts on each line.
    fn matches(
        &self,
        cx: Cx<'_>,
        text: &str,
        one_per_line: bool,
        keep: usize,
    ) -> Result<Vec<TextRange>, QueryError> {
        let mut found = Vec::new();
        if self.lines.is_none() {
            self.matches_in(cx, text, 0..text.len(), one_per_line, keep, &mut found)?;
            return Ok(found);
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while found.len() < keep && at < text.len() {
            let Some(position) = self.candidate(cx, &bytes[at..])? else { break };
            let start = memchr::memrchr(b'\n', &bytes[at..at + position]).map_or(at, |n| at + n + 1);
            let end = end_of_line(text, at + position);
            self.matches_in(cx, text, start..end, one_per_line, keep, &mut found)?;
            at = end + 1;
        }
        Ok(found)
    }

    /// The matches inside a range that begins at the start of a line.
    fn matches_in(
        &self,
        cx: Cx<'_>,
        text: &str,
        range: Range<usize>,
        one_per_line: bool,
        keep: usize,
        found: &mut Vec<TextRange>,
    ) -> Result<(), QueryError> {
        let mut at = range.start;
        while found.len() < keep && at <= range.end {
            cx.check()?;
            let head = &text.as_bytes()[..range.end];
            let Some(hit) = sure(self.matcher.find_at(head, at)) else { break };
            // nothing stands behind the last line ending
            if hit.start() == text.len() && (text.is_empty() || text.ends_with('\n')) {
                break;
            }
            // Texts are no longer than `MAX_TEXT_BYTES`.
            found.push(TextRange::new(hit.start() as u32, hit.end() as u32));
            at = if one_per_line {
                hit.end().max(end_of_line(text, hit.start()) + 1)
            } else if hit.is_empty() {
                hit.end() + text[hit.end()..].chars().next().map_or(1, char::len_utf8)
            } else {
                hit.end()
            };
        }
        Ok(())
    }
}

/// A file to search.
#[derive(Clone, Debug)]
pub struct SearchFile {
    /// Its name in the answer.
    pub path: FilePath,
    /// The absolute path.
    pub absolute: PathBuf,
    /// It is known to be no text: counted, not read.
    pub is_binary: bool,
    /// Searched instead of the disk: an unsaved buffer, a planned edit.
    pub held: Option<FileText>,
}

/// Tells for ranges of a text, in ascending order, where each stands: one answer per range. Only asked when the
/// pattern wants a context.
pub type Classify<'a> = &'a (dyn Fn(&FilePath, &str, &[TextRange]) -> Vec<TextContext> + Sync);

/// Files that were not searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// With zero bytes.
    pub binary: usize,
    /// Above [`MAX_TEXT_BYTES`].
    pub huge: usize,
    /// That could not be read, with the reason. Files that have gone are not among them.
    pub unreadable: Vec<(FilePath, String)>,
}

/// The result of a text search.
#[derive(Clone, Debug)]
pub struct TextFound {
    /// The matches in the order of the list, then of the text.
    pub matches: Capped<TextMatch>,
    /// Files passed over up to the last match given.
    pub skipped: Skipped,
}

impl From<TextFound> for TextSearchResult {
    fn from(found: TextFound) -> TextSearchResult {
        let Skipped { binary, huge, unreadable } = found.skipped;
        TextSearchResult { matches: found.matches, skipped_files: binary + huge + unreadable.len() }
    }
}

/// Searches the files and keeps the first `limit` matches.
///
/// # Errors
/// [`QueryError::Cancelled`] or [`QueryError::DeadlineExceeded`].
pub fn search_text(
    cx: Cx<'_>,
    files: &[SearchFile],
    pattern: &TextPattern,
    limit: usize,
    classify: Classify<'_>,
) -> Result<TextFound, QueryError> {
    let mut items = Vec::new();
    let mut cut = false;
    let skipped = stream_text(cx, files, pattern, Some(limit.saturating_add(1)), classify, &mut |found| {
        if items.len() == limit {
            cut = true;
            return ControlFlow::Break(());
        }
        items.push(found);
        ControlFlow::Continue(())
    })?;
    Ok(TextFound { matches: Capped { items, cut }, skipped })
}

/// Searches the files and hands each match to `sink`, in order, until it breaks. `per_file` bounds what
/// is kept of one file before it is handed over.
///
/// # Errors
/// [`QueryError::Cancelled`] or [`QueryError::DeadlineExceeded`].
pub fn stream_text(
    cx: Cx<'_>,
    files: &[SearchFile],
    pattern: &TextPattern,
    per_file: Option<usize>,
    classify: Classify<'_>,
    sink: &mut dyn FnMut(TextMatch) -> ControlFlow<()>,
) -> Result<Skipped, QueryError> {
    let per_file = per_file.unwrap_or(usize::MAX);
    let mut skipped = Skipped::default();
    let mut rest = files;
    let mut size = FIRST_CHUNK;
    while !rest.is_empty() {
        let (chunk, tail) = rest.split_at(rest.len().min(size));
        rest = tail;
        size = (size * 4).min(LARGEST_CHUNK);
        let search = || {
            let tasks = chunk.par_iter().with_max_len(PER_TASK);
            let searched = tasks.map_init(Vec::new, |buffer, file| {
                cx.check()?;
                search_file(cx, file, pattern, per_file, classify, buffer)
            });
            searched.collect::<Result<_, QueryError>>()
        };
        let results: Vec<Searched> = divided(search)?;
        for (file, result) in chunk.iter().zip(results) {
            match result {
                Searched::Matches(ranges) => {
                    for range in ranges {
                        let found = TextMatch { file: file.path.clone(), range };
                        if sink(found).is_break() {
                            return Ok(skipped);
                        }
                    }
                }
                Searched::Binary => skipped.binary += 1,
                Searched::Huge => skipped.huge += 1,
                Searched::Unreadable(reason) => skipped.unreadable.push((file.path.clone(), reason)),
            }
        }
    }
    Ok(skipped)
}

enum Searched {
    Matches(Vec<TextRange>),
    Binary,
    Huge,
    Unreadable(String),
}

fn search_file(
    cx: Cx<'_>,
    file: &SearchFile,
    pattern: &TextPattern,
    per_file: usize,
    classify: Classify<'_>,
    buffer: &mut Vec<u8>,
) -> Result<Searched, QueryError> {
    if file.is_binary {
        return Ok(Searched::Binary);
    }
    buffer.clear();
    match read(file, buffer) {
        Ok(true) => {}
        Ok(false) => return Ok(Searched::Huge),
        // gone since it was listed, and so are its matches
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Searched::Matches(Vec::new())),
        Err(e) => return Ok(Searched::Unreadable(e.to_string())),
    }
    // most files hold no match, and then nobody needs to know whether they are valid UTF-8
    if !is_utf16(buffer) {
        if is_binary(buffer) {
            return Ok(Searched::Binary);
        }
        if pattern.candidate(cx, buffer)?.is_none() {
            return Ok(Searched::Matches(Vec::new()));
        }
    }
    let Some(text) = decode(buffer) else { return Ok(Searched::Binary) };
    let keep = if pattern.context.is_some() { usize::MAX } else { per_file };
    let mut ranges = pattern.matches(cx, &text, pattern.context.is_none(), keep)?;
    if let Some(wanted) = pattern.context.filter(|_| !ranges.is_empty()) {
        let mut contexts = classify(&file.path, &text, &ranges).into_iter();
        let mut line_end = None;
        ranges.retain(|range| {
            let is_wanted = contexts.next() == Some(wanted);
            let first_on_line = is_wanted && line_end.is_none_or(|end| range.start as usize > end);
            if first_on_line {
                line_end = Some(end_of_line(&text, range.start as usize));
            }
            first_on_line
        });
        ranges.truncate(per_file);
    }
    Ok(Searched::Matches(ranges))
}

/// Engines of expressions do not fail once they are built.
fn sure<T>(found: Result<T, NoError>) -> T {
    match found {
        Ok(found) => found,
        Err(never) => unreachable!("{never}"),
    }
}

/// Reads a file; false when it is too large.
fn read(file: &SearchFile, buffer: &mut Vec<u8>) -> io::Result<bool> {
    if let Some(held) = &file.held {
        buffer.extend_from_slice(held.text.as_bytes());
        return Ok(true);
    }
    let (handle, meta) = open_real(&file.absolute)?;
    let size = meta.len();
    if size > MAX_TEXT_BYTES {
        return Ok(false);
    }
    buffer.reserve(usize::try_from(size).map_or(0, |size| size + 1));
    if read_once(&handle, buffer)? != size {
        // one byte more than allowed tells a file that grew meanwhile
        handle.take(MAX_TEXT_BYTES + 1).read_to_end(buffer)?;
    }
    Ok(buffer.len() as u64 <= MAX_TEXT_BYTES)
}

/// The offset of the line ending behind an offset, or of the end of the text.
fn end_of_line(text: &str, from: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[from..]).map_or(text.len(), |n| from + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The way over candidate lines is only a way: the answer is that of the plain search.
    #[test]
    fn candidate_lines_change_no_answer() {
        let options = |whole_word| TextPatternOptions {
            is_regex: true,
            case_sensitive: false,
            whole_word,
            context: None,
        };
        let words = ["aError", "Error", "xyError_2", "error", "foo", "Foo bar", "a", ""];
        let mut texts = vec![String::new(), "\n".into(), "aError".into(), "\r\n\r\naError\r\n".into()];
        for (n, glue) in (0..64).zip(["\n", "\r\n", " ", "\n\n"].into_iter().cycle()) {
            let pick = |at: usize| words[(n * 7 + at * (n % 5 + 1)) % words.len()];
            texts.push((0..n).map(pick).collect::<Vec<_>>().join(glue));
        }
        let mut by_lines = 0;
        let stop = ide_model::Stop::new();
        let cx = Cx::new(&stop);
        for expression in [
            r"[a-z]+Error",
            r"\w+Error\w*",
            r"\bError",
            r"(foo|\w+ror) ?b?",
            r"a|b",
            r"[^\r\n]Err[^\r\n]*",
            r"\d",
        ] {
            for whole_word in [false, true] {
                let pattern = TextPattern::new(expression, options(whole_word)).unwrap();
                by_lines += usize::from(pattern.lines.is_some());
                let plain = TextPattern { lines: None, ..pattern.clone() };
                for (text, one_per_line) in texts.iter().flat_map(|text| [(text, false), (text, true)]) {
                    assert_eq!(
                        pattern.matches(cx, text, one_per_line, 1_000),
                        plain.matches(cx, text, one_per_line, 1_000),
                        "{expression} {text:?}"
                    );
                }
            }
        }
        assert!(by_lines > 6, "the fast way is not even taken: {by_lines}");
    }

    #[test]
    fn expressions_that_grow_are_refused_or_give_up_in_time() {
        let options =
            TextPatternOptions { is_regex: true, case_sensitive: true, whole_word: false, context: None };
        for huge in ["a{100000}", "(a{1000}){1000}", "((((((((a{8}){8}){8}){8}){8}){8}){8}){8}){8}"] {
            assert!(matches!(TextPattern::new(huge, options), Err(QueryError::BadPattern { .. })), "{huge}");
            assert_ne!(
                crate::trigrams::Need::of(huge, true),
                crate::trigrams::Need::Any(Vec::new()),
                "{huge}"
            );
        }
        let stop = ide_model::Stop::new();
        stop.stop(ide_model::StopReason::Late);
        let pattern = TextPattern::new("(a|b)*a(a|b){200}c", options).unwrap();
        let late = pattern.matches(Cx::new(&stop), &"ab".repeat(1 << 20), true, 1);
        assert_eq!(late, Err(QueryError::DeadlineExceeded));
    }
}
