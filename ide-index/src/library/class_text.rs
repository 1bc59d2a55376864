//! The declarations of compiled classes as a person reads them: Java without bodies.

use super::classfile::{
    ABSTRACT, ANNOTATION, Class, ClassFileError, ENUM, FINAL, INTERFACE, Member, NATIVE, PRIVATE, PROTECTED,
    PUBLIC, STATIC, VARARGS, read_classes,
};
use super::signature::primitive;

/// Types nested deeper than this are cut: no compiler writes such.
const MAX_DEPTH: usize = 64;

/// The declarations of a top-level class, the first of the given class files, and of its nested classes, the others.
///
/// # Errors
/// When the first class cannot be read; nested ones that cannot are left out.
pub fn class_text(classes: &[&[u8]]) -> Result<String, ClassFileError> {
    let (top, nested) = read_classes(classes)?;
    let mut text = String::from("// The declarations of a compiled class; its source is not at hand.\n");
    if let Some((package, _)) = top.name.rsplit_once('/') {
        text.push_str(&format!("package {};\n", package.replace('/', ".")));
    }
    text.push('\n');
    let simple = top.name.rsplit('/').next().unwrap_or(&top.name);
    write_class(&top, simple, top.access, &nested, 0, &mut text);
    Ok(text)
}

fn write_class(class: &Class, simple: &str, access: u16, nested: &[Class], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    let kind = match () {
        () if access & ANNOTATION != 0 => "@interface",
        () if access & INTERFACE != 0 => "interface",
        () if access & ENUM != 0 => "enum",
        () if class.is_record => "record",
        () => "class",
    };
    let is_implied = |flag| match flag {
        ABSTRACT => access & INTERFACE != 0,
        FINAL => access & ENUM != 0 || class.is_record,
        STATIC => access & (INTERFACE | ENUM) != 0 || class.is_record,
        _ => false,
    };
    if class.is_deprecated {
        text.push_str(&format!("{indent}@Deprecated\n"));
    }
    let (parameters, supers) = class_head(class);
    text.push_str(&format!("{indent}{}{kind} {simple}{parameters}", modifiers(access, &is_implied)));
    let is_interface = access & INTERFACE != 0;
    let (extended, implemented) = match supers.split_first() {
        Some((_, rest)) if is_interface => (rest, &[][..]),
        Some((first, rest)) if is_plain(first, kind) => (&[][..], rest),
        Some((_, rest)) => (&supers[..1], rest),
        None => (&[][..], &[][..]),
    };
    for (word, types) in [("extends", extended), ("implements", implemented)] {
        let types: Vec<&str> = types
            .iter()
            .map(String::as_str)
            .filter(|ty| kind != "@interface" || *ty != "java.lang.annotation.Annotation")
            .collect();
        if !types.is_empty() {
            text.push_str(&format!(" {word} {}", types.join(", ")));
        }
    }
    text.push_str(" {\n");
    for field in class.fields.iter().filter(|field| field.is_seen()) {
        let ty = field_type(field.signature.as_deref().unwrap_or(&field.descriptor));
        deprecated(field, &indent, text);
        text.push_str(&format!("{indent}    {}{ty} {};\n", modifiers(field.access, &|_| false), field.name));
    }
    for method in class.methods.iter().filter(|method| method.is_seen() && method.name != "<clinit>") {
        deprecated(method, &indent, text);
        text.push_str(&format!("{indent}    {}\n", method_text(method, simple, is_interface)));
    }
    for (name, _, inner, access) in class.inner.iter().filter(|(_, outer, ..)| *outer == class.name) {
        let found = nested.iter().find(|nested| nested.name == *name);
        // Nesting is as deep as names are long, and no class holds itself.
        if let Some(found) = found.filter(|_| access & PRIVATE == 0 && depth < MAX_DEPTH) {
            text.push('\n');
            write_class(found, inner, *access, nested, depth + 1, text);
        }
    }
    text.push_str(&format!("{indent}}}\n"));
}

/// Whether a superclass is one that nobody writes.
fn is_plain(superclass: &str, kind: &str) -> bool {
    matches!(superclass, "java.lang.Object" | "java.lang.Record")
        || kind == "enum" && superclass.starts_with("java.lang.Enum")
}

fn deprecated(member: &Member, indent: &str, text: &mut String) {
    if member.is_deprecated {
        text.push_str(&format!("{indent}    @Deprecated\n"));
    }
}

fn modifiers(access: u16, is_implied: &dyn Fn(u16) -> bool) -> String {
    let words = [
        (PUBLIC, "public"),
        (PROTECTED, "protected"),
        (PRIVATE, "private"),
        (ABSTRACT, "abstract"),
        (STATIC, "static"),
        (FINAL, "final"),
    ];
    let shown = words.iter().filter(|(flag, _)| access & flag != 0 && !is_implied(*flag));
    shown.map(|(_, word)| format!("{word} ")).collect()
}

fn method_text(method: &Member, class: &str, of_interface: bool) -> String {
    let mut input = Signature { rest: method.signature.as_deref().unwrap_or(&method.descriptor) };
    let type_parameters = input.type_parameters();
    let mut parameters = Vec::new();
    if input.eat('(') {
        while !input.eat(')') && !input.rest.is_empty() {
            parameters.push(input.ty(0));
        }
    }
    let result = input.ty(0);
    if let (true, Some(last)) = (method.access & VARARGS != 0, parameters.last_mut())
        && let Some(item) = last.strip_suffix("[]")
    {
        *last = format!("{item}...");
    }
    let parameters: Vec<String> = parameters.iter().enumerate().map(|(n, ty)| format!("{ty} p{n}")).collect();
    let is_default = of_interface && method.access & (ABSTRACT | STATIC | PRIVATE) == 0;
    let mut text = modifiers(method.access, &|flag| flag == ABSTRACT && of_interface);
    text.push_str(if is_default { "default " } else { "" });
    text.push_str(if method.access & NATIVE != 0 { "native " } else { "" });
    if !type_parameters.is_empty() {
        text.push_str(&format!("{type_parameters} "));
    }
    match method.name.as_str() {
        "<init>" => text.push_str(class),
        name => text.push_str(&format!("{result} {name}")),
    }
    text.push_str(&format!("({})", parameters.join(", ")));
    if !method.throws.is_empty() {
        let thrown: Vec<String> = method.throws.iter().map(|name| dotted(name)).collect();
        text.push_str(&format!(" throws {}", thrown.join(", ")));
    }
    text + ";"
}

/// Type parameters and supertypes, the superclass first.
fn class_head(class: &Class) -> (String, Vec<String>) {
    match &class.signature {
        Some(signature) => {
            let mut input = Signature { rest: signature };
            let parameters = input.type_parameters();
            let mut supers = Vec::new();
            while !input.rest.is_empty() {
                supers.push(input.ty(0));
            }
            (parameters, supers)
        }
        None => {
            let names = class.superclass.iter().chain(&class.interfaces);
            (String::new(), names.map(|name| dotted(name)).collect())
        }
    }
}

fn field_type(signature: &str) -> String {
    Signature { rest: signature }.ty(0)
}

fn dotted(name: &str) -> String {
    name.replace(['/', '$'], ".")
}

/// A signature that is read from its front. One that is damaged gives some text and an end.
struct Signature<'s> {
    rest: &'s str,
}

impl<'s> Signature<'s> {
    fn eat(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// The text up to one of some characters, which stay.
    fn until(&mut self, ends: &[char]) -> &'s str {
        let (text, rest) = self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        self.rest = rest;
        text
    }

    /// `<K extends A & B, V>`, empty where there are none.
    fn type_parameters(&mut self) -> String {
        if !self.eat('<') {
            return String::new();
        }
        let mut parameters = Vec::new();
        while !self.eat('>') && !self.rest.is_empty() {
            let name = self.until(&[':']).to_owned();
            let mut bounds = Vec::new();
            while self.eat(':') {
                if !self.rest.starts_with([':', '>']) {
                    bounds.push(self.ty(0));
                }
            }
            bounds.retain(|bound| bound != "java.lang.Object");
            let bounds = bounds.join(" & ");
            parameters.push(if bounds.is_empty() { name } else { format!("{name} extends {bounds}") });
        }
        format!("<{}>", parameters.join(", "))
    }

    fn ty(&mut self, depth: usize) -> String {
        let Some(c) = self.rest.chars().next() else { return String::new() };
        self.rest = &self.rest[c.len_utf8()..];
        if depth > MAX_DEPTH {
            self.rest = "";
            return "?".to_owned();
        }
        match c {
            '[' => self.ty(depth + 1) + "[]",
            'T' => {
                let name = self.until(&[';']).to_owned();
                self.eat(';');
                name
            }
            'L' => self.class(depth),
            _ => primitive(c).map_or_else(
                || {
                    self.rest = "";
                    "?".to_owned()
                },
                str::to_owned,
            ),
        }
    }

    /// The class behind an `L`.
    fn class(&mut self, depth: usize) -> String {
        let mut text = dotted(self.until(&['<', ';', '.']));
        loop {
            if self.eat('<') {
                let mut arguments = Vec::new();
                while !self.eat('>') && !self.rest.is_empty() {
                    arguments.push(if self.eat('*') {
                        "?".to_owned()
                    } else if self.eat('+') {
                        format!("? extends {}", self.ty(depth + 1))
                    } else if self.eat('-') {
                        format!("? super {}", self.ty(depth + 1))
                    } else {
                        self.ty(depth + 1)
                    });
                }
                text.push_str(&format!("<{}>", arguments.join(", ")));
            } else if self.eat('.') {
                text.push_str(&format!(".{}", dotted(self.until(&['<', ';', '.']))));
            } else {
                self.eat(';');
                return text;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read_as_they_are_written() {
        let of = |signature| Signature { rest: signature }.ty(0);
        assert_eq!(of("[[I"), "int[][]");
        assert_eq!(
            of("Ljava/util/Map<TK;+Ljava/lang/Number;>.Entry<*-TV;>;"),
            "java.util.Map<K, ? extends java.lang.Number>.Entry<?, ? super V>"
        );
        assert_eq!(
            Signature { rest: "<K:Ljava/lang/Object;V::Ljava/lang/Comparable<TV;>;>Z" }.type_parameters(),
            "<K, V extends java.lang.Comparable<V>>"
        );
        for damaged in ["", "L", "Lx<", "[", "(", "T", "<", "Lx<+", "<K"] {
            of(damaged);
            Signature { rest: damaged }.type_parameters();
        }
        let method = |access, name: &str, descriptor: &str| Member {
            access,
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            ..Member::default()
        };
        let varargs = method(PUBLIC | STATIC | VARARGS, "of", "(I[Ljava/lang/String;)V");
        assert_eq!(
            method_text(&varargs, "A", false),
            "public static void of(int p0, java.lang.String... p1);"
        );
        assert_eq!(method_text(&method(PROTECTED, "<init>", "()V"), "A", false), "protected A();");
        assert_eq!(method_text(&method(PUBLIC, "size", "()I"), "A", true), "public default int size();");
        assert_eq!(method_text(&method(PUBLIC | ABSTRACT, "size", "()I"), "A", true), "public int size();");
    }
}
