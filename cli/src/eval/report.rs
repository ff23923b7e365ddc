//! An outcome as a person reads it.

use oar_engine::decide::{RenderedCopy, TraceOutcome};
use oar_engine::{Decision, Outcome};
use similar::{ChangeTag, TextDiff};

use crate::moment::Moment;
use crate::output::{ASIDE, BAD, DOUBT, GOOD, HEAD, Output, styled};

/// What stands before the outcome of one occurrence of several.
pub(crate) fn head(index: usize, moment: &Moment, output: &mut Output) {
    if index > 0 {
        output.text("\n");
    }
    let session = moment.session.as_ref().map(|name| format!(", session `{name}`"));
    let session = session.unwrap_or_default();
    output
        .line(&styled(HEAD, &format!("occurrence {} at `{}`{session}", index + 1, moment.anchor)));
}

/// The outcome, row by row; what there is nothing of is left out.
pub(crate) fn write(outcome: &Outcome<'_>, moment: &Moment, output: &mut Output) {
    let rows = |name: &str, rows: Vec<String>, output: &mut Output| {
        for (index, row) in rows.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            output.line(format!("{name:<12}{row}").trim_end());
        }
    };
    rows("decision", vec![decision(outcome)], output);
    rows("copy", copy(&outcome.copy()), output);
    let trace = outcome.trace().map(|entry| {
        let failure = entry.failure.map(|failure| format!(": {failure}")).unwrap_or_default();
        format!("{}:{}{failure}", entry.rule, of_trace(entry.outcome))
    });
    rows("trace", trace.collect(), output);
    let advisories: Vec<_> = outcome.advisories().collect();
    if advisories.len() > 1 {
        // The first is the decision's own.
        let advisories = advisories.iter().skip(1).flat_map(|advisory| {
            std::iter::once(advisory.rule.to_owned())
                .chain(copy(&advisory.copy).into_iter().map(|row| format!("  {row}")))
        });
        rows("also", advisories.collect(), output);
    }
    let transforms = outcome.transforms().map(|transform| {
        let with = transform.replacement.map(|text| format!(" with {text:?}")).unwrap_or_default();
        format!("{} {}{with}, by {}", transform.action.name(), transform.target, transform.rule)
    });
    rows("transforms", transforms.collect(), output);
    let skipped = outcome
        .skipped_transforms()
        .map(|span| format!("{}-{} of {}, which overlaps", span.start, span.end, span.rule));
    rows("skipped", skipped.collect(), output);
    if let (Some(before), Some(after)) = (moment.content.as_deref(), outcome.content())
        && before != after
    {
        rows("content", changes(before, after), output);
    }
    let counters = outcome.counters().flat_map(|report| {
        let (before, after) = (report.change.before, report.change.after);
        let key = report.key.to_string();
        [
            ("fire_count", before.fire_count, after.fire_count),
            ("breaker_count", before.breaker_count, after.breaker_count),
        ]
        .into_iter()
        .filter(|(_, before, after)| before != after)
        .map(move |(name, before, after)| format!("{key}: {name} {before} -> {after}"))
        .collect::<Vec<_>>()
    });
    rows("counters", counters.collect(), output);
    let events = outcome
        .events()
        .map(|event| format!("{} at {}, effect {}", event.rule, event.anchor, event.effect.name()));
    rows("events", events.collect(), output);
}

/// The decision and the rule that it names.
pub(crate) fn decision(outcome: &Outcome<'_>) -> String {
    let decision = outcome.decision();
    let style = match decision {
        Decision::None => GOOD,
        Decision::Block => BAD,
        Decision::Warn | Decision::Nudge | Decision::Transform => DOUBT,
    };
    let name = styled(style, decision.name());
    match outcome.rule() {
        Some(rule) if outcome.is_error_block() => {
            format!("{name} in the name of {rule}")
        }
        Some(rule) => format!("{name} by {rule}"),
        None => name,
    }
}

fn of_trace(outcome: TraceOutcome) -> String {
    let style = match outcome {
        TraceOutcome::Fired | TraceOutcome::MonitoredFired => HEAD,
        TraceOutcome::Errored | TraceOutcome::MonitoredErrored => BAD,
        _ => ASIDE,
    };
    styled(style, outcome.name())
}

fn copy(copy: &RenderedCopy) -> Vec<String> {
    let row = |(member, text): (oar_engine::document::rule::CopyMember, &str)| {
        let mut lines = text.lines();
        let first = format!("{:<8}{}", member.name(), lines.next().unwrap_or_default());
        std::iter::once(first)
            .chain(lines.map(|line| format!("{:8}{line}", "")))
            .collect::<Vec<_>>()
    };
    copy.iter().flat_map(row).collect()
}

/// What changed, line by line, with two lines around it.
fn changes(before: &str, after: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(before, after);
    let mut rows = Vec::new();
    for (index, group) in diff.grouped_ops(2).iter().enumerate() {
        if index > 0 {
            rows.push(styled(ASIDE, "..."));
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let text = change.value().trim_end_matches(['\n', '\r']);
            rows.push(match change.tag() {
                ChangeTag::Delete => styled(BAD, &format!("- {text}")),
                ChangeTag::Insert => styled(GOOD, &format!("+ {text}")),
                ChangeTag::Equal => format!("  {text}"),
            });
        }
    }
    rows
}
