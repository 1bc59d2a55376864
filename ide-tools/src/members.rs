//! Members of code as the editing tools select and write them.

use std::collections::BTreeSet;

use ide_model::{
    Confidence, FilePath, MemberEdit, OutlineNode, Owner, QueryError, Refactoring, Symbol, SymbolKind,
    Target, counted,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ToolError;
use crate::args::{Normal, TargetArgs, nearest, normalize};
use crate::edits::{EditResult, Force, WriteArgs, symbol_lines};
use crate::schema::schema_of;
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::target::known_language;
use crate::tool::missing;

/// Most edits of one call.
const MAX_EDITS: usize = 100;

/// Which declaration is meant. With `file`, a name from elsewhere and what tells its namesakes apart.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberArgs {
    #[serde(flatten)]
    pub(crate) target: TargetArgs,
    /// Type that has it; Outer.Inner where needed
    pub(crate) class: Option<String>,
    /// The trait of the impl block
    #[serde(rename = "trait")]
    #[schemars(extend("x-hidden" = true))]
    pub(crate) of_trait: Option<String>,
    /// Tells overloads apart, as does line
    pub(crate) parameter_count: Option<i64>,
}

/// The result of an edit of members.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberOutput {
    #[serde(flatten)]
    result: EditResult,
    /// The declaration as the new code has it; in a dry run as it is now
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_symbol: Option<ResolvedSymbol>,
    /// With several edits
    #[serde(skip_serializing_if = "Vec::is_empty")]
    updated_symbols: Vec<ResolvedSymbol>,
}

impl MemberOutput {
    /// The result for reading.
    pub(crate) fn text(&self) -> String {
        self.result.text() + &symbol_lines(self.updated_symbol.iter().chain(&self.updated_symbols))
    }
}

/// One edit, or those of a list, in which `file` stands for all that name no file.
///
/// # Errors
/// `invalid_argument` for both, for too many, and for entries that cannot be read.
pub(crate) fn one_or_many<T: DeserializeOwned + JsonSchema>(
    one: T,
    is_one: bool,
    file: Option<&str>,
    edits: Option<Vec<Map<String, Value>>>,
) -> Result<Vec<T>, ToolError> {
    let Some(edits) = edits else { return Ok(vec![one]) };
    if is_one {
        return Err(ToolError::argument("both `content` and `edits` are given").hint("give one of them"));
    }
    if edits.len() > MAX_EDITS {
        let message = format!("`edits` has {}, more than {MAX_EDITS}", counted(edits.len(), "entry"));
        return Err(ToolError::argument(message).hint("make several calls"));
    }
    let schema = schema_of::<T>();
    let properties = schema["properties"].as_object().expect("an entry has parameters");
    let parse = |(n, mut entry): (usize, Map<String, Value>)| {
        if let Some(file) = file.filter(|_| !entry.contains_key("symbolId") && !entry.contains_key("symbol"))
        {
            entry.entry("file").or_insert_with(|| file.into());
        }
        let of_entry =
            |error: ToolError| ToolError { message: format!("edits[{n}]: {}", error.message), ..error };
        let Normal { args, ignored } = normalize(properties, Value::Object(entry), true).map_err(of_entry)?;
        if let Some(name) = ignored.first() {
            return Err(of_entry(ToolError::argument(format!("unknown argument `{name}`"))));
        }
        serde_json::from_value(Value::Object(args))
            .map_err(|error| ToolError::argument(format!("edits[{n}] cannot be read: {error}")))
    };
    edits.into_iter().enumerate().map(parse).collect()
}

impl MemberArgs {
    /// True when nothing but a file, or nothing at all, is given.
    pub(crate) fn is_file_only(&self) -> bool {
        let target = &self.target;
        target.symbol_id.is_none()
            && target.symbol.is_none()
            && self.class.is_none()
            && target.name.is_none()
            && (target.line.is_none() || target.column.is_none())
    }

    /// The file that is named.
    pub(crate) fn file(&self, session: &Session<'_>) -> Result<FilePath, ToolError> {
        session.indexed(self.target.file.as_deref().ok_or_else(|| missing("file"))?)
    }

    /// The declaration that is meant; `name` is its name where it is selected by file, `word` the parameter of that.
    ///
    /// # Errors
    /// The errors of targets; `ambiguous_match` with the lines of all that are meant alike.
    pub(crate) fn member(
        &self,
        session: &Session<'_>,
        name: Option<&str>,
        word: &str,
    ) -> Result<(Symbol, Confidence), ToolError> {
        let target = &self.target;
        if target.symbol_id.is_some()
            || target.file.is_some() && target.line.is_some() && target.column.is_some()
        {
            let found = target.resolve(session)?;
            return Ok((found.symbol, found.confidence));
        }
        if let Some(symbol) = &target.symbol {
            let language = target.language.as_deref().map(known_language).transpose()?;
            let asked = language.map(|language| Target::Named { language, symbol: symbol.trim().into() });
            let answer = asked.map(|asked| session.snapshot.resolve(session.cx, &asked));
            let candidates = match answer {
                Some(Err(QueryError::Ambiguous { candidates, .. })) => candidates,
                _ => {
                    let found = target.resolve(session)?;
                    std::iter::once(found.symbol)
                        .chain(found.alternatives.into_iter().map(|(s, _)| s))
                        .collect()
                }
            };
            return self.only(session, candidates, symbol);
        }
        let name = name.or(target.name.as_deref());
        let Some(name) = name else {
            return Err(missing(word).hint(format!("give file and {word}, language and symbol, or symbolId")));
        };
        let file = self.file(session)?;
        let outline = session.snapshot.outline(session.cx, &file)?.value;
        let mut found = Vec::new();
        walk(&outline, &mut Vec::new(), &mut |symbol, path| {
            if same_name(&symbol.name, name) && self.is_of_class(symbol, path) {
                found.push(symbol.clone());
            }
        });
        if found.is_empty() {
            found = session.locals(&file, name, self)?;
        }
        if found.is_empty() {
            return Err(unknown(&outline, &file, name, self.class.as_deref()));
        }
        self.only(session, found, name)
    }

    /// The type that `class` names, or that the selectors mean.
    pub(crate) fn owner(&self, session: &Session<'_>) -> Result<Symbol, ToolError> {
        let Some(class) = &self.class else { return Ok(self.member(session, None, "class")?.0) };
        let file = self.file(session)?;
        let outline = session.snapshot.outline(session.cx, &file)?.value;
        let (name, outer) = match class.rsplit_once(['.', ':', '\\', '#']) {
            Some((outer, name)) => (name, Some(outer.trim_end_matches(':').to_owned())),
            None => (class.as_str(), None),
        };
        let outer = Self { class: outer, of_trait: None, ..Self::default() };
        let mut found = Vec::new();
        walk(&outline, &mut Vec::new(), &mut |symbol, path| {
            let is_block = symbol.kind == SymbolKind::Impl;
            let is_meant = match &self.of_trait {
                Some(of_trait) => is_block && heads(&symbol.name, name) && mentions(&symbol.name, of_trait),
                None if is_block && self.target.line.is_some() => heads(&symbol.name, name),
                None => {
                    let is_unnamed = symbol.name_range.is_empty() && symbol.kind == SymbolKind::Object;
                    (same_name(&symbol.name, name) || is_unnamed && symbol.name.eq_ignore_ascii_case(name))
                        && symbol.kind != SymbolKind::Constructor
                }
            };
            if is_meant && outer.is_of_class(symbol, path) {
                found.push(symbol.clone());
            }
        });
        if found.is_empty() {
            return Err(unknown(&outline, &file, class, None));
        }
        // A case of an enumeration may be called like a type.
        if found.iter().any(|symbol| symbol.kind.is_type()) {
            found.retain(|symbol| symbol.kind != SymbolKind::EnumCase);
        }
        Ok(self.only(session, found, class)?.0)
    }

    fn is_of_class(&self, symbol: &Symbol, path: &[Symbol]) -> bool {
        if let Some(of_trait) = &self.of_trait {
            let in_block = path
                .last()
                .is_some_and(|owner| owner.kind == SymbolKind::Impl && mentions(&owner.name, of_trait));
            if !in_block {
                return false;
            }
        }
        let Some(class) = &self.class else { return true };
        let wanted: Vec<&str> = class.split(['.', ':', '\\', '#']).filter(|part| !part.is_empty()).collect();
        let names: Vec<&str> = path.iter().map(|owner| &*owner.name).collect();
        let is_last = |owners: &[&str]| {
            owners.len() >= wanted.len()
                && owners[owners.len() - wanted.len()..]
                    .iter()
                    .zip(&wanted)
                    .all(|(a, b)| same_name(a, b) || heads(a, b))
        };
        if (0..names.len()).any(|end| is_last(&names[..=end])) {
            return true;
        }
        // A method declared outside of its type, with a receiver.
        let written = symbol.qualified_name.as_deref().unwrap_or("").to_owned();
        let mut parts: Vec<&str> =
            written.split(['.', ':', '\\', '#', '(', ')', '*']).filter(|p| !p.is_empty()).collect();
        parts.pop();
        path.is_empty() && !symbol.kind.is_type() && is_last(&parts)
    }

    /// The one of several that has as many parameters, and stands at the line.
    fn only(
        &self,
        session: &Session<'_>,
        mut found: Vec<Symbol>,
        what: &str,
    ) -> Result<(Symbol, Confidence), ToolError> {
        if let Some(class) = &self.class
            && found.len() > 1
        {
            let of_class = |symbol: &Symbol| {
                symbol.container.as_deref().is_some_and(|name| heads(name, class) || name == class)
            };
            if found.iter().any(of_class) {
                found.retain(of_class);
            }
        }
        if let (Some(count), true) = (self.parameter_count, found.iter().any(|s| s.kind.is_callable())) {
            let mut counts = BTreeSet::new();
            let mut kept = Vec::new();
            for symbol in found {
                let (n, receivers) = session.parameter_count(&symbol)?;
                if n - receivers == count || n == count {
                    kept.push(symbol);
                }
                counts.insert(n - receivers);
            }
            if kept.is_empty() {
                let counts: Vec<String> = counts.iter().map(i64::to_string).collect();
                let message = format!("no `{what}` has {count} parameters, but {}", counts.join(" and "));
                return Err(ToolError::new("symbol_not_found", message).hint("change `parameterCount`"));
            }
            found = kept;
        }
        if let Some(line) = self.target.line {
            let mut kept = Vec::new();
            for symbol in &found {
                let text = session.text(&symbol.file)?;
                let first = text
                    .position(symbol.full_range.start)
                    .line
                    .min(text.position(symbol.name_range.start).line);
                let last = text.position(symbol.full_range.end.max(symbol.name_range.end)).line;
                if (i64::from(first)..=i64::from(last)).contains(&line) {
                    kept.push((text.position(symbol.name_range.start).line, symbol.clone()));
                }
            }
            if kept.is_empty() {
                let places: Result<Vec<String>, QueryError> =
                    found.iter().map(|symbol| Ok(session.place_of(symbol)?.line.to_string())).collect();
                let message = format!("no `{what}` stands at line {line}, but at {}", places?.join(" and "));
                return Err(ToolError::new("symbol_not_found", message).hint("change `line`"));
            }
            let exact = kept.iter().any(|(at, _)| i64::from(*at) == line);
            found =
                kept.into_iter().filter(|(at, _)| !exact || i64::from(*at) == line).map(|(_, s)| s).collect();
        }
        match &found[..] {
            [only] => Ok((only.clone(), Confidence::Exact)),
            _ => Err(session
                .told_apart(QueryError::Ambiguous { what: what.to_owned(), candidates: found })
                .hint(
                    "tell them apart by `line`, `parameterCount` or `class`, or pass the `symbolId` of one",
                )),
        }
    }
}

impl Session<'_> {
    /// Declarations of a name that no outline shows: functions in functions.
    fn locals(&self, file: &FilePath, name: &str, args: &MemberArgs) -> Result<Vec<Symbol>, ToolError> {
        let text = self.text(file)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let mut found: Vec<Symbol> = Vec::new();
        for (at, _) in text.text.match_indices(name) {
            self.cx.check()?;
            let before = text.text[..at].chars().next_back().is_some_and(is_word);
            let after = text.text[at + name.len()..].chars().next().is_some_and(is_word);
            if before || after {
                continue;
            }
            let target = Target::Position { file: file.clone(), offset: at as u32 };
            let Ok(answer) = self.snapshot.resolve(self.cx, &target) else { continue };
            let declared = answer.value.into_iter().map(|(symbol, _)| symbol).find(|symbol| {
                symbol.file == *file && symbol.name_range.start == at as u32 && *symbol.name == *name
            });
            if let Some(symbol) = declared
                && (symbol.kind.is_callable() || symbol.kind.is_type())
                && args.class.as_ref().is_none_or(|class| symbol.container.as_deref() == Some(class.as_str()))
                && found.iter().all(|known| known.key != symbol.key)
            {
                found.push(symbol);
            }
        }
        Ok(found)
    }

    /// Parameters of a declaration, and how many of them stand for the receiver.
    fn parameter_count(&self, symbol: &Symbol) -> Result<(i64, i64), ToolError> {
        let parameters = self.snapshot.describe(self.cx, symbol)?.value.parameters;
        let first = parameters.first().and_then(|first| first.name.as_deref());
        let is_receiver =
            first.is_some_and(|name| matches!(name.trim_start_matches(['&', '*']), "self" | "cls" | "this"));
        Ok((parameters.len() as i64, i64::from(is_receiver)))
    }

    /// Plans edits of members and carries them out. `shown` is what a dry run shows.
    pub(crate) fn edit_members(
        &self,
        edits: &[MemberEdit<'_>],
        force: Force,
        write: &WriteArgs,
        shown: Option<&Symbol>,
    ) -> Result<MemberOutput, ToolError> {
        let planned = self.plan(&Refactoring::Members { edits }, force)?;
        let result = self.carry_out(planned.plan, write, planned.warnings)?;
        if write.is_dry() {
            let updated_symbol =
                shown.map(|symbol| self.resolved_symbol(symbol, Confidence::Exact)).transpose()?;
            return Ok(MemberOutput { result, updated_symbol, updated_symbols: Vec::new() });
        }
        let mut found = self.found_again(&planned.landmarks, result.edit_id.as_deref())?;
        if edits.len() > 1 {
            return Ok(MemberOutput { result, updated_symbol: None, updated_symbols: found });
        }
        found.truncate(1);
        Ok(MemberOutput { result, updated_symbol: found.pop(), updated_symbols: Vec::new() })
    }
}

/// The owner of an insertion that is given no anchor.
pub(crate) fn owner_of<'s>(owner: Option<&'s Symbol>, file: &'s FilePath) -> Owner<'s> {
    owner.map_or(Owner::File(file), Owner::Symbol)
}

fn walk(nodes: &[OutlineNode], path: &mut Vec<Symbol>, visit: &mut dyn FnMut(&Symbol, &[Symbol])) {
    for node in nodes {
        visit(&node.symbol, path);
        path.push(node.symbol.clone());
        walk(&node.children, path, visit);
        path.pop();
    }
}

/// Names without the signs that some languages write before them.
fn same_name(a: &str, b: &str) -> bool {
    let bare =
        |name: &'_ str| name.trim_start_matches(['$', '#', '@']).trim_matches(['`', '"', '\'']).to_owned();
    bare(a) == bare(b)
}

/// Whether the head of a nameless block is about a type: `impl Trait for Type`.
fn heads(head: &str, class: &str) -> bool {
    let Some(rest) = head.split_once(' ').map(|(_, rest)| rest) else { return false };
    let of = rest.rsplit(" for ").next().unwrap_or(rest);
    words(of).contains(&class)
}

fn mentions(head: &str, name: &str) -> bool {
    head.split_once(" for ").is_some_and(|(of, _)| words(of).contains(&name))
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect()
}

fn unknown(outline: &[OutlineNode], file: &FilePath, name: &str, class: Option<&str>) -> ToolError {
    let mut names = Vec::new();
    walk(outline, &mut Vec::new(), &mut |symbol, _| names.push(symbol.name.to_string()));
    let of = class.map_or_else(String::new, |class| format!(" of `{class}`"));
    let error = ToolError::new("symbol_not_found", format!("`{file}` declares no `{name}`{of}"));
    match nearest(name, names.iter().map(String::as_str)) {
        Some(near) if near != name => error.hint(format!("did you mean `{near}`?")),
        _ => error.hint("see what it declares with ide_file_structure"),
    }
}
