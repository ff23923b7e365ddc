//! Occurrences as people write them: the moment, what was observed, and in which session.
//!
//! Reading is strict: a misspelled member would otherwise be a fact that silently reads as zero.

use std::sync::Arc;

use oar_engine::audit::{AuditRecord, Detected};
use oar_engine::diagnostic::Diagnostic;
use oar_engine::document::source::{Node, Object, SourceFile, join_pointer};
use oar_engine::observe::{
    Detector, DetectorFailure, FactValue, Observations, Occurrence, SupplyError,
};
use oar_engine::{Host, RuleSet, ToolCall};

use crate::hooked;

/// The code of a fault in an occurrence, which no clause speaks of.
pub(crate) const CODE: &str = "occurrence";

/// The reserved detector that reports what an occurrence says ([OAR-CONF-25]).
const FIXTURE: &str = "detector://fixture";

/// The members of an occurrence.
const MEMBERS: [&str; 7] =
    ["anchor", "facts", "detector_facts", "content", "tool_call", "recent_activity", "session"];

/// One occurrence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moment {
    pub(crate) anchor: String,
    facts: Vec<(String, FactValue)>,
    detector_facts: Vec<(String, FactValue)>,
    pub(crate) content: Option<String>,
    call: Option<(String, Object)>,
    activity: Option<Vec<String>>,
    pub(crate) session: Option<String>,
}

/// Where a node stands.
#[derive(Clone)]
pub(crate) struct At<'n> {
    pub(crate) file: &'n Arc<SourceFile>,
    pub(crate) node: &'n Node,
    pub(crate) pointer: String,
}

impl<'n> At<'n> {
    pub(crate) fn member(&self, name: &str) -> Option<At<'n>> {
        let node = self.node.get(name)?;
        Some(At { file: self.file, node, pointer: join_pointer(&self.pointer, name) })
    }

    pub(crate) fn items(&self) -> Option<Vec<At<'n>>> {
        let items = self.node.as_array()?.iter().enumerate();
        let at = |(index, node): (usize, &'n Node)| At {
            file: self.file,
            node,
            pointer: join_pointer(&self.pointer, &index.to_string()),
        };
        Some(items.map(at).collect())
    }

    pub(crate) fn fault(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, message).at(self.file, self.node.span, &*self.pointer)
    }

    /// A complaint about each member that is not among `known`, at its name.
    pub(crate) fn unknown(
        &self,
        code: &'static str,
        what: &str,
        known: &[&str],
        faults: &mut Vec<Diagnostic>,
    ) {
        for member in self.node.as_object().into_iter().flat_map(Object::iter) {
            if known.contains(&&*member.name) {
                continue;
            }
            let message = format!("`{}` is no member of {what}", member.name);
            let help = match oar_expr::closest(&member.name, known.iter().copied()) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => {
                    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                    format!("its members are {}", names.join(", "))
                }
            };
            let pointer = join_pointer(&self.pointer, &member.name);
            let fault = Diagnostic::error(code, message).help(help);
            faults.push(fault.at(self.file, member.name_span, pointer));
        }
    }

    fn wrong(&self, wanted: &str) -> Diagnostic {
        let name = self.pointer.rsplit('/').next().unwrap_or_default();
        let kind = self.node.kind_name();
        self.fault(CODE, format!("`{name}` is of kind {kind}, not {wanted}"))
    }

    pub(crate) fn string(&self, faults: &mut Vec<Diagnostic>) -> Option<String> {
        let text = self.node.as_str().map(str::to_owned);
        if text.is_none() {
            faults.push(self.wrong("string"));
        }
        text
    }

    pub(crate) fn strings(&self, faults: &mut Vec<Diagnostic>) -> Option<Vec<String>> {
        let Some(items) = self.items() else {
            faults.push(self.wrong("array"));
            return None;
        };
        items.iter().map(|item| item.string(faults)).collect()
    }

    fn facts(&self, faults: &mut Vec<Diagnostic>) -> Vec<(String, FactValue)> {
        let Some(object) = self.node.as_object() else {
            faults.push(self.wrong("object"));
            return Vec::new();
        };
        let value = |member: &oar_engine::document::source::Member| {
            (member.name.to_string(), FactValue::from(&member.node))
        };
        object.iter().map(value).collect()
    }
}

impl Moment {
    /// Reads the occurrence at `at`. `beside` are members that its surroundings know.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn read(
        at: &At<'_>,
        beside: &[&str],
        rules: &RuleSet,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut faults = Vec::new();
        if at.node.as_object().is_none() {
            let message =
                format!("an occurrence is an object, and this is of kind {}", at.node.kind_name());
            return Err(vec![at.fault(CODE, message)]);
        }
        let known: Vec<&str> = MEMBERS.iter().chain(beside).copied().collect();
        at.unknown(CODE, "an occurrence", &known, &mut faults);
        let mut moment = Self::default();
        match at.member("anchor") {
            None => {
                faults.push(at.fault(CODE, "`anchor` is missing: the moment of the occurrence"))
            }
            Some(anchor) => {
                moment.anchor = anchor.string(&mut faults).unwrap_or_default();
                if anchor.node.as_str().is_some() && rules.anchor(&moment.anchor).is_err() {
                    faults.push(undeclared_anchor(&anchor, &moment.anchor, rules));
                }
            }
        }
        let text = |name: &str, faults: &mut Vec<Diagnostic>| {
            at.member(name).and_then(|member| member.string(faults))
        };
        moment.content = text("content", &mut faults);
        moment.session = text("session", &mut faults);
        if let Some(facts) = at.member("facts") {
            moment.facts = facts.facts(&mut faults);
            check_facts(&facts, rules, &mut faults);
        }
        if let Some(facts) = at.member("detector_facts") {
            moment.detector_facts = facts.facts(&mut faults);
            check_facts(&facts, rules, &mut faults);
        }
        if let Some(steps) = at.member("recent_activity") {
            moment.activity = steps.strings(&mut faults);
        }
        if let Some(call) = at.member("tool_call") {
            moment.call = tool_call(&call, &mut faults);
        }
        faults.sort_by_key(|fault| fault.location().map(|place| place.span));
        if faults.is_empty() { Ok(moment) } else { Err(faults) }
    }

    /// The occurrence as the engine takes it.
    pub(crate) fn occurrence<'a>(
        &'a self,
        rules: &'a RuleSet,
    ) -> Result<Occurrence<'a>, SupplyError> {
        let mut occurrence = Occurrence::anywhere(rules, &self.anchor);
        for (name, value) in &self.facts {
            occurrence.fact(name, value.clone())?;
        }
        if let Some(content) = &self.content {
            occurrence.content(content);
        }
        if let Some((name, arguments)) = &self.call {
            occurrence.tool_call(ToolCall::from_document(name, arguments));
        }
        if let Some(steps) = &self.activity {
            occurrence.recent_activity(steps.iter().map(String::as_str));
        }
        Ok(occurrence)
    }

    /// The name of its session; occurrences that name none share one.
    pub(crate) fn session(&self) -> &str {
        self.session.as_deref().unwrap_or("session")
    }

    /// Adds what the reserved detector would have reported to the record, where no rule has asked
    /// it: others may.
    pub(crate) fn add_reported(&self, record: &mut AuditRecord) {
        let asked = record.detected.iter().any(|own| own.detector == FIXTURE);
        if asked || self.detector_facts.is_empty() {
            return;
        }
        let facts = self.detector_facts.iter();
        let facts = facts.map(|(name, value)| (name.clone(), value.to_json())).collect();
        record.detected.push(Detected { detector: FIXTURE.to_owned(), facts, failed: false });
    }

    /// `host`, whose reserved detector reports what this occurrence says ([OAR-CONF-25]).
    ///
    /// Under the capability documents of coding agents, what `oar hooks` would observe of the
    /// tool call is observed here too.
    pub(crate) fn host(&self, host: &Host, rules: &RuleSet) -> Host {
        let host = match rules.capability().host() {
            oar_agent_hooks::HOST => {
                let text = |name: &str| {
                    let fact = self.facts.iter().find(|(own, _)| own == name);
                    fact.and_then(|(_, value)| match value {
                        FactValue::String(text) => Some(text.as_str()),
                        _ => None,
                    })
                };
                let call = self.call.as_ref();
                let call = call.map(|(name, arguments)| (name.as_str(), arguments.clone()));
                &hooked::observing(host, text, call)
            }
            _ => host,
        };
        match self.detector_facts.is_empty() {
            true => host.clone(),
            false => {
                let facts = self.detector_facts.iter().cloned();
                let observations =
                    facts.fold(Observations::new(), |all, (name, value)| all.with(name, value));
                host.clone().detector(FIXTURE, Reporting(observations))
            }
        }
    }
}

fn undeclared_anchor(at: &At<'_>, anchor: &str, rules: &RuleSet) -> Diagnostic {
    let capability = rules.capability();
    let message = format!("the host declares no anchor `{anchor}`");
    let fault = at.fault(CODE, message);
    let known = capability.core_anchors().map(|(_, local)| local);
    let known: Vec<&str> = known.chain(capability.host_anchors()).collect();
    let core = capability.core_anchors().find(|(core, _)| *core == anchor);
    match (core, oar_expr::closest(anchor, known)) {
        (Some((core, local)), _) => fault.help(format!("its name for `{core}` is `{local}`")),
        (None, Some(similar)) => fault.help(format!("did you mean `{similar}`?")),
        (None, None) => fault,
    }
}

/// Every supplied name is declared and not the engine's own ([OAR-FACT-1]).
fn check_facts(at: &At<'_>, rules: &RuleSet, faults: &mut Vec<Diagnostic>) {
    let environment = rules.environment();
    for member in at.node.as_object().into_iter().flat_map(Object::iter) {
        let name = &*member.name;
        let mut probe = Occurrence::anywhere(rules, "");
        let Err(error) = probe.fact(name, false) else { continue };
        let pointer = join_pointer(&at.pointer, name);
        let mut fault =
            Diagnostic::error(CODE, error.to_string()).at(at.file, member.name_span, pointer);
        if environment.slot(name).is_none() {
            let known = environment.entries().iter().map(oar_engine::load::Entry::name);
            if let Some(similar) = oar_expr::closest(name, known) {
                fault = fault.help(format!("did you mean `{similar}`?"));
            }
        }
        faults.push(fault);
    }
}

fn tool_call(at: &At<'_>, faults: &mut Vec<Diagnostic>) -> Option<(String, Object)> {
    at.unknown(CODE, "a tool call", &["name", "arguments"], faults);
    let Some(name) = at.member("name") else {
        faults.push(at.fault(CODE, "`name` is missing: the tool that is called"));
        return None;
    };
    let name = name.string(faults)?;
    let arguments = match at.member("arguments") {
        None => Object::default(),
        Some(arguments) => match arguments.node.as_object() {
            Some(object) => object.clone(),
            None => {
                faults.push(arguments.wrong("object"));
                return None;
            }
        },
    };
    Some((name, arguments))
}

/// `detector://fixture`, where the occurrence says what it reports.
struct Reporting(Observations);

impl Detector for Reporting {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        Ok(self.0.clone())
    }
}
