//! The place in a source at which the declarations of a compiled class were written.
//!
//! A class says nothing of places in texts. Its source is read as any other file; of the declarations there with the name and
//! the owners of the one that is looked for, the one with the most alike parameters is taken.

use ide_model::{FilePath, FileText, Language, LibrarySource, QueryError, Symbol, SymbolKind, TextRange};

use super::describe::plain_doc;
use super::head::{signature, style_of};
use super::{Resolvers, declaration};
use crate::differential::render_type;
use crate::facts::{DefFlags, DefId, FileFacts};
use crate::lang;

/// Beginnings of the names of accessors of a property.
const ACCESSORS: [&str; 3] = ["get", "set", "is"];

/// The place in a text, its source or its declarations written out, that declares a symbol of a compiled class. The declaration
/// around it, else the beginning, where the text does not name it.
///
/// # Errors
/// [`QueryError::NotFound`] for a symbol that is gone.
pub fn source(
    pool: &Resolvers,
    symbol: &Symbol,
    file: FilePath,
    text: FileText,
) -> Result<LibrarySource, QueryError> {
    // The declarations of a class are written out in Java.
    let language = Language::of_path(file.as_str()).unwrap_or(Language::Java);
    let facts = lang::front_end(language).map(|front| front.facts(file.as_str(), &text.text));
    let found = pool.with(|rx| {
        let (home, Some(def)) = declaration(rx, &symbol.key)? else { return Ok(None) };
        let home = rx.file(home);
        let mut sought = Some(def.def);
        while let (Some(of), Some(facts)) = (sought, &facts) {
            if let Some(found) = likest(home, of, facts, file.stem()) {
                return Ok(Some(found));
            }
            sought = home.enclosing_def(home.def(of).scope);
        }
        Ok(None)
    })?;
    let Some((def, facts)) = found.zip(facts.as_ref()).map(|(def, facts)| (facts.def(def), facts)) else {
        let nowhere = TextRange::new(0, 0);
        return Ok(LibrarySource {
            file,
            text,
            name_range: nowhere,
            full_range: nowhere,
            signature: "".into(),
            documentation: None,
        });
    };
    let style = style_of(facts.language);
    let doc = def.doc.and_then(|range| text.slice(range)).map(plain_doc);
    Ok(LibrarySource {
        name_range: def.name_range,
        full_range: def.range,
        signature: signature(style, &text.text, def).into(),
        documentation: doc.filter(|doc| !doc.is_empty()),
        file,
        text,
    })
}

/// The declaration of a source that is the most like one of a class.
fn likest(home: &FileFacts, of: DefId, source: &FileFacts, stem: &str) -> Option<DefId> {
    let wanted = home.def(of);
    let owners = owners(home, of);
    // Kotlin's top level becomes a class that is called after the file.
    let is_facade = |owners: &[&str]| matches!(owners, [one] if one.strip_suffix("Kt") == Some(stem));
    let names = names(home.def_name(of), wanted.kind);
    let likeness = |id: DefId| {
        let def = source.def(id);
        let name = names.iter().position(|name| *name == source.def_name(id))?;
        let mine = self::owners(source, id);
        let is_there = mine == owners || mine.is_empty() && is_facade(&owners);
        let is_part = matches!(
            def.kind,
            SymbolKind::Parameter | SymbolKind::TypeParameter | SymbolKind::Import | SymbolKind::Label
        );
        let is_local = def.flags.has(DefFlags::LOCAL) || def.name_range.is_empty();
        let is_alike = wanted.kind.is_type() == def.kind.is_type()
            && (wanted.kind == SymbolKind::Constructor) == (def.kind == SymbolKind::Constructor);
        if !is_there || is_part || is_local || !is_alike {
            return None;
        }
        let theirs: Vec<String> = source.list(def.params).map(|id| type_of(source, id)).collect();
        let alike = home.list(wanted.params).zip(&theirs).filter(|(id, ty)| type_of(home, *id) == **ty);
        Some((
            wanted.kind.is_callable() == def.kind.is_callable(),
            theirs.len() == wanted.params.len as usize,
            alike.count(),
            std::cmp::Reverse(name),
            std::cmp::Reverse(id.0),
        ))
    };
    source.def_ids().filter_map(|id| Some((likeness(id)?, id))).max().map(|(_, id)| id)
}

/// The names under which a source may declare it: its own, and that of a property whose accessor it is.
fn names(name: &str, kind: SymbolKind) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    if !kind.is_callable() {
        return names;
    }
    for rest in ACCESSORS.iter().filter_map(|accessor| name.strip_prefix(accessor)) {
        let mut letters = rest.chars();
        if let Some(first) = letters.next().filter(|first| first.is_uppercase()) {
            names.push(first.to_lowercase().chain(letters).collect());
            names.push(format!("is{rest}"));
        }
    }
    names
}

/// The names of the declarations around one, outermost first.
fn owners(file: &FileFacts, def: DefId) -> Vec<&str> {
    let mut owners = Vec::new();
    let mut scope = file.def(def).scope;
    while let Some(owner) = file.enclosing_def(scope) {
        owners.push(file.def_name(owner));
        scope = file.def(owner).scope;
    }
    owners.reverse();
    owners
}

/// The type of a parameter, every name of it without its package.
fn type_of(file: &FileFacts, parameter: DefId) -> String {
    let Some(ty) = file.def(parameter).ty else { return String::new() };
    let whole = render_type(file, ty);
    let (mut plain, mut name) = (String::new(), String::new());
    for c in whole.chars() {
        match c {
            '.' => name.clear(),
            c if c.is_alphanumeric() || c == '_' => name.push(c),
            c => {
                plain.push_str(&std::mem::take(&mut name));
                plain.push(c);
            }
        }
    }
    plain + &name
}
