//! The words that results of this catalogue share: ranges of lines, kinds in lower case, absolute paths.

use ide_model::{FilePath, OutlineNode, QueryError, Symbol, SymbolKind, TextRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::session::Session;
use crate::surface::absolute;
use crate::tool::Call;

/// The project, which every call names.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InProject {
    /// Absolute path of the project's root
    project_path: String,
}

impl InProject {
    pub(crate) fn arg(&self) -> ProjectArg {
        ProjectArg { project_path: Some(self.project_path.clone()) }
    }

    pub(crate) fn open<'a>(&self, call: &Call<'a>) -> Result<Session<'a>, ToolError> {
        Session::open(call, &self.arg(), None)
    }
}

/// Lines from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LineRange {
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) line_count: u32,
}

impl LineRange {
    pub(crate) fn new(start_line: u32, end_line: u32) -> Self {
        Self { start_line, end_line, line_count: end_line - start_line + 1 }
    }
}

/// A class.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClassInfo {
    pub(crate) name: String,
    pub(crate) qualified_name: String,
    pub(crate) class_type: String,
    pub(crate) file_path: String,
    pub(crate) line_range: Option<LineRange>,
}

/// `class`, `interface`, `enum`, `record`, `annotation`; further words for types of other languages.
pub(crate) fn class_type(kind: SymbolKind) -> String {
    match kind {
        SymbolKind::AbstractClass => "class".to_owned(),
        other => other.as_str().to_lowercase(),
    }
}

/// The kind of any declaration, types all as `class`.
pub(crate) fn kind(kind: SymbolKind) -> String {
    if kind.is_type() { "class".to_owned() } else { kind.as_str().to_lowercase() }
}

impl Session<'_> {
    /// The lines of a range; `None` where the text is not at hand.
    pub(crate) fn lines_of(&self, file: &FilePath, range: TextRange) -> Result<Option<LineRange>, ToolError> {
        let text = match self.text(file) {
            Ok(text) => text,
            Err(QueryError::NoFile { .. } | QueryError::NotRead { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let first = text.position(range.start).line;
        let last = text.position(range.end.saturating_sub(1).max(range.start)).line;
        Ok(Some(LineRange::new(first, last.max(first))))
    }

    /// The lines of a whole declaration.
    pub(crate) fn lines_of_symbol(&self, symbol: &Symbol) -> Result<Option<LineRange>, ToolError> {
        self.lines_of(&symbol.file, symbol.full_range)
    }

    pub(crate) fn absolute_path(&self, file: &FilePath) -> String {
        absolute(&*self.project, file)
    }

    pub(crate) fn class_info(&self, symbol: &Symbol) -> Result<ClassInfo, ToolError> {
        Ok(ClassInfo {
            name: symbol.name.to_string(),
            qualified_name: qualified(symbol),
            class_type: class_type(symbol.kind),
            file_path: self.absolute_path(&symbol.file),
            line_range: self.lines_of_symbol(symbol)?,
        })
    }

    /// The type around a declaration, and the function, the innermost of each; the declaration itself does not count.
    pub(crate) fn around(
        &self,
        file: &FilePath,
        offset: u32,
        without: Option<&Symbol>,
    ) -> Result<(Option<Symbol>, Option<Symbol>), ToolError> {
        let enclosing = self.snapshot.enclosing(file, offset)?;
        let others =
            || enclosing.iter().rev().filter(|symbol| without.is_none_or(|own| own.key != symbol.key));
        let ty = others().find(|symbol| symbol.kind.is_type() || symbol.kind == SymbolKind::Impl).cloned();
        Ok((ty, others().find(|symbol| symbol.kind.is_callable()).cloned()))
    }

    /// The qualified name of the class that holds a declaration.
    pub(crate) fn containing_class(&self, symbol: &Symbol) -> Result<Option<String>, ToolError> {
        if symbol.is_library {
            return Ok(symbol.container.as_deref().map(str::to_owned));
        }
        let (ty, _) = self.around(&symbol.file, symbol.name_range.start, Some(symbol))?;
        Ok(ty.map(|ty| qualified(&ty)).or_else(|| symbol.container.as_deref().map(str::to_owned)))
    }
}

/// The qualified name, or the plain one where there is none.
pub(crate) fn qualified(symbol: &Symbol) -> String {
    symbol.qualified_name.as_ref().unwrap_or(&symbol.name).to_string()
}

/// The nodes of a forest that pass, each with those inside.
pub(crate) fn find_node<'n>(
    nodes: &'n [OutlineNode],
    is_it: &impl Fn(&OutlineNode) -> bool,
) -> Option<&'n OutlineNode> {
    // Outlines are as deep as code is nested, which their makers bound.
    nodes.iter().find_map(|node| if is_it(node) { Some(node) } else { find_node(&node.children, is_it) })
}
