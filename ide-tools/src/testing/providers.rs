//! Providers that say the same of every file.

use std::sync::Arc;

use ide_model::*;

use super::Code;

impl AllProviders for Code {
    fn all_diagnostics(
        &self,
        _: Cx<'_>,
        _: &FilePath,
    ) -> Result<Vec<Provided<Vec<ProviderDiagnostic>>>, QueryError> {
        Ok(self.1.clone())
    }

    fn all_fixes(
        &self,
        _: Cx<'_>,
        _: &FilePath,
        _: TextRange,
    ) -> Result<Vec<Provided<Vec<ProviderFix>>>, QueryError> {
        Ok(Vec::new())
    }

    fn formatted(&self, _: Cx<'_>, _: Engine, _: &FormatOrder) -> Result<Vec<Provided<String>>, QueryError> {
        Ok(Vec::new())
    }

    fn with_imports(
        &self,
        _: Cx<'_>,
        _: Engine,
        _: &FilePath,
        _: &Arc<str>,
    ) -> Result<Vec<Provided<String>>, QueryError> {
        Ok(Vec::new())
    }
}
