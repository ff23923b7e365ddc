//! One event to one verdict: the moments of its stage, decided in their order.

use std::sync::Arc;

use oar_engine::decide::RenderedCopy;
use oar_engine::document::rule::CopyMember;
use oar_engine::load::Declaration;
use oar_engine::observe::{FactProvider, FactValue, Occurrence};
use oar_engine::{Decision, Host, Outcome, RuleSet, Session, ToolCall};

use crate::facts::Observed;
use crate::{Event, Moment, Protected, TokenShapes, Verdict};

/// Rules, and what they are decided with.
#[derive(Clone, Debug)]
pub struct Guard {
    rules: Arc<RuleSet>,
    host: Host,
    protected: Arc<Protected>,
}

/// One moment of an event and what it resolved to, for those who keep records.
pub struct Decided<'d> {
    /// The moment.
    pub moment: Moment,
    /// The occurrence that was decided.
    pub occurrence: &'d Occurrence<'d>,
    /// What it resolved to.
    pub outcome: &'d Outcome<'d>,
    rules: &'d RuleSet,
    observed: &'d Observed,
}

impl Decided<'_> {
    /// Every fact that can be observed of the event, whether or not a rule asked for it, by name.
    /// Functions are not among them: what they say depends on what they are asked.
    #[must_use]
    pub fn observations(&self) -> Vec<(String, FactValue)> {
        let entries = self.rules.environment().entries().iter();
        let facts = entries.filter(|entry| matches!(entry.declaration(), Declaration::Fact(_)));
        let observed = facts.filter_map(|entry| {
            let value = self.observed.fact(entry.name(), self.occurrence).ok()??;
            Some((entry.name().to_owned(), value))
        });
        observed.collect()
    }
}

impl Guard {
    /// A guard with these rules; `host` brings the stores of counters and steps.
    #[must_use]
    pub fn new(rules: RuleSet, host: Host) -> Self {
        let host = host.detector(TokenShapes::REFERENCE, TokenShapes);
        Self { rules: Arc::new(rules), host, protected: Arc::default() }
    }

    /// The same, with the locations that count as denied or in scope.
    #[must_use]
    pub fn protecting(mut self, protected: Protected) -> Self {
        self.protected = Arc::new(protected);
        self
    }

    /// Its rules.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Decides an event.
    #[must_use]
    pub fn decide(&self, event: &Event) -> Verdict {
        self.decide_and(event, |_| {})
    }

    /// Decides an event, and shows each moment of it when it is decided.
    ///
    /// The end of a call and the delivery of its result are one moment to a hook: the first is
    /// decided, and then the second over what the first left.
    pub fn decide_and(&self, event: &Event, mut show: impl FnMut(&Decided<'_>)) -> Verdict {
        let event = Arc::new(event.clone());
        let observed = Observed::new(Arc::clone(&event), Arc::clone(&self.protected));
        let observed = Arc::new(observed);
        let host = self.host.clone().provider(Arc::clone(&observed));
        let mut session = Session::new(event.session_key());
        let mut verdict = Verdict::default();
        let mut lengths: Vec<usize> = Vec::new();
        let mut text = String::new();
        if let Some(content) = &event.content {
            content.lengths().clone_into(&mut lengths);
            content.text().clone_into(&mut text);
        }
        for moment in event.stage.moments() {
            let here = Here {
                event: &event,
                observed: &observed,
                moment: *moment,
                text: &text,
                lengths: &lengths,
            };
            let parts = self.moment(&host, &mut session, &here, &mut verdict, &mut show);
            if verdict.block.is_some() {
                break;
            }
            if let Some(parts) = parts {
                lengths = parts.iter().map(|part| part.chars().count()).collect();
                text = parts.concat();
                verdict.content = Some(parts);
            }
        }
        if session.unrecorded_steps().len() > 0 {
            // The next process of this session would not know of the step.
            verdict.block = Verdict::refused("the session's steps could not be stored").block;
        }
        if verdict.block.is_some() {
            // What is blocked is not delivered, and nothing else is said about it.
            verdict.content = None;
            verdict.nudges.clear();
        }
        verdict
    }
}

impl Guard {
    /// Decides one moment, and returns the parts of the content where it transforms them.
    fn moment(
        &self,
        host: &Host,
        session: &mut Session,
        here: &Here<'_>,
        verdict: &mut Verdict,
        show: &mut impl FnMut(&Decided<'_>),
    ) -> Option<Vec<String>> {
        // An agent without such a moment has no rules there.
        let mut occurrence = self.rules.occurrence(here.moment.local()).ok()?;
        if let Some(call) = &here.event.call {
            occurrence.tool_call(ToolCall::from_document(&call.name, &call.arguments));
        }
        if here.event.content.is_some() {
            occurrence.content(here.text);
        }
        let outcome = host.decide(session, &occurrence);
        show(&Decided {
            moment: here.moment,
            occurrence: &occurrence,
            outcome: &outcome,
            rules: &self.rules,
            observed: here.observed,
        });
        take(verdict, &outcome);
        outcome.content_parts(here.lengths)
    }
}

/// A moment and the content at it.
struct Here<'h> {
    event: &'h Event,
    observed: &'h Observed,
    moment: Moment,
    text: &'h str,
    lengths: &'h [usize],
}

/// Adds what a moment resolved to.
fn take(verdict: &mut Verdict, outcome: &Outcome<'_>) {
    match outcome.decision() {
        Decision::Block => {
            let code = outcome.code().unwrap_or_default();
            let text = match outcome.is_error_block() {
                false => told(code, &outcome.copy(), "This rule does not let it happen."),
                true => told(
                    code,
                    &outcome.copy(),
                    "This rule could not be evaluated, and nothing passes it unseen.",
                ),
            };
            verdict.block = Some(text);
        }
        Decision::Nudge => verdict.nudges.extend(
            outcome.advisories().map(|advisory| told(advisory.code, &advisory.copy, "Take care.")),
        ),
        Decision::Warn => verdict.warnings.extend(
            outcome.advisories().map(|advisory| told(advisory.code, &advisory.copy, "Take care.")),
        ),
        Decision::Transform | Decision::None => {}
    }
}

/// The copy of a rule in one line, with the rule's name; `otherwise` where it has none.
fn told(code: &str, copy: &RenderedCopy, otherwise: &str) -> String {
    let members = [
        CopyMember::What,
        CopyMember::Cause,
        CopyMember::Why,
        CopyMember::Fix,
        CopyMember::Instead,
    ];
    let mut texts: Vec<&str> = members.iter().filter_map(|member| copy.get(*member)).collect();
    texts.retain(|text| !text.trim().is_empty());
    if texts.is_empty() {
        texts.push(
            copy.get(CopyMember::Title).filter(|t| !t.trim().is_empty()).unwrap_or(otherwise),
        );
    }
    format!("[oar {code}] {}", texts.join(" "))
}
