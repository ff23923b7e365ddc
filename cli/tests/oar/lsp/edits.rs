//! The server's text is the client's, whatever is typed.

use serde_json::{Value, json};

use super::client::{Client, position};
use super::diagnostics::rule;
use crate::check::CAPABILITY;
use crate::run::Directory;
use crate::snapshot::root;

/// A generator of numbers that repeats itself from the same seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        // The multiplier and the increment of Knuth's MMIX.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The diagnostics of a text that is opened anew.
fn fresh(client: &mut Client, name: &str, text: &str) -> Value {
    client.open(name, text);
    let told = client.diagnostics(name);
    client.close(name);
    json!(told)
}

/// A question about a place that may be none.
fn ask_anything(client: &mut Client, name: &str, numbers: &mut Numbers) {
    let uri = client.uri(name);
    let mut at = || json!({"line": numbers.below(30), "character": numbers.below(40)});
    let (position, end) = (at(), at());
    let (method, params) = match numbers.below(4) {
        0 => ("hover", json!({"textDocument": {"uri": uri}, "position": position})),
        1 => ("completion", json!({"textDocument": {"uri": uri}, "position": position})),
        2 => ("definition", json!({"textDocument": {"uri": uri}, "position": position})),
        _ => (
            "codeAction",
            json!({"textDocument": {"uri": uri}, "range": {"start": position, "end": end},
                "context": {"diagnostics": []}}),
        ),
    };
    client.request(&format!("textDocument/{method}"), params).expect("an answer");
}

/// Edits anywhere, of every kind of character and line break. What is told at the end tells where
/// every byte is: each line of the text has a fault.
#[test]
fn random_edits_leave_the_text_of_the_client() {
    let pieces = [
        "a",
        "😀",
        "e\u{301}",
        "\r\n",
        "\n",
        "\r",
        "字",
        "\u{1F468}\u{200D}\u{1F469}",
        "\u{feff}",
        " ",
        "\t",
        "when: tol == 'x'\n",
        "'",
        "\"",
        "[",
        "]",
        "{",
        "}",
        ": ",
        "- ",
        "---\n",
        "\u{2028}",
    ];
    // By its name it is always one of ours, whatever it holds.
    let name = "config.yaml";
    let directory = Directory::with(&[("capability.yaml", CAPABILITY)]);
    // `OAR_EDITS=1000` tries as many seeds.
    let seeds = std::env::var("OAR_EDITS").ok().and_then(|own| own.parse().ok()).unwrap_or(4);
    for seed in 1..=seeds {
        let encoding = if seed % 2 == 0 { "utf-8" } else { "utf-16" };
        let general = json!({"capabilities": {"general": {"positionEncodings": [encoding]}}});
        let mut client = Client::with(directory.path(), &[], general.clone());
        let mut other = Client::with(directory.path(), &[], general);
        let mut numbers = Numbers(seed);
        let mut text = rule("A", "when: tol == '😀' || tol == 'é'\nx-note: 字 😀");
        client.open(name, &text);
        for round in 0..300 {
            let mut changes = Vec::new();
            for _ in 0..=numbers.below(3) {
                let one = boundary(&text, numbers.below(text.len() + 1));
                let two = boundary(&text, (one + numbers.below(6)).min(text.len()));
                let piece = pieces[numbers.below(pieces.len())];
                // A break of two characters is one: the client has no place within it.
                let splits = |at: usize| text[..at].ends_with('\r') && text[at..].starts_with('\n');
                if splits(one) || splits(two) {
                    continue;
                }
                let at = |offset: usize| match encoding {
                    "utf-8" => bytes(&text, offset),
                    _ => position(&text, offset),
                };
                changes.push((json!({"start": at(one), "end": at(two)}), piece));
                text.replace_range(one..two, piece);
            }
            client.change(name, &changes);
            ask_anything(&mut client, name, &mut numbers);
            if round % 60 == 59 {
                // A fault at the end, whose place hangs on everything before it.
                let end = text.len();
                let at = match encoding {
                    "utf-8" => bytes(&text, end),
                    _ => position(&text, end),
                };
                text.push_str("\n---\n'");
                client.change(name, &[(json!({"start": at, "end": at}), "\n---\n'")]);
                let told = json!(client.diagnostics(name));
                assert_eq!(told, fresh(&mut other, name, &text), "seed {seed}, {round}: {text:?}");
            }
        }
        assert_eq!(client.end(), 0);
    }
}

fn bytes(text: &str, offset: usize) -> Value {
    let before = text[..offset].replace("\r\n", "\n").replace('\r', "\n");
    let last = before.rsplit('\n').next().unwrap_or_default().len();
    json!({"line": before.split('\n').count() - 1, "character": last})
}

/// A whole document, typed character by character, with a question after each.
#[test]
fn a_document_can_be_typed() {
    let directory = Directory::with(&[("capability.yaml", CAPABILITY)]);
    let yaml = root().join("examples/coding-basics/shell.yaml");
    let yaml = std::fs::read_to_string(yaml).expect("a file").replace("Forced", "Forced 😀");
    let json = r#"[{"oar": "1.0", "id": "B", "kind": "policy", "anchor": "tool.pre_invoke",
  "requires": {"profiles": ["tool"]}, "selector": {"tool": ["😀", "x"]},
  "when": "tool == \"a\" && fire_count_of(\"B\") > 1", "effect": "block",
  "copy": {"what": "no {{ tool }}"}}]"#;
    let capability = CAPABILITY;
    for (name, text) in
        [("r.yaml", yaml.as_str()), ("r.json", json), ("capability.yaml", capability)]
    {
        let mut client = Client::start(directory.path(), &["--lint"]);
        client.open(name, "");
        let uri = client.uri(name);
        let mut typed = String::new();
        for character in text.chars() {
            let at = position(&typed, typed.len());
            let one = character.to_string();
            client.change(name, &[(json!({"start": at, "end": at}), &one)]);
            typed.push(character);
            let params = json!({
                "textDocument": {"uri": uri}, "position": position(&typed, typed.len()),
            });
            let method = match typed.len() % 3 {
                0 => "textDocument/completion",
                1 => "textDocument/hover",
                _ => "textDocument/definition",
            };
            client.request(method, params).expect("an answer");
        }
        assert_eq!(typed, text);
        let told = json!(client.diagnostics(name));
        let mut other = Client::start(directory.path(), &["--lint"]);
        assert_eq!(told, fresh(&mut other, name, text));
        assert_eq!(client.end(), 0);
    }
}
