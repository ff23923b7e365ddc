//! A condition with the value of every part under its text.
//!
//! A long condition is broken where a person would break it; under each line stand the parts
//! that end there, the inner ones first. A part that began on an earlier line is marked from the
//! start of the line on.

use std::ops::Range;

use oar_engine::decide::ConditionExplanation;
use oar_expr::{BinaryOperator, CameTo, NodeKind, Seen};
use unicode_width::UnicodeWidthStr;

use super::rule::masked;
use crate::output::{ASIDE, BAD, GOOD, styled};

/// A part of the condition and what is said of it.
struct Part {
    range: Range<usize>,
    text: String,
    style: anstyle::Style,
    mark: char,
    /// The operator, for a part that can begin on an earlier line.
    operator: Option<&'static str>,
    /// Parts inside it, which come before it.
    depth: usize,
}

/// The lines of the condition, with marks and values; none is wider than `width` unless a single
/// word or value is.
pub(super) fn lines(found: &ConditionExplanation<'_>, redact: bool, width: usize) -> Vec<String> {
    let text = found.text;
    let parts = parts(found, redact);
    let mut lines = Vec::new();
    let segments = segments(text, width);
    let last = segments.len().saturating_sub(1);
    for (index, segment) in segments.into_iter().enumerate() {
        let line = text.get(segment.clone()).unwrap_or_default();
        lines.push(line.replace('\t', " ").trim_end().to_owned());
        let ends_here = |part: &&Part| {
            let end = part.range.end;
            (segment.start < end && end <= segment.end) || (index == last && end > segment.end)
        };
        for row in rows(text, &segment, parts.iter().filter(ends_here).collect(), width) {
            lines.push(row);
        }
    }
    lines
}

/// What there is to say: of every part but literals, and of what is skipped as a whole.
fn parts(found: &ConditionExplanation<'_>, redact: bool) -> Vec<Part> {
    let steps: Vec<_> = found.explanation.steps().collect();
    let mut parts: Vec<Part> = Vec::new();
    for (span, kind, came_to) in &steps {
        // What stands in the text already needs no telling.
        let literal = matches!(
            kind,
            NodeKind::Bool(_)
                | NodeKind::Int { .. }
                | NodeKind::Double(_)
                | NodeKind::String { .. }
                | NodeKind::List(_)
        );
        let (text, style, mark) = match came_to {
            CameTo::Value(_) | CameTo::Skipped if literal => continue,
            CameTo::Value(value) => {
                // What an operator makes of values does not give them away.
                let made = matches!(
                    kind,
                    NodeKind::Binary { .. } | NodeKind::Unary { .. } | NodeKind::Ternary { .. }
                );
                let told = !redact || (made && matches!(value, Seen::Bool(_)));
                let mut text = masked(value, !told);
                let style = match value {
                    Seen::Bool(true) => GOOD,
                    Seen::Bool(false) => BAD,
                    _ => anstyle::Style::new(),
                };
                if let Some(why) = decided(found, *kind) {
                    text.push_str(&format!(", {why}"));
                }
                (text, style, '~')
            }
            CameTo::Skipped => ("skipped".to_owned(), ASIDE, '.'),
            CameTo::Raised(kind) if redact && matches!(kind, oar_expr::RaiseKind::Host(_)) => {
                ("failed".to_owned(), BAD, '!')
            }
            CameTo::Raised(kind) => (format!("failed: {kind}"), BAD, '!'),
            CameTo::Unfinished => continue,
        };
        let range = span.range();
        if mark == '.' {
            // A skipped part speaks for the parts in it.
            parts.retain(|part| part.mark != '.' || !inside(&part.range, &range));
        }
        let inner = parts.iter().filter(|part| inside(&part.range, &range));
        let depth = inner.map(|part| part.depth + 1).max().unwrap_or_default();
        let operator = match kind {
            NodeKind::Binary { operator, .. } => Some(operator.symbol()),
            NodeKind::Ternary { .. } => Some("? :"),
            _ => None,
        };
        parts.push(Part { range, text, style, mark, operator, depth });
    }
    parts
}

fn inside(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Which operand decided a short-circuiting operation ([OAR-EXPR-5]).
fn decided(found: &ConditionExplanation<'_>, kind: NodeKind) -> Option<&'static str> {
    let came_to = |id| found.explanation.came_to(id);
    let holds = |id| matches!(came_to(id), Some(CameTo::Value(Seen::Bool(true))));
    let skipped = |id| matches!(came_to(id), Some(CameTo::Skipped));
    match kind {
        NodeKind::Binary { operator: BinaryOperator::And | BinaryOperator::Or, right, .. }
            if skipped(right) =>
        {
            Some("decided by the left side")
        }
        NodeKind::Binary { operator: BinaryOperator::And, right, .. } if !holds(right) => {
            Some("decided by the right side")
        }
        NodeKind::Binary { operator: BinaryOperator::Or, right, .. } if holds(right) => {
            Some("decided by the right side")
        }
        NodeKind::Ternary { second, .. } if skipped(second) => Some("the first choice"),
        NodeKind::Ternary { .. } => Some("the second choice"),
        _ => None,
    }
}

/// The rows under a line: inner parts first, side by side where there is room.
fn rows(text: &str, segment: &Range<usize>, mut parts: Vec<&Part>, width: usize) -> Vec<String> {
    parts.sort_by_key(|part| (part.depth, part.range.start));
    let mut rows: Vec<(usize, usize, String)> = Vec::new();
    for part in parts {
        let start = part.range.start.max(segment.start);
        let column = text.get(segment.start..start).unwrap_or_default().width();
        let end = part.range.end.min(segment.end);
        let length = text.get(start..end).unwrap_or_default().trim_end().width().max(1);
        let marks: String = std::iter::repeat_n(part.mark, length).collect();
        // Marks that begin on an earlier line do not tell which part they are of.
        let said = match part.operator.filter(|_| part.range.start < segment.start) {
            Some(operator) => format!("`{operator}` is {}", part.text),
            None => part.text.clone(),
        };
        let plain = said.width();
        // To the right of the marks; to the left, where that leaves the screen.
        let fits = column + length + 1 + plain <= width;
        let (from, piece) = match fits || column < plain + 1 {
            true => (column, format!("{marks} {}", styled(part.style, &said))),
            false => (column - plain - 1, format!("{} {marks}", styled(part.style, &said))),
        };
        if !fits && column < plain + 1 {
            // Neither beside nor before the marks: below them.
            rows.push((part.depth, usize::MAX, format!("{}{marks}", " ".repeat(column))));
            let from = column.min(width.saturating_sub(plain));
            let text = styled(part.style, &said);
            rows.push((part.depth, usize::MAX, format!("{}{text}", " ".repeat(from))));
            continue;
        }
        let piece_width = length + 1 + plain;
        match rows.last_mut() {
            Some((depth, used, row)) if *depth == part.depth && used.saturating_add(2) <= from => {
                row.push_str(&" ".repeat(from - *used));
                row.push_str(&piece);
                *used = from + piece_width;
            }
            _ => {
                rows.push((part.depth, from + piece_width, format!("{}{piece}", " ".repeat(from))))
            }
        }
    }
    rows.into_iter().map(|(.., row)| row).collect()
}

/// The ranges of the lines of a condition: its own, and those that are too long broken behind
/// `&&`, `||`, `?`, `:` or else a blank.
fn segments(text: &str, width: usize) -> Vec<Range<usize>> {
    let mut segments = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let mut from = start;
        while let Some(rest) = text.get(from..end).filter(|rest| rest.trim_end().width() > width) {
            let breaks = breaks(rest, width);
            let Some(at) = breaks else { break };
            segments.push(from..from + at);
            from += at;
        }
        if text.get(from..end).is_some_and(|rest| !rest.trim().is_empty()) {
            segments.push(from..end);
        }
        start = end;
    }
    segments
}

/// Where to break a line: the last good place within `width`, never inside a string.
fn breaks(rest: &str, width: usize) -> Option<usize> {
    let (mut quote, mut escaped) = (None, false);
    let (mut operator, mut blank, mut first) = (None, None, None);
    let mut used = 0;
    for (at, c) in rest.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == ' ' => {
                let behind = at + 1;
                let before = rest.get(..at).unwrap_or_default();
                let after_operator = ["&&", "||", "?", ":"].iter().any(|op| before.ends_with(op));
                if used <= width {
                    blank = Some(behind);
                    if after_operator {
                        operator = Some(behind);
                    }
                }
                first = first.or(Some(behind));
            }
            None => {}
        }
        used += unicode_width::UnicodeWidthChar::width(c).unwrap_or_default();
    }
    operator.or(blank).or(first).filter(|at| *at < rest.trim_end().len())
}
