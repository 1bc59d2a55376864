//! Matching of names against patterns as people type them.
//!
//! [`NameMatcher`] decides whether a name matches and how well. A caller that scans many names keeps the
//! [`letter_mask`] of each and asks [`NameMatcher::may_match`] first; what passes is scored exactly.
//! In names of more than 128 bytes a pattern without `*`, `?` and blanks is found as a part ([`MatchMode::Substring`]).

mod bits;
mod name;

use bits::Bits;
use name::Name;

/// How much of a name a pattern must cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchMode {
    /// Tiers 1–10.
    Substring,
    /// Tiers 1–5.
    Prefix,
    /// Tier 1.
    Exact,
}

/// How well a name matches; smaller is better, and ties beyond it are the caller's (project before library,
/// path, line).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameScore {
    /// The tier of the match, 1 (exact) to 10 (with a typing error).
    pub tier: u8,
    /// Worst tier of the container parts of a qualified pattern, 0 without any.
    pub container_tier: u8,
    /// Humps passed over, plus gaps inside humps; in tier 10 the number of edits.
    pub distance: u16,
    /// Capitals of the pattern that met a small letter.
    pub case_misses: u16,
    /// Length of the name in characters.
    pub len: u16,
}

impl NameScore {
    /// True when the name matches only if the pattern has a typing error (tier 10).
    pub fn is_approximate(&self) -> bool {
        self.tier == TIER_APPROXIMATE || self.container_tier == TIER_APPROXIMATE
    }
}

const TIER_APPROXIMATE: u8 = 10;

/// Patterns with more characters are matched as plain substrings.
const MAX_HUMP_PATTERN: usize = 100;

/// A pattern, prepared for many names.
#[derive(Clone, Debug)]
pub struct NameMatcher {
    /// The pattern as a plain name; for a qualified pattern the whole text, separators included.
    whole: Part,
    /// The parts of a qualified pattern, outermost first, at least two; empty for an unqualified one.
    path: Vec<Part>,
    mode: MatchMode,
}

impl NameMatcher {
    /// A matcher for names in which `.` and `/` are ordinary characters: file names and paths.
    pub fn plain(pattern: &str, mode: MatchMode) -> Self {
        Self { whole: Part::new(pattern.trim()), path: Vec::new(), mode }
    }

    /// A matcher for declarations: `Outer.member`, `Outer#member`, `pkg::Type::member` and `Ns\Class` ask for
    /// the last part inside the containers named before it. A parameter list at the end is ignored.
    pub fn symbol(pattern: &str, mode: MatchMode) -> Self {
        let pattern = pattern.trim();
        let pattern = pattern.split_once('(').map_or(pattern, |(head, _)| head).trim_end();
        let parts: Vec<&str> = path_segments(pattern).collect();
        if let [only] = parts[..] {
            // `#field` is the name of a private member as well.
            let is_name = mode == MatchMode::Exact && pattern.starts_with('#');
            return Self::plain(if is_name { pattern } else { only }, mode);
        }
        Self { whole: Part::new(pattern), path: parts.into_iter().map(Part::new).collect(), mode }
    }

    /// True for a pattern that names containers; then [`Self::score_in`] must be asked.
    pub fn is_qualified(&self) -> bool {
        !self.path.is_empty()
    }

    /// False when no name with this [`letter_mask`] can match in tiers 1–9.
    pub fn may_match(&self, mask: u64) -> bool {
        self.member().mask & !mask == 0
    }

    /// False when no name with this [`letter_mask`] can match in tier 10.
    pub fn may_match_approximately(&self, mask: u64) -> bool {
        let part = self.member();
        part.allowed_edits() > 0 && (part.mask & !mask).count_ones() as usize <= part.allowed_edits()
    }

    /// How well an unqualified pattern matches `name` in tiers 1–9; a qualified one only matches a name that
    /// itself contains the separators.
    pub fn score(&self, name: &str) -> Option<NameScore> {
        self.score_within(name, TIER_APPROXIMATE)
    }

    /// Whether [`Self::score`] has an answer.
    pub fn matches(&self, name: &str) -> bool {
        self.whole.matches(name, self.mode)
    }

    /// Like [`Self::score`] for a caller whom matches of tiers beyond `worst` do not interest: they may be left out, which
    /// costs less than to find them.
    pub fn score_within(&self, name: &str, worst: u8) -> Option<NameScore> {
        self.whole.score_within(name, self.mode, worst)
    }

    /// How well the pattern matches `name` declared inside `outer` in tiers 1–9. `outer` is the qualified name
    /// of the container, or of the declaration itself, as any language writes it (`a.b.C`, `a\\B`, `a::B`).
    pub fn score_in(&self, name: &str, outer: &str) -> Option<NameScore> {
        let whole = self.score(name);
        let qualified = self.qualified_score(name, outer, |part, text| part.score(text, self.mode));
        [whole, qualified].into_iter().flatten().min()
    }

    /// How well the pattern matches with typing errors: one edit per five characters of its last part. To be
    /// asked only when nothing matched otherwise; always `None` outside [`MatchMode::Substring`].
    pub fn approximate(&self, name: &str, outer: &str) -> Option<NameScore> {
        if self.mode != MatchMode::Substring {
            return None;
        }
        if self.path.is_empty() {
            return self.whole.approximate(name);
        }
        self.qualified_score(name, outer, |part, text| {
            part.score(text, self.mode).or_else(|| part.approximate(text))
        })
    }

    /// The part that the name itself must match.
    fn member(&self) -> &Part {
        self.path.last().unwrap_or(&self.whole)
    }

    /// The member part on `name`, the container parts in order on segments of `outer`, innermost first.
    fn qualified_score(
        &self,
        name: &str,
        outer: &str,
        score: impl Fn(&Part, &str) -> Option<NameScore>,
    ) -> Option<NameScore> {
        let (member, containers) = self.path.split_last()?;
        let mut best = score(member, name)?;
        let outer = outer.split_once('(').map_or(outer, |(head, _)| head);
        let mut segments: Vec<&str> = path_segments(outer).collect();
        if segments.last() == Some(&name) {
            segments.pop();
        }
        let mut rest = segments.iter().rev();
        for part in containers.iter().rev() {
            let container = rest.find_map(|segment| score(part, segment))?;
            best.container_tier = best.container_tier.max(container.tier);
        }
        Some(best)
    }
}

/// A set of the characters of a name, case-folded: one bit per letter and digit, the rest shared.
pub fn letter_mask(name: &str) -> u64 {
    name.chars().fold(0, |mask, c| mask | letter_bit(fold(c)))
}

fn letter_bit(folded: char) -> u64 {
    match folded {
        'a'..='z' => 1 << (folded as u32 - 'a' as u32),
        '0'..='9' => 1 << (26 + folded as u32 - '0' as u32),
        other => 1 << (36 + other as u32 % 28),
    }
}

/// Simple case folding to one character.
fn fold(c: char) -> char {
    if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) }
}

/// The non-empty segments of a qualified name in any of our grammars.
fn path_segments(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '#', ':', '/', '\\']).filter(|segment| !segment.is_empty())
}

/// How a step of a pattern may follow the step before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// At the next character or at the start of a later hump.
    Next,
    /// At the start of a later hump (a blank in the pattern).
    Hump,
    /// Anywhere later (a `*` in the pattern).
    Star,
}

/// One character of a pattern.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Case-folded; `None` matches any character (`?`).
    folded: Option<char>,
    is_upper: bool,
    link: Link,
}

/// One name pattern.
#[derive(Clone, Debug)]
struct Part {
    text: String,
    steps: Vec<Step>,
    /// The characters of the steps.
    folded: Vec<char>,
    /// True with `*` or `?`.
    is_wild: bool,
    mask: u64,
}

/// The places where a match may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    First,
    Hump,
    Anywhere,
}

impl Part {
    fn new(text: &str) -> Self {
        let mut steps = Vec::with_capacity(text.len());
        let mut link = Link::Next;
        for c in text.chars() {
            match c {
                '*' => link = Link::Star,
                ' ' if link == Link::Star => {}
                ' ' => link = Link::Hump,
                _ => {
                    let folded = (c != '?').then(|| fold(c));
                    steps.push(Step { folded, is_upper: c.is_uppercase(), link });
                    link = Link::Next;
                }
            }
        }
        let mask = steps.iter().filter_map(|s| s.folded).fold(0, |mask, c| mask | letter_bit(c));
        let folded = steps.iter().filter_map(|step| step.folded).collect();
        Self { text: text.to_owned(), steps, folded, is_wild: text.contains(['*', '?']), mask }
    }

    fn score(&self, name: &str, mode: MatchMode) -> Option<NameScore> {
        self.score_within(name, mode, TIER_APPROXIMATE)
    }

    fn matches(&self, name: &str, mode: MatchMode) -> bool {
        if mode != MatchMode::Substring || self.steps.iter().any(|step| step.link != Link::Next) {
            return self.score(name, mode).is_some();
        }
        // The other tiers are narrower than these two.
        if self.steps.is_empty() || !self.is_subsequence_of(name) {
            return false;
        }
        if let Some(bits) = self.bits(name) {
            return bits.lies(self.text.as_bytes(), Start::Hump, true) || self.may_be_part_of(name);
        }
        let is_long = self.is_too_long(name);
        if is_long && !self.may_be_part_of(name) {
            return false;
        }
        let name = Name::new(name);
        self.substring_score(&name).is_some() || !is_long && self.gap_score(&name).is_some()
    }

    fn score_within(&self, name: &str, mode: MatchMode, worst: u8) -> Option<NameScore> {
        if self.steps.is_empty() {
            return None;
        }
        let plain = if self.is_wild { None } else { self.plain_score(name) };
        match mode {
            MatchMode::Exact => plain.filter(|score| score.tier == 1),
            _ if plain.is_some() => plain,
            _ if worst < 5 || !self.is_subsequence_of(name) => None,
            MatchMode::Prefix => self.hump_score(&Name::new(name), true, worst),
            MatchMode::Substring => self.inner_score(name, worst),
        }
    }

    /// Tiers 5–9.
    fn inner_score(&self, name: &str, worst: u8) -> Option<NameScore> {
        let bits = self.bits(name);
        let text = self.text.as_bytes();
        let may_lie = |start, gaps| bits.as_ref().is_none_or(|bits: &Bits<'_>| bits.lies(text, start, gaps));
        let has_gaps = !self.is_too_long(name) && may_lie(Start::Hump, true);
        if !has_gaps && !self.may_be_part_of(name) {
            return None;
        }
        let name = Name::new(name);
        let on_humps = has_gaps && may_lie(Start::Hump, false);
        let by_humps = if on_humps { self.hump_score(&name, false, worst) } else { None };
        by_humps
            .or_else(|| self.substring_score(&name).filter(|_| worst >= 7))
            .or_else(|| if worst >= 9 && has_gaps { self.gap_score(&name) } else { None })
    }

    /// Tiers 1–4.
    fn plain_score(&self, name: &str) -> Option<NameScore> {
        let len = name.chars().count();
        let score = |tier, case_misses| Some(NameScore::new(tier, 0, case_misses, len));
        if let Some(rest) = name.strip_prefix(self.text.as_str()) {
            return score(if rest.is_empty() { 1 } else { 3 }, 0);
        }
        let mut rest = name.chars();
        let mut misses = 0;
        for p in self.text.chars() {
            let n = rest.next()?;
            if fold(p) != fold(n) {
                return None;
            }
            misses += u16::from(p.is_uppercase() && !n.is_uppercase());
        }
        score(if rest.next().is_none() { 2 } else { 4 }, misses)
    }

    /// Necessary for every tier: cheap enough to ask before a name is taken apart.
    fn is_subsequence_of(&self, name: &str) -> bool {
        let mut chars = name.chars().map(fold);
        self.steps.iter().all(|step| match step.folded {
            Some(c) => chars.any(|n| n == c),
            None => chars.next().is_some(),
        })
    }

    /// Tiers 5 and 6, and for a pattern that begins with `*` tier 8.
    fn hump_score(&self, name: &Name, only_prefix: bool, worst: u8) -> Option<NameScore> {
        if self.steps.len() > MAX_HUMP_PATTERN {
            return None;
        }
        let begins_wild = self.steps[0].link == Link::Star;
        let mut starts = vec![(Start::First, 5)];
        if !only_prefix || begins_wild {
            starts.push((Start::Hump, if only_prefix { 5 } else { 6 }));
        }
        if begins_wild {
            starts.push((Start::Anywhere, if only_prefix { 5 } else { 8 }));
        }
        starts.into_iter().filter(|(_, tier)| *tier <= worst).find_map(|(start, tier)| {
            let (distance, misses) = self.align(name, start, false)?;
            Some(NameScore::new(tier, distance, misses, name.raw.len()))
        })
    }

    /// Tiers 7 and 8.
    fn substring_score(&self, name: &Name) -> Option<NameScore> {
        if self.is_wild || self.steps.iter().any(|step| step.link == Link::Hump) {
            return None;
        }
        let n = self.steps.len();
        let fits = |at: &usize| {
            self.steps.iter().zip(&name.folded[*at..at + n]).all(|(step, c)| step.folded == Some(*c))
        };
        let at = (0..=name.folded.len().checked_sub(n)?).find(fits)?;
        let misses = self.steps.iter().zip(&name.raw[at..]).filter(|(s, c)| s.is_upper && !c.is_uppercase());
        let tier = if name.starts_hump(at) { 7 } else { 8 };
        Some(NameScore::new(tier, name.hump[at], misses.count() as u16, name.raw.len()))
    }

    /// Tier 9: a run that began at a hump start may skip letters of that hump.
    fn gap_score(&self, name: &Name) -> Option<NameScore> {
        if self.steps.len() > MAX_HUMP_PATTERN {
            return None;
        }
        let (distance, misses) = self.align(name, Start::Hump, true)?;
        Some(NameScore::new(9, distance, misses, name.raw.len()))
    }

    /// The cheapest way to lay the steps on the name, as (distance, case misses).
    ///
    /// `table[step][at]` is the cost of the steps up to `step` when it lies on `at`. A cost holds the distance in
    /// its upper and the case misses in its lower half, so that comparing costs compares both in order.
    fn align(&self, name: &Name, start: Start, gaps: bool) -> Option<(u16, u16)> {
        let width = name.raw.len();
        let may_start = |at: usize| match start {
            Start::First => at == 0,
            Start::Hump => name.starts_hump(at),
            Start::Anywhere => true,
        };
        if !(0..width).any(|at| may_start(at) && self.steps[0].fits(name, at).is_some()) {
            return None;
        }
        let mut table = vec![NO_WAY; width * self.steps.len()];
        for step in 0..self.steps.len() {
            let mut reach = ReachableCosts::default();
            for at in 0..width {
                let base = if step == 0 {
                    if may_start(at) { u32::from(name.hump[at]) << 16 } else { NO_WAY }
                } else {
                    reach.pass(&table[(step - 1) * width..step * width], name, at);
                    reach.cost(self.steps[step].link, name, at, gaps)
                };
                if base != NO_WAY {
                    self.lay(&mut table, name, step, at, base, gaps);
                }
            }
            // Three steps at most are laid at once: when this one and those behind it lie nowhere, none ever will.
            let laid = &table[step * width..table.len().min((step + 3) * width)];
            if laid.iter().all(|cost| *cost == NO_WAY) {
                return None;
            }
        }
        let best = table[table.len() - width..].iter().min().copied().filter(|cost| *cost != NO_WAY)?;
        Some(((best >> 16) as u16, best as u16))
    }

    /// Lays one step on `at`. Behind a `*` in the middle of a hump the run must go on for three characters before
    /// it may leave the hump, so there up to three steps are laid at once.
    fn lay(&self, table: &mut [u32], name: &Name, step: usize, at: usize, base: u32, gaps: bool) {
        let is_bound = self.steps[step].link == Link::Star && !name.starts_hump(at) && !gaps;
        let width = name.raw.len();
        let mut cost = base;
        let mut last = step;
        loop {
            let here = at + (last - step);
            let Some(miss) = (here < width).then(|| self.steps[last].fits(name, here)).flatten() else {
                return;
            };
            cost += u32::from(miss);
            let goes_on = is_bound
                && last - step < 2
                && self.steps.get(last + 1).is_some_and(|next| next.link == Link::Next);
            if !goes_on {
                break;
            }
            last += 1;
        }
        let cell = &mut table[last * width + at + (last - step)];
        *cell = cost.min(*cell);
    }

    fn allowed_edits(&self) -> usize {
        if self.is_wild { 0 } else { self.steps.len() / 5 }
    }

    /// Tier 10: the pattern with few edits (insertion, deletion, replacement, exchange of neighbours) is a prefix
    /// of the name.
    fn approximate(&self, name: &str) -> Option<NameScore> {
        let allowed = self.allowed_edits();
        if allowed == 0 || self.steps.len() > MAX_HUMP_PATTERN {
            return None;
        }
        let pattern = &self.folded;
        let len = name.chars().count();
        let name: Vec<char> = name.chars().map(fold).take(pattern.len() + allowed).collect();
        let width = name.len() + 1;
        let mut rows = vec![0; width * (pattern.len() + 1)];
        for (j, cell) in rows[..width].iter_mut().enumerate() {
            *cell = j;
        }
        for i in 1..=pattern.len() {
            rows[i * width] = i;
            for j in 1..width {
                let up = (i - 1) * width + j;
                let replaced = rows[up - 1] + usize::from(pattern[i - 1] != name[j - 1]);
                let mut best = replaced.min(rows[up] + 1).min(rows[i * width + j - 1] + 1);
                if i > 1 && j > 1 && pattern[i - 1] == name[j - 2] && pattern[i - 2] == name[j - 1] {
                    best = best.min(rows[(i - 2) * width + j - 2] + 1);
                }
                rows[i * width + j] = best;
            }
            // A cell grows out of the two rows above it: edits beyond what is allowed in both are never undone.
            if rows[(i - 1) * width..].iter().take(2 * width).all(|edits| *edits > allowed) {
                return None;
            }
        }
        let edits = rows[pattern.len() * width..].iter().min().copied()?;
        (edits <= allowed).then(|| NameScore::new(TIER_APPROXIMATE, edits as u16, 0, len))
    }
}

const NO_WAY: u32 = u32::MAX;

/// The costs from which a step can be reached, kept while the position moves to the right.
struct ReachableCosts {
    /// The cost at the character just before.
    previous: u32,
    /// Least `cost − hump` over all earlier characters of earlier humps, and the pending one of this hump.
    earlier_humps: Option<i64>,
    this_hump: Option<i64>,
    /// Least cost of the characters of this hump.
    in_hump: u32,
}

impl Default for ReachableCosts {
    fn default() -> Self {
        Self { previous: NO_WAY, earlier_humps: None, this_hump: None, in_hump: NO_WAY }
    }
}

impl ReachableCosts {
    /// Takes in the character before `at`.
    fn pass(&mut self, row: &[u32], name: &Name, at: usize) {
        let Some(before) = at.checked_sub(1) else { return };
        self.previous = row[before];
        if self.previous != NO_WAY {
            let relative = i64::from(self.previous) - (i64::from(name.hump[before]) << 16);
            self.this_hump = Some(self.this_hump.map_or(relative, |least| least.min(relative)));
            self.in_hump = self.in_hump.min(self.previous);
        }
        if name.starts_hump(at) {
            self.earlier_humps = match (self.earlier_humps, self.this_hump.take()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            self.in_hump = NO_WAY;
        }
    }

    fn cost(&self, link: Link, name: &Name, at: usize, gaps: bool) -> u32 {
        let jump = |least: Option<i64>, skipped: i64| {
            least.map_or(NO_WAY, |least| (least + ((i64::from(name.hump[at]) - skipped) << 16)) as u32)
        };
        let at_hump = if name.starts_hump(at) { jump(self.earlier_humps, 1) } else { NO_WAY };
        match link {
            Link::Hump => at_hump,
            Link::Star if !gaps => {
                self.previous.min(at_hump).min(self.in_hump).min(jump(self.earlier_humps, 1))
            }
            Link::Next if gaps && self.in_hump != NO_WAY => {
                self.previous.min(at_hump).min(self.in_hump + (1 << 16))
            }
            Link::Next | Link::Star => self.previous.min(at_hump),
        }
    }
}

impl Step {
    /// Whether the step lies on a character, and then whether it misses its case.
    fn fits(&self, name: &Name, at: usize) -> Option<bool> {
        match self.folded {
            Some(c) if c != name.folded[at] => None,
            _ => Some(self.is_upper && !name.raw[at].is_uppercase()),
        }
    }
}

impl NameScore {
    fn new(tier: u8, distance: u16, case_misses: u16, len: usize) -> Self {
        Self { tier, container_tier: 0, distance, case_misses, len: u16::try_from(len).unwrap_or(u16::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tier(pattern: &str, name: &str) -> Option<u8> {
        NameMatcher::plain(pattern, MatchMode::Substring).score(name).map(|score| score.tier)
    }

    fn matches(pattern: &str, name: &str, mode: MatchMode) -> bool {
        NameMatcher::plain(pattern, mode).score(name).is_some()
    }

    #[test]
    fn the_table_of_the_contract() {
        let table = [
            ("USvc", "UserService"),
            ("svc", "UserService"),
            ("US", "UserService"),
            ("UsSer", "UserService"),
            ("USJ", "UserService.java"),
            ("BG", "build.gradle"),
            ("Service", "UserService"),
            ("U*Impl", "UserServiceImpl"),
            ("User*Impl", "UserServiceImpl"),
            ("*Test.kt", "FooTest.kt"),
            ("solve", "resolveUUID"),
            ("solve", "canResolve"),
            ("fb", "foo_bar"),
            ("HTTPC", "HttpClient"),
            ("HTTPC", "HTTPClient"),
            ("httpcl", "HttpClient"),
            ("httpcl", "HTTPClient"),
            ("NPE", "NullPointerException"),
            ("Us?r", "UserService"),
            ("user service", "UserService"),
            ("init", "__init__"),
        ];
        for (pattern, name) in table {
            assert!(tier(pattern, name).is_some(), "{pattern} must match {name}");
        }
        let not =
            [("usx", "UserService"), ("ecivres", "UserService"), ("U*Impl", "UserService"), ("??", "a")];
        for (pattern, name) in not {
            assert_eq!(tier(pattern, name), None, "{pattern} must not match {name}");
        }
    }

    #[test]
    fn modes_narrow() {
        assert!(matches("find", "findSymbol", MatchMode::Prefix));
        assert!(!matches("find", "canFind", MatchMode::Prefix));
        assert!(matches("fiSy", "findSymbol", MatchMode::Prefix));
        assert!(matches("CalendarService", "CalendarService", MatchMode::Exact));
        assert!(!matches("CalendarService", "calendarService", MatchMode::Exact));
        assert!(!matches("Calendar", "CalendarService", MatchMode::Exact));
    }

    #[test]
    fn tiers_are_as_the_contract_lists_them() {
        let long = format!("x{}", "Ab".repeat(60));
        let cases = [
            ("user", "user", 1),
            ("User", "user", 2),
            ("user", "userService", 3),
            ("user", "UserService", 4),
            ("usSer", "UserService", 5),
            ("Serv", "UserService", 6),
            ("uSer", "MyUrlService", 6),
            (&long[1..], &*long, 7),
            ("ervi", "UserService", 8),
            ("*ervi", "UserService", 8),
            ("svc", "UserService", 9),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(tier(pattern, name), Some(expected), "{pattern} on {name}");
        }
    }

    #[test]
    fn ties_are_broken_by_skipped_humps_then_case_then_length() {
        let rank = |pattern: &str, names: &[&str]| {
            let matcher = NameMatcher::plain(pattern, MatchMode::Substring);
            let mut found: Vec<_> =
                names.iter().filter_map(|name| matcher.score(name).map(|s| (s, *name))).collect();
            found.sort();
            found.into_iter().map(|(_, name)| name.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            rank("UImpl", &["UserServiceImpl", "UserImpl", "UserServiceFactoryImpl"]),
            ["UserImpl", "UserServiceImpl", "UserServiceFactoryImpl"]
        );
        assert_eq!(rank("US", &["usage", "UserService"]), ["UserService", "usage"]);
        assert_eq!(rank("Us", &["UserService", "User"]), ["User", "UserService"]);
    }

    #[test]
    fn a_run_behind_a_star_may_leave_a_hump_only_after_three_characters() {
        assert!(matches("a*ervImpl", "aServiceImpl", MatchMode::Substring));
        assert!(!matches("a*erImpl", "aServiceImpl", MatchMode::Substring));
        assert!(matches("a*er", "aServiceImpl", MatchMode::Substring));
    }

    #[test]
    fn qualified_patterns_look_at_the_containers() {
        for pattern in ["BasicSolver.run", "BasicSolver#run", "BasicSolver::run", "BasicSolver.run(int)"] {
            let matcher = NameMatcher::symbol(pattern, MatchMode::Substring);
            assert!(matcher.is_qualified());
            assert!(matcher.score_in("run", "com.acme.BasicSolver#run").is_some(), "{pattern}");
            assert!(matcher.score_in("run", "com.acme.BasicSolver").is_some(), "{pattern}");
            assert!(matcher.score_in("run", "com.acme.Other#run").is_none(), "{pattern}");
            assert!(matcher.score("run").is_none(), "{pattern}");
        }
        let matcher = NameMatcher::symbol("Solver.run", MatchMode::Substring);
        let exact = matcher.score_in("run", "a.Solver#run(int)").unwrap();
        let hump = matcher.score_in("run", "a.BasicSolver#run").unwrap();
        assert!(exact < hump);
        assert!(
            NameMatcher::symbol("b.a.run", MatchMode::Substring).score_in("run", "a.b").is_none(),
            "containers keep their order"
        );
        assert!(NameMatcher::symbol("#run", MatchMode::Substring).score("run").is_some());
        assert!(NameMatcher::symbol("#run", MatchMode::Exact).score("#run").is_some());
        let dotted = NameMatcher::symbol("spring.url", MatchMode::Substring);
        assert_eq!(dotted.score_in("spring.url", "").map(|s| s.tier), Some(1));
    }

    #[test]
    fn typing_errors_are_one_per_five_characters() {
        let approximate = |pattern: &str, name: &str| {
            NameMatcher::symbol(pattern, MatchMode::Substring).approximate(name, "")
        };
        let hit = approximate("UserServcie", "UserService").unwrap();
        assert!(hit.is_approximate());
        assert_eq!(hit.distance, 1);
        assert!(approximate("UsrService", "UserServiceImpl").is_some());
        assert!(approximate("Usex", "User").is_none(), "too short");
        assert!(approximate("Userx", "Uzzr").is_none());
        let qualified = NameMatcher::symbol("BasicSovler.run", MatchMode::Substring);
        assert!(qualified.approximate("run", "a.BasicSolver").is_some());
    }

    #[test]
    fn nothing_matches_an_empty_pattern() {
        for pattern in ["", " ", "*", "#", "::"] {
            assert_eq!(NameMatcher::symbol(pattern, MatchMode::Substring).score_in("a", "b"), None);
        }
    }

    /// The definition of tiers 5, 6 and 9 by trying everything.
    fn brute_force(steps: &[Step], name: &Name, last: Option<usize>, gaps: bool) -> bool {
        let Some((step, rest)) = steps.split_first() else { return true };
        (0..name.raw.len()).any(|at| {
            let reachable = match last {
                None => name.starts_hump(at),
                Some(last) => {
                    at > last
                        && (at == last + 1
                            || name.starts_hump(at)
                            || gaps && name.hump[at] == name.hump[last])
                }
            };
            reachable && step.fits(name, at).is_some() && brute_force(rest, name, Some(at), gaps)
        })
    }

    proptest! {
        #[test]
        fn alignment_agrees_with_brute_force(pattern in "[abAB_1]{1,5}", name in "[abAB_1]{1,9}") {
            let part = Part::new(&pattern);
            let name = Name::new(&name);
            for gaps in [false, true] {
                prop_assert_eq!(
                    part.align(&name, Start::Hump, gaps).is_some(),
                    brute_force(&part.steps, &name, None, gaps)
                );
            }
        }

        #[test]
        fn every_substring_matches_and_modes_are_nested(name in "[a-cA-C0-1_.é]{1,12}", a in 0usize..12, b in 0usize..12) {
            let chars: Vec<char> = name.chars().collect();
            let (a, b) = (a.min(b).min(chars.len() - 1), a.max(b).min(chars.len() - 1));
            let pattern: String = chars[a..=b].iter().collect();
            prop_assert!(tier(&pattern, &name).is_some());
            prop_assert_eq!(tier(&name, &name), Some(1));
            for (narrow, wide) in [(MatchMode::Exact, MatchMode::Prefix), (MatchMode::Prefix, MatchMode::Substring)] {
                if let Some(score) = NameMatcher::plain(&pattern, narrow).score(&name) {
                    prop_assert_eq!(NameMatcher::plain(&pattern, wide).score(&name), Some(score));
                }
            }
        }

        #[test]
        fn the_mask_never_refuses_a_match(pattern in "[a-dA-D*? .é0]{1,7}", name in "[a-dA-D_.É0]{0,10}", outer in "[a-d.]{0,5}") {
            let matcher = NameMatcher::symbol(&pattern, MatchMode::Substring);
            for mode in [MatchMode::Substring, MatchMode::Prefix, MatchMode::Exact] {
                let plain = NameMatcher::plain(&pattern, mode);
                prop_assert_eq!(plain.matches(&name), plain.score(&name).is_some());
            }
            let mask = letter_mask(&name);
            if matcher.score(&name).or(matcher.score_in(&name, &outer)).is_some() {
                prop_assert!(matcher.may_match(mask));
            }
            if !matcher.is_qualified() && matcher.approximate(&name, &outer).is_some() {
                prop_assert!(matcher.may_match_approximately(mask));
            }
        }
    }
}
