//! `cargo xtask docs`: the documents that follow from code and data.

use anyhow::{Context as _, Result, ensure};

use crate::{accuracy, repo};

/// Writes every generated document; with `check`, fails where one is out of date instead.
pub(crate) fn run(check: bool) -> Result<()> {
    let documents = [("docs/accuracy.md", accuracy::document()?)];
    let mut stale = Vec::new();
    for (path, text) in documents {
        let file = repo::root().join(path);
        if std::fs::read_to_string(&file).ok().as_ref() == Some(&text) {
            continue;
        }
        if check {
            stale.push(path);
        } else {
            std::fs::create_dir_all(file.parent().expect("a document lies in a folder"))?;
            std::fs::write(&file, text).with_context(|| format!("cannot write {path}"))?;
            println!("wrote {path}");
        }
    }
    ensure!(stale.is_empty(), "out of date, `cargo xtask docs` writes them: {}", stale.join(", "));
    Ok(())
}
