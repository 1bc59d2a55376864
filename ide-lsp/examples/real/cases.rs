//! One small project for each server.

/// A project, and places of it as `file:text` or `file:text@n`.
pub(crate) struct Case {
    pub(crate) server: &'static str,
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// A call of a function that is declared in another file.
    pub(crate) usage: &'static str,
    /// A type that another one extends.
    pub(crate) base: &'static str,
    pub(crate) derived: &'static str,
    /// A text behind which a member is completed, and its name.
    pub(crate) completion: (&'static str, &'static str),
    /// A file, and what is wrong behind its end.
    pub(crate) broken: (&'static str, &'static str),
    /// Questions that the server does not answer.
    pub(crate) lacks: &'static [&'static str],
}

pub(crate) const CASES: &[Case] = &[
    Case {
        server: "pyright",
        files: &[
            (
                "shapes.py",
                "class Shape:\n    def area(self) -> int:\n        return 0\n\n\nclass Square(Shape):\n    def area(self) -> int:\n        return 4\n\n\ndef measure(shape: Shape) -> int:\n    return shape.area()\n",
            ),
            (
                "main.py",
                "from shapes import Square, measure\n\n\ndef run() -> int:\n    return measure(Square()) + measure(Square())\n",
            ),
        ],
        usage: "main.py:measure@1",
        base: "shapes.py:Shape",
        derived: "shapes.py:Square",
        completion: ("shapes.py:shape.", "area"),
        broken: ("main.py", "\nwrong: int = run(1)\n"),
        lacks: &["implementations", "subtypes", "supertypes", "format"],
    },
    Case {
        server: "typescript-language-server",
        files: &[
            (
                "tsconfig.json",
                "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"module\": \"es2022\", \"moduleResolution\": \"bundler\"}, \"include\": [\"*.ts\"]}\n",
            ),
            (
                "shapes.ts",
                "export interface Shape {\n  area(): number;\n}\n\nexport class Square implements Shape {\n  area(): number {\n    return 4;\n  }\n}\n\nexport function measure(shape: Shape): number {\n  return shape.area();\n}\n",
            ),
            (
                "main.ts",
                "import { Square, measure } from \"./shapes\";\n\nexport function run(): number {\n  return measure(new Square()) + measure(new Square());\n}\n",
            ),
        ],
        usage: "main.ts:measure@1",
        base: "shapes.ts:Shape",
        derived: "shapes.ts:Square",
        completion: ("shapes.ts:shape.", "area"),
        broken: ("main.ts", "const wrong: string = run();\n"),
        lacks: &["subtypes", "supertypes"],
    },
    Case {
        server: "gopls",
        files: &[
            ("go.mod", "module example.com/shapes\n\ngo 1.21\n"),
            (
                "shapes.go",
                "package shapes\n\ntype Shape interface {\n\tArea() int\n}\n\ntype Square struct{}\n\nfunc (Square) Area() int {\n\treturn 4\n}\n\nfunc Measure(shape Shape) int {\n\treturn shape.Area()\n}\n",
            ),
            (
                "main.go",
                "package shapes\n\nfunc Run() int {\n\treturn Measure(Square{}) + Measure(Square{})\n}\n",
            ),
        ],
        usage: "main.go:Measure",
        base: "shapes.go:Shape",
        derived: "shapes.go:Square",
        completion: ("shapes.go:shape.", "Area"),
        broken: ("main.go", "\nvar wrong string = Run()\n"),
        lacks: &[],
    },
    Case {
        server: "rust-analyzer",
        files: &[
            (
                "Cargo.toml",
                "[package]\nname = \"shapes\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
            ),
            (
                "src/lib.rs",
                "pub mod main_like;\n\npub trait Shape {\n    fn area(&self) -> u32;\n}\n\npub struct Square;\n\nimpl Shape for Square {\n    fn area(&self) -> u32 {\n        4\n    }\n}\n\npub fn measure(shape: &dyn Shape) -> u32 {\n    shape.area()\n}\n",
            ),
            (
                "src/main_like.rs",
                "use crate::{measure, Square};\n\npub fn run() -> u32 {\n    measure(&Square) + measure(&Square)\n}\n",
            ),
        ],
        usage: "src/main_like.rs:measure@1",
        base: "src/lib.rs:Shape",
        derived: "src/lib.rs:Square",
        completion: ("src/lib.rs:shape.", "area"),
        broken: ("src/main_like.rs", "\npub fn wrong() -> u32 {\n    missing()\n"),
        lacks: &["subtypes", "supertypes"],
    },
    Case {
        server: "jdtls",
        files: &[
            (
                "pom.xml",
                "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n  <groupId>example</groupId>\n  <artifactId>shapes</artifactId>\n  <version>1</version>\n</project>\n",
            ),
            (
                "src/main/java/shapes/Shape.java",
                "package shapes;\n\npublic interface Shape {\n    int area();\n}\n",
            ),
            (
                "src/main/java/shapes/Square.java",
                "package shapes;\n\npublic class Square implements Shape {\n    public int area() {\n        return 4;\n    }\n\n    public static int measure(Shape shape) {\n        return shape.area();\n    }\n}\n",
            ),
            (
                "src/main/java/shapes/Main.java",
                "package shapes;\n\npublic class Main {\n    public static int run() {\n        return Square.measure(new Square()) + Square.measure(new Square());\n    }\n}\n",
            ),
        ],
        usage: "src/main/java/shapes/Main.java:measure",
        base: "src/main/java/shapes/Shape.java:Shape",
        derived: "src/main/java/shapes/Square.java:Square",
        completion: ("src/main/java/shapes/Square.java:shape.", "area"),
        broken: ("src/main/java/shapes/Main.java", "class Wrong { String wrong = Main.run(); }\n"),
        lacks: &["subtypes", "supertypes"],
    },
    Case {
        server: "intelephense",
        files: &[
            ("composer.json", "{\"autoload\": {\"psr-4\": {\"Shapes\\\\\": \"src/\"}}}\n"),
            (
                "src/Shape.php",
                "<?php\n\nnamespace Shapes;\n\ninterface Shape\n{\n    public function area(): int;\n}\n",
            ),
            (
                "src/Square.php",
                "<?php\n\nnamespace Shapes;\n\nclass Square implements Shape\n{\n    public function area(): int\n    {\n        return 4;\n    }\n\n    public static function measure(Shape $shape): int\n    {\n        return $shape->area();\n    }\n}\n",
            ),
            (
                "src/Main.php",
                "<?php\n\nnamespace Shapes;\n\nclass Main\n{\n    public static function run(): int\n    {\n        return Square::measure(new Square()) + Square::measure(new Square());\n    }\n}\n",
            ),
        ],
        usage: "src/Main.php:measure",
        base: "src/Shape.php:Shape@1",
        derived: "src/Square.php:Square",
        completion: ("src/Square.php:$shape->", "area"),
        broken: ("src/Main.php", "\nfunction wrong() { return missing(); \n"),
        // Its paid edition has them.
        lacks: &["implementations", "subtypes", "supertypes", "calls", "rename", "fixes"],
    },
];
