//! The workloads, each a function from the bench's settings to cells of the table.

mod cold;
mod counters;
mod decide;
mod expr;
mod load;
mod memory;
mod threads;
mod trace;
mod transform;

use crate::contender::{self, Engine, Entrant, Reason};
use crate::measure::{Cell, Effort, Proof, prove};
use crate::spec::{self, Fires, Spec};

/// What to run and how long.
pub struct Settings {
    pub only: Vec<String>,
    pub contenders: Vec<String>,
    pub effort: Effort,
}

/// Takes the cells of a workload.
pub type Print<'a> = dyn FnMut(Vec<Cell>) + 'a;

impl Settings {
    pub fn wants(&self, workload: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|own| workload.starts_with(own.as_str()))
    }

    /// Whether this contender takes part.
    pub fn has(&self, name: &str) -> bool {
        self.contenders.is_empty() || self.contenders.iter().any(|own| own == name)
    }

    /// Who takes part. Native Rust always does: the ratios are to it.
    pub fn entrants(&self) -> Vec<Entrant> {
        let mut all = contender::all();
        all.retain(|own| own.name == "native" || self.has(own.name));
        all
    }
}

/// Every workload, in the order of the table.
pub fn all(settings: &Settings, print: &mut Print<'_>) {
    for count in [10, 100, 1_000, 10_000, 100_000] {
        decide::select(settings, count, print);
    }
    for count in [10, 100, 1_000, 10_000] {
        decide::scan(settings, count, print);
    }
    type Workload = fn(&Settings, &mut Print<'_>);
    let rest: [(&str, Workload); 8] = [
        ("expr", expr::run),
        ("trace", trace::run),
        ("counters", counters::run),
        ("transform", transform::run),
        ("load", load::run),
        ("cold", cold::run),
        ("memory", memory::run),
        ("threads", threads::run),
    ];
    for (name, run) in rest {
        if settings.wants(name) {
            run(settings, print);
        }
    }
}

/// A contender whose rules are loaded and whose answers are right.
pub struct Ready {
    pub name: &'static str,
    pub engine: Box<dyn Engine>,
    pub proof: Proof,
}

/// Loads the entrants and proves each of them over random inputs; those that are not measured
/// become cells that say why.
pub fn line_up(
    workload: &str,
    specs: &[Spec],
    entrants: impl IntoIterator<Item = Entrant>,
) -> (Vec<Ready>, Vec<Cell>) {
    let (mut ready, mut missing) = (Vec::new(), Vec::new());
    for entrant in entrants {
        match enter(specs, &entrant) {
            Ok(own) => ready.push(own),
            Err(reason) => missing.push(Cell::without(workload, entrant.name, reason)),
        }
    }
    assert!(ready.first().is_some_and(|own| own.name == "native"), "native is the base");
    (ready, missing)
}

/// Loads one entrant and proves it.
pub fn enter(specs: &[Spec], entrant: &Entrant) -> Result<Ready, Reason> {
    let mut engine = entrant.loaded(specs)?;
    let proof = prove_engine(specs, &mut *engine)?;
    Ok(Ready { name: entrant.name, engine, proof })
}

/// Holds the fired rules of 50 random inputs and of 50 that fire against the truth.
pub fn prove_engine(specs: &[Spec], engine: &mut dyn Engine) -> Result<Proof, Reason> {
    let mut checked = spec::inputs(specs, 50, Fires::Half, 7);
    checked.extend(spec::inputs(&specs[specs.len() - 1..], 50, Fires::Always, 8));
    prove(
        &checked,
        |input| spec::truth(specs, input),
        |input| {
            let mut fired = Vec::new();
            engine.decide(input, &mut fired);
            fired
        },
    )
}

/// A count with thousands apart.
pub fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
