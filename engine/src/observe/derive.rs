//! Facts that the engine works out itself when the host publishes nothing under their name.

/// How the engine comes by the value of a name that was neither supplied nor provided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Derivation {
    /// The moment of the occurrence; never supplied.
    Anchor,
    /// The rule's own counter; never supplied.
    FireCount,
    /// The rule's own breaker; never supplied.
    BreakerCount,
    /// Another rule's counter; never supplied.
    FireCountOf,
    /// Another rule's breaker; never supplied.
    BreakerCountOf,
    /// The name of the tool call.
    Tool,
    /// Its arguments.
    ToolArgs,
    /// Its digest ([OAR-FACT-28]).
    Fingerprint,
    /// A string argument by name.
    ToolArgString,
    /// An integer argument by name.
    ToolArgInt,
    /// A boolean argument by name.
    ToolArgBool,
    /// The length of the content in code points.
    ContentLength,
    /// The common length of the provenance lists.
    SegmentCount,
    /// Whether a segment is untrusted.
    ContainsUntrusted,
}

/// The lists that describe the content's segments in parallel (section 5.4).
pub(crate) const PROVENANCE_LISTS: [&str; 5] = [
    "content_roles",
    "content_origins",
    "content_authorities",
    "content_trust_tiers",
    "content_sources",
];

impl Derivation {
    /// Whether it belongs to the core tier, whose values are the engine's alone ([OAR-CONF-32]).
    pub(crate) fn is_core(self) -> bool {
        matches!(
            self,
            Self::Anchor
                | Self::FireCount
                | Self::BreakerCount
                | Self::FireCountOf
                | Self::BreakerCountOf
        )
    }
}

/// How the standard's name is derived, if it is.
pub(crate) fn derivation(name: &str) -> Option<Derivation> {
    Some(match name {
        "anchor" => Derivation::Anchor,
        "fire_count" => Derivation::FireCount,
        "breaker_count" => Derivation::BreakerCount,
        "fire_count_of" => Derivation::FireCountOf,
        "breaker_count_of" => Derivation::BreakerCountOf,
        "tool" => Derivation::Tool,
        "tool_args" => Derivation::ToolArgs,
        "tool_args_fingerprint" => Derivation::Fingerprint,
        "tool_arg_string" => Derivation::ToolArgString,
        "tool_arg_int" => Derivation::ToolArgInt,
        "tool_arg_bool" => Derivation::ToolArgBool,
        "content_length" => Derivation::ContentLength,
        "content_segment_count" => Derivation::SegmentCount,
        "content_contains_untrusted" => Derivation::ContainsUntrusted,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
