//! Positions in a file: the name that a position means.

use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::{MemoryWorld, lang};
use ide_model::{Cx, FilePath, Stop, Target};

#[test]
fn a_sigil_means_the_name_behind_it() {
    let text = "<?php\nclass A { static $own; public $p; }\nfunction f($x) { $y = A::$own; return g(x: $x, $y->p); }\n";
    let world = Arc::new(MemoryWorld::new([("a.php".into(), text.into())], lang::front_end));
    let pool = Resolvers::new(world);
    let stop = Stop::new();
    let name_at = |before: &str| {
        let offset = (text.find(before).unwrap() + before.len()) as u32;
        let target = Target::Position { file: FilePath::new("a.php"), offset };
        let found = query::resolve(&pool, Cx::new(&stop), &target).unwrap();
        found.into_iter().map(|(symbol, _)| symbol.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(name_at("static "), ["own"]);
    assert_eq!(name_at("f("), ["x"]);
    assert_eq!(name_at("A::"), ["own"]);
    assert_eq!(name_at("return g(x: "), ["x"]);
    assert_eq!(name_at("return g(x: $x, "), ["y"]);
    assert_eq!(name_at("return g(x:"), ["f"], "no sigil stands there");
    assert_eq!(name_at("$y-"), ["f"], "no sigil stands there");
}
