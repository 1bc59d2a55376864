//! Installing into agents from the page: what would change is shown first, and written only as it was shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::agents::{AGENTS, Agent, NAME, Plan, ServerEndpoint, UserDirectories, Wanted, plan, uninstall};
use crate::app_state::AppState;
use crate::products::Product;
use crate::serve::STREAMABLE_PATHS;

fn directories() -> Result<UserDirectories, String> {
    UserDirectories::new(|name| std::env::var_os(name)).ok_or_else(|| "there is no home directory".to_owned())
}

/// Every agent that has a settings file, those that seem to be installed first.
///
/// # Errors
/// When there is no home directory.
pub(super) fn list() -> Result<Value, String> {
    let directories = directories()?;
    let row = |agent: &Agent| {
        let file = agent.file(&directories)?;
        Some(json!({
            "id": agent.id,
            "title": agent.title,
            "file": file,
            "found": agent.is_there(&directories),
        }))
    };
    let mut rows: Vec<Value> = AGENTS.iter().filter_map(row).collect();
    rows.sort_by_key(|row| row["found"] != true);
    Ok(rows.into())
}

/// The change that an installation or its removal makes, as a unified diff; with `apply` it is written if it still is
/// the one in `shown`.
///
/// # Errors
/// When a file cannot be read or is not understood, or when it is another change by now.
pub(super) fn change(app: &Arc<AppState>, address: &str, args: &Value) -> Result<Value, String> {
    let directories = directories()?;
    let config = app.config();
    let state: PathBuf =
        config.state_dir.clone().ok_or("there is no directory for state: set `state_dir`")?;
    let id = args["id"].as_str().ok_or("`id` is missing")?;
    let agent = Agent::of(id).ok_or_else(|| format!("there is no agent `{id}`"))?;
    let name = Product::of(&config.product).map_or(NAME, |product| product.server);
    let plan = if args["remove"] == true {
        uninstall(agent, name, &directories, &state)?
    } else {
        let url = format!("http://{address}{}", STREAMABLE_PATHS[0]);
        let binary = std::env::current_exe().map_err(|error| error.to_string())?;
        let binary = binary.display().to_string();
        let reach =
            ServerEndpoint { name, url: &url, binary: &binary, project: None, stdio: args["stdio"] == true };
        let rules = args["rules"].as_str().map(Path::new);
        let known = |root: &Path| app.open_projects().iter().any(|project| Path::new(project.root()) == root);
        if rules.is_some_and(|root| !known(root)) {
            return Err("rules go into open projects only".to_owned());
        }
        plan(agent, &reach, Wanted { rules, skill: args["skill"] == true }, &directories, &state)?
    };
    let diff = shown(&plan, &directories);
    if args["apply"] != true {
        return Ok(json!({"diff": diff, "nothing": plan.is_nothing()}));
    }
    if args["shown"].as_str() != Some(&diff) {
        return Err("the file is another by now; look at the change again".to_owned());
    }
    plan.apply(&state)?;
    Ok(json!({"diff": diff, "written": true}))
}

fn shown(plan: &Plan, directories: &UserDirectories) -> String {
    if plan.is_nothing() { String::new() } else { plan.diff(directories) }
}
