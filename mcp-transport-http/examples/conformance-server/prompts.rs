//! Prompts and completion.

use mcp_protocol::{
    Json,
    model::{Completion, Content, ContentKind, GetPromptResult, Prompt, PromptMessage, ResourceContents},
    server::{Answer, InputRequest, InputRequired, ServerBuilder},
};

use crate::{inputs::text_form, tools::PNG};

fn text(arguments: &Json, key: &str) -> String {
    arguments.get(key).as_ref().and_then(Json::as_text).unwrap_or_default().into_owned()
}

fn one(content: Content) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::user(content)])
}

pub(crate) fn add(b: ServerBuilder) -> ServerBuilder {
    b.prompt(Prompt::new("test_simple_prompt", "A prompt without arguments."), |_, _| async {
        Ok(one(Content::text("This is a simple prompt for testing.")))
    })
    .prompt(
        Prompt::new("test_prompt_with_arguments", "A prompt with two arguments.")
            .with_argument("arg1", "First test argument", true)
            .with_argument("arg2", "Second test argument", true),
        |_, args| async move {
            let (first, second) = (text(&args, "arg1"), text(&args, "arg2"));
            Ok(one(Content::text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))))
        },
    )
    .prompt(
        Prompt::new("test_prompt_with_embedded_resource", "A prompt with a resource in it.").with_argument(
            "resourceUri",
            "URI of the resource to embed",
            true,
        ),
        |_, args| async move {
            let content = "Embedded resource content for testing.";
            let resource = ResourceContents::text(text(&args, "resourceUri"), "text/plain", content);
            Ok(GetPromptResult::new(vec![
                PromptMessage::user(Content::resource(resource)),
                PromptMessage::user(Content::text("Please process the embedded resource above.")),
            ]))
        },
    )
    .prompt(Prompt::new("test_prompt_with_image", "A prompt with an image in it."), |_, _| async {
        let image = ContentKind::Image { data: PNG.into(), mime_type: "image/png".into() };
        Ok(GetPromptResult::new(vec![
            PromptMessage::user(image.into()),
            PromptMessage::user(Content::text("Please analyze the image above.")),
        ]))
    })
    .prompt(
        Prompt::new("test_input_required_result_prompt", "A prompt that asks first."),
        |cx, _| async move {
            let context = cx.inputs().get("user_context").and_then(|r| r.get("content")?.get("context"));
            Ok(match context.as_ref().and_then(Json::as_text) {
                Some(context) => Answer::from(one(Content::text(format!("Use this context: {context}")))),
                None => {
                    let form =
                        InputRequest::form("What context should the prompt use?", &text_form("context"));
                    InputRequired::new().with_request("user_context", form).into()
                }
            })
        },
    )
    .completion(|_, request| async move {
        let values = ["paris", "park", "party"].iter().filter(|v| v.starts_with(&request.value));
        let values: Vec<String> = values.map(|v| (*v).to_owned()).collect();
        let total = values.len() as u64;
        Ok(Completion::new(values).with_total(total))
    })
}
