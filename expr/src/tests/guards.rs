//! Which tests a condition cannot hold without, and what is read until they have failed.

use super::{FACTS, NAMES, load};
use crate::{Matcher, Subject};

fn name(slot: u32) -> &'static str {
    FACTS[slot as usize].0
}

/// The guards of a condition in words; `None` when it has none. An equality with `weak` is no
/// good as one, and `dear` is not to be read.
fn guards(source: &str, weak: &str, dear: &str) -> Option<String> {
    let program = load(source);
    let is_weak = |_: Subject<'_>, matcher: &Matcher<'_>| match matcher {
        Matcher::Equals(text) => *text == weak,
        _ => false,
    };
    let guards = program.guards(&|slot| name(slot) != dear, &is_weak)?;
    let tests = guards.tests.iter().map(|(subject, matcher)| {
        let subject = match subject {
            Subject::Fact(slot) => name(*slot).to_owned(),
            Subject::Call { slot, argument } => format!("{}({argument})", NAMES[*slot as usize]),
        };
        match matcher {
            Matcher::Equals(text) => format!("{subject} == {text}"),
            Matcher::StartsWith(text) => format!("{subject} ^ {text}"),
            Matcher::EndsWith(text) => format!("{subject} $ {text}"),
            Matcher::Contains(text) => format!("{subject} ~ {text}"),
            Matcher::OneOf(members) => {
                format!("{subject} in {}", members.iter().collect::<Vec<_>>().join(","))
            }
        }
    });
    Some(tests.collect::<Vec<_>>().join(" | "))
}

#[test]
fn each_way_to_hold_is_guarded_by_a_test() {
    for (source, expected) in [
        ("starts_with(path, 'a')", Some("path ^ a")),
        ("ends_with(path, 'a')", Some("path $ a")),
        ("contains(path, 'a')", Some("path ~ a")),
        ("path == 'a'", Some("path == a")),
        ("'a' == path", Some("path == a")),
        ("path in ['a', 'b']", Some("path in a,b")),
        ("arg_string('p') == 'a'", Some("arg_string(p) == a")),
        ("arg_string('p') in ['a', 'b']", Some("arg_string(p) in a,b")),
        // The first that fails ends it.
        ("tool == 'a' && contains(path, 'b')", Some("tool == a")),
        ("tool == 'a' || contains(path, 'b')", Some("tool == a | path ~ b")),
        // What holds or not is followed both ways.
        ("ok && tool == 'a'", Some("tool == a")),
        ("n > 3 && tool == 'a'", Some("tool == a")),
        ("x > 0.5 && tool == 'a'", Some("tool == a")),
        ("size(tags) > 1 && tool == 'a'", Some("tool == a")),
        ("'t' in tags && tool == 'a'", Some("tool == a")),
        ("path < 'm' && tool == 'a'", Some("tool == a")),
        ("ok ? tool == 'a' : path == 'b'", Some("tool == a | path == b")),
        ("!(tool != 'a')", Some("tool == a")),
        ("false", Some("")),
        // Some way to hold needs none of the tests.
        ("ok", None),
        ("true", None),
        ("ok || tool == 'a'", None),
        ("tool != 'a'", None),
        ("!(tool == 'a')", None),
        ("contains(path, '')", None),
        ("path < 'm'", None),
        // What may raise, or is not followed, is not gone past.
        ("n / m == 1 || tool == 'a'", None),
        ("tags[0] == 'a'", None),
        ("arg_string(tool) == 'a'", None),
    ] {
        assert_eq!(guards(source, "", "").as_deref(), expected, "{source}");
    }
}

#[test]
fn a_weak_test_is_taken_to_hold_or_not() {
    let both = "tool == 'a' && path == 'b'";
    assert_eq!(guards(both, "a", "").as_deref(), Some("path == b"));
    assert_eq!(guards(both, "b", "").as_deref(), Some("tool == a"));
    assert_eq!(guards("tool == 'a'", "a", ""), None);
}

#[test]
fn what_is_dear_to_read_is_not_read() {
    assert_eq!(guards("tool == 'a' && path == 'b'", "", "tool"), None);
    // It is read only after the guard has held.
    assert_eq!(guards("tool == 'a' && path == 'b'", "", "path").as_deref(), Some("tool == a"));
}

#[test]
fn reads_are_told_once_each() {
    let program = load("path == 'a' || ok && tool == 'b' || path == 'c'");
    let guards = program.guards(&|_| true, &|_, _| false).unwrap();
    let reads: Vec<_> = guards.reads.iter().map(|slot| name(*slot)).collect();
    assert_eq!(reads, ["tool", "path", "ok"]);
}
