//! `index` and `status`: the index of the projects that the command line names.

use std::process::ExitCode;
use std::time::Duration;

use ide_model::{Cx, Stop, counted};
use ide_tools::{Project, ProjectRow, ProjectSelector, Services};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::{Common, Failure, app, exit, print};

/// How often the bar on the terminal moves.
const TICK: Duration = Duration::from_millis(100);

/// Builds the index of every project of the command line.
pub(super) fn run(common: &Common) -> Result<ExitCode, Failure> {
    let app = app(common)?;
    let session = app.session("shell", Vec::new());
    let stop = Stop::new();
    for row in session.projects() {
        let project = session.project(Cx::new(&stop), ProjectSelector::Path(&row.path));
        let project = project.map_err(|error| Failure::setting(error.message))?;
        let started = std::time::Instant::now();
        let snapshot = with_bar(&*project, || project.backend().snapshot(Cx::new(&stop)));
        snapshot.map_err(|error| Failure::internal(format!("{}: {error:?}", row.path)))?;
        let status = project.backend().status();
        print(&format!(
            "{}: {}, {} in {:.2} s",
            row.path,
            counted(status.files_total, "file"),
            counted(status.symbols, "symbol"),
            started.elapsed().as_secs_f64()
        ));
        for language in &status.languages {
            print(&format!("  {:<12} {}", language.language.name(), counted(language.files, "file")));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows on a terminal how far the index is while `work` waits for it.
fn with_bar<T: Send>(project: &dyn Project, work: impl FnOnce() -> T + Send) -> T {
    let bar = ProgressBar::new(0);
    bar.set_style(
        ProgressStyle::with_template("{msg:<8} {wide_bar} {pos}/{len} files")
            .expect("the template is written correctly"),
    );
    std::thread::scope(|scope| {
        let worker = scope.spawn(work);
        while !worker.is_finished() {
            let status = project.backend().status();
            bar.set_length(status.files_total as u64);
            bar.set_position(status.files_indexed as u64);
            bar.set_message(status.phase);
            std::thread::park_timeout(TICK);
        }
        bar.finish_and_clear();
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Shows the index of every project of the command line, as far as it is.
pub(super) fn status(common: &Common, as_json: bool) -> Result<ExitCode, Failure> {
    let app = app(common)?;
    let session = app.session("shell", Vec::new());
    let tool = ide_tools::find("ide_index_status").map_err(|error| Failure::internal(error.message))?;
    let mut failed = false;
    let mut all = Vec::new();
    for ProjectRow { path, .. } in session.projects() {
        // Asking for a snapshot waits for the index, so that the answer is about something.
        let stop = Stop::new();
        let project = session.project(Cx::new(&stop), ProjectSelector::Path(&path));
        let project = project.map_err(|error| Failure::setting(error.message))?;
        let ready = with_bar(&*project, || project.backend().snapshot(Cx::new(&stop)));
        failed |= ready.is_err();
        let reply = session.call(tool, json!({ "project_path": path }), None);
        failed |= reply.is_error;
        all.push(serde_json::from_str::<Value>(&reply.json).map_err(Failure::internal)?);
    }
    for status in &all {
        if !as_json {
            let text = |field: &str| status[field].as_str().unwrap_or("").to_owned();
            print(&format!(
                "{}: {}, {} files, {} symbols, changes seen by {}",
                text("projectName"),
                text("phase"),
                status["filesTotal"],
                status["symbols"],
                text("freshness")
            ));
        }
    }
    if as_json {
        print(&format!("{:#}", Value::from(all)));
    }
    Ok(if failed { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}
