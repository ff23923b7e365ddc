//! A number as its text: exact until somebody says which type it should have.

/// A number as JSON text, so that no digit is lost before its type is known.
///
/// In a JSON source it is the text as written; a YAML source may have spelt it another way
/// (`0x1F`, `+1`, `.5`), which is turned into JSON's spelling of the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(Box<str>);

impl Number {
    /// `text` must be a number by the grammar of RFC 8259.
    pub(super) fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is written as an integer: without fraction and without exponent.
    #[must_use]
    pub fn is_integer_text(&self) -> bool {
        !self.0.bytes().any(|b| matches!(b, b'.' | b'e' | b'E'))
    }

    /// Its value, when it is written as an integer and lies in -2^63 .. 2^63-1. `5.0` and `1e3`
    /// are no integers (OAR-FACT-23).
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        // A fraction or an exponent does not parse as an integer.
        self.0.parse().ok()
    }

    /// Its value, when it is written as an integer and lies in 0 .. 2^64-1.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        if &*self.0 == "-0" { Some(0) } else { self.0.parse().ok() }
    }

    /// The nearest double; `None` when that is not finite.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|double: &f64| double.is_finite())
    }

    /// The nearest number that `serde_json` can hold. One beyond the doubles becomes the
    /// outermost double of its sign.
    pub(super) fn to_json(&self) -> serde_json::Number {
        // `serde_json` itself reads `-0` as a double, for its sign.
        if &*self.0 != "-0" {
            if let Some(int) = self.as_i64() {
                return int.into();
            }
            if let Some(int) = self.as_u64() {
                return int.into();
            }
        }
        let double = self.0.parse::<f64>().unwrap_or(0.0).clamp(f64::MIN, f64::MAX);
        serde_json::Number::from_f64(double).unwrap_or_else(|| 0.into())
    }
}
