//! Cuts a condition into tokens, one at a time, up to the first mistake.
//!
//! Names are greedy and a dotted name is one token (OAR-EXPR-2, OAR-EXPR-24). String literals
//! are decoded here, into one buffer that the tree then owns. The parser is the only caller.

use crate::error::{Error, ErrorKind, NumberForm};
use crate::span::Span;

/// The kinds of tokens. Punctuation is named after its look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Name,
    True,
    False,
    In,
    Int,
    Double,
    /// A string, decoded to `text[start..end]` of the lexer.
    String {
        start: u32,
        end: u32,
    },
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Comma,
    Question,
    Colon,
    Dot,
    OrOr,
    AndAnd,
    EqualEqual,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Bang,
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

pub(crate) struct Lexer<'s> {
    source: &'s str,
    /// A byte offset on a character boundary, at most `source.len()`, which fits `u32`.
    position: usize,
    /// The decoded string literals, one behind the other.
    text: String,
}

/// An offset into a source; the parser refuses sources beyond `u32`.
pub(crate) fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self { source, position: 0, text: String::new() }
    }

    /// The buffer of decoded strings.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// The text at `span`.
    pub(crate) fn slice(&self, span: Span) -> &'s str {
        self.source.get(span.range()).unwrap_or_default()
    }

    fn at(&self, position: usize) -> u8 {
        // NUL is refused like any other stray character, so it may stand for the end here.
        self.source.as_bytes().get(position).copied().unwrap_or(0)
    }

    fn span(&self, start: usize) -> Span {
        Span::new(offset(start), offset(self.position))
    }

    fn run(&self, from: usize, accept: impl Fn(u8) -> bool) -> usize {
        let rest = self.source.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| accept(**byte)).count()
    }

    /// The next token; [`TokenKind::End`] behind the last, again and again.
    pub(crate) fn next(&mut self) -> Result<Token, Error> {
        self.position =
            self.run(self.position, |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        let start = self.position;
        let Some(&byte) = self.source.as_bytes().get(start) else {
            return Ok(Token { kind: TokenKind::End, span: self.span(start) });
        };
        let kind = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name(),
            b'0'..=b'9' => self.number()?,
            b'"' | b'\'' => self.string(byte)?,
            _ => self.punctuation(byte)?,
        };
        Ok(Token { kind, span: self.span(start) })
    }

    fn name(&mut self) -> TokenKind {
        let start = self.position;
        loop {
            self.position = self.run(self.position, is_word);
            let next = self.at(self.position + 1);
            if self.at(self.position) != b'.' || !is_word(next) || next.is_ascii_digit() {
                break;
            }
            self.position += 1;
        }
        match self.slice(self.span(start)) {
            "true" => TokenKind::True,
            "false" => TokenKind::False,
            "in" => TokenKind::In,
            _ => TokenKind::Name,
        }
    }

    fn number(&mut self) -> Result<TokenKind, Error> {
        let start = self.position;
        let mut kind = TokenKind::Int;
        self.position = self.run(start, |byte| byte.is_ascii_digit());
        if self.at(self.position) == b'.' && self.at(self.position + 1).is_ascii_digit() {
            kind = TokenKind::Double;
            self.position = self.run(self.position + 1, |byte| byte.is_ascii_digit());
        }
        let word = self.run(self.position, is_word);
        let glued = Span::new(offset(self.position), offset(word));
        // White space between tokens is not significant, so `1in` is the two tokens `1` and `in`.
        if self.at(word) != b'.' && matches!(self.slice(glued), "" | "in") {
            return Ok(kind);
        }
        Err(self.bad_number(start))
    }

    /// The error for the number-like text at `start`, whatever shape it has.
    pub(crate) fn bad_number(&self, start: usize) -> Error {
        let mut end = self.run(start, |byte| is_word(byte) || byte == b'.');
        let hexadecimal = matches!(self.at(start + 1), b'x' | b'X') && self.at(start) == b'0';
        let letters = self.slice(Span::new(offset(start), offset(end)));
        if matches!(after_digits(letters), "e" | "E")
            && matches!(self.at(end), b'+' | b'-')
            && self.at(end + 1).is_ascii_digit()
        {
            end = self.run(end + 1, is_word);
        }
        let span = Span::new(offset(start), offset(end));
        let text = self.slice(span);
        let suffix = after_digits(text);
        let form = if hexadecimal {
            NumberForm::Hexadecimal
        } else if is_exponent(suffix) {
            NumberForm::Exponent
        } else if matches!(suffix, "u" | "U") {
            NumberForm::Unsigned
        } else if suffix.is_empty() {
            NumberForm::Point
        } else {
            NumberForm::Other
        };
        Error::new(ErrorKind::Number { text: text.to_owned(), form }, span)
    }

    /// The point at `span` with what is glued to it.
    pub(crate) fn dotted(&self, span: Span) -> Span {
        let end = self.run(span.end as usize, |byte| is_word(byte) || byte == b'.');
        Span::new(span.start, offset(end))
    }

    fn string(&mut self, quote: u8) -> Result<TokenKind, Error> {
        let open = self.position;
        let start = offset(self.text.len());
        self.position += 1;
        loop {
            let from = self.position;
            self.position = self
                .run(from, |byte| byte != quote && byte != b'\\' && byte != b'\n' && byte != b'\r');
            let plain = self.slice(self.span(from));
            self.text.push_str(plain);
            if self.position >= self.source.len() {
                return Err(Error::new(ErrorKind::Unterminated, self.span(open)));
            }
            match self.at(self.position) {
                b'\\' => self.escape(open)?,
                b'\n' | b'\r' => return Err(Error::new(ErrorKind::LineBreak, self.span(open))),
                _ => {
                    self.position += 1;
                    return Ok(TokenKind::String { start, end: offset(self.text.len()) });
                }
            }
        }
    }

    /// Decodes the escape at the position (OAR-EXPR-3).
    fn escape(&mut self, open: usize) -> Result<(), Error> {
        let start = self.position;
        let rest = self.source.get(start + 1..).unwrap_or_default();
        let Some(character) = rest.chars().next() else {
            self.position = self.source.len();
            return Err(Error::new(ErrorKind::Unterminated, self.span(open)));
        };
        self.position += 1 + character.len_utf8();
        let decoded = match character {
            '\\' | '"' | '\'' => character,
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => self.code_point(start)?,
            '\n' | '\r' => {
                self.position = start;
                return Err(Error::new(ErrorKind::LineBreak, self.span(open)));
            }
            _ => return Err(self.bad_escape(start)),
        };
        self.text.push(decoded);
        Ok(())
    }

    fn bad_escape(&self, start: usize) -> Error {
        let span = self.span(start);
        Error::new(ErrorKind::Escape { escape: self.slice(span).to_owned() }, span)
    }

    /// Reads the four digits of a `\u`, and the second escape of a surrogate pair.
    fn code_point(&mut self, start: usize) -> Result<char, Error> {
        let Some(first) = self.four_digits() else { return Err(self.bad_escape(start)) };
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        let lone = self.span(start);
        if first < 0xDC00 && self.at(self.position) == b'\\' && self.at(self.position + 1) == b'u' {
            let second = self.position;
            self.position += 2;
            let Some(low) = self.four_digits() else { return Err(self.bad_escape(second)) };
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00);
                if let Some(character) = char::from_u32(code) {
                    return Ok(character);
                }
            }
        }
        Err(Error::new(ErrorKind::Surrogate { escape: self.slice(lone).to_owned() }, lone))
    }

    /// Consumes up to four hexadecimal digits; `None` when there are fewer.
    fn four_digits(&mut self) -> Option<u32> {
        let start = self.position;
        let digits = self.run(start, |byte| byte.is_ascii_hexdigit());
        self.position = digits.min(start + 4);
        let text = self.slice(self.span(start));
        if text.len() == 4 { u32::from_str_radix(text, 16).ok() } else { None }
    }

    fn punctuation(&mut self, byte: u8) -> Result<TokenKind, Error> {
        let start = self.position;
        let next = self.at(start + 1);
        let (kind, length) = match (byte, next) {
            (b'/', b'/' | b'*') | (b'#', _) => return Err(self.comment()),
            (b'(', _) => (TokenKind::OpenParen, 1),
            (b')', _) => (TokenKind::CloseParen, 1),
            (b'[', _) => (TokenKind::OpenBracket, 1),
            (b']', _) => (TokenKind::CloseBracket, 1),
            (b',', _) => (TokenKind::Comma, 1),
            (b'?', _) => (TokenKind::Question, 1),
            (b':', _) => (TokenKind::Colon, 1),
            (b'.', _) => (TokenKind::Dot, 1),
            (b'|', b'|') => (TokenKind::OrOr, 2),
            (b'&', b'&') => (TokenKind::AndAnd, 2),
            (b'=', b'=') => (TokenKind::EqualEqual, 2),
            (b'!', b'=') => (TokenKind::NotEqual, 2),
            (b'<', b'=') => (TokenKind::LessEqual, 2),
            (b'>', b'=') => (TokenKind::GreaterEqual, 2),
            (b'<', _) => (TokenKind::Less, 1),
            (b'>', _) => (TokenKind::Greater, 1),
            (b'+', _) => (TokenKind::Plus, 1),
            (b'-', _) => (TokenKind::Minus, 1),
            (b'*', _) => (TokenKind::Star, 1),
            (b'/', _) => (TokenKind::Slash, 1),
            (b'%', _) => (TokenKind::Percent, 1),
            (b'!', _) => (TokenKind::Bang, 1),
            (b'|', _) => return Err(self.half("|", "||")),
            (b'&', _) => return Err(self.half("&", "&&")),
            (b'=', _) => return Err(self.half("=", "==")),
            _ => {
                let rest = self.source.get(start..).unwrap_or_default();
                let character = rest.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                self.position += character.len_utf8();
                return Err(Error::new(ErrorKind::Character { character }, self.span(start)));
            }
        };
        self.position += length;
        Ok(kind)
    }

    fn half(&mut self, found: &'static str, meant: &'static str) -> Error {
        let start = self.position;
        self.position += 1;
        Error::new(ErrorKind::HalfOperator { found, meant }, self.span(start))
    }

    /// The comment at the position, up to its own end (OAR-EXPR-6).
    fn comment(&self) -> Error {
        let rest = self.source.get(self.position..).unwrap_or_default();
        let length = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        };
        let end = self.position + length;
        Error::new(ErrorKind::Comment, Span::new(offset(self.position), offset(end)))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn after_digits(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
}

fn is_exponent(text: &str) -> bool {
    let Some(digits) = text.strip_prefix(['e', 'E']) else { return false };
    let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
