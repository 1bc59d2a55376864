//! Members that are asked for by names which a program puts together while it runs.

use crate::refactor::{delete, may_become, refuses, rename};

/// Whether renaming tells of a line, and of nothing where there is none.
#[track_caller]
fn tells(file: &str, text: &str, line: Option<u32>) {
    let warnings = rename(&format!("//- {file}\n{text}"), "other").refactored.warnings;
    match line {
        Some(line) => {
            let place = format!("{file}:{line}");
            assert!(
                warnings.iter().any(|w| w.contains("made while") && w.contains(&place)),
                "{text}\n{warnings:?}"
            );
        }
        None => assert!(!warnings.iter().any(|w| w.contains("made while")), "{text}\n{warnings:?}"),
    }
}

#[test]
fn php_asks_by_variables_and_texts() {
    let class = "<?php\nclass H { public function on<caret>Open() {} public static function x() {} public function m(string $n) { return {} } }\n";
    let inside = |code: &str| class.replacen("{} }", &format!("{code}; }}"), 1);
    let outside = |code: &str| class.to_owned() + code;
    for text in
        [inside("$this->$n()"), inside("$this->{'on' . ucfirst($n)}()"), inside("$this->{\"on$n\"}()")]
    {
        tells("a.php", &text.replace("return ;", "return 1;"), Some(2));
    }
    tells("a.php", &outside("function f(H $h, $n) { return $h->$n(); }\n"), Some(3));
    tells("a.php", &outside("function f($n) { $class = 'H'; return $class::$n(); }\n"), Some(3));
    tells("a.php", &outside("function f($n) { return H::$n(); }\n"), Some(3));
    // Another type, another beginning, a name that is written down, a static property.
    tells("a.php", &outside("class O {}\nfunction f(O $o, $n) { return $o->$n(); }\n"), None);
    tells("a.php", &inside("$this->{'get' . $n}()"), None);
    tells("a.php", &inside("$this->x()"), None);
    tells("a.php", &outside("class O { static $n; }\necho O::$n;\n"), None);
}

#[test]
fn classes_of_javascript_are_asked_by_keys() {
    let class = "export class K { a<caret>x() {} bx() {} }\n";
    let outside = |code: &str| class.to_owned() + code;
    tells("a.js", &outside("export function f(k) { const o = new K(); return o[k + 'x'](); }\n"), Some(2));
    tells("a.js", &outside("export function f(k) { const o = new K(); return o[k](); }\n"), Some(2));
    tells("a.js", &outside("export function f(o, k) { return o[`${k}x`]; }\n"), Some(2));
    tells("a.js", &outside("export function f(k) { const o = new K(); return o[k + 'y'](); }\n"), None);
    tells("a.js", &outside("export function f(o, k) { return o[k]; }\n"), None);
    tells("a.js", &outside("export function f(k) { const o = [1]; return o[k + 'x']; }\n"), None);
}

#[test]
fn attributes_of_python_are_read_by_their_beginning() {
    let class = "class H:\n    def on_<caret>open(self): return 1\n";
    let outside = |code: &str| class.to_owned() + code;
    tells("a.py", &outside("def f(h, n): return getattr(h, 'on_' + n)()\n"), Some(3));
    tells("a.py", &outside("def f(h, n): return getattr(h, f'on_{n}')()\n"), Some(3));
    tells("a.py", &outside("def f(h: H, n): return getattr(h, n)()\n"), Some(3));
    tells("a.py", &outside("def f(h, n): return getattr(h, 'get_' + n)()\n"), None);
    tells("a.py", &outside("def f(h, n): return getattr(h, n)()\n"), None);
    tells("a.py", &outside("class O: pass\ndef f(h: O, n): return getattr(h, 'on_' + n)()\n"), None);
}

#[test]
fn a_member_stays_whose_name_may_be_made() {
    let doubtful = |text: &str| delete(text).conflicts.contains(&"unresolved_use");
    let class = |name: &str| {
        format!(
            "//- a.py\nclass H:\n    def <caret>{name}(self):\n        return 1\n\n    def go(self, n): return getattr(self, 'on_' + n)()\n"
        )
    };
    assert!(doubtful(&class("on_open")));
    assert!(!doubtful(&class("other")));
    let class = |name: &str| {
        format!(
            "//- a.php\n<?php\nclass H {{\n  public function <caret>{name}() {{}}\n  public function go($n) {{ return $this->{{'on' . $n}}(); }}\n}}\n"
        )
    };
    assert!(doubtful(&class("onOpen")));
    assert!(!doubtful(&class("other")));
}

#[test]
fn keys_that_a_type_makes_stay() {
    let types = "interface Ev { opened: number; closed: number }\ntype Name<K extends string> = `on${Capitalize<K>}`;\ntype H = { [K in keyof Ev as Name<K>]?: (e: Ev[K]) => void };\n";
    let source = |code: &str| format!("//- a.ts\n{types}{code}\n");
    for code in [
        "export const h: H = { on<caret>Opened: () => {} };",
        "declare function f(h: H): void;\nf({ on<caret>Opened: () => {} });",
    ] {
        refuses(&source(code), "other", &["unresolved_use"]);
    }
    may_become(&source("export const h = { on<caret>Opened: () => {} };"), "other");
}

#[test]
fn texts_in_arguments_may_be_keys() {
    let source = |of: &str, keys: &str| {
        format!(
            "//- a.ts\ninterface C {{ min: number; m<caret>ax: number }}\ndeclare const c: C;\ndeclare function pick<T, const K extends {of}>(from: T, {keys}\n"
        )
    };
    for (of, keys) in [
        ("readonly (keyof T)[]", "...keys: K): void;\npick(c, \"max\");"),
        ("(keyof T)[]", "...keys: K): void;\npick(c, \"min\", \"max\");"),
        ("keyof T", "keys: K[]): void;\npick(c, [\"min\", \"max\"]);"),
    ] {
        refuses(&source(of, keys), "top", &["unresolved_use"]);
    }
    may_become(&source("(keyof T)[]", "...keys: K): void;\npick(c, \"min\");"), "top");
    may_become(&source("string[]", "...keys: K): void;\npick(c, \"max\");"), "top");
}
