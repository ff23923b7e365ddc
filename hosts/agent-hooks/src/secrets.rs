//! `detector://token-shapes`: credentials that can be told by their shape alone.
//!
//! It knows the prefixes that providers give their tokens so that they can be found, and private
//! keys. A password without a shape is not found: this is an observation, no guarantee.

use oar_engine::observe::{
    Detector, DetectorFailure, FactValue, JsonMap, Observations, Occurrence,
};
use serde_json::json;

/// Prefix, the least number of characters behind it, and what it is.
const SHAPES: &[(&str, usize, &str)] = &[
    ("AKIA", 16, "aws-access-key"),
    ("ASIA", 16, "aws-access-key"),
    ("AIza", 35, "google-api-key"),
    ("ghp_", 36, "github-token"),
    ("gho_", 36, "github-token"),
    ("ghu_", 36, "github-token"),
    ("ghs_", 36, "github-token"),
    ("ghr_", 36, "github-token"),
    ("github_pat_", 40, "github-token"),
    ("glpat-", 20, "gitlab-token"),
    ("npm_", 36, "npm-token"),
    ("pypi-", 50, "pypi-token"),
    ("sk-ant-", 32, "anthropic-key"),
    ("sk-proj-", 32, "openai-key"),
    ("sk_live_", 16, "stripe-key"),
    ("rk_live_", 16, "stripe-key"),
    ("xoxb-", 20, "slack-token"),
    ("xoxp-", 20, "slack-token"),
    ("xapp-", 20, "slack-token"),
    ("hf_", 30, "huggingface-token"),
    ("dop_v1_", 60, "digitalocean-token"),
    ("SG.", 60, "sendgrid-key"),
    ("eyJhbGciOi", 40, "json-web-token"),
];

const KEY_BEGINS: &str = "-----BEGIN ";
const KEY_HEAD: &str = "PRIVATE KEY-----";
const KEY_ENDS: &str = "-----END ";

/// The detector of this module.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenShapes;

impl TokenShapes {
    /// The reference under which it is registered.
    pub const REFERENCE: &str = "detector://token-shapes";
}

impl Detector for TokenShapes {
    fn observe(&self, occurrence: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        let spans = occurrence.text().map(spans).unwrap_or_default();
        let map = |(start, end, kind): (usize, usize, &str)| match json!({
            "start": start, "end": end, "kind": kind
        }) {
            serde_json::Value::Object(object) => JsonMap::new(object),
            _ => JsonMap::new(serde_json::Map::new()),
        };
        let found = match spans.is_empty() {
            true => FactValue::EmptyList,
            false => FactValue::MapList(spans.into_iter().map(map).collect()),
        };
        Ok(Observations::new().with("secret_matches", found))
    }

    fn reports(&self, fact: &str) -> bool {
        fact == "secret_matches"
    }
}

/// The credentials of a text, by code points, and what each is.
pub(crate) fn spans(text: &str) -> Vec<(usize, usize, &'static str)> {
    let mut found: Vec<(usize, usize, &'static str)> = Vec::new();
    for (prefix, least, kind) in SHAPES {
        let mut past = 0;
        for (start, _) in text.match_indices(prefix) {
            if start < past {
                continue;
            }
            let before = text.get(..start).and_then(|before| before.chars().next_back());
            if before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            let rest = text.get(start + prefix.len()..).unwrap_or_default();
            let length = rest.find(|c: char| !is_of_token(c)).unwrap_or(rest.len());
            past = start + prefix.len() + length;
            if length >= *least {
                found.push((start, start + prefix.len() + length, kind));
            }
        }
    }
    let mut past = 0;
    for (start, _) in text.match_indices(KEY_BEGINS) {
        if start < past {
            continue;
        }
        let rest = text.get(start..).unwrap_or_default();
        let head = rest.lines().next().unwrap_or_default();
        if head.contains(KEY_HEAD) {
            // A key that is cut off is secret as far as it goes.
            let end = rest.find(KEY_ENDS).map_or(rest.len(), |end| {
                let tail = rest.get(end..).unwrap_or_default();
                end + tail.find('\n').unwrap_or(tail.len())
            });
            past = start + end;
            found.push((start, past, "private-key"));
        }
    }
    found.sort_unstable();
    code_points(text, found)
}

fn is_of_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Byte offsets to code points, in one pass: the spans are sorted by start.
fn code_points(
    text: &str,
    found: Vec<(usize, usize, &'static str)>,
) -> Vec<(usize, usize, &'static str)> {
    let (mut byte, mut point) = (0, 0);
    let count = |from: usize, to: usize| text.get(from..to).map_or(0, |part| part.chars().count());
    let one = |(start, end, kind)| {
        point += count(byte, start);
        byte = start;
        (point, point + count(start, end), kind)
    };
    found.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_by_code_points() {
        let token = format!("ghp_{}", "a1".repeat(18));
        let key = "-----BEGIN RSA PRIVATE KEY-----\nxyz\n-----END RSA PRIVATE KEY-----\n";
        for (text, wanted) in [
            (format!("é token={token} é"), vec![(8, 48, "github-token")]),
            (format!("x{token}"), vec![]),
            ("ghp_short AKIA123".to_owned(), vec![]),
            (
                format!("AKIA{} {token}", "A1".repeat(8)),
                vec![(0, 20, "aws-access-key"), (21, 61, "github-token")],
            ),
            (format!("a\n{key}b"), vec![(2, 67, "private-key")]),
            ("-----BEGIN PRIVATE KEY-----\nab".to_owned(), vec![(0, 30, "private-key")]),
            ("-----BEGIN CERTIFICATE-----".to_owned(), vec![]),
        ] {
            assert_eq!(spans(&text), wanted, "{text}");
        }
    }
}
