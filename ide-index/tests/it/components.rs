//! Renaming and deleting what the markup of Vue, Svelte and Astro components uses.

use ide_model::Refactoring;

use crate::refactor::{Outcome, change, moved, renames};

fn deletes(source: &str) -> Outcome {
    change(source, |symbol, plan| plan(&Refactoring::SafeDelete { symbol, in_spite: false }))
}

const FORM: &str =
    "<script>\n  export let value = 0;\n  export let on = true;\n</script>\n{#if on}{value}{/if}\n";

#[test]
fn markup_of_svelte_follows_a_variable() {
    let page = |name: &str, markup: &str| {
        format!(
            "<script>\n  import Form from './Form.svelte';\n  let {name} = 1;\n  const f = (value) => value;\n</script>\n{markup}"
        )
    };
    let source = page(
        "value",
        "<Form {value} on={value > 1} /><Form bind:value />\n<p class:value title=\"{value} ü\">{f(value)}</p>\n{#each [1] as value}{value}{/each}\n",
    );
    let source = source.replacen("let value", "let va<caret>lue", 1);
    let wanted = page(
        "count",
        "<Form value={count} on={count > 1} /><Form bind:value={count} />\n<p class:value={count} title=\"{count} ü\">{f(count)}</p>\n{#each [1] as value}{value}{/each}\n",
    );
    renames(
        &format!("//- Form.svelte\n{FORM}//- Page.svelte\n{source}"),
        "count",
        &[("Page.svelte", &wanted)],
    );
}

#[test]
fn properties_of_astro_are_renamed_both_ways() {
    let card = "---\ninterface Props { na<caret>me: string }\nconst { name } = Astro.props;\n---\n<p>it's {name}</p>\n";
    let page = "---\nimport Card from './Card.astro';\nconst name = 'a';\n---\n<br>\n<Card {name} /><Card name={`${name}`} client:load>{name}</Card>\n";
    renames(
        &format!("//- Card.astro\n{card}//- Page.astro\n{page}"),
        "title",
        &[
            (
                "Card.astro",
                "---\ninterface Props { title: string }\nconst { title: name } = Astro.props;\n---\n<p>it's {name}</p>\n",
            ),
            (
                "Page.astro",
                "---\nimport Card from './Card.astro';\nconst name = 'a';\n---\n<br>\n<Card title={name} /><Card title={`${name}`} client:load>{name}</Card>\n",
            ),
        ],
    );
}

#[test]
fn code_and_astro_follow_each_other() {
    let page = "---\nimport { us<caret>er } from './s';\n---\n{user && <b>don't</b>}\n<script>\nimport { user } from './s';\nuser;\n</script>\n";
    let wanted = "---\nimport { owner } from './s';\n---\n{owner && <b>don't</b>}\n<script>\nimport { owner } from './s';\nowner;\n</script>\n";
    renames(
        &format!("//- s.ts\nexport const user = 1;\n//- Page.astro\n{page}"),
        "owner",
        &[("Page.astro", wanted), ("s.ts", "export const owner = 1;\n")],
    );
}

#[test]
fn markup_of_svelte_follows_a_property_of_a_component() {
    let form = FORM.replacen("let value", "let va<caret>lue", 1);
    let page = "<script>\n  import Form from './Form.svelte';\n  let value = 1;\n</script>\n<Form {value} /><Form bind:value /><Form value={2} /><input bind:value />\n";
    let wanted = "<script>\n  import Form from './Form.svelte';\n  let value = 1;\n</script>\n<Form count={value} /><Form bind:count={value} /><Form count={2} /><input bind:value />\n";
    renames(
        &format!("//- Form.svelte\n{form}//- Page.svelte\n{page}"),
        "count",
        &[("Form.svelte", &FORM.replace("value", "count")), ("Page.svelte", wanted)],
    );
}

#[test]
fn a_store_keeps_its_dollar() {
    renames(
        "//- A.svelte\n<script>\n  import { us<caret>er } from './s';\n  $: name = $user.name;\n</script>\n{name}{$user}\n//- s.js\nexport const user = {};\n",
        "who",
        &[
            (
                "A.svelte",
                "<script>\n  import { who } from './s';\n  $: name = $who.name;\n</script>\n{name}{$who}\n",
            ),
            ("s.js", "export const who = {};\n"),
        ],
    );
}

#[test]
fn markup_of_vue_follows_the_script() {
    renames(
        "//- A.vue\n<template>\n  <Box :row @pick=\"row = $event\" :class=\"{ row }\">{{ row }}</Box>\n  <p v-for=\"row in []\">{{ row }}</p>\n</template>\n<script setup>\nimport Box from './Box.vue';\nlet r<caret>ow = 1;\n</script>\n<style>p { width: v-bind(row); }</style>\n//- Box.vue\n<script setup>\ndefineProps({ row: Number });\n</script>\n",
        "line",
        &[(
            "A.vue",
            "<template>\n  <Box :row=\"line\" @pick=\"line = $event\" :class=\"{ row: line }\">{{ line }}</Box>\n  <p v-for=\"row in []\">{{ row }}</p>\n</template>\n<script setup>\nimport Box from './Box.vue';\nlet line = 1;\n</script>\n<style>p { width: v-bind(line); }</style>\n",
        )],
    );
    renames(
        "//- A.vue\n<template>\n  <my-box :is-open=\"go()\" />{{ go() }}\n</template>\n<script>\nimport MyBox from './Box.vue';\nexport default {\n  components: { MyBox },\n  methods: { g<caret>o() { return this.go(); } },\n};\n</script>\n//- Box.vue\n<script>\nexport default { props: { isOpen: Boolean }, methods: { go() {} } };\n</script>\n",
        "run",
        &[(
            "A.vue",
            "<template>\n  <my-box :is-open=\"run()\" />{{ run() }}\n</template>\n<script>\nimport MyBox from './Box.vue';\nexport default {\n  components: { MyBox },\n  methods: { run() { return this.run(); } },\n};\n</script>\n",
        )],
    );
}

#[test]
fn markup_of_vue_keeps_its_spelling() {
    renames(
        "//- A.vue\n<template>\n  <my-box :is-open=\"1\" />\n</template>\n<script setup>\nimport MyBox from './Box.vue';\n</script>\n//- Box.vue\n<script>\nexport default { props: { is<caret>Open: Boolean }, computed: { shut() { return !this.isOpen; } } };\n</script>\n",
        "isDone",
        &[
            (
                "A.vue",
                "<template>\n  <my-box :is-done=\"1\" />\n</template>\n<script setup>\nimport MyBox from './Box.vue';\n</script>\n",
            ),
            (
                "Box.vue",
                "<script>\nexport default { props: { isDone: Boolean }, computed: { shut() { return !this.isDone; } } };\n</script>\n",
            ),
        ],
    );
}

#[test]
fn what_the_markup_uses_is_not_deleted() {
    for used in [
        "//- A.vue\n<template><p @click=\"go\">x</p></template>\n<script setup>\nfunction g<caret>o() {}\n</script>\n",
        "//- A.vue\n<template><p @click=\"go\">x</p></template>\n<script>\nexport default { methods: { g<caret>o() {} } };\n</script>\n",
        "//- A.svelte\n<script>\nfunction g<caret>o() {}\n</script>\n<p on:click={go}>x</p>\n",
        "//- A.svelte\n<script>\nfunction g<caret>o() {}\n</script>\n<p use:go>x</p>\n",
    ] {
        assert!(deletes(used).conflicts.contains(&"in_use"), "{used}");
    }
    let unused = "//- A.svelte\n<script>\nfunction g<caret>o() {}\nfunction stay() {}\n</script>\n<p on:click={stay}>go</p>\n";
    assert_eq!(deletes(unused).conflicts, [""; 0]);
}

#[test]
fn importers_follow_a_component() {
    let source = "//- src/App.vue\n<script setup>\nimport Box from '@/ui/Box.vue';\n</script>\n<template><Box :wide=\"1\" /></template>\n//- src/main.ts\nimport Box from './ui/Box.vue';\nexport default Box;\n//- src/ui/Box.vue\n<script setup>\nimport { a } from '../a';\ndefineProps({ wide: Number });\n</script>\n<template>{{ a }} {{ wide }}</template>\n//- src/a.ts\nexport const a<caret> = 1;\n";
    let outcome = moved(source, "src/ui/Box.vue", "src/Pot.vue");
    assert_eq!(outcome.refactored.conflicts, []);
    assert!(outcome.changed["src/App.vue"].contains("import Box from '@/Pot.vue';"), "{:?}", outcome.changed);
    assert!(outcome.changed["src/main.ts"].contains("import Box from './Pot.vue';"), "{:?}", outcome.changed);
    assert!(outcome.changed["src/Pot.vue"].contains("import { a } from './a';"), "{:?}", outcome.changed);
    let outcome = moved(source, "src/ui/Box.vue", "lib/Box.vue");
    assert_eq!(outcome.refactored.conflicts, []);
    assert!(
        outcome.changed["src/App.vue"].contains("import Box from '../lib/Box.vue';"),
        "{:?}",
        outcome.changed
    );
}

#[test]
fn members_of_what_a_function_gives_back_are_renamed_everywhere() {
    renames(
        "//- a.ts\nexport function list() { return { ro<caret>ws: 1 }; }\n//- b.ts\nimport { list } from './a';\nlist().rows;\nconst { rows } = list();\nrows;\n",
        "lines",
        &[
            ("a.ts", "export function list() { return { lines: 1 }; }\n"),
            ("b.ts", "import { list } from './a';\nlist().lines;\nconst { lines: rows } = list();\nrows;\n"),
        ],
    );
}

/// However much is missing from a component, its names stay where they stand.
#[test]
fn damaged_components_are_read() {
    let vue = "<script setup lang=\"ts\" generic=\"T\">\nconst ü = { a: `${1}` };\n</script>\n<template><my-box v-for=\"(x, i) in all\" :key=\"x\" #y=\"{ z = 'ü' }\" @go=\"ü = x\" :short>{{ ü }}</my-box></template>\n<style>a { b: v-bind('ü') }</style>";
    let svelte = "<script generics=\"T\">\n$: ü = 'a';\n</script>\n{#each all as { a, b = `}${1}` }, i (a)}<B {ü} {...b} on:go={() => \"}\"} class:ü let:c=\"{d}\">ü {a}</B>{:else}{/each}{#await p then q}{q}{/await}{#snippet s(é)}{é}{/snippet}";
    for (path, text) in [("A.vue", vue), ("A.svelte", svelte)] {
        let language = ide_model::Language::of_path(path).unwrap();
        let front_end = ide_index::lang::front_end(language).unwrap();
        let cuts = text.char_indices().flat_map(|(at, c)| {
            [text[..at].to_owned(), format!("{}{}", &text[..at], &text[at + c.len_utf8()..])]
        });
        for cut in cuts {
            let facts = front_end.facts(path, &cut);
            for r in facts.refs.iter().filter(|r| !r.range.is_empty()) {
                assert!(cut.get(r.range.start as usize..r.range.end as usize).is_some(), "{cut}");
            }
            for d in facts.defs.iter().filter(|d| !d.name_range.is_empty()) {
                let range = d.name_range.start as usize..d.name_range.end as usize;
                assert_eq!(cut.get(range), Some(facts.name(d.name)), "{cut}");
            }
        }
    }
}

#[test]
fn scopes_of_markup_end_where_elements_do_however_deep_and_broken_it_is() {
    let many = |piece: &str| piece.repeat(2_000);
    for around in
        ["<a>", "<p let:q>", "{#if a}", "{#each a as b}", "{#snippet s(c)}", "{#snippet }", "</u>", "{/if}"]
    {
        let page = format!("<script>\n  let va<caret>lue = [];\n</script>\n{}{{value}}\n", many(around));
        let wanted = page.replace("va<caret>lue", "count").replace("{value}", "{count}");
        renames(&format!("//- A.svelte\n{page}"), "count", &[("A.svelte", &wanted)]);
    }
    let page = format!(
        "<script setup>\n  let va<caret>lue = [];\n</script>\n<template>{}{{{{ value }}}}</template>\n",
        many("<p v-for=\"a in b\"><i></u>")
    );
    let wanted = page.replace("va<caret>lue", "count").replace("{ value }", "{ count }");
    renames(&format!("//- A.vue\n{page}"), "count", &[("A.vue", &wanted)]);
}
