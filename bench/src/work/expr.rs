//! expr: one condition of 20 nodes.

use std::hint::black_box;

use super::{Print, Settings};
use crate::contender::{Conditions, OURS, Reason};
use crate::measure::{Cell, Contender, Proof, of_inputs, prove, rounds};
use crate::ours;
use crate::spec::{self, Condition, Numbers};

const NAME: &str = "expr, one condition of 20 nodes";

pub fn run(settings: &Settings, print: &mut Print<'_>) {
    let inputs = spec::numbers(64, 17);
    let (mut ready, mut cells) = (Vec::new(), Vec::new());
    for entrant in settings.entrants() {
        let Some(conditions) = entrant.conditions else { continue };
        match conditions(&[Condition::Twenty]).and_then(proved) {
            Ok((conditions, proof)) => ready.push((entrant.name, None, conditions, proof)),
            Err(reason) => cells.push(Cell::without(NAME, entrant.name, reason)),
        }
    }
    if settings.has(OURS) {
        let row = format!("{NAME}, evaluated alone");
        match proved(alone::conditions()) {
            Ok((conditions, proof)) => ready.push((OURS, Some(row), conditions, proof)),
            Err(reason) => cells.push(Cell::without(&row, OURS, reason)),
        }
    }
    let runs = ready.into_iter().map(|(name, row, mut conditions, proof)| {
        let run = of_inputs(name, proof, &inputs, move |own| {
            black_box(conditions(own));
        });
        match row {
            Some(row) => run.row(row),
            None => run,
        }
    });
    let mut runs: Vec<Contender<'_>> = runs.collect();
    cells.splice(0..0, rounds(NAME, settings.effort, &mut runs));
    print(cells);
}

fn proved(mut conditions: Conditions) -> Result<(Conditions, Proof), Reason> {
    let inputs = spec::numbers(500, 18);
    let truth = |own: &Numbers| u32::from(Condition::Twenty.holds(own));
    let proof = prove(&inputs, truth, |own| conditions(own))?;
    Ok((conditions, proof))
}

/// The condition without an engine around it, as an embedder of `oar-expr` evaluates it.
mod alone {
    use oar_expr::{Host, Limits, Program, Scalar, Stack, Symbol, Symbols, Type, Value};

    use super::{Condition, Conditions, Numbers, ours};

    const NAMES: [(&str, Type); 5] = [
        ("acme.a", Type::Int),
        ("acme.b", Type::Int),
        ("acme.c", Type::Int),
        ("acme.x", Type::Double),
        ("acme.flag", Type::Bool),
    ];

    struct Table;

    impl Symbols for Table {
        fn symbol(&self, name: &str) -> Option<Symbol> {
            let slot = NAMES.iter().position(|(own, _)| *own == name)?;
            Some(Symbol::Fact { slot: u32::try_from(slot).ok()?, ty: NAMES[slot].1 })
        }

        fn names(&self, visit: &mut dyn FnMut(&str)) {
            NAMES.iter().for_each(|(name, _)| visit(name));
        }
    }

    struct Lent<'a>(&'a Numbers);

    impl<'a> Host<'a> for Lent<'a> {
        type Error = ();

        fn fact(&mut self, slot: u32) -> Result<Value<'a>, ()> {
            Ok(match slot {
                0 => Value::Int(self.0.a),
                1 => Value::Int(self.0.b),
                2 => Value::Int(self.0.c),
                3 => Value::Double(self.0.x),
                _ => Value::Bool(self.0.flag),
            })
        }

        fn call(&mut self, _: u32, _: Value<'_>) -> Result<Scalar<'a>, ()> {
            Err(())
        }

        fn reference(&mut self, _: u32) -> Result<Value<'a>, ()> {
            Err(())
        }
    }

    pub fn conditions() -> Conditions {
        let when = ours::when(Condition::Twenty);
        let program: Program = oar_expr::compile(&when, &Table, &Limits::default())
            .unwrap_or_else(|errors| panic!("{when}: {errors:?}"));
        assert_eq!(program.node_count(), 20, "the workload is named for its nodes");
        let mut stack = Stack::new();
        Box::new(move |own| {
            let held = program.evaluate(&mut Lent(own), &mut stack);
            u32::from(held.expect("nothing here raises"))
        })
    }
}
