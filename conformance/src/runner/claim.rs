//! Whether a run supports a claim of conformance, and whether one cause explains all failures.

use super::{Kind, Run, Selection, Verdict};

/// Whether a run supports a claim of conformance ([OAR-CONF-24], [OAR-CONF-35]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Why it does not; empty when it does.
    pub obstacles: Vec<String>,
    /// How many fixtures the engine skipped and may skip. A claim has to name them.
    pub skipped: usize,
}

impl Claim {
    /// What `run`, made with `selection`, supports.
    #[must_use]
    pub fn of(run: &Run<'_>, selection: &Selection) -> Self {
        let mut obstacles = Vec::new();
        if run.verdicts.is_empty() {
            obstacles.push("no fixture was run".to_owned());
        }
        if !selection.is_everything() {
            obstacles.push("only a part of the corpus was run".to_owned());
        }
        for kind in Kind::ALL {
            let count = run.count(kind);
            if count > 0 && !matches!(kind, Kind::Passed | Kind::Skipped) {
                obstacles.push(format!("{count} {}", kind.name()));
            }
        }
        let skipped = |baseline| {
            let is_one = |v: &&Verdict| v.outcome.kind() == Kind::Skipped && v.baseline == baseline;
            run.verdicts.iter().filter(is_one).count()
        };
        let baseline = skipped(true);
        if baseline > 0 {
            obstacles.push(format!("{baseline} skipped that every engine must run"));
        }
        if !run.verdicts.is_empty() && run.count(Kind::Passed) == 0 {
            obstacles.push("nothing passed".to_owned());
        }
        Self { obstacles, skipped: skipped(false) }
    }

    /// Whether the run supports the claim.
    #[must_use]
    pub fn is_supported(&self) -> bool {
        self.obstacles.is_empty()
    }

    /// The same in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        if !self.is_supported() {
            return format!("no claim of conformance: {}", self.obstacles.join(", "));
        }
        match self.skipped {
            0 => "this run supports a claim of conformance".to_owned(),
            count => {
                format!("this run supports a claim of conformance that names the {count} skipped")
            }
        }
    }
}

/// The one cause why nothing passed, when every verdict has the same: an engine that cannot be
/// started, that always ends the same way, that skips everything. One line about it says more than
/// hundreds.
#[must_use]
pub fn common_cause(run: &Run<'_>) -> Option<String> {
    let cause = |verdict: &Verdict| match verdict.outcome.kind() {
        Kind::Passed | Kind::Failed | Kind::Invalid => None,
        _ => Some((verdict.outcome.kind(), verdict.outcome.reason()?)),
    };
    let [first, rest @ ..] = run.verdicts.as_slice() else { return None };
    let (kind, reason) = cause(first)?;
    let same =
        rest.iter().all(|verdict| cause(verdict).is_some_and(|c| c.0 == kind && c.1 == reason));
    (!rest.is_empty() && same)
        .then(|| format!("all {} fixtures: {}: {reason}", run.verdicts.len(), kind.name()))
}
