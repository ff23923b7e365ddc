//! `oar check`.

use crate::run::{Directory, oar};
use crate::snapshot::{root, snapshot};

pub(crate) const CAPABILITY: &str = r#"oar_capability_version: "1.0"
host: acme
anchors:
  core: {tool.pre_invoke: tool.pre_invoke, model.output: model.output}
  unsupported: [tool.handler, tool.post_invoke, agent.post_turn, agent.finalize, model.input, model.tool_result]
profiles: [tool]
activity_window: 4
detectors: ["detector://noop", "detector://error", "detector://fixture"]
expression_nodes_max: 256
supports_transform: true
host_facts: [{name: acme.tier, type: string}]
"#;

fn rule(id: &str, rest: &str) -> String {
    format!(
        "oar: '1.0'\nid: {id}\nkind: policy\nanchor: tool.pre_invoke\neffect: block\n\
         requires: {{profiles: [tool]}}\n{rest}\n"
    )
}

#[test]
fn a_sound_pack_is_told_with_its_rules_and_its_host() {
    let directory = Directory::with(&[
        ("pack/capability.yaml", CAPABILITY),
        ("pack/a.yaml", &rule("A", "when: tool == 'x'")),
        (
            "pack/more/b.json",
            r#"{"oar": "1.0", "id": "B", "kind": "policy",
            "anchor": "tool.pre_invoke", "effect": "warn"}"#,
        ),
        ("pack/.hidden.yaml", "not: looked at"),
        ("pack/a.test.yaml", "not: looked at"),
    ]);
    let ran = directory.oar("check pack");
    assert_eq!(ran.out, "ok: pack: for host `acme`, 2 rules are sound\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_fault_is_shown_at_its_place_beside_what_is_sound() {
    let rules = [rule("A", "when: tol == 'x'"), rule("B", ""), rule("C", "")].join("---\n");
    let directory = Directory::with(&[("capability.yaml", CAPABILITY), ("rules.yaml", &rules)]);
    let ran = directory.oar("check .");
    assert_eq!(
        ran.out,
        "\
error[OAR-FACT-3]: unknown name `tol`
 --> rules.yaml:7:7 (/0/when)
  |
7 | when: tol == 'x'
  |       ^^^
  = help: did you mean `tool`?

bad: .: for host `acme`, 2 rules are sound, 1 is not; 1 error
"
    );
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    let ran = directory.oar("check . --format concise");
    assert!(ran.out.starts_with("rules.yaml:7:7: error[OAR-FACT-3] unknown name `tol`\n"));
    let ran = directory.oar("check . --color always");
    assert!(ran.out.starts_with("\u{1b}[1m\u{1b}[31merror[OAR-FACT-3]\u{1b}[0m"), "{}", ran.out);
}

#[test]
fn without_a_capability_document_it_says_what_it_could_not_check() {
    let when = "when: acme.tier == 'gold'\nflow: [a, b]";
    let text = rule("A", when).replace("[tool]}", "[tool], facts: [acme.tier]}");
    let directory = Directory::with(&[("rules.yaml", &text)]);
    let ran = directory.oar("check rules.yaml");
    assert_eq!(
        ran.out,
        "\
ok: 1 rule is sound
not checked, because no capability document was given:
  - that the host has anchor `tool.pre_invoke`
  - that it provides profile `tool`
  - that it declares `acme.tier`, and of which type
  - that its `activity_window` is at least 2
"
    );
    assert_eq!(ran.code, 0);
}

#[test]
fn a_capability_document_alone_is_checked_and_summed_up() {
    let directory = Directory::with(&[("capability.yaml", CAPABILITY)]);
    let ran = directory.oar("check capability.yaml");
    assert_eq!(
        ran.out,
        "\
host `acme`
  core anchors    tool.pre_invoke, model.output
    without       tool.handler, tool.post_invoke, agent.post_turn,
                  agent.finalize, model.input, model.tool_result
  host anchors    none
  profiles        tool
  host facts      acme.tier: string
  detectors       detector://noop, detector://error, detector://fixture
  activity window 4
  condition       at most 256 nodes
  transforms      supported
  names           16 of the standard, 1 of the host's own
ok: 1 capability document is valid
"
    );
    let bad = CAPABILITY.replace("[tool]", "[tol]").replace("max: 256", "max: 255");
    let directory = Directory::with(&[("host.yaml", &bad)]);
    let ran = directory.oar("check host.yaml --format concise");
    assert_eq!(
        ran.out,
        "\
host.yaml:6:12: error[OAR-FACT-16] profile `tol` is not one of the standard's
host.yaml:9:23: error[OAR-EXPR-17] `expression_nodes_max` is `255`, below 256
bad: 2 errors
"
    );
    assert_eq!(ran.code, 1);
}

#[test]
fn the_capability_and_the_configuration_can_be_given() {
    let directory = Directory::with(&[
        ("host.yaml", CAPABILITY),
        (
            "a.yaml",
            &rule("A", "when: acme.tier == 'x'").replace("[tool]}", "[tool], facts: [acme.tier]}"),
        ),
        ("c.yaml", "oar_config: '1.0'\ndisable: [B]\n"),
    ]);
    let ran = directory.oar("check a.yaml --capability host.yaml");
    assert_eq!(ran.out, "ok: for host `acme`, 1 rule is sound\n");
    let ran = directory.oar("check a.yaml --capability host.yaml --config c.yaml --format concise");
    assert_eq!(
        ran.out,
        "c.yaml:2:11: error[OAR-CFG-4] rule `B` is not loaded\n\
         bad: for host `acme`, 1 rule is sound; 1 error\n"
    );
}

#[test]
fn each_pack_of_a_tree_is_checked_for_its_own_host() {
    let other = CAPABILITY.replace("host: acme", "host: other").replace("acme.tier", "other.tier");
    let directory = Directory::with(&[
        ("packs/one/capability.yaml", CAPABILITY),
        ("packs/one/a.yaml", &rule("A", "")),
        ("packs/two/capability.yaml", &other),
        ("packs/two/rules/a.yaml", &rule("A", "")),
    ]);
    assert_eq!(
        directory.oar("check packs").out,
        "ok: packs/one: for host `acme`, 1 rule is sound\n\
         ok: packs/two: for host `other`, 1 rule is sound\n"
    );
}

#[test]
fn what_cannot_be_read_and_wrong_usage_have_codes_of_their_own() {
    let directory = Directory::with(&[
        ("empty/x.txt", ""),
        ("a.yaml", CAPABILITY),
        ("b.yaml", CAPABILITY),
        ("r.yaml", &rule("R", "")),
    ]);
    let ran = directory.oar("check nowhere.yaml");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (3, "error: cannot read `nowhere.yaml`: no such file or directory\n")
    );
    assert_eq!(ran.out, "");
    let ran = directory.oar("check empty");
    let nothing = "error: no rule, capability document or configuration to check in `empty`\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, nothing));
    let ran = directory.oar("check a.yaml b.yaml r.yaml");
    let several = "error: several capability documents, `a.yaml` and `b.yaml`: name one with \
                   `--capability`\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, several));
    assert_eq!(directory.oar("check").code, 2);
    assert_eq!(directory.oar("chekc x").code, 2);
}

#[test]
fn standard_input_is_a_file_too() {
    let directory = Directory::with(&[]);
    let ran = directory.oar_with("check - --format concise", &rule("A", "when: 1 +"));
    assert!(ran.out.starts_with("<stdin>:7:10: error[OAR-EXPR-"), "{}", ran.out);
    assert_eq!(ran.code, 1);
}

const FAULTY: &str = "oar: '1.0'\nid: A\nkind: policy\nanchor: tool.pre_invoke\neffect: stop\n---\n\
    oar: '1.0'\nid: B\nkind: policy\nanchor: tool.pre_invoke\neffect: warn\nselector: {tol: []}\n";

#[test]
fn machine_formats_are_stable_and_follow_their_schemas() {
    let directory = Directory::with(&[("capability.yaml", CAPABILITY), ("r.yaml", FAULTY)]);
    for format in ["json", "github", "sarif", "junit"] {
        let ran = directory.oar(&format!("check . --format {format}"));
        assert_eq!((ran.code, ran.err.as_str()), (1, ""));
        snapshot(&format!("check-{format}"), &ran.out);
    }
    let text = directory.oar("check . --format json").out;
    let found: serde_json::Value = serde_json::from_str(&text).expect("json");
    let schema = std::fs::read_to_string(root().join("schema/check.schema.json")).expect("schema");
    let schema = serde_json::from_str(&schema).expect("json");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<String> = validator.iter_errors(&found).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(found["packs"][0]["rules"][1]["sound"], false);
}

#[test]
fn portability_is_reported_and_is_no_fault() {
    let ran = oar(&root(), "check --portability examples", "");
    snapshot("check-portability", &ran.out);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let arguments = "check --portability examples/coding-basics/habits.yaml \
                     --capability examples/coding-basics/capability.yaml \
                     --capability examples/content-safety/capability.yaml";
    let ran = oar(&root(), arguments, "");
    snapshot("check-portability-of-hosts", &ran.out);
    let ran = oar(&root(), "check --portability examples/push.yaml", "");
    assert_eq!(ran.code, 1, "{}", ran.out);
}
