//! JSON by RFC 8259, strictly, with places.
//!
//! A reader of our own: `jsonc-parser` lets control characters, `1.` and blanks of other kinds
//! pass even at its strictest, and `json-syntax` has no limit of depth and overflows the stack in
//! its drop. This one takes as long as `serde_json` for a plain value, tells repeated members
//! with both places, and names what is wrong in the words of JSON.

mod number;
mod string;
#[cfg(test)]
mod tests;

use oar_expr::Span;

use super::build::Builder;
use super::pointer::join_pointer;
use super::reading::{Fault, Report};
use super::{Node, Number, ReadLimits, Text, Value};

/// Reads the one value of `text`, from the byte `start` on.
///
/// Repeated members go to `report` and reading goes on; anything else ends it.
pub(super) fn read(
    text: &str,
    start: usize,
    limits: &ReadLimits,
    report: &mut Report<'_>,
) -> Option<Node> {
    let mut reader =
        Reader { text, at: start, limits, report, builder: Builder::default(), nodes: 0 };
    match reader.document() {
        Ok(root) => Some(root),
        Err(fault) => {
            let pointer = reader.builder.pointer();
            reader.report.push(*fault, pointer);
            None
        }
    }
}

const EMPTY: &str = "the text is empty, where a value must stand";

/// Boxed, since the happy path should not carry its size.
type Read<T> = Result<T, Box<Fault>>;

struct Reader<'t, 'r, 'f> {
    text: &'t str,
    at: usize,
    limits: &'r ReadLimits,
    report: &'r mut Report<'f>,
    builder: Builder,
    nodes: usize,
}

impl Reader<'_, '_, '_> {
    fn document(&mut self) -> Read<Node> {
        self.skip_blanks();
        if self.peek().is_none() {
            return Err(self.fault(
                self.at,
                self.at,
                "the text is empty, where a value must stand",
            ));
        }
        loop {
            self.value()?;
            // Behind a value: what holds it ends or goes on.
            loop {
                self.skip_blanks();
                let Some((in_object, opened)) = self.builder.innermost() else {
                    return self.end();
                };
                let close = if in_object { b'}' } else { b']' };
                match self.peek() {
                    Some(b',') => {
                        let comma = self.at;
                        self.at += 1;
                        self.skip_blanks();
                        if self.peek() == Some(close) {
                            let message = format!("trailing comma before `{}`", char::from(close));
                            return Err(self.fault(comma, comma + 1, message));
                        }
                        if in_object {
                            self.name()?;
                        }
                        break;
                    }
                    Some(b) if b == close => self.close(),
                    _ => return Err(self.neither_comma_nor_close(in_object, opened)),
                }
            }
        }
    }

    /// Reads a scalar or an empty array or object whole, and of others the opening.
    fn value(&mut self) -> Read<()> {
        loop {
            self.skip_blanks();
            self.nodes += 1;
            if self.nodes > self.limits.nodes {
                let message = format!("more than {} values", self.limits.nodes);
                return Err(Fault::limit(self.span(self.at, self.at + 1), message).into());
            }
            let start = self.at;
            let value = match self.peek() {
                Some(b'"') => Value::String(Text::new(self.string()?)),
                Some(b'-' | b'0'..=b'9') => Value::Number(Number::new(self.number()?)),
                Some(b'{') => {
                    self.open(start)?;
                    self.builder.open_object(offset(start));
                    self.skip_blanks();
                    if self.peek() == Some(b'}') {
                        self.close();
                        return Ok(());
                    }
                    self.name()?;
                    continue;
                }
                Some(b'[') => {
                    self.open(start)?;
                    self.builder.open_array(offset(start));
                    self.skip_blanks();
                    if self.peek() == Some(b']') {
                        self.close();
                        return Ok(());
                    }
                    continue;
                }
                Some(b't') if self.word("true") => Value::Bool(true),
                Some(b'f') if self.word("false") => Value::Bool(false),
                Some(b'n') if self.word("null") => Value::Null,
                _ => return Err(self.no_value()),
            };
            self.builder.push(Node::new(self.span(start, self.at), value));
            return Ok(());
        }
    }

    fn open(&mut self, start: usize) -> Read<()> {
        if self.builder.depth() >= self.limits.depth {
            let message =
                format!("more than {} arrays and objects in one another", self.limits.depth);
            return Err(Fault::limit(self.span(start, start + 1), message).into());
        }
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.at += 1;
        let (node, repeated) = self.builder.close_apart(offset(self.at));
        if !repeated.is_empty() && self.report.has_room() {
            let pointer = self.builder.pointer();
            for repeated in repeated {
                let fault = Fault::repeated(&repeated.name, repeated.again, repeated.first);
                self.report.push(fault, join_pointer(&pointer, &repeated.name));
            }
        }
        if let Some(node) = node {
            self.builder.push(node);
        }
    }

    /// Reads the name of a member and its colon.
    fn name(&mut self) -> Read<()> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.no_name());
        }
        let name = self.string()?;
        let span = self.span(start, self.at);
        self.skip_blanks();
        if self.peek() != Some(b':') {
            let fault = self.unexpected("`:`");
            return Err(Box::new(fault.relate(span, "behind this name")));
        }
        self.at += 1;
        self.builder.name(name, span);
        Ok(())
    }

    /// The value is complete; nothing else may stand in the text.
    fn end(&mut self) -> Read<Node> {
        if self.peek().is_some() {
            let fault = match self.comment() {
                Some(fault) => fault,
                None => self.unexpected("the end of the text"),
            };
            return Err(fault.into());
        }
        self.builder.finish().ok_or_else(|| self.fault(self.at, self.at, EMPTY))
    }

    /// Takes `word` if it stands here and no longer word does.
    fn word(&mut self, word: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let whole =
            rest.starts_with(word.as_bytes()) && !rest.get(word.len()).is_some_and(|&b| is_word(b));
        if whole {
            self.at += word.len();
        }
        whole
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(offset(start), offset(end.min(self.text.len())))
    }

    fn fault(&self, start: usize, end: usize, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault::new(self.span(start, end), message))
    }
}

/// What went wrong, in the words of JSON. All of this is off the happy path.
impl Reader<'_, '_, '_> {
    /// What stands here, as far as it belongs together: a word, or one character.
    fn token(&self) -> &str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
        let length = match word.unwrap_or(rest.len()) {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            word => word,
        };
        rest.get(..length).unwrap_or_default()
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let token = self.token();
        let span = self.span(self.at, self.at + token.len());
        let message = match token {
            "" => format!("the text ends where {expected} must stand"),
            token => format!("found `{}` where {expected} must stand", visible(token)),
        };
        Fault::new(span, message)
    }

    fn no_value(&self) -> Box<Fault> {
        if let Some(fault) = self.comment() {
            return fault.into();
        }
        let token = self.token();
        let here = self.span(self.at, self.at + token.len());
        let fault = match token {
            "NaN" | "Infinity" => Fault::new(here, format!("`{token}` is no JSON number"))
                .help("a number is finite; a rule that needs a bound compares with a finite one"),
            "'" => Fault::new(here, "a string in single quotes").help("JSON strings stand in `\"`"),
            "+" | "." => Fault::new(here, format!("a number starts with `{token}`"))
                .help("a number starts with a digit, or with `-` and a digit"),
            "," | "]" | "}" | ":" | "" => self.unclosed(self.unexpected("a value")),
            word => {
                let fault = self.unexpected("a value");
                match word.to_ascii_lowercase().as_str() {
                    lower @ ("true" | "false" | "null") => {
                        fault.help(format!("did you mean `{lower}`?"))
                    }
                    "none" | "nil" | "undefined" => fault.help("did you mean `null`?"),
                    _ if word.starts_with(char::is_alphabetic) => {
                        fault.help("a string stands in `\"`")
                    }
                    _ => fault,
                }
            }
        };
        fault.into()
    }

    fn no_name(&self) -> Box<Fault> {
        if let Some(fault) = self.comment() {
            return fault.into();
        }
        let fault = self.unexpected("a member name in `\"`");
        let fault = match self.peek() {
            Some(b'\'') => fault.help("JSON strings stand in `\"`, not in `'`"),
            Some(b) if is_word(b) => fault.help(format!("write `\"{}\"`", self.token())),
            _ => self.unclosed(fault),
        };
        fault.into()
    }

    fn neither_comma_nor_close(&self, in_object: bool, opened: u32) -> Box<Fault> {
        if let Some(fault) = self.comment() {
            return fault.into();
        }
        let fault = match in_object {
            true => self.unexpected("`,` or `}`"),
            false => self.unexpected("`,` or `]`"),
        };
        fault.relate(Span::new(opened, opened + 1), "opened here").into()
    }

    /// Tells where the innermost array or object was opened, when the text ends within it.
    fn unclosed(&self, fault: Fault) -> Fault {
        match self.builder.innermost() {
            Some((_, opened)) if self.peek().is_none() => {
                fault.relate(Span::new(opened, opened + 1), "opened here")
            }
            _ => fault,
        }
    }

    fn comment(&self) -> Option<Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mark = ["//", "/*", "#"].into_iter().find(|mark| rest.starts_with(mark))?;
        let line = rest.lines().next().unwrap_or_default();
        let length = match rest.find("*/") {
            Some(end) if mark == "/*" && end < line.len() => end + 2,
            _ => line.trim_end().len(),
        };
        let span = self.span(self.at, self.at + length);
        let fault =
            Fault::new(span, format!("`{mark}` starts a comment, which JSON does not have"));
        Some(fault.help("YAML has comments that start with `#`"))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Texts of 4 GiB are refused before they come here.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// `token`, with a control character written as its code.
fn visible(token: &str) -> String {
    let show = |c: char| match c.is_control() {
        true => format!("U+{:04X}", u32::from(c)),
        false => c.to_string(),
    };
    token.chars().map(show).collect()
}
