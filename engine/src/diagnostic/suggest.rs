//! "Did you mean": the known word that is closest to what was written.

/// The word of `known` that `word` was most likely meant to be.
pub(crate) fn suggest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    oar_expr::closest(word, known).map(str::to_owned)
}

/// Whether looking for a similar word costs little: each of the `faults` so far may have cost a
/// look at every one of `known` words, so that hostile documents could make it dear.
pub(crate) fn advice_is_cheap(faults: usize, known: usize) -> bool {
    faults.saturating_mul(known) < 10_000_000
}
