//! Small random damage to texts, of a kind that leaves many of them sound.

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) >> 32).unwrap() % bound
    }
}

/// What is put in somewhere.
const PIECES: [&str; 62] = [
    " ",
    "\t",
    "\n",
    "\r",
    "\u{b}",
    "\u{a0}",
    "(",
    ")",
    "[",
    "]",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "<",
    "<=",
    "==",
    "=",
    "&&",
    "&",
    "||",
    "?",
    ":",
    ",",
    ".",
    "'",
    "\"",
    "\\",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud83d",
    "0",
    "00",
    "1",
    "1.5",
    "1.",
    ".5",
    "1e3",
    "9223372036854775808",
    "9223372036854775807",
    "-9223372036854775808",
    "true",
    "false",
    "in",
    " in ",
    "null",
    "lab.count",
    "lab.flag",
    "lab.tags",
    "lab.spans[0]",
    "size(",
    "'a'",
    "é",
    "[]",
    "{{",
    "}}",
    "{%",
    "%}",
    "{% if lab.flag %}",
    "{% endif %}",
];

/// `text` with up to two changes.
pub(crate) fn mutate(random: &mut Random, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..random.below(3) {
        let at = random.below(chars.len() + 1);
        match random.below(5) {
            0 if at < chars.len() => {
                chars.remove(at);
            }
            1 => {
                let end = (at + 1 + random.below(12)).min(chars.len());
                let copied: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copied);
            }
            2 if at + 1 < chars.len() => chars.swap(at, at + 1),
            // Another operator or digit in the place of one often stays sound.
            3 => {
                let same = |c: &char| "+-*/%<>".contains(*c) || c.is_ascii_digit();
                let places: Vec<usize> = (0..chars.len()).filter(|i| same(&chars[*i])).collect();
                if !places.is_empty() {
                    let place = places[random.below(places.len())];
                    let others = if chars[place].is_ascii_digit() { "0129" } else { "+-*/%<>" };
                    chars[place] = others.chars().nth(random.below(others.len())).unwrap();
                }
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                chars.splice(at..at, piece.chars());
            }
        }
    }
    chars.into_iter().collect()
}
