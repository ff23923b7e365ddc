//! Arithmetic that raises where the machine would wrap or leave the finite numbers.
//!
//! The folding of constants and the evaluator share it, so both agree to the bit.

use crate::signatures::Arithmetic;

/// Why an operation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    DivisionByZero,
    IntOverflow,
    NonFinite,
}

/// Truncates toward zero; the remainder has the sign of the dividend (OAR-EXPR-15, OAR-EXPR-21).
#[inline]
pub(crate) fn int(operation: Arithmetic, left: i64, right: i64) -> Result<i64, Fault> {
    let value = match operation {
        Arithmetic::Add => left.checked_add(right),
        Arithmetic::Subtract => left.checked_sub(right),
        Arithmetic::Multiply => left.checked_mul(right),
        Arithmetic::Divide | Arithmetic::Modulo if right == 0 => return Err(Fault::DivisionByZero),
        Arithmetic::Divide => left.checked_div(right),
        // Of the least int and -1 the quotient overflows, but the remainder is 0.
        Arithmetic::Modulo => Some(left.wrapping_rem(right)),
    };
    value.ok_or(Fault::IntOverflow)
}

/// Never yields an infinity or NaN (OAR-EXPR-14).
#[inline]
pub(crate) fn double(operation: Arithmetic, left: f64, right: f64) -> Result<f64, Fault> {
    let value = match operation {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide | Arithmetic::Modulo if right == 0.0 => {
            return Err(Fault::DivisionByZero);
        }
        Arithmetic::Divide => left / right,
        Arithmetic::Modulo => left % right,
    };
    if value.is_finite() { Ok(value) } else { Err(Fault::NonFinite) }
}

#[inline]
pub(crate) fn negate_int(value: i64) -> Result<i64, Fault> {
    value.checked_neg().ok_or(Fault::IntOverflow)
}

/// The int as the nearest double, for a comparison only (OAR-EXPR-10).
#[inline]
pub(crate) fn promote(value: i64) -> f64 {
    value as f64
}
