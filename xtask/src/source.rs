//! Rust source as tidy looks at it: the syntax tree, the flat tokens, and the comments between them.

use std::ops::Range;

use anyhow::{Result, anyhow};
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::Visit;

/// A parsed file.
pub(crate) struct Source {
    /// Relative to the root of the repository.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    pub(crate) functions: Vec<Function>,
    /// Lines of `#[cfg(test)]` items, 1-based.
    pub(crate) test_lines: Vec<Range<usize>>,
    pub(crate) syntax: syn::File,
}

/// One token; groups are flattened into their delimiters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
    pub(crate) bytes: Range<usize>,
    pub(crate) literal: bool,
}

/// A function or method, wherever it stands.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// From the signature to the closing brace, 1-based, the end excluded.
    pub(crate) lines: Range<usize>,
    /// Has an attribute whose last segment is `test`.
    pub(crate) is_test: bool,
    /// Its block, braces included.
    block: Range<usize>,
}

impl Source {
    pub(crate) fn parse(path: &str, text: &str) -> Result<Self> {
        let syntax = syn::parse_file(text).map_err(|e| anyhow!("{path}:{}: {e}", e.span().start().line))?;
        let stream: TokenStream = text.parse().map_err(|e| anyhow!("{path}: {e}"))?;
        let mut collect = Collect::default();
        collect.visit_file(&syntax);
        Ok(Self {
            path: path.to_owned(),
            text: text.to_owned(),
            tokens: flat(stream),
            functions: collect.functions,
            test_lines: collect.test_lines,
            syntax,
        })
    }

    /// The tokens of a function's block.
    pub(crate) fn body(&self, function: &Function) -> &[Token] {
        let from = self.tokens.partition_point(|t| t.bytes.start < function.block.start);
        let to = self.tokens.partition_point(|t| t.bytes.start < function.block.end);
        &self.tokens[from..to]
    }

    /// Is this whole file compiled for tests only?
    pub(crate) fn is_test_file(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "test-fixture")
            || self.path.ends_with("/tests.rs")
    }

    /// Does this line belong to tests?
    pub(crate) fn in_tests(&self, line: usize) -> bool {
        self.is_test_file() || self.test_lines.iter().any(|lines| lines.contains(&line))
    }

    /// Every comment with its line, documentation included.
    pub(crate) fn comments(&self) -> Vec<(usize, &str)> {
        let mut comments = Vec::new();
        let mut end = 0;
        let (mut counted, mut first) = (0, 1);
        let mut gap = |from: usize, to: usize| {
            let text = &self.text[from..to];
            if text.trim_start().is_empty() {
                return;
            }
            first += self.text[counted..from].matches('\n').count();
            counted = from;
            comments.extend(
                text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()).map(|(n, l)| (first + n, l)),
            );
        };
        let mut documentation_end = 0;
        for token in &self.tokens {
            // a documentation comment arrives as several tokens, the first of which spans the comment
            let rest = &self.text[token.bytes.start..];
            if rest.starts_with("//") || rest.starts_with("/*") {
                documentation_end = token.bytes.end;
            }
            if token.bytes.start < documentation_end {
                continue;
            }
            if token.bytes.start > end {
                gap(end, token.bytes.start);
            }
            end = end.max(token.bytes.end);
        }
        gap(end, self.text.len());
        comments
    }
}

/// The tokens of a stream, groups opened.
fn flat(stream: TokenStream) -> Vec<Token> {
    let mut tokens = Vec::new();
    push_flat(stream, &mut tokens);
    tokens
}

fn push_flat(stream: TokenStream, tokens: &mut Vec<Token>) {
    let token = |text: String, span: proc_macro2::Span, literal| Token {
        text,
        line: span.start().line,
        bytes: span.byte_range(),
        literal,
    };
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    proc_macro2::Delimiter::None => ("", ""),
                };
                tokens.push(token(open.to_owned(), group.span_open(), false));
                push_flat(group.stream(), tokens);
                tokens.push(token(close.to_owned(), group.span_close(), false));
            }
            TokenTree::Ident(ident) => tokens.push(token(ident.to_string(), ident.span(), false)),
            TokenTree::Punct(punct) => tokens.push(token(punct.as_char().to_string(), punct.span(), false)),
            TokenTree::Literal(literal) => tokens.push(token(literal.to_string(), literal.span(), true)),
        }
    }
}

#[derive(Default)]
struct Collect {
    functions: Vec<Function>,
    test_lines: Vec<Range<usize>>,
}

impl Collect {
    fn function(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, block: &syn::Block) {
        let is_test = attributes.iter().any(|a| a.path().segments.last().is_some_and(|s| s.ident == "test"));
        let lines = signature.span().start().line..block.span().end().line + 1;
        self.functions.push(Function {
            name: signature.ident.to_string(),
            lines,
            is_test,
            block: block.span().byte_range(),
        });
    }
}

impl<'ast> Visit<'ast> for Collect {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
        syn::visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.attrs.iter().any(is_cfg_test) {
            self.test_lines.push(item.span().start().line..item.span().end().line + 1);
        }
        syn::visit::visit_item_mod(self, item);
    }
}

fn is_cfg_test(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|i| i == "test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_what_no_token_covers() {
        let text = "//! head\nfn f() { // one\n    let s = \"// not\"; /* two */\n}\n/// three\nstruct S;\n";
        let source = Source::parse("a.rs", text).unwrap();
        let seen: Vec<(usize, String)> =
            source.comments().into_iter().map(|(l, t)| (l, t.trim().to_owned())).collect();
        let want = [(1, "//! head"), (2, "// one"), (3, "/* two */"), (5, "/// three")];
        assert_eq!(seen, want.map(|(l, t)| (l, t.to_owned())));
    }

    #[test]
    fn functions_know_their_lines_and_whether_they_are_tests() {
        let text = "fn a() {\n}\n#[cfg(test)]\nmod tests {\n    #[tokio::test]\n    async fn b() {\n        c();\n    }\n}\n";
        let source = Source::parse("a.rs", text).unwrap();
        let seen: Vec<_> = source.functions.iter().map(|f| (&*f.name, f.lines.clone(), f.is_test)).collect();
        assert_eq!(seen, [("a", 1..3, false), ("b", 6..9, true)]);
        assert!(source.in_tests(6) && !source.in_tests(1));
    }
}
