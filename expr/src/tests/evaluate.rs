//! What operators and functions yield, and where they raise.

use super::{World, holds, load, raises, run};
use crate::RaiseKind;

/// Conditions that hold in the default world.
const TRUE: &[&str] = &[
    // Logic
    "true",
    "!false",
    "ok",
    "!denied",
    "ok && !denied",
    "denied || ok",
    "!(ok && denied)",
    "!(denied || denied)",
    "ok == true",
    "true == ok",
    "denied == false",
    "ok != denied",
    "(ok == denied) == denied",
    "(n == 7) == ok",
    "(n == 7) != (m == 7)",
    "!(ok != ok)",
    "ok ? ok : denied",
    "!(denied ? ok : denied)",
    "(ok ? n : m) == 7",
    "(denied ? n : m) == -2",
    "(ok ? \"a\" : tool) == \"a\"",
    "\"ü\" in (denied ? [\"x\"] : tags)",
    "(ok ? x : y) == 2.5",
    "(ok ? tags : [\"a\"])[1] == \"ü\"",
    "(true ? n : m) == n",
    // Ints
    "n == 7",
    "7 == n",
    "n != 8",
    "n > 6",
    "6 < n",
    "n >= 7",
    "7 >= n",
    "n < 8",
    "n <= 7",
    "!(n < 7)",
    "n + m == 5",
    "n - m == 9",
    "n * m == -14",
    "n / m == -3",
    "n % m == 1",
    "-7 / 2 == -3",
    "-7 % 2 == -1",
    "7 / -2 == -3",
    "7 % -2 == 1",
    "-n / 2 == -3",
    "-n % 2 == -1",
    "0 - 2 * 3 == 0 - 6",
    "1 + 2 * 3 == 7",
    "(1 + 2) * 3 == 9",
    "10 - n == 3",
    "2 * n == 14",
    "n * 2 - m * 3 == 20",
    "(n + 1) * (m + 1) == -8",
    "-9223372036854775808 % -1 == 0",
    "(0 - 9223372036854775807 - 1) % (n - 8) == 0",
    "(n < m) == false ? ok : denied",
    "- (n) == -7",
    "n - (m - (n - (m - n))) == 25 - 0",
    // Doubles
    "x == 2.5",
    "x > y",
    "x + y == 2.0",
    "x - y == 3.0",
    "x * y == -1.25",
    "x / y == -5.0",
    "-x == -2.5",
    "1.0 / 4.0 == 0.25",
    "2.0 * x == 5.0",
    "10.0 - x == 7.5",
    "(x + 1.0) * (y + 1.0) == 1.75",
    "0.0 == -0.0",
    "!(x < 2.5)",
    "x <= 2.5",
    // Mixed
    "n > x",
    "x < n",
    "n == 7.0",
    "7 == n * 1",
    "x > 2",
    "2 < x",
    "x != 2",
    "y < 0",
    "m < y",
    "n + 0 > x + 0.0",
    "n >= 6.5",
    "(n > x) == (x < n)",
    // Strings
    "tool == \"read\"",
    "\"read\" == tool",
    "tool != path",
    "tool < \"reae\"",
    "\"a\" < tool",
    "tool <= \"read\"",
    "tool > path",
    "\"z\" > \"Z\"",
    "\"\u{ffff}\" < \"😀\"",
    "\"\" < \"a\"",
    "\"a\" < \"ab\"",
    "tool + \"!\" == \"read!\"",
    "\"a\" + tool == \"aread\"",
    "tool + path == \"read/etc/ssh/sshd.conf\"",
    "(tool + \"-\") + (path + \"-\") == tool + \"-\" + path + \"-\"",
    "tool + \"\" == tool",
    "empty + empty == \"\"",
    "tool + empty < tool + \"a\"",
    // Built-ins
    "size(\"c😀ü\") == 3",
    "size(tool) == 4",
    "size(tags) == 3",
    "size(host.labels) == 2",
    "size(tool_args) == 2",
    "size(spans) == 2",
    "size(spans[0]) == 1",
    "size([tool, \"b\"]) == 2",
    "size(tool + tool) == 8",
    "size([\"a\"]) > 0 && ok",
    "starts_with(path, \"/etc/\") && ends_with(path, \".conf\") && contains(path, \"ssh\")",
    "starts_with(path, \"\") && ends_with(path, \"\") && contains(path, \"\") && contains(empty, \"\")",
    "!starts_with(tool, \"READ\") && !contains(tool, \"x\") && !ends_with(tool, \"aread\")",
    "starts_with(arg_string(\"path\"), \"/etc\") && contains(\"a read\", tool) && starts_with(path, arg_string(\"x\"))",
    // In
    "tool in [\"a\", \"read\"]",
    "!(tool in [\"a\", \"b\"])",
    "\"ü\" in tags",
    "!(\"z\" in tags)",
    "tool in [path, tool]",
    "\"env\" in host.labels && !(\"prod\" in host.labels)",
    "\"path\" in tool_args",
    "\"kind\" in spans[0] && !(\"kind\" in spans[n - 6])",
    // Index
    "tags[0] == \"a\"",
    "tags[n - 5] == \"c😀\"",
    "host.labels[\"env\"] == \"prod\"",
];

#[test]
fn conditions_that_hold() {
    for source in TRUE {
        assert!(holds(source), "{source}");
        assert!(!holds(&format!("!({source})")), "!({source})");
        assert!(holds(&format!("({source}) == ok")), "({source}) == ok");
    }
}

#[test]
fn more_indices_and_calls() {
    for source in [
        "host.labels[\"te\" + \"am\"] == \"core\"",
        "host.labels[arg_string(\"none\") + \"env\"] == \"prod\"",
        "[tool, path][1] == path",
        "[\"a\", \"b\"][n - 6] == \"b\"",
        "[\"a\", \"b\"][1] == \"b\"",
        "\"kind\" in [spans[0], spans[1]][0]",
        "!(\"kind\" in [spans[0], spans[1]][1])",
        "size([tool_args][0]) == 2",
        "size([spans[0], tool_args]) == 2",
        "[tool + \"a\", tool + \"b\"][0] + [tool + \"c\"][0] == \"readareadc\"",
        "tool + \"b\" in [tool + \"a\", tool + \"b\"]",
        "[tags[0], tags[1]][size([tool, tool]) - 1] in [tags[1]]",
        "arg_string(\"path\") == path",
        "arg_string(tool) == \"\"",
        "arg_int(\"abc\") == 3",
        "arg_int(tool + path) > 4 && arg_int(\"abc\") < 4",
        "score(\"hate\") == 0.625",
        "score(tool) > 0",
        "is_even(2) && !is_even(n) && is_even(n + 1)",
        "is_even(m) == ok",
        "host.shout(tool) == \"READ!\"",
        "host.shout(host.shout(\"ä\")) == \"Ä!!\"",
        "host.shout(\"a\") in [\"A!\"] && ends_with(host.shout(\"a\"), \"!\")",
        "negated(denied) && negated(n < m) && !negated(ok)",
        "fire_count_of(\"RULE\") == 4",
        "fire_count_of((\"R\")) + 1 == 2 && fire_count_of(\"\") < 1",
        "5 > fire_count_of(\"RULE\")",
        "mode_of(\"quiet\") == \"quiet\" && mode_of(\"a\") in [\"a\"]",
        "fire_count_of('ns/R\\u0031') == 5",
        "tool in [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"read\", \"z\"]",
        "!(tool in [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"reads\", \"z\"])",
    ] {
        assert!(holds(source), "{source}");
    }
}

#[test]
fn raises_carry_the_place() {
    use RaiseKind::{
        DivisionByZero, Host, IndexOutOfRange, IntOverflow, KeyAbsent, NonFinite, WrongType,
    };
    let large = format!("{}.0", "9".repeat(308));
    let large_plus = format!("x + {large} * {large} > 0.0");
    let large_product = format!("{large} * {large}");
    let large_fact = format!("{large} * x > 0.0");
    let large_fact_product = format!("{large} * x");
    for (source, kind, place) in [
        ("10 / 0 > 0", DivisionByZero, "10 / 0"),
        ("10 % 0 == 0", DivisionByZero, "10 % 0"),
        ("n / (m + 2) == 0", DivisionByZero, "n / (m + 2)"),
        ("n % (m + 2) == 0", DivisionByZero, "n % (m + 2)"),
        ("1.0 / 0.0 > 0.0", DivisionByZero, "1.0 / 0.0"),
        ("1.0 / -0.0 > 0.0", DivisionByZero, "1.0 / -0.0"),
        ("0.0 / (x - 2.5) > 0.0", DivisionByZero, "0.0 / (x - 2.5)"),
        ("9223372036854775807 + 1 > 0", IntOverflow, "9223372036854775807 + 1"),
        ("n + 9223372036854775807 > 0", IntOverflow, "n + 9223372036854775807"),
        ("9223372036854775807 + n > 0", IntOverflow, "9223372036854775807 + n"),
        ("-9223372036854775808 - n < 0", IntOverflow, "-9223372036854775808 - n"),
        ("9223372036854775807 * (n) > 0", IntOverflow, "9223372036854775807 * (n)"),
        ("-9223372036854775808 / -1 > 0", IntOverflow, "-9223372036854775808 / -1"),
        ("-9223372036854775808 / (n - 8) > 0", IntOverflow, "-9223372036854775808 / (n - 8)"),
        ("-(-9223372036854775808) > 0", IntOverflow, "-(-9223372036854775808)"),
        (
            "-(n - 7 - 9223372036854775807 - 1) > 0",
            IntOverflow,
            "-(n - 7 - 9223372036854775807 - 1)",
        ),
        (&large_plus, NonFinite, &large_product),
        (&large_fact, NonFinite, &large_fact_product),
        ("tags[3] == \"\"", IndexOutOfRange, "tags[3]"),
        ("tags[-1] == \"\"", IndexOutOfRange, "tags[-1]"),
        ("tags[m] == \"\"", IndexOutOfRange, "tags[m]"),
        ("[\"a\"][1] == \"\"", IndexOutOfRange, "[\"a\"][1]"),
        ("[tool][1] == \"\"", IndexOutOfRange, "[tool][1]"),
        ("\"kind\" in spans[0 - 1]", IndexOutOfRange, "spans[0 - 1]"),
        ("size(spans[9223372036854775807]) == 0", IndexOutOfRange, "spans[9223372036854775807]"),
        ("host.labels[\"x\"] == \"\"", KeyAbsent, "host.labels[\"x\"]"),
        ("host.labels[tool] == \"\"", KeyAbsent, "host.labels[tool]"),
        (
            "ok && arg_string(\"fail\") == \"\"",
            Host("provider failed".to_owned()),
            "arg_string(\"fail\")",
        ),
        ("is_even(13)", WrongType, "is_even(13)"),
        ("score(\"nan\") > 1", WrongType, "score(\"nan\")"),
    ] {
        assert_eq!(raises(source), (kind, place), "{source}");
    }
}

#[test]
fn nothing_is_asked_that_the_left_side_decides() {
    for source in [
        "true || 1 / 0 == 0",
        "!(false && 1 / 0 == 0)",
        "ok || 1 / 0 == 0",
        "!(denied && 1 / 0 == 0)",
        "ok || arg_string(\"fail\") == \"\"",
        "\"x\" in host.labels ? host.labels[\"x\"] == \"\" : ok",
        "!(\"x\" in host.labels && host.labels[\"x\"] == \"\")",
        "ok ? ok : 1 / 0 == 0",
        "true ? ok : 1 / 0 == 0",
        "(denied && tags[9] == \"\") || ok",
        "(ok || tags[9] == \"\") && ok",
        "!((ok || tags[9] == \"\") && (denied && tags[9] == \"\"))",
    ] {
        assert!(holds(source), "{source}");
    }
    // The right side does not decide for the left side.
    for source in ["1 / 0 == 0 || true", "1 / 0 == 0 && false", "n / (m + 2) == 0 || ok"] {
        assert_eq!(raises(source).0, RaiseKind::DivisionByZero, "{source}");
    }
}

#[test]
fn a_double_that_is_not_finite_is_of_the_wrong_type() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let world = World { x: value, ..World::default() };
        for source in ["x > 1.0", "!(x > 1.0)", "x + 1.0 == 2.0", "1.0 - x == 0.0", "x == y"] {
            let raise = run(&load(source), &world).unwrap_err();
            assert_eq!(raise.kind, RaiseKind::WrongType, "{source}");
            assert_eq!(&source[raise.span.range()], "x", "{source}");
        }
    }
}
