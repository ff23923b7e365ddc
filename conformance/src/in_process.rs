//! Our own engine behind the seam of the runner.
//!
//! The work here is transport alone ([OAR-CONF-38]): documents go to the engine's loader as they
//! stand in the fixture, observations go into its occurrences, and its reports come out. What the
//! corpus asks of a host is provided: the three reserved detectors ([OAR-CONF-25]), one store of
//! counters and one session for a fixture ([OAR-CONF-31]).

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use oar_engine::decide::CounterSpan;
use oar_engine::diagnostic::Severity;
use oar_engine::document::source::{Node, Object};
use oar_engine::load::Vocabulary;
use oar_engine::observe::{
    Detector, DetectorFailure, FactValue, Observations, Occurrence, SupplyError, ToolCall,
};
use oar_engine::{Host, Loader, RuleSet, Session, Source};
use serde_json::json;

use crate::fixture::{Moment, Question};
use crate::manifest::RESERVED_DETECTORS;
use crate::runner::{About, Answer, Engine, Engines, Phase};

/// The engine of this workspace, called as a library.
#[derive(Clone, Copy, Debug, Default)]
pub struct InProcess;

impl Engines for InProcess {
    fn start(&self) -> Box<dyn Engine> {
        Box::new(Self)
    }

    fn name(&self) -> String {
        about().to_string()
    }
}

/// What our engine says of itself.
#[must_use]
pub fn about() -> About {
    let profiles = Vocabulary::get().profiles.iter().map(|profile| profile.name.clone());
    About {
        name: "oar-engine".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        profiles: Some(profiles.collect()),
        ..About::default()
    }
}

impl Engine for InProcess {
    fn run(&mut self, question: &Question) -> Answer {
        // A panic is a defect of the engine, and no reason to lose the other verdicts.
        catch_unwind(AssertUnwindSafe(|| answer(question)))
            .unwrap_or_else(|panic| Answer::Crashed { detail: words_of(panic.as_ref()) })
    }

    fn about(&self) -> Option<About> {
        Some(about())
    }
}

fn words_of(panic: &dyn Any) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("the engine panicked: {}", text.unwrap_or_default())
}

fn answer(question: &Question) -> Answer {
    if let Some(profile) = unknown_profile(&question.capability) {
        return Answer::Skipped { reason: format!("the profile `{profile}` is not known") };
    }
    let rules = match load(question) {
        Ok(rules) => rules,
        Err(rejected) => return rejected,
    };
    if let Some(reference) = missing_detector(&rules) {
        return Answer::Skipped { reason: format!("there is no detector `{reference}`") };
    }
    decide(question, &rules)
        .unwrap_or_else(|error| Answer::Rejected { error: error.to_string(), phase: Phase::Input })
}

/// A claimed profile that the vocabulary does not have: its facts cannot be adopted
/// ([OAR-CONF-20]).
fn unknown_profile(capability: &Node) -> Option<&str> {
    let claimed = capability.get("profiles")?.as_array()?;
    claimed.iter().filter_map(Node::as_str).find(|name| Vocabulary::get().profile(name).is_none())
}

/// A detector that a rule runs and that the corpus does not reserve.
fn missing_detector(rules: &RuleSet) -> Option<&str> {
    let named = rules.rules().filter_map(|rule| rule.detector());
    named.into_iter().find(|reference| !RESERVED_DETECTORS.contains(reference))
}

fn load(question: &Question) -> Result<RuleSet, Answer> {
    let mut loader = Loader::new(Source::node("capability", question.capability.clone()));
    // The list as a whole: a member that is no document is for the loader to refuse.
    if let Some(rules) = question.root.get("rules") {
        loader = loader.rules(Source::node("rules", rules.clone()));
    }
    for (index, config) in question.config.iter().enumerate() {
        loader = loader.config(Source::node(format!("config {index}"), config.clone()));
    }
    let error = match loader.load() {
        Ok(loaded) => return Ok(loaded.rules),
        Err(error) => error,
    };
    // A warning refuses nothing, and what it names must not meet an expectation.
    let errors = error.diagnostics().iter().filter(|d| d.severity() == Severity::Error);
    let lines: Vec<String> = errors.map(ToString::to_string).collect();
    let phase = match error.phase() {
        oar_engine::load::Phase::Capability => Phase::Capability,
        oar_engine::load::Phase::Config => Phase::Config,
        _ => Phase::Rules,
    };
    Err(Answer::Rejected { error: lines.join("\n"), phase })
}

fn decide(question: &Question, rules: &RuleSet) -> Result<Answer, SupplyError> {
    let host = Host::new();
    let mut session = Session::new(question.session_id.clone().unwrap_or_default());
    let mut over_run = CounterSpan::default();
    let mut occurrences = Vec::new();
    for moment in &question.occurrences {
        let host = match &moment.detector_facts {
            Some(facts) => host.clone().detector("detector://fixture", Reporting::of(facts)),
            None => host.clone(),
        };
        let occurrence = occurrence(rules, moment)?;
        let outcome = host.decide(&mut session, &occurrence);
        over_run.add(&outcome);
        occurrences.push(outcome.report().to_json());
    }
    let mut report = occurrences.last().cloned().unwrap_or_default();
    if let Some(members) = report.as_object_mut() {
        members.insert("counters".to_owned(), json!(over_run.changed()));
    }
    Ok(Answer::Report { report, occurrences })
}

fn occurrence<'a>(rules: &'a RuleSet, moment: &'a Moment) -> Result<Occurrence<'a>, SupplyError> {
    let mut occurrence = Occurrence::anywhere(rules, &moment.anchor);
    for member in &moment.facts {
        // Under the name of a function it is the result for every argument ([OAR-CONF-26]).
        occurrence.fact(&member.name, FactValue::from(&member.node))?;
    }
    if let Some(content) = &moment.content {
        occurrence.content(content);
    }
    if let Some(call) = &moment.tool_call {
        occurrence.tool_call(ToolCall::from_document(&call.name, &call.arguments));
    }
    if let Some(steps) = &moment.recent_activity {
        occurrence.recent_activity(steps.iter().map(String::as_str));
    }
    Ok(occurrence)
}

/// `detector://fixture`, where a fixture says what it reports ([OAR-CONF-25]).
struct Reporting(Observations);

impl Reporting {
    fn of(facts: &Object) -> Self {
        let with = |all: Observations, member: &oar_engine::document::source::Member| {
            all.with(&*member.name, FactValue::from(&member.node))
        };
        Self(facts.iter().fold(Observations::new(), with))
    }
}

impl Detector for Reporting {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        Ok(self.0.clone())
    }
}
