//! Nothing that was observed shows in what the library tells of itself: a canary in every fact,
//! argument, content and report is looked for in every text that it makes.
//!
//! Where a value is shown on purpose, the test holds the opposite.

#![expect(clippy::expect_used, clippy::panic, reason = "a test may stop, and hosts may panic here")]

use oar_engine::audit::{AuditRecord, Redaction};
use oar_engine::diagnostic::render;
use oar_engine::observe::{
    Detector, DetectorFailure, FactProvider, FactValue, Observations, Occurrence, ProviderFailure,
};
use oar_engine::sink::MemorySink;
use oar_engine::state::MemoryCounters;
use oar_engine::{Host, Loader, RuleSet, Session, Source, ToolCall};
use oar_expr::Value;
use serde_json::json;

const CANARY: &str = "canary-5f1c";

const CAPABILITY: &str = r#"
oar_capability_version: "1.0"
host: acme
anchors:
  core: {tool.pre_invoke: before_tool}
  unsupported: [tool.handler, tool.post_invoke, agent.post_turn, agent.finalize, model.input,
    model.output, model.tool_result]
profiles: [tool]
activity_window: 5
detectors: [detector://own]
expression_nodes_max: 256
supports_transform: true
host_facts:
  - {name: acme.text, type: string}
  - {name: acme.lazy, type: string}
  - {name: acme.list, type: list<string>}
  - {name: acme.labels, type: "map<string,string>"}
  - {name: acme.map, type: map}
  - {name: acme.spans, type: list<map>}
  - {name: acme.ask, type: (string) -> string}
  - {name: acme.int, type: int}
"#;

const REQUIRES: &str = "requires: {profiles: [tool], facts: [acme.text, acme.lazy, acme.list, \
    acme.labels, acme.map, acme.spans, acme.ask, acme.int]}";

fn load(rules: &[&str]) -> RuleSet {
    let rule = |(n, rule): (usize, &&str)| {
        format!("---\noar: '1.0'\nid: R{n}\nanchor: tool.pre_invoke\n{REQUIRES}\n{rule}\n")
    };
    let text: String = rules.iter().enumerate().map(rule).collect();
    let loader = Loader::new(Source::yaml("capability.yaml", CAPABILITY));
    let loaded = loader.rules(Source::yaml("rules.yaml", text)).load();
    loaded.unwrap_or_else(|error| panic!("{error}")).rules
}

fn canary() -> FactValue {
    FactValue::from(format!("{CANARY} of a provider"))
}

/// What a part of the host does with the canary.
#[derive(Clone, Copy)]
enum Does {
    Gives,
    GivesAnotherType,
    Panics,
}

struct Provider(Does);

impl Provider {
    fn answer(&self) -> Result<Option<FactValue>, ProviderFailure> {
        match self.0 {
            Does::Gives => Ok(Some(canary())),
            Does::GivesAnotherType => Ok(Some(FactValue::StringList(vec![CANARY.to_owned()]))),
            Does::Panics => panic!("called `unwrap` on {CANARY:?}"),
        }
    }
}

impl FactProvider for Provider {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        if name == "acme.lazy" { self.answer() } else { Ok(None) }
    }

    fn call(
        &self,
        _: &str,
        _: Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        self.answer()
    }
}

struct Own(Does);

impl Detector for Own {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        let none = Observations::new();
        match self.0 {
            Does::Gives => Ok(none.with("acme.text", CANARY)),
            Does::GivesAnotherType => Ok(none.with("acme.int", CANARY)),
            Does::Panics => panic!("{CANARY}"),
        }
    }
}

/// Every text that the library makes of an occurrence and its outcome, except those that are for
/// showing values.
fn told(rules: &RuleSet, does: Does, tell: impl FnOnce(&str, &serde_json::Value, String)) {
    let arguments = json!({"path": CANARY, "big": 9_007_199_254_740_993_u64, (CANARY): [CANARY]});
    let arguments = arguments.as_object().expect("an object");
    let list = vec![CANARY];
    let mut occurrence = rules.occurrence("before_tool").expect("it is declared");
    occurrence
        .content("canary-5f1c in the content")
        .tool_call(ToolCall::new(CANARY, arguments))
        .recent_activity([CANARY]);
    occurrence.fact("acme.text", CANARY).expect("it is declared");
    occurrence.fact("acme.list", &list).expect("it is declared");
    occurrence.fact("acme.labels", json!({"a": CANARY, (CANARY): "b"})).expect("it is declared");
    occurrence.fact("acme.map", json!({"a": {(CANARY): CANARY}})).expect("it is declared");
    let span = json!([{"start": 0, "end": 5, "text": CANARY}, {"start": 0, "end": CANARY}]);
    occurrence.fact("acme.spans", span).expect("it is declared");
    let mut texts = vec![format!("{occurrence:?} {:?}", occurrence.call())];
    let undeclared =
        occurrence.clone().fact("acme.other", CANARY).map(|_| ()).expect_err("it is not declared");
    let core =
        occurrence.clone().fact("fire_count", CANARY).map(|_| ()).expect_err("it is the engine's");
    texts.extend([undeclared, core].map(|error| format!("{error} {error:?}")));
    let host = Host::new()
        .provider(Provider(does))
        .detector("detector://own", Own(does))
        .counters(MemoryCounters::new());
    let sink = MemorySink::new();
    let host = host.events(sink.clone()).audit(sink.clone(), Redaction::all());
    let mut session = Session::new("s");
    let outcome = host.decide(&mut session, &occurrence);
    assert_eq!(outcome.unrecorded(), None);
    texts.push(format!("{sink:?} {:?}", sink.take_events()));
    for record in sink.take_records() {
        assert!(record.is_redacted());
        texts.push(format!("{record:?} {}", serde_json::to_string(&record).expect("an object")));
    }
    // One that is not redacted shows values in its JSON, for that is what was asked for.
    let whole = AuditRecord::new(&outcome, "s", std::time::UNIX_EPOCH, &Redaction::none());
    assert!(serde_json::to_string(&whole).expect("an object").contains(CANARY));
    texts.push(format!("{whole:?}"));
    for entry in outcome.trace() {
        texts.push(format!("{entry} {entry:?}"));
        texts.extend(
            entry.failure.map(|failure| format!("{failure} {failure:?} {:?}", failure.span())),
        );
    }
    for event in outcome.events() {
        texts.push(format!("{event:?} {}", serde_json::to_string(&event).expect("an object")));
    }
    texts.push(format!("{outcome:?} {host:?} {session:?} {rules:?}"));
    texts.push(format!(
        "{:?} {:?}",
        occurrence.needs(),
        Observations::new().with("acme.text", CANARY)
    ));
    tell(&texts.join("\n"), &outcome.report().to_json(), format!("{:?}", outcome.copy()));
}

/// Each rule touches what it can, and most of them fail.
const RULES: &[&str] = &[
    "kind: policy\neffect: warn\nwhen: acme.text != '' && acme.lazy != '' && acme.ask(acme.text) != ''",
    "kind: policy\neffect: warn\non_error: fail_open\nwhen: acme.labels[acme.text] == ''",
    "kind: policy\neffect: warn\non_error: fail_open\nwhen: acme.list[size(acme.text)] == ''",
    "kind: policy\neffect: warn\non_error: fail_open\nwhen: acme.text + acme.lazy in acme.map || 1 / acme.int == 1",
    "kind: policy\neffect: warn\non_error: fail_open\nwhen: size(tool_args_fingerprint) > 0",
    "kind: policy\neffect: transform\non_error: fail_open\ntransform: {action: redact, target: acme.spans}",
    "kind: policy\neffect: warn\non_error: fail_open\nselector: {acme.lazy: [a]}",
    "kind: policy\neffect: warn\non_error: fail_open\ncounter_scope: acme.lazy\nwhen: fire_count == 0",
    "kind: policy\neffect: warn\non_error: fail_open\nflow: [a]",
    "kind: detector\neffect: warn\non_error: fail_open\ndetector: {ref: 'detector://own'}\nwhen: acme.text != '' && acme.int == 0",
    "kind: policy\neffect: warn\non_fire: [publish_event]",
];

#[test]
fn no_text_of_the_library_shows_what_was_observed() {
    std::panic::set_hook(Box::new(|panic| {
        // The hook is the program's: it may tell what it likes. Failed assertions are told.
        if panic.location().is_some_and(|place| !place.file().ends_with("leaks.rs"))
            || panic.to_string().contains("assertion")
        {
            eprintln!("{panic}");
        }
    }));
    let rules = load(RULES);
    for does in [Does::Gives, Does::GivesAnotherType, Does::Panics] {
        told(&rules, does, |texts, report, copy| {
            assert!(texts.contains("errored"), "some of it fails: {texts}");
            assert!(!texts.contains(CANARY), "{texts}");
            assert!(!copy.contains(CANARY), "{copy}");
            let mut report = report.clone();
            // What is to be delivered is the content.
            let content = report.as_object_mut().and_then(|report| report.remove("content"));
            assert!(content.is_some());
            assert!(!report.to_string().contains(CANARY), "{report}");
        });
    }
}

/// The four places in an outcome that show values, each because somebody asked: content, copy that
/// names a fact, and the scope of a counter in its name ([OAR-CONF-33]) and in its report.
#[test]
fn values_are_shown_where_they_were_asked_for() {
    let rules = load(&[
        "kind: policy\neffect: warn\ncounter_scope: acme.text\non_fire: [increment_counter]\n\
         copy: {what: 'by {{acme.text}}'}",
    ]);
    told(&rules, Does::Gives, |texts, report, copy| {
        assert!(!texts.contains(CANARY), "{texts}");
        assert!(copy.contains(CANARY));
        assert_eq!(report["copy"]["what"], format!("by {CANARY}"));
        assert_eq!(report["counters"][format!("R0#{CANARY}")]["fire_count"], 1);
        assert_eq!(report["content"], "canary-5f1c in the content");
    });
}

/// Diagnostics quote the documents that they are about, and those hold no observations.
#[test]
fn a_diagnostic_quotes_its_document_alone() {
    let rule = "oar: '1.0'\nid: R\nkind: policy\nanchor: tool.pre_invoke\neffect: warn\nwhen: 1\n\
                copy: {what: canary-5f1c}";
    let loader = Loader::new(Source::yaml("capability.yaml", CAPABILITY));
    let error = loader.rules(Source::yaml("rules.yaml", rule)).load().expect_err("it is no bool");
    for diagnostic in error.diagnostics() {
        let texts =
            [render::full(diagnostic), render::concise(diagnostic), format!("{diagnostic:?}")];
        assert!(!texts.concat().contains(CANARY), "{texts:?}");
        assert!(!render::json(diagnostic).to_string().contains(CANARY));
    }
}
