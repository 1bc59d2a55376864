//! `ide_index_status`: how far the index is. Answers in every state and starts nothing.

use ide_model::{Completeness, LanguageState, ProviderState, Readiness, Standing, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::tool::{Call, Tool};
use crate::{ProjectSelector, ToolError};

pub(crate) struct IndexStatus;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    is_dumb_mode: bool,
    is_smart_mode: bool,
    is_indexing: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexing_progress: Option<f64>,
    project_name: String,
    phase: &'static str,
    files_indexed: usize,
    files_total: usize,
    symbols: usize,
    languages: Vec<Language>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_indexed_at: Option<u64>,
    pending_changes: usize,
    freshness: &'static str,
    /// Why answers may be lower bounds
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete_because: Option<String>,
    /// The reason why a kept index could not be used and was built again.
    #[serde(skip_serializing_if = "Option::is_none")]
    rebuilt_because: Option<String>,
    /// Language servers and the IDE, where some are to answer beside the index
    #[serde(skip_serializing_if = "Vec::is_empty")]
    providers: Vec<Provider>,
    server_version: String,
}

/// A source of answers beside the index.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Provider {
    name: String,
    languages: Vec<&'static str>,
    state: &'static str,
    /// Why it failed, what it does, or what helps
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_mib: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Language {
    language: &'static str,
    engine: &'static str,
    state: &'static str,
    files: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Tool for IndexStatus {
    const NAME: &'static str = "ide_index_status";
    const ABOUT: &'static str = "Whether the index is ready. Calls wait for it by themselves: ask only after \
        index_not_ready.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let which =
            args.project.project_path.as_deref().map_or(ProjectSelector::Default, ProjectSelector::Path);
        let project = call.services.project(call.cx, which)?;
        let status = project.backend().status();
        Ok(Output {
            is_dumb_mode: status.is_indexing,
            is_smart_mode: !status.is_indexing,
            is_indexing: status.is_indexing,
            indexing_progress: progress(&status),
            project_name: project.name().to_owned(),
            phase: status.phase,
            files_indexed: status.files_indexed,
            files_total: status.files_total,
            symbols: status.symbols,
            languages: status.languages.iter().map(|state| language(&status, state)).collect(),
            last_indexed_at: status.last_indexed_at,
            pending_changes: status.pending_changes,
            freshness: status.kind_of_freshness,
            incomplete_because: match status.completeness {
                Completeness::Exact => None,
                Completeness::AtLeast { because } => Some(because),
            },
            rebuilt_because: status.rebuilt,
            providers: project
                .backend()
                .providers()
                .iter()
                .flat_map(|one| one.states())
                .map(provider)
                .collect(),
            server_version: call.services.server_version().to_owned(),
        })
    }
}

/// From 0 to 1, while there is something to wait for.
pub(crate) fn progress(status: &Status) -> Option<f64> {
    let share = || (status.files_indexed as f64 / status.files_total as f64).min(1.0);
    (status.is_indexing && status.files_total > 0).then(share)
}

fn provider(state: ProviderState) -> Provider {
    let (word, because) = match state.standing {
        Standing::Absent => ("absent", None),
        Standing::Starting => ("starting", None),
        Standing::Ready => ("ready", None),
        Standing::Failed { because } => ("failed", Some(because)),
    };
    let notes: Vec<String> = because.into_iter().chain(state.note).collect();
    Provider {
        name: state.name,
        languages: state.languages.into_iter().map(ide_model::Language::name).collect(),
        state: word,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        memory_mib: state.memory.map(|bytes| bytes >> 20),
    }
}

fn language(status: &Status, state: &LanguageState) -> Language {
    Language {
        language: state.language.name(),
        engine: status.engine.as_str(),
        state: match state.readiness {
            Readiness::Ready => "ready",
            Readiness::Indexing => "indexing",
            Readiness::Degraded => "degraded",
            Readiness::Unavailable => "unavailable",
        },
        files: state.files,
        reason: state.reason.clone(),
    }
}
