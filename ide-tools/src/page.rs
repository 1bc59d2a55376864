//! Pages over result sets: sorted before they are cut, kept while a page is missing, shrunk to
//! the response budget.

use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;

use crate::args::PageArgs;
use crate::session::Session;
use crate::tool::missing;
use crate::{CursorProblem, ToolError};

/// Most results that one search holds.
pub(crate) const HARD_CAP: usize = 5_000;

const MAX_PAGE: i64 = 500;

/// Characters of the response budget that are left to what is not items.
const HEAD_ROOM: usize = 2_000;

/// The page fields of a result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page {
    pub(crate) total_count: usize,
    pub(crate) total_collected: usize,
    pub(crate) total_is_exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
    pub(crate) has_more: bool,
    pub(crate) truncated: bool,
    pub(crate) offset: usize,
    pub(crate) page_size: usize,
    pub(crate) stale: bool,
}

/// A result set: what pages are cut from. `H` is what every page repeats.
pub(crate) struct ResultSet<H, T> {
    pub(crate) head: H,
    pub(crate) items: Vec<T>,
    /// False when there may be more than was found.
    pub(crate) is_exact: bool,
    /// True when items were left out at [`HARD_CAP`].
    pub(crate) is_cut: bool,
    pub(crate) generation: u64,
    /// The rest of a search that ended early.
    rest: Option<Rest<H, T>>,
}

/// Finds everything, given what is held already: that stays in front.
type Rest<H, T> = Box<dyn Fn(&Session<'_>, &[T]) -> Result<ResultSet<H, T>, ToolError> + Send + Sync>;

/// The result that a cursor leads to.
type StoredResult<H, T> = Mutex<Arc<ResultSet<H, T>>>;

impl<H, T> ResultSet<H, T> {
    /// A result set of this call's snapshot, cut at the hard cap.
    pub(crate) fn new(session: &Session<'_>, head: H, mut items: Vec<T>, is_exact: bool) -> Self {
        let is_cut = items.len() > HARD_CAP;
        items.truncate(HARD_CAP);
        let generation = session.snapshot.generation();
        Self { head, items, is_exact: is_exact && !is_cut, is_cut, generation, rest: None }
    }

    /// The set of a search that ended with more than the first page, and how it goes on when more are asked for.
    pub(crate) fn first(
        self,
        rest: impl Fn(&Session<'_>, &[T]) -> Result<Self, ToolError> + Send + Sync + 'static,
    ) -> Self {
        Self { is_exact: false, rest: Some(Box::new(rest)), ..self }
    }
}

fn clamped(size: i64) -> usize {
    size.clamp(1, MAX_PAGE) as usize
}

impl PageArgs {
    /// How many items the first page has at most.
    pub(crate) fn size(&self, default: usize) -> usize {
        self.page_size.map_or(default, clamped)
    }
}

/// One page and what repeats on every page.
pub(crate) struct Cut<H, T> {
    pub(crate) head: H,
    pub(crate) items: Vec<T>,
    pub(crate) page: Page,
}

/// The page that the arguments ask for: the first of a new search, or a later one of a kept search.
///
/// # Errors
/// The errors of `search`, and the five `cursor_*`.
pub(crate) fn paged<H, T>(
    session: &Session<'_>,
    tool: &'static str,
    args: &PageArgs,
    default_size: usize,
    search: impl FnOnce() -> Result<ResultSet<H, T>, ToolError>,
) -> Result<Cut<H, T>, ToolError>
where
    H: Clone + Send + Sync + 'static,
    T: Clone + Serialize + Send + Sync + 'static,
{
    let asked = args.page_size.map(clamped);
    let Some(token) = &args.cursor else {
        let held = Arc::new(search()?);
        return cut(session, tool, &held, None, 0, args.size(default_size));
    };
    let store = session.services.cursors();
    let hit = store
        .find(token.trim(), tool, session.project.root())
        .map_err(|problem| cursor_error(problem, tool))?;
    let size = asked.or(hit.page_size).ok_or_else(|| missing("pageSize"))?;
    let size = size.clamp(1, MAX_PAGE as usize);
    let kept = hit
        .payload
        .downcast::<StoredResult<H, T>>()
        .map_err(|_| cursor_error(CursorProblem::OtherTool, tool))?;
    let held = {
        // Another call for the same page waits for it meanwhile.
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rest) = kept.rest.as_ref().filter(|_| hit.offset + size >= kept.items.len()) {
            let found = rest(session, &kept.items).map_err(|error| error.hint(SEARCH_AGAIN))?;
            *kept = Arc::new(ResultSet { generation: kept.generation, ..found });
        }
        kept.clone()
    };
    cut(session, tool, &held, Some(hit.entry), hit.offset, size)
}

fn cut<H, T>(
    session: &Session<'_>,
    tool: &'static str,
    held: &Arc<ResultSet<H, T>>,
    entry: Option<String>,
    offset: usize,
    size: usize,
) -> Result<Cut<H, T>, ToolError>
where
    H: Clone + Send + Sync + 'static,
    T: Clone + Serialize + Send + Sync + 'static,
{
    let rest = held.items.get(offset..).unwrap_or(&[]);
    let n = fitting(&rest[..size.min(rest.len())], session.services.response_budget())?;
    let end = offset + n;
    let has_more = end < held.items.len();
    let next_cursor = has_more.then(|| {
        let store = session.services.cursors();
        let kept = || -> Arc<StoredResult<H, T>> { Arc::new(Mutex::new(held.clone())) };
        let entry = entry.unwrap_or_else(|| store.keep(tool, session.project.root(), kept()));
        store.token(&entry, end, size)
    });
    let page = Page {
        total_count: held.items.len(),
        total_collected: held.items.len(),
        total_is_exact: held.is_exact,
        next_cursor,
        has_more,
        truncated: has_more || held.is_cut,
        offset,
        page_size: n,
        stale: held.generation != session.snapshot.generation(),
    };
    Ok(Cut { head: held.head.clone(), items: rest[..n].to_vec(), page })
}

/// How many of the first items fit the response budget; at least one.
fn fitting<T: Serialize>(items: &[T], budget: usize) -> Result<usize, ToolError> {
    let mut left = budget.saturating_sub(HEAD_ROOM);
    for (n, item) in items.iter().enumerate() {
        let json = serde_json::to_string(item)
            .map_err(|error| ToolError::new("internal", format!("the result cannot be written: {error}")))?;
        let size = json.chars().count() + 1;
        if size > left && n > 0 {
            return Ok(n);
        }
        left = left.saturating_sub(size);
    }
    Ok(items.len())
}

const SEARCH_AGAIN: &str = "search again without `cursor`";

/// Why a cursor cannot be used, and what to do instead.
pub(crate) fn cursor_error(problem: CursorProblem, tool: &str) -> ToolError {
    let (slug, message) = match problem {
        CursorProblem::Malformed => ("cursor_malformed", "the cursor is invalid".to_owned()),
        CursorProblem::Expired => ("cursor_expired", "the cursor has expired".to_owned()),
        CursorProblem::NotFound => {
            ("cursor_not_found", "the results of the cursor are no longer kept".to_owned())
        }
        CursorProblem::OtherProject => {
            ("cursor_other_project", "the cursor belongs to another project".to_owned())
        }
        CursorProblem::OtherTool => ("cursor_other_tool", format!("the cursor does not come from {tool}")),
    };
    ToolError::new(slug, message).hint(SEARCH_AGAIN)
}

impl Page {
    /// The last lines of a text rendering: how to go on.
    pub(crate) fn write_end(&self, text: &mut String) {
        if let Some(cursor) = &self.next_cursor {
            let left = self.total_count - self.offset - self.page_size;
            let at_least = if self.total_is_exact { "" } else { "at least " };
            text.push_str(&format!("{at_least}{left} more: cursor={cursor}\n"));
        } else if self.truncated {
            text.push_str(&format!("cut at {HARD_CAP} results: narrow the search\n"));
        }
        if self.stale {
            text.push_str("stale: the project has changed since this search\n");
        }
    }
}
