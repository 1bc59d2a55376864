//! Import and package statements: their shapes differ too much between languages for rules, so each shape is a
//! function here and a word in the tables.

use ide_model::{SymbolKind, TextRange};
use tree_sitter::Node;

use crate::builder::FactBuilder;
use crate::facts::{DefId, Export, Expr, Import, ImportFlags, ImportKind, NameId, RefId, Role};

/// The shape of an import statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportStyle {
    /// `a.b.c`, `a.b.*`, `a.b.c as d`.
    Dotted,
    Python,
    Ecma,
    /// `export … from`, `export { … }`.
    EcmaExport,
    Go,
    Php,
    Rust,
    /// `a.b.c`, `a.b._`, `a.b.{c, d => e}`.
    Scala,
    /// A path in quotes or angle brackets.
    Include,
}

impl ImportStyle {
    pub(super) fn from_word(word: &str) -> Self {
        match word {
            "dotted" => Self::Dotted,
            "python" => Self::Python,
            "ecma" => Self::Ecma,
            "ecma-export" => Self::EcmaExport,
            "go" => Self::Go,
            "php" => Self::Php,
            "rust" => Self::Rust,
            "scala" => Self::Scala,
            "include" => Self::Include,
            other => panic!("no import style is called {other}"),
        }
    }
}

/// Reads an import statement; `None` when the node is none after all. Returns the names that it binds.
pub(super) fn import(
    b: &mut FactBuilder,
    text: &str,
    style: ImportStyle,
    node: Node<'_>,
) -> Option<Vec<DefId>> {
    let mut reader =
        Reader { b, text, flags: ImportFlags::NONE, statement: range_of(node), bound: Vec::new() };
    match style {
        ImportStyle::Dotted => reader.dotted(node),
        ImportStyle::Python => reader.python(node),
        ImportStyle::Ecma => reader.ecma(node),
        ImportStyle::EcmaExport => reader.ecma_export(node)?,
        ImportStyle::Go => reader.go(node),
        ImportStyle::Php => reader.php(node),
        ImportStyle::Rust => reader.rust(node),
        ImportStyle::Scala => reader.scala(node),
        ImportStyle::Include => reader.include(node),
    }
    Some(reader.bound)
}

/// Reads the path of a package declaration.
pub(super) fn package(b: &mut FactBuilder, text: &str, range: TextRange) {
    segments(b, text, range, Role::Package, None);
    let written: String = slice(text, range).chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
    b.set_package(&written);
}

fn range_of(node: Node<'_>) -> TextRange {
    let range = node.byte_range();
    TextRange::new(range.start as u32, range.end.max(range.start) as u32)
}

fn slice(text: &str, range: TextRange) -> &str {
    text.get(range.start as usize..range.end as usize).unwrap_or("")
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// One reference a segment, each the receiver of the next.
fn segments(
    b: &mut FactBuilder,
    text: &str,
    range: TextRange,
    role: Role,
    before: Option<RefId>,
) -> Vec<RefId> {
    let written = slice(text, range);
    let mut refs: Vec<RefId> = Vec::new();
    let mut start = None;
    for (i, c) in written.char_indices().chain([(written.len(), ' ')]) {
        match (is_name_char(c), start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                let name = &written[from..i];
                start = None;
                if matches!(name, "crate" | "self" | "super") {
                    continue;
                }
                let at = TextRange::new(range.start + from as u32, range.start + i as u32);
                let receiver = refs.last().copied().or(before).map(|id| b.expr(Expr::Ref(id)));
                let id = b.reference(name, at, role);
                b.ref_mut(id).receiver = receiver;
                refs.push(id);
            }
            _ => {}
        }
    }
    refs
}

fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    children(node).into_iter().filter(|child| child.is_named() && !child.is_extra()).collect()
}

struct Reader<'b> {
    b: &'b mut FactBuilder,
    text: &'b str,
    flags: ImportFlags,
    statement: TextRange,
    bound: Vec<DefId>,
}

impl Reader<'_> {
    fn slice(&self, range: TextRange) -> String {
        slice(self.text, range).to_owned()
    }

    fn def(&mut self, name: &str, range: TextRange) -> DefId {
        let def = self.b.def(name, range, SymbolKind::Import);
        self.b.def_mut(def).range = self.statement;
        self.bound.push(def);
        def
    }

    fn def_of(&mut self, node: Node<'_>) -> DefId {
        let range = range_of(node);
        let name = self.slice(range);
        self.def(name.trim_matches('`'), range)
    }

    fn def_like(&mut self, id: RefId) -> DefId {
        let range = self.b.facts().reference(id).range;
        let name = self.b.facts().ref_name(id).to_owned();
        self.def(&name, range)
    }

    fn add(
        &mut self,
        kind: ImportKind,
        module: &str,
        path: &[RefId],
        member: Option<RefId>,
        def: Option<DefId>,
    ) {
        let module = self.b.name(module);
        let path = self.b.list(path.iter().copied());
        let scope = self.b.scope();
        self.b.import(Import {
            kind,
            flags: self.flags,
            scope,
            module,
            level: 0,
            path,
            member,
            exported_as: None,
            def,
        });
    }

    fn has_token(node: Node<'_>, tokens: &[&str]) -> bool {
        children(node).iter().any(|child| tokens.contains(&child.kind()))
    }

    fn dotted(&mut self, node: Node<'_>) {
        let parts = named(node);
        let Some(path_node) = parts.iter().find(|n| {
            matches!(n.kind(), "identifier" | "scoped_identifier" | "qualified_identifier" | "qualified_name")
        }) else {
            return;
        };
        if Self::has_token(node, &["static"]) {
            self.flags.set(ImportFlags::STATIC);
        }
        let is_star = Self::has_token(node, &["asterisk", "*", ".*"]);
        let alias = parts.iter().filter(|n| n.kind() == "identifier").find(|n| n.id() != path_node.id());
        let range = range_of(*path_node);
        let refs = segments(self.b, self.text, range, Role::Import, None);
        let written: String = self.slice(range).chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
        let Some((last, before)) = refs.split_last() else { return };
        if is_star {
            self.add(ImportKind::Star, &written, &refs, None, None);
            return;
        }
        let def = match alias {
            Some(alias) => self.def_of(*alias),
            None => self.def_like(*last),
        };
        let module = written.rsplit_once('.').map_or("", |(module, _)| module);
        self.add(ImportKind::Member, module, before, Some(*last), Some(def));
    }

    fn python(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
        let from = node.child_by_field_name("module_name");
        let is_future = node.kind() == "future_import_statement";
        if from.is_none() && !is_future {
            for name in names {
                self.python_module(name);
            }
            return;
        }
        let (module, level, path) = match from {
            None => {
                let token = children(node).into_iter().find(|child| child.kind() == "__future__");
                let path = token.map_or_else(Vec::new, |token| {
                    vec![self.b.reference("__future__", range_of(token), Role::Import)]
                });
                ("__future__".to_owned(), 0, path)
            }
            Some(from) => {
                let written: String =
                    self.slice(range_of(from)).chars().filter(|c| !c.is_whitespace()).collect();
                let path = segments(self.b, self.text, range_of(from), Role::Import, None);
                let name = written.trim_start_matches('.');
                let level = (written.len() - name.len()).min(usize::from(u8::MAX)) as u8;
                (name.to_owned(), level, path)
            }
        };
        if named(node).iter().any(|n| n.kind() == "wildcard_import") {
            self.add(ImportKind::Star, &module, &path, None, None);
            self.set_level(level);
        }
        for name in names {
            let target = name.child_by_field_name("name").unwrap_or(name);
            let Some(member) = segments(self.b, self.text, range_of(target), Role::Import, None).pop() else {
                continue;
            };
            let def = match name.child_by_field_name("alias") {
                Some(alias) => self.def_of(alias),
                None => self.def_like(member),
            };
            self.add(ImportKind::Member, &module, &path, Some(member), Some(def));
            self.set_level(level);
        }
    }

    fn set_level(&mut self, level: u8) {
        let last = self.b.facts().imports.len() as u32 - 1;
        self.b.import_mut(last.into()).level = level;
    }

    fn python_module(&mut self, name: Node<'_>) {
        let target = name.child_by_field_name("name").unwrap_or(name);
        let refs = segments(self.b, self.text, range_of(target), Role::Import, None);
        let Some(first) = refs.first() else { return };
        let module: String = self.slice(range_of(target)).chars().filter(|c| !c.is_whitespace()).collect();
        let def = match name.child_by_field_name("alias") {
            Some(alias) => self.def_of(alias),
            None => self.def_like(*first),
        };
        self.add(ImportKind::Module, &module, &refs, None, Some(def));
    }

    /// The module named by a string, and the reference that stands for it.
    fn specifier(&mut self, node: Node<'_>) -> (String, RefId) {
        let mut range = range_of(node);
        let written = self.slice(range);
        let inner = written.trim_matches(['"', '\'', '`', '<', '>']);
        let lead = written.len() - written.trim_start_matches(['"', '\'', '`', '<']).len();
        // Quotes without a name stand for themselves.
        if !inner.is_empty() {
            range = TextRange::new(range.start + lead as u32, range.start + (lead + inner.len()) as u32);
        }
        let id = self.b.reference(inner, range, Role::Import);
        (inner.to_owned(), id)
    }

    fn ecma(&mut self, node: Node<'_>) {
        let parts = named(node);
        let require = parts.iter().find(|n| n.kind() == "import_require_clause").copied();
        let source = node.child_by_field_name("source").or_else(|| require?.child_by_field_name("source"));
        let Some(source) = source else { return };
        if Self::has_token(node, &["type", "typeof"]) {
            self.flags.set(ImportFlags::TYPE_ONLY);
        }
        let (module, path) = self.specifier(source);
        let path = [path];
        if let Some(name) = require.and_then(|r| named(r).into_iter().find(|n| n.kind() == "identifier")) {
            let def = self.def_of(name);
            self.add(ImportKind::Module, &module, &path, None, Some(def));
            return;
        }
        let Some(clause) = parts.iter().find(|n| n.kind() == "import_clause") else {
            self.add(ImportKind::SideEffect, &module, &path, None, None);
            return;
        };
        for part in named(*clause) {
            match part.kind() {
                "identifier" => {
                    let def = self.def_of(part);
                    self.add(ImportKind::Default, &module, &path, None, Some(def));
                }
                "namespace_import" => {
                    let Some(name) = named(part).pop() else { continue };
                    let def = self.def_of(name);
                    self.add(ImportKind::Module, &module, &path, None, Some(def));
                }
                _ => {
                    for specifier in named(part) {
                        self.ecma_specifier(specifier, &module, path[0]);
                    }
                }
            }
        }
    }

    fn ecma_specifier(&mut self, specifier: Node<'_>, module: &str, path: RefId) {
        let Some(name) = specifier.child_by_field_name("name") else { return };
        let member = self.ecma_name(name, Role::Import);
        let def = match specifier.child_by_field_name("alias") {
            Some(alias) => self.def_of(alias),
            None => self.def_like(member),
        };
        let outer = self.flags;
        if Self::has_token(specifier, &["type", "typeof"]) {
            self.flags.set(ImportFlags::TYPE_ONLY);
        }
        self.add(ImportKind::Member, module, &[path], Some(member), Some(def));
        self.flags = outer;
    }

    fn ecma_name(&mut self, node: Node<'_>, role: Role) -> RefId {
        let range = range_of(node);
        let name = self.slice(range);
        self.b.reference(name.trim_matches(['"', '\'']), range, role)
    }

    fn ecma_export(&mut self, node: Node<'_>) -> Option<()> {
        let parts = named(node);
        let clause = parts.iter().find(|n| n.kind() == "export_clause");
        let source = node.child_by_field_name("source");
        if clause.is_none() && source.is_none() {
            return None;
        }
        if Self::has_token(node, &["type"]) {
            self.flags.set(ImportFlags::TYPE_ONLY);
        }
        let specifier = source.map(|source| self.specifier(source));
        if let Some((module, path)) = &specifier
            && clause.is_none()
        {
            let name = parts.iter().find(|n| n.kind() == "namespace_export").and_then(|n| named(*n).pop());
            match name {
                None => self.add(ImportKind::ReExportStar, module, &[*path], None, None),
                Some(name) => {
                    self.add(ImportKind::ReExport, module, &[*path], None, None);
                    let exported = self.export_name(name);
                    self.set_exported_as(exported);
                }
            }
        }
        for part in clause.map(|clause| named(*clause)).unwrap_or_default() {
            let Some(name) = part.child_by_field_name("name") else { continue };
            let alias = part.child_by_field_name("alias");
            match &specifier {
                Some((module, path)) => {
                    let member = self.ecma_name(name, Role::Import);
                    self.add(ImportKind::ReExport, module, &[*path], Some(member), None);
                    if let Some(alias) = alias {
                        let exported = self.export_name(alias);
                        self.set_exported_as(exported);
                    }
                }
                None => {
                    let local = self.ecma_name(name, Role::Read);
                    let value = self.b.expr(Expr::Ref(local));
                    let name = match alias {
                        Some(alias) => self.export_name(alias),
                        None => self.b.facts().reference(local).name,
                    };
                    self.b.export(Export { name, value });
                }
            }
        }
        Some(())
    }

    fn export_name(&mut self, node: Node<'_>) -> NameId {
        let name = self.slice(range_of(node));
        self.b.name(name.trim_matches(['"', '\'']))
    }

    fn set_exported_as(&mut self, name: NameId) {
        let last = self.b.facts().imports.len() as u32 - 1;
        self.b.import_mut(last.into()).exported_as = Some(name);
    }

    fn go(&mut self, node: Node<'_>) {
        let Some(path) = node.child_by_field_name("path") else { return };
        let (module, reference) = self.specifier(path);
        let name = node.child_by_field_name("name");
        match name.map(|n| n.kind()) {
            Some("dot") => self.add(ImportKind::Star, &module, &[reference], None, None),
            Some("blank_identifier") => self.add(ImportKind::SideEffect, &module, &[reference], None, None),
            _ => {
                let def = match name {
                    Some(name) => self.def_of(name),
                    None => self.go_package(&module, self.b.facts().reference(reference).range),
                };
                self.add(ImportKind::Module, &module, &[reference], None, Some(def));
            }
        }
    }

    /// The name that a Go path most likely binds: its last segment that is not a major version.
    fn go_package(&mut self, module: &str, range: TextRange) -> DefId {
        let is_version = |s: &str| {
            s.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        let mut end = module.len();
        if let Some((head, last)) = module.rsplit_once('/')
            && is_version(last)
        {
            end = head.len();
        }
        let start = module[..end].rfind('/').map_or(0, |slash| slash + 1);
        let segment = &module[start..end];
        let name = match segment.rsplit_once('.') {
            Some((head, tail)) if is_version(tail) => head,
            _ => segment,
        };
        let name = name.to_owned();
        let at = TextRange::new(range.start + start as u32, range.start + (start + name.len()) as u32);
        self.def(&name, at)
    }

    fn php(&mut self, node: Node<'_>) {
        self.php_flags(node);
        let outer = self.flags;
        let group = node.child_by_field_name("body");
        let prefix = named(node).into_iter().find(|n| n.kind() == "namespace_name");
        let before = match (group, prefix) {
            (Some(_), Some(prefix)) => segments(self.b, self.text, range_of(prefix), Role::Import, None),
            _ => Vec::new(),
        };
        let prefix_text = match (group, prefix) {
            (Some(_), Some(prefix)) => format!("{}\\", self.slice(range_of(prefix)).trim_matches('\\')),
            _ => String::new(),
        };
        for clause in named(group.unwrap_or(node)).into_iter().filter(|n| n.kind() == "namespace_use_clause")
        {
            self.flags = outer;
            self.php_flags(clause);
            let Some(path) = named(clause).into_iter().next() else { continue };
            let mut refs = before.clone();
            refs.extend(segments(self.b, self.text, range_of(path), Role::Import, before.last().copied()));
            let Some((last, head)) = refs.split_last() else { continue };
            let written = format!("{prefix_text}{}", self.slice(range_of(path)).trim_start_matches('\\'));
            let module = written.rsplit_once('\\').map_or("", |(module, _)| module);
            let def = match clause.child_by_field_name("alias") {
                Some(alias) => self.def_of(alias),
                None => self.def_like(*last),
            };
            self.add(ImportKind::Member, module, head, Some(*last), Some(def));
        }
    }

    fn php_flags(&mut self, node: Node<'_>) {
        match node.child_by_field_name("type").map(|n| n.kind()) {
            Some("function") => self.flags.set(ImportFlags::FUNCTION),
            Some("const") => self.flags.set(ImportFlags::CONSTANT),
            _ => {}
        }
    }

    fn rust(&mut self, node: Node<'_>) {
        if named(node).iter().any(|n| n.kind() == "visibility_modifier") {
            self.flags.set(ImportFlags::EXPORTED);
        }
        if let Some(name) = node.child_by_field_name("name") {
            let Some(krate) = segments(self.b, self.text, range_of(name), Role::Import, None).pop() else {
                return;
            };
            let def = match node.child_by_field_name("alias") {
                Some(alias) => self.def_of(alias),
                None => self.def_like(krate),
            };
            let module = self.slice(range_of(name));
            self.add(ImportKind::Module, &module, &[krate], None, Some(def));
            return;
        }
        let Some(argument) = node.child_by_field_name("argument") else { return };
        // Trees nest: a stack of what is left, with the path before each.
        let mut left = vec![(argument, String::new(), Vec::new())];
        while let Some((node, module, path)) = left.pop() {
            match node.kind() {
                "use_list" => {
                    let items = named(node);
                    left.extend(items.into_iter().rev().map(|item| (item, module.clone(), path.clone())));
                }
                "scoped_use_list" => {
                    let (module, path) = match node.child_by_field_name("path") {
                        Some(head) => self.rust_path(head, &module, &path),
                        None => (module, path),
                    };
                    if let Some(list) = node.child_by_field_name("list") {
                        left.push((list, module, path));
                    }
                }
                "use_wildcard" => {
                    let (module, path) = match named(node).into_iter().next() {
                        Some(head) => self.rust_path(head, &module, &path),
                        None => (module, path),
                    };
                    self.add(ImportKind::Star, &module, &path, None, None);
                }
                "use_as_clause" => {
                    let Some(target) = node.child_by_field_name("path") else { continue };
                    self.rust_member(target, node.child_by_field_name("alias"), &module, &path);
                }
                _ => self.rust_member(node, None, &module, &path),
            }
        }
    }

    /// The path before, extended by the segments of a node.
    fn rust_path(&mut self, head: Node<'_>, module: &str, path: &[RefId]) -> (String, Vec<RefId>) {
        let written: String = self.slice(range_of(head)).chars().filter(|c| !c.is_whitespace()).collect();
        let mut refs = path.to_vec();
        refs.extend(segments(self.b, self.text, range_of(head), Role::Import, path.last().copied()));
        let module = if module.is_empty() { written } else { format!("{module}::{written}") };
        (module, refs)
    }

    fn rust_member(&mut self, target: Node<'_>, alias: Option<Node<'_>>, module: &str, path: &[RefId]) {
        let (written, refs) = self.rust_path(target, module, path);
        let alias = alias.filter(|a| a.kind() == "identifier");
        // `use a::{self}` binds `a` itself.
        let is_self = target.kind() == "self" || matches!(target.kind(), "crate" | "super");
        let Some(last) = refs.last().copied() else { return };
        let def = match alias {
            Some(alias) => self.def_of(alias),
            None => self.def_like(last),
        };
        if is_self {
            let module = written.trim_end_matches("::self").to_owned();
            self.add(ImportKind::Module, &module, &refs, None, Some(def));
            return;
        }
        let module = written.rsplit_once("::").map_or("", |(module, _)| module);
        self.add(ImportKind::Member, module, &refs[..refs.len() - 1], Some(last), Some(def));
    }

    fn scala(&mut self, node: Node<'_>) {
        for clause in children(node).split(|child| child.kind() == ",") {
            let names: Vec<_> = clause.iter().filter(|child| child.kind() == "identifier").collect();
            let (Some(first), Some(last)) = (names.first(), names.last()) else { continue };
            let range = TextRange::new(range_of(**first).start, range_of(**last).end);
            let path = segments(self.b, self.text, range, Role::Import, None);
            let module: String =
                self.slice(range).chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
            let Some(end) = clause.last() else { continue };
            match end.kind() {
                "namespace_wildcard" => self.add(ImportKind::Star, &module, &path, None, None),
                "namespace_selectors" => {
                    named(*end).into_iter().for_each(|item| self.scala_selector(item, &module, &path));
                }
                "identifier" => {
                    let Some((member, before)) = path.split_last() else { continue };
                    let def = self.def_like(*member);
                    let module = module.rsplit_once('.').map_or("", |(module, _)| module);
                    self.add(ImportKind::Member, module, before, Some(*member), Some(def));
                }
                _ => self.scala_selector(*end, &module, &path),
            }
        }
    }

    /// `c`, `d => e`, `d as e`, `_`; `d => _` hides.
    fn scala_selector(&mut self, item: Node<'_>, module: &str, path: &[RefId]) {
        if item.kind() == "namespace_wildcard" {
            self.add(ImportKind::Star, module, path, None, None);
            return;
        }
        let name = range_of(item.child_by_field_name("name").unwrap_or(item));
        let before = path.last().copied();
        let Some(member) = segments(self.b, self.text, name, Role::Import, before).pop() else { return };
        let def = match item.child_by_field_name("alias") {
            Some(alias) if alias.kind() != "identifier" => return,
            Some(alias) => self.def_of(alias),
            None => self.def_like(member),
        };
        self.add(ImportKind::Member, module, path, Some(member), Some(def));
    }

    fn include(&mut self, node: Node<'_>) {
        let Some(path) = node.child_by_field_name("path").filter(|p| !p.kind().contains("identifier")) else {
            return;
        };
        let (module, reference) = self.specifier(path);
        self.add(ImportKind::Star, &module, &[reference], None, None);
    }
}
