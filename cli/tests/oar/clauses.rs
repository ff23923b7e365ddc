//! The examples of `--explain`: the right ones load, the wrong ones are refused under their
//! clause; and the full rendering of what is said of each wrong one.

use std::collections::BTreeMap;

use oar_engine::Source;
use oar_engine::diagnostic::{Diagnostic, render};
use oar_engine::document::source::{Format, Node, ReadLimits, SourceFile, read};
use oar_engine::load::Checker;

use crate::run::{Directory, oar};
use crate::snapshot::{root, snapshot};

const RULE: &str = r#"oar: "1.0"
id: RULE
kind: policy
anchor: tool.pre_invoke
effect: block
requires: {profiles: [tool]}
"#;

const CAPABILITY: &str = r#"oar_capability_version: "1.0"
host: acme
anchors: {core: {tool.pre_invoke: tool.pre_invoke, model.output: model.output}, unsupported: [tool.handler, tool.post_invoke, agent.post_turn, agent.finalize, model.input, model.tool_result], host: [acme.moment]}
profiles: [tool, session]
activity_window: 4
detectors: ["detector://fixture"]
expression_nodes_max: 256
supports_transform: true
host_facts: [{name: acme.tier, type: string}]
"#;

/// The documents of `fragment`, each with the members of `base` that it does not give itself.
fn filled(fragment: &str, base: &str) -> String {
    let member = |line: &str| {
        let line = line.strip_prefix("# without ").unwrap_or(line);
        line.split(':').next().unwrap_or_default().to_owned()
    };
    let mut documents = Vec::new();
    for part in format!("\n{fragment}").split("\n---\n") {
        let own: Vec<String> = part.lines().map(member).collect();
        let is_rule = part
            .lines()
            .any(|line| line.contains(": ") || line.ends_with(':') || line.starts_with('#'));
        let rest = base.lines().filter(|line| is_rule && !own.contains(&member(line)));
        let rest: Vec<&str> = rest.collect();
        documents.push(format!(
            "{}\n{}\n",
            part.trim_start_matches('\n').trim_end(),
            rest.join("\n")
        ));
    }
    documents.join("---\n")
}

/// The wrong example of each clause, as the files of a pack.
pub(crate) fn wrong_packs() -> Vec<(String, Vec<(&'static str, String)>)> {
    let mut packs = Vec::new();
    for (clause, example) in examples() {
        let text = |member: &str| example.get(member).and_then(Node::as_str);
        let kind = text("in").unwrap_or_default();
        let wrong = text("wrong").unwrap_or_default();
        let capability = match kind {
            "capability" => filled(wrong, CAPABILITY),
            _ => CAPABILITY.to_owned(),
        };
        let mut files = vec![("capability.yaml", capability)];
        match kind {
            "rule" => files.push(("rules.yaml", filled(wrong, RULE))),
            "config" => {
                let rules = "id: RULE\n---\nid: MANDATORY_RULE\nmandatory: true";
                files.push(("rules.yaml", filled(rules, RULE)));
                files.push(("config.yaml", filled(wrong, "oar_config: \"1.0\"\n")));
            }
            _ => files.extend(text("rule").map(|rule| ("rules.yaml", filled(rule, RULE)))),
        }
        packs.push((clause, files));
    }
    packs
}

fn found(kind: &str, fragment: &str, rule: Option<&str>) -> Vec<Diagnostic> {
    let capability = match kind {
        "capability" => filled(fragment, CAPABILITY),
        _ => CAPABILITY.to_owned(),
    };
    let checker = Checker::new().capability(Source::yaml("capability.yaml", capability));
    let checker = match (kind, rule) {
        ("rule", _) => checker.rules(Source::yaml("rules.yaml", filled(fragment, RULE))),
        ("capability", None) => checker,
        (_, Some(rule)) => checker.rules(Source::yaml("rules.yaml", filled(rule, RULE))),
        _ => {
            let rules = filled("id: RULE\n---\nid: MANDATORY_RULE\nmandatory: true", RULE);
            let config = filled(fragment, "oar_config: \"1.0\"\n");
            checker
                .rules(Source::yaml("rules.yaml", rules))
                .config(Source::yaml("config.yaml", config))
        }
    };
    checker.check().diagnostics().to_vec()
}

fn examples() -> BTreeMap<String, Node> {
    let path = root().join("cli/src/clause/examples.yaml");
    let text = std::fs::read_to_string(path).expect("a file");
    let reading = read(&SourceFile::new("examples", text, Format::Yaml), &ReadLimits::default());
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    let examples = reading.documents[0].root.get("examples").expect("examples").as_object();
    let examples = examples.expect("an object").iter();
    examples.map(|member| (member.name.to_string(), member.node.clone())).collect()
}

#[test]
fn right_examples_load_and_wrong_ones_are_refused_under_their_clause() {
    let mut faults = Vec::new();
    let mut renderings = String::new();
    for (clause, example) in examples() {
        let text = |member: &str| example.get(member).and_then(Node::as_str);
        let kind = text("in").expect("a kind");
        let right = found(kind, text("right").expect("right"), text("rule"));
        if !right.is_empty() {
            faults.push(format!("{clause}: the right one: {:?}", right[0].to_string()));
        }
        let wrong = found(kind, text("wrong").expect("wrong"), text("rule"));
        if !wrong.iter().any(|diagnostic| diagnostic.code() == clause) {
            let codes: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            faults.push(format!("{clause}: the wrong one: {codes:?}"));
        }
        for diagnostic in &wrong {
            renderings += &format!("{}\n", render::full(diagnostic));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    snapshot("diagnostics-of-clauses", &renderings);
    assert!(renderings.matches("error[").count() >= 60, "at least 60 are held");
}

/// Every clause that the engine names in a diagnostic has an example or a reason to have none.
#[test]
fn every_clause_that_is_named_has_an_example() {
    let mut named = std::collections::BTreeSet::new();
    let mut left = vec![
        root().join("engine/src/load"),
        root().join("engine/src/document"),
        root().join("expr/src/error.rs"),
    ];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                std::fs::read_dir(&path).expect("readable").map(|e| e.expect("readable").path()),
            );
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        if path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs") {
            continue;
        }
        named.extend(text.split("\"OAR-").skip(1).filter_map(|rest| {
            let id = rest.split('"').next()?;
            let (area, number) = id.split_once('-')?;
            let fits = area.bytes().all(|b| b.is_ascii_uppercase())
                && number.bytes().all(|b| b.is_ascii_digit());
            fits.then(|| format!("OAR-{id}"))
        }));
    }
    // What happens to values has no document to show.
    let without = [
        "OAR-EXPR-14",
        "OAR-EXPR-15",
        "OAR-FACT-26",
        "OAR-OPS-3",
        "OAR-OPS-19",
        "OAR-FIRE-9",
        "OAR-CFG-8",
    ];
    let examples = examples();
    let missing: Vec<&String> = named
        .iter()
        .filter(|clause| !examples.contains_key(*clause) && !without.contains(&clause.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(named.len() > 60, "{}", named.len());
}

#[test]
fn a_clause_is_explained_with_its_examples() {
    let ran = oar(&root(), "check --explain OAR-EXPR-11", "");
    snapshot("clause-explained", &ran.out);
    assert_eq!(ran.code, 0);
    assert_eq!(oar(&root(), "check --explain expr-11", "").out, ran.out);
    let ran = oar(&root(), "check --explain OAR-EVAL-99", "");
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("error: the standard has no clause `OAR-EVAL-99`"), "{}", ran.err);
    let ran = oar(&root(), "check --explain OAR-OPS-3", "");
    assert!(ran.out.starts_with("OAR-OPS-3 (section "), "{}", ran.out);
}

/// Faults of reading, which have no clause or share one, in full.
#[test]
fn faults_of_reading_are_shown_in_full() {
    let texts = [
        ("json-comma", "r.json", "{\"oar\": \"1.0\",}"),
        ("json-comment", "r.json", "// rules\n{\"oar\": \"1.0\"}"),
        ("json-quote", "r.json", "{'oar': \"1.0\"}"),
        ("json-number", "r.json", "{\"oar\": 01}"),
        ("json-string", "r.json", "{\"oar\": \"1.0\n\"}"),
        ("json-end", "r.json", "{\"oar\": \"1.0\""),
        ("json-twice", "r.json", "{\"oar\": \"1.0\", \"oar\": \"1.0\"}"),
        ("json-surrogate", "r.json", "{\"oar\": \"\\ud800\"}"),
        ("yaml-tab", "r.yaml", "oar: '1.0'\n\tid: R\n"),
        ("yaml-tag", "r.yaml", "oar: !!str 1.0\n"),
        ("yaml-key", "r.yaml", "oar: '1.0'\n1: x\n"),
        ("yaml-infinite", "r.yaml", "oar: .inf\n"),
        ("yaml-alias", "r.yaml", "oar: *version\n"),
        ("yaml-quote", "r.yaml", "oar: '1.0\n"),
        ("yaml-empty", "r.yaml", "oar: '1.0'\n---\n---\noar: '1.0'\n"),
        ("yaml-colon", "r.yaml", "when: a ? b : c: d\n"),
    ];
    let mut renderings = String::new();
    for (name, file, text) in texts {
        let directory = Directory::with(&[(file, text)]);
        let ran = directory.oar(&format!("check {file}"));
        assert_eq!(ran.code, 1, "{name}: {}", ran.out);
        let diagnostics = ran.out.split("\nbad: ").next().unwrap_or_default();
        renderings += &format!("# {name}\n{diagnostics}\n");
    }
    snapshot("diagnostics-of-reading", &renderings);
}

/// Syntax errors of conditions beyond the one example that each clause has.
#[test]
fn faults_of_conditions_are_shown_in_full() {
    let conditions = [
        "",
        "tool == ",
        "(tool == \"a\"",
        "tool == \"a\")",
        "tool & tool",
        "tool == 'a",
        "!!true",
        "tool == \"a\" tool",
        "1e5 > 0.0",
        "0x10 > 0",
        "1u > 0",
        ".5 > 0.0",
        "tool == null",
        "size tool",
        "size(tool",
        "if (true)",
        "tool == \"\\ud800\"",
        "fire_count_of(tool) > 0",
        "[] == []",
        "tool in [1, 2]",
        "tool in [\"a\", 1]",
        "tool[0] == \"a\"",
        "!tool == \"a\"",
        "-tool == 1",
        "tool ? true : false",
        "true ? 1 : \"a\"",
        "matches(tool, \"a\")",
        "tool_args.path == \"a\"",
        "tool(\"a\") == \"a\"",
        "tool_arg_string == \"a\"",
        "size == 1",
        "1 / 0",
        "fire_count",
        "tool == @",
        "a < b < c",
        "1e400 > 0.0",
        "tool ~= \"a\"",
    ];
    let mut renderings = String::new();
    for condition in conditions {
        let fragment = format!("when: {}", serde_json::Value::from(condition));
        let found = found("rule", &fragment, None);
        assert!(!found.is_empty(), "{condition} loads");
        for diagnostic in &found {
            renderings += &format!("{}\n", render::full(diagnostic));
        }
    }
    snapshot("diagnostics-of-conditions", &renderings);
}
