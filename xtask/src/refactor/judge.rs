//! The compiler's verdict on changes, and the way back.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use anyhow::{Result, bail, ensure};
use serde_json::json;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{Done, Run, Tally};
use crate::repo;

/// Errors shown of a change that is unsound.
const SHOWN: usize = 5;

/// Whether some error is found more often than without a change. One error can hide another, as names that are not found
/// hide what is wrong with types, so the count alone does not tell; nor do places and new names.
fn has_more(errors: &[String], without: &[String]) -> bool {
    !new_ones(errors, without).is_empty()
}

/// The errors that are found more often than without a change.
fn new_ones<'e>(errors: &'e [String], without: &[String]) -> Vec<&'e str> {
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for line in without {
        *left.entry(without_places(line)).or_default() += 1;
    }
    let is_new = |line: &&String| match left.get_mut(&without_places(line)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    errors.iter().filter(is_new).map(String::as_str).collect()
}

/// The words of an error without its file, its line, namespaces, and the mark of new names; ordered, as the parts of a
/// union are told in any order.
fn without_places(error: &str) -> String {
    let words = error.split_whitespace().filter(|word| !word.contains('/'));
    let names = words.map(|word| word.rsplit('\\').next().unwrap_or(word).replace("Zq", ""));
    let mut plain: Vec<String> = names.map(|name| name.replace(|c: char| c.is_ascii_digit(), "")).collect();
    plain.sort_unstable();
    plain.join(" ")
}

impl Run<'_> {
    /// Asks the compiler about the changes that were made, and takes them back.
    pub(super) fn judge(&mut self, base: &[String], mut batch: Vec<Done>, tally: &mut Tally) -> Result<()> {
        let mut errors = if batch.is_empty() { base.to_vec() } else { self.errors()? };
        while let Some(done) = batch.pop() {
            let undone = self.client.call("ide_undo", &json!({"project_path": self.root}))?;
            ensure!(!undone.is_error, "{} cannot be undone: {}", done.what, undone.value);
            // Sound changes change no count, so there is no need to look while the count is that of the start.
            // Nor once all is undone: that the tree is what it was is looked at by itself.
            let is_base = errors.len() == base.len() || batch.is_empty();
            let without = if is_base { base.to_vec() } else { self.errors()? };
            match (has_more(&errors, &without), done.was_forced) {
                (false, false) => tally.sound += 1,
                (true, false) => {
                    println!("  UNSOUND: {}\n{}", done.what, done.diff);
                    let new = new_ones(&errors, &without);
                    new.iter().take(SHOWN).for_each(|error| println!("    {error}"));
                    tally.unsound += 1;
                    tally.bad.push(done.what);
                }
                (false, true) => {
                    println!("  refused wrongly: {}: a doubt without cause", done.what);
                    tally.refused_wrongly += 1;
                }
                (true, true) => tally.refused += 1,
            }
            errors = without;
        }
        self.dirty.clear();
        Ok(())
    }

    /// The errors that the judge finds.
    pub(super) fn errors(&self) -> Result<Vec<String>> {
        let out = self.root.with_extension("out");
        fs::create_dir_all(&out)?;
        let mut shell = Command::new("sh");
        shell.args(["-c", self.subject.judge]).current_dir(&self.root);
        let output = shell.env("OUT", &out).env("TOOLS", self.tools).output()?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let errors: Vec<String> =
            text.lines().filter(|line| line.contains(self.subject.mark)).map(str::to_owned).collect();
        if !output.status.success() && errors.is_empty() {
            bail!("the judge failed: {text:.2000}");
        }
        Ok(errors)
    }

    /// A hash over all files with their paths.
    pub(super) fn digest(&self) -> Result<u128> {
        let mut all = Vec::new();
        for file in repo::walk(&self.root, |_| false)? {
            all.extend_from_slice(file.as_os_str().as_encoded_bytes());
            all.extend_from_slice(&xxh3_64(&fs::read(self.root.join(&file))?).to_le_bytes());
        }
        Ok(xxh3_128(&all))
    }
}

#[cfg(test)]
mod tests {
    use super::has_more;

    #[test]
    fn an_error_that_hid_another_one_counts() {
        let lines = |all: &[&str]| all.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let unknown = lines(&["a.rs:3:4: error: cannot find value `x`"]);
        let mismatch = lines(&["b.rs:9:1: error: mismatched types"]);
        assert!(has_more(&unknown, &mismatch) && has_more(&mismatch, &[]));
        assert!(!has_more(&[], &mismatch));
        assert!(!has_more(&unknown, &lines(&["a.rs:30:4: error: cannot find value `x`"])));
        let union = |types: &str| lines(&[&format!("a.ts(1,2): error TS1: no {types} is a number")]);
        assert!(!has_more(&union("A | B"), &union("B | A")) && has_more(&union("A | C"), &union("B | A")));
        assert!(!has_more(&lines(&["a/BZq3.php:1: unknown \\A\\C"]), &lines(&["a/B.php:1: unknown \\D\\C"])));
    }
}
