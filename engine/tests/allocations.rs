//! Deciding allocates nothing while nothing fires, and little when something does.
//!
//! The facts are lent anew for each occurrence, as a host does; building it counts.

#![expect(clippy::unwrap_used, reason = "a test may stop where its own rules do not load")]

use allocation_counter::measure;
use oar_engine::load::CapabilityBuilder;
use oar_engine::observe::{Anchor, SupplyError};
use oar_engine::{Decision, FactId, Host, Loader, Occurrence, RuleSet, Session, Source};
use serde_json::{Value as Json, json};

struct Rules {
    rules: RuleSet,
    anchor: Anchor,
    facts: [FactId; 4],
}

impl Rules {
    fn load(documents: Json) -> Self {
        let capability = CapabilityBuilder::new("acme")
            .every_core_anchor()
            .profile("tool")
            .fact("acme.path", "string", "A path.")
            .fact("acme.command", "string", "A command.")
            .fact("acme.risk", "double", "How risky it is.");
        let rules = Source::value("rules", documents);
        let rules = Loader::new(capability.source()).rules(rules).load().unwrap().rules;
        let anchor = rules.anchor("tool.pre_invoke").unwrap();
        let facts = ["tool", "acme.path", "acme.command", "acme.risk"];
        let facts = facts.map(|name| rules.fact(name).unwrap());
        Self { rules, anchor, facts }
    }

    fn occurrence<'a>(&'a self, command: &'a str) -> Result<Occurrence<'a>, SupplyError> {
        let [tool, path, own, risk] = self.facts;
        let mut occurrence = Occurrence::at_anchor(&self.rules, self.anchor)?;
        occurrence.set(tool, "shell")?.set(path, "/home/agent/work")?;
        occurrence.set(own, command)?.set(risk, 0.5)?;
        Ok(occurrence)
    }

    /// The decision, how many rules were traced, and the allocations that it took.
    fn decide(&self, command: &str) -> (Decision, usize, u64) {
        let (host, mut session) = (Host::new(), Session::new("s"));
        let mut came_to = None;
        let mut once = || {
            let occurrence = self.occurrence(command).unwrap();
            let outcome = host.decide(&mut session, &occurrence);
            came_to = Some((outcome.decision(), outcome.trace().count()));
        };
        // What a thread keeps between its decisions is made by the first.
        once();
        let allocations = measure(once).count_total;
        let (decision, traced) = came_to.unwrap();
        (decision, traced, allocations)
    }
}

fn rule(number: usize, selector: Json, when: &str) -> Json {
    json!({"oar": "1.0", "id": format!("R{number}"), "kind": "policy",
        "anchor": "tool.pre_invoke", "effect": "warn", "when": when, "selector": selector,
        "requires": {"profiles": ["tool"], "facts": ["acme.path", "acme.command", "acme.risk"]}})
}

fn condition(number: usize) -> String {
    format!("starts_with(acme.path, '/srv/{number}/') || contains(acme.command, 'wipe-{number}')")
}

#[test]
fn nothing_is_allocated_while_nothing_fires() {
    let shell = || json!({"tool": ["shell"]});
    for count in [1, 5, 15] {
        let documents = (0..count).map(|n| rule(n, shell(), &condition(n))).collect();
        let found = Rules::load(documents).decide("ls");
        assert_eq!(found, (Decision::None, count, 0), "{count} rules");
    }
    // From two lists of the index, and with a further clause.
    let both = Rules::load(json!([
        rule(0, json!({}), "acme.risk > 0.75"),
        rule(1, shell(), &condition(1)),
        rule(2, json!({"tool": ["shell"], "acme.path": ["/home/agent/work"]}), "acme.risk > 0.6"),
    ]));
    assert_eq!(both.decide("ls"), (Decision::None, 3, 0));
    // Long lists are searched for their literals.
    let documents = (0..2000).map(|n| rule(n, shell(), &condition(n))).collect();
    assert_eq!(Rules::load(documents).decide("ls"), (Decision::None, 2000, 0));
}

#[test]
fn one_rule_that_fires_allocates_next_to_nothing() {
    for count in [5, 2000] {
        let shell = || json!({"tool": ["shell"]});
        let documents = (0..count).map(|n| rule(n, shell(), &condition(n))).collect();
        let (decision, traced, allocations) = Rules::load(documents).decide("wipe-4 ");
        assert_eq!((decision, traced), (Decision::Warn, count));
        assert!(allocations <= 4, "{allocations} allocations with {count} rules");
    }
}
