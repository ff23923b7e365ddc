//! Documents: YAML, JSON, and what the schemas say of them.

use oar_engine::document::source::ReadLimits;
use oar_engine::load::Checker;
use oar_engine::{Loader, Source, diagnostic::render};

use super::{Attack, Work, YAML, capability, load, rule, told};

pub(crate) fn all() -> Vec<Attack> {
    let attack = |name, size, unit, prepare, ends| Attack { name, size, unit, prepare, ends };
    vec![
        attack(
            "YAML: aliases of aliases, n deep",
            100,
            "anchors",
            laughs,
            "limit: anchors and aliases",
        ),
        attack("YAML: n aliases of one list of 9", 2_000, "aliases", aliases, "1 rules"),
        attack(
            "YAML: n anchors",
            12_500,
            "anchors",
            |n| yaml(&many(n, |n| format!("x-a{n}: &a{n} 1\n"))),
            "1 rules",
        ),
        attack(
            "YAML: n `[` and as many `]`",
            25_000,
            "brackets",
            |n| yaml(&format!("x-a: {}{}\n", "[".repeat(n), "]".repeat(n))),
            "limit: more than 255 brackets",
        ),
        attack(
            "YAML: n `[` alone",
            250_000,
            "brackets",
            |n| yaml(&format!("x-a: {}\n", "[".repeat(n))),
            "limit: more than 255 brackets",
        ),
        attack(
            "YAML: n `{a: ` alone",
            100_000,
            "brackets",
            |n| yaml(&format!("x-a: {}\n", "{a: ".repeat(n))),
            "limit: more than 128",
        ),
        attack(
            "YAML: n `- ` on one line",
            100_000,
            "dashes",
            |n| yaml(&format!("x-a:\n  {}x\n", "- ".repeat(n))),
            "limit: more than 128",
        ),
        attack(
            "YAML: n `? ` on one line",
            100_000,
            "marks",
            |n| load(Source::yaml("r.yaml", "? ".repeat(n))),
            "OAR-DOC-1",
        ),
        attack(
            "YAML: a staircase of n bytes",
            250_000,
            "bytes",
            |n| {
                let steps = isqrt(2 * n);
                yaml(&format!("x-a:\n{}", many(steps, |n| format!("{}a:\n", " ".repeat(n + 1)))))
            },
            "limit: more than 128",
        ),
        attack(
            "YAML: n lists of brackets in a row",
            25_000,
            "lists",
            |n| yaml(&format!("x-a: [{}]\n", "[a, {b: c}],".repeat(n))),
            "1 rules",
        ),
        attack(
            "YAML: n members of one name",
            12_500,
            "members",
            |n| yaml(&"x-a: 1\n".repeat(n)),
            "member `x-a` is given twice",
        ),
        attack(
            "YAML: n documents",
            2_500,
            "documents",
            |n| {
                load(Source::yaml(
                    "r.yaml",
                    many(n, |n| format!("---\n{}", YAML.replace("id: R", &format!("id: R{n}")))),
                ))
            },
            "{n} rules",
        ),
        attack(
            "YAML: n empty documents",
            25_000,
            "documents",
            |n| load(Source::yaml("r.yaml", "---\n".repeat(n))),
            "the document is empty",
        ),
        attack("YAML: n comments", 100_000, "comments", |n| yaml(&"# a\n".repeat(n)), "1 rules"),
        attack(
            "YAML: a plain scalar of n lines",
            50_000,
            "lines",
            |n| yaml(&format!("x-a: b\n{}", "  c\n".repeat(n))),
            "1 rules",
        ),
        attack(
            "YAML: a folded scalar of n lines",
            50_000,
            "lines",
            |n| yaml(&format!("x-a: >\n{}", "  c\n".repeat(n))),
            "1 rules",
        ),
        attack(
            "YAML: a quoted scalar of n escapes",
            250_000,
            "escapes",
            |n| yaml(&format!("x-a: \"{}\"\n", "\\x41".repeat(n))),
            "1 rules",
        ),
        attack(
            "YAML: an open quote over n lines",
            50_000,
            "lines",
            |n| yaml(&format!("x-a: \"b\n{}", "  c\n".repeat(n))),
            "the quoted string is not closed",
        ),
        attack(
            "YAML: n keys without a value",
            25_000,
            "keys",
            |n| yaml(&many(n, |n| format!("x-a{n}:\n"))),
            "1 rules",
        ),
        attack(
            "YAML: n tags",
            12_500,
            "tags",
            |n| yaml(&many(n, |n| format!("x-a{n}: !t 1\n"))),
            "the tag `!t`",
        ),
        attack(
            "YAML: a key of n letters",
            1_000_000,
            "letters",
            |n| yaml(&format!("{}: 1\n", "k".repeat(n))),
            "a key goes on",
        ),
        attack(
            "JSON: n `[` and as many `]` in `x-a`",
            250_000,
            "brackets",
            |n| json(&format!(r#", "x-a": {}{}"#, "[".repeat(n), "]".repeat(n))),
            "limit: more than 128",
        ),
        attack("JSON: the same, where it is allowed", 25_000, "brackets", deep, "1 rules"),
        attack(
            "JSON: n members of one name",
            50_000,
            "members",
            |n| json(&r#", "x-a": 1"#.repeat(n)),
            "member `x-a` is given twice",
        ),
        attack(
            "JSON: n members of two names in turn, escaped",
            25_000,
            "members",
            |n| json(&r#", "x-\u0061": 1, "x-b": 1"#.repeat(n)),
            "is given twice",
        ),
        attack(
            "JSON: a string of n bytes",
            4 << 20,
            "bytes",
            |n| json(&format!(r#", "x-a": "{}""#, "a".repeat(n - 200))),
            "1 rules",
        ),
        attack(
            "JSON: a string of n escapes",
            250_000,
            "escapes",
            |n| json(&format!(r#", "x-a": "{}""#, r"\ud83d\ude00".repeat(n))),
            "1 rules",
        ),
        attack(
            "JSON: a number of n digits",
            1 << 20,
            "digits",
            |n| json(&format!(r#", "x-a": {}"#, "9".repeat(n))),
            "1 rules",
        ),
        attack(
            "schema: a namespace of n hyphens",
            100_000,
            "letters",
            |n| json(&format!(r#", "namespace": "a{}_""#, "-a".repeat(n / 2))),
            "OAR-DOC-7",
        ),
        attack(
            "schema: a namespace of n dots",
            100_000,
            "letters",
            |n| json(&format!(r#", "namespace": "a{}-""#, ".a".repeat(n / 2))),
            "OAR-DOC-7",
        ),
        attack(
            "schema: an `x-` name of n hyphens",
            100_000,
            "letters",
            |n| json(&format!(r#", "x{}-": 1"#, "-a".repeat(n / 2))),
            "OAR-DOC-27",
        ),
        attack(
            "schema: n members of `overrides`, the last a repeat",
            12_500,
            "members",
            |n| json(&format!(r#", "overrides": [{}, "R0"]"#, listed(n, "R"))),
            "twice",
        ),
        attack(
            "schema: n texts of a clause, the last a number",
            25_000,
            "texts",
            |n| json(&format!(r#", "selector": {{"tool": [{}, 1]}}"#, listed(n, "t"))),
            "is a number",
        ),
        attack(
            "schema: n unknown members",
            2_500,
            "members",
            |n| json(&many(n, |n| format!(r#", "efect{n}": 1"#))),
            "is not a field",
        ),
        attack(
            "schema: n wrong members of `related`",
            5_000,
            "members",
            |n| json(&format!(r#", "related": [{}{{}}]"#, r#"{"id": 1, "type": "a"}, "#.repeat(n))),
            "related",
        ),
        attack("n faulty rules on one line, shown", 1_000, "rules", one_line, "{n} shown"),
        attack(
            "n faulty rules on one line behind `\u{e4}`, shown",
            1_000,
            "rules",
            one_line_beyond_ascii,
            "{n} shown",
        ),
        attack(
            "a fault behind n accents on one letter, shown",
            100_000,
            "accents",
            accents,
            "1 shown",
        ),
        attack("a faulty text of n bytes, shown", 1 << 20, "bytes", large_fault, "1 shown"),
        attack("a host of n facts", 2_500, "facts", facts, "0 rules"),
        attack(
            "a host of n anchors",
            2_500,
            "anchors",
            |n| {
                let loader = Loader::new(
                    (0..n).fold(capability(), |c, n| c.host_anchor(format!("m{n}"))).source(),
                );
                Box::new(move || told(loader.load()))
            },
            "0 rules",
        ),
    ]
}

fn isqrt(n: usize) -> usize {
    n.isqrt()
}

fn many(n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).map(one).collect()
}

fn listed(n: usize, prefix: &str) -> String {
    (0..n).map(|n| format!("\"{prefix}{n}\"")).collect::<Vec<_>>().join(", ")
}

fn yaml(more: &str) -> Work {
    load(Source::yaml("r.yaml", format!("{YAML}{more}")))
}

fn json(more: &str) -> Work {
    load(Source::json("r.json", rule("R", more)))
}

fn laughs(n: usize) -> Work {
    let lists =
        many(n, |n| format!("x-a{}: &a{} [{}]\n", n + 1, n + 1, format!("*a{n},").repeat(9)));
    yaml(&format!("x-a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n{lists}"))
}

fn aliases(n: usize) -> Work {
    yaml(&format!("x-a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\nx-b: [{}]\n", "*a, ".repeat(n)))
}

fn deep(n: usize) -> Work {
    let rule = rule("R", &format!(r#", "x-a": {}{}"#, "[".repeat(n), "]".repeat(n)));
    let limits = ReadLimits { depth: n + 10, ..ReadLimits::default() };
    let loader = Loader::new(capability().source()).limits(limits);
    let loader = loader.rules(Source::json("r.json", rule));
    Box::new(move || told(loader.load()))
}

/// Checks rules and renders every finding in both forms.
fn shown(text: String) -> Work {
    let checker = Checker::new().rules(Source::json("r.json", text));
    Box::new(move || {
        let checked = checker.check();
        let lines = checked.diagnostics().iter().map(render::concise).filter(|l| !l.is_empty());
        let lines = lines.count();
        let bytes: usize = checked.diagnostics().iter().map(|d| render::full(d).len()).sum();
        format!("{lines} shown, in {bytes} bytes")
    })
}

fn one_line(n: usize) -> Work {
    let rules: Vec<String> = (0..n).map(|n| rule(&format!("R{n}"), r#", "when": "1""#)).collect();
    shown(format!("[{}]", rules.join(", ")))
}

fn one_line_beyond_ascii(n: usize) -> Work {
    let rules: Vec<String> =
        (0..n).map(|n| rule(&format!("R{n}"), ", \"x-a\": \"\u{e4}\", \"when\": \"1\"")).collect();
    shown(format!("[{}]", rules.join(", ")))
}

fn accents(n: usize) -> Work {
    let text = format!(", \"x-a\": \"a{}\", \"when\": \"1\"", "\u{301}".repeat(n));
    shown(rule("R", &text))
}

fn large_fault(n: usize) -> Work {
    shown(rule("R", &format!(r#", "enforcement": "{}""#, "a".repeat(n))))
}

fn facts(n: usize) -> Work {
    let host = (0..n).fold(capability(), |host, n| host.fact(format!("acme.f{n}"), "string", "A."));
    let loader = Loader::new(host.source());
    Box::new(move || told(loader.load()))
}
