//! Hashes of facts.

use xxhash_rust::xxh3::xxh3_64;

use crate::facts::FileFacts;

/// Hash of everything that the facts say.
pub fn body_hash(facts: &FileFacts) -> u64 {
    xxh3_64(&super::encode(facts))
}

/// Hash of what other files can see.
pub fn api_hash(facts: &FileFacts) -> u64 {
    body_hash(facts)
}
