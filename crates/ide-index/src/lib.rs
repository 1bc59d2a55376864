//! The embedded code index: front ends, fact segments, resolver, queries over immutable snapshots.
