//! Tokens of a language in any order, by seed, and its openers repeated.

/// A file name and the tokens of its language.
const TOKENS: [(&str, &str); 10] = [
    (
        "A.java",
        "class interface enum record { } ( ) [ ] < > , ; : :: -> = == + - * ? . @ a b target int \"s\" 1 new if else for \
        switch case default return this super extends implements static import package try catch /* */ \"\"\" 'c' var sealed",
    ),
    (
        "a.kt",
        "class interface object fun val var { } ( ) [ ] < > , ; : :: -> = == + - ? ?. ?: !! . @ a b target Int \" ${ $a \"\"\" 1 \
        if else for when is in as by return this super typealias import package try companion init 'c' /* */ `",
    ),
    (
        "a.py",
        "class def lambda if elif else for while with match case : ( ) [ ] { } , = == := -> + - ** * @ . a b target 1 's' f'{ }' \
        '''  return yield await async not and or in is import from as global del \n \n\t \\ #",
    ),
    (
        "a.ts",
        "class interface type enum namespace function const let var { } ( ) [ ] < > , ; : => = === + - ** * ? ?. ?? . @ a b \
        target 1 's' ` ${ extends infer keyof typeof readonly if else for switch case return this new import export from as /r/ </a> <a> | &",
    ),
    (
        "a.js",
        "class function const let var async await { } ( ) [ ] < > , ; : => = === + - ** * ? ?. ?? . # @ a b target 1 's' ` ${ \
        extends if else for switch case return this new import export from as /r/ / </a> <a> /* */ get set static yield ...",
    ),
    (
        "a.tsx",
        "class interface type function const { } ( ) [ ] < > </ /> , ; : => = ? . a b target 1 's' ` ${ extends keyof <a> </a> \
        <> </> <a.b return import export | & {...a}",
    ),
    (
        "a.go",
        "package func type struct interface map chan var const { } ( ) [ ] , ; : := = == + - * & <- ... . a b target 1 's' \"s\" ` \
        if else for range switch case select go defer return import iota ~ | \n",
    ),
    (
        "a.php",
        "<?php ?> class interface trait enum function fn use { } ( ) [ ] , ; : :: -> ?-> => = == . + - ** ?? ? $ $a $target a b 1 \
        's' \" {$ ${ <<<A\n \nA; #[ if else foreach switch match case return new static self parent namespace \\ /** */ @var",
    ),
    (
        "src/lib.rs",
        "mod fn struct enum trait impl type use const static macro_rules! { } ( ) [ ] < > , ; : :: -> => = == + - * & && | || ? \
        . .. # ! $ 'a 'c' a b target 1 \"s\" r#\" if else for match while loop return self Self super crate where dyn as pub /* */",
    ),
    (
        "a.vue",
        "<template> </template> <script> </script> <p </p> > {{ }} { } ( ) v-for=\" :a=\" @b=\" const = => a target 1 ` ${",
    ),
];

/// Characters that nobody types, among the tokens of the last seed.
const ODD: &str =
    "\u{feff} \0 \r \r\n \u{2028} \u{202e} \u{301} \u{1d4b3} \u{85} \u{c} \u{200d} \u{fffd} é ß";

/// The seeds of each language; the last one is that with odd characters.
const SEEDS: u64 = 4;

/// Openers, and what opens in several tokens.
const OPENERS: [(&str, &[&str]); 9] = [
    (
        "A.java",
        &[
            "(",
            "[",
            "{",
            "<",
            "class A {",
            "interface A {",
            "void f() {",
            "/*",
            "\"\"\"",
            "@A(",
            "a -> {",
            "if (",
            "switch (a) {",
            "new A() {",
            "A<",
            "case ",
            "try {",
            "a ?",
            "(A) ",
        ],
    ),
    (
        "a.kt",
        &[
            "(",
            "[",
            "{",
            "<",
            "class A {",
            "fun f() {",
            "object {",
            "\"${",
            "\"\"\"${",
            "/*",
            "`",
            "@A(",
            "if (",
            "when (",
            "a<",
            "typealias A = ",
            "fun ",
            "val a by ",
            "try {",
        ],
    ),
    (
        "a.py",
        &[
            "(",
            "[",
            "{",
            "class A:\n ",
            "def f(",
            "lambda: ",
            "f'{",
            "f\"\"\"{",
            "'''",
            "if ",
            "match a:\n ",
            "case ",
            "not ",
            "@",
            "with (",
            "a if ",
            "*",
            "await ",
        ],
    ),
    (
        "a.ts",
        &[
            "(",
            "[",
            "{",
            "<",
            "class A {",
            "interface A {",
            "namespace A {",
            "`${",
            "/*",
            "function f(",
            "a => ",
            "(a) => {",
            "type A = ",
            "a ? ",
            "keyof ",
            "@a ",
            "a<",
            "new ",
            "infer A extends ",
            "enum A {",
            "declare module 'a' {",
        ],
    ),
    (
        "a.js",
        &[
            "(",
            "[",
            "{",
            "class A {",
            "function f() {",
            "`${",
            "/",
            "/*",
            "a => ",
            "async ",
            "new ",
            "<a ",
            "<a>{",
            "!",
            "label: ",
            "if (",
            "import(",
            "export { a as ",
        ],
    ),
    (
        "a.go",
        &[
            "(",
            "[",
            "{",
            "func f() {",
            "func(",
            "struct {",
            "interface {",
            "map[",
            "chan ",
            "*",
            "[]",
            "`",
            "/*",
            "if a {",
            "switch {",
            "case ",
            "package a\n",
            "a[",
            "<-",
        ],
    ),
    (
        "a.php",
        &[
            "<?php (",
            "<?php [",
            "<?php {",
            "<?php class A {",
            "<?php \"{$a[",
            "<?php <<<A\n{$",
            "<?php #[A(",
            "<?php $",
            "<?php fn() => ",
            "<?php namespace A {",
            "<?php ?>",
            "<?php /**",
            "<?php match(a) { ",
            "<?php !",
        ],
    ),
    (
        "src/lib.rs",
        &[
            "(",
            "[",
            "{",
            "<",
            "mod a {",
            "trait A {",
            "macro_rules! a {",
            "impl A {",
            "fn f() {",
            "|",
            "&",
            "'a ",
            "'a: ",
            "r#\"",
            "/*",
            "#[",
            "a!{",
            "match a {",
            "use a::{",
            "<A as ",
            "if let ",
            "A<",
            "for<'a> ",
            "dyn ",
            "!",
            "*",
            "pub(",
            "where A: ",
            "extern \"C\" {",
            "unsafe {",
            "enum A {",
            "struct A {",
        ],
    ),
    ("a.vue", &["<p>", "{{", "<template>", "<script>", "<!--", "<p a=\"", "<script>\n`${"]),
];

/// Files and seeds.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, u64)> {
    TOKENS.iter().flat_map(|(file, _)| (0..SEEDS).map(move |seed| (*file, seed)))
}

pub(crate) fn openers() -> impl Iterator<Item = (&'static str, &'static str)> {
    OPENERS.iter().flat_map(|(file, openers)| openers.iter().map(move |opener| (*file, *opener)))
}

/// So many tokens in an order that follows from the seed.
pub(crate) fn text(file: &str, seed: u64, size: usize) -> String {
    let tokens = TOKENS.iter().find(|(name, _)| *name == file).map_or("", |(_, tokens)| tokens);
    let odd = ODD.split(' ').filter(|_| seed + 1 == SEEDS);
    let tokens: Vec<&str> = tokens.split(' ').chain(odd).collect();
    // The generator of Knuth's MMIX; the upper bits are the random ones.
    let mut state = seed.wrapping_mul(2) + 1;
    let mut text = String::new();
    for _ in 0..size {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += tokens[(state >> 33) as usize % tokens.len()];
        text.push(if state >> 60 == 0 { '\n' } else { ' ' });
    }
    text
}
