//! Class files as the Kotlin compiler writes them, made here byte by byte.

use std::sync::Arc;

use ide_model::Language;

use super::super::classfile::{class_facts, read_classes};
use super::super::{ClassEntry, ClassLibrary, ClassOrigin, ClassSource, LazyLibrary, Library};
use super::*;
use crate::facts::{RefId, Role};
use crate::query::Resolvers;
use crate::resolve::Target;
use crate::world::MemoryWorld;

/// A message, field by field.
#[derive(Clone, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn int(mut self, field: u32, value: u32) -> Self {
        self.varint(u64::from(field << 3));
        self.varint(u64::from(value));
        self
    }

    fn put(mut self, field: u32, inner: Self) -> Self {
        self.varint(u64::from(field << 3 | 2));
        self.varint(inner.0.len() as u64);
        self.0.extend(inner.0);
        self
    }
}

/// The texts of a class file, by number.
#[derive(Default)]
struct Texts(Vec<String>);

impl Texts {
    fn id(&mut self, text: &str) -> u32 {
        let at = self.0.iter().position(|known| known == text);
        at.unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        }) as u32
    }

    /// The type of a class with type arguments.
    fn ty(&mut self, class: &str, args: &[Message]) -> Message {
        let argument = |ty: Message, arg: &Message| ty.put(2, Message::default().put(2, arg.clone()));
        args.iter().fold(Message::default(), argument).int(6, self.id(class))
    }

    fn param(&mut self, name: &str, ty: Message, flags: u32) -> Message {
        Message::default().int(1, flags).int(2, self.id(name)).put(3, ty)
    }

    /// `suspend Receiver.() -> Unit`.
    fn block(&mut self, receiver: Message) -> Message {
        let unit = self.ty("kotlin/Unit", &[]);
        let (continuation, any) =
            (self.ty("kotlin/coroutines/Continuation", &[unit]), self.ty("kotlin/Any", &[]));
        let function = self.ty("kotlin/Function2", &[receiver, continuation, any]);
        let extension = Message::default().int(1, self.id("kotlin/ExtensionFunctionType"));
        function.int(1, 1).put(100, extension)
    }
}

/// The content of a class file beside the metadata: methods with the names of annotations that take no arguments.
type Methods<'m> = &'m [(&'m str, &'m str, Option<&'m str>)];

#[derive(Default)]
struct ClassWriter {
    pool: Vec<u8>,
    constants: u16,
}

impl ClassWriter {
    fn constant(&mut self, tag: u8, bytes: &[u8]) -> [u8; 2] {
        self.pool.push(tag);
        self.pool.extend(bytes);
        self.constants += 1;
        self.constants.to_be_bytes()
    }

    /// Text of which each character is kept in one or two bytes.
    fn text(&mut self, text: impl IntoIterator<Item = u8>) -> [u8; 2] {
        let mut bytes = Vec::new();
        for unit in text {
            match unit {
                1..=0x7f => bytes.push(unit),
                _ => bytes.extend([0xc0 | unit >> 6, 0x80 | unit & 0x3f]),
            }
        }
        let len = (bytes.len() as u16).to_be_bytes();
        self.constant(1, &[&len[..], &bytes].concat())
    }

    fn class(&mut self, name: &str) -> [u8; 2] {
        let name = self.text(name.bytes());
        self.constant(7, &name)
    }

    fn texts(&mut self, name: &str, texts: Vec<Vec<u8>>) -> Vec<u8> {
        let mut bytes = self.text(name.bytes()).to_vec();
        bytes.push(b'[');
        bytes.extend((texts.len() as u16).to_be_bytes());
        for text in texts {
            bytes.push(b's');
            bytes.extend(self.text(text));
        }
        bytes
    }

    fn annotation(&mut self, class: &str, count: u8, elements: &[u8]) -> Vec<u8> {
        let name = self.text("RuntimeVisibleAnnotations".bytes());
        let class = self.text(class.bytes());
        let body = [&[0, 1][..], &class, &[0, count], elements].concat();
        [&[0, 1][..], &name, &(body.len() as u32).to_be_bytes(), &body].concat()
    }
}

fn class_file(name: &str, kind: u32, message: &[u8], d2: &Texts, methods: Methods<'_>) -> Vec<u8> {
    let mut w = ClassWriter::default();
    let (this, object) = (w.class(name), w.class("java/lang/Object"));
    let mut body = [&[0, 1][..], &this, &object, &[0, 0, 0, 0]].concat();
    body.extend((methods.len() as u16).to_be_bytes());
    for (method, descriptor, annotation) in methods {
        let (method, descriptor) = (w.text(method.bytes()), w.text(descriptor.bytes()));
        body.extend([&[0, 9][..], &method, &descriptor].concat());
        match annotation {
            Some(level @ "HIDDEN") => {
                let (element, class) = (w.text("level".bytes()), w.text("Lkotlin/DeprecationLevel;".bytes()));
                let level = w.text(level.bytes());
                let level = [&element[..], b"e", &class, &level].concat();
                body.extend(w.annotation("Lkotlin/Deprecated;", 1, &level));
            }
            Some(class) => body.extend(w.annotation(class, 0, &[])),
            None => body.extend([0, 0]),
        }
    }
    let number = w.constant(3, &kind.to_be_bytes());
    let mut elements = w.text("k".bytes()).to_vec();
    elements.push(b'I');
    elements.extend(number);
    let d1 = std::iter::once(0).chain(message.iter().copied()).collect();
    elements.extend(w.texts("d1", vec![d1]));
    elements.extend(w.texts("d2", d2.0.iter().map(|text| text.bytes().collect()).collect()));
    body.extend(w.annotation("Lkotlin/Metadata;", 3, &elements));
    let head = [&0xCAFE_BABE_u32.to_be_bytes()[..], &[0, 0, 0, 61], &(w.constants + 1).to_be_bytes()];
    [&head.concat()[..], &w.pool, &body].concat()
}

/// The message behind the table of texts, which are all the file's own.
fn with_texts(message: Message, texts: &Texts) -> Vec<u8> {
    let records = Message::default().put(1, Message::default().int(1, texts.0.len() as u32));
    let mut bytes = Message::default();
    bytes.varint(records.0.len() as u64);
    [bytes.0, records.0, message.0].concat()
}

const PUBLIC: u32 = 6;
const ABSTRACT: u32 = 2 << 4;

/// `fun interface Scope<in T>` with a companion.
fn scope_class() -> [Vec<u8>; 2] {
    let mut t = Texts::default();
    let param = Message::default().int(1, 0).int(2, t.id("T")).int(4, 0);
    let of_param = Message::default().int(7, 0);
    let emit = Message::default()
        .int(9, PUBLIC | ABSTRACT | 1 << 13)
        .int(2, t.id("emit"))
        .put(3, t.ty("kotlin/Unit", &[]))
        .put(6, t.param("value", of_param, 0));
    let size = Message::default()
        .int(11, PUBLIC | 1 << 8 | 1 << 9 | 1 << 10)
        .int(2, t.id("size"))
        .put(3, t.ty("kotlin/Int", &[]).int(3, 1));
    let own = Message::default().int(9, 0).int(2, t.id("ofModule")).put(3, t.ty("kotlin/Unit", &[]));
    let class = Message::default()
        .int(1, PUBLIC | ABSTRACT | 1 << 6 | 1 << 14)
        .int(3, t.id("p/Scope"))
        .int(4, t.id("Companion"))
        .put(5, param)
        .put(9, emit)
        .put(9, own)
        .put(10, size);
    let top = class_file("p/Scope", CLASS, &with_texts(class, &t), &t, &[]);
    let mut t = Texts::default();
    let any = t.ty("kotlin/Any", &[]);
    let make = Message::default().int(9, PUBLIC).int(2, t.id("in")).put(3, t.ty("p/Scope", &[any]));
    let companion = Message::default().int(1, PUBLIC | 6 << 6).int(3, t.id("p/Scope.Companion")).put(9, make);
    let methods: Methods<'_> = &[("in", "()Lp/Scope;", Some("Lkotlin/jvm/JvmStatic;"))];
    let companion = class_file("p/Scope$Companion", CLASS, &with_texts(companion, &t), &t, methods);
    [top, companion]
}

/// A file with functions and a type alias; its class is called after nothing that is in it.
fn facade() -> Vec<u8> {
    let mut t = Texts::default();
    let scope = |t: &mut Texts| {
        let string = t.ty("kotlin/String", &[]);
        t.ty("p/Scope", &[string])
    };
    let receiver = scope(&mut t);
    let launch = Message::default()
        .int(9, PUBLIC)
        .int(2, t.id("launch"))
        .put(3, t.ty("kotlin/Unit", &[]))
        .put(5, receiver.clone());
    let (count, block) = (t.ty("kotlin/Int", &[]), t.block(receiver.clone()));
    let (count, block) = (t.param("count", count, 2), t.param("block", block, 0));
    let launch = launch.put(6, count).put(6, block);
    let gone = Message::default().int(9, PUBLIC).int(2, t.id("gone")).put(3, t.ty("kotlin/Unit", &[]));
    let element = t.ty("kotlin/Int", &[]);
    let numbers = Message::default().int(2, t.id("numbers")).put(4, element);
    let sum =
        Message::default().int(9, PUBLIC).int(2, t.id("sum")).put(3, t.ty("kotlin/Int", &[])).put(6, numbers);
    let alias = Message::default().int(2, t.id("Texts")).put(6, receiver);
    let file = Message::default().put(3, launch).put(3, gone).put(3, sum).put(5, alias);
    let methods: Methods<'_> = &[("gone", "()V", Some("HIDDEN")), ("sum", "([I)I", None)];
    class_file("p/Building", metadata::FILE, &with_texts(file, &t), &t, methods)
}

const SCOPE: &str = "\
package p

fun interface Scope<in T> {
    suspend fun emit(value: T): kotlin.Unit
    var size: kotlin.Int? get() = TODO()
    companion object Companion {
        @JvmStatic fun `in`(): p.Scope<kotlin.Any> {}
    }
}
";

const BUILDING: &str = "\
@file:JvmName(\"Building\")

package p

fun p.Scope<kotlin.String>.launch(count: kotlin.Int = TODO(), block: suspend p.Scope<kotlin.String>.() -> kotlin.Unit): kotlin.Unit {}
fun sum(vararg numbers: kotlin.Int): kotlin.Int {}
typealias Texts = p.Scope<kotlin.String>
";

fn text_of(classes: &[Vec<u8>]) -> Option<String> {
    let classes: Vec<&[u8]> = classes.iter().map(Vec::as_slice).collect();
    let (top, rest) = read_classes(&classes).ok()?;
    class_text(&top, &rest).or_else(|| facade_text(&top, &rest))
}

#[test]
fn classes_and_files_are_written_as_they_were() {
    assert_eq!(text_of(&scope_class()).as_deref(), Some(SCOPE));
    assert_eq!(text_of(&[facade()]).as_deref(), Some(BUILDING));
    for text in [SCOPE, BUILDING] {
        assert_eq!(facts(text).errors, []);
    }
}

#[test]
fn damage_makes_less_of_a_class_and_never_panics() {
    let whole: Vec<Vec<u8>> = scope_class().into_iter().chain([facade()]).collect();
    for bytes in &whole {
        for len in 0..bytes.len() {
            drop(text_of(&[bytes[..len].to_vec()]));
        }
        for at in 0..bytes.len() {
            for change in [0x01, 0x55, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= change;
                drop(text_of(&[damaged]).map(|text| facts(&text)));
            }
        }
    }
}

#[test]
fn types_that_hold_each_other_come_to_an_end() {
    // Both arguments of the only type of the table are that type.
    let mut t = Texts::default();
    let itself = Message::default().int(3, 0);
    let ty = Message::default().put(2, itself.clone()).put(2, itself).int(6, t.id("a/B"));
    let alias = Message::default().int(2, t.id("A")).int(7, 0);
    let file = Message::default().put(5, alias).put(30, Message::default().put(1, ty));
    let text = text_of(&[class_file("p/AKt", metadata::FILE, &with_texts(file, &t), &t, &[])]);
    assert!(text.is_some_and(|text| text.contains("typealias A = a.B<a.B<")));
}

struct Bytes(Vec<Vec<u8>>);

impl ClassSource for Bytes {
    fn bytes(&self, parts: &[u32]) -> Result<Vec<Vec<u8>>, String> {
        Ok(parts.iter().map(|part| self.0[*part as usize].clone()).collect())
    }
}

fn library() -> Arc<LazyLibrary> {
    Arc::new(LazyLibrary::new(|| {
        let [scope, companion] = scope_class();
        let entry = |origin, name: &str, parts: &[u32]| ClassEntry {
            origin,
            package: "p".to_owned(),
            name: name.to_owned(),
            path: format!("jar:///a.jar!/p/{name}.class"),
            parts: parts.to_vec(),
        };
        let of_files = ClassOrigin::Facade { package: "p".to_owned(), parts: Vec::new() };
        let int = entry(ClassOrigin::Either, "Int", &[0]);
        let int = ClassEntry {
            package: "kotlin".to_owned(),
            path: "jar:///a.jar!/kotlin/Int.class".to_owned(),
            ..int
        };
        let scope_entry = entry(ClassOrigin::Either, "Scope", &[0, 1]);
        let entries = vec![int, scope_entry, entry(of_files, "Building", &[2])];
        ClassLibrary::new(entries, Box::new(Bytes(vec![scope, companion, facade()])))
    }))
}

/// The language and the name of what each name in a file means that a library declares.
fn meanings(path: &str, text: &str) -> Vec<(String, Option<Language>)> {
    let world = Arc::new(MemoryWorld::new([(path.to_owned(), text.to_owned())], crate::lang::front_end));
    let pool = Resolvers::with_libraries(world, [library() as Arc<dyn Library>]);
    pool.with(|rx| {
        let file = rx.file(crate::world::FileId(0));
        let all = (0..file.refs.len() as u32).map(RefId);
        let named = all.filter(|id| !matches!(file.reference(*id).role, Role::Import | Role::Package));
        let of_library = named.filter_map(|id| {
            let def = match rx.resolve(file.global_ref(id)).resolution.targets.first()? {
                Target::Def(def) => *def,
                _ => return None,
            };
            let entry = rx.world().file(def.file);
            let is_jar = entry.path.as_str().starts_with("jar:");
            is_jar.then(|| (rx.def_name(def).to_owned(), entry.language))
        });
        of_library.collect()
    })
}

#[test]
fn kotlin_finds_functions_by_package_and_sees_its_own_classes() {
    let text = "package q\nimport p.*\nfun f(s: Scope<String>) {\n  s.launch { emit(\"\"); size }\n  sum(1)\n  Scope.`in`()\n  gone()\n}\nval t: Texts? = null\n";
    let found = meanings("F.kt", text);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Scope", "launch", "emit", "size", "sum", "Companion", "in", "Texts"]);
    assert!(found.iter().all(|(_, language)| *language == Some(Language::Kotlin)), "{found:?}");
}

#[test]
fn java_sees_static_methods_of_classes() {
    let text = "package q;\nimport p.*;\nclass C { void f() { Building.sum(1); Scope s; } }\n";
    let found = meanings("C.java", text);
    let java = |name: &str| (name.to_owned(), Some(Language::Java));
    assert_eq!(found, [java("Building"), java("sum"), java("Scope")]);
    let facade = facade();
    assert_eq!(class_facts(&[&facade]).map(|facts| facts.language), Ok(Language::Java));
}

#[test]
fn a_search_finds_each_name_as_it_was_written() {
    let library = library();
    let mut found: Vec<(String, Option<Language>)> = Vec::new();
    for name in ["Scope", "launch"] {
        for site in library.search(&mut |other| other == name) {
            let facts = library.facts(site.file);
            found.push((facts.def_name(site.def).to_owned(), library.file(site.file).language));
        }
    }
    let kotlin = |name: &str| (name.to_owned(), Some(Language::Kotlin));
    assert_eq!(found, [kotlin("Scope"), kotlin("launch")]);
    let at = library.find("jar:///a.jar!/p/Scope.class").unwrap();
    assert_eq!(library.text(at).as_deref(), Ok(SCOPE));
    let java = library.seen_by(at, Language::Java).unwrap();
    assert_eq!(
        (library.file(java).language, library.seen_by(java, Language::Java)),
        (Some(Language::Java), None)
    );
}

#[test]
fn what_the_program_brings_is_not_taken_from_jars() {
    let world = Arc::new(MemoryWorld::new([], crate::lang::front_end));
    let pool = Resolvers::with_libraries(world, [library() as Arc<dyn Library>]);
    pool.with(|rx| {
        let file = rx.file(rx.world().file_by_path("jar:///a.jar!/p/Scope.class").unwrap());
        let int = file.refs_named(file.name_id("Int").unwrap())[0];
        let def = rx.resolve(file.global_ref(int)).resolution.defs().next().unwrap();
        let path = &rx.world().file(def.file).path;
        assert!(path.as_str().starts_with("lib://kotlin!/"), "{path}");
    });
}

#[test]
fn what_both_languages_see_is_one_symbol() {
    let library = library();
    let world = Arc::new(MemoryWorld::new([], crate::lang::front_end));
    let pool = Resolvers::with_libraries(world, [library as Arc<dyn Library>]);
    pool.with(|rx| {
        let scope = rx.world().library_declarations(ide_model::Family::Jvm, "Scope")[0].at;
        let sum = rx.world().package_declarations(ide_model::Family::Jvm, "p", "sum")[0].at;
        for def in [scope, sum] {
            let both = rx.policy_of(def).same_symbol(rx, def);
            assert_eq!(both.len(), 2, "{}", rx.def_name(def));
            assert_ne!(rx.language_of(both[0]), rx.language_of(both[1]));
            let back = rx.policy_of(both[1]).same_symbol(rx, both[1]);
            assert_eq!(back, [both[1], both[0]]);
        }
    });
}
