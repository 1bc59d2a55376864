//! The part of resolving that a language decides for itself. Everything else is done once, in the core.
//!
//! The default bodies are the behaviour most languages share; a policy overrides what its language does otherwise.
//! A policy is stateless: whatever it derives from a world (parsed build files, package tables) it keeps in
//! [`Resolver::extension`].

use std::borrow::Cow;
use std::sync::Arc;

use ide_model::{Confidence, FilePath, SymbolKind, TextRange};

use crate::facts::{
    BinaryOp, DefFlags, DefId, Expr, ExprId, ImportId, Literal, Ref, RefId, ScopeId, ScopeKind, TypeExpr,
    UnaryOp,
};
use crate::query::definition::At;
use crate::resolve::{
    FileView, GivenName, MacroWord, Member, ModuleMove, ModulePath, ModulePlace, PackagePlace, Place, Reason,
    Resolution, Resolved, Resolver, Substitution, Target, Ty,
};
use crate::world::{FileId, GlobalDef};

/// The rules of one language (or of one family that shares a symbol space).
pub trait Policy: Sync {
    // ---- names without a receiver -------------------------------------------------------------------------------

    /// The whole answer for a name, where implicit receivers and extensions make scopes and members one search; `None`
    /// leaves it to the core.
    fn reference(&self, _rx: &Resolver, _file: &FileView, _reference: RefId) -> Option<Resolved> {
        None
    }

    /// The meaning of a plain name by the place it stands in, before any scope is asked (the label of a `switch`).
    fn before_scopes(&self, _rx: &Resolver, _file: &FileView, _reference: RefId) -> Option<Resolution> {
        None
    }

    /// The type through which a plain name reaches a member: `this` of the class around that inherits it, as the
    /// supertype that declares it.
    fn lexical_owner(&self, _rx: &Resolver, _file: &FileView, _reference: RefId, _target: GlobalDef) -> Ty {
        Ty::Unknown
    }

    /// Whether a plain name may be looked up in this scope on the way outwards from `reference`. `crossed` is true
    /// when the way led through the scope of a function, comprehension or class that lies inside `scope` (Python: class
    /// scopes are skipped then).
    fn enters_scope(&self, _file: &FileView, _reference: &Ref, _scope: ScopeId, _crossed: bool) -> bool {
        true
    }

    /// The declarations of one name in one scope, in order, among which a reference may find its own: all of them. A
    /// language in which a later one takes the place of an earlier one may leave out, of very many, those far away.
    fn near<'f>(&self, _file: &FileView, _reference: &Ref, named: &'f [DefId]) -> Cow<'f, [DefId]> {
        Cow::Borrowed(named)
    }

    /// Whether a declaration found in an enclosing scope is visible to the reference: meanings (type or value),
    /// declaration before use, and so on.
    fn sees(&self, _rx: &Resolver, file: &FileView, reference: &Ref, def: DefId) -> bool {
        let def = file.def(def);
        let in_block = matches!(file.scope(def.scope).kind, ScopeKind::Block | ScopeKind::Function);
        !in_block || def.name_range.start <= reference.range.start || !def.flags.has(DefFlags::LOCAL)
    }

    /// Candidates of one scope, innermost scope first; several declarations of one name are given together. `None`
    /// sends the search further outwards.
    fn pick_lexical(
        &self,
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        candidates: &[DefId],
    ) -> Option<Resolution> {
        let members: Vec<Member> = candidates.iter().map(|d| Member::plain(file.global(*d))).collect();
        Some(rx.choose(file, reference, &members))
    }

    /// Members that a class scope adds to lexical look-up besides what it declares: inherited ones.
    fn lexical_members(
        &self,
        _rx: &Resolver,
        _file: &FileView,
        _class: GlobalDef,
        _reference: RefId,
    ) -> Vec<Member> {
        Vec::new()
    }

    /// The meaning of a name that no enclosing scope declares: the same package, star imports, builtins.
    fn implicit(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution;

    /// Whether the name that this import binds is the declaration that people mean by it. Otherwise imports are passed
    /// through to what they import.
    fn import_is_declaration(&self, _rx: &Resolver, _def: GlobalDef) -> bool {
        false
    }

    /// Whether the name that this import binds is a variable of its file, which is not known elsewhere by that name:
    /// `const x = require("x")`.
    fn declares_variable(&self, _rx: &Resolver, _def: GlobalDef) -> bool {
        false
    }

    /// The targets that an import binds.
    fn import(&self, rx: &Resolver, file: &FileView, import: ImportId) -> Resolution;

    /// The meaning of a reference inside an import statement (a path segment, the member).
    fn import_segment(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution;

    /// The meaning of a named argument's name ([`crate::Role::Key`] without a receiver).
    fn keyword(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        rx.resolve_plain(file, reference)
    }

    // ---- members ------------------------------------------------------------------------------------------------

    /// Members of that name that a value or a namespace of this type has, best first, outermost override first.
    /// Declarations that are overridden by an earlier one are left out; overloads are kept.
    fn members(&self, rx: &Resolver, _from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        rx.inherited_members(ty, name)
    }

    /// The functions of a name that an operator or a statement may call on a value of this type.
    fn operators(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        rx.default_operators(from, ty, name)
    }

    /// The direct supertypes of a type declaration, in terms of its own type parameters.
    fn supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        rx.declared_supers(class)
    }

    /// All other declarations that are one type with this one, with the same type parameters: what several files declare
    /// in the global scope.
    fn merged_elsewhere(&self, _rx: &Resolver, _class: GlobalDef) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// An actual type as what a declared type asks for, where types are compared by their shape; `None` leaves it to the
    /// declared supertypes.
    fn shaped_like(&self, _rx: &Resolver, _actual: &Ty, _declared: &Ty) -> Option<Ty> {
        None
    }

    /// The underlying type behind a name, where a type of that shape takes its place.
    fn core(&self, _rx: &Resolver, _ty: &Ty) -> Option<Ty> {
        None
    }

    /// Further bindings of a function's type parameters, once the arguments of a call were looked at one by one.
    fn infer_more(
        &self,
        _rx: &Resolver,
        _file: &FileView,
        _call: ExprId,
        _function: GlobalDef,
        _into: &mut Substitution,
    ) {
    }

    /// The type parameters of a declaration.
    fn type_params(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        rx.declared_type_params(def)
    }

    /// The type itself and its supertypes in member look-up order, with type arguments passed on.
    fn linearization(&self, rx: &Resolver, ty: &Ty) -> Vec<Ty> {
        rx.depth_first_linearization(ty)
    }

    /// The possible meaning of an access to a member that the receiver's type, or an unknown one, does not have.
    fn member_fallback(&self, rx: &Resolver, file: &FileView, reference: RefId, receiver: &Ty) -> Resolution;

    /// Chooses among several declarations of one name: overloads by arguments, meanings by position.
    fn choose(&self, _rx: &Resolver, _file: &FileView, _reference: RefId, members: &[Member]) -> Resolution {
        match members {
            [] => Resolution::unknown(Reason::NotFound),
            [one] => Resolution::of(one.target(), one.confidence),
            many => Resolution {
                targets: many.iter().map(Member::target).collect(),
                confidence: Confidence::Ambiguous,
                reason: Reason::SeveralCandidates,
            },
        }
    }

    /// A last word on what a name resolved to: constructors for classes in `new`, the getter for a property, …
    fn adjust(
        &self,
        _rx: &Resolver,
        _file: &FileView,
        _reference: RefId,
        resolution: Resolution,
    ) -> Resolution {
        resolution
    }

    // ---- types --------------------------------------------------------------------------------------------------

    /// The type of a value that a name resolved to is.
    fn target_type(&self, rx: &Resolver, target: &Target) -> Ty {
        rx.default_target_type(target)
    }

    /// The type of a declaration's value, seen from anywhere: declared or inferred.
    fn def_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        rx.default_def_type(def)
    }

    /// The result type of calling this function, before substitution of the receiver's arguments.
    fn return_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        rx.default_return_type(def)
    }

    /// A type as written; `None` leaves it to the core.
    fn type_expr(&self, _rx: &Resolver, _file: &FileView, _ty: TypeExpr) -> Option<Ty> {
        None
    }

    /// The value of an expression; `None` leaves it to the core.
    fn expr(&self, _rx: &Resolver, _file: &FileView, _id: ExprId, _expr: Expr) -> Option<Ty> {
        None
    }

    /// The type of a literal.
    fn literal(&self, rx: &Resolver, file: &FileView, literal: Literal) -> Ty;

    /// `this` or `self` inside a scope.
    fn this(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        rx.enclosing_instance(file, scope)
    }

    /// The type of `super` inside a scope.
    fn super_of(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        let this = rx.enclosing_instance(file, scope);
        this.def().and_then(|class| rx.supers(class).first().cloned()).unwrap_or(Ty::Unknown)
    }

    /// The type that iterating yields.
    fn element(&self, rx: &Resolver, file: &FileView, ty: &Ty) -> Ty {
        rx.default_element(file, ty)
    }

    /// The type of `base[index]`.
    fn index(&self, rx: &Resolver, file: &FileView, base: &Ty, _index: &Ty) -> Ty {
        rx.default_element(file, base)
    }

    /// The type that awaiting gives.
    fn awaited(&self, _rx: &Resolver, ty: &Ty) -> Ty {
        ty.clone()
    }

    /// The type that a context manager yields.
    fn entered(&self, _rx: &Resolver, _file: &FileView, ty: &Ty) -> Ty {
        ty.clone()
    }

    /// `e?`, `try e`.
    fn tried(&self, _rx: &Resolver, ty: &Ty) -> Ty {
        ty.clone()
    }

    /// How a use is written that spells a name differently (`my-box` for `MyBox`, an accessor that is not declared), when the
    /// name becomes another.
    fn respelled(&self, _written: &str, _old: &str, _new: &str) -> Option<String> {
        None
    }

    /// How a use is written in this language that has the very name of a declaration in another one, as an accessor of a
    /// property does (`isReady()` for `isReady`), when that gets a new name; `None` for the new name itself.
    fn respelled_from(&self, _rx: &Resolver, _other: GlobalDef, _new: &str) -> Option<String> {
        None
    }

    /// The offset for a key that a word before its value leaves out: at the end of the text before the value, or
    /// before the words there that modify it.
    fn key_start(&self, before: &str) -> usize {
        before.len()
    }

    /// The text between a key and its value, and behind the value, where one word is both and they must be told
    /// apart. `before` is what stands right before the word.
    fn written_out(
        &self,
        _file: &FileView,
        _range: TextRange,
        _before: &str,
    ) -> (&'static str, &'static str) {
        (": ", "")
    }

    /// The type that dereferencing gives.
    fn deref(&self, _rx: &Resolver, ty: &Ty) -> Ty {
        match ty {
            Ty::Pointer(inner) => (**inner).clone(),
            other => other.clone(),
        }
    }

    /// The value of an operator expression.
    fn binary(&self, _rx: &Resolver, _file: &FileView, op: BinaryOp, left: &Ty, right: &Ty) -> Ty {
        match op {
            BinaryOp::Or | BinaryOp::And | BinaryOp::Coalesce => Ty::union([left.clone(), right.clone()]),
            _ if left == right => left.clone(),
            _ => Ty::Unknown,
        }
    }

    fn unary(&self, _rx: &Resolver, _file: &FileView, _op: UnaryOp, value: &Ty) -> Ty {
        value.clone()
    }

    /// The value of calling something that is not a declared function: a class, an instance with a call operator, an
    /// external function.
    fn call(&self, rx: &Resolver, _file: &FileView, callee: &Ty, _call: ExprId) -> Ty {
        rx.default_call(callee)
    }

    /// The type that the place of an expression asks for; for lambda parameters, object literals, method references.
    fn expected(&self, rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
        rx.default_expected(file, expr)
    }

    /// The type that a call asks for in the place of an argument.
    fn argument_type(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        index: u32,
        argument: ExprId,
    ) -> Ty {
        rx.default_argument_type(file, call, index, argument)
    }

    /// The target of a named argument in a call.
    fn named_argument(&self, _rx: &Resolver, _file: &FileView, _call: ExprId, _name: &str) -> Resolution {
        Resolution::unknown(Reason::NotFound)
    }

    /// The parameter types and the result type of a function type, for lambdas: a functional interface, a callable.
    fn signature(&self, rx: &Resolver, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        rx.default_signature(ty)
    }

    // ---- declarations -------------------------------------------------------------------------------------------

    /// The declarations behind a name that the resolver takes for something outside the world, where libraries can be
    /// asked for it. The place of the name is passed when a name in code is asked about.
    fn outside(&self, _rx: &Resolver, _name: &str, _asking: Option<(&FileView, RefId)>) -> Vec<Target> {
        Vec::new()
    }

    /// The declarations that a member of this qualified name is made from, which has no text of its own.
    fn makers(&self, _rx: &Resolver, _name: &str) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// Declarations that are one symbol for the user, the canonical one first: overload signatures with their
    /// implementation, property getter and setter, merged declarations, a record component and its field. The given
    /// one is always among them.
    fn same_symbol(&self, _rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        vec![def]
    }

    /// Further declarations whose uses are uses of this one too: the constructors of a class, where its name in a
    /// construction means them.
    fn used_through(&self, _rx: &Resolver, _def: GlobalDef) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// Declarations whose uses only may be meant by uses of this one: the companion of a class, which the name of the
    /// class stands for. Such uses are reported as possible.
    fn used_indirectly(&self, _rx: &Resolver, _def: GlobalDef) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// The function that a variable or property is a name for: `const f = () => …`.
    fn held_function(&self, _file: &FileView, _def: DefId) -> Option<DefId> {
        None
    }

    /// The declaration that one stands for where the language has the other in mind: the key of an object literal means
    /// the property of the type that is expected there.
    fn declared_as(&self, _rx: &Resolver, def: GlobalDef) -> Resolution {
        Resolution::def(def)
    }

    /// Whether a sign stands right before a name that is no part of it but means the same, like the dollar of a variable:
    /// before a declaration, or before a reference, to it if it is known.
    fn has_sigil(&self, _rx: &Resolver, _def: Option<GlobalDef>, _reference: Option<&Ref>) -> bool {
        false
    }

    /// The place that gives a name to what already has another one, where what stands in a file is written with that name:
    /// `outer` of `export { inner as outer }` for all who import it. The place itself is given too.
    fn given_name(&self, _rx: &Resolver, _file: &FileView, _at: At) -> Option<GivenName> {
        None
    }

    /// Whether a declaration may be named behind an object of which nothing is known.
    fn may_be_member(&self, _rx: &Resolver, _def: GlobalDef) -> bool {
        true
    }

    /// The methods that a declaration has without their being written: accessors of a property or of a record's component.
    /// They override, and are overridden, under these names.
    fn accessors(&self, _rx: &Resolver, _def: GlobalDef) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Further names under which a declaration is used: accessor names, file facades. Looked up in all files.
    fn other_names(&self, _rx: &Resolver, _def: GlobalDef) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Whether the case of letters makes no difference in the name of this declaration.
    fn ignores_case(&self, _rx: &Resolver, _def: GlobalDef) -> bool {
        false
    }

    /// Whether the case of letters makes no difference in this name, by what it is used as.
    fn is_written_in_any_case(&self, _reference: &Ref) -> bool {
        false
    }

    /// The names that stand for a file as a module where it is used.
    fn names_of_module(&self, rx: &Resolver, file: FileId) -> Vec<Arc<str>> {
        let path = &rx.world().file(file).path;
        let parent = path.as_str().rsplit('/').nth(1).unwrap_or_default();
        [path.stem(), parent].into_iter().filter(|name| !name.is_empty()).map(Arc::from).collect()
    }

    /// The type that a member of this name has on an owner that gives its members types of its own.
    fn type_on(&self, _owner: &Ty, _name: &str) -> Option<Ty> {
        None
    }

    /// The names that stand for a package where it is used.
    fn names_of_package(&self, _rx: &Resolver, package: &str) -> Vec<Arc<str>> {
        package.rsplit(['.', '\\', '/']).take(1).map(Arc::from).collect()
    }

    /// Whether code names a package only where it is imported; everything else names what the import declares.
    fn packages_are_bound(&self) -> bool {
        false
    }

    /// The files in which a package can be named, in order; `None` when in any.
    fn package_only_in(&self, _rx: &Resolver, _package: &str) -> Option<Vec<FileId>> {
        None
    }

    /// The files that can name what any of some files declares, by whatever name, in order; `None` when any can.
    fn files_seeing(&self, _rx: &Resolver, _files: &[FileId]) -> Option<Vec<FileId>> {
        None
    }

    /// The files in which a declaration can be named; `None` when in any.
    fn only_in(&self, rx: &Resolver, def: GlobalDef) -> Option<Vec<FileId>> {
        self.default_only_in(rx, def)
    }

    fn default_only_in(&self, rx: &Resolver, def: GlobalDef) -> Option<Vec<FileId>> {
        let d = rx.def(def);
        let is_named_elsewhere = d.kind == SymbolKind::Parameter && self.keywords_name_parameters();
        let is_local = d.flags.has(DefFlags::LOCAL) && !is_named_elsewhere;
        (is_local || d.kind == SymbolKind::TypeParameter).then(|| vec![def.file])
    }

    /// Whether calls in other files may name the parameters of a function.
    fn keywords_name_parameters(&self) -> bool {
        false
    }

    /// The qualified name, as [`ide_model::Target::Named`] accepts it; `None` for locals.
    fn qualified_name(&self, rx: &Resolver, def: GlobalDef) -> Option<String>;

    /// Declarations that a qualified name means.
    ///
    /// # Errors
    /// When the text is not in the grammar: valid examples.
    fn by_qualified_name(&self, rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>>;

    /// Whether `method` overrides or implements `base`, another member of the same name, in a type: one that
    /// declares `method` or inherits it, and inherits `base`.
    fn overrides(&self, rx: &Resolver, _of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
        let (method, base) = (rx.def(method), rx.def(base));
        method.params.len == base.params.len && !base.flags.has(DefFlags::STATIC)
    }

    /// The qualified name of the type that every class descends from: no hierarchy shows it.
    fn root_type(&self) -> Option<&'static str> {
        None
    }

    /// Whether what stands below a type implements it, and does not only ask for it as a trait of Rust does.
    fn implements(&self, _rx: &Resolver, _of: GlobalDef, _below: GlobalDef) -> bool {
        true
    }

    /// The name of a block without a name that implements something: `impl Trait for Type`.
    fn implementation_head(&self, _file: &FileView, _def: DefId) -> Option<String> {
        None
    }

    /// The class that a member belongs to; where members are written outside of it (Go methods, Rust `impl` blocks,
    /// `Foo.prototype.m`) the policy finds it.
    fn member_owner(&self, rx: &Resolver, member: GlobalDef) -> Option<GlobalDef> {
        rx.owner_class(member)
    }

    /// Members of that name that a type itself declares, wherever they are written.
    fn declared_members(&self, rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        rx.own_members(class, name)
    }

    /// The type that an `impl` block and the like is about; `None` for a type's own declaration.
    fn implemented_type(&self, _rx: &Resolver, _def: GlobalDef) -> Option<GlobalDef> {
        None
    }

    /// The direct supertypes that a hierarchy shows: not those that only lend their members.
    fn shown_supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        rx.supers(class).to_vec()
    }

    /// Methods of that name that a type has as its own without being below who declares them, and may implement interfaces
    /// by.
    fn taken_over(&self, _rx: &Resolver, _class: GlobalDef, _name: &str) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// Types that have the methods of a type as their own without being below it, and may implement interfaces by them.
    fn takers(&self, _rx: &Resolver, _class: GlobalDef) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// Whether a method runs by the call of its class.
    fn runs_when_made(&self, _rx: &Resolver, _method: GlobalDef) -> bool {
        false
    }

    /// The calls in a class without a name, which call constructors: pairs of the caller and the constructor.
    fn unnamed_calls(&self, _rx: &Resolver, _class: GlobalDef) -> Vec<(GlobalDef, GlobalDef)> {
        Vec::new()
    }

    /// Whether an annotation within a function is a call that the function makes.
    fn annotations_run(&self) -> bool {
        false
    }

    /// Whether what looks like the call of a type, or makes a value of one, runs code.
    fn calls_types(&self) -> bool {
        true
    }

    /// Types that satisfy an interface without saying so.
    fn structural_subtypes(&self, _rx: &Resolver, _interface: GlobalDef) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// Interfaces that a type satisfies without saying so.
    fn structural_supers(&self, _rx: &Resolver, _class: GlobalDef) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// Methods of types inside of functions, which no table lists, that a method implements by having their name and
    /// signature.
    fn asked_for_inside(&self, _rx: &Resolver, _method: GlobalDef) -> Vec<GlobalDef> {
        Vec::new()
    }

    // ---- changing code ------------------------------------------------------------------------------------------

    /// Whether values may count as of a type by their members alone, and texts may stand for names of members.
    fn has_shapes(&self) -> bool {
        false
    }

    /// Whether values count as of this type by their members alone.
    fn is_shape(&self, _rx: &Resolver, _class: GlobalDef) -> bool {
        self.has_shapes()
    }

    /// Whether a key of an object literal may stand for one of these members, though nothing says so: the literal goes to
    /// a function of which nothing is known, and their type has all its keys.
    fn may_stand_for(&self, _rx: &Resolver, _key: GlobalDef, _members: &[GlobalDef]) -> bool {
        false
    }

    /// Whether a text of a file that is the name of these members stands for it, or may. `around` is what stands before
    /// and behind the text.
    fn named_by_text(
        &self,
        rx: &Resolver,
        file: &FileView,
        members: &[GlobalDef],
        _name: &str,
        around: (&str, &str),
    ) -> bool {
        crate::refactor::is_asked_for(rx, file, members, around)
    }

    /// Whether a text at an offset, which is the name of these members, stands for it and is no other name.
    fn lists_name(&self, _rx: &Resolver, _file: &FileView, _members: &[GlobalDef], _at: u32) -> bool {
        false
    }

    /// The word for the type whose values may be texts that name a function: `callable`.
    fn type_of_function_names(&self) -> Option<&'static str> {
        None
    }

    /// Declarations that always carry one name with this one, itself among them, beside [`Self::same_symbol`]: those of the
    /// same word, those that a function declares again (of many only the next), constructors named after a class.
    fn renamed_with(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        rx.default_renamed_with(def)
    }

    /// Whether two declarations of one name in one place contradict each other.
    fn collides(&self, _rx: &Resolver, _a: GlobalDef, _b: GlobalDef) -> bool {
        true
    }

    /// Why a declaration used in these files may not get this name, beyond its spelling; completes "the name …".
    fn name_problem(
        &self,
        _rx: &Resolver,
        _def: GlobalDef,
        _new_name: &str,
        _used_in: &[FileId],
    ) -> Option<String> {
        None
    }

    /// Whether the file in which a declaration stands must be called like it.
    fn names_its_file(&self, _rx: &Resolver, _def: GlobalDef) -> bool {
        false
    }

    /// The directory that is called like a declaration because the files of what it holds lie there: `mod a { mod b; }`.
    fn directory_of(&self, _rx: &Resolver, _def: GlobalDef) -> Option<String> {
        None
    }

    /// Packages whose names every file sees without importing them.
    fn implied_packages(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether imports and exports may give a declaration another name.
    fn may_be_renamed(&self, _rx: &Resolver, _def: GlobalDef) -> bool {
        true
    }

    /// The relation between the path of a file and its declarations.
    fn place(&self) -> Place {
        Place::Unknown
    }

    /// The namespace that a file gets at a path, where [`Self::place`] is [`Place::Namespace`].
    ///
    /// # Errors
    /// Why it cannot be told.
    fn namespace_at(&self, _rx: &Resolver, _file: &FileView, to: &FilePath) -> Result<String, String> {
        Err(format!("the namespace of {to} is not known"))
    }

    /// Why a program would not find a declaration in a new file, where files must be loaded to count.
    fn not_loaded(&self, _rx: &Resolver, _def: GlobalDef, _to: &FilePath) -> Option<String> {
        None
    }

    /// The packages of a file before and after it moves, where [`Self::place`] is [`Place::Package`].
    ///
    /// # Errors
    /// Why they cannot be told.
    fn packages_of_move(
        &self,
        _rx: &Resolver,
        _file: &FileView,
        to: &FilePath,
    ) -> Result<(PackagePlace, PackagePlace), String> {
        Err(format!("the package of {to} is not known"))
    }

    /// The declarations by which a file is a module, where [`Self::place`] is [`Place::Tree`]; ordered.
    fn declarations_of_module(&self, _rx: &Resolver, _file: FileId) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// The effect of moving the file of a module to another path.
    ///
    /// # Errors
    /// Why it cannot.
    fn module_move(&self, _rx: &Resolver, _file: FileId, to: &FilePath) -> Result<ModuleMove, String> {
        Err(format!("the module of {to} is not known"))
    }

    /// The module around a scope, where [`Self::place`] is [`Place::Tree`].
    fn module_at(&self, _rx: &Resolver, _file: &FileView, _scope: ScopeId) -> Option<ModulePlace> {
        None
    }

    /// The module that the beginning of a path is.
    fn module_of_value(&self, _rx: &Resolver, _file: &FileView, _value: ExprId) -> Option<ModulePlace> {
        None
    }

    /// The module all of whose code, and no other, may say a declaration of the file with this text; `None` where that does
    /// not depend on modules of its crate.
    fn seen_within(&self, _rx: &Resolver, _def: GlobalDef, _text: &str) -> Option<ModulePath> {
        None
    }

    /// Why the language does not allow what a file imports.
    fn import_problems(&self, _rx: &Resolver, _file: FileId) -> Vec<String> {
        Vec::new()
    }

    /// The path of a module for an importer where [`Self::module_path`] has none: written anew, whatever stood there.
    /// `importer` is where the importer lies afterwards, `target` where the module lies before and afterwards.
    fn module_path_anew(
        &self,
        _rx: &Resolver,
        _file: &FileView,
        _importer: &str,
        _target: (&str, &str),
    ) -> Option<String> {
        None
    }

    /// How an import in one file names the module that another file is, when either moved: `written` is the path as it
    /// stands, `importer` and `target` are the paths of the files before and after. `None` when it cannot be told.
    fn module_path(
        &self,
        _rx: &Resolver,
        _written: &str,
        _importer: (&str, &str),
        _target: (&str, &str),
    ) -> Option<String> {
        None
    }

    /// How a file that lies at a path names the module that another file is, where [`Self::place`] is [`Place::Path`] or
    /// [`Place::Tree`], in the way of `like`: of the importer as it is, or of a file whose habits a new one follows.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn module_name(
        &self,
        _rx: &Resolver,
        _like: &FileView,
        _importer: &str,
        module: &str,
    ) -> Result<String, String> {
        Err(format!("how {module} is imported is not known"))
    }

    /// Whether a file may say what is private to another one, where that is a matter of files.
    fn sees_private_of(&self, _rx: &Resolver, _file: FileId, _home: FileId) -> bool {
        false
    }

    /// The declarations that belong to a type and stand beside it in its file: methods, implementations.
    fn belongs_to(&self, _rx: &Resolver, _class: GlobalDef) -> Vec<GlobalDef> {
        Vec::new()
    }

    /// Why others cannot have a declaration from its module under its own name; completes "`x` …".
    fn not_importable(&self, _rx: &Resolver, _def: GlobalDef) -> Option<&'static str> {
        None
    }

    /// The statement that a file needs so that a name before a dot means a package in code that is put there, where names
    /// of other packages are written so; `None` where it needs none. `like` are files that may import it.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn import_for(
        &self,
        _rx: &Resolver,
        _file: &FileView,
        _qualifier: &str,
        _like: &[FileId],
    ) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// The type that a simple name means at the top of a file; `None` where types are not found so.
    fn type_at_top(&self, _rx: &Resolver, _file: &FileView, _name: &str) -> Option<Resolution> {
        None
    }

    /// Whether an import may be needed although nothing writes the name that it binds.
    fn import_works_unnamed(&self, _rx: &Resolver, _file: &FileView, _import: ImportId) -> bool {
        false
    }

    /// Whether a word in the body of a macro means a declaration of its name; `None` where that cannot be told.
    fn means_in_macro(&self, _rx: &Resolver, _def: GlobalDef, _word: &MacroWord<'_>) -> Option<bool> {
        Some(false)
    }

    /// Why uses of a declaration may not be seen, as another build has a declaration in its place; completes "`x` …".
    fn has_unseen_uses(&self, _rx: &Resolver, _def: GlobalDef) -> Option<&'static str> {
        None
    }

    /// Whether a file is compiled under a condition only.
    fn is_conditional(&self, _rx: &Resolver, _file: FileId) -> bool {
        false
    }

    /// Parts of a file that are not compiled unless somebody asks for a feature that is off by default: ordered, none in
    /// another.
    fn left_out(&self, _rx: &Resolver, _file: &FileView) -> Arc<[TextRange]> {
        Arc::default()
    }

    /// Whether `object.name()` may call a function that a field of this name holds.
    fn calls_fields(&self) -> bool {
        true
    }

    /// Whether a member may stand for one of a supertype that is not in the world, so that its name is not free.
    fn may_override_unseen(&self, rx: &Resolver, def: GlobalDef) -> bool {
        rx.def(def).kind != SymbolKind::TypeParameter && rx.has_unseen_supertype(def)
    }
}
