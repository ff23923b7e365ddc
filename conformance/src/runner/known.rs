//! Fixtures that are known to fail: an engine under construction passes its build with them, and
//! is told when one of them begins to pass.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Run;

/// A list of identifiers, one a line; `#` begins a remark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFailures {
    ids: BTreeSet<String>,
}

impl KnownFailures {
    /// The list that `text` holds.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let id = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
        Self { ids: text.lines().map(id).filter(|id| !id.is_empty()).collect() }
    }

    /// Marks the verdicts of `run` that the list names, and notes the names that it knows nothing
    /// of: they are leftovers of renamed fixtures, and would hide nothing but themselves.
    pub(super) fn mark(&self, run: &mut Run<'_>) {
        let corpus = run.corpus;
        for verdict in &mut run.verdicts {
            let id = corpus.entries.get(verdict.entry).map(|entry| entry.id());
            verdict.known = id.is_some_and(|id| self.ids.contains(id));
        }
        let is_there = |id: &&String| corpus.entries.iter().any(|entry| entry.id() == id.as_str());
        run.unknown_failures = self.ids.iter().filter(|id| !is_there(id)).cloned().collect();
    }
}

/// The failures of `run` as the text of such a list.
#[must_use]
pub fn render(run: &Run<'_>) -> String {
    let mut lines: Vec<(&str, &str)> = run
        .verdicts
        .iter()
        .filter(|verdict| verdict.fails())
        .filter_map(|verdict| Some((run.entry(verdict)?.id(), verdict.outcome.kind().name())))
        .collect();
    lines.sort_unstable();
    let mut text = format!("# fixtures that {} is known to fail\n", run.engine_name());
    for (id, kind) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{id}  # {kind}");
    }
    text
}
