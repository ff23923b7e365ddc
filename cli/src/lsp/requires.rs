//! Edits that add a name to what a rule requires, in whichever way the rule is written.

use oar_engine::document::source::{Format, Node};
use oar_expr::Span;

use super::cursor::{Cursor, View, moved};

/// What to put in the place of a span.
pub(super) type Edit = (Span, String);

/// Adds `name` to the list `member` of `requires` of the rule that a cursor stands in, whose
/// document could be read.
pub(super) fn add(view: &View<'_>, cursor: &Cursor, member: &str, name: &str) -> Option<Edit> {
    let text = view.text.as_str().get(cursor.start as usize..)?;
    let (span, new) = added(view.format, text, &cursor.root, member, name)?;
    Some((moved(span, cursor.start), new))
}

fn added(format: Format, text: &str, root: &Node, member: &str, name: &str) -> Option<Edit> {
    let name = match format {
        Format::Json => format!("\"{name}\""),
        Format::Yaml => name.to_owned(),
    };
    let key = |own: &str| match format {
        Format::Json => format!("\"{own}\""),
        Format::Yaml => own.to_owned(),
    };
    let list = format!("{}: [{name}]", key(member));
    let Some(requires) = root.get("requires") else {
        let (before, own) = (root.as_object()?.members().last()?, key("requires"));
        return insert_member(text, root, before.name_span, &format!("{own}: {{{list}}}"));
    };
    let Some(items) = requires.get(member) else {
        return match requires.as_object()?.members().first() {
            Some(first) => insert_member(text, requires, first.name_span, &list),
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

/// Takes an item out of its list: with the comma beside it, or with its line.
pub(super) fn remove(view: &View<'_>, item: Span) -> Option<Edit> {
    let text = view.text.as_str();
    let (before, after) = (text.get(..item.start as usize)?, text.get(item.end as usize..)?);
    let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let (start, column) = line_of(text, item.start)?;
    if text.get(start..start + column)?.trim() == "-" {
        let rest = after.find('\n').map_or(after.len(), |at| at + 1);
        return Some((Span::new(byte(start), item.end + byte(rest)), String::new()));
    }
    let bare = before.trim_end();
    if let Some(kept) = bare.strip_suffix(',') {
        return Some((Span::new(byte(kept.len()), item.end), String::new()));
    }
    let kept = after.trim_start();
    let rest = kept.strip_prefix(',').map(str::trim_start).unwrap_or(kept);
    Some((Span::new(item.start, byte(text.len() - rest.len())), String::new()))
}

/// A member more in an object, before the member whose name stands at `before`.
fn insert_member(text: &str, object: &Node, before: Span, member: &str) -> Option<Edit> {
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
