//! counters: a pack that notes repeated calls, warns at the third and again at the tenth.
//!
//! Only this engine counts; the hosts of the others keep a `HashMap` on the command and lend the
//! count.

use std::collections::HashMap;
use std::hint::black_box;

use oar_engine::decide::TraceOutcome;
use oar_engine::observe::SupplyError;
use oar_engine::{Host, Occurrence, Session, Source};
use serde_json::{Value as Json, json};

use super::{Print, Settings};
use crate::alloc;
use crate::contender::{Conditions, OURS};
use crate::measure::{Cell, Contender, Figure, of_inputs, prove, rounds};
use crate::ours;
use crate::spec::{self, Condition, Fires, Input, Numbers};

const NAME: &str = "counters, a session of repeated calls";
const LEVELS: [i64; 2] = [3, 10];

/// Bit `i` is whether the call is told to have reached the `i`-th level.
type Decide = Box<dyn FnMut(&Input) -> u32>;

fn counted_by_host(mut conditions: Conditions) -> Decide {
    let mut seen: HashMap<String, i64> = HashMap::new();
    Box::new(move |input| {
        let count = match seen.get_mut(&input.command) {
            Some(count) => count,
            None => seen.entry(input.command.clone()).or_default(),
        };
        let told = conditions(&Numbers { a: *count, b: 0, c: 0, x: 0.0, flag: false });
        *count += 1;
        told
    })
}

pub fn run(settings: &Settings, print: &mut Print<'_>) {
    let inputs = spec::inputs(&spec::rules(64, 1), 64, Fires::Never, 23);
    let levels = LEVELS.map(Condition::AtLeast);
    let (mut runs, mut cells): (Vec<Contender<'_>>, _) = (Vec::new(), Vec::new());
    for entrant in settings.entrants() {
        let Some(conditions) = entrant.conditions else { continue };
        let decide = || match entrant.name {
            OURS => Ok(by_rules()),
            _ => conditions(&levels).map(counted_by_host),
        };
        let proved = decide().and_then(|mut decide| {
            // 15 times through the same commands, so that every level is passed by each.
            let session: Vec<&Input> = (0..15).flat_map(|_| &inputs).collect();
            let mut truth = counted_by_host(crate::native::conditions(&levels));
            let proof = prove(&session, |input| truth(input), |input| decide(input))?;
            Ok((decide, proof))
        });
        match proved {
            Ok((mut decide, proof)) => {
                runs.push(of_inputs(entrant.name, proof, &inputs, move |input| {
                    black_box(decide(input));
                }));
            }
            Err(reason) => cells.push(Cell::without(NAME, entrant.name, reason)),
        }
    }
    cells.splice(0..0, rounds(NAME, settings.effort, &mut runs));
    print(cells);
    let allocations = |own: &mut Contender<'_>| {
        let before = alloc::calls();
        (0..inputs.len()).for_each(|call| (own.run)(call));
        let value = (alloc::calls() - before) as f64 / inputs.len() as f64;
        let figure = Figure { value, unit: "", ratio: None };
        Cell::new("counters, allocations", own.name, figure)
    };
    print(runs.iter_mut().map(allocations).collect());
}

fn rule(more: Json) -> Json {
    let mut rule = json!({"oar": "1.0", "namespace": "bench", "kind": "policy",
        "anchor": "tool.pre_invoke", "counter_scope": "acme.command",
        "requires": {"profiles": ["tool"], "facts": ["acme.command"]}});
    if let (Some(rule), Json::Object(more)) = (rule.as_object_mut(), more) {
        rule.extend(more);
    }
    rule
}

fn by_rules() -> Decide {
    let told = |(level, least): (usize, i64)| {
        rule(json!({"id": spec::id(level), "effect": "warn",
                    "when": format!("fire_count_of('SEEN') >= {least}")}))
    };
    let mut documents: Vec<Json> = LEVELS.into_iter().enumerate().map(told).collect();
    let seen = json!({"id": "SEEN", "effect": "allow", "on_fire": ["increment_counter"]});
    documents.push(rule(seen));
    let rules = ours::load([Source::value("rules", documents.into())]);
    let fact = |name| rules.fact(name).expect("a declared fact");
    let (tool, command) = (fact("tool"), fact("acme.command"));
    let anchor = rules.anchor("tool.pre_invoke").expect("a declared anchor");
    let (host, mut session) = (Host::new(), Session::new("bench"));
    Box::new(move |input| {
        let build = || {
            let mut occurrence = Occurrence::at_anchor(&rules, anchor)?;
            occurrence.set(tool, &input.tool)?.set(command, &input.command)?;
            Ok(occurrence)
        };
        let built: Result<_, SupplyError> = build();
        let occurrence = built.expect("the facts are declared");
        let outcome = host.decide(&mut session, &occurrence);
        let told = outcome
            .trace()
            .filter(|entry| entry.outcome == TraceOutcome::Fired && !entry.rule.ends_with("SEEN"));
        told.map(|entry| 1 << spec::number(entry.rule)).sum()
    })
}
