//! Bounds on what is read. Passing one is a diagnostic, never an abort.

/// How much a source may hold.
///
/// Every field has a default that no document written by people comes near; a host that reads
/// documents from strangers can lower them, one that reads generated sets can raise them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of text: 16 MiB. A text of 4 GiB is refused whatever stands here, since a
    /// [`Span`](oar_expr::Span) could not address it.
    pub bytes: usize,
    /// Arrays and objects inside one another: 128, as in most JSON readers. Conditions are text
    /// and may nest as they like.
    pub depth: usize,
    /// Values in one source, without those that aliases repeat: two million, which is some
    /// 100 MB of memory.
    pub nodes: usize,
    /// Values that YAML anchors mark and aliases repeat in one source: 100,000. A long string
    /// counts as one more for every 64 bytes.
    pub alias_nodes: usize,
    /// Diagnostics reported for one source: 100. The last one says that more were found.
    pub diagnostics: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            depth: 128,
            nodes: 2_000_000,
            alias_nodes: 100_000,
            diagnostics: 100,
        }
    }
}
