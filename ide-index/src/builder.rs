//! Builds [`FileFacts`]: what every front end writes into.

use std::ops::Range;

use ide_model::{Language, SymbolKind, TextRange};

use crate::facts::{
    Assign, Def, DefFlags, DefId, Expectation, Export, Expr, ExprId, FileFacts, Guard, Import, ImportId,
    List, NameId, Quality, Ref, RefFlags, RefId, Role, Scope, ScopeId, ScopeKind, SyntaxError, TypeExpr,
    TypeId,
};
use crate::lookups::Lookups;
use crate::names::{Names, Piece, Places};
use crate::sketch::Sketch;

/// How long the tables of facts are.
pub(crate) struct Extent {
    pub(crate) scopes: usize,
    pub(crate) defs: usize,
    pub(crate) refs: usize,
    exprs: usize,
    types: usize,
    imports: usize,
    exports: usize,
    pub(crate) assigns: usize,
    pub(crate) guards: usize,
    expectations: usize,
    lists: usize,
    pub(crate) errors: usize,
}

/// Collects the facts of one file. Scopes nest: [`Self::open`] and [`Self::close`] keep a stack, and declarations and
/// references are made in the innermost open scope unless said otherwise.
pub struct FactBuilder {
    facts: FileFacts,
    /// The names of the facts by their text.
    interned: Places,
    stack: Vec<ScopeId>,
    /// See [`Sketch::words`].
    words: Vec<bool>,
}

impl FactBuilder {
    /// Starts a file of `len` bytes; its file scope is open.
    pub fn new(language: Language, len: u32) -> Self {
        // The usual size of tables for ordinary code, so that they seldom grow. Longer files are not code.
        let room = len.min(8 << 20) as usize;
        Self::with_room(language, len, [room / 128, room / 128, room / 32])
    }

    /// Starts a [`Sketch`], which has all the names and little else.
    pub(crate) fn sketch(language: Language, len: u32) -> Self {
        let room = len.min(8 << 20) as usize;
        Self::with_room(language, len, [room / 128, room / 512, room / 128])
    }

    /// Starts a file that declares and does nothing else.
    pub(crate) fn declarations(language: Language, len: u32) -> Self {
        let room = len.min(8 << 20) as usize;
        Self::with_room(language, len, [room / 48, room / 48, 0])
    }

    /// With room for so many names, declarations, and references.
    fn with_room(language: Language, len: u32, [names, defs, refs]: [usize; 3]) -> Self {
        let file = Scope { parent: None, kind: ScopeKind::File, range: TextRange::new(0, len), owner: None };
        let mut scopes = Vec::with_capacity(defs + 1);
        scopes.push(file);
        Self {
            facts: FileFacts {
                language,
                quality: Quality::Full,
                package: None,
                names: Names::with_capacity(names, names * 8),
                scopes,
                defs: Vec::with_capacity(defs),
                refs: Vec::with_capacity(refs),
                exprs: Vec::with_capacity(refs),
                types: Vec::with_capacity(refs / 4),
                imports: Vec::new(),
                exports: Vec::new(),
                assigns: Vec::new(),
                guards: Vec::new(),
                expectations: Vec::new(),
                lists: Vec::with_capacity(refs / 4),
                errors: Vec::new(),
                lookups: Lookups::default(),
            },
            interned: Places::with_room(names),
            stack: vec![ScopeId(0)],
            words: Vec::new(),
        }
    }

    /// The facts collected so far.
    pub fn facts(&self) -> &FileFacts {
        &self.facts
    }

    /// How much has been collected so far.
    pub(crate) fn extent(&self) -> Extent {
        let facts = &self.facts;
        Extent {
            scopes: facts.scopes.len(),
            defs: facts.defs.len(),
            refs: facts.refs.len(),
            exprs: facts.exprs.len(),
            types: facts.types.len(),
            imports: facts.imports.len(),
            exports: facts.exports.len(),
            assigns: facts.assigns.len(),
            guards: facts.guards.len(),
            expectations: facts.expectations.len(),
            lists: facts.lists.len(),
            errors: facts.errors.len(),
        }
    }

    /// Forgets what was collected since, but for names; the same scopes are open.
    pub(crate) fn rewind(&mut self, to: &Extent) {
        let facts = &mut self.facts;
        facts.scopes.truncate(to.scopes);
        facts.defs.truncate(to.defs);
        facts.refs.truncate(to.refs);
        facts.exprs.truncate(to.exprs);
        facts.types.truncate(to.types);
        facts.imports.truncate(to.imports);
        facts.exports.truncate(to.exports);
        facts.assigns.truncate(to.assigns);
        facts.guards.truncate(to.guards);
        facts.expectations.truncate(to.expectations);
        facts.lists.truncate(to.lists);
        facts.errors.truncate(to.errors);
    }

    pub(crate) fn facts_mut(&mut self) -> &mut FileFacts {
        &mut self.facts
    }

    pub fn name(&mut self, text: &str) -> NameId {
        let name = Piece::of(text);
        self.interned.intern(&mut self.facts.names, name, name.hash())
    }

    /// Takes a word that is not read for what it means.
    pub(crate) fn word(&mut self, text: &str) {
        self.word_in(text, 0..text.len());
    }

    /// [`Self::word`] for a part of a text: faster where more stands behind it.
    #[inline]
    pub(crate) fn word_in(&mut self, text: &str, range: Range<usize>) {
        let name = Piece::within(text, range);
        let at = self.interned.intern(&mut self.facts.names, name, name.hash()).index();
        if at >= self.words.len() {
            self.words.resize(at + 1, false);
        }
        self.words[at] = true;
    }

    /// The innermost open scope.
    pub fn scope(&self) -> ScopeId {
        *self.stack.last().expect("the file scope stays open")
    }

    /// Opens a scope inside the innermost one. Its end is corrected by [`Self::close`].
    pub fn open(&mut self, kind: ScopeKind, start: u32, owner: Option<DefId>) -> ScopeId {
        let id = ScopeId(self.facts.scopes.len() as u32);
        self.facts.scopes.push(Scope {
            parent: Some(self.scope()),
            kind,
            range: TextRange::new(start, start),
            owner,
        });
        if let Some(def) = owner {
            self.facts.defs[def.index()].body = Some(id);
        }
        self.stack.push(id);
        id
    }

    /// Closes the innermost scope at byte `end`. The file scope is never closed.
    pub fn close(&mut self, end: u32) -> ScopeId {
        let id = self.scope();
        if self.stack.len() > 1 {
            self.stack.pop();
            let range = &mut self.facts.scopes[id.index()].range;
            range.end = end.max(range.start);
        }
        id
    }

    /// Moves the beginning of a scope, whose head turned out to be longer.
    pub fn set_start(&mut self, scope: ScopeId, start: u32) {
        let range = &mut self.facts.scopes[scope.index()].range;
        *range = TextRange::new(start, range.end.max(start));
    }

    /// Goes back into a scope that was closed, for parts of it that stand elsewhere; leave it with
    /// [`Self::leave`].
    pub fn enter(&mut self, scope: ScopeId) {
        self.stack.push(scope);
    }

    /// Leaves a scope entered by [`Self::enter`] without touching its range.
    pub fn leave(&mut self) {
        debug_assert!(self.stack.len() > 1);
        self.stack.pop();
    }

    /// Declares a name in the innermost scope, with everything else empty: fill in the rest through
    /// [`Self::def_mut`].
    pub fn def(&mut self, name: &str, name_range: TextRange, kind: SymbolKind) -> DefId {
        self.def_in(self.scope(), name, name_range, kind)
    }

    /// Declares a name in a given scope.
    pub fn def_in(&mut self, scope: ScopeId, name: &str, name_range: TextRange, kind: SymbolKind) -> DefId {
        let name = self.name(name);
        let id = DefId(self.facts.defs.len() as u32);
        let mut flags = DefFlags::NONE;
        if self.is_local(scope) {
            flags.set(DefFlags::LOCAL);
        }
        self.facts.defs.push(Def {
            name,
            name_range,
            range: name_range,
            scope,
            kind,
            flags,
            visibility: None,
            body: None,
            ty: None,
            init: None,
            receiver: None,
            attach: None,
            supers: List::EMPTY,
            params: List::EMPTY,
            type_params: List::EMPTY,
            decorators: List::EMPTY,
            returns: List::EMPTY,
            throws: List::EMPTY,
            import: None,
            doc: None,
        });
        id
    }

    /// True when a name of this scope cannot be reached from outside a function.
    pub(crate) fn is_local(&self, scope: ScopeId) -> bool {
        self.facts.scope_chain(scope).any(|id| {
            matches!(
                self.facts.scope(id).kind,
                ScopeKind::Function | ScopeKind::Block | ScopeKind::Comprehension
            )
        })
    }

    pub fn def_mut(&mut self, id: DefId) -> &mut Def {
        &mut self.facts.defs[id.index()]
    }

    /// Records an occurrence in the innermost scope.
    pub fn reference(&mut self, name: &str, range: TextRange, role: Role) -> RefId {
        let name = self.name(name);
        let id = RefId(self.facts.refs.len() as u32);
        let scope = self.scope();
        self.facts.refs.push(Ref {
            name,
            range,
            scope,
            role,
            flags: RefFlags::NONE,
            receiver: None,
            call: None,
        });
        id
    }

    pub fn ref_mut(&mut self, id: RefId) -> &mut Ref {
        &mut self.facts.refs[id.index()]
    }

    /// Adds an expression. For a call, a construction or a macro the callee's reference learns of it; so do the keys
    /// of its named arguments.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        let id = ExprId(self.facts.exprs.len() as u32);
        self.facts.exprs.push(expr);
        let callee = match expr {
            Expr::Call { callee, .. } => match self.facts.expr(callee) {
                Expr::Ref(callee) => Some(callee),
                _ => None,
            },
            Expr::New { ty, .. } => match self.facts.ty(ty) {
                TypeExpr::Named { name, .. } => Some(name),
                _ => None,
            },
            Expr::Macro { callee, .. } => Some(callee),
            _ => None,
        };
        if let Some(callee) = callee {
            self.facts.refs[callee.index()].call = Some(id);
        }
        if let Expr::Call { args, .. } | Expr::New { args, .. } = expr {
            let keys = args.start as usize..(args.start + args.len) as usize;
            for arg in &self.facts.lists[keys] {
                if let Expr::Named { key, .. } = self.facts.exprs[*arg as usize] {
                    self.facts.refs[key.index()].call = Some(id);
                }
            }
        }
        id
    }

    pub fn ty(&mut self, ty: TypeExpr) -> TypeId {
        let id = TypeId(self.facts.types.len() as u32);
        self.facts.types.push(ty);
        id
    }

    pub fn list<T>(&mut self, items: impl IntoIterator<Item = T>) -> List<T>
    where
        u32: From<T>,
    {
        let start = self.facts.lists.len() as u32;
        self.facts.lists.extend(items.into_iter().map(u32::from));
        List::new(start, self.facts.lists.len() as u32 - start)
    }

    /// Adds an import; its declaration, if any, learns of it.
    pub fn import(&mut self, import: Import) -> ImportId {
        let id = ImportId(self.facts.imports.len() as u32);
        self.facts.imports.push(import);
        if let Some(def) = import.def {
            self.def_mut(def).import = Some(id);
        }
        id
    }

    pub fn import_mut(&mut self, id: ImportId) -> &mut Import {
        &mut self.facts.imports[id.index()]
    }

    pub fn export(&mut self, export: Export) {
        self.facts.exports.push(export);
    }

    pub fn assign(&mut self, assign: Assign) {
        self.facts.assigns.push(assign);
    }

    pub fn guard(&mut self, guard: Guard) {
        self.facts.guards.push(guard);
    }

    /// Says what is expected of an expression; the first word on it stands.
    pub fn expect(&mut self, expr: ExprId, what: Expectation) {
        self.facts.expectations.push((expr, what));
    }

    pub fn set_package(&mut self, package: &str) {
        let id = self.name(package);
        self.facts.package = Some(id);
    }

    /// Reports a syntax error; the facts are kept and marked.
    pub fn error(&mut self, range: TextRange, message: impl Into<String>) {
        self.facts.errors.push(SyntaxError { range, message: message.into() });
    }

    /// Overrides the quality that [`Self::finish`] would otherwise derive from the errors.
    pub fn set_quality(&mut self, quality: Quality) {
        self.facts.quality = quality;
    }

    /// The facts, and the words beside them.
    pub(crate) fn finish_sketch(mut self) -> Sketch {
        let words = std::mem::take(&mut self.words);
        Sketch { facts: self.finish(), words }
    }

    /// The facts. Scopes left open end with the file.
    pub fn finish(mut self) -> FileFacts {
        let end = self.facts.scopes[0].range.end;
        while self.stack.len() > 1 {
            self.close(end);
        }
        self.facts.put_locals_last();
        self.facts.expectations.sort_by_key(|(expr, _)| *expr);
        self.facts.expectations.dedup_by_key(|(expr, _)| *expr);
        if self.facts.quality == Quality::Full && !self.facts.errors.is_empty() {
            self.facts.quality = Quality::Damaged;
        }
        self.facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callee_knows_its_call_and_locals_are_marked() {
        let mut b = FactBuilder::new(Language::Java, 40);
        let class = b.def("A", TextRange::new(6, 7), SymbolKind::Class);
        b.open(ScopeKind::Class, 8, Some(class));
        let method = b.def("m", TextRange::new(10, 11), SymbolKind::Method);
        b.open(ScopeKind::Function, 12, Some(method));
        let local = b.def("x", TextRange::new(14, 15), SymbolKind::Variable);
        let callee = b.reference("f", TextRange::new(18, 19), Role::Call);
        let callee_expr = b.expr(Expr::Ref(callee));
        let arg = b.expr(Expr::Literal(crate::facts::Literal::Int));
        let args = b.list([arg]);
        let call = b.expr(Expr::Call { callee: callee_expr, type_args: List::EMPTY, args });
        b.def_mut(local).init = Some(call);
        b.close(30);
        b.close(32);
        let facts = b.finish();

        assert_eq!(facts.reference(callee).call, Some(call));
        assert!(facts.def(local).flags.has(DefFlags::LOCAL));
        assert!(!facts.def(method).flags.has(DefFlags::LOCAL));
        assert_eq!(facts.enclosing_def(facts.def(local).scope), Some(method));
        assert_eq!(facts.list(args).collect::<Vec<_>>(), [arg]);
        assert_eq!(facts.scope(facts.def(class).body.unwrap()).range, TextRange::new(8, 32));
        assert_eq!(facts.names.iter().filter(|n| *n == "m").count(), 1);
    }
}
