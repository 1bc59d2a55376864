//! JavaScript and TypeScript, with JSX: one front end, one set of rules.

mod ambient;
mod arrows;
mod assign;
mod blocks;
mod calls;
mod classes;
mod components;
mod declarations;
mod docs;
mod elements;
mod exports;
mod expr;
mod front;
mod globals;
mod guards;
mod jsx;
mod keys;
mod lexer;
mod literals;
mod markup;
mod members;
mod modules;
mod narrow;
mod operators;
mod options;
mod overloads;
mod packages;
mod paths;
mod patterns;
mod policy;
mod reactive;
mod skimming;
mod statements;
mod types;

pub(super) use front::Ecma;
pub(super) use policy::EcmaPolicy;
