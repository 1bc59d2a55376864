//! Names: spelling, reserved words, and names that a language calls without saying so.

use ide_model::{Language, SymbolKind};

/// The names of a language.
struct Names {
    language: Language,
    reserved: &'static str,
    /// Words that are reserved in some places only, and names that the language itself declares.
    soft: &'static str,
    /// Letters besides those of every language and `_`.
    extra: &'static [char],
    /// Functions and methods that run-time or library call by name; a trailing `*` stands for any rest.
    called: &'static str,
    /// Methods that they call by name.
    methods: &'static str,
    /// Other declarations that they look for by name.
    read: &'static str,
    /// Functions that find a constant by the text of its name.
    lookups: &'static str,
    /// Types of the library that ask nothing of their subtypes but what stands in the two lists above.
    plain_bases: &'static str,
    /// Types of the library that read no member of a subtype by its name.
    silent_bases: &'static str,
}

/// JavaScript and TypeScript by what they share; TypeScript reserves the names of its types as well.
const SCRIPT: Names = Names {
    language: Language::JavaScript,
    reserved: "await break case catch class const continue debugger default delete do else enum export extends false \
        finally for function if import in instanceof new null return super switch this throw true try typeof var void \
        while with yield let static implements interface package private protected public arguments eval undefined",
    soft: "",
    extra: &['$'],
    called: "default arguments exports module",
    methods: "constructor toString toJSON valueOf then prototype render \
        componentDidMount componentDidUpdate componentWillUnmount shouldComponentUpdate",
    read: "default arguments exports module prototype name message stack cause props state refs context",
    lookups: "",
    plain_bases: "Object Error TypeError RangeError SyntaxError",
    silent_bases: "Object",
};

/// The types of TypeScript.
const TYPES: &str = "any boolean never number object string symbol unknown bigint";

const NAMES: &[Names] = &[
    Names {
        language: Language::Java,
        reserved: "abstract assert boolean break byte case catch char class const continue default do double else enum \
            extends final finally float for goto if implements import instanceof int interface long native new package \
            private protected public return short static strictfp super switch synchronized this throw throws transient \
            try void volatile while true false null _ yield",
        soft: "record sealed permits var",
        extra: &['$'],
        called: "main",
        methods: "readObject writeObject readResolve writeReplace readObjectNoData \
            toString equals hashCode clone finalize compareTo",
        read: "serialVersionUID",
        lookups: "valueOf",
        plain_bases: "Object Serializable Cloneable",
        silent_bases: "Object",
    },
    Names {
        language: Language::Kotlin,
        reserved: "as break class continue do else false for fun if in interface is null object package return super this \
            throw true try typealias typeof val var when while _ __ ___",
        soft: "",
        extra: &[],
        called: "main",
        methods: "component* toString equals hashCode",
        read: "",
        lookups: "valueOf enumValueOf",
        plain_bases: "Any",
        silent_bases: "Any",
    },
    Names {
        language: Language::Python,
        reserved: "False None True and as assert async await break class continue def del elif else except finally for \
            from global if import in is lambda nonlocal not or pass raise return try while with yield self cls",
        soft: "",
        extra: &[],
        called: "__*__ _",
        methods: "setUp tearDown setUpClass tearDownClass self cls",
        read: "__*__ name value args errno strerror filename message",
        lookups: "",
        plain_bases: "object Generic Protocol ABC Exception BaseException \
            ValueError TypeError RuntimeError KeyError LookupError IndexError AttributeError NotImplementedError OSError \
            IOError Warning UserWarning DeprecationWarning ArithmeticError ImportError NameError Enum IntEnum Flag str int",
        silent_bases: "object Generic Protocol ABC TypedDict NamedTuple _TypedDict TypedDictFallback dict tuple Mapping MutableMapping \
            Collection Iterable Container Sized Reversible Sequence Hashable",
    },
    SCRIPT,
    Names { language: Language::TypeScript, soft: TYPES, ..SCRIPT },
    Names {
        language: Language::Vue,
        soft: TYPES,
        methods: "constructor toString toJSON valueOf then prototype data setup render beforeCreate created beforeMount \
            mounted beforeUpdate updated beforeUnmount unmounted beforeDestroy destroyed activated deactivated \
            errorCaptured renderTracked renderTriggered serverPrefetch",
        read: "default arguments exports module prototype name props emits computed methods watch components directives \
            mixins extends inject provide model",
        ..SCRIPT
    },
    Names { language: Language::Svelte, soft: TYPES, ..SCRIPT },
    Names { language: Language::Astro, soft: TYPES, ..SCRIPT },
    Names {
        language: Language::Go,
        reserved: "break case chan const continue default defer else fallthrough for func go goto if import interface map \
            package range return select struct switch type var _",
        soft: "nil true false iota append cap close complex copy delete imag len make new panic print println real recover \
            bool byte error int string any",
        extra: &[],
        called: "main init _",
        methods: "Error String GoString Format Read Write Close Seek ReadAt WriteAt ReadFrom WriteTo ReadByte \
            WriteByte ReadRune UnreadByte UnreadRune ReadString WriteString Len Less Swap Push Pop ServeHTTP RoundTrip \
            MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalBinary UnmarshalBinary MarshalXML UnmarshalXML \
            MarshalYAML UnmarshalYAML Scan Value Is As Unwrap Lock Unlock Timeout Temporary Deadline Done Err \
            Header WriteHeader Flush Hijack Network Addr Open Stat Mode ModTime IsDir Sys Columns \
            Sum BlockSize At Bounds ColorModel Underlying GobEncode \
            GobDecode WithAttrs WithGroup LogValue",
        read: "_",
        lookups: "",
        plain_bases: "",
        silent_bases: "",
    },
    Names {
        language: Language::Php,
        reserved: "abstract and array as break callable case catch class clone const continue declare default do echo else \
            elseif empty enddeclare endfor endforeach endif endswitch endwhile exit extends final finally fn for foreach \
            function global goto if implements include include_once instanceof insteadof interface isset list match \
            namespace new or print private protected public readonly require require_once return static switch throw trait \
            try unset use var while xor yield self parent true false null this",
        soft: "enum int float bool string void iterable object mixed never",
        extra: &[],
        called: "__* this",
        methods: "offsetGet offsetSet offsetExists offsetUnset getIterator current key next rewind valid count \
            jsonSerialize serialize unserialize setUp tearDown",
        read: "this message code file line previous",
        lookups: "constant defined",
        plain_bases: "Exception RuntimeException LogicException InvalidArgumentException Throwable Error \
            Stringable",
        silent_bases: "",
    },
    Names {
        language: Language::Rust,
        reserved: "as break const continue crate else enum extern false fn for if impl in let loop match mod move mut pub \
            ref return self Self static struct super trait true type unsafe use where while async await dyn abstract \
            become box do final macro override priv typeof unsized virtual yield try gen _",
        soft: "",
        extra: &[],
        called: "main self Self",
        methods: "drop",
        read: "self Self",
        lookups: "",
        plain_bases: "",
        silent_bases: "",
    },
];

fn names(language: Language) -> Option<&'static Names> {
    NAMES.iter().find(|row| row.language == language)
}

/// Why something cannot be a name; completes "the name …".
pub(crate) fn spelling_problem(language: Language, name: &str) -> Option<String> {
    let Some(row) = names(language) else { return Some("cannot be checked for this language".to_owned()) };
    let is_letter = |c: char| c == '_' || c.is_alphabetic() || row.extra.contains(&c);
    let mut letters = name.chars();
    let is_spelled =
        letters.next().is_some_and(is_letter) && letters.all(|c| is_letter(c) || c.is_alphanumeric());
    if !is_spelled {
        return Some(format!("is not an identifier of {}", language.name()));
    }
    let is_reserved = is_word(language, name, row.reserved) || is_word(language, name, row.soft);
    is_reserved.then(|| format!("is a reserved or predeclared word of {}", language.name()))
}

/// Whether a name is one of these words of a language. Words of PHP may be written in either case.
fn is_word(language: Language, name: &str, words: &str) -> bool {
    let is = |word: &str| word == name || language == Language::Php && word.eq_ignore_ascii_case(name);
    words.split_whitespace().any(is)
}

/// Why a name cannot be that of a declaration of this kind; completes "the name …". Many reserved words may name members
/// and variables: `o.delete`, `$list`, `int record`.
pub(crate) fn naming_problem(
    language: Language,
    name: &str,
    kind: SymbolKind,
    is_member: bool,
) -> Option<String> {
    let problem = spelling_problem(language, name)?;
    let row = names(language)?;
    let is_soft = is_word(language, name, row.soft);
    let is_reserved = is_soft || is_word(language, name, row.reserved);
    (!is_reserved || !may_be_reserved(language, name, kind, is_member, is_soft)).then_some(problem)
}

/// Whether a declaration of this kind may have a reserved word for its name.
fn may_be_reserved(language: Language, word: &str, kind: SymbolKind, is_member: bool, is_soft: bool) -> bool {
    use SymbolKind::{Constant, EnumCase, Field, Function, Key, Method, Parameter, Property, Variable};
    let is_part = is_member && matches!(kind, Method | Field | Property | Constant | Key);
    match language {
        Language::Java => is_soft && !kind.is_type(),
        Language::JavaScript => is_part,
        Language::TypeScript => is_part || is_soft && matches!(kind, Variable | Parameter),
        Language::Php => match kind {
            Variable | Parameter | Field | Property => word != "this",
            Method | Constant | EnumCase if is_member => !word.eq_ignore_ascii_case("class"),
            Function | Constant => is_soft,
            _ => false,
        },
        Language::Go => is_part && is_soft,
        _ => false,
    }
}

/// Whether the language or its library uses a declaration, if it has this name, without its being named in the code.
pub(crate) fn is_called_by_name(language: Language, name: &str, kind: SymbolKind) -> bool {
    let fits = |word: &str| match word.split_once('*') {
        Some((start, end)) => {
            name.len() > start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => word == name,
    };
    let words = |row: &'static Names| match kind {
        SymbolKind::Function => [row.called, ""],
        kind if kind.is_callable() => [row.called, row.methods],
        _ => [row.read, ""],
    };
    let is_listed = |row| words(row).iter().flat_map(|words| words.split_whitespace()).any(fits);
    names(language).is_some_and(is_listed)
}

/// The methods of the library's traits that operators and statements call.
const TRAIT_METHODS: &[(Language, &str)] = &[(
    Language::Rust,
    "add sub mul div rem neg not bitand bitor bitxor shl shr add_assign sub_assign mul_assign div_assign rem_assign \
        bitand_assign bitor_assign bitxor_assign shl_assign shr_assign index index_mut deref deref_mut eq ne partial_cmp lt le \
        gt ge cmp next into_iter fmt poll into_future call call_mut call_once from",
)];

/// Whether operators or statements of a language call methods of this name that implement traits.
pub(crate) fn is_trait_operator(language: Language, name: &str) -> bool {
    let mut words =
        TRAIT_METHODS.iter().filter(|(of, _)| *of == language).flat_map(|(_, words)| words.split(' '));
    words.any(|word| word == name)
}

/// `name=results` for methods that the library calls by name, each with as many results in every interface that asks for it.
const CALLED_RESULTS: &[(Language, &str)] = &[(
    Language::Go,
    "Push=0 Pop=1 Len=1 Less=1 Swap=0 String=1 GoString=1 Format=0 Read=2 Write=2 Seek=2 ReadAt=2 WriteAt=2 \
        ReadByte=2 WriteByte=1 ReadRune=3 UnreadByte=1 UnreadRune=1 ReadString=2 WriteString=2 ServeHTTP=0 RoundTrip=2 \
        MarshalJSON=2 UnmarshalJSON=1 MarshalText=2 UnmarshalText=1 MarshalBinary=2 UnmarshalBinary=1 MarshalXML=1 \
        UnmarshalXML=1 MarshalYAML=2 UnmarshalYAML=1 Is=1 As=1 Unwrap=1 Lock=0 Unlock=0 Timeout=1 Temporary=1",
)];

/// How many results a method of this name has where the library calls it; `None` where that differs or is not known.
pub(crate) fn called_results(language: Language, name: &str) -> Option<usize> {
    let words = CALLED_RESULTS
        .iter()
        .filter(|(of, _)| *of == language)
        .flat_map(|(_, words)| words.split_whitespace());
    let mut rows = words.filter_map(|word| word.split_once('='));
    rows.find(|(word, _)| *word == name).and_then(|(_, results)| results.parse().ok())
}

/// The words by which code of a language asks for members by the text of their names.
pub(crate) struct Reflections {
    /// Functions that take such a text.
    pub(crate) functions: &'static str,
    /// Lists of members that are searched by comparing their names.
    pub(crate) lists: &'static str,
    /// Whether a variable may stand in the place of a name.
    pub(crate) has_dynamic_members: bool,
}

const OF_JAVA: &str = "getMethod getDeclaredMethod getField getDeclaredField findVirtual findStatic findSpecial findGetter findSetter \
    findStaticGetter findStaticSetter findVarHandle findStaticVarHandle newUpdater";

const REFLECTIONS: &[(Language, Reflections)] = &[
    (Language::Java, Reflections { functions: OF_JAVA, lists: "", has_dynamic_members: false }),
    (
        Language::Kotlin,
        Reflections {
            functions: OF_JAVA,
            lists: "members memberProperties memberFunctions functions declaredMembers declaredMemberProperties \
                declaredMemberFunctions declaredFunctions staticProperties staticFunctions",
            has_dynamic_members: false,
        },
    ),
    (
        Language::Php,
        Reflections {
            functions: "method_exists property_exists ReflectionMethod ReflectionProperty ReflectionClassConstant getMethod \
                getProperty hasMethod hasProperty",
            lists: "",
            has_dynamic_members: true,
        },
    ),
];

/// See [`Reflections`]; `None` for languages of which no such words are known.
pub(crate) fn reflections(language: Language) -> Option<&'static Reflections> {
    REFLECTIONS.iter().find(|(of, _)| *of == language).map(|(_, words)| words)
}

/// Functions of a language that find a constant by the text of its name.
pub(crate) fn lookups(language: Language) -> impl Iterator<Item = &'static str> {
    names(language).into_iter().flat_map(|row| row.lookups.split_whitespace())
}

/// Functions of a language that read or write any member of their first argument by the text of its name.
pub(crate) fn readers(language: Language) -> impl Iterator<Item = &'static str> {
    let words = if language == Language::Python { "getattr setattr hasattr delattr" } else { "" };
    words.split_whitespace()
}

/// Whether a type of the library, by its last name, has no members that a subtype could override unawares.
pub(crate) fn is_plain_base(language: Language, name: &str) -> bool {
    names(language).is_some_and(|row| row.plain_bases.split_whitespace().any(|base| base == name))
}

/// Whether a type of a library, by its last name, reads no member of a subtype by a name that it has.
pub(crate) fn reads_no_member(language: Language, name: &str) -> bool {
    names(language).is_some_and(|row| row.silent_bases.split_whitespace().any(|silent| silent == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_their_language() {
        let problem = |language, name| spelling_problem(language, name).is_some();
        assert!(!problem(Language::Java, "größe$1") && problem(Language::Python, "a$"));
        assert!(
            problem(Language::Java, "class") && problem(Language::Go, "1x") && problem(Language::Php, "")
        );
        assert!(problem(Language::Sql, "x"), "nothing is known, so nothing is allowed");
        assert!(is_called_by_name(Language::Python, "__len__", SymbolKind::Function));
        assert!(!is_called_by_name(Language::Python, "_len", SymbolKind::Method));
        assert!(is_called_by_name(Language::Go, "Len", SymbolKind::Method));
        assert!(!is_called_by_name(Language::Go, "Len", SymbolKind::Function));
    }
}
