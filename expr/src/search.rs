//! String tests on bytes. UTF-8 keeps code-point order and code-point boundaries, so bytes decide
//! as code points would (OAR-EXPR-10, OAR-EXPR-22).

use memchr::{memchr, memmem};

/// From this length on, building a real searcher costs little beside the search.
const LONG: usize = 512;

/// A prepared needle takes one byte: the place of its rarest byte, which `memchr` looks for.
pub(crate) fn rarest(needle: &str) -> u8 {
    let bytes = needle.as_bytes().iter().take(usize::from(u8::MAX)).enumerate();
    let rarest = bytes.min_by_key(|(_, byte)| frequency(**byte));
    rarest.and_then(|(place, _)| u8::try_from(place).ok()).unwrap_or(0)
}

/// A rough rank of how often a byte occurs in paths, commands and prose; lower is rarer.
fn frequency(byte: u8) -> u8 {
    match byte {
        b' ' | b'e' => 9,
        b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 8,
        b'l' | b'c' | b'd' | b'u' | b'p' | b'm' | b'h' => 7,
        b'f' | b'g' | b'y' | b'b' | b'v' | b'w' => 6,
        b'/' | b'.' | b'-' | b'_' | b'\n' | b'"' | b',' | b'0' | b'1' => 5,
        b'k' | b'2'..=b'9' | b':' | b'=' | b'\'' | b'(' | b')' => 4,
        b'A'..=b'Z' | b'x' => 3,
        b'j' | b'q' | b'z' => 2,
        0x80..=0xFF => 2,
        _ => 1,
    }
}

/// Whether `needle` occurs in `haystack`; `rare` is from [`rarest`] of the needle.
#[inline]
pub(crate) fn contains(haystack: &[u8], needle: &[u8], rare: u8) -> bool {
    let rare = usize::from(rare);
    let Some(&byte) = needle.get(rare) else { return true };
    if haystack.len() >= LONG {
        return memmem::find(haystack, needle).is_some();
    }
    let mut from = rare;
    // Short haystacks bound the work of a hostile text, so no linear-time fallback is needed.
    while let Some(rest) = haystack.get(from..) {
        let Some(found) = memchr(byte, rest) else { return false };
        let start = from + found - rare;
        let end = start + needle.len();
        match haystack.get(start..end) {
            Some(window) if window == needle => return true,
            Some(_) => from += found + 1,
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{contains, rarest};

    #[test]
    fn the_rarest_byte_is_looked_for() {
        for (needle, rare) in
            [("see", 's'), ("eXit", 'X'), ("tox", 'x'), ("te~", '~'), ("nag", 'g'), ("age ", 'g')]
        {
            let place = usize::from(rarest(needle));
            assert_eq!(char::from(needle.as_bytes()[place]), rare, "{needle}");
        }
    }

    #[test]
    fn agrees_with_the_standard_library() {
        let long = format!("{}needle", "nedle".repeat(300));
        let haystacks =
            ["", "a", "needle", "a needle in a", "nneedle", "needl", "aaaaaaaab", "äöü😀", &long];
        let needles =
            ["", "a", "n", "needle", "aab", "ö", "😀", "ab", "dlen", "nedleneedle", "x", "ü😀"];
        for haystack in haystacks {
            for needle in needles {
                assert_eq!(
                    contains(haystack.as_bytes(), needle.as_bytes(), rarest(needle)),
                    haystack.contains(needle),
                    "{needle:?} in {haystack:?}"
                );
            }
        }
    }
}
