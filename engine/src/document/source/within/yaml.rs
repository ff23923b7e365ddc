//! YAML scalars: plain and quoted ones, whose lines are folded, and escapes in double quotes.

use super::{Trace, block};

/// Scans `raw`, a scalar that starts where its text does; a block scalar may be followed by the
/// rest of the file. Gives where its characters end.
pub(super) fn trace(raw: &str, length: usize, trace: &mut Trace<'_>) -> Option<usize> {
    let (style, start, end) = match raw.bytes().next()? {
        b'|' | b'>' => return block::trace(raw, trace),
        b'\'' => (Style::Single, 1, length.checked_sub(1)?),
        b'"' => (Style::Double, 1, length.checked_sub(1)?),
        _ => (Style::Plain, 0, length),
    };
    let mut scan = Scan { raw: raw.get(..end)?, at: start };
    while let Some(c) = scan.peek() {
        match c {
            ' ' | '\t' => {
                let blanks = scan.at..scan.blanks_end(scan.at);
                match scan.raw.get(blanks.end..)?.chars().next() {
                    Some('\n' | '\r') => scan.fold(trace)?,
                    _ => {
                        for at in blanks {
                            trace.put(scan.peek()?, at..at + 1);
                            scan.at += 1;
                        }
                    }
                }
            }
            '\n' | '\r' => scan.fold(trace)?,
            '\'' if style == Style::Single => {
                trace.put('\'', scan.at..scan.at + 2);
                scan.at += 2;
            }
            '\\' if style == Style::Double => scan.escape(trace)?,
            plain => {
                let next = scan.at + plain.len_utf8();
                trace.put(plain, scan.at..next);
                scan.at = next;
            }
        }
    }
    Some(end)
}

#[derive(PartialEq)]
enum Style {
    Plain,
    Single,
    Double,
}

struct Scan<'t> {
    raw: &'t str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<char> {
        self.raw.get(self.at..)?.chars().next()
    }

    fn blanks_end(&self, from: usize) -> usize {
        let rest = self.raw.get(from..).unwrap_or_default();
        from + rest.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(rest.len())
    }

    /// One break with the blanks around it is a blank; of several, each but the first is itself.
    fn fold(&mut self, trace: &mut Trace<'_>) -> Option<()> {
        let start = self.at;
        let first = self.blanks_end(start);
        let mut next = first + break_length(self.raw.get(first..)?)?;
        next = self.blanks_end(next);
        let mut breaks = 1;
        while let Some(length) = break_length(self.raw.get(next..)?) {
            trace.put('\n', next..next + length);
            next = self.blanks_end(next + length);
            breaks += 1;
        }
        if breaks == 1 {
            trace.put(' ', start..next);
        }
        self.at = next;
        Some(())
    }

    fn escape(&mut self, trace: &mut Trace<'_>) -> Option<()> {
        let start = self.at;
        let rest = self.raw.get(start + 1..)?;
        if let Some(length) = break_length(rest) {
            // An escaped break is nothing; the empty lines behind it count.
            let mut next = self.blanks_end(start + 1 + length);
            while let Some(length) = break_length(self.raw.get(next..)?) {
                trace.put('\n', next..next + length);
                next = self.blanks_end(next + length);
            }
            self.at = next;
            return Some(());
        }
        let kind = rest.chars().next()?;
        let digits = match kind {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let decoded = match kind {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' | 'u' | 'U' => {
                char::from_u32(u32::from_str_radix(rest.get(1..=digits)?, 16).ok()?)?
            }
            itself => itself,
        };
        self.at = start + 1 + kind.len_utf8() + digits;
        trace.put(decoded, start..self.at);
        Some(())
    }
}

/// The length of the line break that `text` starts with.
pub(super) fn break_length(text: &str) -> Option<usize> {
    match text.as_bytes() {
        [b'\r', b'\n', ..] => Some(2),
        [b'\r' | b'\n', ..] => Some(1),
        _ => None,
    }
}
