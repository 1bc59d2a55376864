//! The tools a server listed, and the headers their calls carry.

use std::collections::BTreeMap;

use crate::{
    json::Json,
    model::Tool,
    server::{MirroredArgument, encode_header_value, mirrored_arguments, mirrored_value},
};

/// Tools by name. Tools whose header annotations are invalid are left out, with the reason.
///
/// Spec: 2026-07-28 server/tools; 2026-07-28 basic/transports/streamable-http.
#[derive(Clone, Debug, Default)]
pub struct ToolDirectory {
    tools: BTreeMap<String, (Tool, Vec<MirroredArgument>)>,
    rejected: Vec<(String, String)>,
}

impl ToolDirectory {
    /// Adds the tools of a page of `tools/list`; returns the cursor of the next page. An empty cursor is one.
    ///
    /// # Errors
    /// When the result is no list of tools.
    pub fn add_page(&mut self, result: &Json) -> Result<Option<String>, serde_json::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Page {
            tools: Vec<Tool>,
            next_cursor: Option<String>,
        }
        let page: Page = result.to()?;
        for tool in page.tools {
            match mirrored_arguments(&tool) {
                Ok(mirrored) => {
                    self.tools.insert(tool.name.clone(), (tool, mirrored));
                }
                Err(why) => self.rejected.push((tool.name, why)),
            }
        }
        Ok(page.next_cursor)
    }

    /// The usable tools, by name.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.values().map(|(tool, _)| tool)
    }

    /// The tools that were left out, and why.
    #[must_use]
    pub fn rejected(&self) -> &[(String, String)] {
        &self.rejected
    }

    /// The `Mcp-Param-…` headers of a call. None for a tool that is not known.
    #[must_use]
    pub fn headers(&self, name: &str, arguments: &Json) -> Vec<(String, String)> {
        let Some((_, mirrored)) = self.tools.get(name) else { return Vec::new() };
        mirrored
            .iter()
            .filter_map(|m| {
                let value = mirrored_value(arguments, &m.path)?;
                Some((m.header.clone(), encode_header_value(&value).into_owned()))
            })
            .collect()
    }
}
