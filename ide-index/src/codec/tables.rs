//! The tables of a file in their order: the whole of its facts but the names.

use ide_model::{Language, TextRange};

use super::Corrupt;
use super::record::{Coded, Counts, Done, Last, Pass, reference};
use super::wire::{Io, Reader, Writer};
use crate::facts::{Expr, ExprId, FileFacts, NameId, Quality, Ref, RefFlags, Role, Scope, ScopeId, TypeExpr};
use crate::lookups::Lookups;
use crate::names::Names;

/// The expression that calls each reference, as [`crate::FactBuilder::expr`] tells callees.
fn derived_calls(refs: usize, exprs: &[Expr], types: &[TypeExpr]) -> Vec<Option<ExprId>> {
    let mut calls = vec![None; refs];
    for (i, expr) in exprs.iter().enumerate() {
        let callee = match *expr {
            Expr::Call { callee, .. } => match exprs[callee.index()] {
                Expr::Ref(name) => name,
                _ => continue,
            },
            Expr::New { ty, .. } => match types[ty.index()] {
                TypeExpr::Named { name, .. } => name,
                _ => continue,
            },
            Expr::Macro { callee, .. } => callee,
            _ => continue,
        };
        calls[callee.index()] = Some(ExprId(i as u32));
    }
    calls
}

/// Reads a table of `count` items; `start` tells the pass at which item it is.
fn table<T: Coded>(
    pass: &mut Pass<'_, Reader<'_>>,
    count: u32,
    mut start: impl FnMut(&mut Last, u32),
) -> Result<Vec<T>, Corrupt> {
    let mut items = Vec::with_capacity(count as usize);
    pass.last.at = 0;
    for i in 0..count {
        start(&mut pass.last, i);
        let mut item = T::blank();
        item.code(pass)?;
        items.push(item);
    }
    Ok(items)
}

/// Writes a table; the mirror of [`table`].
fn put_table<T: Coded + Clone>(
    pass: &mut Pass<'_, &mut Writer>,
    items: &[T],
    mut start: impl FnMut(&mut Last, u32),
) -> Done {
    pass.last.at = 0;
    for (i, item) in items.iter().enumerate() {
        start(&mut pass.last, i as u32);
        item.clone().code(pass)?;
    }
    Ok(())
}

impl Io for &mut Writer {
    const READING: bool = false;

    fn raw(&mut self, value: &mut u64) -> Done {
        self.put(*value);
        Ok(())
    }

    fn room(&self) -> usize {
        usize::MAX
    }
}

fn nowhere(_: &mut Last, _: u32) {}

pub(super) fn write(facts: &FileFacts, out: &mut Writer) -> Done {
    let counts = Counts {
        names: facts.names.len() as u32,
        scopes: facts.scopes.len() as u32,
        defs: facts.defs.len() as u32,
        refs: facts.refs.len() as u32,
        exprs: facts.exprs.len() as u32,
        types: facts.types.len() as u32,
        imports: facts.imports.len() as u32,
    };
    let mut pass = Pass {
        io: out,
        counts,
        last: Last::default(),
        names: &facts.names,
        lists: &facts.lists,
        read_lists: Vec::new(),
        shapes: Vec::new(),
    };
    for count in [
        facts.scopes.len(),
        facts.defs.len(),
        facts.refs.len(),
        facts.exprs.len(),
        facts.types.len(),
        facts.imports.len(),
        facts.exports.len(),
        facts.assigns.len(),
        facts.guards.len(),
        facts.expectations.len(),
        facts.errors.len(),
    ] {
        pass.io.put(count as u64);
    }
    let mut language = facts.language as u8;
    language.code(&mut pass)?;
    facts.quality.clone().code(&mut pass)?;
    facts.package.clone().code(&mut pass)?;
    put_table(&mut pass, &facts.scopes, |last, i| last.scope = i)?;
    put_table(&mut pass, &facts.types, |last, i| last.ty = i)?;
    put_table(&mut pass, &facts.exprs, |last, i| last.expr = i)?;
    let calls = derived_calls(facts.refs.len(), &facts.exprs, &facts.types);
    pass.last.at = 0;
    for (item, call) in facts.refs.iter().zip(calls) {
        reference(&mut pass, &mut item.clone(), call)?;
    }
    put_table(&mut pass, &facts.defs, |last, i| last.def = i)?;
    put_table(&mut pass, &facts.imports, nowhere)?;
    put_table(&mut pass, &facts.exports, nowhere)?;
    put_table(&mut pass, &facts.assigns, nowhere)?;
    put_table(&mut pass, &facts.guards, nowhere)?;
    put_table(&mut pass, &facts.expectations, nowhere)?;
    put_table(&mut pass, &facts.errors, nowhere)
}

pub(super) fn read(bytes: &[u8], names: Names) -> Result<FileFacts, Corrupt> {
    let mut reader = Reader::new(bytes);
    let mut sizes = [0; 11];
    for size in &mut sizes {
        *size = u32::try_from(reader.count()?).map_err(|_| Corrupt)?;
    }
    let [scopes, defs, refs, exprs, types, imports, exports, assigns, guards, expectations, errors] = sizes;
    let counts = Counts { names: names.len() as u32, scopes, defs, refs, exprs, types, imports };
    let mut pass = Pass {
        io: reader,
        counts,
        last: Last::default(),
        names: &names,
        lists: &[],
        read_lists: Vec::new(),
        shapes: Vec::new(),
    };
    let mut language = 0_u8;
    language.code(&mut pass)?;
    let mut quality = Quality::Full;
    quality.code(&mut pass)?;
    let mut package: Option<NameId> = None;
    package.code(&mut pass)?;
    let scopes: Vec<Scope> = table(&mut pass, scopes, |last, i| last.scope = i)?;
    check_tree(&scopes)?;
    let types: Vec<TypeExpr> = table(&mut pass, types, |last, i| last.ty = i)?;
    let exprs: Vec<Expr> = table(&mut pass, exprs, |last, i| last.expr = i)?;
    let calls = derived_calls(refs as usize, &exprs, &types);
    pass.last.at = 0;
    let mut read_refs = Vec::with_capacity(calls.len());
    for call in calls {
        let mut item = Ref {
            name: NameId(0),
            range: TextRange::default(),
            scope: ScopeId(0),
            role: Role::Read,
            flags: RefFlags::NONE,
            receiver: None,
            call,
        };
        reference(&mut pass, &mut item, call)?;
        read_refs.push(item);
    }
    let defs = table(&mut pass, defs, |last, i| last.def = i)?;
    let imports = table(&mut pass, imports, nowhere)?;
    let exports = table(&mut pass, exports, nowhere)?;
    let assigns = table(&mut pass, assigns, nowhere)?;
    let guards = table(&mut pass, guards, nowhere)?;
    let expectations = table(&mut pass, expectations, nowhere)?;
    let errors = table(&mut pass, errors, nowhere)?;
    let Pass { io, read_lists: lists, .. } = pass;
    if !io.is_empty() {
        return Err(Corrupt);
    }
    Ok(FileFacts {
        language: Language::from_u8(language).ok_or(Corrupt)?,
        quality,
        package,
        names,
        scopes,
        defs,
        refs: read_refs,
        exprs,
        types,
        imports,
        exports,
        assigns,
        guards,
        expectations,
        errors,
        lists,
        lookups: Lookups::default(),
    })
}

/// The file scope stands first and alone without a parent; every parent stands before its child.
fn check_tree(scopes: &[Scope]) -> Done {
    let fine = scopes.iter().enumerate().all(|(i, scope)| match scope.parent {
        None => i == 0,
        Some(parent) => parent.index() < i,
    });
    if fine && !scopes.is_empty() { Ok(()) } else { Err(Corrupt) }
}
