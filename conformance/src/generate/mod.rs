//! Random fixtures, for holding engines against each other and for fuzzing.
//!
//! A fixture is a function of its family, its seed and its number, so that any one can be made
//! again. It states no expectation, but whether it must load is known: it is valid by construction,
//! or broken in one place on purpose. Whatever the standard leaves open is kept out of the
//! [settled][Family::SETTLED] families, so that two conforming engines cannot disagree: no
//! insertions at one offset, no span of no width, no remainder by a negative number, white space
//! only as blanks, and so on; each family says what. The others follow `spec/notes.md` there.

mod condition;
mod copy;
mod documents;
mod edges;
mod failures;
mod host;
mod random;
mod rules;
mod transforms;

use serde_json::{Value, json};

use random::Random;

/// What a fixture is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Conditions over facts of every type.
    Conditions,
    /// Sets of rules with suppression, counters, flow and configuration, over several occurrences.
    Rules,
    /// Transforms of text of more than one byte a character.
    Transforms,
    /// Copy with bindings and conditionals.
    Copy,
    /// The shape of a rule document.
    Documents,
    /// What goes wrong at an occurrence, by our reading of the standard.
    Failures,
    /// Transforms whose spans touch, meet or have no width, by our reading of the standard.
    Edges,
}

impl Family {
    /// The families on which conforming engines cannot disagree.
    pub const SETTLED: [Self; 5] =
        [Self::Conditions, Self::Rules, Self::Transforms, Self::Copy, Self::Documents];

    /// Every family.
    pub const ALL: [Self; 7] = [
        Self::Conditions,
        Self::Rules,
        Self::Transforms,
        Self::Copy,
        Self::Documents,
        Self::Failures,
        Self::Edges,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Conditions => "conditions",
            Self::Rules => "rules",
            Self::Transforms => "transforms",
            Self::Copy => "copy",
            Self::Documents => "documents",
            Self::Failures => "failures",
            Self::Edges => "edges",
        }
    }

    /// The family called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }
}

/// A random fixture.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The fixture, without `covers` and `expected`.
    pub fixture: Value,
    /// Whether it must load; otherwise it must be refused.
    pub loads: bool,
}

/// What a family makes of its random numbers.
struct Draft {
    rules: Vec<Value>,
    input: Value,
    loads: bool,
}

/// The fixture number `number` of `family` under `seed`.
#[must_use]
pub fn generate(family: Family, seed: u64, number: u64) -> Generated {
    let mut random = Random::new(seed, family.name(), number);
    let draft = match family {
        Family::Conditions => condition::draft(&mut random),
        Family::Rules => rules::draft(&mut random),
        Family::Transforms => transforms::draft(&mut random),
        Family::Copy => copy::draft(&mut random),
        Family::Documents => documents::draft(&mut random),
        Family::Failures => failures::draft(&mut random),
        Family::Edges => edges::draft(&mut random),
    };
    let id = format!("generated-{}-{seed}-{number}", family.name());
    let fixture = json!({"id": id, "rules": draft.rules, "input": draft.input});
    Generated { fixture, loads: draft.loads }
}
