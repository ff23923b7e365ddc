//! What a replay counted, for people.

use super::Told;
use super::tally::{Changes, DECISIONS, Sample, Tally, Verdict};
use super::time::written;
use crate::output::{ASIDE, BAD, DOUBT, GOOD, HEAD, Output, listed, styled};

pub(super) fn write(told: &Told<'_>, output: &mut Output) {
    let (replayed, counts) = (told.replayed, &told.replayed.counts);
    let span = match (counts.first, counts.last) {
        (Some(first), Some(last)) => format!(", {} to {}", written(first), written(last)),
        _ => String::new(),
    };
    let sessions = plural(counts.sessions, "session");
    let occurrences = plural(counts.occurrences, "occurrence");
    output.line(&format!("replayed  {occurrences} in {sessions}{span}"));
    output.line(&format!("rules     {} ({})", told.rules, short(told.digest)));
    for line in origin(told) {
        output.line(&line);
    }
    output.line(&format!("decisions {}", decisions(&counts.main)));
    output.text("\n");
    rules(&counts.main, output);
    if let Some((name, digest)) = &told.against {
        output.text("\n");
        output.line(&format!("against   {name} ({})", short(digest)));
        if let Some(tally) = &counts.other {
            output.line(&format!("decisions {}", decisions(tally)));
        }
        changes("changed", &counts.against, output);
    }
    if counts.recorded.changed > 0 {
        output.text("\n");
        let title = "differs from what was decided then";
        changes(title, &counts.recorded, output);
    }
    for line in left_out(told) {
        output.line(&styled(ASIDE, &line));
    }
    for fault in &replayed.faults {
        let title = styled(BAD, "error");
        output.line(&format!("{title}: {}:{}: {}", told.log, fault.line, fault.message));
    }
    if replayed.faulty > 0 {
        let lines = plural(replayed.faulty, "line");
        let text = format!("{lines} could not be replayed, and nothing is known of them");
        output.line(&styled(BAD, &text));
    }
}

fn plural(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// The beginning of a digest.
pub(super) fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

/// Which rules decided the log, and whether these decide the same.
fn origin(told: &Told<'_>) -> Vec<String> {
    let counts = &told.replayed.counts;
    let mut lines = Vec::new();
    let own = counts.decided_by.get(told.digest).copied().unwrap_or_default();
    if own > 0 {
        let same = &counts.same_rules;
        let text = match same.changed {
            0 => styled(GOOD, &format!("all {} decided as they were", same.compared)),
            wrong => styled(BAD, &format!("{wrong} of {} decided otherwise", same.compared)),
        };
        lines.push(format!("log       {own} recorded by these very rules; {text}"));
    }
    let others: Vec<_> = counts.decided_by.iter().filter(|(set, _)| *set != told.digest).collect();
    if !others.is_empty() {
        let number: u64 = others.iter().map(|(_, count)| *count).sum();
        let names = listed(others.iter().take(3).map(|(set, _)| short(set)));
        let more = if others.len() > 3 { " and others" } else { "" };
        let text = format!("log       {number} recorded by another rule set, {names}{more}");
        lines.push(styled(DOUBT, &text));
    }
    lines
}

fn decisions(tally: &Tally) -> String {
    let parts = DECISIONS.iter().zip(tally.decisions);
    let parts = parts.filter(|(_, count)| *count > 0);
    let parts: Vec<String> =
        parts.map(|(decision, count)| format!("{} {count}", decision.name())).collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// One row for each rule.
fn rules(tally: &Tally, output: &mut Output) {
    const TITLES: [&str; 7] =
        ["fired", "passed", "errored", "suppr.", "m.fired", "m.passed", "m.errored"];
    let width = tally.rules.keys().map(String::len).max().unwrap_or_default().max(4);
    let shown: Vec<usize> = (0..TITLES.len())
        .filter(|at| *at < 2 || tally.rules.values().any(|counts| counts.get(*at) > Some(&0)))
        .collect();
    let mut head = format!("{:<width$}", "rule");
    for at in &shown {
        head += &format!("  {:>9}", TITLES.get(*at).copied().unwrap_or_default());
    }
    output.line(&styled(HEAD, &head));
    for (rule, counts) in &tally.rules {
        let mut row = format!("{rule:<width$}");
        for at in &shown {
            row += &format!("  {:>9}", counts.get(*at).copied().unwrap_or_default());
        }
        if counts.iter().all(|count| *count == 0) {
            row += &styled(DOUBT, "  never selected");
        }
        output.line(&row);
    }
}

/// A decision and the rule that it names.
pub(super) fn verdict((decision, rule): &Verdict) -> String {
    match rule {
        Some(rule) => format!("{decision} by {rule}"),
        None => decision.clone(),
    }
}

fn changes(title: &str, changes: &Changes, output: &mut Output) {
    let style = if changes.changed == 0 { GOOD } else { DOUBT };
    let text = format!("{} of {} decisions", changes.changed, changes.compared);
    output.line(&format!("{title:<9} {}", styled(style, &text)));
    // The most frequent first.
    let mut all: Vec<_> = changes.by.iter().collect();
    all.sort_by_key(|(change, (count, _))| (std::cmp::Reverse(*count), *change));
    for ((before, after), (count, samples)) in all {
        output.line(&format!("  {count:>7}  {} -> {}", verdict(before), verdict(after)));
        for sample in samples {
            output.line(&styled(ASIDE, &format!("           {}", place(sample))));
        }
    }
}

/// Where a sample stands; what was observed there is not shown.
pub(super) fn place(sample: &Sample) -> String {
    let tool = sample.tool.as_ref().map(|tool| format!(", `{tool}`")).unwrap_or_default();
    let time = sample.time.map(|time| format!(", {}", written(time))).unwrap_or_default();
    format!("line {}, session {}, {}{tool}{time}", sample.line, sample.session, sample.anchor)
}

/// What was not considered.
pub(super) fn left_out(told: &Told<'_>) -> Vec<String> {
    let counts = &told.replayed.counts;
    let mut lines = Vec::new();
    for (anchor, count) in &counts.elsewhere {
        let occurrences = plural(*count, "occurrence");
        lines.push(format!("{occurrences} at `{anchor}`, which the host does not declare"));
    }
    if counts.redacted > 0 {
        let records = plural(counts.redacted, "record");
        lines.push(format!("{records} redacted: rules about what was left out read zero there"));
    }
    if told.replayed.others > 0 {
        let records = plural(told.replayed.others, "record");
        lines.push(format!("{records} without an anchor, which are no occurrences"));
    }
    if counts.main.unknown_facts > 0 {
        let facts = plural(counts.main.unknown_facts, "fact");
        lines.push(format!("{facts} that the host does not declare, left out"));
    }
    lines
}
