//! Other engines, each with the host that serves it best.
//!
//! None of them selects by tool, so the host keeps a `HashMap` on the tool; the rows named `flat`
//! leave that away. What is lent is built anew for each call, as a host must.

mod cedar;
mod cel;
mod rego;
mod zen;

use std::collections::HashMap;

use crate::contender::Entrant;
use crate::spec::{Input, Spec};

/// Beyond this many rules a decision of a flat engine takes many milliseconds.
const FLAT_MOST: (usize, &str) = (10_000, "not run: every rule is asked at each call");

pub fn all() -> Vec<Entrant> {
    vec![
        zen::ZEN,
        zen::ZEN_FLAT,
        cel::CEL,
        cel::CEL_FLAT,
        cedar::SLICED,
        cedar::FLAT,
        rego::RVM,
        rego::RVM_FLAT,
    ]
}

/// Compiled conditions, those of each tool by themselves or all in one list.
enum Asked<P> {
    ByTool(HashMap<String, Vec<(u32, P)>>),
    All(Vec<(u32, P)>),
}

impl<P> Asked<P> {
    fn by_tool<E: ToString>(
        specs: &[Spec],
        texts: &[String],
        compile: impl Fn(&str) -> Result<P, E>,
    ) -> Result<Self, String> {
        let mut by_tool: HashMap<String, Vec<_>> = HashMap::new();
        for ((number, spec), text) in (0_u32..).zip(specs).zip(texts) {
            let program = compile(text).map_err(|error| error.to_string())?;
            by_tool.entry(spec.tool.clone()).or_default().push((number, program));
        }
        Ok(Self::ByTool(by_tool))
    }

    fn all<E: ToString>(
        texts: &[String],
        compile: impl Fn(&str) -> Result<P, E>,
    ) -> Result<Self, String> {
        let compiled = texts.iter().map(|text| compile(text).map_err(|error| error.to_string()));
        let numbered = (0_u32..).zip(compiled).map(|(number, program)| Ok((number, program?)));
        Ok(Self::All(numbered.collect::<Result<_, String>>()?))
    }

    /// Pushes the rules that hold.
    fn ask(&self, input: &Input, fired: &mut Vec<u32>, mut holds: impl FnMut(&P) -> bool) {
        let asked = match self {
            Self::ByTool(tools) => tools.get(&input.tool).map(Vec::as_slice).unwrap_or_default(),
            Self::All(all) => all,
        };
        let held = asked.iter().filter(|(_, program)| holds(program));
        fired.extend(held.map(|(number, _)| *number));
    }
}

/// Bit `i` is whether the `i`-th condition holds.
fn bits<P>(programs: &[P], mut holds: impl FnMut(&P) -> bool) -> u32 {
    (0..).zip(programs).map(|(bit, program)| u32::from(holds(program)) << bit).sum()
}
