//! Who takes part: how each contender reads rules, decides, and what keeps it out.

use crate::native::{Indexed, Native};
use crate::ours::{Ours, Unread};
use crate::spec::{self, Condition, Input, Numbers, Spec};

/// Rules that were loaded and decide.
pub trait Engine {
    /// Pushes the numbers of the rules that fire, in order.
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>);
}

/// Decides conditions over numbers: bit `i` is whether the `i`-th holds.
pub type Conditions = Box<dyn FnMut(&Numbers) -> u32>;

/// Why a contender has no figure.
pub type Reason = String;

/// Loads rules from their texts.
pub type Load = fn(&[Spec], &[String]) -> Result<Box<dyn Engine>, Reason>;

/// Compiles conditions over numbers.
pub type Compile = fn(&[Condition]) -> Result<Conditions, Reason>;

/// One contender.
pub struct Entrant {
    pub name: &'static str,
    /// A rule in its language; empty where rules are made of nothing but Rust.
    pub text: fn(usize, &Spec) -> String,
    pub load: Load,
    pub conditions: Option<Compile>,
    /// How many rules it is given, and why no more.
    pub most: Option<(usize, &'static str)>,
    /// Whether the host keeps no index for it; there is no second figure where that is no matter.
    pub flat: bool,
}

impl Entrant {
    /// Loads it, or says why it is not loaded.
    pub fn loaded(&self, specs: &[Spec]) -> Result<Box<dyn Engine>, Reason> {
        self.allows(specs.len())?;
        (self.load)(specs, &self.texts(specs))
    }

    pub fn allows(&self, rules: usize) -> Result<(), Reason> {
        match self.most {
            Some((most, why)) if rules > most => Err(why.to_owned()),
            _ => Ok(()),
        }
    }

    pub fn texts(&self, specs: &[Spec]) -> Vec<String> {
        specs.iter().enumerate().map(|(number, spec)| (self.text)(number, spec)).collect()
    }
}

fn no_text(_: usize, _: &Spec) -> String {
    String::new()
}

const NATIVE: Entrant = Entrant {
    name: "native",
    text: no_text,
    load: |specs, _| Ok(Box::new(Native::new(specs))),
    conditions: Some(|conditions| Ok(crate::native::conditions(conditions))),
    most: None,
    flat: false,
};

/// The name of hand-written Rust with automata in the table.
pub const INDEXED: &str = "native+index";

const NATIVE_INDEXED: Entrant = Entrant {
    name: INDEXED,
    load: |specs, _| Ok(Box::new(Indexed::new(specs))),
    conditions: None,
    ..NATIVE
};

/// The name of this engine in the table.
pub const OURS: &str = "oar";

const OAR: Entrant = Entrant {
    name: OURS,
    text: |number, spec| spec::document(number, spec).to_string(),
    load: |_, texts| Ok(Box::new(Ours::of_texts(texts))),
    conditions: Some(|conditions| Ok(crate::ours::conditions(conditions))),
    ..NATIVE
};

/// The same engine, asked who fired without the trace being read.
pub const OAR_UNREAD: Entrant = Entrant {
    load: |_, texts| Ok(Box::new(Unread(Ours::of_texts(texts)))),
    conditions: None,
    ..OAR
};

/// Everyone; the first is the base of the ratios.
pub fn all() -> Vec<Entrant> {
    #[cfg(feature = "peers")]
    let peers = crate::peers::all();
    #[cfg(not(feature = "peers"))]
    let peers = Vec::new();
    [NATIVE, NATIVE_INDEXED, OAR].into_iter().chain(peers).collect()
}
