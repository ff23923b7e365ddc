//! "Did you mean": the known word that is closest to what was written.

/// The word of `known` that `word` was most likely meant to be.
pub(crate) fn suggest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    oar_expr::closest(word, known).map(str::to_owned)
}
