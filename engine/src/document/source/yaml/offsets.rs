//! From the parser's places, which count characters, to bytes.

/// Where every so manieth character starts.
pub(super) struct Offsets<'t> {
    text: &'t str,
    /// Empty when every character is one byte.
    marks: Vec<usize>,
}

/// How many characters lie between two marks.
const STEP: usize = 32;

impl<'t> Offsets<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let marks = match text.is_ascii() {
            true => Vec::new(),
            false => text.char_indices().step_by(STEP).map(|(at, _)| at).collect(),
        };
        Self { text, marks }
    }

    /// Where the character `index` starts; the end of the text if there is none.
    pub(super) fn byte(&self, index: usize) -> usize {
        if self.marks.is_empty() {
            return index.min(self.text.len());
        }
        let mark = self.marks.get(index / STEP).copied();
        let rest = mark.and_then(|at| Some((at, self.text.get(at..)?)));
        let found = rest.and_then(|(at, rest)| Some(at + rest.char_indices().nth(index % STEP)?.0));
        found.unwrap_or(self.text.len())
    }
}
