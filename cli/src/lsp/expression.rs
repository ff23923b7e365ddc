//! What stands at a place of a condition or of copy, whole or half typed.

use std::ops::Range;

/// A piece of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A name, dots included.
    Name(Range<usize>),
    /// The characters of a string, and the function whose argument it begins.
    Text(Range<usize>, Option<&'t str>),
}

/// The token of a condition that `at` lies in or ends.
pub(super) fn token(text: &str, at: usize) -> Option<Token<'_>> {
    let mut rest = text.char_indices().peekable();
    // The name before, and whether a parenthesis was opened behind it.
    let (mut name, mut called) = (None, false);
    while let Some((start, c)) = rest.next() {
        if start > at {
            return None;
        }
        if c == '"' || c == '\'' {
            let mut escaped = false;
            let mut end = text.len();
            for (next, own) in rest.by_ref() {
                match own {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    _ if own == c => {
                        end = next;
                        break;
                    }
                    _ => {}
                }
            }
            if start < at && at <= end {
                return Some(Token::Text(start + 1..end, name.filter(|_| called)));
            }
            (name, called) = (None, false);
        } else if c.is_ascii_alphabetic() || c == '_' {
            let mut end = start + 1;
            while let Some((next, _)) =
                rest.next_if(|(_, own)| own.is_ascii_alphanumeric() || matches!(own, '_' | '.'))
            {
                end = next + 1;
            }
            if at <= end {
                return Some(Token::Name(start..end));
            }
            (name, called) = (text.get(start..end), false);
        } else if c == '(' {
            called = name.is_some();
        } else if !c.is_whitespace() {
            (name, called) = (None, false);
        }
    }
    None
}

/// Where the name begins that is typed up to `at`: it is empty where none is.
pub(super) fn typed(text: &str, at: usize) -> Option<Range<usize>> {
    match token(text, at) {
        Some(Token::Name(range)) => Some(range.start..at),
        Some(Token::Text(..)) => None,
        None => Some(at..at),
    }
}

/// The name in the braces of a template that `at` lies in, as far as it is typed.
pub(super) fn in_copy(text: &str, at: usize) -> Option<Range<usize>> {
    let before = text.get(..at)?;
    let opened = before.rfind("{{").max(before.rfind("{%"))?;
    let inner = before.get(opened + 2..)?;
    if inner.contains(['}', '\n']) {
        return None;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let start = at - inner.chars().rev().take_while(|c| is_part(*c)).count();
    let rest = text.get(at..).unwrap_or_default();
    let end = at + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_at_their_places() {
        let text = r#"tool == "a b" && fire_count_of( "X"#;
        for (at, wanted) in [
            (0, Some(Token::Name(0..4))),
            (4, Some(Token::Name(0..4))),
            (6, None),
            (9, Some(Token::Text(9..12, None))),
            (12, Some(Token::Text(9..12, None))),
            (20, Some(Token::Name(17..30))),
            (34, Some(Token::Text(33..34, Some("fire_count_of")))),
        ] {
            assert_eq!(token(text, at), wanted, "{at}");
        }
        assert_eq!(token("'a' b", 4), Some(Token::Name(4..5)));
        assert_eq!(token("f(x, 'a')", 6), Some(Token::Text(6..7, None)));
        assert_eq!(token("é", 0), None);
    }

    #[test]
    fn names_in_copy_are_found() {
        let text = "a {{ to }} b {% if x.y %}";
        assert_eq!(in_copy(text, 6), Some(5..7));
        assert_eq!(in_copy(text, 21), Some(19..22));
        assert_eq!(in_copy(text, 12), None);
        assert_eq!(in_copy("{{ ", 3), Some(3..3));
    }
}
