//! Kotlin, up to 2.x, sources and scripts.

mod front;
mod policy;

pub(crate) use front::{Kotlin, needs_backticks};
pub(super) use policy::{
    KotlinPolicy, capitalized, facade, facade_members, made_member, makers, other_views, property_names,
};
