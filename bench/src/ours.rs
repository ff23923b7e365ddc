//! The engine through its public API; the facts are lent anew for each call, as a host does.

use oar_engine::decide::TraceOutcome;
use oar_engine::observe::{Anchor, SupplyError};
use oar_engine::{FactId, Host, Loader, Occurrence, Outcome, RuleSet, Session, Source};
use serde_json::{Value as Json, json};

use crate::contender::{Conditions, Engine};
use crate::spec::{self, Condition, Input, Numbers};

/// A rule set and the handles to what a host lends it.
pub struct Ours {
    pub rules: RuleSet,
    host: Host,
    session: Session,
    handles: Handles,
}

#[derive(Clone, Copy)]
struct Handles {
    anchor: Anchor,
    tool: FactId,
    path: FactId,
    command: FactId,
    risk: FactId,
}

/// A loaded rule set, or a panic with everything that was wrong.
pub fn load(documents: impl IntoIterator<Item = Source>) -> RuleSet {
    let loader = Loader::new(Source::value("capability", spec::capability()));
    match documents.into_iter().fold(loader, Loader::rules).load() {
        Ok(loaded) => loaded.rules,
        Err(error) => panic!("{error}"),
    }
}

/// Texts of rules as files of at most ten thousand rules: a document is bounded to 16 MiB.
fn files(texts: &[String]) -> impl Iterator<Item = Source> {
    texts.chunks(10_000).map(|texts| Source::json("rules.json", format!("[{}]", texts.join(","))))
}

impl Ours {
    pub fn of_texts(texts: &[String]) -> Self {
        Self::of_rules(load(files(texts)))
    }

    pub fn of(documents: Json) -> Self {
        Self::of_rules(load([Source::value("rules", documents)]))
    }

    pub fn of_rules(rules: RuleSet) -> Self {
        let fact = |name: &str| rules.fact(name).expect("a declared fact");
        let handles = Handles {
            anchor: rules.anchor("tool.pre_invoke").expect("a declared anchor"),
            tool: fact("tool"),
            path: fact("acme.path"),
            command: fact("acme.command"),
            risk: fact("acme.risk"),
        };
        Self { rules, host: Host::new(), session: Session::new("bench"), handles }
    }

    /// Decides with a session of the caller's, so that threads share the rules.
    pub fn decide_shared(&self, session: &mut Session, input: &Input, fired: &mut Vec<u32>) {
        let occurrence = self.occurrence(input);
        push_fired(&self.host.decide(session, &occurrence), fired);
    }

    pub fn occurrence<'a>(&'a self, input: &'a Input) -> Occurrence<'a> {
        occurrence(&self.rules, self.handles, input)
    }
}

fn occurrence<'a>(rules: &'a RuleSet, own: Handles, input: &'a Input) -> Occurrence<'a> {
    let build = || {
        let mut occurrence = Occurrence::at_anchor(rules, own.anchor)?;
        occurrence.set(own.tool, &input.tool)?.set(own.path, &input.path)?;
        occurrence.set(own.command, &input.command)?.set(own.risk, input.risk)?;
        Ok(occurrence)
    };
    let built: Result<_, SupplyError> = build();
    built.expect("the facts are declared")
}

impl Engine for Ours {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        let occurrence = occurrence(&self.rules, self.handles, input);
        push_fired(&self.host.decide(&mut self.session, &occurrence), fired);
    }
}

/// Reads the whole trace.
fn push_fired(outcome: &Outcome<'_>, fired: &mut Vec<u32>) {
    for entry in outcome.trace() {
        if entry.outcome == TraceOutcome::Fired {
            fired.push(spec::number(entry.rule));
        }
    }
}

/// Asked who fired; the rest of the trace is left unread.
pub struct Unread(pub Ours);

impl Engine for Unread {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        let own = &mut self.0;
        let occurrence = occurrence(&own.rules, own.handles, input);
        fired.extend(own.host.decide(&mut own.session, &occurrence).fired().map(spec::number));
    }
}

/// The condition in the language of rules.
pub fn when(condition: Condition) -> String {
    match condition {
        Condition::Twenty => {
            "acme.a + acme.b * 2 > 10 && acme.x < 0.5 || acme.c - 1 == 3 && !acme.flag".to_owned()
        }
        Condition::AtLeast(least) => format!("acme.a >= {least}"),
    }
}

/// A rule for each condition; only the facts that they read are lent.
pub fn conditions(conditions: &[Condition]) -> Conditions {
    let rule = |(number, condition): (usize, &Condition)| {
        let facts: &[&str] = match condition {
            Condition::Twenty => &["acme.a", "acme.b", "acme.c", "acme.x", "acme.flag"],
            Condition::AtLeast(_) => &["acme.a"],
        };
        json!({"oar": "1.0", "id": spec::id(number), "kind": "policy", "anchor": "tool.pre_invoke",
            "effect": "warn", "when": when(*condition), "requires": {"facts": facts}})
    };
    let documents: Vec<Json> = conditions.iter().enumerate().map(rule).collect();
    let rules = load([Source::value("rules", documents.into())]);
    let anchor = rules.anchor("tool.pre_invoke").expect("a declared anchor");
    let fact = |name| rules.fact(name).expect("a declared fact");
    let [a, b, c, x, flag] = ["acme.a", "acme.b", "acme.c", "acme.x", "acme.flag"].map(fact);
    let twenty = conditions.iter().any(|condition| matches!(condition, Condition::Twenty));
    let (host, mut session) = (Host::new(), Session::new("bench"));
    Box::new(move |own: &Numbers| {
        let build = || {
            let mut occurrence = Occurrence::at_anchor(&rules, anchor)?;
            occurrence.set(a, own.a)?;
            if twenty {
                occurrence.set(b, own.b)?.set(c, own.c)?.set(x, own.x)?.set(flag, own.flag)?;
            }
            Ok(occurrence)
        };
        let built: Result<_, SupplyError> = build();
        let occurrence = built.expect("the facts are declared");
        let outcome = host.decide(&mut session, &occurrence);
        let fired = outcome.trace().filter(|entry| entry.outcome == TraceOutcome::Fired);
        fired.map(|entry| 1 << spec::number(entry.rule)).sum()
    })
}
