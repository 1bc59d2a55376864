//! Variables whose names begin with a sigil that is not typed yet: `opt` stands for `$options`.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use ide_model::{Completion, Confidence, FilePath, Language, QueryError};

use super::{Candidate, Probed, Sign, Signs, VALUE, keyword};
use crate::facts::DefFlags;
use crate::lang::forbidden::SUPERGLOBALS;
use crate::refactor::RefactorContext;

/// The sigils of variables.
const SIGILS: &[(Language, char)] = &[(Language::Php, '$')];
/// Texts behind which the name of a variable has another meaning: `$a->$name`, `X::$name`, `$$name`.
const OPEN: [&str; 4] = ["->", "::", "\\", "$"];

/// The sigil that could stand behind a text.
pub(super) fn sigil(language: Language, before: &str) -> Option<char> {
    let (_, sigil) = SIGILS.iter().find(|(of, _)| *of == language)?;
    let before = before.trim_end();
    (!OPEN.iter().any(|mark| before.ends_with(mark))).then_some(*sigil)
}

pub(super) fn without_sigil(name: &str) -> &str {
    name.trim_start_matches(|c| SIGILS.iter().any(|(_, sigil)| *sigil == c))
}

/// The variables that could stand in a place, with their sigil.
pub(super) fn variables(
    ctx: &RefactorContext<'_>,
    path: &FilePath,
    text: &str,
    place: &Range<usize>,
    sigil: char,
) -> Result<Vec<Candidate>, QueryError> {
    let signed = [&text[..place.start], sigil.encode_utf8(&mut [0; 4]), &text[place.end..]].concat();
    let name_start = place.start + sigil.len_utf8();
    let Some(probed) = Probed::read(ctx, path, &signed, name_start..name_start, &VALUE)? else {
        return Ok(Vec::new());
    };
    if !probed.takes_value() {
        return Ok(Vec::new());
    }
    let candidates: Vec<Arc<str>> =
        probed.candidates().all.into_iter().take(probed.most_candidates()).collect();
    let mut found = probed.resolve(ctx, &candidates, &BTreeSet::new(), &|_| 0)?;
    found.retain(|found| found.completion.confidence < Confidence::NameOnly);
    let this = probed.has_instance().then_some("this");
    let everywhere = SUPERGLOBALS.split_whitespace().chain(this).map(keyword);
    let signs = Signs::of(&[Sign::Declared]);
    found.extend(
        everywhere.map(|completion| Candidate {
            completion: Completion { is_keyword: false, ..completion },
            signs,
        }),
    );
    for one in &mut found {
        if probed.is_called == Some(true) {
            one.signs = one.signs + Signs::of(&[Sign::Uncalled]);
        }
        one.completion.name = format!("{sigil}{}", one.completion.name).into();
    }
    Ok(found)
}

impl Probed {
    /// Whether the place has an object of its class: in a method or a property's hook, not in a static one.
    fn has_instance(&self) -> bool {
        self.pool.with(|rx| {
            let view = rx.file(self.id);
            let scope = view.reference(self.reference).scope;
            let is_static = |def| view.def(def).flags.has(DefFlags::STATIC);
            let function = view.enclosing_function(scope);
            view.enclosing_class(scope).is_some() && function.is_some_and(|function| !is_static(function))
        })
    }
}
