//! The names in the copy of a rule, with their places.
//!
//! For rules that load: their templates are known to follow the grammar of Appendix C, so that
//! finding the names takes no parser.

use std::ops::Range;

/// A name in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named<'t> {
    pub(crate) name: &'t str,
    pub(crate) range: Range<usize>,
    /// Whether its value is written out, not only tested.
    pub(crate) bound: bool,
}

/// The names that a template uses.
pub(crate) fn names(template: &str) -> Vec<Named<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = template.get(at..).and_then(|rest| rest.find('{')).map(|o| o + at) {
        let rest = template.get(open..).unwrap_or_default();
        let (bound, close) = match rest.as_bytes() {
            [b'{', b'{', ..] => (true, "}}"),
            [b'{', b'%', ..] => (false, "%}"),
            _ => {
                at = open + 1;
                continue;
            }
        };
        let inner = rest.get(2..).unwrap_or_default();
        let Some(end) = inner.find(close) else { break };
        let inner = inner.get(..end).unwrap_or_default();
        // `if NAME`, `if not NAME`, `else` or `endif` where it is no binding.
        let word = inner.split_whitespace().next_back().unwrap_or_default();
        if bound || inner.trim_start().starts_with("if") {
            let start = open + 2 + inner.rfind(word).unwrap_or_default();
            found.push(Named { name: word, range: start..start + word.len(), bound });
        }
        at = open + 2 + end + 2;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_they_stand() {
        let template = "a {{ tool }} { b {% if not x.y %}{{z}}{% else %}-{% endif %} {% if tool %}";
        let found: Vec<_> = names(template)
            .into_iter()
            .map(|named| {
                assert_eq!(template.get(named.range.clone()), Some(named.name));
                (named.name, named.bound)
            })
            .collect();
        assert_eq!(found, [("tool", true), ("x.y", false), ("z", true), ("tool", false)]);
    }
}
