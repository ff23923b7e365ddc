//! The runs that callgrind counts for `bench/check`: one workload of this engine, over and over.

use std::hint::black_box;

use oar_engine::Source;

use crate::contender::Engine;
use crate::ours::{self, Ours};
use crate::spec::{self, Condition, Fires, Input, Numbers};

/// Runs a workload; false when there is none of that name.
pub fn run(workload: &str) -> bool {
    match workload {
        "select" => {
            let specs = spec::rules(1_000, 5);
            decide(Ours::of(spec::documents(&specs)), &spec::inputs(&specs, 64, Fires::Tenth, 3));
        }
        "scan" => {
            let specs = spec::rules(1_000, 1_000);
            let inputs = spec::inputs(&specs[999..], 64, Fires::Always, 5);
            decide(Ours::of(spec::documents(&specs)), &inputs);
        }
        "expr" => {
            let mut conditions = ours::conditions(&[Condition::Twenty]);
            let inputs = spec::numbers(64, 17);
            // What is made at the first call is not counted.
            inputs.iter().for_each(|own| assert!(conditions(own) <= 1, "there is one condition"));
            for own in inputs.iter().cycle().take(1_280) {
                repeated_expr(&mut conditions, own);
            }
        }
        "load" => {
            let text = spec::documents(&spec::rules(1_000, 5)).to_string();
            drop(ours::load([Source::json("rules.json", text.as_str())]));
            (0..3).for_each(|_| repeated_load(&text));
        }
        _ => return false,
    }
    true
}

fn decide(mut ours: Ours, inputs: &[Input]) {
    let mut fired = Vec::with_capacity(16);
    inputs.iter().for_each(|input| ours.decide(input, &mut fired));
    for input in inputs.iter().cycle().take(1_280) {
        fired.clear();
        repeated_decide(&mut ours, input, &mut fired);
    }
    black_box(&fired);
}

// Callgrind is told to count these three by their names.

#[inline(never)]
fn repeated_decide(ours: &mut Ours, input: &Input, fired: &mut Vec<u32>) {
    ours.decide(black_box(input), fired);
}

#[inline(never)]
fn repeated_expr(conditions: &mut crate::contender::Conditions, input: &Numbers) {
    black_box(conditions(black_box(input)));
}

#[inline(never)]
fn repeated_load(text: &str) {
    black_box(ours::load([Source::json("rules.json", text)]));
}
