//! A difference as lines that are in both, only wanted or only got.

use serde_json::Value;

use crate::compare::Difference;

/// Which side a line stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Wanted and got.
    Both,
    /// Wanted, and not got.
    Wanted,
    /// Got, and not wanted.
    Got,
}

impl Mark {
    /// The character at the head of a line.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Self::Both => ' ',
            Self::Wanted => '-',
            Self::Got => '+',
        }
    }
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its side.
    pub mark: Mark,
    /// Its text, without line breaks.
    pub text: String,
}

/// Lists longer than this are not aligned, but shown one after the other.
const ALIGNED: usize = 500;

/// `difference` as lines, those that are wanted before those that were got in their place.
#[must_use]
pub fn lines(difference: &Difference) -> Vec<Line> {
    let Difference { member, wanted, got, .. } = difference;
    if *member == "error" {
        return rejection(wanted, got.as_ref());
    }
    match (wanted, got) {
        (Value::Array(wanted), Some(Value::Array(got)))
            if wanted.len().max(got.len()) <= ALIGNED =>
        {
            let items = |list: &[Value]| list.iter().map(shown_item).collect::<Vec<_>>();
            align(&items(wanted), &items(got))
        }
        _ => {
            let got = got.as_ref().map_or_else(|| "nothing".to_owned(), shown);
            vec![line(Mark::Wanted, shown(wanted)), line(Mark::Got, got)]
        }
    }
}

fn rejection(wanted: &Value, got: Option<&Value>) -> Vec<Line> {
    let wanted = match wanted.as_str() {
        Some(token) => format!("a rejection that names {}", visible(token)),
        None => "no rejection".to_owned(),
    };
    let got = got.and_then(Value::as_str).unwrap_or_default();
    let mut lines = vec![line(Mark::Wanted, wanted)];
    lines.extend(got.lines().map(|text| line(Mark::Got, plain(text))));
    lines
}

/// The two lists side by side, with as many items as possible in both.
fn align(wanted: &[String], got: &[String]) -> Vec<Line> {
    // `common[w][g]` is the length of the longest common part of `wanted[w..]` and `got[g..]`.
    let mut common = vec![vec![0usize; got.len() + 1]; wanted.len() + 1];
    let at = |common: &[Vec<usize>], w: usize, g: usize| {
        common.get(w).and_then(|row| row.get(g)).copied().unwrap_or_default()
    };
    for (w, a) in wanted.iter().enumerate().rev() {
        for (g, b) in got.iter().enumerate().rev() {
            let longest = if a == b {
                at(&common, w + 1, g + 1) + 1
            } else {
                at(&common, w + 1, g).max(at(&common, w, g + 1))
            };
            if let Some(cell) = common.get_mut(w).and_then(|row| row.get_mut(g)) {
                *cell = longest;
            }
        }
    }
    let (mut w, mut g, mut lines) = (0, 0, Vec::new());
    loop {
        match (wanted.get(w), got.get(g)) {
            (Some(a), Some(b)) if a == b => {
                lines.push(line(Mark::Both, a.clone()));
                (w, g) = (w + 1, g + 1);
            }
            (Some(a), b) if b.is_none() || at(&common, w + 1, g) >= at(&common, w, g + 1) => {
                lines.push(line(Mark::Wanted, a.clone()));
                w += 1;
            }
            (_, Some(b)) => {
                lines.push(line(Mark::Got, b.clone()));
                g += 1;
            }
            _ => break,
        }
    }
    if lines.is_empty() { vec![line(Mark::Both, "(empty)".to_owned())] } else { lines }
}

fn line(mark: Mark, text: String) -> Line {
    Line { mark, text }
}

/// An item of a list: bare where it is a string, since lists hold names.
fn shown_item(item: &Value) -> String {
    match item {
        Value::String(text) => plain(text),
        other => shown(other),
    }
}

/// A value on one line. Strings are quoted, so that blanks and emptiness show.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => visible(text),
        other => plain(&other.to_string()),
    }
}

/// `text` in quotes, with everything written out that could not be seen.
pub(crate) fn visible(text: &str) -> String {
    plain(&Value::from(text).to_string())
}

/// `text` with everything escaped that has no shape of its own or would change the line around
/// it: controls, marks of direction, characters of no width.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let is_hidden = c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{300}'..='\u{36f}');
        if is_hidden {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}
