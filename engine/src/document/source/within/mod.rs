//! From a place inside a decoded string to its place in the file.
//!
//! A condition is checked as decoded text, but its diagnostics point into the file, through
//! escapes, indentation and folded lines. Nothing is kept for that while reading: the written
//! string is scanned again when a place in it is asked for, and must come out as the string
//! that was read. Where it does not, the whole string is the answer, never a wrong place.

mod block;
mod json;
#[cfg(test)]
mod tests;
mod yaml;

use std::ops::Range;
use std::str::Chars;

use oar_expr::Span;

use super::{Format, Node, SourceFile};

impl Node {
    /// The place in `file`, which the node was read from, of the bytes `decoded` of its string.
    ///
    /// An empty range is an empty place. The answer is the whole node if it is no string.
    ///
    /// ```
    /// use oar_engine::document::source::{Format, ReadLimits, SourceFile, read};
    ///
    /// let file = SourceFile::new("a.json", r#"["tool == \"x\""]"#, Format::Json);
    /// let reading = read(&file, &ReadLimits::default());
    /// let when = reading.documents[0].root.find("/0").unwrap();
    /// assert_eq!(&when.as_str().unwrap()[8..11], r#""x""#);
    /// assert_eq!(file.slice(when.span_within(&file, 8..11)), r#"\"x\""#);
    /// ```
    #[must_use]
    pub fn span_within(&self, file: &SourceFile, decoded: Range<usize>) -> Span {
        let Some(text) = self.as_str() else { return self.span };
        let mut trace = Trace::new(text, decoded);
        let raw = file.slice(self.span);
        let complete = match file.format() {
            Format::Json => json::trace(raw, &mut trace),
            Format::Yaml => {
                let rest = file.text().get(self.span.start as usize..).unwrap_or_default();
                yaml::trace(rest, raw.len(), &mut trace)
            }
        };
        let found = complete.and_then(|end| trace.finish(end));
        let absolute = |at: usize| u32::try_from(at).ok()?.checked_add(self.span.start);
        found
            .and_then(|found| Some(Span::new(absolute(found.start)?, absolute(found.end)?)))
            .unwrap_or(self.span)
    }
}

/// Follows a scan of the written string, character by character.
struct Trace<'a> {
    /// What must still come.
    rest: Chars<'a>,
    /// How much of the decoded string has come.
    decoded: usize,
    wanted: Range<usize>,
    start: Option<usize>,
    end: Option<usize>,
    /// Whether all that came was what was read.
    agrees: bool,
}

impl<'a> Trace<'a> {
    fn new(text: &'a str, wanted: Range<usize>) -> Self {
        let rest = text.chars();
        Self { rest, decoded: 0, wanted, start: None, end: None, agrees: true }
    }

    /// The next character of the string, and the bytes of the written one that stand for it.
    fn put(&mut self, c: char, written: Range<usize>) {
        self.agrees &= self.rest.next() == Some(c);
        let next = self.decoded + c.len_utf8();
        if self.start.is_none() && next > self.wanted.start {
            self.start = Some(written.start);
        }
        if self.decoded < self.wanted.end {
            self.end = Some(written.end);
        }
        self.decoded = next;
    }

    /// Whether all that was read has come.
    fn is_complete(&self) -> bool {
        self.rest.as_str().is_empty()
    }

    /// The written bytes of the wanted range. `end` is where the written characters end.
    fn finish(self, end: usize) -> Option<Range<usize>> {
        if !self.agrees || !self.is_complete() {
            return None;
        }
        let start = self.start.unwrap_or(end);
        Some(match self.wanted.is_empty() {
            true => start..start,
            false => start..self.end.unwrap_or(end).max(start),
        })
    }
}
