//! YAML block scalars: `|` keeps its lines, `>` folds them.
//!
//! Where the indentation comes from (the first line, or an indicator that counts from what
//! holds the scalar) need not be known: the first line that has text tells, compared with the
//! decoded one. Nor need the chomping: the scan ends when the decoded text does.

use std::mem;
use std::ops::Range;

use super::Trace;
use super::yaml::break_length;

/// Scans `raw`, which starts with the header of a block scalar and goes on behind its end.
/// Gives where its characters end.
pub(super) fn trace(raw: &str, trace: &mut Trace<'_>) -> Option<usize> {
    let header = line_end(raw, 0);
    let mut at = header + break_length(raw.get(header..)?).unwrap_or(0);
    let indent = indentation(raw.get(at..)?, trace.rest.as_str());
    let folds = raw.starts_with('>');
    // The breaks since the last line with text, and whether that started deeper; none before.
    let mut breaks: Vec<Range<usize>> = Vec::new();
    let mut previous_deeper: Option<bool> = None;
    while !trace.is_complete() {
        if trace.rest.as_str().bytes().all(|b| b == b'\n') {
            return Some(trailing(raw, at, breaks, trace));
        }
        if at >= raw.len() {
            return None;
        }
        let end = line_end(raw, at);
        let line = raw.get(at..end)?;
        let blanks = line.bytes().take_while(|&b| b == b' ').count().min(indent);
        let text = line.get(blanks..)?;
        let next = end + break_length(raw.get(end..)?).unwrap_or(0);
        if !text.is_empty() {
            let deeper = text.starts_with([' ', '\t']);
            let folded = folds && previous_deeper == Some(false) && !deeper;
            let between = mem::take(&mut breaks);
            match between.as_slice() {
                [only] if folded => trace.put(' ', only.start..at + blanks),
                [_, others @ ..] if folded => put_breaks(others, trace),
                all => put_breaks(all, trace),
            }
            for (offset, c) in text.char_indices() {
                let start = at + blanks + offset;
                trace.put(c, start..start + c.len_utf8());
            }
            previous_deeper = Some(deeper);
        }
        breaks.push(end..next);
        at = next;
    }
    Some(breaks.last().map_or(at, |last| last.start))
}

fn put_breaks(breaks: &[Range<usize>], trace: &mut Trace<'_>) {
    for place in breaks {
        trace.put('\n', place.clone());
    }
}

/// The breaks behind the last line with text, as many as were kept.
fn trailing(raw: &str, at: usize, breaks: Vec<Range<usize>>, trace: &mut Trace<'_>) -> usize {
    let mut end = breaks.first().map_or(at, |first| first.start);
    let mut known = breaks.into_iter();
    let mut next = at;
    while !trace.is_complete() {
        let place = known.next().unwrap_or_else(|| {
            let start = line_end(raw, next);
            let length = raw.get(start..).and_then(break_length).unwrap_or(0);
            next = start + length;
            start..next
        });
        end = place.end;
        trace.put('\n', place);
    }
    end
}

/// How many blanks the lines lose: what the first line with text has more than its decoded form.
fn indentation(lines: &str, decoded: &str) -> usize {
    let leading = |text: &str| {
        let with_text = text.split(['\n', '\r']).find(|line| line.bytes().any(|b| b != b' '));
        with_text.map(|line| line.bytes().take_while(|&b| b == b' ').count())
    };
    match (leading(lines), leading(decoded)) {
        (Some(written), Some(kept)) => written.saturating_sub(kept),
        _ => 0,
    }
}

fn line_end(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.find(['\n', '\r']).unwrap_or(rest.len())
}
