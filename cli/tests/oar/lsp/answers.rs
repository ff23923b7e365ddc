//! Hover, completion, definitions and quick fixes.

use lsp_types::{CodeActionOrCommand, CompletionItem, CompletionTextEdit, Diagnostic, TextEdit};
use serde_json::{Value, json};

use super::client::{Client, position};
use super::diagnostics::rule;
use crate::check::CAPABILITY;
use crate::run::Directory;

/// A host with every profile, and rules to refer to.
fn pack() -> Directory {
    let capability = CAPABILITY
        .replace("profiles: [tool]", "profiles: [tool, session, content]")
        .replace("type: string}", "type: string, observation: The contract of the tenant.}");
    let other = rule("OTHER", "namespace: acme.rules\ncopy: {what: The other one.}");
    Directory::with(&[
        ("capability.yaml", &capability),
        ("other.yaml", &other),
        (
            "third.json",
            r#"{"oar": "1.0", "id": "THIRD", "kind": "schema", "effect": "allow",
            "anchor": "tool.pre_invoke", "on_fire": ["increment_counter"]}"#,
        ),
    ])
}

/// A rule of the namespace of the pack, for the middle of a document.
fn own(rest: &str) -> String {
    rule("OWN", &format!("namespace: acme.rules\n{rest}"))
}

fn hovered(client: &mut Client, name: &str, marked: &str) -> String {
    let told = client.at("hover", name, marked);
    told["contents"]["value"].as_str().unwrap_or("nothing").to_owned()
}

#[test]
fn hover_tells_what_is_meant() {
    let directory = pack();
    let mut client = Client::start(directory.path(), &[]);
    for (marked, wanted) in [
        ("when: to¦ol == 'a'", "**`tool`** `string`, profile `tool`"),
        ("when: tool == 'a' && tool_arg_int¦('x') > 1", "`(string) -> int`"),
        ("when: acme.tier¦ == ''\nx-a: 1", "`string`, host `acme`\n\nThe contract of the tenant."),
        ("when: \"'\\u00e4' == acme.¦tier\"", "The contract of the tenant."),
        ("when: >-\n  tool == 'a'\n  && si¦ze(tool) > 1", "of the condition language"),
        ("when: fire_count_of('OT¦HER') > 1", "**`acme.rules/OTHER`** policy, block"),
        ("when: fire_count¦_of('OTHER') > 1", "`(string) -> int`, core tier"),
        ("whe¦n: tool == 'a'", "OAR-DOC-14: "),
        ("enforcem¦ent: monitor", "Left out, it is `enforce`."),
        ("enforcement: mon¦itor", "It is evaluated and recorded, and does nothing."),
        ("on_er¦ror: fail_open", "OAR-DOC-18: "),
        ("on_error: OTH¦ER", "The other one."),
        ("overrides: [OTH¦ER]", "The other one."),
        ("overrides: [OTH¦ER]", "**`overrides`** The rules that this one silences"),
        ("x-a¦: 1", "An extension of an implementation"),
        ("unkn¦own: 1", "nothing"),
        ("on_fire: [publ¦ish_event]", "event stream"),
        ("selector: {to¦ol: [a]}", "**`tool`** `string`"),
        ("copy: {what: 'no {{ to¦ol }}'}", "**`tool`** `string`"),
        ("copy: {wh¦at: x}", "What happened."),
        ("counter_scope: to¦ol", "**`tool`** `string`"),
        // Half typed.
        ("overrides: [\nwhen: to¦ol ==", "nothing"),
        ("when: to¦ol == '\nselector: {", "**`tool`** `string`"),
    ] {
        let told = hovered(&mut client, "own.yaml", &own(marked));
        assert!(told.contains(wanted), "{marked}: {told}");
    }
    let whole = own("").replace("tool.pre_invoke", "tool.pre¦_invoke");
    assert!(hovered(&mut client, "own.yaml", &whole).contains("A tool call is about to be sent"));
    let whole = own("").replace("effect: block", "effect: bl¦ock");
    assert!(hovered(&mut client, "own.yaml", &whole).contains("OAR-DOC-11"));
    let whole = own("").replace("[tool]", "[to¦ol]");
    assert!(hovered(&mut client, "own.yaml", &whole).contains("`tool_arg_string`"));
    let config = "oar_config: '1.0'\nenforcement: {acme.rules/OT¦HER: monitor}\n";
    assert!(hovered(&mut client, "config.yaml", config).contains("The other one."));
    let json = "[{\"oar\": \"1.0\", \"when\": \"'\\u00e4\\n' == to¦ol\"}]";
    assert!(hovered(&mut client, "own.json", json).contains("**`tool`** `string`"));
    // The range is that of the whole word.
    let told = client.at(
        "hover",
        "own.yaml",
        &own("x-😀: 1").replace("mandat", "").replace("kind", "ki¦nd"),
    );
    assert_eq!(
        told["range"],
        json!({
            "start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 4},
        })
    );
    assert_eq!(client.end(), 0);
}

fn completed(client: &mut Client, name: &str, marked: &str) -> Vec<CompletionItem> {
    let told = client.at("completion", name, marked);
    if told.is_null() { Vec::new() } else { serde_json::from_value(told).expect("items") }
}

/// The text once the choice of a label is taken.
fn taken(client: &mut Client, name: &str, marked: &str, label: &str) -> String {
    let items = completed(client, name, marked);
    let labels: Vec<&str> = items.iter().map(|item| item.label.as_str()).collect();
    let item = items.iter().find(|item| item.label == label);
    let item = item.unwrap_or_else(|| panic!("{marked}: no `{label}` in {labels:?}"));
    let Some(CompletionTextEdit::Edit(edit)) = &item.text_edit else { panic!("an edit") };
    let mut edits = vec![edit.clone()];
    edits.extend(item.additional_text_edits.iter().flatten().cloned());
    edited(&marked.replacen('¦', "", 1), &edits)
}

/// A text with edits made, none of which meets another.
fn edited(text: &str, edits: &[TextEdit]) -> String {
    let offset = |wanted: &lsp_types::Position| {
        let wanted = json!(wanted);
        (0..=text.len())
            .filter(|at| text.is_char_boundary(*at))
            .find(|at| position(text, *at) == wanted)
            .expect("a place")
    };
    let mut edits: Vec<_> = edits
        .iter()
        .map(|edit| (offset(&edit.range.start), offset(&edit.range.end), &edit.new_text))
        .collect();
    edits.sort();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}

#[test]
fn completion_offers_what_can_stand_there() {
    let directory = pack();
    let mut client = Client::start(directory.path(), &[]);
    for (marked, label, wanted) in [
        ("man¦", "mandatory", "mandatory: "),
        ("enforcement: m¦", "monitor", "enforcement: monitor"),
        ("enforcement: ¦", "off", "enforcement: \"off\""),
        ("when: to¦", "tool", "when: tool"),
        ("when: tool == 'a' && acme.t¦", "acme.tier", "when: tool == 'a' && acme.tier"),
        ("when: size(tool_¦", "tool_args", "when: size(tool_args"),
        ("when: st¦", "starts_with", "when: starts_with"),
        ("when: \"tool == 'a' || ¦", "tool", "when: \"tool == 'a' || tool"),
        ("when: >-\n  tool == 'a'\n  && to¦", "tool", "when: >-\n  tool == 'a'\n  && tool"),
        ("when: fire_count_of(\"¦", "OTHER", "when: fire_count_of(\"OTHER"),
        ("when: fire_count_of('TH¦')", "THIRD", "when: fire_count_of('THIRD')"),
        ("overrides: [¦", "OTHER", "overrides: [OTHER"),
        ("overrides:\n  - OT¦", "OTHER", "overrides:\n  - OTHER"),
        ("on_error: ¦", "OTHER", "on_error: OTHER"),
        ("on_error: fail¦", "fail_open", "on_error: fail_open"),
        ("on_fire: [inc¦]", "increment_breaker", "on_fire: [increment_breaker]"),
        ("selector: {to¦", "tool", "selector: {tool: "),
        ("selector: {to¦: [a]}", "tool", "selector: {tool: [a]}"),
        ("counter_scope: ¦", "tool", "counter_scope: tool"),
        ("copy:\n  wh¦", "what", "copy:\n  what: "),
        ("copy: {what: 'no {{ to¦'}", "tool", "copy: {what: 'no {{ tool'}"),
        ("detector: {ref: ¦", "detector://noop", "detector: {ref: \"detector://noop\""),
        ("transform:\n  target: ¦", "content", "transform:\n  target: content"),
    ] {
        let text = taken(&mut client, "own.yaml", &own(marked), label);
        assert_eq!(text, own(wanted), "{marked}");
    }
    for (from, marked, label, wanted) in [
        ("anchor: tool.pre_invoke", "anchor: mod¦", "model.output", "anchor: model.output"),
        ("effect: block", "effect: ¦", "nudge", "effect: nudge"),
        ("kind: policy", "ki¦", "kind", "kind: "),
        ("kind: policy", "ki¦nd: policy", "kind", "kindnd: policy"),
        ("[tool]", "[tool, se¦]", "session", "[tool, session]"),
        ("[tool]", "[tool, ¦", "content", "[tool, content"),
    ] {
        let text = taken(&mut client, "own.yaml", &own("").replace(from, marked), label);
        assert_eq!(text, own("").replace(from, wanted), "{marked}");
    }
    // What the host does not have is not offered; what is there is not offered again.
    let labels = |client: &mut Client, marked: &str| -> Vec<String> {
        completed(client, "own.yaml", marked).into_iter().map(|item| item.label).collect()
    };
    let anchors = labels(&mut client, &own("").replace("anchor: tool.pre_invoke", "anchor: ¦"));
    assert_eq!(anchors, ["tool.pre_invoke", "model.output"]);
    let profiles = labels(&mut client, &own("").replace("[tool]", "[¦]"));
    assert_eq!(profiles, ["tool", "session", "content"]);
    let members = labels(&mut client, &own("¦"));
    assert!(members.contains(&"when".to_owned()) && !members.contains(&"id".to_owned()));
    let first = labels(&mut client, "id: A\nkind: policy\nan¦");
    assert_eq!(first[..3], ["oar", "anchor", "effect"], "what must be there comes first");
    assert_eq!(labels(&mut client, &own("when: tool == 'to¦'")), [""; 0]);
    // An empty file may become anything.
    let members = labels(&mut client, "¦");
    for name in ["oar", "oar_config", "oar_capability_version"] {
        assert!(members.contains(&name.to_owned()), "{members:?}");
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn completion_brings_the_profile_that_a_fact_needs() {
    let directory = pack();
    let mut client = Client::start(directory.path(), &[]);
    let text = taken(&mut client, "own.yaml", &own("when: session_p¦"), "session_posture");
    assert_eq!(text, own("when: session_posture").replace("[tool]", "[tool, session]"));
    let block = own("when: session_p¦").replace("{profiles: [tool]}", "\n  profiles:\n    - tool");
    let text = taken(&mut client, "own.yaml", &block, "session_posture");
    assert!(text.contains("  profiles:\n    - tool\n    - session\n"), "{text}");
    let none = own("when: session_p¦").replace("requires: {profiles: [tool]}\n", "");
    let text = taken(&mut client, "own.yaml", &none, "session_posture");
    assert!(text.contains("\nrequires: {profiles: [session]}\nwhen: session_posture"), "{text}");
    assert_eq!(client.end(), 0);
}

#[test]
fn completion_writes_json_in_json() {
    let directory = pack();
    let mut client = Client::start(directory.path(), &[]);
    for (marked, label, wanted) in [
        (r#"{"oar": "1.0", ¦}"#, "kind", r#"{"oar": "1.0", "kind": }"#),
        (r#"{"oar": "1.0", "ki¦""#, "kind", r#"{"oar": "1.0", "kind""#),
        (r#"{"oar": "1.0", "kind": ¦}"#, "policy", r#"{"oar": "1.0", "kind": "policy"}"#),
        (r#"{"oar": "1.0", "kind": "po¦"}"#, "policy", r#"{"oar": "1.0", "kind": "policy"}"#),
        (
            r#"{"oar": "1.0", "when": "to¦"}"#,
            "tool",
            r#"{"oar": "1.0", "requires": {"profiles": ["tool"]}, "when": "tool"}"#,
        ),
        (r#"{"oar": "1.0", "mandatory": ¦"#, "true", r#"{"oar": "1.0", "mandatory": true"#),
        (
            r#"[{"oar": "1.0", "overrides": ["¦"#,
            "acme.rules/OTHER",
            r#"[{"oar": "1.0", "overrides": ["acme.rules/OTHER"#,
        ),
        (
            r#"{"oar": "1.0", "when": "fire_count_of(\"¦"#,
            "THIRD",
            r#"{"oar": "1.0", "when": "fire_count_of(\"THIRD"#,
        ),
    ] {
        assert_eq!(taken(&mut client, "own.json", marked, label), wanted);
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn completion_knows_hosts_and_configurations() {
    let directory = pack();
    let mut client = Client::start(directory.path(), &[]);
    for (marked, label, wanted) in [
        ("oar_config: '1.0'\ndis¦", "disable", "oar_config: '1.0'\ndisable: "),
        ("oar_config: '1.0'\ndisable: [¦", "THIRD", "oar_config: '1.0'\ndisable: [THIRD"),
        (
            "oar_config: '1.0'\nenforcement:\n  acme¦",
            "acme.rules/OTHER",
            "oar_config: '1.0'\nenforcement:\n  acme.rules/OTHER: ",
        ),
        (
            "oar_config: '1.0'\nenforcement: {THIRD: m¦",
            "monitor",
            "oar_config: '1.0'\nenforcement: {THIRD: monitor",
        ),
    ] {
        assert_eq!(taken(&mut client, "config.yaml", marked, label), wanted);
    }
    client.close("config.yaml");
    let base = "oar_capability_version: '1.0'\nhost: acme\n";
    for (marked, label, wanted) in [
        ("prof¦", "profiles", "profiles: "),
        ("profiles: [mc¦", "mcp", "profiles: [mcp"),
        (
            "anchors:\n  core:\n    tool.p¦",
            "tool.pre_invoke",
            "anchors:\n  core:\n    tool.pre_invoke: ",
        ),
        ("anchors: {unsupported: [¦", "tool.handler", "anchors: {unsupported: [tool.handler"),
        ("supports_transform: ¦", "true", "supports_transform: true"),
        (
            "host_facts: [{name: acme.x, type: ¦",
            "list<string>",
            "host_facts: [{name: acme.x, type: \"list<string>\"",
        ),
    ] {
        let text = taken(&mut client, "deep/capability.yaml", &format!("{base}{marked}"), label);
        assert_eq!(text, format!("{base}{wanted}"));
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn references_lead_to_what_they_mean() {
    let directory = pack();
    let mut client = Client::start(directory.path(), &[]);
    let at = |client: &mut Client, name: &str, marked: &str| -> String {
        let told = client.at("definition", name, marked);
        let Some(uri) = told["uri"].as_str() else { return "nowhere".to_owned() };
        let file = uri.rsplit('/').next().unwrap_or_default();
        let start = &told["range"]["start"];
        format!("{file}:{}:{}", start["line"], start["character"])
    };
    for (marked, wanted) in [
        ("overrides: [OTH¦ER]", "other.yaml:1:4"),
        ("overrides: [acme.rules/OTH¦ER]", "other.yaml:1:4"),
        ("overrides: [OW¦N]", "own.yaml:1:4"),
        ("overrides: [THI¦RD]", "nowhere"),
        ("on_error: ¦OTHER", "other.yaml:1:4"),
        ("on_error: fail¦_open", "nowhere"),
        ("when: fire_count_of('OTHER¦') > 1", "other.yaml:1:4"),
        ("when: fire_count_of(\"OTHE¦R", "other.yaml:1:4"),
        ("when: tool == 'OTHE¦R'", "nowhere"),
        ("when: acme.ti¦er == ''", "capability.yaml:10:20"),
        ("requires: {facts: [acme.ti¦er]}", "capability.yaml:10:20"),
        ("related: [{id: OTH¦ER, type: similar}]", "other.yaml:1:4"),
        ("when: to¦ol == ''", "nowhere"),
    ] {
        let text = match marked.starts_with("requires") {
            true => own(marked).replacen("requires: {profiles: [tool]}\n", "", 1),
            false => own(marked),
        };
        assert_eq!(at(&mut client, "own.yaml", &text), wanted, "{marked}");
    }
    // Behind and before a document that cannot be read.
    let broken = format!("{}---\na: [\n---\n{}", own("x-a: 1"), own("overrides: [OW¦N]"));
    assert_eq!(at(&mut client, "own.yaml", &broken), "own.yaml:1:4");
    let broken = format!("a: [\n---\n{}---\n{}", own("x-a: 1"), own("overrides: [OW¦N]"));
    assert_eq!(at(&mut client, "own.yaml", &broken), "own.yaml:3:4");
    let json = r#"{"oar": "1.0", "id": "J", "when": "breaker_count_of(\"THI¦RD\") > 1"}"#;
    assert_eq!(at(&mut client, "own.json", json), "third.json:0:21");
    let config = "oar_config: '1.0'\nenforcement: {OTH¦ER: monitor}\n";
    assert_eq!(at(&mut client, "config.yaml", config), "other.yaml:1:4");
    let config = "oar_config: '1.0'\ndisable: [acme.rules/OTH¦ER]\n";
    assert_eq!(at(&mut client, "config.yaml", config), "other.yaml:1:4");
    assert_eq!(client.end(), 0);
}

fn actions(client: &mut Client, name: &str) -> Vec<(String, Vec<TextEdit>, Diagnostic)> {
    let uri = client.uri(name);
    let whole = json!({
        "start": {"line": 0, "character": 0}, "end": {"line": 100_000, "character": 0},
    });
    let params = json!({
        "textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": []},
    });
    let answer = client.request("textDocument/codeAction", params).expect("an answer");
    let actions: Vec<CodeActionOrCommand> = serde_json::from_value(answer).expect("actions");
    let told = actions.into_iter().map(|action| {
        let CodeActionOrCommand::CodeAction(action) = action else { panic!("an action") };
        let changes = action.edit.and_then(|edit| edit.changes).expect("changes");
        let edits = changes.into_values().next().expect("edits");
        let diagnostic = action.diagnostics.and_then(|mut all| all.pop()).expect("a diagnostic");
        (action.title, edits, diagnostic)
    });
    told.collect()
}

#[test]
fn help_is_offered_as_an_edit() {
    let directory = pack();
    let mut client = Client::start(directory.path(), &[]);
    client.open("own.yaml", "");
    for (text, title, wanted) in [
        ("when: tol == 'a'", "write `tool`", "when: tool == 'a'"),
        ("when: \"'😀' == tol\"", "write `tool`", "when: \"'😀' == tool\""),
        ("when: tool == 'a' and tool == 'b'", "write `&&`", "when: tool == 'a' && tool == 'b'"),
        ("overrides: ['OTER']", "write `acme.rules/OTHER`", "overrides: ['acme.rules/OTHER']"),
        (
            "when: fire_count_of(\"OTHR\") > 1",
            "write `acme.rules/OTHER`",
            "when: fire_count_of(\"acme.rules/OTHER\") > 1",
        ),
        ("overides: [OTHER]", "write `overrides`", "overrides: [OTHER]"),
        ("enforcement: watch", "write `monitor`", "enforcement: monitor"),
        ("mandatory: 'true'", "leave out the quotes", "mandatory: true"),
        ("mandatory: yes", "write `true`", "mandatory: true"),
        ("overrides: OTHER", "write `[OTHER]`", "overrides: [OTHER]"),
        ("selector: {tol: [a]}", "write `tool`", "selector: {tool: [a]}"),
        ("copy: {what: '{{ tol }}'}", "write `tool`", "copy: {what: '{{ tool }}'}"),
    ] {
        client.change("own.yaml", &[(Value::Null, &own(text))]);
        let found = actions(&mut client, "own.yaml");
        let titles: Vec<&str> = found.iter().map(|(title, ..)| title.as_str()).collect();
        let Some((_, edits, _)) = found.iter().find(|(own, ..)| own == title) else {
            panic!("{text}: {titles:?}");
        };
        assert_eq!(edited(&own(text), edits), own(wanted), "{text}");
    }
    // Help that comes to what is written already is no edit.
    client.change("own.yaml", &[(Value::Null, &own("overrides: [THIRD]"))]);
    assert_eq!(actions(&mut client, "own.yaml"), []);
    // Where a name has to be required, in every way to write it.
    let plain = "requires: {profiles: [tool]}\n";
    for (requires, list, wanted) in [
        (plain, "profiles", "requires: {profiles: [tool, session]}\n"),
        (plain, "facts", "requires: {facts: [session_posture], profiles: [tool]}\n"),
        ("", "profiles", "requires: {profiles: [session]}\n"),
        ("requires: {}\n", "profiles", "requires: {profiles: [session]}\n"),
        ("requires: {profiles: []}\n", "profiles", "requires: {profiles: [session]}\n"),
        (
            "requires:\n  profiles:\n  - tool\n",
            "profiles",
            "requires:\n  profiles:\n  - tool\n  - session\n",
        ),
        (
            "requires:\n  profiles: [tool] # these\n",
            "facts",
            "requires:\n  facts: [session_posture]\n  profiles: [tool] # these\n",
        ),
    ] {
        let text = own("when: session_posture == ''").replace(plain, requires);
        client.change("own.yaml", &[(Value::Null, &text)]);
        let found = actions(&mut client, "own.yaml");
        let wanted_list = format!("`requires.{list}`");
        let (_, edits, _) =
            found.iter().find(|(title, ..)| title.ends_with(&wanted_list)).expect("an action");
        let now = edited(&text, edits);
        assert!(now.contains(wanted), "{requires}: {now}");
        client.change("own.yaml", &[(Value::Null, &now)]);
        let left = client.diagnostics("own.yaml");
        assert!(left.is_empty(), "{requires}: {left:?}");
    }
    // What is required in vain, by a lint.
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"oar": {"lint": true}}}));
    let when = "when: tool == 'a'";
    for (rest, requires, wanted) in [
        (when, "requires: {profiles: [session, tool]}\n", "requires: {profiles: [tool]}\n"),
        (when, "requires: {profiles: [tool, session]}\n", "requires: {profiles: [tool]}\n"),
        ("", "requires: {profiles: [ session ]}\n", "requires: {profiles: [ ]}\n"),
        (
            when,
            "requires:\n  profiles:\n    - session\n    - tool\n",
            "requires:\n  profiles:\n    - tool\n",
        ),
    ] {
        let text = own(rest).replace(plain, requires);
        client.change("own.yaml", &[(Value::Null, &text)]);
        let found = actions(&mut client, "own.yaml");
        let (_, edits, _) =
            found.iter().find(|(title, ..)| title == "leave it out").expect("an action");
        assert_eq!(edited(&text, edits), own(rest).replace(plain, wanted));
    }
    let json = r#"[{"oar": "1.0", "id": "J", "kind": "policy", "anchor": "tool.pre_invoke",
  "when": "session_posture == ''", "effect": "block"}]"#;
    client.open("own.json", json);
    let found = actions(&mut client, "own.json");
    let now = edited(json, &found[0].1);
    client.change("own.json", &[(Value::Null, &now)]);
    assert!(client.diagnostics("own.json").is_empty(), "{now}");
    // A bare name that several rules have.
    client.open("two.yaml", &rule("OTHER", "namespace: acme.more"));
    client.open("config.yaml", "oar_config: '1.0'\ndisable: [OTHER]\n");
    let found = actions(&mut client, "config.yaml");
    let titles: Vec<&str> = found.iter().map(|(title, ..)| title.as_str()).collect();
    assert_eq!(titles, ["write `acme.more/OTHER`", "write `acme.rules/OTHER`"]);
    // Only what the range meets is offered.
    let uri = client.uri("own.yaml");
    client.change("own.yaml", &[(Value::Null, &own("when: tol == ''"))]);
    let first = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
    let params =
        json!({"textDocument": {"uri": uri}, "range": first, "context": {"diagnostics": []}});
    assert_eq!(client.request("textDocument/codeAction", params), Ok(json!([])));
    assert_eq!(client.end(), 0);
}

/// Whatever is offered for the wrong example of a clause takes its complaint away.
#[test]
fn every_fix_takes_its_complaint_away() {
    let directory = Directory::with(&[]);
    let mut client = Client::start(directory.path(), &[]);
    let mut fixes = 0;
    for (clause, files) in crate::clauses::wrong_packs() {
        for (name, text) in &files {
            directory.write(&format!("{clause}/{name}"), text);
        }
        for (name, text) in files {
            let name = format!("{clause}/{name}");
            client.open(&name, &text);
            for (title, edits, diagnostic) in actions(&mut client, &name) {
                fixes += 1;
                let now = edited(&text, &edits);
                client.change(&name, &[(Value::Null, &now)]);
                let left = client.diagnostics(&name);
                let same = left.iter().any(|own| own.message == diagnostic.message);
                assert!(!same, "{clause}: {title}: {now}\n{left:#?}");
                client.change(&name, &[(Value::Null, &text)]);
            }
            client.close(&name);
        }
    }
    assert!(fixes >= 20, "{fixes}");
    assert_eq!(client.end(), 0);
}
