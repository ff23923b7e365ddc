//! The whole run as one JSON object, for machines.

use serde_json::{Map, Value, json as object};

use crate::compare::Difference;
use crate::fixture::Entry;
use crate::runner::{Claim, Kind, Outcome, Run, Verdict};

/// The report.
#[must_use]
pub fn json(run: &Run<'_>, claim: &Claim) -> Value {
    let counts: Map<String, Value> =
        Kind::ALL.into_iter().map(|kind| (kind.key().to_owned(), run.count(kind).into())).collect();
    object!({
        "engine": run.engine_name(),
        "command": run.engine,
        "success": run.is_success(),
        "claim": {
            "supported": claim.is_supported(),
            "obstacles": claim.obstacles,
            "skipped": claim.skipped,
        },
        "counts": counts,
        "seconds": run.took.as_secs_f64(),
        "unknown_failures": run.unknown_failures,
        "fixtures": run.verdicts.iter().map(|verdict| fixture(run, verdict)).collect::<Vec<_>>(),
    })
}

fn fixture(run: &Run<'_>, verdict: &Verdict) -> Value {
    let mut members = Map::new();
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    if let Some(entry) = run.entry(verdict) {
        set("id", entry.id().into());
        set("file", entry.file().into());
        if let Entry::Fixture(fixture) = entry {
            set("title", fixture.title.clone().into());
            set("covers", object!(fixture.covers));
            set("baseline", fixture.baseline.into());
        }
    }
    set("outcome", verdict.outcome.kind().key().into());
    set("known", verdict.known.into());
    set("seconds", verdict.took.as_secs_f64().into());
    if let Some(reason) = verdict.outcome.reason() {
        set("reason", reason.into());
    }
    if let Outcome::Failed(differences) = &verdict.outcome {
        set("differences", differences.iter().map(difference).collect());
    }
    if let Outcome::Invalid(invalid) = &verdict.outcome {
        set("problems", invalid.problems.iter().map(ToString::to_string).collect());
    }
    if !verdict.log.is_empty() {
        set("log", verdict.log.clone().into());
    }
    Value::Object(members)
}

fn difference(difference: &Difference) -> Value {
    let mut members = Map::new();
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    if let Some(index) = difference.occurrence {
        set("occurrence", index.into());
    }
    set("member", difference.member.into());
    set("path", difference.path.clone().into());
    set("wanted", difference.wanted.clone());
    // Absent where there was nothing, so that it is told from `null`.
    if let Some(got) = &difference.got {
        set("got", got.clone());
    }
    Value::Object(members)
}
