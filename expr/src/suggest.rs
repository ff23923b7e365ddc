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
    closest(name, called, symbols).map(|close| format!("did you mean `{close}`?"))
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

fn closest(name: &str, called: bool, symbols: &dyn Symbols) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    let wanted = simplify(name);
    let mut best: Option<(usize, String)> = None;
    let mut offer = |candidate: &str| {
        let bound = best.as_ref().map_or(name.len() / 3 + 1, |(distance, _)| *distance);
        if candidate.len() > LONGEST || candidate.len().abs_diff(name.len()) > bound + 1 {
            return;
        }
        let distance = edit_distance(&wanted, &simplify(candidate));
        if distance < bound && candidate != name {
            best = Some((distance, candidate.to_owned()));
        }
    };
    if called {
        for builtin in Builtin::ALL {
            offer(builtin.name());
        }
    }
    symbols.names(&mut offer);
    best.map(|(_, name)| name)
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
    use super::edit_distance;

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
}
