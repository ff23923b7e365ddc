//! Edits that add a name to what a rule requires, in whichever way the rule is written.

use oar_engine::document::source::{Format, Node};
use oar_expr::Span;

use super::cursor::View;

/// What to put in the place of a span.
pub(super) type Edit = (Span, String);

/// Adds `name` to the list `member` of `requires` of the rule `root`, which stands in the document.
pub(super) fn add(view: &View<'_>, root: &Node, member: &str, name: &str) -> Option<Edit> {
    let text = view.text.as_str();
    let name = match view.format {
        Format::Json => format!("\"{name}\""),
        Format::Yaml => name.to_owned(),
    };
    let key = |own: &str| match view.format {
        Format::Json => format!("\"{own}\""),
        Format::Yaml => own.to_owned(),
    };
    let list = format!("{}: [{name}]", key(member));
    let Some(requires) = root.get("requires") else {
        let (before, own) = (root.as_object()?.members().last()?, key("requires"));
        return insert_member(view, root, before.name_span, &format!("{own}: {{{list}}}"));
    };
    let Some(items) = requires.get(member) else {
        return match requires.as_object()?.members().first() {
            Some(first) => insert_member(view, requires, first.name_span, &list),
            None => Some((requires.span, format!("{{{list}}}"))),
        };
    };
    let written = text.get(items.span.range())?;
    if written.starts_with('[') {
        let close = items.span.start + u32::try_from(written.rfind(']')?).ok()?;
        let last = items.as_array()?.last();
        return Some(match last {
            Some(last) => (empty(last.span.end), format!(", {name}")),
            None => (empty(close), name),
        });
    }
    // A block: one line more, like the last.
    let last = items.as_array()?.last()?;
    let (start, column) = line_of(text, last.span.start)?;
    let dash = text.get(start..start + column)?.rfind('-')?;
    let indent = text.get(start..start + dash)?;
    let indent = " ".repeat(indent.chars().count());
    Some((empty(last.span.end), format!("\n{indent}- {name}")))
}

/// A member more in an object, before the member whose name stands at `before`.
fn insert_member(view: &View<'_>, object: &Node, before: Span, member: &str) -> Option<Edit> {
    let text = view.text.as_str();
    let flow = text.get(object.span.range())?.starts_with('{');
    let (start, column) = line_of(text, before.start)?;
    let indent = text.get(start..start + column)?;
    let alone = indent.chars().all(char::is_whitespace);
    let separator = if flow { "," } else { "" };
    Some(match (alone, flow) {
        (true, _) => (empty(before.start), format!("{member}{separator}\n{indent}")),
        (false, true) => (empty(before.start), format!("{member}, ")),
        // The first member of an item of a list: `- oar: "1.0"`.
        (false, false) => {
            let indent = " ".repeat(column);
            (empty(before.start), format!("{member}\n{indent}"))
        }
    })
}

fn empty(at: u32) -> Span {
    Span::new(at, at)
}

/// Where the line of a byte starts, and how far the byte is from there.
fn line_of(text: &str, at: u32) -> Option<(usize, usize)> {
    let before = text.get(..at as usize)?;
    let start = before.rfind(['\n', '\r']).map_or(0, |own| own + 1);
    Some((start, before.len() - start))
}
