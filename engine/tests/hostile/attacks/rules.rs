//! Rule sets: many rules, tangled overrides, many faults, many at one occurrence.

use oar_engine::observe::{FactProvider, FactValue, Occurrence, ProviderFailure};
use oar_engine::{Host, Loader, Session, Source, ToolCall};
use oar_expr::Value;

use super::{Attack, Work, capability, load, rule, told};

pub(crate) fn all() -> Vec<Attack> {
    let attack = |name, size, unit, prepare, ends| Attack { name, size, unit, prepare, ends };
    vec![
        attack("n rules", 12_500, "rules", |n| set((0..n).map(plain)), "{n} rules"),
        attack(
            "n rules, each with a fault",
            12_500,
            "rules",
            |n| set((0..n).map(|n| rule(&format!("R{n}"), r#", "when": "tol""#))),
            "{n} faults",
        ),
        attack(
            "n rules of one name",
            12_500,
            "rules",
            |n| set((0..n).map(|_| rule("R", ""))),
            "OAR-DOC-9",
        ),
        attack(
            "n rules decided, all fire",
            12_500,
            "rules",
            |n| decided((0..n).map(plain), &[]),
            "{n} in the trace",
        ),
        attack(
            "n rules decided, none is selected",
            12_500,
            "rules",
            |n| {
                decided((0..n).map(|n| rule(&format!("R{n}"), &format!(r#", "requires": {{"profiles": ["tool"]}}, "selector": {{"tool": ["t{n}"]}}"#))), &[])
            },
            "0 in the trace",
        ),
        attack(
            "overrides: a chain of n",
            2_500,
            "edges",
            |n| {
                decided(
                    (0..=n).map(move |k| overriding(k, if k < n { vec![k + 1] } else { vec![] })),
                    &[],
                )
            },
            "in the trace",
        ),
        attack(
            "overrides: a star of n",
            2_500,
            "edges",
            |n| {
                decided(
                    (0..=n).map(move |k| {
                        overriding(k, if k == 0 { (1..=n).collect() } else { vec![] })
                    }),
                    &[],
                )
            },
            "in the trace",
        ),
        attack(
            "overrides: n into one",
            2_500,
            "edges",
            |n| {
                decided(
                    (0..=n).map(move |k| overriding(k, if k > 0 { vec![0] } else { vec![] })),
                    &[],
                )
            },
            "in the trace",
        ),
        attack("overrides: dense layers, n edges", 2_500, "edges", layers, "in the trace"),
        attack(
            "overrides: all but a cycle, n edges",
            2_500,
            "edges",
            |n| {
                set((0..n).map(move |k| {
                    overriding(k, [k + 1, k + 2].into_iter().filter(|t| *t < n).collect())
                }))
            },
            "{n} rules",
        ),
        attack(
            "overrides: a cycle of n",
            2_500,
            "edges",
            |n| set((0..n).map(move |k| overriding(k, vec![(k + 1) % n]))),
            "OAR-EVAL-16",
        ),
        attack(
            "overrides: n cycles of two",
            1_250,
            "cycles",
            |n| set((0..2 * n).map(move |k| overriding(k, vec![k ^ 1]))),
            "OAR-EVAL-16",
        ),
        attack(
            "overrides: n that name nothing",
            2_500,
            "edges",
            |n| set((0..n).map(move |k| overriding(k, vec![k + n]))),
            "OAR-EVAL-13",
        ),
        attack("a configuration of n entries", 12_500, "entries", configured, "{n} rules"),
        attack(
            "a configuration that names n rules in vain",
            12_500,
            "entries",
            misconfigured,
            "{n} faults",
        ),
        attack(
            "n values of one clause",
            25_000,
            "values",
            |n| {
                set([rule(
                    "R",
                    &format!(
                        r#", "requires": {{"profiles": ["tool"]}}, "selector": {{"tool": [{}]}}"#,
                        (0..n).map(|n| format!("\"t{n}\"")).collect::<Vec<_>>().join(", ")
                    ),
                )]
                .into_iter())
            },
            "1 rules",
        ),
        attack("a flow over a window of n steps", 100_000, "steps", window, "1 in the trace"),
        attack(
            "n supplied facts, n rules that read them",
            1_000,
            "facts",
            supplied,
            "{n} in the trace",
        ),
        attack(
            "n rules that read one fact of a provider",
            12_500,
            "rules",
            |n| {
                decided(
                    (0..n).map(|n| {
                        rule(
                            &format!("R{n}"),
                            r#", "requires": {"facts": ["acme.text"]}, "when": "acme.text == ''""#,
                        )
                    }),
                    &[],
                )
            },
            "{n} in the trace",
        ),
        attack(
            "n calls of one function",
            1_000,
            "calls",
            |n| {
                decided((0..n).map(|n| rule(&format!("R{n}"), &format!(r#", "requires": {{"facts": ["acme.rank"]}}, "when": "acme.rank({n}) == 0""#))), &[])
            },
            "{n} in the trace",
        ),
        attack(
            "n rules that fail open",
            12_500,
            "rules",
            |n| {
                decided(
                    (0..n).map(|n| {
                        rule(&format!("R{n}"), r#", "on_error": "fail_open", "when": "1 / 0 == 1""#)
                    }),
                    &[],
                )
            },
            "{n} in the trace",
        ),
        attack(
            "n rules that count",
            12_500,
            "rules",
            |n| {
                decided((0..n).map(|n| rule(&format!("R{n}"), r#", "on_fire": ["increment_counter", "publish_event"], "when": "fire_count == 0""#)), &[])
            },
            "{n} in the trace",
        ),
        attack(
            "arguments nested n deep, fingerprinted",
            25_000,
            "brackets",
            deep_arguments,
            "1 in the trace",
        ),
        attack(
            "n arguments `1e308`, fingerprinted",
            100_000,
            "numbers",
            wide_arguments,
            "1 in the trace",
        ),
        attack(
            "an argument of n bytes, fingerprinted",
            4 << 20,
            "bytes",
            long_argument,
            "1 in the trace",
        ),
    ]
}

fn plain(n: usize) -> String {
    rule(&format!("R{n}"), "")
}

fn set(rules: impl Iterator<Item = String>) -> Work {
    load(Source::json("rules.json", format!("[{}]", rules.collect::<Vec<_>>().join(",\n"))))
}

fn overriding(own: usize, targets: Vec<usize>) -> String {
    let targets: Vec<String> = targets.iter().map(|n| format!("\"R{n}\"")).collect();
    rule(&format!("R{own}"), &format!(r#", "overrides": [{}]"#, targets.join(", ")))
}

/// Layers of 50 rules, each of which overrides all of the next layer.
fn layers(n: usize) -> Work {
    let count = n / 2500 + 1;
    let next = move |k: usize| {
        let layer = k / 50 + 1;
        if layer < count { (layer * 50..layer * 50 + 50).collect() } else { vec![] }
    };
    decided((0..count * 50).map(move |k| overriding(k, next(k))), &[])
}

/// Has nothing to report, for a question each.
struct Nothing;

impl FactProvider for Nothing {
    fn fact(&self, _: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        Ok(None)
    }

    fn call(
        &self,
        _: &str,
        _: Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        Ok(Some(FactValue::Int(0)))
    }
}

/// Loads rules, and decides one call of the tool `t`; loading is measured as well.
fn decided(rules: impl Iterator<Item = String>, facts: &[(String, String)]) -> Work {
    let text = format!("[{}]", rules.collect::<Vec<_>>().join(",\n"));
    let host = facts.iter().fold(capability(), |host, (name, _)| host.fact(name, "string", "A."));
    let loader = Loader::new(host.source()).rules(Source::json("rules.json", text));
    let facts = facts.to_vec();
    Box::new(move || {
        let rules = match loader.load() {
            Ok(loaded) => loaded.rules,
            error => return told(error),
        };
        let arguments = serde_json::Map::new();
        let mut occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
        occurrence.tool_call(ToolCall::new("t", &arguments));
        for (name, value) in &facts {
            occurrence.fact(name, &**value).expect("it is declared");
        }
        let host = Host::new().provider(Nothing);
        let outcome = host.decide(&mut Session::new("s"), &occurrence);
        let report = outcome.report();
        format!("{} {} in the trace", report.decision, report.applied.len())
    })
}

fn configured(n: usize) -> Work {
    let rules = format!("[{}]", (0..n).map(plain).collect::<Vec<_>>().join(",\n"));
    let entries: Vec<String> = (0..n).map(|n| format!("\"R{n}\": \"monitor\"")).collect();
    with_config(
        rules,
        format!(r#"{{"oar_config": "1.0", "enforcement": {{{}}}}}"#, entries.join(", ")),
    )
}

fn misconfigured(n: usize) -> Work {
    let entries: Vec<String> = (0..n).map(|n| format!("\"R{n}\"")).collect();
    with_config(
        "[]".to_owned(),
        format!(r#"{{"oar_config": "1.0", "disable": [{}]}}"#, entries.join(", ")),
    )
}

fn with_config(rules: String, config: String) -> Work {
    let loader = Loader::new(capability().source())
        .rules(Source::json("rules.json", rules))
        .config(Source::json("config.json", config));
    Box::new(move || told(loader.load()))
}

fn window(n: usize) -> Work {
    let host = capability().activity_window(n);
    let rule = rule("R", r#", "flow": ["a", "b"]"#);
    let loader = Loader::new(host.source()).rules(Source::json("rule.json", rule));
    Box::new(move || {
        let rules = loader.load().expect("it loads").rules;
        let mut occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
        occurrence.recent_activity(std::iter::repeat_n("a", n));
        let host = Host::new();
        let outcome = host.decide(&mut Session::new("s"), &occurrence);
        format!("{} in the trace", outcome.trace().count())
    })
}

fn supplied(n: usize) -> Work {
    let facts: Vec<_> = (0..n).map(|n| (format!("acme.f{n}"), format!("v{n}"))).collect();
    let rules = (0..n).map(|n| {
        rule(
            &format!("R{n}"),
            &format!(r#", "requires": {{"facts": ["acme.f{n}"]}}, "when": "acme.f{n} == 'v{n}'""#),
        )
    });
    decided(rules, &facts)
}

/// Fingerprints the arguments that `make` makes; making them is not measured.
fn fingerprinted(arguments: serde_json::Map<String, serde_json::Value>) -> Work {
    let rule = rule(
        "R",
        r#", "requires": {"profiles": ["tool"]}, "when": "size(tool_args_fingerprint) == 64""#,
    );
    let loader = Loader::new(capability().source()).rules(Source::json("rule.json", rule));
    // It is the host's own: `serde_json` would overflow the stack when it drops a deep one.
    let arguments = std::mem::ManuallyDrop::new(arguments);
    Box::new(move || {
        let rules = loader.load().expect("it loads").rules;
        let mut occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
        occurrence.tool_call(ToolCall::new("t", &arguments));
        let host = Host::new();
        let outcome = host.decide(&mut Session::new("s"), &occurrence);
        let told = format!("{} {} in the trace", outcome.decision(), outcome.trace().count());
        assert_eq!(outcome.decision().name(), "warn", "it has a fingerprint");
        told
    })
}

fn deep_arguments(n: usize) -> Work {
    let deep =
        (0..n).fold(serde_json::Value::Null, |inner, _| serde_json::Value::Array(vec![inner]));
    fingerprinted(serde_json::Map::from_iter([("a".to_owned(), deep)]))
}

fn wide_arguments(n: usize) -> Work {
    let wide = vec![serde_json::Value::from(1e308); n];
    fingerprinted(serde_json::Map::from_iter([("a".to_owned(), wide.into())]))
}

fn long_argument(n: usize) -> Work {
    fingerprinted(serde_json::Map::from_iter([("a".to_owned(), "\u{1}".repeat(n).into())]))
}
