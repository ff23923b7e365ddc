//! The canonical decimal form of a double ([OAR-COPY-10]), shared by copy and fingerprints.

/// `value` as the shortest decimal that reads back as the same binary64 ([OAR-COPY-10]).
///
/// Never an exponent, always a digit before the point and one behind it, and no sign on zero.
/// `value` must be finite: the engine refuses other doubles where they enter ([OAR-FACT-23]).
///
/// ```
/// use oar_engine::observe::canonical_double;
/// assert_eq!(canonical_double(1.0), "1.0");
/// assert_eq!(canonical_double(1e-7), "0.0000001");
/// assert_eq!(canonical_double(-0.0), "0.0");
/// ```
#[must_use]
pub fn canonical_double(value: f64) -> String {
    let mut text = String::new();
    write_double(&mut text, value);
    text
}

/// Appends the canonical form of `value` to `out`.
pub(crate) fn write_double(out: &mut String, value: f64) {
    if value == 0.0 {
        out.push_str("0.0");
        return;
    }
    let mut buffer = ryu::Buffer::new();
    let shortest = buffer.format_finite(value);
    let (sign, magnitude) = match shortest.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", shortest),
    };
    out.push_str(sign);
    let (significand, exponent) = match magnitude.split_once('e') {
        Some((significand, exponent)) => (significand, exponent.parse().unwrap_or(0)),
        None => (magnitude, 0_i32),
    };
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    let fraction = if fraction == "0" { "" } else { fraction };
    expand(out, whole, fraction, exponent);
}

/// Writes `whole.fraction × 10^exponent` without an exponent.
fn expand(out: &mut String, whole: &str, fraction: &str, exponent: i32) {
    let digits = format!("{whole}{fraction}");
    let point = i64::from(exponent) + i64::try_from(whole.len()).unwrap_or(0);
    let zeros = |count: i64| std::iter::repeat_n('0', usize::try_from(count).unwrap_or(0));
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    if point <= 0 {
        out.push_str("0.");
        out.extend(zeros(-point));
        out.push_str(&digits);
    } else if point >= length {
        out.push_str(&digits);
        out.extend(zeros(point - length));
        out.push_str(".0");
    } else {
        let (before, after) = digits.split_at(usize::try_from(point).unwrap_or(0));
        out.push_str(before);
        out.push('.');
        out.push_str(after);
    }
}

#[cfg(test)]
mod tests {
    use super::canonical_double;

    #[test]
    fn doubles_have_one_decimal_form() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "0.0"),
            (1.0, "1.0"),
            (-2.5, "-2.5"),
            (1e-7, "0.0000001"),
            (-1e-7, "-0.0000001"),
            (123.456, "123.456"),
            (1e15, "1000000000000000.0"),
            (1e16, "10000000000000000.0"),
            (1e17, "100000000000000000.0"),
            (1.5e20, "150000000000000000000.0"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (0.1, "0.1"),
            (0.3, "0.3"),
            (1.0 / 3.0, "0.3333333333333333"),
            // Halfway between two decimals of equal length: the even one.
            (1.5 + 1.0 / 131_072.0, "1.5000076293945312"),
            (-1.5 - 1.0 / 131_072.0, "-1.5000076293945312"),
        ] {
            assert_eq!(canonical_double(value), text);
        }
    }

    #[test]
    fn the_limits_expand_fully() {
        let largest = canonical_double(f64::MAX);
        assert!(largest.starts_with("17976931348623157000") && largest.ends_with("000.0"));
        assert_eq!(largest.len(), 309 + 2);
        let least = canonical_double(5e-324);
        assert!(least.starts_with("0.000") && least.ends_with("0005"));
        assert_eq!(least.len(), 2 + 324);
    }

    #[test]
    fn the_form_reads_back_as_the_same_value() {
        let mut bits = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let value = f64::from_bits(bits);
            if value.is_finite() {
                let text = canonical_double(value);
                assert!(!text.contains(['e', 'E']), "{text}");
                assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
            }
        }
    }
}
