//! Numbers, taken as their text.

use super::{Read, Reader};
use crate::document::source::reading::Fault;

impl<'t> Reader<'t, '_, '_> {
    /// Reads the number that starts here with `-` or a digit.
    pub(super) fn number(&mut self) -> Read<&'t str> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let digits = self.at;
        self.digits();
        match self.at - digits {
            0 => return Err(self.bad_number(start, "has no digit behind its `-`")),
            1 => {}
            _ if self.text.as_bytes().get(digits) == Some(&b'0') => {
                return Err(self.bad_number(start, "has a leading zero"));
            }
            _ => {}
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.bad_number(start, "has no digit behind its `.`"));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.bad_number(start, "has no digit in its exponent"));
            }
        }
        match self.peek() {
            Some(b) if super::is_word(b) || b == b'.' => Err(self.bad_number(start, "")),
            _ => Ok(self.text.get(start..self.at).unwrap_or_default()),
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - start
    }

    /// The number that starts at `start` is none, because it `has` something; the whole of what
    /// looks like one is shown.
    fn bad_number(&self, start: usize, has: &str) -> Box<Fault> {
        let rest = self.text.get(start..).unwrap_or_default();
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '-');
        let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
        let number = rest.get(..length).unwrap_or_default();
        let fault = match number.strip_prefix('-').unwrap_or(number) {
            "NaN" | "Infinity" => format!("`{number}` is no JSON number"),
            _ if has.is_empty() => format!("`{number}` is no JSON number"),
            _ => format!("the number `{number}` {has}"),
        };
        self.fault(start, start + length, fault)
    }
}
