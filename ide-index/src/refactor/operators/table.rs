//! The functions that operators, statements and built-in functions of a language call.

use ide_model::Language;

use super::super::tree::has;

/// The row of a language.
pub(super) struct Operators {
    pub(super) language: Language,
    rows: &'static [Row],
    /// `name:methods` for functions of the language's library that call methods of their arguments, words as in [`Row`].
    functions: &'static str,
    /// Method of the value that is taken apart, before the number of the part; empty where there is none.
    pub(super) parts: &'static str,
    /// Methods that nothing else calls unless a type of the library asks for them.
    complete: &'static str,
}

/// Kinds of nodes, where the object stands, and `token:methods` for the tokens that call something.
///
/// The object stands before (`<`) or behind (`>`) the token, is what is called (`callee`), the first child (`first`), or each
/// child (`each`); words behind it say in which places the row holds, see [`Place`].
///
/// Methods are parted by commas. Of `a/b` it is the first one that the object has; `a.b` is `b` of what `a` gives; `a?` is only
/// possible.
struct Row(&'static str, &'static str, &'static str);

/// A condition of a row about the place of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// Its value is read.
    Read,
    /// It is assigned to.
    Written,
    Deleted,
    /// It is asked whether it is there.
    Tested,
    /// The left side is a list of names.
    TakenApart,
    /// In the declaration of something that can be assigned to.
    Variable,
    Async,
    NotAsync,
    /// The object has no member of the name that stands there.
    Missing,
    /// A conversion into a text.
    ToText,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Before,
    Behind,
    Callee,
    First,
    Each,
    /// Each argument of a function of the library, by the function's name.
    Argument,
}

/// One way in which a method is called without its name.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) kinds: &'static str,
    pub(super) side: Side,
    pub(super) places: Vec<Place>,
    /// The token, or the function of the library; empty where none is asked for.
    pub(super) token: &'static str,
    /// The method whose result is the object.
    pub(super) first: Option<&'static str>,
    /// The methods that are called instead where the object has them.
    pub(super) instead: Vec<&'static str>,
    pub(super) is_certain: bool,
}

const KOTLIN: &[Row] = &[
    Row(
        "binary_expression",
        "<",
        "+:plus -:minus *:times /:div %:rem/mod ==:equals !=:equals <:compareTo >:compareTo \
        <=:compareTo >=:compareTo",
    ),
    Row("in_expression range_test", ">", "in:contains !in:contains"),
    Row("range_expression", "<", "..:rangeTo ..<:rangeUntil"),
    Row("unary_expression", ">", "-:unaryMinus +:unaryPlus !:not ++:inc --:dec"),
    Row("unary_expression", "<", "++:inc --:dec"),
    Row(
        "assignment",
        "<",
        "+=:plusAssign/plus -=:minusAssign/minus *=:timesAssign/times /=:divAssign/div \
        %=:remAssign/rem/mod",
    ),
    Row("index_expression", "< read", "[:get"),
    Row("index_expression", "< written", "[:set"),
    Row("call_expression", "callee", ":invoke"),
    Row("for_statement", ">", "in:iterator,iterator.next,iterator.hasNext"),
    Row("property_delegate", ">", "by:provideDelegate,getValue,provideDelegate.getValue"),
    Row("property_delegate", "> variable", "by:setValue,provideDelegate.setValue"),
    Row("interpolation", "first", ":toString"),
];

const PYTHON: &[Row] = &[
    Row(
        "binary_operator",
        "<",
        "+:__add__ -:__sub__ *:__mul__ @:__matmul__ /:__truediv__ //:__floordiv__ %:__mod__ \
        **:__pow__ <<:__lshift__ >>:__rshift__ &:__and__ ^:__xor__ |:__or__",
    ),
    Row(
        "binary_operator",
        ">",
        "+:__radd__ -:__rsub__ *:__rmul__ @:__rmatmul__ /:__rtruediv__ //:__rfloordiv__ \
        %:__rmod__ **:__rpow__ <<:__rlshift__ >>:__rrshift__ &:__rand__ ^:__rxor__ |:__ror__",
    ),
    Row(
        "augmented_assignment",
        "<",
        "+=:__iadd__/__add__ -=:__isub__/__sub__ *=:__imul__/__mul__ \
        @=:__imatmul__/__matmul__ /=:__itruediv__/__truediv__ //=:__ifloordiv__/__floordiv__ %=:__imod__/__mod__ \
        **=:__ipow__/__pow__ <<=:__ilshift__/__lshift__ >>=:__irshift__/__rshift__ &=:__iand__/__and__ \
        ^=:__ixor__/__xor__ |=:__ior__/__or__",
    ),
    Row(
        "augmented_assignment",
        ">",
        "+=:__radd__ -=:__rsub__ *=:__rmul__ @=:__rmatmul__ /=:__rtruediv__ \
        //=:__rfloordiv__ %=:__rmod__ **=:__rpow__ <<=:__rlshift__ >>=:__rrshift__ &=:__rand__ ^=:__rxor__ |=:__ror__",
    ),
    Row("comparison_operator", "<", "==:__eq__ !=:__ne__/__eq__ <:__lt__ <=:__le__ >:__gt__ >=:__ge__"),
    Row(
        "comparison_operator",
        ">",
        "==:__eq__ !=:__ne__/__eq__ <:__gt__ <=:__ge__ >:__lt__ >=:__le__ \
        in:__contains__/__iter__/__getitem__ not_in:__contains__/__iter__/__getitem__",
    ),
    Row("unary_operator", ">", "-:__neg__ +:__pos__ ~:__invert__"),
    Row("not_operator", ">", "not:__bool__/__len__"),
    Row("boolean_operator", "<", "and:__bool__/__len__ or:__bool__/__len__"),
    Row("if_statement if_clause conditional_expression", ">", "if:__bool__/__len__"),
    Row("elif_clause", ">", "elif:__bool__/__len__"),
    Row("while_statement", ">", "while:__bool__/__len__"),
    Row("assert_statement", ">", "assert:__bool__/__len__"),
    Row("subscript", "< read", "[:__getitem__/__class_getitem__"),
    Row("subscript", "< written", "[:__setitem__"),
    Row("subscript", "< deleted", "[:__delitem__"),
    Row("call", "callee", ":__call__"),
    Row("for_statement for_in_clause", "> sync", "in:__iter__/__getitem__,__iter__.__next__"),
    Row("for_statement for_in_clause", "> async", "in:__aiter__,__aiter__.__anext__"),
    Row("assignment", "> apart", "=:__iter__/__getitem__,__iter__.__next__"),
    Row("list_splat", ">", "*:__iter__/__getitem__,__iter__.__next__"),
    Row("dictionary_splat", ">", "**:keys,__getitem__"),
    Row("with_item", "first sync", ":__enter__,__exit__"),
    Row("with_item", "first async", ":__aenter__,__aexit__"),
    Row("await", ">", "await:__await__"),
    Row("interpolation", ">", "{:__format__/__str__/__repr__"),
    Row("attribute", "< read missing", ".:__getattr__"),
    Row("attribute", "< read", ".:__getattribute__"),
    Row("attribute", "< written", ".:__setattr__"),
    Row("attribute", "< deleted", ".:__delattr__"),
];

const PYTHON_FUNCTIONS: &str = "len:__len__ str:__str__/__repr__ print:__str__/__repr__ repr:__repr__ bool:__bool__/__len__ \
    iter:__iter__/__getitem__ next:__next__ aiter:__aiter__ anext:__anext__ hash:__hash__ abs:__abs__ int:__int__/__index__ \
    float:__float__/__index__ complex:__complex__ bytes:__bytes__ list:__iter__/__getitem__ tuple:__iter__/__getitem__ \
    set:__iter__/__getitem__ frozenset:__iter__/__getitem__ dict:__iter__? sorted:__iter__/__getitem__ sum:__iter__/__getitem__ \
    min:__iter__? max:__iter__? enumerate:__iter__/__getitem__ any:__iter__/__getitem__ all:__iter__/__getitem__ \
    zip:__iter__/__getitem__ map:__iter__?,__call__? filter:__iter__?,__call__? \
    reversed:__reversed__/__getitem__,__len__ format:__format__/__str__ round:__round__ divmod:__divmod__ pow:__pow__ \
    dir:__dir__ range:__index__ hex:__index__ oct:__index__ bin:__index__";

const RUST: &[Row] = &[
    Row(
        "binary_expression",
        "<",
        "+:add -:sub *:mul /:div %:rem &:bitand |:bitor ^:bitxor <<:shl >>:shr ==:eq !=:ne/eq \
        <:lt/partial_cmp <=:le/partial_cmp >:gt/partial_cmp >=:ge/partial_cmp",
    ),
    Row(
        "compound_assignment_expr",
        "<",
        "+=:add_assign -=:sub_assign *=:mul_assign /=:div_assign %=:rem_assign \
        &=:bitand_assign |=:bitor_assign ^=:bitxor_assign <<=:shl_assign >>=:shr_assign",
    ),
    Row("unary_expression", ">", "-:neg !:not"),
    Row("unary_expression", "> read", "*:deref"),
    Row("unary_expression", "> written", "*:deref_mut"),
    Row("index_expression", "< read", "[:index,index_mut?"),
    Row("index_expression", "< written", "[:index_mut"),
    Row("for_expression", ">", "in:into_iter,next,into_iter.next"),
    Row("await_expression", "<", ".:into_future/poll"),
];

const RUST_FUNCTIONS: &str = "assert_eq:eq assert_ne:eq debug_assert_eq:eq debug_assert_ne:eq println:fmt? print:fmt? \
    eprintln:fmt? eprint:fmt? format:fmt? write:fmt? writeln:fmt? panic:fmt? assert:fmt? todo:fmt? unimplemented:fmt? \
    unreachable:fmt? dbg:fmt?";

const PHP: &[Row] = &[
    Row("function_call_expression", "callee", ":__invoke"),
    Row("member_access_expression", "< read missing", "->:__get"),
    Row("nullsafe_member_access_expression", "< read missing", "?->:__get"),
    Row("member_access_expression", "< written missing", "->:__set"),
    Row("member_access_expression", "< tested missing", "->:__isset"),
    Row("nullsafe_member_access_expression", "< tested missing", "?->:__isset"),
    Row("member_access_expression", "< deleted missing", "->:__unset"),
    Row("member_call_expression", "< missing", "->:__call"),
    Row("nullsafe_member_call_expression", "< missing", "?->:__call"),
    Row("scoped_call_expression", "< missing", ":::__callStatic"),
    Row("subscript_expression", "< read", "[:offsetGet"),
    Row("subscript_expression", "< written", "[:offsetSet"),
    Row("subscript_expression", "< tested", "[:offsetExists"),
    Row("subscript_expression", "< deleted", "[:offsetUnset"),
    Row(
        "foreach_statement",
        "<",
        "as:getIterator,current,key,next,rewind,valid,getIterator.current,getIterator.key,\
        getIterator.next,getIterator.rewind,getIterator.valid",
    ),
    Row("yield_expression", ">", "yield_from:getIterator,current,key,next,rewind,valid"),
    Row("echo_statement", "each", ":__toString"),
    Row("print_intrinsic", ">", "print:__toString"),
    Row("cast_expression", "> text", "):__toString"),
    Row("binary_expression", "<", ".:__toString"),
    Row("binary_expression", ">", ".:__toString"),
    Row("augmented_assignment_expression", "<", ".=:__toString"),
    Row("augmented_assignment_expression", ">", ".=:__toString"),
    Row("encapsed_string heredoc_body", "each", ":__toString"),
    Row("clone_expression", ">", "clone:__clone"),
];

const PHP_FUNCTIONS: &str = "count:count sizeof:count json_encode:jsonSerialize strval:__toString iterator_to_array:getIterator \
    serialize:__serialize/__sleep/serialize call_user_func:__invoke? array_map:__invoke? array_filter:__invoke? usort:__invoke? \
    var_export:__set_state? implode:__toString? printf:__toString? sprintf:__toString?";

const TABLE: &[Operators] = &[
    Operators {
        language: Language::Kotlin,
        rows: KOTLIN,
        functions: "println:toString print:toString",
        parts: "component",
        complete: "plus minus times div rem mod rangeTo rangeUntil get set invoke unaryMinus unaryPlus not inc dec plusAssign \
            minusAssign timesAssign divAssign remAssign getValue setValue provideDelegate contains",
    },
    Operators {
        language: Language::Python,
        rows: PYTHON,
        functions: PYTHON_FUNCTIONS,
        parts: "",
        complete: "",
    },
    Operators { language: Language::Rust, rows: RUST, functions: RUST_FUNCTIONS, parts: "", complete: "" },
    Operators { language: Language::Php, rows: PHP, functions: PHP_FUNCTIONS, parts: "", complete: "" },
];

/// The row of a language, if it has operators that call functions.
pub(super) fn of(language: Language) -> Option<&'static Operators> {
    TABLE.iter().find(|row| row.language == language)
}

impl Operators {
    /// The ways in which a method of this name is called.
    pub(super) fn ways(&self, name: &str) -> Vec<Way> {
        let mut found = Vec::new();
        for Row(kinds, place, specs) in self.rows {
            let mut words = place.split_ascii_whitespace();
            let side = match words.next() {
                Some("<") => Side::Before,
                Some(">") => Side::Behind,
                Some("callee") => Side::Callee,
                Some("each") => Side::Each,
                _ => Side::First,
            };
            let places: Vec<Place> = words.filter_map(place_of).collect();
            add(&mut found, name, specs, |token| Way {
                kinds,
                side,
                places: places.clone(),
                token,
                first: None,
                instead: Vec::new(),
                is_certain: true,
            });
        }
        add(&mut found, name, self.functions, |token| Way {
            kinds: "",
            side: Side::Argument,
            places: Vec::new(),
            token,
            first: None,
            instead: Vec::new(),
            is_certain: true,
        });
        found
    }

    /// The methods of the object that stands at a side of an operator, as `<` or `>`, which the operator calls.
    pub(super) fn called(&self, kind: &str, side: &str, token: &str) -> std::vec::IntoIter<&'static str> {
        let is_meant = |row: &&Row| kind.split(' ').any(|kind| has(row.0, kind)) && row.1.starts_with(side);
        let specs = self.rows.iter().filter(is_meant).flat_map(|row| row.2.split_ascii_whitespace());
        let methods = specs.filter_map(|spec| spec.rsplit_once(':')).filter(|(of, _)| *of == token);
        let names = methods.flat_map(|(_, methods)| methods.split([',', '/']));
        let names: Vec<&str> = names.filter(|method| !method.contains(['.', '?'])).collect();
        names.into_iter()
    }

    /// The number of the part of a value that a method of this name gives, from 0: `component2` gives part 1.
    pub(super) fn part(&self, name: &str) -> Option<u32> {
        let number = name.strip_prefix(self.parts).filter(|_| !self.parts.is_empty())?;
        number.parse::<u32>().ok()?.checked_sub(1)
    }

    /// Whether nothing but the ways of the table calls a method of this name.
    pub(super) fn is_complete(&self, name: &str) -> bool {
        has(self.complete, name) || self.part(name).is_some()
    }
}

fn place_of(word: &str) -> Option<Place> {
    Some(match word {
        "read" => Place::Read,
        "written" => Place::Written,
        "deleted" => Place::Deleted,
        "tested" => Place::Tested,
        "apart" => Place::TakenApart,
        "variable" => Place::Variable,
        "async" => Place::Async,
        "sync" => Place::NotAsync,
        "missing" => Place::Missing,
        "text" => Place::ToText,
        _ => return None,
    })
}

/// Adds the ways of one list in which a method of a name is called.
fn add(found: &mut Vec<Way>, name: &str, specs: &'static str, mut make: impl FnMut(&'static str) -> Way) {
    for spec in specs.split_ascii_whitespace() {
        let Some((token, methods)) = spec.rsplit_once(':') else { continue };
        for choice in methods.split(',') {
            let mut instead = Vec::new();
            for method in choice.split('/') {
                let (method, is_certain) = method.strip_suffix('?').map_or((method, true), |it| (it, false));
                let (first, last) = match method.split_once('.') {
                    Some((first, last)) => (Some(first), last),
                    None => (None, method),
                };
                if last == name {
                    found.push(Way { first, instead: instead.clone(), is_certain, ..make(token) });
                }
                instead.push(last);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_say_which_operators_call_a_method() {
        let ways = |language, name| -> Vec<String> {
            let found = of(language).map_or_else(Vec::new, |row| row.ways(name));
            found.iter().map(|way| format!("{:?} {} {:?}", way.side, way.token, way.instead)).collect()
        };
        assert_eq!(ways(Language::Kotlin, "plus"), ["Before + []", "Before += [\"plusAssign\"]"]);
        assert_eq!(
            ways(Language::Rust, "eq"),
            [
                "Before == []",
                "Before != [\"ne\"]",
                "Argument assert_eq []",
                "Argument assert_ne []",
                "Argument debug_assert_eq []",
                "Argument debug_assert_ne []",
            ]
        );
        assert_eq!(ways(Language::Php, "count"), ["Argument count []", "Argument sizeof []"]);
        assert_eq!(ways(Language::Go, "Len"), [] as [&str; 0]);
        assert_eq!(of(Language::Kotlin).and_then(|row| row.part("component2")), Some(1));
    }

    #[test]
    fn every_word_of_a_place_is_known() {
        let words =
            TABLE.iter().flat_map(|row| row.rows).flat_map(|row| row.1.split_ascii_whitespace().skip(1));
        let unknown: Vec<&str> = words.filter(|word| place_of(word).is_none()).collect();
        assert_eq!(unknown, [] as [&str; 0]);
    }
}
