//! Questions about whole files that only providers answer.

use std::sync::Arc;

use ide_model::{
    AllProviders, Cx, Engine, FilePath, FormatOrder, Provided, Provider, ProviderDiagnostic, ProviderFix,
    QueryError, Snapshot, TextRange,
};

use super::LayeredSnapshot;
use super::ask::{Inquiry, Reply};

/// An error for a file that a provider does not have, which must not be taken for an empty answer.
fn has_file<T>(answer: Result<T, QueryError>) -> Result<T, QueryError> {
    match answer {
        Err(QueryError::NoFile { .. } | QueryError::NotRead { .. } | QueryError::OutsideIndex { .. }) => {
            Err(QueryError::Failed { message: "it does not have this file".to_owned() })
        }
        Err(QueryError::Changed { .. }) => {
            Err(QueryError::Failed { message: "it has another text of this file".to_owned() })
        }
        answer => answer,
    }
}

fn heard<T>(asked: Inquiry<T>, cx: Cx<'_>) -> Result<Option<Provided<T>>, QueryError> {
    let (by, said) = match asked.heard(cx)? {
        Reply::Nothing => return Ok(None),
        Reply::Silent(silence) => (silence.by, Err(silence.because)),
        Reply::Said { by, value } => (by, Ok(value)),
    };
    Ok(Some(Provided { by: by.engine(), name: by.name().to_owned(), said }))
}

impl LayeredSnapshot {
    fn each<T: Send + 'static>(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        question: impl Fn(&dyn Provider, Cx<'_>, &dyn Snapshot) -> Result<T, QueryError> + Clone + Send + 'static,
    ) -> Result<Vec<Provided<T>>, QueryError> {
        let Some(language) = self.provided(file) else { return Ok(Vec::new()) };
        let question = move |provider: &dyn Provider, cx: Cx<'_>, snapshot: &dyn Snapshot| {
            has_file(question(provider, cx, snapshot))
        };
        let asked = self.providers.ask_each(&self.index, language, question);
        asked.into_iter().filter_map(|asked| heard(asked, cx).transpose()).collect()
    }

    /// Asks those of an engine one after the other until one answers.
    fn first<T: Send + 'static>(
        &self,
        cx: Cx<'_>,
        engine: Engine,
        file: &FilePath,
        question: impl Fn(&dyn Provider, Cx<'_>, &dyn Snapshot) -> Result<T, QueryError> + Clone + Send + 'static,
    ) -> Result<Vec<Provided<T>>, QueryError> {
        let mut all = Vec::new();
        let Some(language) = self.provided(file) else { return Ok(all) };
        for (number, provider) in self.providers.list.iter().enumerate() {
            if provider.engine() != engine {
                continue;
            }
            let question = question.clone();
            let asked =
                self.providers.ask_whole(number, &self.index, language, move |provider, cx, snapshot| {
                    has_file(question(provider, cx, snapshot))
                });
            all.extend(heard(asked, cx)?);
            if all.last().is_some_and(|last: &Provided<T>| last.said.is_ok()) {
                break;
            }
        }
        Ok(all)
    }
}

impl AllProviders for LayeredSnapshot {
    fn all_diagnostics(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
    ) -> Result<Vec<Provided<Vec<ProviderDiagnostic>>>, QueryError> {
        let of = file.clone();
        let mut all =
            self.each(cx, file, move |provider, cx, snapshot| provider.diagnostics(cx, snapshot, &of))?;
        for found in all.iter_mut().filter_map(|one| one.said.as_mut().ok()) {
            found.sort_by(|a, b| (a.range, a.severity, &a.message).cmp(&(b.range, b.severity, &b.message)));
            found.dedup();
        }
        Ok(all)
    }

    fn all_fixes(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        range: TextRange,
    ) -> Result<Vec<Provided<Vec<ProviderFix>>>, QueryError> {
        let of = file.clone();
        self.each(cx, file, move |provider, cx, snapshot| provider.fixes(cx, snapshot, &of, range))
    }

    fn formatted(
        &self,
        cx: Cx<'_>,
        engine: Engine,
        order: &FormatOrder,
    ) -> Result<Vec<Provided<String>>, QueryError> {
        let of = order.clone();
        self.first(cx, engine, &order.file, move |provider, cx, snapshot| provider.format(cx, snapshot, &of))
    }

    fn with_imports(
        &self,
        cx: Cx<'_>,
        engine: Engine,
        file: &FilePath,
        text: &Arc<str>,
    ) -> Result<Vec<Provided<String>>, QueryError> {
        let (of, text) = (file.clone(), text.clone());
        self.first(cx, engine, file, move |provider, cx, snapshot| provider.imports(cx, snapshot, &of, &text))
    }
}
