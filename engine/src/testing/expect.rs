//! What an outcome should be, and a text for a person when it is not.

use crate::decide::Outcome;

/// Holds an outcome against a decision and, unless `trace` is `None`, against a whole trace.
/// [`assert_decision!`](crate::assert_decision) panics with what it says.
///
/// # Errors
/// What was wanted and what came of it, with the reason of every failure.
pub fn check_decision(
    outcome: &Outcome<'_>,
    decision: &str,
    trace: Option<&[&str]>,
) -> Result<(), String> {
    let found: Vec<String> = outcome.trace().map(|entry| entry.to_string()).collect();
    let same_trace = trace.is_none_or(|wanted| found.iter().eq(wanted.iter().copied()));
    if outcome.decision().name() == decision && same_trace {
        return Ok(());
    }
    let mut text = format!("wanted decision: {decision}");
    for line in trace.into_iter().flatten() {
        text.push_str(&format!("\n  {line}"));
    }
    text.push_str(&format!("\nfound decision: {}", outcome.decision().name()));
    if let Some(rule) = outcome.rule() {
        text.push_str(&format!(" by {rule}"));
    }
    for entry in outcome.trace() {
        text.push_str(&format!("\n  {entry}"));
        if let Some(failure) = entry.failure {
            text.push_str(&format!(" ({failure})"));
        }
    }
    if found.is_empty() {
        text.push_str("\n  (no rule was selected)");
    }
    Err(text)
}

/// Asserts what an occurrence was decided to be, and how, if a trace is given.
///
/// ```should_panic
/// # use oar_engine::{Host, Loader, Session, assert_decision, load::CapabilityBuilder};
/// # let capability = CapabilityBuilder::new("acme").core_anchor("tool.pre_invoke", "before_tool");
/// # let rules = Loader::new(capability.source()).load().unwrap().rules;
/// # let (host, mut session) = (Host::new(), Session::new("s"));
/// let occurrence = rules.occurrence("before_tool").unwrap();
/// assert_decision!(host.decide(&mut session, &occurrence), "block", ["ROOT:fired"]);
/// // wanted decision: block
/// //   ROOT:fired
/// // found decision: none
/// //   (no rule was selected)
/// ```
#[macro_export]
macro_rules! assert_decision {
    ($outcome:expr, $decision:expr $(,)?) => {
        if let Err(text) = $crate::testing::check_decision(&$outcome, $decision, None) {
            panic!("{text}");
        }
    };
    ($outcome:expr, $decision:expr, [$($line:expr),* $(,)?] $(,)?) => {
        if let Err(text) = $crate::testing::check_decision(&$outcome, $decision, Some(&[$($line),*])) {
            panic!("{text}");
        }
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::check_decision;
    use crate::fixtures::{load, rule};
    use crate::observe::Observations;
    use crate::testing::{ScriptedDetector, ScriptedProvider};
    use crate::{Host, Session};

    #[test]
    fn a_failed_assertion_tells_what_was_wanted_and_why_it_is_not_so() {
        let own = rule(
            "A",
            json!({"when": "acme.bool", "on_error": "fail_open",
            "requires": {"facts": ["acme.bool"]}}),
        );
        let rules = load(&[], vec![own, rule("B", json!({}))]).unwrap().rules;
        let host = Host::new().provider(ScriptedProvider::new().fails("acme.bool", "no network"));
        let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
        let mut session = Session::new("s");
        let outcome = host.decide(&mut session, &occurrence);
        let fired: &[&str] = &["t/A:fired"];
        assert_eq!(
            check_decision(&outcome, "block", Some(fired)),
            Err("wanted decision: block\n  t/A:fired\nfound decision: warn by t/B\n  \
                 t/A:errored (`acme.bool` could not be produced: no network)\n  t/B:fired"
                .to_owned())
        );
        assert_eq!(check_decision(&outcome, "warn", None), Ok(()));
        let exact: &[&str] = &["t/A:errored", "t/B:fired"];
        assert_eq!(check_decision(&outcome, "warn", Some(exact)), Ok(()));
        assert!(check_decision(&outcome, "warn", Some(fired)).is_err());
    }

    #[test]
    fn scripts_go_step_by_step_and_remember() {
        let when = "acme.ask('x') == 4 && acme.ask('y') == 0";
        let own = rule(
            "A",
            json!({"kind": "detector", "detector": {"ref": "detector://fixture"},
            "on_error": "fail_open", "requires": {"facts": ["acme.bool", "acme.ask"]},
            "when": format!("acme.bool && {when}")}),
        );
        let rules = load(&[], vec![own]).unwrap().rules;
        let detector = ScriptedDetector::new()
            .reports(Observations::new().with("acme.bool", true))
            .reports(Observations::new())
            .fails("gone");
        let provider = ScriptedProvider::new().call("acme.ask", "x", 4_i64);
        let host =
            Host::new().provider(provider.clone()).detector("detector://fixture", detector.clone());
        let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
        for (decision, trace) in [
            ("warn", "t/A:fired"),
            ("none", "t/A:passed"),
            ("none", "t/A:errored"),
            ("none", "t/A:errored"),
        ] {
            let mut session = Session::new("s");
            assert_decision!(host.decide(&mut session, &occurrence), decision, [trace]);
        }
        assert_eq!(detector.runs(), 4);
        let asked = provider.asked();
        assert_eq!(asked.len(), 3, "{asked:?}");
        assert_eq!(asked[2], "acme.bool");
    }
}
