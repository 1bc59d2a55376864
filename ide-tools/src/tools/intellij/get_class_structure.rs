//! `get_class_structure`: the members of a type, inherited ones if asked for.

use std::collections::HashSet;

use ide_model::{OutlineNode, Symbol, SymbolKind, TypeLink};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::described::{Parameter, modifiers, modifiers_of, parameters};
use super::words::{InProject, LineRange, class_type, qualified};
use crate::ToolError;
use crate::session::Session;
use crate::tool::{Call, Tool};

/// Most members of one result.
const MOST: usize = 2_000;

pub(crate) struct GetClassStructure;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Simple or qualified
    class_name: String,
    include_inherited: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    structure: Structure,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Structure {
    name: String,
    qualified_name: String,
    class_type: String,
    file_path: String,
    line_range: Option<LineRange>,
    modifiers: Vec<&'static str>,
    super_class: Option<String>,
    interfaces: Vec<String>,
    fields: Vec<Field>,
    constructors: Vec<Method>,
    methods: Vec<Method>,
    inner_classes: Vec<Inner>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Field {
    name: String,
    r#type: Option<String>,
    modifiers: Vec<&'static str>,
    inherited: bool,
    line_range: Option<LineRange>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Method {
    name: String,
    /// Null for constructors
    return_type: Option<String>,
    parameters: Vec<Parameter>,
    modifiers: Vec<&'static str>,
    inherited: bool,
    line_range: Option<LineRange>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Inner {
    name: String,
    class_type: String,
    modifiers: Vec<&'static str>,
    line_range: Option<LineRange>,
}

impl Tool for GetClassStructure {
    const NAME: &'static str = "get_class_structure";
    const ABOUT: &'static str = "A class with its fields, constructors, methods and inner classes.";
    const SAME_AS: Option<&'static str> = Some("ide_file_structure");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let class = session.class(&args.class_name)?;
        let (super_class, interfaces) = session.above(&class)?;
        let mut structure = Structure {
            name: class.name.to_string(),
            qualified_name: qualified(&class),
            class_type: class_type(class.kind),
            file_path: session.absolute_path(&class.file),
            line_range: session.lines_of_symbol(&class)?,
            modifiers: session.modifiers(&class)?,
            super_class,
            interfaces,
            fields: Vec::new(),
            constructors: Vec::new(),
            methods: Vec::new(),
            inner_classes: Vec::new(),
            truncated: false,
        };
        let mut seen = HashSet::new();
        let types = if args.include_inherited.unwrap_or(false) {
            session.with_supertypes(&class)?
        } else {
            vec![class]
        };
        for (at, ty) in types.iter().enumerate() {
            for node in session.members(ty)? {
                session.cx.check()?;
                if seen.len() >= MOST {
                    structure.truncated = true;
                    break;
                }
                session.add_member(&node, at > 0, &mut seen, &mut structure)?;
            }
        }
        Ok(Output { structure })
    }
}

impl Session<'_> {
    /// The superclass and the interfaces of a type, by their qualified names where they are known.
    fn above(&self, class: &Symbol) -> Result<(Option<String>, Vec<String>), ToolError> {
        let links = self.snapshot.supertypes(self.cx, class)?.value;
        let signature = self.signature(class)?.unwrap_or_default();
        let name = |link: &TypeLink| link.symbol.as_ref().map_or_else(|| link.name.to_string(), qualified);
        let is_interface = |link: &TypeLink| match &link.symbol {
            Some(symbol) => {
                matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Trait | SymbolKind::Annotation)
            }
            // Of one that is not known, the word before it tells.
            None => signature.split_once("implements").is_some_and(|(_, rest)| rest.contains(&*link.name)),
        };
        let of_interface =
            matches!(class.kind, SymbolKind::Interface | SymbolKind::Trait | SymbolKind::Annotation);
        let (mut first, mut rest) = (None, Vec::new());
        for link in &links {
            if !of_interface && first.is_none() && !is_interface(link) {
                first = Some(name(link));
            } else {
                rest.push(name(link));
            }
        }
        Ok((first, rest))
    }

    fn add_member(
        &self,
        node: &OutlineNode,
        inherited: bool,
        seen: &mut HashSet<String>,
        structure: &mut Structure,
    ) -> Result<(), ToolError> {
        let symbol = &node.symbol;
        let about = self.described(symbol)?;
        let modifiers = about.as_ref().map_or_else(|| modifiers_of(node), modifiers);
        let is_own = matches!(symbol.kind, SymbolKind::Constructor) || modifiers.contains(&"private");
        if inherited && is_own {
            return Ok(());
        }
        let parameters = about.as_ref().map(parameters).unwrap_or_default();
        let types: Vec<&str> = parameters.iter().map(|p| p.r#type.as_deref().unwrap_or("")).collect();
        let is_callable = symbol.kind.is_callable();
        let key = if is_callable {
            format!("{}({})", symbol.name, types.join(","))
        } else {
            symbol.name.to_string()
        };
        // A member that a subtype declares anew is not inherited.
        if !seen.insert(key) && inherited {
            return Ok(());
        }
        let return_type = about.and_then(|about| about.return_type).map(|ty| ty.to_string());
        let line_range = self.lines_of_symbol(symbol)?;
        let name = symbol.name.to_string();
        if symbol.kind.is_type() {
            structure.inner_classes.push(Inner {
                name,
                class_type: class_type(symbol.kind),
                modifiers,
                line_range,
            });
        } else if symbol.kind == SymbolKind::Constructor {
            structure.constructors.push(Method {
                name,
                return_type: None,
                parameters,
                modifiers,
                inherited,
                line_range,
            });
        } else if is_callable {
            structure.methods.push(Method {
                name,
                return_type,
                parameters,
                modifiers,
                inherited,
                line_range,
            });
        } else if !matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Import) {
            structure.fields.push(Field { name, r#type: return_type, modifiers, inherited, line_range });
        }
        Ok(())
    }
}
