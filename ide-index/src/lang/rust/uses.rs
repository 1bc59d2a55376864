//! `use` trees and `extern crate`.

use ide_model::{SymbolKind, TextRange, Visibility};

use super::attributes::Attributes;
use super::front::Parser;
use super::lexer::{AS, CRATE, SELF, SUPER};
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, Import, ImportFlags, ImportKind, List, RefFlags, RefId, Role,
};
use crate::kit::{Kind, Token};

/// The path before a branch of the tree.
#[derive(Clone, Default)]
struct Path {
    /// As written.
    module: String,
    refs: Vec<RefId>,
    receiver: Option<ExprId>,
}

/// The visibility and the conditions of the tree's names.
#[derive(Clone, Copy)]
pub(super) struct Binding {
    visibility: Visibility,
    flags: ImportFlags,
    not_built: bool,
    decorators: List<ExprId>,
    start: u32,
}

impl Parser<'_> {
    fn binding(&mut self, visibility: Visibility, attributes: &Attributes<'_>, start: usize) -> Binding {
        let flags = if visibility == Visibility::Private { ImportFlags::NONE } else { ImportFlags::EXPORTED };
        let not_built = attributes.flags.has(DefFlags::NOT_BUILT);
        let start = self.c.token(start).start;
        let decorators = self.b.list(attributes.decorators.iter().copied());
        Binding { visibility, flags, not_built, decorators, start }
    }

    /// Behind `use`.
    pub(super) fn use_declaration(
        &mut self,
        visibility: Visibility,
        attributes: &Attributes<'_>,
        start: usize,
    ) {
        let binding = self.binding(visibility, attributes, start);
        self.use_tree(Path::default(), binding);
        self.c.eat(b';');
    }

    fn use_tree(&mut self, mut path: Path, binding: Binding) {
        if path.refs.is_empty() && path.receiver.is_none() && self.c.is_joined(b"::") {
            let token = self.c.peek();
            if !self.c.nth(2).is(b'{') || path.module.is_empty() {
                path.receiver = Some(self.text_value("::", token));
            }
            self.c.at += 2;
        }
        loop {
            let token = self.c.peek();
            if token.is(b'{') {
                let inner = path.clone();
                self.group(|p, _| {
                    p.use_tree(inner.clone(), binding);
                    p.c.eat(b',');
                });
                return;
            }
            if token.is(b'*') {
                self.c.bump();
                self.add_import(ImportKind::Star, &path, None, None, binding);
                return;
            }
            if token.kind != Kind::Word && !token.is(b'$') {
                return;
            }
            if token.is(b'$') {
                self.c.bump();
            }
            let token = self.c.bump();
            let more = self.c.is_joined(b"::");
            let is_root = matches!(token.sub, CRATE | SELF | SUPER);
            let is_own = is_root && token.sub == SELF && path.receiver.is_some();
            if !(more || is_own) {
                let reference = (!is_root).then(|| self.segment(&mut path, token, false));
                let alias = self.alias(reference.map(|_| token));
                if is_root {
                    path.receiver = Some(self.root_of(&path, token));
                    self.add_import(ImportKind::Module, &path, None, alias, binding);
                } else {
                    self.add_import(ImportKind::Member, &path, reference, alias, binding);
                }
                return;
            }
            if !more {
                // `a::{self}` binds `a`.
                let last = path.refs.last().map(|r| *self.b.facts().reference(*r));
                let alias = match last {
                    Some(last) if !self.c.is_word(AS) => {
                        let name = self.b.facts().name(last.name).to_owned();
                        Some(self.bind(&name, last.range))
                    }
                    _ => self.alias(None),
                };
                self.add_import(ImportKind::Module, &path, None, alias, binding);
                return;
            }
            if is_root {
                path.receiver = Some(self.root_of(&path, token));
                extend(&mut path.module, self.text(token));
            } else {
                self.segment(&mut path, token, true);
                extend(&mut path.module, self.text(token));
            }
            self.c.at += 2;
        }
    }

    /// `super::super`: one further up.
    fn root_of(&mut self, path: &Path, token: Token) -> ExprId {
        let written = if path.module.is_empty() {
            self.text(token).to_owned()
        } else {
            format!("{}::{}", path.module, self.text(token))
        };
        self.text_value(&written, token)
    }

    fn segment(&mut self, path: &mut Path, token: Token, is_prefix: bool) -> RefId {
        let reference = self.reference(token, Role::Import, path.receiver);
        if is_prefix {
            self.b.ref_mut(reference).flags.set(RefFlags::TYPE_ONLY);
            path.refs.push(reference);
            path.receiver = Some(self.b.expr(Expr::Ref(reference)));
        }
        reference
    }

    /// The name that is bound: behind `as`, or the member's own. `_` binds nothing that could be named.
    fn alias(&mut self, member: Option<Token>) -> Option<DefId> {
        if self.c.eat_word(AS) {
            let token = self.c.bump();
            return (token.kind == Kind::Word && self.text(token) != "_")
                .then(|| self.bind(self.c.str(token), token.range()));
        }
        let token = member?;
        Some(self.bind(self.c.str(token), token.range()))
    }

    fn bind(&mut self, name: &str, range: TextRange) -> DefId {
        self.b.def(name, range, SymbolKind::Import)
    }

    fn add_import(
        &mut self,
        kind: ImportKind,
        path: &Path,
        member: Option<RefId>,
        def: Option<DefId>,
        binding: Binding,
    ) {
        if let Some(def) = def {
            let end = self.c.last_end();
            let d = self.b.def_mut(def);
            d.range = TextRange::new(binding.start, end.max(binding.start));
            d.visibility = Some(binding.visibility);
            d.decorators = binding.decorators;
            if binding.visibility != Visibility::Private {
                d.flags.set(DefFlags::EXPORTED);
            }
            if binding.not_built {
                d.flags.set(DefFlags::NOT_BUILT);
            }
            // The root of the path (`crate`, `self`), for imports that bind no member.
            d.init = path.receiver;
        }
        let module = self.b.name(&path.module);
        let refs = self.b.list(path.refs.iter().copied());
        let scope = self.b.scope();
        self.b.import(Import {
            kind,
            flags: binding.flags,
            scope,
            module,
            level: 0,
            path: refs,
            member,
            exported_as: None,
            def,
        });
    }

    /// Behind `extern crate`.
    pub(super) fn extern_crate(&mut self, visibility: Visibility, attributes: &Attributes<'_>, start: usize) {
        let binding = self.binding(visibility, attributes, start);
        let token = self.c.bump();
        if token.kind != Kind::Word {
            return;
        }
        let mut path = Path::default();
        if token.sub == SELF {
            path.receiver = Some(self.path_root(token));
            path.module.push_str("crate");
        } else {
            let root = self.text_value("::", token);
            let reference = self.reference(token, Role::Import, Some(root));
            path.module.push_str(self.text(token));
            path.refs.push(reference);
            path.receiver = Some(self.b.expr(Expr::Ref(reference)));
        }
        let def = self.alias((token.sub != SELF).then_some(token));
        self.add_import(ImportKind::Module, &path, None, def, binding);
        self.c.eat(b';');
    }
}

fn extend(module: &mut String, segment: &str) {
    if !module.is_empty() {
        module.push_str("::");
    }
    module.push_str(segment);
}
