//! What can be seen in a fixture without running it.

use oar_engine::document::source::{Node, Object};
use oar_engine::load::Vocabulary;
use serde_json::Value;

use super::Finding;
use crate::clauses::{self, Level};
use crate::fixture::{Expected, Fixture};

/// Names that a fixture may not supply ([OAR-CONF-32]): the engine has to arrive at them.
const ENGINE_OWN: [&str; 5] =
    ["anchor", "fire_count", "breaker_count", "fire_count_of", "breaker_count_of"];

/// The clauses that are about what a host adds of its own, or that only a host's own declaration
/// can show: an index into a `map<string,string>`, say, since no profile has one. Only a fixture
/// that covers one of them may use it ([OAR-CONF-23]).
const ABOUT_HOSTS: [&str; 38] = [
    "OAR-CONF-3",
    "OAR-CONF-23",
    "OAR-CONF-26",
    "OAR-CONF-29",
    "OAR-COPY-3",
    "OAR-COPY-4",
    "OAR-COPY-10",
    "OAR-DOC-12",
    "OAR-EXPR-2",
    "OAR-EXPR-7",
    "OAR-EXPR-11",
    "OAR-EXPR-12",
    "OAR-EXPR-13",
    "OAR-EXPR-19",
    "OAR-EXPR-21",
    "OAR-EXPR-24",
    "OAR-FACT-2",
    "OAR-FACT-9",
    "OAR-FACT-14",
    "OAR-FACT-16",
    "OAR-FACT-17",
    "OAR-FACT-18",
    "OAR-FACT-20",
    "OAR-FACT-21",
    "OAR-FACT-22",
    "OAR-FACT-23",
    "OAR-FACT-24",
    "OAR-FACT-25",
    "OAR-FACT-26",
    "OAR-FACT-27",
    "OAR-FIRE-5",
    "OAR-FIRE-10",
    "OAR-OPS-14",
    "OAR-PROF-2",
    "OAR-PROF-5",
    "OAR-PROF-6",
    "OAR-SEL-3",
    "OAR-SEL-9",
];

pub(super) fn check(fixture: &Fixture, findings: &mut Vec<Finding>) {
    let mut found = |code: &'static str, message: String| {
        findings.push(Finding { id: fixture.id().to_owned(), code, message });
    };
    covers(fixture, &mut found);
    assertions(fixture, &mut found);
    supplied(fixture, &mut found);
    counters(fixture, &mut found);
    hosts(fixture, &mut found);
    local_spelling(fixture, &mut found);
}

type Found<'a> = dyn FnMut(&'static str, String) + 'a;

fn covers(fixture: &Fixture, found: &mut Found<'_>) {
    for (index, clause) in fixture.covers.iter().enumerate() {
        match clauses::find(clause).map(|clause| clause.level) {
            None => found("OAR-CONF-17", format!("there is no clause `{clause}`")),
            Some(Level::Retired) => found("OAR-CONF-17", format!("`{clause}` is retired")),
            Some(_) => {}
        }
        if fixture.covers.iter().take(index).any(|earlier| earlier == clause) {
            found("OAR-CONF-17", format!("`{clause}` is covered twice"));
        }
    }
}

fn assertions(fixture: &Fixture, found: &mut Found<'_>) {
    let of_moments = fixture.expected_of.iter().flatten();
    let all = || std::iter::once(&fixture.expected).chain(of_moments.clone());
    if all().all(Expected::is_empty) {
        found("empty", "it asserts nothing".to_owned());
    }
    if let Some(error) = fixture.expected.error() {
        let is_token = error.chars().any(char::is_alphanumeric)
            && !error.chars().any(|c| c.is_whitespace() || c.is_control());
        if !is_token {
            found("OAR-CONF-30", format!("the expected error `{error}` is no single token"));
        }
        if error.starts_with("OAR-") && clauses::find(error).is_none() {
            found("OAR-CONF-30", format!("the expected error `{error}` is no clause"));
        }
    }
}

fn supplied(fixture: &Fixture, found: &mut Found<'_>) {
    for moment in &fixture.question.occurrences {
        for object in [Some(&moment.facts), moment.detector_facts.as_ref()].into_iter().flatten() {
            for name in ENGINE_OWN.into_iter().filter(|name| object.contains(name)) {
                found("OAR-CONF-32", format!("it supplies `{name}`, which is the engine's own"));
            }
        }
    }
}

/// No counter can be larger than the firings of the occurrences could make it ([OAR-CONF-32]).
fn counters(fixture: &Fixture, found: &mut Found<'_>) {
    let count = fixture.question.occurrences.len();
    let of_moments =
        fixture.expected_of.iter().enumerate().map(|(index, e)| (e.as_ref(), index + 1));
    for (expected, occurrences) in of_moments.chain([(Some(&fixture.expected), count)]) {
        let Some(asserted) = expected.and_then(|e| e.get("counters")?.as_object()) else {
            continue;
        };
        for (key, values) in asserted {
            let rule = key.split('#').next().unwrap_or_default();
            for (name, action) in
                [("fire_count", "increment_counter"), ("breaker_count", "increment_breaker")]
            {
                let value = values.get(name).and_then(Value::as_u64).unwrap_or_default();
                let most = (actions(fixture, rule, action) * occurrences) as u64;
                if value > most {
                    let message =
                        format!("`{key}` cannot come to a `{name}` of {value}: {most} at most");
                    found("OAR-CONF-32", message);
                }
            }
        }
    }
}

/// How often the rule `qualified` lists `action`.
fn actions(fixture: &Fixture, qualified: &str, action: &str) -> usize {
    let text = |rule: &Node, name: &str| rule.get(name).and_then(Node::as_str).map(str::to_owned);
    let is_it = |rule: &&Node| {
        let id = text(rule, "id").unwrap_or_default();
        qualified == text(rule, "namespace").map_or_else(|| id.clone(), |n| format!("{n}/{id}"))
    };
    let rules = fixture.question.rules.iter().filter(is_it);
    let listed = rules.filter_map(|rule| rule.get("on_fire")?.as_array()).flatten();
    listed.filter(|item| item.as_str() == Some(action)).count()
}

/// What a host adds of its own is declared, and used only by fixtures about that ([OAR-CONF-23]).
fn hosts(fixture: &Fixture, found: &mut Found<'_>) {
    let capability = &fixture.question.capability;
    let list = |place: Option<&Node>| place.and_then(Node::as_array).is_some_and(|l| !l.is_empty());
    let anchors = list(capability.get("anchors").and_then(|anchors| anchors.get("host")));
    let facts = list(capability.get("host_facts"));
    let is_about_hosts = fixture.covers.iter().any(|c| ABOUT_HOSTS.contains(&c.as_str()));
    for (declared, what) in [(anchors, "anchors"), (facts, "facts")] {
        if declared && !is_about_hosts {
            let message =
                format!("it declares {what} of the host, and covers no clause about them");
            found("OAR-CONF-23", message);
        }
    }
    if fixture.expected.error().is_some() {
        return;
    }
    let host: Vec<&str> = capability
        .get("anchors")
        .and_then(|anchors| anchors.get("host")?.as_array())
        .into_iter()
        .flatten()
        .filter_map(Node::as_str)
        .collect();
    let is_core = |name: &str| Vocabulary::get().anchors.iter().any(|own| own.name == name);
    for rule in &fixture.question.rules {
        let anchor = rule.get("anchor").and_then(Node::as_str);
        if let Some(anchor) = anchor.filter(|a| !is_core(a) && !host.contains(a)) {
            found("OAR-CONF-23", format!("the anchor `{anchor}` is neither core nor declared"));
        }
    }
}

/// A host that spells a core anchor its own way is asked by that spelling ([OAR-CONF-29]).
fn local_spelling(fixture: &Fixture, found: &mut Found<'_>) {
    let map: Option<&Object> = fixture
        .question
        .capability
        .get("anchors")
        .and_then(|anchors| anchors.get("core")?.as_object());
    let local: Vec<&str> = map
        .into_iter()
        .flatten()
        .filter_map(|member| Some((&*member.name, member.node.as_str()?)))
        .filter(|(core, local)| core != local)
        .map(|(_, local)| local)
        .collect();
    let is_asked = |moment: &crate::fixture::Moment| local.contains(&moment.anchor.as_str());
    if !local.is_empty() && !fixture.question.occurrences.iter().any(is_asked) {
        let message = "no occurrence is at an anchor that the host spells its own way".to_owned();
        found("OAR-CONF-29", message);
    }
}
