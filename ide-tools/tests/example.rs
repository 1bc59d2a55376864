//! The catalogue over a backend of somebody else: the example is asked as a client asks.

#[path = "../examples/catalogue.rs"]
#[expect(dead_code, reason = "its `main` reads standard input")]
mod catalogue;

use std::error::Error;

use serde_json::{Value, json};

/// The results of tools, one a call.
fn call(calls: &[(&str, Value)]) -> Result<Vec<Value>, Box<dyn Error>> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let lines = calls.iter().enumerate().map(|(id, (name, arguments))| {
        let params = json!({"name": name, "arguments": arguments, "_meta": meta});
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    });
    let (input, mut output) = (lines.collect::<String>(), Vec::new());
    catalogue::serve(input.as_bytes(), &mut output)?;
    let result = |line: &str| -> Result<Value, serde_json::Error> {
        let answer: Value = serde_json::from_str(line)?;
        serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap_or("null"))
    };
    Ok(String::from_utf8(output)?.lines().map(result).collect::<Result<_, _>>()?)
}

#[test]
fn texts_are_found_and_what_needs_an_index_is_an_error() -> Result<(), Box<dyn Error>> {
    let answers = call(&[
        ("ide_search_text", json!({"query": "greet"})),
        ("ide_find_file", json!({"query": "notes"})),
        ("ide_read_file", json!({"file": "b/notes.txt"})),
        ("ide_find_symbol", json!({"query": "greet"})),
        ("ide_read_file", json!({"file": "../etc/passwd"})),
    ])?;
    let [found, files, read, symbols, outside] = &*answers else { panic!("five answers") };
    assert_eq!(found["matches"].as_array().map(Vec::len), Some(2), "{found}");
    assert!(files.to_string().contains("b/notes.txt"), "{files}");
    assert!(read.to_string().contains("greet Ann"), "{read}");
    assert!(symbols["error"].is_string(), "an empty list would be a lie: {symbols}");
    assert_eq!(outside["error"], "file_not_found", "{outside}");
    Ok(())
}
