//! Quick fixes with names that clients give back: a name is bound to the file, to its text and to the fix, so that one which no
//! longer fits is told, not applied.

use ide_model::{FilePath, Fix, TextRange};

use crate::ToolError;
use crate::session::Session;

/// A fix under its name.
pub(crate) struct NamedFix {
    pub(crate) id: String,
    pub(crate) fix: Fix,
}

impl Session<'_> {
    /// The fixes for the problems that touch a place.
    pub(crate) fn fixes_at(&self, file: &FilePath, offset: u32) -> Result<Vec<NamedFix>, ToolError> {
        let text = self.text(file)?;
        let found = self.snapshot.fixes(self.cx, file, TextRange::new(offset, offset))?.value;
        let name = |fix: Fix| NamedFix { id: id_of(file, &text.text, &fix), fix };
        Ok(found.into_iter().map(name).collect())
    }

    /// The fix of this name among those of a place.
    ///
    /// # Errors
    /// `fix_expired` for one of another file or text, `unknown_fix`.
    pub(crate) fn fix_named(&self, file: &FilePath, offset: u32, id: &str) -> Result<Fix, ToolError> {
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

fn id_of(file: &FilePath, text: &str, fix: &Fix) -> String {
    let place = format!("{}..{}", fix.range.start, fix.range.end);
    format!("{}-{}-{}", hash(&[file.as_str()]), hash(&[text]), hash(&[fix.code, &place, &fix.title]))
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
    use ide_model::EditPlan;

    use super::*;

    #[test]
    fn names_are_bound_to_file_text_and_fix() {
        let fix = |title: &str| Fix {
            code: "x",
            range: TextRange::new(0, 1),
            title: title.to_owned(),
            is_preferred: false,
            plan: EditPlan::default(),
        };
        let (a, b) = (FilePath::new("a"), FilePath::new("b"));
        let id = id_of(&a, "text", &fix("one"));
        assert_eq!(id, id_of(&a, "text", &fix("one")));
        for other in
            [id_of(&b, "text", &fix("one")), id_of(&a, "texts", &fix("one")), id_of(&a, "text", &fix("two"))]
        {
            assert_ne!(id, other);
        }
    }
}
