//! Declarations as results describe them: signature, parameters, types and modifiers.

use ide_model::{Description, OutlineNode, QueryError, Symbol};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ToolError;
use crate::session::Session;

/// A parameter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Parameter {
    pub(crate) name: Option<String>,
    pub(crate) r#type: Option<String>,
}

impl Session<'_> {
    /// The description of a declaration; `None` where its language or its text has none.
    pub(crate) fn described(&self, symbol: &Symbol) -> Result<Option<Description>, ToolError> {
        match self.snapshot.describe(self.cx, symbol) {
            Ok(answer) => Ok(Some(answer.value)),
            Err(QueryError::Unsupported { .. } | QueryError::NoFile { .. } | QueryError::NotRead { .. }) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn signature(&self, symbol: &Symbol) -> Result<Option<String>, ToolError> {
        let signature = self.described(symbol)?.map(|about| about.signature.to_string());
        Ok(signature.filter(|text| !text.is_empty()))
    }

    /// The modifiers of a declaration, with its visibility.
    pub(crate) fn modifiers(&self, symbol: &Symbol) -> Result<Vec<&'static str>, ToolError> {
        Ok(self.described(symbol)?.map(|about| modifiers(&about)).unwrap_or_default())
    }
}

/// The modifiers, with the visibility that is written or that the language gives.
pub(crate) fn modifiers(about: &Description) -> Vec<&'static str> {
    let visibility = about.visibility.map(ide_model::Visibility::as_str);
    // `package` is the name for having none.
    let visibility = visibility.filter(|word| *word != "package" && !about.modifiers.contains(word));
    visibility.into_iter().chain(about.modifiers.iter().copied()).collect()
}

pub(crate) fn parameters(about: &Description) -> Vec<Parameter> {
    let text = |text: &Option<std::sync::Arc<str>>| text.as_deref().map(str::to_owned);
    about.parameters.iter().map(|p| Parameter { name: text(&p.name), r#type: text(&p.type_text) }).collect()
}

/// Whether a declaration of the outline is an abstract one.
pub(crate) fn is_abstract(node_modifiers: &[&'static str]) -> bool {
    node_modifiers.contains(&"abstract")
}

/// The modifiers that an outline shows, for what cannot be described.
pub(crate) fn modifiers_of(node: &OutlineNode) -> Vec<&'static str> {
    node.modifiers.clone()
}
