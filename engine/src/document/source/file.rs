//! A file as the user wrote it: its name, its text, its lines.

use std::fmt;
use std::sync::{Arc, OnceLock};

use oar_expr::Span;
use unicode_segmentation::UnicodeSegmentation;

use super::decode::BYTE_ORDER_MARK;

/// How a source is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON (RFC 8259), the interchange form ([OAR-DOC-1]).
    Json,
    /// YAML 1.2 core schema, one document or a stream of them.
    Yaml,
}

/// A line and a column, both counted from 1. A column counts what a person sees as a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A named source text that diagnostics point into.
pub struct SourceFile {
    name: String,
    text: String,
    format: Format,
    /// Where each line starts; found when the first line is asked for.
    lines: OnceLock<Vec<u32>>,
    /// Places in lines that are long, each with the characters of its line before it; found when
    /// the first of them is asked for. A thousand faults on one line must not mean to count it a
    /// thousand times.
    milestones: OnceLock<Vec<(u32, u32)>>,
}

/// How far from its start a character of a line is counted to without milestones.
const LONG: usize = 4096;
/// How far milestones are apart, where no character is longer.
const APART: usize = 1024;

impl SourceFile {
    /// A source named `name` (usually its path) with the given text.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>, format: Format) -> Arc<Self> {
        let (name, text) = (name.into(), text.into());
        let (lines, milestones) = (OnceLock::new(), OnceLock::new());
        Arc::new(Self { name, text, format, lines, milestones })
    }

    /// The name it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How the text is written.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Where the text itself starts: behind a byte order mark.
    #[must_use]
    pub fn text_start(&self) -> usize {
        if self.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 }
    }

    /// The text of `span`; empty if that lies outside of the file or cuts a character.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The line and column of a byte. An offset behind the end counts as the end.
    #[must_use]
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let lines = self.lines();
        let line = lines.partition_point(|&start| start <= offset).max(1);
        let start = lines.get(line - 1).copied().unwrap_or_default() as usize;
        let text = self.text.get(start..).unwrap_or_default();
        // A character counts once the offset lies behind it, so that an offset into the middle
        // of one has its column.
        let before = (offset as usize).saturating_sub(start);
        if before > LONG {
            let column = self.far_column(count(start), offset);
            return LineColumn { line: count(line), column };
        }
        // With ASCII alone, every byte but the second half of a line break is a character.
        let near = text.as_bytes().get(..=before);
        let simple = near.is_some_and(|bytes| bytes.is_ascii() && !bytes.ends_with(b"\r\n"));
        let column = match simple {
            true => before,
            false => text
                .grapheme_indices(true)
                .take_while(|(at, grapheme)| at + grapheme.len() <= before)
                .count(),
        };
        LineColumn { line: count(line), column: count(column + 1) }
    }

    /// The column of `offset`, which lies far behind the `start` of its line.
    fn far_column(&self, start: u32, offset: u32) -> u32 {
        let milestones = self.milestones.get_or_init(|| self.milestones());
        let behind = milestones.partition_point(|(at, _)| *at <= offset);
        let last = behind.checked_sub(1).and_then(|last| milestones.get(last));
        let (from, before) = *last.filter(|(at, _)| *at >= start).unwrap_or(&(start, 0));
        let rest = self.text.get(from as usize..).unwrap_or_default();
        let length = (offset - from) as usize;
        let characters = rest.grapheme_indices(true);
        let characters = characters.take_while(|(at, own)| at + own.len() <= length).count();
        before.saturating_add(count(characters)).saturating_add(1)
    }

    fn milestones(&self) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let ends = self.lines().iter().skip(1).copied().chain([count(self.text.len())]);
        for (start, end) in self.lines().iter().copied().zip(ends) {
            if (end.saturating_sub(start) as usize) <= LONG {
                continue;
            }
            let (mut last, mut characters) = (0, 0_u32);
            for (at, _) in self.slice(Span::new(start, end)).grapheme_indices(true) {
                if at - last >= APART {
                    found.push((start + count(at), characters));
                    last = at;
                }
                characters = characters.saturating_add(1);
            }
        }
        found
    }

    /// How many lines there are; an empty text has one.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        count(self.lines().len())
    }

    /// The bytes of a line, counted from 1, without its line break.
    #[must_use]
    pub fn line_span(&self, line: u32) -> Span {
        let lines = self.lines();
        let end_of_text = count(self.text.len());
        let at = |line: u32| lines.get(line as usize).copied().unwrap_or(end_of_text);
        let start = line.checked_sub(1).map_or(end_of_text, at);
        let whole = self.slice(Span::new(start, at(line)));
        let text = whole.strip_suffix('\n').unwrap_or(whole);
        let text = text.strip_suffix('\r').unwrap_or(text);
        Span::new(start, start + count(text.len()))
    }

    /// The text of a line, counted from 1, without its line break.
    #[must_use]
    pub fn line_text(&self, line: u32) -> &str {
        self.slice(self.line_span(line))
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let breaks = memchr::memchr2_iter(b'\n', b'\r', bytes)
                // A carriage return before a line feed is part of one break.
                .filter(|&at| bytes.get(at..at + 2) != Some(b"\r\n"))
                .map(|at| count(at + 1));
            std::iter::once(count(self.text_start())).chain(breaks).collect()
        })
    }
}

/// Without the text, which would drown whatever else is shown.
impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceFile")
            .field("name", &self.name)
            .field("bytes", &self.text.len())
            .field("format", &self.format)
            .finish()
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
