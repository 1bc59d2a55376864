//! Skimming: sketches step over blocks and lines inside of functions, and arguments and displays anywhere, that say
//! nothing but words.
//!
//! A line is read when it may declare something elsewhere (`self.x = …`, `global`), binds an import, or has types in strings
//! and comments. So are the heads of the blocks around it; the rest of the function is stepped over.

use crate::builder::FactBuilder;
use crate::kit::{any_within, within};

use super::lexer::{T, Tok, Tokens};
use super::parser::{FrameKind, Parser};

/// The state of stepping over tokens.
#[derive(Default)]
pub(super) struct Skimmed {
    /// The end of the tokens that were looked at last.
    end: usize,
    /// How many names of `typing` were known then.
    typing: usize,
    /// Tokens, in order, for which the line or group around them must be read.
    telling: Vec<u32>,
    /// As these, where they name the receiver: names in front of the dot of an attribute that is assigned to.
    assigned: Vec<u32>,
}

impl Skimmed {
    /// `None` for a file whose lines or brackets are damaged.
    pub(super) fn new(tokens: &Tokens) -> Option<Self> {
        tokens.errors.is_empty().then(Self::default)
    }
}

/// Looks at tokens line by line, and takes their words for names of the file.
struct Lines<'s, 'a> {
    src: &'a str,
    toks: &'s mut [Tok],
    b: &'s mut FactBuilder,
    typing: &'s [(&'a str, &'a str)],
    out: &'s mut Skimmed,
    /// Indentations around.
    blocks: Vec<usize>,
    in_function: bool,
    line: Line,
}

/// The facts about a line so far.
#[derive(Default)]
struct Line {
    start: usize,
    /// Brackets around.
    depth: u32,
    /// Lambdas whose colons are yet to come, by the brackets around them.
    lambdas: Vec<(u32, usize)>,
    /// The colon of a block is yet to come.
    is_head: bool,
    /// Behind `for` or `as`.
    is_target: bool,
    /// Behind the colon of an annotation.
    is_annotated: bool,
    strings: Vec<usize>,
    /// Attributes by their receivers: an assignment may follow.
    attributes: Vec<usize>,
}

impl Lines<'_, '_> {
    /// From the start of a block, a line or a group to its end.
    fn look(&mut self, mut at: usize) {
        let known = (self.out.telling.len(), self.out.assigned.len());
        self.start_line(at);
        loop {
            let kind = self.toks[at].kind;
            self.take(at, kind);
            at += 1;
            if self.blocks.is_empty() && (kind.is_layout() || self.line.depth == 0 && closes(kind)) {
                break;
            }
        }
        self.end_line(at);
        self.out.end = at;
        // Some are told by what comes later.
        self.out.telling[known.0..].sort_unstable();
        self.out.assigned[known.1..].sort_unstable();
    }

    fn take(&mut self, at: usize, kind: T) {
        let is_outside = self.line.depth == 0;
        match kind {
            T::Name => self.name(at),
            T::Dot | T::Comma => {}
            T::LParen | T::LBrack | T::LBrace | T::FStart | T::FOpen => self.line.depth += 1,
            _ if closes(kind) => self.close(),
            T::Colon if self.line.lambdas.pop_if(|(depth, _)| *depth == self.line.depth).is_some() => {}
            T::Colon if is_outside => self.colon(at),
            T::Assign | T::AugAssign if is_outside => self.assign(),
            // It is a declaration too.
            T::Lambda if !self.in_function => self.out.telling.push(at as u32),
            T::Lambda => self.line.lambdas.push((self.line.depth, at)),
            T::In if is_outside => self.line.is_target = false,
            T::As => self.line.is_target = true,
            T::Str if self.line.is_annotated => self.out.telling.push(at as u32),
            T::Str => self.line.strings.push(at),
            // The heads of definitions have types.
            T::Def | T::Class => self.out.telling.push(at as u32),
            T::Import | T::Global | T::Nonlocal | T::Semi | T::Walrus => self.out.telling.push(at as u32),
            T::If | T::While | T::For | T::Try | T::With => {
                self.line.is_target |= kind == T::For && is_outside;
                if self.toks[at - 1].kind == T::Colon {
                    self.out.telling.push(at as u32);
                }
            }
            T::Newline | T::Indent | T::Dedent | T::Eof => self.layout(at, kind),
            _ => {}
        }
    }

    fn layout(&mut self, at: usize, kind: T) {
        self.end_line(at);
        if kind == T::Indent {
            self.blocks.push(at);
        } else if kind == T::Dedent
            && let Some(indent) = self.blocks.pop()
        {
            self.toks[indent].aux = at as u32;
        }
        self.start_line(at + 1);
    }

    fn start_line(&mut self, at: usize) {
        let line = &mut self.line;
        line.attributes.clear();
        line.strings.clear();
        line.lambdas.clear();
        (line.start, line.depth) = (at, 0);
        (line.is_target, line.is_annotated) = (false, false);
        line.is_head = self.toks[at..].iter().find(|tok| tok.kind != T::Async).is_some_and(begins_block);
    }

    /// Strings beside names of `typing` may be types.
    fn end_line(&mut self, end: usize) {
        if self.line.strings.is_empty() || self.typing.is_empty() {
            return;
        }
        let mut names = self.toks[self.line.start..end].iter().filter(|tok| tok.kind == T::Name);
        let is_of_typing = |tok: &Tok| {
            let name = &self.src[tok.start as usize..tok.end as usize];
            self.typing.iter().any(|(local, _)| *local == name)
        };
        if names.any(is_of_typing) {
            self.line.strings.drain(..).for_each(|at| self.out.telling.push(at as u32));
        }
    }

    fn colon(&mut self, at: usize) {
        if self.line.is_head {
            self.end_line(at);
            self.start_line(at + 1);
        } else {
            self.assign();
            self.line.is_annotated = true;
        }
    }

    /// A closing bracket.
    fn close(&mut self) {
        let line = &mut self.line;
        // Its parameters reach out of the brackets.
        while let Some((_, lambda)) = line.lambdas.pop_if(|(depth, _)| *depth >= line.depth) {
            self.out.telling.push(lambda as u32);
        }
        line.depth = line.depth.saturating_sub(1);
    }

    fn assign(&mut self) {
        self.line.attributes.drain(..).for_each(|at| self.out.assigned.push(at as u32));
    }

    fn name(&mut self, at: usize) {
        let range = self.toks[at].start as usize..self.toks[at].end as usize;
        self.b.word_in(self.src, range.clone());
        let text = &self.src[range];
        let kind = |n: usize| self.toks.get(at + n).map_or(T::Eof, |tok| tok.kind);
        // `name.attribute`, of which nothing is taken.
        if kind(1) == T::Dot && kind(2) == T::Name && !matches!(kind(3), T::Dot | T::LParen | T::LBrack) {
            match self.line.is_target {
                true => self.out.assigned.push(at as u32),
                false => self.line.attributes.push(at),
            }
        }
        if super::pytest::TAKE_NAMES.contains(&text) {
            let strings = self.toks[at + 1..].iter().skip(1);
            for string in strings.take_while(|tok| matches!(tok.kind, T::Str | T::Comma)) {
                let range = Parser::string_content(*string);
                self.b.word_in(self.src, range.start as usize..range.end as usize);
            }
        }
        if text == "namedtuple" || text == "type" && kind(1) == T::Name {
            self.out.telling.push(at as u32);
        }
    }
}

/// A statement that begins with this word has a head with a colon.
fn begins_block(first: &Tok) -> bool {
    use T::{Class, Def, Elif, Else, Except, Finally, For, If, Try, While, With};
    matches!(first.kind, Class | Def | Elif | Else | Except | Finally | For | If | Try | While | With)
}

fn closes(kind: T) -> bool {
    matches!(kind, T::RParen | T::RBrack | T::RBrace | T::FEnd | T::FClose)
}

impl Parser<'_> {
    /// Steps over the rest of the line in a function; false, and nothing is done, when it must be read.
    pub(super) fn over_line(&mut self) -> bool {
        self.may_skim() && {
            let end = self.toks[self.pos..].iter().position(|tok| matches!(tok.kind, T::Newline | T::Semi));
            end.is_some_and(|len| self.over(self.pos + len + 1))
        }
    }

    /// Steps over the indented block in a function; false, and nothing is done, when it must be read.
    pub(super) fn over_block(&mut self) -> bool {
        self.kind() == T::Indent && self.may_skim() && self.over(self.partner(self.pos) + 1)
    }

    /// Steps over the values in the bracket, to where it is closed; false, and nothing is done, when they must be read.
    pub(super) fn over_group(&mut self) -> bool {
        !self.in_string && self.has_looked() && self.over(self.partner(self.pos))
    }

    /// Whether this is a sketch and in a function of which nothing read so far says that it must be read.
    fn may_skim(&mut self) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        frame.kind == FrameKind::Function
            && frame.outer_names.iter().all(|(_, is_global)| !is_global)
            && self.has_looked()
    }

    /// Looks at the tokens here, unless it has done so; false where that is too long ago, and outside of sketches.
    fn has_looked(&mut self) -> bool {
        let Some(skim) = &mut self.skim else { return false };
        if skim.end <= self.pos {
            skim.typing = self.typing.len();
            let mut lines = Lines {
                src: self.src,
                toks: &mut self.toks,
                b: &mut self.b,
                typing: &self.typing,
                out: skim,
                blocks: Vec::new(),
                in_function: self.frames.iter().any(|frame| frame.kind == FrameKind::Function),
                line: Line::default(),
            };
            lines.look(self.pos);
        }
        skim.typing == self.typing.len()
    }

    /// Steps over what was looked at, up to a token.
    fn over(&mut self, end: usize) -> bool {
        let (Some(skim), Some(frame)) = (&self.skim, self.frames.last()) else { return false };
        let inside = || self.pos..end;
        let is_receiver =
            |at: &u32| frame.receiver.is_some_and(|(name, _)| name == self.text(self.toks[*at as usize]));
        let has_type = || {
            let next = self.type_comments.partition_point(|comment| (comment.before as usize) < self.pos);
            self.type_comments.get(next).is_some_and(|comment| (comment.before as usize) < end)
        };
        // Damaged code may begin a line within brackets, where another end was found.
        if end > skim.end
            || any_within(&skim.telling, inside())
            || within(&skim.assigned, inside()).iter().any(is_receiver)
            || has_type()
        {
            return false;
        }
        let last = self.toks[inside()].iter().rfind(|tok| !tok.kind.is_layout());
        let last_end = last.map_or(self.last_end, |tok| tok.end);
        (self.pos, self.last_end) = (end, last_end);
        true
    }
}
