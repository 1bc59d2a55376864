//! Quick fixes with names that clients give back: a name is bound to the file, to its text and to the fix, so that one which no
//! longer fits is told, not applied.

use ide_model::{EditPlan, FilePath, Fix, Provided, ProviderFix, QueryError, TextRange};

use crate::ToolError;
use crate::session::Session;

/// A fix under its name.
pub(crate) struct NamedFix {
    pub(crate) id: String,
    pub(crate) fix: Offer,
}

/// A change that takes a problem away, or is said to.
pub(crate) struct Offer {
    /// The code of the problem, or its message where a provider gives no code.
    pub(crate) code: String,
    pub(crate) title: String,
    pub(crate) is_preferred: bool,
    pub(crate) plan: EditPlan,
    /// The provider whose offer it is; it was not proved.
    pub(crate) by: Option<String>,
}

impl Session<'_> {
    /// The fixes for the problems that touch a place: of the index, then of providers.
    pub(crate) fn fixes_at(&self, file: &FilePath, offset: u32) -> Result<Vec<NamedFix>, ToolError> {
        let text = self.text(file)?;
        let range = TextRange::new(offset, offset);
        let own = self.snapshot.fixes(self.cx, file, range);
        let provided = self
            .snapshot
            .providers()
            .map(|providers| providers.all_fixes(self.cx, file, range))
            .transpose()?;
        let provided = provided.unwrap_or_default();
        let own = match own {
            Ok(answer) => answer.value,
            Err(QueryError::Unsupported { .. }) if provided.iter().any(|one| one.said.is_ok()) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let of_index = |fix: Fix| {
            let place = format!("{}..{}", fix.range.start, fix.range.end);
            let id = id_of(file, &text.text, &[fix.code, &place, &fix.title]);
            let (code, by) = (fix.code.to_owned(), None);
            NamedFix {
                id,
                fix: Offer { code, title: fix.title, is_preferred: fix.is_preferred, plan: fix.plan, by },
            }
        };
        let mut all: Vec<NamedFix> = own.into_iter().map(of_index).collect();
        for Provided { name, said, .. } in provided {
            match said {
                Ok(fixes) => {
                    for fix in fixes {
                        all.extend(self.offered(file, &text.text, &name, fix)?);
                    }
                }
                Err(because) => self.told.note(format!("{name} did not say what it can mend: {because}")),
            }
        }
        Ok(all)
    }

    /// The fix of a provider, if it changes files of the project that are as the snapshot has them.
    fn offered(
        &self,
        file: &FilePath,
        text: &str,
        by: &str,
        fix: ProviderFix,
    ) -> Result<Option<NamedFix>, ToolError> {
        let is_fix = fix.kind.as_deref().is_none_or(|kind| kind.starts_with("quickfix"));
        if !is_fix || fix.edits.iter().all(|(_, edits)| edits.is_empty()) {
            return Ok(None);
        }
        let id = id_of(file, text, &[by, &fix.title, &format!("{:?}", fix.edits)]);
        let mut plan = EditPlan::new(fix.title.clone());
        for (changed, edits) in fix.edits {
            self.cx.check()?;
            let Ok(content) = self.project.read(&changed) else { return Ok(None) };
            let is_known = self.snapshot.text(&changed).is_ok_and(|known| *known.text == *content.text);
            if content.is_library || !is_known || plan.edit(&changed, content.hash, edits).is_err() {
                return Ok(None);
            }
        }
        let code = fix.mends.into_iter().next().unwrap_or_else(|| "this place".to_owned());
        let (title, is_preferred) = (fix.title, fix.is_preferred);
        Ok(Some(NamedFix { id, fix: Offer { code, title, is_preferred, plan, by: Some(by.to_owned()) } }))
    }

    /// The fix of this name among those of a place.
    ///
    /// # Errors
    /// `fix_expired` for one of another file or text, `unknown_fix`.
    pub(crate) fn fix_named(&self, file: &FilePath, offset: u32, id: &str) -> Result<Offer, ToolError> {
        let id = id.trim();
        let parts: Vec<&str> = id.split('-').collect();
        let (of_file, of_text) = (hash(&[file.as_str()]), hash(&[&self.text(file)?.text]));
        match parts[..] {
            [other, _, _] if other != of_file => {
                return Err(ToolError::new(
                    "fix_expired",
                    format!("`{id}` is a fix of another file than `{file}`"),
                )
                .hint("give the file and the place that ide_list_quick_fixes was asked for"));
            }
            [_, other, _] if other != of_text => {
                return Err(ToolError::new(
                    "fix_expired",
                    format!("`{file}` changed since `{id}` was listed"),
                )
                .hint("ask ide_list_quick_fixes again"));
            }
            [_, _, _] => {}
            _ => {
                return Err(ToolError::new("unknown_fix", format!("`{id}` is not the name of a fix"))
                    .hint("ask ide_list_quick_fixes"));
            }
        }
        let found = self.fixes_at(file, offset)?.into_iter().find(|named| named.id == id);
        found.map(|named| named.fix).ok_or_else(|| {
            ToolError::new("unknown_fix", format!("`{id}` is no fix for a problem at this place"))
                .hint("give the place that ide_list_quick_fixes was asked for, or ask it again")
        })
    }
}

fn id_of(file: &FilePath, text: &str, fix: &[&str]) -> String {
    format!("{}-{}-{}", hash(&[file.as_str()]), hash(&[text]), hash(fix))
}

/// A short stable hash of some texts.
fn hash(texts: &[&str]) -> String {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{:012x}", (hash ^ (hash >> 48)) & 0xffff_ffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bound_to_file_text_and_fix() {
        let (a, b) = (FilePath::new("a"), FilePath::new("b"));
        let id = id_of(&a, "text", &["one"]);
        assert_eq!(id, id_of(&a, "text", &["one"]));
        for other in [id_of(&b, "text", &["one"]), id_of(&a, "texts", &["one"]), id_of(&a, "text", &["two"])]
        {
            assert_ne!(id, other);
        }
    }
}
