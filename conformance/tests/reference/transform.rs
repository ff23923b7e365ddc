//! Accumulated transforms applied to content (section 7.2).
//!
//! Nothing is mutated and no offset is mapped: the content stays as it was, beside it stand the
//! ranges that were rewritten and, at each offset, the texts that were inserted there. The result
//! is read off at the end.

use serde_json::{Map, Value, json};

use super::value::{Failure, Val};

/// A half-open range of code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A transform of a rule that fired.
#[derive(Clone, Debug)]
pub(crate) struct Transform {
    pub(crate) rule: String,
    pub(crate) document: Value,
    /// `None` for the whole content.
    pub(crate) spans: Option<Vec<Span>>,
}

/// The spans of a `list<map>`; one that is no span fails ([OAR-OPS-19]).
pub(crate) fn spans(list: &Val) -> Result<Vec<Span>, Failure> {
    let Val::Maps(members) = list else { return Err(Failure) };
    members
        .iter()
        .map(|member: &Map<String, Value>| {
            // An integer is one of 64 bits ([OAR-FACT-23]).
            let offset = |name: &str| usize::try_from(member.get(name)?.as_i64()?).ok();
            let start = offset("start").ok_or(Failure)?;
            let end = offset("end").ok_or(Failure)?;
            if start <= end { Ok(Span { start, end }) } else { Err(Failure) }
        })
        .collect()
}

impl Span {
    /// A range without width overlaps nothing ([OAR-OPS-23]).
    fn overlaps(self, other: Self) -> bool {
        let is_wide = |span: Self| span.start < span.end;
        is_wide(self) && is_wide(other) && self.start < other.end && other.start < self.end
    }
}

/// The content after all transforms, and the skipped spans ([OAR-OPS-16], [OAR-OPS-23]).
pub(crate) fn apply(content: &str, transforms: &[Transform]) -> (String, Vec<Value>) {
    let text: Vec<char> = content.chars().collect();
    let whole = Span { start: 0, end: text.len() };
    let mut inserted: Vec<Vec<&str>> = vec![Vec::new(); text.len() + 1];
    let mut rewritten: Vec<(Span, &str)> = Vec::new();
    let mut skipped = Vec::new();
    for transform in transforms {
        let replacement = transform.document.get("replacement").and_then(Value::as_str);
        let replacement = replacement.unwrap_or("[REDACTED]");
        let annotates = transform.document["action"] == "annotate";
        let spans = match &transform.spans {
            None => vec![whole],
            Some(spans) => {
                let inside = spans.iter().filter(|span| span.end <= text.len());
                merged(inside.copied().collect())
            }
        };
        for span in spans {
            if annotates {
                inserted[span.end].push(replacement);
            } else if span.start == span.end {
                inserted[span.start].push(replacement);
            } else if rewritten.iter().any(|(other, _)| other.overlaps(span)) {
                skipped.push(json!({
                    "rule": transform.rule, "start": span.start, "end": span.end,
                    "reason": "overlap",
                }));
            } else {
                // What was inserted at an offset belongs to the content that begins there.
                inserted[span.start..span.end].iter_mut().for_each(Vec::clear);
                rewritten.push((span, replacement));
            }
        }
    }
    let mut out = String::new();
    for (at, inserted) in inserted.iter().enumerate() {
        inserted.iter().for_each(|text| out.push_str(text));
        if let Some((_, replacement)) = rewritten.iter().find(|(span, _)| span.start == at) {
            out.push_str(replacement);
        }
        let is_gone = rewritten.iter().any(|(span, _)| span.start <= at && at < span.end);
        if let Some(c) = text.get(at).filter(|_| !is_gone) {
            out.push(*c);
        }
    }
    (out, skipped)
}

/// Overlapping spans as one that covers them, from the highest start down, of two with one start
/// the longer first ([OAR-OPS-20]).
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    loop {
        let pair = (0..spans.len())
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .find(|&(a, b)| spans[a].overlaps(spans[b]));
        let Some((a, b)) = pair else { break };
        let (second, first) = (spans.remove(a), spans.remove(b));
        spans.push(Span { start: first.start.min(second.start), end: first.end.max(second.end) });
    }
    spans.sort_by_key(|span| std::cmp::Reverse((span.start, span.end)));
    spans
}
