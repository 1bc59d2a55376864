//! Matching of names against patterns as people type them (index-tools §7.5).

/// How much of a name a pattern must cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchMode {
    /// Tiers 1–10.
    Substring,
    /// Tiers 1–5.
    Prefix,
    /// Tier 1.
    Exact,
}
