//! The page token: base64url without padding over `entryId:offset:pageSize`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The largest page.
const MAX_PAGE_SIZE: usize = 500;

/// The content of a token. `page_size` is absent in tokens of the old form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) entry: u128,
    pub(crate) offset: usize,
    pub(crate) page_size: Option<usize>,
}

impl Token {
    pub(crate) fn encode(self) -> String {
        let size = self.page_size.map_or(String::new(), |size| format!(":{size}"));
        URL_SAFE_NO_PAD.encode(format!("{:032x}:{}{size}", self.entry, self.offset))
    }

    /// Reads a token; anything that `encode` would not have written is refused.
    pub(crate) fn decode(text: &str) -> Option<Token> {
        let plain = String::from_utf8(URL_SAFE_NO_PAD.decode(text.trim()).ok()?).ok()?;
        let mut parts = plain.split(':');
        let (entry, offset, size) = (parts.next()?, parts.next()?, parts.next());
        let lower_hex = entry.len() == 32 && entry.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !lower_hex || parts.next().is_some() {
            return None;
        }
        let page_size = match size {
            Some(size) => Some(number(size)?).map(|size| size.clamp(1, MAX_PAGE_SIZE)),
            None => None,
        };
        Some(Token { entry: u128::from_str_radix(entry, 16).ok()?, offset: number(offset)?, page_size })
    }
}

fn number(text: &str) -> Option<usize> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back() {
        for page_size in [None, Some(1), Some(500)] {
            let token = Token { entry: 0xfeed, offset: 4_999, page_size };
            assert_eq!(Token::decode(&token.encode()), Some(token));
        }
        assert_eq!(
            URL_SAFE_NO_PAD.decode(Token { entry: 1, offset: 2, page_size: Some(3) }.encode()).unwrap(),
            b"00000000000000000000000000000001:2:3"
        );
    }

    #[test]
    fn everything_else_is_malformed() {
        let id = "0".repeat(32);
        for plain in [
            String::new(),
            id.clone(),
            format!("{id}:"),
            format!("{id}:-1:10"),
            format!("{id}:+1:10"),
            format!("{id}:1:"),
            format!("{id}:1:x"),
            format!("{id}:1:2:3"),
            format!("{}:1:2", "0".repeat(31)),
            format!("{}:1:2", "F".repeat(32)),
            format!("{id}:99999999999999999999999:1"),
        ] {
            assert_eq!(Token::decode(&URL_SAFE_NO_PAD.encode(&plain)), None, "{plain}");
        }
        for raw in ["", "%%%", "AAAA", "a b", "null"] {
            assert_eq!(Token::decode(raw), None, "{raw}");
        }
        let padded = format!("{}=", Token { entry: 1, offset: 2, page_size: None }.encode());
        assert_eq!(Token::decode(&padded), None);
    }
}
