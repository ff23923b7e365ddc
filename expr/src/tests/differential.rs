//! Random conditions, evaluated by the program and by a slow evaluator that walks the tree.
//!
//! The slow one shares no code with the fast one beyond the parser: it recurses, computes ints in
//! 128 bits and text in vectors of characters, and must agree on values, raises and their places.

use super::{Declared, Lender, Members, World, load, run};
use crate::Map as _;
use crate::program::Instruction;
use crate::{
    Ast, BinaryOperator, Limits, Member, NodeId, NodeKind, Programs, RaiseKind, Scalar, Span,
    Stack, Type, UnaryOperator, Value, compile, parse,
};

/// A small generator of numbers (xorshift); the seed of a failure is in its message.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'p>(&mut self, options: &[&'p str]) -> &'p str {
        options[self.below(options.len())]
    }
}

/// A random expression of the type, in parentheses where it could group otherwise.
pub(super) fn expression(random: &mut Random, ty: Type, depth: usize) -> String {
    if depth == 0 || random.below(12) == 0 {
        return leaf(random, ty).to_owned();
    }
    let depth = depth - 1;
    if random.below(9) == 0 {
        let condition = expression(random, Type::Bool, depth);
        let (first, second) = (expression(random, ty, depth), expression(random, ty, depth));
        return format!("(({condition}) ? ({first}) : ({second}))");
    }
    let part = |random: &mut Random, ty: Type| format!("({})", expression(random, ty, depth));
    let pair = |random: &mut Random, left: Type, operator: &str, right: Type| {
        format!("{} {operator} {}", part(random, left), part(random, right))
    };
    match ty {
        Type::Bool => {
            let equality = random.pick(&["==", "!="]);
            let order = random.pick(&["==", "!=", "<", "<=", ">", ">="]);
            match random.below(16) {
                0 | 1 => pair(random, Type::Bool, "&&", Type::Bool),
                2 | 3 => pair(random, Type::Bool, "||", Type::Bool),
                4 => format!("!{}", part(random, Type::Bool)),
                5 => pair(random, Type::Bool, equality, Type::Bool),
                6 => pair(random, Type::Int, order, Type::Int),
                7 => pair(random, Type::Double, order, Type::Double),
                8 => pair(random, Type::Int, order, Type::Double),
                9 => pair(random, Type::Double, order, Type::Int),
                10 => pair(random, Type::String, order, Type::String),
                11 => {
                    let function = random.pick(&["starts_with", "ends_with", "contains"]);
                    let text = part(random, Type::String);
                    format!("{function}({text}, {})", part(random, Type::String))
                }
                12 => pair(random, Type::String, "in", Type::StringList),
                13 => pair(random, Type::String, "in", Type::Map),
                14 => pair(random, Type::String, "in", Type::StringMap),
                _ if random.below(2) == 0 => format!("is_even({})", part(random, Type::Int)),
                _ => format!("negated({})", part(random, Type::Bool)),
            }
        }
        Type::Int => match random.below(8) {
            0 => {
                let inner = random.pick(&["tool", "tags", "spans", "host.labels", "tool_args"]);
                format!("size({inner})")
            }
            1 => format!("size({})", expression(random, Type::StringList, depth)),
            2 => format!("arg_int({})", expression(random, Type::String, depth)),
            3 => format!("-({})", expression(random, Type::Int, depth)),
            _ => {
                let (left, right) =
                    (expression(random, Type::Int, depth), expression(random, Type::Int, depth));
                let operator = random.pick(&["+", "-", "*", "/", "%"]);
                format!("({left}) {operator} ({right})")
            }
        },
        Type::Double => match random.below(6) {
            0 => format!("-({})", expression(random, Type::Double, depth)),
            1 => format!("score({})", expression(random, Type::String, depth)),
            _ => {
                let left = expression(random, Type::Double, depth);
                let right = expression(random, Type::Double, depth);
                format!("({left}) {} ({right})", random.pick(&["+", "-", "*", "/"]))
            }
        },
        Type::String => match random.below(6) {
            0 => format!("{}[{}]", part(random, Type::StringList), leaf(random, Type::Int)),
            1 => format!("{}[{}]", part(random, Type::StringMap), leaf(random, Type::String)),
            2 => format!("arg_string({})", expression(random, Type::String, depth)),
            3 => format!("host.shout({})", expression(random, Type::String, 0)),
            _ => {
                let left = expression(random, Type::String, depth);
                format!("({left}) + ({})", expression(random, Type::String, depth))
            }
        },
        Type::StringList => {
            let members: Vec<String> = (0..=random.below(3))
                .map(|_| expression(random, Type::String, depth.min(1)))
                .collect();
            format!("[{}]", members.join(", "))
        }
        Type::MapList => {
            let members: Vec<String> =
                (0..=random.below(2)).map(|_| expression(random, Type::Map, depth)).collect();
            format!("[{}]", members.join(", "))
        }
        Type::Map => format!(
            "({})[{}]",
            expression(random, Type::MapList, depth),
            expression(random, Type::Int, 0)
        ),
        Type::StringMap => leaf(random, ty).to_owned(),
    }
}

fn leaf(random: &mut Random, ty: Type) -> &'static str {
    match ty {
        Type::Bool => random.pick(&["ok", "denied", "true", "false", "ok", "denied"]),
        Type::Int => random.pick(&[
            "n",
            "m",
            "0",
            "1",
            "-1",
            "2",
            "7",
            "9223372036854775807",
            "-9223372036854775808",
            "fire_count_of(\"R\")",
            "size(tags)",
            "n",
            "m",
        ]),
        Type::Double => {
            random.pick(&["x", "y", "0.0", "1.0", "-2.5", "1000000.0", "score(\"a\")", "x", "y"])
        }
        Type::String => random.pick(&[
            "tool",
            "path",
            "empty",
            "\"\"",
            "\"a\"",
            "\"read\"",
            "\"re\"",
            "'ü'",
            "\"kind\"",
            "\"env\"",
            "arg_string(\"path\")",
            "arg_string(\"fail\")",
            "mode_of(\"read\")",
            "tags[0]",
        ]),
        Type::StringList => random.pick(&["tags", "tags", "[\"a\", \"read\"]", "[tool, path]"]),
        Type::Map => random.pick(&["tool_args", "spans[0]", "spans[1]"]),
        Type::MapList => random.pick(&["spans", "[tool_args]"]),
        Type::StringMap => "host.labels",
    }
}

#[derive(Clone, Debug)]
enum Slow<'w> {
    Bool(bool),
    Int(i128),
    Double(f64),
    Text(Vec<char>),
    List(Vec<Slow<'w>>),
    Map(&'w Members),
}

type Fault = (RaiseKind<String>, Span);

struct Walker<'w> {
    source: &'w str,
    ast: &'w Ast,
    world: &'w World,
}

impl<'w> Walker<'w> {
    fn text(&self, id: NodeId) -> Result<Vec<char>, Fault> {
        match self.value(id)? {
            Slow::Text(text) => Ok(text),
            other => panic!("{other:?}"),
        }
    }

    fn flag(&self, id: NodeId) -> Result<bool, Fault> {
        match self.value(id)? {
            Slow::Bool(value) => Ok(value),
            other => panic!("{other:?}"),
        }
    }

    fn fact(&self, name: &str) -> Slow<'w> {
        match name {
            "tags" => Slow::List(
                self.world.tags.iter().map(|t| Slow::Text(t.chars().collect())).collect(),
            ),
            "spans" => Slow::List(self.world.spans.iter().map(Slow::Map).collect()),
            "host.labels" => Slow::Map(&self.world.labels),
            "tool_args" => Slow::Map(&self.world.tool_args),
            _ => match self.world.fact(name) {
                Value::Bool(value) => Slow::Bool(value),
                Value::Int(value) => Slow::Int(value.into()),
                Value::Double(value) => Slow::Double(value),
                Value::String(text) => Slow::Text(text.chars().collect()),
                other => panic!("{other:?}"),
            },
        }
    }

    fn value(&self, id: NodeId) -> Result<Slow<'w>, Fault> {
        let node = self.ast.node(id).unwrap();
        let raise = |kind| Err((kind, node.span));
        Ok(match node.kind {
            NodeKind::Bool(value) => Slow::Bool(value),
            NodeKind::Int { magnitude, .. } => Slow::Int(magnitude.into()),
            NodeKind::Double(value) => Slow::Double(value),
            NodeKind::String { start, end } => {
                Slow::Text(self.ast.string(start, end).chars().collect())
            }
            NodeKind::Name => self.fact(&self.source[node.span.range()]),
            NodeKind::List(members) => {
                let values = self.ast.children(members).iter().map(|id| self.value(*id));
                Slow::List(values.collect::<Result<_, _>>()?)
            }
            NodeKind::Ternary { condition, first, second } => {
                self.value(if self.flag(condition)? { first } else { second })?
            }
            NodeKind::Index { operand, subscript } => {
                match (self.value(operand)?, self.value(subscript)?) {
                    (Slow::List(list), Slow::Int(index))
                        if index >= 0 && index < list.len() as i128 =>
                    {
                        list[index as usize].clone()
                    }
                    (Slow::List(_), _) => return raise(RaiseKind::IndexOutOfRange),
                    (Slow::Map(map), Slow::Text(key)) => {
                        match map.get(&key.iter().collect::<String>()) {
                            Some(Member::String(text)) => Slow::Text(text.chars().collect()),
                            _ => return raise(RaiseKind::KeyAbsent),
                        }
                    }
                    other => panic!("{other:?}"),
                }
            }
            NodeKind::Unary { operator, operand } => match (operator, self.value(operand)?) {
                (UnaryOperator::Not, Slow::Bool(value)) => Slow::Bool(!value),
                (UnaryOperator::Negate, Slow::Double(value)) => Slow::Double(-value),
                (UnaryOperator::Negate, Slow::Int(value)) => match i64::try_from(-value) {
                    Ok(value) => Slow::Int(value.into()),
                    Err(_) => return raise(RaiseKind::IntOverflow),
                },
                other => panic!("{other:?}"),
            },
            NodeKind::Binary { operator: BinaryOperator::And, left, right } => {
                Slow::Bool(self.flag(left)? && self.flag(right)?)
            }
            NodeKind::Binary { operator: BinaryOperator::Or, left, right } => {
                Slow::Bool(self.flag(left)? || self.flag(right)?)
            }
            NodeKind::Binary { operator, left, right } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                return binary(operator, left, right).map_err(|kind| (kind, node.span));
            }
            NodeKind::Call { name, arguments } => {
                let arguments = self.ast.children(arguments);
                return self.call(&self.source[name.range()], arguments, node.span);
            }
        })
    }

    fn call(&self, name: &str, arguments: &[NodeId], span: Span) -> Result<Slow<'w>, Fault> {
        if name == "size" {
            return Ok(Slow::Int(match self.value(arguments[0])? {
                Slow::Text(text) => text.len(),
                Slow::List(list) => list.len(),
                Slow::Map(map) => map.0.len(),
                other => panic!("{other:?}"),
            } as i128));
        }
        if let "starts_with" | "ends_with" | "contains" = name {
            let (text, part) = (self.text(arguments[0])?, self.text(arguments[1])?);
            return Ok(Slow::Bool(match name {
                "starts_with" => text.len() >= part.len() && text[..part.len()] == part[..],
                "ends_with" => {
                    text.len() >= part.len() && text[text.len() - part.len()..] == part[..]
                }
                _ => (0..=text.len()).any(|from| {
                    text.len() - from >= part.len() && text[from..from + part.len()] == part[..]
                }),
            }));
        }
        let value = self.value(arguments[0])?;
        let text = match &value {
            Slow::Text(text) => text.iter().collect(),
            _ => String::new(),
        };
        let argument = match &value {
            Slow::Bool(value) => Value::Bool(*value),
            Slow::Int(value) => Value::Int(i64::try_from(*value).unwrap()),
            Slow::Double(value) => Value::Double(*value),
            _ => Value::String(&text),
        };
        match name {
            "fire_count_of" => return Ok(Slow::Int(text.len() as i128)),
            "mode_of" => return Ok(value),
            // The world answers one argument of these with a wrong type.
            "is_even" if matches!(argument, Value::Int(13)) => {
                return Err((RaiseKind::WrongType, span));
            }
            "score" if text == "nan" => return Err((RaiseKind::WrongType, span)),
            _ => {}
        }
        match self.world.call(name, argument) {
            Err(error) => Err((RaiseKind::Host(error), span)),
            Ok(Scalar::Bool(value)) => Ok(Slow::Bool(value)),
            Ok(Scalar::Int(value)) => Ok(Slow::Int(value.into())),
            Ok(Scalar::Double(value)) => Ok(Slow::Double(value)),
            Ok(Scalar::String(text)) => Ok(Slow::Text(text.chars().collect())),
        }
    }
}

fn binary<'w>(
    operator: BinaryOperator,
    left: Slow<'w>,
    right: Slow<'w>,
) -> Result<Slow<'w>, RaiseKind<String>> {
    use BinaryOperator::{Add, Divide, In, Modulo, Multiply, Subtract};
    let order = match (&left, &right) {
        (Slow::Int(a), Slow::Int(b)) => a.partial_cmp(b),
        (Slow::Double(a), Slow::Double(b)) => a.partial_cmp(b),
        (Slow::Int(a), Slow::Double(b)) => (*a as f64).partial_cmp(b),
        (Slow::Double(a), Slow::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Slow::Text(a), Slow::Text(b)) => a.partial_cmp(b),
        (Slow::Bool(a), Slow::Bool(b)) => a.partial_cmp(b),
        _ => None,
    };
    match (operator, left, right) {
        (Divide | Modulo, Slow::Int(_), Slow::Int(0)) => Err(RaiseKind::DivisionByZero),
        (operator @ (Add | Subtract | Multiply | Divide | Modulo), Slow::Int(a), Slow::Int(b)) => {
            let value = match operator {
                Add => a + b,
                Subtract => a - b,
                Multiply => a * b,
                Divide => a / b,
                _ => a % b,
            };
            i64::try_from(value)
                .map(|value| Slow::Int(value.into()))
                .map_err(|_| RaiseKind::IntOverflow)
        }
        (Divide, Slow::Double(_), Slow::Double(0.0)) => Err(RaiseKind::DivisionByZero),
        (operator @ (Add | Subtract | Multiply | Divide), Slow::Double(a), Slow::Double(b)) => {
            let value = match operator {
                Add => a + b,
                Subtract => a - b,
                Multiply => a * b,
                _ => a / b,
            };
            if value.is_finite() { Ok(Slow::Double(value)) } else { Err(RaiseKind::NonFinite) }
        }
        (Add, Slow::Text(a), Slow::Text(b)) => Ok(Slow::Text([a, b].concat())),
        (In, Slow::Text(text), Slow::List(list)) => Ok(Slow::Bool(
            list.iter().any(|member| matches!(member, Slow::Text(member) if *member == text)),
        )),
        (In, Slow::Text(text), Slow::Map(map)) => {
            Ok(Slow::Bool(map.0.contains_key(&text.iter().collect::<String>())))
        }
        (operator, left, right) => {
            let Some(order) = order else { panic!("{left:?} {operator:?} {right:?}") };
            Ok(Slow::Bool(match operator {
                BinaryOperator::Equal => order.is_eq(),
                BinaryOperator::NotEqual => order.is_ne(),
                BinaryOperator::Less => order.is_lt(),
                BinaryOperator::LessEqual => order.is_le(),
                BinaryOperator::Greater => order.is_gt(),
                _ => order.is_ge(),
            }))
        }
    }
}

pub(super) fn worlds() -> Vec<World> {
    let world = World::default();
    vec![
        World {
            n: i64::MIN,
            m: -1,
            x: f64::MAX,
            y: 0.0,
            tool: String::new(),
            tags: vec!["read".into()],
            ok: false,
            ..world.clone()
        },
        World { n: 0, m: 2, x: -1.5, y: 1e300, path: "a".into(), denied: true, ..world.clone() },
        world,
    ]
}

#[test]
fn programs_agree_with_a_slow_walk() {
    let worlds = worlds();
    let (mut values, mut faults) = ([0u32; 2], 0u32);
    // Each behind those before it, as in a rule set.
    let mut packed = Programs::new();
    for seed in 1..=6000u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let depth = 1 + random.below(4);
        let source = expression(&mut random, Type::Bool, depth);
        let program = load(&source);
        let ast = parse(&source).unwrap();
        let id = packed.push(&program).unwrap();
        for world in &worlds {
            let walker = Walker { source: &source, ast: &ast, world };
            let expected = walker.flag(ast.root());
            let found = run(&program, world).map_err(|raise| (raise.kind, raise.span));
            assert_eq!(found, expected, "seed {seed}: {source}");
            let mut host = Lender { world, program: &program, asked: Vec::new() };
            let found = packed.evaluate(id, &mut host, &mut Stack::new());
            let found = found.map_err(|raise| (raise.kind, raise.span));
            assert_eq!(found, expected, "seed {seed}, packed: {source}");
            match expected {
                Ok(value) => values[usize::from(value)] += 1,
                Err(_) => faults += 1,
            }
        }
    }
    // The generator is of use only while it reaches all three ends often.
    assert!(values[0] > 1000 && values[1] > 1000 && faults > 1000, "{values:?} {faults}");
}

/// An evaluation ends because it never goes back ([OAR-EXPR-18]).
#[test]
fn every_jump_leads_forward() {
    let mut jumps = 0;
    for seed in 1..=2000u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let source = expression(&mut random, Type::Bool, 5);
        let program = load(&source);
        for (at, instruction) in program.code.iter().enumerate() {
            if let Instruction::Jump(target) | Instruction::JumpIf { target, .. } = *instruction {
                jumps += 1;
                assert!(target as usize > at, "seed {seed}: {at} leads back to {target}: {source}");
            }
        }
    }
    assert!(jumps > 1000, "{jumps}");
}

#[test]
fn broken_conditions_never_panic() {
    let limits = Limits { nodes: 10_000, ..Limits::default() };
    let mut refused = 0;
    for seed in 1..=4000u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut source = expression(&mut random, Type::Bool, 3);
        for _ in 0..=random.below(3) {
            let at =
                (0..=random.below(source.len() + 1)).rev().find(|at| source.is_char_boundary(*at));
            let end = (at.unwrap()..=source.len())
                .skip(random.below(4))
                .find(|at| source.is_char_boundary(*at));
            let piece = random.pick(&[
                "", "(", "]", "\"", "'", "\\", ".", "!", "-", "5", "x", "?", ":", ",", "[", "é",
                " in ",
            ]);
            source.replace_range(at.unwrap()..end.unwrap_or(source.len()), piece);
        }
        let Err(errors) = compile(&source, &Declared, &limits) else { continue };
        refused += 1;
        for error in &errors {
            assert!(source.get(error.span().range()).is_some(), "{source}: {error:?}");
            let message = error.to_string();
            assert!(!message.contains('\n') && !message.ends_with('.'), "{source}: {message}");
        }
        let spans: Vec<Span> = errors.iter().map(crate::Error::span).collect();
        assert!(spans.is_sorted(), "{source}: {spans:?}");
    }
    assert!(refused > 1000, "{refused}");
}
