//! `ide_find_references`: the uses of a declaration (index-tools §3.1).

use ide_model::{Access, Completeness, FileMeta, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::{PageArgs, ProjectArg, ScopeArgs, TargetArgs};
use crate::filter::Filter;
use crate::page::{Held, Page, paged};
use crate::session::Session;
use crate::symbols::{ResolvedSymbol, doubt, reason};
use crate::tool::{Call, Tool};
use crate::ToolError;

pub(crate) struct FindReferences;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(flatten)]
    scope: ScopeArgs,
    /// Globs below the project, ! excludes
    paths: Option<Vec<String>>,
    #[serde(flatten)]
    page: PageArgs,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    usages: Vec<Usage>,
    #[serde(flatten)]
    page: Page,
    #[serde(flatten)]
    head: Head,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Head {
    resolved_symbol: ResolvedSymbol,
    certain: usize,
    possible: usize,
    unresolved_same_name: usize,
    /// Why there may be more
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete_because: Option<String>,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Usage {
    file: String,
    line: u32,
    column: u32,
    context: String,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<&'static str>,
    ast_path: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
}

impl Tool for FindReferences {
    const NAME: &'static str = "ide_find_references";
    const ABOUT: &'static str = "All uses of a symbol, resolved, not matched by text: before changing or deleting \
        it, or to see how it is used. Target: file+line+column, language+symbol, or symbolId. Uses that are only \
        possible carry `confidence`.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let cut = paged(&session, Self::NAME, &args.page, 100, || search(&session, &args))?;
        Ok(Output { usages: cut.items, page: cut.page, head: cut.head })
    }

    fn text(output: &Output) -> Option<String> {
        let Head { resolved_symbol: symbol, possible, unresolved_same_name, incomplete_because, .. } = &output.head;
        let page = &output.page;
        let name = symbol.qualified_name.as_ref().unwrap_or(&symbol.name);
        let at_least = if page.total_is_exact { "" } else { "at least " };
        let mut text = format!("{at_least}{} usages of {} {name} ({}", page.total_count, symbol.kind, symbol.file);
        if let Some(line) = symbol.line {
            text.push_str(&format!(":{line}"));
        }
        text.push(')');
        if *possible > 0 {
            text.push_str(&format!(", {possible} of them possible"));
        }
        if *unresolved_same_name > 0 {
            text.push_str(&format!(", {unresolved_same_name} same-name uses unresolved"));
        }
        if let Some(reason) = incomplete_because {
            text.push_str(&format!("; incomplete: {reason}"));
        }
        text.push('\n');
        let mut file = "";
        for usage in &output.usages {
            if usage.file != file {
                file = &usage.file;
                text.push_str(&format!("{file}\n"));
            }
            let enclosing = usage.ast_path.join(".");
            let doubt = usage.confidence.map_or_else(String::new, |word| format!(" [{word}]"));
            text.push_str(&format!(" {}:{} {enclosing}: {}{doubt}\n", usage.line, usage.column, usage.context));
        }
        page.write_end(&mut text);
        Some(text)
    }
}

fn search(session: &Session<'_>, args: &Args) -> Result<Held<Head, Usage>, ToolError> {
    let filter = Filter::new(session, &args.scope, true, args.paths.as_deref())?;
    let target = args.target.resolve(session)?;
    let admits = |file: &FileMeta| filter.admits(file);
    let answer = session.snapshot.references(session.cx, &target.symbol, &admits)?;
    let mut references = answer.value.references;
    references.sort_by(|a, b| (&a.file, a.range).cmp(&(&b.file, b.range)));
    references.dedup_by(|a, b| (&a.file, a.range.start) == (&b.file, b.range.start));
    let certain = references.iter().filter(|reference| reference.confidence.is_certain()).count();
    let is_exact = answer.completeness == Completeness::Exact && answer.value.unresolved_same_name == 0;
    let head = Head {
        resolved_symbol: session.resolved_symbol(&target.symbol, target.confidence)?,
        certain,
        possible: references.len() - certain,
        unresolved_same_name: answer.value.unresolved_same_name,
        incomplete_because: reason(answer.completeness),
    };
    let mut usages = Vec::with_capacity(references.len());
    for reference in &references {
        session.cx.check()?;
        usages.push(usage(session, reference)?);
    }
    Ok(Held::new(session, head, usages, is_exact))
}

fn usage(session: &Session<'_>, reference: &Reference) -> Result<Usage, ToolError> {
    let Reference { file, range, kind, access, confidence } = reference;
    let place = session.place(file, range.start)?;
    Ok(Usage {
        file: place.file,
        line: place.line,
        column: place.column,
        context: session.context(file, range.start)?,
        r#type: kind.as_str(),
        access: telling(*access),
        ast_path: session.ast_path(file, range.start, None)?,
        confidence: doubt(*confidence),
    })
}

/// The access, when it says more than the reference type.
fn telling(access: Access) -> Option<&'static str> {
    let is_plain = matches!(access, Access::Read | Access::Call | Access::Import);
    (!is_plain).then(|| access.as_str())
}
