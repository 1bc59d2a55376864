//! `get_documentation`: the comment of a class or a member, without markup.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::named::Named;
use super::words::{InProject, LineRange, kind, qualified};
use crate::ToolError;
use crate::session::Session;
use crate::tool::{Call, Tool};

pub(crate) struct GetDocumentation;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Class, Class.method or Class.field
    symbol_name: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    documentation: Documentation,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Documentation {
    name: String,
    qualified_name: String,
    symbol_type: String,
    documentation: String,
    file_path: String,
    line_range: Option<LineRange>,
}

impl Tool for GetDocumentation {
    const NAME: &'static str = "get_documentation";
    const ABOUT: &'static str = "The documentation of a class, or of a method or field of it, as plain text.";
    const SAME_AS: Option<&'static str> = Some("ide_symbol_info");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let found = session.by_dotted_name(args.symbol_name.trim())?;
        let mut chosen = (found.first().clone(), None);
        // Of overloads one that says something.
        for symbol in &found.all {
            let text = session.described(symbol)?.and_then(|about| about.documentation);
            if text.is_some() {
                chosen = (symbol.clone(), text);
                break;
            }
        }
        session.note_overloads(&found, &chosen.0.name);
        let (symbol, text) = chosen;
        Ok(Output {
            documentation: Documentation {
                name: symbol.name.to_string(),
                qualified_name: qualified(&symbol),
                symbol_type: kind(symbol.kind),
                documentation: text.map(|text| plain(&text)).unwrap_or_default(),
                file_path: session.absolute_path(&symbol.file),
                line_range: session.lines_of_symbol(&symbol)?,
            },
        })
    }
}

impl Session<'_> {
    /// A class, or a member behind the last separator.
    fn by_dotted_name(&self, name: &str) -> Result<Named, ToolError> {
        let error = match self.class(name) {
            Ok(class) => return Ok(Named { all: vec![class] }),
            Err(error) if error.slug == "symbol_not_found" && !error.details.contains_key("external") => {
                error
            }
            // overloads, unless the name is that of several classes
            Err(error) if error.slug == "ambiguous_match" => error,
            Err(error) => return Err(error),
        };
        let end = name.find('(').unwrap_or(name.len());
        let Some(at) = name[..end].rfind(['.', '#', ':', '\\']) else {
            return self.named(name, None).map_err(|_| error);
        };
        let class = name[..at].trim_end_matches([':', '.', '#']);
        let of_member = self.named(class, Some(&name[at + 1..]));
        if error.slug == "ambiguous_match" {
            return of_member.map_err(|_| error);
        }
        of_member.or_else(|of_member| match of_member.details.contains_key("members") {
            true => Err(of_member),
            false => self.named(name, None).map_err(|_| of_member),
        })
    }
}

/// A comment without tags of HTML and of Javadoc.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '{', '&']) {
        let (before, behind) = rest.split_at(at);
        plain.push_str(before);
        rest = match behind.as_bytes()[0] {
            b'<' => match tag(behind) {
                Some((name, end)) => {
                    let is_break = matches!(
                        name.trim_start_matches('/'),
                        "p" | "br" | "li" | "ul" | "ol" | "pre" | "tr" | "dd" | "dt"
                    );
                    if is_break && !plain.ends_with('\n') && !plain.is_empty() {
                        plain.push('\n');
                    }
                    &behind[end..]
                }
                None => {
                    plain.push('<');
                    &behind[1..]
                }
            },
            b'{' => match inline_tag(behind) {
                Some((inner, end)) => {
                    plain.push_str(inner);
                    &behind[end..]
                }
                None => {
                    plain.push('{');
                    &behind[1..]
                }
            },
            _ => match ENTITIES.iter().find(|(name, _)| behind.starts_with(name)) {
                Some((name, text)) => {
                    plain.push_str(text);
                    &behind[name.len()..]
                }
                None => {
                    plain.push('&');
                    &behind[1..]
                }
            },
        };
    }
    plain.push_str(rest);
    let lines: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let mut text = String::new();
    for line in lines {
        // Tags that stood alone leave no gaps.
        if !(line.trim().is_empty() && (text.is_empty() || text.ends_with("\n\n"))) {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

const ENTITIES: &[(&str, &str)] = &[
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),
    ("&nbsp;", " "),
    ("&quot;", "\""),
    ("&#64;", "@"),
    ("&#42;", "*"),
];

/// The name of the tag at the beginning, and where it ends; `None` for a `<` that is none.
fn tag(text: &str) -> Option<(&str, usize)> {
    let end = text.find('>')?;
    let inner = &text[1..end];
    let name = inner.split_whitespace().next()?.trim_end_matches('/');
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
    let starts = inner.starts_with('/') || inner.starts_with(|c: char| c.is_ascii_lowercase());
    (starts && is_name(name.trim_start_matches('/')) && !inner.contains('<')).then_some((name, end + 1))
}

/// The text that `{@code x}` and `{@link A#b label}` show, and where they end.
fn inline_tag(text: &str) -> Option<(&str, usize)> {
    let body = text.strip_prefix("{@")?;
    let mut depth = 1_usize;
    let end = text.char_indices().skip(1).find_map(|(at, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let inner = &text[2..end];
    let (word, shown) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    let shown = shown.trim();
    let is_link = word.starts_with("link");
    let label = shown
        .split_once(' ')
        .filter(|(target, _)| is_link && !target.contains('('))
        .map(|(_, label)| label.trim());
    debug_assert!(body.len() < text.len());
    Some((label.unwrap_or(shown).trim_start_matches('#'), end + 1))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn comments_lose_their_markup_and_nothing_else() {
        assert_eq!(plain("<p>Adds <b>one</b>.</p>\n<ul>\n<li>a\n<li>b\n</ul>"), "Adds one.\n\na\nb");
        assert_eq!(
            plain("See {@link java.util.List#add} or {@link #x the x}; {@code a < b && c}."),
            "See java.util.List#add or the x; a < b && c."
        );
        assert_eq!(plain("if a<b then List<String> &lt;x&gt; {y}"), "if a<b then List<String> <x> {y}");
        assert_eq!(plain("@param a the {@literal <T>} type"), "@param a the <T> type");
    }
}
