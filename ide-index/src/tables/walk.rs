//! The one walk over a syntax tree that all tables share: iterative, linear, one frame a node.

use ide_model::{Language, SymbolKind, TextRange, Visibility};
use rustc_hash::FxHashSet;
use tree_sitter::{Node, Tree};

use super::imports;
use super::rules::{Act, Ctx, NameAt, NodeRule, Slot, Table, Through};
use crate::builder::FactBuilder;
use crate::facts::{
    Def, DefFlags, DefId, ExprId, FileFacts, NameId, Quality, RefId, Role, ScopeId, ScopeKind, SuperType,
    TypeId,
};

/// The facts of a parsed text.
pub(super) fn walk(table: &Table, language: Language, text: &str, tree: &Tree) -> FileFacts {
    let mut walker = Walker {
        table,
        text,
        b: FactBuilder::new(language, text.len() as u32),
        frames: Vec::new(),
        values: Vec::new(),
        types: Vec::new(),
        decorators: Vec::new(),
        bound: Vec::new(),
        opened: Vec::new(),
        declared: FxHashSet::default(),
    };
    walker.run(tree);
    // Not what the root says: a missing line end that no node shows is no error of the text.
    let is_damaged = !walker.b.facts().errors.is_empty();
    walker.b.set_quality(if is_damaged { Quality::Damaged } else { Quality::Names });
    walker.b.finish()
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Value {
    #[default]
    None,
    Ref(RefId),
    Expr(ExprId),
    Type(TypeId),
}

pub(super) const NO_FRAME: u32 = u32::MAX;

pub(super) struct Frame<'t> {
    pub(super) kind: u16,
    pub(super) rule: &'t NodeRule,
    pub(super) ctx: Ctx,
    pub(super) slot: Slot,
    pub(super) range: TextRange,
    /// Its children stand for it: they take its context and slot.
    pub(super) through: bool,
    /// The frame that the children's values go to.
    pub(super) target: u32,
    /// The innermost group of declarations that it belongs to.
    pub(super) group: u32,
    pub(super) def: Option<DefId>,
    pub(super) name_node: usize,
    pub(super) name_start: u32,
    pub(super) opened_def: bool,
    pub(super) opened_scope: bool,
    pub(super) entered_outer: bool,
    pub(super) receiver: Option<ExprId>,
    pub(super) callee: Value,
    pub(super) value: Value,
    pub(super) init: Option<ExprId>,
    pub(super) ty: Option<TypeId>,
    pub(super) extension: Option<TypeId>,
    pub(super) has_arguments: bool,
    pub(super) has_sibling_decorators: bool,
    /// Its operator assigns and reads, or it declares nothing.
    pub(super) compound: bool,
    /// A name bound below is bound as a whole.
    pub(super) wraps: bool,
    pub(super) values: usize,
    pub(super) types: usize,
    pub(super) decorators: usize,
    pub(super) bound: usize,
    pub(super) flags: DefFlags,
    pub(super) visibility: Option<Visibility>,
    pub(super) becomes: Option<SymbolKind>,
    pub(super) doc: Option<TextRange>,
    /// The documentation comment that stands before the next child.
    pub(super) pending_doc: Option<TextRange>,
    pub(super) children: u32,
}

/// A declaration whose parts are still being collected; without a declaration the parts are dropped.
#[derive(Default)]
pub(super) struct Opened {
    pub(super) def: Option<DefId>,
    pub(super) name_start: u32,
    pub(super) params: Vec<DefId>,
    pub(super) type_params: Vec<DefId>,
    pub(super) supers: Vec<SuperType>,
    pub(super) throws: Vec<TypeId>,
}

pub(super) struct Walker<'t> {
    pub(super) table: &'t Table,
    pub(super) text: &'t str,
    pub(super) b: FactBuilder,
    pub(super) frames: Vec<Frame<'t>>,
    pub(super) values: Vec<ExprId>,
    pub(super) types: Vec<TypeId>,
    pub(super) decorators: Vec<ExprId>,
    /// Declarations of the open groups, and whether they stand directly in one.
    pub(super) bound: Vec<(DefId, bool)>,
    pub(super) opened: Vec<Opened>,
    /// Names that a scope declares, where first assignments declare.
    pub(super) declared: FxHashSet<(ScopeId, NameId)>,
}

impl<'t> Walker<'t> {
    fn run(&mut self, tree: &'t Tree) {
        let mut cursor = tree.walk();
        let root = cursor.node();
        let rule = self.table.node(root.kind_id(), u16::MAX);
        let frame = self.new_frame(root, rule, Ctx::Role(Role::Read), Slot::None);
        self.frames.push(frame);
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let field = cursor.field_id().map(std::num::NonZeroU16::get);
            let node = cursor.node();
            if self.enter(node, field) {
                if cursor.goto_first_child() {
                    continue;
                }
                self.leave();
            }
            while !cursor.goto_next_sibling() {
                cursor.goto_parent();
                if self.frames.len() == 1 {
                    return;
                }
                self.leave();
            }
        }
    }

    fn range(node: Node<'_>) -> TextRange {
        let range = node.byte_range();
        TextRange::new(range.start as u32, range.end.max(range.start) as u32)
    }

    pub(super) fn slice(&self, range: TextRange) -> &'t str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }

    fn top(&mut self) -> &mut Frame<'t> {
        self.frames.last_mut().expect("the frame of the root stays until the end")
    }

    fn new_frame(&self, node: Node<'_>, rule: &'t NodeRule, ctx: Ctx, slot: Slot) -> Frame<'t> {
        Frame {
            kind: node.kind_id(),
            rule,
            ctx,
            slot,
            range: Self::range(node),
            through: false,
            target: self.frames.len() as u32,
            group: NO_FRAME,
            def: None,
            name_node: 0,
            name_start: 0,
            opened_def: false,
            opened_scope: false,
            entered_outer: false,
            receiver: None,
            callee: Value::None,
            value: Value::None,
            init: None,
            ty: None,
            extension: None,
            has_arguments: false,
            has_sibling_decorators: false,
            compound: false,
            wraps: false,
            values: self.values.len(),
            types: self.types.len(),
            decorators: self.decorators.len(),
            bound: self.bound.len(),
            flags: DefFlags::NONE,
            visibility: None,
            becomes: if rule.group { rule.becomes } else { None },
            doc: None,
            pending_doc: None,
            children: 0,
        }
    }

    /// Takes up a node. True when a frame was made for it and its children are to be visited.
    fn enter(&mut self, node: Node<'t>, field: Option<u16>) -> bool {
        let parent = self.frames.len() - 1;
        let kind = node.kind_id();
        let rule = self.table.node(kind, self.frames[parent].kind);
        if rule.comment {
            self.comment(Self::range(node));
            return false;
        }
        if node.is_missing() || node.is_error() {
            let what = if node.is_missing() {
                format!("`{}` is missing", node.kind())
            } else {
                "syntax error".into()
            };
            self.b.error(Self::range(node), what);
            if node.is_missing() {
                return false;
            }
        }
        let is_read_here = rule.import.is_some() || rule.package || rule.skip;
        if is_read_here && node.has_error() && !node.is_error() {
            self.b.error(Self::range(node), "syntax error");
        }
        self.apply_modifier(parent, rule);
        if !node.is_named() {
            return false;
        }
        let index = self.frames[parent].children;
        self.frames[parent].children += 1;
        let doc = self.frames[parent].pending_doc;
        if !rule.sibling_decorator {
            self.frames[parent].pending_doc = None;
        }
        let edge = self.table.edge(self.frames[parent].kind, field, kind, index);
        if edge.ctx == Ctx::Skip || rule.skip || node.id() == self.frames[parent].name_node {
            return false;
        }
        let (ctx, mut slot) = match edge.ctx {
            Ctx::Inherit if self.frames[parent].through => {
                let inherited = self.frames[parent].slot;
                (self.frames[parent].ctx, if edge.slot == Slot::None { inherited } else { edge.slot })
            }
            Ctx::Inherit => (Ctx::Role(Role::Read), edge.slot),
            ctx => (self.context(ctx, edge.slot, parent), edge.slot),
        };
        if slot == Slot::Type
            && self.frames[parent].rule.extension
            && Self::range(node).start < self.name_or_binding_start(parent)
        {
            slot = Slot::ExtensionType;
        }
        if let Some(role) = rule.leaf {
            let value = self.leaf(node, role, ctx, slot, parent);
            self.deliver(parent, slot, value);
            return false;
        }
        if let Some(style) = rule.import
            && let Some(bound) = imports::import(&mut self.b, self.text, style, node)
        {
            for def in bound {
                let (scope, name) = (self.b.facts().def(def).scope, self.b.facts().def(def).name);
                self.declared.insert((scope, name));
            }
            return false;
        }
        if rule.package {
            imports::package(&mut self.b, self.text, Self::range(node));
            return false;
        }
        if rule.docstring {
            self.docstring(Self::range(node));
        }
        self.push(node, rule, ctx, slot, edge.outer, doc);
        true
    }

    /// An explicit context, as the node above modifies it.
    fn context(&self, ctx: Ctx, slot: Slot, parent: usize) -> Ctx {
        let above = &self.frames[parent];
        match ctx {
            Ctx::Same if above.rule.act == Act::Subscript && !is_type(above.ctx) => Ctx::Role(Role::Read),
            Ctx::Same => above.ctx,
            Ctx::Typewise if is_type(above.ctx) => Ctx::Role(Role::Type),
            Ctx::Typewise => Ctx::Role(Role::Read),
            Ctx::Role(Role::Call) if slot == Slot::Callee && above.ctx == Ctx::Role(Role::Annotation) => {
                above.ctx
            }
            Ctx::Role(Role::Write) if above.compound && above.rule.assignment => Ctx::Role(Role::ReadWrite),
            Ctx::Role(Role::Read) if above.compound && above.rule.increment => Ctx::Role(Role::ReadWrite),
            Ctx::Bind(bind) if bind.conditional && above.compound => Ctx::Role(Role::Write),
            ctx => ctx,
        }
    }

    /// The start of the declared name; for a group the end of the file until a name was bound.
    fn name_or_binding_start(&self, frame: usize) -> u32 {
        let frame = &self.frames[frame];
        match (frame.def, self.bound.get(frame.bound)) {
            (Some(_), _) => frame.name_start,
            (None, Some(_)) => 0,
            (None, None) => u32::MAX,
        }
    }

    fn push(
        &mut self,
        node: Node<'t>,
        rule: &'t NodeRule,
        ctx: Ctx,
        slot: Slot,
        outer: bool,
        doc: Option<TextRange>,
    ) {
        let parent = self.frames.len() - 1;
        let mut frame = self.new_frame(node, rule, ctx, slot);
        let (parent_through, parent_target, parent_group, parent_is_group) = {
            let p = &self.frames[parent];
            (p.through, p.target, p.group, p.rule.group)
        };
        frame.doc = doc;
        frame.through = node.is_error()
            || match rule.through {
                Through::No => false,
                Through::Type => is_type(ctx),
                Through::Always => true,
            };
        frame.compound = is_compound(node, rule);
        frame.wraps = rule.wraps && (parent_is_group || self.frames[parent].wraps);
        if frame.through {
            frame.target = if parent_through { parent_target } else { parent as u32 };
        }
        frame.group = if parent_is_group {
            parent as u32
        } else if parent_through {
            parent_group
        } else {
            NO_FRAME
        };
        if !rule.sibling_decorator && std::mem::take(&mut self.frames[parent].has_sibling_decorators) {
            frame.decorators = self.frames[parent].decorators;
        }
        if outer && let Some(scope) = self.frames[parent].def.map(|def| self.b.facts().def(def).scope) {
            self.b.enter(scope);
            frame.entered_outer = true;
        }
        let is_mention = rule.needs.is_some_and(|field| node.child_by_field_id(field).is_none());
        if rule.def.is_some() && !is_mention {
            self.declare(node, &mut frame);
        }
        if let Some(kind) = rule.scope.filter(|_| !is_mention) {
            self.open_scope(kind, &mut frame, parent);
        }
        if rule.act == Act::Args {
            let target = frame.target_above(parent, parent_through, parent_target);
            self.frames[target].has_arguments = true;
        }
        self.frames.push(frame);
    }

    fn open_scope(&mut self, kind: ScopeKind, frame: &mut Frame<'t>, parent: usize) {
        let above = &self.frames[parent];
        let is_body = kind == ScopeKind::Block && above.rule.scope == Some(ScopeKind::Function);
        if is_body {
            return;
        }
        let start = frame.name_start.max(frame.range.start);
        self.b.open(kind, start, frame.def);
        frame.opened_scope = true;
        if frame.rule.def.is_some() || kind == ScopeKind::Function {
            self.opened.push(Opened { def: frame.def, name_start: frame.name_start, ..Opened::default() });
            frame.opened_def = true;
        }
    }

    fn name_node(&self, node: Node<'t>, rule: &NodeRule) -> Option<Node<'t>> {
        let found = match rule.name {
            NameAt::None => None,
            NameAt::Field(field) => node.child_by_field_id(field),
            NameAt::Child(kind) => {
                let mut cursor = node.walk();
                node.children(&mut cursor).find(|child| child.kind_id() == kind)
            }
            NameAt::Deep(field) => {
                let mut at = node.child_by_field_id(field);
                // Declarators nest a few levels; more is not source text that anyone wrote.
                for _ in 0..32 {
                    let Some(inner) = at else { break };
                    let next = inner
                        .child_by_field_id(field)
                        .or_else(|| self.table.name_field.and_then(|name| inner.child_by_field_id(name)));
                    match next {
                        Some(next) => at = Some(next),
                        None if inner.named_child_count() == 1 => at = inner.named_child(0),
                        None => break,
                    }
                }
                at
            }
        };
        found.filter(|name| !name.is_missing() && name.start_byte() < name.end_byte())
    }

    /// Makes the declaration of a node that is one.
    fn declare(&mut self, node: Node<'t>, frame: &mut Frame<'t>) {
        let rule = frame.rule;
        let Some((outside, inside)) = rule.def else { return };
        let name = self.name_node(node, rule);
        let (text, range, is_computed) = match name {
            Some(name) => {
                let (text, range) = self.name_text(name);
                let plain =
                    self.table.node(name.kind_id(), frame.kind).leaf.is_some() || name.child_count() == 0;
                let quoted = text.len() < Self::range(name).len() as usize;
                (text, range, !plain && !quoted)
            }
            None if rule.anonymous || rule.name == NameAt::None => {
                ("", TextRange::new(frame.range.start, frame.range.start), true)
            }
            None => return,
        };
        let scope = self.b.scope();
        let in_class = self.b.facts().scope(scope).kind == ScopeKind::Class;
        let mut kind = if in_class { inside } else { outside };
        if in_class && self.table.constructors.contains(&text) {
            kind = SymbolKind::Constructor;
        }
        let is_anonymous = name.is_none() || is_computed;
        let def = if is_anonymous {
            let at = TextRange::new(frame.range.start, frame.range.start);
            let def = self.b.def("", at, kind);
            self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
            def
        } else {
            frame.name_node = name.map_or(0, |n| n.id());
            frame.name_start = range.start;
            self.b.def(text, range, kind)
        };
        frame.def = Some(def);
        self.b.def_mut(def).range = frame.range;
        self.b.def_mut(def).flags.set(rule.flags);
        self.b.def_mut(def).doc = frame.doc;
        self.register(def, frame.slot);
        if frame.group != NO_FRAME && !matches!(rule.act, Act::Lambda | Act::ClassValue) {
            self.inherit_from_groups(def, frame.group);
            // The kind that a group gives to the names bound in it does not apply to whole declarations.
            self.b.def_mut(def).kind = kind;
            self.bound.push((def, false));
        }
    }

    /// Name as looked up, and where it stands: quotes, backticks and sigils are not part of the name.
    pub(super) fn name_text(&self, node: Node<'_>) -> (&'t str, TextRange) {
        let range = Self::range(node);
        let text = self.slice(range);
        if let Some(inner) = text.strip_prefix("r#") {
            return (inner, TextRange::new(range.start + 2, range.end));
        }
        for quote in ['`', '"', '\''] {
            if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
                return (inner, TextRange::new(range.start + 1, range.end - 1));
            }
        }
        (text, range)
    }

    /// The flags and the visibility that the groups around a declaration give to it.
    pub(super) fn inherit_from_groups(&mut self, def: DefId, mut group: u32) {
        while group != NO_FRAME {
            let frame = &self.frames[group as usize];
            let (flags, visibility, becomes) =
                (frame.flags | frame.rule.flags, frame.visibility, frame.becomes);
            let (doc, range, next, loose) = (frame.doc, frame.range, frame.group, frame.rule.loose);
            let d = self.b.def_mut(def);
            d.flags.set(flags);
            d.visibility = d.visibility.or(visibility);
            d.doc = d.doc.or(doc);
            become_kind(d, becomes);
            if !loose {
                d.range = TextRange::new(range.start.min(d.range.start), range.end.max(d.range.end));
            }
            group = next;
        }
    }

    /// Tells the owner of a new declaration, and the list of declared names.
    pub(super) fn register(&mut self, def: DefId, slot: Slot) {
        let (kind, scope, name) = {
            let d = self.b.facts().def(def);
            (d.kind, d.scope, d.name)
        };
        if self.table.once {
            self.declared.insert((scope, name));
        }
        let is_visible =
            kind != SymbolKind::TypeParameter && !self.b.facts().def(def).flags.has(DefFlags::LOCAL);
        if self.table.capital_exports
            && is_visible
            && self.b.facts().def_name(def).starts_with(char::is_uppercase)
        {
            self.b.def_mut(def).flags.set(DefFlags::EXPORTED);
        }
        let Some(owner) = self.opened.last_mut() else { return };
        let owner_kind = owner.def.map(|def| self.b.facts().def(def).kind);
        if matches!(owner_kind, Some(SymbolKind::Namespace | SymbolKind::Module)) {
            return;
        }
        match kind {
            SymbolKind::Parameter if owner_kind.is_some_and(|k| k.is_type() && k != SymbolKind::Record) => {}
            SymbolKind::Parameter if slot != Slot::SelfParameter => owner.params.push(def),
            SymbolKind::TypeParameter => owner.type_params.push(def),
            _ => {}
        }
    }

    fn apply_modifier(&mut self, parent: usize, rule: &NodeRule) {
        if rule.flags == DefFlags::NONE && rule.visibility.is_none() && rule.becomes.is_none()
            || rule.def.is_some()
            || rule.group
        {
            return;
        }
        let frame = &self.frames[parent];
        let target = if frame.through { frame.target as usize } else { parent };
        let frame = &mut self.frames[target];
        match frame.def {
            Some(def) => {
                let def = self.b.def_mut(def);
                def.flags.set(rule.flags);
                def.visibility = rule.visibility.or(def.visibility);
                become_kind(def, rule.becomes);
            }
            None => {
                frame.flags.set(rule.flags);
                frame.visibility = rule.visibility.or(frame.visibility);
                frame.becomes = rule.becomes.or(frame.becomes);
            }
        }
    }

    fn comment(&mut self, range: TextRange) {
        let text = self.slice(range);
        let Some(prefix) = self.table.doc.iter().find(|prefix| text.starts_with(**prefix)) else { return };
        let before = &self.text[..range.start as usize];
        let line = before.rsplit('\n').next().unwrap_or(before);
        if !line.trim().is_empty() {
            return;
        }
        let is_line = prefix.as_bytes().get(1) != Some(&b'*');
        let previous = self.top().pending_doc.filter(|previous| {
            let between = self.text.get(previous.end as usize..range.start as usize).unwrap_or("x");
            let newlines = between.matches('\n').count() + usize::from(self.slice(*previous).ends_with('\n'));
            is_line && between.trim().is_empty() && newlines <= 1
        });
        let start = previous.map_or(range.start, |p| p.start);
        self.top().pending_doc = Some(TextRange::new(start, range.end));
    }

    /// A string that is the first statement of a body documents the owner.
    fn docstring(&mut self, range: TextRange) {
        let [.., owner, body, statement] = &self.frames[..] else { return };
        if let Some(def) = owner.def
            && body.children == 1
            && statement.children == 1
        {
            self.b.def_mut(def).doc = Some(range);
        }
    }

    /// Finishes the innermost node.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let value = self.value(&frame);
        if frame.opened_scope {
            self.b.close(frame.range.end);
        }
        if frame.opened_def {
            self.finish_def();
        }
        if frame.rule.group {
            self.finish_group(&frame);
        } else if let Some(def) = frame.def {
            let decorators = self.b.list(self.decorators[frame.decorators..].iter().copied());
            if !decorators.is_empty() {
                self.b.def_mut(def).decorators = decorators;
            }
            self.promote(def);
        }
        if frame.entered_outer {
            self.b.leave();
        }
        let keeps = frame.through || frame.rule.sibling_decorator;
        if !keeps {
            self.decorators.truncate(frame.decorators);
            if frame.rule.act != Act::Args {
                self.values.truncate(frame.values);
            }
            if frame.rule.act != Act::TypeArgs {
                self.types.truncate(frame.types);
            }
            if frame.group == NO_FRAME {
                self.bound.truncate(frame.bound);
            }
        }
        if frame.rule.act == Act::Args || frame.rule.act == Act::TypeArgs || frame.through {
            return;
        }
        let parent = self.frames.len() - 1;
        if frame.rule.sibling_decorator {
            self.frames[parent].has_sibling_decorators = true;
            return;
        }
        self.deliver(parent, frame.slot, value);
    }

    fn finish_def(&mut self) {
        let Some(opened) = self.opened.pop() else { return };
        let Some(def) = opened.def else { return };
        let params = self.b.list(opened.params);
        let type_params = self.b.list(opened.type_params);
        let supers = self.b.list(opened.supers);
        let throws = self.b.list(opened.throws);
        let def = self.b.def_mut(def);
        (def.params, def.type_params, def.supers, def.throws) = (params, type_params, supers, throws);
    }

    fn finish_group(&mut self, frame: &Frame<'t>) {
        let members = self.bound[frame.bound..].to_vec();
        let only = members.len() == 1;
        for (def, direct) in members {
            let decorators = self.b.list(self.decorators[frame.decorators..].iter().copied());
            let d = self.b.def_mut(def);
            if direct && d.ty.is_none() {
                d.ty = frame.ty;
            }
            if direct && only && d.init.is_none() {
                d.init = frame.init;
            }
            if frame.extension.is_some() {
                d.receiver = frame.extension;
                d.flags.set(DefFlags::EXTENSION);
            }
            // Modifiers may stand behind the name.
            d.flags.set(frame.flags);
            d.visibility = d.visibility.or(frame.visibility);
            if d.decorators.is_empty() {
                d.decorators = decorators;
            }
            if frame.group == NO_FRAME {
                self.promote(def);
            }
        }
    }

    /// A parameter that declares a member too.
    fn promote(&mut self, def: DefId) {
        let d = self.b.facts().def(def).clone();
        if d.kind != SymbolKind::Parameter || !d.flags.has(DefFlags::PROMOTED) {
            return;
        }
        let class = {
            let facts = self.b.facts();
            facts.scope_chain(d.scope).find(|id| facts.scope(*id).kind == ScopeKind::Class)
        };
        let Some(class) = class else { return };
        let name = self.b.facts().def_name(def).to_owned();
        let member = self.b.def_in(class, &name, d.name_range, SymbolKind::Property);
        let flags = self.b.facts().def(member).flags;
        *self.b.def_mut(member) = Def {
            scope: class,
            kind: SymbolKind::Property,
            flags: DefFlags(d.flags.0 & !DefFlags::LOCAL.0) | flags,
            ..d
        };
        let flags = &mut self.b.def_mut(def).flags;
        *flags = DefFlags(flags.0 & !DefFlags::PROMOTED.0);
    }
}

pub(super) fn is_type(ctx: Ctx) -> bool {
    use Role::{Annotation, Extends, Implements, New, Type};
    matches!(ctx, Ctx::Role(Type | Extends | Implements | New | Annotation))
}

/// Only classes become abstract classes.
fn become_kind(def: &mut Def, kind: Option<SymbolKind>) {
    match kind {
        Some(SymbolKind::AbstractClass) if def.kind != SymbolKind::Class => {}
        Some(kind) => def.kind = kind,
        None => {}
    }
}

fn is_compound(node: Node<'_>, rule: &NodeRule) -> bool {
    if rule.assignment || rule.increment {
        let operator = node.child_by_field_name("operator").map_or("=", |operator| operator.kind());
        return if rule.assignment { operator != "=" } else { matches!(operator, "++" | "--") };
    }
    if rule.declaring {
        let mut cursor = node.walk();
        return !node.children(&mut cursor).any(|c| matches!(c.kind(), "const" | "let" | "var" | ":="));
    }
    false
}

impl Frame<'_> {
    /// The frame that arguments written in this one belong to.
    fn target_above(&self, parent: usize, parent_through: bool, parent_target: u32) -> usize {
        if parent_through { parent_target as usize } else { parent }
    }
}
