//! The five published revisions and the one table of what differs between them.

use std::fmt;

/// A published revision of the protocol, ordered by date.
///
/// Spec: 2026-07-28 basic/versioning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Version {
    /// 2024-11-05: the first one; HTTP+SSE as its network transport.
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, batches, tool annotations, audio.
    V2025_03_26,
    /// 2025-06-18: structured output, elicitation, titles; batches are gone.
    V2025_06_18,
    /// 2025-11-25: icons, tasks (first design), elicitation by URL; the last one with a handshake.
    V2025_11_25,
    /// 2026-07-28: no handshake; every request carries its own metadata.
    V2026_07_28,
}

/// How structured output of a tool may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structured {
    Never,
    ObjectOnly,
    Any,
}

/// The rules of a revision. The encoder and the dispatcher ask this table; nothing else compares versions.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) name: &'static str,
    /// No handshake: per-request metadata, result types, cache hints.
    pub(crate) stateless: bool,
    pub(crate) batches: bool,
    pub(crate) tool_annotations: bool,
    pub(crate) audio: bool,
    pub(crate) titles_and_meta: bool,
    pub(crate) resource_link: bool,
    pub(crate) structured: Structured,
    pub(crate) icons: bool,
    /// `tasks` as a core capability and `execution` on tools.
    pub(crate) core_tasks: bool,
    pub(crate) completions_capability: bool,
    pub(crate) progress_message: bool,
    /// An error reply may leave its id out.
    pub(crate) error_without_id: bool,
    /// The resource-not-found code.
    pub(crate) resource_not_found: i64,
    /// Streams open with an event that has an id and no data, and may be closed early.
    pub(crate) priming_event: bool,
    pub(crate) elicitation: bool,
    /// A model may be given tools, and a message several blocks.
    pub(crate) sampling_tools: bool,
    /// Choices of forms have titles in `oneOf`, before in `enumNames`.
    pub(crate) titled_choices: bool,
}

const R24: Rules = Rules {
    name: "2024-11-05",
    stateless: false,
    batches: false,
    tool_annotations: false,
    audio: false,
    titles_and_meta: false,
    resource_link: false,
    structured: Structured::Never,
    icons: false,
    core_tasks: false,
    completions_capability: false,
    progress_message: false,
    error_without_id: false,
    resource_not_found: -32002,
    priming_event: false,
    elicitation: false,
    sampling_tools: false,
    titled_choices: false,
};
const R03: Rules = Rules {
    name: "2025-03-26",
    batches: true,
    tool_annotations: true,
    audio: true,
    completions_capability: true,
    progress_message: true,
    ..R24
};
const R06: Rules = Rules {
    name: "2025-06-18",
    batches: false,
    titles_and_meta: true,
    resource_link: true,
    structured: Structured::ObjectOnly,
    elicitation: true,
    ..R03
};
const R11: Rules = Rules {
    name: "2025-11-25",
    icons: true,
    core_tasks: true,
    error_without_id: true,
    priming_event: true,
    sampling_tools: true,
    titled_choices: true,
    ..R06
};
const R26: Rules = Rules {
    name: "2026-07-28",
    stateless: true,
    core_tasks: false,
    structured: Structured::Any,
    resource_not_found: -32602,
    priming_event: false,
    ..R11
};

impl Version {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];
    /// The newest revision that has a handshake; what a server offers to a client whose wish it cannot fulfil.
    pub const LATEST_HANDSHAKE: Self = Self::V2025_11_25;
    /// The newest revision.
    pub const LATEST: Self = Self::V2026_07_28;

    pub(crate) fn rules(self) -> &'static Rules {
        match self {
            Self::V2024_11_05 => &R24,
            Self::V2025_03_26 => &R03,
            Self::V2025_06_18 => &R06,
            Self::V2025_11_25 => &R11,
            Self::V2026_07_28 => &R26,
        }
    }

    /// The date by which the revision is known on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.rules().name
    }

    /// The revision of that name; `None` for every other text.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.as_str() == name)
    }

    /// Whether requests stand alone (2026-07-28 and later) instead of following a handshake.
    #[must_use]
    pub fn is_stateless(self) -> bool {
        self.rules().stateless
    }

    /// Whether the receiver must take arrays of messages (2025-03-26 only).
    #[must_use]
    pub fn has_batches(self) -> bool {
        self.rules().batches
    }

    /// Whether calls can go on as tasks: those of 2025-11-25, or the extension of 2026-07-28.
    #[must_use]
    pub fn has_tasks(self) -> bool {
        self.rules().core_tasks || self.rules().stateless
    }

    /// Whether event streams open with a priming event, so that the server may close them early (2025-11-25).
    #[must_use]
    pub fn has_priming_event(self) -> bool {
        self.rules().priming_event
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ordered_like_the_dates_and_parse_back() {
        for pair in Version::ALL.windows(2) {
            assert!(pair[0] < pair[1] && pair[0].as_str() < pair[1].as_str());
        }
        for v in Version::ALL {
            assert_eq!(Version::parse(v.as_str()), Some(v));
        }
        assert_eq!(Version::parse("2025-06-19"), None);
    }
}
