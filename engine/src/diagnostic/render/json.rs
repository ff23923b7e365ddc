//! The form for machines: one object that holds everything.

use serde_json::{Map, Value, json};

use crate::diagnostic::{Diagnostic, Location};
use crate::document::source::{LineColumn, SourceFile};

/// The diagnostic as an object: `severity`, `code`, `message`, its place (`file`, `span` in
/// bytes, `start` and `end` with line and column, `pointer`), `related` places, each with a
/// `message`, and `help`. What it does not have is `null`.
#[must_use]
pub fn json(diagnostic: &Diagnostic) -> Value {
    let mut object = place(diagnostic.location());
    let related = diagnostic.related().iter().map(|related| {
        let mut object = place(Some(&related.location));
        object.insert("message".into(), related.message.as_str().into());
        Value::Object(object)
    });
    let related: Vec<Value> = related.collect();
    object.insert("severity".into(), diagnostic.severity().as_str().into());
    object.insert("code".into(), diagnostic.code().into());
    object.insert("message".into(), diagnostic.message().into());
    object.insert("related".into(), related.into());
    object.insert("help".into(), diagnostic.advice().into());
    Value::Object(object)
}

fn place(location: Option<&Location>) -> Map<String, Value> {
    let object = match location {
        Some(Location { file, span, pointer }) => json!({
            "file": file.name(),
            "span": {"start": span.start, "end": span.end},
            "start": line_column(file, span.start),
            "end": line_column(file, span.end),
            "pointer": pointer,
        }),
        None => json!({"file": null, "span": null, "start": null, "end": null, "pointer": null}),
    };
    if let Value::Object(object) = object { object } else { Map::new() }
}

fn line_column(file: &SourceFile, offset: u32) -> Value {
    let LineColumn { line, column } = file.line_column(offset);
    json!({"line": line, "column": column})
}
