//! Lines of the files that package managers write as nested lists of keys: YAML without what these files never use, and the
//! older form of `yarn.lock`.

/// A key with what is around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The keys around it, outermost first, and the key itself.
    pub(super) path: Vec<String>,
    /// The rest of its line; empty for a key that holds others.
    pub(super) value: String,
}

impl Entry {
    /// The keys below one of the outermost, when that is it.
    pub(super) fn below(&self, first: &str) -> Option<&[String]> {
        self.path.split_first().filter(|(own, _)| *own == first).map(|(_, rest)| rest)
    }
}

/// The keys of a text in their order. Maps that are written on one line (`{a: b}`) are keys like others.
pub(super) fn entries(text: &str) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let content = line.trim_start();
        if content.is_empty() || content.starts_with(['#', '-']) {
            continue;
        }
        let indent = line.len() - content.len();
        let Some((key, value)) = key_and_value(content) else { continue };
        open.retain(|(known, _)| *known < indent);
        let path = |open: &[(usize, String)], key: &str| {
            open.iter().map(|(_, key)| key.clone()).chain([key.to_owned()]).collect::<Vec<_>>()
        };
        if let Some(inner) = value.strip_prefix('{').and_then(|rest| rest.trim_end().strip_suffix('}')) {
            let own = path(&open, &key);
            found.push(Entry { path: own.clone(), value: String::new() });
            for (key, value) in inner.split(", ").filter_map(key_and_value) {
                found
                    .push(Entry { path: own.iter().cloned().chain([key]).collect(), value: unquoted(value) });
            }
            continue;
        }
        found.push(Entry { path: path(&open, &key), value: unquoted(value) });
        open.push((indent, key));
    }
    found
}

/// `key: value`, or `key value` in the older form of yarn.
fn key_and_value(content: &str) -> Option<(String, &str)> {
    if let Some(quote) = content.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let end = content[1..].find(quote)? + 1;
        let rest = &content[end + 1..];
        // Several names, each quoted, in front of one colon.
        if let Some(more) = rest.strip_prefix(", ") {
            let (names, value) = key_and_value(more)?;
            return Some((format!("{}, {names}", &content[1..end]), value));
        }
        return Some((content[1..end].to_owned(), rest.trim_start_matches(':').trim()));
    }
    if let Some(head) = content.strip_suffix(':') {
        return Some((head.replace('"', ""), ""));
    }
    let (key, value) = content.split_once(": ").or_else(|| content.split_once(' '))?;
    Some((key.trim_end_matches(':').to_owned(), value.trim()))
}

fn unquoted(value: &str) -> String {
    let value = value.trim();
    let quoted = value.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
    quoted.unwrap_or(value).to_owned()
}

/// JSON with comments and with commas behind the last item, as some tools write it, as plain JSON.
pub(super) fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut comma = false;
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '/' if chars.peek() == Some(&'*') => {
                let mut before = ' ';
                for c in chars.by_ref().skip(1) {
                    if (before, c) == ('*', '/') {
                        break;
                    }
                    before = c;
                }
            }
            ',' => comma = true,
            _ if c.is_whitespace() => plain.push(c),
            _ => {
                if std::mem::take(&mut comma) && !matches!(c, '}' | ']') {
                    plain.push(',');
                }
                plain.push(c);
                if c == '"' {
                    while let Some(c) = chars.next() {
                        plain.push(c);
                        match c {
                            '\\' => plain.extend(chars.next()),
                            '"' => break,
                            _ => {}
                        }
                    }
                }
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_keys_in_all_three_forms() {
        let of = |text: &str| {
            let entries = entries(text).into_iter();
            entries.map(|e| format!("{} = {}", e.path.join(" > "), e.value)).collect::<Vec<_>>()
        };
        let pnpm = "importers:\n\n  .:\n    dependencies:\n      '@a/b':\n        specifier: ^1.0.0\n        version: 1.2.0(c@2.0.0)\n  packages/x: {}\n";
        assert_eq!(
            of(pnpm),
            [
                "importers = ",
                "importers > . = ",
                "importers > . > dependencies = ",
                "importers > . > dependencies > @a/b = ",
                "importers > . > dependencies > @a/b > specifier = ^1.0.0",
                "importers > . > dependencies > @a/b > version = 1.2.0(c@2.0.0)",
                "importers > packages/x = ",
            ]
        );
        let yarn = "# v1\n\n\"@a/b@^1.0.0\", \"@a/b@^1.1.0\":\n  version \"1.2.0\"\n  dependencies:\n    c \"^2.0.0\"\n\nc@^2.0.0, c@^2.1.0:\n  version \"2.1.0\"\n";
        assert_eq!(
            of(yarn),
            [
                "@a/b@^1.0.0, @a/b@^1.1.0 = ",
                "@a/b@^1.0.0, @a/b@^1.1.0 > version = 1.2.0",
                "@a/b@^1.0.0, @a/b@^1.1.0 > dependencies = ",
                "@a/b@^1.0.0, @a/b@^1.1.0 > dependencies > c = ^2.0.0",
                "c@^2.0.0, c@^2.1.0 = ",
                "c@^2.0.0, c@^2.1.0 > version = 2.1.0",
            ]
        );
        let one_line = "packages:\n  a@1.0.0:\n    resolution: {integrity: sha512-x, tarball: 'file:a'}\n";
        assert_eq!(
            of(one_line)[3..],
            [
                "packages > a@1.0.0 > resolution > integrity = sha512-x",
                "packages > a@1.0.0 > resolution > tarball = file:a"
            ]
        );
    }

    #[test]
    fn comments_and_last_commas_are_no_json() {
        let text = "{ // head\n \"a\": [1, 2,], /* , */ \"b\": \"x,}//\\\"\", }\n";
        let plain: serde_json::Value = serde_json::from_str(&plain_json(text)).unwrap();
        assert_eq!(plain, serde_json::json!({"a": [1, 2], "b": "x,}//\""}));
    }
}
