//! Values that take their types from the place where they stand, which a variable before it would not know.

use ide_model::{SymbolKind, TextRange};

use super::tree::{NodeId, Syntax, has};
use super::types::TypeWriter;
use crate::facts::{DefFlags, Expr, ExprId, List};
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// How deep calls in arguments of calls are looked into.
const MAX_DEPTH: u32 = 8;

/// Whether a number has the type that its places ask for, as in Rust: `-2`, `3 * 4`.
pub(super) fn is_untyped_number(syntax: &Syntax, value: NodeId) -> bool {
    const TYPES: [&str; 4] = ["i", "u", "f32", "f64"];
    let says_none = |id: NodeId| {
        let text = syntax.text_of(id);
        let is_hex = text.starts_with("0x");
        !TYPES.iter().any(|ty| text.contains(ty) && !(is_hex && ty.starts_with('f')))
    };
    syntax.shape.this == "self"
        && syntax.shape.block_value
        && match syntax.kind(value) {
            "integer_literal" | "float_literal" => says_none(value),
            "parenthesized_expression" | "unary_expression" | "binary_expression" => {
                let mut parts = syntax.named(value).peekable();
                parts.peek().is_some() && parts.all(|part| is_untyped_number(syntax, part))
            }
            _ => false,
        }
}

/// The use of a variable that holds a number without a type of its own, which the number could not take the place of: a method
/// is called on it, or a calculation with another such variable tells that one's type.
pub(super) fn asks_for_type(
    syntax: &Syntax,
    value: NodeId,
    uses: &[TextRange],
    block: NodeId,
) -> Option<TextRange> {
    if !is_untyped_number(syntax, value) {
        return None;
    }
    let is_open = |name: NodeId| {
        let declares = |id: &NodeId| {
            syntax.kind(*id) == "let_declaration"
                && syntax.field(*id, "type").is_none()
                && syntax.field(*id, "pattern").is_some_and(|of| syntax.text_of(of) == syntax.text_of(name))
                && syntax.field(*id, "value").is_some_and(|value| is_untyped_number(syntax, value))
        };
        syntax.kind(name) == "identifier" && syntax.below(block).iter().any(declares)
    };
    let asks = |at: &&TextRange| {
        let node = syntax.around(**at);
        let mut around = syntax
            .ancestors(node)
            .skip(1)
            .skip_while(|up| has("parenthesized_expression unary_expression", syntax.kind(*up)));
        let Some(up) = around.next() else { return false };
        match syntax.kind(up) {
            "field_expression" => true,
            "binary_expression" if uses.len() > 1 => syntax
                .named(up)
                .filter(|part| !syntax.range(*part).encloses(**at))
                .any(|part| syntax.below(part).into_iter().chain([part]).any(is_open)),
            _ => false,
        }
    };
    uses.iter().find(asks).copied()
}

/// Whether a call is given type arguments by nothing but the place where it stands: `emptyList()`.
pub(super) fn is_open_call(types: &TypeWriter<'_>, value: NodeId) -> bool {
    let syntax = types.syntax;
    if syntax.kind(value) == "parenthesized_expression" {
        return syntax.named(value).next().is_some_and(|inside| is_open_call(types, inside));
    }
    let name = types.last_name(value).filter(|_| syntax.is_in(value, syntax.shape.open_calls));
    let call = name.and_then(|name| types.file.reference(name).call);
    call.is_some_and(|call| leaves_argument_open(types.rx, types.file, call, 0))
}

fn leaves_argument_open(rx: &Resolver, file: &FileView, call: ExprId, depth: u32) -> bool {
    let Expr::Call { callee, type_args, args } = file.expr(call) else { return false };
    let Expr::Ref(name) = file.expr(callee) else { return false };
    if type_args != List::EMPTY || depth == MAX_DEPTH {
        return false;
    }
    let value_of = |arg| match file.expr(arg) {
        Expr::Named { value, .. } => value,
        _ => arg,
    };
    let args: Vec<ExprId> = file.list(args).map(value_of).collect();
    let resolved = rx.resolve(file.global_ref(name));
    resolved.resolution.defs().next().is_some_and(|def| {
        let class = match rx.def(def).kind {
            SymbolKind::Constructor => rx.member_owner(def),
            kind => kind.is_type().then_some(def),
        };
        let open = rx.declared_type_params(class.unwrap_or(def));
        let called = match class {
            Some(class) if class == def => rx.policy_of(class).used_through(rx, class),
            _ => vec![def],
        };
        // For an unknown constructor only its arguments could determine anything.
        let is_said = |parameter: &GlobalDef| {
            called.is_empty() && !args.is_empty()
                || called.iter().any(|called| says(rx, file, *called, &args, *parameter, depth))
        };
        !open.iter().all(is_said)
    })
}

/// Whether what a call is made on or with says what a type parameter of the called function stands for.
fn says(
    rx: &Resolver,
    file: &FileView,
    called: GlobalDef,
    args: &[ExprId],
    parameter: GlobalDef,
    depth: u32,
) -> bool {
    let home = rx.file(called.file);
    let d = home.def(called.def);
    if d.receiver.is_some_and(|receiver| mentions(&rx.type_of(home, receiver), parameter)) {
        return true;
    }
    let mut params = home.list(d.params).map(|param| home.global(param)).peekable();
    args.iter().any(|arg| {
        // The last one may take many, and a function behind the call is the last argument.
        let is_function = matches!(file.expr(*arg), Expr::Function(_));
        let param = match params.peek().copied() {
            Some(param) if rx.def(param).flags.has(DefFlags::VARARG) => Some(param),
            Some(_) if is_function => {
                params.by_ref().find(|param| matches!(rx.def_type(*param), Ty::Callable { .. }))
            }
            _ => params.next(),
        };
        let Some(param) = param else { return false };
        match (rx.def_type(param), file.expr(*arg)) {
            (Ty::Callable { params, result }, Expr::Function(function)) => {
                let mut taken = file.list(file.def(function).params).peekable();
                let is_typed = taken.peek().is_some() && taken.all(|param| file.def(param).ty.is_some());
                // The use of the receiver in the body determines something too.
                let is_told = |ty: &Ty| (is_typed || matches!(ty, Ty::Pointer(_))) && mentions(ty, parameter);
                mentions(&result, parameter) || params.iter().any(is_told)
            }
            (ty, _) => mentions(&ty, parameter) && !leaves_argument_open(rx, file, *arg, depth + 1),
        }
    })
}

/// Whether a value of a type tells what a type parameter in it stands for. One of `T & Any` tells only what is left of `T`.
fn mentions(ty: &Ty, parameter: GlobalDef) -> bool {
    let in_any = |types: &[Ty]| types.iter().any(|ty| mentions(ty, parameter));
    match ty {
        Ty::Param(def) => *def == parameter,
        Ty::Instance(_, types) | Ty::Class(_, types) | Ty::External(_, types) => in_any(types),
        Ty::Tuple(types) | Ty::Union(types) => in_any(types),
        Ty::Array(one) | Ty::Pointer(one) => mentions(one, parameter),
        Ty::Callable { params, result } => in_any(params) || mentions(result, parameter),
        _ => false,
    }
}

/// Whether a value, or a part of it that decides its type, has no type of its own.
pub(super) fn takes_type_from_place(types: &TypeWriter<'_>, value: NodeId) -> bool {
    let syntax = types.syntax;
    let part = |id: Option<NodeId>| id.is_some_and(|id| takes_type_from_place(types, id));
    match syntax.kind(value) {
        "arrow_function" | "function_expression" | "method_definition" => lacks_parameter_types(types, value),
        "array" if syntax.named(value).next().is_none() => true,
        "array" => syntax.named(value).any(|id| part(Some(id))),
        "object" => syntax.named(value).any(|entry| match syntax.kind(entry) {
            "pair" => syntax
                .field(entry, "value")
                .is_some_and(|id| syntax.kind(id) == "string" || takes_type_from_place(types, id)),
            "method_definition" => lacks_parameter_types(types, entry),
            _ => false,
        }),
        "parenthesized_expression" | "await_expression" | "non_null_expression" => {
            part(syntax.named(value).next())
        }
        "ternary_expression" => {
            ["consequence", "alternative"].iter().any(|field| part(syntax.field(value, field)))
        }
        "binary_expression" if has("&& || ??", syntax.operator(value).unwrap_or("")) => {
            ["left", "right"].iter().any(|field| part(syntax.field(value, field)))
        }
        "call_expression" | "new_expression" => leaves_type_open(types, value),
        _ => false,
    }
}

/// Whether a literal stands where its own type may count, which the result of a function would lose: a union of texts takes
/// `"a"`, but no `string`.
pub(super) fn widens(syntax: &Syntax, value: NodeId) -> bool {
    let is_literal = |id: &NodeId| has("string number true false", syntax.kind(*id));
    let parts = || syntax.below(value).into_iter().filter(|id| is_literal(id));
    let passes_on = |up: NodeId| {
        has("parenthesized_expression ternary_expression", syntax.kind(up))
            || has("&& || ??", syntax.operator(up).unwrap_or(""))
    };
    let is_result = |id: NodeId| {
        let between = || syntax.ancestors(id).skip(1).take_while(|up| *up != value);
        id == value || between().chain([value]).all(passes_on)
    };
    let Some(parent) = syntax.parent(value) else { return false };
    let counts_anyway = match syntax.kind(parent) {
        "binary_expression" => !has("&& || ??", syntax.operator(parent).unwrap_or("")),
        kind => has("template_substitution expression_statement", kind),
    };
    !counts_anyway && parts().any(is_result)
}

/// Whether a function has a parameter without a type.
fn lacks_parameter_types(types: &TypeWriter<'_>, function: NodeId) -> bool {
    let syntax = types.syntax;
    if syntax.field(function, "parameter").is_some() {
        return true;
    }
    let Some(list) = syntax.field(function, "parameters") else { return false };
    syntax.named(list).any(|id| syntax.field(id, "type").is_none() && syntax.field(id, "value").is_none())
}

/// Whether the arguments of a call do not say all type arguments.
fn leaves_type_open(types: &TypeWriter<'_>, call: NodeId) -> bool {
    let syntax = types.syntax;
    if syntax.field(call, "type_arguments").is_some() {
        return false;
    }
    let Some(reference) = types.last_name(call) else { return false };
    let arguments: Vec<NodeId> =
        syntax.field(call, "arguments").map_or_else(Vec::new, |list| syntax.named(list).collect());
    let resolved = types.rx.resolve(types.file.global_ref(reference));
    let mut targets = resolved.resolution.targets.iter().peekable();
    if targets.peek().is_none() || matches!(targets.peek(), Some(Target::External(_))) {
        let name = types.file.ref_name(reference);
        return arguments.is_empty() && has("Array Map Promise Set WeakMap WeakSet WeakRef", name);
    }
    targets.any(|target| match target {
        Target::Def(def) => leaves_parameter_open(types, *def, &arguments),
        _ => false,
    })
}

/// Whether a type parameter of a function stands in no parameter that is given a value of a type of its own.
fn leaves_parameter_open(types: &TypeWriter<'_>, def: GlobalDef, arguments: &[NodeId]) -> bool {
    let rx = types.rx;
    let d = rx.def(def);
    let mut open = rx.declared_type_params(def);
    if d.kind == SymbolKind::Constructor {
        open.extend(rx.member_owner(def).into_iter().flat_map(|class| rx.declared_type_params(class)));
    }
    if open.is_empty() {
        return false;
    }
    if d.kind == SymbolKind::Class {
        return true;
    }
    let Some((_, syntax)) = types.home_of(def) else { return true };
    let function =
        syntax.ancestors(syntax.around(d.name_range)).find(|id| syntax.field(*id, "parameters").is_some());
    let Some(list) = function.and_then(|id| syntax.field(id, "parameters")) else { return true };
    let parameters: Vec<&str> = syntax.named(list).map(|id| syntax.text_of(id)).collect();
    open.iter().any(|parameter| {
        let name = rx.shared_name(*parameter);
        let says = |text: &str| {
            text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).any(|word| word == &*name)
        };
        !arguments.iter().enumerate().any(|(i, argument)| {
            let rest = parameters.last().copied().filter(|last| last.starts_with("..."));
            let Some(ty) = parameters.get(i).copied().or(rest).and_then(|text| text.split_once(':')) else {
                return false;
            };
            if !has("arrow_function function_expression", types.syntax.kind(*argument)) {
                return says(ty.1) && !takes_type_from_place(types, *argument);
            }
            // A function says what it gives; what it is given must be told to it.
            let given = ty.1.rsplit_once("=>").map_or("", |(_, given)| given);
            says(given) || says(ty.1) && !lacks_parameter_types(types, *argument)
        })
    })
}

/// The type that the place of a value says, where it is the whole of what is given back or of what a variable starts with.
pub(super) fn said_by_place(types: &TypeWriter<'_>, value: NodeId) -> Option<String> {
    let syntax = types.syntax;
    let place = syntax.parent(value)?;
    let says = if syntax.kind(place) == "variable_declarator" {
        place
    } else {
        let function = syntax.function_of(value)?;
        let is_given =
            syntax.is_in(place, syntax.shape.returns) || syntax.stands_in(value, "arrow_function.body");
        let is_plain = !syntax.children(function).iter().any(|id| has("async *", syntax.text_of(*id)));
        (is_given && is_plain).then_some(function)?
    };
    let ty = ["type", "return_type"].iter().find_map(|field| syntax.field(says, field))?;
    (syntax.kind(ty) == "type_annotation")
        .then(|| syntax.text_of(ty).trim_start_matches(':').trim().to_owned())
}
