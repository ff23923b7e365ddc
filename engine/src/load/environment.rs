//! The one symbol table: every name that a rule may use, with its slot, type and tier ([OAR-FACT-27]).

use std::collections::HashMap;

use oar_expr::{Symbol, Symbols, Type};

use super::vocabulary::{Declaration, Name, Vocabulary};
use crate::observe::{Derivation, derivation};

/// Where a name comes from ([OAR-FACT-14]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The core tier: usable without `requires`.
    Core,
    /// A profile, by its position in the vocabulary.
    Profile(u16),
    /// The host's own tier.
    Host,
}

/// One name of the environment.
#[derive(Debug)]
pub struct Entry {
    pub(crate) name: Box<str>,
    pub(crate) declaration: Declaration,
    pub(crate) tier: Tier,
    pub(crate) derivation: Option<Derivation>,
    /// Whether a registered detector produces it ([OAR-OPS-22]).
    pub(crate) detector_backed: bool,
}

impl Entry {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it stands for.
    #[must_use]
    pub fn declaration(&self) -> Declaration {
        self.declaration
    }

    /// Where it comes from.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// The type of the fact or of the function's result.
    #[must_use]
    pub fn ty(&self) -> Type {
        match self.declaration {
            Declaration::Fact(ty) | Declaration::Function { result: ty, .. } => ty,
        }
    }
}

/// Every declared name; facts and functions share it ([OAR-FACT-2]).
#[derive(Debug, Default)]
pub struct Environment {
    entries: Vec<Entry>,
    by_name: HashMap<Box<str>, u32>,
}

impl Environment {
    /// The core tier and the named profiles; names that the vocabulary lacks are passed over
    /// (the capability document's own check refuses them).
    pub(crate) fn with_profiles<'n>(profiles: impl IntoIterator<Item = &'n str>) -> Self {
        let vocabulary = Vocabulary::get();
        let mut environment = Self::default();
        for name in &vocabulary.core {
            environment.declare_standard(name, Tier::Core, false);
        }
        for profile in profiles {
            let found = vocabulary.profiles.iter().enumerate().find(|(_, own)| own.name == profile);
            let Some((position, profile)) = found else { continue };
            let tier = Tier::Profile(u16::try_from(position).unwrap_or(u16::MAX));
            for name in &profile.names {
                environment.declare_standard(name, tier, profile.detector_backed);
            }
        }
        environment
    }

    fn declare_standard(&mut self, name: &Name, tier: Tier, detector_backed: bool) {
        self.declare(Entry {
            name: name.name.as_str().into(),
            declaration: name.declaration,
            tier,
            derivation: derivation(&name.name),
            detector_backed,
        });
    }

    /// Adds a name of the host tier; false when it is there already ([OAR-FACT-27]).
    pub(crate) fn declare_host(&mut self, name: &str, declaration: Declaration) -> bool {
        self.declare(Entry {
            name: name.into(),
            declaration,
            tier: Tier::Host,
            derivation: None,
            detector_backed: false,
        })
    }

    fn declare(&mut self, entry: Entry) -> bool {
        if self.by_name.contains_key(&entry.name) {
            return false;
        }
        let slot = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.by_name.insert(entry.name.clone(), slot);
        self.entries.push(entry);
        true
    }

    /// The slot of a declared name.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The entry in a slot.
    #[must_use]
    pub fn entry(&self, slot: u32) -> Option<&Entry> {
        self.entries.get(slot as usize)
    }

    /// The entry under a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<(u32, &Entry)> {
        let slot = self.slot(name)?;
        Some((slot, self.entry(slot)?))
    }

    /// Every entry, by slot.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

impl Symbols for Environment {
    fn symbol(&self, name: &str) -> Option<Symbol> {
        let (slot, entry) = self.named(name)?;
        Some(match (entry.derivation, entry.declaration) {
            (Some(Derivation::FireCountOf | Derivation::BreakerCountOf), _) => {
                Symbol::Reference { slot, result: Type::Int }
            }
            (_, Declaration::Fact(ty)) => Symbol::Fact { slot, ty },
            (_, Declaration::Function { parameter, result }) => {
                Symbol::Function { slot, parameter, result }
            }
        })
    }

    fn names(&self, visit: &mut dyn FnMut(&str)) {
        for entry in &self.entries {
            visit(&entry.name);
        }
    }
}
