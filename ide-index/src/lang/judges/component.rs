//! The certainty of Vue, Svelte and Astro components: that of their scripts, with what frameworks put into them left alone.

use ide_model::{Language, SourceKind, SymbolKind};
use rustc_hash::FxHashSet;

use super::ecma::{Ecma, is_closed};
use super::{is_nowhere, is_own, knows_supers};
use crate::check::{Arity, Judge, is_slip_in_scope};
use crate::facts::{DefFlags, DefId, ExprId, Import, RefId, Role, ScopeId};
use crate::resolve::{FileView, Resolution, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

pub(super) struct Component;

/// Packages that let a component use names without an import.
const IMPORTERS: [&str; 8] = [
    "nuxt",
    "unplugin-auto-import",
    "unplugin-vue-components",
    "vite-plugin-components",
    "@vitejs/plugin-auto-import",
    "sveltekit-autoimport",
    "wxt",
    "astro-auto-import",
];

/// Calls that the compiler of Vue takes out of a script.
const MACROS: [&str; 8] = [
    "defineEmits",
    "defineExpose",
    "defineModel",
    "defineOptions",
    "definePageMeta",
    "defineProps",
    "defineSlots",
    "withDefaults",
];

/// Whether a package of the world lets names come from anywhere, or builds without saying by what.
fn imports_by_itself(rx: &Resolver) -> bool {
    let world = rx.world();
    let packages: Vec<_> =
        world.configurations().into_iter().filter(|path| path.ends_with("package.json")).collect();
    packages.is_empty()
        || packages
            .iter()
            .filter_map(|path| world.configuration(path))
            .any(|text| IMPORTERS.iter().any(|name| text.contains(&format!("\"{name}\""))))
}

/// The components of the project by the names of their files; none where some are registered for all others.
struct Components(FxHashSet<Box<str>>);

/// Whether a component lacks the import of another one, which it names.
fn lacks_import(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let name = file.ref_name(reference);
    let Components(all) = rx.of_world(|rx| {
        let world = rx.world();
        let calls = |name: &&str| {
            world.files_mentioning(name).into_iter().any(|id| {
                let view = rx.file(id);
                let named = view.name_id(name).map_or(&[][..], |name| view.refs_named(name));
                let mut named = named.iter().map(|id| view.reference(*id));
                named.any(|called| called.role == Role::Call && called.receiver.is_some())
            })
        };
        // An application of Vue may give its components to all others.
        let gives_all = ["component", "glob", "context"].iter().any(calls);
        let own = |id: &FileId| world.file(*id).source != SourceKind::Library;
        let names = (0..world.file_count()).map(FileId).filter(own).filter_map(|id| {
            let (name, ending) = world.file(id).path.file_name().rsplit_once('.')?;
            let is_kept = matches!(ending, "svelte" | "astro") || ending == "vue" && !gives_all;
            is_kept.then(|| name.into())
        });
        Components(names.collect())
    });
    let is_written = name.starts_with(char::is_uppercase) && file.reference(reference).role == Role::Read;
    // A component of Vue may name itself.
    let file_name = file.path.rsplit('/').next().unwrap_or("");
    let is_itself = file_name.split('.').next() == Some(name);
    is_written
        && !is_itself
        && all.contains(name)
        && rx.world().declarations(name).iter().all(|site| is_own(rx, site.at))
}

/// The text between the tags or lines that a place of a script stands in; `None` for markup.
fn script_at(text: &str, at: u32) -> Option<&str> {
    let before = text.get(..at as usize)?;
    if let Some(open) = before.rfind("<script").filter(|open| !before[*open..].contains("</script")) {
        return before.get(open..);
    }
    let is_front = text.trim_start().starts_with("---") && before.matches("\n---").count() == 0;
    is_front.then_some(before)
}

fn is_one_script(file: &FileView, text: &str) -> bool {
    text.matches("<script").count() + usize::from(file.language() == Language::Astro) == 1
}

/// Whether a script, which is a module, has two functions of one name.
fn is_function_twice(file: &FileView, first: DefId, second: DefId) -> bool {
    let is_function = |id: DefId| {
        let def = file.def(id);
        let odd = [DefFlags::SIGNATURE, DefFlags::EXTERNAL, DefFlags::ANONYMOUS];
        def.kind == SymbolKind::Function
            && def.scope == ScopeId(0)
            && def.body.is_some()
            && !odd.iter().any(|flag| def.flags.has(*flag))
    };
    is_function(first) && is_function(second)
}

/// Whether a type is written out where it is used: `{ title: string }`.
fn is_object_type(rx: &Resolver, def: GlobalDef) -> bool {
    let own = rx.def(def);
    own.flags.has(DefFlags::ANONYMOUS)
        && own.kind != SymbolKind::Object
        && own.kind.is_type()
        && own.body.is_some_and(|body| {
            let view = rx.file(def.file);
            view.all_in_scope(body)
                .iter()
                .all(|id| view.def_name(*id).starts_with(|c: char| c.is_alphabetic()))
        })
}

impl Judge for Component {
    fn is_built(&self, file: &FileView) -> bool {
        Ecma.is_built(file)
    }

    fn writes_make_members(&self, _file: &FileView) -> bool {
        true
    }

    fn lacks_module(&self, rx: &Resolver, file: &FileView, import: &Import, text: &str) -> bool {
        Ecma.lacks_module(rx, file, import, text)
    }

    fn sees_all_modules(&self, rx: &Resolver, file: &FileView, import: &Import) -> bool {
        Ecma.sees_all_modules(rx, file, import)
    }

    fn is_undeclared(&self, rx: &Resolver, file: &FileView, reference: RefId, found: &Resolution) -> bool {
        Ecma.is_undeclared(rx, file, reference, found)
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        // `$store` of Svelte and `$emit` of Vue are made by the framework. An application of Vue gives components to all others, and
        // a script of Svelte sees the snippets of the markup.
        let name = file.ref_name(reference);
        let may_be_global = file.language() == Language::Vue
            && name.starts_with(char::is_uppercase)
            && !lacks_import(rx, file, reference);
        let is_of_file = || file.def_ids().any(|def| file.def_name(def) == name);
        !name.starts_with('$')
            && !may_be_global
            && !is_of_file()
            && !MACROS.contains(&name)
            && (lacks_import(rx, file, reference) && !imports_by_itself(rx)
                || match imports_by_itself(rx) {
                    true => is_slip_in_scope(rx, file, reference),
                    false => Ecma.sees_all_names(rx, file, reference),
                })
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        let name = file.ref_name(reference);
        match of {
            Ty::Module(_) => Ecma.sees_all_members(rx, file, reference, of),
            Ty::Instance(def, _) if rx.kind(*def) == SymbolKind::Interface || is_object_type(rx, *def) => {
                !name.starts_with('$')
                    && is_own(rx, *def)
                    && is_nowhere(rx, name)
                    && knows_supers(rx, of)
                    && rx
                        .linearization(of)
                        .iter()
                        .filter_map(Ty::def)
                        .all(|part| is_object_type(rx, part) || is_closed(rx, part))
                    && !imports_by_itself(rx)
            }
            Ty::Instance(def, _) if rx.kind(*def) == SymbolKind::Object => {
                Ecma.sees_all_members(rx, file, reference, of)
            }
            _ => false,
        }
    }

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        // Scripts say by their tag whether they are typed; those of Astro always are.
        let is_typed = file.language() == Language::Astro || !file.types.is_empty();
        let is_elsewhere = function.file != file.id;
        if is_typed && is_elsewhere { Ecma.typed_arity(rx, file, call, function) } else { None }
    }

    fn is_twice(&self, rx: &Resolver, (file, text): (&FileView, &str), first: DefId, second: DefId) -> bool {
        // Each script is a scope of its own.
        let is_in_script = |id: DefId| script_at(text, file.def(id).name_range.start).is_some();
        is_one_script(file, text)
            && is_in_script(first)
            && is_in_script(second)
            && (Ecma.is_twice(rx, (file, text), first, second) || is_function_twice(file, first, second))
    }

    fn is_fixed(&self, rx: &Resolver, within: (&FileView, &str), reference: RefId, def: GlobalDef) -> bool {
        // Markup of Vue writes to the value that a constant holds.
        let (file, text) = within;
        is_one_script(file, text)
            && script_at(text, file.reference(reference).range.start).is_some()
            && Ecma.is_fixed(rx, within, reference, def)
    }
}
