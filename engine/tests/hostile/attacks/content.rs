//! Content: transforms with many spans, and copy.

use oar_engine::observe::FactValue;
use oar_engine::{Host, Loader, Session, Source};
use serde_json::json;

use super::{Attack, Work, capability};

pub(crate) fn all() -> Vec<Attack> {
    let attack = |name, size, unit, prepare, ends| Attack { name, size, unit, prepare, ends };
    vec![
        attack(
            "n spans in a row",
            25_000,
            "spans",
            |n| spans(1, "redact", n, |k, _| (2 * k, 2 * k + 1)),
            "transform, 0 skipped",
        ),
        attack(
            "n spans that touch",
            25_000,
            "spans",
            |n| spans(1, "redact", n, |k, _| (k, k + 1)),
            "transform, 0 skipped",
        ),
        attack(
            "n spans that overlap",
            25_000,
            "spans",
            |n| spans(1, "redact", n, |k, n| (k, k + n)),
            "transform, 0 skipped",
        ),
        attack(
            "n spans in one another",
            25_000,
            "spans",
            |n| spans(1, "redact", n, |k, n| (k, 2 * n - k)),
            "transform, 0 skipped",
        ),
        attack(
            "n spans of no width",
            25_000,
            "spans",
            |n| spans(1, "redact", n, |k, n| (n - k, n - k)),
            "transform, 0 skipped",
        ),
        attack(
            "n spans at one place",
            25_000,
            "spans",
            |n| spans(1, "annotate", n, |_, _| (7, 7)),
            "transform, 0 skipped",
        ),
        attack(
            "n spans behind the end",
            25_000,
            "spans",
            |n| spans(1, "redact", n, |k, n| (k, 9 * n)),
            "transform, 0 skipped",
        ),
        attack("n annotations, and then n rewrites", 12_500, "spans", annotated, "transform"),
        attack(
            "20 transforms of n spans, all but the first skipped",
            1_250,
            "spans",
            |n| spans(20, "redact", n, |k, _| (2 * k, 2 * k + 1)),
            "transform",
        ),
        attack(
            "n transforms of 1,000 spans, all but the first skipped",
            25,
            "transforms",
            |n| spans(n, "redact", 1000, |k, _| (2 * k, 2 * k + 1)),
            "transform",
        ),
        attack(
            "n transforms of the whole content",
            500,
            "transforms",
            |n| whole(n, 10_000),
            "transform",
        ),
        attack(
            "n annotations of the whole content",
            500,
            "transforms",
            |n| remarks(n, 10_000),
            "transform",
        ),
        attack(
            "content of n bytes, rewritten in a place",
            4 << 20,
            "bytes",
            |n| large(n, "x"),
            "transform, 0 skipped",
        ),
        attack(
            "content of n accents, rewritten in a place",
            1 << 20,
            "accents",
            |n| large(n, "\u{301}"),
            "transform, 0 skipped",
        ),
        attack("copy of n bytes", 1 << 20, "bytes", |n| copy(&"a".repeat(n)), "copy of {n}"),
        attack(
            "copy with n bindings",
            25_000,
            "bindings",
            |n| copy(&"{{acme.text}}".repeat(n)),
            "copy of",
        ),
        attack(
            "copy with n conditionals in one another",
            25_000,
            "conditionals",
            |n| copy(&format!("{}a{}", "{% if acme.text %}".repeat(n), "{% endif %}".repeat(n))),
            "copy of 1",
        ),
        attack(
            "copy with n conditionals that are not closed",
            25_000,
            "conditionals",
            |n| copy(&"{% if acme.text %}".repeat(n)),
            "OAR-COPY-3",
        ),
        attack(
            "copy with n unknown names",
            2_500,
            "names",
            |n| copy(&(0..n).map(|n| format!("{{{{a{n}}}}}")).collect::<String>()),
            "OAR-COPY-2",
        ),
        attack("copy with n `{{`", 250_000, "brackets", |n| copy(&"{{".repeat(n)), "OAR-COPY-3"),
    ]
}

fn transform(id: usize, action: &str, target: &str) -> serde_json::Value {
    json!({"oar": "1.0", "id": format!("R{id:06}"), "kind": "policy", "anchor": "model.output",
        "effect": "transform", "requires": {"facts": ["acme.spans"]},
        "transform": {"action": action, "target": target, "replacement": "[-]"}})
}

fn transformed(rules: Vec<serde_json::Value>, content: String, spans: FactValue) -> Work {
    let loader = Loader::new(capability().source()).rules(Source::value("rules", rules.into()));
    Box::new(move || {
        let rules = loader.load().expect("it loads").rules;
        let mut occurrence = rules.occurrence("model.output").expect("it is declared");
        occurrence.content(&content);
        occurrence.fact("acme.spans", spans).expect("it is declared");
        let host = Host::new();
        let outcome = host.decide(&mut Session::new("s"), &occurrence);
        let report = outcome.report();
        let skipped = report.skipped_transforms.len();
        let bytes = report.content.map_or(0, |content| content.len());
        format!("{}, {skipped} skipped, {bytes} bytes", report.decision)
    })
}

fn ranges(n: usize, range: fn(usize, usize) -> (usize, usize)) -> FactValue {
    let span = |k| {
        let (start, end) = range(k, n);
        json!({"start": start, "end": end})
    };
    FactValue::from(serde_json::Value::Array((0..n).map(span).collect()))
}

fn spans(count: usize, action: &str, n: usize, range: fn(usize, usize) -> (usize, usize)) -> Work {
    let rules = (0..count).map(|id| transform(id, action, "acme.spans")).collect();
    transformed(rules, "\u{e4}b".repeat(n), ranges(n, range))
}

fn annotated(n: usize) -> Work {
    let rules = vec![transform(0, "annotate", "acme.spans"), transform(1, "redact", "acme.spans")];
    transformed(rules, "ab".repeat(n), ranges(n, |k, _| (2 * k, 2 * k + 1)))
}

fn whole(n: usize, length: usize) -> Work {
    let rules = (0..n).map(|id| transform(id, "redact", "content")).collect();
    transformed(rules, "a".repeat(length), ranges(0, |_, _| (0, 0)))
}

fn remarks(n: usize, length: usize) -> Work {
    let rules = (0..n).map(|id| transform(id, "annotate", "content")).collect();
    transformed(rules, "a".repeat(length), ranges(0, |_, _| (0, 0)))
}

fn large(n: usize, letter: &str) -> Work {
    transformed(
        vec![transform(0, "redact", "acme.spans")],
        letter.repeat(n),
        ranges(1, |_, _| (1000, 1001)),
    )
}

fn copy(text: &str) -> Work {
    let rule = json!({"oar": "1.0", "id": "R", "kind": "policy", "anchor": "model.output",
        "effect": "warn", "requires": {"facts": ["acme.text"]}, "copy": {"what": text}});
    let loader =
        Loader::new(capability().source()).rules(Source::json("rule.json", rule.to_string()));
    Box::new(move || {
        let rules = match loader.load() {
            Ok(loaded) => loaded.rules,
            error => return super::told(error),
        };
        let mut occurrence = rules.occurrence("model.output").expect("it is declared");
        occurrence.fact("acme.text", "0123456789").expect("it is declared");
        let host = Host::new();
        let outcome = host.decide(&mut Session::new("s"), &occurrence);
        let length: usize = outcome.copy().iter().map(|(_, text)| text.len()).sum();
        format!("copy of {length}")
    })
}
