//! Types from PHP documentation comments: `@var`, `@param`, `@return`, `@property`, `@method`, `@mixin`, `@template`.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use crate::facts::{
    Assign, DefFlags, DefId, Expr, ExprId, RefFlags, Role, SuperKind, SuperType, TypeExpr, TypeId,
};

/// Nesting of types in comments beyond this is not read.
const MAX_NESTING: u32 = 12;

/// Declarations that tags spoke of, with the type that the code gives them, and whether a tag for type checkers did.
type Documented = Vec<(DefId, Option<TypeId>, bool)>;

/// One tag: its name, and the offset of what follows it.
struct Tag<'a> {
    name: &'a str,
    /// Whether it speaks to type checkers alone (`@phpstan-…`, `@psalm-…`).
    is_checked: bool,
    from: usize,
    to: usize,
}

impl<'a> Parser<'a> {
    /// The tags of a comment. A tag's text ends with the line, or with its brackets.
    fn tags(&self, doc: TextRange) -> Vec<Tag<'a>> {
        let text = self.c.text;
        let mut tags = Vec::new();
        let mut at = doc.start as usize;
        let end = doc.end.saturating_sub(2) as usize;
        while let Some(found) = text.get(at..end).and_then(|rest| rest.find('@')) {
            let start = at + found + 1;
            let before = text[..start - 1].trim_end_matches([' ', '\t']);
            let name_end = text[start..end]
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
                .map_or(end, |n| start + n);
            at = name_end.max(start);
            if !before.ends_with('*') {
                continue;
            }
            let written = &text[start..name_end];
            let checked = written.strip_prefix("phpstan-").or_else(|| written.strip_prefix("psalm-"));
            let name = checked.unwrap_or(written);
            let mut to = name_end;
            let mut depth = 0i32;
            for (i, c) in text[name_end..end].char_indices() {
                match c {
                    '<' | '(' | '{' | '[' => depth += 1,
                    '>' | ')' | '}' | ']' => depth -= 1,
                    '\n' if depth <= 0 => break,
                    _ => {}
                }
                to = name_end + i + c.len_utf8();
            }
            tags.push(Tag { name, is_checked: checked.is_some(), from: name_end, to });
        }
        tags
    }

    fn reader(&mut self, from: usize, to: usize) -> Reader<'_, 'a> {
        Reader { p: self, at: from, to, depth: 0, is_class: false }
    }

    pub(super) fn function_doc(&mut self, doc: TextRange, def: DefId) {
        let Some(scope) = self.b.facts().def(def).body else { return };
        self.b.enter(scope);
        let tags = self.tags(doc);
        self.templates(&tags, def);
        let params: Vec<DefId> = self.b.facts().list(self.b.facts().def(def).params).collect();
        let mut documented = Documented::default();
        for tag in tags {
            match tag.name {
                "return" => {
                    let ty = self.reader(tag.from, tag.to).ty();
                    self.document(def, &tag, ty, &mut documented);
                }
                "param" => {
                    let mut reader = self.reader(tag.from, tag.to);
                    let ty = reader.ty();
                    reader.skip_spaces();
                    reader.eat("&");
                    reader.eat("...");
                    let Some((name, range)) = reader.variable() else { continue };
                    let Some(param) = params.iter().copied().find(|p| self.b.facts().def_name(*p) == name)
                    else {
                        continue;
                    };
                    let reference = self.b.reference(name, range, Role::Read);
                    self.b.ref_mut(reference).flags.set(RefFlags::IN_DOC);
                    if self.document(param, &tag, ty, &mut documented)
                        && let Some(property) = self.promoted(param)
                    {
                        self.b.def_mut(property).ty = self.b.facts().def(param).ty;
                    }
                }
                "global" => {
                    let mut reader = self.reader(tag.from, tag.to);
                    let ty = reader.ty();
                    reader.skip_spaces();
                    let Some((name, _)) = reader.variable() else { continue };
                    let facts = self.b.facts();
                    let is_it = |id: &DefId| {
                        let d = facts.def(*id);
                        d.flags.has(DefFlags::HOISTED) && facts.def_name(*id) == name
                    };
                    let declared = (def.0..facts.defs.len() as u32).map(DefId).find(is_it);
                    if let Some(declared) = declared {
                        self.b.def_mut(declared).ty = ty;
                    }
                }
                _ => {}
            }
        }
        self.b.leave();
    }

    /// The property that a parameter of a constructor declares too.
    fn promoted(&self, param: DefId) -> Option<DefId> {
        let facts = self.b.facts();
        let next = DefId(param.0 + 1);
        let is_it = facts.defs.get(next.index()).is_some_and(|def| {
            def.flags.has(DefFlags::PROMOTED) && def.name_range == facts.def(param).name_range
        });
        is_it.then_some(next)
    }

    /// A documented type replaces none, and those that say little.
    fn says_more(&self, documented: TypeId, declared: Option<TypeId>) -> bool {
        let facts = self.b.facts();
        if facts.ty(documented) == TypeExpr::Unknown {
            return false;
        }
        let Some(declared) = declared else { return true };
        let weak = |ty: TypeExpr| match ty {
            TypeExpr::Primitive(name) => {
                matches!(facts.name(name), "array" | "iterable" | "object" | "mixed" | "callable" | "string")
            }
            TypeExpr::Named { name, .. } => match facts.ty(documented) {
                TypeExpr::Named { name: other, args } => {
                    !args.is_empty() || facts.ref_name(name) != facts.ref_name(other)
                }
                TypeExpr::Array(_)
                | TypeExpr::Function { .. }
                | TypeExpr::Union(_)
                | TypeExpr::Intersection(_)
                | TypeExpr::TypeOf(_) => true,
                _ => false,
            },
            _ => false,
        };
        match facts.ty(declared) {
            TypeExpr::Nullable(inner) => weak(facts.ty(inner)),
            ty => weak(ty),
        }
    }

    pub(super) fn property_doc(&mut self, doc: TextRange, def: DefId) {
        let mut documented = Documented::default();
        for tag in self.tags(doc).into_iter().filter(|tag| tag.name == "var") {
            let ty = self.reader(tag.from, tag.to).ty();
            self.document(def, &tag, ty, &mut documented);
        }
    }

    /// Gives a declaration the type of a tag, and tells whether it did: the type says more than the code does, and what is
    /// said to type checkers goes before what is said to people.
    fn document(
        &mut self,
        def: DefId,
        tag: &Tag<'_>,
        ty: Option<TypeId>,
        documented: &mut Documented,
    ) -> bool {
        let now = self.b.facts().def(def).ty;
        let (_, written, is_checked) = match documented.iter_mut().find(|(of, ..)| *of == def) {
            Some(known) => known,
            None => documented.push_mut((def, now, false)),
        };
        let known = if tag.is_checked { *written } else { now };
        if *is_checked && !tag.is_checked {
            return false;
        }
        let Some(ty) = ty.filter(|ty| self.says_more(*ty, known)) else { return false };
        *is_checked |= tag.is_checked;
        self.b.def_mut(def).ty = Some(ty);
        true
    }

    /// `/** @var T $x */` before a statement: what the variable is from there on.
    pub(super) fn variable_doc(&mut self, doc: TextRange, value: ExprId, statement: usize) {
        let start = self.c.token(statement).start;
        for tag in self.tags(doc) {
            if tag.name != "var" {
                continue;
            }
            let mut reader = self.reader(tag.from, tag.to);
            let Some(ty) = reader.ty() else { continue };
            reader.skip_spaces();
            let named = reader.variable();
            match named {
                Some((name, range)) => {
                    let reference = self.b.reference(name, range, Role::Read);
                    self.b.ref_mut(reference).flags.set(RefFlags::IN_DOC);
                    let target = self.b.expr(Expr::Ref(reference));
                    let value = self.b.expr(Expr::Cast { ty, value: target });
                    // An assignment in the statement does not undo what stands before it.
                    let facts = self.b.facts();
                    let id = facts.reference(reference).name;
                    let mut later = facts.assigns.iter().rev().take_while(|a| a.at >= start);
                    let is_set = later.any(
                        |a| matches!(facts.expr(a.target), Expr::Ref(r) if facts.reference(r).name == id),
                    );
                    let at = if is_set { self.c.last_end() } else { start };
                    self.type_variable(name, ty, target, value, (start, at));
                }
                None => {
                    if let Expr::Assign { target, .. } = self.b.facts().expr(value) {
                        let value = self.b.expr(Expr::Cast { ty, value });
                        self.b.assign(Assign { target, value, at: self.c.last_end() });
                    }
                }
            }
        }
    }

    /// The names that [`Self::variable_doc`] finds.
    pub(super) fn variable_doc_names(&mut self, doc: TextRange) {
        for tag in self.tags(doc).into_iter().filter(|tag| tag.name == "var") {
            let mut reader = self.reader(tag.from, tag.to);
            reader.ty();
            reader.skip_spaces();
            if let Some((name, _)) = reader.variable() {
                self.b.word(name);
            }
        }
    }

    /// The declaration takes the type when it has none and stands in the statement behind the comment.
    fn type_variable(
        &mut self,
        name: &str,
        ty: TypeId,
        target: ExprId,
        value: ExprId,
        (start, at): (u32, u32),
    ) {
        let scope = self.function().scope.0;
        let id = self.b.name(name);
        let facts = self.b.facts();
        let def = facts.def_ids().collect::<Vec<_>>().into_iter().rev().find(|d| {
            let d = facts.def(*d);
            d.scope == scope && d.name == id && d.name_range.start >= start && d.ty.is_none()
        });
        match def {
            Some(def) => self.b.def_mut(def).ty = Some(ty),
            None => self.b.assign(Assign { target, value, at }),
        }
    }

    fn templates(&mut self, tags: &[Tag<'a>], def: DefId) {
        let mut params = Vec::new();
        for tag in tags {
            if !matches!(tag.name, "template" | "template-covariant" | "template-contravariant") {
                continue;
            }
            let mut reader = self.reader(tag.from, tag.to);
            reader.skip_spaces();
            let Some((name, range)) = reader.word() else { continue };
            reader.skip_spaces();
            let bound = if reader.eat("of ") { reader.ty() } else { None };
            let param = self.b.def(name, range, SymbolKind::TypeParameter);
            self.b.def_mut(param).ty = bound;
            params.push(param);
        }
        if !params.is_empty() {
            let params = self.b.list(params);
            self.b.def_mut(def).type_params = params;
        }
    }

    /// `Name array{…}`, `Name = T`: a name for a type; `Name from Class as Other`: that of another class.
    fn alias(&mut self, tag: &Tag<'_>) {
        let mut reader = self.reader(tag.from, tag.to);
        reader.skip_spaces();
        let Some((mut name, mut range)) = reader.word() else { return };
        reader.skip_spaces();
        let ty = if tag.name == "type" {
            reader.eat("=");
            reader.ty()
        } else {
            if !reader.eat("from ") {
                return;
            }
            let base = reader.ty();
            reader.skip_spaces();
            let original = reader.p.b.reference(name, range, Role::Type);
            reader.p.b.ref_mut(original).flags.set(RefFlags::IN_DOC);
            if reader.eat("as ") {
                reader.skip_spaces();
                let Some(other) = reader.word() else { return };
                (name, range) = other;
            }
            base.map(|base| reader.p.b.ty(TypeExpr::Projection { base, of: None, name: original }))
        };
        let def = self.b.def(name, range, SymbolKind::TypeAlias);
        let d = self.b.def_mut(def);
        d.ty = ty;
        if tag.name != "type" {
            // Declared elsewhere: here it is only known by this name.
            d.flags.set(DefFlags::LOCAL);
        }
    }

    pub(super) fn class_doc(&mut self, doc: TextRange, def: DefId) {
        let Some(body) = self.b.facts().def(def).body else { return };
        self.b.enter(body);
        let tags = self.tags(doc);
        self.templates(&tags, def);
        let mut supers: Vec<SuperType> = self.b.facts().list(self.b.facts().def(def).supers).collect();
        for tag in tags {
            match tag.name {
                "property" | "property-read" | "property-write" => {
                    let mut reader = self.reader(tag.from, tag.to);
                    let ty = reader.ty();
                    reader.skip_spaces();
                    let Some((name, range)) = reader.variable() else { continue };
                    let property = self.b.def(name, range, SymbolKind::Property);
                    self.b.def_mut(property).ty = ty;
                }
                "method" => self.documented_method(&tag),
                "type" | "import-type" if tag.is_checked => self.alias(&tag),
                "mixin" => {
                    if let Some(ty) = self.reader(tag.from, tag.to).ty() {
                        supers.push(SuperType { kind: SuperKind::Other, ty });
                    }
                }
                // The supertype again, with its arguments: it takes the place of the one without.
                "extends" | "implements" | "use" | "template-extends" | "template-implements" => {
                    let mut reader = self.reader(tag.from, tag.to);
                    reader.is_class = true;
                    if let Some(ty) = reader.ty() {
                        self.replace_super(&mut supers, ty);
                    }
                }
                _ => {}
            }
        }
        self.b.leave();
        let supers = self.b.list(supers);
        self.b.def_mut(def).supers = supers;
    }

    fn replace_super(&self, supers: &mut [SuperType], ty: TypeId) {
        let facts = self.b.facts();
        let name = |ty: TypeId| match facts.ty(ty) {
            TypeExpr::Named { name, .. } => Some(facts.ref_name(name)),
            _ => None,
        };
        if let Some(edge) =
            supers.iter_mut().find(|edge| name(edge.ty).is_some() && name(edge.ty) == name(ty))
        {
            edge.ty = ty;
        }
    }

    /// `@method static T name(P $p)`.
    fn documented_method(&mut self, tag: &Tag<'a>) {
        let text = self.c.text;
        let Some(open) = text[tag.from..tag.to].find('(') else { return };
        let head = &text[tag.from..tag.from + open];
        let name_start = head.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |n| n + 1);
        let name = &head[name_start..];
        if name.is_empty() {
            return;
        }
        let start = (tag.from + name_start) as u32;
        let range = TextRange::new(start, start + name.len() as u32);
        let mut reader = self.reader(tag.from, tag.from + name_start);
        reader.skip_spaces();
        let is_static = reader.eat("static ");
        let ty = reader.ty();
        let def = self.b.def(name, range, SymbolKind::Method);
        let d = self.b.def_mut(def);
        d.ty = ty;
        if is_static {
            d.flags.set(DefFlags::STATIC);
        }
    }
}

/// Reads types from the text of a comment.
struct Reader<'p, 'a> {
    p: &'p mut Parser<'a>,
    at: usize,
    to: usize,
    depth: u32,
    /// A class is wanted, even where its name stands for arrays of something otherwise.
    is_class: bool,
}

impl<'a> Reader<'_, 'a> {
    fn rest(&self) -> &'a str {
        &self.p.c.text[self.at..self.to.max(self.at)]
    }

    /// Spaces, line breaks and the stars at the start of lines.
    fn skip_spaces(&mut self) {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r', '*']);
        self.at += rest.len() - trimmed.len();
    }

    fn eat(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        self.at += if found { what.len() } else { 0 };
        found
    }

    fn word(&mut self) -> Option<(&'a str, TextRange)> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let range = TextRange::new(self.at as u32, (self.at + len) as u32);
        self.at += len;
        (len > 0).then_some((&rest[..len], range))
    }

    fn variable(&mut self) -> Option<(&'a str, TextRange)> {
        if self.eat("$") { self.word() } else { None }
    }

    /// `A|B[]|null`, `array<K, V>`, `?T`.
    fn ty(&mut self) -> Option<TypeId> {
        if self.depth == MAX_NESTING {
            return None;
        }
        self.depth += 1;
        let ty = self.union();
        self.depth -= 1;
        ty
    }

    fn union(&mut self) -> Option<TypeId> {
        let mut parts = Vec::new();
        loop {
            self.skip_spaces();
            parts.extend(self.postfixed());
            let before = self.at;
            self.skip_spaces();
            if !self.eat("|") && !self.eat("&") {
                self.at = before;
                break;
            }
        }
        match parts[..] {
            [] => None,
            [one] => Some(one),
            _ => {
                let list = self.p.b.list(parts);
                Some(self.p.b.ty(TypeExpr::Union(list)))
            }
        }
    }

    fn postfixed(&mut self) -> Option<TypeId> {
        let nullable = self.eat("?");
        let mut ty = if self.eat("(") {
            let inner = self.ty();
            self.skip_spaces();
            self.eat(")");
            inner?
        } else {
            self.atom()?
        };
        while self.eat("[]") {
            ty = self.p.b.ty(TypeExpr::Array(ty));
        }
        Some(if nullable { self.p.b.ty(TypeExpr::Nullable(ty)) } else { ty })
    }

    fn atom(&mut self) -> Option<TypeId> {
        if self.rest().starts_with(['\'', '"'])
            || self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '-')
        {
            let rest = self.rest();
            let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
            let len = match quote {
                Some(quote) => rest[1..].find(quote).map_or(rest.len(), |n| n + 2),
                None => {
                    rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '.'))).unwrap_or(rest.len())
                }
            };
            self.at += len;
            return Some(self.p.b.ty(TypeExpr::Unknown));
        }
        if self.eat("$this") {
            return self.p.special_type("$this");
        }
        let absolute = self.eat("\\");
        let mut segments = vec![self.word()?.1];
        while self.rest().starts_with('\\') {
            self.at += 1;
            segments.push(self.word()?.1);
        }
        // `class-string`, `non-empty-list` and their like.
        while self.rest().starts_with('-') && self.rest()[1..].starts_with(|c: char| c.is_ascii_lowercase()) {
            self.at += 1;
            let (_, range) = self.word()?;
            if let Some(last) = segments.last_mut() {
                last.end = range.end;
            }
        }
        let text = self.p.text(segments[segments.len() - 1]);
        let is_array = matches!(text, "array" | "list" | "non-empty-array" | "non-empty-list");
        if is_array && self.rest().starts_with('{') {
            return Some(self.shape());
        }
        let is_class = std::mem::take(&mut self.is_class);
        let args = self.arguments();
        if let ([_], false) = (&segments[..], absolute && text != "Closure" || is_class) {
            if let Some(ty) = self.pseudo_type(text, &args) {
                return Some(ty);
            }
            if let Some(ty) = self.p.special_type(text).filter(|_| !absolute) {
                return Some(ty);
            }
        }
        let (name, _) = self.p.name_of(&segments, absolute, Role::Type)?;
        self.mark_doc(name);
        let args = self.p.b.list(args);
        Some(self.p.b.ty(TypeExpr::Named { name, args }))
    }

    fn mark_doc(&mut self, name: crate::facts::RefId) {
        let mut reference = Some(name);
        while let Some(id) = reference {
            let r = self.p.b.ref_mut(id);
            r.flags.set(RefFlags::IN_DOC);
            reference = r.receiver.and_then(|receiver| match self.p.b.facts().expr(receiver) {
                Expr::Ref(id) => Some(id),
                _ => None,
            });
        }
    }

    /// `<A, B>`, `{key: T, …}`, `(A): R`: types in brackets. The result type of a callable comes last.
    fn arguments(&mut self) -> Vec<TypeId> {
        let close = match self.rest().chars().next() {
            Some('<') => ">",
            Some('{') => "}",
            Some('(') => ")",
            _ => return Vec::new(),
        };
        self.at += 1;
        let mut args = Vec::new();
        while !self.rest().is_empty() {
            self.skip_spaces();
            if self.eat(close) {
                break;
            }
            let before = self.at;
            if close == "}" {
                // Keys of a shape.
                let rest = self.rest();
                let len = rest.find([':', ',', '}', '<']).unwrap_or(rest.len());
                if rest[len..].starts_with(':') {
                    self.at += len + 1;
                }
            }
            args.extend(self.ty());
            self.skip_spaces();
            self.eat("...");
            if close == ")" {
                self.skip_spaces();
                self.variable();
            }
            self.eat(",");
            if self.at == before {
                self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            }
        }
        if close == ")" {
            let result = self.eat(":").then(|| self.ty()).flatten();
            args.push(result.unwrap_or_else(|| self.p.b.ty(TypeExpr::Unknown)));
        }
        args
    }

    /// `{key: T, 'key'?: T, T, ...}`: pairs of a key and a type. Without keys the values are counted.
    fn shape(&mut self) -> TypeId {
        self.at += 1;
        let mut pairs = Vec::new();
        while !self.rest().is_empty() {
            self.skip_spaces();
            if self.eat("}") {
                break;
            }
            let before = self.at;
            let key = self.key().map_or_else(|| pairs.len().to_string(), str::to_owned);
            if let Some(ty) = self.ty() {
                let key = self.p.b.name(&key);
                let key = self.p.b.ty(TypeExpr::Literal(key));
                let pair = self.p.b.list([key, ty]);
                pairs.push(self.p.b.ty(TypeExpr::Tuple(pair)));
            }
            self.skip_spaces();
            self.eat("...");
            self.eat(",");
            if self.at == before {
                self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            }
        }
        let pairs = self.p.b.list(pairs);
        self.p.b.ty(TypeExpr::Tuple(pairs))
    }

    /// The key before a colon, if one stands here.
    fn key(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let len = rest.find([':', ',', '}', '<', '{', '(']).filter(|len| rest[*len..].starts_with(':'))?;
        if rest[len..].starts_with("::") {
            return None;
        }
        self.at += len + 1;
        let key = rest[..len].trim_end();
        Some(key.strip_suffix('?').unwrap_or(key).trim_matches(['\'', '"']))
    }

    /// Names that stand for arrays of something, and those without meaning for resolution.
    fn pseudo_type(&mut self, text: &str, args: &[TypeId]) -> Option<TypeId> {
        let b = &mut self.p.b;
        match text {
            "array" | "list" | "iterable" | "non-empty-array" | "non-empty-list" | "Traversable"
            | "Generator" | "Iterator" | "IteratorAggregate"
                if !args.is_empty() =>
            {
                // The item type of a generator is its second argument, or the only one.
                let item = args.get(1).or(args.first()).copied()?;
                Some(b.ty(TypeExpr::Array(item)))
            }
            "class-string" | "interface-string" => {
                let class = args.first().copied()?;
                let value = b.expr(Expr::Type(class));
                Some(b.ty(TypeExpr::TypeOf(value)))
            }
            "list" | "non-empty-array" | "non-empty-list" => {
                let name = b.name("array");
                Some(b.ty(TypeExpr::Primitive(name)))
            }
            "callable" | "Closure" if !args.is_empty() => {
                let (result, params) = args.split_last()?;
                let params = b.list(params.iter().copied());
                Some(b.ty(TypeExpr::Function { receiver: None, params, result: Some(*result) }))
            }
            "boolean" | "integer" | "double" | "scalar" | "resource" | "numeric" | "key-of" | "value-of"
            | "int-mask" | "positive-int" | "non-empty-string" | "numeric-string" | "literal-string"
            | "callable-string" | "array-key" | "no-return" | "number" => {
                let name = b.name(text);
                Some(b.ty(TypeExpr::Primitive(name)))
            }
            _ => None,
        }
    }
}
