//! Java, 8 to 25.

mod front;
mod policy;

pub(super) use front::Java;
pub(super) use policy::unseen::OBJECT;
pub(super) use policy::{
    JavaPolicy, accessors_of_field, builds, class_names, find_qualified, members, names, tops, variants,
};
