//! Ids that say the name of a client, for servers that keep nothing of it: an id that was given before a restart is as good
//! as a new one. They carry no right.

use std::fmt::Write as _;

use mcp_protocol::model::Implementation;

const MARK: &str = "named.";
/// Most bytes of a name or version that an id carries.
const LONGEST: usize = 96;

/// Most extensions that an id carries.
const MOST: usize = 8;

/// The id of a client with the extensions that it declared.
pub(crate) fn id(client: &Implementation, extensions: &[String]) -> String {
    let words = [&client.name, &client.version].into_iter().chain(extensions.iter().take(MOST));
    format!("{MARK}{}", words.map(|word| hex(word)).collect::<Vec<_>>().join("."))
}

/// The client of an id, with its extensions; `None` for ids of others.
pub(crate) fn client(id: &str) -> Option<(Implementation, Vec<String>)> {
    let words = id.strip_prefix(MARK)?.split('.').map(text);
    let mut words = words.take(MOST + 3).collect::<Option<Vec<String>>>()?;
    if words.len() < 2 || words.len() > MOST + 2 {
        return None;
    }
    let extensions = words.split_off(2);
    let version = words.pop()?;
    Some((Implementation::new(words.pop()?, version), extensions))
}

fn hex(text: &str) -> String {
    let kept = text.floor_char_boundary(LONGEST);
    text[..kept].bytes().fold(String::new(), |mut hex, byte| {
        // writing to a string cannot fail
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn text(hex: &str) -> Option<String> {
    if hex.len() > 2 * LONGEST || !hex.is_ascii() {
        return None;
    }
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok().filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_other_ids_mean_nothing() {
        let extensions = ["io.modelcontextprotocol/ui".to_owned(), String::new()];
        for (name, version) in
            [("codex-mcp-client", "0.171.0"), ("Visual Studio Code", ""), ("\u{fc}\r\n.", "1.0 (x)")]
        {
            for extensions in [&extensions[..], &[]] {
                let id = id(&Implementation::new(name, version), extensions);
                assert!(id.bytes().all(|byte| byte.is_ascii_graphic()), "{id}");
                let (back, declared) = client(&id).unwrap();
                assert_eq!((&*back.name, &*back.version, &*declared), (name, version, extensions));
            }
        }
        let many = vec!["x".repeat(500); 500];
        let long = id(&Implementation::new("\u{fc}".repeat(500), "x"), &many);
        assert!(
            long.len() < 2_500 && client(&long).is_some_and(|(client, _)| client.name.starts_with('\u{fc}'))
        );
        let crowd = format!("named.{}", vec!["61"; 30].join("."));
        for other in [
            "",
            "named.",
            "named.a",
            "named.aa.b",
            "named.zz.00",
            "named.ff.00",
            "6b1f",
            "named.\u{e9}.00",
            &crowd,
        ] {
            assert!(client(other).is_none(), "{other}");
        }
    }
}
