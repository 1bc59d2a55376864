//! Class files to facts (JVMS 4): what a compiler would see of a class from outside.
//!
//! One [`FileFacts`] holds a top-level class with its nested ones, in the conventions of the Java front end. Nothing
//! has a place in a text, so all ranges are empty. Types are single references with the whole dotted name and
//! [`RefFlags::ABSOLUTE`]; type variables are ordinary names. Private and synthetic members are left out.

use std::fmt;

use ide_model::{Language, SymbolKind, TextRange, Visibility};

use super::annotations::Said;
use super::signature::Signatures;
use crate::builder::FactBuilder;
use crate::facts::{DefFlags, DefId, FileFacts, List, ScopeKind, SuperKind, SuperType};

/// A class file that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassFileError {
    /// It does not begin like one.
    NotAClassFile,
    /// It ends too early.
    Truncated,
    /// The constant pool has something else than was asked for.
    BadConstant(u16),
    /// No class was given.
    Empty,
}

impl fmt::Display for ClassFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAClassFile => f.write_str("not a class file"),
            Self::Truncated => f.write_str("the class file ends too early"),
            Self::BadConstant(index) => {
                write!(f, "constant {index} of the class file is not what it should be")
            }
            Self::Empty => f.write_str("no class file given"),
        }
    }
}

impl std::error::Error for ClassFileError {}

pub(super) const NOWHERE: TextRange = TextRange { start: 0, end: 0 };

/// The attribute with the annotations that a running program sees.
const ANNOTATIONS: &str = "RuntimeVisibleAnnotations";

pub(super) const PUBLIC: u16 = 0x1;
pub(super) const PRIVATE: u16 = 0x2;
pub(super) const PROTECTED: u16 = 0x4;
pub(super) const STATIC: u16 = 0x8;
pub(super) const FINAL: u16 = 0x10;
const BRIDGE: u16 = 0x40;
pub(super) const VARARGS: u16 = 0x80;
pub(super) const NATIVE: u16 = 0x100;
pub(super) const INTERFACE: u16 = 0x200;
pub(super) const ABSTRACT: u16 = 0x400;
const SYNTHETIC: u16 = 0x1000;
pub(super) const ANNOTATION: u16 = 0x2000;
pub(super) const ENUM: u16 = 0x4000;

/// The first of the given class files, and those of the others that can be read.
///
/// # Errors
/// When the first class cannot be read.
pub(super) fn read_classes(classes: &[&[u8]]) -> Result<(Class, Vec<Class>), ClassFileError> {
    let (first, rest) = classes.split_first().ok_or(ClassFileError::Empty)?;
    Ok((Class::read(first)?, rest.iter().filter_map(|bytes| Class::read(bytes).ok()).collect()))
}

/// The facts of a top-level class, the first of the given class files, with its nested classes, the others.
///
/// # Errors
/// When the first class cannot be read; nested ones that cannot are left out.
pub fn class_facts(classes: &[&[u8]]) -> Result<FileFacts, ClassFileError> {
    let (top, nested) = read_classes(classes)?;
    let mut b = FactBuilder::new(Language::Java, 0);
    let package = top.name.rsplit_once('/').map_or("", |(package, _)| package);
    b.set_package(&package.replace('/', "."));
    emit(&mut b, &top, &nested, None);
    Ok(b.finish())
}

/// The name of the file, without directories, that a class says it was compiled from.
pub fn source_name(class: &[u8]) -> Option<String> {
    Class::read(class).ok()?.source
}

/// A class file, taken apart.
pub(super) struct Class {
    /// `java/util/Map$Entry`.
    pub(super) name: String,
    pub(super) access: u16,
    pub(super) superclass: Option<String>,
    pub(super) interfaces: Vec<String>,
    pub(super) signature: Option<String>,
    pub(super) fields: Vec<Member>,
    pub(super) methods: Vec<Member>,
    /// Nested classes: name, outer class, simple name, access. Anonymous and local ones are left out.
    pub(super) inner: Vec<(String, String, String, u16)>,
    pub(super) is_deprecated: bool,
    pub(super) is_record: bool,
    /// The name of the file that it was compiled from, without directories.
    pub(super) source: Option<String>,
    pub(super) said: Said,
}

#[derive(Clone, Default)]
pub(super) struct Member {
    pub(super) access: u16,
    pub(super) name: String,
    pub(super) descriptor: String,
    pub(super) signature: Option<String>,
    pub(super) throws: Vec<String>,
    pub(super) is_deprecated: bool,
    pub(super) said: Said,
}

impl Member {
    /// Whether code that is written sees it. The flag of bridge methods says `volatile` of a field.
    pub(super) fn is_seen(&self) -> bool {
        let is_method = self.descriptor.starts_with('(');
        let is_bridge = is_method && self.access & BRIDGE != 0 && self.access & VARARGS == 0;
        self.access & (PRIVATE | SYNTHETIC) == 0 && !is_bridge
    }
}

/// Reads big-endian numbers; never past the end.
#[derive(Clone, Copy)]
pub(super) struct Input<'c> {
    bytes: &'c [u8],
    at: usize,
}

impl<'c> Input<'c> {
    pub(super) fn take(&mut self, len: usize) -> Result<&'c [u8], ClassFileError> {
        let end = self.at.checked_add(len).ok_or(ClassFileError::Truncated)?;
        let part = self.bytes.get(self.at..end).ok_or(ClassFileError::Truncated)?;
        self.at = end;
        Ok(part)
    }

    pub(super) fn u8(&mut self) -> Result<u8, ClassFileError> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, ClassFileError> {
        let b = self.take(2)?;
        Ok(u16::from_be_bytes([b[0], b[1]]))
    }

    pub(super) fn u32(&mut self) -> Result<u32, ClassFileError> {
        let b = self.take(4)?;
        Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }
}

/// The start of each constant: its tag. 0 for the second half of long ones.
pub(super) struct Pool<'c> {
    bytes: &'c [u8],
    starts: Vec<usize>,
}

impl<'c> Pool<'c> {
    fn read(input: &mut Input<'c>) -> Result<Self, ClassFileError> {
        let count = usize::from(input.u16()?);
        let mut starts = vec![0; count.max(1)];
        let mut i = 1;
        while i < count {
            starts[i] = input.at;
            let tag = input.u8()?;
            let len = match tag {
                1 => usize::from(input.u16()?),
                3 | 4 | 9..=12 | 17 | 18 => 4,
                5 | 6 => 8,
                7 | 8 | 16 | 19 | 20 => 2,
                15 => 3,
                _ => return Err(ClassFileError::BadConstant(i as u16)),
            };
            input.take(len)?;
            i += if matches!(tag, 5 | 6) { 2 } else { 1 };
        }
        Ok(Self { bytes: input.bytes, starts })
    }

    pub(super) fn constant(&self, index: u16, tag: u8) -> Result<Input<'c>, ClassFileError> {
        let start = self.starts.get(usize::from(index)).copied().filter(|start| *start > 0);
        let at = start.ok_or(ClassFileError::BadConstant(index))?;
        let mut input = Input { bytes: self.bytes, at };
        if input.u8()? == tag { Ok(input) } else { Err(ClassFileError::BadConstant(index)) }
    }

    /// Text; what is no plain UTF-8 (a lone surrogate) is replaced.
    pub(super) fn text(&self, index: u16) -> Result<String, ClassFileError> {
        Ok(String::from_utf8_lossy(self.bytes(index)?).into_owned())
    }

    /// Text as it is kept.
    pub(super) fn bytes(&self, index: u16) -> Result<&'c [u8], ClassFileError> {
        let mut input = self.constant(index, 1)?;
        let len = usize::from(input.u16()?);
        input.take(len)
    }

    fn class(&self, index: u16) -> Result<String, ClassFileError> {
        let name = self.constant(index, 7)?.u16()?;
        self.text(name)
    }
}

impl Class {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ClassFileError> {
        let mut input = Input { bytes, at: 0 };
        if input.u32() != Ok(0xCAFE_BABE) {
            return Err(ClassFileError::NotAClassFile);
        }
        input.take(4)?;
        let pool = Pool::read(&mut input)?;
        let access = input.u16()?;
        let name = pool.class(input.u16()?)?;
        let superclass = match input.u16()? {
            0 => None,
            index => Some(pool.class(index)?),
        };
        let mut interfaces = Vec::new();
        for _ in 0..input.u16()? {
            interfaces.push(pool.class(input.u16()?)?);
        }
        let fields = members(&mut input, &pool)?;
        let methods = members(&mut input, &pool)?;
        let mut class = Self {
            name,
            access,
            superclass,
            interfaces,
            signature: None,
            fields,
            methods,
            inner: Vec::new(),
            is_deprecated: false,
            is_record: false,
            source: None,
            said: Said::default(),
        };
        attributes(&mut input, &pool, |name, mut input| {
            match name {
                "Signature" => class.signature = Some(pool.text(input.u16()?)?),
                "Deprecated" => class.is_deprecated = true,
                "Record" => class.is_record = true,
                "SourceFile" => class.source = Some(pool.text(input.u16()?)?),
                "InnerClasses" => class.inner = inner_classes(&mut input, &pool)?,
                ANNOTATIONS => class.said.read(&mut input, &pool)?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(class)
    }
}

fn inner_classes(
    input: &mut Input<'_>,
    pool: &Pool<'_>,
) -> Result<Vec<(String, String, String, u16)>, ClassFileError> {
    let mut all = Vec::new();
    for _ in 0..input.u16()? {
        let (class, outer, simple, access) = (input.u16()?, input.u16()?, input.u16()?, input.u16()?);
        if outer != 0 && simple != 0 {
            all.push((pool.class(class)?, pool.class(outer)?, pool.text(simple)?, access));
        }
    }
    Ok(all)
}

fn attributes<'c>(
    input: &mut Input<'c>,
    pool: &Pool<'c>,
    mut each: impl FnMut(&str, Input<'c>) -> Result<(), ClassFileError>,
) -> Result<(), ClassFileError> {
    for _ in 0..input.u16()? {
        let name = pool.text(input.u16()?)?;
        let len = input.u32()? as usize;
        let bytes = input.take(len)?;
        each(&name, Input { bytes, at: 0 })?;
    }
    Ok(())
}

fn members<'c>(input: &mut Input<'c>, pool: &Pool<'c>) -> Result<Vec<Member>, ClassFileError> {
    let mut all = Vec::new();
    for _ in 0..input.u16()? {
        let access = input.u16()?;
        let (name, descriptor) = (pool.text(input.u16()?)?, pool.text(input.u16()?)?);
        let mut member = Member { access, name, descriptor, ..Member::default() };
        attributes(input, pool, |name, mut input| {
            match name {
                "Signature" => member.signature = Some(pool.text(input.u16()?)?),
                "Deprecated" => member.is_deprecated = true,
                ANNOTATIONS => member.said.read(&mut input, pool)?,
                "Exceptions" => {
                    for _ in 0..input.u16()? {
                        member.throws.push(pool.class(input.u16()?)?);
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        all.push(member);
    }
    Ok(all)
}

/// Declares a class in the open scope, with its members and nested classes.
fn emit(b: &mut FactBuilder, class: &Class, nested: &[Class], as_inner: Option<(&str, u16)>) {
    let access = as_inner.map_or(class.access, |(_, access)| access);
    let simple = as_inner.map_or_else(
        || class.name.rsplit('/').next().unwrap_or(&class.name).to_owned(),
        |(name, _)| name.to_owned(),
    );
    let kind = kind_of(access, class.is_record);
    let def = b.def(&simple, NOWHERE, kind);
    b.open(ScopeKind::Class, 0, Some(def));
    let head = class.signature.as_deref().and_then(|signature| Signatures::new(b, signature).class());
    let (type_params, supers) = head.unwrap_or_else(|| {
        let names = class.superclass.iter().chain(&class.interfaces);
        let types = names.map(|name| Signatures::named(b, name)).collect();
        (List::EMPTY, types)
    });
    let is_interface = access & INTERFACE != 0;
    let supers: Vec<SuperType> = supers
        .into_iter()
        .enumerate()
        .skip(usize::from(is_interface))
        .map(|(i, ty)| {
            let kind = if i == 0 || is_interface { SuperKind::Extends } else { SuperKind::Implements };
            SuperType { kind, ty }
        })
        .collect();
    let supers = b.list(supers);
    for field in class.fields.iter().filter(|field| field.is_seen()) {
        emit_field(b, field);
    }
    let is_inner = as_inner.is_some() && access & STATIC == 0 && !is_interface;
    for method in class.methods.iter().filter(|method| method.is_seen()) {
        emit_method(b, method, &simple, is_interface, is_inner);
    }
    for (name, outer, simple, access) in &class.inner {
        if *outer == class.name
            && access & (PRIVATE | SYNTHETIC) == 0
            && let Some(inner) = nested.iter().find(|c| c.name == *name)
        {
            emit(b, inner, nested, Some((simple, *access)));
        }
    }
    b.close(0);
    let mut flags = flags_of(access & !(VARARGS | NATIVE | BRIDGE));
    if class.is_deprecated {
        flags.set(DefFlags::DEPRECATED);
    }
    if is_inner {
        flags.set(DefFlags::INNER);
    }
    let d = b.def_mut(def);
    d.type_params = type_params;
    d.supers = supers;
    d.flags = d.flags | flags;
    d.visibility = Some(visibility(access));
}

fn kind_of(access: u16, is_record: bool) -> SymbolKind {
    if access & ANNOTATION != 0 {
        SymbolKind::Annotation
    } else if access & INTERFACE != 0 {
        SymbolKind::Interface
    } else if access & ENUM != 0 {
        SymbolKind::Enum
    } else if is_record {
        SymbolKind::Record
    } else if access & ABSTRACT != 0 {
        SymbolKind::AbstractClass
    } else {
        SymbolKind::Class
    }
}

fn emit_field(b: &mut FactBuilder, field: &Member) {
    let kind = if field.access & ENUM != 0 { SymbolKind::EnumCase } else { SymbolKind::Field };
    let def = b.def(&field.name, NOWHERE, kind);
    let text = field.signature.as_deref().unwrap_or(&field.descriptor);
    let ty = Signatures::new(b, text).ty();
    let mut flags = flags_of(field.access & !(VARARGS | BRIDGE));
    if field.is_deprecated {
        flags.set(DefFlags::DEPRECATED);
    }
    let d = b.def_mut(def);
    d.ty = Some(ty);
    d.flags = d.flags | flags;
    d.visibility = Some(visibility(field.access));
}

fn emit_method(b: &mut FactBuilder, method: &Member, class: &str, in_interface: bool, is_inner: bool) {
    let is_constructor = method.name == "<init>";
    if method.name == "<clinit>" {
        return;
    }
    let (name, kind) = if is_constructor {
        (class, SymbolKind::Constructor)
    } else {
        (method.name.as_str(), SymbolKind::Method)
    };
    let def = b.def(name, NOWHERE, kind);
    b.open(ScopeKind::Function, 0, Some(def));
    let text = method.signature.as_deref().unwrap_or(&method.descriptor);
    let mut signature = Signatures::new(b, text).method();
    // The instance around is a parameter of the constructor, but not of its signature.
    if is_constructor && is_inner && method.signature.is_none() && !signature.params.is_empty() {
        signature.params.remove(0);
    }
    let last = signature.params.len().wrapping_sub(1);
    let mut params: Vec<DefId> = Vec::new();
    for (i, ty) in signature.params.iter().enumerate() {
        let param = b.def(&format!("p{i}"), NOWHERE, SymbolKind::Parameter);
        let d = b.def_mut(param);
        d.ty = Some(*ty);
        if i == last && method.access & VARARGS != 0 {
            d.flags.set(DefFlags::VARARG);
        }
        params.push(param);
    }
    let params = b.list(params);
    let throws: Vec<_> = method.throws.iter().map(|name| Signatures::named(b, name)).collect();
    let throws = b.list(throws);
    b.close(0);
    let mut flags = flags_of(method.access & !VARARGS);
    if in_interface && method.access & (ABSTRACT | STATIC) == 0 {
        flags.set(DefFlags::DEFAULT);
    }
    if method.is_deprecated {
        flags.set(DefFlags::DEPRECATED);
    }
    let d = b.def_mut(def);
    d.ty = (!is_constructor).then_some(signature.result);
    d.type_params = signature.type_params;
    d.params = params;
    d.throws = throws;
    d.flags = d.flags | flags;
    d.visibility = Some(visibility(method.access));
}

fn flags_of(access: u16) -> DefFlags {
    let pairs = [
        (STATIC, DefFlags::STATIC),
        (FINAL, DefFlags::FINAL),
        (ABSTRACT, DefFlags::ABSTRACT),
        (NATIVE, DefFlags::NATIVE),
    ];
    let set = pairs.iter().filter(|(bit, _)| access & bit != 0);
    set.fold(DefFlags::NONE, |flags, (_, flag)| flags | *flag)
}

fn visibility(access: u16) -> Visibility {
    if access & PUBLIC != 0 {
        Visibility::Public
    } else if access & PROTECTED != 0 {
        Visibility::Protected
    } else if access & PRIVATE != 0 {
        Visibility::Private
    } else {
        Visibility::Package
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::TypeExpr;

    /// Writes class files: constants are added as they are used.
    #[derive(Default)]
    struct Writer {
        pool: Vec<u8>,
        constants: u16,
    }

    impl Writer {
        fn constant(&mut self, tag: u8, bytes: &[u8]) -> u16 {
            self.pool.push(tag);
            self.pool.extend(bytes);
            self.constants += 1;
            self.constants
        }

        fn text(&mut self, text: &str) -> u16 {
            let mut bytes = (text.len() as u16).to_be_bytes().to_vec();
            bytes.extend(text.as_bytes());
            self.constant(1, &bytes)
        }

        fn class(&mut self, name: &str) -> u16 {
            let name = self.text(name);
            self.constant(7, &name.to_be_bytes())
        }

        fn signature(&mut self, signature: &str) -> Vec<u16> {
            let (name, value) = (self.text("Signature"), self.text(signature));
            vec![1, name, 0, 2, value]
        }

        fn file(&self, body: &[u16]) -> Vec<u8> {
            let mut bytes = 0xCAFE_BABE_u32.to_be_bytes().to_vec();
            bytes.extend([0, 0, 0, 61]);
            bytes.extend((self.constants + 1).to_be_bytes());
            bytes.extend(&self.pool);
            bytes.extend(body.iter().flat_map(|n| n.to_be_bytes()));
            bytes
        }
    }

    /// `package p; public interface Box<T extends Number> { T put(T[] first, java.util.Map.Entry<T, ?>... rest); }`
    fn box_file() -> Vec<u8> {
        let mut w = Writer::default();
        let (this, object) = (w.class("p/Box"), w.class("java/lang/Object"));
        let mut body = vec![PUBLIC | INTERFACE | ABSTRACT, this, object, 0, 0, 1];
        let descriptor = "([Ljava/lang/Number;[Ljava/util/Map$Entry;)Ljava/lang/Number;";
        body.extend([PUBLIC | ABSTRACT | VARARGS, w.text("put"), w.text(descriptor)]);
        body.extend(w.signature("([TT;[Ljava/util/Map$Entry<TT;*>;)TT;"));
        body.extend(w.signature("<T:Ljava/lang/Number;>Ljava/lang/Object;"));
        w.file(&body)
    }

    #[test]
    fn signatures_become_declarations() {
        let bytes = box_file();
        let facts = class_facts(&[&bytes]).unwrap();
        assert_eq!(facts.package.map(|p| facts.name(p)), Some("p"));
        let class = facts.def(DefId(0));
        assert_eq!((facts.name(class.name), class.kind), ("Box", SymbolKind::Interface));
        assert!(class.supers.is_empty(), "an interface does not extend Object");
        let bound = facts.list(class.type_params).next().and_then(|t| facts.def(t).ty).unwrap();
        let TypeExpr::Named { name, .. } = facts.ty(bound) else { panic!("a named bound") };
        assert_eq!(facts.ref_name(name), "java.lang.Number");

        let put = facts.def_ids().find(|d| facts.def_name(*d) == "put").unwrap();
        let put = facts.def(put);
        assert!(put.flags.has(DefFlags::ABSTRACT));
        let params: Vec<DefId> = facts.list(put.params).collect();
        assert!(!facts.def(params[0]).flags.has(DefFlags::VARARG));
        assert!(facts.def(params[1]).flags.has(DefFlags::VARARG));
        let Some(TypeExpr::Array(item)) = facts.def(params[1]).ty.map(|t| facts.ty(t)) else {
            panic!("an array")
        };
        let TypeExpr::Named { name, args } = facts.ty(item) else { panic!("a named type") };
        assert_eq!(facts.ref_name(name), "java.util.Map.Entry");
        assert!(facts.reference(name).flags.has(crate::facts::RefFlags::ABSOLUTE));
        assert_eq!(args.len, 2);
    }

    /// `class Filter { protected volatile Object in; Object run() }`, and `run` once more as the bridge of it
    #[test]
    fn volatile_fields_are_seen_and_bridge_methods_are_not() {
        let mut w = Writer::default();
        let (this, object) = (w.class("p/Filter"), w.class("java/lang/Object"));
        let mut body = vec![PUBLIC, this, object, 0, 1];
        body.extend([PROTECTED | BRIDGE, w.text("in"), w.text("Ljava/lang/Object;"), 0, 2]);
        body.extend([PUBLIC, w.text("run"), w.text("()Ljava/lang/Number;"), 0]);
        body.extend([PUBLIC | BRIDGE, w.text("run"), w.text("()Ljava/lang/Object;"), 0]);
        body.push(0);
        let bytes = w.file(&body);
        let facts = class_facts(&[&bytes]).unwrap();
        let names: Vec<&str> = facts.def_ids().map(|d| facts.def_name(d)).collect();
        assert_eq!(names.iter().filter(|name| **name == "in").count(), 1, "{names:?}");
        assert_eq!(names.iter().filter(|name| **name == "run").count(), 1, "{names:?}");
    }

    #[test]
    fn damage_is_reported_and_never_panics() {
        let bytes = box_file();
        assert_eq!(class_facts(&[]), Err(ClassFileError::Empty));
        assert_eq!(class_facts(&[b"nonsense"]), Err(ClassFileError::NotAClassFile));
        for len in 4..bytes.len() {
            assert!(class_facts(&[&bytes[..len]]).is_err(), "cut at {len}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            // Any outcome but a panic; a changed name is a fine class.
            drop(class_facts(&[&damaged]));
        }
    }
}
