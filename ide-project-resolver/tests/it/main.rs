//! The contracts of sections 7.1 and 7.2 over a file system in memory.

mod contain;
mod dependencies;
#[path = "../../examples/contain.rs"]
mod example;
mod globs;
mod model;
mod projects;

use ide_project_resolver::{MemoryFs, Project, ProjectSettings, Projects};

/// A project opened without settings.
fn project(fs: &MemoryFs, root: &str) -> Project {
    Project::open(fs, root, &[], ide_project_resolver::Exclusions::default()).expect("the root exists")
}

fn opened(fs: &MemoryFs, settings: ProjectSettings, roots: &[&str]) -> Projects {
    let mut projects = Projects::new(settings);
    for root in roots {
        projects.open(fs, root).expect("the root exists");
    }
    projects
}

#[test]
fn the_example_runs() {
    let ran = example::main();
    assert!(ran.is_ok(), "{ran:?}");
}
