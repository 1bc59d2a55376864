//! The head of a new function: its type parameters, and what it may throw.

use std::collections::BTreeSet;

use super::extract_method::Job;
use super::method_site::Receiver;
use super::scene::Refused;
use super::tree::has;

/// The type parameters of a new function: their list, what bounds them, and the arguments for them in a call.
#[derive(Default)]
pub(super) struct Generics {
    list: String,
    bounds: String,
    pub(super) arguments: String,
}

impl Job<'_> {
    /// Type parameters of the function around that the new one needs too.
    pub(super) fn generics(&self, types: &str, of_params: &str) -> Result<Generics, Refused> {
        let syntax = &self.scene.syntax;
        let nothing = Generics::default();
        let Some(member) = self.site.member else { return Ok(nothing) };
        let list = syntax
            .field(member, "type_parameters")
            .or_else(|| syntax.named(member).find(|id| syntax.kind(*id) == "type_parameters"));
        let Some(list) = list else { return Ok(nothing) };
        let words = |text: &str| -> BTreeSet<String> {
            text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).map(str::to_owned).collect()
        };
        let parameters: Vec<String> = syntax
            .named(list)
            .filter_map(|id| {
                words(syntax.text_of(id)).into_iter().find(|_| true).map(|_| first_word(syntax.text_of(id)))
            })
            .collect();
        let (used, in_types) = (words(syntax.slice(self.part.range)), words(types));
        if !parameters.iter().any(|name| used.contains(name) || in_types.contains(name)) {
            return Ok(nothing);
        }
        let can_guess = self.writing.result == "{type} ";
        let brackets = self.writing.type_arguments;
        let is_told = |types: &BTreeSet<String>| parameters.iter().all(|name| types.contains(name));
        let is_lost = !can_guess && brackets.is_empty() && !is_told(&in_types);
        if is_lost || brackets.is_empty() && types.contains('\'') {
            return self.refuse("it needs a type parameter that a call could not tell");
        }
        let bounds = syntax.named(member).find(|id| has("where_clause type_constraints", syntax.kind(*id)));
        let space = if self.writing.result == "{type} " || syntax.text_of(member).contains("fun <") {
            " "
        } else {
            ""
        };
        let needs_arguments = !brackets.is_empty() && !is_told(&words(of_params));
        let arguments = needs_arguments.then(|| {
            let (open, close) = brackets.split_at(1);
            format!("{open}{}{close}", parameters.join(", "))
        });
        Ok(Generics {
            list: format!("{}{space}", syntax.text_of(list)),
            bounds: bounds.map_or(String::new(), |id| format!(" {}", syntax.text_of(id))),
            arguments: arguments.unwrap_or_default(),
        })
    }

    pub(super) fn head(
        &self,
        receiver: &Receiver,
        params: &[String],
        result: &str,
        is_async: bool,
        generics: &Generics,
    ) -> String {
        let writing = self.writing;
        let template = if receiver.is_member { writing.method } else { writing.function };
        template
            .replace("{static}", if receiver.is_static { "static " } else { "" })
            .replace("{async}", if is_async { writing.async_word } else { "" })
            .replace("{generics}", &generics.list)
            .replace("{where}", &generics.bounds)
            .replace("{receiver}", receiver.parameter.as_deref().unwrap_or(""))
            .replace("{throws}", &self.throws())
            .replace("{result}", result)
            .replace("{name}", "\u{0}")
            .replace("{params}", &params.join(", "))
    }

    /// What may be thrown: what the method says, and what is caught around the part.
    fn throws(&self) -> String {
        let syntax = &self.scene.syntax;
        let mut all: Vec<String> = Vec::new();
        let own = self.site.member.filter(|member| *member == self.part.function);
        let clause = own.and_then(|member| syntax.named(member).find(|id| syntax.kind(*id) == "throws"));
        if let Some(clause) = clause {
            all.extend(syntax.named(clause).map(|id| syntax.text_of(id).to_owned()));
        }
        for around in syntax.ancestors(self.part.nodes[0]).take_while(|id| *id != self.part.function) {
            if !syntax.stands_in(around, "try_statement.body try_with_resources_statement.body") {
                continue;
            }
            let statement = syntax.parent(around).unwrap_or(around);
            for types in syntax.below(statement).into_iter().filter(|id| syntax.kind(*id) == "catch_type") {
                let is_own = syntax.ancestors(types).find(|id| syntax.kind(*id).starts_with("try_"))
                    == Some(statement);
                all.extend(syntax.named(types).filter(|_| is_own).map(|id| syntax.text_of(id).to_owned()));
            }
        }
        let mut seen = BTreeSet::new();
        all.retain(|ty| seen.insert(ty.clone()) && !ty.ends_with("RuntimeException") && !has("Throwable Error IllegalArgumentException IllegalStateException NullPointerException NumberFormatException IndexOutOfBoundsException UnsupportedOperationException", ty));
        if all.is_empty() { String::new() } else { format!(" throws {}", all.join(", ")) }
    }
}

/// What of a type stands in no brackets.
pub(super) fn outside_brackets(ty: &str) -> String {
    let mut depth = 0_i32;
    let mut last = ' ';
    ty.chars()
        .filter(|c| {
            let is_arrow = last == '=' && *c == '>';
            last = *c;
            match c {
                '(' | '[' | '<' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                '>' if !is_arrow => depth -= 1,
                _ => return depth == 0,
            }
            false
        })
        .collect()
}

fn first_word(text: &str) -> String {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .find(|word| !word.is_empty())
        .unwrap_or("")
        .to_owned()
}
