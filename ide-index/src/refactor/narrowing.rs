//! The effect of a test on the compiler's view of the tested values, and the code that relies on it. A name for a
//! part of the test hides it.

use ide_model::{SymbolKind, TextRange};

use super::calls::callee_name;
use super::flow::Flow;
use super::tree::{NodeId, Syntax, has};
use super::types::TypeWriter;
use crate::resolve::Target;

/// Operators that join tests, and those that are tests themselves.
const JOINS: &str = "&& || ??";
const COMPARES: &str = "== != === !== instanceof in typeof";

/// A test that a value is part of.
struct Test {
    /// The range in which its result holds.
    region: TextRange,
    /// The value is looked at by itself, not compared with another one nor passed to a function.
    is_whole: bool,
    /// It is compared with one of several literals: that can tell which kind of an object it is a member of.
    is_compared: bool,
}

/// A place that would not compile any more when values of a test, the first one `value`, stood in a variable before it.
pub(super) fn relying_place(types: &TypeWriter<'_>, value: NodeId, named: &[NodeId]) -> Option<TextRange> {
    let syntax = types.syntax;
    let test = test_around(types, value)?;
    let flow = Flow::of(types.rx, types.file);
    let known = |id: NodeId| {
        let mention = flow.mentions.iter().find(|m| m.range == syntax.range(id))?;
        Some(!flow.of_variable(mention.variable).any(|m| m.writes && !m.declares))
    };
    let paths = syntax.run_by(value).into_iter().filter(|id| syntax.is_in(*id, syntax.shape.paths));
    let paths = paths.filter(|id| syntax.node(*id).field != "function");
    // The compiler looks through the name of a test as far as the variables in it cannot change.
    let mut paths: Vec<NodeId> = paths
        .filter(|id| !(test.is_whole && known(*id) == Some(true)) && syntax.text_of(*id) != "this")
        .collect();
    // Behind a comparison, only what is compared is told of; behind a call, only where the call is a test.
    let takes_part = |id: NodeId| {
        id == value
            || syntax.parent(id) == Some(value)
                && has("unary_expression member_expression subscript_expression", syntax.kind(value))
    };
    paths.retain(|id| test.is_whole || takes_part(*id));
    paths.retain(|id| {
        let list =
            syntax.ancestors(*id).take_while(|up| *up != value).find(|up| syntax.kind(*up) == "arguments");
        list.and_then(|list| syntax.parent(list)).is_none_or(|call| is_test(types, call))
    });
    paths.retain(|id| {
        let is_object = syntax.node(*id).field == "object";
        if is_object { test.is_compared && of_several(types, *id) } else { may_be_told(types, *id) }
    });
    let all = syntax.below(syntax.root());
    let after = all.into_iter().filter(|id| {
        let range = syntax.range(*id);
        range.start >= syntax.range(value).end
            && test.region.encloses(range)
            && syntax.is_in(*id, syntax.shape.paths)
            && !syntax.is_place(*id)
            && !named.iter().any(|value| syntax.range(*value).encloses(range))
    });
    let words: Vec<Vec<&str>> = paths.iter().map(|id| syntax.words(*id)).collect();
    after.into_iter().find(|id| words.contains(&syntax.words(*id))).map(|id| syntax.range(id))
}

fn test_around(types: &TypeWriter<'_>, value: NodeId) -> Option<Test> {
    let syntax = types.syntax;
    let (mut at, mut owner) = (value, None);
    let (mut is_whole, mut is_compared) = (true, false);
    while let Some(parent) = syntax.parent(at) {
        if syntax.stands_in(at, syntax.shape.tests) {
            owner = Some(parent);
            if syntax.kind(parent) == "switch_statement" {
                (is_whole, is_compared) = (false, true);
            }
        }
        let operator = syntax.operator(parent).unwrap_or("");
        let is_operation = has("binary_expression unary_expression", syntax.kind(parent));
        if is_operation && has(COMPARES, operator) {
            (is_whole, is_compared) = (false, true);
        } else if syntax.is_in(parent, "arguments call_expression") {
            is_whole = false;
        } else if !(is_operation && (has(JOINS, operator) || operator == "!")
            || syntax.kind(parent) == "parenthesized_expression")
        {
            break;
        }
        at = parent;
    }
    let owner = owner?;
    let leaves = syntax.field(owner, "consequence").is_some_and(|branch| {
        let last = if syntax.is_in(branch, syntax.shape.blocks) {
            syntax.named(branch).last()
        } else {
            Some(branch)
        };
        let shape = syntax.shape;
        last.is_some_and(|id| {
            [shape.returns, shape.throws, shape.breaks, shape.continues]
                .iter()
                .any(|kinds| syntax.is_in(id, kinds))
        })
    });
    // Behind a loop its test has failed.
    let around = if leaves || syntax.is_in(owner, syntax.shape.loops) {
        syntax.parent(owner).unwrap_or(owner)
    } else {
        owner
    };
    Some(Test { region: syntax.range(around), is_whole, is_compared })
}

/// Whether a call may tell the compiler about its arguments.
fn is_test(types: &TypeWriter<'_>, call: NodeId) -> bool {
    let result = || {
        let resolved = types.rx.resolve(types.file.global_ref(types.last_name(call)?));
        let [Target::Def(def)] = resolved.resolution.targets[..] else { return None };
        let (_, syntax) = types.home_of(def)?;
        let function = syntax.parent(syntax.around(types.rx.def(def).name_range))?;
        Some(syntax.kind(syntax.field(function, "return_type")?))
    };
    result().is_none_or(|kind| kind != "type_annotation")
}

/// Whether an object may be of one of several kinds, which its members tell apart.
fn of_several(types: &TypeWriter<'_>, path: NodeId) -> bool {
    said_type(types, path).is_none_or(|ty| ty.is_open)
}

/// Whether a test may tell more about a value than its declaration does.
fn may_be_told(types: &TypeWriter<'_>, path: NodeId) -> bool {
    said_type(types, path).is_none_or(|ty| ty.is_open || ty.may_lack)
}

/// The type information in the declaration of a value.
struct Said {
    may_lack: bool,
    /// It may be one of several types.
    is_open: bool,
}

fn said_type(types: &TypeWriter<'_>, path: NodeId) -> Option<Said> {
    let resolved = types.rx.resolve(types.file.global_ref(types.last_name(path)?));
    let [Target::Def(def)] = resolved.resolution.targets[..] else { return None };
    let d = types.rx.def(def);
    // Code that tests whether a function or an object exists knows that it may not, whatever its declaration says: a
    // type made of that one may leave it out.
    if d.kind.is_callable() && d.kind != SymbolKind::Constructor {
        return Some(Said { may_lack: true, is_open: false });
    }
    let (home, syntax) = types.home_of(def)?;
    let mut up = syntax.ancestors(syntax.around(d.name_range)).skip(1).take(2);
    let (head, ty) = up.find_map(|id| Some((id, syntax.field(id, "type")?)))?;
    let may_lack = syntax.children(head).iter().any(|id| syntax.kind(*id) == "?");
    let ty = syntax.named(ty).next()?;
    let name = match syntax.kind(ty) {
        "predefined_type" => return Some(Said { may_lack, is_open: syntax.text_of(ty) == "unknown" }),
        "array_type" | "tuple_type" | "function_type" | "object_type" => {
            return Some(Said { may_lack: true, is_open: false });
        }
        "generic_type" => syntax.field(ty, "name")?,
        _ => ty,
    };
    let named = home.by_place().refs.at(syntax.range(name)).next()?;
    let resolved = types.rx.resolve(home.global_ref(named));
    let [Target::Def(def)] = resolved.resolution.targets[..] else { return None };
    let is_open = !matches!(types.rx.def(def).kind, SymbolKind::Class | SymbolKind::Interface);
    Some(Said { may_lack: true, is_open })
}

/// A place in a part of a function that relies on what a test before it told about members, or about a variable whose
/// type has several forms: a function of its own would not know that.
pub(super) fn told_before(types: &TypeWriter<'_>, part: TextRange, function: NodeId) -> Option<TextRange> {
    let syntax = types.syntax;
    let is_path = |id: &NodeId| syntax.is_in(*id, syntax.shape.paths);
    let is_member = |id: &NodeId| syntax.is_in(*id, "member_expression subscript_expression");
    let all = syntax.below(function);
    let tests = all
        .iter()
        .filter(|id| syntax.stands_in(**id, syntax.shape.tests) && syntax.range(**id).end <= part.start);
    let paths = tests.flat_map(|test| syntax.run_by(*test));
    let paths = paths.filter(|id| is_path(id) && syntax.node(*id).field != "function");
    let is_told = |id: &NodeId| {
        if is_member(id) { may_be_told(types, *id) } else { is_variable_told(types, *id, part) }
    };
    let told: Vec<Vec<&str>> = paths.filter(is_told).map(|id| syntax.words(id)).collect();
    let inside = all.iter().filter(|id| part.encloses(syntax.range(**id)) && is_path(id));
    inside.into_iter().find(|id| told.contains(&syntax.words(**id))).map(|id| syntax.range(*id))
}

/// A place behind a part of a function that relies on what a test in the part told: a call of a function of its own tells
/// nothing.
pub(super) fn told_inside(types: &TypeWriter<'_>, part: TextRange, function: NodeId) -> Option<TextRange> {
    let syntax = types.syntax;
    let is_path = |id: &NodeId| syntax.is_in(*id, syntax.shape.paths);
    let behind = |region: TextRange| (region.end > part.end).then(|| TextRange::new(part.end, region.end));
    let all = syntax.below(function);
    let bare = |id: NodeId| {
        let is_bracket = |at: &NodeId| syntax.kind(*at) == "parenthesized_expression";
        let inner = std::iter::successors(Some(id), |at| syntax.named(*at).next().filter(|_| is_bracket(at)));
        inner.last().unwrap_or(id)
    };
    let tests = all
        .iter()
        .filter(|id| syntax.stands_in(**id, syntax.shape.tests) && part.encloses(syntax.range(bare(**id))));
    let paths = tests.flat_map(|test| syntax.run_by(*test));
    let mut paths = paths.filter(|id| is_path(id) && syntax.node(*id).field != "function");
    paths.find_map(|id| {
        let words = syntax.words(id);
        let tested = syntax.parent(id).filter(|_| syntax.node(id).field == "object").unwrap_or(id);
        let region = behind(test_around(types, tested)?.region)?;
        let uses =
            |at: &&NodeId| is_path(at) && region.encloses(syntax.range(**at)) && syntax.words(**at) == words;
        let used = all.iter().find(uses)?;
        let is_member = syntax.is_in(id, "member_expression subscript_expression");
        // A comparison with a number tells nothing of a number, such as the length of something of a library.
        let is_counted = syntax.parent(id).is_some_and(|up| {
            syntax.kind(up) == "binary_expression"
                && syntax.named(up).any(|part| syntax.kind(part) == "number")
        });
        let is_told = match is_member {
            true => said_type(types, id).map_or(!is_counted, |ty| ty.is_open || ty.may_lack),
            false => is_variable_told(types, id, region),
        };
        is_told.then(|| syntax.range(*used))
    })
}

/// Whether a test tells a part behind it more about the variable that it names.
fn is_variable_told(types: &TypeWriter<'_>, variable: NodeId, part: TextRange) -> bool {
    let syntax = types.syntax;
    let object = syntax.parent(variable).filter(|_| syntax.node(variable).field == "object");
    let tested = object.unwrap_or(variable);
    let holds = |test: Test| test.region.encloses(part) && (object.is_none() || test.is_compared);
    if !test_around(types, tested).is_some_and(holds) {
        return false;
    }
    let Some(parent) = syntax.parent(tested) else { return false };
    if syntax.kind(parent) == "arguments" {
        return syntax.parent(parent).is_some_and(|call| is_test(types, call));
    }
    object.is_none() && syntax.operator(parent) == Some("instanceof")
        || said_type(types, variable).map_or_else(|| is_of_several(types, variable), |ty| ty.is_open)
}

/// Whether a variable whose type nobody wrote has one of several forms.
fn is_of_several(types: &TypeWriter<'_>, variable: NodeId) -> bool {
    let resolved = types.last_name(variable).map(|r| types.rx.resolve(types.file.global_ref(r)));
    let target = resolved.and_then(|resolved| resolved.resolution.defs().next());
    let ty = target.map(|def| types.rx.def_type(def));
    ty.is_some_and(|ty| {
        let is_alias = |def| types.rx.kind(def) == SymbolKind::TypeAlias;
        ty.parts().len() > 1 || ty.def().is_some_and(is_alias)
    })
}

/// A test of a variable on which a later one of its uses relies, where the value in the place of the variable would not be
/// narrowed: the compiler does that for names and fixed paths of members only. Nobody writes a constant value.
pub(super) fn lost_test(
    types: &TypeWriter<'_>,
    value: NodeId,
    is_constant: bool,
    uses: &[TextRange],
) -> Option<TextRange> {
    let syntax = types.syntax;
    if syntax.shape.tests.is_empty() || is_constant || is_of_one_type(types, value) {
        return None;
    }
    let is_reference = is_narrowed(syntax, value);
    let home = |at: &TextRange| syntax.function_of(syntax.around(*at));
    let is_lost = |test: &TextRange, after: &TextRange| {
        after.start >= test.end
            && !(is_reference && home(after) == home(test))
            && !is_only_compared(syntax, syntax.around(*after))
    };
    let mut tests = uses.iter().filter(|test| is_told_by(types, syntax.around(**test)));
    tests.find(|test| uses.iter().any(|after| is_lost(test, after))).copied()
}

/// Values by their form that no test tells more about.
fn is_of_one_type(types: &TypeWriter<'_>, value: NodeId) -> bool {
    let syntax = types.syntax;
    match syntax.kind(value) {
        "binary_expression" => !has("&& || ??", syntax.operator(value).unwrap_or("")),
        "call_expression" => types.of_value(value).is_some_and(|ty| has(syntax.shape.steady, &ty)),
        kind => {
            syntax.is_in(value, syntax.shape.literals)
                || syntax.is_in(value, syntax.shape.lambdas)
                || has("template_string unary_expression new_expression array object", kind)
        }
    }
}

/// Whether a test of a value narrows it: a name, or a chain of members whose names are written down.
fn is_narrowed(syntax: &Syntax, value: NodeId) -> bool {
    let mut at = value;
    loop {
        at = match syntax.kind(at) {
            "identifier" | "this" => return true,
            "parenthesized_expression" | "non_null_expression" => match syntax.named(at).next() {
                Some(inner) => inner,
                None => return false,
            },
            kind @ ("member_expression" | "subscript_expression") => {
                let is_fixed = kind == "member_expression"
                    || syntax
                        .field(at, "index")
                        .is_some_and(|index| has("string number", syntax.kind(index)));
                match syntax.field(at, "object").filter(|_| is_fixed) {
                    Some(object) => object,
                    None => return false,
                }
            }
            _ => return false,
        };
    }
}

/// Whether a use of a variable is part of a test that tells the compiler about it: by itself, compared, by a member that is,
/// or as the argument of a function that tests.
fn is_told_by(types: &TypeWriter<'_>, variable: NodeId) -> bool {
    let syntax = types.syntax;
    let (mut at, mut is_optional, mut is_given) = (variable, false, false);
    while let Some(parent) = syntax.parent(at) {
        let operator = syntax.operator(parent).unwrap_or("");
        if syntax.stands_in(at, syntax.shape.tests) {
            return true;
        }
        match syntax.kind(parent) {
            "binary_expression" if has(COMPARES, operator) => return true,
            "binary_expression" if has(JOINS, operator) => {}
            "unary_expression" if has("! typeof", operator) => {}
            "parenthesized_expression" | "non_null_expression" => {}
            "member_expression" | "subscript_expression" if syntax.node(at).field == "object" => {
                is_optional |= syntax.field(parent, "optional_chain").is_some();
            }
            "call_expression" if is_optional || is_given => {}
            // An assertion is a statement of its own.
            "expression_statement" => return is_given && syntax.text_of(parent).contains("ssert"),
            "arguments" if syntax.parent(parent).is_some_and(|call| is_test(types, call)) => is_given = true,
            _ => return false,
        }
        at = parent;
    }
    false
}

/// Whether nothing but the result of a comparison or of a test of a variable counts.
fn is_only_compared(syntax: &Syntax, variable: NodeId) -> bool {
    let is_bracket = |up: &NodeId| syntax.kind(*up) == "parenthesized_expression";
    let mut at = variable;
    while let Some(parent) = syntax.parent(at).filter(is_bracket) {
        at = parent;
    }
    let operator = syntax.parent(at).and_then(|up| syntax.operator(up)).unwrap_or("");
    let is_condition = syntax.stands_in(at, syntax.shape.tests) && !has("&& || ??", operator);
    is_condition || has("== != === !== ! typeof", operator)
}

/// Whether a variable is given to a function that promises to return only if the variable has a value, or says so by its
/// result.
pub(super) fn is_promised(syntax: &Syntax, variable: NodeId) -> bool {
    // The grammar takes `!x.f` for `(!x).f`.
    let mut around =
        syntax.ancestors(variable).skip(1).skip_while(|up| syntax.kind(*up) == "unary_expression");
    let Some(parent) = around.next() else { return false };
    let name = match syntax.kind(parent) {
        "navigation_expression" => syntax.named(parent).last().map(|member| syntax.range(member)),
        "value_argument" => {
            around.find(|up| syntax.is_in(*up, syntax.shape.calls)).and_then(|call| callee_name(syntax, call))
        }
        _ => None,
    };
    name.is_some_and(|name| has(syntax.shape.promises, syntax.slice(name)))
}
