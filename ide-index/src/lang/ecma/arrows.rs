//! Arrow functions: whether parentheses are the parameters of one, found out by what stands behind them, and which names
//! stand for functions.

use ide_model::SymbolKind;

use super::front::Parser;
use super::lexer::EXTENDS;
use crate::facts::{DefId, Expr, FileFacts};
use crate::kit::Kind;

/// A result type of more parts than this is none.
const MAX_RESULT: usize = 120;

/// Functions that give back the function that they are given, or one that is called like it.
const PASS_ON: &[&str] = &[
    "memo",
    "forwardRef",
    "useCallback",
    "useEvent",
    "useEffectEvent",
    "useEventCallback",
    "observer",
    "debounce",
    "throttle",
    "once",
    "memoize",
    "memoizeOne",
];

/// Calls that pass on a function are looked through so deep.
const MAX_PASSED: usize = 8;

/// The function that a variable or property holds from the start: `const f = () => …`, `const C = memo(function () { … })`.
pub(super) fn held_function(file: &FileFacts, def: DefId) -> Option<DefId> {
    let d = file.def(def);
    let is_variable = matches!(
        d.kind,
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Property | SymbolKind::Field
    );
    let mut value = d.init.filter(|_| is_variable)?;
    for _ in 0..MAX_PASSED {
        value = match file.expr(value) {
            Expr::Function(function) => return Some(function),
            Expr::Cast { value, .. } | Expr::NonNull(value) => value,
            Expr::Call { callee, args, .. } => match file.expr(callee) {
                Expr::Ref(name) if PASS_ON.contains(&file.ref_name(name)) => file.list(args).next()?,
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

impl Parser<'_> {
    /// `=>` follows the group at `open`, perhaps behind a result type.
    pub(super) fn arrow_behind(&self, open: usize) -> bool {
        let behind = self.c.behind_group(open);
        if self.c.joined_at(behind, b"=>") {
            return true;
        }
        if !self.typed || !self.c.token(behind).is(b':') {
            return false;
        }
        // A result type: up to `=>` without anything that ends an expression.
        let mut i = behind + 1;
        let mut conditional = false;
        let mut angles = 0_u32;
        for _ in 0..MAX_RESULT {
            let token = self.c.token(i);
            if self.c.joined_at(i, b"=>") {
                if angles > 0 {
                    i += 2;
                    continue;
                }
                // `(a) : (b) => c` of a conditional is read as an arrow only when what stands between is a type.
                let is_type = !matches!(self.c.token(i - 1).kind, Kind::Number) || i == behind + 2;
                return is_type && (!self.chooses(open) || self.colon_follows(i + 2));
            }
            // Only a conditional type has the word.
            conditional |= token.kind == Kind::Word && token.sub == EXTENDS;
            let fits = matches!(token.kind, Kind::Word | Kind::Open | Kind::Text | Kind::Number)
                || token.is(b'<')
                || token.is(b'>')
                || token.is(b'|')
                || token.is(b'&')
                || token.is(b'.')
                || (token.is(b'?') || token.is(b':')) && conditional
                || (token.is(b',') || token.is(b'=')) && angles > 0;
            if !fits {
                return false;
            }
            match token.kind {
                Kind::Punct if token.is(b'<') => angles += 1,
                Kind::Punct if token.is(b'>') => angles = angles.saturating_sub(1),
                _ => {}
            }
            i = self.c.over(i).max(i + 1);
        }
        false
    }

    /// Whether what begins at a token is the first alternative of a conditional: an arrow function with a result type there
    /// has the colon of the conditional behind it, or is none.
    fn chooses(&self, at: usize) -> bool {
        let Some(mark) = self.choice else { return false };
        let mut i = mark + 1;
        while i < at {
            i = self.c.over(i).max(i + 1);
        }
        i == at
    }

    /// A colon that belongs to no conditional inside stands behind the expression that begins here.
    fn colon_follows(&self, body: usize) -> bool {
        if self.c.token(body).is(b'{') {
            return self.c.token(self.c.behind_group(body)).is(b':');
        }
        let mut inner = 0;
        let mut i = body;
        let mut ends = false;
        loop {
            let token = self.c.token(i);
            match token.kind {
                Kind::End | Kind::Close => return false,
                // The next statement.
                Kind::Word if ends && token.after_newline => return false,
                Kind::Punct if token.is(b';') || token.is(b',') => return false,
                Kind::Punct if token.is(b':') && inner == 0 => return true,
                Kind::Punct if token.is(b':') => inner -= 1,
                Kind::Punct if token.is(b'?') => match self.c.token(i + 1) {
                    next if next.is(b'.') || next.is(b'?') => i += 1,
                    _ => inner += 1,
                },
                _ => {}
            }
            ends = token.kind != Kind::Punct;
            i = self.c.over(i).max(i + 1);
        }
    }

    pub(super) fn generic_arrow(&self, open: usize) -> bool {
        let Some(behind) = self.behind_angles(open) else { return false };
        self.c.token(behind).is(b'(') && self.arrow_behind(behind)
    }
}
