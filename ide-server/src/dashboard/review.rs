//! Reviews on the page: what agents changed, kept or taken back.

use std::sync::Arc;

use serde_json::{Value, json};

use super::api::text;
use crate::app_state::AppState;
use crate::review::{Decision, ProjectReviews};

/// The reviews of all open projects, the newest first.
pub(super) fn list(app: &Arc<AppState>) -> Value {
    let (config, open) = (app.config(), app.opened());
    let state = config.state_dir.as_deref();
    let mut all: Vec<Value> = open
        .iter()
        .filter_map(|project| ProjectReviews::of(project, state))
        .flat_map(|reviews| reviews.list())
        .collect();
    all.sort_by_key(|review| std::cmp::Reverse(review["changedMs"].as_u64()));
    all.into()
}

/// One file of a review.
///
/// # Errors
/// When it is not there any more.
pub(super) fn file(app: &Arc<AppState>, args: &Value) -> Result<Value, String> {
    ProjectReviews::in_project(app, text(args, "project")?, |reviews| {
        reviews.file(text(args, "id")?, text(args, "path")?)
    })
}

/// Keeps or takes back.
///
/// # Errors
/// Why nothing was decided.
pub(super) fn decide(app: &Arc<AppState>, args: &Value) -> Result<Value, String> {
    let decision = Decision {
        review: text(args, "id")?,
        file: args["path"].as_str(),
        hunk: args["hunk"].as_u64().and_then(|hunk| usize::try_from(hunk).ok()),
        keeps: args["keep"].as_bool().ok_or("`keep` is missing")?,
        shown: args["shown"].as_str(),
    };
    ProjectReviews::in_project(app, text(args, "project")?, |reviews| reviews.decide(decision))?;
    app.editor().calls_changed();
    Ok(json!({}))
}
