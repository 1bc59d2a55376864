//! Attributes: references in them, derived traits, and what `cfg` says.

use ide_model::{SymbolKind, Visibility};

use super::conditions;
use super::front::Parser;
use super::lexer::STRING;
use crate::facts::{
    BinaryOp, DefFlags, DefId, Expr, ExprId, FileFacts, Guard, GuardTest, List, RefFlags, RefId, Role,
    SuperKind, SuperType, TypeExpr,
};
use crate::guard;
use crate::kit::{Kind, Token, value};

/// The content of a declaration's attributes.
#[derive(Default)]
pub(super) struct Attributes<'a> {
    pub(super) decorators: Vec<ExprId>,
    /// The `cfg`s among them, each with its word.
    pub(super) conditions: Vec<(RefId, ExprId)>,
    pub(super) derived: Vec<SuperType>,
    pub(super) flags: DefFlags,
    /// `#[path = "…"]`.
    pub(super) path: Option<&'a str>,
    /// `#[cfg_attr(unix, path = "…")]`: the first whose condition holds, else the first whose condition may hold.
    path_if: Option<(bool, &'a str)>,
    /// `#[project = Name]`, `#[pin_project(project_ref = Name)]`: types with the same fields or variants.
    projections: Vec<Token>,
}

impl<'a> Attributes<'a> {
    /// Adds the attributes that several declarations share.
    pub(super) fn include(&mut self, others: &Self) {
        self.decorators.extend(&others.decorators);
        self.conditions.extend(&others.conditions);
        self.flags = self.flags | others.flags;
    }

    /// The file that a module without a body is in, where they name it.
    pub(super) fn file(&self) -> Option<&'a str> {
        self.path.or(self.path_if.map(|(_, path)| path))
    }

    /// Whether `cfg` keeps them in every build on Linux.
    pub(super) fn always_hold(&self, facts: &FileFacts) -> bool {
        let conditions = self.decorators.iter().filter_map(|decorator| match facts.expr(*decorator) {
            Expr::Call { args, .. } => Some(args),
            _ => None,
        });
        conditions
            .flat_map(|args| facts.list(args))
            .all(|condition| conditions::holds(facts, condition, &|_| None) == Some(true))
    }
}

impl<'a> Parser<'a> {
    /// All attributes that are next, inner ones too.
    pub(super) fn attributes(&mut self) -> Attributes<'a> {
        let mut found = Attributes::default();
        while self.c.is(b'#') {
            let bracket = self.c.at + 1 + usize::from(self.c.nth(1).is(b'!'));
            if !self.c.token(bracket).is(b'[') {
                break;
            }
            self.c.at = bracket;
            let end = self.c.group_end(bracket);
            self.c.bump();
            self.attribute(end, &mut found);
            self.c.at = end;
            self.c.eat(b']');
        }
        found
    }

    pub(super) fn apply(&mut self, def: DefId, attributes: Attributes<'_>) {
        for name in attributes.projections {
            let alike = self.b.expr(Expr::Value(def));
            let alike = self.b.ty(TypeExpr::TypeOf(alike));
            let alias = self.b.def(self.c.str(name), name.range(), SymbolKind::TypeAlias);
            let d = self.b.def_mut(alias);
            d.ty = Some(alike);
            d.visibility = Some(Visibility::Private);
        }
        let decorators = self.b.list(attributes.decorators);
        let d = self.b.def_mut(def);
        d.decorators = decorators;
        d.flags = d.flags | attributes.flags;
    }

    /// Says of what was read since an offset that it is there under conditions.
    pub(super) fn under(&mut self, conditions: Vec<(RefId, ExprId)>, start: u32) {
        let range = self.c.since(start);
        if range.is_empty() {
            return;
        }
        for (subject, condition) in conditions {
            let test = GuardTest::Build(condition);
            self.b.guard(Guard { range, subject, test, negated: false });
        }
    }

    fn attribute(&mut self, end: usize, found: &mut Attributes<'a>) {
        if self.c.peek().kind != Kind::Word {
            return;
        }
        let first = self.text(self.c.peek());
        if first == "unsafe" && self.c.nth(1).is(b'(') {
            self.c.at += 2;
            // An attribute that is nested too deeply is left as it is.
            return guard::deeper(|| self.attribute(end, found)).unwrap_or_default();
        }
        let from = self.c.at;
        let Some(name) = self.attribute_name(end) else { return };
        let open = self.c.at;
        if self.is_projection(open - 1) || first == "pin_project" {
            let names = (open - 1..end).filter(|at| self.is_projection(*at)).map(|at| self.c.token(at + 2));
            found.projections.extend(names);
        }
        match first {
            "cfg" if self.c.is(b'(') => {
                let mut parts = Vec::new();
                self.group(|p, _| parts.extend(p.condition()));
                if parts.iter().any(|part| conditions::holds(self.b.facts(), *part, &|_| None) == Some(false))
                {
                    found.flags.set(DefFlags::NOT_BUILT);
                }
                let call = value::call(&mut self.b, name, List::EMPTY, &parts);
                if let Expr::Ref(word) = self.b.facts().expr(name) {
                    found.conditions.push((word, call));
                }
                found.decorators.push(call);
                return;
            }
            "path" if self.c.is(b'=') && self.c.nth(1).kind == Kind::Text && self.c.nth(1).sub == STRING => {
                found.path = Some(self.text(self.c.nth(1)).trim_matches(['r', '#', '"']));
            }
            "macro_use" => found.flags.set(super::MACRO_USE),
            "macro_export" => found.flags.set(DefFlags::EXPORTED),
            "deprecated" => found.flags.set(DefFlags::DEPRECATED),
            _ if self.is_test_attribute(from, open) => found.flags.set(DefFlags::TEST),
            _ => {}
        }
        let mut args = Vec::new();
        if first == "cfg_attr"
            && let Some(path) = self.path_in_group()
        {
            self.c.bump();
            if let Some(condition) = self.condition() {
                let holds = conditions::may_hold(self.b.facts(), condition);
                let is_better = match found.path_if {
                    None => holds != Some(false),
                    Some((is_certain, _)) => holds == Some(true) && !is_certain,
                };
                if is_better {
                    found.path_if = Some((holds == Some(true), path));
                }
                args.push(condition);
            }
        }
        let in_derive = first == "derive";
        self.attribute_tokens(end, in_derive, &mut args, found);
        let value = if args.is_empty() { name } else { value::call(&mut self.b, name, List::EMPTY, &args) };
        found.decorators.push(value);
    }

    /// The text of `path = "…"` in the group that is next.
    fn path_in_group(&self) -> Option<&'a str> {
        let open = self.c.at;
        if !self.c.is(b'(') {
            return None;
        }
        let is_path = |at: &usize| {
            let (word, text) = (self.c.token(*at), self.c.token(*at + 2));
            word.kind == Kind::Word
                && self.text(word) == "path"
                && self.c.token(*at - 1).is(b',')
                && self.c.token(*at + 1).is(b'=')
                && text.kind == Kind::Text
                && text.sub == STRING
        };
        let at = (open + 1..self.c.group_end(open)).find(is_path)?;
        Some(self.text(self.c.token(at + 2)).trim_matches(['r', '#', '"']))
    }

    /// `project = Name`.
    fn is_projection(&self, at: usize) -> bool {
        let token = self.c.token(at);
        token.kind == Kind::Word
            && matches!(self.text(token), "project" | "project_ref" | "project_replace")
            && self.c.token(at + 1).is(b'=')
            && self.is_name_at(at + 2)
    }

    /// `#[test]`, `#[tokio::test]`, `#[rstest]`, but not `#[cfg(test)]`.
    fn is_test_attribute(&self, from: usize, end: usize) -> bool {
        end > from && matches!(self.text(self.c.token(end - 1)), "test" | "rstest" | "bench" | "test_case")
    }

    fn attribute_name(&mut self, end: usize) -> Option<ExprId> {
        let mut value = None;
        while self.c.at < end && self.c.peek().kind == Kind::Word {
            let token = self.c.bump();
            let more = self.c.is_joined(b"::");
            let role = if more { Role::Read } else { Role::Annotation };
            if matches!(self.text(token), "crate" | "self" | "super") {
                value = Some(self.path_root(token));
            } else {
                let reference = self.reference(token, role, value);
                if more {
                    self.b.ref_mut(reference).flags.set(RefFlags::TYPE_ONLY);
                }
                value = Some(self.b.expr(Expr::Ref(reference)));
            }
            if more {
                self.c.at += 2;
            } else {
                break;
            }
        }
        value
    }

    /// `unix`, `feature = "x"`, `any(…)`.
    fn condition(&mut self) -> Option<ExprId> {
        let token = self.c.peek();
        if token.kind != Kind::Word {
            return None;
        }
        self.c.bump();
        let reference = self.reference(token, Role::Read, None);
        self.b.ref_mut(reference).flags.set(RefFlags::DYNAMIC);
        let word = self.b.expr(Expr::Ref(reference));
        if self.c.is(b'(') {
            let mut parts = Vec::new();
            self.group(|p, _| parts.extend(p.condition()));
            return Some(value::call(&mut self.b, word, List::EMPTY, &parts));
        }
        if self.c.is(b'=') && self.c.nth(1).kind == Kind::Text {
            let text = self.text(self.c.nth(1)).trim_matches('"');
            self.c.at += 2;
            let text = self.b.name(text);
            let right = self.b.expr(Expr::Text(text));
            return Some(self.b.expr(Expr::Binary { op: BinaryOp::Compare, left: word, right }));
        }
        Some(word)
    }

    /// The rest of an attribute: every word is a reference, but only what is derived surely means something (a type's
    /// name that is dynamic, for the macro that has the name of the trait).
    fn attribute_tokens(
        &mut self,
        end: usize,
        in_derive: bool,
        args: &mut Vec<ExprId>,
        found: &mut Attributes<'a>,
    ) {
        let mut derive_until = if in_derive { end } else { 0 };
        let mut receiver = None;
        while self.c.at < end {
            let token = self.c.bump();
            if token.kind != Kind::Word
                || token.sub != 0
                || found.projections.iter().any(|name| name.start == token.start)
            {
                if !token.is(b':') {
                    receiver = None;
                }
                continue;
            }
            if self.text(token) == "derive" && self.c.is(b'(') {
                derive_until = self.c.group_end(self.c.at);
            }
            let is_derived = self.c.at < derive_until && self.text(token) != "derive";
            if super::types::is_primitive(self.text(token)) {
                continue;
            }
            let role = if self.c.is(b'!') { Role::Macro } else { Role::Read };
            let reference = self.reference(token, role, receiver);
            let more = self.c.is_joined(b"::");
            let r = self.b.ref_mut(reference);
            if role == Role::Read && !(is_derived && more) {
                r.flags.set(RefFlags::DYNAMIC);
            }
            if is_derived || more {
                r.flags.set(RefFlags::TYPE_ONLY);
            }
            let value = self.b.expr(Expr::Ref(reference));
            receiver = more.then_some(value);
            args.push(value);
            if is_derived && !more {
                let ty = self.b.ty(TypeExpr::Named { name: reference, args: List::EMPTY });
                found.derived.push(SuperType { kind: SuperKind::Implements, ty });
            }
        }
    }
}
