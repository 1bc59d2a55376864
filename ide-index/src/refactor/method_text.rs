//! How each language writes a new function and its call: templates, filled in by the extraction of methods.

use ide_model::Language;

/// The templates of a language. `{name}` is left in place for the one who fills them in.
pub(super) struct Writing {
    pub(super) language: Language,
    /// An overriding function may not declare defaults of its own, and the forms of operators fix their
    /// parameters.
    pub(super) only_base_defaults: bool,
    /// Whether a parameter may have a value that calls leave out.
    pub(super) has_defaults: bool,
    /// Whether parameters, and results, must say their types.
    pub(super) types_params: bool,
    pub(super) types_result: bool,
    pub(super) param: &'static str,
    /// The text before a parameter that is written to; `None` where none can be.
    pub(super) written_param: Option<&'static str>,
    /// The head of a function beside others, and of one that is a member.
    pub(super) function: &'static str,
    pub(super) method: &'static str,
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// The text before a value that is the whole function, whose type is not written then; empty where it must
    /// be.
    pub(super) infers: &'static str,
    /// The result type, where there is one; and what stands there where there is none.
    pub(super) result: &'static str,
    pub(super) void: &'static str,
    /// The last statement that gives a value.
    pub(super) give: &'static str,
    /// The text before the name of a member that is called, on an object and without one.
    pub(super) on_this: &'static str,
    pub(super) on_type: &'static str,
    /// Around several results; empty where a function gives one at most.
    pub(super) several: &'static str,
    /// Behind several results that are given, so that each keeps its type.
    pub(super) several_kept: &'static str,
    /// Around their types.
    pub(super) several_types: &'static str,
    /// New variables and old ones that take the results: `{names}`, `{value}`.
    pub(super) declare: &'static str,
    pub(super) assign: &'static str,
    /// Words that say who may see a member.
    pub(super) visibility: &'static str,
    /// The brackets around type arguments in a call that could not infer them; empty where they are not written
    /// there.
    pub(super) type_arguments: &'static str,
    /// Whether every field must have its value when its constructor ends.
    pub(super) checks_fields: bool,
    /// The head of a function inside of the one around it, which sees what that one sees; empty where none is written.
    pub(super) inner: &'static str,
    /// The word of a function that waits, and how it is waited for: `{value}`.
    pub(super) async_word: &'static str,
    pub(super) wait: &'static str,
}

const BRACES: Writing = Writing {
    language: Language::PlainText,
    only_base_defaults: false,
    has_defaults: true,
    types_params: true,
    types_result: true,
    param: "{name}: {type}",
    written_param: Some(""),
    function: "",
    method: "",
    open: " {",
    close: "}",
    infers: "",
    result: "",
    void: "",
    give: "return {value};",
    on_this: "this.",
    on_type: "",
    several: "",
    several_kept: "",
    several_types: "",
    declare: "",
    assign: "{names} = {value};",
    visibility: "",
    type_arguments: "",
    checks_fields: false,
    inner: "",
    async_word: "async ",
    wait: "await {value}",
};

const ECMA: Writing = Writing {
    language: Language::JavaScript,
    types_params: false,
    types_result: false,
    param: "{name}",
    function: "{async}function {name}({params})",
    method: "{static}{async}{name}({params})",
    on_type: "this.",
    several: "[]",
    declare: "const {names} = {value};",
    inner: "const {name} = {async}(){result} =>",
    ..BRACES
};

const ALL: &[Writing] = &[
    Writing {
        language: Language::Java,
        has_defaults: false,
        visibility: "public protected private",
        param: "{type} {name}",
        function: "private {static}{generics}{result}{name}({params}){throws}",
        method: "private {static}{generics}{result}{name}({params}){throws}",
        result: "{type} ",
        void: "void ",
        on_this: "",
        declare: "{type} {names} = {value};",
        ..BRACES
    },
    Writing {
        language: Language::Kotlin,
        visibility: "public protected private internal",
        only_base_defaults: true,
        written_param: None,
        infers: " = ",
        function: "private {async}fun {generics}{name}({params}){result}",
        method: "private {async}fun {generics}{name}({params}){result}",
        result: ": {type}",
        give: "return {value}",
        on_this: "",
        declare: "val {names} = {value}",
        assign: "{names} = {value}",
        type_arguments: "<>",
        async_word: "suspend ",
        wait: "{value}",
        ..BRACES
    },
    Writing {
        language: Language::Python,
        types_params: false,
        types_result: false,
        param: "{name}",
        function: "{async}def {name}({params}){result}",
        method: "{async}def {name}({params}){result}",
        open: ":",
        close: "",
        result: " -> {type}",
        give: "return {value}",
        on_this: "{self}.",
        several: "  ",
        declare: "{names} = {value}",
        assign: "{names} = {value}",
        ..BRACES
    },
    ECMA,
    Writing {
        language: Language::TypeScript,
        visibility: "public protected private",
        types_params: true,
        param: "{name}: {type}",
        function: "{async}function {name}{generics}({params}){result}",
        method: "private {static}{async}{name}{generics}({params}){result}",
        result: ": {type}",
        several_kept: " as const",
        type_arguments: "<>",
        checks_fields: true,
        ..ECMA
    },
    Writing {
        language: Language::Go,
        has_defaults: false,
        param: "{name} {type}",
        function: "func {name}{generics}({params}){result}",
        method: "func {receiver} {name}({params}){result}",
        result: " {type}",
        give: "return {value}",
        on_this: "{self}.",
        type_arguments: "[]",
        several: "  ",
        several_types: "()",
        declare: "{names} := {value}",
        assign: "{names} = {value}",
        ..BRACES
    },
    Writing {
        language: Language::Php,
        visibility: "public protected private",
        types_params: false,
        types_result: false,
        param: "${name}",
        function: "function {name}({params})",
        method: "private {static}function {name}({params})",
        on_this: "$this->",
        on_type: "self::",
        several: "[]",
        declare: "{names} = {value};",
        ..BRACES
    },
    Writing {
        language: Language::Rust,
        has_defaults: false,
        visibility: "pub",
        written_param: Some("mut "),
        function: "{const}{async}{unsafe}fn {name}{generics}({params}){result}{where}",
        method: "{const}{async}{unsafe}fn {name}{generics}({params}){result}{where}",
        result: " -> {type}",
        give: "{value}",
        on_this: "self.",
        on_type: "Self::",
        type_arguments: "::<>",
        several: "()",
        several_types: "()",
        declare: "let {names} = {value};",
        wait: "{value}.await",
        ..BRACES
    },
];

pub(super) fn writing_of(language: Language) -> Option<&'static Writing> {
    ALL.iter().find(|writing| writing.language == language)
}
