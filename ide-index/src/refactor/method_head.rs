//! The head of a new function: its type parameters, and what it may throw.

use std::collections::BTreeSet;

use ide_model::TextRange;

use super::data_flow::Crossing;
use super::extract_method::Job;
use super::flow::Mention;
use super::method_site::Receiver;
use super::scene::Refused;
use super::tree::{NodeId, Syntax, has};

/// Places behind which the compiler knows more of a variable that cannot change than its type says.
const KINDS_TOLD: &str = "is_expression as_expression check_expression";

/// The type parameters of a new function: their list, what bounds them, and the arguments for them in a call.
#[derive(Default)]
pub(super) struct Generics {
    list: String,
    bounds: String,
    pub(super) arguments: String,
}

impl Job<'_> {
    /// A parameter as it is declared, and what stands before its argument.
    pub(super) fn parameter(
        &self,
        input: &Crossing,
        types: &mut String,
    ) -> Result<(String, &'static str), Refused> {
        let writing = self.writing;
        let lead = if input.is_written { writing.written_param } else { Some("") };
        let Some(before_name) = lead else {
            let message = format!("`{}` is written here, and parameters cannot be", input.name);
            return self.scene.form(message, input.declared);
        };
        if !writing.types_params {
            return Ok((writing.param.replace("{name}", &input.name), ""));
        }
        let Some(mut ty) = self.scene.type_of_variable(input.declared) else {
            let message = format!("the type of `{}` is not known", input.name);
            return self.scene.form(message, input.declared);
        };
        let before = |m: &Mention| m.range.end <= self.part.range.start && m.range.start > input.declared.end;
        let outer = outside_brackets(&ty);
        let may_lack = ty.ends_with('?') || ty == "unknown" || outer.contains('|');
        let syntax = &self.scene.syntax;
        let is_cast = |m: &Mention| {
            let node = syntax.around(m.range);
            let is_type_asked = |up: &NodeId| syntax.words(*up).iter().any(|word| has("is !is", word));
            let choice = syntax.parent(node).and_then(|subject| syntax.parent(subject));
            !syntax.shape.casts.is_empty()
                && (syntax.stands_in(node, KINDS_TOLD)
                    || syntax.stands_in(node, "when_subject") && choice.as_ref().is_some_and(is_type_asked))
        };
        if self.flow.of_variable(input.variable).any(|m| before(m) && (may_lack || is_cast(m))) {
            let message = format!(
                "the type of `{}` here may depend on an earlier test, which the new function would not know",
                input.name
            );
            return self.scene.form(message, input.declared);
        }
        let mut lead = "";
        if self.scene.syntax.shape.this == "self" {
            ty = self.outside_block(&ty);
            lead = self.reference(input, &ty)?;
            ty = format!("{lead}{}", lent_anew(&ty));
        }
        types.push_str(&ty);
        types.push(' ');
        Ok((
            format!("{before_name}{}", writing.param.replace("{name}", &input.name).replace("{type}", &ty)),
            lead,
        ))
    }

    /// Type parameters of the function around that the new one needs too.
    pub(super) fn generics(&self, types: &str, of_params: &str) -> Result<Generics, Refused> {
        let syntax = &self.scene.syntax;
        let nothing = Generics::default();
        let Some(member) = self.site.member else { return Ok(nothing) };
        let words = |text: &str| -> BTreeSet<String> {
            text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).map(str::to_owned).collect()
        };
        let (used, in_types) = (words(syntax.slice(self.part.range)), words(types));
        let list_of = |node: NodeId| {
            let by_kind = || syntax.named(node).find(|id| syntax.kind(*id) == "type_parameters");
            syntax.field(node, "type_parameters").or_else(by_kind)
        };
        // A function beside an implementation takes its parameters too.
        let holder = self.site.beside.filter(|_| self.site.block.is_none());
        let holders: Vec<NodeId> = holder.into_iter().chain([member]).collect();
        if self.site.beside.is_some() && (in_types.contains("Self") || used.contains("Self")) {
            return self.refuse("it needs a type that only the implementation around it knows");
        }
        let lists: Vec<NodeId> = holders.iter().filter_map(|node| list_of(*node)).collect();
        let mut written: Vec<&str> =
            lists.iter().flat_map(|list| syntax.named(*list).map(|id| syntax.text_of(id))).collect();
        written.sort_by_key(|parameter| !parameter.starts_with('\''));
        let parameters: Vec<String> = written.iter().map(|parameter| first_word(parameter)).collect();
        if !parameters.iter().any(|name| used.contains(name) || in_types.contains(name)) {
            return Ok(nothing);
        }
        let can_guess = self.writing.result == "{type} ";
        let brackets = self.writing.type_arguments;
        // Lifetimes are found where they are used.
        let of_types = parameters.iter().filter(|name| !name.starts_with('\''));
        let is_told = |types: &BTreeSet<String>| of_types.clone().all(|name| types.contains(name));
        let is_told_by_call = is_told(&words(of_params));
        // Nothing is expected of what another call is made on.
        let is_object = self.part.is_value && syntax.node(self.part.nodes[0]).field == "object";
        let is_lost = brackets.is_empty() && !is_told_by_call && (!can_guess || is_object);
        if is_lost {
            return self.refuse("it needs a type parameter that a call could not tell");
        }
        let bounds_of = |node: NodeId| {
            syntax.named(node).find(|id| has("where_clause type_constraints", syntax.kind(*id)))
        };
        let all: Vec<&str> =
            holders.iter().filter_map(|node| bounds_of(*node)).map(|id| syntax.text_of(id)).collect();
        let bounds = match all[..] {
            [] => String::new(),
            [only] => format!(" {only}"),
            _ => {
                let plain =
                    all.iter().map(|text| text.trim_start_matches("where").trim().trim_end_matches(','));
                format!(" where {}", plain.collect::<Vec<_>>().join(", "))
            }
        };
        let list = match lists[..] {
            [only] => syntax.text_of(only).to_owned(),
            _ => format!("<{}>", written.join(", ")),
        };
        let space = if self.writing.result == "{type} " || syntax.text_of(member).contains("fun <") {
            " "
        } else {
            ""
        };
        let needs_arguments = !brackets.is_empty() && !is_told_by_call;
        let arguments = needs_arguments.then(|| {
            let (open, close) = brackets.split_at(brackets.len() - 1);
            let types: Vec<&str> = of_types.clone().map(String::as_str).collect();
            format!("{open}{}{close}", types.join(", "))
        });
        Ok(Generics { list: format!("{list}{space}"), bounds, arguments: arguments.unwrap_or_default() })
    }

    /// Whether the part needs a type parameter that the receiver of its method names.
    pub(super) fn names_one_of(&self, receiver: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        let in_list = |id: &NodeId| syntax.ancestors(*id).any(|up| syntax.kind(up) == "type_arguments");
        let names = syntax.below(receiver).into_iter().filter(in_list);
        let names: Vec<&str> = names.map(|id| syntax.text_of(id)).collect();
        let mut inside = self.part.nodes.iter().flat_map(|id| syntax.below(*id));
        inside.any(|id| syntax.kind(id) == "type_identifier" && names.contains(&syntax.text_of(id)))
    }

    /// A type of an implementation of a trait as it is written outside of it: `Self` and the types that the implementation
    /// gives names to.
    pub(super) fn outside_block(&self, ty: &str) -> String {
        let syntax = &self.scene.syntax;
        let implementation = self.site.beside.filter(|id| syntax.kind(*id) == "impl_item");
        let own = implementation.and_then(|id| Some((syntax.field(id, "type")?, syntax.field(id, "body")?)));
        let Some((own, body)) = own else { return ty.to_owned() };
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut out = String::new();
        let mut rest = ty;
        while let Some((before, after)) = rest.split_once("Self") {
            out.push_str(before);
            rest = after;
            if before.ends_with(is_part) || after.starts_with(is_part) {
                out.push_str("Self");
                continue;
            }
            let name = after.strip_prefix("::").unwrap_or("").split(|c| !is_part(c)).next().unwrap_or("");
            let is_named =
                |id: &NodeId| syntax.field(*id, "name").is_some_and(|at| syntax.text_of(at) == name);
            let named = syntax.named(body).find(is_named).and_then(|id| syntax.field(id, "type"));
            if named.is_some() {
                rest = &after["::".len() + name.len()..];
            }
            out.push_str(syntax.text_of(named.unwrap_or(own)));
        }
        out + rest
    }

    /// The conditions under which what the part is taken from is compiled, with the lines that they stand on.
    pub(super) fn conditions(&self, indent: &str) -> String {
        let syntax = &self.scene.syntax;
        let mut lines = String::new();
        let inside = syntax.ancestors(self.part.nodes[0]).take_while(|id| *id != self.part.function);
        for node in self.site.beside.into_iter().chain(self.site.member).chain(inside) {
            let around = syntax.parent(node).map_or(&[][..], |parent| syntax.children(parent));
            let before = around.iter().take_while(|id| **id != node);
            let mut own: Vec<NodeId> = Vec::new();
            for id in before.filter(|id| !syntax.node(**id).is_extra) {
                if syntax.kind(*id) == "attribute_item" { own.push(*id) } else { own.clear() }
            }
            for text in own.into_iter().map(|id| syntax.text_of(id)).filter(|text| text.starts_with("#[cfg("))
            {
                lines.push_str(&format!("{indent}{text}\n"));
            }
        }
        lines
    }

    /// Whether a statement is what its block gives: a bare value at its end, or something whose branches end so.
    pub(super) fn gives_value_of_block(&self, last: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        let is_end = |id: NodeId| {
            let block = syntax.parent(id);
            block.is_some_and(|block| syntax.kind(block) == "block" && syntax.named(block).last() == Some(id))
        };
        let is_bare = |id: NodeId| {
            (syntax.is_expression(id) || syntax.is_in(id, syntax.shape.atoms))
                && (is_end(id) || syntax.stands_in(id, "match_arm.value"))
        };
        let of_rust = syntax.shape.this == "self"
            && is_end(last)
            && !syntax.text_of(last).ends_with(';')
            && syntax.run_by(last).into_iter().any(is_bare);
        of_rust || ends_branch(syntax, last)
    }

    /// A returned reference borrows from the only one that is passed in.
    pub(super) fn is_lent_from_one(&self, params: &[String], result: &str) -> Result<(), Refused> {
        let is_reference = result.contains('&') && !result.contains("&'");
        let borrowed = params.iter().filter(|param| param.contains('&')).count();
        if self.scene.syntax.shape.this == "self" && is_reference && borrowed != 1 {
            return self.refuse("it returns a reference, and which one it borrows from is not known");
        }
        Ok(())
    }

    /// Whether the value is a call whose results go to several names.
    pub(super) fn is_split(&self, value: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        let list = syntax
            .parent(value)
            .filter(|id| syntax.kind(*id) == "expression_list" && syntax.named(*id).count() == 1);
        let left = list.and_then(|list| syntax.field(syntax.parent(list)?, "left"));
        left.is_some_and(|left| syntax.named(left).count() > 1) && syntax.is_in(value, syntax.shape.calls)
    }

    /// The types of a call that gives several values, where a function may give them on.
    pub(super) fn several_of(&self, value: NodeId) -> Option<String> {
        if self.writing.several_types.is_empty() || !self.is_split(value) {
            return None;
        }
        let types: Option<Vec<String>> = self.scene.results_of(value)?.into_iter().collect();
        let (open, close) = self.writing.several_types.split_at(1);
        types.filter(|types| types.len() > 1).map(|types| format!("{open}{}{close}", types.join(", ")))
    }

    /// Whether a value that is not copied is borrowed: the words that must stand before its name and its type.
    pub(super) fn reference(&self, input: &Crossing, ty: &str) -> Result<&'static str, Refused> {
        let (syntax, scene) = (&self.scene.syntax, self.scene);
        let copied = "bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64";
        if has(copied, ty) || ty.starts_with('&') && !ty.starts_with("&mut") || input.is_written {
            return Ok("");
        }
        // A value that is borrowed mutably is reborrowed.
        if lent_anew(ty).starts_with("&mut ") && !ty.contains("impl ") {
            return Ok("");
        }
        let is_used_later =
            self.flow.of_variable(input.variable).any(|m| m.range.start >= self.part.range.end)
                || syntax
                    .ancestors(syntax.around(self.part.range))
                    .any(|id| syntax.is_in(id, syntax.shape.loops));
        let declared = syntax.around(input.declared);
        let is_mutable = syntax.parent(declared).is_some_and(|parent| {
            syntax.children(parent).iter().any(|id| syntax.kind(*id) == "mutable_specifier")
        });
        if !is_used_later && !is_mutable {
            return Ok("");
        }
        if ty.contains("impl ") || ty.contains('\'') {
            let message = format!("`{}` is borrowed, and how it could be passed on is not known", input.name);
            return scene.form(message, input.declared);
        }
        let borrowed = |range: TextRange| {
            let node = syntax.around(range);
            syntax.stands_in(node, "field_expression.value")
                || syntax.parent(node).is_some_and(|up| {
                    syntax.kind(up) == "index_expression" && syntax.named(up).next() == Some(node)
                })
        };
        let mut inside = self.flow.of_variable(input.variable).filter(|m| self.part.range.encloses(m.range));
        if is_used_later && inside.all(|m| borrowed(m.range)) {
            return Ok(if is_mutable { "&mut " } else { "&" });
        }
        let message = format!("`{}` is moved, or its use cannot be borrowed", input.name);
        scene.form(message, input.declared)
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
        let word_of = |word: &str| if self.is_under(word) { format!("{word} ") } else { String::new() };
        template
            .replace("{const}", &word_of("const"))
            .replace("{unsafe}", &word_of("unsafe"))
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

    /// Whether the code stands in a function with this word before it, or in a block with it.
    fn is_under(&self, word: &str) -> bool {
        let syntax = &self.scene.syntax;
        let says = |id: NodeId| {
            let mut words = syntax.named(id).filter(|id| syntax.kind(*id) == "function_modifiers");
            words.any(|words| syntax.text_of(words).split_whitespace().any(|w| w == word))
        };
        let mut around = syntax.ancestors(self.part.nodes[0]).take_while(|id| *id != self.part.function);
        says(self.part.function) || around.any(|id| syntax.kind(id).strip_suffix("_block") == Some(word))
    }

    /// The exceptions that may be thrown: those that the method declares, and those that are caught around
    /// the part.
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

/// The text of a type outside of brackets.
fn outside_brackets(ty: &str) -> String {
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

/// The type of a reference that can be written through without the lifetime that its owner gave it.
fn lent_anew(ty: &str) -> String {
    let rest = ty.strip_prefix("&'").and_then(|rest| rest.split_once(" mut "));
    rest.map_or_else(|| ty.to_owned(), |(_, to)| format!("&mut {to}"))
}

/// Whether an expression of Kotlin is the end of a branch whose value is used: of an `if`, a `when`, or a `try`.
fn ends_branch(syntax: &Syntax, last: NodeId) -> bool {
    const WHOLE: &str = "if_expression when_expression try_expression";
    let is_value = syntax.is_expression(last) || syntax.is_in(last, syntax.shape.atoms);
    if !syntax.shape.value_field.is_empty() || !is_value {
        return false;
    }
    let (mut at, mut is_branch) = (last, false);
    while let Some(up) = syntax.parent(at) {
        match syntax.kind(up) {
            "block" if syntax.named(up).rfind(|id| !syntax.node(*id).is_extra) != Some(at) => {
                return false;
            }
            "block" | "catch_block" => {}
            "when_entry" if syntax.named(up).last() == Some(at) => {}
            "if_expression" if syntax.stands_in(at, "if_expression.condition") => return is_branch,
            "if_expression" | "try_expression" => is_branch = true,
            "when_expression" if syntax.kind(at) == "when_entry" => is_branch = true,
            // The value of a function with a block is what it returns, and that of a loop nothing.
            "function_body" => return is_branch && syntax.kind(at) != "block",
            "finally_block" | "for_statement" | "while_statement" | "do_while_statement" | "source_file" => {
                return false;
            }
            _ => return is_branch && syntax.is_in(at, WHOLE),
        }
        at = up;
    }
    false
}
