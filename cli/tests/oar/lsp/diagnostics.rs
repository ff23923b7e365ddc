//! What is told as one types is what `oar check` tells.

use std::collections::BTreeSet;
use std::fs;

use lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString};
use serde_json::{Value, json};

use super::client::{Client, position};
use crate::check::CAPABILITY;
use crate::run::Directory;
use crate::snapshot::root;

/// A rule with one member more.
pub(crate) fn rule(id: &str, rest: &str) -> String {
    format!(
        "oar: '1.0'\nid: {id}\nkind: policy\nanchor: tool.pre_invoke\neffect: block\n\
         requires: {{profiles: [tool]}}\n{rest}\n"
    )
}

/// A diagnostic in a line: everything that there is to it.
fn line(file: &str, own: &Diagnostic) -> String {
    let Some(NumberOrString::String(code)) = &own.code else { panic!("no code: {own:?}") };
    let severity = match own.severity {
        Some(DiagnosticSeverity::ERROR) => "error",
        Some(DiagnosticSeverity::WARNING) => "warning",
        _ => "?",
    };
    let (start, end) = (own.range.start, own.range.end);
    format!(
        "{file}:{}:{}-{}:{} {severity}[{code}] {}",
        start.line, start.character, end.line, end.character, own.message
    )
}

/// The diagnostics that `oar check` writes for programs, as the protocol would have them.
fn checked(directory: &Directory, arguments: &str) -> BTreeSet<String> {
    let ran = directory.oar(&format!("check {arguments} --format json"));
    let report: Value = serde_json::from_str(&ran.out).expect("a report");
    let mut all = BTreeSet::new();
    for own in report["diagnostics"].as_array().expect("a list") {
        let Some(file) = own["file"].as_str() else { continue };
        let text = fs::read_to_string(directory.path().join(file)).expect("a file");
        let byte = |end: &str| own["span"][end].as_u64().expect("a byte") as usize;
        let meant = text[byte("start")..byte("end")].trim_end_matches([' ', '\t', '\n', '\r']);
        let end = if meant.is_empty() { byte("end") } else { byte("start") + meant.len() };
        let at = |offset: usize| {
            let position = position(&text, offset);
            format!("{}:{}", position["line"], position["character"])
        };
        let word = |member: &str| own[member].as_str().unwrap_or_default();
        let help = own["help"].as_str().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        all.insert(format!(
            "{file}:{}-{} {}[{}] {}{help}",
            at(byte("start")),
            at(end),
            word("severity"),
            word("code"),
            word("message"),
        ));
    }
    all
}

/// Opens every document of a directory and holds what is told against `oar check`.
fn assert_alike(directory: &Directory, arguments: &str) -> usize {
    let options: &[&str] = if arguments.contains("--lint") { &["--lint"] } else { &[] };
    let wanted = checked(directory, arguments);
    let mut client = Client::start(directory.path(), options);
    let mut names = Vec::new();
    let mut left = vec![directory.path().to_owned()];
    while let Some(path) = left.pop() {
        for entry in fs::read_dir(path).expect("readable") {
            let path = entry.expect("readable").path();
            let name = path.strip_prefix(directory.path()).expect("below").to_owned();
            match path.is_dir() {
                true => left.push(path),
                false if !name.to_string_lossy().contains(".test.") => names.push(name),
                false => {}
            }
        }
    }
    let mut told = BTreeSet::new();
    for name in &names {
        let name = name.to_str().expect("text");
        client.open(name, &directory.read(name));
    }
    for name in &names {
        let name = name.to_str().expect("text");
        told.extend(client.diagnostics(name).iter().map(|own| line(name, own)));
    }
    let missing: Vec<_> = wanted.difference(&told).collect();
    let more: Vec<_> = told.difference(&wanted).collect();
    assert!(missing.is_empty() && more.is_empty(), "missing {missing:#?}\nmore {more:#?}");
    assert_eq!(client.end(), 0);
    told.len()
}

#[test]
fn the_wrong_example_of_every_clause_is_told_as_check_tells_it() {
    let directory = Directory::with(&[]);
    for (clause, files) in crate::clauses::wrong_packs() {
        for (name, text) in files {
            directory.write(&format!("{clause}/{name}"), &text);
        }
    }
    let told = assert_alike(&directory, ".");
    assert!(told >= 60, "{told}");
}

#[test]
fn the_examples_are_told_as_check_tells_them() {
    let directory = Directory::with(&[]);
    let mut left = vec![root().join("examples")];
    while let Some(path) = left.pop() {
        for entry in fs::read_dir(path).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|own| own == "yaml") {
                let name = path.strip_prefix(root()).expect("below").display().to_string();
                directory.write(&name, &fs::read_to_string(path).expect("text"));
            }
        }
    }
    let broken = directory.read("examples/coding-basics/shell.yaml");
    let broken = broken.replace("[tool]", "[tol]").replace("effect: block", "effect: blok");
    directory.write("examples/coding-basics/shell.yaml", &broken);
    assert!(assert_alike(&directory, ".") > 4);
}

#[test]
fn what_lints_find_is_told_when_it_is_asked_for() {
    let directory = Directory::with(&[
        ("capability.yaml", CAPABILITY),
        (
            "rules.yaml",
            &rule("A", "when: tool == 'a' && tool == 'b'\non_fire: [increment_breaker]"),
        ),
        (
            "more.json",
            r#"{"oar": "1.0", "id": "B", "kind": "policy", "anchor": "model.output",
            "requires": {"profiles": ["tool"]}, "selector": {"tool": []}, "effect": "warn"}"#,
        ),
    ]);
    assert_eq!(assert_alike(&directory, "."), 1);
    assert!(assert_alike(&directory, "--lint .") >= 3);
    // By an option of the client, too.
    let more = json!({"initializationOptions": {"lint": true}});
    let mut client = Client::with(directory.path(), &[], more);
    client.open("rules.yaml", &directory.read("rules.yaml"));
    assert_eq!(client.diagnostics("rules.yaml").len(), 2);
    client
        .notify("workspace/didChangeConfiguration", json!({"settings": {"oar": {"lint": false}}}));
    client.change("rules.yaml", &[(Value::Null, &directory.read("rules.yaml"))]);
    assert_eq!(client.diagnostics("rules.yaml").len(), 0);
}

#[test]
fn files_that_belong_to_no_pack_are_held_against_every_host() {
    let directory = Directory::with(&[
        ("a.yaml", &rule("A", "overrides: [B, C]\nwhen: tol == 'a'")),
        (
            "deep/b.json",
            r#"{"oar": "1.0", "id": "B", "kind": "policy", "anchor": "no",
            "effect": "warn", "mandatory": "yes"}"#,
        ),
        ("other.yaml", "services: {a: b}\n"),
    ]);
    assert_alike(&directory, ".");
}

/// Columns count UTF-16 units, or bytes where that was agreed upon; characters that a person sees
/// as one may be several.
#[test]
fn places_are_right_behind_characters_of_every_width() {
    let text = rule("A", "when: tool == '😀é\u{301}ä字' && tol == '𝄞'");
    let directory = Directory::with(&[("capability.yaml", CAPABILITY), ("rules.yaml", &text)]);
    assert_eq!(assert_alike(&directory, "."), 1);
    for (offered, wanted) in [
        (json!(["utf-8", "utf-16"]), "utf-8"),
        (json!(["utf-32", "utf-16", "utf-8"]), "utf-16"),
        (json!(["utf-32"]), "utf-16"),
        (json!("nonsense"), "utf-16"),
    ] {
        let general = json!({"capabilities": {"general": {"positionEncodings": offered}}});
        let mut client = Client::with(directory.path(), &[], general);
        assert_eq!(client.capabilities["positionEncoding"], wanted);
        client.open("rules.yaml", &text);
        let range = client.diagnostics("rules.yaml")[0].range;
        let line = text.lines().nth(range.start.line as usize).expect("a line");
        let slice = match wanted {
            "utf-8" => line.as_bytes()
                [range.start.character as usize..range.end.character as usize]
                .to_vec(),
            _ => {
                let units: Vec<u16> = line.encode_utf16().collect();
                let units = &units[range.start.character as usize..range.end.character as usize];
                String::from_utf16(units).expect("whole characters").into_bytes()
            }
        };
        assert_eq!(slice, b"tol");
    }
}

#[test]
fn what_is_open_wins_over_the_disk() {
    let directory = Directory::with(&[
        ("pack/capability.yaml", CAPABILITY),
        ("pack/a.yaml", &rule("A", "overrides: [B]")),
        ("pack/deep/b.yaml", &rule("C", "")),
        ("pack/config.yaml", "oar_config: '1.0'\ndisable: [B]\n"),
    ]);
    let mut client = Client::start(directory.path(), &[]);
    let codes = |all: &[Diagnostic]| -> Vec<String> {
        all.iter()
            .map(|own| match &own.code {
                Some(NumberOrString::String(code)) => code.clone(),
                _ => String::new(),
            })
            .collect()
    };
    client.open("pack/a.yaml", &directory.read("pack/a.yaml"));
    assert_eq!(codes(&client.diagnostics("pack/a.yaml")), ["OAR-EVAL-13"]);
    // A file of the pack that is not open is told of, too.
    client.until("pack/config.yaml", |own| codes(own) == ["OAR-CFG-4"]);
    // Another file is given the rule that is referred to, and is not saved.
    client.open("pack/deep/b.yaml", &rule("B", ""));
    assert_eq!(codes(&client.diagnostics("pack/deep/b.yaml")), [""; 0]);
    assert_eq!(codes(&client.diagnostics("pack/a.yaml")), [""; 0]);
    client.until("pack/config.yaml", |own| codes(own) == [""; 0]);
    // The host has the profile no more.
    client.open("pack/capability.yaml", &CAPABILITY.replace("profiles: [tool]", "profiles: []"));
    client.diagnostics("pack/capability.yaml");
    client.until("pack/a.yaml", |own| codes(own) == ["OAR-FACT-19"]);
    client.close("pack/capability.yaml");
    // What is on the disk counts again once nothing is open in its place.
    client.close("pack/deep/b.yaml");
    client.change("pack/a.yaml", &[(Value::Null, &directory.read("pack/a.yaml"))]);
    assert_eq!(codes(&client.diagnostics("pack/a.yaml")), ["OAR-EVAL-13"]);
    // A change on the disk.
    directory.write("pack/deep/b.yaml", &rule("B", ""));
    let uri = client.uri("pack/deep/b.yaml");
    let changes = json!({"changes": [{"uri": uri, "type": 2}]});
    client.notify("workspace/didChangeWatchedFiles", changes);
    client.until("pack/a.yaml", |own| codes(own) == [""; 0]);
    // A new file that the disk does not have.
    client.open("pack/new.yaml", &rule("B", ""));
    client.until("pack/deep/b.yaml", |own| codes(own) == ["OAR-DOC-9"]);
    assert_eq!(client.end(), 0);
}

#[test]
fn documents_without_a_file_and_of_others_are_served() {
    let directory = Directory::with(&[]);
    let mut client = Client::start(directory.path(), &[]);
    client.open_as("untitled:Untitled-1", "yaml", &rule("A", "when: tol == ''"));
    assert_eq!(client.diagnostics_of("untitled:Untitled-1").len(), 1);
    client.open_as("untitled:Untitled-2", "json", "{\"oar\": \"1.0\",}");
    assert_eq!(client.diagnostics_of("untitled:Untitled-2").len(), 1);
    client.open("compose.yaml", "services:\n  web: {image: x}\n");
    assert_eq!(client.diagnostics("compose.yaml").len(), 0);
    // It stays a file of others while it is broken.
    client.change("compose.yaml", &[(Value::Null, "services: [\n")]);
    assert_eq!(client.diagnostics("compose.yaml").len(), 0);
    client.open("a.test.yaml", "oar_test: 1\n");
    assert_eq!(client.diagnostics("a.test.yaml").len(), 0);
    assert_eq!(client.end(), 0);
}

#[test]
fn two_hosts_in_one_pack_are_told() {
    let directory = Directory::with(&[
        ("capability.yaml", CAPABILITY),
        ("other.yaml", CAPABILITY),
        ("rules.yaml", &rule("A", "")),
    ]);
    let mut client = Client::start(directory.path(), &[]);
    client.open("rules.yaml", &directory.read("rules.yaml"));
    let wanted = "several capability documents in one pack: `capability.yaml` and `other.yaml`";
    client.until("capability.yaml", |own| own.iter().any(|one| one.message == wanted));
    // The other one becomes something else as it is typed.
    client.open("other.yaml", "services: {}\n");
    client.until("capability.yaml", <[_]>::is_empty);
    assert_eq!(client.end(), 0);
}

#[test]
fn rules_without_a_host_are_held_against_the_one_that_is_named() {
    let directory = Directory::with(&[
        ("hosts/acme.yaml", CAPABILITY),
        ("rules/a.yaml", &rule("A", "x-a: 1").replace("tool.pre_invoke", "model.input")),
    ]);
    let inside = directory.path().join("rules");
    let option = json!({"initializationOptions": {"capability": "../hosts/acme.yaml"}});
    let text = directory.read("rules/a.yaml");
    for (arguments, more, faults) in [
        (vec![], json!({}), 0),
        (vec!["--capability", "../hosts/acme.yaml"], json!({}), 1),
        (vec![], option, 1),
        (vec!["--capability", "nowhere.yaml"], json!({}), 0),
    ] {
        let mut client = Client::with(&inside, &arguments, more);
        client.open("a.yaml", &text);
        assert_eq!(client.diagnostics("a.yaml").len(), faults, "{arguments:?}");
        assert_eq!(client.end(), 0);
    }
}

/// What would block or drown the server is passed over.
#[cfg(unix)]
#[test]
fn what_is_no_file_in_a_pack_is_left_aside() {
    let directory = Directory::with(&[
        ("pack/capability.yaml", CAPABILITY),
        ("pack/rules.yaml", &rule("A", "when: tol == ''")),
        ("pack/closed/rules.yaml", &rule("B", "")),
    ]);
    let pipe = directory.path().join("pack/pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    std::os::unix::fs::symlink("/nowhere", directory.path().join("pack/gone.yaml"))
        .expect("a link");
    let mut client = Client::start(directory.path(), &[]);
    client.open("pack/rules.yaml", &directory.read("pack/rules.yaml"));
    assert_eq!(client.diagnostics("pack/rules.yaml").len(), 1);
    assert_eq!(client.end(), 0);
}

#[test]
fn huge_documents_are_bounded_as_check_bounds_them() {
    let directory = Directory::with(&[("capability.yaml", CAPABILITY)]);
    let long = format!("oar: '1.0'\nid: {}\n", "x".repeat(17 << 20));
    let deep = format!("{{\"oar\": {}", "[".repeat(100_000));
    let faulty = rule("A", "when: tol == ''") + "---\n";
    directory.write("many.yaml", &faulty.repeat(2000));
    let mut client = Client::start(directory.path(), &[]);
    client.open("long.yaml", &long);
    client.open("deep.json", &deep);
    let codes = |own: &Diagnostic| own.code == Some(NumberOrString::String("limit".to_owned()));
    assert!(client.diagnostics("long.yaml").iter().all(codes));
    assert_eq!(client.diagnostics("long.yaml").len(), 1);
    assert!(client.diagnostics("deep.json").iter().any(codes));
    client.close("long.yaml");
    client.close("deep.json");
    let one =
        r#"{"oar": "1.0", "id": "é", "kind": "policy", "anchor": "model.output", "effect": "😀"}"#;
    let line = format!("[{}]", vec![one; 20_000].join(","));
    client.open("line.json", &line);
    assert_eq!(client.diagnostics("line.json").len(), 500);
    client.close("line.json");
    client.open("many.yaml", &directory.read("many.yaml"));
    assert_eq!(client.diagnostics("many.yaml").len(), 500);
    assert_eq!(client.end(), 0);
}
