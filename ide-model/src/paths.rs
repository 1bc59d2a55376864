//! Functions over the text of a [`FilePath`](crate::FilePath).
//!
//! `/` is between its parts; it is relative to the project, absolute outside of it.

/// The directory of a path, `""` at the top.
pub fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The part of a path behind its last `/` up to the first dot in it.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// `rest` below a directory, as it is written; either may be empty.
pub fn join(directory: &str, rest: &str) -> String {
    match (directory.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => directory.to_owned(),
        _ => format!("{directory}/{rest}"),
    }
}

/// A path without `.` and `..`; what leads above the project begins with `../`.
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_path() {
        assert_eq!((directory("a/b.d.ts"), stem("a/b.d.ts")), ("a", "b"));
        assert_eq!((directory("b"), stem("b")), ("", "b"));
        assert_eq!((&*join("", "x"), &*join("a", ""), &*join("a", "x")), ("x", "a", "a/x"));
    }

    #[test]
    fn dots_are_followed() {
        assert_eq!(normal("a/./b//../c"), "a/c");
        assert_eq!(normal("a/../../../lib/x"), "../../lib/x");
        assert_eq!(normal("/r/a/../x"), "/r/x");
    }
}
