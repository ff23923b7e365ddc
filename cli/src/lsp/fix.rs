//! Quick fixes: what the help of a diagnostic says, as edits.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Range, TextEdit, Uri, WorkspaceEdit,
};
use oar_engine::diagnostic::Diagnostic;
use oar_engine::document::source::Format;
use oar_expr::Span;

use super::buffer::Encoding;
use super::cursor::{Cursor, View};
use super::requires::{self, Edit};
use super::{buffer::Text, diagnostics};

/// How many words that would be accepted are offered.
const MOST_WORDS: usize = 8;

/// The fixes of a diagnostic that lies in a range.
pub(super) fn fixes(
    view: &View<'_>,
    uri: &Uri,
    diagnostic: &Diagnostic,
    asked: Range,
) -> Vec<CodeActionOrCommand> {
    let Some(place) = diagnostic.location() else { return Vec::new() };
    let span = diagnostics::meant(view.text.as_str(), place.span);
    let own = view.text.range(span, view.encoding);
    if own.end < asked.start || asked.end < own.start {
        return Vec::new();
    }
    let mut edits = edits(view, diagnostic, span);
    // Help may name what is written already, meant in another way.
    edits.retain(|(_, (span, new))| view.text.as_str().get(span.range()) != Some(new));
    if edits.is_empty() {
        return Vec::new();
    }
    let told = diagnostics::told(std::slice::from_ref(diagnostic), view.workspace, view.encoding);
    let only = edits.len() == 1;
    let action = |(title, (span, text)): (String, Edit)| {
        let edit = TextEdit { range: view.text.range(span, view.encoding), new_text: text };
        CodeActionOrCommand::CodeAction(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(told.clone()),
            edit: Some(WorkspaceEdit {
                changes: Some(HashMap::from([(uri.clone(), vec![edit])])),
                ..WorkspaceEdit::default()
            }),
            is_preferred: Some(only),
            ..CodeAction::default()
        })
    };
    edits.into_iter().map(action).collect()
}

/// The edits that the help of a diagnostic speaks of, each with a title.
fn edits(view: &View<'_>, diagnostic: &Diagnostic, span: Span) -> Vec<(String, Edit)> {
    let Some(help) = diagnostic.advice() else { return Vec::new() };
    let Some(written) = view.text.as_str().get(span.range()) else { return Vec::new() };
    let words = quoted(help);
    let replace = |word: &str, text: String| (format!("write `{word}`"), (span, text));
    let first = words.first().copied().unwrap_or_default();
    let starts = |start: &str| help.starts_with(start);
    if starts("did you mean ") || starts("another namespace has it: ") {
        return vec![replace(first, like(written, first))];
    }
    if starts("accepted: ") && !help.contains(", or ") {
        let words = words.iter().take(MOST_WORDS);
        let value = |word: &str| match (view.format, written.starts_with(['"', '\''])) {
            (_, true) => like(written, word),
            (Format::Json, false) => format!("\"{word}\""),
            (Format::Yaml, false) => crate::new::scalar(word),
        };
        return words.map(|word| replace(word, value(word))).collect();
    }
    if starts("write a list: ") {
        let text = format!("[{written}]");
        return vec![(format!("write `{text}`"), (span, text))];
    }
    if starts("write it in quotes: ") || starts("quote it: ") || starts("write `\"") {
        return vec![replace(first, first.to_owned())];
    }
    if ["write `true`", "write `false`"].contains(&help) {
        return vec![replace(first, first.to_owned())];
    }
    if starts("write `") && words.len() == 1 && help.ends_with('`') {
        return vec![replace(first, like(written, first))];
    }
    if help == "leave out the quotes" {
        let bare = written.trim_matches(['"', '\'']);
        return vec![(help.to_owned(), (span, bare.to_owned()))];
    }
    if help == "write the qualified identifier" {
        // The message names them, behind the word that is written.
        let words = quoted(diagnostic.message());
        let words = words.into_iter().skip(1).take(MOST_WORDS);
        return words.map(|word| replace(word, like(written, word))).collect();
    }
    if help.starts_with("leave it out of `requires.") {
        return requires::remove(view, span)
            .map(|edit| ("leave it out".to_owned(), edit))
            .into_iter()
            .collect();
    }
    if help.starts_with("add `") && help.contains("`requires.") {
        return required(view, diagnostic, &words);
    }
    Vec::new()
}

/// ``add `P` to `requires.profiles`, or `F` to `requires.facts` ``: one edit each.
fn required(view: &View<'_>, diagnostic: &Diagnostic, words: &[&str]) -> Vec<(String, Edit)> {
    let Some(place) = diagnostic.location() else { return Vec::new() };
    let whole = Cursor::in_whole(view, place.span.start as usize);
    let Some(cursor) = whole else { return Vec::new() };
    let mut edits = Vec::new();
    for pair in words.chunks(2) {
        let [name, list] = pair else { continue };
        let Some(member) = list.strip_prefix("requires.") else { continue };
        if let Some(edit) = requires::add(view, &cursor, member, name) {
            edits.push((format!("add `{name}` to `{list}`"), edit));
        }
    }
    edits
}

/// The texts in backticks.
fn quoted(help: &str) -> Vec<&str> {
    help.split('`').skip(1).step_by(2).collect()
}

/// A word written like another one: in its quotes, if it has some.
fn like(written: &str, word: &str) -> String {
    for quote in ["\\\"", "\"", "'"] {
        if written.len() >= 2 * quote.len()
            && written.starts_with(quote)
            && written.ends_with(quote)
        {
            return format!("{quote}{word}{quote}");
        }
    }
    word.to_owned()
}

/// An edit of the protocol.
pub(super) fn text_edit(text: &Text, encoding: Encoding, (span, new): Edit) -> TextEdit {
    TextEdit { range: text.range(span, encoding), new_text: new }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_takes_over_the_quotes_of_another() {
        for (written, wanted) in [
            ("tol", "tool"),
            ("\"tol\"", "\"tool\""),
            ("'tol'", "'tool'"),
            (r#"\"tol\""#, r#"\"tool\""#),
            ("\"", "tool"),
        ] {
            assert_eq!(like(written, "tool"), wanted);
        }
        assert_eq!(quoted("add `a` to `b`, or `c`"), ["a", "b", "c"]);
    }
}
