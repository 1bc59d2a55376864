//! Configuration that names classes follows them, or keeps them.

use ide_model::Refactoring;

use crate::moves::moves;
use crate::refactor::{change, renames};

const SERVICE: &str = "//- src/main/java/a/Spi.java\npackage a;\npublic interface Spi {}\n\
    //- src/main/java/a/Impl.java\npackage a;\npublic class Im<caret>pl implements Spi { public static class Part {} }\n\
    //- src/main/java/d/D.java\npackage d;\nclass D {}\n\
    //- src/main/resources/META-INF/services/a.Spi\n# the one\na.Impl # of a.Implement\nb.a.Impl\na.Impl$Part\n\
    //- src/main/resources/META-INF/spring.factories\na.Spi=\\\\\na.Impl,\\\\\nx.Y\n\
    //- src/main/webapp/WEB-INF/web.xml\n<web-app><servlet-class>a.Impl</servlet-class></web-app>\n";

#[test]
fn renamed_classes_are_renamed_in_configuration() {
    renames(
        SERVICE,
        "Impl2",
        &[
            (
                "src/main/java/a/Impl2.java",
                "package a;\npublic class Impl2 implements Spi { public static class Part {} }\n",
            ),
            (
                "src/main/resources/META-INF/services/a.Spi",
                "# the one\na.Impl2 # of a.Implement\nb.a.Impl\na.Impl2$Part\n",
            ),
            ("src/main/resources/META-INF/spring.factories", "a.Spi=\\\\\na.Impl2,\\\\\nx.Y\n"),
            (
                "src/main/webapp/WEB-INF/web.xml",
                "<web-app><servlet-class>a.Impl2</servlet-class></web-app>\n",
            ),
        ],
    );
}

#[test]
fn a_list_of_services_is_called_like_its_interface() {
    let source = SERVICE.replace("Im<caret>pl", "Impl").replace("interface Spi", "interface Sp<caret>i");
    renames(
        &source,
        "Port",
        &[
            ("src/main/java/a/Port.java", "package a;\npublic interface Port {}\n"),
            (
                "src/main/java/a/Impl.java",
                "package a;\npublic class Impl implements Port { public static class Part {} }\n",
            ),
            (
                "src/main/resources/META-INF/services/a.Port",
                "# the one\na.Impl # of a.Implement\nb.a.Impl\na.Impl$Part\n",
            ),
            ("src/main/resources/META-INF/spring.factories", "a.Port=\\\\\na.Impl,\\\\\nx.Y\n"),
        ],
    );
}

#[test]
fn moved_classes_are_named_anew_in_configuration() {
    moves(
        &SERVICE.replace("<caret>", ""),
        "src/main/java/a/Impl.java",
        "src/main/java/d/Impl.java",
        &[
            (
                "src/main/java/d/Impl.java",
                "package d;\n\nimport a.Spi;\n\npublic class Impl implements Spi { public static class Part {} }\n",
            ),
            (
                "src/main/resources/META-INF/services/a.Spi",
                "# the one\nd.Impl # of a.Implement\nb.a.Impl\nd.Impl$Part\n",
            ),
            ("src/main/resources/META-INF/spring.factories", "a.Spi=\\\\\nd.Impl,\\\\\nx.Y\n"),
            ("src/main/webapp/WEB-INF/web.xml", "<web-app><servlet-class>d.Impl</servlet-class></web-app>\n"),
        ],
    );
}

#[test]
fn what_configuration_names_is_in_use() {
    let outcome = change(SERVICE, |symbol, plan| plan(&Refactoring::SafeDelete { symbol, in_spite: false }));
    assert_eq!(outcome.conflicts, ["in_use"]);
    assert_eq!(outcome.refactored.conflicts.len(), 4, "{:#?}", outcome.refactored.conflicts);
}

#[test]
fn manifests_name_classes_below_their_package() {
    let manifest =
        |name: &str| format!("<manifest package=\"p.q\"><activity android:name=\"{name}\"/></manifest>\n");
    renames(
        &format!(
            "//- app/src/main/java/p/q/ui/Main.kt\npackage p.q.ui\nclass Ma<caret>in\n//- app/src/main/AndroidManifest.xml\n{}",
            manifest(".ui.Main")
        ),
        "Start",
        &[
            ("app/src/main/java/p/q/ui/Main.kt", "package p.q.ui\nclass Start\n"),
            ("app/src/main/AndroidManifest.xml", &manifest(".ui.Start")),
        ],
    );
}

#[test]
fn classes_that_are_loaded_by_name_follow_or_are_in_use() {
    let java = "package d;\nclass D {\n  // Class.forName(\"a.Impl\")\n  Object o() throws Exception { return Class.forName(\"a.Impl\").getDeclaredConstructor().newInstance(); }\n  Object p(ClassLoader l) throws Exception { return l.loadClass( \"a.Impl$Part\" ); }\n  String s = \"a.Impl\" + Class.forName(\"b.a.Impl\");\n}\n";
    let kotlin = "package d\nval k = Class.forName(\"a.Impl\\$Part\")\n";
    let source = format!(
        "//- a/Impl.java\npackage a;\npublic class Im<caret>pl {{ public static class Part {{}} }}\n//- d/D.java\n{java}//- d/k.kt\n{kotlin}"
    );
    let (renamed_java, renamed_kotlin) = (
        java.replace("return Class.forName(\"a.Impl\")", "return Class.forName(\"a.Impl2\")")
            .replace("a.Impl$Part", "a.Impl2$Part"),
        kotlin.replace("a.Impl", "a.Impl2"),
    );
    renames(
        &source,
        "Impl2",
        &[
            ("a/Impl2.java", "package a;\npublic class Impl2 { public static class Part {} }\n"),
            ("d/D.java", &renamed_java),
            ("d/k.kt", &renamed_kotlin),
        ],
    );
    let moved = |text: &str| text.replace("a.Impl2", "d.Impl");
    moves(
        &source.replace("<caret>", ""),
        "a/Impl.java",
        "d/Impl.java",
        &[
            ("d/Impl.java", "package d;\npublic class Impl { public static class Part {} }\n"),
            ("d/D.java", &moved(&renamed_java)),
            ("d/k.kt", &moved(&renamed_kotlin)),
        ],
    );
    let outcome = change(&source, |symbol, plan| plan(&Refactoring::SafeDelete { symbol, in_spite: false }));
    assert_eq!(outcome.refactored.conflicts.len(), 3, "{:#?}", outcome.refactored.conflicts);
}
