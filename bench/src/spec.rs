//! The rules and inputs that every contender gets, and the truth about them.

use serde_json::{Value as Json, json};

/// One rule: it fires for its tool when the path starts with `prefix`, or when the command
/// contains `needle` and the risk is above 0.75.
#[derive(Clone, Debug)]
pub struct Spec {
    pub tool: String,
    pub prefix: String,
    pub needle: String,
}

/// What a host saw.
#[derive(Clone, Debug)]
pub struct Input {
    pub tool: String,
    pub path: String,
    pub command: String,
    pub risk: f64,
}

impl Spec {
    pub fn holds(&self, input: &Input) -> bool {
        input.path.starts_with(&self.prefix)
            || input.command.contains(&self.needle) && input.risk > 0.75
    }

    /// The condition in the language of rules.
    pub fn when(&self) -> String {
        format!(
            "starts_with(acme.path, '{}') || contains(acme.command, '{}') && acme.risk > 0.75",
            self.prefix, self.needle
        )
    }
}

/// The identifier of the rule with this number.
pub fn id(number: usize) -> String {
    format!("R{number:06}")
}

/// The number in an identifier, which may be qualified.
pub fn number(id: &str) -> u32 {
    id.bytes().filter(u8::is_ascii_digit).fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
}

/// `count` rules, `per_tool` on each tool.
pub fn rules(count: usize, per_tool: usize) -> Vec<Spec> {
    let spec = |number: usize| Spec {
        tool: format!("tool_{:05}", number / per_tool),
        prefix: format!("/srv/app{number:06}/"),
        needle: format!("wipe-{number:06}"),
    };
    (0..count).map(spec).collect()
}

/// A rule as a document.
pub fn document(number: usize, spec: &Spec) -> Json {
    json!({
        "oar": "1.0", "namespace": "bench", "id": id(number), "kind": "policy",
        "anchor": "tool.pre_invoke", "effect": "warn",
        "requires": {
            "profiles": ["tool"], "facts": ["acme.path", "acme.command", "acme.risk"]
        },
        "selector": {"tool": [spec.tool]}, "when": spec.when(),
    })
}

/// The rules as documents.
pub fn documents(specs: &[Spec]) -> Json {
    Json::Array(specs.iter().enumerate().map(|(number, spec)| document(number, spec)).collect())
}

/// A stream of documents in the style that people write.
pub fn yaml(specs: &[Spec]) -> String {
    let document = |(number, spec): (usize, &Spec)| {
        format!(
            "---\noar: \"1.0\"\nnamespace: bench\nid: {}\nkind: policy\nanchor: tool.pre_invoke\n\
             effect: warn\nrequires:\n  profiles: [tool]\n  facts: [acme.path, acme.command, \
             acme.risk]\nselector:\n  tool: [{}]\nwhen: >-\n  {}\n",
            id(number),
            spec.tool,
            spec.when()
        )
    };
    specs.iter().enumerate().map(document).collect()
}

/// A small, seeded generator, so that every run sees the same inputs.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 33) % bound as u64).unwrap_or(0)
    }
}

/// How often an input fires the rule that it was made for.
#[derive(Clone, Copy, Debug)]
pub enum Fires {
    Never,
    Tenth,
    /// Or seems to: a needle fires only where the risk is high.
    Half,
    Always,
}

/// Inputs, each made for a rule picked at random.
pub fn inputs(specs: &[Spec], count: usize, fires: Fires, seed: u64) -> Vec<Input> {
    let mut random = Random::new(seed);
    (0..count).map(|_| input(specs, fires, &mut random)).collect()
}

fn input(specs: &[Spec], fires: Fires, random: &mut Random) -> Input {
    let spec = &specs[random.below(specs.len())];
    let in_ten = match fires {
        Fires::Never => 0,
        Fires::Tenth => 1,
        Fires::Half => 5,
        Fires::Always => 10,
    };
    let hit = random.below(10) < in_ten;
    let by_path = random.below(2) == 0;
    let path = if hit && by_path { spec.prefix.as_str() } else { "/home/agent/work/" };
    let word = if hit && !by_path { spec.needle.as_str() } else { "release" };
    let risk = [0.25, 0.5, 0.8, 0.95][random.below(4)];
    Input {
        tool: spec.tool.clone(),
        path: format!("{path}src/module_{:03}/handler.rs", random.below(1000)),
        command: format!("git -C /tmp/build-{:04} push --force origin {word}", random.below(9999)),
        risk: if matches!(fires, Fires::Always) { 0.95 } else { risk },
    }
}

/// The numbers of the rules that fire, in order.
pub fn truth(specs: &[Spec], input: &Input) -> Vec<u32> {
    let fires = |(_, spec): &(usize, &Spec)| spec.tool == input.tool && spec.holds(input);
    let fired = specs.iter().enumerate().filter(fires);
    fired.map(|(number, _)| u32::try_from(number).unwrap_or(0)).collect()
}

/// The numbers that a [`Condition`] is about.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    pub a: i64,
    pub b: i64,
    pub c: i64,
    pub x: f64,
    pub flag: bool,
}

/// A condition over numbers; each contender has it in its own language.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// `a + b * 2 > 10 && x < 0.5 || c - 1 == 3 && !flag`: 20 nodes.
    Twenty,
    /// `a >= n`.
    AtLeast(i64),
}

impl Condition {
    pub fn holds(self, numbers: &Numbers) -> bool {
        let Numbers { a, b, c, x, flag } = *numbers;
        match self {
            Self::Twenty => a + b * 2 > 10 && x < 0.5 || c - 1 == 3 && !flag,
            Self::AtLeast(least) => a >= least,
        }
    }
}

/// Random numbers of which a fair part makes [`Condition::Twenty`] hold.
pub fn numbers(count: usize, seed: u64) -> Vec<Numbers> {
    let mut random = Random::new(seed);
    let mut draw = |bound| i64::try_from(random.below(bound)).unwrap_or(0);
    let mut one = || Numbers {
        a: draw(12),
        b: draw(6),
        c: draw(6),
        x: draw(10) as f64 / 10.0,
        flag: draw(2) == 0,
    };
    (0..count).map(|_| one()).collect()
}

/// The capability document of the host.
pub fn capability() -> Json {
    let core = [
        "tool.pre_invoke",
        "tool.handler",
        "tool.post_invoke",
        "agent.post_turn",
        "agent.finalize",
        "model.input",
        "model.output",
        "model.tool_result",
    ];
    let core: serde_json::Map<String, Json> =
        core.into_iter().map(|name| (name.to_owned(), name.into())).collect();
    let fact = |(name, ty): &(&str, &str)| json!({"name": format!("acme.{name}"), "type": ty});
    let facts = [
        ("path", "string"),
        ("command", "string"),
        ("risk", "double"),
        ("a", "int"),
        ("b", "int"),
        ("c", "int"),
        ("x", "double"),
        ("flag", "bool"),
        ("spans1", "list<map>"),
        ("spans2", "list<map>"),
        ("spans3", "list<map>"),
        ("spans4", "list<map>"),
        ("spans5", "list<map>"),
    ];
    json!({
        "oar_capability_version": "1.0", "host": "acme", "anchors": {"core": core},
        "profiles": ["tool", "session"], "activity_window": 8, "detectors": [],
        "expression_nodes_max": 256, "supports_transform": true,
        "host_facts": facts.iter().map(fact).collect::<Vec<_>>(),
    })
}
