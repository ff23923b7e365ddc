//! What a loaded set and a check tell their users, member for member.

use serde_json::json;

use super::{CheckedRule, Checker, Loader, Needs, Phase, Source};
use crate::diagnostic::Severity;
use crate::document::rule::{Effect, Enforcement, Kind};
use crate::fixtures::{capability, load, rule};

fn check(rules: serde_json::Value) -> super::Checked {
    Checker::new().rules(Source::value("rules", rules)).check()
}

#[test]
fn a_capability_document_is_told_as_declared() {
    let mut document = capability(&["tool", "session"]);
    document["anchors"]["core"] = json!({"tool.pre_invoke": "before", "model.input": "input"});
    document["anchors"]["unsupported"] = json!([
        "tool.handler",
        "tool.post_invoke",
        "agent.post_turn",
        "agent.finalize",
        "model.output",
        "model.tool_result"
    ]);
    document["anchors"]["host"] = json!(["acme_render", "acme_close"]);
    document["activity_window"] = json!(7);
    document["expression_nodes_max"] = json!(300);
    document["supports_transform"] = json!(false);
    let loaded = Loader::new(Source::value("capability", document)).load().unwrap();
    let told = loaded.rules.capability();
    assert_eq!(told.host(), "acme");
    assert_eq!(told.profiles().collect::<Vec<_>>(), ["tool", "session"]);
    assert_eq!(
        told.core_anchors().collect::<Vec<_>>(),
        [("tool.pre_invoke", "before"), ("model.input", "input")]
    );
    assert_eq!(told.host_anchors().collect::<Vec<_>>(), ["acme_render", "acme_close"]);
    assert_eq!(
        told.detectors().collect::<Vec<_>>(),
        ["detector://noop", "detector://error", "detector://fixture"]
    );
    assert_eq!((told.activity_window(), told.expression_nodes_max()), (7, 300));
    assert!(!told.supports_transform());
    assert!(told.environment().slot("tool_args").is_some());
    assert!(told.environment().slot("path_denied").is_none());
}

#[test]
fn a_loaded_rule_is_told_as_written_and_configured() {
    let detector = json!({"kind": "detector", "detector": {"ref": "detector://noop"},
        "effect": "block", "mandatory": true});
    let rules = json!([rule("A", json!({"effect": "nudge"})), rule("B", detector)]);
    let loader = Loader::new(Source::value("capability", capability(&[])))
        .rules(Source::value("rules", rules))
        .config(Source::value("config", json!({"oar_config": "1.0", "disable": ["A"]})));
    let set = loader.load().unwrap().rules;
    assert_eq!((set.len(), set.is_empty()), (2, false));
    let told: Vec<_> = set
        .rules()
        .map(|rule| {
            let names = (rule.qualified(), rule.id(), rule.detector());
            (names, rule.kind(), rule.effect(), rule.enforcement(), rule.mandatory())
        })
        .collect();
    assert_eq!(
        told,
        [
            (("t/A", "A", None), Kind::Policy, Effect::Nudge, Enforcement::Off, false),
            (
                ("t/B", "B", Some("detector://noop")),
                Kind::Detector,
                Effect::Block,
                Enforcement::Enforce,
                true
            ),
        ]
    );
    let empty = load(&[], Vec::new()).unwrap().rules;
    assert_eq!((empty.len(), empty.is_empty()), (0, true));
    let unknown = set.anchor("acme_rendr").unwrap_err();
    assert_eq!(unknown.to_string(), "the host declares no anchor `acme_rendr`");
    assert!(set.anchor("acme_render").is_ok());
    assert_eq!(set.occurrence("acme_rendr").unwrap_err(), unknown);
    assert!(set.fact("acme.int").is_some() && set.fact("acme.itn").is_none());
}

#[test]
fn a_failed_load_tells_its_phase_and_how_many_rules_were_sound() {
    let rules = vec![
        rule("A", json!({})),
        rule("B", json!({"when": "1"})),
        rule("C", json!({"requires": {"profiles": ["tool"]}, "selector": {"tool": []}})),
        rule("D", json!({"overrides": ["A", "E"]})),
    ];
    let error = load(&["tool"], rules).unwrap_err();
    assert_eq!((error.phase(), error.sound_rules()), (Phase::Rules, 3));
    let severities: Vec<_> = error.diagnostics().iter().map(|d| (d.severity(), d.code())).collect();
    assert_eq!(
        severities,
        [
            (Severity::Error, "OAR-FACT-4"),
            (Severity::Warning, "OAR-SEL-6"),
            (Severity::Error, "OAR-EVAL-13")
        ]
    );
    let lines: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("OAR-FACT-4: ") && lines[1].starts_with("OAR-EVAL-13: "));
    assert_eq!(error.into_diagnostics().len(), 3);
}

#[test]
fn a_check_tells_which_rules_are_sound_and_where_they_stand() {
    let rules = json!([
        rule("A", json!({})),
        rule("B", json!({"when": "1"})),
        rule("C", json!({"requires": {"profiles": ["tool"]}, "selector": {"tool": []}})),
    ]);
    let checked = Checker::new().rules(Source::json("rules.json", rules.to_string())).check();
    assert_eq!((checked.diagnostics().len(), checked.errors()), (2, 1));
    assert!(checked.capability().is_none());
    let pointers: Vec<_> =
        checked.rules().iter().map(|rule| (rule.name(), &*rule.location().pointer)).collect();
    assert_eq!(pointers, [(Some("t/A"), "/0"), (Some("t/B"), "/1"), (Some("t/C"), "/2")]);
    assert_eq!(
        checked.rules().iter().map(|rule| rule.needs().is_some()).collect::<Vec<_>>(),
        [true, false, true]
    );
    // A rule of a file is sound when no error is at a place within it.
    let text = "[{\"oar\": \"1.0\", \"id\": \"A\", \"kind\": \"policy\", \"effect\": \"warn\", \
                \"anchor\": \"model.input\"},\n {\"oar\": \"1.0\", \"id\": \"B\"}]";
    let checked = Checker::new()
        .capability(Source::value("capability", capability(&[])))
        .rules(Source::json("rules.json", text))
        .check();
    assert_eq!(
        checked.rules().iter().map(CheckedRule::is_sound).collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(checked.capability().map(super::Capability::host), Some("acme"));
}

#[test]
fn a_check_takes_configurations() {
    let config = json!({"oar_config": "1.0", "disable": ["GHOST"]});
    let checked = Checker::new().config(Source::value("config", config)).check();
    let messages: Vec<String> = checked.diagnostics().iter().map(ToString::to_string).collect();
    assert_eq!(messages, ["OAR-CFG-4: rule `GHOST` is not loaded"]);
}

#[test]
fn what_a_rule_needs_is_told() {
    let needs = |members: serde_json::Value| -> Needs {
        let checked = check(json!([rule("A", members)]));
        assert_eq!(checked.errors(), 0, "{:?}", checked.diagnostics());
        checked.rules()[0].needs().cloned().unwrap()
    };
    let plain = needs(json!({}));
    assert_eq!((plain.anchor(), plain.is_core_anchor()), ("tool.pre_invoke", true));
    assert_eq!((plain.window(), plain.nodes(), plain.transforms()), (0, 0, false));
    assert_eq!((plain.detector(), plain.is_portable()), (None, true));
    let full = needs(json!({
        "anchor": "acme.moment", "kind": "detector", "detector": {"ref": "detector://pii"},
        "effect": "transform",
        "transform": {"action": "redact", "target": "pii_entities"},
        "flow": ["a", "b", "c"],
        "requires": {"profiles": ["pii", "mcp"], "facts": ["tool", "acme.tier", "session_posture"]},
        "when": "tool == 'a'",
    }));
    assert_eq!((full.anchor(), full.is_core_anchor()), ("acme.moment", false));
    assert_eq!((full.window(), full.nodes(), full.transforms()), (3, 3, true));
    assert_eq!((full.detector(), full.is_portable()), (Some("detector://pii"), false));
    assert_eq!(full.profiles(), ["pii", "mcp"]);
    // A name of the host that is only required counts no more than one of a profile.
    assert!(full.host_names().is_empty());
    assert_eq!(full.uses_profiles(), ["pii", "session", "tool"]);
    // Only what is used counts: `session_posture` is named in `requires` alone.
    assert_eq!(full.outside_profiles(), [("tool".to_owned(), "tool".to_owned())]);
    // Each of the three alone makes a rule one that does not travel.
    let by_name = json!({"requires": {"facts": ["acme.tier"]}, "when": "acme.tier == 'gold'"});
    let by_name = needs(by_name);
    assert_eq!(
        (by_name.host_names(), by_name.is_portable()),
        (&["acme.tier".to_owned()][..], false)
    );
    assert!(!needs(json!({"anchor": "acme.moment"})).is_portable());
    let by_profile = json!({"requires": {"facts": ["tool"]}, "when": "tool == 'a'"});
    assert!(!needs(by_profile).is_portable());
}

/// A name that is not declared is refused under the clause of its place, for a host that was
/// described as for any; what is similar, or where the name belongs, is said as help.
#[test]
fn an_undeclared_name_is_refused_under_the_clause_of_its_place() {
    let transform = |target: &str| json!({"effect": "transform", "transform": {"action": "redact", "target": target}});
    for (members, fault, help) in [
        (
            json!({"selector": {"acme.strin": ["a"]}}),
            "OAR-SEL-3 /selector/acme.strin",
            "did you mean `acme.string`?",
        ),
        (
            json!({"counter_scope": "acme.strin"}),
            "OAR-FIRE-10 /counter_scope",
            "did you mean `acme.string`?",
        ),
        (transform("acme.span"), "OAR-OPS-14 /transform/target", "did you mean `acme.spans`?"),
        (
            json!({"copy": {"what": "{{ acme.strin }}"}}),
            "OAR-COPY-2 /copy/what",
            "did you mean `acme.string`?",
        ),
        (json!({"when": "acme.strin == ''"}), "OAR-FACT-3 /when", "did you mean `acme.string`?"),
        (
            json!({"requires": {"facts": ["acme.strin"]}}),
            "OAR-FACT-19 /requires/facts/0",
            "did you mean `acme.string`?",
        ),
        (
            json!({"selector": {"principal": ["a"]}}),
            "OAR-SEL-3 /selector/principal",
            "`principal` belongs to profile `session`, which this host does not provide",
        ),
        // Of the wrong type: what it is called is right, so there is no help.
        (json!({"selector": {"acme.int": ["a"]}}), "OAR-SEL-3 /selector/acme.int", ""),
        (transform("acme.list"), "OAR-OPS-14 /transform/target", ""),
        (json!({"copy": {"fix": "{{ acme.spans }}"}}), "OAR-COPY-4 /copy/fix", ""),
        (json!({"counter_scope": "acme.ask"}), "OAR-FIRE-10 /counter_scope", ""),
    ] {
        let error = load(&["tool"], vec![rule("A", members.clone())]).unwrap_err();
        let [diagnostic] = error.diagnostics() else { panic!("{members}: {error}") };
        let pointer = &diagnostic.location().unwrap().pointer;
        let pointer = pointer.strip_prefix("/0").unwrap_or(pointer);
        assert_eq!(format!("{} {pointer}", diagnostic.code()), fault, "{members}");
        assert_eq!(diagnostic.advice().unwrap_or_default(), help, "{members}");
    }
}

/// Each fault of the anchor map has its place, and a map that is not there is one fault alone.
#[test]
fn a_fault_of_the_anchor_map_has_its_place() {
    let faults = |change: &dyn Fn(&mut serde_json::Value)| -> Vec<String> {
        let mut document = capability(&[]);
        change(&mut document["anchors"]);
        let error = Loader::new(Source::value("capability", document)).load().unwrap_err();
        let place = |d: &crate::diagnostic::Diagnostic| d.location().unwrap().pointer.clone();
        error.diagnostics().iter().map(|d| format!("{} {}", d.code(), place(d))).collect()
    };
    assert_eq!(
        faults(&|anchors| anchors["unsupported"] = json!(["model.input"])),
        ["OAR-PROF-2 /anchors/core/model.input"]
    );
    assert_eq!(
        faults(&|anchors| anchors["core"]["model.input"] = json!("model.output")),
        ["OAR-PROF-1 /anchors/core/model.input", "OAR-PROF-2 /anchors/core/model.output"]
    );
    assert_eq!(
        faults(&|anchors| {
            anchors["core"].as_object_mut().unwrap().remove("model.input");
        }),
        ["OAR-PROF-2 /anchors"]
    );
    let without = faults(&|anchors| {
        anchors.as_object_mut().unwrap().remove("core");
    });
    assert_eq!(without.len(), 1, "{without:?}");
}

#[test]
fn a_misspelled_rule_of_a_configuration_is_told_the_similar_name() {
    for (named, similar) in [("ABACUSS", "`ABACUS`"), ("t/ABACUSS", "`t/ABACUS`")] {
        let config = json!({"oar_config": "1.0", "disable": [named]});
        let rules = json!([rule("ABACUS", json!({})), rule("OTHER", json!({}))]);
        let loader = Loader::new(Source::value("capability", capability(&[])))
            .rules(Source::value("rules", rules))
            .config(Source::value("config", config));
        let error = loader.load().unwrap_err();
        assert_eq!(error.diagnostics().len(), 1, "{error}");
        assert_eq!(error.diagnostics()[0].code(), "OAR-CFG-4");
        let help = error.diagnostics()[0].advice().unwrap_or_default();
        assert!(help.contains(similar), "{named}: {help}");
    }
}

#[test]
fn whether_a_host_can_transform_is_told() {
    for can in [true, false] {
        let mut document = capability(&[]);
        document["supports_transform"] = json!(can);
        let loaded = Loader::new(Source::value("capability", document)).load().unwrap();
        assert_eq!(loaded.rules.capability().supports_transform(), can);
    }
}

#[test]
fn the_text_of_a_rule_is_told() {
    let rules = json!([
        rule("WAITS", json!({"flow": ["read"], "when": "1 == 1"})),
        rule("ACTS", json!({"anchor": "model.input"})),
    ]);
    let loader = Loader::new(Source::value("capability", capability(&["tool"])))
        .rules(Source::value("rules", rules));
    let texts = loader.texts();
    let told = |name: &str| {
        let text = texts.get(name).unwrap();
        (text.anchor().to_owned(), text.when().map(str::to_owned), text.has_flow())
    };
    assert_eq!(told("t/WAITS"), ("tool.pre_invoke".into(), Some("1 == 1".into()), true));
    assert_eq!(told("t/ACTS"), ("model.input".into(), None, false));
    assert!(texts.get("t/OTHER").is_none());
}
