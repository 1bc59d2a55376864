//! Python: text to facts. 3.8 to 3.14, and what is left of Python 2.

mod annotations;
mod builtins;
mod defs;
mod expr;
mod flow;
mod imports;
mod lexer;
mod members;
mod modules;
mod parser;
mod patterns;
mod policy;
mod pytest;
mod stmts;
mod targets;
#[cfg(test)]
mod tests;
mod types;
mod values;

use crate::facts::FileFacts;
use crate::front::FrontEnd;

pub(super) use policy::Python;

/// The front end for `.py` and `.pyi`.
#[derive(Debug)]
pub(super) struct PythonFrontEnd;

impl FrontEnd for PythonFrontEnd {
    fn facts(&self, path: &str, text: &str) -> FileFacts {
        let mut parser = parser::Parser::new(path, text);
        parser.file();
        parser.finish()
    }
}
