//! Whether a refusal holds, as far as its reason tells.

use serde_json::Value;

/// The class of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There is nothing at this place that the change is about.
    NothingToTry,
    /// A careful programmer would refuse too.
    True,
    /// It could have been done.
    Wrong,
}

/// Said of places at which there is nothing to be changed.
const NOTHING: &[&str] = &[
    "there is no whole expression here",
    "there are no whole statements here",
    "the selection cuts through a statement",
    "nothing is selected",
    "it is not part of a function",
    "it is not part of a statement in a function",
    "only local variables, functions and methods can be inlined",
    "it has no initial value of its own",
    "nothing uses it",
    "nothing calls it",
    "a constructor cannot be inlined",
    "a function without a body cannot be inlined",
    "only functions and methods have a signature",
    "nothing is declared there",
    "the test runner calls it",
    "is not declared at the top of",
    "is a method: it lies in the package of its type",
    "is not static",
    "the language has no static members",
    "is not a member of a type",
    "is declared in `…` already",
    "is a file; ide_move_file moves it",
];

/// Reasons that lie in the code and not in what is known of it: something would happen at another time, more often, or not
/// at all; or the language has no way to write the result.
const TRUE: &[&str] = &[
    // extract-variable
    "the callee would lose its receiver",
    "this is written to or names a place",
    "an assignment is not a value",
    "naming it would move the value out of its place",
    "its type comes from the place where it stands",
    "its type arguments come from the place where it stands",
    "a variable cannot be put before it",
    "something is written before it in the same statement",
    "this call gives no value",
    "this call gives several values",
    "relies on this test, and would not see it behind a name",
    // extract-method
    "it relies on a test before it, which the new function would not know",
    "it yields a value to the caller of the generator",
    "it leaves the function early",
    "deferred calls would run at the end of the new function",
    "it always throws, and the compiler would not know that of a call",
    "it leaves a loop that is not selected",
    "it returns from inside of a lambda",
    "it returns on some paths only",
    "it returns from the function and assigns a variable",
    "it gives several variables a value, and a function gives one here",
    "it gives both new and old variables a value",
    "it uses `super` inside a lambda",
    "only a constructor may",
    "it stands in a function that has an object of its own",
    "it works on an object that the new function would not have",
    "an implementation of a trait can have no further methods",
    "the method owns its object",
    "belongs to a function around this one and is written here",
    "is written here and read in a function that sees it",
    "may not have a value yet",
    "keeps its value from round to round",
    // inline
    "it is written more than once",
    "it can be changed where it is used",
    "the statement declares more, or does something else too",
    "its value is computed once, and would be computed more often or later",
    "its value has side effects, and they would happen at another time",
    "changes, and the value would be read later",
    "is written before the value is used",
    "it is used inside of a text, where no value can stand",
    "this use gives something its name",
    "it is used in a place that takes a name only",
    "it is used as a place, not as a value",
    "its value cannot stand inside of a text",
    "another declaration overrides it, or is overridden by it",
    "it may stand for a method of a supertype that is not in the project",
    "may stand for a member of a supertype that is not in the project",
    "is not visible here",
    "the language or its library calls a function of this name by itself",
    "cannot be inlined",
    "a decorator stands above it, and calls go through that",
    "it is exported again here, and others would miss it",
    "it writes its parameter",
    "its body waits, yields, or leaves early",
    "its body uses `super`",
    "it is used here without being called",
    "which is not visible here",
    "its body uses a type parameter of its own",
    "its arguments are spread from a list",
    "several arguments have side effects, and their order would change",
    "has side effects, and is used",
    "would be evaluated at another time",
    "the body writes something before it uses",
    "the body does something before it uses",
    "its variables would be seen outside of a function",
    "the expression before the call has side effects",
    "the object of the call is made there, and would be made more often",
    "its value is not used here, and could not stand as a statement",
    "its body has several statements",
    "it gives several values, or none",
    "it calls itself",
    "means this function",
    "means something else here",
    "the compiler narrows types by its declaration, which its body would not do",
    "a function in its body has the object without naming it",
    "it is called here at another time",
    "would see variables of other rounds",
    "would keep its value from round to round",
    "the compiler narrows `…`, which it would not do with the argument",
    "its result is waited for",
    "the compiler narrows the variable by this test, but would not narrow its value",
    "it is called only where its object is there",
    // change-signature
    "its overloads have other parameters",
    "the parameter that takes any number of arguments must stay the last one",
    "follows a parameter with a default value and has none",
    "are made in another order",
    "shares its lines with other code",
    // move
    "is declared together with",
    "is not exported where it is declared",
    "it has another name where it is declared",
    "is the default export of its module",
    "is private, and would be used from outside",
    "is visible in its own package only",
    "would not be visible any more where it is used",
    "while it is read",
    "belong to different crates",
    "declare the module first",
    "the file must be named after",
    "stays behind and gets new values",
    "asks for modules by `…`",
    "comes from `…`, and does not go along",
    "is not a file of the same language",
    "is not another file of the same language",
    "makes the file depend on the directory",
    "would import itself through others",
    "is a program and cannot be imported",
    "which lies outside of `…`",
    "is internal to",
    "lie in different packages",
    "is used here through a value",
    "it uses `…` of its object",
    "is declared inside of something else",
    "overrides something, or is overridden",
    "is an enumeration",
    "nothing can be declared in",
    "has no `…` block of its own",
    "lies below no directory of sources",
    "is not a type",
    "is compiled under a condition only",
];

/// Kinds of conflicts that a new name, which occurs nowhere, gives no cause for.
const NEVER: &[&str] = &["collision", "meaning_changes", "syntax", "invalid_name"];

/// The kind of the first conflict, else the word of the error.
pub(super) fn kind_of(error: &Value) -> &str {
    let kind = error["conflicts"][0]["kind"].as_str().or_else(|| error["error"].as_str());
    kind.unwrap_or("unknown")
}

/// Whether a refusal of a tool holds, and its reason without the names in it.
pub(super) fn verdict_of(tool: &str, error: &Value) -> (Verdict, String) {
    let kind = kind_of(error);
    let message = error["conflicts"][0]["message"].as_str().or_else(|| error["message"].as_str());
    let message = without_names(message.unwrap_or_default());
    let says = |list: &[&str]| list.iter().any(|reason| message.contains(reason));
    let is_conflict = error["error"] == "refactoring_conflict";
    let lacks_reason = kind == "unsupported_form" && (tool == "ide_refactor_rename" || !says(TRUE));
    let verdict = if is_conflict && says(NOTHING) || kind == "symbol_not_found" {
        Verdict::NothingToTry
    } else if tool == "ide_refactor_move" && (kind == "collision" || says(TRUE)) {
        // Neither may a declaration.
        Verdict::True
    } else if tool == "ide_move_file" || tool == "ide_optimize_imports" {
        // A file may well not be able to go where chance would have it.
        Verdict::True
    } else if !is_conflict || NEVER.contains(&kind) || lacks_reason {
        Verdict::Wrong
    } else {
        Verdict::True
    };
    (verdict, format!("{kind}: {message}"))
}

/// A message with `…` for everything quoted.
fn without_names(message: &str) -> String {
    let parts = message.split('`').enumerate().map(|(i, part)| if i % 2 == 0 { part } else { "`…`" });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict(tool: &str, kind: &str, message: &str) -> Verdict {
        let conflict = json!({"kind": kind, "message": message});
        verdict_of(tool, &json!({"error": "refactoring_conflict", "conflicts": [conflict]})).0
    }

    #[test]
    fn a_reason_in_the_code_holds_and_a_lack_of_knowledge_does_not() {
        let inline = "ide_refactor_inline";
        assert_eq!(verdict(inline, "unsupported_form", "it writes its parameter `a`"), Verdict::True);
        assert_eq!(verdict(inline, "unsupported_form", "the type of `a` is not known"), Verdict::Wrong);
        assert_eq!(verdict(inline, "meaning_changes", "`a` would not mean the same"), Verdict::Wrong);
        assert_eq!(verdict(inline, "unsupported_form", "nothing calls it; delete it"), Verdict::NothingToTry);
        assert_eq!(
            verdict("ide_refactor_rename", "unsupported_form", "it writes its parameter"),
            Verdict::Wrong
        );
        assert_eq!(verdict("ide_refactor_rename", "in_use", ""), Verdict::True);
        assert_eq!(
            verdict_of(inline, &json!({"error": "internal"})),
            (Verdict::Wrong, "internal: ".to_owned())
        );
    }

    #[test]
    fn reasons_are_counted_without_their_names() {
        assert_eq!(without_names("`a` is written and `b` read"), "`…` is written and `…` read");
    }
}
