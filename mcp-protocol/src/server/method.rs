//! The methods a client may call, and in which revisions.

use crate::version::Version;

/// A request method of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Initialize,
    Discover,
    Ping,
    ToolsList,
    ToolsCall,
    ResourcesList,
    TemplatesList,
    ResourcesRead,
    Subscribe,
    Unsubscribe,
    PromptsList,
    PromptsGet,
    Complete,
    SetLevel,
    Listen,
    TasksGet,
    TasksResult,
    TasksList,
    TasksUpdate,
    TasksCancel,
}

use Version::{V2024_11_05 as R24, V2025_11_25 as R11, V2026_07_28 as R26};

/// Name, method, first and last revision that has it.
const METHODS: [(&str, Method, Version, Version); 20] = [
    ("tools/call", Method::ToolsCall, R24, R26),
    ("tools/list", Method::ToolsList, R24, R26),
    ("initialize", Method::Initialize, R24, R11),
    ("server/discover", Method::Discover, R26, R26),
    ("ping", Method::Ping, R24, R11),
    ("resources/list", Method::ResourcesList, R24, R26),
    ("resources/templates/list", Method::TemplatesList, R24, R26),
    ("resources/read", Method::ResourcesRead, R24, R26),
    ("resources/subscribe", Method::Subscribe, R24, R11),
    ("resources/unsubscribe", Method::Unsubscribe, R24, R11),
    ("prompts/list", Method::PromptsList, R24, R26),
    ("prompts/get", Method::PromptsGet, R24, R26),
    ("completion/complete", Method::Complete, R24, R26),
    ("logging/setLevel", Method::SetLevel, R24, R11),
    ("subscriptions/listen", Method::Listen, R26, R26),
    ("tasks/get", Method::TasksGet, R11, R26),
    ("tasks/result", Method::TasksResult, R11, R11),
    ("tasks/list", Method::TasksList, R11, R11),
    ("tasks/update", Method::TasksUpdate, R26, R26),
    ("tasks/cancel", Method::TasksCancel, R11, R26),
];

impl Method {
    pub(crate) fn find(name: &str, version: Version) -> Option<Self> {
        METHODS
            .iter()
            .find(|(n, _, since, until)| *n == name && (*since..=*until).contains(&version))
            .map(|(_, method, ..)| *method)
    }
}
