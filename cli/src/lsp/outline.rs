//! The rules that a document can refer to, also those of a text that is half typed.

use oar_engine::Source;
use oar_engine::document::source::{Format, ReadLimits, SourceFile, read};

use super::cursor::View;
use crate::rules::Written;

/// How many documents of a broken stream are looked at.
const MOST: usize = 500;

/// Every rule of the pack of a document.
pub(super) fn rules(view: &View<'_>) -> Vec<Written> {
    let sources = view.found.into_iter().flat_map(|found| &found.pack.rules);
    let mut rules: Vec<Written> =
        sources.flat_map(|input| Written::all(&input.source)).filter(named).collect();
    if view.format == Format::Yaml && rules.iter().all(|rule| rule.file.name() != view.name) {
        rules.extend(of_stream(&view.name, view.text.as_str()).into_iter().filter(named));
    }
    rules
}

fn named(rule: &Written) -> bool {
    !rule.id().is_empty()
}

/// The rules of a stream of which some document cannot be read.
fn of_stream(name: &str, text: &str) -> Vec<Written> {
    if text.len() > 1 << 20 {
        return Vec::new();
    }
    let marks = text.match_indices("\n---").map(|(at, _)| at + 4);
    let starts: Vec<usize> = std::iter::once(0).chain(marks).take(MOST).collect();
    let ends = starts.iter().skip(1).map(|at| at - 4).chain([text.len()]);
    let mut rules = Vec::new();
    for (start, end) in starts.iter().copied().zip(ends) {
        // Blanks before it keep its places.
        let padded = " ".repeat(start) + text.get(start..end).unwrap_or_default();
        let file = SourceFile::new(name, padded, Format::Yaml);
        if read(&file, &ReadLimits::default()).diagnostics.is_empty() {
            rules.extend(Written::all(&Source::file(file)));
        }
    }
    rules
}

/// The rule that a reference means, from a rule of a namespace; in a configuration, which has none,
/// also one whose bare name it is alone.
pub(super) fn find<'r>(
    rules: &'r [Written],
    reference: &str,
    namespace: Option<&str>,
    bare: bool,
) -> Option<&'r Written> {
    let name = match namespace {
        Some(namespace) if !reference.contains('/') => format!("{namespace}/{reference}"),
        _ => reference.to_owned(),
    };
    let exact = rules.iter().find(|rule| rule.name() == name);
    exact.or_else(|| rules.iter().find(|rule| bare && rule.id() == reference))
}

/// What a rule is, for people.
pub(super) fn about(rule: &Written) -> String {
    let mut text =
        format!("**`{}`** {}, {} at `{}`", rule.name(), rule.kind(), rule.effect(), rule.anchor());
    if let Some(when) = rule.text("when") {
        text += &format!("\n\n```text\n{}\n```", when.trim());
    }
    if let Some(what) = rule.object("copy").and_then(|copy| copy.get("what")?.as_str()) {
        text += &format!("\n\n{}", what.trim());
    }
    text
}
