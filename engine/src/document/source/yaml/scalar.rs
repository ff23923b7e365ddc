//! What a plain scalar means by the core schema of YAML 1.2 (its section 10.3.2).

use crate::document::source::Number;

/// What a plain scalar is.
#[derive(Debug, PartialEq)]
pub(super) enum Plain {
    /// Nothing is written; a null.
    Empty,
    Null,
    Bool(bool),
    Number(Number),
    /// An infinity, or no number at all by its own name.
    NotFinite,
    /// A hexadecimal or octal number beyond what is converted.
    TooLarge,
    String,
}

pub(super) fn resolve(text: &str) -> Plain {
    match text {
        "" => Plain::Empty,
        "~" | "null" | "Null" | "NULL" => Plain::Null,
        "true" | "True" | "TRUE" => Plain::Bool(true),
        "false" | "False" | "FALSE" => Plain::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Plain::NotFinite,
        _ if is_infinity(text) => Plain::NotFinite,
        _ => number(text).unwrap_or(Plain::String),
    }
}

fn is_infinity(text: &str) -> bool {
    matches!(text.strip_prefix(['-', '+']).unwrap_or(text), ".inf" | ".Inf" | ".INF")
}

/// The number that `text` writes, in JSON's spelling.
fn number(text: &str) -> Option<Plain> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let some = |part: &str| !part.is_empty() && digits(part);
    let power = exponent.map(|e| e.strip_prefix(['-', '+']).unwrap_or(e));
    let sound = digits(whole)
        && fraction.is_none_or(digits)
        && (some(whole) || fraction.is_some_and(some))
        && power.is_none_or(some);
    if !sound {
        return None;
    }
    let mut json = String::with_capacity(text.len() + 2);
    if text.starts_with('-') {
        json.push('-');
    }
    match whole.trim_start_matches('0') {
        "" => json.push('0'),
        whole => json.push_str(whole),
    }
    if let Some(fraction) = fraction {
        json.push('.');
        json.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        json.push('e');
        json.push_str(exponent);
    }
    Some(Plain::Number(Number::new(json)))
}

fn radix(digits: &str, radix: u32) -> Option<Plain> {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    Some(match u128::from_str_radix(digits, radix) {
        Ok(value) => Plain::Number(Number::new(value.to_string())),
        Err(_) => Plain::TooLarge,
    })
}
