//! Packs a folder of declaration sources into the archive of a bundled library: `pack FOLDER ARCHIVE [--names]
//! [--without-bodies] [--in-parts]`.
//!
//! `--in-parts` divides long files of Kotlin, each name in one part: who asks for one of thousands of functions reads a few
//! of them.
//! `--without-bodies` leaves out the bodies of functions in files of Go and Rust, formatted as their formatters do; a file
//! whose declarations would change by that stays whole. `--names` adds the table by which files are found that declare a
//! name or implement a type (see `library/archive.rs`). The same folder gives the same bytes. `cargo xtask library` brings the
//! folder and runs this.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a program for people, with files")]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::Path;

use ide_index::{Def, FILES, NAMES, lang, names_table};
use ide_model::{Language, SymbolKind};
use zip::write::{SimpleFileOptions, ZipWriter};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, archive, rest @ ..] = &args[..] else {
        return Err("usage: pack FOLDER ARCHIVE [--names] [--without-bodies] [--in-parts]".into());
    };
    let mut files = BTreeMap::new();
    collect(Path::new(folder), "", &mut files)?;
    if rest.iter().any(|arg| arg == "--without-bodies") {
        for (path, text) in &mut files {
            let bare = if path.ends_with(".rs") { without_rust_bodies(text) } else { without_bodies(text) };
            if declared(path, &bare) == declared(path, text) {
                *text = bare;
            }
        }
    }
    if rest.iter().any(|arg| arg == "--in-parts") {
        let long = files.extract_if(.., |path, text| path.ends_with(".kt") && text.len() > LONG);
        for (path, text) in long.collect::<Vec<_>>() {
            files.extend(in_parts(&path, &text).unwrap_or_else(|| BTreeMap::from([(path, text)])));
        }
    }
    let mut zip = ZipWriter::new(std::fs::File::create(archive)?);
    let options = SimpleFileOptions::default()
        // Above 9 it is zopfli, with this many rounds less 9.
        .compression_level(Some(24))
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    // The archive lists sources only.
    files.retain(|path, _| Language::of_path(path).and_then(lang::front_end).is_some());
    let (mut listed, mut blocks) = (String::new(), vec![String::new()]);
    for (path, text) in &files {
        if blocks.last().is_some_and(|block| !block.is_empty() && block.len() + text.len() > BLOCK) {
            blocks.push(String::new());
        }
        let number = blocks.len() - 1;
        blocks[number].push_str(text);
        listed.push_str(&format!("{number}\t{}\t{path}\n", text.len()));
    }
    zip.start_file(FILES, options)?;
    zip.write_all(listed.as_bytes())?;
    for (number, block) in blocks.iter().enumerate() {
        zip.start_file(number.to_string(), options)?;
        zip.write_all(block.as_bytes())?;
    }
    if rest.iter().any(|arg| arg == "--names") {
        let mut facts = BTreeMap::new();
        for (path, text) in &files {
            if let Some(front) = Language::of_path(path).and_then(lang::front_end) {
                facts.insert(path.clone(), front.facts(path, text));
            }
        }
        zip.start_file(NAMES, options)?;
        zip.write_all(names_table(&facts).as_bytes())?;
    }
    let size = zip.finish()?.metadata()?.len();
    println!("{archive}: {} files, {size} bytes", files.len());
    Ok(())
}

/// Drops the lines between the brace that ends a function's head and the one that closes its body.
fn without_bodies(text: &str) -> String {
    let mut out = String::with_capacity(text.len() / 2);
    let (mut in_head, mut in_body) = (false, false);
    for line in text.lines() {
        if in_body {
            in_body = line != "}";
            continue;
        }
        in_head |= line.starts_with("func ");
        let is_opening =
            in_head && line.ends_with(" {") && (line.starts_with("func ") || line.starts_with(')'));
        if is_opening {
            out.push_str(line.trim_end_matches(" {"));
            (in_head, in_body) = (false, true);
        } else {
            out.push_str(line);
            in_head &= !line.ends_with('}') && line.starts_with(['f', '\t', ')']);
        }
        out.push('\n');
    }
    out
}

/// The same for Rust, also inside of types and macros: a body ends at the brace below the beginning of its function.
fn without_rust_bodies(text: &str) -> String {
    const MODIFIERS: [&str; 7] = ["pub", "default", "const", "async", "unsafe", "safe", "extern"];
    let is_function = |line: &str| {
        let is_modifier =
            |word: &&str| MODIFIERS.contains(word) || word.starts_with("pub(") || word.starts_with('"');
        line.split(' ').find(|word| !is_modifier(word)) == Some("fn")
    };
    let mut out = String::with_capacity(text.len());
    // The indentation of the function whose head, or whose body, goes on.
    let (mut head, mut body): (Option<&str>, Option<&str>) = (None, None);
    for line in text.lines() {
        let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
        if let Some(of) = body {
            if indent == of && rest == "}" {
                body = None;
            }
            continue;
        }
        if is_function(rest) {
            head = Some(indent);
        }
        out.push_str(line);
        if let Some(of) = head.filter(|_| rest.ends_with([';', '{', '}'])) {
            head = None;
            if indent == of && rest.ends_with('{') {
                out.push_str(" /* … */ }");
                body = Some(of);
            }
        }
        out.push('\n');
    }
    out
}

/// Bytes of files that are compressed together, where they are more than one.
const BLOCK: usize = 64 << 10;

/// Bytes from which on a file is divided.
const LONG: usize = 12 << 10;
/// Bytes from which on a part is full.
const PART: usize = 6 << 10;

/// The parts of a file by path: `Name/first.kt` of what `Name.kt` has at its top under names from `first` on. Each begins
/// as the file does, with its imports. `None` when the parts would not declare the same.
fn in_parts(path: &str, text: &str) -> Option<BTreeMap<String, String>> {
    let facts = Language::of_path(path).and_then(lang::front_end)?.facts(path, text);
    let is_named = |def: &Def| !facts.name(def.name).is_empty() && def.import.is_none();
    let is_top = |def: &&Def| def.scope.index() == 0 && is_named(def);
    let mut tops: Vec<&Def> = facts.defs.iter().filter(is_top).collect();
    tops.sort_by_key(|def| def.range.start);
    // A declaration begins where the one before ends, so that its documentation goes along.
    let last = text.rfind("\nimport ").or_else(|| text.rfind("\npackage "))? + 1;
    let head = last + text[last..].find('\n')?;
    let mut by_name: BTreeMap<&str, String> = BTreeMap::new();
    let mut start = head;
    for def in tops {
        let end = def.range.end as usize;
        by_name.entry(facts.name(def.name)).or_default().push_str(text.get(start..end)?);
        start = end;
    }
    let mut parts: BTreeMap<String, String> = BTreeMap::new();
    let mut open: Option<String> = None;
    for (name, declarations) in by_name {
        let at = open.get_or_insert_with(|| format!("{}/{name}.kt", path.trim_end_matches(".kt")));
        let part = parts.entry(at.clone()).or_insert_with(|| text[..head].to_owned());
        part.push_str(&declarations);
        if part.len() > head + PART {
            part.push('\n');
            open = None;
        }
    }
    let sorted = |mut all: Vec<(String, SymbolKind)>| {
        all.sort();
        all
    };
    let divided = parts.iter().flat_map(|(path, text)| declared(path, text)).collect();
    (sorted(divided) == sorted(declared(path, text))).then_some(parts)
}

/// Names and kinds of what a file declares outside of functions.
fn declared(path: &str, text: &str) -> Vec<(String, SymbolKind)> {
    let Some(front) = Language::of_path(path).and_then(lang::front_end) else { return Vec::new() };
    let facts = front.facts(path, text);
    let sites = ide_index::declaration_sites(ide_index::FileId(0), &facts);
    sites.map(|(name, site)| (name.to_owned(), site.kind)).collect()
}

fn collect(at: &Path, prefix: &str, into: &mut BTreeMap<String, String>) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(at)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|name| format!("{name:?} is no text"))?;
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &path, into)?;
        } else {
            into.insert(path, std::fs::read_to_string(entry.path())?);
        }
    }
    Ok(())
}
