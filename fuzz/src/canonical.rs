//! Doubles in their decimal form, and canonical JSON behind the fingerprint of a call.

use std::sync::LazyLock;

use oar_engine::document::rule::CopyMember;
use oar_engine::document::source::{self, Format, Node, ReadLimits, SourceFile};
use oar_engine::observe::canonical_double;
use oar_engine::{Host, Loader, RuleSet, Session, Source, ToolCall};
use serde_json::{Value, json};

use crate::lab;
use crate::reference::fingerprint::fingerprint;
use crate::reference::value::decimal;

/// The first eight bytes are a double, the rest is the JSON of a call's arguments.
pub fn canonical(data: &[u8]) {
    let (bits, text) = data.split_at(data.len().min(8));
    if let Ok(bits) = <[u8; 8]>::try_from(bits) {
        double(f64::from_bits(u64::from_le_bytes(bits)));
    }
    if let Ok(text) = std::str::from_utf8(text) {
        arguments(text);
    }
}

fn double(value: f64) {
    if !value.is_finite() {
        return;
    }
    let text = canonical_double(value);
    assert_eq!(text, decimal(value));
    let back: f64 = text.parse().unwrap();
    assert!(back == value, "{text} is {back}, not {value}");
    // The digits of the shortest form that round-trips, as ryu and serde_json have them.
    let digits = |text: &str| -> String {
        let mantissa = text.split(['e', 'E']).next().unwrap();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').to_owned()
    };
    assert_eq!(digits(&text), digits(ryu::Buffer::new().format_finite(value)));
    assert_eq!(digits(&text), digits(&json!(value).to_string()));
    assert!(!text.contains(['e', 'E', '+']) && text.contains('.'), "{text}");
    assert!(text != "-0.0");
}

/// A rule whose copy tells the fingerprint.
fn rules() -> &'static RuleSet {
    static RULE_SET: LazyLock<RuleSet> = LazyLock::new(|| {
        let rule = json!({
            "oar": "1.0", "id": "R", "kind": "policy", "anchor": "tool.pre_invoke",
            "effect": "warn", "requires": {"profiles": ["tool"]},
            "copy": {"what": "{{ tool_args_fingerprint }}"},
        });
        let loader = Loader::new(Source::value("capability", lab::capability()));
        loader.rules(Source::value("rule", rule)).load().unwrap().rules
    });
    &RULE_SET
}

fn told(call: ToolCall<'_>) -> Option<String> {
    let mut occurrence = rules().occurrence("tool.pre_invoke").unwrap();
    occurrence.tool_call(call);
    let (host, mut session) = (Host::new(), Session::new("s"));
    let outcome = host.decide(&mut session, &occurrence);
    outcome.copy().get(CopyMember::What).map(str::to_owned)
}

fn arguments(text: &str) {
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else { return };
    let wanted = fingerprint("a tool\n\"", &object).ok();
    assert_eq!(told(ToolCall::new("a tool\n\"", &object)), wanted);
    // The same from the document, when that is one that we read.
    let file = SourceFile::new("arguments.json", text, Format::Json);
    if let Ok(documents) = source::read(&file, &ReadLimits::default()).into_result() {
        let root = &documents[0].root;
        let object = root.as_object().unwrap();
        // Of an integer past 64 bits `serde_json` has kept a double, and we its digits.
        if holds_a_huge_integer(root) {
            return;
        }
        assert_eq!(told(ToolCall::from_document("a tool\n\"", object)), wanted);
    }
}

fn holds_a_huge_integer(node: &Node) -> bool {
    if let Some(number) = node.as_number() {
        let fits = number.as_i64().is_some() || number.as_u64().is_some();
        return number.is_integer_text() && !fits;
    }
    let items = node.as_array().into_iter().flatten();
    let members = node.as_object().into_iter().flat_map(|object| object.iter());
    items.chain(members.map(|member| &member.node)).any(holds_a_huge_integer)
}
