//! Borrows of values that live only until the end of the statement that makes them: no variable can hold those.

use super::calls::{callee_name, object_of};
use super::tree::{NodeId, Syntax, has};
use super::types::TypeWriter;
use crate::guard;

/// Methods of the standard library that give a reference to a part of their object, or their object itself.
const TO_REFERENCES: &str = "as_str as_bytes as_slice as_mut_slice as_path as_os_str as_ref as_mut trim trim_start trim_end \
    trim_matches trim_start_matches trim_end_matches arg args env envs env_clear env_remove current_dir stdin stdout stderr";

/// Methods of it whose result holds such a reference.
const TO_HOLDERS: &str = "get get_mut first first_mut last_mut strip_prefix strip_suffix split_once rsplit_once file_name \
    file_stem extension parent to_str as_deref as_deref_mut peek iter iter_mut chars char_indices bytes lines split \
    split_whitespace splitn rsplit rsplitn split_at keys values values_mut drain borrow borrow_mut lock components \
    to_string_lossy windows chunks";

/// Methods of it that hand on the contents of their object.
const HANDS_ON: &str = "unwrap expect unwrap_or_default next next_back ok cloned copied filter enumerate rev skip take \
    peekable flatten skip_while take_while map_while step_by inspect fuse cycle map filter_map flat_map zip chain scan";

/// The type of a result as far as borrowing goes.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Owned,
    Reference,
    /// Something that holds a reference.
    Holder,
    /// A holder, like an option, of a plain reference.
    Wrapped,
}

/// The result of a call, and the values of the call that it borrows.
struct Call {
    result: Kind,
    /// Values whose places it borrows.
    places: Vec<NodeId>,
    /// Values whose borrows it takes over.
    holders: Vec<NodeId>,
}

/// Whether a value borrows another one that lives no longer than the statement around it.
pub(super) fn borrows_temporary(types: &TypeWriter<'_>, value: NodeId) -> bool {
    Look { types, syntax: types.syntax }.is_dangling(value)
}

struct Look<'a> {
    types: &'a TypeWriter<'a>,
    syntax: &'a Syntax,
}

impl Look<'_> {
    /// Whether a variable could not hold this value.
    fn is_dangling(&self, value: NodeId) -> bool {
        guard::deeper(|| match self.syntax.kind(value) {
            "call_expression" => {
                let call = self.call(value);
                call.places.iter().any(|place| self.is_temporary(*place))
                    || call.holders.iter().any(|held| self.is_dangling(*held))
            }
            "try_expression" | "await_expression" | "parenthesized_expression" | "field_expression" => {
                self.syntax.named(value).next().is_some_and(|inner| self.is_dangling(inner))
            }
            _ => false,
        })
        .unwrap_or(true)
    }

    /// Whether the place of a value lives no longer than the statement.
    fn is_temporary(&self, place: NodeId) -> bool {
        let inner = || self.syntax.named(place).next();
        guard::deeper(|| match self.syntax.kind(place) {
            "identifier" | "self" | "scoped_identifier" => false,
            kind if has(self.syntax.shape.literals, kind) => false,
            "field_expression" | "index_expression" | "parenthesized_expression" | "unary_expression" => {
                inner().is_none_or(|inner| self.is_temporary(inner))
            }
            "reference_expression" => {
                self.syntax.field(place, "value").is_none_or(|inner| self.is_temporary(inner))
            }
            // Constant arrays live as long as the program.
            "array_expression" => {
                self.syntax.named(place).any(|item| !has(self.syntax.shape.literals, self.syntax.kind(item)))
            }
            "call_expression" | "try_expression" | "await_expression" => {
                self.kind_of(place) != Kind::Reference || self.is_dangling(place)
            }
            _ => true,
        })
        .unwrap_or(true)
    }

    fn kind_of(&self, value: NodeId) -> Kind {
        let inner = || self.syntax.named(value).next();
        match self.syntax.kind(value) {
            "call_expression" => self.call(value).result,
            "try_expression" => inner().map_or(Kind::Owned, |inner| self.unwrapped(inner)),
            "await_expression" | "parenthesized_expression" => {
                inner().map_or(Kind::Owned, |inner| self.kind_of(inner))
            }
            _ => Kind::Owned,
        }
    }

    /// The kind of what an option or a result holds.
    fn unwrapped(&self, value: NodeId) -> Kind {
        match guard::deeper(|| self.kind_of(value)).unwrap_or(Kind::Owned) {
            Kind::Wrapped | Kind::Reference => Kind::Reference,
            kind => kind,
        }
    }

    fn call(&self, call: NodeId) -> Call {
        let object = object_of(self.syntax, call);
        if let Some(known) = self.declared(call, object) {
            return known;
        }
        let name = callee_name(self.syntax, call).map_or("", |name| self.syntax.slice(name));
        let object: Vec<NodeId> = object.into_iter().collect();
        let (result, places, holders) = match name {
            _ if has(TO_REFERENCES, name) => (Kind::Reference, object, Vec::new()),
            "lock" | "borrow" | "borrow_mut" => (Kind::Holder, object, Vec::new()),
            _ if has(TO_HOLDERS, name) => (Kind::Wrapped, object, Vec::new()),
            "unwrap" | "expect" | "unwrap_or_default" | "next" | "next_back" => {
                let result = object.first().map_or(Kind::Owned, |object| self.unwrapped(*object));
                (result, Vec::new(), object)
            }
            _ if has(HANDS_ON, name) => (Kind::Wrapped, Vec::new(), object),
            _ => (Kind::Owned, Vec::new(), Vec::new()),
        };
        Call { result, places, holders }
    }

    /// A call of a function whose declaration is at hand.
    fn declared(&self, call: NodeId, object: Option<NodeId>) -> Option<Call> {
        let types = self.types;
        let name = types.last_name(call)?;
        let def = types.rx.resolve(types.file.global_ref(name)).resolution.defs().next()?;
        let (_, home) = types.home_of(def)?;
        let function = home.parent(home.around(types.rx.def(def).name_range))?;
        let parameters = home.field(function, "parameters")?;
        let result = home.field(function, "return_type").map_or("", |ty| home.text_of(ty));
        let said = lifetimes(result);
        let kind = match said.is_empty() {
            true => Kind::Owned,
            false if result.starts_with('&') => Kind::Reference,
            false if result.split_once('<').is_some_and(|(_, inner)| inner.starts_with('&')) => Kind::Wrapped,
            false => Kind::Holder,
        };
        let mut found = Call { result: kind, places: Vec::new(), holders: Vec::new() };
        let mut params = home.named(parameters).filter(|id| !home.node(*id).is_extra).peekable();
        let own = params.next_if(|id| home.kind(*id) == "self_parameter");
        let given = self.syntax.field(call, "arguments");
        let mut given = given
            .into_iter()
            .flat_map(|list| self.syntax.named(list))
            .filter(|id| !self.syntax.node(*id).is_extra);
        let object = match own {
            // `T::f(&x)`.
            Some(_)
                if self
                    .syntax
                    .field(call, "function")
                    .is_some_and(|f| self.syntax.kind(f) != "field_expression") =>
            {
                given.next()
            }
            _ => object,
        };
        let own = own.map(|own| home.text_of(own));
        let is_lent = own.is_some_and(|own| own.contains('&'));
        if let (Some(own), Some(object)) = (own, object) {
            let takes = lifetimes(own);
            if is_lent && said.iter().any(|said| takes.contains(said)) {
                found.places.push(object);
            } else if !is_lent && result == "Self" || said.iter().any(|said| *said != ELIDED) {
                found.holders.push(object);
            }
        }
        for (param, given) in params.zip(given) {
            let takes = home.field(param, "type").map_or_else(Vec::new, |ty| lifetimes(home.text_of(ty)));
            let is_taken = |said: &&str| takes.contains(said) && !(is_lent && *said == ELIDED);
            if said.iter().any(is_taken) {
                match self.syntax.kind(given) {
                    "reference_expression" => found.places.push(given),
                    _ => found.holders.push(given),
                }
            }
        }
        Some(found)
    }
}

/// The lifetime of `&` without a name.
const ELIDED: &str = "'_";

/// The lifetimes that a type says, without those that never end.
fn lifetimes(ty: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, sign) in ty.char_indices() {
        let rest = &ty[at + 1..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        match sign {
            '&' if !rest.trim_start().starts_with('\'') => found.push(ELIDED),
            '\'' if &rest[..end] != "static" => found.push(&ty[at..=at + end]),
            _ => {}
        }
    }
    found
}
