//! trace: 50 selected rules, of which 10 fire with an advisory and rendered copy.
//!
//! The other engines name the rules that fired; their host writes trace and copy, as native Rust
//! does by hand.

use std::hint::black_box;

use oar_engine::{Host, Session};
use serde_json::json;

use super::{Print, Ready, Settings, line_up};
use crate::contender::{INDEXED, OURS};
use crate::measure::{Cell, Contender, of_inputs, prove, rounds};
use crate::ours::Ours;
use crate::spec::{self, Fires, Input, Spec};

const NAME: &str = "trace, 10 of 50 fire, copy";

/// Which rules fired, in order, and the copy of those that did.
#[derive(Debug, PartialEq)]
struct Answer {
    trace: Vec<(u32, bool)>,
    copy: Vec<(u32, String, String)>,
}

fn written_by_host(input: &Input, rules: usize, fired: &[u32]) -> Answer {
    let mut next = fired.iter().peekable();
    let trace =
        (0..u32::try_from(rules).unwrap_or(0)).map(|own| (own, next.next_if_eq(&&own).is_some()));
    let copy = |number: &u32| {
        let what = format!("{} ran {}", input.tool, input.command);
        (*number, what, format!("the risk is {}", input.risk))
    };
    Answer { trace: trace.collect(), copy: fired.iter().map(copy).collect() }
}

pub fn run(settings: &Settings, print: &mut Print<'_>) {
    let mut specs = spec::rules(50, 50);
    // Every fifth holds for every input.
    specs.iter_mut().step_by(5).for_each(|own| own.prefix = "/home/".to_owned());
    let inputs = spec::inputs(&specs, 64, Fires::Never, 19);
    let (ours, host) = (Ours::of(documents(&specs)), Host::new());
    let others = settings.entrants().into_iter().filter(|own| own.name != OURS && !own.flat);
    // The automata of native+index find one prefix of a path, and here ten rules share it.
    let others = others.filter(|own| own.name != INDEXED);
    let (ready, mut cells) = line_up(NAME, &specs, others);
    let mut runs: Vec<Contender<'_>> = Vec::new();
    for Ready { name, mut engine, .. } in ready {
        let mut fired = Vec::with_capacity(16);
        let rules = specs.len();
        let mut answer = move |input: &Input| {
            fired.clear();
            engine.decide(input, &mut fired);
            written_by_host(input, rules, &fired)
        };
        match prove(&inputs, |input| truth(&specs, input), &mut answer) {
            Ok(proof) => runs.push(of_inputs(name, proof, &inputs, move |input| {
                black_box(answer(input));
            })),
            Err(reason) => cells.push(Cell::without(NAME, name, reason)),
        }
    }
    if settings.has(OURS) {
        match prove(&inputs, |input| truth(&specs, input), |input| answer(&ours, &host, input)) {
            Ok(proof) => {
                let mut session = Session::new("bench");
                let read = |copy| {
                    let (ours, host) = (&ours, &host);
                    move |session: &mut Session, input: &Input| {
                        read(ours, host, session, input, copy);
                    }
                };
                let (whole, unread) = (read(true), read(false));
                runs.push(of_inputs(OURS, proof, &inputs, move |own| whole(&mut session, own)));
                let mut session = Session::new("bench");
                let unread = of_inputs(OURS, proof, &inputs, move |own| unread(&mut session, own));
                runs.push(unread.row(format!("{NAME}, left unread")));
            }
            Err(reason) => cells.push(Cell::without(NAME, OURS, reason)),
        }
    }
    cells.splice(0..0, rounds(NAME, settings.effort, &mut runs));
    print(cells);
}

/// What is written down is read and not kept: that is the engine's way to give it.
fn read(ours: &Ours, host: &Host, session: &mut Session, input: &Input, copy: bool) {
    let occurrence = ours.occurrence(input);
    let outcome = host.decide(session, &occurrence);
    for entry in outcome.trace() {
        black_box(entry);
    }
    if copy {
        for advisory in outcome.advisories() {
            black_box(advisory);
        }
    }
}

fn truth(specs: &[Spec], input: &Input) -> Answer {
    written_by_host(input, specs.len(), &spec::truth(specs, input))
}

fn documents(specs: &[Spec]) -> serde_json::Value {
    let mut documents = spec::documents(specs);
    for document in documents.as_array_mut().into_iter().flatten() {
        document["copy"] = json!({"what": "{{ tool }} ran {{ acme.command }}",
                                  "why": "the risk is {{ acme.risk }}"});
    }
    documents
}

fn answer(ours: &Ours, host: &Host, input: &Input) -> Answer {
    use oar_engine::decide::TraceOutcome;
    let occurrence = ours.occurrence(input);
    let mut session = Session::new("proof");
    let outcome = host.decide(&mut session, &occurrence);
    let trace = outcome
        .trace()
        .map(|entry| (spec::number(entry.rule), entry.outcome == TraceOutcome::Fired))
        .collect();
    let copy = outcome.advisories().map(|advisory| {
        let mut texts = advisory.copy.iter().map(|(_, text)| text.to_owned());
        let mut text = || texts.next().unwrap_or_default();
        (spec::number(advisory.rule), text(), text())
    });
    Answer { trace, copy: copy.collect() }
}
