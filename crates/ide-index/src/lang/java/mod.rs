//! Java, 8 to 21.

mod front;

pub(super) use front::Java;
