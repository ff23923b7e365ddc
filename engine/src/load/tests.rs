//! Loading as its users meet it: every fault, at its place, once.

use serde_json::{Value as Json, json};

use super::{LoadError, Loader, Phase, Source};
use crate::diagnostic::{Diagnostic, Severity};
use crate::fixtures::{capability, load, rule};

fn host(profiles: &[&str]) -> Source {
    Source::value("capability", capability(profiles))
}

/// `CODE @ pointer: underlined`, one line for each fault.
fn faults(error: &LoadError) -> Vec<String> {
    error.diagnostics().iter().map(fault).collect()
}

fn fault(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.location().expect("every fault has a place");
    let text = place.file.slice(place.span);
    format!("{} @ {}: {text}", diagnostic.code(), place.pointer)
}

fn refuse(source: Source) -> LoadError {
    Loader::new(host(&["tool"])).rules(source).load().expect_err("the rules are faulty")
}

/// The same condition in every way to write a string: the unknown name is underlined where it
/// stands in the file.
#[test]
fn an_unknown_name_is_underlined_in_every_style_of_string() {
    let json_head = r#"{"oar": "1.0", "id": "A", "kind": "policy", "anchor": "tool.pre_invoke",
        "effect": "warn", "requires": {"profiles": ["tool"]}, "when": "#;
    let yaml_head = "oar: '1.0'\nid: A\nkind: policy\nanchor: tool.pre_invoke\neffect: warn\n\
        requires: {profiles: [tool]}\nwhen: ";
    for (style, source) in [
        (
            "JSON with quotes",
            Source::json(
                "a.json",
                format!(r#"{json_head}"tool == \"\u00e9\\t\" && ghost_fact"}}"#),
            ),
        ),
        (
            "JSON with escapes in the name",
            Source::json(
                "a.json",
                format!(r#"{json_head}"tool == '\ud83d\ude00' && gh\u006fst_fact"}}"#),
            ),
        ),
        ("plain", Source::yaml("a.yaml", format!("{yaml_head}tool == 'é' && ghost_fact\n"))),
        (
            "plain over lines",
            Source::yaml("a.yaml", format!("{yaml_head}tool == 'é' &&\n  ghost_fact\n")),
        ),
        (
            "single-quoted",
            Source::yaml("a.yaml", format!("{yaml_head}'tool == ''é'' && ghost_fact'\n")),
        ),
        (
            "double-quoted",
            Source::yaml(
                "a.yaml",
                format!("{yaml_head}\"tool == \\\"\\u00e9\\\" && ghost_fact\"\n"),
            ),
        ),
        (
            "literal",
            Source::yaml("a.yaml", format!("{yaml_head}|\n  tool == 'é' &&\n    ghost_fact\n")),
        ),
        (
            "folded",
            Source::yaml("a.yaml", format!("{yaml_head}>\n  tool == 'é' &&\n  ghost_fact\n")),
        ),
        (
            "folded and stripped",
            Source::yaml(
                "a.yaml",
                format!("{yaml_head}>-\n  tool == 'é'\n\n  &&\n  ghost_fact\n\n"),
            ),
        ),
    ] {
        let error = refuse(source);
        let [diagnostic] = error.diagnostics() else { panic!("{style}: {error}") };
        assert_eq!(diagnostic.to_string(), "OAR-FACT-3: unknown name `ghost_fact`", "{style}");
        let place = diagnostic.location().unwrap();
        let underlined = place.file.slice(place.span);
        let expected = if style.ends_with("name") { r"gh\u006fst_fact" } else { "ghost_fact" };
        assert_eq!((underlined, &*place.pointer), (expected, "/when"), "{style}");
    }
}

/// All faults of all documents; a sound rule is checked beside faulty ones.
#[test]
fn every_fault_of_every_document_is_reported_at_once() {
    let yaml = "\
oar: '1.0'
id: FIRST
kind: policy
anchor: tool.pre_invoke
effect: warn
emit: x
when: 1
---
oar: '1.0'
id: SECOND
kind: policy
anchor: tool.pre_inwoke
effect: warn
selector: {ledger: [a], tool: []}
when: ghost == 1 || tool == 2
overrides: [FIRST, MISSING]
---
- nested
---
oar: '2.0'
id: third
---
oar: '1.0'
id: SOUND
kind: policy
anchor: tool.pre_invoke
effect: warn
on_error: SECOND
";
    let error = refuse(Source::yaml("rules.yaml", yaml));
    assert_eq!(
        faults(&error),
        [
            "OAR-DOC-27 @ /0/emit: emit",
            "OAR-DOC-14 @ /0/when: 1",
            "OAR-PROF-5 @ /1/anchor: tool.pre_inwoke",
            "OAR-SEL-3 @ /1/selector/ledger: ledger",
            "OAR-FACT-20 @ /1/selector/tool: tool",
            "OAR-SEL-6 @ /1/selector/tool: tool",
            "OAR-FACT-3 @ /1/when: ghost",
            "OAR-EXPR-11 @ /1/when: tool == 2",
            "OAR-DOC-31 @ /2/0: nested",
            "OAR-DOC-4 @ /3/oar: '2.0'",
        ]
    );
    assert_eq!((error.phase(), error.sound_rules()), (Phase::Rules, 1));
}

/// One slip is one diagnostic: what follows from a failed `requires` or a failed rule is not told again.
#[test]
fn what_follows_from_a_fault_is_no_second_fault() {
    let rules = vec![
        rule(
            "A",
            json!({"requires": {"profiles": ["mcp"], "facts": ["acme.gone"]},
            "when": "mcp_call_ok && acme.gone == 1", "selector": {"mcp_provider_id": ["x"]},
            "copy": {"what": "{{ mcp_error_code }}"}, "counter_scope": "mcp_error_code"}),
        ),
        rule("B", json!({"overrides": ["A"], "on_error": "A", "when": "fire_count_of('A') > 0"})),
    ];
    let error = load(&[], rules).unwrap_err();
    let codes: Vec<_> = error.diagnostics().iter().map(Diagnostic::code).collect();
    assert_eq!(codes, ["OAR-FACT-19", "OAR-FACT-19"], "{error}");
}

/// A fact that a rule requires in vain is told at `requires`, not at each use; what the standard
/// says of its type still holds.
#[test]
fn a_use_of_what_is_required_in_vain_is_told_only_where_it_could_not_stand() {
    for (more, codes) in [
        (
            json!({"requires": {"facts": ["acme.gone"]}, "selector": {"acme.gone": ["x"]},
                "counter_scope": "acme.gone", "copy": {"what": "{{ acme.gone }}"}}),
            &["OAR-FACT-19"][..],
        ),
        (
            json!({"requires": {"profiles": ["mcp"]}, "counter_scope": "mcp_provider_id"}),
            &["OAR-FACT-19"],
        ),
        (
            json!({"requires": {"profiles": ["mcp"]}, "counter_scope": "mcp_call_ok"}),
            &["OAR-FACT-19", "OAR-FIRE-10"],
        ),
    ] {
        let error = load(&[], vec![rule("A", more.clone())]).unwrap_err();
        let told: Vec<_> = error.diagnostics().iter().map(Diagnostic::code).collect();
        assert_eq!(told, codes, "{more}: {error}");
    }
}

/// A configuration names a rule that failed: that it is not loaded follows from its own fault.
#[test]
fn a_configuration_of_a_failed_rule_is_no_second_fault() {
    for name in ["A", "t/A"] {
        let failed = rule("A", json!({"when": "gone == 1"}));
        let config = json!({"oar_config": "1.0", "disable": [name]});
        let loader = Loader::new(host(&[])).rules(Source::value("rules", failed));
        let error = loader.config(Source::value("config", config)).load().unwrap_err();
        let codes: Vec<_> = error.diagnostics().iter().map(Diagnostic::code).collect();
        assert_eq!(codes, ["OAR-FACT-3"], "{name}: {error}");
    }
}

#[test]
fn an_unknown_name_of_copy_is_underlined() {
    let copy = rule("A", json!({"copy": {"what": "a {{ acme.gone }} b"}})).to_string();
    let error = refuse(Source::json("rule.json", copy));
    assert_eq!(faults(&error), ["OAR-COPY-2 @ /copy/what: acme.gone"]);
}

#[test]
fn references_name_what_they_resolve_to() {
    for (more, message) in [
        (
            json!({"overrides": ["GONE"]}),
            "OAR-EVAL-13: override `GONE` means `t/GONE`, which is not loaded",
        ),
        (json!({"overrides": ["u/GONE"]}), "OAR-EVAL-13: override `u/GONE` is not loaded"),
        (
            json!({"on_error": "GONE"}),
            "OAR-OPS-5: on_error `GONE` means `t/GONE`, which is not loaded",
        ),
        (
            json!({"when": "breaker_count_of('GONE') > 0"}),
            "OAR-FIRE-11: `breaker_count_of`: `GONE` means `t/GONE`, which is not loaded",
        ),
        (
            json!({"overrides": ["MUST"]}),
            "OAR-EVAL-17: rule `t/MUST` is mandatory and cannot be overridden",
        ),
        (json!({"overrides": ["A"]}), "OAR-EVAL-16: overrides form a cycle: `t/A` overrides `t/A`"),
    ] {
        let rules = vec![rule("A", more.clone()), rule("MUST", json!({"mandatory": true}))];
        assert_eq!(load(&[], rules).unwrap_err().to_string(), message, "{more}");
    }
}

/// Each circle is named once; what only leads to one is not.
#[test]
fn cycles_are_named_once_each() {
    let pairs =
        [("A", "B"), ("B", "C"), ("C", "A"), ("LEADS", "A"), ("C", "LED"), ("X", "Y"), ("Y", "X")];
    let ids = ["A", "B", "C", "LEADS", "LED", "X", "Y"];
    let rules = ids.map(|id| {
        let targets: Vec<_> =
            pairs.iter().filter(|(from, _)| *from == id).map(|(_, to)| *to).collect();
        rule(id, json!({"overrides": targets}))
    });
    let error = load(&[], rules.to_vec()).unwrap_err().to_string();
    assert_eq!(
        error.lines().collect::<Vec<_>>(),
        [
            "OAR-EVAL-16: overrides form a cycle: `t/A` overrides `t/B` overrides `t/C` overrides `t/A`",
            "OAR-EVAL-16: overrides form a cycle: `t/X` overrides `t/Y` overrides `t/X`",
        ]
    );
}

#[test]
fn a_second_rule_of_the_same_name_points_at_the_first() {
    // The file's order tells which is the first, and not the order of evaluation.
    for kind in ["policy", "schema"] {
        let text = r#"[{"oar": "1.0", "id": "A", "kind": "policy", "anchor": "tool.pre_invoke", "effect": "warn"},
            {"oar": "1.0", "id": "A", "kind": "KIND", "anchor": "model.input", "effect": "block"}]"#
            .replace("KIND", kind);
        let error = refuse(Source::json("rules.json", text));
        assert_eq!(faults(&error), ["OAR-DOC-9 @ /1/id: \"A\""], "{kind}");
        let [related] = error.diagnostics()[0].related() else { panic!("one place") };
        assert_eq!(
            (related.location.pointer.as_str(), related.message.as_str()),
            ("/0/id", "first loaded here"),
            "{kind}"
        );
    }
}

/// [OAR-DOC-28]: identity, order and decision come from the document alone.
#[test]
fn file_names_and_paths_mean_nothing() {
    let (a, b) = (rule("A", json!({})), rule("B", json!({"effect": "nudge"})));
    let load = |names: [&str; 2]| {
        let loader = Loader::new(host(&[]));
        let loader = loader
            .rules(Source::value(names[0], b.clone()))
            .rules(Source::value(names[1], a.clone()));
        let rules = loader.load().unwrap().rules;
        rules.rules().map(|rule| rule.qualified().to_owned()).collect::<Vec<_>>()
    };
    for names in [["A.json", "B.json"], ["z/../B", "a"], ["same", "same"], ["", ""]] {
        assert_eq!(load(names), ["t/A", "t/B"], "{names:?}");
    }
}

#[test]
fn an_empty_selector_clause_is_a_warning() {
    let loaded = load(
        &["tool"],
        vec![rule("A", json!({"requires": {"profiles": ["tool"]}, "selector": {"tool": []}}))],
    );
    let warnings = loaded.unwrap().warnings;
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert_eq!((warning.severity(), warning.code()), (Severity::Warning, "OAR-SEL-6"));
}

#[test]
fn a_faulty_capability_document_is_reported_alone_and_whole() {
    let mut document = capability(&["tool", "mpc", "secrets"]);
    document["detectors"] = json!([]);
    document["expression_nodes_max"] = json!(255);
    document["activity_window"] = json!(-1);
    document["anchors"]["host"] = json!(["model.input"]);
    document["anchors"]["unsupported"] = json!(["model.output"]);
    document["host_facts"] = json!([
        {"name": "tenant", "type": "string"}, {"name": "other.tenant", "type": "string"},
        {"name": "acme.a", "type": "int64"}, {"name": "acme.b", "type": "int"}, {"name": "acme.b", "type": "bool"}]);
    let rules = Source::value("rules", json!([{"oar": "9.0"}]));
    let error = Loader::new(Source::value("capability", document)).rules(rules).load().unwrap_err();
    assert_eq!(error.phase(), Phase::Capability);
    let mut codes: Vec<_> = error.diagnostics().iter().map(Diagnostic::code).collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        [
            "OAR-EXPR-17",
            "OAR-FACT-16",
            "OAR-FACT-18",
            "OAR-FACT-18",
            "OAR-FACT-22",
            "OAR-FACT-27",
            "OAR-OPS-22",
            "OAR-PROF-2",
            "OAR-PROF-3",
            "OAR-PROF-5"
        ],
        "{error}"
    );
}

#[test]
fn an_integer_of_the_capability_document_is_written_as_one() {
    let text =
        capability(&[]).to_string().replace("\"activity_window\":4", "\"activity_window\":4.0");
    let error = Loader::new(Source::json("capability.json", text)).load().unwrap_err();
    assert_eq!(error.to_string(), "OAR-PROF-3: `activity_window` is not written as an integer");
}

fn configured(config: Json) -> Result<Vec<String>, String> {
    let rules = json!([
        rule("A", json!({})),
        rule("B", json!({"mandatory": true, "enforcement": "monitor"}))
    ]);
    let loader = Loader::new(host(&[])).rules(Source::value("rules", rules));
    let loaded =
        loader.config(Source::value("config", config)).load().map_err(|error| error.to_string())?;
    Ok(loaded.rules.rules().map(|rule| rule.enforcement().to_string()).collect())
}

#[test]
fn a_configuration_changes_enforcement_alone() {
    assert_eq!(
        configured(json!({"oar_config": "1.0", "disable": ["A"]})).unwrap(),
        ["off", "monitor"]
    );
    let monitors = json!({"oar_config": "1.0", "enforcement": {"t/A": "monitor", "B": "monitor"}});
    assert_eq!(configured(monitors).unwrap(), ["monitor", "monitor"]);
    for (config, message) in [
        (
            json!({"oar_config": "1.0", "disable": ["B"]}),
            "OAR-CFG-5: rule `t/B` is mandatory and cannot be set to `off`",
        ),
        (
            json!({"oar_config": "1.1"}),
            "OAR-CFG-1: `oar_config` is `1.1`, which has a minor version above the highest that this engine supports",
        ),
        (
            json!({"oar_config": "1.0", "disable": ["A"], "enforcement": {"t/A": "enforce"}}),
            "OAR-CFG-7: rule `t/A` is said to be `off` and `enforce` in one configuration",
        ),
        (json!({"oar_config": "1.0", "disable": ["C"]}), "OAR-CFG-4: rule `C` is not loaded"),
    ] {
        assert_eq!(configured(config.clone()).unwrap_err(), message, "{config}");
    }
}

/// The grammar has no depth limit; a megabyte of parentheses loads on a small stack.
#[test]
fn a_megabyte_of_parentheses_loads_on_a_small_stack() {
    let load_deep = || {
        let depth = (1 << 20) / 2 - 2;
        let when = format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
        let text = rule("A", json!({"when": when})).to_string();
        let loaded = Loader::new(host(&[])).rules(Source::json("rule.json", text)).load();
        loaded.map(|loaded| loaded.rules.len()).map_err(|error| error.to_string())
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(load_deep).unwrap();
    assert_eq!(thread.join().unwrap(), Ok(1));
}

#[test]
fn bytes_that_are_no_text_are_a_fault_of_the_load() {
    let error = refuse(Source::bytes("rule.json", b"{\"oar\": \"\xff\"}"));
    assert_eq!(error.diagnostics()[0].code(), "OAR-DOC-1");
}
