//! Bounds on what one occurrence may cost, which a host sets and sees.
//!
//! Passing one fails what is over it: the rule that consumes the value is errored and its
//! `on_error` handles it ([OAR-OPS-3]). Bounds on documents are
//! [`ReadLimits`](crate::document::source::ReadLimits).

use std::time::Duration;

use serde_json::Value as Json;

use crate::observe::FactValue;

/// What one occurrence may cost. `None` is no bound.
///
/// ```
/// use oar_engine::{Host, decide::Bounds};
/// use std::time::Duration;
///
/// let mut bounds = Bounds::default();
/// assert_eq!(bounds.content_bytes, Some(64 << 20));
/// bounds.answer_time = Some(Duration::from_millis(50));
/// let host = Host::new().bounds(bounds);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// Bytes of content: 64 MiB. With longer content a rule fails that runs a detector, changes
    /// the content, or reads `content_length` from it.
    pub content_bytes: Option<usize>,
    /// Spans in the target of one transform: 100,000. With more the rule fails.
    pub spans: Option<usize>,
    /// Lists and maps inside one another, in a value that a provider or a detector makes: 128.
    /// A deeper value is a failure of who made it.
    pub value_depth: Option<usize>,
    /// Values in one such value, members counted: 1,000,000.
    pub value_nodes: Option<usize>,
    /// The time of one answer of a provider or detector: 10 seconds. It is looked at when the
    /// answer comes: later than that it counts as a failure. A call on the deciding thread cannot
    /// be broken off; an asynchronous front does that.
    pub answer_time: Option<Duration>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            content_bytes: Some(64 << 20),
            spans: Some(100_000),
            value_depth: Some(128),
            value_nodes: Some(1_000_000),
            answer_time: Some(Duration::from_secs(10)),
        }
    }
}

impl Bounds {
    /// No bound at all.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            content_bytes: None,
            spans: None,
            value_depth: None,
            value_nodes: None,
            answer_time: None,
        }
    }

    pub(crate) fn check_content(&self, content: &str) -> Result<(), String> {
        within("the content has", content.len(), self.content_bytes, "bytes")
    }

    pub(crate) fn check_spans(&self, spans: usize) -> Result<(), String> {
        within("it holds", spans, self.spans, "spans")
    }

    /// Walks a made value with a stack of its own: it may be as deep as its maker liked.
    pub(crate) fn check_value(&self, value: &FactValue) -> Result<(), String> {
        let mut left: Vec<(usize, &Json)> = Vec::new();
        let mut nodes = 1;
        match value {
            FactValue::Map(map) => left.extend(map.as_object().values().map(|own| (2, own))),
            FactValue::MapList(list) => {
                nodes += list.len();
                let members = list.iter().flat_map(|map| map.as_object().values());
                left.extend(members.map(|own| (3, own)));
            }
            FactValue::StringList(list) => nodes += list.len(),
            FactValue::StringMap(map) => nodes += map.len(),
            _ => return Ok(()),
        }
        nodes += left.len();
        let mut deepest = 1;
        while let Some((depth, value)) = left.pop() {
            let before = left.len();
            match value {
                Json::Array(items) => left.extend(items.iter().map(|own| (depth + 1, own))),
                Json::Object(members) => left.extend(members.values().map(|own| (depth + 1, own))),
                _ => continue,
            }
            deepest = deepest.max(depth);
            nodes += left.len() - before;
            within("the value nests", deepest, self.value_depth, "levels")?;
        }
        within("the value holds", nodes, self.value_nodes, "values")
    }
}

fn within(has: &str, found: usize, bound: Option<usize>, of: &str) -> Result<(), String> {
    match bound {
        Some(bound) if found > bound => Err(format!("{has} {found} {of}, and {bound} are allowed")),
        _ => Ok(()),
    }
}
