//! The base of all ratios: what a Rust programmer would write by hand.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::contender::{Conditions, Engine};
use crate::spec::{Condition as OverNumbers, Input, Numbers, Spec};

type Condition = Box<dyn Fn(&Input) -> bool + Send + Sync>;

/// Closures over a struct, found by a `HashMap` on the tool.
pub struct Native {
    by_tool: HashMap<String, Vec<(u32, Condition)>>,
}

impl Native {
    pub fn new(specs: &[Spec]) -> Self {
        let mut by_tool: HashMap<String, Vec<(u32, Condition)>> = HashMap::new();
        for (number, spec) in (0_u32..).zip(specs) {
            let own = spec.clone();
            let condition: Condition = Box::new(move |input| {
                input.path.starts_with(&own.prefix)
                    || input.command.contains(&own.needle) && input.risk > 0.75
            });
            by_tool.entry(spec.tool.clone()).or_default().push((number, condition));
        }
        Self { by_tool }
    }

    /// The same for threads that share the rules.
    pub fn decide_shared(&self, input: &Input, fired: &mut Vec<u32>) {
        for (number, condition) in self.by_tool.get(&input.tool).into_iter().flatten() {
            if condition(input) {
                fired.push(*number);
            }
        }
    }
}

impl Engine for Native {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        self.decide_shared(input, fired);
    }
}

/// A closure for each condition, called through a pointer as the closures of rules are.
pub fn conditions(conditions: &[OverNumbers]) -> Conditions {
    type Closure = Box<dyn Fn(&Numbers) -> bool>;
    let closure = |condition: &OverNumbers| -> Closure {
        match *condition {
            OverNumbers::Twenty => {
                Box::new(|own| own.a + own.b * 2 > 10 && own.x < 0.5 || own.c - 1 == 3 && !own.flag)
            }
            OverNumbers::AtLeast(least) => Box::new(move |own| own.a >= least),
        }
    };
    let closures: Vec<Closure> = conditions.iter().map(closure).collect();
    Box::new(move |own| {
        let bit = |(bit, closure): (usize, &Closure)| u32::from(closure(own)) << bit;
        closures.iter().enumerate().map(bit).sum()
    })
}

/// The same with an automaton over the prefixes and one over the needles of each tool.
pub struct Indexed {
    by_tool: HashMap<String, Tool>,
}

struct Tool {
    numbers: Vec<u32>,
    prefixes: AhoCorasick,
    needles: AhoCorasick,
}

impl Indexed {
    pub fn new(specs: &[Spec]) -> Self {
        let mut rules: HashMap<&str, Vec<(u32, &Spec)>> = HashMap::new();
        for (number, spec) in (0_u32..).zip(specs) {
            rules.entry(&spec.tool).or_default().push((number, spec));
        }
        let automaton = |literals: Vec<&str>, kind| {
            let mut builder = AhoCorasick::builder();
            let start = aho_corasick::StartKind::Both;
            builder.match_kind(kind).start_kind(start).build(literals).expect("literals are few")
        };
        let tool = |(tool, rules): (&str, Vec<(u32, &Spec)>)| {
            let prefixes = rules.iter().map(|(_, spec)| spec.prefix.as_str()).collect();
            let needles = rules.iter().map(|(_, spec)| spec.needle.as_str()).collect();
            let tables = Tool {
                numbers: rules.iter().map(|(number, _)| *number).collect(),
                prefixes: automaton(prefixes, MatchKind::LeftmostFirst),
                needles: automaton(needles, MatchKind::Standard),
            };
            (tool.to_owned(), tables)
        };
        Self { by_tool: rules.into_iter().map(tool).collect() }
    }
}

impl Engine for Indexed {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        let Some(tool) = self.by_tool.get(&input.tool) else { return };
        let anchored = aho_corasick::Input::new(&input.path).anchored(aho_corasick::Anchored::Yes);
        let number = |found: aho_corasick::Match| tool.numbers[found.pattern().as_usize()];
        fired.extend(tool.prefixes.find(anchored).map(number));
        if input.risk > 0.75 {
            fired.extend(tool.needles.find_iter(&input.command).map(number));
        }
        fired.sort_unstable();
        fired.dedup();
    }
}
