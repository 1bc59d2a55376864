//! Kotlin, up to 2.x, sources and scripts.

mod front;
mod policy;

pub(super) use front::Kotlin;
pub(super) use policy::{KotlinPolicy, facade, facade_members, made_member, makers, property_names};
