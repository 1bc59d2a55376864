//! Names that could stand at a place.

use ide_index::query;
use ide_model::FilePath;

use crate::context::with_context;

/// The names at the caret with the marks behind them, the likeliest first.
fn names(source: &str) -> Vec<String> {
    with_context(source, |fixture, ctx, _| {
        let at = fixture.caret();
        let found = query::complete(ctx, &FilePath::new(at.path.as_str()), at.start, 2_000);
        let found = found.expect("the file is there").items.into_iter();
        found.map(|completion| format!("{}{}", completion.name, completion.mark)).collect()
    })
}

#[track_caller]
fn offers(source: &str, wanted: &str, never: &str) {
    let all = names(source);
    assert!(all.iter().any(|name| name == wanted), "no {wanted} in {all:?}: {source}");
    assert!(all.iter().all(|name| name != never), "{never} in {all:?}: {source}");
}

#[test]
fn arguments_are_offered_by_name() {
    let python =
        "//- a.py\ndef price(count, *, gross): ...\nclass Cart:\n    def __init__(self, owner): ...\n";
    offers(&format!("{python}price(1, gr<caret>)\n"), "gross=", "count=");
    offers(&format!("{python}price(gross=1, <caret>)\n"), "count=", "gross=");
    offers(&format!("{python}Cart(<caret>)\n"), "owner=", "self=");
    offers(&format!("{python}[1, <caret>]\n"), "price", "gross=");
    let kotlin = "//- a.kt\nfun price(count: Int, gross: Int) = count\nclass Cart(val owner: String)\n";
    offers(&format!("{kotlin}val x = price(1, <caret>)\n"), "gross = ", "owner = ");
    offers(&format!("{kotlin}val x = Cart(<caret>)\n"), "owner = ", "gross = ");
    let php = "//- a.php\n<?php\nfunction price(int $count, int $gross) {}\n";
    offers(&format!("{php}price(1, <caret>);\n"), "gross: ", "owner: ");
    let rust = "//- src/lib.rs\nstruct Cart { owner: u32, size: u32 }\n";
    offers(&format!("{rust}fn f() -> Cart {{ Cart {{ owner: 1, <caret> }} }}\n"), "size", "gross");
    let go = "//- a.go\npackage a\n\ntype Cart struct {\n\tOwner int\n\tSize int\n}\n";
    offers(&format!("{go}\nvar c = Cart{{Owner: 1, <caret>}}\n"), "Size: ", "Owner: ");
    let ts = "//- a.ts\ninterface Cart { owner: string; size: number }\n";
    offers(&format!("{ts}const c: Cart = {{ owner: '', <caret> }};\n"), "size", "gross");
}

/// `$` is offered with the name of a variable, and a class is offered as it is declared, whatever the case of its letters.
#[test]
fn php_variables_are_offered_before_their_sign_is_typed() {
    let php =
        "//- a.php\n<?php\nclass OrderLine {}\nfunction total(array $options, $count) {\n    $orders = [];\n";
    offers(&format!("{php}    return <caret>;\n}}\n"), "$options", "options");
    offers(&format!("{php}    return opt<caret>;\n}}\n"), "$options", "$count");
    offers(&format!("{php}    <caret>[0] = 1;\n}}\n"), "$options", "options");
    offers(&format!("{php}    return <caret>;\n}}\n"), "$_SERVER", "$this");
    offers("//- b.php\n<?php\nclass A {\n    static function f() { return <caret>; }\n}\n", "$_GET", "$this");
    offers("//- b.php\n<?php\nclass A {\n    function f() { return <caret>; }\n}\n", "$this", "this");
    offers(&format!("{php}    return $<caret>;\n}}\n"), "options", "$options");
    offers(&format!("{php}    return new ord<caret>;\n}}\n"), "OrderLine", "$orders");
    offers(&format!("{php}    return ord<caret>;\n}}\n"), "OrderLine", "orderline");
    let all = names(&format!("{php}    new orderline();\n    return ord<caret>;\n}}\n"));
    assert_eq!(all.iter().filter(|name| *name == "OrderLine").count(), 1, "{all:?}");
}

#[test]
fn names_of_javascript_may_have_dollars() {
    let source = "//- a.ts\nclass Store { $emit() {} users$ = 1 }\nconst store = new Store(), total$ = 2;\n";
    offers(&format!("{source}store.<caret>;\n"), "users$", "total$");
    offers(&format!("{source}store.$<caret>;\n"), "$emit", "total");
    offers(&format!("{source}f(tot<caret>);\n"), "total$", "users$");
}

#[test]
fn imports_offer_what_their_module_declares() {
    let python = "//- shop/__init__.py\n//- shop/cart.py\nclass Cart: ...\ndef make(): ...\n//- main.py\n";
    offers(&format!("{python}from shop.cart import <caret>\n"), "make", "while");
    offers(&format!("{python}from shop.cart import Ca<caret>\n"), "Cart", "class");
    let ecma = "//- cart.ts\nexport class Cart {}\nexport function make() {}\n//- main.ts\n";
    offers(&format!("{ecma}import {{ <caret> }} from './cart';\n"), "make", "while");
}

/// A candidate is looked up in every type that the receiver may be: of many types fewer are looked up, and the answer says so.
#[test]
fn members_of_very_many_types_are_cut() {
    let offered = |count: usize| {
        let types: String = (0..count).map(|i| format!("interface A {{ a{i}: 1 }}\n")).collect();
        let source = format!("//- a.ts\n{types}let a: A;\na.<caret>;\n");
        with_context(&source, |fixture, ctx, _| {
            let at = fixture.caret();
            let found = query::complete(ctx, &FilePath::new(at.path.as_str()), at.start, usize::MAX);
            let found = found.expect("the file is there");
            (found.items.iter().filter(|completion| completion.symbol.is_some()).count(), found.cut)
        })
    };
    assert_eq!(offered(100), (100, false));
    let (some, is_cut) = offered(500);
    // The place is read as a value and as a call.
    assert!(is_cut && (200..=400).contains(&some), "{some}");
}

#[test]
fn paths_of_imports_begin_with_modules_and_packages() {
    let python = "//- shop/__init__.py\n//- shop/cart.py\nclass Cart: ...\n//- tools.py\n//- main.py\n";
    offers(&format!("{python}import <caret>\n"), "tools", "cart");
    offers(&format!("{python}import sh<caret>\n"), "shop", "tools");
    offers(&format!("{python}from jso<caret> import loads\n"), "json", "while");
    let kotlin =
        "//- src/shop/Cart.kt\npackage shop.cart\n\nclass Cart\n//- src/app/Main.kt\npackage app\n\n";
    offers(&format!("{kotlin}import sh<caret>\n"), "shop", "app");
    offers(&format!("{kotlin}import shop.<caret>\n"), "cart", "shop");
    let java = "//- src/shop/cart/Cart.java\npackage shop.cart;\n\npublic class Cart {}\n//- src/app/Main.java\npackage app;\n\n";
    offers(&format!("{java}import sh<caret>;\n\nclass Main {{}}\n"), "shop", "cart");
    offers(&format!("{java}import shop.<caret>;\n\nclass Main {{}}\n"), "cart", "shop");
    let php = "//- src/Cart.php\n<?php\nnamespace Shop\\Cart;\n\nclass Cart {}\n//- src/main.php\n<?php\nnamespace App;\n\n";
    offers(&format!("{php}use Sh<caret>;\n"), "Shop", "Cart");
    offers(&format!("{php}use Shop\\<caret>;\n"), "Cart", "Shop");
    let rust = "//- Cargo.toml\n[package]\nname = \"m\"\n\n[dependencies]\nserde = \"1\"\n//- src/lib.rs\nmod shop;\n//- src/shop.rs\n";
    offers(&format!("{rust}use se<caret>;\n"), "serde", "shop");
    offers(&format!("{rust}use cr<caret>;\n"), "crate", "std");
}

/// The standard library's members of a value are listed, whether the project says their names or not.
#[test]
fn members_of_rusts_standard_library_are_offered() {
    let rust = |parameter: &str, value: &str| {
        format!(
            "//- src/lib.rs\nuse std::sync::Arc;\nstruct Own {{ size: u32 }}\nimpl Own {{ fn grow(&self) {{}} }}\nfn f(it: {parameter}) {{ {value}.<caret> }}\n"
        )
    };
    offers(&rust("&str", "it"), "char_indices", "from_utf8");
    offers(&rust("String", "it"), "push_str", "with_capacity");
    offers(&rust("Arc<String>", "it"), "split_whitespace", "new");
    offers(&rust("Vec<u8>", "it"), "truncate", "filter_map");
    offers(&rust("i64", "it"), "unsigned_abs", "MAX");
    offers(&rust("Option<u8>", "it"), "and_then", "push");
    offers(&rust("Arc<Own>", "it"), "grow", "push_str");
    offers(&rust("&str", "it.chars()"), "filter_map", "push_str");
    offers("//- src/lib.rs\nconst A: u32 = u32::<caret>;\n", "MAX", "push_str");
}

/// Tuples, arrays and errors have the members of the types that describe them.
#[test]
fn members_of_built_in_forms_are_offered() {
    offers("//- a.go\npackage a\n\nfunc f(err error) string {\n\treturn err.<caret>()\n}\n", "Error", "len");
    offers("//- A.java\nclass A { int f(int[] it) { return it.<caret>; } }\n", "length", "f");
}
