//! Declarations by names as agents write them: a qualified name in the grammar of a language, or the end of one
//! (`Storage.createEntry`, `(*Storage).createEntry`, `storage.Storage#createEntry`, `src/a.ts#createEntry`).

use ide_model::{
    Confidence, FileMeta, Language, MatchMode, ParameterInfo, QueryError, SearchKind, SourceKind, Symbol,
    SymbolKind, SymbolQuery, Target,
};

use crate::ToolError;
use crate::session::Session;
use crate::target::{Resolved, known_language, resolve};

/// Most declarations of a name that are looked at.
const MAX_FOUND: usize = 500;
/// Most that are told apart by what they resolve to.
const MAX_TOLD: usize = 50;

impl Session<'_> {
    /// The declaration of a name. A qualified name in the language's grammar goes first; else one whose qualified
    /// name, or whose path and name, end like the name.
    ///
    /// # Errors
    /// `symbol_not_found` with near misses, `ambiguous_match` with `candidates`, `unsupported_language`.
    pub(crate) fn resolve_name(&self, language: Option<&str>, name: &str) -> Result<Resolved, ToolError> {
        let language = language.map(known_language).transpose()?;
        let mut missing = None;
        if let Some(language) = language {
            let target = Target::Named { language, symbol: name.into() };
            match resolve(self, &target) {
                Err(error) if is_of_no_declaration(&error) => missing = Some(error),
                found => return found,
            }
        }
        let mut found = self.ending_like(language, name, false)?;
        if found.is_empty() {
            found = self.ending_like(language, name, true)?;
        }
        if found.is_empty()
            && let Some(name) = declared_as(name)
        {
            found = self.ending_like(language, &name, false)?;
        }
        if found.len() > 1
            && let Some(wanted) = parameters(name)
        {
            let kept = self.with_parameters(&found, &wanted)?;
            found = if kept.is_empty() { found } else { kept };
        }
        if found.len() > 1
            && let Some(one) = self.as_one(&found, parameters(name))
        {
            return Ok(one);
        }
        match &found[..] {
            [only] => {
                Ok(Resolved { symbol: only.clone(), confidence: Confidence::Exact, alternatives: Vec::new() })
            }
            [] => {
                if let Some(error) = missing.take_if(|error| error.details.contains_key("similar")) {
                    return Err(error);
                }
                let similar = self.near_misses(name, SearchKind::All, language)?;
                match missing {
                    Some(error) if similar.is_empty() => Err(error),
                    _ => Err(QueryError::NotFound { what: format!("`{name}`"), similar }.into()),
                }
            }
            _ => Err(self.told_apart(QueryError::Ambiguous { what: name.to_owned(), candidates: found })),
        }
    }

    /// The symbol that declarations of one qualified name are together, as `expect` and `actual` are: the language knows.
    fn as_one(&self, found: &[Symbol], parameters: Option<Vec<String>>) -> Option<Resolved> {
        let (first, rest) = found.split_first()?;
        let name = first.qualified_name.as_deref()?;
        let is_of_one_name = |other: &Symbol| {
            other.language == first.language && other.qualified_name.as_deref() == Some(name)
        };
        let types = parameters.map(|types| format!("({})", types.join(","))).unwrap_or_default();
        let target = Target::Named { language: first.language, symbol: format!("{name}{types}").into() };
        rest.iter().all(is_of_one_name).then(|| resolve(self, &target).ok())?
    }

    /// The declarations whose qualified names, or paths and names, end like a name: types first, then the nearest.
    pub(crate) fn ending_like(
        &self,
        language: Option<Language>,
        name: &str,
        with_libraries: bool,
    ) -> Result<Vec<Symbol>, ToolError> {
        let wanted = segments(name);
        let Some(last) = wanted.last() else { return Ok(Vec::new()) };
        let filter = |file: &FileMeta| {
            file.language.is_some_and(|own| {
                own.is_resolved() && language.is_none_or(|language| language.family() == own.family())
            })
        };
        let named = |pattern: &str| {
            let query = SymbolQuery {
                pattern,
                mode: MatchMode::Exact,
                kind: SearchKind::All,
                language: None,
                filter: &filter,
                with_libraries,
                limit: MAX_FOUND,
            };
            self.snapshot.search(self.cx, &query).map(|answer| answer.value.items)
        };
        let mut hits = named(last)?;
        if hits.is_empty() && bare(last) != last {
            hits = named(bare(last))?;
        }
        let is_meant = |symbol: &Symbol| {
            !matches!(symbol.kind, SymbolKind::Import | SymbolKind::Impl)
                && symbol.is_library == with_libraries
                && bare(&symbol.name) == bare(last)
        };
        let meant =
            hits.iter().filter(|hit| !hit.approximate && is_meant(&hit.symbol)).map(|hit| &hit.symbol);
        let mut ranked: Vec<(u8, Symbol)> =
            meant.clone().filter_map(|symbol| Some((fit(&wanted, symbol)?, symbol.clone()))).collect();
        if ranked.is_empty() && wanted.len() > 1 {
            let extends = |symbol: &&Symbol| self.is_extension_like(&wanted, symbol);
            ranked.extend(meant.take(MAX_TOLD).filter(extends).map(|symbol| (0, symbol.clone())));
        }
        let best = ranked.iter().map(|(rank, _)| *rank).min();
        ranked.retain(|(rank, _)| Some(*rank) == best);
        let mut found: Vec<Symbol> = Vec::new();
        for (n, (_, symbol)) in ranked.into_iter().enumerate() {
            let symbol = if n < MAX_TOLD { self.canonical(symbol)? } else { symbol };
            if found.iter().all(|known| known.key != symbol.key) {
                found.push(symbol);
            }
        }
        without_makers(&mut found);
        let is_test = |symbol: &Symbol| {
            self.snapshot
                .file(&symbol.file)
                .is_none_or(|file| file.source != SourceKind::Production || file.is_generated)
        };
        found.sort_by_cached_key(|symbol| {
            let depth = symbol.file.as_str().matches('/').count();
            (
                !symbol.kind.is_type(),
                is_test(symbol),
                full(symbol).len(),
                depth,
                symbol.file.clone(),
                symbol.name_range.start,
            )
        });
        Ok(found)
    }

    /// Whether a symbol is declared behind the name of another type, as in `fun Type.name()`, and words end like that.
    fn is_extension_like(&self, wanted: &[String], symbol: &Symbol) -> bool {
        let Ok(answer) = self.snapshot.describe(self.cx, symbol) else { return false };
        let head = answer.value.signature.split(['(', ':', '=']).next().unwrap_or("").trim();
        let own = segments(head.rsplit(' ').next().unwrap_or(head));
        own.len() > 1 && wanted.ends_with(&own)
    }

    /// The declarations of a list whose parameters have these types.
    pub(crate) fn with_parameters(
        &self,
        all: &[Symbol],
        wanted: &[String],
    ) -> Result<Vec<Symbol>, ToolError> {
        let mut kept = Vec::new();
        for symbol in all {
            let own = match self.snapshot.describe(self.cx, symbol) {
                Ok(answer) => answer.value.parameters,
                Err(QueryError::Unsupported { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let text = |parameter: &ParameterInfo| {
                plain_type(parameter.type_text.as_deref().or(parameter.name.as_deref()).unwrap_or(""))
            };
            if own.len() == wanted.len()
                && own.iter().zip(wanted).all(|(own, wanted)| same_type(&text(own), wanted))
            {
                kept.push(symbol.clone());
            }
        }
        Ok(kept)
    }

    /// The first of the declarations that are one symbol.
    fn canonical(&self, symbol: Symbol) -> Result<Symbol, ToolError> {
        self.cx.check()?;
        let target = Target::Position { file: symbol.file.clone(), offset: symbol.name_range.start };
        let declared =
            self.snapshot.resolve(self.cx, &target).ok().and_then(|answer| answer.value.into_iter().next());
        Ok(match declared {
            Some((declared, _)) if declared.name == symbol.name && declared.kind == symbol.kind => declared,
            _ => symbol,
        })
    }
}

/// Whether an error says that nothing at all is declared under a name, in the project or outside.
fn is_of_no_declaration(error: &ToolError) -> bool {
    matches!(error.slug, "symbol_not_found" | "unsupported_grammar")
        && !error.details.contains_key("external")
        && !error.details.contains_key("madeFrom")
}

/// Constructors go where the type that they make is found too.
fn without_makers(found: &mut Vec<Symbol>) {
    let types: Vec<Symbol> = found.iter().filter(|symbol| symbol.kind.is_type()).cloned().collect();
    found.retain(|symbol| {
        symbol.kind != SymbolKind::Constructor
            || !types.iter().any(|ty| ty.file == symbol.file && ty.name == symbol.name)
    });
}

/// The words of a name: what stands between separators, without receivers' signs, arguments and type arguments; the type of
/// `<Type as Trait>::name`.
pub(crate) fn segments(name: &str) -> Vec<String> {
    let of_trait = name.trim().strip_prefix('<').and_then(|name| name.rsplit_once(">::"));
    let of_type = of_trait.map(|(head, last)| {
        let ty = head.split_once(" as ").map_or(head, |(ty, _)| ty);
        format!("{ty}::{last}")
    });
    let name = of_type.as_deref().unwrap_or(name);
    let mut plain = String::new();
    let mut depth = 0_usize;
    let mut before = ' ';
    for c in name.trim().trim_end_matches("()").chars() {
        match c {
            '<' | '[' => depth += 1,
            '>' if before == '-' => {
                plain.pop();
                plain.push('.');
            }
            '>' | ']' => depth = depth.saturating_sub(1),
            // A list of parameters ends the name; a receiver begins one.
            '(' if !plain.trim_matches(['(', '*', '&', '.', ' ']).is_empty()
                && depth == 0
                && !before.is_whitespace()
                && before != '.' =>
            {
                break;
            }
            _ if depth > 0 => {}
            '(' | ')' | '*' | '&' | '`' | '"' | '\'' => {}
            _ => plain.push(c),
        }
        before = c;
    }
    let parts = plain.split(['.', '#', ':', '/', '\\', ' ']);
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// A name without the words that compilers and runtimes put into it, where it has some: `crate::a::f`, `A$B`,
/// `A.Companion.f`, `FileKt.f`, `A.prototype.f`.
fn declared_as(name: &str) -> Option<String> {
    const ADDED: [&str; 5] = ["crate", "self", "super", "prototype", "Companion"];
    let words = segments(name);
    let inner = |word: &String| match word.trim_start_matches('$').split_once('$') {
        Some((outer, inner)) if !outer.is_empty() && !inner.is_empty() => word.replace('$', "."),
        _ => word.clone(),
    };
    let mut plain: Vec<String> = words.iter().map(inner).collect();
    let last = plain.pop()?;
    plain.retain(|word| !(ADDED.contains(&word.as_str()) || word.len() > 2 && word.ends_with("Kt")));
    plain.push(last);
    (plain != words).then(|| plain.join("."))
}

/// A name without the sign that some languages write before it.
fn bare(name: &str) -> &str {
    name.trim_start_matches(['$', '#', '@']).trim_matches('`')
}

/// The words of where a symbol is and how it is called.
fn full(symbol: &Symbol) -> Vec<String> {
    let mut words = segments(symbol.file.as_str());
    words.extend(qualified(symbol));
    words
}

fn qualified(symbol: &Symbol) -> Vec<String> {
    let mut words = symbol.qualified_name.as_deref().map(segments).unwrap_or_default();
    if words.last().is_none_or(|last| bare(last) != bare(&symbol.name)) {
        words = symbol.container.as_deref().map(segments).unwrap_or_default();
        words.push(symbol.name.to_string());
    }
    words
}

/// The parameter types with which a name ends, where it has a list of them that is not empty.
fn parameters(name: &str) -> Option<Vec<String>> {
    let name = name.trim();
    let mut depth = 0_usize;
    let open = name.ends_with(')').then(|| {
        name.rmatch_indices(['(', ')']).find_map(|(at, bracket)| {
            depth = if bracket == ")" { depth + 1 } else { depth - 1 };
            (depth == 0).then_some(at)
        })
    })??;
    let is_of_a_name = name[..open].ends_with(|c: char| c.is_alphanumeric() || "_$`>".contains(c));
    split_parameters(&name[open..]).filter(|_| is_of_a_name)?.1.filter(|types| !types.is_empty())
}

/// `add(int, String)` as a name and its parameter types; `None` when the list is not closed.
pub(crate) fn split_parameters(member: &str) -> Option<(&str, Option<Vec<String>>)> {
    let Some((name, rest)) = member.split_once('(') else { return Some((member, None)) };
    let inner = rest.trim_end().strip_suffix(')')?;
    let mut types = vec![String::new()];
    let mut depth = 0_usize;
    for c in inner.chars() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (c, types.last_mut()) {
            (',', _) if depth == 0 => types.push(String::new()),
            (c, Some(last)) => last.push(c),
            (_, None) => {}
        }
    }
    let types: Vec<String> = types.iter().map(|ty| plain_type(ty)).filter(|ty| !ty.is_empty()).collect();
    Some((name.trim(), Some(types)))
}

/// A type without its arguments and blanks.
fn plain_type(ty: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_usize;
    for c in ty.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// Whether two types may be one, of which either may be written with its package.
fn same_type(own: &str, wanted: &str) -> bool {
    let last = |ty: &str| ty.rsplit(['.', ':', '\\']).next().unwrap_or(ty).to_owned();
    if own.contains('.') && !own.ends_with("...") && wanted.contains('.') && !wanted.ends_with("...") {
        return own == wanted;
    }
    let variadic = |ty: &str| ty.replace("...", "[]");
    last(&variadic(own)) == last(&variadic(wanted))
}

/// How well a symbol fits: 0 where its qualified name ends like the words, 1 where they name its container and in order
/// what is around it, 2 where they are in order among all that it is in; `None` where they are not.
fn fit(wanted: &[String], symbol: &Symbol) -> Option<u8> {
    let same = |a: &String, b: &String| bare(a) == bare(b);
    let own = qualified(symbol);
    if own.len() >= wanted.len()
        && own[own.len() - wanted.len()..].iter().zip(wanted).all(|(a, b)| same(a, b))
    {
        return Some(0);
    }
    let all = full(symbol);
    let mut rest = all.iter();
    let outer = &wanted[..wanted.len() - 1];
    if !outer.iter().all(|word| rest.any(|own| same(own, word))) {
        return None;
    }
    let container = own.len().checked_sub(2).map(|n| &own[n]);
    let is_of_container = outer.last().is_some_and(|word| container.is_some_and(|own| same(own, word)));
    Some(if is_of_container { 1 } else { 2 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_agents_write_them() {
        let of = |name: &str| segments(name).join(" ");
        assert_eq!(of("Storage.createEntry"), "Storage createEntry");
        assert_eq!(of("(*Storage).createEntry"), "Storage createEntry");
        assert_eq!(of("storage.(*Storage).createEntry"), "storage Storage createEntry");
        assert_eq!(of("storage.Storage#createEntry(int, String)"), "storage Storage createEntry");
        assert_eq!(of("crate::a::X::y"), "crate a X y");
        assert_eq!(of("src/a.ts#createEntry"), "src a ts createEntry");
        assert_eq!(of("A\\B::run()"), "A B run");
        assert_eq!(of("Box<T>.get"), "Box get");
        assert_eq!(of("$user->name"), "$user name");
        assert_eq!(of("<Vec<T> as Run>::go"), "Vec go");
        assert_eq!(of("..."), "");
    }

    #[test]
    fn words_that_compilers_add_are_left_out() {
        let of = |name: &str| declared_as(name).unwrap_or_default();
        assert_eq!(of("crate::store::Store::put"), "store.Store.put");
        assert_eq!(of("com.w.Main$Res"), "com.w.Main.Res");
        assert_eq!(of("Tree.Companion.of"), "Tree.of");
        assert_eq!(of("w.MainKt#totals"), "w.totals");
        assert_eq!(of("Tree.prototype.find"), "Tree.find");
        assert_eq!([of("a.B.c"), of("A::$b"), of("Companion"), of("$user->name")], [""; 4]);
    }

    #[test]
    fn lists_of_parameter_types_are_read() {
        let of = |member| split_parameters(member).unwrap();
        assert_eq!(of("add"), ("add", None));
        assert_eq!(of("add()"), ("add", Some(Vec::new())));
        let types = vec!["java.util.Map".to_owned(), "int[]".to_owned()];
        assert_eq!(of("add(java.util.Map<A, B>, int[])"), ("add", Some(types)));
        assert_eq!(split_parameters("add(int"), None);
        assert!(
            same_type("List", "java.util.List")
                && !same_type("a.List", "b.List")
                && same_type("String...", "String[]")
        );
    }

    #[test]
    fn a_name_may_end_with_parameter_types() {
        let of = |name| parameters(name).map(|types| types.join(" "));
        assert_eq!(of("a.B#add(int, java.util.List<String>)").as_deref(), Some("int java.util.List"));
        assert_eq!(of("(*Storage).create(ctx)").as_deref(), Some("ctx"));
        assert_eq!(of("storage.(*Storage).create"), None);
        assert_eq!(of("a.B#add()"), None);
        assert_eq!(of("add"), None);
    }
}
