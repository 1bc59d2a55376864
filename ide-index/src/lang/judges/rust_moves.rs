//! Rust: values that are used after they have moved, and arguments of formats.

use ide_model::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::statements::{ARGUMENT_COUNT, USED_BEFORE, is_in_macro, may_be_rewritten, refuse};
use super::{MOST_NAMESAKES, NamedTree, is_own};
use crate::check::Refused;
use crate::facts::{DefFlags, DefId, RefFlags, RefId, Role, TypeExpr};
use crate::refactor::tree::{NodeId, has};
use crate::resolve::FileView;
use crate::world::GlobalDef;

/// Types of the library that are moved, whatever they hold.
const MOVED: &str = "String Vec Box HashMap BTreeMap HashSet BTreeSet VecDeque Rc Arc";

/// Reports these in a file.
pub(super) fn report(
    names: NamedTree<'_>,
    made: &dyn Fn(NodeId) -> Option<Option<GlobalDef>>,
    found: &mut Vec<Refused>,
) {
    let NamedTree { rx, file, tree, .. } = names;
    let mut uses: FxHashMap<DefId, Vec<RefId>> = FxHashMap::default();
    for id in file.written_refs().filter(|id| file.reference(*id).receiver.is_none()) {
        if let Some(def) = rx.bound(file, id).filter(|def| file.has_flag(*def, DefFlags::LOCAL)) {
            uses.entry(def).or_default().push(id);
        }
    }
    let mut uses: Vec<(DefId, Vec<RefId>)> = uses.into_iter().filter(|(_, refs)| refs.len() > 1).collect();
    uses.sort_by_key(|(def, _)| *def);
    let is_condition =
        |id: &NodeId| tree.kind(*id) == "attribute_item" && tree.text_of(*id).starts_with("#[cfg");
    let mut conditions = Conditions::default();
    for id in tree.all().filter(is_condition) {
        conditions.parents.extend(tree.parent(id));
        tree.ancestors(id).take_while(|up| conditions.around.insert(*up)).for_each(drop);
    }
    for (def, mut refs) in uses {
        // `let x = f(x)` reads another one of the name.
        let name = names.starts.get(&file.def(def).name_range.start);
        let statement =
            name.and_then(|name| tree.ancestors(*name).find(|up| tree.kind(*up) == "let_declaration"));
        if let Some(made) = statement {
            refs.retain(|id| !tree.range(made).encloses(file.reference(*id).range));
        }
        if names.is_moved(def, made) {
            refs.sort_by_key(|id| file.reference(*id).range.start);
            names.moved(&refs, &conditions, found);
        }
    }
    for node in tree.all().filter(|id| tree.kind(*id) == "macro_invocation") {
        names.format(node, found);
    }
}

/// Nodes of which a part is compiled under a condition only.
#[derive(Default)]
struct Conditions {
    /// The nodes that have such a part.
    parents: FxHashSet<NodeId>,
    /// The nodes around them, too.
    around: FxHashSet<NodeId>,
}

/// Whether a structure has a field whose values cannot be copied.
fn holds_moved(view: &FileView, class: DefId) -> bool {
    let fields = view.def(class).body.map_or(&[][..], |body| view.all_in_scope(body));
    view.def(class).kind == SymbolKind::Struct
        && fields.iter().any(|id| {
            let def = view.def(*id);
            def.kind == SymbolKind::Field
                && def.ty.is_some_and(|ty| {
                    matches!(view.ty(ty), TypeExpr::Named { name, .. }
                    if has(MOVED, view.ref_name(name)))
                })
        })
}

impl NamedTree<'_> {
    /// Whether a variable or parameter has a value of a type that is moved.
    fn is_moved(&self, id: DefId, made: &dyn Fn(NodeId) -> Option<Option<GlobalDef>>) -> bool {
        let (rx, file, tree) = (self.rx, self.file, self.tree);
        let def = file.def(id);
        let is_alone = file.in_scope(def.scope, def.name).len() == 1 && !def.flags.has(DefFlags::MATCHED);
        if !is_alone || file.def_name(id) == "self" {
            return false;
        }
        let is_moved_type = |of: GlobalDef| is_own(rx, of) && holds_moved(rx.file(of.file), of.def);
        if let Some(ty) = def.ty {
            return match file.ty(ty) {
                TypeExpr::Named { name, .. } => {
                    let found = rx.resolve(file.global_ref(name)).resolution;
                    let mut own = found.defs().filter(|of| is_own(rx, *of)).peekable();
                    match own.peek() {
                        None => has(MOVED, file.ref_name(name)) && file.reference(name).receiver.is_none(),
                        Some(_) => own.all(is_moved_type),
                    }
                }
                _ => false,
            };
        }
        let Some(name) = self.starts.get(&def.name_range.start) else { return false };
        let statement = tree.parent(*name).into_iter().find(|up| tree.kind(*up) == "let_declaration");
        let init = statement.and_then(|statement| tree.field(statement, "value"));
        match init.and_then(made) {
            Some(None) => true,
            Some(Some(of)) => is_moved_type(of),
            None => false,
        }
    }

    /// The statement of a block in which a value moves for certain, and that block.
    fn moving(&self, name: RefId, conditions: &Conditions) -> Option<(NodeId, NodeId)> {
        let (file, tree) = (self.file, self.tree);
        let node = *self.starts.get(&file.reference(name).range.start)?;
        let up = tree.parent(node)?;
        let is_moving = tree.kind(node) == "identifier"
            && match tree.kind(up) {
                "arguments" => tree.parent(up).is_some_and(|call| tree.kind(call) == "call_expression"),
                "let_declaration" => {
                    tree.field(up, "value") == Some(node) && tree.field(up, "alternative").is_none()
                }
                _ => false,
            };
        const PASSING: &str = "arguments call_expression try_expression await_expression field_expression";
        let mut all = tree.ancestors(up).skip_while(|up| tree.is_in(*up, PASSING)).filter(|_| is_moving);
        let statement = all.next().filter(|id| tree.is_in(*id, "let_declaration expression_statement"))?;
        let block = all.next().filter(|id| tree.kind(*id) == "block")?;
        let text = tree.text_of(statement);
        let never = ["exit", "abort", "panic", "never", "bail", "throw", "#["];
        let is_plain = !never.iter().any(|word| text.contains(word)) && !conditions.around.contains(&block);
        // `let _ = x` moves nothing, and neither does a pattern that binds by reference.
        let binds = tree.kind(statement) != "let_declaration"
            || tree
                .field(statement, "pattern")
                .is_some_and(|pattern| tree.kind(pattern) == "identifier" || tree.kind(up) == "arguments");
        (is_plain && binds).then_some((statement, block))
    }

    fn moved(&self, refs: &[RefId], conditions: &Conditions, found: &mut Vec<Refused>) -> Option<()> {
        let (file, tree) = (self.file, self.tree);
        for (at, name) in refs.iter().enumerate() {
            let Some((statement, block)) = self.moving(*name, conditions) else { continue };
            let end = tree.range(statement).end;
            let mut behind =
                refs[at + 1..].iter().copied().filter(|id| file.reference(*id).range.start >= end);
            let next = behind.next()?;
            let used = file.reference(next);
            let is_use =
                matches!(used.role, Role::Read | Role::Call) && tree.range(block).encloses(used.range);
            let node = *self.starts.get(&used.range.start)?;
            let inside = tree.ancestors(node).take_while(|up| tree.kind(*up) != "function_item");
            let is_whole = inside.into_iter().all(|up| !conditions.parents.contains(&up));
            let is_use = is_use && is_whole && self.is_read_in_macro(next);
            let is_aside = || is_in_macro(tree, statement) || may_be_rewritten(tree, statement);
            if is_use && !is_aside() {
                let message = format!("`{}` is used after it has moved", file.ref_name(next));
                refuse(found, USED_BEFORE, used.range, message);
            }
            return Some(());
        }
        Some(())
    }

    /// Whether a name stands in no macro, or in one of the library that reads it.
    fn is_read_in_macro(&self, name: RefId) -> bool {
        const READING: &str =
            "print println eprint eprintln format write writeln assert assert_eq assert_ne panic vec dbg";
        let (file, tree) = (self.file, self.tree);
        let reference = file.reference(name);
        if !reference.flags.has(RefFlags::IN_MACRO) {
            return true;
        }
        let Some(node) = self.starts.get(&reference.range.start) else { return false };
        let around = tree.ancestors(*node).find(|up| tree.kind(*up) == "macro_invocation");
        let name = around.and_then(|up| tree.field(up, "macro"));
        let text = tree.text_of(tree.root());
        let behind = text.get(reference.range.end as usize..).unwrap_or("").trim_start();
        let is_key = behind.starts_with('=') && !behind.starts_with("==");
        !is_key && name.is_some_and(|name| has(READING, tree.text_of(name)))
    }

    /// A format with more or fewer places than arguments.
    fn format(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        const PLAIN: &str = "print println eprint eprintln format";
        let (rx, tree) = (self.rx, self.tree);
        let name = tree.field(node, "macro")?;
        let text = tree.text_of(name);
        let is_written = matches!(text, "write" | "writeln");
        if !has(PLAIN, text) && !is_written {
            return None;
        }
        let sites = rx.world().declarations(text);
        let is_made = |def: GlobalDef| {
            is_own(rx, def) && !matches!(rx.kind(def), SymbolKind::Method | SymbolKind::Field)
        };
        if sites.len() > MOST_NAMESAKES || sites.iter().any(|site| is_made(site.at)) {
            return None;
        }
        let behind = tree.slice(ide_model::TextRange::new(tree.range(name).end, tree.range(node).end));
        let inside = behind
            .trim_start_matches(['!', ' '])
            .strip_prefix('(')?
            .trim_end_matches(';')
            .strip_suffix(')')?;
        let mut all = arguments(inside)?;
        if is_written && !all.is_empty() {
            all.remove(0);
        }
        let (format, given) = all.split_first()?;
        let format = format.strip_prefix('"')?.strip_suffix('"')?;
        let places = places(format)?;
        let is_plain = |text: &&&str| {
            let (key, value) = text.split_once('=').unwrap_or(("", ""));
            let is_key =
                !key.trim().is_empty() && key.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
            !is_key || value.starts_with('=')
        };
        let count = given.iter().filter(is_plain).count();
        if count != places && !is_in_macro(tree, tree.parent(node)?) {
            let message = format!("the format has {places} places, and there are {count} arguments");
            refuse(found, ARGUMENT_COUNT, tree.range(name), message);
        }
        Some(())
    }
}

/// The arguments of a macro, apart; `None` where that is not certain.
fn arguments(text: &str) -> Option<Vec<&str>> {
    let (mut all, mut start, mut depth, mut in_text) = (Vec::new(), 0, 0_usize, false);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            // Comments, characters, lifetimes, type arguments, and texts of other kinds.
            b'\'' | b'#' | b'|' | b'$' => return None,
            b'/' if bytes.get(at + 1) == Some(&b'/') || bytes.get(at + 1) == Some(&b'*') => return None,
            b':' if bytes.get(at + 1) == Some(&b':') && bytes.get(at + 2) == Some(&b'<') => return None,
            b'<' | b'>' => return None,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                all.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        all.push(last);
    }
    (!in_text && depth == 0).then_some(all)
}

/// The places of a format that take the next argument; `None` where some take another one.
fn places(format: &str) -> Option<usize> {
    let (mut count, mut rest) = (0, format);
    while let Some(at) = rest.find(['{', '}']) {
        let doubled = rest[at..].starts_with("{{") || rest[at..].starts_with("}}");
        if doubled {
            rest = &rest[at + 2..];
            continue;
        }
        let inside = rest[at..].strip_prefix('{')?;
        let end = inside.find('}')?;
        let place = &inside[..end];
        if place.contains(['$', '*', '\\', '{']) || place.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        count += usize::from(place.trim().is_empty() || place.starts_with(':'));
        rest = &inside[end + 1..];
    }
    Some(count)
}
