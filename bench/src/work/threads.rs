//! threads: decisions a second by one thread and by two.
//!
//! Native Rust and this engine share one rule set between the threads; the others, whose machines
//! belong to a thread, load the rules in each.

use std::hint::black_box;
use std::time::{Duration, Instant};

use oar_engine::Session;

use super::{Print, Settings, enter, prove_engine};
use crate::contender::{Engine, Entrant, OURS};
use crate::measure::{Cell, Figure, median};
use crate::native::Native;
use crate::ours::Ours;
use crate::spec::{self, Fires, Input, Spec};

const NAME: &str = "threads, gain of two over one";

/// Makes what decides within a thread.
type Worker<'a> = Box<dyn Fn() -> Box<dyn Engine + 'a> + Sync + 'a>;

struct Shared<'a, F>(&'a F, Session);

impl<F: Fn(&mut Session, &Input, &mut Vec<u32>)> Engine for Shared<'_, F> {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        (self.0)(&mut self.1, input, fired);
    }
}

pub fn run(settings: &Settings, print: &mut Print<'_>) {
    let specs = spec::rules(1_000, 5);
    let inputs = spec::inputs(&specs, 64, Fires::Tenth, 3);
    let native = Native::new(&specs);
    let texts: Vec<_> =
        (0..).zip(&specs).map(|(n, own)| spec::document(n, own).to_string()).collect();
    let ours = Ours::of_texts(&texts);
    let by_native =
        |_: &mut Session, input: &Input, fired: &mut Vec<u32>| native.decide_shared(input, fired);
    let by_ours = |session: &mut Session, input: &Input, fired: &mut Vec<u32>| {
        ours.decide_shared(session, input, fired);
    };
    let entrants: Vec<Entrant> = settings.entrants().into_iter().filter(|own| !own.flat).collect();
    let mut cells = Vec::new();
    let mut workers: Vec<(&'static str, Worker<'_>)> = Vec::new();
    for entrant in &entrants {
        let specs = &specs;
        let worker: Worker<'_> = match entrant.name {
            "native" => Box::new(|| Box::new(Shared(&by_native, Session::new("bench")))),
            OURS => Box::new(|| Box::new(Shared(&by_ours, Session::new("bench")))),
            _ => Box::new(move || own_rules(specs, entrant)),
        };
        match prove_engine(specs, &mut *worker()) {
            Ok(_) => workers.push((entrant.name, worker)),
            Err(reason) => cells.push(Cell::without(NAME, entrant.name, reason)),
        }
    }
    let mut gains = vec![Vec::new(); workers.len()];
    for _ in 0..settings.effort.rounds.min(15) {
        for (gains, (_, worker)) in gains.iter_mut().zip(&workers) {
            let one = throughput(1, &inputs, worker);
            gains.push(throughput(2, &inputs, worker) / one);
        }
    }
    let base = median(gains[0].clone());
    for ((name, _), gains) in workers.iter().zip(gains) {
        let value = median(gains);
        cells.push(Cell::new(NAME, name, Figure { value, unit: "x", ratio: Some(value / base) }));
    }
    print(cells);
}

fn own_rules(specs: &[Spec], entrant: &Entrant) -> Box<dyn Engine> {
    enter(specs, entrant).unwrap_or_else(|why| panic!("{}: {why}", entrant.name)).engine
}

fn throughput(threads: usize, inputs: &[Input], worker: &Worker<'_>) -> f64 {
    const LASTS: Duration = Duration::from_millis(60);
    // Rules are loaded before the clock of any thread runs.
    let begin = std::sync::Barrier::new(threads);
    let work = || {
        let mut engine = worker();
        let mut fired = Vec::with_capacity(16);
        begin.wait();
        let (start, mut calls) = (Instant::now(), 0_usize);
        while start.elapsed() < LASTS {
            for input in inputs {
                fired.clear();
                engine.decide(black_box(input), &mut fired);
            }
            calls += inputs.len();
        }
        calls as f64 / start.elapsed().as_secs_f64()
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().map(|handle| handle.join().expect("a thread of ours")).sum()
    })
}
