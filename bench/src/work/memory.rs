//! memory: heap bytes held a rule, once 10,000 are loaded.

use std::hint::black_box;

use super::{Print, Settings, enter, prove_engine};
use crate::alloc;
use crate::measure::{Cell, Figure};
use crate::spec;

pub fn run(settings: &Settings, print: &mut Print<'_>) {
    const COUNT: usize = 10_000;
    for (name, per_tool) in [("select", 5), ("scan", COUNT)] {
        let name = format!("memory, {name} 10,000, heap a rule");
        let specs = spec::rules(COUNT, per_tool);
        let (mut cells, mut base) = (Vec::new(), None);
        for entrant in settings.entrants().into_iter().filter(|own| !own.flat) {
            // What is loaded once for the process does not count.
            let (few, texts) = (&specs[..5], entrant.texts(&specs));
            let _once = enter(few, &entrant);
            let before = alloc::held();
            let loaded = (entrant.load)(&specs, &texts);
            let held = (alloc::held() - before) as f64;
            let proved = loaded.and_then(|mut engine| {
                prove_engine(&specs, &mut *engine)?;
                drop(black_box(engine));
                Ok(())
            });
            cells.push(match proved {
                Ok(()) => {
                    let ratio = Some(held / *base.get_or_insert(held));
                    let figure = Figure { value: held / COUNT as f64, unit: "B", ratio };
                    Cell::new(&name, entrant.name, figure)
                }
                Err(reason) => Cell::without(&name, entrant.name, reason),
            });
        }
        print(cells);
    }
}
