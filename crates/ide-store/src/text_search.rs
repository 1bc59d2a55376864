//! Text search over a known list of files: the engine of ripgrep, in process (engine §9, tools 3.6).
//!
//! Files are searched in parallel and reported in the order of the list. At most one match per line is
//! given. The cap is exact: `cut` is true only when one more match was really found.

#![expect(clippy::disallowed_methods, reason = "the files were listed below the contained roots")]

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::PathBuf;

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ide_model::{Capped, Cx, FilePath, QueryError, TextContext, TextMatch, TextRange, TextSearchResult};
use rayon::prelude::*;

use crate::decode::{decode, is_binary, is_utf16};

/// Larger files are skipped and counted: nobody reads them, and one would cost more than all others.
pub const MAX_TEXT_BYTES: u64 = 16 << 20;

/// Files handed to the threads at once. Small at first, so that a common word answers soon.
const FIRST_CHUNK: usize = 64;
const LARGEST_CHUNK: usize = 4_096;

/// What to look for.
#[derive(Clone, Debug)]
pub struct TextPattern {
    matcher: RegexMatcher,
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
        let build = |pattern: &str| {
            RegexMatcherBuilder::new()
                .case_insensitive(!options.case_sensitive)
                .multi_line(true)
                .fixed_strings(!options.is_regex)
                .word(options.whole_word)
                .build(pattern)
        };
        let matcher = if options.is_regex {
            // `(?R)` lets `$` stand in front of `\r\n`; the message is about the pattern as given
            let plain = build(pattern).map_err(|e| refused(format!("invalid regular expression: {e}")))?;
            build(&format!("(?R){pattern}")).unwrap_or(plain)
        } else {
            build(pattern).map_err(|e| refused(format!("the pattern cannot be searched for: {e}")))?
        };
        Ok(TextPattern { matcher, context: options.context })
    }
}

/// A file to search.
#[derive(Clone, Debug)]
pub struct SearchFile {
    /// Its name in the answer.
    pub path: FilePath,
    /// Where it is.
    pub absolute: PathBuf,
}

/// Tells for ranges of a text, in ascending order, where each stands: one answer per range.
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

/// What a search found.
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
        let results: Vec<Searched> = chunk
            .par_iter()
            .map_init(Vec::new, |buffer, file| {
                cx.check()?;
                Ok(search_file(file, pattern, per_file, classify, buffer))
            })
            .collect::<Result<_, QueryError>>()?;
        for (file, result) in chunk.iter().zip(results) {
            match result {
                Searched::Matches(matches) => {
                    for (range, context) in matches {
                        let found = TextMatch { file: file.path.clone(), range, context };
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
    Matches(Vec<(TextRange, TextContext)>),
    Binary,
    Huge,
    Unreadable(String),
}

fn search_file(
    file: &SearchFile,
    pattern: &TextPattern,
    per_file: usize,
    classify: Classify<'_>,
    buffer: &mut Vec<u8>,
) -> Searched {
    buffer.clear();
    match read(file, buffer) {
        Ok(true) => {}
        Ok(false) => return Searched::Huge,
        // gone since it was listed, and so are its matches
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Searched::Matches(Vec::new()),
        Err(e) => return Searched::Unreadable(e.to_string()),
    }
    // most files hold no match, and then nobody needs to know whether they are valid UTF-8
    if !is_utf16(buffer) {
        if is_binary(buffer) {
            return Searched::Binary;
        }
        if !pattern.matcher.is_match(buffer).unwrap_or(true) {
            return Searched::Matches(Vec::new());
        }
    }
    let Some(text) = decode(buffer) else { return Searched::Binary };
    let keep = if pattern.context.is_some() { usize::MAX } else { per_file };
    let ranges = match matches(&pattern.matcher, &text, pattern.context.is_none(), keep) {
        Ok(ranges) => ranges,
        Err(message) => return Searched::Unreadable(message),
    };
    if ranges.is_empty() {
        return Searched::Matches(Vec::new());
    }
    let contexts = classify(&file.path, &text, &ranges);
    let mut found: Vec<(TextRange, TextContext)> = ranges.into_iter().zip(contexts).collect();
    if let Some(wanted) = pattern.context {
        found.retain(|(_, context)| *context == wanted);
        let mut line_end = None;
        found.retain(|(range, _)| {
            let first_on_line = line_end.is_none_or(|end| range.start as usize > end);
            if first_on_line {
                line_end = Some(end_of_line(&text, range.start as usize));
            }
            first_on_line
        });
        found.truncate(per_file);
    }
    Searched::Matches(found)
}

/// Reads a file; false when it is too large.
fn read(file: &SearchFile, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let handle = File::open(&file.absolute)?;
    let size = handle.metadata()?.len();
    if size > MAX_TEXT_BYTES {
        return Ok(false);
    }
    buffer.reserve(usize::try_from(size).map_or(0, |size| size + 1));
    // one byte more than allowed tells a file that grew meanwhile
    handle.take(MAX_TEXT_BYTES + 1).read_to_end(buffer)?;
    Ok(buffer.len() as u64 <= MAX_TEXT_BYTES)
}

/// The matches in order; with `one_per_line` only the first that starts on each line.
fn matches(
    matcher: &RegexMatcher,
    text: &str,
    one_per_line: bool,
    keep: usize,
) -> Result<Vec<TextRange>, String> {
    let mut found = Vec::new();
    let mut at = 0;
    while found.len() < keep && at <= text.len() {
        let Some(hit) = matcher.find_at(text.as_bytes(), at).map_err(|e| e.to_string())? else { break };
        // nothing stands behind the last line ending
        if hit.start() == text.len() && (text.is_empty() || text.ends_with('\n')) {
            break;
        }
        let offset = |n: usize| u32::try_from(n).map_err(|_| "the text is too long".to_owned());
        found.push(TextRange::new(offset(hit.start())?, offset(hit.end())?));
        at = if one_per_line {
            hit.end().max(end_of_line(text, hit.start()) + 1)
        } else if hit.is_empty() {
            hit.end() + text[hit.end()..].chars().next().map_or(1, char::len_utf8)
        } else {
            hit.end()
        };
    }
    Ok(found)
}

/// The offset of the line ending behind an offset, or of the end of the text.
fn end_of_line(text: &str, from: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[from..]).map_or(text.len(), |n| from + n)
}
