//! JavaScript and TypeScript, read by oxc.

use ide_model::{Language, TextRange};
use oxc_allocator::Allocator;
use oxc_ast::ast::{Function, FunctionType, TSFunctionType, TSInterfaceBody, TSSignature, TSTypeLiteral};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{ScopeFlags, SemanticBuilder};
use oxc_span::{GetSpan as _, SourceType};

use crate::{Checked, SyntaxError};

/// The errors of a file; `None` where its first lines say that it is written in Flow.
pub(crate) fn check(language: Language, path: &str, text: &str) -> Option<Checked> {
    let ending =
        path.rsplit('/').next().and_then(|name| name.split_once('.')).map_or("", |(_, ending)| ending);
    let last = ending.rsplit('.').next().unwrap_or("");
    if language == Language::TypeScript {
        let is_declarations = ending.split('.').any(|part| part == "d");
        let kind = match last {
            _ if is_declarations => SourceType::d_ts(),
            "tsx" => SourceType::tsx(),
            _ => SourceType::ts(),
        };
        return Some(Checked { errors: errors(kind, text), is_final: true });
    }
    let head = text.get(..text.len().min(2_000)).unwrap_or(text);
    if head.contains("@flow") {
        return None;
    }
    let module = SourceType::mjs().with_jsx(true);
    let script = SourceType::cjs().with_jsx(true);
    let errors = match last {
        "mjs" => errors(module, text),
        "cjs" => errors(script, text),
        _ => {
            // Nothing but its text says whether a file is a module, and what is right as either is right.
            let as_module = errors(module, text);
            let as_script = if as_module.is_empty() { Vec::new() } else { errors(script, text) };
            if as_script.is_empty() {
                as_script
            } else if is_module(text) {
                as_module
            } else {
                as_script
            }
        }
    };
    Some(Checked { errors, is_final: true })
}

/// Whether a line begins with a word that only modules have there.
fn is_module(text: &str) -> bool {
    text.lines().any(|line| {
        let rest = line.strip_prefix("import").or_else(|| line.strip_prefix("export"));
        rest.is_some_and(|rest| rest.starts_with([' ', '{', '*', '"', '\'']))
    })
}

/// Parts of the messages of errors that TypeScript has, too.
const OF_TYPESCRIPT: [&str; 6] = [
    "Illegal break",
    "Illegal continue",
    "Use of undefined label",
    "Jump target cannot cross",
    "can only jump to a label",
    "has already been declared",
];

fn errors(kind: SourceType, text: &str) -> Vec<SyntaxError> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        parse_regular_expression: true,
        allow_return_outside_function: kind.is_commonjs(),
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, text, kind).with_options(options).parse();
    let mut found: Vec<_> = parsed.diagnostics.into_iter().collect();
    let mut passed = Passed { text, errors: Vec::new() };
    if found.is_empty() && kind.is_typescript() {
        passed.visit_program(&parsed.program);
    }
    if found.is_empty() && !parsed.panicked && !kind.is_typescript_definition() {
        let more = SemanticBuilder::new_compiler().build(&parsed.program).diagnostics;
        // The builder judges jumps and declarations of TypeScript as TypeScript's compiler does.
        let is_sure = |message: &str| OF_TYPESCRIPT.iter().any(|known| message.contains(known));
        found.extend(more.into_iter().filter(|error| kind.is_javascript() || is_sure(&error.message)));
    }
    found
        .into_iter()
        .map(|error| {
            let label = error.labels.first();
            let start = label.map_or(0, |label| label.offset() as usize).min(text.len());
            let end = label.map_or(start, |label| (label.offset() + label.len()) as usize).min(text.len());
            SyntaxError {
                range: TextRange::new(start as u32, end.max(start) as u32),
                message: error.message.to_string(),
            }
        })
        .chain(passed.errors)
        .collect()
}

/// Errors that the parser accepts and the TypeScript compiler does not.
struct Passed<'t> {
    text: &'t str,
    errors: Vec<SyntaxError>,
}

impl Passed<'_> {
    fn error(&mut self, at: u32, message: &str) {
        self.errors.push(SyntaxError { range: TextRange::new(at, at), message: message.to_owned() });
    }

    fn between(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// Members of a type end with a sign or with their line.
    fn members(&mut self, members: &[TSSignature<'_>]) {
        for pair in members.windows(2) {
            let (end, start) = (pair[0].span().end, pair[1].span().start);
            let is_ended =
                self.between(end.saturating_sub(1), start).contains([';', ',', '\n', '\r', '\u{2028}']);
            if !is_ended {
                self.error(start, "`;` expected");
            }
        }
    }
}

impl<'a> Visit<'a> for Passed<'_> {
    fn visit_ts_interface_body(&mut self, body: &TSInterfaceBody<'a>) {
        self.members(&body.body);
        walk::walk_ts_interface_body(self, body);
    }

    fn visit_ts_type_literal(&mut self, literal: &TSTypeLiteral<'a>) {
        self.members(&literal.members);
        walk::walk_ts_type_literal(self, literal);
    }

    fn visit_ts_function_type(&mut self, ty: &TSFunctionType<'a>) {
        let (end, start) = (ty.params.span.end, ty.return_type.type_annotation.span().start);
        if !self.between(end, start).contains("=>") {
            self.error(end, "`=>` expected");
        }
        walk::walk_ts_function_type(self, ty);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        let is_default = self.between(0, function.span.start).trim_end().ends_with("default");
        if function.r#type == FunctionType::TSDeclareFunction && function.id.is_none() && !is_default {
            self.error(function.span.start, "a name expected");
        }
        walk::walk_function(self, function, flags);
    }
}
