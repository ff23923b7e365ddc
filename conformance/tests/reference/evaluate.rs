//! One occurrence, from selection to the report (sections 4, 6, 7 and 10.1).

use serde_json::{Map, Value, json};

use super::facts::{Counters, Moment, View, is_of_a_detector, names_a_wrong_value};
use super::order::order;
use super::rule::{Enforcement, Rule};
use super::select::{Selection, flow_matches, select};
use super::transform::{Transform, apply, spans};
use super::value::Failure;

/// Whether the host's stores refuse an action of a rule ([OAR-FIRE-9]).
pub(crate) type Refuses<'a> = &'a dyn Fn(&str, &str) -> bool;

/// What evaluation of a rule came to.
enum Found {
    Passed,
    Fired(Option<Transform>),
    Errored,
}

/// What happened so far.
#[derive(Default)]
struct State<'a> {
    trace: Vec<(&'a Rule, &'static str)>,
    suppressed: Vec<&'a Rule>,
    /// The enforced rules that fired, in order.
    fired: Vec<&'a Rule>,
    transforms: Vec<Transform>,
    actions: Vec<&'a str>,
    events: Vec<Value>,
    /// The block, with its rule; the failing rule when it is one of [OAR-OPS-3] or [OAR-OPS-5].
    block: Option<(&'a Rule, Option<&'a Rule>)>,
}

/// Decides an occurrence and writes its side-effects to `counters`.
pub(crate) fn decide(moment: &Moment<'_>, counters: &mut Counters, refuses: Refuses<'_>) -> Value {
    let selections: Vec<(&Rule, Selection)> =
        moment.rules.iter().map(|rule| (rule, select(moment, rule))).collect();
    let selected = selections.iter().filter(|(_, s)| *s != Selection::No).map(|(rule, _)| *rule);
    let mut state = State::default();
    for rule in order(selected.collect()) {
        let is_suppressed = state.suppressed.iter().any(|other| std::ptr::eq(*other, rule));
        if is_suppressed {
            state.trace.push((rule, "suppressed"));
            continue;
        }
        if state.block.is_some() {
            // Never reached ([OAR-OPS-10]).
            continue;
        }
        let failed = selections
            .iter()
            .any(|(other, s)| std::ptr::eq(*other, rule) && *s == Selection::Failed);
        let mut found = evaluate(moment, rule, failed);
        if rule.enforcement == Enforcement::Monitor {
            state.trace.push((
                rule,
                match found {
                    Found::Passed => "monitored_passed",
                    Found::Fired(_) => "monitored_fired",
                    Found::Errored => "monitored_errored",
                },
            ));
            continue;
        }
        if let Found::Fired(_) = found
            && side_effects(moment, rule, counters, &mut state, refuses).is_err()
        {
            found = Found::Errored;
        }
        match found {
            Found::Passed => state.trace.push((rule, "passed")),
            Found::Fired(transform) => {
                state.trace.push((rule, "fired"));
                state.fired.push(rule);
                state.transforms.extend(transform);
                let named = moment.rules.iter().filter(|other| rule.overrides(other));
                state.suppressed.extend(named);
                if rule.is("effect", "block") {
                    state.block = Some((rule, None));
                }
            }
            Found::Errored => {
                state.trace.push((rule, "errored"));
                let named = match rule.text("on_error") {
                    Some("fail_open") => continue,
                    None | Some("fail_closed") => rule,
                    Some(other) => {
                        let qualified = rule.resolve(other);
                        let found = moment.rules.iter().find(|rule| rule.qualified == qualified);
                        found.expect("the reference was checked")
                    }
                };
                state.block = Some((named, Some(rule)));
            }
        }
    }
    report(moment, &state)
}

fn findings<'a>(
    moment: &'a Moment<'_>,
    rule: &Rule,
) -> Result<Option<&'a Map<String, Value>>, Failure> {
    let reference = rule.document.get("detector").and_then(|detector| detector.get("ref"));
    match reference.and_then(Value::as_str) {
        Some("detector://error") => Err(Failure),
        Some("detector://fixture") => Ok(moment.detector_facts.as_ref()),
        _ => Ok(None),
    }
}

fn evaluate(moment: &Moment<'_>, rule: &Rule, selector_failed: bool) -> Found {
    // Flow comes before everything else of the rule ([OAR-EVAL-3]).
    if !flow_matches(moment, rule) {
        return Found::Passed;
    }
    if selector_failed {
        return Found::Errored;
    }
    let Ok(findings) = findings(moment, rule) else { return Found::Errored };
    if !wrong_findings(moment, rule).is_empty() || names_a_wrong_value(moment, rule) {
        return Found::Errored;
    }
    let view = View { moment, rule, findings };
    match rule.when.as_ref().map_or(Ok(true), |when| view.holds(when)) {
        Ok(true) => fire(rule, &view).map_or(Found::Errored, Found::Fired),
        Ok(false) => Found::Passed,
        Err(Failure) => Found::Errored,
    }
}

/// What a rule must be able to have when it fires: its spans and the facts of its copy.
fn fire(rule: &Rule, view: &View<'_>) -> Result<Option<Transform>, Failure> {
    for name in rule.copy_names() {
        view.fact(&name)?;
    }
    let Some(document) = rule.document.get("transform") else { return Ok(None) };
    let spans = match document["target"].as_str().unwrap() {
        "content" => None,
        fact => Some(spans(&view.fact(fact)?)?),
    };
    Ok(Some(Transform { rule: rule.qualified.clone(), document: document.clone(), spans }))
}

/// All of a rule's actions, or none ([OAR-FIRE-8], [OAR-FIRE-9]).
fn side_effects<'a>(
    moment: &Moment<'_>,
    rule: &'a Rule,
    counters: &mut Counters,
    state: &mut State<'a>,
    refuses: Refuses<'_>,
) -> Result<(), Failure> {
    let actions = rule.list("on_fire");
    let (mut after, mut events) = (counters.clone(), Vec::new());
    for action in &actions {
        if refuses(&rule.qualified, action) {
            return Err(Failure);
        }
        if *action == "publish_event" {
            events.push(json!({
                "rule": rule.qualified, "anchor": moment.anchor, "effect": rule.text("effect"),
            }));
            continue;
        }
        let counts = after.entry(moment.counter_key(rule)?).or_default();
        match *action {
            "increment_counter" => counts[0] += 1,
            "reset_counter" => counts[0] = 0,
            "increment_breaker" => counts[1] += 1,
            _ => counts[1] = 0,
        }
    }
    *counters = after;
    state.events.extend(events);
    state.actions.extend(
        rule.document.get("on_fire").into_iter().flat_map(|list| {
            list.as_array().unwrap().iter().map(|action| action.as_str().unwrap())
        }),
    );
    Ok(())
}

fn report(moment: &Moment<'_>, state: &State<'_>) -> Value {
    let with = |effect: &str| -> Vec<&Rule> {
        state.fired.iter().filter(|rule| rule.is("effect", effect)).copied().collect()
    };
    let mut report = json!({
        "applied": state.trace.iter().map(|(rule, outcome)| format!("{}:{outcome}", rule.qualified))
            .collect::<Vec<_>>(),
        "on_fire": state.actions,
        "events": state.events,
        "transforms": [],
        "skipped_transforms": [],
        "advisories": [],
        "copy": {},
    });
    let effect = ["transform", "nudge", "warn"].into_iter().find(|e| !with(e).is_empty());
    let (decision, winner, failing) = match (state.block, effect) {
        (Some((rule, failing)), _) => ("block", Some(rule), failing),
        (None, Some(effect)) => (effect, with(effect).first().copied(), None),
        (None, None) => ("none", None, None),
    };
    report["decision"] = decision.into();
    if let Some(winner) = winner {
        report["code"] = winner.id.clone().into();
        report["rule"] = winner.qualified.clone().into();
        report["copy"] = copy(moment, winner, failing);
    }
    if matches!(decision, "nudge" | "warn") {
        report["advisories"] = with(decision)
            .into_iter()
            .map(|rule| {
                json!({
                    "code": rule.id, "rule": rule.qualified, "copy": copy(moment, rule, None),
                })
            })
            .collect();
    }
    if decision == "transform" {
        report["transforms"] =
            state.transforms.iter().map(|transform| transform.document.clone()).collect();
    }
    if let Some(content) = &moment.content {
        // A block discards the transforms ([OAR-OPS-17]).
        let transforms = if decision == "block" { &[] } else { &*state.transforms };
        let (content, skipped) = apply(content, transforms);
        report["content"] = content.into();
        report["skipped_transforms"] = skipped.into();
    }
    report
}

/// Each member rendered; nothing at all when one cannot be ([OAR-COPY-11]). `failing` is the rule
/// whose failure made the block that the copy tells of.
fn copy(moment: &Moment<'_>, rule: &Rule, failing: Option<&Rule>) -> Value {
    let nothing = json!({});
    // A detector runs once its rule is selected, which a failed selector is not.
    let ran = failing.filter(|failing| select(moment, failing) == Selection::Yes);
    if let Some(failing) = ran {
        let wrong = wrong_findings(moment, failing);
        let is_own = std::ptr::eq(failing, rule);
        let is_unobserved = |name: &String| {
            let is_supplied = moment.facts.contains_key(name);
            match findings(moment, failing) {
                Err(Failure) => is_of_a_detector(name) && !is_supplied,
                Ok(_) => wrong.contains(name) && (is_own || !is_supplied),
            }
        };
        if rule.copy_names().iter().any(is_unobserved) {
            return nothing;
        }
    }
    // The detector of a substituted rule has not run.
    let has_run = failing.is_none() || ran.is_some_and(|ran| std::ptr::eq(ran, rule));
    let findings = if has_run { findings(moment, rule).ok().flatten() } else { None };
    let view = View { moment, rule, findings };
    let members = rule.copy.iter().map(|(name, template)| {
        Ok((name.clone(), Value::from(super::copy::render(template, &view)?)))
    });
    members.collect::<Result<Map<_, _>, Failure>>().map_or(nothing, Value::Object)
}

/// What the rule's detector reports with a wrong type, when the rule consumes some of that: like a
/// supplied value it is then wrong wherever the rule names it.
fn wrong_findings(moment: &Moment<'_>, rule: &Rule) -> Vec<String> {
    let findings = findings(moment, rule).ok().flatten();
    let wrong: Vec<String> = findings
        .into_iter()
        .flatten()
        .filter(|(name, value)| moment.type_of(name).is_some_and(|ty| ty.read(value).is_err()))
        .map(|(name, _)| name.clone())
        .collect();
    let target = rule.document.get("transform").and_then(|t| t["target"].as_str());
    let mut names = rule.condition_names();
    names.extend(rule.copy_names());
    names.extend(target.map(str::to_owned));
    if names.iter().any(|name| wrong.contains(name)) { wrong } else { Vec::new() }
}
