//! Runs the cases of a suite and says what differs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use oar_conformance::compare::{Difference, compare_report};
use oar_conformance::report::diff::{Mark, lines};
use oar_engine::Host;
use oar_engine::state::Counters;
use serde_json::{Value, json};

use super::coverage::Coverage;
use super::suite::{Case, Suite};
use crate::eval::Sessions;
use crate::input;
use crate::output::{BAD, GOOD, HEAD, Output, styled};

/// What came of a suite.
pub(super) struct SuiteResult {
    pub(super) file: String,
    pub(super) cases: Vec<Result>,
}

/// What came of a case.
pub(super) struct Result {
    pub(super) name: String,
    pub(super) line: u32,
    /// What differs, as lines; nothing when the case passed.
    pub(super) failures: Vec<String>,
    pub(super) took: Duration,
}

pub(super) fn suite(
    suite: &Suite,
    filter: Option<&str>,
    coverage: &mut Coverage,
    output: &mut Output,
) -> SuiteResult {
    let file = input::shown(&suite.path);
    output.line(&styled(HEAD, &file));
    let mut cases = Vec::new();
    let wanted = |case: &&Case| filter.is_none_or(|text| case.name.contains(text));
    for case in suite.cases.iter().filter(wanted) {
        let begun = Instant::now();
        let failures = run(suite, case, coverage);
        let mark = if failures.is_empty() { styled(GOOD, "ok  ") } else { styled(BAD, "FAIL") };
        output.line(&format!("  {mark} {}", case.name));
        if !failures.is_empty() {
            output.line(&format!("       {file}:{}", case.line));
        }
        for line in &failures {
            let style = match line.trim_start().chars().next() {
                Some('-') => BAD,
                Some('+') => GOOD,
                _ => anstyle::Style::new(),
            };
            output.line(&format!("       {}", styled(style, line)));
        }
        let (name, line) = (case.name.clone(), case.line);
        cases.push(Result { name, line, failures, took: begun.elapsed() });
    }
    SuiteResult { file, cases }
}

/// What differs in a case.
fn run(suite: &Suite, case: &Case, coverage: &mut Coverage) -> Vec<String> {
    let host = Host::new();
    let mut sessions = Sessions::default();
    let mut failures = Vec::new();
    let mut over_all: BTreeMap<String, (Counters, Counters)> = BTreeMap::new();
    let mut last = Value::Null;
    let several = case.steps.len() > 1;
    for (index, step) in case.steps.iter().enumerate() {
        let host = step.moment.host(&host, &suite.rules);
        let occurrence = match step.moment.occurrence(&suite.rules) {
            Ok(occurrence) => occurrence,
            Err(error) => return vec![error.to_string()],
        };
        let session = sessions.of(&step.moment);
        host.explain(session, &occurrence, &suite.texts, |outcome, explained| {
            coverage.count(explained);
            for report in outcome.counters() {
                let change = report.change;
                let span = over_all.entry(report.key.to_string());
                span.or_insert((change.before, change.after)).1 = change.after;
            }
            last = outcome.report().to_json();
        });
        if let Some(expected) = &step.expected {
            let place = if several { format!("occurrence {}: ", index + 1) } else { String::new() };
            failures.extend(shown(&compare_report(expected, &last), &place));
        }
    }
    if let Some(expected) = &case.expected {
        if let Some(members) = last.as_object_mut() {
            members.insert("counters".to_owned(), changed(&over_all));
        }
        failures.extend(shown(&compare_report(expected, &last), ""));
    }
    failures
}

/// The counters whose value changed over the case ([OAR-CONF-21]).
fn changed(over_all: &BTreeMap<String, (Counters, Counters)>) -> Value {
    let changed = over_all.iter().filter(|(_, (before, after))| before != after);
    let entry = |(key, (_, after)): (&String, &(Counters, Counters))| {
        let value = json!({"fire_count": after.fire_count, "breaker_count": after.breaker_count});
        (key.clone(), value)
    };
    changed.map(entry).collect()
}

/// Differences as lines: the place, then what was wanted and what was got.
fn shown(differences: &[Difference], place: &str) -> Vec<String> {
    let mut shown = Vec::new();
    for difference in differences {
        shown.push(format!("{place}{}", difference.place()));
        for line in lines(difference) {
            let sign = match line.mark {
                Mark::Both => ' ',
                Mark::Wanted => '-',
                Mark::Got => '+',
            };
            shown.push(format!("  {sign} {}", line.text));
        }
    }
    shown
}
