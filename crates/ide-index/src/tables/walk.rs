//! The one walk over a syntax tree that all tables share: iterative, linear, one frame a node.

use ide_model::{Language, SymbolKind, TextRange, Visibility};
use rustc_hash::FxHashSet;
use tree_sitter::{Node, Tree};

use super::imports;
use super::rules::{Act, Bind, Ctx, NameAt, NodeRule, Slot, Table, Through};
use crate::builder::FactBuilder;
use crate::facts::{
    Def, DefFlags, DefId, Expr, ExprId, FileFacts, List, NameId, Quality, RefFlags, RefId, Role, ScopeId,
    ScopeKind, SuperKind, SuperType, TypeExpr, TypeId,
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
enum Value {
    #[default]
    None,
    Ref(RefId),
    Expr(ExprId),
    Type(TypeId),
}

const NO_FRAME: u32 = u32::MAX;

struct Frame<'t> {
    kind: u16,
    rule: &'t NodeRule,
    ctx: Ctx,
    slot: Slot,
    range: TextRange,
    /// Its children stand for it: they take its context and slot.
    through: bool,
    /// The frame that the children's values go to.
    target: u32,
    /// The innermost group of declarations that it belongs to.
    group: u32,
    def: Option<DefId>,
    name_node: usize,
    name_start: u32,
    opened_def: bool,
    opened_scope: bool,
    entered_outer: bool,
    receiver: Option<ExprId>,
    callee: Value,
    value: Value,
    init: Option<ExprId>,
    ty: Option<TypeId>,
    extension: Option<TypeId>,
    has_arguments: bool,
    has_sibling_decorators: bool,
    /// Its operator assigns and reads, or it declares nothing.
    compound: bool,
    /// A name bound below is bound as a whole.
    wraps: bool,
    values: usize,
    types: usize,
    decorators: usize,
    bound: usize,
    flags: DefFlags,
    visibility: Option<Visibility>,
    becomes: Option<SymbolKind>,
    doc: Option<TextRange>,
    /// The documentation comment that stands before the next child.
    pending_doc: Option<TextRange>,
    children: u32,
}

/// A declaration whose parts are still being collected; without a declaration the parts are dropped.
#[derive(Default)]
struct Opened {
    def: Option<DefId>,
    name_start: u32,
    params: Vec<DefId>,
    type_params: Vec<DefId>,
    supers: Vec<SuperType>,
    throws: Vec<TypeId>,
}

struct Walker<'t> {
    table: &'t Table,
    text: &'t str,
    b: FactBuilder,
    frames: Vec<Frame<'t>>,
    values: Vec<ExprId>,
    types: Vec<TypeId>,
    decorators: Vec<ExprId>,
    /// Declarations of the open groups, and whether they stand directly in one.
    bound: Vec<(DefId, bool)>,
    opened: Vec<Opened>,
    /// Names that a scope declares, where first assignments declare.
    declared: FxHashSet<(ScopeId, NameId)>,
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

    fn slice(&self, range: TextRange) -> &'t str {
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

    /// Where the declared name starts; for a group the end of the file until a name was bound.
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
                let quoted = text.len() < range.len() as usize;
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
            // What a group makes of the names bound in it is no matter of whole declarations.
            self.b.def_mut(def).kind = kind;
            self.bound.push((def, false));
        }
    }

    /// Name as looked up, and where it stands: quotes, backticks and sigils are not part of the name.
    fn name_text(&self, node: Node<'_>) -> (&'t str, TextRange) {
        let range = Self::range(node);
        let text = self.slice(range);
        if let Some(inner) = text.strip_prefix("r#") {
            return (inner, range);
        }
        for quote in ['`', '"', '\''] {
            if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
                return (inner, range);
            }
        }
        (text, range)
    }

    /// What the groups around a declaration say of it.
    fn inherit_from_groups(&mut self, def: DefId, mut group: u32) {
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
    fn register(&mut self, def: DefId, slot: Slot) {
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

    /// An identifier.
    fn leaf(&mut self, node: Node<'_>, default: Role, ctx: Ctx, slot: Slot, parent: usize) -> Value {
        let (text, range) = self.name_text(node);
        if range.is_empty() || self.table.ignored.contains(&text) {
            return Value::None;
        }
        if self.table.this.contains(&text) && !matches!(ctx, Ctx::Member(_)) {
            let scope = self.b.scope();
            return Value::Expr(self.b.expr(Expr::This(scope)));
        }
        if self
            .opened
            .last()
            .is_some_and(|o| o.def.is_some() && o.name_start == range.start && range.start > 0)
        {
            return Value::None;
        }
        match ctx {
            Ctx::Bind(bind) => self.bind(text, range, bind, slot, parent),
            Ctx::Member(role) => self.member(text, range, role, default, parent),
            Ctx::Segment(before) => self.segment(text, range, before, default, parent),
            Ctx::LastSegment => {
                let receiver = self.frames[parent].value;
                let receiver = self.as_expr(receiver);
                self.frames[parent].receiver = receiver;
                self.member(text, range, None, default, parent)
            }
            Ctx::KeyIfAssigned => {
                let rest = self.text[range.end as usize..].trim_start();
                if !rest.starts_with('=') || rest.starts_with("==") {
                    return Value::Ref(self.b.reference(text, range, default));
                }
                let key = Value::Ref(self.b.reference(text, range, Role::Key));
                self.frames[parent].callee = key;
                Value::None
            }
            Ctx::Outer => {
                let id = self.b.reference(text, range, Role::Read);
                let key = (self.b.scope(), self.b.facts().reference(id).name);
                self.declared.insert(key);
                Value::Ref(id)
            }
            Ctx::Role(role) => {
                let role = if role == Role::Read { default } else { role };
                let id = self.b.reference(text, range, role);
                if self.frames[parent].rule.in_macro {
                    self.b.ref_mut(id).flags.set(RefFlags::IN_MACRO);
                }
                Value::Ref(id)
            }
            Ctx::Inherit | Ctx::Same | Ctx::Typewise | Ctx::Skip => Value::None,
        }
    }

    fn segment(
        &mut self,
        text: &'t str,
        range: TextRange,
        before: Role,
        default: Role,
        parent: usize,
    ) -> Value {
        let is_last = !self.text[range.end as usize..].trim_start().starts_with(['.', '\\', ':']);
        let receiver = self.frames[parent].value;
        if let Ctx::Bind(bind) = self.frames[parent].ctx
            && is_last
            && matches!(receiver, Value::None)
        {
            return self.bind(text, range, bind, Slot::None, parent);
        }
        let receiver = self.as_expr(receiver);
        let role = match self.frames[parent].ctx {
            Ctx::Role(role) if is_last && role != Role::Read => role,
            _ if is_last && default != Role::Read => default,
            _ => before,
        };
        let id = self.b.reference(text, range, role);
        self.b.ref_mut(id).receiver = receiver;
        Value::Ref(id)
    }

    fn member(
        &mut self,
        text: &'t str,
        range: TextRange,
        own: Option<Role>,
        default: Role,
        parent: usize,
    ) -> Value {
        let parent = if self.frames[parent].through { self.frames[parent].target as usize } else { parent };
        let role = own.unwrap_or(match self.frames[parent].ctx {
            Ctx::Role(Role::Read) => default,
            Ctx::Role(role) => role,
            Ctx::Bind(_) if self.table.capital_patterns => Role::Read,
            Ctx::Bind(_) => Role::Write,
            _ => default,
        });
        let receiver = self.frames[parent].receiver;
        if role == Role::Write
            && let Some(attribute) = self.attribute(text, range, receiver, parent)
        {
            return attribute;
        }
        let id = self.b.reference(text, range, role);
        self.b.ref_mut(id).receiver = receiver;
        Value::Ref(id)
    }

    /// The first assignment to a member of the instance declares it in the class.
    fn attribute(
        &mut self,
        text: &str,
        range: TextRange,
        receiver: Option<ExprId>,
        parent: usize,
    ) -> Option<Value> {
        let word = self.table.attributes?;
        let is_instance = match self.b.facts().expr(receiver?) {
            Expr::This(_) => word == "this",
            Expr::Ref(id) => {
                self.b.facts().reference(id).receiver.is_none() && self.b.facts().ref_name(id) == word
            }
            _ => false,
        };
        if !is_instance {
            return None;
        }
        let class = {
            let facts = self.b.facts();
            facts.scope_chain(self.b.scope()).find(|id| facts.scope(*id).kind == ScopeKind::Class)?
        };
        let name = self.b.name(text);
        if !self.declared.insert((class, name)) {
            return None;
        }
        let def = self.b.def_in(class, text, range, SymbolKind::Field);
        self.b.def_mut(def).flags.set(DefFlags::ATTRIBUTE);
        let group = self.frames[parent].group;
        if group != NO_FRAME {
            self.b.def_mut(def).range = self.frames[group as usize].range;
            self.bound.push((def, true));
        }
        Some(Value::None)
    }

    fn bind(&mut self, text: &'t str, range: TextRange, bind: Bind, slot: Slot, parent: usize) -> Value {
        let frame = &self.frames[parent];
        let direct = frame.rule.group || frame.wraps;
        let group = match frame.rule.group {
            true => parent as u32,
            false if frame.through => frame.group,
            false => NO_FRAME,
        };
        let is_constant = self.table.capital_patterns
            && bind.kind == SymbolKind::Variable
            && text.starts_with(char::is_uppercase);
        if is_constant || (bind.first && frame.rule.group && self.bound.len() > frame.bound) {
            return Value::Ref(self.b.reference(text, range, Role::Read));
        }
        let mut scope = self.b.scope();
        if bind.hoist || self.is_hoisting(group) {
            let facts = self.b.facts();
            scope = facts
                .scope_chain(scope)
                .find(|id| !matches!(facts.scope(*id).kind, ScopeKind::Block | ScopeKind::Comprehension))
                .unwrap_or(scope);
        }
        if bind.once {
            let name = self.b.name(text);
            if self.declared.contains(&(scope, name)) {
                return Value::Ref(self.b.reference(text, range, Role::Write));
            }
        }
        let kind = match self.b.facts().scope(scope).kind {
            ScopeKind::Class => bind.in_class,
            ScopeKind::File | ScopeKind::Module => bind.in_file,
            _ => bind.kind,
        };
        let slot = if group == NO_FRAME { slot } else { self.frames[group as usize].slot };
        // A parameter in the place of a result type is a named result.
        let is_result = kind == SymbolKind::Parameter && slot == Slot::Type;
        let def = self.b.def_in(scope, text, range, if is_result { SymbolKind::Variable } else { kind });
        self.inherit_from_groups(def, group);
        self.register(def, slot);
        if group != NO_FRAME {
            self.bound.push((def, direct));
        }
        Value::None
    }

    fn is_hoisting(&self, mut group: u32) -> bool {
        while group != NO_FRAME {
            let frame = &self.frames[group as usize];
            if frame.rule.hoisting {
                return true;
            }
            group = frame.group;
        }
        false
    }

    fn as_expr(&mut self, value: Value) -> Option<ExprId> {
        match value {
            Value::None => None,
            Value::Expr(id) => Some(id),
            Value::Ref(id) => Some(self.b.expr(Expr::Ref(id))),
            Value::Type(ty) => Some(match self.b.facts().ty(ty) {
                TypeExpr::Named { name, .. } => self.b.expr(Expr::Ref(name)),
                _ => self.b.expr(Expr::Type(ty)),
            }),
        }
    }

    fn as_type(&mut self, value: Value) -> Option<TypeId> {
        match value {
            Value::None => None,
            Value::Type(id) => Some(id),
            Value::Ref(name) => Some(self.b.ty(TypeExpr::Named { name, args: List::EMPTY })),
            Value::Expr(id) => Some(match self.b.facts().expr(id) {
                Expr::Ref(name) => self.b.ty(TypeExpr::Named { name, args: List::EMPTY }),
                Expr::New { ty, .. } => ty,
                _ => self.b.ty(TypeExpr::Unknown),
            }),
        }
    }

    /// Hands a value to the frame that the node's parent stands for.
    fn deliver(&mut self, parent: usize, slot: Slot, value: Value) {
        let target = if self.frames[parent].through { self.frames[parent].target as usize } else { parent };
        match slot {
            Slot::None => self.deliver_plain(target, value),
            Slot::Receiver => {
                let receiver = self.as_expr(value).unwrap_or_else(|| self.b.expr(Expr::Unknown));
                self.frames[target].receiver = Some(receiver);
            }
            Slot::Callee => self.frames[target].callee = value,
            Slot::Type => {
                let Some(ty) = self.as_type(value) else { return };
                self.frames[target].ty = Some(ty);
                if let Some(def) = self.frames[target].def {
                    self.b.def_mut(def).ty = Some(ty);
                }
            }
            Slot::Init => {
                let Some(init) = self.as_expr(value) else { return };
                self.frames[target].init = Some(init);
                if let Some(def) = self.frames[target].def {
                    self.b.def_mut(def).init = Some(init);
                }
            }
            Slot::Super(kind) => {
                if let (Some(ty), Some(owner)) = (self.as_type(value), self.opened.last_mut()) {
                    owner.supers.push(SuperType { kind, ty });
                }
            }
            Slot::Throws => {
                if let (Some(ty), Some(owner)) = (self.as_type(value), self.opened.last_mut()) {
                    owner.throws.push(ty);
                }
            }
            Slot::Decorator => {
                if let Some(decorator) = self.as_expr(value) {
                    self.decorators.push(decorator);
                }
            }
            Slot::TypeArgument => {
                if is_type(self.frames[target].ctx)
                    && let Some(ty) = self.as_type(value)
                {
                    self.types.push(ty);
                }
            }
            Slot::FieldType => self.field_type(target, value),
            Slot::SelfParameter => {
                let ty = self.as_type(value);
                if let Some(def) = self.frames[target].def {
                    self.b.def_mut(def).receiver = ty;
                }
            }
            Slot::ExtensionType => {
                let ty = self.as_type(value);
                self.frames[target].extension = ty;
                if let Some(def) = self.frames[target].def {
                    self.b.def_mut(def).receiver = ty;
                    self.b.def_mut(def).flags.set(DefFlags::EXTENSION);
                }
            }
        }
    }

    fn field_type(&mut self, target: usize, value: Value) {
        let Some(ty) = self.as_type(value) else { return };
        if self.bound.len() > self.frames[target].bound {
            self.frames[target].ty = Some(ty);
            return;
        }
        let ty = match self.b.facts().ty(ty) {
            TypeExpr::Pointer(inner) => inner,
            _ => ty,
        };
        if let Some(owner) = self.opened.last_mut() {
            owner.supers.push(SuperType { kind: SuperKind::Mixes, ty });
        }
    }

    fn deliver_plain(&mut self, target: usize, value: Value) {
        match self.frames[target].rule.act {
            Act::Args => {
                let value = self.as_expr(value).unwrap_or_else(|| self.b.expr(Expr::Unknown));
                self.values.push(value);
            }
            Act::TypeArgs | Act::Union | Act::Intersection | Act::Tuple => {
                let ty = self.as_type(value).unwrap_or_else(|| self.b.ty(TypeExpr::Unknown));
                self.types.push(ty);
            }
            _ => {
                if !matches!(value, Value::None) {
                    self.frames[target].value = value;
                }
            }
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

    /// What a finished node yields.
    fn value(&mut self, frame: &Frame<'t>) -> Value {
        if frame.slot == Slot::SelfParameter {
            return frame.ty.map_or(frame.value, Value::Type);
        }
        let expr = match frame.rule.act {
            Act::Nothing | Act::Args | Act::TypeArgs => return Value::None,
            Act::Value => return frame.value,
            Act::Call => self.call(frame),
            Act::Annotation if !frame.has_arguments => {
                return if matches!(frame.callee, Value::None) { frame.value } else { frame.callee };
            }
            Act::Annotation => self.call(frame),
            Act::New => {
                let ty = match frame.ty {
                    Some(ty) => ty,
                    None => {
                        let callee = frame.callee;
                        self.as_type(callee).unwrap_or_else(|| self.b.ty(TypeExpr::Unknown))
                    }
                };
                let args = self.b.list(self.values[frame.values..].iter().copied());
                Expr::New { ty, args }
            }
            Act::Named => {
                let value = frame.value;
                let value = self.as_expr(value).unwrap_or_else(|| self.b.expr(Expr::Unknown));
                match frame.callee {
                    Value::Ref(key) => Expr::Named { key, value },
                    _ => return Value::Expr(value),
                }
            }
            Act::Lambda => match frame.def {
                Some(def) => Expr::Function(def),
                None => Expr::Unknown,
            },
            Act::ClassValue => match frame.def {
                Some(def) => Expr::Class(def),
                None => Expr::Unknown,
            },
            Act::Subscript if !is_type(frame.ctx) => {
                let base = frame.value;
                let base = self.as_expr(base).unwrap_or_else(|| self.b.expr(Expr::Unknown));
                let index = self.b.expr(Expr::Unknown);
                Expr::Index { base, index }
            }
            Act::Literal(literal) => Expr::Literal(literal),
            Act::This => Expr::This(self.b.scope()),
            Act::Super => Expr::Super(self.b.scope()),
            _ => return self.type_value(frame),
        };
        Value::Expr(self.b.expr(expr))
    }

    fn call(&mut self, frame: &Frame<'t>) -> Expr {
        let callee = if matches!(frame.callee, Value::None) { frame.value } else { frame.callee };
        let callee = self.as_expr(callee).unwrap_or_else(|| self.b.expr(Expr::Unknown));
        let args = self.b.list(self.values[frame.values..].iter().copied());
        let type_args = self.b.list(self.types[frame.types..].iter().copied());
        Expr::Call { callee, type_args, args }
    }

    fn type_value(&mut self, frame: &Frame<'t>) -> Value {
        let inner = match frame.ty {
            Some(ty) => Some(ty),
            None => self.as_type(frame.value),
        };
        let inner_or_unknown = |b: &mut FactBuilder| inner.unwrap_or_else(|| b.ty(TypeExpr::Unknown));
        let ty = match frame.rule.act {
            Act::Generic | Act::Subscript => {
                let args = self.b.list(self.types[frame.types..].iter().copied());
                match inner.map(|ty| self.b.facts().ty(ty)) {
                    Some(TypeExpr::Named { name, .. }) => TypeExpr::Named { name, args },
                    _ => TypeExpr::Unknown,
                }
            }
            Act::Array => TypeExpr::Array(inner_or_unknown(&mut self.b)),
            Act::Nullable => TypeExpr::Nullable(inner_or_unknown(&mut self.b)),
            Act::Pointer => TypeExpr::Pointer(inner_or_unknown(&mut self.b)),
            Act::Reference => TypeExpr::Reference(inner_or_unknown(&mut self.b)),
            Act::Union => TypeExpr::Union(self.b.list(self.types[frame.types..].iter().copied())),
            Act::Intersection => {
                TypeExpr::Intersection(self.b.list(self.types[frame.types..].iter().copied()))
            }
            Act::Tuple => TypeExpr::Tuple(self.b.list(self.types[frame.types..].iter().copied())),
            Act::PrimitiveType => {
                let name = self.b.name(self.slice(frame.range));
                TypeExpr::Primitive(name)
            }
            _ => TypeExpr::Unknown,
        };
        Value::Type(self.b.ty(ty))
    }
}

fn is_type(ctx: Ctx) -> bool {
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
