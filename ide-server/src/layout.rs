//! A project in the words of the catalogue: modules, dependencies, checkout.

use std::path::Path;
use std::sync::LazyLock;

use ide_project_resolver::{DependencyScope, Fs as _, Project as Layout, RootKind};
use ide_store::{Availability, OsFs, Places, list_dependencies};
use ide_tools::{Available, Checkout, Dependencies, DependencyRow, ModuleRow, RootUse, Structure};

/// Bytes of the files of git that are read.
const MAX_GIT_FILE: u64 = 1 << 20;

/// The places of installed packages on this machine.
pub(crate) static PLACES: LazyLock<Places> =
    LazyLock::new(|| Places::of_environment(&|name| std::env::var_os(name)));

pub(crate) fn structure(layout: &Layout) -> Structure {
    let modules = layout.modules().iter().map(|module| {
        let path =
            layout.root().relative(&module.root).map_or_else(|| module.root.to_string(), str::to_owned);
        ModuleRow {
            name: module.name.clone(),
            path,
            build_systems: module.build.iter().map(ToString::to_string).collect(),
            roots: module.roots.iter().map(|(path, kind)| (path.clone(), root_use(*kind))).collect(),
        }
    });
    Structure {
        modules: modules.collect(),
        excluded: layout.exclusions().rows().iter().map(ToString::to_string).collect(),
        problems: layout.problems().iter().map(|p| format!("{}: {}", p.file, p.message)).collect(),
    }
}

fn root_use(kind: RootKind) -> RootUse {
    match kind {
        RootKind::Source => RootUse::Source,
        RootKind::Test => RootUse::Test,
        RootKind::Resource => RootUse::Resource,
        RootKind::TestResource => RootUse::TestResource,
        RootKind::Generated => RootUse::Generated,
        RootKind::GeneratedTest => RootUse::GeneratedTest,
    }
}

pub(crate) fn dependencies(layout: &Layout, module: Option<&str>) -> Dependencies {
    let (listed, report) = list_dependencies(layout, &PLACES, module);
    let rows = listed.into_iter().map(|one| {
        let dependency = one.dependency;
        DependencyRow {
            name: dependency.name,
            build_system: dependency.build.to_string(),
            declared: dependency.declared,
            version: dependency.version,
            scope: match dependency.scope {
                DependencyScope::Compile => "COMPILE",
                DependencyScope::Runtime => "RUNTIME",
                DependencyScope::Provided => "PROVIDED",
                DependencyScope::Test => "TEST",
            },
            is_direct: dependency.is_direct,
            is_module: dependency.is_module,
            module: dependency.module,
            available: match one.available {
                Availability::Source => Available::Source,
                Availability::Declarations => Available::Declarations,
                Availability::Missing => Available::Missing,
            },
        }
    });
    Dependencies {
        rows: rows.collect(),
        unlocked: report.unlocked.iter().map(|(module, build)| format!("{module} ({build})")).collect(),
        problems: report.problems.iter().map(|p| format!("{}: {}", p.file, p.message)).collect(),
    }
}

/// The remote and the branch of the checkout, read from git's files: no program is run.
pub(crate) fn checkout(layout: &Layout) -> Checkout {
    let text = |path: &str| {
        let real = OsFs.canonicalize(path).ok()?;
        OsFs.read_text(real.as_str(), MAX_GIT_FILE).ok()
    };
    let top = layout.checkout().as_str();
    let dot_git = format!("{top}/.git");
    // A worktree has a file that says where its own part lies; what all share is named there.
    let own = match text(&dot_git) {
        Some(pointer) => match pointer.trim().strip_prefix("gitdir:") {
            Some(dir) => absolute(top, dir.trim()),
            None => return Checkout::default(),
        },
        None => dot_git,
    };
    let shared = match text(&format!("{own}/commondir")) {
        Some(dir) => absolute(&own, dir.trim()),
        None => own.clone(),
    };
    let head = text(&format!("{own}/HEAD"));
    let branch = head.and_then(|head| head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned));
    let config = text(&format!("{shared}/config"));
    Checkout { remote: config.and_then(|config| remote(&config)), branch }
}

fn absolute(from: &str, path: &str) -> String {
    if Path::new(path).is_absolute() { path.to_owned() } else { format!("{from}/{path}") }
}

/// The address of `origin`, else of the first remote, in a configuration of git.
fn remote(config: &str) -> Option<String> {
    let mut found: Option<(bool, String)> = None;
    let mut section = "";
    for line in config.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            section = head.trim_end_matches(']');
        } else if let Some(name) = section.strip_prefix("remote ")
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == "url"
        {
            let is_origin = name.trim_matches('"') == "origin";
            if found.as_ref().is_none_or(|(was_origin, _)| is_origin && !was_origin) {
                found = Some((is_origin, without_credentials(value.trim().trim_matches('"'))));
            }
        }
    }
    found.map(|(_, url)| url)
}

/// An address without user and password: `https://user:secret@host/x` names a secret, `git@host:x` only a user.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{host}{}", &rest[end..]),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_is_told_without_its_secrets() {
        let config = "[core]\n\tbare = false\n[remote \"up\"]\n\turl = git@host.org:a/b.git\n[remote \"origin\"]\n\turl = https://me:secret@host.org/a/b.git\n\tfetch = x\n";
        assert_eq!(remote(config).as_deref(), Some("https://host.org/a/b.git"));
        assert_eq!(remote(&config[..62]).as_deref(), Some("git@host.org:a/b.git"));
        assert_eq!(without_credentials("ssh://git@host/x@y"), "ssh://host/x@y");
        assert_eq!(remote("[core]\n"), None);
    }
}
