//! The connection to the embedded engine.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use ide_index::{FactsCache, LazyLibrary};
use ide_model::Backend;
use ide_project_resolver::Project as Layout;
use ide_store::{Options, ProjectBackend, class_library, find_jdk};

use crate::calls::log;
use crate::config::Config;
use crate::layout::PLACES;

/// The JDK of this machine.
pub(crate) static JDK_HOME: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let path = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (java_home, home) = (path("JAVA_HOME"), path("HOME"));
    find_jdk(java_home.as_deref(), std::env::var_os("PATH").as_deref(), home.as_deref())
});

/// The caches that the indexes of several projects share.
#[derive(Clone)]
pub struct Engine {
    /// The classes of this machine's JDK; read when the first Java file needs them.
    jdk: Arc<LazyLibrary>,
    /// The cache of facts of all projects.
    facts: Arc<FactsCache>,
}

/// The engine that all houses of a program share.
static SHARED: LazyLock<Engine> = LazyLock::new(Engine::default);

impl Default for Engine {
    fn default() -> Self {
        let jdk = Arc::new(LazyLibrary::new(|| {
            let (classes, problems) = class_library(JDK_HOME.as_deref(), &[]);
            problems.iter().for_each(|problem| log(&format!("the JDK's classes: {problem:?}")));
            classes
        }));
        Self { jdk, facts: Arc::default() }
    }
}

impl Engine {
    /// The embedded index of a project.
    ///
    /// # Errors
    /// When its threads cannot be started.
    pub fn open(&self, layout: &Layout, config: &Config) -> std::io::Result<Arc<dyn Backend>> {
        let options = Options {
            cache_dir: config.cache_dir.clone(),
            exclusions: layout.exclusions().clone(),
            trusted: layout.trusted().to_vec(),
            log: Arc::new(log),
            library: Some(self.jdk.clone()),
            places: PLACES.clone(),
            facts: self.facts.clone(),
            ..Options::default()
        };
        let root = PathBuf::from(layout.root().canonical().as_str());
        Ok(Arc::new(ProjectBackend::open(&root, options)?))
    }
}

/// The embedded index of a project, with an engine that is never given back.
///
/// # Errors
/// See [`Engine::open`].
pub fn embedded(layout: &Layout, config: &Config) -> std::io::Result<Arc<dyn Backend>> {
    SHARED.open(layout, config)
}
