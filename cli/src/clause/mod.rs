//! What a clause says, in our words, with an example that follows it and one that does not.

use oar_engine::document::source::{Format, Node, ReadLimits, SourceFile, read};
use serde_json::Value;

use crate::output::{ASIDE, BAD, GOOD, HEAD, Output, Trouble, styled};

/// Every clause in a line.
const CLAUSES: &str = include_str!("../../../spec/clauses.json");
const EXAMPLES: &str = include_str!("examples.yaml");

/// Writes what the clause `id` says.
///
/// # Errors
/// When there is no such clause.
pub(crate) fn explain(id: &str, output: &mut Output) -> Result<(), Trouble> {
    let id = id.to_ascii_uppercase();
    let id = if id.starts_with("OAR-") { id } else { format!("OAR-{id}") };
    let clauses: Value = serde_json::from_str(CLAUSES).unwrap_or_default();
    let clauses = clauses.as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |clause: &Value| clause.get("id").and_then(Value::as_str).map(str::to_owned);
    let Some(clause) = clauses.iter().find(|clause| name(clause).as_deref() == Some(&*id)) else {
        let names: Vec<String> = clauses.iter().filter_map(name).collect();
        let similar = oar_expr::closest(&id, names.iter().map(String::as_str));
        let help = similar.map(|own| format!(", did you mean `{own}`?")).unwrap_or_default();
        return Err(Trouble::Usage(format!("the standard has no clause `{id}`{help}")));
    };
    let text = |member: &str| clause.get(member).and_then(Value::as_str).unwrap_or_default();
    let place = format!("section {}, {}", text("section"), text("level"));
    output.line(&format!("{} {}", styled(HEAD, &id), styled(ASIDE, &format!("({place})"))));
    for line in wrapped(text("summary"), 78) {
        output.line(&line);
    }
    let file = SourceFile::new("examples.yaml", EXAMPLES, Format::Yaml);
    let reading = read(&file, &ReadLimits::default());
    let example = reading.documents.first().and_then(|root| root.root.get("examples")?.get(&id));
    if let Some(example) = example {
        let kind = example.get("in").and_then(Node::as_str).unwrap_or_default();
        let what = match kind {
            "capability" => "in a capability document",
            "config" => "in a configuration",
            _ => "in a rule",
        };
        for (member, title, style) in [("right", "right", GOOD), ("wrong", "wrong", BAD)] {
            let text = example.get(member).and_then(Node::as_str).unwrap_or_default();
            output.line(&format!("\n{}, {what}:", styled(style, title)));
            for line in text.lines() {
                output.line(&format!("    {line}"));
            }
        }
    }
    Ok(())
}

/// What the clause `id` says, in a line.
pub(crate) fn summary(id: &str) -> Option<String> {
    let clauses: Value = serde_json::from_str(CLAUSES).ok()?;
    let mut clauses = clauses.as_array()?.iter();
    let clause = clauses.find(|clause| clause.get("id").and_then(Value::as_str) == Some(id))?;
    clause.get("summary")?.as_str().map(str::to_owned)
}

/// Lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { continue };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines
}
