//! `review`: what agents changed in the project, kept or taken back.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::Value;

use super::{Common, Failure, app, print};
use crate::app_state::AppState;
use crate::review::{Decision, ProjectReviews};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List what there is to decide; so does `review` alone
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the changes of a review, or of one of its files
    Show {
        #[command(flatten)]
        what: ReviewTarget,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Keep what was changed: nothing is written, and it is not shown any more
    Keep(Place),
    /// Take back what was changed; `ide_undo` takes that back in turn
    Undo(Place),
}

#[derive(Debug, clap::Args)]
struct ReviewTarget {
    /// Its id, or the beginning of it; the newest one without
    id: Option<String>,
    /// One of its files
    file: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Place {
    #[command(flatten)]
    what: ReviewTarget,
    /// One place of the file, as `show` numbers them
    #[arg(long, value_name = "N", requires = "file")]
    hunk: Option<usize>,
}

/// Runs the command.
pub(super) fn run(common: &Common, args: Args) -> Result<ExitCode, Failure> {
    let app = app(common)?;
    match args.command.unwrap_or(Command::List { json: false }) {
        Command::List { json: true } => print(&format!("{:#}", Value::from(all(&app)))),
        Command::List { json: false } => {
            let all = all(&app);
            let rows: Vec<String> = all.iter().map(row).collect();
            print(&if rows.is_empty() { "Nothing to review.".to_owned() } else { rows.join("\n") });
        }
        Command::Show { what, json } => {
            let files = shown(&app, &what)?;
            if json {
                print(&format!("{:#}", Value::from(files)));
            } else {
                files.iter().for_each(|file| print(&text(file)));
            }
        }
        Command::Keep(place) => decide(&app, &place, true)?,
        Command::Undo(place) => decide(&app, &place, false)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn all(app: &Arc<AppState>) -> Vec<Value> {
    let state = app.config().state_dir.clone();
    let open = app.opened();
    open.iter()
        .filter_map(|project| ProjectReviews::of(project, state.as_deref()))
        .flat_map(|reviews| reviews.list())
        .collect()
}

fn row(review: &Value) -> String {
    let words = |key: &str, of: &str| {
        let list = review[key].as_array().into_iter().flatten();
        list.filter_map(|one| if of.is_empty() { one.as_str() } else { one[of].as_str() }.map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let files: Vec<String> = review["files"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| {
            format!("  {} {}", file["change"].as_str().unwrap_or(""), file["path"].as_str().unwrap_or(""))
        })
        .collect();
    format!(
        "{} {}\n{}",
        review["id"].as_str().unwrap_or(""),
        words("agents", "").join(" or "),
        files.join("\n")
    )
}

/// The review that is meant.
fn named(app: &Arc<AppState>, what: &ReviewTarget) -> Result<Value, Failure> {
    let all = all(app);
    let begins = |review: &&Value| {
        let id = review["id"].as_str().unwrap_or_default();
        what.id.as_ref().is_none_or(|given| id.starts_with(given.as_str()))
    };
    let found: Vec<&Value> = all.iter().filter(begins).collect();
    match (&what.id, found.as_slice()) {
        (_, []) => Err(Failure::setting("there is no such review: `ide-index-mcp review` lists them")),
        (None, [newest, ..]) | (Some(_), [newest]) => Ok((*newest).clone()),
        (Some(id), _) => Err(Failure::setting(format!("several reviews begin with `{id}`"))),
    }
}

fn on_desk<T>(
    app: &Arc<AppState>,
    review: &Value,
    work: impl FnOnce(&ProjectReviews<'_>) -> Result<T, String>,
) -> Result<T, Failure> {
    let root = review["project"].as_str().unwrap_or_default();
    ProjectReviews::in_project(app, root, work).map_err(Failure::setting)
}

fn shown(app: &Arc<AppState>, what: &ReviewTarget) -> Result<Vec<Value>, Failure> {
    let review = named(app, what)?;
    let id = review["id"].as_str().unwrap_or_default();
    let paths = review["files"].as_array().into_iter().flatten().filter_map(|file| file["path"].as_str());
    let wanted: Vec<&str> = match &what.file {
        Some(file) => vec![file.as_str()],
        None => paths.collect(),
    };
    wanted.into_iter().map(|path| on_desk(app, &review, |reviews| reviews.file(id, path))).collect()
}

/// A file for reading in a terminal.
fn text(file: &Value) -> String {
    let mut lines =
        vec![format!("{} {}", file["change"].as_str().unwrap_or(""), file["path"].as_str().unwrap_or(""))];
    if file["movedOn"] == true {
        lines.push("  it was changed since: nothing of it can be taken back here".to_owned());
    }
    if file["knowsBefore"] == false {
        lines.push("  its old text is not known".to_owned());
    }
    for (number, hunk) in file["hunks"].as_array().into_iter().flatten().enumerate() {
        lines.push(format!("hunk {number}\n{}", hunk["diff"].as_str().unwrap_or("").trim_end()));
    }
    lines.extend(file["diff"].as_str().map(|diff| diff.trim_end().to_owned()));
    lines.join("\n")
}

fn decide(app: &Arc<AppState>, place: &Place, keeps: bool) -> Result<(), Failure> {
    let review = named(app, &place.what)?;
    let decision = Decision {
        review: review["id"].as_str().unwrap_or_default(),
        file: place.what.file.as_deref(),
        hunk: place.hunk,
        keeps,
        shown: None,
    };
    on_desk(app, &review, |reviews| reviews.decide(decision))?;
    print(if keeps { "Kept." } else { "Taken back." });
    Ok(())
}
