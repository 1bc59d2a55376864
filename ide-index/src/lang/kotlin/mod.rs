//! Kotlin, up to 2.x, sources and scripts.

mod front;
mod policy;

pub(crate) use front::{Kotlin, needs_backticks, older};
pub(super) use policy::{
    KotlinPolicy, capitalized, clashes, class_of_file, extension_call_type, facade, facade_members,
    getter_after, is_static_field, made_by_data_class, made_member, makers, or_by_accessor, other_views,
    overrides_as_method, property_names, respelled,
};
