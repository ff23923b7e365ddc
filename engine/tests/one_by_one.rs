//! Searching for literals first changes nothing but the time it takes.
//!
//! Two rule sets of the same documents decide the same occurrences, one of them evaluating every
//! selected rule. Decision, trace, failures, effects, counters, copy, and what the provider was
//! asked must be the same. `OAR_CASES=100000 cargo test --release -p oar-engine --test one_by_one`
//! runs more cases than the usual few; a case is one occurrence.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop where its own rules do not load"
)]

use std::sync::{Arc, Mutex};

use oar_engine::observe::{Detector, DetectorFailure};
use oar_engine::observe::{FactProvider, FactValue, Observations, ProviderFailure};
use oar_engine::{Host, Loader, Occurrence, RuleSet, Session, Source, ToolCall};
use serde_json::{Value as Json, json};

/// A small seeded generator.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 33) % bound as u64).unwrap()
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Literals that overlap, contain one another, are empty, or are not ASCII.
const LITERALS: [&str; 14] =
    ["", "a", "ab", "abc", "bc", "b", "/etc/", "/etc", "etc/p", "é", "éa", "rm -rf", "-rf", "x"];

fn literal(random: &mut Random) -> String {
    match random.below(4) {
        // Most of a long list of rules have literals of their own.
        0 => format!("{}{}", random.pick(&LITERALS), random.below(40)),
        1 => format!("{}{}", random.pick(&LITERALS), random.pick(&LITERALS)),
        _ => random.pick(&LITERALS).to_owned(),
    }
}

fn text(random: &mut Random) -> String {
    let parts = random.below(6);
    (0..parts).map(|_| literal(random)).collect()
}

fn subject(random: &mut Random) -> &'static str {
    random.pick(&[
        "acme.path",
        "acme.path",
        "acme.path",
        "acme.command",
        "acme.command",
        "tool",
        "tool_arg_string('x')",
        "tool_arg_string('x')",
        "acme.look('k')",
        "tool_args_fingerprint",
    ])
}

fn atom(random: &mut Random) -> String {
    let (own, text) = (subject(random), literal(random));
    match random.below(24) {
        0..6 => format!("contains({own}, '{text}')"),
        6..9 => format!("starts_with({own}, '{text}')"),
        9..11 => format!("ends_with({own}, '{text}')"),
        11..13 => format!("{own} == '{text}'"),
        13 => format!("{own} != '{text}'"),
        14 => format!("{own} in ['{text}', '{}']", literal(random)),
        15 => format!("{own} < '{text}'"),
        16 => "acme.risk > 0.5".to_owned(),
        17 => format!("acme.n / acme.m > {}", random.below(3)),
        18 => "acme.flag".to_owned(),
        19 if random.one_in(3) => format!("fire_count_of('R000') > {}", random.below(3)),
        19 => format!("fire_count > {}", random.below(2)),
        20 => format!("'{text}' in acme.tags"),
        21 if random.one_in(2) => format!("content_length > {}", random.below(8)),
        21 => format!("size(acme.path) > {}", random.below(8)),
        22 => format!("contains(acme.path + acme.command, '{text}')"),
        _ => format!("acme.n == {}", random.below(3)),
    }
}

fn condition(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.one_in(3) {
        return atom(random);
    }
    let mut part = || condition(random, depth - 1);
    let (left, right) = (part(), part());
    match random.below(9) {
        0..4 => format!("({left} && {right})"),
        4..6 => format!("({left} || {right})"),
        6 => format!("!({left})"),
        7 => format!("({left} ? {right} : {})", atom(random)),
        _ => format!("({left} || {right}) && {}", atom(random)),
    }
}

/// A condition that cannot hold without a literal of its own: the search finds such rules.
fn guarded(random: &mut Random) -> String {
    let mut test = || {
        let own = random.pick(&["acme.path", "acme.command", "tool_arg_string('x')"]);
        let text = match random.below(4) {
            0 => random.pick(&LITERALS).to_owned(),
            _ => format!("{}{}", random.pick(&LITERALS), random.below(40)),
        };
        match random.below(8) {
            0 => format!("starts_with({own}, '{text}')"),
            1 => format!("ends_with({own}, '{text}')"),
            2 => format!("{own} == '{text}'"),
            3 => format!("{own} in ['{text}', '{}']", random.below(40)),
            _ => format!("contains({own}, '{text}')"),
        }
    };
    let (one, other) = (test(), test());
    match random.below(4) {
        0 => format!("{one} || {other}"),
        1 => format!("({one} || {other}) && {}", condition(random, 1)),
        2 => format!("{one} && {}", condition(random, 2)),
        _ => one,
    }
}

fn rule(number: usize, count: usize, searched: bool, random: &mut Random) -> Json {
    let mut rule = json!({
        "oar": "1.0", "namespace": "t", "id": format!("R{number:03}"),
        "kind": random.pick(&["policy", "policy", "schema", "invariant"]), "anchor": "tool.pre_invoke",
        "effect": random.pick(&["warn", "warn", "nudge", "allow", "allow", "allow"]),
        "requires": {"profiles": ["tool", "content"], "facts": ["acme.path", "acme.command", "acme.look",
            "acme.risk", "acme.n", "acme.m", "acme.flag", "acme.tags"]},
    });
    let own = rule.as_object_mut().unwrap();
    let mut set = |name: &str, value: Json| own.insert(name.to_owned(), value);
    match random.below(6) {
        0 => {}
        1 => drop(set("selector", json!({"tool": ["t0", "t1"]}))),
        2 => {
            drop(set("selector", json!({"tool": ["t0"], "acme.path": ["a", "b", "/etc/", "abc"]})))
        }
        _ => drop(set("selector", json!({"tool": ["t0"]}))),
    }
    if searched && !random.one_in(12) {
        set("when", guarded(random).into());
    } else if !random.one_in(30) {
        set("when", condition(random, 3).into());
    }
    if random.one_in(60) {
        set("effect", "block".into());
    }
    if random.one_in(8) {
        set("enforcement", random.pick(&["monitor", "monitor", "off"]).into());
    }
    if !random.one_in(4) {
        set("on_error", "fail_open".into());
    }
    if random.one_in(6) {
        set("on_fire", json!(["increment_counter", "publish_event"]));
    }
    if random.one_in(6) {
        set("copy", json!({"what": "{{ acme.path }} at {{ acme.risk }}"}));
    }
    // Where rules are put into another order, nothing is searched.
    if random.one_in(if searched { 400 } else { 10 }) && number + 1 < count {
        let target = number + 1 + random.below(count - number - 1);
        set("overrides", json!([format!("R{target:03}")]));
    }
    if random.one_in(20) {
        set("flow", json!(["t0"]));
    }
    if random.one_in(20) {
        set("kind", "detector".into());
        set("detector", json!({"ref": "detector://path"}));
    }
    rule
}

fn capability() -> Json {
    let core: serde_json::Map<String, Json> = [
        "tool.pre_invoke",
        "tool.handler",
        "tool.post_invoke",
        "agent.post_turn",
        "agent.finalize",
        "model.input",
        "model.output",
        "model.tool_result",
    ]
    .iter()
    .map(|name| ((*name).to_owned(), (*name).into()))
    .collect();
    json!({
        "oar_capability_version": "1.0", "host": "acme", "anchors": {"core": core},
        "profiles": ["tool", "content"], "activity_window": 4, "detectors": ["detector://path"],
        "expression_nodes_max": 1024, "supports_transform": false,
        "host_facts": [
            {"name": "acme.path", "type": "string"}, {"name": "acme.command", "type": "string"},
            {"name": "acme.look", "type": "(string) -> string"},
            {"name": "acme.risk", "type": "double"}, {"name": "acme.n", "type": "int"},
            {"name": "acme.m", "type": "int"}, {"name": "acme.flag", "type": "bool"},
            {"name": "acme.tags", "type": "list<string>"},
        ],
    })
}

/// Answers by name, sometimes with a failure or a value of the wrong type, and notes each question.
struct Asked {
    seed: usize,
    log: Arc<Mutex<Vec<String>>>,
}

impl Asked {
    fn answer(&self, question: String, right: Json) -> Result<Option<FactValue>, ProviderFailure> {
        let turn = question.len() + self.seed;
        self.log.lock().unwrap().push(question);
        match turn % 7 {
            0 => Err(ProviderFailure::new("it is away")),
            1 => Ok(None),
            2 => Ok(Some(FactValue::Untyped)),
            _ => Ok(Some(right.into())),
        }
    }
}

impl FactProvider for Asked {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        let right = match name {
            "acme.risk" => json!(0.75),
            "acme.n" | "acme.m" => json!(2),
            "acme.flag" => json!(true),
            "acme.tags" => json!(["a", "x"]),
            _ => json!("/etc/abc"),
        };
        self.answer(name.to_owned(), right)
    }

    fn call(
        &self,
        name: &str,
        argument: oar_expr::Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        let right = if name == "tool_arg_int" { json!(1) } else { json!("abc") };
        self.answer(format!("{name}({argument:?})"), right)
    }
}

/// Reports a path, or fails.
struct Path(usize);

impl Detector for Path {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        match self.0 % 5 {
            0 => Err(DetectorFailure::new("it is blind")),
            _ => Ok(Observations::new().with("acme.path", "abc/etc/")),
        }
    }
}

fn supply(occurrence: &mut Occurrence<'_>, random: &mut Random) {
    let mut set = |name: &str, right: Json, random: &mut Random| {
        if random.one_in(4) {
            return;
        }
        let value = if random.one_in(40) { json!({"wrong": 1}) } else { right };
        occurrence.fact(name, value).unwrap();
    };
    let (path, command) = (text(random), text(random));
    set("acme.path", path.into(), random);
    set("acme.command", command.into(), random);
    let numbers = (random.below(3), random.below(3));
    set("acme.n", numbers.0.into(), random);
    set("acme.m", numbers.1.into(), random);
    set("acme.risk", json!(0.4 + numbers.1 as f64 / 5.0), random);
    set("acme.flag", (numbers.0 == 0).into(), random);
    set("acme.tags", json!(["a", "abc"]), random);
    if random.one_in(3) {
        let result = text(random);
        set("acme.look", result.into(), random);
    }
    if random.one_in(8) {
        let argument = text(random);
        set("tool_arg_string", argument.into(), random);
    }
}

/// Everything that an occurrence left behind, as text.
fn left(host: &Host, session: &mut Session, occurrence: &Occurrence<'_>) -> String {
    let outcome = host.decide(session, occurrence);
    let trace: Vec<String> =
        outcome.trace().map(|entry| format!("{entry} {:?}", entry.failure)).collect();
    let advisories: Vec<String> =
        outcome.advisories().map(|own| format!("{} {:?}", own.rule, own.copy)).collect();
    let fired: Vec<&str> = outcome.fired().collect();
    format!("{:#?}\n{trace:#?}\n{advisories:#?}\n{fired:?}", outcome.report())
}

fn set_of(rules: &[Json], one_by_one: bool) -> RuleSet {
    let loader = Loader::new(Source::value("capability", capability()))
        .rules(Source::value("rules", Json::Array(rules.to_vec())));
    let loader = if one_by_one { loader.one_by_one() } else { loader };
    loader.load().unwrap_or_else(|error| panic!("{error}")).rules
}

#[test]
fn the_search_for_literals_changes_nothing() {
    let cases = std::env::var("OAR_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases: usize = cases.unwrap_or(600);
    let seed = std::env::var("OAR_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1_u64);
    let (mut done, mut round) = (0, 0_u64);
    let (mut fired, mut errored, mut passed) = (0, 0, 0);
    let (mut searches, mut fired_in_searches) = (0, 0);
    while done < cases {
        round += 1;
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(round));
        let count = 20 + random.below(60);
        // The conditions of half of the sets are such that most rules need not be evaluated.
        let searched = round % 2 == 0;
        let rules: Vec<Json> = (0..count).map(|n| rule(n, count, searched, &mut random)).collect();
        let sets = [set_of(&rules, false), set_of(&rules, true)];
        let log = Arc::new(Mutex::new(Vec::new()));
        let provider_seed = random.below(100);
        let with_provider = random.one_in(3);
        let hosts = [(); 2].map(|()| {
            let host = Host::new().detector("detector://path", Path(provider_seed));
            let asked = Asked { seed: provider_seed, log: Arc::clone(&log) };
            if with_provider { host.provider(asked) } else { host }
        });
        let mut sessions = [Session::new("s"), Session::new("s")];
        for _ in 0..10 {
            let state = random.0;
            let mut results = Vec::new();
            for ((set, host), session) in sets.iter().zip(&hosts).zip(&mut sessions) {
                // The same draw for both.
                random.0 = state;
                let argument = text(&mut random);
                let arguments = json!({"x": argument, "huge": 1e300});
                let Json::Object(arguments) = arguments else { unreachable!() };
                let mut occurrence = set.occurrence("tool.pre_invoke").unwrap();
                if !random.one_in(5) {
                    let tool = random.pick(&["t0", "t0", "t1"]);
                    occurrence.tool_call(ToolCall::new(tool, &arguments));
                }
                supply(&mut occurrence, &mut random);
                let before = oar_engine::decide::searches();
                let left = left(host, session, &occurrence);
                if oar_engine::decide::searches() > before {
                    searches += 1;
                    fired_in_searches += left.matches(":fired").count();
                }
                let asked = std::mem::take(&mut *log.lock().unwrap());
                results.push((left, asked));
            }
            assert_eq!(results[0], results[1], "round {round} of seed {seed}");
            fired += results[0].0.matches(":fired").count();
            errored += results[0].0.matches(":errored").count();
            passed += results[0].0.matches(":passed").count();
            done += 1;
        }
    }
    // A comparison of nothing with nothing would hold, too.
    assert!(
        fired > done / 2 && errored > done / 50 && passed > 10 * done,
        "{fired} {errored} {passed} {searches} {fired_in_searches}"
    );
    // Nor would one of the same way with itself.
    assert!(
        searches > done / 12 && fired_in_searches > searches,
        "of {done} cases {searches} were searched, where {fired_in_searches} rules fired"
    );
}
