//! The text of an open document, edited as the client says.
//!
//! The protocol counts lines, and within them UTF-16 units unless bytes were agreed upon; everything
//! else here counts bytes. A line ends as the protocol and YAML have it, also at a carriage return
//! alone, which `line-index` does not know.

use std::sync::OnceLock;

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use oar_expr::Span;

use crate::input::{Input, Kind};

/// What a character of a position counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// What everybody speaks.
    #[default]
    Utf16,
    /// Bytes, where the client offers it.
    Utf8,
}

/// A text and where its lines start.
#[derive(Clone, Debug)]
pub(super) struct Text {
    text: String,
    lines: Vec<usize>,
    /// How many UTF-16 units stand before every so many bytes; counted when a place is asked for.
    /// A thousand places on one long line must not mean to count it a thousand times.
    units: OnceLock<Vec<usize>>,
}

/// How many bytes lie between the places up to which units are counted.
const APART: usize = 1024;

impl Text {
    pub(super) fn new(text: String) -> Self {
        let lines = starts(&text);
        Self { text, lines, units: OnceLock::new() }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte of a position. What lies behind the end of a line is its end, and what lies within
    /// a character its start.
    pub(super) fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        let Some(start) = self.lines.get(line).copied() else { return self.text.len() };
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut left = position.character as usize;
        if encoding == Encoding::Utf8 {
            return start + line.floor_char_boundary(left.min(line.len()));
        }
        for (at, character) in line.char_indices() {
            if left < character.len_utf16() {
                return start + at;
            }
            left -= character.len_utf16();
        }
        start + line.len()
    }

    /// The position of a byte.
    pub(super) fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.lines.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.lines.get(line).copied().unwrap_or_default();
        let character = match encoding {
            Encoding::Utf8 => offset - start,
            Encoding::Utf16 => self.units_before(offset) - self.units_before(start),
        };
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position::new(count(line), count(character))
    }

    /// How many UTF-16 units stand before a byte.
    fn units_before(&self, offset: usize) -> usize {
        let counted = self.units.get_or_init(|| {
            let mut counted = vec![0];
            let mut place = 0;
            while place < self.text.len() {
                let next =
                    self.text.floor_char_boundary((counted.len() * APART).min(self.text.len()));
                let before = counted.last().copied().unwrap_or_default();
                counted.push(before + units(self.text.get(place..next).unwrap_or_default()));
                place = next;
            }
            counted
        });
        let last = offset / APART;
        let place = self.text.floor_char_boundary(last * APART);
        let rest = units(self.text.get(place..offset).unwrap_or_default());
        counted.get(last).copied().unwrap_or_default() + rest
    }

    /// The range of a span.
    pub(super) fn range(&self, span: Span, encoding: Encoding) -> Range {
        let at = |offset: u32| self.position(offset as usize, encoding);
        Range::new(at(span.start), at(span.end.max(span.start)))
    }

    /// Applies a change of the client.
    pub(super) fn change(&mut self, change: TextDocumentContentChangeEvent, encoding: Encoding) {
        match change.range {
            None => self.text = change.text,
            Some(range) => {
                let (start, end) =
                    (self.offset(range.start, encoding), self.offset(range.end, encoding));
                self.text.replace_range(start.min(end)..end.max(start), &change.text);
            }
        }
        self.lines = starts(&self.text);
        self.units = OnceLock::new();
    }
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

/// An open document.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    /// Its path, or else its address.
    pub(super) name: String,
    pub(super) text: Text,
    pub(super) version: i32,
    /// What the client says it is written in.
    pub(super) language: String,
    /// What was read of the text as it is.
    pub(super) read: Option<Input>,
    /// What it held when its text could last be read.
    pub(super) kind: Option<Kind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_what_was_agreed_upon() {
        let text = Text::new("a😀e\u{301}x\r\nb\rc\n".to_owned());
        for (line, utf16, utf8, offset) in [
            (0, 0, 0, 0),
            (0, 1, 1, 1),
            (0, 3, 5, 5),
            (0, 4, 6, 6),
            (0, 5, 8, 8),
            (0, 6, 9, 9),
            (1, 0, 0, 11),
            (1, 1, 1, 12),
            (2, 0, 0, 13),
            (3, 0, 0, 15),
        ] {
            for (encoding, character) in [(Encoding::Utf16, utf16), (Encoding::Utf8, utf8)] {
                let position = Position::new(line, character);
                assert_eq!(text.offset(position, encoding), offset, "{line}:{character}");
                assert_eq!(text.position(offset, encoding), position, "{offset}");
            }
        }
    }

    #[test]
    fn positions_far_out_on_a_line_are_right() {
        let line = "x😀é字".repeat(1000);
        let text = Text::new(format!("{line}\n{line}"));
        let mut units = 0;
        for (at, character) in line.char_indices() {
            for (own, offset) in [(0, at), (1, line.len() + 1 + at)] {
                let position = text.position(offset, Encoding::Utf16);
                assert_eq!((position.line, position.character as usize), (own, units));
                assert_eq!(text.offset(position, Encoding::Utf16), offset);
            }
            units += character.len_utf16();
        }
        let end = text.position(text.as_str().len(), Encoding::Utf16);
        assert_eq!((end.line, end.character as usize), (1, units));
    }

    #[test]
    fn positions_that_are_none_are_near_ones() {
        let text = Text::new("a😀\nb".to_owned());
        for (line, character, offset) in [(0, 2, 1), (0, 99, 5), (1, 5, 7), (9, 0, 7)] {
            assert_eq!(text.offset(Position::new(line, character), Encoding::Utf16), offset);
        }
        assert_eq!(text.offset(Position::new(0, 3), Encoding::Utf8), 1);
    }

    /// The same edits to a text that is kept in UTF-16 units, as most editors do.
    #[test]
    fn random_edits_make_the_text_that_the_client_has() {
        let pieces =
            ["a", "😀", "e\u{301}", "\r\n", "\n", "\r", "字", "\u{feff}", "", "\u{2028}x\ny"];
        let mut seed = 7_u64;
        let mut below = |bound: usize| {
            // The numbers of Knuth's MMIX.
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % bound
        };
        let mut text = Text::new(String::new());
        let mut units: Vec<u16> = Vec::new();
        let is_break = |units: &[u16], at: usize| match units.get(at) {
            Some(10) => true,
            Some(13) => units.get(at + 1) != Some(&10),
            _ => false,
        };
        for _ in 0..2000 {
            let mut place = || loop {
                let at = below(units.len() + 1);
                let within = matches!(units.get(at), Some(0xDC00..=0xDFFF))
                    || at > 0 && units.get(at - 1) == Some(&13) && units.get(at) == Some(&10);
                if !within {
                    return at;
                }
            };
            let (one, other) = (place(), place());
            let (start, mut end) = (one.min(other), one.max(other));
            if end - start > 2 {
                end = start;
            }
            let position = |at: usize| {
                let breaks: Vec<usize> = (0..at).filter(|own| is_break(&units, *own)).collect();
                let line = breaks.last().map_or(0, |own| own + 1);
                let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
                Position::new(count(breaks.len()), count(at - line))
            };
            let range = Some(Range::new(position(start), position(end)));
            let piece = pieces.get(below(pieces.len())).copied().unwrap_or_default();
            let change = TextDocumentContentChangeEvent {
                range,
                range_length: None,
                text: piece.to_owned(),
            };
            text.change(change, Encoding::Utf16);
            units.splice(start..end, piece.encode_utf16());
            assert_eq!(Ok(text.as_str()), String::from_utf16(&units).as_deref().map_err(|_| ()));
        }
        assert!(units.len() > 300);
    }
}
