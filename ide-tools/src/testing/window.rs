//! An editor over the files of a fixture, with a person before it.

use std::sync::Arc;

use ide_model::*;

use super::Code;

const ROOT: &str = "/projects/sample";

/// Shows the texts of a fixture.
struct Window(Arc<Code>);

pub(super) fn open(code: Arc<Code>) -> HostedSurface {
    let surface = HostedSurface::new(Arc::new(Window(code)));
    surface.attach();
    surface
}

impl SurfaceHost for Window {
    fn workspaces(&self) -> Vec<String> {
        vec![ROOT.to_owned()]
    }

    fn read(&self, path: &str) -> Result<Arc<str>, SurfaceError> {
        let inside = path.strip_prefix(ROOT).and_then(|path| path.strip_prefix('/'));
        let text = inside.and_then(|path| self.0.text(&FilePath::new(path)).ok());
        text.map(|text| text.text).ok_or_else(|| SurfaceError::NoFile(path.to_owned()))
    }

    fn is_inside(&self, path: &str) -> bool {
        path.starts_with(ROOT)
    }

    fn findings(&self, _: &str) -> Vec<Finding> {
        Vec::new()
    }

    fn reformat(&self, _: &str) -> Result<(), SurfaceError> {
        Err(SurfaceError::Failed("a fixture has no formatter".to_owned()))
    }

    fn now(&self) -> u64 {
        1
    }

    fn changed(&self) {}
}
