//! Variables outside of a function that it writes because a statement of it says so.

use ide_model::TextRange;

use super::extract_method::Job;
use super::scene::Refused;
use super::tree::{NodeId, has};
use crate::facts::Role;

/// Statements that let a function write variables outside of it.
const OUTER: &str = "global_statement nonlocal_statement global_declaration function_static_declaration";

impl Job<'_> {
    /// Such a statement goes along with all that writes its variables, or stays with it.
    pub(super) fn outer_variables(&self) -> Result<(), Refused> {
        let (syntax, part) = (&self.scene.syntax, self.part.range);
        let is_own = |id: &NodeId| syntax.function_of(*id) == Some(self.part.function);
        let all = syntax.below(self.part.function).into_iter();
        for statement in all.filter(|id| has(OUTER, syntax.kind(*id))).filter(is_own) {
            let range = syntax.range(statement);
            let goes = part.encloses(range);
            if goes && syntax.kind(statement) == "nonlocal_statement" {
                let why = "the new function would not be inside of the one that has the variable";
                return self.scene.form(why, range);
            }
            let names = syntax.below(statement).into_iter();
            for name in names.filter(|id| has("identifier variable_name", syntax.kind(*id))) {
                let name = syntax.text_of(name);
                let writes = self.writes_of(name);
                let torn = writes.iter().find(|at| !range.encloses(**at) && part.encloses(**at) != goes);
                if let Some(at) = torn {
                    let message = format!(
                        "`{name}` is written here, apart from the statement that says which one that is"
                    );
                    return self.scene.form(message, *at);
                }
            }
        }
        Ok(())
    }

    /// The places of the function that write, or declare, a variable.
    fn writes_of(&self, name: &str) -> Vec<TextRange> {
        let (view, own) = (&self.scene.view, self.scene.syntax.range(self.part.function));
        let bare = |name: &str| name.trim_start_matches('$').to_owned();
        let is_it = |range: TextRange, other: &str| own.encloses(range) && bare(other) == bare(name);
        let refs = view.written_refs().filter(|r| {
            let r = view.reference(*r);
            matches!(r.role, Role::Write | Role::ReadWrite) && r.receiver.is_none()
        });
        let refs = refs.filter(|r| is_it(view.reference(*r).range, view.ref_name(*r)));
        let defs = view.def_ids().filter(|def| is_it(view.def(*def).name_range, view.def_name(*def)));
        refs.map(|r| view.reference(r).range).chain(defs.map(|def| view.def(def).name_range)).collect()
    }
}
