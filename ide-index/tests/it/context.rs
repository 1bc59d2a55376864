//! A project in memory, with what planners need.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_index::query::Resolvers;
use ide_index::refactor::{RefactorContext, Rewrite, Trees};
use ide_index::{FileId, MemoryWorld, lang};
use ide_model::{Cx, FileText, QueryError, Stop};
use test_fixture::Fixture;

/// Runs with a project in memory.
pub(crate) fn with_context<T>(
    source: &str,
    run: impl FnOnce(&Fixture, &RefactorContext<'_>, &BTreeMap<String, String>) -> T,
) -> T {
    let fixture = Fixture::parse(source);
    let files: BTreeMap<String, String> =
        fixture.files().iter().map(|f| (f.path.clone(), f.text.clone())).collect();
    let world = Arc::new(MemoryWorld::new(files.clone(), lang::front_end));
    let pool = Resolvers::new(world.clone());
    let text = |file: FileId| Ok::<_, QueryError>(FileText::new(world.text(file).clone()));
    let scratch = |rewrites: &[Rewrite]| {
        let mut files = files.clone();
        files.retain(|path, _| rewrites.iter().all(|rewrite| rewrite.path.as_str() != path));
        let becomes = rewrites.iter().filter_map(|r| r.becomes.as_ref());
        files.extend(becomes.map(|(path, text)| (path.to_string(), text.to_string())));
        Ok::<_, QueryError>(Resolvers::new(Arc::new(MemoryWorld::new(files, lang::front_end))))
    };
    run(
        &fixture,
        &RefactorContext {
            pool: &pool,
            cx: Cx::new(&Stop::new()),
            text: &text,
            scratch: &scratch,
            trees: Trees::default(),
        },
        &files,
    )
}
