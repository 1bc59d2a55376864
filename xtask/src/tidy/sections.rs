//! Every public type and function of the protocol's crates says which page of the specification it follows: a line
//! `Spec: …` in its documentation. Methods belong to the page of their type, unless the type says `Spec: per method.`

use super::Finding;
use crate::source::Source;

/// The pages of each revision, as their addresses below `https://modelcontextprotocol.io/specification/REVISION/` have
/// them, with the first and the last revision that has the page.
const PAGES: [(&str, &str, &str); 30] = [
    ("basic", "2024-11-05", "2026-07-28"),
    ("basic/authorization", "2025-03-26", "2026-07-28"),
    ("basic/authorization/authorization-server-discovery", "2026-07-28", "2026-07-28"),
    ("basic/authorization/client-registration", "2026-07-28", "2026-07-28"),
    ("basic/authorization/security-considerations", "2026-07-28", "2026-07-28"),
    ("basic/lifecycle", "2024-11-05", "2025-11-25"),
    ("basic/patterns/cancellation", "2026-07-28", "2026-07-28"),
    ("basic/patterns/mrtr", "2026-07-28", "2026-07-28"),
    ("basic/patterns/progress", "2026-07-28", "2026-07-28"),
    ("basic/patterns/subscriptions", "2026-07-28", "2026-07-28"),
    ("basic/transports", "2024-11-05", "2026-07-28"),
    ("basic/transports/stdio", "2026-07-28", "2026-07-28"),
    ("basic/transports/streamable-http", "2026-07-28", "2026-07-28"),
    ("basic/utilities/cancellation", "2024-11-05", "2025-11-25"),
    ("basic/utilities/ping", "2024-11-05", "2025-11-25"),
    ("basic/utilities/progress", "2024-11-05", "2025-11-25"),
    ("basic/utilities/tasks", "2025-11-25", "2025-11-25"),
    ("basic/versioning", "2026-07-28", "2026-07-28"),
    ("client/elicitation", "2025-06-18", "2026-07-28"),
    ("client/roots", "2024-11-05", "2026-07-28"),
    ("client/sampling", "2024-11-05", "2026-07-28"),
    ("server", "2024-11-05", "2026-07-28"),
    ("server/discover", "2026-07-28", "2026-07-28"),
    ("server/prompts", "2024-11-05", "2026-07-28"),
    ("server/resources", "2024-11-05", "2026-07-28"),
    ("server/tools", "2024-11-05", "2026-07-28"),
    ("server/utilities/caching", "2026-07-28", "2026-07-28"),
    ("server/utilities/completion", "2024-11-05", "2026-07-28"),
    ("server/utilities/logging", "2024-11-05", "2026-07-28"),
    ("server/utilities/pagination", "2024-11-05", "2026-07-28"),
];

/// Other sources that may be named: other standards, extensions, and nothing (what Rust needs and no page
/// has).
const OTHERS: [&str; 5] = ["JSON-RPC 2.0", "RFC ", "HTML ", "extension ", "none"];
const PER_METHOD: &str = "per method";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    sources.iter().filter(|source| concerns(&source.path)).flat_map(check_file).collect()
}

fn concerns(path: &str) -> bool {
    path.strip_prefix("mcp-").is_some_and(|rest| rest.contains("/src/"))
}

fn check_file(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut per_method: Vec<String> = Vec::new();
    let mut need = |attributes: &[syn::Attribute], visibility: &syn::Visibility, name: &syn::Ident| {
        if !matches!(visibility, syn::Visibility::Public(_)) {
            return false;
        }
        let verdict = judged(attributes);
        let is_per_method = verdict.as_ref().is_ok_and(|spec| spec == PER_METHOD);
        findings.extend(verdict.err().map(|why| finding(source, name, &why)));
        is_per_method
    };
    for item in &source.syntax.items {
        let is_per_method = match item {
            syn::Item::Struct(i) => need(&i.attrs, &i.vis, &i.ident).then_some(&i.ident),
            syn::Item::Enum(i) => need(&i.attrs, &i.vis, &i.ident).then_some(&i.ident),
            syn::Item::Type(i) => need(&i.attrs, &i.vis, &i.ident).then_some(&i.ident),
            syn::Item::Trait(i) => need(&i.attrs, &i.vis, &i.ident).then_some(&i.ident),
            syn::Item::Const(i) => need(&i.attrs, &i.vis, &i.ident).then_some(&i.ident),
            syn::Item::Fn(i) => need(&i.attrs, &i.vis, &i.sig.ident).then_some(&i.sig.ident),
            _ => None,
        };
        per_method.extend(is_per_method.map(ToString::to_string));
    }
    findings.extend(methods(source, &per_method));
    findings
}

/// The methods without a page of types that leave it to them.
fn methods(source: &Source, per_method: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut need = |attributes: &[syn::Attribute], name: &syn::Ident| {
        findings.extend(judged(attributes).err().map(|why| finding(source, name, &why)));
    };
    for item in &source.syntax.items {
        match item {
            syn::Item::Trait(item) if per_method.contains(&item.ident.to_string()) => {
                for member in &item.items {
                    if let syn::TraitItem::Fn(method) = member {
                        need(&method.attrs, &method.sig.ident);
                    }
                }
            }
            syn::Item::Impl(item)
                if item.trait_.is_none() && per_method.contains(&type_name(&item.self_ty)) =>
            {
                for member in &item.items {
                    if let syn::ImplItem::Fn(method) = member
                        && matches!(method.vis, syn::Visibility::Public(_))
                    {
                        need(&method.attrs, &method.sig.ident);
                    }
                }
            }
            _ => {}
        }
    }
    findings
}

fn type_name(of: &syn::Type) -> String {
    match of {
        syn::Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

fn finding(source: &Source, name: &syn::Ident, why: &str) -> Finding {
    Finding::new(&source.path, name.span().start().line, format!("`{name}`: {why}"))
}

/// The reference of an item's documentation; what is wrong with it otherwise.
fn judged(attributes: &[syn::Attribute]) -> Result<String, String> {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let said = lines.filter_map(|line| Some(line.trim().strip_prefix("Spec: ")?.to_owned())).next_back();
    let said = said.ok_or("its documentation has no line `Spec: REVISION PAGE`")?;
    let said = said.strip_suffix('.').ok_or("its line `Spec: …` does not end with a full stop")?;
    for reference in said.split("; ") {
        let is_other = OTHERS.iter().any(|other| reference.starts_with(other)) || reference == PER_METHOD;
        if !is_other && !is_page(reference) {
            return Err(format!("there is no page `{reference}` in the specification"));
        }
    }
    Ok(said.to_owned())
}

/// `2025-11-25 server/tools`, of a revision that has the page.
fn is_page(reference: &str) -> bool {
    let Some((revision, page)) = reference.split_once(' ') else { return false };
    PAGES.iter().any(|(known, first, last)| *known == page && (*first..=*last).contains(&revision))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [usize; 0] = [];

    fn found(text: &str) -> Vec<usize> {
        let source = Source::parse("mcp-protocol/src/x.rs", text).expect("Rust");
        check_file(&source).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn public_items_name_pages_that_exist() {
        assert_eq!(found("/// A.\n///\n/// Spec: 2025-11-25 server/tools.\npub struct A;\nstruct B;"), NONE);
        assert_eq!(found("/// Spec: 2024-11-05 server/tools; RFC 6455 section 4.\npub fn a() {}"), NONE);
        assert_eq!(found("/// Spec: 2025-11-25 server/toys.\npub fn a() {}"), [2]);
        assert_eq!(found("/// Spec: 2026-07-28 basic/lifecycle.\npub fn a() {}"), [2]);
        assert_eq!(found("/// Spec: none\npub fn a() {}"), [2]);
        assert_eq!(found("/// Nothing.\npub trait A {}\npub(crate) trait B {}"), [2]);
    }

    #[test]
    fn methods_name_theirs_where_the_type_leaves_it_to_them() {
        let text = "/// Spec: per method.\npub struct A;\nimpl A {\npub fn a() {}\nfn b() {}\n/// Spec: none.\npub fn c() {}\n}";
        assert_eq!(found(text), [4]);
        assert_eq!(found("/// Spec: per method.\npub trait A {\nfn a();\n}"), [3]);
        assert_eq!(found("/// Spec: none.\npub struct A;\nimpl A {\npub fn a() {}\n}"), NONE);
    }
}
