//! Kotlin's declarations from class files: what the compiler says of them in `kotlin.Metadata`, as a text of
//! declarations, so that the Kotlin front end reads them as it reads sources.

mod members;
mod metadata;
mod module;
#[cfg(test)]
mod tests;
mod types;
mod wire;

use super::classfile::Class;
use crate::FrontEnd;
use crate::facts::FileFacts;
use crate::lang::kotlin::Kotlin;
use members::Declarations;
pub(super) use metadata::{CLASS, Metadata};
pub use module::{Facade, kotlin_facades};

/// The facts of such a text.
pub(super) fn facts(text: &str) -> FileFacts {
    Kotlin.facts("", text)
}

/// The declarations of a class with its nested ones; `None` when Kotlin does not know it as a class.
pub(super) fn class_text(top: &Class, nested: &[Class]) -> Option<String> {
    let metadata = top.said.kotlin.as_ref().filter(|metadata| metadata.kind == CLASS)?;
    let mut out = head(package_of(top));
    let bytes = metadata.bytes();
    Declarations::read(top, metadata, &bytes)?.class(nested, &mut out);
    Some(out)
}

/// The functions, properties and type aliases of a facade or of its parts; `None` when it is none.
pub(super) fn facade_text(facade: &Class, parts: &[Class]) -> Option<String> {
    let own = facade.said.kotlin.as_ref()?;
    let of_classes = std::iter::once(facade).chain(parts).filter_map(|class| {
        let kotlin =
            class.said.kotlin.as_ref().filter(|m| matches!(m.kind, metadata::FILE | metadata::PART))?;
        Some((class, kotlin))
    });
    let all: Vec<(&Class, &Metadata)> = of_classes.collect();
    let (_, first) = all.first()?;
    let simple = facade.name.rsplit('/').next().unwrap_or(&facade.name);
    let written = [&own.package, &first.package].into_iter().find(|package| !package.is_empty());
    let package = written.cloned().unwrap_or_else(|| package_of(facade));
    let mut out = format!("@file:JvmName(\"{simple}\")\n\n{}", head(package));
    for (class, metadata) in all {
        let bytes = metadata.bytes();
        if let Some(declarations) = Declarations::read(class, metadata, &bytes) {
            declarations.of_file(&mut out);
        }
    }
    Some(out)
}

fn package_of(class: &Class) -> String {
    class.name.rsplit_once('/').map_or(String::new(), |(package, _)| package.replace('/', "."))
}

fn head(package: String) -> String {
    if package.is_empty() { package } else { format!("package {}\n\n", types::qualified(&package)) }
}
