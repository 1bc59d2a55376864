//! `get_type_hierarchy`: the chain of superclasses, all interfaces, direct subclasses.

use ide_model::{FileMeta, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{ClassInfo, InProject, LineRange, class_type, qualified};
use crate::ToolError;
use crate::symbols::reason;
use crate::tool::{Call, Tool};

const MOST: usize = 50;

pub(crate) struct GetTypeHierarchy;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Simple or qualified
    class_name: String,
    /// Default true
    include_subclasses: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    hierarchy: Hierarchy,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Hierarchy {
    name: String,
    qualified_name: String,
    class_type: String,
    file_path: String,
    line_range: Option<LineRange>,
    /// The nearest first
    superclasses: Vec<ClassInfo>,
    interfaces: Vec<ClassInfo>,
    /// Direct ones
    subclasses: Vec<ClassInfo>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_subclasses: Option<usize>,
}

impl Tool for GetTypeHierarchy {
    const NAME: &'static str = "get_type_hierarchy";
    const ABOUT: &'static str = "The superclasses of a class, its interfaces, and its direct subclasses.";
    const SAME_AS: Option<&'static str> = Some("ide_type_hierarchy");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let class = session.class(&args.class_name)?;
        let (mut superclasses, mut interfaces) = (Vec::new(), Vec::new());
        for above in session.with_supertypes(&class)?.iter().skip(1) {
            let is_interface =
                matches!(above.kind, SymbolKind::Interface | SymbolKind::Trait | SymbolKind::Annotation);
            let list = if is_interface { &mut interfaces } else { &mut superclasses };
            list.push(session.class_info(above)?);
        }
        let unknown = session.snapshot.supertypes(session.cx, &class)?.value;
        let unknown: Vec<&str> =
            unknown.iter().filter(|link| link.symbol.is_none()).map(|link| &*link.name).collect();
        if !unknown.is_empty() {
            session.told.note(format!("supertypes whose source is not at hand: {}", unknown.join(", ")));
        }
        let (mut subclasses, mut total) = (Vec::new(), None);
        if args.include_subclasses.unwrap_or(true) {
            let everywhere = |_: &FileMeta| true;
            let answer = session.snapshot.subtypes(session.cx, &class, &everywhere)?;
            if let Some(because) = reason(answer.completeness) {
                session.told.note(format!("there may be more subclasses: {because}"));
            }
            let found: Vec<_> = answer.value.into_iter().filter_map(|link| link.symbol).collect();
            total = Some(found.len());
            subclasses =
                found.iter().take(MOST).map(|symbol| session.class_info(symbol)).collect::<Result<_, _>>()?;
        }
        Ok(Output {
            hierarchy: Hierarchy {
                name: class.name.to_string(),
                qualified_name: qualified(&class),
                class_type: class_type(class.kind),
                file_path: session.absolute_path(&class.file),
                line_range: session.lines_of_symbol(&class)?,
                superclasses,
                interfaces,
                truncated: total.is_some_and(|total| total > MOST),
                total_subclasses: total.filter(|total| *total > MOST),
                subclasses,
            },
        })
    }
}
