//! Transforms applied to content (section 7.2).
//!
//! Offsets are code points of the content as it was ([OAR-OPS-20]). Edits are gathered in those
//! original coordinates and the new content is written in one pass at the end, so that the
//! cost is that of the content plus the sorted spans.

use std::collections::BTreeMap;

use crate::document::rule::TransformAction;
use crate::load::Transform;

/// What stands in the place of a redacted span unless the rule says otherwise ([OAR-OPS-13]).
const PLACEHOLDER: &str = "[REDACTED]";

/// A half-open range of code points of the original content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The transform of a fired rule, with the spans it acts on; `None` is the whole content.
pub(crate) struct Planned {
    pub(crate) rank: u32,
    pub(crate) ranges: Option<Vec<Range>>,
}

/// A span that was not applied because an earlier transform rewrote part of it ([OAR-OPS-23]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkippedSpan<'o> {
    /// The qualified identifier of the rule.
    pub rule: &'o str,
    /// The first code point of the original content.
    pub start: u64,
    /// The code point behind the last.
    pub end: u64,
}

/// What came of the transforms.
pub(crate) struct Applied {
    pub(crate) content: String,
    /// Rank and range, in order.
    pub(crate) skipped: Vec<(u32, Range)>,
}

/// Applies transforms in the order given.
pub(crate) fn apply<'t>(
    content: &str,
    transforms: impl Iterator<Item = (&'t Transform, &'t Planned)>,
) -> Applied {
    let (edits, skipped) = edits(content, transforms);
    Applied { content: edits.write(content), skipped }
}

/// The same, with the content cut into its parts: a range over a boundary is rewritten in each
/// part that it touches.
pub(crate) fn apply_to_parts<'t>(
    content: &str,
    lengths: &[usize],
    transforms: impl Iterator<Item = (&'t Transform, &'t Planned)>,
) -> Vec<String> {
    let (edits, _) = edits(content, transforms);
    let mut rest = content;
    let mut start = 0;
    let mut parts = Vec::with_capacity(lengths.len());
    let filled = lengths.iter().rposition(|length| *length > 0).unwrap_or_default();
    for (position, length) in lengths.iter().enumerate() {
        let cut = rest.char_indices().nth(*length).map_or(rest.len(), |(byte, _)| byte);
        let (part, after) = rest.split_at(cut);
        let end = start + *length as u64;
        // What is inserted at a boundary belongs to what follows ([OAR-OPS-21]).
        parts.push(edits.within(start..end, position == filled).write(part));
        (rest, start) = (after, end);
    }
    parts
}

/// The edits that transforms make, and the spans that they could not touch.
fn edits<'t>(
    content: &str,
    transforms: impl Iterator<Item = (&'t Transform, &'t Planned)>,
) -> (Edits<'t>, Vec<(u32, Range)>) {
    let length = content.chars().count() as u64;
    let whole = [Range { start: 0, end: length }];
    let mut edits = Edits::default();
    let mut skipped = Vec::new();
    for (transform, planned) in transforms {
        let text = transform.replacement.as_deref().unwrap_or(PLACEHOLDER);
        let ranges = planned.ranges.as_deref().unwrap_or(&whole);
        for range in merged(ranges, length) {
            // An annotation rewrites nothing, so that nothing is in its way ([OAR-OPS-21]).
            if transform.action == TransformAction::Annotate {
                edits.insert(range.end, text);
            } else if edits.overlaps(range) {
                skipped.push((planned.rank, range));
            } else {
                edits.rewrite(range, text);
            }
        }
    }
    (edits, skipped)
}

/// The spans of one transform: those within the content, overlapping ones merged, the highest
/// start first and of equal starts the longest ([OAR-OPS-19], [OAR-OPS-20]).
fn merged(ranges: &[Range], length: u64) -> Vec<Range> {
    let mut inside: Vec<Range> =
        ranges.iter().copied().filter(|range| range.end <= length).collect();
    inside.sort_unstable();
    let mut spans: Vec<Range> = Vec::with_capacity(inside.len());
    // A zero-width range overlaps nothing, so it takes no part in merging ([OAR-OPS-23]).
    let (empty, filled): (Vec<_>, Vec<_>) = inside.into_iter().partition(|r| r.start == r.end);
    for range in filled {
        match spans.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => spans.push(range),
        }
    }
    spans.extend(empty);
    spans.sort_unstable_by(|a, b| b.cmp(a));
    spans
}

/// Edits in original coordinates.
#[derive(Default)]
struct Edits<'t> {
    /// Disjoint rewritten ranges by start: their end and the text in their place.
    rewritten: BTreeMap<u64, (u64, &'t str)>,
    /// Texts inserted before the code point at an offset, oldest first.
    inserted: BTreeMap<u64, Vec<&'t str>>,
}

impl<'t> Edits<'t> {
    /// Whether a range shares a code point with one that was rewritten ([OAR-OPS-16]).
    fn overlaps(&self, range: Range) -> bool {
        let before = self.rewritten.range(..range.end).next_back();
        range.start < range.end && before.is_some_and(|(_, (end, _))| *end > range.start)
    }

    fn insert(&mut self, offset: u64, text: &'t str) {
        self.inserted.entry(offset).or_default().push(text);
    }

    /// Rewrites a range that overlaps none so far. It consumes the insertions at its start and
    /// inside; those at its end belong to what follows ([OAR-OPS-21]).
    fn rewrite(&mut self, range: Range, text: &'t str) {
        if range.start == range.end {
            // A zero-width rewrite removes nothing: it inserts.
            return self.insert(range.start, text);
        }
        let inside = |own: &Self| {
            own.inserted.range(range.start..range.end).next().map(|(offset, _)| *offset)
        };
        while let Some(offset) = inside(self) {
            self.inserted.remove(&offset);
        }
        self.rewritten.insert(range.start, (range.end, text));
    }

    /// The edits of a part of the content, in its coordinates; the last part that is not empty
    /// has what is inserted at the end.
    fn within(&self, part: std::ops::Range<u64>, last: bool) -> Self {
        let clipped = self.rewritten.range(..part.end).filter_map(|(start, (end, text))| {
            let (from, to) = ((*start).max(part.start), (*end).min(part.end));
            (from < to).then(|| (from - part.start, (to - part.start, *text)))
        });
        let here = |offset: u64| part.contains(&offset) || (last && offset >= part.end);
        let inserted = self.inserted.range(part.start..).filter(|(offset, _)| here(**offset));
        Self {
            rewritten: clipped.collect(),
            inserted: inserted.map(|(at, texts)| (at - part.start, texts.clone())).collect(),
        }
    }

    /// The content with all edits made.
    fn write(&self, content: &str) -> String {
        let replaced = self.rewritten.values().map(|(_, text)| text.len());
        let inserted = self.inserted.values().flatten().map(|text| text.len());
        let room = content.len().saturating_add(replaced.chain(inserted).sum());
        let mut writer =
            Writer { content, out: String::with_capacity(room), code_point: 0, byte: 0 };
        let mut insertions = self.inserted.iter().peekable();
        for (start, (end, text)) in &self.rewritten {
            // What was inserted at the start of a rewritten range stands before its replacement,
            // what was inserted inside stands behind it.
            while let Some((offset, texts)) = insertions.next_if(|(offset, _)| *offset <= start) {
                writer.keep_to(*offset);
                writer.out.extend(texts.iter().copied());
            }
            writer.keep_to(*start);
            writer.out.push_str(text);
            while let Some((_, texts)) = insertions.next_if(|(offset, _)| *offset < end) {
                writer.out.extend(texts.iter().copied());
            }
            writer.skip_to(*end);
        }
        for (offset, texts) in insertions {
            writer.keep_to(*offset);
            writer.out.extend(texts.iter().copied());
        }
        writer.keep_to(u64::MAX);
        writer.out
    }
}

/// Walks the original content once.
struct Writer<'c> {
    content: &'c str,
    out: String,
    code_point: u64,
    byte: usize,
}

impl Writer<'_> {
    /// Goes forward to a code point, and copies what lies between.
    fn keep_to(&mut self, code_point: u64) {
        let from = self.byte;
        self.skip_to(code_point);
        self.out.push_str(self.content.get(from..self.byte).unwrap_or_default());
    }

    /// Goes forward to a code point.
    fn skip_to(&mut self, code_point: u64) {
        let steps = usize::try_from(code_point - self.code_point).unwrap_or(usize::MAX);
        let rest = self.content.as_bytes().get(self.byte..).unwrap_or_default();
        self.byte += bytes_of(rest, steps);
        self.code_point = code_point;
    }
}

/// The bytes of so many code points; of all of them if there are no more.
///
/// It counts in blocks, as counting is quicker than decoding.
fn bytes_of(text: &[u8], mut code_points: usize) -> usize {
    const BLOCK: usize = 64;
    let starts = |byte: &&u8| !matches!(byte, 0x80..=0xBF);
    let mut bytes = 0;
    for block in text.chunks(BLOCK) {
        // At most 64, so the sum fits a byte and takes few registers.
        let count = usize::from(block.iter().map(|byte| u8::from(starts(&byte))).sum::<u8>());
        if count > code_points {
            let mut left = code_points;
            let within = block.iter().position(|byte| {
                let is_next = starts(&byte);
                let found = is_next && left == 0;
                left -= usize::from(is_next && !found);
                found
            });
            return bytes + within.unwrap_or(block.len());
        }
        code_points -= count;
        bytes += block.len();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::bytes_of;

    #[test]
    fn bytes_of_code_points_are_those_of_the_standard_library() {
        let texts = ["", "a", "é", "plain words in between ", "größte Übersicht – 東京 😀 "];
        for text in texts {
            for repeat in [0, 1, 3, 7, 40] {
                let text = text.repeat(repeat);
                let count = text.chars().count();
                for code_points in 0..count + 3 {
                    let expected = text.char_indices().nth(code_points);
                    let expected = expected.map_or(text.len(), |(byte, _)| byte);
                    assert_eq!(bytes_of(text.as_bytes(), code_points), expected, "{code_points}");
                }
            }
        }
    }
}
