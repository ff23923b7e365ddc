//! What is known of facts beyond their types: who never is negative, and which words there are.
//!
//! Everything here is what the standard says of a fact's meaning (sections 5.3 and 5.4).

use oar_engine::load::{Capability, Declaration, Tier, Vocabulary};
use oar_expr::Type;

/// The words of the lists of `content-provenance`.
const LISTED: [(&str, &[&str]); 4] = [
    ("content_roles", &["system", "developer", "user", "assistant", "tool", "unknown"]),
    (
        "content_origins",
        &["host", "user", "model", "tool", "peer", "resource", "retrieval", "unknown"],
    ),
    ("content_authorities", &["system", "developer", "user", "delegated", "none", "unknown"]),
    ("content_trust_tiers", &["trusted", "untrusted", "unknown"]),
];

/// The least and the greatest value of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) least: Option<i128>,
    pub(crate) greatest: Option<i128>,
}

/// What is known for a host, or for every host.
pub(crate) struct Domain<'s> {
    capability: Option<&'s Capability>,
}

impl<'s> Domain<'s> {
    pub(crate) fn new(capability: Option<&'s Capability>) -> Self {
        Self { capability }
    }

    /// What a name stands for; `None` for one that the host declares and nobody described.
    pub(crate) fn declaration(&self, name: &str) -> Option<Declaration> {
        if let Some(capability) = self.capability {
            return capability.environment().named(name).map(|(_, entry)| entry.declaration());
        }
        let vocabulary = Vocabulary::get();
        let profiles = vocabulary.profiles.iter().flat_map(|profile| &profile.names);
        let mut names = vocabulary.core.iter().chain(profiles);
        names.find(|own| own.name == name).map(|own| own.declaration)
    }

    /// Where a name comes from; `None` for one that nobody described.
    pub(crate) fn tier(&self, name: &str) -> Option<Tier> {
        match self.capability {
            Some(capability) => capability.environment().named(name).map(|(_, entry)| entry.tier()),
            // Without a host, the names that are known are the standard's.
            None => self.declaration(name).map(|_| Tier::Core),
        }
    }

    pub(crate) fn is_string(&self, name: &str) -> bool {
        self.declaration(name) == Some(Declaration::Fact(Type::String))
    }

    /// Whether a fact, or what a function returns, is an int.
    pub(crate) fn is_int(&self, name: &str) -> bool {
        match self.declaration(name) {
            Some(Declaration::Fact(ty) | Declaration::Function { result: ty, .. }) => {
                ty == Type::Int
            }
            None => name == "size",
        }
    }

    /// The values that a number can have.
    pub(crate) fn range(&self, name: &str) -> Range {
        match name {
            "fire_count"
            | "breaker_count"
            | "fire_count_of"
            | "breaker_count_of"
            | "size"
            | "content_length"
            | "content_segment_count" => Range { least: Some(0), greatest: None },
            "prompt_injection_score" | "jailbreak_score" | "moderation_score" => {
                Range { least: Some(0), greatest: Some(1) }
            }
            _ => Range { least: None, greatest: None },
        }
    }

    /// The words that a list can hold, where the standard names them.
    pub(crate) fn listed(&self, name: &str) -> Option<&'static [&'static str]> {
        LISTED.iter().find(|(own, _)| *own == name).map(|(_, words)| *words)
    }

    /// What the fact `anchor` is at the moment that a rule names: the core anchor's name where
    /// there is one.
    pub(crate) fn published_anchor<'a>(&'a self, anchor: &'a str) -> &'a str {
        let mut core = self.capability.into_iter().flat_map(Capability::core_anchors);
        core.find(|(_, local)| *local == anchor).map_or(anchor, |(core, _)| core)
    }

    /// The host's own name of the moment that a rule names ([OAR-PROF-4]).
    pub(crate) fn local_anchor<'a>(&'a self, anchor: &'a str) -> &'a str {
        let mut core = self.capability.into_iter().flat_map(Capability::core_anchors);
        core.find(|(core, _)| *core == anchor).map_or(anchor, |(_, local)| local)
    }
}

/// Whether a text can be `tool_args_fingerprint`: hexadecimal SHA-256, or empty without a call
/// ([OAR-FACT-28]).
pub(crate) fn is_fingerprint(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.is_empty() || (text.len() == 64 && text.bytes().all(digit))
}
