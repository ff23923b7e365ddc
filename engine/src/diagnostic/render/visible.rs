//! Text as a terminal may safely show it, and how many cells it takes there.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What a person sees as one character, ready to be shown.
pub(super) struct Cell {
    pub(super) shown: String,
    pub(super) width: usize,
}

/// `grapheme` as it is shown. A tab is four blanks wide, wherever it stands.
pub(super) fn cell(grapheme: &str) -> Cell {
    if grapheme == "\t" {
        return Cell { shown: " ".repeat(4), width: 4 };
    }
    let invisible = grapheme.width() == 0;
    // Behind an ASCII character nothing joins or selects: a name would look like another.
    let plain = grapheme.starts_with(|c: char| c.is_ascii());
    let hides = |c: char| invisible || is_unsafe(c) || (plain && joins(c));
    let shown: String = match grapheme.chars().any(hides) {
        false => grapheme.to_owned(),
        true => grapheme
            .chars()
            .map(|c| match hides(c) {
                true => format!("<U+{:04X}>", u32::from(c)),
                false => c.to_string(),
            })
            .collect(),
    };
    let width = shown.width();
    Cell { shown, width }
}

/// `text` on one line.
pub(super) fn visible(text: &str) -> String {
    let plain = text.bytes().all(|b| (b' '..0x7f).contains(&b));
    if plain {
        return text.to_owned();
    }
    text.graphemes(true)
        .map(|grapheme| match grapheme {
            "\t" => "<U+0009>".to_owned(),
            other => cell(other).shown,
        })
        .collect()
}

/// Whether a character joins others or selects among their forms, and is not seen itself.
fn joins(c: char) -> bool {
    matches!(
        c,
        '\u{34F}' | '\u{200C}' | '\u{200D}' | '\u{180B}'..='\u{180F}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Whether a character does something else than stand there: it controls the terminal, breaks
/// the line, changes the direction of what follows, or looks like a blank and is none.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(
            c,
            '\u{61C}'
                | '\u{200E}' | '\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E001F}'
        )
}
