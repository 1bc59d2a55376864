//! JSON as bytes: a value that passes through unchanged, and a writer that appends to a buffer.

use std::{borrow::Cow, fmt};

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

/// One JSON value, kept as the bytes in which it came (key order, number forms and unknown members included).
///
/// Cheap to clone. Arguments, schemas and `_meta` are of this type, because decoding them into maps would change them.
///
/// Spec: RFC 8259.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(Bytes);

impl Json {
    /// The value written in `text`; an error if that is not exactly one JSON value.
    ///
    /// # Errors
    /// When `text` is not valid JSON.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_str(text)?;
        Ok(Self(Bytes::copy_from_slice(raw.get().as_bytes())))
    }

    /// The value `value` serialises to.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON (a map with keys that are not strings).
    pub fn from<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_vec(value).map(|v| Self(v.into()))
    }

    /// A JSON string.
    #[must_use]
    pub fn string(text: &str) -> Self {
        let mut out = Vec::with_capacity(text.len() + 2);
        write_str(&mut out, text);
        Self(out.into())
    }

    /// `{}`.
    #[must_use]
    pub fn empty_object() -> Self {
        Self(Bytes::from_static(b"{}"))
    }

    /// Decodes the value.
    ///
    /// # Errors
    /// When the value has another shape than `T`.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.0)
    }

    /// The bytes as they came, without surrounding white space.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text as it came.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a Json is only made from text that was checked")
    }

    /// The member `key` of an object, as it stands; `None` when it is missing or the value is not an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Self> {
        let found = crate::envelope::member(self.as_str(), key)?;
        Some(Self(self.0.slice_ref(found.get().as_bytes())))
    }

    /// The text of a JSON string.
    #[must_use]
    pub fn as_text(&self) -> Option<Cow<'_, str>> {
        text_of(self.as_str())
    }

    /// Whether the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.0.first() == Some(&b'{')
    }

    /// Whether the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.0.as_ref() == b"null"
    }

    pub(crate) fn object(fill: impl FnOnce(&mut Object<'_>)) -> Self {
        let mut out = Vec::with_capacity(64);
        let mut o = Object::open(&mut out);
        fill(&mut o);
        o.close();
        Self(out.into())
    }

    /// Appends the value on one line: messages are framed by line ends, and outside of strings JSON does not mind.
    pub(crate) fn append_to(&self, out: &mut Vec<u8>) {
        append_on_one_line(out, &self.0);
    }

    /// `raw` must point into `whole`.
    pub(crate) fn slice(whole: &Bytes, raw: &RawValue) -> Self {
        Self(whole.slice_ref(raw.get().as_bytes()))
    }

    /// `text` must be one JSON value and point into `whole`.
    pub(crate) fn slice_text(whole: &Bytes, text: &str) -> Self {
        Self(whole.slice_ref(text.as_bytes()))
    }

    pub(crate) fn copy(raw: &RawValue) -> Self {
        Self(Bytes::copy_from_slice(raw.get().as_bytes()))
    }

    pub(crate) fn from_written(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(d)?;
        Ok(Self(Bytes::from(String::from(Box::<str>::from(raw)))))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_slice(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(s)
    }
}

/// The text of a JSON string literal, borrowed when it has no escapes; `None` for every other value.
pub(crate) fn text_of(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.as_bytes().contains(&b'\\') {
        serde_json::from_str::<String>(raw).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

fn append_on_one_line(out: &mut Vec<u8>, json: &[u8]) {
    let start = out.len();
    out.extend_from_slice(json);
    // inside strings they are escaped, so what is found is white space
    out[start..].iter_mut().filter(|b| matches!(b, b'\n' | b'\r')).for_each(|b| *b = b' ');
}

pub(crate) fn write_str(out: &mut Vec<u8>, text: &str) {
    let needs_escapes = text.bytes().any(|b| b < 0x20 || b == b'"' || b == b'\\');
    if !needs_escapes {
        out.reserve(text.len() + 2);
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    serde_json::to_writer(out, text).expect("writing a string to memory cannot fail");
}

/// Appends one JSON object to a buffer, member by member.
pub(crate) struct Object<'b> {
    pub(crate) out: &'b mut Vec<u8>,
    first: bool,
}

impl<'b> Object<'b> {
    pub(crate) fn open(out: &'b mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    pub(crate) fn close(self) {
        self.out.push(b'}');
    }

    pub(crate) fn key(&mut self, key: &str) -> &mut Vec<u8> {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        write_str(self.out, key);
        self.out.push(b':');
        self.out
    }

    pub(crate) fn str(&mut self, key: &str, value: &str) {
        let out = self.key(key);
        write_str(out, value);
    }

    pub(crate) fn opt_str(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.str(key, value);
        }
    }

    pub(crate) fn bool(&mut self, key: &str, value: bool) {
        self.key(key).extend_from_slice(if value { b"true" } else { b"false" });
    }

    pub(crate) fn i64(&mut self, key: &str, value: i64) {
        serde_json::to_writer(self.key(key), &value).expect("writing a number to memory cannot fail");
    }

    pub(crate) fn u64(&mut self, key: &str, value: u64) {
        serde_json::to_writer(self.key(key), &value).expect("writing a number to memory cannot fail");
    }

    /// Infinities and NaN have no JSON form and become `null`.
    pub(crate) fn f64(&mut self, key: &str, value: f64) {
        serde_json::to_writer(self.key(key), &value).expect("writing a number to memory cannot fail");
    }

    /// A number as people write it: whole ones without a fraction.
    pub(crate) fn number(&mut self, key: &str, value: f64) {
        // 2^53: above it a float does not name one integer
        if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
            #[expect(clippy::cast_possible_truncation, reason = "integral and within 2^53, checked above")]
            self.i64(key, value as i64);
        } else {
            self.f64(key, value);
        }
    }

    pub(crate) fn opt_u64(&mut self, key: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.u64(key, value);
        }
    }

    pub(crate) fn json(&mut self, key: &str, value: &Json) {
        let out = self.key(key);
        value.append_to(out);
    }

    pub(crate) fn opt_json(&mut self, key: &str, value: Option<&Json>) {
        if let Some(value) = value {
            self.json(key, value);
        }
    }

    pub(crate) fn object(&mut self, key: &str, fill: impl FnOnce(&mut Object<'_>)) {
        let mut inner = Object::open(self.key(key));
        fill(&mut inner);
        inner.close();
    }

    pub(crate) fn array<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(T, &mut Vec<u8>),
    ) {
        let out = self.key(key);
        out.push(b'[');
        for (n, item) in items.into_iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            write(item, out);
        }
        out.push(b']');
    }

    /// Copies the members of another object; a value that is not an object adds nothing.
    pub(crate) fn members(&mut self, object: &Json) {
        let body = object.as_str().trim();
        let Some(inner) = body.strip_prefix('{').and_then(|b| b.strip_suffix('}')) else { return };
        if inner.trim().is_empty() {
            return;
        }
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        append_on_one_line(self.out, inner.as_bytes());
    }
}
