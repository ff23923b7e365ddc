//! JSON strings: every escape stands for one character.

use super::Trace;

/// Scans `raw`, a sound JSON string with its quotes. Gives where its characters end.
pub(super) fn trace(raw: &str, trace: &mut Trace<'_>) -> Option<usize> {
    let end = raw.len().checked_sub(1)?;
    let mut at = 1;
    while at < end {
        let c = raw.get(at..)?.chars().next()?;
        let (decoded, length) = match c {
            '\\' => escape(raw.get(at + 1..end)?)?,
            plain => (plain, plain.len_utf8()),
        };
        trace.put(decoded, at..at + length);
        at += length;
    }
    Some(end)
}

/// The character of the escape whose text behind the backslash starts `text`, and how many bytes
/// it has with the backslash.
fn escape(text: &str) -> Option<(char, usize)> {
    let simple = match text.chars().next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let unit = u32::from_str_radix(text.get(1..5)?, 16).ok()?;
            if let Some(c) = char::from_u32(unit) {
                return Some((c, 6));
            }
            let low = u32::from_str_radix(text.get(5..11)?.strip_prefix("\\u")?, 16).ok()?;
            let joined = 0x10000 + (unit.checked_sub(0xD800)? << 10) + low.checked_sub(0xDC00)?;
            return Some((char::from_u32(joined)?, 12));
        }
        itself => itself,
    };
    Some((simple, 2))
}
