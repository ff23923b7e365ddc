//! Strings, borrowed from the text where they have no escape.

use std::borrow::Cow;

use super::{Read, Reader};
use crate::document::source::reading::Fault;

impl<'t> Reader<'t, '_, '_> {
    /// Reads the string whose opening quote stands here.
    pub(super) fn string(&mut self) -> Read<Cow<'t, str>> {
        let open = self.at;
        self.at += 1;
        let mut decoded = String::new();
        loop {
            let start = self.at;
            let rest = self.text.as_bytes().get(start..).unwrap_or_default();
            let plain = rest.iter().position(|&b| matches!(b, b'"' | b'\\' | 0..=0x1f));
            self.at += plain.unwrap_or(rest.len());
            let run = self.text.get(start..self.at).unwrap_or_default();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    if start == open + 1 {
                        return Ok(Cow::Borrowed(run));
                    }
                    decoded.push_str(run);
                    return Ok(Cow::Owned(decoded));
                }
                Some(b'\\') => {
                    decoded.push_str(run);
                    decoded.push(self.escape()?);
                    if start == open + 1 && decoded.capacity() < 64 {
                        decoded.reserve(64);
                    }
                }
                Some(control) => return Err(self.raw_control(control, open)),
                None => return Err(self.unclosed_string(open)),
            }
        }
    }

    /// Reads the escape whose backslash stands here.
    fn escape(&mut self) -> Read<char> {
        let start = self.at;
        let kind = self.text.as_bytes().get(start + 1).copied();
        self.at += 2;
        Ok(match kind {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => {
                let rest = self.text.get(start..).unwrap_or_default();
                let escape: String = rest.chars().take(2).collect();
                let shown = super::visible(&escape);
                let fault = self.fault(
                    start,
                    start + escape.len(),
                    format!("`{shown}` is no escape of JSON"),
                );
                return Err(Box::new(fault.help("a backslash itself is written `\\\\`")));
            }
        })
    }

    fn unicode_escape(&mut self, start: usize) -> Read<char> {
        let Some(unit) = self.hex4(start + 2) else {
            let rest = self.text.get(start + 2..).unwrap_or_default();
            let found: String = rest.chars().take(4).take_while(char::is_ascii_hexdigit).collect();
            let end = start + 2 + found.len();
            let message = format!("`\\u{found}` is not followed by four hexadecimal digits");
            return Err(self.fault(start, end, message));
        };
        self.at = start + 6;
        if let Some(c) = char::from_u32(unit) {
            return Ok(c);
        }
        // Half of a pair: only the first half, with the second behind it, is a character.
        let second = match self.text.as_bytes().get(self.at..self.at + 2) {
            Some(b"\\u") if unit < 0xDC00 => self.hex4(self.at + 2),
            _ => None,
        };
        let pair = second.filter(|low| (0xDC00..0xE000).contains(low));
        let joined = pair.map(|low| 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
        match joined.and_then(char::from_u32) {
            Some(c) => {
                self.at += 6;
                Ok(c)
            }
            None => {
                let escape = self.text.get(start..start + 6).unwrap_or_default();
                let message = format!("`{escape}` is a lone surrogate, which is no character");
                Err(self.fault(start, start + 6, message))
            }
        }
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.text.as_bytes().get(at..at + 4)?;
        digits.iter().try_fold(0, |unit, &b| Some(unit << 4 | char::from(b).to_digit(16)?))
    }

    fn raw_control(&self, control: u8, open: usize) -> Box<Fault> {
        let fault = match control {
            b'\n' | b'\r' => {
                let message = "a string goes on behind the end of its line";
                return Box::new(
                    self.fault(open, self.at, message).help("a line break is written `\\n`"),
                );
            }
            b'\t' => Fault::new(self.span(self.at, self.at + 1), "a raw tab in a string")
                .help("a tab is written `\\t`"),
            _ => {
                let message = format!("a raw control character U+{control:04X} in a string");
                Fault::new(self.span(self.at, self.at + 1), message)
                    .help(format!("it is written `\\u{control:04x}`"))
            }
        };
        fault.into()
    }

    fn unclosed_string(&self, open: usize) -> Box<Fault> {
        self.fault(open, self.at, "a string is not closed")
    }
}
