//! Source sets of one module of which a build takes one or another: `src/debug` and `src/release` of Android. Their
//! declarations under one qualified name are one symbol.

use super::tops::{Top, Tops};
use crate::resolve::Resolver;
use crate::world::GlobalDef;

/// The module and the source set of a file, where that is one of several that replace each other.
fn source_set(path: &str) -> Option<(&str, &str)> {
    let at = if path.starts_with("src/") { 0 } else { path.find("/src/")? + 1 };
    let (set, inside) = path[at + "src/".len()..].split_once('/')?;
    let is_code = ["java/", "kotlin/"].iter().any(|language| inside.starts_with(language));
    // Nobody else may declare a name of `main`, tests stand beside it, and platforms say what they replace.
    let is_own = set == "main" || set.starts_with("test") || set.starts_with("androidTest");
    (is_code && !is_own && !set.ends_with("Main") && !set.ends_with("Test")).then_some((&path[..at], set))
}

/// A declaration with those that stand in its place in other source sets, ordered.
pub(in crate::lang) fn variants(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let path = |def: GlobalDef| rx.world().file(def.file).path.clone();
    let own = path(def);
    let Some((module, set)) = source_set(own.as_str()) else { return vec![def] };
    let (file, d) = (rx.file(def.file), rx.def(def));
    if d.flags.has(crate::facts::DefFlags::LOCAL) {
        return vec![def];
    }
    let name = file.def_name(def.def);
    let named: Vec<GlobalDef> = match rx.owner_class(def) {
        Some(owner) => {
            let others = variants(rx, owner).into_iter().filter(|class| *class != owner);
            others.flat_map(|class| rx.own_members(class, name)).collect()
        }
        None => {
            let what = if d.kind.is_type() { Top::Types } else { Top::Members };
            let package = file.package.map_or("", |package| file.name(package));
            Tops::of(rx, name).in_package(rx, name, what, package).into_owned()
        }
    };
    let is_variant = |other: &GlobalDef| {
        let o = rx.def(*other);
        let place = path(*other);
        let is_elsewhere = source_set(place.as_str()).is_some_and(|(of, other)| of == module && other != set);
        is_elsewhere && o.kind == d.kind && o.params.len == d.params.len
    };
    let mut all: Vec<GlobalDef> = named.into_iter().filter(is_variant).chain([def]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::source_set;

    #[test]
    fn sets_that_replace_each_other_are_told_from_others() {
        assert_eq!(source_set("app/src/debug/java/a/A.java"), Some(("app/", "debug")));
        assert_eq!(source_set("src/free/kotlin/A.kt"), Some(("", "free")));
        for other in
            ["src/main/java/A.java", "src/testDebug/java/A.java", "src/jvmMain/kotlin/A.kt", "src/a/A.java"]
        {
            assert_eq!(source_set(other), None);
        }
    }
}
