//! The rules that a document can refer to, also those of a text that is half typed.

use oar_engine::Source;
use oar_engine::document::source::{Format, ReadLimits, SourceFile, read};

use super::cursor::View;
use crate::rules::Written;

/// How many documents of a broken stream are looked at.
const MOST: usize = 500;

/// A rule, and where the text begins that its places count from.
pub(super) struct Known {
    pub(super) rule: Written,
    pub(super) start: u32,
}

/// Every rule of the pack of a document.
pub(super) fn rules(view: &View<'_>) -> Vec<Known> {
    let sources = view.found.into_iter().flat_map(|found| &found.pack.rules);
    let rules = sources.flat_map(|input| Written::all(&input.source));
    let mut rules: Vec<Known> = rules.map(|rule| Known { rule, start: 0 }).collect();
    if view.format == Format::Yaml && rules.iter().all(|own| own.rule.file.name() != view.name) {
        rules.extend(of_stream(&view.name, view.text.as_str()));
    }
    rules.retain(|own| !own.rule.id().is_empty());
    rules
}

/// The rules of a stream of which some document cannot be read.
fn of_stream(name: &str, text: &str) -> Vec<Known> {
    if text.len() > 1 << 20 {
        return Vec::new();
    }
    let marks = text.match_indices("\n---").map(|(at, _)| at + 4);
    let starts: Vec<usize> = std::iter::once(0).chain(marks).take(MOST).collect();
    let ends = starts.iter().skip(1).map(|at| at - 4).chain([text.len()]);
    let mut rules = Vec::new();
    for (start, end) in starts.iter().copied().zip(ends) {
        let file = SourceFile::new(name, text.get(start..end).unwrap_or_default(), Format::Yaml);
        if read(&file, &ReadLimits::default()).diagnostics.is_empty() {
            let start = u32::try_from(start).unwrap_or(u32::MAX);
            let written = Written::all(&Source::file(file)).into_iter();
            rules.extend(written.map(|rule| Known { rule, start }));
        }
    }
    rules
}

/// The rule that a reference means, from a rule of a namespace; in a configuration, which has none,
/// also one whose bare name it is alone.
pub(super) fn find<'r>(
    rules: &'r [Known],
    reference: &str,
    namespace: Option<&str>,
    bare: bool,
) -> Option<&'r Known> {
    let name = match namespace {
        Some(namespace) if !reference.contains('/') => format!("{namespace}/{reference}"),
        _ => reference.to_owned(),
    };
    let exact = rules.iter().find(|own| own.rule.name() == name);
    exact.or_else(|| rules.iter().find(|own| bare && own.rule.id() == reference))
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
