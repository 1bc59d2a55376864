//! Questions to git about objects and names of objects only: no hook, filter or program that a repository names runs for them.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use ide_model::{Cx, FilePath};
use ide_toolchain::{Limits, Overflow, Program, RunError, run};
use ide_tools::{Changed, ToolError};

/// How long git may take, and how much it may say.
const GIT: Limits = Limits { time: Duration::from_secs(10), output: 64 << 20, overflow: Overflow::Fail };

/// Why git has no answer.
enum Silent {
    Missing,
    Said(String),
    Failed(RunError),
}

/// The output of git; `None` when it is not there or has no answer.
pub(crate) fn asked(cx: Cx<'_>, root: &Path, args: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    ask(cx, root, args, input).ok()
}

fn ask(cx: Cx<'_>, root: &Path, args: &[&str], input: &[u8]) -> Result<Vec<u8>, Silent> {
    let search = std::env::var_os("PATH").ok_or(Silent::Missing)?;
    let mut places = std::env::split_paths(&search).filter(|folder| folder.is_absolute());
    let git = places.find_map(|folder| Some(folder.join("git")).filter(|git| git.is_file()));
    let git = git.filter(|git| !git.starts_with(root)).ok_or(Silent::Missing)?;
    let still = ["--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false"];
    let mut program = Program::new(&git, root).args(still.iter().chain(args).copied());
    // Missing objects are not fetched: the repository would name the program.
    let set = [("GIT_ALLOW_PROTOCOL", "none"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_OPTIONAL_LOCKS", "0")];
    program.env.extend(set.map(|(name, value)| (name.into(), Some(value.into()))));
    // The repository is the one around the folder, whatever our own environment says.
    let ours = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"];
    program.env.extend(ours.map(|name| (name.into(), None)));
    let done = run(cx, &program, input, GIT).map_err(Silent::Failed)?;
    if !done.status.success() {
        return Err(Silent::Said(
            String::from_utf8_lossy(&done.err.whole().unwrap_or_default()).trim().to_owned(),
        ));
    }
    done.out.whole().ok_or(Silent::Missing)
}

/// The files of a project that differ from a revision, or are not in it, and the files of the revision that are gone. A file
/// whose line ends a checkout rewrites counts as different.
///
/// # Errors
/// `no_git`, `unknown_revision`; when the call is stopped.
pub(crate) fn changed_since(
    cx: Cx<'_>,
    root: &Path,
    revision: &str,
    files: &[FilePath],
) -> Result<Changed, ToolError> {
    let failed = |silent: Silent| match silent {
        Silent::Missing => ToolError::new("no_git", "git is not installed, so nothing is known of revisions")
            .hint("give `files` instead of `changedSince`"),
        Silent::Failed(RunError::Stopped(error)) => error.into(),
        Silent::Failed(error) => ToolError::new("no_git", format!("git {error}")).retryable(),
        Silent::Said(why) if why.contains("not a git repository") => {
            ToolError::new("no_git", "the project is in no git repository")
                .hint("give `files` instead of `changedSince`")
        }
        // A file that is gone since it was listed, for one.
        Silent::Said(why) => ToolError::new("no_git", format!("git failed: {why}")).retryable(),
    };
    let no_revision = |silent: Silent| match silent {
        Silent::Said(why) if !why.contains("not a git repository") => {
            ToolError::new("unknown_revision", format!("git knows no revision `{revision}`: {why}"))
                .hint("give a commit, a branch or a tag, e.g. `HEAD` or `main`")
        }
        silent => failed(silent),
    };
    let commit = format!("{revision}^{{commit}}");
    let found =
        ask(cx, root, &["rev-parse", "--verify", "--end-of-options", &commit], b"").map_err(no_revision)?;
    let commit = String::from_utf8_lossy(&found).trim().to_owned();
    let listed = ask(cx, root, &["ls-tree", "-r", "-z", &commit], b"").map_err(failed)?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    // `mode type id<tab>path`, relative to the folder where git runs.
    let mut known: HashMap<&str, &str> = listed
        .split('\0')
        .filter_map(|entry| entry.split_once('\t'))
        .filter_map(|(head, path)| Some((path, head.rsplit(' ').next()?)))
        .collect();
    let mut changed = Changed::default();
    let mut both = Vec::new();
    for file in files {
        let path = file.as_str();
        match known.remove(path) {
            _ if Path::new(path).is_absolute() => {}
            // Git reads a path a line, and one that begins with a quotation mark as a quoted one.
            Some(id) if !path.contains('\n') && !path.starts_with('"') => both.push((file, id)),
            _ => changed.files.push(file.clone()),
        }
    }
    let names: String = both.iter().map(|(file, _)| format!("{file}\n")).collect();
    let hashes =
        ask(cx, root, &["hash-object", "--no-filters", "--stdin-paths"], names.as_bytes()).map_err(failed)?;
    let hashes = String::from_utf8_lossy(&hashes).into_owned();
    let hashes: Vec<&str> = hashes.lines().collect();
    if hashes.len() != both.len() {
        return Err(ToolError::new("no_git", "git did not say which files changed").retryable());
    }
    changed.files.extend(
        both.iter().zip(hashes).filter(|((_, id), hash)| id != hash).map(|((file, _), _)| (*file).clone()),
    );
    changed.files.sort();
    changed.gone = known.into_keys().filter(|path| !root.join(path).exists()).map(FilePath::new).collect();
    changed.gone.sort();
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use ide_model::Stop;

    use super::*;

    #[test]
    fn what_differs_from_a_revision_is_found_without_running_anything_of_the_repository() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let never = Stop::new();
        let git = |args: &[&str]| ask(Cx::new(&never), root, args, b"");
        if git(&["--version"]).is_err() {
            return;
        }
        let files = |names: &[&str]| names.iter().copied().map(FilePath::new).collect::<Vec<_>>();
        let since =
            |revision: &str, names: &[&str]| changed_since(Cx::new(&never), root, revision, &files(names));
        assert_eq!(since("HEAD", &["a"]).unwrap_err().slug, "no_git");
        for name in ["a.py", "b.py", "gone.py"] {
            std::fs::write(root.join(name), name).unwrap();
        }
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a"];
        for args in [&["init", "-q"][..], &["add", "."], &who] {
            assert!(git(args).is_ok());
        }
        // A filter that the repository names would leave a mark.
        let filter = format!("touch {}", root.join("ran").display());
        assert!(git(&["config", "filter.x.clean", &filter]).is_ok());
        assert!(git(&["config", "core.fsmonitor", &filter]).is_ok());
        std::fs::write(root.join(".gitattributes"), "*.py filter=x\n").unwrap();
        let nothing = since("HEAD", &["a.py", "b.py", "gone.py"]).unwrap();
        assert_eq!(nothing, Changed::default());
        std::fs::write(root.join("a.py"), "other").unwrap();
        std::fs::write(root.join("new.py"), "").unwrap();
        std::fs::remove_file(root.join("gone.py")).unwrap();
        let some = since("HEAD", &["a.py", "b.py", "new.py"]).unwrap();
        assert_eq!(some, Changed { files: files(&["a.py", "new.py"]), gone: files(&["gone.py"]) });
        assert!(!root.join("ran").exists());
        assert_eq!(since("no-such", &[]).unwrap_err().slug, "unknown_revision");
        assert_eq!(since("--help", &[]).unwrap_err().slug, "unknown_revision");
    }
}
