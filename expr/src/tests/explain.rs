//! What an explanation says of every part, and that it comes to what the program comes to.

use super::differential::{Random, expression, worlds};
use super::{Declared, Lender, World, limits, load};
use crate::{CameTo, Explanation, RaiseKind, Seen, Stack, Type, explain};

fn explained(source: &str, world: &World) -> Explanation<String> {
    let program = load(source);
    let mut host = Lender { world, program: &program, asked: Vec::new() };
    explain(source, &Declared, &limits(), &mut host).expect("it loads")
}

/// Each part with what it came to, in the order of the text.
fn parts(source: &str) -> Vec<String> {
    let explained = explained(source, &World::default());
    let mut steps: Vec<_> = explained.steps().collect();
    steps.sort_by_key(|(span, ..)| (span.start, std::cmp::Reverse(span.end)));
    let part = |(span, _, came_to): &(crate::Span, _, &CameTo<String>)| {
        let came_to = match came_to {
            CameTo::Value(seen) => seen.to_string(),
            CameTo::Skipped => "skipped".to_owned(),
            CameTo::Raised(kind) => format!("raised: {kind}"),
            CameTo::Unfinished => "unfinished".to_owned(),
        };
        format!("{}: {came_to}", &source[span.range()])
    };
    steps.iter().map(part).collect()
}

#[test]
fn every_part_has_its_value() {
    assert_eq!(
        parts("n > 3 && path in tags"),
        [
            "n > 3 && path in tags: false",
            "n > 3: true",
            "n: 7",
            "3: 3",
            "path in tags: false",
            "path: \"/etc/ssh/sshd.conf\"",
            "tags: [\"a\", \"ü\", \"c😀\"]",
        ]
    );
    assert_eq!(
        parts("size(spans) == size(tool_args) && x == 2.5"),
        [
            "size(spans) == size(tool_args) && x == 2.5: true",
            "size(spans) == size(tool_args): true",
            "size(spans): 2",
            "spans: list of 2 maps",
            "size(tool_args): 2",
            "tool_args: map of 2 members",
            "x == 2.5: true",
            "x: 2.5",
            "2.5: 2.5",
        ]
    );
}

#[test]
fn what_is_passed_over_is_skipped() {
    assert_eq!(parts("ok || denied"), ["ok || denied: true", "ok: true", "denied: skipped"]);
    assert_eq!(
        parts("denied ? ok : !ok"),
        ["denied ? ok : !ok: false", "denied: false", "ok: skipped", "!ok: false", "ok: true"]
    );
}

#[test]
fn a_raise_stands_at_its_part() {
    assert_eq!(
        parts("n / 0 == 1 || ok"),
        [
            "n / 0 == 1 || ok: unfinished",
            "n / 0 == 1: unfinished",
            "n / 0: raised: division by zero",
            "n: 7",
            "0: 0",
            "1: skipped",
            "ok: skipped",
        ]
    );
    // What a raise ends inside of a subscript or of what it is taken from.
    for (source, index) in
        [("[tool, path][n / 0] == tool", "[tool, path][n / 0]"), ("[tool][n] == tool", "[tool][n]")]
    {
        let all = parts(source);
        let raised = all.iter().filter(|part| part.contains(": raised: ")).count();
        let word = if index.contains('/') { "unfinished" } else { "raised: " };
        assert_eq!(raised, 1, "{all:?}");
        assert!(all.iter().any(|part| part.starts_with(&format!("{index}: {word}"))), "{all:?}");
        assert!(all.iter().any(|part| *part == format!("{source}: unfinished")), "{all:?}");
    }
}

#[test]
fn strings_are_shown_as_the_language_writes_them() {
    let seen = Seen::String("a\"\\\n\u{7}".to_owned());
    assert_eq!(seen.to_string(), r#""a\"\\\n\u0007""#);
}

#[test]
fn it_agrees_with_the_program_and_asks_for_the_same() {
    let worlds = worlds();
    let (mut values, mut faults) = ([0u32; 2], 0u32);
    for seed in 1..=3000u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let depth = 1 + random.below(4);
        let source = expression(&mut random, Type::Bool, depth);
        let program = load(&source);
        for world in &worlds {
            let mut host = Lender { world, program: &program, asked: Vec::new() };
            let expected = program.evaluate(&mut host, &mut Stack::new());
            let mut other = Lender { world, program: &program, asked: Vec::new() };
            let explained = explain(&source, &Declared, &limits(), &mut other).expect("it loads");
            let found = explained.result().map_err(|(span, kind)| (span, kind.clone()));
            let expected = expected.map_err(|raise| (raise.span, raise.kind));
            assert_eq!(found, expected, "seed {seed}: {source}");
            // The program does not ask for what a constant makes superfluous, nor does it ask
            // again for what an instruction already holds.
            assert!(
                host.asked.iter().all(|name| other.asked.contains(name)),
                "seed {seed}: {source}: {:?} {:?}",
                host.asked,
                other.asked
            );
            match found {
                Ok(value) => values[usize::from(value)] += 1,
                Err(_) => faults += 1,
            }
        }
    }
    assert!(values[0] > 500 && values[1] > 500 && faults > 500, "{values:?} {faults}");
}

#[test]
fn references_are_asked_for_by_their_number() {
    assert_eq!(
        parts("fire_count_of('abc') == 3"),
        ["fire_count_of('abc') == 3: true", "fire_count_of('abc'): 3", "'abc': skipped", "3: 3"]
    );
    let explained = explained("arg_string('fail') == ''", &World::default());
    let (_, kind) = explained.result().expect_err("the provider fails");
    assert_eq!(*kind, RaiseKind::Host("provider failed".to_owned()));
}

/// A condition may be as deep as its length allows.
#[test]
fn depth_costs_no_stack() {
    let depth = 20_000;
    let source = format!("{}ok{}", "!(".repeat(depth), ")".repeat(depth));
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let result = small.spawn(move || explained(&source, &World::default()).result() == Ok(true));
    assert!(result.expect("a thread").join().expect("no overflow"));
}
