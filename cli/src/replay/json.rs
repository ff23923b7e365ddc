//! What a replay counted, for machines (`schema/replay.schema.json`).

use serde_json::{Map, Value, json};

use super::Told;
use super::tally::{Changes, DECISIONS, OUTCOMES, Tally, Verdict};
use super::time::written;

pub(super) fn of(told: &Told<'_>) -> Value {
    let (replayed, counts) = (told.replayed, &told.replayed.counts);
    let against = told.against.as_ref().map(|(name, digest)| {
        json!({
            "rules": name,
            "digest": digest,
            "counts": counts.other.as_ref().map(tally),
            "changes": changes(&counts.against),
        })
    });
    let faults = replayed.faults.iter();
    json!({
        "log": told.log,
        "rules": told.rules,
        "digest": told.digest,
        "lines": replayed.lines,
        "occurrences": counts.occurrences,
        "sessions": counts.sessions,
        "first": counts.first.map(written),
        "last": counts.last.map(written),
        "counts": tally(&counts.main),
        "against": against,
        "recorded": {
            "by": counts.decided_by,
            "changes": changes(&counts.recorded),
            "by_these_rules": changes(&counts.same_rules),
        },
        "left_out": {
            "undeclared_anchors": counts.elsewhere,
            "undeclared_facts": counts.main.unknown_facts,
            "redacted": counts.redacted,
            "without_anchor": replayed.others,
            "faulty": replayed.faulty,
        },
        "faults": faults
            .map(|fault| json!({"line": fault.line, "message": fault.message}))
            .collect::<Vec<_>>(),
        "over_time": timeline(told),
    })
}

fn tally(tally: &Tally) -> Value {
    let decisions: Map<String, Value> = DECISIONS
        .iter()
        .zip(tally.decisions)
        .map(|(decision, count)| (decision.name().to_owned(), count.into()))
        .collect();
    let rules: Map<String, Value> = tally
        .rules
        .iter()
        .map(|(rule, counts)| {
            let counts = OUTCOMES.iter().zip(counts);
            let counts: Map<String, Value> =
                counts.map(|(own, count)| (own.name().to_owned(), (*count).into())).collect();
            (rule.clone(), counts.into())
        })
        .collect();
    json!({"decisions": decisions, "rules": rules})
}

fn changes(changes: &Changes) -> Value {
    let side = |(decision, rule): &Verdict| json!({"decision": decision, "rule": rule});
    let by = changes.by.iter().map(|((before, after), (count, samples))| {
        let samples = samples.iter().map(|sample| {
            json!({
                "line": sample.line,
                "time": sample.time.map(written),
                "session": sample.session,
                "anchor": sample.anchor,
                "tool": sample.tool,
            })
        });
        json!({
            "before": side(before),
            "after": side(after),
            "count": count,
            "samples": samples.collect::<Vec<_>>(),
        })
    });
    json!({
        "compared": changes.compared,
        "changed": changes.changed,
        "by": by.collect::<Vec<_>>(),
    })
}

fn timeline(told: &Told<'_>) -> Value {
    let timeline = &told.replayed.counts.timeline;
    let steps = timeline.steps.iter().map(|(at, step)| {
        let start = at.saturating_mul(timeline.width);
        let start = if timeline.timed { written(start).into() } else { Value::from(start) };
        json!({"start": start, "decisions": step.decisions, "changed": step.changed})
    });
    json!({
        "of": if timeline.timed { "time" } else { "lines" },
        "width": timeline.width,
        "steps": steps.collect::<Vec<_>>(),
    })
}
