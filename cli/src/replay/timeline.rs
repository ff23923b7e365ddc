//! Decisions over time, in as many steps as a picture shows, whatever the span.

use std::collections::BTreeMap;

use oar_engine::Decision;

use super::record::Record;
use super::tally::DECISIONS;

/// How many steps are kept at most.
const MOST: usize = 240;

/// One step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// In the order of [`DECISIONS`].
    pub(super) decisions: [u64; 5],
    pub(super) changed: u64,
}

/// Steps of one width, which doubles when there are too many.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    /// In milliseconds, or in lines where the log tells no time.
    pub(super) width: i64,
    pub(super) steps: BTreeMap<i64, Step>,
    /// Whether steps are of time.
    pub(super) timed: bool,
}

impl Default for Timeline {
    fn default() -> Self {
        Self { width: 1, steps: BTreeMap::new(), timed: false }
    }
}

impl Timeline {
    pub(super) fn count(&mut self, record: &Record, decision: Decision, changed: bool) {
        self.timed |= record.time.is_some();
        let line = i64::try_from(record.line).unwrap_or(i64::MAX);
        let at = record.time.unwrap_or(line).div_euclid(self.width);
        let step = self.steps.entry(at).or_default();
        let of = DECISIONS.iter().position(|own| *own == decision).unwrap_or_default();
        if let Some(count) = step.decisions.get_mut(of) {
            *count += 1;
        }
        step.changed += u64::from(changed);
        self.fit();
    }

    fn fit(&mut self) {
        while self.steps.len() > MOST || self.span() > i64::try_from(MOST).unwrap_or(i64::MAX) {
            self.widen();
        }
    }

    fn span(&self) -> i64 {
        let first = self.steps.keys().next().copied().unwrap_or_default();
        let last = self.steps.keys().next_back().copied().unwrap_or_default();
        last.saturating_sub(first)
    }

    fn widen(&mut self) {
        self.width = self.width.saturating_mul(2);
        let mut wider: BTreeMap<i64, Step> = BTreeMap::new();
        for (at, step) in &self.steps {
            wider.entry(at.div_euclid(2)).or_default().add(step);
        }
        self.steps = wider;
    }

    pub(super) fn add(&mut self, other: &Self) {
        let mut other = other.clone();
        while self.width < other.width {
            self.widen();
        }
        while other.width < self.width {
            other.widen();
        }
        self.timed |= other.timed;
        for (at, step) in &other.steps {
            self.steps.entry(*at).or_default().add(step);
        }
        self.fit();
    }
}

impl Step {
    fn add(&mut self, other: &Self) {
        for (own, more) in self.decisions.iter_mut().zip(other.decisions) {
            *own += more;
        }
        self.changed += other.changed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: i64) -> Record {
        Record { line: 1, time: Some(time), ..Record::default() }
    }

    #[test]
    fn the_steps_stay_few_and_none_is_lost() {
        let (mut one, mut other) = (Timeline::default(), Timeline::default());
        for time in 0..10_000 {
            let timeline = if time % 3 == 0 { &mut one } else { &mut other };
            timeline.count(&at(time * 977), Decision::Block, time % 2 == 0);
        }
        one.add(&other);
        assert!(one.steps.len() <= MOST && one.steps.len() > MOST / 3, "{}", one.steps.len());
        let total: u64 = one.steps.values().map(|step| step.decisions[4]).sum();
        let changed: u64 = one.steps.values().map(|step| step.changed).sum();
        assert_eq!((total, changed, one.timed), (10_000, 5_000, true));
    }
}
