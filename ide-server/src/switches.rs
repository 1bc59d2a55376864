//! The tools that are on: by the settings, and by the catalogue that is served.

use ide_tools::{Catalogue, GROUP, ToolError, ToolSpec};

use crate::app_state::AppState;

impl AppState {
    /// Whether a tool is switched on.
    pub(crate) fn is_switched_on(&self, tool: &ToolSpec) -> bool {
        !self.is_refused(tool) && self.config().offers(tool)
    }

    /// Whether a tool, or the one whose switch counts for it too, is switched off on purpose. That holds wherever the tool
    /// is served.
    pub(crate) fn is_refused(&self, tool: &ToolSpec) -> bool {
        let config = self.config();
        let is_off = |name: &str| config.disabled_tools.iter().any(|off| off == name);
        is_off(tool.name) || tool.same_as.is_some_and(is_off)
    }

    /// The error of a tool that is switched off, with the setting that switches it on.
    pub(crate) fn switched_off(&self, tool: &ToolSpec) -> ToolError {
        let config = self.config();
        let file = config.file.as_ref().map_or_else(
            || "the settings file that `ide-index-mcp doctor` names".to_owned(),
            |file| file.display().to_string(),
        );
        let named = |name: &&str| config.disabled_tools.iter().any(|off| off == name);
        let off = [Some(tool.name), tool.same_as].into_iter().flatten().find(named);
        let (why, hint) = match (off, tool.catalogue) {
            (Some(off), _) => (
                format!("`disabled_tools` names {off}"),
                format!("take it out of `disabled_tools` in {file}"),
            ),
            (None, Catalogue::Intellij) => (
                format!("the group `{GROUP}` is off unless `enabled_tools` names it"),
                format!("add \"{GROUP}\" to `enabled_tools` in {file}"),
            ),
            (None, Catalogue::Ide) => (
                "it is off unless `enabled_tools` names it".to_owned(),
                format!("add \"{}\" to `enabled_tools` in {file}", tool.name),
            ),
        };
        ToolError::new("tool_disabled", format!("{} is switched off: {why}", tool.name))
            .hint(format!("{hint} and start the server again"))
            .with("setting", if off.is_some() { "disabled_tools" } else { "enabled_tools" })
            .with("settingsFile", file)
    }

    /// Whether a tool is offered now where a catalogue is served.
    pub(crate) fn offers(&self, tool: &ToolSpec, served: Catalogue) -> bool {
        self.is_on_where(tool, served) && (!tool.needs_surface || self.surface().is_attached())
    }

    /// Whether a tool may be called where a catalogue is served: the other one needs no switch at its own endpoint.
    pub(crate) fn is_on_where(&self, tool: &ToolSpec, served: Catalogue) -> bool {
        let is_whole = served == Catalogue::Intellij && tool.catalogue == served;
        if is_whole { !self.is_refused(tool) } else { self.is_switched_on(tool) }
    }
}
