//! Recorded and made-up outputs.

use super::*;

/// `source severity file line:column code message` of every message, a line each.
fn shown(text: &str) -> String {
    let line = |raw: &Raw| {
        let at = match raw.start {
            Some(At::Line(line)) => format!("{line}"),
            Some(At::Column(line, column, unit)) => format!("{line}:{column} {unit:?}"),
            Some(At::Byte(byte)) => format!("byte {byte}"),
            None => "-".to_owned(),
        };
        let file = raw.file.as_deref().unwrap_or("-");
        let code = raw.code.as_deref().unwrap_or("-");
        let message = raw.message.replace('\n', " | ");
        format!("{} {:?} {file} {at} {code} {message}", raw.source, raw.severity)
    };
    log(text).kept.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn recorded_outputs() {
    let recorded = [
        (
            include_str!("../recorded/mvn-javac.out"),
            "javac Error /p/src/main/java/shop/Cart.java 19:20 Tabs - incompatible types: java.lang.String cannot be converted to int",
        ),
        (
            include_str!("../recorded/javac.out"),
            "javac Error src/main/java/shop/Cart.java 19:20 Utf16 - incompatible types: String cannot be converted to int",
        ),
        (
            include_str!("../recorded/mvn-kotlin.out"),
            "kotlinc Error /p/src/main/kotlin/shop/Cart.kt 16:16 Utf16 - Type mismatch: inferred type is String but Int was expected",
        ),
        (
            include_str!("../recorded/tsc.out"),
            "tsc Error src/cart.ts 14:18 Utf16 TS2322 Type 'string' is not assignable to type 'number'.\n\
             tsc Error src/cart.ts 14:37 Utf16 TS2304 Cannot find name 'undefinedThing'.",
        ),
        (
            include_str!("../recorded/tsc-pretty.out"),
            "tsc Error src/cart.ts 14:18 Utf16 TS2322 Type 'string' is not assignable to type 'number'.\n\
             tsc Error src/cart.ts 14:37 Utf16 TS2304 Cannot find name 'undefinedThing'.",
        ),
        (include_str!("../recorded/go-vet.out"), "go Error shop/cart.go 16:27 Bytes - undefined: nope"),
        (
            include_str!("../recorded/go-build.out"),
            "go Error shop/cart.go 16:6 Bytes - declared and not used: é\n\
             go Error shop/cart.go 16:27 Bytes - undefined: nope",
        ),
        (
            include_str!("../recorded/php-l.out"),
            "php Error src/Cart.php 24 - syntax error, unexpected token \";\"",
        ),
        (
            include_str!("../recorded/mypy.out"),
            "mypy Error shop/cart.py 15 return-value Incompatible return value type (got \"tuple[str, int]\", expected \"int\")",
        ),
    ];
    for (text, expected) in recorded {
        assert_eq!(shown(text), expected);
        assert_eq!(shown(&text.replace('\n', "\r\n")), expected, "with the line ends of Windows");
    }
}

#[test]
fn other_forms() {
    let text = "\
e: file:///p/src/A.kt:3:5 Unresolved reference 'x'.
w: /p/src/A.kt: (4, 7): Variable 'y' is never used
src/A.kt:5:1: warning: parameter 'z' is never used
    z
    ^
[WARNING] /p/A.java:[7,9] [unchecked] unchecked call
[ERROR] /p/A.java:[8,9] cannot find symbol
[ERROR]   symbol:   variable nope
[ERROR]   location: class A
A.java:9: warning: [deprecation] f() in B has been deprecated
error[E0308]: mismatched types
 --> src/lib.rs:4:5
  |
warning: unused variable: `a`
  --> src/lib.rs:9:9
  File \"a/b.py\", line 3
    x = = 1
        ^
SyntaxError: invalid syntax
echo 'a.c:1:1: error: what make shows of its commands'
a.c:3:5: error: expected ';' before '}' token
ERROR: /p/BUILD.bazel:3:11: no such target '//:x'
error TS18003: No inputs were found in config file.
C:\\p\\a.ts(1,2): error TS1: x
C:\\p\\a.go:1:2: undefined: y
a.go:3 +0x1d
PHP Fatal error:  Cannot redeclare f() in /p/a b.php:7
make: *** [Makefile:2: all] Error 1
";
    let expected = "\
kotlinc Error /p/src/A.kt 3:5 Utf16 - Unresolved reference 'x'.
kotlinc Warning /p/src/A.kt 4:7 Utf16 - Variable 'y' is never used
kotlinc Warning src/A.kt 5:1 Utf16 - parameter 'z' is never used
javac Warning /p/A.java 7:9 Tabs - [unchecked] unchecked call
javac Error /p/A.java 8:9 Tabs - cannot find symbol | symbol:   variable nope | location: class A
javac Warning A.java 9 deprecation f() in B has been deprecated
rustc Error src/lib.rs 4:5 Chars E0308 mismatched types
rustc Warning src/lib.rs 9:9 Chars - unused variable: `a`
python Error a/b.py 3 - SyntaxError: invalid syntax
build Error a.c 3:5 Bytes - expected ';' before '}' token
build Error /p/BUILD.bazel 3:11 Bytes - no such target '//:x'
tsc Error - - TS18003 No inputs were found in config file.
tsc Error C:\\p\\a.ts 1:2 Utf16 TS1 x
go Error C:\\p\\a.go 1:2 Bytes - undefined: y
php Error /p/a b.php 7 - Cannot redeclare f()";
    assert_eq!(shown(text), expected);
}

#[test]
fn cut_interleaved_coloured_and_huge_outputs() {
    let go = "shop/cart.go:16:6: declared and not used: é\n";
    let coloured = format!("\u{1b}[31m{}\u{1b}[0m\r\n", go.trim_end());
    assert_eq!(shown(&coloured), shown(go));
    // Another program's line in the middle of a message, and an end in the middle of one.
    let mixed = "error[E0308]: mismatched types\nprogress 5%\n --> src/lib.rs:4:5\nshop/cart.go:16:6: decl";
    assert_eq!(
        shown(mixed),
        "rustc Error src/lib.rs 4:5 Chars E0308 mismatched types\ngo Error shop/cart.go 16:6 Bytes - decl"
    );
    let many: String = (1..=5_000).map(|line| format!("a.go:{line}:1: undefined: x\n")).collect();
    let found = log(&many);
    assert_eq!((found.kept.len(), found.left_out), (ide_model::MAX_KEPT, 3_000));
    let long = format!("a.go:1:1: {}\n", "x".repeat(1 << 20));
    assert!(log(&long).kept[0].message.len() <= 4_000);
    assert!(log(&"\u{1b}[".repeat(100_000)).kept.is_empty());
}
