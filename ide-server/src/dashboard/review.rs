//! Reviews on the page: what agents changed, kept or taken back.

use std::sync::Arc;

use serde_json::{Value, json};

use super::api::text;
use crate::house::House;
use crate::project::OpenProject;
use crate::review::{Decision, Desk};

/// The reviews of all open projects, the newest first.
pub(super) fn list(house: &Arc<House>) -> Value {
    let (config, open) = (house.config(), house.opened());
    let state = config.state_dir.as_deref();
    let mut all: Vec<Value> =
        open.iter().filter_map(|project| Desk::of(project, state)).flat_map(|desk| desk.list()).collect();
    all.sort_by_key(|review| std::cmp::Reverse(review["changedMs"].as_u64()));
    all.into()
}

fn project(house: &Arc<House>, args: &Value) -> Result<Arc<OpenProject>, String> {
    let root = text(args, "project")?;
    let open = house.opened();
    open.into_iter()
        .find(|project| project.layout().root().spelling() == root)
        .ok_or_else(|| format!("`{root}` is not open"))
}

fn on<T>(
    house: &Arc<House>,
    args: &Value,
    work: impl FnOnce(&Desk<'_>) -> Result<T, String>,
) -> Result<T, String> {
    let project = project(house, args)?;
    let config = house.config();
    let desk = Desk::of(&project, config.state_dir.as_deref());
    work(&desk.ok_or("there is no directory for state: set `state_dir`")?)
}

/// One file of a review.
///
/// # Errors
/// When it is not there any more.
pub(super) fn file(house: &Arc<House>, args: &Value) -> Result<Value, String> {
    on(house, args, |desk| desk.file(text(args, "id")?, text(args, "path")?))
}

/// Keeps or takes back.
///
/// # Errors
/// Why nothing was decided.
pub(super) fn decide(house: &Arc<House>, args: &Value) -> Result<Value, String> {
    let decision = Decision {
        review: text(args, "id")?,
        file: args["path"].as_str(),
        hunk: args["hunk"].as_u64().and_then(|hunk| usize::try_from(hunk).ok()),
        keeps: args["keep"].as_bool().ok_or("`keep` is missing")?,
        shown: args["shown"].as_str(),
    };
    on(house, args, |desk| desk.decide(decision))?;
    house.room().calls_changed();
    Ok(json!({}))
}
