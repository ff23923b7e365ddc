//! SARIF 2.1.0, the interchange format of static analysis.

use std::collections::BTreeSet;

use oar_engine::diagnostic::{Diagnostic, Location};
use serde_json::{Value, json};

use crate::check::Found;
use crate::output::Output;

pub(in crate::check) fn sarif(found: &[Found], output: &mut Output) {
    let diagnostics: Vec<&Diagnostic> = found.iter().flat_map(Found::diagnostics).collect();
    let codes: BTreeSet<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code()).collect();
    let rules = codes.iter().map(|code| {
        let lint = || crate::lint::summary(code).map(str::to_owned);
        let summary = crate::clause::summary(code).or_else(lint);
        let summary = summary.unwrap_or_else(|| (*code).to_owned());
        json!({"id": code, "shortDescription": {"text": summary}})
    });
    let report = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "oar",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            }},
            // Columns count characters as a person sees them, so that offsets are given too.
            "columnKind": "unicodeCodePoints",
            "results": diagnostics.iter().map(|d| result(d)).collect::<Vec<_>>(),
        }],
    });
    output.line(&format!("{report:#}"));
}

fn result(diagnostic: &Diagnostic) -> Value {
    let help = diagnostic.advice().map(|help| format!("\n{help}")).unwrap_or_default();
    let related = diagnostic.related().iter().map(|related| {
        let mut place = place(&related.location);
        if let Some(members) = place.as_object_mut() {
            members.insert("message".to_owned(), json!({"text": related.message}));
        }
        place
    });
    json!({
        "ruleId": diagnostic.code(),
        "level": diagnostic.severity().as_str(),
        "message": {"text": format!("{}{help}", diagnostic.message())},
        "locations": diagnostic.location().map(place).into_iter().collect::<Vec<_>>(),
        "relatedLocations": related.collect::<Vec<_>>(),
    })
}

fn place(location: &Location) -> Value {
    let file = &location.file;
    // Code points within the line, as SARIF counts.
    let column = |offset: u32| {
        let line = file.line_span(file.line_column(offset).line);
        let before = file.text().get(line.start as usize..(offset.min(line.end)) as usize);
        before.map_or(1, |text| text.chars().count() + 1)
    };
    json!({
        "physicalLocation": {
            "artifactLocation": {"uri": file.name().replace(' ', "%20")},
            "region": {
                "startLine": file.line_column(location.span.start).line,
                "startColumn": column(location.span.start),
                "endLine": file.line_column(location.span.end).line,
                "endColumn": column(location.span.end),
            },
        },
        "logicalLocations": [{"fullyQualifiedName": location.pointer}],
    })
}
