//! Renames, code actions and moves of files: plans of the snapshot as edits of the protocol.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use gen_lsp_types::{
    CodeAction, CodeActionDisabled, CodeActionKind, CodeActionParams, CreateFile, DeleteFile, DocumentChange,
    OptionalVersionedTextDocumentIdentifier, PrepareRenamePlaceholder, PrepareRenameResult, RenameFile,
    RenameFilesParams, RenameParams, TextDocumentEdit, TextDocumentIdentifier, TextDocumentPositionParams,
    TextEdit, Uri, WorkspaceEdit,
};
use ide_model::{
    EditPlan, FileChange, FilePath, FileText, ParameterShift, QueryError, Refactored, Refactoring, Related,
    Symbol, SymbolKind,
};
use serde_json::{Value, json};

use crate::navigation::{bearer, one_symbol};
use crate::position::{file_of, path_of, uri_of};
use crate::query::{Failure, Place, Query, or_nothing};

pub(crate) fn prepare(
    q: &Query<'_>,
    params: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResult>, Failure> {
    let (place, offset) = q.at(&params)?;
    let Some(symbol) = bearer(q, &place, offset)? else { return Ok(None) };
    if symbol.is_library {
        return Err(Failure::failed(format!("`{}` belongs to a library", symbol.name)));
    }
    let Some(word) = place.word(offset) else { return Ok(None) };
    let placeholder = place.text.slice(word).unwrap_or_default().to_owned();
    Ok(Some(PrepareRenamePlaceholder { range: place.range(word), placeholder }.into()))
}

pub(crate) fn rename(q: &Query<'_>, params: RenameParams) -> Result<WorkspaceEdit, Failure> {
    let (place, offset) = q.at(&params.text_document_position_params)?;
    let new_name = &*params.new_name;
    let nothing = || Failure::failed("nothing that can be renamed stands here; put the caret on a name");
    if place.word(offset).is_none() {
        return Err(nothing());
    }
    let alias = Refactoring::RenameAlias { file: &place.file, offset, new_name };
    let planned = match place.snapshot.refactor(q.cx, &alias) {
        Err(QueryError::NothingHere { .. }) => {
            let symbol = bearer(q, &place, offset)?.ok_or_else(nothing)?;
            let rename = Refactoring::Rename {
                symbol: &symbol,
                new_name,
                with_family: true,
                related: Related::default(),
            };
            place.snapshot.refactor(q.cx, &rename)
        }
        planned => planned,
    };
    edit_of(q, &place, &agreed(planned?.value)?)
}

/// The plan, unless something speaks against it.
fn agreed(planned: Refactored) -> Result<EditPlan, Failure> {
    let reasons: Vec<&str> = planned.conflicts.iter().map(|c| &*c.message).collect();
    match reasons.first() {
        None => Ok(planned.plan),
        Some(first) if reasons.len() == 1 => Err(Failure::failed(format!("nothing was changed: {first}"))),
        Some(first) => {
            Err(Failure::failed(format!("nothing was changed: {first} (and {} more)", reasons.len() - 1)))
        }
    }
}

/// A plan as an edit that the client can carry out.
fn edit_of(q: &Query<'_>, place: &Place, plan: &EditPlan) -> Result<WorkspaceEdit, Failure> {
    as_taken(q, changes_of(q, place, plan)?)
}

/// The changes of a plan. Files that only exist in the plan are created or moved in order.
fn changes_of(q: &Query<'_>, place: &Place, plan: &EditPlan) -> Result<Vec<DocumentChange>, Failure> {
    let mut changes: Vec<DocumentChange> = Vec::new();
    let address = |file: &FilePath| {
        uri_of(place.root(), file).ok_or_else(|| Failure::failed(format!("{file} cannot be edited")))
    };
    for change in &plan.changes {
        match change {
            FileChange::Edit { file, edits, .. } => {
                changes.push(text_change(q, place, &address(file)?, file, edits)?);
            }
            FileChange::Create { file, text } => {
                let uri = address(file)?;
                changes.push(CreateFile { uri: uri.clone(), options: None, annotation_id: None }.into());
                let start = gen_lsp_types::Range::default();
                let insert = TextEdit { range: start, new_text: text.to_string() };
                changes.push(document_edit(uri, None, vec![insert]));
            }
            FileChange::Delete { file, .. } => {
                changes.push(DeleteFile { uri: address(file)?, options: None, annotation_id: None }.into());
            }
            FileChange::Move { from, to, edits, .. } => {
                let (old_uri, new_uri) = (address(from)?, address(to)?);
                if !edits.is_empty() {
                    changes.push(text_change(q, place, &old_uri, from, edits)?);
                }
                changes.push(RenameFile { old_uri, new_uri, options: None, annotation_id: None }.into());
            }
        }
    }
    Ok(changes)
}

/// Changes as the client takes them. Without `documentChanges` a client can do no more than edit texts.
fn as_taken(q: &Query<'_>, all: Vec<DocumentChange>) -> Result<WorkspaceEdit, Failure> {
    if q.shared.client.takes_document_changes {
        return Ok(WorkspaceEdit { changes: None, document_changes: Some(all), change_annotations: None });
    }
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for change in all {
        let DocumentChange::TextDocumentEdit(edit) = change else {
            return Err(Failure::failed("this client cannot create, move or delete files"));
        };
        changes
            .entry(edit.text_document.text_document_identifier.uri.clone())
            .or_default()
            .extend(texts(edit));
    }
    Ok(WorkspaceEdit { changes: Some(changes), document_changes: None, change_annotations: None })
}

fn texts(edit: TextDocumentEdit) -> impl Iterator<Item = TextEdit> {
    edit.edits.into_iter().filter_map(|edit| match edit {
        gen_lsp_types::Edit::TextEdit(edit) => Some(edit),
        _ => None,
    })
}

fn text_change(
    q: &Query<'_>,
    place: &Place,
    uri: &Uri,
    file: &FilePath,
    edits: &[ide_model::TextEdit],
) -> Result<DocumentChange, Failure> {
    let text: FileText = place.snapshot.text(file)?;
    let path = path_of(uri);
    let version = path.and_then(|path| q.documents.get(&path).map(|document| document.version));
    let edits = edits
        .iter()
        .map(|edit| TextEdit {
            range: q.encoding().range(&text, edit.range),
            new_text: edit.text.to_string(),
        })
        .collect();
    Ok(document_edit(uri.clone(), version, edits))
}

fn document_edit(uri: Uri, version: Option<i32>, edits: Vec<TextEdit>) -> DocumentChange {
    let text_document = OptionalVersionedTextDocumentIdentifier {
        version,
        text_document_identifier: TextDocumentIdentifier { uri },
    };
    TextDocumentEdit { text_document, edits: edits.into_iter().map(Into::into).collect() }.into()
}

/// Names for what an extraction makes; the editor lets the user rename it.
const EXTRACTED: &str = "extracted";

pub(crate) fn actions(q: &Query<'_>, params: CodeActionParams) -> Result<Vec<CodeAction>, Failure> {
    let place = q.file(&params.text_document.uri)?;
    let range = place.bytes(params.range);
    let only = params.context.only.as_deref();
    let wants = |kind: &CodeActionKind| {
        let kind = kind.to_string();
        only.is_none_or(|only| only.iter().any(|o| kind.starts_with(&o.to_string())))
    };
    let mut found = Vec::new();
    if wants(&CodeActionKind::SourceOrganizeImports) {
        let data = json!({ "uri": params.text_document.uri, "action": "organizeImports" });
        let mut action = CodeAction {
            kind: Some(CodeActionKind::SourceOrganizeImports),
            data: Some(data),
            title: "Organize imports".to_owned(),
            ..CodeAction::default()
        };
        // An editor that asks for this kind alone applies it at once.
        if only.is_some() {
            action = resolve(q, action)?;
        }
        found.push(action);
    }
    if wants(&CodeActionKind::QuickFix) {
        let fixes = or_nothing(place.snapshot.fixes(q.cx, &place.file, range))?;
        for fix in fixes.map(|answer| answer.value).unwrap_or_default() {
            let Ok(edit) = edit_of(q, &place, &fix.plan) else { continue };
            found.push(CodeAction {
                edit: Some(edit),
                title: fix.title,
                kind: Some(CodeActionKind::QuickFix),
                is_preferred: Some(fix.is_preferred),
                ..CodeAction::default()
            });
        }
    }
    if wants(&CodeActionKind::RefactorExtract) && !range.is_empty() {
        let variable =
            Refactoring::ExtractVariable { file: &place.file, range, name: EXTRACTED, replace_all: false };
        let method = Refactoring::ExtractMethod { file: &place.file, range, name: EXTRACTED };
        for (title, what) in [("Extract variable", variable), ("Extract function", method)] {
            found.extend(possible(q, &place, title, CodeActionKind::RefactorExtract, &what)?);
        }
    }
    if wants(&CodeActionKind::RefactorInline)
        && let Some(symbol) = one_symbol(q, &place, range.start)?
        && matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Function | SymbolKind::Method)
        && !symbol.is_library
    {
        let title = format!("Inline `{}`", symbol.name);
        let what = Refactoring::Inline { symbol: &symbol };
        found.extend(possible(q, &place, &title, CodeActionKind::RefactorInline, &what)?);
    }
    if wants(&CodeActionKind::RefactorRewrite) {
        found.extend(parameter_actions(q, &place, range.start)?);
    }
    Ok(found)
}

/// Changes of the parameter that is declared at an offset, in its function and in all calls.
fn parameter_actions(q: &Query<'_>, place: &Place, offset: u32) -> Result<Vec<CodeAction>, Failure> {
    let is_own = |symbol: &Symbol| symbol.file == place.file && symbol.name_range.touches(offset);
    let Some(symbol) = one_symbol(q, place, offset)?.filter(is_own) else { return Ok(Vec::new()) };
    if !matches!(symbol.kind, SymbolKind::Parameter | SymbolKind::Property | SymbolKind::Field) {
        return Ok(Vec::new());
    }
    let name = &symbol.name;
    let shifts = [
        (format!("Move parameter `{name}` left"), ParameterShift::Left),
        (format!("Move parameter `{name}` right"), ParameterShift::Right),
        (format!("Remove parameter `{name}`"), ParameterShift::Away),
    ];
    let mut found = Vec::new();
    for (title, shift) in shifts {
        let what = Refactoring::Parameter { symbol: &symbol, shift };
        let Some(planned) = or_nothing(place.snapshot.refactor(q.cx, &what))? else { continue };
        let mut action =
            CodeAction { kind: Some(CodeActionKind::RefactorRewrite), title, ..CodeAction::default() };
        match agreed(planned.value) {
            Ok(plan) => action.edit = Some(edit_of(q, place, &plan)?),
            Err(Failure { message, .. }) if q.shared.client.shows_disabled => {
                action.disabled = Some(CodeActionDisabled { reason: message });
            }
            Err(_) => continue,
        }
        found.push(action);
    }
    Ok(found)
}

/// The action, when nothing speaks against it.
fn possible(
    q: &Query<'_>,
    place: &Place,
    title: &str,
    kind: CodeActionKind,
    what: &Refactoring<'_>,
) -> Result<Option<CodeAction>, Failure> {
    let planned = or_nothing(place.snapshot.refactor(q.cx, what))?.map(|answer| answer.value);
    let Some(plan) = planned.filter(|p| p.conflicts.is_empty() && !p.plan.is_empty()) else {
        return Ok(None);
    };
    let edit = edit_of(q, place, &plan.plan)?;
    Ok(Some(CodeAction {
        title: title.to_owned(),
        kind: Some(kind),
        edit: Some(edit),
        ..CodeAction::default()
    }))
}

pub(crate) fn resolve(q: &Query<'_>, mut action: CodeAction) -> Result<CodeAction, Failure> {
    let uri = action.data.as_ref().and_then(|data| data.get("uri")).and_then(Value::as_str);
    let Some(uri) = uri.and_then(|uri| uri.parse().ok()) else { return Ok(action) };
    let place = q.file(&uri)?;
    let what = Refactoring::OptimizeImports { file: &place.file };
    let plan = agreed(place.snapshot.refactor(q.cx, &what)?.value)?;
    action.edit = Some(edit_of(q, &place, &plan)?);
    Ok(action)
}

/// The edits by which importers of files and directories find them again; the editor moves them itself.
pub(crate) fn will_rename(
    q: &Query<'_>,
    params: RenameFilesParams,
) -> Result<Option<WorkspaceEdit>, Failure> {
    let mut by_file: BTreeMap<String, TextDocumentEdit> = BTreeMap::new();
    for renamed in &params.files {
        let place = q.entry(&renamed.old_uri)?;
        let Some(to) = path_of(&renamed.new_uri).map(|path| file_of(place.root(), &path)) else { continue };
        let what = Refactoring::MoveFile { from: &place.file, to: &to };
        let Some(planned) = or_nothing(place.snapshot.refactor(q.cx, &what))? else { continue };
        for change in changes_of(q, &place, &agreed(planned.value)?)? {
            let DocumentChange::TextDocumentEdit(edit) = change else { continue };
            let key = edit.text_document.text_document_identifier.uri.to_string();
            match by_file.entry(key) {
                Entry::Vacant(free) => {
                    free.insert(edit);
                }
                Entry::Occupied(mut known) => {
                    known.get_mut().edits.extend(edit.edits);
                    is_apart(known.get())?;
                }
            }
        }
    }
    let changes: Vec<DocumentChange> = by_file.into_values().map(Into::into).collect();
    if changes.is_empty() { Ok(None) } else { as_taken(q, changes).map(Some) }
}

/// Each move was planned alone: where two want the same place, neither plan is right.
fn is_apart(edit: &TextDocumentEdit) -> Result<(), Failure> {
    let mut ranges: Vec<_> = texts(edit.clone()).map(|edit| (edit.range.start, edit.range.end)).collect();
    ranges.sort();
    if ranges.windows(2).any(|pair| pair[1].0 < pair[0].1) {
        return Err(Failure::failed("these moves change the same import; move one after the other"));
    }
    Ok(())
}
