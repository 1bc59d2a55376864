//! Declarations as results name them.

use ide_model::{Completeness, Confidence, QueryError, Symbol};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ToolError;
use crate::session::{Place, Session};

/// The declaration that a call resolved to, echoed so that a wrong aim is seen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResolvedSymbol {
    pub(crate) symbol_id: String,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) container: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) qualified_name: Option<String>,
    pub(crate) file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u32>,
    /// Only when the target is not certain
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<&'static str>,
}

impl ResolvedSymbol {
    /// Kind, name and place, for reading.
    pub(crate) fn text(&self) -> String {
        let name = self.qualified_name.as_ref().unwrap_or(&self.name);
        let line = self.line.map_or_else(String::new, |line| format!(":{line}"));
        format!("{} {name} ({}{line})", self.kind, self.file)
    }
}

/// A declaration in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SymbolRow {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) qualified_name: Option<String>,
    pub(crate) kind: &'static str,
    pub(crate) file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) container_name: Option<String>,
    pub(crate) language: &'static str,
    pub(crate) symbol_id: String,
    /// Only when it is not certain
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<&'static str>,
    /// Only for matches with a typing error
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) approximate: bool,
}

impl Session<'_> {
    pub(crate) fn resolved_symbol(
        &self,
        symbol: &Symbol,
        confidence: Confidence,
    ) -> Result<ResolvedSymbol, ToolError> {
        let place = self.place_if_readable(symbol)?;
        Ok(ResolvedSymbol {
            symbol_id: self.symbol_id(symbol),
            name: symbol.name.to_string(),
            kind: symbol.kind.as_str(),
            container: symbol.container.as_deref().map(str::to_owned),
            qualified_name: symbol.qualified_name.as_deref().map(str::to_owned),
            file: symbol.file.to_string(),
            line: place.as_ref().map(|place| place.line),
            column: place.map(|place| place.column),
            confidence: doubt(confidence),
        })
    }

    pub(crate) fn symbol_row(
        &self,
        symbol: &Symbol,
        confidence: Confidence,
        approximate: bool,
    ) -> Result<SymbolRow, ToolError> {
        let place = self.place_if_readable(symbol)?;
        Ok(SymbolRow {
            name: symbol.name.to_string(),
            qualified_name: symbol.qualified_name.as_deref().map(str::to_owned),
            kind: symbol.kind.as_str(),
            file: symbol.file.to_string(),
            line: place.as_ref().map(|place| place.line),
            column: place.map(|place| place.column),
            container_name: symbol.container.as_deref().map(str::to_owned),
            language: symbol.language.name(),
            symbol_id: self.symbol_id(symbol),
            confidence: doubt(confidence),
            approximate,
        })
    }

    /// The place of a declaration; `None` for one in a library whose text is not at hand.
    pub(crate) fn place_if_readable(&self, symbol: &Symbol) -> Result<Option<Place>, ToolError> {
        match self.place_of(symbol) {
            Ok(place) => Ok(Some(place)),
            Err(QueryError::NoFile { .. }) if symbol.is_library => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The word for a confidence that must be shown.
pub(crate) fn doubt(confidence: Confidence) -> Option<&'static str> {
    (!confidence.is_certain()).then(|| confidence.as_str())
}

/// Why an answer is a lower bound, if it is.
pub(crate) fn reason(completeness: Completeness) -> Option<String> {
    match completeness {
        Completeness::Exact => None,
        Completeness::AtLeast { because } => Some(because),
    }
}

/// Rows as lines for reading: kind, qualified name, place.
pub(crate) fn lines(rows: &[SymbolRow]) -> String {
    let mut text = String::new();
    for row in rows {
        let name = row.qualified_name.as_ref().unwrap_or(&row.name);
        text.push_str(&format!("{} {name} {}", row.kind, row.file));
        if let Some(line) = row.line {
            text.push_str(&format!(":{line}"));
        }
        if row.approximate {
            text.push_str(" (approximate)");
        }
        if let Some(confidence) = row.confidence {
            text.push_str(&format!(" ({confidence})"));
        }
        text.push('\n');
    }
    text
}
