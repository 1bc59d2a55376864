//! The rules for languages that have none of their own: lexical scopes, then declarations of the same name in files of
//! the same family, which are possible, never certain.

use ide_model::Confidence;

use crate::facts::{DefFlags, ImportId, Literal, RefId};
use crate::resolve::{FileView, Policy, Reason, Resolution, Resolver, Target, Ty};
use crate::world::GlobalDef;

pub(super) struct Plain;

/// More candidates than this say nothing.
const MAX_CANDIDATES: usize = 8;

impl Plain {
    fn by_name(rx: &Resolver, file: &FileView, name: &str, members: bool) -> Resolution {
        let mut targets: Vec<Target> = Vec::new();
        for site in rx.world().declarations(name) {
            let view_language = rx.world().file(site.at.file).language;
            let same_family = view_language.is_some_and(|l| {
                l == file.language() || (l.family() == file.family() && l.family() != ide_model::Family::None)
            });
            let is_member = rx.owner_class(site.at).is_some();
            if same_family && (members || !is_member) && !site.flags.has(DefFlags::SYNTHETIC) {
                targets.push(Target::Def(site.at));
            }
        }
        match targets.len() {
            0 => Resolution::unknown(Reason::NotFound),
            n if n > MAX_CANDIDATES => Resolution::unknown(Reason::SeveralCandidates),
            _ => Resolution {
                targets: targets.into(),
                confidence: Confidence::NameOnly,
                reason: Reason::ByNameOnly,
            },
        }
    }
}

impl Policy for Plain {
    fn implicit(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        Self::by_name(rx, file, file.ref_name(reference), false)
    }

    fn import(&self, rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
        match file.import(import).member {
            Some(member) => Self::by_name(rx, file, file.ref_name(member), false),
            None => Resolution::unknown(Reason::NotFound),
        }
    }

    fn import_segment(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        Self::by_name(rx, file, file.ref_name(reference), false)
    }

    fn member_fallback(
        &self,
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        _receiver: &Ty,
    ) -> Resolution {
        Self::by_name(rx, file, file.ref_name(reference), true)
    }

    fn literal(&self, _rx: &Resolver, _file: &FileView, _literal: Literal) -> Ty {
        Ty::Unknown
    }

    fn qualified_name(&self, rx: &Resolver, def: GlobalDef) -> Option<String> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.flags.has(DefFlags::LOCAL) {
            return None;
        }
        let mut parts: Vec<&str> = vec![file.name(d.name)];
        let mut scope = d.scope;
        while let Some(owner) = file.enclosing_def(scope) {
            parts.push(file.def_name(owner));
            scope = file.def(owner).scope;
        }
        parts.extend(file.package.map(|p| file.name(p)));
        parts.reverse();
        Some(parts.join("."))
    }

    fn by_qualified_name(&self, rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>> {
        let last = name.rsplit(['.', '#', ':', '\\', '/']).next().unwrap_or(name);
        let wanted: Vec<&str> = name.split(['.', '#', ':', '\\', '/']).filter(|p| !p.is_empty()).collect();
        Ok(rx
            .world()
            .declarations(last)
            .into_iter()
            .map(|site| site.at)
            .filter(|def| {
                self.qualified_name(rx, *def).is_some_and(|q| {
                    let have: Vec<&str> = q.split(['.', '\\', '/']).collect();
                    have.ends_with(&wanted)
                })
            })
            .collect())
    }
}
