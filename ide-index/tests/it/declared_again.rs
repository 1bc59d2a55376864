//! Renames in TypeScript of what is declared in several places, or taken through types that are computed from others.

use crate::refactor::{refuses, renames};

#[test]
fn type_parameters_of_all_parts_are_renamed_together() {
    let code = |t: &str, caret: &str| {
        format!(
            "interface Box<{t}> {{ a: {t} }}\ninterface Box<{caret}{t}> {{ b: {t} }}\nconst x: Box<number> = {{ a: 1, b: 2 }};\n"
        )
    };
    renames(&format!("//- a.ts\n{}", code("T", "<caret>")), "E", &[("a.ts", &code("E", ""))]);
}

#[test]
fn a_key_of_which_a_mapped_type_makes_another_keeps_its_name() {
    let getters = "type Getters<T> = { [P in keyof T & string as `get${Capitalize<P>}`]: () => T[P] };\ntype More<T> = Getters<T>;\n";
    for code in [
        "const g: Getters<{ n<caret>ame: string }> = { getName: () => '' };\n",
        "interface P { n<caret>ame: string }\nexport const g: More<P> = { getName: () => '' };\n",
        "type P = { n<caret>ame: string };\nexport const g: Getters<P> = { getName: () => '' };\n",
    ] {
        refuses(&format!("//- a.ts\n{getters}{code}"), "title", &["unresolved_use"]);
    }
    let other = "interface P { name: string }\nexport const p: P = { name: '' };\nexport type Q = Getters<{ size: 1 }>;\n";
    renames(
        &format!("//- a.ts\n{getters}{}", other.replacen("name", "n<caret>ame", 1)),
        "title",
        &[("a.ts", &format!("{getters}{}", other.replace("name", "title")))],
    );
    let kept = "type Some<T> = { [P in keyof T as Exclude<P, 'b'>]: T[P] };\ninterface P { name: string }\nexport const p: Some<P> = { name: '' };\n";
    renames(
        &format!("//- a.ts\n{}", kept.replacen("name", "n<caret>ame", 1)),
        "title",
        &[("a.ts", &kept.replace("name", "title"))],
    );
}

/// Each alias names all others, so the ways through them are many.
#[test]
fn aliases_of_each_other_are_followed_once() {
    let ring = |to: usize| {
        (0..12).map(move |from| if from == to { String::new() } else { format!("b{from}: A{from}<T>; ") })
    };
    let aliases: String =
        (0..12).map(|to| format!("type A{to}<T> = {{ {}}};\n", ring(to).collect::<String>())).collect();
    let code = format!("{aliases}interface P {{ name: string }}\nexport let a: A0<P>;\n");
    renames(
        &format!("//- a.ts\n{}", code.replacen("name", "n<caret>ame", 1)),
        "title",
        &[("a.ts", &code.replace("name", "title"))],
    );
}

#[test]
fn an_object_that_is_handed_over_to_a_function_has_the_keys_of_its_this() {
    let code = "function log(this: { prefix: string }, text: string) { return this.prefix + text; }\nlog.call({ prefix: 'p' }, 't');\nlog.bind({ prefix: 'q' });\n";
    let wanted = code.replace("prefix", "head");
    renames(
        &format!("//- a.ts\n{}", code.replacen("prefix", "p<caret>refix", 1)),
        "head",
        &[("a.ts", &wanted)],
    );
    let at_key = code.replacen("{ prefix: 'p'", "{ p<caret>refix: 'p'", 1);
    renames(&format!("//- a.ts\n{at_key}"), "head", &[("a.ts", &wanted)]);
}
