//! What copy says of a detector's observations when its rule could not be evaluated ([OAR-COPY-11]).

use serde_json::{Value as Json, json};

use super::{needs, rule, trace};
use crate::decide::Host;
use crate::document::rule::CopyMember;
use crate::fixtures::load;
use crate::observe::{Detector, DetectorFailure, FactValue, Observations, Occurrence};
use crate::state::Session;

/// Reports one value for `acme.int`, or fails and says that it would have reported it.
struct Score(Option<FactValue>);

impl Detector for Score {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        let value = self.0.clone().ok_or_else(|| DetectorFailure::new("gone"))?;
        Ok(Observations::new().with("acme.int", value))
    }

    fn reports(&self, fact: &str) -> bool {
        fact == "acme.int"
    }
}

/// What the copy of the decision says, with `more` rules before a detector's rule that cannot be
/// evaluated.
fn said(detector: Score, when: &str, more: Vec<Json>) -> Option<String> {
    let mut all = more;
    let members = json!({"kind": "detector", "detector": {"ref": "detector://fixture"},
        "when": when, "on_error": "fail_closed", "copy": {"what": "{{ acme.int }}"}});
    all.push(rule("Z", needs(&["acme.int"], members)));
    let rules = load(&[], all).unwrap().rules;
    let host = Host::new().detector("detector://fixture", detector);
    let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    let mut session = Session::new("s");
    let outcome = host.decide(&mut session, &occurrence);
    assert!(outcome.is_error_block());
    assert_eq!(outcome.rule(), Some("t/Z"));
    outcome.copy().get(CopyMember::What).map(str::to_owned)
}

#[test]
fn what_was_reported_is_told_and_nothing_is_made_up() {
    let seven = || Score(Some(7.into()));
    let raises = "1 / size('') == 0";
    // Its detector reported, its condition raised.
    assert_eq!(said(seven(), raises, vec![]).as_deref(), Some("7"));
    // It reported a value of another type, and one that is reported is not read as a zero.
    assert_eq!(said(Score(Some("7".into())), "true", vec![]), None);
    // It failed, and says what it would have reported.
    assert_eq!(said(Score(None), "true", vec![]), None);
    // The detector of an earlier rule failed: that is no matter of this rule's copy.
    let earlier = json!({"kind": "detector", "detector": {"ref": "detector://error"},
        "on_error": "fail_open"});
    assert_eq!(said(seven(), raises, vec![rule("A", earlier)]).as_deref(), Some("7"));
}

/// [OAR-PROF-10]: what a block withholds is not handed to whoever asks for the content.
#[test]
fn a_block_leaves_no_content_to_deliver() {
    for (effect, delivered) in [("block", None), ("warn", Some("text"))] {
        let rules = load(&[], vec![rule("A", json!({"effect": effect}))]).unwrap().rules;
        let mut occurrence = rules.occurrence("tool.pre_invoke").unwrap();
        occurrence.content("text");
        let (host, mut session) = (Host::new(), Session::new("s"));
        let outcome = host.decide(&mut session, &occurrence);
        assert_eq!(outcome.content(), delivered, "{effect}");
        assert_eq!(outcome.report().content.as_deref(), Some("text"), "{effect}");
    }
}

/// Reports a value for `acme.spans` that is none of its type.
struct Wrong;

impl Detector for Wrong {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        Ok(Observations::new().with("acme.spans", FactValue::from(7)))
    }
}

/// A report of another type than the declared one fails the rules that consume it, and no other:
/// a transform consumes its target, and content is not the spans.
#[test]
fn a_wrong_report_fails_the_transform_that_names_it() {
    for (transform, traced) in [
        (json!({"action": "redact", "target": "acme.spans"}), "t/D:errored"),
        (json!({"action": "replace", "target": "content", "replacement": "x"}), "t/D:fired"),
    ] {
        let members = json!({"kind": "detector", "detector": {"ref": "detector://fixture"},
            "anchor": "model.output", "effect": "transform", "transform": transform});
        let rules = load(&[], vec![rule("D", needs(&["acme.spans"], members))]).unwrap().rules;
        let host = Host::new().detector("detector://fixture", Wrong);
        let mut occurrence = rules.occurrence("model.output").unwrap();
        occurrence.content("text");
        let mut session = Session::new("s");
        assert_eq!(trace(&host.decide(&mut session, &occurrence)), [traced], "{transform}");
    }
}
