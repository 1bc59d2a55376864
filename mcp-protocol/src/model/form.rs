//! The schema of a form: a flat object of primitive fields.

use serde::{Deserialize, Deserializer};

use super::{Encode, sampling::whole};
use crate::{
    envelope::members_of,
    json::{Json, Object, write_str},
    version::Rules,
};

/// The schema of a form. Its fields are texts, numbers, yes or no, and choices.
///
/// ```
/// use mcp_protocol::model::{BooleanSchema, EnumSchema, FormSchema, NumberSchema, StringSchema};
///
/// let form = FormSchema::new()
///     .with_required("email", StringSchema::email().with_title("Address"))
///     .with_field("age", NumberSchema::integer().with_minimum(18.0))
///     .with_field("plan", EnumSchema::one_of([("free", "Free of charge"), ("paid", "Paid")]).with_default("free"))
///     .with_field("news", BooleanSchema::new().with_default(false));
/// assert!(form.to_json().as_str().contains(r#""required":["email"]"#));
/// ```
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, PartialEq)]
pub struct FormSchema(Form);

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Fields(Vec<(String, PrimitiveSchema, bool)>),
    /// As it came.
    Raw(Json),
}

impl Default for FormSchema {
    fn default() -> Self {
        Self::new()
    }
}

impl FormSchema {
    /// A form without fields.
    #[must_use]
    pub fn new() -> Self {
        Self(Form::Fields(Vec::new()))
    }

    /// A schema that is sent byte for byte: an object schema whose properties are primitive.
    #[must_use]
    pub fn from_json(schema: Json) -> Self {
        Self(Form::Raw(schema))
    }

    /// The same form with a field that may be left out.
    #[must_use]
    pub fn with_field(self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        self.with(name.into(), field.into(), false)
    }

    /// The same form with a field that must be filled in.
    #[must_use]
    pub fn with_required(self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        self.with(name.into(), field.into(), true)
    }

    fn with(self, name: String, field: PrimitiveSchema, is_required: bool) -> Self {
        let mut fields = self.fields();
        fields.push((name, field, is_required));
        Self(Form::Fields(fields))
    }

    /// The fields in their order: name, schema, and whether it must be filled in.
    #[must_use]
    pub fn fields(&self) -> Vec<(String, PrimitiveSchema, bool)> {
        let raw = match &self.0 {
            Form::Fields(fields) => return fields.clone(),
            Form::Raw(raw) => raw,
        };
        // a schema without readable members has no fields, and demands none
        let required: Vec<String> = raw.get("required").and_then(|r| r.to().ok()).unwrap_or_default();
        let properties = raw.get("properties");
        let fields = properties.as_ref().and_then(|p| members_of(p.as_str()).ok()).unwrap_or_default();
        let read = fields.into_iter().map(|(name, schema)| {
            let is_required = required.iter().any(|r| *r == name);
            (name.into_owned(), PrimitiveSchema::read(Json::copy(schema)), is_required)
        });
        read.collect()
    }

    /// The JSON Schema, as the newest revision has it.
    #[must_use]
    pub fn to_json(&self) -> Json {
        super::ToWire::to_wire(self, crate::version::Version::LATEST)
    }
}

impl Encode for FormSchema {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let fields = match &self.0 {
            Form::Raw(json) => return json.append_to(out),
            Form::Fields(fields) => fields,
        };
        let mut o = Object::open(out);
        o.str("type", "object");
        o.object("properties", |o| {
            for (name, field, _) in fields {
                field.encode(rules, o.key(name));
            }
        });
        let mut required = fields.iter().filter(|(.., is_required)| *is_required).peekable();
        if required.peek().is_some() {
            o.array("required", required, |(name, ..), out| write_str(out, name));
        }
        o.close();
    }
}

/// The schema of one field of a form.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveSchema {
    /// A text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// A choice.
    Enum(EnumSchema),
    /// A schema of another kind, as it came.
    Other(Json),
}

impl PrimitiveSchema {
    fn read(schema: Json) -> Self {
        let is_choice = ["enum", "oneOf", "anyOf"].iter().any(|key| schema.get(key).is_some());
        let kind = schema.get("type");
        // a schema that cannot be read is of another kind
        let read = match kind.as_ref().and_then(Json::as_text).as_deref() {
            Some("array") => schema.to().ok().map(Self::Enum),
            Some("string") if is_choice => schema.to().ok().map(Self::Enum),
            Some("string") => schema.to().ok().map(Self::String),
            Some("number" | "integer") => schema.to().ok().map(Self::Number),
            Some("boolean") => schema.to().ok().map(Self::Boolean),
            _ => None,
        };
        read.unwrap_or(Self::Other(schema))
    }
}

impl<'de> Deserialize<'de> for PrimitiveSchema {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Json::deserialize(d).map(Self::read)
    }
}

impl Encode for PrimitiveSchema {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        match self {
            Self::String(field) => field.encode(rules, out),
            Self::Number(field) => field.encode(rules, out),
            Self::Boolean(field) => field.encode(rules, out),
            Self::Enum(field) => field.encode(rules, out),
            Self::Other(json) => json.append_to(out),
        }
    }
}

macro_rules! field {
    ($name:ident, $variant:ident, $default:ty, $what:literal) => {
        impl From<$name> for PrimitiveSchema {
            fn from(field: $name) -> Self {
                Self::$variant(field)
            }
        }

        impl $name {
            /// The same field with a name for people.
            #[must_use]
            pub fn with_title(mut self, title: impl Into<String>) -> Self {
                self.title = Some(title.into());
                self
            }

            /// The same field with a description.
            #[must_use]
            pub fn with_description(mut self, description: impl Into<String>) -> Self {
                self.description = Some(description.into());
                self
            }

            #[doc = concat!("The same field with a default: ", $what, " (from 2025-11-25).")]
            #[must_use]
            pub fn with_default(mut self, default: impl Into<$default>) -> Self {
                self.default = Some(default.into());
                self
            }

            fn head(&self, kind: &str, o: &mut Object<'_>) {
                o.str("type", kind);
                o.opt_str("title", self.title.as_deref());
                o.opt_str("description", self.description.as_deref());
            }
        }
    };
}

field!(StringSchema, String, String, "a text");
field!(NumberSchema, Number, f64, "a number");
field!(BooleanSchema, Boolean, bool, "yes or no");
field!(EnumSchema, Enum, EnumDefault, "one choice, or several");

/// A text.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct StringSchema {
    /// Name for people.
    pub title: Option<String>,
    /// A description for people.
    pub description: Option<String>,
    /// Least number of characters.
    #[serde(deserialize_with = "opt_whole")]
    pub min_length: Option<u64>,
    /// Greatest number of characters.
    #[serde(deserialize_with = "opt_whole")]
    pub max_length: Option<u64>,
    /// The kind of text: `email`, `uri`, `date` or `date-time`.
    pub format: Option<String>,
    /// The value if the user changes nothing (from 2025-11-25).
    pub default: Option<String>,
}

impl StringSchema {
    /// Any text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The address of a mailbox.
    #[must_use]
    pub fn email() -> Self {
        Self { format: Some("email".to_owned()), ..Self::default() }
    }

    /// An address.
    #[must_use]
    pub fn uri() -> Self {
        Self { format: Some("uri".to_owned()), ..Self::default() }
    }

    /// A date.
    #[must_use]
    pub fn date() -> Self {
        Self { format: Some("date".to_owned()), ..Self::default() }
    }

    /// A date with the time.
    #[must_use]
    pub fn date_time() -> Self {
        Self { format: Some("date-time".to_owned()), ..Self::default() }
    }

    /// The same field with bounds of its length, in characters.
    #[must_use]
    pub fn with_length(mut self, min: impl Into<Option<u64>>, max: impl Into<Option<u64>>) -> Self {
        (self.min_length, self.max_length) = (min.into(), max.into());
        self
    }
}

impl Encode for StringSchema {
    fn encode(&self, _: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        self.head("string", &mut o);
        o.opt_u64("minLength", self.min_length);
        o.opt_u64("maxLength", self.max_length);
        o.opt_str("format", self.format.as_deref());
        o.opt_str("default", self.default.as_deref());
        o.close();
    }
}

/// A number.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct NumberSchema {
    /// Whether it must be whole.
    #[serde(rename = "type", deserialize_with = "is_integer")]
    pub is_integer: bool,
    /// Name for people.
    #[serde(default)]
    pub title: Option<String>,
    /// A description for people.
    #[serde(default)]
    pub description: Option<String>,
    /// Least value.
    #[serde(default)]
    pub minimum: Option<f64>,
    /// Greatest value.
    #[serde(default)]
    pub maximum: Option<f64>,
    /// The value if the user changes nothing (from 2025-11-25).
    #[serde(default)]
    pub default: Option<f64>,
}

impl NumberSchema {
    /// Any number.
    #[must_use]
    pub fn number() -> Self {
        Self::default()
    }

    /// A whole number.
    #[must_use]
    pub fn integer() -> Self {
        Self { is_integer: true, ..Self::default() }
    }

    /// The same field with a least value.
    #[must_use]
    pub fn with_minimum(mut self, minimum: f64) -> Self {
        self.minimum = Some(minimum);
        self
    }

    /// The same field with a greatest value.
    #[must_use]
    pub fn with_maximum(mut self, maximum: f64) -> Self {
        self.maximum = Some(maximum);
        self
    }
}

impl Encode for NumberSchema {
    fn encode(&self, _: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        self.head(if self.is_integer { "integer" } else { "number" }, &mut o);
        for (key, value) in [("minimum", self.minimum), ("maximum", self.maximum), ("default", self.default)]
        {
            if let Some(value) = value {
                o.number(key, value);
            }
        }
        o.close();
    }
}

/// Yes or no.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BooleanSchema {
    /// Name for people.
    pub title: Option<String>,
    /// A description for people.
    pub description: Option<String>,
    /// The value if the user changes nothing.
    pub default: Option<bool>,
}

impl BooleanSchema {
    /// Yes or no, without a default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Encode for BooleanSchema {
    fn encode(&self, _: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        self.head("boolean", &mut o);
        if let Some(default) = self.default {
            o.bool("default", default);
        }
        o.close();
    }
}

/// The choices of a field.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnumSchema {
    /// Name for people.
    pub title: Option<String>,
    /// A description for people.
    pub description: Option<String>,
    /// The choices.
    pub options: Vec<EnumOption>,
    /// Whether several may be chosen (from 2025-11-25).
    pub is_multiple: bool,
    /// Least number of choices, where several may be chosen.
    pub min_items: Option<u64>,
    /// Greatest number of choices, where several may be chosen.
    pub max_items: Option<u64>,
    /// The value if the user changes nothing (from 2025-11-25).
    pub default: Option<EnumDefault>,
    titles: Titles,
}

/// How the choices of a field came to have titles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Titles {
    /// Titles stand where an option has one.
    AsNeeded,
    /// Every option has a title.
    Always,
    /// Titles stand in `enumNames`, as 2025-06-18 has them.
    Legacy,
}

/// One choice.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnumOption {
    /// The value.
    pub value: String,
    /// Its name for people.
    pub title: Option<String>,
}

impl From<&str> for EnumOption {
    fn from(value: &str) -> Self {
        Self { value: value.to_owned(), title: None }
    }
}

impl From<String> for EnumOption {
    fn from(value: String) -> Self {
        Self { value, title: None }
    }
}

impl<V: Into<String>, T: Into<String>> From<(V, T)> for EnumOption {
    /// A value and its name for people.
    fn from((value, title): (V, T)) -> Self {
        Self { value: value.into(), title: Some(title.into()) }
    }
}

/// The choice that a field begins with.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum EnumDefault {
    /// One, where one is chosen.
    One(String),
    /// Several, where several may be chosen.
    Several(Vec<String>),
}

impl From<&str> for EnumDefault {
    fn from(value: &str) -> Self {
        Self::One(value.to_owned())
    }
}

impl From<Vec<String>> for EnumDefault {
    fn from(values: Vec<String>) -> Self {
        Self::Several(values)
    }
}

impl EnumSchema {
    fn of(options: Vec<EnumOption>, is_multiple: bool) -> Self {
        Self {
            title: None,
            description: None,
            options,
            is_multiple,
            min_items: None,
            max_items: None,
            default: None,
            titles: Titles::AsNeeded,
        }
    }

    /// One of these values, or of pairs of a value and its name for people.
    pub fn one_of<O: Into<EnumOption>>(options: impl IntoIterator<Item = O>) -> Self {
        Self::of(options.into_iter().map(Into::into).collect(), false)
    }

    /// Several of these values, or of pairs of a value and its name for people (from 2025-11-25).
    pub fn several_of<O: Into<EnumOption>>(options: impl IntoIterator<Item = O>) -> Self {
        Self::of(options.into_iter().map(Into::into).collect(), true)
    }

    /// The same field with bounds of how many are chosen.
    #[must_use]
    pub fn with_items(mut self, min: impl Into<Option<u64>>, max: impl Into<Option<u64>>) -> Self {
        (self.min_items, self.max_items) = (min.into(), max.into());
        self
    }

    fn is_titled(&self) -> bool {
        self.titles == Titles::Always || self.options.iter().any(|option| option.title.is_some())
    }

    fn write_titled(&self, key: &str, o: &mut Object<'_>) {
        o.array(key, &self.options, |option, out| {
            let mut o = Object::open(out);
            o.str("const", &option.value);
            o.str("title", option.title.as_deref().unwrap_or(&option.value));
            o.close();
        });
    }

    fn write_values(&self, o: &mut Object<'_>) {
        o.array("enum", &self.options, |option, out| write_str(out, &option.value));
    }
}

impl Encode for EnumSchema {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        self.head(if self.is_multiple { "array" } else { "string" }, &mut o);
        if self.is_multiple {
            o.opt_u64("minItems", self.min_items);
            o.opt_u64("maxItems", self.max_items);
            o.object("items", |o| {
                if self.is_titled() {
                    return self.write_titled("anyOf", o);
                }
                o.str("type", "string");
                self.write_values(o);
            });
        } else if self.is_titled() && rules.titled_choices && self.titles != Titles::Legacy {
            self.write_titled("oneOf", &mut o);
        } else {
            self.write_values(&mut o);
            if self.is_titled() {
                let titles = self.options.iter().map(|option| option.title.as_ref().unwrap_or(&option.value));
                o.array("enumNames", titles, |title, out| write_str(out, title));
            }
        }
        match &self.default {
            None => {}
            Some(EnumDefault::One(value)) => o.str("default", value),
            Some(EnumDefault::Several(values)) => o.array("default", values, |v, out| write_str(out, v)),
        }
        o.close();
    }
}

impl<'de> Deserialize<'de> for EnumSchema {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Titled {
            r#const: String,
            title: Option<String>,
        }
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        struct Wire {
            title: Option<String>,
            description: Option<String>,
            r#enum: Option<Vec<String>>,
            enum_names: Option<Vec<String>>,
            one_of: Option<Vec<Titled>>,
            any_of: Option<Vec<Titled>>,
            items: Option<Box<Wire>>,
            #[serde(deserialize_with = "opt_whole")]
            min_items: Option<u64>,
            #[serde(deserialize_with = "opt_whole")]
            max_items: Option<u64>,
            default: Option<EnumDefault>,
        }
        let mut wire = Wire::deserialize(d)?;
        let items = wire.items.take();
        let is_multiple = items.is_some();
        let Wire { r#enum, enum_names, one_of, any_of, .. } = match items {
            Some(items) => *items,
            None => Wire {
                r#enum: wire.r#enum,
                enum_names: wire.enum_names,
                one_of: wire.one_of,
                any_of: wire.any_of,
                ..Wire::default()
            },
        };
        let (options, titles): (Vec<_>, _) = match (one_of.or(any_of), r#enum, enum_names) {
            (Some(titled), ..) => {
                let options = titled.into_iter().map(|t| EnumOption { value: t.r#const, title: t.title });
                (options.collect(), Titles::Always)
            }
            (None, Some(values), None) => {
                (values.into_iter().map(EnumOption::from).collect(), Titles::AsNeeded)
            }
            (None, Some(values), Some(names)) if values.len() == names.len() => {
                (values.into_iter().zip(names).map(EnumOption::from).collect(), Titles::Legacy)
            }
            _ => return Err(serde::de::Error::custom("a choice needs values, and as many titles")),
        };
        Ok(Self {
            title: wire.title,
            description: wire.description,
            options,
            is_multiple,
            min_items: wire.min_items,
            max_items: wire.max_items,
            default: wire.default,
            titles,
        })
    }
}

fn opt_whole<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    struct Whole(#[serde(deserialize_with = "whole")] u64);
    Ok(Option::<Whole>::deserialize(d)?.map(|Whole(number)| number))
}

fn is_integer<'de, D: Deserializer<'de>>(d: D) -> Result<bool, D::Error> {
    Ok(String::deserialize(d)? == "integer")
}
