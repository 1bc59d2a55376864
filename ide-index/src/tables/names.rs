//! The roles of identifiers: a declaration, a reference, or nothing.

use ide_model::{SymbolKind, TextRange};
use tree_sitter::Node;

use super::rules::{Bind, Ctx, Slot};
use super::walk::{NO_FRAME, Value, Walker};
use crate::facts::{DefFlags, Expr, ExprId, RefFlags, Role, ScopeKind};

impl<'t> Walker<'t> {
    /// An identifier.
    pub(super) fn leaf(
        &mut self,
        node: Node<'_>,
        default: Role,
        ctx: Ctx,
        slot: Slot,
        parent: usize,
    ) -> Value {
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
}
