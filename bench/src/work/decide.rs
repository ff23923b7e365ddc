//! select and scan: decisions over string conditions.

use std::hint::black_box;

use super::{Print, Ready, Settings, enter, line_up, thousands};
use crate::alloc;
use crate::contender::{OAR_UNREAD, OURS};
use crate::measure::{Cell, Contender, Figure, of_inputs, rounds};
use crate::spec::{self, Fires, Input};

/// N rules, five of them on the tool of the call.
pub fn select(settings: &Settings, count: usize, print: &mut Print<'_>) {
    let name = format!("select {}", thousands(count));
    if !settings.wants(&name) {
        return;
    }
    let specs = spec::rules(count, 5);
    let (mut ready, missing) = line_up(&name, &specs, settings.entrants());
    let inputs = spec::inputs(&specs, 64, Fires::Tenth, 3);
    let mut cells = measured(settings, &name, &mut ready, &inputs);
    cells.extend(missing);
    print(cells);
    if count == 1_000 {
        for (which, fires) in [("nothing fires", Fires::Never), ("one fires", Fires::Always)] {
            let inputs = spec::inputs(&specs, 64, fires, 3);
            let name = format!("{name}, allocations, {which}");
            print(ready.iter_mut().map(|own| allocations(&name, own, &inputs)).collect());
        }
    }
}

/// N rules on one tool; the last fires.
pub fn scan(settings: &Settings, count: usize, print: &mut Print<'_>) {
    let name = format!("scan {}", thousands(count));
    if !settings.wants(&name) {
        return;
    }
    let specs = spec::rules(count, count);
    // With a single tool there is nothing that the host could pick.
    let entrants = settings.entrants().into_iter().filter(|own| !own.flat);
    let (mut ready, missing) = line_up(&name, &specs, entrants);
    let unread = settings.has(OURS).then(|| enter(&specs, &OAR_UNREAD));
    let mut unread = unread.and_then(Result::ok);
    let inputs = spec::inputs(&specs[count - 1..], 64, Fires::Always, 5);
    let mut runs: Vec<Contender<'_>> = ready.iter_mut().map(|own| run(own, &inputs)).collect();
    if let Some(unread) = &mut unread {
        runs.push(run(unread, &inputs).row(format!("{name}, the trace left unread")));
    }
    let mut cells = rounds(&name, settings.effort, &mut runs);
    cells.extend(missing);
    print(cells);
}

fn measured(settings: &Settings, name: &str, ready: &mut [Ready], inputs: &[Input]) -> Vec<Cell> {
    let mut runs: Vec<Contender<'_>> = ready.iter_mut().map(|own| run(own, inputs)).collect();
    rounds(name, settings.effort, &mut runs)
}

fn run<'a>(own: &'a mut Ready, inputs: &'a [Input]) -> Contender<'a> {
    let mut fired = Vec::with_capacity(16);
    of_inputs(own.name, own.proof, inputs, move |input| {
        fired.clear();
        own.engine.decide(input, &mut fired);
        black_box(&fired);
    })
}

fn allocations(workload: &str, own: &mut Ready, inputs: &[Input]) -> Cell {
    let mut fired = Vec::with_capacity(16);
    let mut decide = || {
        for input in inputs {
            fired.clear();
            own.engine.decide(black_box(input), &mut fired);
        }
    };
    decide();
    let before = alloc::calls();
    decide();
    let value = (alloc::calls() - before) as f64 / inputs.len() as f64;
    Cell::new(workload, own.name, Figure { value, unit: "", ratio: None })
}
