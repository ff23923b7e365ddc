//! What the rules of a moment may ask the host for, told beforehand.
//!
//! Deciding is synchronous. A host that can only wait asynchronously reads here what may be
//! consumed, fetches it, supplies it, and then decides without waiting ([OAR-FACT-11]).

use std::collections::BTreeSet;

use super::Bounds;
use super::facts::Facts;
use super::select::clause_matches;
use crate::load::{Declaration, OnError, Rule, RuleSet};
use crate::observe::{Anchor, Derivation, FactValue, Occurrence, PROVENANCE_LISTS, SupplyError};

/// What the rules of a moment may ask the host for: lazy facts, functions, detectors.
///
/// It names at least everything that will be asked for, and no more than the rules mention:
/// whether an operand is skipped, a flow matches or an earlier rule ends the occurrence is not
/// known beforehand.
///
/// ```
/// # use oar_engine::{Loader, Source, ToolCall};
/// # let capability = r#"{"oar_capability_version": "1.0", "host": "acme",
/// #   "anchors": {"core": {"tool.pre_invoke": "tool.pre_invoke"}, "unsupported": [
/// #     "tool.handler", "tool.post_invoke", "agent.post_turn", "agent.finalize",
/// #     "model.input", "model.output", "model.tool_result"]},
/// #   "profiles": ["tool"], "activity_window": 0, "detectors": [],
/// #   "expression_nodes_max": 256, "supports_transform": false,
/// #   "host_facts": [{"name": "acme.owner", "type": "string"},
/// #                  {"name": "acme.risk", "type": "(string) -> int"}]}"#;
/// # let rule = r#"{"oar": "1.0", "id": "RISKY", "kind": "policy", "anchor": "tool.pre_invoke",
/// #   "requires": {"profiles": ["tool"], "facts": ["acme.owner", "acme.risk"]},
/// #   "selector": {"tool": ["deploy"]}, "effect": "block",
/// #   "when": "acme.owner == 'root' && acme.risk('prod') > 3"}"#;
/// # let loader = Loader::new(Source::json("capability.json", capability));
/// # let rules = loader.rules(Source::json("rule.json", rule)).load()?.rules;
/// // when: acme.owner == 'root' && acme.risk('prod') > 3, for the tool `deploy` alone
/// let arguments = serde_json::Map::new();
/// let mut occurrence = rules.occurrence("tool.pre_invoke")?;
/// occurrence.tool_call(ToolCall::new("deploy", &arguments));
/// let needs = occurrence.needs();
/// assert_eq!(needs.facts().collect::<Vec<_>>(), ["acme.owner"]);
/// let call = needs.calls().next().unwrap();
/// assert_eq!((call.name(), call.argument()), ("acme.risk", Some(&"prod".into())));
///
/// occurrence.tool_call(ToolCall::new("read", &arguments));
/// assert!(occurrence.needs().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Needs<'r> {
    facts: Vec<&'r str>,
    calls: Vec<NeededCall<'r>>,
    detectors: Vec<&'r str>,
}

/// A call of an observation function that a condition may make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeededCall<'r> {
    name: &'r str,
    argument: Option<&'r FactValue>,
}

impl<'r> NeededCall<'r> {
    /// The function.
    #[must_use]
    pub fn name(&self) -> &'r str {
        self.name
    }

    /// The argument where it is written out; `None` where the condition works it out, so that
    /// it can only be answered when it is asked.
    #[must_use]
    pub fn argument(&self) -> Option<&'r FactValue> {
        self.argument
    }
}

impl<'r> Needs<'r> {
    /// The facts, in the order of the environment. What the engine derives from the tool call
    /// and the content is not among them.
    pub fn facts(&self) -> impl Iterator<Item = &'r str> {
        self.facts.iter().copied()
    }

    /// The calls of functions, each once.
    pub fn calls(&self) -> impl Iterator<Item = NeededCall<'r>> {
        self.calls.iter().copied()
    }

    /// The references of the detectors, each once.
    pub fn detectors(&self) -> impl Iterator<Item = &'r str> {
        self.detectors.iter().copied()
    }

    /// Whether nothing will be asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.calls.is_empty() && self.detectors.is_empty()
    }
}

impl RuleSet {
    /// What the rules at an anchor may ask for, whatever the occurrence is, when the tool call
    /// and the content come with it. [`Occurrence::needs`] tells it more narrowly.
    ///
    /// # Errors
    /// When the handle belongs to another rule set.
    pub fn needs(&self, anchor: Anchor) -> Result<Needs<'_>, SupplyError> {
        let occurrence = Occurrence::at_anchor(self, anchor)?;
        let mut gathered = Gathered::new(self);
        for rule in live(&occurrence) {
            gathered.rule(rule, |_| true);
        }
        Ok(gathered.finish(|_| false))
    }
}

impl<'a> Occurrence<'a> {
    /// What the rules that may be selected here can ask for beyond what was supplied.
    ///
    /// Supply first what is at hand, the tool call and the content included: a rule whose
    /// selector a supplied value rules out needs nothing.
    #[must_use]
    pub fn needs(&self) -> Needs<'a> {
        let facts = Facts::new(self, None, &BOUNDS);
        let mut gathered = Gathered::new(self.rules);
        for rule in live(self) {
            // What cannot be told yet, or is of the wrong type, does not rule the rule out.
            let possible = rule.selector.iter().all(|clause| {
                !self.is_settled(clause.slot) || clause_matches(&facts, clause).unwrap_or(true)
            });
            if possible {
                gathered.rule(rule, |derivation| self.derives(derivation));
            }
        }
        gathered.finish(|slot| self.supplied(slot).is_some())
    }

    /// Whether no provider can change what a slot reads as, if it answers for nothing that the
    /// engine derives.
    fn is_settled(&self, slot: u32) -> bool {
        let derivation = self.rules.environment().entry(slot).and_then(|entry| entry.derivation);
        self.supplied(slot).is_some() || derivation.is_some_and(|own| self.derives(own))
    }

    /// Whether the engine works a name out from what came with the occurrence.
    fn derives(&self, derivation: Derivation) -> bool {
        match derivation {
            Derivation::Tool
            | Derivation::ToolArgs
            | Derivation::Fingerprint
            | Derivation::ToolArgString
            | Derivation::ToolArgInt
            | Derivation::ToolArgBool => self.call.is_some(),
            Derivation::ContentLength => self.content.is_some(),
            Derivation::SegmentCount | Derivation::ContainsUntrusted => false,
            _ => derivation.is_core(),
        }
    }
}

/// The rules that can be selected at the moment of an occurrence, in base order of each table.
fn live<'a>(occurrence: &Occurrence<'a>) -> impl Iterator<Item = &'a Rule> {
    let rules = occurrence.rules;
    let ranks = occurrence.index().into_iter().flat_map(|index| {
        index.always.ranks.iter().chain(index.tables.iter().flat_map(|table| &*table.all.ranks))
    });
    ranks.filter_map(|rank| rules.rule(*rank))
}

/// Whether a name is worked out from the provenance lists, which are facts themselves.
fn is_of_lists(derivation: Option<Derivation>) -> bool {
    matches!(derivation, Some(Derivation::SegmentCount | Derivation::ContainsUntrusted))
}

/// Nothing is asked for here, so nothing is bounded.
static BOUNDS: Bounds = Bounds::none();

/// The needs of several rules put together.
struct Gathered<'r> {
    rules: &'r RuleSet,
    facts: BTreeSet<u32>,
    calls: Vec<(u32, NeededCall<'r>)>,
    detectors: BTreeSet<&'r str>,
}

impl<'r> Gathered<'r> {
    fn new(rules: &'r RuleSet) -> Self {
        Self { rules, facts: BTreeSet::new(), calls: Vec::new(), detectors: BTreeSet::new() }
    }

    fn rule(&mut self, rule: &'r Rule, derived: impl Fn(Derivation) -> bool) {
        for slot in &rule.references {
            self.slot(*slot, &derived);
        }
        // The copy of an error block is that of the rule that stands in ([OAR-OPS-5]).
        if let OnError::Substitute(rank) = rule.on_error
            && let Some(other) = self.rules.rule(rank)
        {
            for slot in other.copy().iter().flat_map(|(_, template)| template.slots()) {
                self.slot(slot, &derived);
            }
            // A counter that the copy names is read under that rule's scope.
            if let Some(slot) = other.scope() {
                self.slot(slot, &derived);
            }
        }
        let Some(rest) = &rule.rest else { return };
        self.detectors.extend(rest.detector.as_deref());
        for (slot, argument) in &rest.calls {
            let Some(entry) = self.rules.environment().entry(*slot) else { continue };
            if entry.derivation.is_some_and(&derived) {
                continue;
            }
            let call = NeededCall { name: entry.name(), argument: argument.as_ref() };
            if !self.calls.iter().any(|(_, own)| *own == call) {
                self.calls.push((*slot, call));
            }
        }
    }

    fn slot(&mut self, slot: u32, derived: &impl Fn(Derivation) -> bool) {
        let environment = self.rules.environment();
        let Some(entry) = environment.entry(slot) else { return };
        if matches!(entry.declaration(), Declaration::Function { .. }) {
            return;
        }
        if entry.derivation.is_some_and(derived) && !is_of_lists(entry.derivation) {
            return;
        }
        self.facts.insert(slot);
        if is_of_lists(entry.derivation) {
            self.facts.extend(PROVENANCE_LISTS.iter().filter_map(|name| environment.slot(name)));
        }
    }

    fn finish(self, supplied: impl Fn(u32) -> bool) -> Needs<'r> {
        let wanted = self.facts.into_iter().filter(|slot| !supplied(*slot));
        let entries = wanted.filter_map(|slot| self.rules.environment().entry(slot));
        let calls = self.calls.into_iter().filter(|(slot, _)| !supplied(*slot));
        Needs {
            facts: entries.map(crate::load::Entry::name).collect(),
            calls: calls.map(|(_, call)| call).collect(),
            detectors: self.detectors.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use crate::fixtures::{load, rule};
    use crate::{RuleSet, ToolCall};

    fn set(rules: Vec<Json>) -> RuleSet {
        load(&["tool", "content", "content-provenance", "session"], rules).unwrap().rules
    }

    fn at_anchor(rules: &RuleSet) -> String {
        told(&rules.needs(rules.anchor("tool.pre_invoke").unwrap()).unwrap())
    }

    fn told(needs: &super::Needs<'_>) -> String {
        let facts = needs.facts().map(str::to_owned);
        let calls = needs.calls().map(|call| format!("{}({:?})", call.name(), call.argument()));
        facts.chain(calls).chain(needs.detectors().map(str::to_owned)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn everything_that_consumes_a_fact_needs_it() {
        let facts = |names: &[&str]| json!({"facts": names, "profiles": ["tool"]});
        let cases = [
            (json!({"when": "acme.bool", "requires": facts(&["acme.bool"])}), "acme.bool"),
            (
                json!({"selector": {"acme.string": ["a"]}, "requires": facts(&["acme.string"])}),
                "acme.string",
            ),
            (json!({"selector": {"acme.string": []}, "requires": facts(&["acme.string"])}), ""),
            (
                json!({"copy": {"what": "{{ acme.int }}"}, "requires": facts(&["acme.int"])}),
                "acme.int",
            ),
            (
                json!({"counter_scope": "acme.string", "requires": facts(&["acme.string"])}),
                "acme.string",
            ),
            (
                json!({"when": "acme.ask('x') > 0 && acme.ask('x') < 9", "requires": facts(&["acme.ask"])}),
                "acme.ask(Some(String(\"x\")))",
            ),
            (
                json!({"when": "acme.ask(tool) > 0", "requires": facts(&["acme.ask"])}),
                "acme.ask(None)",
            ),
            (
                json!({"when": "acme.weigh(0.5) && acme.weigh(-0.5)", "requires": facts(&["acme.weigh"])}),
                "acme.weigh(Some(Double(0.5))) acme.weigh(Some(Double(-0.5)))",
            ),
            (json!({"when": "tool == 'a' && fire_count > 1", "requires": facts(&[])}), ""),
            (
                json!({"when": "acme.bool", "enforcement": "off", "requires": facts(&["acme.bool"])}),
                "",
            ),
            (
                json!({"when": "acme.bool", "anchor": "model.output", "requires": facts(&["acme.bool"])}),
                "",
            ),
            (
                json!({"kind": "detector", "detector": {"ref": "detector://noop"}}),
                "detector://noop",
            ),
        ];
        for (more, wanted) in cases {
            assert_eq!(at_anchor(&set(vec![rule("R", more.clone())])), wanted, "{more}");
        }
    }

    #[test]
    fn a_stand_in_brings_its_copy_and_a_reader_the_scope_of_what_it_reads() {
        let stand_in = rule(
            "S",
            json!({"anchor": "model.output", "effect": "block",
            "copy": {"what": "{{ acme.int }}"}, "requires": {"facts": ["acme.int"]}}),
        );
        let own = rule("R", json!({"when": "1 / 0 == 1", "on_error": "S"}));
        assert_eq!(at_anchor(&set(vec![stand_in, own])), "acme.int");
        let counted = rule(
            "C",
            json!({"anchor": "model.output", "counter_scope": "acme.string",
            "requires": {"facts": ["acme.string"]}, "on_fire": ["increment_counter"]}),
        );
        let reader = rule(
            "R",
            json!({"when": "fire_count_of('C') > 1",
            "requires": {"facts": ["acme.string"]}}),
        );
        assert_eq!(at_anchor(&set(vec![counted, reader])), "acme.string");
    }

    #[test]
    fn what_is_supplied_narrows_the_rules() {
        let of_tool = |id: &str, tool: &str, fact: &str, when: &str| {
            let requires = json!({"profiles": ["tool"], "facts": [fact]});
            rule(id, json!({"selector": {"tool": [tool]}, "when": when, "requires": requires}))
        };
        let rules = set(vec![
            of_tool("A", "a", "acme.bool", "acme.bool"),
            of_tool("B", "b", "acme.string", "acme.string == ''"),
        ]);
        let arguments = serde_json::Map::new();
        let mut occurrence = rules.occurrence("tool.pre_invoke").unwrap();
        // Without a call the tool itself is open.
        assert_eq!(told(&occurrence.needs()), "tool acme.bool acme.string");
        occurrence.tool_call(ToolCall::new("a", &arguments));
        assert_eq!(told(&occurrence.needs()), "acme.bool");
        occurrence.fact("acme.bool", true).unwrap();
        assert_eq!(told(&occurrence.needs()), "");
        // A wrong value makes the rule errored; its error may still read facts.
        occurrence.fact("tool", 5_i64).unwrap();
        assert_eq!(told(&occurrence.needs()), "acme.string");
    }

    #[test]
    fn what_is_worked_out_from_lists_needs_the_lists() {
        let own = rule(
            "R",
            json!({"when": "content_contains_untrusted",
            "requires": {"profiles": ["content-provenance"]}}),
        );
        let told = at_anchor(&set(vec![own]));
        assert!(told.contains("content_trust_tiers"), "{told}");
        assert!(told.contains("content_contains_untrusted"), "{told}");
    }
}
