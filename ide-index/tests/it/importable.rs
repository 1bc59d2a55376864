//! Names that could stand at a place if they were imported, and the imports that bring them.

use ide_index::query;
use ide_index::refactor;
use ide_index::{FileId, SearchHit, declaration_sites};
use ide_model::{
    Capped, FileMeta, FilePath, Importable, MatchMode, NameMatcher, QueryError, Refactoring, SearchKind,
    SymbolQuery, TextRange,
};

use crate::context::with_context;
use crate::refactor::{Outcome, outcome};

/// The offers at the caret, each with the outcome of importing it.
fn offered(source: &str) -> (Vec<(Importable, Outcome)>, bool) {
    with_context(source, |fixture, ctx, files| {
        let world = ctx.pool.world();
        let search = |query: &SymbolQuery<'_>| -> Result<Capped<SearchHit>, QueryError> {
            assert_eq!(query.mode, MatchMode::Prefix);
            let matcher = NameMatcher::symbol(query.pattern, query.mode);
            let mut items = Vec::new();
            for id in (0..world.file_count()).map(FileId) {
                let entry = world.file(id);
                let meta = FileMeta {
                    path: entry.path.clone(),
                    language: entry.language,
                    source: entry.source,
                    is_generated: entry.is_generated,
                    size: entry.size,
                };
                let facts = world.facts(id);
                for (name, site) in declaration_sites(id, &facts) {
                    let is_kind = query.kind == SearchKind::All || site.kind.is_type();
                    if let Some(score) = matcher.score(name).filter(|_| is_kind && (query.filter)(&meta)) {
                        items.push(SearchHit { at: site.at, kind: site.kind, score });
                    }
                }
            }
            Ok(Capped::whole(items))
        };
        let at = fixture.caret();
        let path = FilePath::new(at.path.as_str());
        let found = query::importable(ctx, &search, &path, at.start, 20).expect("the file is there");
        let text = &files[&at.path];
        let typed =
            text[..at.start as usize].chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').count();
        let place = TextRange::new(at.start - typed as u32, at.start);
        let import = |what: &Importable| {
            let what = Refactoring::Import { file: &path, place, what };
            outcome(files, refactor::plan(ctx, &what).expect("the file is there"))
        };
        let with = found.items.into_iter().map(|what| (import(&what), what)).map(|(done, what)| (what, done));
        (with.collect(), found.cut)
    })
}

/// The first offer: the text for the place, the module, and the file with the import.
#[track_caller]
fn first(source: &str, written: &str, module: &str, text: &str) {
    let (all, _) = offered(source);
    let names: Vec<(&str, &str)> = all.iter().map(|(what, _)| (&*what.written, &*what.module)).collect();
    let (what, done) = all.first().unwrap_or_else(|| panic!("nothing is offered in {source}"));
    assert_eq!((&*what.written, &*what.module), (written, module), "{names:?}");
    assert_eq!(done.refactored.conflicts, [], "{}", what.statement);
    assert_eq!(done.changed.values().cloned().collect::<Vec<_>>(), [text]);
}

#[track_caller]
fn never(source: &str, name: &str) {
    let (all, _) = offered(source);
    assert!(all.iter().all(|(what, _)| &*what.name != name), "{source}");
}

const PYTHON: &str = "//- shop/__init__.py\n//- shop/cart.py\nclass Cart:\n    def carve(self): ...\n\ndef cartons(): ...\ndef _carry(): ...\n";

#[test]
fn python_names_come_with_their_module() {
    let source = |rest: &str| format!("{PYTHON}//- main.py\n{rest}");
    first(
        &source("import os\n\nprint(os)\nx = Car<caret>\n"),
        "Cart",
        "shop.cart",
        "import os\nfrom shop.cart import Cart\n\nprint(os)\nx = Car\n",
    );
    first(
        &source("x = cartons<caret>"),
        "cartons",
        "shop.cart",
        "from shop.cart import cartons\n\nx = cartons\n",
    );
    never(&source("x = ca<caret>"), "carve");
    never(&source("x = ca<caret>"), "_carry");
    never(&source("from shop.cart import Cart\nx = Car<caret>"), "Cart");
    never(&source("from shop.cart import *\nx = Car<caret>"), "Cart");
    never(&source("class Cart: ...\nx = Car<caret>"), "Cart");
    never(&source("import shop\nx = shop.Car<caret>"), "Cart");
    never(&source("# Car<caret>"), "Cart");
    never(&source("from shop import Car<caret>"), "Cart");
    let (all, cut) = offered(&source("x = <caret>"));
    assert!(all.is_empty() && cut, "a letter is needed first");
    let (all, cut) = offered(&source("x = ''.<caret>"));
    assert!(all.is_empty() && !cut, "nothing is imported behind a dot");
}

#[test]
fn names_that_functions_import_keep_their_meaning() {
    let source = format!(
        "{PYTHON}//- main.py\ndef one():\n    y = Car<caret>\n\ndef two():\n    from other import Cart\n    return Cart\n//- other.py\nclass Cart: ...\n"
    );
    let (all, _) = offered(&source);
    let own = all.iter().filter(|(what, _)| &*what.name == "Cart");
    let modules: Vec<&str> = own.map(|(what, _)| &*what.module).collect();
    assert_eq!(modules, ["other", "shop.cart"]);
    assert!(all.iter().all(|(_, done)| done.conflicts.is_empty()));
}

#[test]
fn ecma_names_come_in_the_style_of_the_file() {
    let cart = "//- src/cart.ts\nexport class Cart {}\nexport function cartOf(): Cart { return new Cart(); }\nexport interface CartLine {}\nclass CartHidden {}\n//- src/whole.ts\nexport default class CartWhole {}\n";
    let source = |rest: &str| format!("{cart}//- src/main.ts\n{rest}");
    first(
        &source("import { readFileSync } from 'node:fs'\n\nconst x = cartO<caret>\n"),
        "cartOf",
        "./cart",
        "import { readFileSync } from 'node:fs'\nimport { cartOf } from './cart'\n\nconst x = cartO\n",
    );
    first(
        &source("const a = \"x\";\nlet x: CartL<caret>;\n"),
        "CartLine",
        "./cart",
        "import { CartLine } from \"./cart\";\n\nconst a = \"x\";\nlet x: CartL;\n",
    );
    first(
        &source("const a = 'x';\nconst x = CartW<caret>;\n"),
        "CartWhole",
        "./whole",
        "import CartWhole from './whole';\n\nconst a = 'x';\nconst x = CartW;\n",
    );
    never(&source("const x = CartH<caret>"), "CartHidden");
    never(&source("import { Cart } from './cart';\nconst x = Car<caret>"), "Cart");
    first(
        "//- cart.js\nexport const cartSize = 1;\n//- main.js\nimport './other.js';\nconst x = cartS<caret>;\n//- other.js\n",
        "cartSize",
        "./cart.js",
        "import './other.js';\nimport { cartSize } from './cart.js';\nconst x = cartS;\n",
    );
}

#[test]
fn jvm_names_come_from_other_packages() {
    let cart = "//- src/shop/Cart.java\npackage shop;\n\npublic class Cart {\n    public static class CartLine {}\n}\n//- src/shop/CartHidden.java\npackage shop;\n\nclass CartHidden {}\n//- src/app/CartNear.java\npackage app;\n\nclass CartNear {}\n";
    let source = |rest: &str| format!("{cart}//- src/app/Main.java\npackage app;\n\n{rest}");
    first(
        &source("import java.util.List;\n\nclass Main {\n    List<Car<caret>> all;\n}\n"),
        "Cart",
        "shop",
        "package app;\n\nimport java.util.List;\nimport shop.Cart;\n\nclass Main {\n    List<Car> all;\n}\n",
    );
    first(
        &source("class Main {\n    Car<caret>\n}\n"),
        "Cart",
        "shop",
        "package app;\n\nimport shop.Cart;\n\nclass Main {\n    Car\n}\n",
    );
    never(&source("class Main {\n    Car<caret> x;\n}\n"), "CartHidden");
    never(&source("class Main {\n    Car<caret> x;\n}\n"), "CartNear");
    let kotlin = "//- src/shop/Cart.kt\npackage shop\n\nclass Cart\nfun cartOf(): Cart = Cart()\nprivate fun cartHidden() {}\n";
    let source = |rest: &str| format!("{kotlin}//- src/app/Main.kt\npackage app\n\n{rest}");
    first(
        &source("import java.io.File\n\nval x = cartO<caret>\n"),
        "cartOf",
        "shop",
        "package app\n\nimport java.io.File\nimport shop.cartOf\n\nval x = cartO\n",
    );
    never(&source("val x = cartH<caret>\n"), "cartHidden");
}

#[test]
fn go_names_come_with_their_package() {
    let cart = "//- go.mod\nmodule m\n\ngo 1.22\n//- shop/cart.go\npackage shop\n\ntype Cart struct{}\n\nfunc (c Cart) CartMethod() {}\nfunc CartOf() Cart { return Cart{} }\nfunc cartHidden() {}\n//- cmd/x/main.go\npackage main\n\nfunc CartMain() {}\n";
    let source = |rest: &str| format!("{cart}//- main.go\npackage app\n\n{rest}");
    first(
        &source("import \"fmt\"\n\nfunc f() {\n\tfmt.Println(CartO<caret>)\n}\n"),
        "shop.CartOf",
        "m/shop",
        "package app\n\nimport \"fmt\"\nimport \"m/shop\"\n\nfunc f() {\n\tfmt.Println(CartO)\n}\n",
    );
    first(
        &source("import (\n\t\"fmt\"\n)\n\nfunc f() {\n\tfmt.Println(sho<caret>)\n}\n"),
        "shop",
        "m/shop",
        "package app\n\nimport (\n\t\"fmt\"\n\t\"m/shop\"\n)\n\nfunc f() {\n\tfmt.Println(sho)\n}\n",
    );
    first(
        &source("func f() {\n\tx := strin<caret>\n}\n"),
        "strings",
        "strings",
        "package app\n\nimport \"strings\"\n\nfunc f() {\n\tx := strin\n}\n",
    );
    for name in ["CartMethod", "cartHidden", "CartMain"] {
        never(&source("func f() {\n\tx := cart<caret>\n}\n"), name);
    }
    never(&source("import \"m/shop\"\n\nfunc f() {\n\tx := sho<caret>\n}\n"), "shop");
}

#[test]
fn php_names_come_from_other_namespaces() {
    let cart = "//- src/Cart.php\n<?php\nnamespace Shop;\n\nclass Cart {}\nfunction cartOf(): Cart { return new Cart(); }\n";
    let source = |rest: &str| format!("{cart}//- src/main.php\n<?php\nnamespace App;\n\n{rest}");
    first(
        &source("use Other\\Thing;\n\n$x = new Car<caret>;\n"),
        "Cart",
        "Shop",
        "<?php\nnamespace App;\n\nuse Other\\Thing;\nuse Shop\\Cart;\n\n$x = new Car;\n",
    );
    first(
        &source("$x = cartO<caret>;\n"),
        "cartOf",
        "Shop",
        "<?php\nnamespace App;\n\nuse function Shop\\cartOf;\n\n$x = cartO;\n",
    );
    never(&source("$x = $car<caret>;\n"), "Cart");
    never(&source("$x = new \\Car<caret>;\n"), "Cart");
}

#[test]
fn rust_names_come_by_their_path() {
    let cart = "//- Cargo.toml\n[package]\nname = \"m\"\nedition = \"2021\"\n//- src/cart.rs\npub struct Cart;\n\nimpl Cart {\n    pub fn cart_method(&self) {}\n}\n\npub fn cart_of() -> Cart {\n    Cart\n}\n\nfn cart_hidden() {}\n";
    let source = |rest: &str| format!("{cart}//- src/lib.rs\nmod cart;\nmod app;\n//- src/app.rs\n{rest}");
    first(
        &source("use std::fmt;\n\nfn f() {\n    let x = cart_o<caret>;\n}\n"),
        "cart_of",
        "crate::cart",
        "use crate::cart::cart_of;\nuse std::fmt;\n\nfn f() {\n    let x = cart_o;\n}\n",
    );
    first(
        &source("struct Own(Car<caret>);\n"),
        "Cart",
        "crate::cart",
        "use crate::cart::Cart;\n\nstruct Own(Car);\n",
    );
    for name in ["cart_method", "cart_hidden"] {
        never(&source("fn f() {\n    let x = cart<caret>;\n}\n"), name);
    }
}

#[test]
fn imports_join_those_of_the_same_module() {
    let python = |rest: &str| format!("{PYTHON}//- main.py\n{rest}");
    first(
        &python("from shop.cart import Cart, other\n\nx = cartons<caret>\n"),
        "cartons",
        "shop.cart",
        "from shop.cart import Cart, cartons, other\n\nx = cartons\n",
    );
    first(
        &python("from shop.cart import (\n    Cart,\n)\n\nx = cartons<caret>\n"),
        "cartons",
        "shop.cart",
        "from shop.cart import (\n    Cart,\n    cartons,\n)\n\nx = cartons\n",
    );
    first(
        &python("from shop.cart import Cart  # noqa\n\nx = cartons<caret>\n"),
        "cartons",
        "shop.cart",
        "from shop.cart import Cart  # noqa\nfrom shop.cart import cartons\n\nx = cartons\n",
    );
    let cart =
        "//- src/cart.ts\nexport class Cart {}\nexport function cartOf(): Cart { return new Cart(); }\n";
    let ecma = |rest: &str| format!("{cart}//- src/main.ts\n{rest}");
    first(
        &ecma("import { Cart } from './cart';\n\nconst x = cartO<caret>;\n"),
        "cartOf",
        "./cart",
        "import { Cart, cartOf } from './cart';\n\nconst x = cartO;\n",
    );
    first(
        &ecma("import type { Cart } from './cart';\n\nconst x = cartO<caret>;\n"),
        "cartOf",
        "./cart",
        "import type { Cart } from './cart';\nimport { cartOf } from './cart';\n\nconst x = cartO;\n",
    );
    let rust = |rest: &str| {
        format!(
            "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nmod shop;\nmod app;\n//- src/shop.rs\npub struct Cart;\npub fn cart_of() {{}}\n//- src/app.rs\n{rest}"
        )
    };
    first(
        &rust("use crate::shop::{Cart};\n\nfn f(c: Cart) {\n    cart_o<caret>\n}\n"),
        "cart_of",
        "crate::shop",
        "use crate::shop::{Cart, cart_of};\n\nfn f(c: Cart) {\n    cart_o\n}\n",
    );
    first(
        &rust("#[cfg(test)]\nuse crate::shop::{Cart};\n\nfn f() {\n    cart_o<caret>\n}\n"),
        "cart_of",
        "crate::shop",
        "use crate::shop::cart_of;\n#[cfg(test)]\nuse crate::shop::{Cart};\n\nfn f() {\n    cart_o\n}\n",
    );
    let php = "//- src/Cart.php\n<?php\nnamespace Shop;\n\nclass Cart {}\n//- src/CartLine.php\n<?php\nnamespace Shop;\n\nclass CartLine {}\n//- src/main.php\n<?php\nnamespace App;\n\nuse Shop\\{Cart};\n\nnew CartL<caret>;\n";
    first(php, "CartLine", "Shop", "<?php\nnamespace App;\n\nuse Shop\\{Cart, CartLine};\n\nnew CartL;\n");
}

#[test]
fn functions_say_whether_they_take_arguments() {
    let source = "//- shop.py\ndef cart_of(x): ...\ndef cartons(): ...\nclass Cart: ...\n//- main.py\nx = car<caret>\n";
    let (all, _) = offered(source);
    let takes = |name: &str| {
        all.iter().find(|(what, _)| &*what.name == name).expect("it is offered").0.takes_arguments
    };
    assert_eq!((takes("cart_of"), takes("cartons"), takes("Cart")), (Some(true), Some(false), None));
}
