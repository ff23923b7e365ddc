//! One rule of an explanation, row by row.

use oar_engine::decide::{
    ClauseExplanation, ConditionExplanation, End, Failure, FlowExplanation, RuleExplanation,
    TraceOutcome,
};
use oar_engine::document::rule::Enforcement;
use oar_expr::{CameTo, NodeKind, Seen};

use super::condition;
use crate::output::{ASIDE, BAD, DOUBT, GOOD, HEAD, Output, counted, listed, styled};

/// The columns before the text of a row.
const INDENT: usize = 12;
const WIDTH: usize = 80;

pub(super) fn write(explanation: &RuleExplanation<'_>, redact: bool, output: &mut Output) {
    let rule = explanation.rule;
    let name = styled(HEAD, rule.qualified());
    let mode = match rule.enforcement() {
        Enforcement::Enforce => "",
        Enforcement::Monitor => ", monitored",
        Enforcement::Off => ", off",
    };
    let what = format!("({}, {}{mode})", rule.kind().name(), rule.effect().name());
    output.line(&format!("{name} {}", styled(ASIDE, &what)));
    let mut row = |name: &str, lines: Vec<String>| {
        for (index, line) in lines.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            let indent = INDENT - 2;
            output.line(format!("  {name:<indent$}{line}").trim_end());
        }
    };
    row("result", vec![end(explanation)]);
    row("order", order(explanation));
    let clauses = explanation.selector.iter();
    row("selector", clauses.flat_map(|c| clause(c, redact)).collect());
    row("flow", explanation.flow.iter().flat_map(|f| flow(f, redact)).collect());
    if let Some(found) = &explanation.condition {
        row("when", condition::lines(found, redact, WIDTH - INDENT));
        row("facts", facts(found, redact));
    }
    if let Some(failure) = explanation.failure {
        row("failure", vec![styled(BAD, &shown(failure, redact))]);
        row("on_error", vec![consequence(explanation)]);
    }
    if matches!(explanation.end, End::Traced(TraceOutcome::Fired))
        && !explanation.overrides.is_empty()
    {
        row("overrides", vec![listed(&explanation.overrides)]);
    }
}

fn end(explanation: &RuleExplanation<'_>) -> String {
    match explanation.end {
        End::OtherAnchor => {
            format!("not selected: it is for the moment `{}`", explanation.anchor)
        }
        End::Off => "not selected: it is off".to_owned(),
        End::NotSelected => {
            let missed = explanation.selector.iter().find(|clause| !clause.matched);
            match missed {
                Some(clause) if clause.wanted.is_empty() => {
                    format!("not selected: its clause `{}` is empty", clause.fact)
                }
                Some(clause) => format!("not selected: its clause `{}` missed", clause.fact),
                None => "not selected".to_owned(),
            }
        }
        End::NotReached { after } => {
            format!("not reached: `{after}` ended it")
        }
        End::Suppressed { by } => format!("{} by `{by}`", styled(DOUBT, "suppressed")),
        End::Traced(outcome) => {
            let why = match (outcome, &explanation.flow, &explanation.condition) {
                (TraceOutcome::Passed | TraceOutcome::MonitoredPassed, Some(flow), _)
                    if !flow.matched() =>
                {
                    ": its flow did not match"
                }
                (TraceOutcome::Passed | TraceOutcome::MonitoredPassed, ..) => {
                    ": its condition does not hold"
                }
                (TraceOutcome::Fired | TraceOutcome::MonitoredFired, _, None) => {
                    if explanation.flow.is_some() {
                        ": its flow matched"
                    } else {
                        ": it has no condition"
                    }
                }
                (TraceOutcome::Fired | TraceOutcome::MonitoredFired, ..) => ": its condition holds",
                _ => "",
            };
            let style = match outcome {
                TraceOutcome::Fired | TraceOutcome::MonitoredFired => GOOD,
                TraceOutcome::Errored | TraceOutcome::MonitoredErrored => BAD,
                _ => ASIDE,
            };
            format!("{}{why}", styled(style, outcome.name()))
        }
        _ => String::new(),
    }
}

fn order(explanation: &RuleExplanation<'_>) -> Vec<String> {
    let Some((place, base)) = explanation.places else { return Vec::new() };
    if place == base {
        return vec![format!("{}, by kind and name", ordinal(place + 1))];
    }
    let why = match place < base {
        true => "moved ahead by an override",
        false => "moved back by an override",
    };
    vec![format!("{}; {} by kind and name, {why}", ordinal(place + 1), ordinal(base + 1))]
}

fn ordinal(number: usize) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

fn clause(clause: &ClauseExplanation<'_>, redact: bool) -> Vec<String> {
    let (word, style) = if clause.matched { ("matches", GOOD) } else { ("missed", BAD) };
    let value = match &clause.value {
        Ok(value) => masked(value, redact),
        Err(failure) => shown(failure, redact),
    };
    let wanted: Vec<String> = clause.wanted.iter().map(|value| format!("{value:?}")).collect();
    let head = format!("  {} is {value}", clause.fact);
    let not = if clause.matched { "" } else { "not " };
    let wanted = format!("{not}in [{}]", wanted.join(", "));
    let fits = INDENT + word.len() + head.chars().count() + 2 + wanted.chars().count() <= WIDTH;
    let word = styled(style, word);
    match fits {
        true => vec![format!("{word}{head}, {wanted}")],
        false => vec![format!("{word}{head}"), format!("  {wanted}")],
    }
}

fn flow(flow: &FlowExplanation<'_>, redact: bool) -> Vec<String> {
    let missing = flow.steps.iter().position(|(_, found)| found.is_none());
    let steps = flow.steps.iter().enumerate().map(|(index, (step, found))| match found {
        Some(position) => {
            format!("{}  {step:?}, step {} of the window", styled(GOOD, "found"), position + 1)
        }
        None if Some(index) == missing => {
            let after = index.checked_sub(1).and_then(|before| flow.steps.get(before));
            let after = after.map(|(step, _)| format!(" after {step:?}")).unwrap_or_default();
            format!("{}  {step:?} is not in the window{after}", styled(BAD, "missed"))
        }
        None => format!("{}  {step:?}", styled(ASIDE, "not looked for")),
    });
    let window: Vec<String> = flow.window.iter().map(|step| format!("{step:?}")).collect();
    let window = match window.is_empty() {
        _ if redact => format!("the window: {}", counted(window.len(), "step")),
        true => "the window is empty".to_owned(),
        false => format!("the window: {}", window.join(", ")),
    };
    steps.chain([window]).collect()
}

/// What the condition asked for: facts and functions with their values, each once.
fn facts(found: &ConditionExplanation<'_>, redact: bool) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for (span, kind, came_to) in found.explanation.steps() {
        let text = found.text.get(span.range()).unwrap_or_default();
        let asked = match kind {
            NodeKind::Name => true,
            NodeKind::Call { name, .. } => {
                let function = found.text.get(name.range()).unwrap_or_default();
                !["size", "starts_with", "ends_with", "contains"].contains(&function)
            }
            _ => false,
        };
        if !asked {
            continue;
        }
        let row = match came_to {
            CameTo::Value(value) => format!("{text} is {}", masked(value, redact)),
            CameTo::Raised(kind) => format!("{text} failed: {kind}"),
            _ => continue,
        };
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

fn consequence(explanation: &RuleExplanation<'_>) -> String {
    let monitored = explanation.rule.enforcement() == Enforcement::Monitor;
    match explanation.on_error {
        _ if monitored => "monitored: without consequence".to_owned(),
        "fail_open" => "`fail_open`: the other rules go on without it".to_owned(),
        "fail_closed" => "`fail_closed`: the occurrence is blocked".to_owned(),
        rule => format!("the occurrence is blocked in the name of `{rule}`"),
    }
}

/// A failure names facts, and what a provider said only where values may be seen.
fn shown(failure: &Failure, redact: bool) -> String {
    match failure {
        Failure::Provider { name, .. } if redact => format!("`{name}` could not be provided"),
        failure => failure.to_string(),
    }
}

/// A value, or its type alone.
pub(super) fn masked(value: &Seen, redact: bool) -> String {
    if !redact {
        return shortened(&value.to_string());
    }
    let masked = match value {
        Seen::Bool(_) => "<bool>",
        Seen::Int(_) => "<int>",
        Seen::Double(_) => "<double>",
        Seen::String(_) => "<string>",
        Seen::List(_) => "<list>",
        Seen::Map(_) => "<map>",
        Seen::Maps(_) => "<list of maps>",
    };
    masked.to_owned()
}

/// A long value by its beginning.
fn shortened(text: &str) -> String {
    const MOST: usize = 48;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
