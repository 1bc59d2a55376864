//! The tables: one row a language.

use ide_model::Language;

use super::{Brackets, Shape, ValueMacros, Wrap, go, java, kotlin};

pub(in crate::refactor) const ROUND: &str = "it is evaluated again in every round of the loop";
const SOMETIMES: &str = "it is evaluated only if the operand before it requires it";
const CASE: &str = "it belongs to one case of several";
pub(in crate::refactor) const DEFAULT: &str = "it is the default value of a parameter";
const FIRST: &str = "the call of the other constructor must stay the first statement";
const LATER: &str = "it runs when the function is called, and that has no body of statements";
pub(in crate::refactor) const META: &str = "it is read by the compiler and not run in order";

const fn block(place: &'static str) -> Wrap {
    Wrap { place, lead: "", tail: "", instead_of: "" }
}

const fn returning(place: &'static str, tail: &'static str) -> Wrap {
    Wrap { place, lead: "return ", tail, instead_of: "" }
}

/// The values that most rows share.
const C_LIKE: Shape = Shape {
    language: Language::PlainText,
    readable: None,
    expressions: "",
    not_expressions: "",
    adaptable: "",
    atoms: "",
    operators: "",
    brackets: Brackets::NONE,
    binary: "binary_expression",
    unary: "unary_expression",
    free: "",
    literals: "",
    strings: "",
    code_in_strings: "",
    type_tests: "",
    blocks: "block",
    wraps: &[],
    functions: "",
    lambdas: "",
    types: "",
    barriers: &[],
    tests: "",
    paths: "",
    casts: "",
    promises: "",
    places: "",
    effects: "",
    assignments: "",
    calls: "",
    macros: &[],
    open_calls: "",
    left_out: "",
    returns: "return_statement",
    breaks: "break_statement",
    continues: "continue_statement",
    breakable: "",
    loops: "",
    yields: "",
    awaits: "",
    throws: "throw_statement",
    stops: "",
    escapes: "",
    this: "this",
    expression_statement: "expression_statement",
    declare: "",
    declare_typed: "",
    declare_literal: "",
    bind: "",
    bind_written: "",
    block_value: false,
    holders: "",
    steady: "",
    pure: "",
    sigil: "",
    end: ";",
    indent: "    ",
    by_indent: false,
    declarators: "",
    value_field: "value",
};

const JAVA: Shape = Shape {
    language: Language::Java,
    readable: Some(java::readable),
    adaptable: "lambda_expression method_reference null_literal array_initializer",
    expressions: "binary_expression cast_expression instanceof_expression switch_expression ternary_expression \
        unary_expression array_access array_creation_expression class_literal field_access method_invocation \
        object_creation_expression parenthesized_expression template_expression string_literal character_literal \
        decimal_integer_literal hex_integer_literal octal_integer_literal binary_integer_literal \
        decimal_floating_point_literal hex_floating_point_literal true false null_literal lambda_expression \
        method_reference assignment_expression update_expression",
    atoms: "array_access class_literal field_access method_invocation parenthesized_expression string_literal \
        character_literal decimal_integer_literal hex_integer_literal octal_integer_literal binary_integer_literal \
        decimal_floating_point_literal hex_floating_point_literal true false null_literal identifier this \
        object_creation_expression template_expression",
    operators: "|| && | ^ & ==,!= <,>,<=,>=,instanceof <<,>>,>>> +,- *,/,%",
    free: "argument_list parenthesized_expression variable_declarator.value assignment_expression.right return_statement \
        expression_statement array_initializer dimensions_expr array_access.index throw_statement lambda_expression.body \
        yield_statement enhanced_for_statement.value for_statement.condition assert_statement resource.value",
    literals: "string_literal character_literal decimal_integer_literal hex_integer_literal octal_integer_literal \
        binary_integer_literal decimal_floating_point_literal hex_floating_point_literal true false",
    strings: "string_literal character_literal",
    type_tests: "switch_expression switch_statement instanceof_expression",
    blocks: "block constructor_body switch_block_statement_group",
    wraps: &[
        block("if_statement.consequence"),
        block("if_statement.alternative"),
        block("for_statement.body"),
        block("enhanced_for_statement.body"),
        block("while_statement.body"),
        block("do_statement.body"),
        returning("lambda_expression.body", ";"),
    ],
    functions: "method_declaration constructor_declaration compact_constructor_declaration lambda_expression \
        static_initializer",
    lambdas: "lambda_expression",
    types: "class_body interface_body enum_body enum_body_declarations annotation_type_body",
    barriers: &[
        (
            "binary_expression.right:&&,|| ternary_expression.consequence ternary_expression.alternative",
            SOMETIMES,
        ),
        (
            "while_statement.condition do_statement.condition for_statement.condition for_statement.update",
            ROUND,
        ),
        ("switch_label guard switch_rule", CASE),
        ("assert_statement", SOMETIMES),
        ("explicit_constructor_invocation.arguments explicit_constructor_invocation.object", FIRST),
        (
            "try_with_resources_statement.resources",
            "its exceptions are caught by the `try` that it belongs to",
        ),
        ("annotation_argument_list", META),
    ],
    places: "assignment_expression.left update_expression",
    effects: "method_invocation object_creation_expression assignment_expression update_expression \
        explicit_constructor_invocation throw_statement yield_statement",
    assignments: "assignment_expression update_expression",
    calls: "method_invocation object_creation_expression explicit_constructor_invocation",
    breakable: "for_statement enhanced_for_statement while_statement do_statement switch_expression",
    loops: "for_statement enhanced_for_statement while_statement do_statement",
    yields: "yield_statement",
    declare: "{type} {name} = {value};",
    declare_literal: "final {type} {name} = {value};",
    bind: "{type} {name} = {value};",
    steady: "byte short char int long float double boolean String",
    pure: "Math.abs Math.max Math.min Math.floor Math.ceil Math.sqrt Math.signum Math.pow Integer.compare Long.compare \
        Integer.bitCount Long.bitCount Character.isDigit Character.isLetter Character.isLetterOrDigit \
        Character.isWhitespace Character.isUpperCase Character.isLowerCase Character.toLowerCase Character.toUpperCase \
        String.length String.isEmpty String.equals String.equalsIgnoreCase String.hashCode",
    declarators: "variable_declarator",
    ..C_LIKE
};

const KOTLIN: Shape = Shape {
    language: Language::Kotlin,
    readable: Some(kotlin::readable),
    adaptable: "lambda_literal callable_reference null",
    expressions: "index_expression as_expression binary_expression call_expression callable_reference character_literal \
        collection_literal float_literal number_literal if_expression in_expression infix_expression is_expression \
        lambda_literal anonymous_function multiline_string_literal navigation_expression object_literal \
        parenthesized_expression range_expression string_literal try_expression unary_expression when_expression",
    atoms: "index_expression call_expression character_literal collection_literal float_literal number_literal identifier \
        multiline_string_literal navigation_expression parenthesized_expression string_literal this_expression \
        lambda_literal",
    operators: "|| && ==,!=,===,!== <,>,<=,>= ?: +,- *,/,%",
    free: "value_argument parenthesized_expression property_declaration return_expression assignment.right \
        variable_declaration function_body interpolation throw_expression when_subject if_expression.condition \
        for_statement while_statement.condition collection_literal",
    literals: "character_literal float_literal number_literal string_literal multiline_string_literal",
    strings: "string_literal multiline_string_literal character_literal",
    code_in_strings: "interpolation",
    type_tests: "when_subject is_expression check_expression",
    blocks: "block lambda_literal",
    wraps: &[
        block("if_expression.-"),
        block("when_entry.-"),
        block("while_statement.-"),
        block("do_while_statement.-"),
        Wrap { place: "function_body.-", lead: "return ", tail: "", instead_of: "=" },
    ],
    functions: "function_declaration secondary_constructor anonymous_function lambda_literal getter setter \
        anonymous_initializer",
    lambdas: "anonymous_function lambda_literal",
    types: "class_body enum_class_body",
    barriers: &[
        ("binary_expression.right:&&,||,?:", SOMETIMES),
        ("while_statement.condition do_while_statement.condition", ROUND),
        ("when_entry.condition range_test type_test", CASE),
        ("function_value_parameters class_parameters", DEFAULT),
        ("constructor_delegation_call delegation_specifier enum_entry", FIRST),
        ("property_delegate", LATER),
        ("annotation", META),
    ],
    casts: "binary_expression:==,!=,===,!==,?: is_expression as_expression when_subject unary_expression:!! \
        navigation_expression:?.",
    promises: "isNullOrEmpty isNullOrBlank requireNotNull checkNotNull assertNotNull assertIs",
    places: "assignment.left callable_reference",
    effects: "call_expression assignment infix_expression throw_expression return_expression",
    assignments: "assignment",
    calls: "call_expression",
    open_calls: "call_expression",
    returns: "return_expression",
    breaks: "break_expression break",
    continues: "continue_expression continue",
    breakable: "for_statement while_statement do_while_statement",
    loops: "for_statement while_statement do_while_statement",
    throws: "throw_expression",
    this: "this_expression super_expression",
    expression_statement: "",
    declare: "val {name} = {value}",
    declare_literal: "val {name} = {value}",
    bind: "val {name}: {type} = {value}",
    steady: "Byte Short Char Int Long Float Double Boolean String",
    pure: "maxOf minOf String.length String.isEmpty String.isNotEmpty String.isBlank String.isNotBlank",
    end: "",
    declarators: "property_declaration",
    value_field: "",
    ..C_LIKE
};

const PYTHON: Shape = Shape {
    language: Language::Python,
    expressions: "boolean_operator comparison_operator conditional_expression lambda not_operator attribute await \
        binary_operator call concatenated_string dictionary dictionary_comprehension false float generator_expression \
        integer list list_comprehension none parenthesized_expression set set_comprehension string subscript true tuple \
        unary_operator named_expression",
    not_expressions: "type call.arguments",
    atoms: "attribute call dictionary dictionary_comprehension false float integer list list_comprehension none \
        parenthesized_expression set set_comprehension string subscript true tuple identifier generator_expression \
        ellipsis",
    operators: "@conditional_expression or and @not_operator in,not,is,<,<=,==,!=,>,>= | ^ & <<,>> +,- *,/,//,%,@ \
        @unary_operator **",
    brackets: Brackets {
        openers: ("{ lambda", "interpolation"),
        only_in: &[
            (
                "expression_list pattern_list",
                "return_statement assignment.right augmented_assignment.right expression_statement yield \
                    subscript.subscript for_statement.right",
            ),
            ("yield", "assignment.right augmented_assignment.right expression_statement"),
        ],
        ..Brackets::NONE
    },
    binary: "binary_operator boolean_operator comparison_operator",
    unary: "unary_operator",
    free: "argument_list keyword_argument.value assignment.right augmented_assignment.right return_statement \
        expression_statement parenthesized_expression list set pair.value if_statement.condition while_statement.condition \
        elif_clause.condition raise_statement assert_statement interpolation yield subscript.subscript",
    literals: "string integer float true false none concatenated_string",
    strings: "string",
    blocks: "block module",
    functions: "function_definition lambda",
    lambdas: "lambda",
    types: "class_definition",
    barriers: &[
        ("boolean_operator.right conditional_expression", SOMETIMES),
        ("while_statement.condition elif_clause.condition", ROUND),
        ("list_comprehension set_comprehension dictionary_comprehension generator_expression", ROUND),
        ("default_parameter typed_default_parameter parameters lambda_parameters", DEFAULT),
        ("lambda.body", LATER),
        ("assert_statement.+", SOMETIMES),
        ("except_clause case_clause case_pattern if_clause", CASE),
        ("decorator", META),
    ],
    places: "assignment.left augmented_assignment.left delete_statement for_statement.left for_in_clause.left \
        as_pattern_target named_expression.name list_splat dictionary_splat",
    effects: "call await assignment augmented_assignment named_expression yield delete_statement raise_statement \
        return_statement",
    assignments: "assignment augmented_assignment named_expression delete_statement",
    calls: "call",
    breakable: "for_statement while_statement",
    loops: "for_statement while_statement",
    yields: "yield",
    awaits: "await",
    throws: "raise_statement",
    this: "",
    declare: "{name} = {value}",
    declare_literal: "{name} = {value}",
    bind: "{name} = {value}",
    holders: "list tuple dictionary pair",
    steady: "int float bool str bytes",
    pure: "len str.isdigit str.isalpha str.isalnum str.isspace str.isupper str.islower str.isidentifier",
    end: "",
    by_indent: true,
    declarators: "assignment",
    value_field: "right",
    ..C_LIKE
};

const ECMA: Shape = Shape {
    language: Language::JavaScript,
    expressions: "array arrow_function as_expression assignment_expression augmented_assignment_expression await_expression \
        binary_expression call_expression class false function_expression generator_function jsx_element \
        jsx_self_closing_element member_expression new_expression non_null_expression null number object \
        parenthesized_expression regex satisfies_expression string subscript_expression template_string \
        ternary_expression true unary_expression update_expression",
    not_expressions: "import_statement export_statement.source jsx_opening_element jsx_closing_element \
        jsx_self_closing_element jsx_attribute pair.key class_heritage decorator literal_type call_expression.arguments \
        property_signature",
    atoms: "array call_expression false member_expression non_null_expression null number object \
        parenthesized_expression regex string subscript_expression template_string true identifier this undefined super",
    operators: "@ternary_expression ?? || && | ^ & ==,!=,===,!== <,>,<=,>=,in,instanceof <<,>>,>>> +,- *,/,% \
        @unary_expression,@await_expression,@type_assertion **",
    unary: "unary_expression await_expression",
    brackets: Brackets {
        clashes: ("??", "|| &&"),
        chains: (
            "optional_chain",
            "member_expression.object call_expression.function subscript_expression.object non_null_expression",
        ),
        bare: (
            "new_expression.constructor decorator",
            "identifier member_expression this property_identifier private_property_identifier",
        ),
        openers: (
            "{ function class async let",
            "expression_statement arrow_function.body export_statement.value",
        ),
        joins: "+-/",
        outside: ("in", "for_statement.initializer"),
        markup: "jsx_element jsx_fragment",
        continues: "([`/+-",
        ..Brackets::NONE
    },
    free: "arguments parenthesized_expression variable_declarator.value assignment_expression.right return_statement \
        expression_statement array pair.value subscript_expression.index throw_statement template_substitution \
        for_in_statement.right jsx_expression switch_case.value for_statement.condition public_field_definition.value \
        field_definition.value",
    literals: "string number true false null regex",
    strings: "string template_string regex",
    code_in_strings: "template_substitution",
    blocks: "statement_block program switch_case switch_default",
    wraps: &[
        block("if_statement.consequence"),
        block("else_clause.-"),
        block("for_statement.body"),
        block("for_in_statement.body"),
        block("while_statement.body"),
        block("do_statement.body"),
        returning("arrow_function.body", ";"),
    ],
    functions: "arrow_function function_declaration function_expression generator_function \
        generator_function_declaration method_definition class_static_block",
    lambdas: "arrow_function function_expression generator_function",
    types: "class_body",
    barriers: &[
        (
            "binary_expression.right:&&,||,?? ternary_expression.consequence ternary_expression.alternative",
            SOMETIMES,
        ),
        ("augmented_assignment_expression.right:&&=,||=,??=", SOMETIMES),
        (
            "while_statement.condition do_statement.condition for_statement.condition for_statement.increment",
            ROUND,
        ),
        (
            "assignment_pattern.right object_assignment_pattern.right required_parameter.value optional_parameter.value",
            DEFAULT,
        ),
        ("switch_case.value", CASE),
        ("decorator enum_assignment", META),
    ],
    places: "assignment_expression.left augmented_assignment_expression.left update_expression.argument \
        unary_expression.argument:delete,typeof for_in_statement.left spread_element.places",
    effects: "call_expression new_expression assignment_expression augmented_assignment_expression await_expression \
        update_expression yield_expression throw_statement",
    assignments: "assignment_expression augmented_assignment_expression update_expression",
    calls: "call_expression new_expression",
    left_out: "undefined",
    breakable: "for_statement for_in_statement while_statement do_statement switch_statement",
    loops: "for_statement for_in_statement while_statement do_statement",
    yields: "yield_expression",
    awaits: "await_expression",
    this: "this super",
    declare: "const {name} = {value};",
    declare_literal: "const {name} = {value};",
    bind: "const {name}{type} = {value};",
    bind_written: "let {name}{type} = {value};",
    holders: "array object pair jsx_element jsx_opening_element jsx_closing_element jsx_self_closing_element jsx_attribute \
        jsx_expression jsx_text",
    steady: "number string boolean bigint",
    pure: "Math.abs Math.max Math.min Math.floor Math.ceil Math.round Math.trunc Math.sign Math.sqrt Math.pow \
        Number.isInteger Number.isFinite Number.isNaN String.charAt String.charCodeAt String.indexOf String.lastIndexOf \
        String.includes String.startsWith String.endsWith String.slice String.substring String.trim String.trimStart \
        String.trimEnd String.toLowerCase String.toUpperCase",
    indent: "  ",
    declarators: "variable_declarator",
    ..C_LIKE
};

const GO: Shape = Shape {
    language: Language::Go,
    readable: Some(go::readable),
    stops: "panic",
    adaptable: "nil",
    expressions: "binary_expression call_expression composite_literal false float_literal func_literal imaginary_literal \
        index_expression int_literal interpreted_string_literal parenthesized_expression raw_string_literal rune_literal \
        selector_expression slice_expression true type_assertion_expression type_conversion_expression unary_expression",
    not_expressions: "import_spec qualified_type field_declaration array_type",
    atoms: "call_expression false float_literal identifier index_expression int_literal interpreted_string_literal nil \
        parenthesized_expression raw_string_literal rune_literal selector_expression slice_expression true \
        type_assertion_expression type_conversion_expression imaginary_literal",
    operators: "|| && ==,!=,<,<=,>,>= +,-,|,^ *,/,%,<<,>>,&,&^",
    brackets: Brackets {
        joins: "+-&|<",
        // Behind `if`, `for` and `switch` the brace of a literal would begin the block.
        only_in: &[(
            "composite_literal",
            "argument_list parenthesized_expression literal_element var_spec.value index_expression.index \
                return_statement short_var_declaration.right assignment_statement.right",
        )],
        openers: ("func map chan struct interface [", "expression_statement go_statement defer_statement"),
        ..Brackets::NONE
    },
    free: "argument_list parenthesized_expression expression_list index_expression.index literal_element var_spec.value \
        slice_expression.start slice_expression.end slice_expression.capacity send_statement.value expression_statement",
    literals: "float_literal imaginary_literal int_literal interpreted_string_literal raw_string_literal rune_literal true \
        false",
    strings: "interpreted_string_literal raw_string_literal rune_literal",
    type_tests: "type_switch_statement type_assertion_expression",
    blocks: "statement_list",
    wraps: &[block("if_statement.alternative")],
    functions: "function_declaration method_declaration func_literal",
    lambdas: "func_literal",
    barriers: &[
        ("binary_expression.right:&&,||", SOMETIMES),
        ("for_clause.condition for_clause.update for_statement.=", ROUND),
        ("expression_case.value type_case communication_case.communication", CASE),
        ("const_spec array_type", META),
    ],
    places: "assignment_statement.left inc_statement dec_statement unary_expression.operand:& short_var_declaration.left \
        range_clause.left",
    effects: "call_expression assignment_statement inc_statement dec_statement send_statement go_statement \
        defer_statement receive_statement",
    assignments: "assignment_statement inc_statement dec_statement",
    calls: "call_expression",
    breakable: "for_statement expression_switch_statement type_switch_statement select_statement",
    loops: "for_statement",
    throws: "",
    escapes: "goto_statement fallthrough_statement defer_statement",
    this: "",
    declare: "{name} := {value}",
    declare_literal: "const {name} = {value}",
    bind: "var {name} {type} = {value}",
    steady: "string bool byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64",
    pure: "len min max strings.Contains strings.HasPrefix strings.HasSuffix strings.Index strings.LastIndex strings.Count \
        strings.ToLower strings.ToUpper strings.TrimSpace strings.Trim strings.TrimLeft strings.TrimRight \
        strings.TrimPrefix strings.TrimSuffix strings.EqualFold strings.Compare strconv.Itoa strconv.Quote math.Abs \
        math.Floor math.Ceil math.Sqrt math.Max math.Min",
    end: "",
    indent: "\t",
    declarators: "short_var_declaration var_spec",
    value_field: "right",
    ..C_LIKE
};

const PHP: Shape = Shape {
    language: Language::Php,
    expressions: "binary_expression cast_expression clone_expression conditional_expression match_expression \
        unary_op_expression anonymous_function array_creation_expression arrow_function class_constant_access_expression \
        function_call_expression encapsed_string float heredoc integer nowdoc null string boolean member_access_expression \
        member_call_expression nullsafe_member_access_expression nullsafe_member_call_expression \
        object_creation_expression parenthesized_expression scoped_call_expression scoped_property_access_expression \
        subscript_expression assignment_expression augmented_assignment_expression update_expression",
    not_expressions: "named_type attribute declare_directive encapsed_string heredoc_body",
    atoms: "array_creation_expression class_constant_access_expression function_call_expression encapsed_string float \
        integer null string boolean member_access_expression member_call_expression nullsafe_member_access_expression \
        nullsafe_member_call_expression parenthesized_expression scoped_call_expression \
        scoped_property_access_expression subscript_expression variable_name name qualified_name",
    operators: "or xor and @print_intrinsic @yield_expression \
        @assignment_expression,@augmented_assignment_expression,@reference_assignment_expression \
        @conditional_expression ?? || && | ^ & ==,!=,===,!==,<>,<=> <,>,<=,>= . <<,>> +,- *,/,% \
        @unary_op_expression:! instanceof \
        @cast_expression,@unary_op_expression:-,@unary_op_expression:+,@unary_op_expression:~,@error_suppression_expression \
        **",
    brackets: Brackets {
        chains: (
            "nullsafe_member_access_expression nullsafe_member_call_expression",
            "member_access_expression.object member_call_expression.object nullsafe_member_access_expression.object \
                nullsafe_member_call_expression.object subscript_expression \
                scoped_call_expression.scope scoped_property_access_expression.scope",
        ),
        chains_pass_parentheses: true,
        // A class and a function that is called may be a variable; other values stand in parentheses there.
        bare: (
            "object_creation_expression function_call_expression.function scoped_call_expression.scope \
                scoped_property_access_expression.scope class_constant_access_expression \
                binary_expression.right:instanceof",
            "variable_name",
        ),
        joins: "+-&<",
        ..Brackets::NONE
    },
    unary: "unary_op_expression cast_expression",
    free: "argument parenthesized_expression assignment_expression.right return_statement expression_statement \
        array_element_initializer echo_statement arrow_function.body match_conditional_expression.return_expression \
        match_default_expression.return_expression augmented_assignment_expression.right",
    literals: "float integer null string boolean",
    strings: "string encapsed_string heredoc nowdoc",
    blocks: "compound_statement program colon_block case_statement default_statement",
    wraps: &[
        block("if_statement.body"),
        block("else_clause.body"),
        block("for_statement.body"),
        block("foreach_statement.body"),
        block("while_statement.body"),
        block("do_statement.body"),
    ],
    functions: "function_definition method_declaration anonymous_function arrow_function property_hook",
    lambdas: "anonymous_function arrow_function",
    types: "declaration_list enum_declaration_list",
    barriers: &[
        ("binary_expression.right:&&,||,and,or,?? binary_expression.left:??", SOMETIMES),
        ("conditional_expression.body conditional_expression.alternative", SOMETIMES),
        ("augmented_assignment_expression.right:??= error_suppression_expression", SOMETIMES),
        (
            "while_statement.condition do_statement.condition for_statement.condition for_statement.update",
            ROUND,
        ),
        ("else_if_clause.condition case_statement.value", CASE),
        ("match_condition_list match_conditional_expression match_default_expression", CASE),
        ("simple_parameter property_promotion_parameter", DEFAULT),
        ("const_element static_variable_declaration attribute property_element enum_case", META),
        ("arrow_function.body", LATER),
    ],
    places: "assignment_expression.left augmented_assignment_expression.left update_expression.argument \
        reference_assignment_expression.left reference_assignment_expression.right unset_statement by_ref \
        global_declaration list_literal pair.left",
    effects: "function_call_expression member_call_expression nullsafe_member_call_expression scoped_call_expression \
        object_creation_expression assignment_expression augmented_assignment_expression update_expression \
        yield_expression print_intrinsic include_expression include_once_expression require_expression \
        require_once_expression throw_expression reference_assignment_expression unset_statement echo_statement",
    assignments: "assignment_expression augmented_assignment_expression update_expression \
        reference_assignment_expression unset_statement",
    calls: "function_call_expression member_call_expression nullsafe_member_call_expression scoped_call_expression \
        object_creation_expression",
    breakable: "for_statement foreach_statement while_statement do_statement switch_statement",
    loops: "for_statement foreach_statement while_statement do_statement",
    yields: "yield_expression",
    throws: "throw_expression",
    escapes: "goto_statement",
    this: "$this",
    declare: "${name} = {value};",
    declare_literal: "${name} = {value};",
    bind: "${name} = {value};",
    steady: "int float string bool",
    pure: "strlen abs floor ceil strtolower strtoupper ucfirst lcfirst trim ltrim rtrim str_contains str_starts_with \
        str_ends_with ctype_digit ctype_alpha is_int is_string is_bool is_float is_null",
    sigil: "$",
    declarators: "assignment_expression",
    value_field: "right",
    ..C_LIKE
};

/// Macros of the standard library, of `log` and of `anyhow`.
const RUST_MACROS: &[ValueMacros] = &[
    ValueMacros {
        names: "print println eprint eprintln format format_args panic todo unimplemented unreachable anyhow bail",
        eager: usize::MAX,
        format: Some(0),
    },
    ValueMacros { names: "write writeln", eager: usize::MAX, format: Some(1) },
    ValueMacros { names: "vec dbg", eager: usize::MAX, format: None },
    ValueMacros { names: "assert ensure", eager: 1, format: Some(1) },
    ValueMacros { names: "assert_eq assert_ne", eager: 2, format: Some(2) },
    ValueMacros { names: "debug_assert", eager: 0, format: Some(1) },
    ValueMacros { names: "debug_assert_eq debug_assert_ne", eager: 0, format: Some(2) },
    ValueMacros { names: "trace debug info warn error", eager: 0, format: Some(0) },
];

const RUST: Shape = Shape {
    language: Language::Rust,
    adaptable: "closure_expression",
    expressions: "array_expression async_block await_expression binary_expression boolean_literal call_expression \
        char_literal closure_expression field_expression float_literal if_expression index_expression integer_literal \
        macro_invocation match_expression parenthesized_expression range_expression raw_string_literal \
        reference_expression string_literal struct_expression try_expression tuple_expression type_cast_expression \
        unary_expression",
    not_expressions: "call_expression.function macro_invocation token_tree type_arguments",
    atoms: "array_expression boolean_literal call_expression char_literal field_expression float_literal identifier \
        index_expression integer_literal macro_invocation parenthesized_expression raw_string_literal string_literal \
        tuple_expression self scoped_identifier await_expression try_expression unit_expression",
    operators: "|| && ==,!=,<,>,<=,>= | ^ & <<,>> +,- *,/,% @type_cast_expression \
        @unary_expression,@reference_expression",
    brackets: Brackets {
        // Behind a type, `<` would begin its arguments.
        only_in: &[(
            "type_cast_expression",
            "arguments parenthesized_expression let_declaration.value assignment_expression.right return_expression \
                expression_statement array_expression tuple_expression field_initializer.value match_arm.value \
                macro_arguments skipped_arguments",
        )],
        openers: ("if match loop while for unsafe {", "expression_statement match_arm.value"),
        joins: "&|<",
        ..Brackets::NONE
    },
    unary: "unary_expression reference_expression",
    free: "arguments parenthesized_expression let_declaration.value assignment_expression.right \
        compound_assignment_expr.right return_expression expression_statement array_expression tuple_expression \
        field_initializer.value index_expression.+ match_arm.value closure_expression.body macro_arguments \
        skipped_arguments",
    literals: "boolean_literal char_literal float_literal integer_literal raw_string_literal string_literal",
    strings: "string_literal raw_string_literal char_literal format_text",
    wraps: &[block("match_arm.value"), block("closure_expression.body"), block("else_clause.-")],
    functions: "function_item closure_expression async_block",
    lambdas: "closure_expression async_block",
    types: "declaration_list",
    barriers: &[
        ("binary_expression.right:&&,|| let_chain.+", SOMETIMES),
        ("while_expression.condition", ROUND),
        ("match_pattern.condition match_arm.pattern", CASE),
        (
            "const_item static_item const_block enum_variant array_type array_expression.length attribute",
            META,
        ),
        ("skipped_arguments", "the macro evaluates it only in some cases"),
        ("token_tree", "it stands in a macro, and what that makes of it is not known"),
    ],
    places: "assignment_expression.left compound_assignment_expr.left reference_expression.value",
    effects: "call_expression macro_invocation assignment_expression compound_assignment_expr await_expression \
        try_expression return_expression break_expression continue_expression",
    assignments: "assignment_expression compound_assignment_expr",
    calls: "call_expression",
    macros: RUST_MACROS,
    returns: "return_expression",
    breaks: "break_expression",
    continues: "continue_expression",
    breakable: "for_expression while_expression loop_expression",
    loops: "for_expression while_expression loop_expression",
    awaits: "await_expression",
    throws: "",
    escapes: "try_expression",
    this: "self",
    declare: "let {name} = {value};",
    declare_literal: "let {name} = {value};",
    bind: "let {name}: {type} = {value};",
    bind_written: "let mut {name}: {type} = {value};",
    block_value: true,
    steady: "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char &str",
    pure: "size_of align_of str.len str.is_empty",
    declarators: "let_declaration",
    ..C_LIKE
};

/// Every language whose inside can be changed.
pub(super) static SHAPES: &[Shape] = &[
    JAVA,
    KOTLIN,
    PYTHON,
    ECMA,
    Shape {
        language: Language::TypeScript,
        types: "class_body interface_body",
        tests: "if_statement.condition while_statement.condition do_statement.condition for_statement.condition \
            ternary_expression.condition binary_expression.left:&&,||,?? switch_statement.value",
        paths: "identifier member_expression subscript_expression this",
        declare_typed: "const {name}: {type} = {value};",
        ..ECMA
    },
    GO,
    PHP,
    RUST,
];
