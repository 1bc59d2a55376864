//! Small projects of one shape and any size: what nests, chains, repeats, doubles or grows in each language.

mod calls;
mod crowds;
mod ecma;
mod flow;
mod jvm;
mod other;
mod paths;
mod scripts;
mod systems;

/// A shape: `head`, then `open` so often as the size says, `middle`, `close` as often, `tail`. In `open` and `close`, `¤` is the
/// number of the turn and `¢` the next one; in `middle` and `tail`, `¤` is the size. A line with `¶` and a name begins another file.
pub(crate) struct Shape {
    pub(crate) file: &'static str,
    pub(crate) name: &'static str,
    head: &'static str,
    open: &'static str,
    middle: &'static str,
    close: &'static str,
    tail: &'static str,
    /// Beyond this size it says nothing more: types that double.
    pub(crate) at_most: usize,
}

impl Shape {
    /// The text at a size. Closing parts come in the order opposite to that of the opening ones.
    pub(crate) fn text(&self, size: usize) -> String {
        let turn = |part: &str, i: usize| match part.contains(['¤', '¢']) {
            true => part.replace('¤', &i.to_string()).replace('¢', &(i + 1).to_string()),
            false => part.to_owned(),
        };
        // Files of very long lines are not read.
        let end = |i: usize| if i % 20 == 19 { "\n" } else { "" };
        let mut text = self.head.to_owned();
        (0..size).for_each(|i| text += &(turn(self.open, i) + end(i)));
        text += &turn(self.middle, size);
        (0..size).rev().for_each(|i| text += &(turn(self.close, i) + end(i)));
        text + &turn(self.tail, size)
    }
}

const fn shape(
    file: &'static str,
    name: &'static str,
    head: &'static str,
    [open, middle, close]: [&'static str; 3],
    tail: &'static str,
) -> Shape {
    Shape { file, name, head, open, middle, close, tail, at_most: usize::MAX }
}

const fn doubling(
    file: &'static str,
    name: &'static str,
    head: &'static str,
    open: &'static str,
    tail: &'static str,
) -> Shape {
    Shape { at_most: 60, ..shape(file, name, head, [open, "", ""], tail) }
}

/// A shape of many files, which are fewer.
const fn files(
    file: &'static str,
    name: &'static str,
    head: &'static str,
    parts: [&'static str; 3],
    tail: &'static str,
) -> Shape {
    Shape { at_most: 2_000, ..shape(file, name, head, parts, tail) }
}

/// All shapes.
pub(crate) fn all() -> impl Iterator<Item = &'static Shape> {
    [
        jvm::JAVA,
        jvm::KOTLIN,
        scripts::PYTHON,
        scripts::PHP,
        ecma::ECMA,
        systems::GO,
        systems::RUST,
        other::SHAPES,
        flow::SHAPES,
        paths::SHAPES,
        calls::SHAPES,
        crowds::SHAPES,
    ]
    .into_iter()
    .flatten()
}
