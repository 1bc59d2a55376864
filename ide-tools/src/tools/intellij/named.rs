//! Declarations by the name of their class and their own: in every language what its code calls so, a module's function by the
//! name of the module.

use ide_model::{
    FileMeta, FilePath, MatchMode, OutlineNode, QueryError, SearchKind, SourceKind, Symbol, SymbolKind,
    SymbolQuery,
};

use super::words::{find_node, qualified};
use crate::ToolError;
use crate::names::split_parameters;
use crate::session::Session;
use crate::tools::type_hierarchy::class_named;

/// Types above a class that are looked into for a member, which bounds circles too.
const MAX_SUPERTYPES: usize = 200;
/// Declarations of one container that are looked at.
const MAX_MEMBERS: usize = 5_000;

/// Declarations of one name.
pub(crate) struct Named {
    /// One, or overloads.
    pub(crate) all: Vec<Symbol>,
}

impl Named {
    /// The first, of which there is always one.
    pub(crate) fn first(&self) -> &Symbol {
        &self.all[0]
    }
}

impl Session<'_> {
    /// The class of a name, simple or qualified; else any declaration that is called so.
    ///
    /// # Errors
    /// `symbol_not_found` with near misses, `ambiguous_match` with candidates.
    pub(crate) fn class(&self, class_name: &str) -> Result<Symbol, ToolError> {
        let name = class_name.trim();
        class_named(self, name, None).or_else(|error| match error.slug {
            "symbol_not_found" => self.library_class(name)?.ok_or(error),
            _ => Err(error),
        })
    }

    /// The one class of libraries that has this qualified name.
    fn library_class(&self, name: &str) -> Result<Option<Symbol>, ToolError> {
        let last = name.rsplit(['.', '#', ':', '/', '\\']).next().unwrap_or(name);
        let filter = |_: &FileMeta| true;
        let query = SymbolQuery {
            pattern: last,
            mode: MatchMode::Exact,
            kind: SearchKind::Types,
            language: None,
            filter: &filter,
            with_libraries: true,
            limit: MAX_MEMBERS,
        };
        let mut found: Vec<Symbol> =
            self.snapshot.search(self.cx, &query)?.value.items.into_iter().map(|hit| hit.symbol).collect();
        let is_qualified = last != name;
        found.retain(|symbol| {
            *symbol.name == *last && (!is_qualified || symbol.qualified_name.as_deref() == Some(name))
        });
        match &found[..] {
            [] => Ok(None),
            [only] => Ok(Some(only.clone())),
            _ => Err(self.told_apart(QueryError::Ambiguous { what: name.to_owned(), candidates: found })),
        }
    }

    /// The class of a name, or its member: a method with all of its overloads, unless a list of parameter types is given
    /// (`add(int, String)`); a field, an inner class, or what a class inherits.
    ///
    /// # Errors
    /// `symbol_not_found` naming the members there are, `ambiguous_match`.
    pub(crate) fn named(&self, class_name: &str, member_name: Option<&str>) -> Result<Named, ToolError> {
        let Some(member) = member_name.map(str::trim).filter(|member| !member.is_empty()) else {
            let found = self.class(class_name).or_else(|error| match error.slug {
                // A function or a variable of a module may be named as a whole.
                "symbol_not_found" => {
                    self.resolve_name(None, class_name).map(|found| found.symbol).map_err(|_| error)
                }
                _ => Err(error),
            })?;
            return Ok(Named { all: vec![found] });
        };
        let (name, parameters) = split_parameters(member).ok_or_else(|| {
            ToolError::argument(format!("`memberName` `{member}` has no closing parenthesis"))
                .with("parameter", "memberName")
        })?;
        let class = match self.class(class_name) {
            Ok(class) => class,
            // A module is no class, and its functions have its name before theirs.
            Err(error) if error.slug == "symbol_not_found" => {
                return self.of_module(class_name, name, parameters.as_deref(), error);
            }
            Err(error) => return Err(error),
        };
        let all = self.members_named(&class, name)?;
        if all.is_empty() {
            return Err(self.no_member(&class, name)?);
        }
        let found = self.overloads(all, parameters.as_deref(), name)?;
        Ok(Named { all: found })
    }

    /// The one declaration that is meant by a call that writes or shows code.
    ///
    /// # Errors
    /// Those of [`Self::named`]; `ambiguous_match` with the overloads.
    pub(crate) fn only_named(
        &self,
        class_name: &str,
        member_name: Option<&str>,
    ) -> Result<Symbol, ToolError> {
        let found = self.named(class_name, member_name)?;
        match &found.all[..] {
            [only] => Ok(only.clone()),
            _ => {
                let what = format!("{class_name}.{}", member_name.unwrap_or_default());
                let error = self.told_apart(QueryError::Ambiguous { what, candidates: found.all });
                Err(error.hint("pass `memberName` with its parameter types, as in `add(int, String)`"))
            }
        }
    }

    fn of_module(
        &self,
        module: &str,
        name: &str,
        parameters: Option<&[String]>,
        error: ToolError,
    ) -> Result<Named, ToolError> {
        let module = module.trim().trim_end_matches(['.', '#', ':', '/', '\\']);
        let found: Vec<Symbol> = match self.resolve_name(None, &format!("{module}.{name}")) {
            Ok(found) => std::iter::once(found.symbol)
                .chain(found.alternatives.into_iter().map(|(symbol, _)| symbol))
                .collect(),
            Err(other) if other.slug == "ambiguous_match" => return Err(other),
            Err(_) => return Err(error),
        };
        if found.is_empty() {
            return Err(error);
        }
        Ok(Named { all: self.overloads(found, parameters, name)? })
    }

    /// The members of a class that have a name: its own, else those of the nearest supertypes.
    fn members_named(&self, class: &Symbol, name: &str) -> Result<Vec<Symbol>, ToolError> {
        let is_constructor =
            *class.name == *name || matches!(name, "<init>" | "constructor" | "__construct" | "__init__");
        for (at, ty) in self.with_supertypes(class)?.iter().enumerate() {
            let members = self.members(ty)?;
            let mut found: Vec<Symbol> = members
                .into_iter()
                .map(|node| node.symbol)
                .filter(|symbol| {
                    same_name(&symbol.name, name)
                        || at == 0 && is_constructor && symbol.kind == SymbolKind::Constructor
                })
                .collect();
            // A field and a method may have one name: methods are meant together, and first.
            if found.iter().any(|symbol| symbol.kind.is_callable()) {
                found.retain(|symbol| symbol.kind.is_callable());
            } else {
                found.truncate(1);
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// A type and what stands above it, the nearest first.
    pub(crate) fn with_supertypes(&self, class: &Symbol) -> Result<Vec<Symbol>, ToolError> {
        let mut all = vec![class.clone()];
        let mut next = 0;
        while next < all.len() && all.len() < MAX_SUPERTYPES {
            self.cx.check()?;
            let links = match self.snapshot.supertypes(self.cx, &all[next]) {
                Ok(answer) => answer.value,
                Err(
                    QueryError::Unsupported { .. } | QueryError::NoFile { .. } | QueryError::NotRead { .. },
                ) => Vec::new(),
                Err(error) => return Err(error.into()),
            };
            for symbol in links.into_iter().filter_map(|link| link.symbol) {
                if all.iter().all(|known| known.key != symbol.key) {
                    all.push(symbol);
                }
            }
            next += 1;
        }
        Ok(all)
    }

    /// The members of a type, those too that are written elsewhere: methods beside a struct, blocks of implementations.
    pub(crate) fn members(&self, ty: &Symbol) -> Result<Vec<OutlineNode>, ToolError> {
        let outline = match self.snapshot.outline(self.cx, &ty.file) {
            Ok(outline) => outline.value,
            Err(QueryError::NoFile { .. } | QueryError::NotRead { .. } | QueryError::Unsupported { .. }) => {
                Vec::new()
            }
            Err(error) => return Err(error.into()),
        };
        let own = find_node(&outline, &|node| node.symbol.key == ty.key);
        let mut members: Vec<OutlineNode> = own.map(|node| node.children.clone()).unwrap_or_default();
        if matches!(
            ty.kind,
            SymbolKind::Struct
                | SymbolKind::Enum
                | SymbolKind::Union
                | SymbolKind::Trait
                | SymbolKind::TypeAlias
        ) {
            for node in self.written_elsewhere(ty)? {
                if members.iter().all(|known| known.symbol.key != node.symbol.key) {
                    members.push(node);
                }
            }
        }
        Ok(members)
    }

    /// Members of a type that stand outside of it. Code that gives a type members there names it, so the files that do are
    /// looked into.
    fn written_elsewhere(&self, ty: &Symbol) -> Result<Vec<OutlineNode>, ToolError> {
        let of_family = |file: &FileMeta| {
            file.source != SourceKind::Library
                && file.language.is_some_and(|own| own.family() == ty.language.family())
        };
        let uses = self.snapshot.references(self.cx, ty, &of_family, usize::MAX)?.value.references;
        let mut files: Vec<&FilePath> =
            std::iter::once(&ty.file).chain(uses.iter().map(|used| &used.file)).collect();
        files.sort();
        files.dedup();
        let outer = ty.qualified_name.as_deref().unwrap_or(&ty.name);
        let is_inside = |symbol: &Symbol| {
            let rest = symbol.qualified_name.as_deref().and_then(|name| name.strip_prefix(outer));
            rest.is_some_and(|rest| {
                rest.starts_with(['.', ':', '#']) && rest.trim_start_matches(['.', ':', '#']) == &*symbol.name
            })
        };
        let mut found = Vec::new();
        for file in files {
            self.cx.check()?;
            let outline = self.snapshot.outline(self.cx, file)?.value;
            let mut todo: Vec<&OutlineNode> = outline.iter().rev().collect();
            while let Some(node) = todo.pop() {
                if is_inside(&node.symbol) {
                    found.push(node.clone());
                } else {
                    todo.extend(node.children.iter().rev());
                }
            }
        }
        Ok(found)
    }

    /// Keeps the declarations with a list of parameter types, all where none is given.
    fn overloads(
        &self,
        all: Vec<Symbol>,
        parameters: Option<&[String]>,
        name: &str,
    ) -> Result<Vec<Symbol>, ToolError> {
        let Some(wanted) = parameters else { return Ok(all) };
        let kept = self.with_parameters(&all, wanted)?;
        if kept.is_empty() {
            let what = format!("no overload of `{name}` takes ({})", wanted.join(", "));
            let rows: Result<Vec<_>, ToolError> = all.iter().map(|symbol| self.candidate(symbol)).collect();
            return Err(ToolError::new("symbol_not_found", what)
                .hint("name the parameter types of one of `candidates`")
                .with("candidates", rows?));
        }
        Ok(kept)
    }

    fn no_member(&self, class: &Symbol, name: &str) -> Result<ToolError, ToolError> {
        let names: Vec<String> =
            self.members(class)?.into_iter().map(|node| node.symbol.name.to_string()).collect();
        let error =
            ToolError::new("symbol_not_found", format!("`{}` has no member `{name}`", qualified(class)));
        let near = crate::args::nearest(name, names.iter().map(String::as_str));
        let error = match near {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("get_class_structure lists its members"),
        };
        let mut shown: Vec<String> = Vec::new();
        names.into_iter().for_each(|name| {
            if !shown.contains(&name) {
                shown.push(name)
            }
        });
        shown.truncate(20);
        Ok(error.with("members", shown))
    }

    /// Notes that several declarations were taken together, when they were.
    pub(crate) fn note_overloads(&self, found: &Named, name: &str) {
        if found.all.len() > 1 {
            self.told.note(format!(
                "`{name}` has {} overloads, which are taken together; pass its parameter types, as in `{name}(int)`, for one",
                found.all.len()
            ));
        }
    }
}

fn same_name(own: &str, wanted: &str) -> bool {
    let bare = |name: &str| name.trim_start_matches(['$', '#', '@']).trim_matches('`').to_owned();
    bare(own) == bare(wanted)
}
