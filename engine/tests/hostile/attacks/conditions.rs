//! Conditions: long, deep, wide, and evaluated over large values.

use oar_engine::{Host, Loader, Session, Source, ToolCall};

use super::{Attack, Work, capability, load, rule, told};

pub(crate) fn all() -> Vec<Attack> {
    let attack = |name, size, unit, prepare, ends| Attack { name, size, unit, prepare, ends };
    vec![
        attack("condition of n bytes within the node limit", 256 << 10, "bytes", long, "1 rules"),
        attack("condition of n bytes over the node limit", 256 << 10, "bytes", over, "OAR-EXPR-17"),
        attack(
            "n `(` and as many `)`",
            25_000,
            "brackets",
            |n| nested(n, "(", "true", ")"),
            "1 rules",
        ),
        attack("n `(` alone", 250_000, "brackets", |n| nested(n, "(", "", ""), "OAR-EXPR-1"),
        attack(
            "n `[` and as many `]`",
            25_000,
            "brackets",
            |n| nested(n, "[", "'a'", "]"),
            "OAR-EXPR-",
        ),
        attack("n `!`", 25_000, "operators", |n| nested(n, "!(", "true", ")"), "1 rules"),
        attack(
            "n unary minuses",
            25_000,
            "operators",
            |n| condition(&format!("{}1{} < 2", "-(".repeat(n), ")".repeat(n))),
            "1 rules",
        ),
        attack("n calls in one another", 25_000, "calls", calls, "1 rules"),
        attack(
            "n subscripts in one another",
            25_000,
            "brackets",
            |n| nested(n, "acme.words[", "1", "]"),
            "OAR-EXPR-13",
        ),
        attack(
            "n ternaries in one another",
            12_500,
            "operators",
            |n| nested(n, "true ? (", "true", ") : false"),
            "1 rules",
        ),
        attack("n-way `||`, evaluated", 10_000, "operands", or, "block"),
        attack("n-way `+` of texts, evaluated", 5_000, "operands", concatenated, "block"),
        attack("`in` a list of n", 25_000, "texts", within, "block"),
        attack("n type errors in one condition", 5_000, "errors", type_errors, "OAR-EXPR-"),
        attack("n unknown names in one condition", 5_000, "names", unknown, "OAR-FACT-3"),
        attack("n errors in a block of YAML", 5_000, "errors", type_errors_in_a_block, "OAR-EXPR-"),
        attack("n escapes in a condition in JSON", 50_000, "escapes", escapes, "OAR-EXPR-"),
        attack("a name of n letters", 250_000, "letters", |n| nested(n, "a", "", ""), "OAR-FACT-3"),
        attack(
            "a number of n digits",
            250_000,
            "digits",
            |n| nested(n, "9", "", ""),
            "OAR-EXPR-21",
        ),
        attack(
            "a double of n digits",
            250_000,
            "digits",
            |n| nested(n, "9", ".0", " > 1.0"),
            "OAR-EXPR-21",
        ),
        attack("`contains` with a hard needle, n bytes of text", 1 << 20, "bytes", needle, "none"),
        attack("`size` of n bytes of text, 100 times", 1 << 20, "bytes", sizes, "block"),
    ]
}

fn condition(text: &str) -> Work {
    load(Source::json(
        "rule.json",
        rule(
            "R",
            &format!(
                r#", "requires": {{"profiles": ["tool"], "facts": ["acme.words", "acme.rank", "acme.text"]}}, "when": {}"#,
                serde_json::Value::from(text)
            ),
        ),
    ))
}

fn nested(n: usize, open: &str, inner: &str, close: &str) -> Work {
    condition(&format!(
        "{}{inner}{}",
        open.repeat(n),
        close.repeat(if close.starts_with(' ') { 1 } else { n })
    ))
}

fn long(n: usize) -> Work {
    let part = "tool == 'a' || ";
    condition(&format!("{}true", part.repeat(n / part.len())))
}

fn over(n: usize) -> Work {
    let part = "tool == 'a' || ";
    let when = format!("{}true", part.repeat(n / part.len()));
    let when = serde_json::Value::from(when);
    let rule = rule("R", &format!(r#", "requires": {{"profiles": ["tool"]}}, "when": {when}"#));
    let loader = Loader::new(capability().expression_nodes_max(256).source());
    let loader = loader.rules(Source::json("rule.json", rule));
    Box::new(move || told(loader.load()))
}

fn calls(n: usize) -> Work {
    condition(&format!("{}1{} == 0", "acme.rank(".repeat(n), ")".repeat(n)))
}

/// Decides a condition over a tool `b` and a text; the rule blocks.
fn decided(when: &str, text: String) -> Work {
    let when = serde_json::Value::from(when);
    let rule = rule(
        "R",
        &format!(
            r#", "requires": {{"profiles": ["tool"], "facts": ["acme.text"]}}, "when": {when}"#
        ),
    )
    .replace("warn", "block");
    let loader = Loader::new(capability().source()).rules(Source::json("rule.json", rule));
    Box::new(move || {
        let rules = match loader.load() {
            Ok(loaded) => loaded.rules,
            Err(error) => return error.to_string(),
        };
        let arguments = serde_json::Map::new();
        let mut occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
        occurrence.tool_call(ToolCall::new("b", &arguments));
        occurrence.fact("acme.text", &*text).expect("it is declared");
        let host = Host::new();
        let outcome = host.decide(&mut Session::new("s"), &occurrence);
        format!("{} {:?}", outcome.decision(), outcome.trace().collect::<Vec<_>>())
    })
}

fn or(n: usize) -> Work {
    let texts: Vec<String> = (0..n).map(|n| format!("tool == 'a{n}'")).collect();
    decided(&format!("{} || tool == 'b'", texts.join(" || ")), String::new())
}

fn concatenated(n: usize) -> Work {
    decided(
        &format!("size({}acme.text) == {}", "acme.text + ".repeat(n - 1), 100 * n),
        "x".repeat(100),
    )
}

fn within(n: usize) -> Work {
    let texts: Vec<String> = (0..n).map(|n| format!("'a{n}'")).collect();
    decided(&format!("tool in [{}, 'b']", texts.join(", ")), String::new())
}

fn type_errors(n: usize) -> Work {
    condition(&format!("{}true", "tool == 1 || ".repeat(n)))
}

fn unknown(n: usize) -> Work {
    let names: Vec<String> = (0..n).map(|n| format!("tol{n} == 1")).collect();
    condition(&names.join(" || "))
}

fn type_errors_in_a_block(n: usize) -> Work {
    let lines = "  tool == 1 ||\n".repeat(n);
    load(Source::yaml(
        "rule.yaml",
        format!("{}requires: {{profiles: [tool]}}\nwhen: >\n{lines}  true\n", super::YAML),
    ))
}

fn escapes(n: usize) -> Work {
    let text = "\\u0074ool == 1 || ".repeat(n / 10);
    load(Source::json(
        "rule.json",
        rule("R", &format!(r#", "requires": {{"profiles": ["tool"]}}, "when": "{text}true""#)),
    ))
}

fn needle(n: usize) -> Work {
    let needle = format!("{}b{}", "a".repeat(100_000), "a".repeat(100_000));
    decided(&format!("contains(acme.text, '{needle}')"), "a".repeat(n))
}

fn sizes(n: usize) -> Work {
    let parts: Vec<String> = (0..100).map(|k| format!("size(acme.text) > {k}")).collect();
    decided(&parts.join(" && "), "\u{e4}".repeat(n / 2))
}
