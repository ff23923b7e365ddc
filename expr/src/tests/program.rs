//! What a program tells about itself, what it asks of the host, and what it costs.

use super::{FACTS, Lender, NAMES, World, load};
use crate::program::Instruction;
use crate::{
    Error, Host, Matcher, Program, Raise, RaiseKind, Scalar, Stack, Subject, UseKind, Value,
};

fn asked(source: &str) -> Vec<String> {
    let (program, world) = (load(source), World::default());
    let mut host = Lender { world: &world, program: &program, asked: Vec::new() };
    program.evaluate(&mut host, &mut Stack::new()).unwrap();
    host.asked
}

#[test]
fn the_host_is_asked_from_left_to_right() {
    for (source, names) in [
        ("true", &[][..]),
        ("n < m || x > y", &["n", "m", "x", "y"]),
        ("ok && denied && ok", &["ok", "denied"]),
        ("denied || ok || ok", &["denied", "ok"]),
        ("!(denied || ok) || denied", &["denied", "ok", "denied"]),
        ("ok ? denied : n == 1", &["ok", "denied"]),
        ("denied ? ok : n == 1", &["denied", "n"]),
        ("true ? ok : denied", &["ok"]),
        ("tool in [path, empty]", &["tool", "path", "empty"]),
        ("tags[n - 7] == tool", &["tags", "n", "tool"]),
        ("n * 2 + m * 3 > n", &["n", "m", "n"]),
        ("arg_string(tool) == path", &["tool", "arg_string", "path"]),
        ("starts_with(path, tool) || contains(tool, \"e\")", &["path", "tool", "tool"]),
        ("fire_count_of(\"a\") > 0 && fire_count_of(\"b\") > 0", &["reference a", "reference b"]),
        ("\"a\" == tool && 7 == n", &["tool"]),
        ("false && n == 1", &[]),
    ] {
        assert_eq!(asked(source), names, "{source}");
    }
}

#[test]
fn uses_are_all_names_in_source_order() {
    let source =
        "host.shout(arg_string(\"x\")) == tool && (true || denied ? n : n) > fire_count_of(\"R\")";
    let program = load(source);
    let uses: Vec<(UseKind, u32, &str)> =
        program.uses().iter().map(|u| (u.kind, u.slot, &source[u.span.range()])).collect();
    assert_eq!(
        uses,
        [
            (UseKind::Function, 4, "host.shout"),
            (UseKind::Function, 0, "arg_string"),
            (UseKind::Fact, 0, "tool"),
            (UseKind::Fact, 7, "denied"),
            (UseKind::Fact, 2, "n"),
            (UseKind::Fact, 2, "n"),
            (UseKind::Reference, 0, "fire_count_of"),
        ]
    );
    assert_eq!(load("false && n == 1").uses().len(), 1);
}

#[test]
fn references_are_all_calls_with_their_literal() {
    let source = "fire_count_of((\"a\\u0062\")) > 0 || false && mode_of('') == \"x\"";
    let program = load(source);
    let references: Vec<(u32, &str, &str, &str)> = program
        .references()
        .iter()
        .map(|r| (r.slot, &*r.argument, &source[r.span.range()], &source[r.argument_span.range()]))
        .collect();
    assert_eq!(
        references,
        [(0, "ab", "fire_count_of((\"a\\u0062\"))", "\"a\\u0062\""), (1, "", "mode_of('')", "''"),]
    );
}

#[test]
fn constants_fold() {
    for (source, constant) in [
        ("true", Some(true)),
        ("1 + 1 == 3", Some(false)),
        ("\"a\" + \"b\" == \"ab\"", Some(true)),
        ("(\"a\" + \"b\") + (\"c\" + 'd') == 'abcd'", Some(true)),
        ("false && ok", Some(false)),
        ("true || ok", Some(true)),
        ("ok && false", None),
        ("true && ok", None),
        ("true ? false : ok", Some(false)),
        ("size(\"abc\") == 3 && size([\"a\"]) == 1", Some(true)),
        ("\"a\" in [\"b\", \"a\"] && [\"a\", \"b\"][1] == \"b\"", Some(true)),
        (
            "starts_with(\"abc\", \"ab\") && !ends_with(\"abc\", \"ab\") && contains(\"abc\", \"b\")",
            Some(true),
        ),
        ("1 / 0 == 0", None),
        ("false && 1 / 0 == 0", Some(false)),
        ("[\"a\"][1] == \"\"", None),
        ("1 < 1.5 && -1.5 < -1", Some(true)),
    ] {
        let program = load(source);
        assert_eq!(program.constant(), constant, "{source}");
        if let Some(value) = constant {
            assert_eq!(*program.code, [Instruction::Flag(value)], "{source}");
        }
    }
}

#[test]
fn common_shapes_are_one_instruction() {
    for source in [
        "tool == \"read\"",
        "\"read\" != tool",
        "tool in [\"a\", \"b\"]",
        "!(tool in [\"a\", \"b\"])",
        "starts_with(tool, \"a\")",
        "!ends_with(tool, \"a\")",
        "contains(tool, \"a\" + \"b\")",
        "n > 5",
        "!(5 > n)",
        "x >= 0.7",
        "x > 1",
        "size(tags) > 0",
        "0 < size(tool)",
        "\"key\" in tool_args",
        "!(\"a\" in tags)",
        "ok",
        "!ok",
        "ok == false",
        "fire_count_of(\"R\") >= 5",
        "(true && (n < 1 + 1) && !false) || false && ok",
    ] {
        let code = load(source).code;
        assert_eq!(code.len(), 1, "{source}: {code:?}");
    }
    assert_eq!(load("starts_with(arg_string(\"path\"), \"/\")").code.len(), 2);
    // One jump for each `&&`, each straight to the end.
    let program = load("ok && ok && ok && ok");
    let jumps = program.code.iter().filter(|i| matches!(i, Instruction::JumpIf { target: 7, .. }));
    assert_eq!((program.code.len(), jumps.count()), (7, 3));
}

#[test]
fn programs_are_small() {
    assert_eq!(size_of::<Instruction>(), 16);
    assert!(size_of::<Program>() <= 128, "{}", size_of::<Program>());
    assert!(size_of::<Error>() <= 128, "{}", size_of::<Error>());
    for (source, bytes) in [
        ("tool == \"read\" && starts_with(arg_string(\"path\"), \"/etc/\")", 200),
        ("\"path\" in tool_args && !starts_with(arg_string(\"path\"), \"/workspace/\")", 200),
        ("tool in [\"rm\", \"mv\", \"cp\", \"dd\"] && contains(path, \"..\") && n > 3", 300),
    ] {
        let used = load(source).heap_bytes();
        assert!(used <= bytes, "{source}: {used}");
    }
}

#[test]
fn a_stack_is_used_again() {
    let world = World::default();
    let mut stack = Stack::new();
    let sources = [
        "(tool + path) + (path + tool) != [tool, path][0] + (tool + \"x\")",
        "n - (m - (n - (m - n))) == 25",
        "tool in [path, tool]",
    ];
    let programs: Vec<Program> = sources.into_iter().map(load).collect();
    let mut room = None;
    for _ in 0..3 {
        for program in &programs {
            let mut host = Lender { world: &world, program, asked: Vec::new() };
            assert_eq!(program.evaluate(&mut host, &mut stack), Ok(true));
        }
        let capacities = stack.capacities();
        assert!(capacities.iter().all(|capacity| *capacity > 0));
        assert_eq!(*room.get_or_insert(capacities), capacities);
    }
    // Nothing is left over from a run that raised in the middle.
    let failing = load("tool + path == tool + [tool][1]");
    let mut host = Lender { world: &world, program: &failing, asked: Vec::new() };
    assert!(failing.evaluate(&mut host, &mut stack).is_err());
    let mut host = Lender { world: &world, program: &programs[2], asked: Vec::new() };
    assert_eq!(programs[2].evaluate(&mut host, &mut stack), Ok(true));
}

/// Breaks every promise: each value is of the wrong type.
struct Liar;

impl Host<'static> for Liar {
    type Error = ();
    fn fact(&mut self, slot: u32) -> Result<Value<'static>, ()> {
        Ok(if FACTS[slot as usize].1 == crate::Type::Int {
            Value::Bool(true)
        } else {
            Value::Int(1)
        })
    }
    fn call(&mut self, slot: u32, _: Value<'_>) -> Result<Scalar<'static>, ()> {
        let int = super::FUNCTIONS[slot as usize].1 == crate::Type::Int;
        Ok(if int { Scalar::Bool(true) } else { Scalar::Int(1) })
    }
    fn reference(&mut self, _: u32) -> Result<Value<'static>, ()> {
        Ok(Value::Bool(true))
    }
}

#[test]
fn a_host_that_breaks_its_promise_raises() {
    let conditions = [
        "@ok",
        "@tool == \"a\"",
        "@tool in [\"a\"]",
        "@tool == @path",
        "@tool + \"a\" == \"b\"",
        "@n == 1",
        "@n + 1 == 1",
        "1 + @n == 1",
        "@n - @m == 1",
        "2 - @m == 1",
        "@x > 1.0",
        "@x > 1",
        "1.0 - @x > 0.0",
        "\"a\" in @tags",
        "\"a\" in @host.labels",
        "\"a\" in @tool_args",
        "size(@spans) > 0",
        "size(@tool) > 0",
        "@tags[0] == \"a\"",
        "size(@tags) + 1 == 1",
        "@fire_count_of(\"a\") > 0",
        "@fire_count_of(\"a\") + 1 > 0",
        "@mode_of(\"a\") == \"a\"",
        "@arg_string(\"a\") == \"a\"",
        "@arg_int(\"a\") == 1",
        "@score(\"a\") > 1",
        "@is_even(2)",
        "@negated(true)",
        "@host.shout(\"a\" + \"b\") in [\"a\"]",
    ];
    for marked in conditions {
        let start = marked.find('@').unwrap();
        let source = marked.replace('@', "");
        let program = load(&source);
        let raise: Raise<()> = program.evaluate(&mut Liar, &mut Stack::new()).unwrap_err();
        assert_eq!(raise.kind, RaiseKind::WrongType, "{source}");
        assert_eq!(raise.span.start as usize, start, "{source}");
        let name = &source[raise.span.range()];
        let name = name.split('(').next().unwrap();
        assert!(
            FACTS.iter().any(|(fact, _)| *fact == name)
                || NAMES.contains(&name)
                || name.ends_with("_of"),
            "{source}: {name}"
        );
    }
}

#[test]
fn string_tests_tell_what_a_condition_needs() {
    let show = |source: &str| -> Vec<String> {
        let program = load(source);
        let tests = program.string_tests().map(|test| {
            let subject = match test.subject {
                Subject::Fact(slot) => FACTS[slot as usize].0.to_owned(),
                Subject::Call { slot, argument } => format!("{}({argument})", NAMES[slot as usize]),
            };
            let matcher = match &test.matcher {
                Matcher::Equals(text) => format!("= {text}"),
                Matcher::StartsWith(text) => format!("^ {text}"),
                Matcher::EndsWith(text) => format!("$ {text}"),
                Matcher::Contains(text) => format!("* {text}"),
                Matcher::OneOf(list) => format!("in {}", list.iter().collect::<Vec<_>>().join(" ")),
            };
            let negated = if test.negated { "not " } else { "" };
            let required = if test.required { "must " } else { "" };
            format!("{required}{negated}{subject} {matcher}")
        });
        tests.collect()
    };
    for (source, expected) in [
        ("tool == \"a\"", &["must tool = a"][..]),
        ("tool != \"a\"", &["must not tool = a"]),
        ("!(tool != \"a\")", &["must tool = a"]),
        ("tool < \"a\"", &[]),
        ("ok && starts_with(path, \"/\")", &["must path ^ /"]),
        ("tool == \"a\" && ok", &["must tool = a"]),
        ("tool == \"a\" || ok", &["tool = a"]),
        ("ok || tool == \"a\"", &["tool = a"]),
        (
            "tool in [\"a\", \"b\"] && (ok || ends_with(path, \"c\")) && !contains(arg_string(\"x\"), \"d\")",
            &["must tool in a b", "path $ c", "must not arg_string(x) * d"],
        ),
        (
            "(tool == \"a\" || tool == \"b\") && path == \"c\"",
            &["tool = a", "tool = b", "must path = c"],
        ),
        (
            "(tool == \"a\" && path == \"b\") || path == \"c\"",
            &["tool = a", "path = b", "path = c"],
        ),
        ("!(tool == \"a\" || path == \"b\")", &["must not tool = a", "must not path = b"]),
        ("!(tool == \"a\" && path == \"b\")", &["not tool = a", "not path = b"]),
        ("ok ? tool == \"a\" : tool == \"b\"", &["tool = a", "tool = b"]),
        (
            "(ok ? tool == \"a\" : tool == \"b\") && path == \"c\"",
            &["tool = a", "tool = b", "must path = c"],
        ),
        ("(tool == \"a\") == ok", &["tool = a"]),
        ("arg_string(\"x\") in [\"a\"] && tool + \"b\" == \"ab\"", &["must arg_string(x) in a"]),
    ] {
        assert_eq!(show(source), expected, "{source}");
    }
}

/// A literal needs no instruction of its own, on whichever side it stands.
#[test]
fn literals_are_part_of_an_instruction() {
    for (source, as_short_as) in [
        ("2.0 * x > 1.0", "x * 2.0 > 1.0"),
        ("0.5 + x > 1.0", "x + 0.5 > 1.0"),
        ("tags[0] == 'a'", "host.labels['a'] == 'a'"),
    ] {
        assert_eq!(load(source).code.len(), load(as_short_as).code.len(), "{source}");
    }
    assert!(load("tags[n] == 'a'").code.len() > load("tags[0] == 'a'").code.len());
}

/// Sets are searched by halves from nine members on; below, their order is of no account.
#[test]
fn a_set_of_any_size_has_its_members() {
    for size in [1, 7, 8, 9, 40] {
        let members: Vec<String> = (0..size).rev().map(|member| format!("m{member:02}")).collect();
        let listed: Vec<String> = members.iter().map(|member| format!("'{member}'")).collect();
        let program = load(&format!("tool in [{}]", listed.join(", ")));
        for text in members.iter().map(String::as_str).chain(["m", "m0", "m99", ""]) {
            let world = World { tool: text.to_owned(), ..World::default() };
            let mut host = Lender { world: &world, program: &program, asked: Vec::new() };
            let found = program.evaluate(&mut host, &mut Stack::new()).unwrap();
            assert_eq!(found, members.iter().any(|member| member == text), "{text} of {size}");
        }
    }
}
