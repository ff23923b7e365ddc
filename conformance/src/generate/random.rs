//! Random numbers that stay the same for ever: SplitMix64, written out here so that no library's
//! new version changes what a seed means.

/// A source of random choices.
pub(super) struct Random {
    state: u64,
}

impl Random {
    /// The source for the fixture `number` of the family `name` under `seed`.
    pub(super) fn new(seed: u64, name: &str, number: u64) -> Self {
        let mut random = Self { state: seed };
        for word in name.bytes().map(u64::from).chain([number]) {
            random.state = random.next() ^ word;
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when that is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        // The bias of a remainder does not matter for choices as small as these.
        usize::try_from(self.next() >> 32).unwrap_or_default() % bound.max(1)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn within(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// Whether one of `times` chances comes true.
    pub(super) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of `choices`; the default of its type when there is none.
    pub(super) fn pick<T: Clone + Default>(&mut self, choices: &[T]) -> T {
        let index = self.below(choices.len());
        choices.get(index).cloned().unwrap_or_default()
    }

    /// Mixes the order of `items`.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_means_the_same_for_ever() {
        let numbers = |seed, name, number| -> Vec<usize> {
            let mut random = Random::new(seed, name, number);
            (0..5).map(|_| random.below(100)).collect()
        };
        assert_eq!(numbers(1, "rules", 0), [38, 85, 20, 15, 74]);
        assert_ne!(numbers(1, "rules", 1), numbers(1, "rules", 0));
        assert_ne!(numbers(2, "rules", 0), numbers(1, "rules", 0));
        assert_ne!(numbers(1, "copy", 0), numbers(1, "rules", 0));
    }
}
