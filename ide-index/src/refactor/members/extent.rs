//! From a declaration to the text that goes with it when it goes elsewhere.

use std::ops::Range;

use ide_model::{QueryError, SourceKind, Symbol, SymbolKind, TextRange};

use super::place::{Source, children};
use super::syntax::{self, ENTRIES};
use crate::facts::ScopeKind;
use crate::lang;
use crate::refactor::RefactorContext;
use crate::world::{FileId, GlobalDef};

/// The text of a declaration, with the comments right above it, its marks, and a comment behind it.
#[derive(Clone, Debug)]
pub(in crate::refactor) struct Extent {
    pub(in crate::refactor) range: TextRange,
    /// Whether it stands in no other declaration.
    pub(in crate::refactor) is_at_top: bool,
    /// Names that are declared by the same statement.
    pub(in crate::refactor) beside: Vec<String>,
}

/// The declarations that a file has at its top.
#[derive(Clone, Debug)]
pub(in crate::refactor) struct Outermost {
    /// Each with what belongs to it, in order.
    pub(in crate::refactor) all: Vec<TextRange>,
    /// Blank lines that its language puts between long ones.
    pub(in crate::refactor) blanks: usize,
}

/// The inside of a type.
#[derive(Clone, Debug)]
pub(in crate::refactor) struct Inside {
    /// The offset for a last member.
    pub(in crate::refactor) at: u32,
    /// The indentation of its lines.
    pub(in crate::refactor) indent: String,
    /// Whether members stand before it.
    pub(in crate::refactor) has_members: bool,
    /// Whether the bracket that closes the type follows on the same line.
    pub(in crate::refactor) closes_there: bool,
    /// The indentation of the type itself.
    pub(in crate::refactor) outer: String,
}

/// A file with its tree.
pub(in crate::refactor) struct Declarations<'a> {
    source: Source<'a>,
}

impl<'a> Declarations<'a> {
    /// # Errors
    /// [`QueryError::Unsupported`] for languages whose declarations are not written to.
    pub(in crate::refactor) fn read(
        ctx: &RefactorContext<'_>,
        file: FileId,
        text: &'a str,
    ) -> Result<Self, QueryError> {
        let entry = ctx.pool.world().file(file);
        let language = entry.language.filter(|_| entry.source != SourceKind::Library);
        let source = language.and_then(|language| {
            let (syntax, front_end) = (syntax::syntax_of(language)?, lang::front_end(language)?);
            Source::new(&entry.path, syntax, language, front_end, text)
        });
        source.map(|source| Self { source }).ok_or_else(|| QueryError::Unsupported {
            query: "moving declarations",
            language,
            supported: syntax::supported(),
        })
    }

    /// The text that belongs to a declaration.
    ///
    /// # Errors
    /// Why it cannot be told.
    pub(in crate::refactor) fn extent(
        &self,
        ctx: &RefactorContext<'_>,
        def: GlobalDef,
    ) -> Result<Extent, String> {
        let symbol = ctx.pool.with(|rx| crate::query::symbol(rx, def));
        let (extent, is_at_top, beside) = match (self.source.member(&symbol), self.by_facts(&symbol)) {
            (Ok(member), _) => {
                let beside = self.source.shared(&symbol, &member);
                (member.extent, member.list.parent().is_none(), beside)
            }
            (Err(_), Some((extent, is_at_top))) => (extent, is_at_top, Vec::new()),
            (Err(message), None) => return Err(message),
        };
        let end = self.source.tail(extent.end).unwrap_or(extent.end);
        let end = extent.start + self.source.text[extent.start..end].trim_end().len();
        Ok(Extent {
            range: TextRange::new(extent.start as u32, end as u32),
            is_at_top,
            beside: beside.into_iter().map(str::to_owned).collect(),
        })
    }

    /// The text of a declaration that the grammar misreads, and whether it stands at the top, where the front end knows.
    fn by_facts(&self, symbol: &Symbol) -> Option<(Range<usize>, bool)> {
        let is_type_or_function = symbol.kind.is_type() || symbol.kind == SymbolKind::Function;
        let def =
            self.source.declared(symbol).filter(|_| self.source.syntax.is_exact && is_type_or_function)?;
        let start = self.source.with_comments(def.range.start as usize);
        let is_at_top = self.source.facts.scope(def.scope).kind == ScopeKind::File;
        Some((start..def.range.end as usize, is_at_top))
    }

    pub(in crate::refactor) fn outermost(&self) -> Outermost {
        let root = self.source.tree.root_node();
        let all = self.source.members(root).into_iter();
        let all = all.map(|member| TextRange::new(member.extent.start as u32, member.extent.end as u32));
        Outermost { all: all.collect(), blanks: self.source.syntax.blanks }
    }

    /// The place for a new last member of a type.
    ///
    /// # Errors
    /// Why nothing can be put into it.
    pub(in crate::refactor) fn inside(
        &self,
        ctx: &RefactorContext<'_>,
        class: GlobalDef,
    ) -> Result<Inside, String> {
        let symbol = ctx.pool.with(|rx| crate::query::symbol(rx, class));
        let member = self.source.member(&symbol)?;
        let nothing = || format!("nothing can be declared in `{}`", symbol.name);
        let list = self.source.list_below(member.node).ok_or_else(nothing)?;
        let text = self.source.text;
        let line = text[..member.extent.start].rfind('\n').map_or(0, |i| i + 1);
        let indent_of = |at: usize| {
            let line = &text[text[..at].rfind('\n').map_or(0, |i| i + 1)..];
            line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned()
        };
        let outer = indent_of(line);
        let members = self.source.members(list);
        if children(list).any(|child| ENTRIES.contains(&child.kind())) {
            return Err(format!("`{}` is an enumeration; nothing is put into those", symbol.name));
        }
        let unit = self.source.unit.levels(1);
        Ok(match members.last() {
            Some(last) => {
                let end = self.source.tail(last.extent.end).unwrap_or(last.extent.end);
                Inside {
                    at: end as u32,
                    indent: indent_of(last.extent.start),
                    has_members: true,
                    closes_there: self.source.tail(last.extent.end).is_none(),
                    outer,
                }
            }
            None => {
                let open = children(list).find(|child| child.kind() == "{");
                let at = open.map_or(list.start_byte(), |open| open.end_byte());
                let rest = text[at..].trim_start_matches([' ', '\t']);
                Inside {
                    at: at as u32,
                    indent: format!("{outer}{unit}"),
                    has_members: false,
                    closes_there: rest.starts_with('}'),
                    outer,
                }
            }
        })
    }
}
