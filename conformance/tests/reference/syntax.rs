//! The grammar of conditions (Appendix A.1), by recursive descent over characters.

use super::value::Val;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Literal(Val),
    /// 9223372036854775808, which only a minus directly in front admits ([OAR-EXPR-21]).
    LeastMagnitude,
    List(Vec<Expr>),
    Name(String),
    Call(String, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(String, Box<Expr>, Box<Expr>),
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Int(String),
    Double(String),
    Text(String),
    /// An identifier or a reserved word.
    Word(String),
    Sign(&'static str),
    End,
}

const SIGNS: [&str; 22] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "+", "-", "*", "/", "%", "?", ":", "(", ")",
    "[", "]", ",", ".",
];

/// The tree of a condition; `None` when the grammar does not derive it.
pub(crate) fn parse(text: &str) -> Option<Expr> {
    let tokens = lex(text)?;
    let mut parser = Parser { tokens, at: 0 };
    let tree = parser.ternary()?;
    (*parser.peek() == Token::End).then_some(tree)
}

/// Counts as [OAR-EXPR-20] says.
pub(crate) fn nodes(expr: &Expr) -> u64 {
    1 + match expr {
        Expr::Literal(_) | Expr::LeastMagnitude | Expr::Name(_) => 0,
        Expr::List(items) | Expr::Call(_, items) => items.iter().map(nodes).sum(),
        Expr::Not(a) | Expr::Minus(a) => nodes(a),
        Expr::Index(a, b) | Expr::Binary(_, a, b) => nodes(a) + nodes(b),
        Expr::Ternary(a, b, c) => nodes(a) + nodes(b) + nodes(c),
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn lex(text: &str) -> Option<Vec<Token>> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = at(i);
        if matches!(c, ' ' | '\t' | '\n' | '\r') {
            i += 1;
        } else if c.is_ascii_digit() {
            let start = i;
            while at(i).is_ascii_digit() {
                i += 1;
            }
            let is_double = at(i) == '.' && at(i + 1).is_ascii_digit();
            if is_double {
                i += 1;
                while at(i).is_ascii_digit() {
                    i += 1;
                }
            }
            let digits: String = chars[start..i].iter().collect();
            tokens.push(if is_double { Token::Double(digits) } else { Token::Int(digits) });
        } else if is_letter(c) {
            // A dotted name is one token ([OAR-EXPR-2]).
            let start = i;
            loop {
                while is_letter(at(i)) || at(i).is_ascii_digit() {
                    i += 1;
                }
                if at(i) == '.' && is_letter(at(i + 1)) {
                    i += 1;
                } else {
                    break;
                }
            }
            tokens.push(Token::Word(chars[start..i].iter().collect()));
        } else if c == '"' || c == '\'' {
            let (text, end) = literal(&chars, i)?;
            tokens.push(Token::Text(text));
            i = end;
        } else {
            let rest: String = chars[i..].iter().take(2).collect();
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
            tokens.push(Token::Sign(sign));
            i += sign.len();
        }
    }
    tokens.push(Token::End);
    Some(tokens)
}

/// The string literal that begins at `start`, and where it ends ([OAR-EXPR-3]).
fn literal(chars: &[char], start: usize) -> Option<(String, usize)> {
    let quote = chars[start];
    // UTF-16, since two escapes can be the halves of one code point.
    let mut units: Vec<u16> = Vec::new();
    let mut text = String::new();
    let mut i = start + 1;
    loop {
        let c = *chars.get(i)?;
        let is_unit = c == '\\' && chars.get(i + 1) == Some(&'u');
        if !is_unit {
            text.push_str(&String::from_utf16(&units).ok()?);
            units.clear();
        }
        if c == quote {
            return Some((text, i + 1));
        } else if matches!(c, '\n' | '\r') {
            return None;
        } else if is_unit {
            let digits = chars.get(i + 2..i + 6)?;
            if !digits.iter().all(char::is_ascii_hexdigit) {
                return None;
            }
            let digits: String = digits.iter().collect();
            units.push(u16::from_str_radix(&digits, 16).ok()?);
            i += 6;
        } else if c == '\\' {
            text.push(match *chars.get(i + 1)? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                c @ ('\\' | '"' | '\'') => c,
                _ => return None,
            });
            i += 2;
        } else {
            text.push(c);
            i += 1;
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn take(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        if token != Token::End {
            self.at += 1;
        }
        token
    }

    /// The next token, if it is one of `signs`; `in` is a sign in this respect.
    fn sign(&mut self, signs: &[&str]) -> Option<String> {
        let found = match self.peek() {
            Token::Sign(sign) if signs.contains(sign) => (*sign).to_owned(),
            Token::Word(word) if word == "in" && signs.contains(&"in") => word.clone(),
            _ => return None,
        };
        self.at += 1;
        Some(found)
    }

    fn ternary(&mut self) -> Option<Expr> {
        let condition = self.left(&["||"], |p| p.left(&["&&"], Self::relation))?;
        if self.sign(&["?"]).is_none() {
            return Some(condition);
        }
        let yes = self.ternary()?;
        self.sign(&[":"])?;
        let no = self.ternary()?;
        Some(Expr::Ternary(condition.into(), yes.into(), no.into()))
    }

    /// `operand { sign operand }`, grouped from the left.
    fn left(
        &mut self,
        signs: &[&str],
        operand: impl Fn(&mut Self) -> Option<Expr>,
    ) -> Option<Expr> {
        let mut tree = operand(self)?;
        while let Some(sign) = self.sign(signs) {
            tree = Expr::Binary(sign, tree.into(), operand(self)?.into());
        }
        Some(tree)
    }

    fn relation(&mut self) -> Option<Expr> {
        let left = self.addition()?;
        match self.sign(&["==", "!=", "<", "<=", ">", ">=", "in"]) {
            Some(sign) => Some(Expr::Binary(sign, left.into(), self.addition()?.into())),
            None => Some(left),
        }
    }

    fn addition(&mut self) -> Option<Expr> {
        self.left(&["+", "-"], |p| p.left(&["*", "/", "%"], Self::unary))
    }

    fn unary(&mut self) -> Option<Expr> {
        if self.sign(&["!"]).is_some() {
            return Some(Expr::Not(self.postfix(false)?.into()));
        }
        if self.sign(&["-"]).is_some() {
            return Some(Expr::Minus(self.postfix(true)?.into()));
        }
        self.postfix(false)
    }

    fn postfix(&mut self, follows_minus: bool) -> Option<Expr> {
        let mut tree = self.primary(follows_minus)?;
        while self.sign(&["["]).is_some() {
            let index = self.ternary()?;
            self.sign(&["]"])?;
            tree = Expr::Index(tree.into(), index.into());
        }
        Some(tree)
    }

    fn primary(&mut self, follows_minus: bool) -> Option<Expr> {
        match self.take() {
            Token::Int(digits) => int(&digits, follows_minus),
            Token::Double(digits) => {
                let value: f64 = digits.parse().ok()?;
                value.is_finite().then_some(Expr::Literal(Val::Double(value)))
            }
            Token::Text(text) => Some(Expr::Literal(Val::Text(text))),
            Token::Word(word) => match word.as_str() {
                "true" => Some(Expr::Literal(Val::Bool(true))),
                "false" => Some(Expr::Literal(Val::Bool(false))),
                "in" => None,
                _ if self.sign(&["("]).is_some() => Some(Expr::Call(word, self.items(")")?)),
                _ => Some(Expr::Name(word)),
            },
            Token::Sign("(") => {
                let tree = self.ternary()?;
                self.sign(&[")"])?;
                Some(tree)
            }
            Token::Sign("[") => Some(Expr::List(self.items("]")?)),
            Token::Sign(_) | Token::End => None,
        }
    }

    /// `[ condition { "," condition } ]` and the closing sign.
    fn items(&mut self, close: &str) -> Option<Vec<Expr>> {
        let mut items = Vec::new();
        if self.sign(&[close]).is_some() {
            return Some(items);
        }
        loop {
            items.push(self.ternary()?);
            if self.sign(&[close]).is_some() {
                return Some(items);
            }
            self.sign(&[","])?;
        }
    }
}

fn int(digits: &str, follows_minus: bool) -> Option<Expr> {
    let digits = digits.trim_start_matches('0');
    if digits == "9223372036854775808" && follows_minus {
        return Some(Expr::LeastMagnitude);
    }
    let value = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    Some(Expr::Literal(Val::Int(value)))
}
