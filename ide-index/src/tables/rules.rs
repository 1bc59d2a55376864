//! Compiles the rule text of a language into dense tables over the kinds and fields of its grammar.
//!
//! One rule a line: a selector, then words. `#` starts a comment.
//!
//! | selector | rules |
//! |---|---|
//! | `kind` | a node of this kind |
//! | `kind@parent` | the same below this parent; replaces the rule of `kind` |
//! | `"token"`, `"token"@parent` | an anonymous token |
//! | `parent.field` | the child in this field |
//! | `parent>child` | a child of this kind, where no field rule applies |
//! | `parent:1`, `parent:2` | the first or second named child, where no field rule applies |
//! | `parent>*` | every other child |
//! | `%word …` | a setting of the whole language |
//!
//! The words of nodes are in [`Compiler::node_word`], those of edges in [`Compiler::edge_word`].

use ide_model::{SymbolKind, Visibility};
use rustc_hash::FxHashMap;
use tree_sitter::Language as Grammar;

use super::imports::ImportStyle;
use crate::facts::{DefFlags, Literal, Role, ScopeKind, SuperKind};

/// The result that a node yields to the node above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Act {
    #[default]
    Nothing,
    /// The value of its last child that has one.
    Value,
    Call,
    New,
    /// A call when it has arguments, the callee alone otherwise.
    Annotation,
    /// Arguments for the node above.
    Args,
    /// Type arguments for the node above.
    TypeArgs,
    /// `key = value`.
    Named,
    Lambda,
    ClassValue,
    Generic,
    /// A generic type in a type position, an indexed value elsewhere.
    Subscript,
    Array,
    Nullable,
    Pointer,
    Reference,
    Union,
    Intersection,
    Tuple,
    /// A type that is not looked into.
    OtherType,
    PrimitiveType,
    Literal(Literal),
    This,
    Super,
}

/// How an identifier below is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ctx {
    /// As the node above says, when that is transparent; otherwise a read.
    Inherit,
    Role(Role),
    /// As the node above, transparent or not.
    Same,
    /// A type below a type, a read below a value.
    Typewise,
    /// The member of the value in [`Slot::Receiver`]; takes the role of the whole access unless it has its own.
    Member(Option<Role>),
    /// A segment of a dotted name whose segments are siblings; the role is that of segments before the last.
    Segment(Role),
    /// The last segment of a dotted name.
    LastSegment,
    /// A key when `=` follows, a read otherwise.
    KeyIfAssigned,
    Bind(Bind),
    /// Says that the name belongs to an outer scope (`global x`).
    Outer,
    Skip,
}

/// How an identifier becomes a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bind {
    pub(super) kind: SymbolKind,
    /// The kind in the body of a class.
    pub(super) in_class: SymbolKind,
    /// The kind outside of everything.
    pub(super) in_file: SymbolKind,
    /// Only the first occurrence in a scope declares, later ones write.
    pub(super) once: bool,
    /// Belongs to the function, not to the block.
    pub(super) hoist: bool,
    /// Only the first identifier of the group.
    pub(super) first: bool,
    /// A write when the statement has no word that declares, see [`NodeRule::declaring`].
    pub(super) conditional: bool,
}

/// The use of a child's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Slot {
    #[default]
    None,
    Receiver,
    Callee,
    Type,
    Init,
    Super(SuperKind),
    Throws,
    Decorator,
    /// The parameter that names the receiver of a method.
    SelfParameter,
    ExtensionType,
    /// A type argument in a type, nothing in a value.
    TypeArgument,
    /// The type of a field; without a name it is embedded.
    FieldType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Through {
    #[default]
    No,
    /// Only in a type position.
    Type,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum NameAt {
    #[default]
    None,
    Field(u16),
    Child(u16),
    /// The identifier at the end of a chain of this field, as in C declarators.
    Deep(u16),
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeRule {
    pub(super) act: Act,
    /// The kind declared; the second one in the body of a class.
    pub(super) def: Option<(SymbolKind, SymbolKind)>,
    pub(super) name: NameAt,
    /// Declares and opens a scope only when it has this field.
    pub(super) needs: Option<u16>,
    /// A declaration without a name is made all the same.
    pub(super) anonymous: bool,
    pub(super) scope: Option<ScopeKind>,
    /// An identifier, with the role it has where nothing else is said.
    pub(super) leaf: Option<Role>,
    pub(super) through: Through,
    /// Modifiers, type, documentation and start count for the declarations below.
    pub(super) group: bool,
    pub(super) flags: DefFlags,
    pub(super) visibility: Option<Visibility>,
    pub(super) becomes: Option<SymbolKind>,
    pub(super) import: Option<ImportStyle>,
    pub(super) package: bool,
    pub(super) skip: bool,
    pub(super) comment: bool,
    pub(super) docstring: bool,
    /// A decorator that stands before its declaration as a sibling.
    pub(super) sibling_decorator: bool,
    /// A type that stands before the name is the receiver of an extension.
    pub(super) extension: bool,
    /// A group whose range is not that of its declarations.
    pub(super) loose: bool,
    /// Declarations in this group belong to the function, not to the block.
    pub(super) hoisting: bool,
    /// Transparent without taking its value apart: what is bound below is bound as a whole.
    pub(super) wraps: bool,
    /// Writes below are reads too unless the operator is a plain `=`.
    pub(super) assignment: bool,
    /// Reads below are writes too when the operator is `++` or `--`.
    pub(super) increment: bool,
    /// Declares only with one of the words `const`, `let`, `var`, `:=`.
    pub(super) declaring: bool,
    /// Identifiers below are tokens of a macro call.
    pub(super) in_macro: bool,
    /// There are rules for this kind below certain parents.
    pub(super) has_special: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeRule {
    pub(super) ctx: Ctx,
    pub(super) slot: Slot,
    /// Evaluated outside the scope that the parent opens.
    pub(super) outer: bool,
}

const PLAIN: EdgeRule = EdgeRule { ctx: Ctx::Inherit, slot: Slot::None, outer: false };

/// The compiled rules of one grammar.
pub(super) struct Table {
    pub(super) grammar: Grammar,
    nodes: Vec<NodeRule>,
    special: FxHashMap<(u16, u16), NodeRule>,
    edges: Vec<EdgeRule>,
    by_field: Vec<u8>,
    by_child: Vec<u8>,
    by_index: [Vec<u8>; 2],
    by_default: Vec<u8>,
    kinds: usize,
    fields: usize,
    pub(super) name_field: Option<u16>,
    /// Some names are declared by their first assignment.
    pub(super) once: bool,
    /// Identifiers that name nothing.
    pub(super) ignored: Vec<&'static str>,
    /// Identifiers that mean the receiver.
    pub(super) this: Vec<&'static str>,
    /// Prefixes of documentation comments.
    pub(super) doc: Vec<&'static str>,
    /// Names of methods that are constructors.
    pub(super) constructors: Vec<&'static str>,
    /// The name whose assigned members are attributes of the class.
    pub(super) attributes: Option<&'static str>,
    /// Names that start with a capital letter are exported.
    pub(super) capital_exports: bool,
    /// Names that start with a capital letter are constants in patterns, not variables.
    pub(super) capital_patterns: bool,
}

impl Table {
    pub(super) fn node(&self, kind: u16, parent: u16) -> &NodeRule {
        match self.nodes.get(usize::from(kind)) {
            Some(rule) if rule.has_special => self.special.get(&(parent, kind)).unwrap_or(rule),
            Some(rule) => rule,
            None => &ERROR_NODE,
        }
    }

    /// The rule for a child; `index` counts the named children before it.
    pub(super) fn edge(&self, parent: u16, field: Option<u16>, child: u16, index: u32) -> &EdgeRule {
        let parent = usize::from(parent);
        if parent >= self.kinds {
            return &PLAIN;
        }
        let mut edge = field.map_or(0, |f| self.by_field[parent * self.fields + usize::from(f)]);
        if edge == 0
            && let Some(by_index) = self.by_index.get(index as usize)
        {
            edge = by_index[parent];
        }
        if edge == 0 && usize::from(child) < self.kinds {
            edge = self.by_child[parent * self.kinds + usize::from(child)];
        }
        if edge == 0 {
            edge = self.by_default[parent];
        }
        &self.edges[usize::from(edge)]
    }
}

static ERROR_NODE: NodeRule = NodeRule {
    act: Act::Nothing,
    def: None,
    name: NameAt::None,
    needs: None,
    anonymous: false,
    scope: None,
    leaf: None,
    through: Through::No,
    group: false,
    flags: DefFlags::NONE,
    visibility: None,
    becomes: None,
    import: None,
    package: false,
    skip: false,
    comment: false,
    docstring: false,
    sibling_decorator: false,
    extension: false,
    loose: false,
    hoisting: false,
    wraps: false,
    assignment: false,
    increment: false,
    declaring: false,
    in_macro: false,
    has_special: false,
};

/// Compiles rules for a grammar. Lines that name a kind or field that the grammar does not have are returned: rule
/// text may be shared by grammars of one family.
///
/// # Panics
/// On words that do not exist; the tests compile every table.
pub(super) fn compile(grammar: Grammar, rules: &[&'static str]) -> (Table, Vec<&'static str>) {
    let kinds = grammar.node_kind_count();
    let fields = grammar.field_count() + 1;
    let mut compiler = Compiler {
        table: Table {
            nodes: vec![NodeRule::default(); kinds],
            special: FxHashMap::default(),
            edges: vec![PLAIN],
            by_field: vec![0; kinds * fields],
            by_child: vec![0; kinds * kinds],
            by_index: [vec![0; kinds], vec![0; kinds]],
            by_default: vec![0; kinds],
            kinds,
            fields,
            name_field: grammar.field_id_for_name("name").map(std::num::NonZeroU16::get),
            once: rules.iter().any(|text| text.contains(" once")),
            ignored: Vec::new(),
            this: Vec::new(),
            doc: Vec::new(),
            constructors: Vec::new(),
            attributes: None,
            capital_exports: false,
            capital_patterns: false,
            grammar,
        },
        unknown: Vec::new(),
    };
    for line in rules.iter().flat_map(|text| text.lines()) {
        let line = line.split_once(" #").map_or(line, |(head, _)| head).trim();
        if !line.is_empty() && !line.starts_with('#') && compiler.line(line).is_none() {
            compiler.unknown.push(line);
        }
    }
    (compiler.table, compiler.unknown)
}

struct Compiler {
    table: Table,
    unknown: Vec<&'static str>,
}

impl Compiler {
    /// `None` when the grammar has no such kind or field.
    fn line(&mut self, line: &'static str) -> Option<()> {
        let mut words = line.split_whitespace();
        let selector = words.next()?;
        if let Some(setting) = selector.strip_prefix('%') {
            self.setting(setting, words);
            return Some(());
        }
        if !selector.starts_with('"') {
            if let Some((parent, field)) = selector.split_once('.') {
                let parent = self.kind(parent)?;
                let field = self.field(field)?;
                let edge = self.edge(words);
                self.table.by_field[usize::from(parent) * self.table.fields + usize::from(field)] = edge;
                return Some(());
            }
            if let Some((parent, index)) = selector.split_once(':') {
                let parent = usize::from(self.kind(parent)?);
                let edge = self.edge(words);
                self.table.by_index[usize::from(index == "2")][parent] = edge;
                return Some(());
            }
            if let Some((parent, child)) = selector.split_once('>') {
                let parent = usize::from(self.kind(parent)?);
                if child == "*" {
                    self.table.by_default[parent] = self.edge(words);
                } else {
                    let child = self.kind(child)?;
                    let edge = self.edge(words);
                    self.table.by_child[parent * self.table.kinds + usize::from(child)] = edge;
                }
                return Some(());
            }
        }
        let (kind, parent) = match selector.split_once('@') {
            Some((kind, parent)) => (self.kind(kind)?, Some(self.kind(parent)?)),
            None => (self.kind(selector)?, None),
        };
        let mut rule = NodeRule::default();
        for word in words {
            self.node_word(&mut rule, word)?;
        }
        match parent {
            Some(parent) => {
                self.table.nodes[usize::from(kind)].has_special = true;
                self.table.special.insert((parent, kind), rule);
            }
            None => {
                rule.has_special = self.table.nodes[usize::from(kind)].has_special;
                self.table.nodes[usize::from(kind)] = rule;
            }
        }
        Some(())
    }

    fn kind(&self, name: &str) -> Option<u16> {
        let id = match name.strip_prefix('"').and_then(|n| n.strip_suffix('"')) {
            Some(token) => self.table.grammar.id_for_node_kind(token, false),
            None => self.table.grammar.id_for_node_kind(name, true),
        };
        (id != 0).then_some(id)
    }

    fn field(&self, name: &str) -> Option<u16> {
        self.table.grammar.field_id_for_name(name).map(std::num::NonZeroU16::get)
    }

    fn setting(&mut self, setting: &str, words: impl Iterator<Item = &'static str>) {
        match setting {
            "doc" => self.table.doc = words.collect(),
            "constructors" => self.table.constructors = words.collect(),
            "ignored" => self.table.ignored = words.collect(),
            "this" => self.table.this = words.collect(),
            "attributes" => self.table.attributes = words.last(),
            "capital-exports" => self.table.capital_exports = true,
            "capital-patterns" => self.table.capital_patterns = true,
            other => panic!("no setting is called {other}"),
        }
    }

    fn node_word(&self, rule: &mut NodeRule, word: &str) -> Option<()> {
        let (word, value) = word.split_once('=').unwrap_or((word, ""));
        match word {
            "def" => rule.def = Some(kinds(value)),
            "name" => {
                rule.name = if let Some(child) = value.strip_prefix('>') {
                    NameAt::Child(self.kind(child)?)
                } else if let Some(field) = value.strip_prefix('*') {
                    NameAt::Deep(self.field(field)?)
                } else {
                    NameAt::Field(self.field(value)?)
                }
            }
            "needs" => rule.needs = Some(self.field(value)?),
            "anonymous" => rule.anonymous = true,
            "scope" => rule.scope = Some(scope_kind(value)),
            "leaf" => rule.leaf = Some(if value.is_empty() { Role::Read } else { role(value) }),
            "through" => rule.through = if value == "type" { Through::Type } else { Through::Always },
            "group" => rule.group = true,
            "flag" => rule.flags.set(flag(value)),
            "visibility" => rule.visibility = Some(visibility(value)),
            "becomes" => rule.becomes = Some(symbol_kind(value)),
            "import" => rule.import = Some(ImportStyle::from_word(value)),
            "package" => rule.package = true,
            "skip" => rule.skip = true,
            "comment" => rule.comment = true,
            "receiver-before-name" => rule.extension = true,
            "docstring" => {
                rule.docstring = true;
                rule.act = Act::Literal(Literal::String);
            }
            "loose" => rule.loose = true,
            "hoisting" => rule.hoisting = true,
            "wraps" => (rule.wraps, rule.through) = (true, Through::Always),
            "assignment" => rule.assignment = true,
            "increment" => rule.increment = true,
            "declaring" => rule.declaring = true,
            "macro-tokens" => rule.in_macro = true,
            "sibling-decorator" => rule.sibling_decorator = true,
            "literal" => rule.act = Act::Literal(literal(value)),
            other => rule.act = act(other),
        }
        Some(())
    }

    fn edge(&mut self, words: impl Iterator<Item = &'static str>) -> u8 {
        let mut edge = PLAIN;
        for word in words {
            Self::edge_word(&mut edge, word);
        }
        self.table.edges.push(edge);
        u8::try_from(self.table.edges.len() - 1).expect("a language has fewer than 256 edge rules")
    }

    fn edge_word(edge: &mut EdgeRule, word: &str) {
        let (word, value) = word.split_once('=').unwrap_or((word, ""));
        match word {
            "outer" => edge.outer = true,
            "skip" => edge.ctx = Ctx::Skip,
            "global" => edge.ctx = Ctx::Outer,
            "same" => edge.ctx = Ctx::Same,
            "typewise" => edge.ctx = Ctx::Typewise,
            "member" => edge.ctx = Ctx::Member((!value.is_empty()).then(|| role(value))),
            "segment" => edge.ctx = Ctx::Segment(role(value)),
            "last-segment" => edge.ctx = Ctx::LastSegment,
            "key-if-assigned" => edge.ctx = Ctx::KeyIfAssigned,
            "bind" | "declares" => {
                let mut words = value.split('/').map(symbol_kind);
                let kind = words.next().expect("split gives one part at least");
                let in_class = words.next().unwrap_or(kind);
                let in_file = words.next().unwrap_or(kind);
                let conditional = word == "declares";
                edge.ctx = Ctx::Bind(Bind {
                    kind,
                    in_class,
                    in_file,
                    once: false,
                    hoist: false,
                    first: false,
                    conditional,
                });
            }
            "once" | "hoist" | "first" => {
                let Ctx::Bind(bind) = &mut edge.ctx else { panic!("{word} goes with bind") };
                bind.once |= word == "once";
                bind.hoist |= word == "hoist";
                bind.first |= word == "first";
            }
            "type-argument" => edge.slot = Slot::TypeArgument,
            "field-type" => edge.slot = Slot::FieldType,
            "receiver" => edge.slot = Slot::Receiver,
            "callee" => edge.slot = Slot::Callee,
            "typed" => edge.slot = Slot::Type,
            "init" => edge.slot = Slot::Init,
            "throws" => edge.slot = Slot::Throws,
            "decorator" => edge.slot = Slot::Decorator,
            "self" => edge.slot = Slot::SelfParameter,
            "extension" => edge.slot = Slot::ExtensionType,
            "super" => {
                let kind = match value {
                    "extends" => SuperKind::Extends,
                    "implements" => SuperKind::Implements,
                    "mixes" => SuperKind::Mixes,
                    _ => SuperKind::Other,
                };
                edge.slot = Slot::Super(kind);
            }
            other => edge.ctx = Ctx::Role(role(other)),
        }
    }
}

fn act(word: &str) -> Act {
    match word {
        "plain" => Act::Nothing,
        "value" => Act::Value,
        "call" => Act::Call,
        "new" => Act::New,
        "annotated" => Act::Annotation,
        "args" => Act::Args,
        "type-args" => Act::TypeArgs,
        "named" => Act::Named,
        "lambda" => Act::Lambda,
        "class-value" => Act::ClassValue,
        "generic" => Act::Generic,
        "subscript" => Act::Subscript,
        "array" => Act::Array,
        "nullable" => Act::Nullable,
        "pointer" => Act::Pointer,
        "reference" => Act::Reference,
        "union" => Act::Union,
        "intersection" => Act::Intersection,
        "tuple" => Act::Tuple,
        "type" => Act::OtherType,
        "primitive" => Act::PrimitiveType,
        "this" => Act::This,
        "super" => Act::Super,
        other => panic!("no word is called {other}"),
    }
}

fn role(word: &str) -> Role {
    match word {
        "read" => Role::Read,
        "write" => Role::Write,
        "readwrite" => Role::ReadWrite,
        "call" => Role::Call,
        "type" => Role::Type,
        "extends" => Role::Extends,
        "implements" => Role::Implements,
        "new" => Role::New,
        "annotation" => Role::Annotation,
        "import" => Role::Import,
        "package" => Role::Package,
        "key" => Role::Key,
        "label" => Role::Label,
        "macro" => Role::Macro,
        other => panic!("no role is called {other}"),
    }
}

fn literal(word: &str) -> Literal {
    match word {
        "string" => Literal::String,
        "int" => Literal::Int,
        "float" => Literal::Float,
        "char" => Literal::Char,
        "bool" => Literal::Bool,
        "null" => Literal::Null,
        "regex" => Literal::Regex,
        _ => Literal::Other,
    }
}

fn scope_kind(word: &str) -> ScopeKind {
    match word {
        "module" => ScopeKind::Module,
        "class" => ScopeKind::Class,
        "function" => ScopeKind::Function,
        "block" => ScopeKind::Block,
        "comprehension" => ScopeKind::Comprehension,
        other => panic!("no scope is called {other}"),
    }
}

fn kinds(words: &str) -> (SymbolKind, SymbolKind) {
    let (outside, inside) = words.split_once('/').unwrap_or((words, words));
    (symbol_kind(outside), symbol_kind(inside))
}

fn symbol_kind(word: &str) -> SymbolKind {
    let wire = word.to_ascii_uppercase().replace('-', "_");
    *SymbolKind::ALL
        .iter()
        .find(|kind| kind.as_str() == wire)
        .unwrap_or_else(|| panic!("no kind is called {word}"))
}

fn visibility(word: &str) -> Visibility {
    *Visibility::ALL
        .iter()
        .find(|v| v.as_str() == word)
        .unwrap_or_else(|| panic!("no visibility is called {word}"))
}

fn flag(word: &str) -> DefFlags {
    const FLAGS: &[(&str, DefFlags)] = &[
        ("static", DefFlags::STATIC),
        ("abstract", DefFlags::ABSTRACT),
        ("final", DefFlags::FINAL),
        ("async", DefFlags::ASYNC),
        ("generator", DefFlags::GENERATOR),
        ("exported", DefFlags::EXPORTED),
        ("default-export", DefFlags::DEFAULT_EXPORT),
        ("override", DefFlags::OVERRIDE),
        ("const", DefFlags::CONST),
        ("readonly", DefFlags::READONLY),
        ("optional", DefFlags::OPTIONAL),
        ("vararg", DefFlags::VARARG),
        ("keyword-vararg", DefFlags::KEYWORD_VARARG),
        ("operator", DefFlags::OPERATOR),
        ("infix", DefFlags::INFIX),
        ("suspend", DefFlags::SUSPEND),
        ("inline", DefFlags::INLINE),
        ("data", DefFlags::DATA),
        ("sealed", DefFlags::SEALED),
        ("companion", DefFlags::COMPANION),
        ("delegated", DefFlags::DELEGATED),
        ("getter", DefFlags::GETTER),
        ("setter", DefFlags::SETTER),
        ("promoted", DefFlags::PROMOTED),
        ("signature", DefFlags::SIGNATURE),
        ("native", DefFlags::NATIVE),
        ("synchronized", DefFlags::SYNCHRONIZED),
        ("transient", DefFlags::TRANSIENT),
        ("volatile", DefFlags::VOLATILE),
        ("default", DefFlags::DEFAULT),
        ("inner", DefFlags::INNER),
        ("lateinit", DefFlags::LATEINIT),
        ("tailrec", DefFlags::TAILREC),
        ("external", DefFlags::EXTERNAL),
        ("actual", DefFlags::ACTUAL),
        ("expect", DefFlags::EXPECT),
        ("value", DefFlags::VALUE),
        ("unsafe", DefFlags::UNSAFE),
        ("mut", DefFlags::MUT),
        ("var", DefFlags::VAR),
        ("type-only", DefFlags::TYPE_ONLY),
        ("fun-interface", DefFlags::FUN_INTERFACE),
        ("hoisted", DefFlags::HOISTED),
    ];
    FLAGS.iter().find(|(name, _)| *name == word).unwrap_or_else(|| panic!("no flag is called {word}")).1
}
