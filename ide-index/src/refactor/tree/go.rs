//! Go code that the grammar reads only with other names.

use ide_model::newer::new_of_values;

/// The same code for the grammar, offset by offset: a `new` that takes a value is called like any function. `None` where
/// nothing is different.
pub(super) fn readable(text: &str) -> Option<String> {
    let places = new_of_values(text);
    if places.is_empty() {
        return None;
    }
    let mut out = text.as_bytes().to_vec();
    places.into_iter().for_each(|at| out[at] = b'N');
    String::from_utf8(out).ok()
}
