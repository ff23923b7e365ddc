//! load: 10,000 rules from their documents, and from the texts of the other engines.

use std::hint::black_box;

use oar_engine::Source;
use saphyr_parser::{Parser, ScanError};
use serde_json::Value as Json;

use super::{Print, Settings, enter};
use crate::contender::OURS;
use crate::measure::{Cell, Contender, Effort, Proof, prove, rounds};
use crate::ours::{self, Ours};
use crate::spec::{self, Spec};

const COUNT: usize = 10_000;

fn events(text: &str) -> Result<usize, ScanError> {
    let mut count = 0;
    for event in Parser::new_from_str(text) {
        event?;
        count += 1;
    }
    Ok(count)
}

/// That a parser takes the text at all; its answer is not a decision.
fn parses<T, E: std::fmt::Debug>(parsed: Result<T, E>) -> Proof {
    let proof = prove(
        &[()],
        |()| Ok(()),
        |()| parsed.as_ref().map(|_| ()).map_err(|own| format!("{own:?}")),
    );
    proof.unwrap_or_else(|why| panic!("{why}"))
}

pub fn run(settings: &Settings, print: &mut Print<'_>) {
    let specs = spec::rules(COUNT, 5);
    let effort = Effort { rounds: settings.effort.rounds.min(9), ..settings.effort };
    if settings.has(OURS) {
        documents(&specs, effort, print);
    }
    own_texts(settings, &specs, effort, print);
}

/// This engine beside the parser of the same text alone, which stands in the column of native Rust.
fn documents(specs: &[Spec], effort: Effort, print: &mut Print<'_>) {
    let documents = spec::documents(specs);
    let text = documents.to_string();
    let stream = spec::yaml(specs);
    let proved = |source: Source| {
        let ours = Ours::of_rules(ours::load([source]));
        let proof = super::prove_engine(specs, &mut { ours });
        proof.unwrap_or_else(|why| panic!("oar: {why}"))
    };
    let from_json = [
        Contender::new("native", parses(serde_json::from_str::<Json>(&text)), |_| {
            black_box(serde_json::from_str::<Json>(black_box(&text)).expect("our own text"));
        }),
        Contender::new(OURS, proved(Source::json("rules.json", text.as_str())), |_| {
            black_box(ours::load([Source::json("rules.json", text.as_str())]));
        }),
    ];
    let name = "load 10,000 from JSON text, to `serde_json::Value` of it, a rule";
    print(a_rule(name, effort, from_json));
    let from_yaml = [
        Contender::new("native", parses(events(&stream)), |_| {
            black_box(events(black_box(&stream)).expect("our own text"));
        }),
        Contender::new(OURS, proved(Source::yaml("rules.yaml", stream.as_str())), |_| {
            black_box(ours::load([Source::yaml("rules.yaml", stream.as_str())]));
        }),
    ];
    let name = "load 10,000 from YAML text, to the events of saphyr-parser, a rule";
    print(a_rule(name, effort, from_yaml));
    let from_values = [
        Contender::new("native", parses::<_, ()>(Ok(documents.clone())), |_| {
            black_box(black_box(&documents).clone());
        }),
        Contender::new(OURS, proved(Source::value("rules", documents.clone())), |_| {
            black_box(ours::load([Source::value("rules", documents.clone())]));
        }),
    ];
    print(a_rule("load 10,000 from values, to a copy of them, a rule", effort, from_values));
}

/// Each from texts in its own language; native Rust makes closures and reads nothing.
fn own_texts(settings: &Settings, specs: &[Spec], effort: Effort, print: &mut Print<'_>) {
    const NAME: &str = "load 10,000, each its own text, a rule";
    let (mut runs, mut missing): (Vec<Contender<'_>>, _) = (Vec::new(), Vec::new());
    for entrant in settings.entrants().into_iter().filter(|own| !own.flat) {
        match enter(specs, &entrant) {
            Ok(own) => {
                let texts = entrant.texts(specs);
                runs.push(Contender::new(own.name, own.proof, move |_| {
                    // Dropping what was loaded is part of the call, for everyone.
                    drop(black_box((entrant.load)(specs, black_box(&texts))));
                }));
            }
            Err(reason) => missing.push(Cell::without(NAME, entrant.name, reason)),
        }
    }
    let mut cells = rounds(NAME, effort, &mut runs);
    divide(&mut cells);
    cells.extend(missing);
    print(cells);
}

fn a_rule(name: &str, effort: Effort, mut runs: [Contender<'_>; 2]) -> Vec<Cell> {
    let mut cells = rounds(name, effort, &mut runs);
    divide(&mut cells);
    cells
}

fn divide(cells: &mut [Cell]) {
    for figure in cells.iter_mut().filter_map(|own| own.figure.as_mut().ok()) {
        figure.value /= COUNT as f64;
    }
}
