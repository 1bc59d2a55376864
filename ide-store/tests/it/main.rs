//! The disk side against real directories. No test sleeps: what was done before a question is in its answer.

#![expect(clippy::disallowed_methods, reason = "fixtures are written to a real disk")]

mod crash;
mod dependencies;
mod freshness;
#[cfg(target_os = "linux")]
mod hostile;
mod rust_dependencies;
mod sketches;
mod special_files;
mod text_search;
mod tree;

use std::fs;
use std::path::Path;

/// Writes files below a directory; a path that ends in `/` is an empty directory.
fn fill(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        if text.is_empty() && path.as_os_str().to_string_lossy().ends_with('/') {
            fs::create_dir_all(path).expect("the directory is new");
        } else {
            fs::create_dir_all(path.parent().expect("below the root")).expect("the directory is new");
            fs::write(path, text).expect("the file is new");
        }
    }
}
