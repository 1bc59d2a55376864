//! Roots: the folders and files that the server may work with.

use serde::{Deserialize, Deserializer};

use super::{Encode, common::meta};
use crate::{
    json::{Json, Object},
    version::Rules,
};

/// A folder or file that the server may work with ("Roots").
///
/// Spec: 2026-07-28 client/roots.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// A `file:` address.
    pub uri: String,
    /// Its name for people.
    #[serde(default)]
    pub name: Option<String>,
    /// Free metadata (from 2025-06-18).
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl Root {
    /// The folder or file at a `file:` address.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None, meta: None }
    }

    /// The same root with a name for people.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl Encode for Root {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.str("uri", &self.uri);
        o.opt_str("name", self.name.as_deref());
        meta(&mut o, rules, self.meta.as_ref());
        o.close();
    }
}

/// The client's answer to `roots/list`.
///
/// Spec: 2026-07-28 client/roots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ListRootsResult {
    /// The roots. Reading leaves entries out that have no address.
    #[serde(deserialize_with = "with_address")]
    pub roots: Vec<Root>,
    /// Free metadata.
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

fn with_address<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Root>, D::Error> {
    let entries = Vec::<Json>::deserialize(d)?;
    Ok(entries.iter().filter_map(|entry| entry.to().ok()).collect())
}

impl ListRootsResult {
    /// These roots.
    #[must_use]
    pub fn new(roots: Vec<Root>) -> Self {
        Self { roots, meta: None }
    }
}

impl Encode for ListRootsResult {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.array("roots", &self.roots, |root, out| root.encode(rules, out));
        o.opt_json("_meta", self.meta.as_ref());
        o.close();
    }
}
