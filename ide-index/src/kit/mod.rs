//! The shared parts of hand-written front ends; no language is named here.
//!
//! A front end lexes the whole text into [`Tokens`] with the scanners of [`scan`] (about a hundred lines of its own:
//! its literals, its comments), then reads the array through a [`Cursor`] and writes into a
//! [`crate::FactBuilder`], with the short cuts of [`value`].
//!
//! - **Punctuation is one byte a token.** `>>`, `->`, `::` are told by [`Cursor::is_joined`]; so `>>` closes two
//!   argument lists without splitting anything.
//! - **Every bracket knows its partner** before parsing begins. Recovery is a jump, look-ahead steps over groups in
//!   one go, and what lies in a group cannot damage what lies behind it. Unbalanced files are matched again with
//!   the help of indentation; see [`Tokens::finish`].
//! - **Comments are beside the tokens**; [`Tokens::doc_before`] finds the one that documents a declaration.
//! - **Bodies can be stepped over**: a sketch reads declarations and takes the rest for words; see [`Skim`].
//! - **Nesting is bounded**: [`Cursor::deeper`] refuses at `cursor::MAX_DEPTH`, and the caller steps over the group.

pub(crate) mod conditions;
mod cursor;
mod keywords;
pub(crate) mod scan;
mod skim;
mod tokens;
pub(crate) mod value;

pub(crate) use cursor::{Cursor, MAX_DEPTH};
pub(crate) use keywords::{Keywords, index_of, keywords};
pub(crate) use skim::{Skim, any_within, within};
pub(crate) use tokens::{Kind, Repair, Token, Tokens};
