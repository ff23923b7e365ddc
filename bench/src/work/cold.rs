//! cold: one decision after the caches were filled with something else.

use std::hint::black_box;
use std::time::Instant;

use super::{Print, Settings, line_up};
use crate::measure::{Cell, Figure, median, nanos};
use crate::spec::{self, Fires};

pub fn run(settings: &Settings, print: &mut Print<'_>) {
    const NAME: &str = "cold, select 10,000";
    let specs = spec::rules(10_000, 5);
    let entrants = settings.entrants().into_iter().filter(|own| !own.flat);
    let (mut ready, missing) = line_up(NAME, &specs, entrants);
    let inputs = spec::inputs(&specs, 64, Fires::Tenth, 11);
    let mut memory = vec![1_u8; 64 << 20];
    let mut times = vec![Vec::new(); ready.len()];
    let mut fired = Vec::with_capacity(16);
    for round in 0..settings.effort.rounds * 2 {
        let input = &inputs[round % inputs.len()];
        for step in 0..ready.len() {
            let which = (round + step) % ready.len();
            for line in memory.iter_mut().step_by(64) {
                *line = line.wrapping_add(1);
            }
            black_box(&memory);
            fired.clear();
            let start = Instant::now();
            ready[which].engine.decide(input, &mut fired);
            times[which].push(nanos(start.elapsed()));
        }
    }
    let base = times[0].clone();
    let cell = |(own, times): (&super::Ready, &Vec<f64>)| {
        let ratios = times.iter().zip(&base).map(|(own, base)| own / base).collect();
        let value = median(times.clone());
        Cell::new(NAME, own.name, Figure { value, unit: "ns", ratio: Some(median(ratios)) })
    };
    print(ready.iter().zip(&times).map(cell).chain(missing).collect());
}
