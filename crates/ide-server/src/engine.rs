//! Where the embedded engine is plugged in.

use std::path::PathBuf;
use std::sync::Arc;

use ide_model::Backend;
use ide_project_resolver::Project as Layout;
use ide_store::{Options, ProjectBackend};

use crate::calls::log;
use crate::config::Config;

/// The embedded index of a project.
///
/// # Errors
/// When its threads cannot be started.
pub fn embedded(layout: &Layout, config: &Config) -> std::io::Result<Arc<dyn Backend>> {
    let options = Options {
        cache_dir: config.cache_dir.clone(),
        exclusions: layout.exclusions().clone(),
        log: Arc::new(log),
        ..Options::default()
    };
    let root = PathBuf::from(layout.root().canonical().as_str());
    Ok(Arc::new(ProjectBackend::open(&root, options)?))
}
