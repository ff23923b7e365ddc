//! A whole fixture: one session, one store of counters, one or more occurrences ([OAR-CONF-31]).

use serde_json::{Map, Value, json};

use super::check::{Names, is_sound};
use super::copy;
use super::evaluate::{Refuses, decide};
use super::facts::{Counters, Moment};
use super::host::Host;
use super::rule::{Rule, configure};

/// What comes of a fixture.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// Of each occurrence.
    pub(crate) occurrences: Vec<Value>,
    /// Of the last, with the counters of the whole run.
    pub(crate) report: Value,
}

/// Whether the conditions and the copy of all rules may load; of what else a rule may be refused
/// for nothing is judged here.
pub(crate) fn conditions_and_copy_are_sound(fixture: &Value) -> bool {
    let host = Host::of(&fixture["input"]["capability"]);
    let documents = fixture["rules"].as_array().unwrap();
    let rules: Vec<Option<Rule>> = documents.iter().map(Rule::of).collect();
    rules.iter().all(|rule| {
        let Some(rule) = rule else { return false };
        let is_rule = |reference: &str| {
            let wanted = rule.resolve(reference);
            rules.iter().flatten().any(|other| other.qualified == wanted)
        };
        let names = Names { host: &host, is_rule: &is_rule };
        rule.when.as_ref().is_none_or(|when| is_sound(when, &names))
            && rule.copy.iter().all(|(_, template)| copy::is_sound(template, &host))
    })
}

/// What comes of a fixture that loads. `refuses` says of an occurrence, a rule and an action
/// whether the stores of the host refuse it.
pub(crate) fn answer(fixture: &Value, refuses: &dyn Fn(usize, &str, &str) -> bool) -> Verdict {
    let input = &fixture["input"];
    let host = Host::of(&input["capability"]);
    let documents = fixture["rules"].as_array().unwrap();
    let mut rules: Vec<Rule> =
        documents.iter().map(|document| Rule::of(document).expect("the rules load")).collect();
    if let Some(config) = input["config"].as_array() {
        configure(&mut rules, config);
    }
    let occurrences = match input["occurrences"].as_array() {
        Some(occurrences) => occurrences.clone(),
        None => vec![input.clone()],
    };
    let mut counters = Counters::new();
    let mut steps: Vec<String> = Vec::new();
    let mut reports = Vec::new();
    for (index, occurrence) in occurrences.iter().enumerate() {
        let moment = moment(&host, &rules, occurrence, &steps, &counters);
        let refuses_now: Refuses<'_> = &|rule, action| refuses(index, rule, action);
        let mut report = decide(&moment, &mut counters, refuses_now);
        report["counters"] = changed(&moment.before, &counters);
        // Only an admitted call is a step ([OAR-PROF-9]).
        if let Some((tool, _)) = &moment.call
            && host.told(moment.anchor) == "tool.pre_invoke"
            && report["decision"] != "block"
        {
            steps.push(tool.clone());
        }
        reports.push(report);
    }
    let mut report = reports.last().cloned().unwrap_or_default();
    report["counters"] = changed(&Counters::new(), &counters);
    Verdict { occurrences: reports, report }
}

fn moment<'a>(
    host: &'a Host,
    rules: &'a [Rule],
    occurrence: &'a Value,
    steps: &[String],
    counters: &Counters,
) -> Moment<'a> {
    let object = |name: &str| occurrence.get(name).and_then(Value::as_object).cloned();
    let call = object("tool_call").map(|call| {
        (call["name"].as_str().unwrap().to_owned(), call["arguments"].as_object().unwrap().clone())
    });
    let explicit = occurrence.get("recent_activity").and_then(Value::as_array).map(|steps| {
        steps.iter().map(|step| step.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    });
    // The window holds the most recent steps only, also when it is given.
    let mut window = explicit.unwrap_or_else(|| steps.to_vec());
    window.drain(..window.len().saturating_sub(host.window));
    Moment {
        host,
        rules,
        anchor: occurrence["anchor"].as_str().unwrap(),
        facts: object("facts").unwrap_or_default(),
        detector_facts: object("detector_facts"),
        call,
        content: occurrence.get("content").and_then(Value::as_str).map(str::to_owned),
        window,
        before: counters.clone(),
    }
}

/// The counters whose value differs, as a report spells them ([OAR-CONF-21], [OAR-CONF-33]).
fn changed(before: &Counters, after: &Counters) -> Value {
    let mut changed = Map::new();
    for (key, counts) in after {
        if before.get(key).copied().unwrap_or_default() == *counts {
            continue;
        }
        let name = match key {
            (rule, None) => rule.clone(),
            (rule, Some(scope)) => format!("{rule}#{scope}"),
        };
        changed.insert(name, json!({"fire_count": counts[0], "breaker_count": counts[1]}));
    }
    Value::Object(changed)
}
