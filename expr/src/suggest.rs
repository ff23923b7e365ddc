//! Advice for an unknown name.

use crate::signatures::Builtin;
use crate::{Symbol, Symbols, Type};

/// Longer names are no typing slips, and comparing them would cost too much.
const LONGEST: usize = 64;

/// Advice for the unknown name `name`, if there is any.
pub(crate) fn for_name(name: &str, called: bool, symbols: &dyn Symbols) -> Option<String> {
    if name == "null" {
        return Some("there is no null: every fact has a value at every occurrence".to_owned());
    }
    if let Some(map) = map_prefix(name, symbols) {
        return Some(map);
    }
    if called && matches!(name, "matches" | "match" | "regex" | "re_match") {
        return Some("there are no regular expressions in the language".to_owned());
    }
    closest_name(name, called, symbols).map(|close| format!("did you mean `{close}`?"))
}

/// `tool_args.path`, where `tool_args` is a declared map.
fn map_prefix(name: &str, symbols: &dyn Symbols) -> Option<String> {
    name.match_indices('.').take(16).find_map(|(dot, _)| {
        let prefix = name.get(..dot)?;
        match symbols.symbol(prefix)? {
            Symbol::Fact { ty: ty @ (Type::Map | Type::StringMap), .. } => {
                let member = name.get(dot + 1..)?;
                Some(if ty == Type::StringMap {
                    format!(
                        "there is no field selection, write `{prefix}[\"{member}\"]`"
                    )
                } else {
                    format!(
                        "there is no field selection, and the map `{prefix}` has no typed members: read `\"{member}\"` through an observation function"
                    )
                })
            }
            _ => None,
        }
    })
}

/// The known word that `word` was most likely meant to be; the first of equally close ones.
///
/// ```
/// assert_eq!(oar_expr::closest("polcy", ["schema", "policy"]), Some("policy"));
/// assert_eq!(oar_expr::closest("heuristic", ["schema", "policy"]), None);
/// ```
#[must_use]
pub fn closest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let mut search = Search::new(word);
    let mut best = None;
    for candidate in known {
        if search.offer(candidate) {
            best = Some(candidate);
        }
    }
    best
}

/// A search for the word closest to one that was written.
struct Search<'w> {
    word: &'w str,
    simplified: Vec<u8>,
    /// A candidate must be closer than this.
    bound: usize,
}

impl<'w> Search<'w> {
    fn new(word: &'w str) -> Self {
        let bound = if word.len() > LONGEST { 0 } else { word.len() / 3 + 1 };
        Self { word, simplified: simplify(word), bound }
    }

    /// Whether the candidate is closer than all before.
    fn offer(&mut self, candidate: &str) -> bool {
        let apart = candidate.len().abs_diff(self.word.len());
        if candidate.len() > LONGEST || apart > self.bound + 1 || self.bound == 0 {
            return false;
        }
        let distance = edit_distance(&self.simplified, &simplify(candidate));
        let closer = distance < self.bound && candidate != self.word;
        if closer {
            self.bound = distance;
        }
        closer
    }
}

fn closest_name(name: &str, called: bool, symbols: &dyn Symbols) -> Option<String> {
    let mut search = Search::new(name);
    let mut best = None;
    let mut offer = |candidate: &str| {
        if search.offer(candidate) {
            best = Some(candidate.to_owned());
        }
    };
    if called {
        for builtin in Builtin::ALL {
            offer(builtin.name());
        }
    }
    symbols.names(&mut offer);
    best
}

/// So that `startsWith` is as close to `starts_with` as can be.
fn simplify(name: &str) -> Vec<u8> {
    name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).collect()
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two names.
fn edit_distance(left: &[u8], right: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        let mut diagonal = row;
        let mut cell = row + 1;
        for (column, b) in right.iter().enumerate() {
            let over = above.get(column + 1).copied().unwrap_or(usize::MAX - 1);
            let swapped = column > 0
                && row > 0
                && right.get(column - 1) == Some(a)
                && left.get(row - 1) == Some(b);
            cell = (diagonal + usize::from(a != b)).min(over + 1).min(cell + 1);
            if swapped && let Some(base) = before.get(column - 1) {
                cell = cell.min(base + 1);
            }
            current.push(cell);
            diagonal = over;
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, closest, edit_distance};

    #[test]
    fn distances() {
        for (left, right, distance) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("tool", "tool", 0),
            ("tol", "tool", 1),
            ("tolo", "tool", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(
                edit_distance(left.as_bytes(), right.as_bytes()),
                distance,
                "{left} {right}"
            );
        }
    }

    #[test]
    fn the_first_of_the_closest_is_offered() {
        let long = "a".repeat(LONGEST);
        let longer = "a".repeat(LONGEST + 1);
        for (word, known, expected) in [
            ("tol", ["poll", "tool"], Some("tool")),
            ("tool", ["tools", "tool2"], Some("tools")),
            ("startsWith", ["ends_with", "starts_with"], Some("starts_with")),
            // A word is no advice for itself, and one slip in three letters is the most.
            ("tool", ["tool", "text"], None),
            ("abc", ["abx", "axx"], Some("abx")),
            ("abc", ["axx", "xxc"], None),
            ("abcdef", ["abcdxy", "abcxyz"], Some("abcdxy")),
            // What differs much in length was hardly meant, whatever underscores add.
            ("ab", ["a_b", "x"], Some("a_b")),
            ("ab", ["a_____b", "x"], None),
            // Names that long are not compared.
            (&*long, [longer.get(1..).unwrap(), "x"], None),
            (long.get(1..).unwrap(), [&*long, "x"], Some(&*long)),
            (&*long, [&*longer, "x"], None),
            (&*longer, [&*long, "x"], None),
        ] {
            assert_eq!(closest(word, known), expected, "{word} {known:?}");
        }
    }
}
