//! Resources.

use mcp_protocol::{
    RpcError,
    model::{Resource, ResourceContents, ResourceTemplate},
    server::ServerBuilder,
};

use crate::tools::png;

pub(crate) fn add(b: ServerBuilder) -> ServerBuilder {
    b.resource(
        Resource::new("test://static-text", "Static text", "Text that never changes.").with_mime_type("text/plain"),
        |_, r| async move {
            let text = "This is the content of the static text resource.";
            Ok(vec![ResourceContents::text(r.uri, "text/plain", text)])
        },
    )
    .resource(
        Resource::new("test://static-binary", "Static binary", "An image that never changes.")
            .with_mime_type("image/png"),
        |_, r| async move { Ok(vec![ResourceContents::blob(r.uri, "image/png", &png())]) },
    )
    .resource(
        Resource::new("test://watched-resource", "Watched resource", "Text to subscribe to.")
            .with_mime_type("text/plain"),
        |_, r| async move { Ok(vec![ResourceContents::text(r.uri, "text/plain", "Watched resource content")]) },
    )
    .resource_template(
        ResourceTemplate::new("test://template/{id}/data", "Template", "Data by id.").with_mime_type("application/json"),
        |_, r| async move {
            let id = r.variable("id").ok_or_else(|| RpcError::resource_not_found(&r.uri))?;
            let text = format!(r#"{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}"#);
            Ok(vec![ResourceContents::text(r.uri.clone(), "application/json", text)])
        },
    )
}
