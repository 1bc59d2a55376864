//! The declarations of one file as a forest.

use ide_model::{FilePath, OutlineNode, QueryError, SymbolKind};

use super::head::{keyword, modifiers, one_line, receiver, signature, style_of, tail, type_text};
use super::symbol::kind_shown;
use super::{file_id, symbol};
use crate::facts::{Def, DefFlags, DefId};
use crate::lang;
use crate::resolve::{FileView, Resolver};
use crate::world::is_written;

/// The declarations of a file in source order: no locals, parameters, imports. A member made by assignment stands with
/// its class, members of an object literal with the variable that holds it.
///
/// # Errors
/// [`QueryError::NoFile`] when the index has no such file.
pub fn outline(rx: &Resolver, path: &FilePath, text: &str) -> Result<Vec<OutlineNode>, QueryError> {
    let file = rx.file(file_id(rx.world(), path)?);
    let mut shown: Vec<DefId> = file.def_ids().filter(|id| is_shown(file, *id, text)).collect();
    shown.sort_by_key(|id| {
        let range = file.def(*id).range;
        (range.start, u32::MAX - range.end, id.0)
    });
    let parents = parents(file, &shown);
    // Children stand behind their parents, so the forest is built from the back.
    let mut children: Vec<Vec<OutlineNode>> = shown.iter().map(|_| Vec::new()).collect();
    let mut roots = Vec::new();
    for i in (0..shown.len()).rev() {
        let mut below = std::mem::take(&mut children[i]);
        below.reverse();
        let made = node(rx, file, shown[i], text, below);
        match parents[i] {
            Some(parent) => children[parent].push(made),
            None => roots.push(made),
        }
    }
    roots.reverse();
    Ok(roots)
}

fn is_shown(file: &FileView, id: DefId, text: &str) -> bool {
    let def = file.def(id);
    let hidden_kind = matches!(
        def.kind,
        SymbolKind::Parameter | SymbolKind::TypeParameter | SymbolKind::Import | SymbolKind::Label
    );
    let is_container = def.kind == SymbolKind::Impl || def.flags.has(DefFlags::COMPANION);
    // The parameters behind the name of a class are a constructor, but not one that anyone looks for.
    let is_constructor = def.kind == SymbolKind::Constructor
        && text.get(def.range.start as usize..).is_some_and(|rest| !rest.starts_with('('));
    let is_head = def.kind == SymbolKind::Constructor && def.name_range.is_empty();
    let is_anonymous = def.flags.has(DefFlags::ANONYMOUS) && !is_container && !is_constructor;
    let is_nameless =
        is_head || is_anonymous || def.kind == SymbolKind::Namespace && file.def_name(id).is_empty();
    let is_unwritten =
        !is_written(def.kind, def.flags) || def.kind == SymbolKind::Field && def.name_range.is_empty();
    !hidden_kind && !is_nameless && !is_unwritten && !def.flags.has(DefFlags::LOCAL)
}

/// The position of each declaration's parent in the list, always before its own.
fn parents(file: &FileView, shown: &[DefId]) -> Vec<Option<usize>> {
    let mut by_def = vec![None; file.defs.len()];
    for (i, id) in shown.iter().enumerate() {
        by_def[id.index()] = Some(i);
    }
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::with_capacity(shown.len());
    for (i, id) in shown.iter().enumerate() {
        let def = file.def(*id);
        while open.last().is_some_and(|at| file.def(shown[*at]).range.end <= def.range.start) {
            open.pop();
        }
        let owners = file.scope_chain(def.scope).filter_map(|scope| file.scope(scope).owner);
        let mut by_range = None;
        let mut by_scope = None;
        for owner in owners {
            if let Some(at) = by_def[owner.index()] {
                by_scope = Some(at);
                break;
            }
            // A nameless owner: whoever holds it by position.
            by_range = by_range.or_else(|| {
                let held = file.def(owner).range;
                open.iter().rev().copied().find(|at| file.def(shown[*at]).range.encloses(held))
            });
        }
        found.push(by_range.or(by_scope).filter(|parent| *parent < i));
        open.push(i);
    }
    found
}

/// The parameters and the result of a function, of the text before its body.
fn parameters(head: &str) -> String {
    match head.find('(') {
        Some(at) => one_line(&head[at..]),
        None => format!("({})", one_line(head).trim_start_matches("async ")),
    }
}

fn node(rx: &Resolver, file: &FileView, id: DefId, text: &str, children: Vec<OutlineNode>) -> OutlineNode {
    let def = file.def(id);
    let style = style_of(file.language());
    let held = lang::policy(file.language()).held_function(file, id);
    let held = held.map(|function| Def { kind: kind_shown(file, id), ..file.def(function).clone() });
    let word = keyword(style, held.as_ref().unwrap_or(def));
    let mut symbol = symbol(rx, file.global(id));
    if def.flags.has(DefFlags::ANONYMOUS) && !def.kind.is_callable() {
        symbol.name = signature(style, text, def).into();
    } else if def.flags.has(DefFlags::ANONYMOUS) {
        symbol.name = symbol.container.clone().unwrap_or(symbol.name);
    }
    let after =
        if def.flags.has(DefFlags::ANONYMOUS) { String::new() } else { one_line(tail(style, text, def)) };
    // The text behind keys and headings is their content.
    let signature = if let Some(function) = held {
        parameters(tail(style, text, &function))
    } else if matches!(def.kind, SymbolKind::Impl | SymbolKind::Key | SymbolKind::Heading) {
        String::new()
    } else if def.kind.is_callable() || def.kind.is_type() || after.starts_with(':') {
        match type_text(style, file, text, def) {
            Some(ty)
                if style.types_first && def.kind.is_callable() && !after.contains(&format!(": {ty}")) =>
            {
                format!("{after}: {ty}")
            }
            _ => after,
        }
    } else {
        type_text(style, file, text, def).map_or_else(String::new, |ty| format!(": {ty}"))
    };
    OutlineNode {
        symbol,
        keyword: receiver(style, text, def).map_or_else(|| word.into(), Into::into),
        signature: signature.into(),
        modifiers: modifiers(style, text, def),
        children,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ide_model::FilePath;

    use super::*;
    use crate::query::describe;
    use crate::world::MemoryWorld;
    use crate::{GlobalDef, lang};

    fn resolver(path: &str, text: &str) -> Resolver {
        let world = MemoryWorld::new([(path.to_owned(), text.to_owned())], lang::front_end);
        Resolver::new(Arc::new(world))
    }

    fn written(nodes: &[OutlineNode], depth: usize, out: &mut String) {
        for node in nodes {
            *out += &"  ".repeat(depth);
            let head: Vec<&str> =
                node.modifiers.iter().copied().chain([&*node.keyword]).filter(|w| !w.is_empty()).collect();
            *out += &format!("{}|{}|{}\n", head.join(" "), node.symbol.name, node.signature);
            written(&node.children, depth + 1, out);
        }
    }

    fn outlined(path: &str, text: &str) -> String {
        let rx = resolver(path, text);
        let mut out = String::new();
        written(&outline(&rx, &FilePath::new(path), text).unwrap(), 0, &mut out);
        out
    }

    const JAVA: &str = "package p;\n/** Doc of A. */\n@Deprecated\npublic abstract class A<T> extends B<T> implements I {\n  private static final int COUNT = 1;\n  A(int n) {}\n  /** Runs.\n   * @return x\n   */\n  @Override\n  public <R> List<R> run(final String s, R... rs) throws E, F { int local; return null; }\n  enum Color { RED }\n}\n";

    #[test]
    fn java_declarations_nest_with_their_heads() {
        assert_eq!(
            outlined("A.java", JAVA),
            "public abstract class|A|<T> extends B<T> implements I\n\
             \x20 private static final|COUNT|: int\n\
             \x20 |A|(int n)\n\
             \x20 public|run|(final String s, R... rs) throws E, F: List<R>\n\
             \x20 enum|Color|\n\
             \x20   |RED|\n"
        );
    }

    #[test]
    fn python_attributes_stand_with_their_class() {
        let text = "LIMIT = 3\nclass A(B):\n    count: int = 0\n    def __init__(self, n: int = 1):\n        self.n = n\n    @staticmethod\n    async def go(x) -> str:\n        y = 1\n        return y\n";
        assert_eq!(
            outlined("a.py", text),
            "|LIMIT|\nclass|A|(B)\n  |count|: int\n  def|__init__|(self, n: int = 1)\n  |n|\n  static async def|go|(x) -> str\n"
        );
    }

    #[test]
    fn what_has_no_name_or_place_of_its_own_is_left_out() {
        assert_eq!(
            outlined("a.php", "<?php\nnamespace A { class B {} }\nnamespace { class C {} }\n"),
            "class|B|\nclass|C|\n"
        );
        assert_eq!(
            outlined("a.tsx", "const icon = <path fill=\"none\" d={shape} />;\nexport { icon };\n"),
            "const|icon|\n"
        );
        assert_eq!(outlined("a.js", "const a = 1;\nmodule.exports = { a, b: a };\n"), "const|a|\n|b|: a\n");
    }

    #[test]
    fn heads_may_hold_any_character() {
        let text = "/**\n * One \u{2014} two.\n * @typedef {string} Text\n */\n";
        assert!(outlined("a.js", text).contains("|Text|"));
        let text = "#[doc = \"\u{2014}\"] pub /* \u{2014} */ fn f() {}\n";
        assert!(outlined("a.rs", text).contains("|f|"));
    }

    #[test]
    fn embedded_fields_and_stand_ins_for_imports_are_shown() {
        assert_eq!(
            outlined("a.go", "package a\ntype B struct{}\ntype S struct {\n\t*B\n\tn int\n}\n"),
            "struct|B|struct\nstruct|S|struct\n  |B|: *B\n  |n|: int\n"
        );
        let text = "try:\n    import fast\nexcept ImportError:\n    fast = None\nfast = fast or 1\n\
            from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from b import C\nelse:\n    C = None\n";
        assert_eq!(outlined("a.py", text), "|fast|\n|C|\n");
    }

    #[cfg(feature = "tree-sitter")]
    #[test]
    fn other_languages_have_outlines_by_their_tables() {
        assert_eq!(
            outlined(
                "a.kt",
                "class A(val a: Int) {\n  private suspend fun <T> f(x: T): Map<T, Int> = g(x)\n  var p: String? = null\n}\n"
            ),
            "class|A|(val a: Int)\n  val|a|: Int\n  private suspend fun|f|(x: T): Map<T, Int>\n  var|p|: String?\n"
        );
        assert_eq!(
            outlined(
                "a.go",
                "package a\nfunc (s *S) Run(a, b int) (int, error) { return 1, nil }\ntype S struct { X, y int }\n"
            ),
            "func (s *S)|Run|(a, b int) (int, error)\nstruct|S|struct\n  |X|: int\n  |y|: int\n"
        );
        assert_eq!(
            outlined(
                "a.rs",
                "pub struct S { a: u8 }\nimpl Tr for S { async fn f(&self, x: u8) -> Vec<u8> { x } }\n"
            ),
            "pub struct|S|\n  |a|: u8\nimpl|impl Tr for S|\n  async fn|f|(&self, x: u8) -> Vec<u8>\n"
        );
    }

    #[test]
    fn keys_and_headings_do_not_show_what_they_hold() {
        for (path, text, expected) in [
            ("a.json", "{\"a\": {\"b\": 1}}", "key|a|\n  key|b|\n"),
            ("a.yaml", "a:\n  b: 1\n  c:\n    - d\n", "key|a|\n  key|b|\n  key|c|\n"),
            ("a.xml", "<a><b c=\"d\"/></a>", "key|a|\n  key|b|\n"),
            ("a.md", "# T\n\ntext\n\n## U\n", "heading|T|\n  heading|U|\n"),
        ] {
            assert_eq!(outlined(path, text), expected, "{path}");
        }
    }

    #[test]
    fn a_description_has_the_parts_as_written() {
        let rx = resolver("A.java", JAVA);
        let site = rx.world().declarations("run")[0];
        let found = describe(&rx, GlobalDef { ..site.at }, JAVA);
        assert_eq!(&*found.signature, "public <R> List<R> run(final String s, R... rs) throws E, F");
        assert_eq!(found.return_type.as_deref(), Some("List<R>"));
        let parameters: Vec<_> =
            found.parameters.iter().map(|p| (p.name.as_deref().unwrap(), p.type_text.as_deref())).collect();
        assert_eq!(parameters, [("s", Some("String")), ("rs", Some("R..."))]);
        assert_eq!(found.type_parameters.iter().map(|t| &**t).collect::<Vec<_>>(), ["R"]);
        assert_eq!(found.thrown_types.iter().map(|t| &**t).collect::<Vec<_>>(), ["E", "F"]);
        assert_eq!(found.modifiers, ["public"]);
        assert_eq!(found.visibility, Some(ide_model::Visibility::Public));
        assert_eq!(found.documentation.as_deref(), Some("Runs.\n@return x"));
    }
}
