//! The description of one declaration, as its source gives it.

use std::sync::Arc;

use ide_model::{Description, Family, Language, ParameterInfo, SymbolKind, Visibility};

use super::head::{modifiers, one_line, signature, style_of, tail, type_text};
use super::symbol;
use crate::facts::{Def, DefFlags};
use crate::lang;
use crate::resolve::{FileView, Resolver};
use crate::world::GlobalDef;

/// Signature, parts and documentation of a declaration; `text` is the text of its file.
pub fn describe(rx: &Resolver, def: GlobalDef, text: &str) -> Description {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let style = style_of(file.language());
    let held = lang::policy(file.language()).held_function(file, def.def).map(|held| file.def(held));
    let code = held.unwrap_or(d);
    let mut head = signature(style, text, d);
    if let Some(function) = held.filter(|_| !d.kind.is_callable()) {
        let tail = one_line(tail(style, text, function));
        head = format!("{head} = {}", tail.trim_end_matches("=>").trim_end());
    }
    let parameters = file
        .list(code.params)
        .map(|id| {
            let parameter = file.def(id);
            ParameterInfo {
                name: Some(file.def_name(id).into()),
                type_text: type_text(style, file, text, parameter).map(Into::into),
            }
        })
        .collect();
    let has_result = !d.kind.is_type() && d.kind != SymbolKind::Constructor;
    Description {
        symbol: symbol(rx, def),
        signature: head.into(),
        parameters,
        return_type: has_result.then(|| type_text(style, file, text, code)).flatten().map(Into::into),
        type_parameters: file
            .list(code.type_params)
            .map(|id| one_line(slice(text, file.def(id).range)).into())
            .collect(),
        thrown_types: file
            .list(code.throws)
            .map(|ty| crate::differential::render_type(file, ty).into())
            .collect(),
        modifiers: modifiers(style, text, d),
        visibility: visibility(file, d),
        documentation: d.doc.map(|range| plain_doc(slice(text, range))).filter(|doc| !doc.is_empty()),
    }
}

fn slice(text: &str, range: ide_model::TextRange) -> &str {
    text.get(range.start as usize..range.end as usize).unwrap_or("")
}

/// The visibility where nothing is written.
const DEFAULT_VISIBILITY: &[(Language, Visibility)] = &[
    (Language::Java, Visibility::Package),
    (Language::Kotlin, Visibility::Public),
    (Language::Php, Visibility::Public),
    (Language::Rust, Visibility::Private),
    (Language::CSharp, Visibility::Private),
    (Language::Swift, Visibility::Internal),
    (Language::Scala, Visibility::Public),
    (Language::Ruby, Visibility::Public),
];

/// The visibility of a declaration; `None` where the language does not say.
pub(crate) fn visibility(file: &FileView, def: &Def) -> Option<Visibility> {
    if def.flags.has(DefFlags::LOCAL) {
        return None;
    }
    if def.visibility.is_some() {
        return def.visibility;
    }
    let owner = file.enclosing_def(def.scope).map(|owner| file.def(owner).kind);
    if file.family() == Family::Go {
        return Some(if def.flags.has(DefFlags::EXPORTED) {
            Visibility::Public
        } else {
            Visibility::Package
        });
    }
    let of_open_type = matches!(
        owner,
        Some(SymbolKind::Interface | SymbolKind::Annotation | SymbolKind::Trait) | Some(SymbolKind::Enum)
            if def.kind == SymbolKind::EnumCase || owner != Some(SymbolKind::Enum)
    );
    let row = DEFAULT_VISIBILITY.iter().find(|(language, _)| *language == file.language());
    match row {
        Some(_) if of_open_type => Some(Visibility::Public),
        Some((_, visibility)) => Some(*visibility),
        None if file.family() == Family::Ecma && owner.is_some_and(SymbolKind::is_type) => {
            Some(Visibility::Public)
        }
        None => None,
    }
}

/// A documentation comment or docstring without its markers.
pub(crate) fn plain_doc(written: &str) -> Arc<str> {
    let written = written.trim();
    let quoted = written.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(inner) = quoted.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return dedent(inner).into();
        }
    }
    let lines: Vec<&str> = match written.strip_prefix("/*") {
        Some(inner) => {
            let inner = inner.strip_suffix("*/").unwrap_or(inner);
            inner.trim_start_matches(['*', '!']).lines().map(star_line).collect()
        }
        None => written.lines().map(comment_line).collect(),
    };
    lines.join("\n").trim().into()
}

fn star_line(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix('*').unwrap_or(line);
    line.strip_prefix(' ').unwrap_or(line).trim_end()
}

fn comment_line(line: &str) -> &str {
    let line = line.trim();
    let body =
        ["///", "//!", "//", "##", "#", "--"].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    body.strip_prefix(' ').unwrap_or(body)
}

/// Docstring lines without their common indentation.
fn dedent(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or("").trim().to_owned();
    let rest: Vec<&str> = lines.collect();
    let indent = rest
        .iter()
        .filter(|l| !l.trim().is_empty())
        .map(|l| l.len() - l.trim_start().len())
        .min()
        .unwrap_or(0);
    let mut out = vec![first];
    out.extend(rest.iter().map(|line| line.get(indent..).unwrap_or("").trim_end().to_owned()));
    out.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_taken_off() {
        assert_eq!(&*plain_doc("/** One. */"), "One.");
        assert_eq!(&*plain_doc("/**\n   * One.\n   *\n   *   two\n   */"), "One.\n\n  two");
        assert_eq!(&*plain_doc("/// One\n/// two"), "One\ntwo");
        assert_eq!(&*plain_doc("// Run runs.\n// It does."), "Run runs.\nIt does.");
        assert_eq!(&*plain_doc("r\"\"\"One.\n\n    Two\n      three\n    \"\"\""), "One.\n\nTwo\n  three");
    }
}
