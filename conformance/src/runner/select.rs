//! Which fixtures of a corpus are run.

use crate::fixture::{Entry, Fixture, area};

/// A choice of fixtures: those that satisfy every kind of filter that is given, and of each kind
/// at least one.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Patterns of identifiers, with `*` for any run of characters and `?` for any one.
    pub globs: Vec<String>,
    /// Areas of covered clauses, such as `EXPR`.
    pub areas: Vec<String>,
    /// Covered clauses.
    pub clauses: Vec<String>,
    /// Only those that every conforming engine must run.
    pub baseline: bool,
}

impl Selection {
    /// Whether every fixture is selected.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.globs.is_empty() && self.areas.is_empty() && self.clauses.is_empty() && !self.baseline
    }

    /// Whether `entry` is run. What is no fixture has no clauses, and is only kept out by its
    /// name: a filter must not hide it.
    #[must_use]
    pub fn takes(&self, entry: &Entry) -> bool {
        let id = entry.id();
        let by_name = self.globs.is_empty() || self.globs.iter().any(|glob| matches(glob, id));
        by_name && entry.fixture().is_none_or(|fixture| self.takes_fixture(fixture))
    }

    fn takes_fixture(&self, fixture: &Fixture) -> bool {
        let any = |wanted: &[String], has: &dyn Fn(&str) -> bool| {
            wanted.is_empty() || wanted.iter().any(|name| has(name))
        };
        any(&self.areas, &|wanted| {
            fixture.covers.iter().filter_map(|c| area(c)).any(|a| a.eq_ignore_ascii_case(wanted))
        }) && any(&self.clauses, &|wanted| {
            fixture.covers.iter().any(|clause| clause.eq_ignore_ascii_case(wanted))
        }) && (!self.baseline || fixture.baseline)
    }
}

/// Whether the whole of `text` matches `glob`, in time proportional to the two lengths.
fn matches(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut g, mut t) = (0, 0);
    // Where to go on when what follows the last `*` does not match: it takes one more character.
    let mut retry = None;
    while let Some(c) = text.get(t) {
        match glob.get(g) {
            Some('*') => {
                retry = Some((g + 1, t));
                g += 1;
            }
            Some(p) if *p == '?' || p == c => {
                g += 1;
                t += 1;
            }
            _ => {
                let Some((after_star, from)) = retry else { return false };
                g = after_star;
                t = from + 1;
                retry = Some((after_star, t));
            }
        }
    }
    glob.iter().skip(g).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs_match_whole_identifiers() {
        let cases = [
            ("*", "", true),
            ("expr-*", "expr-null", true),
            ("expr-*", "my-expr-null", false),
            ("*-rejected", "doc-rejected-rejected", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b", "xxaxxbxx", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("abc", "abc", true),
            ("abc", "abcd", false),
        ];
        for (glob, text, expected) in cases {
            assert_eq!(matches(glob, text), expected, "{glob} on {text}");
        }
    }
}
