//! Packs a folder of declaration sources into the archive of a bundled library: `pack FOLDER ARCHIVE [--names]`.
//!
//! `--names` adds the table by which files are found that declare a name (see `library/archive.rs`). The same folder
//! gives the same bytes. `cargo xtask library` brings the folder and runs this.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a program for people, with files")]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::Path;

use ide_index::{NAMES, lang, names_table};
use ide_model::Language;
use zip::write::{SimpleFileOptions, ZipWriter};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, archive, rest @ ..] = &args[..] else {
        return Err("usage: pack FOLDER ARCHIVE [--names]".into());
    };
    let mut files = BTreeMap::new();
    collect(Path::new(folder), "", &mut files)?;
    let mut zip = ZipWriter::new(std::fs::File::create(archive)?);
    let options = SimpleFileOptions::default()
        .compression_level(Some(9))
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    for (path, text) in &files {
        zip.start_file(path.as_str(), options)?;
        zip.write_all(text.as_bytes())?;
    }
    if rest.iter().any(|arg| arg == "--names") {
        let mut facts = BTreeMap::new();
        for (path, text) in &files {
            // What has no front end is not a source; the archive does not list it either.
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
