//! The web dashboard: a page on which a person sees what agents ask and do, and which is their editor.

mod desk;

pub(crate) use desk::Room;
