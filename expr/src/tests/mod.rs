//! What a condition may say, what it means, and what it costs, on one small vocabulary.

mod depth;
mod differential;
mod errors;
mod evaluate;
mod explain;
mod guards;
mod kinds;
mod program;
mod syntax;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{
    Error, Host, Limits, Map, Member, Program, Raise, RaiseKind, Scalar, Stack, Symbol, Symbols,
    Type, Value, compile,
};

/// The declared facts, by slot.
const FACTS: [(&str, Type); 13] = [
    ("tool", Type::String),
    ("path", Type::String),
    ("n", Type::Int),
    ("m", Type::Int),
    ("x", Type::Double),
    ("y", Type::Double),
    ("ok", Type::Bool),
    ("denied", Type::Bool),
    ("tags", Type::StringList),
    ("host.labels", Type::StringMap),
    ("tool_args", Type::Map),
    ("spans", Type::MapList),
    ("empty", Type::String),
];

const NAMES: [&str; 6] = ["arg_string", "arg_int", "score", "is_even", "host.shout", "negated"];

/// The declared functions, by slot.
const FUNCTIONS: [(Type, Type); 6] = [
    (Type::String, Type::String),
    (Type::String, Type::Int),
    (Type::String, Type::Double),
    (Type::Int, Type::Bool),
    (Type::String, Type::String),
    (Type::Bool, Type::Bool),
];

struct Declared;

impl Symbols for Declared {
    fn symbol(&self, name: &str) -> Option<Symbol> {
        if let Some(slot) = FACTS.iter().position(|(fact, _)| *fact == name) {
            return Some(Symbol::Fact { slot: slot as u32, ty: FACTS[slot].1 });
        }
        if let Some(slot) = NAMES.iter().position(|function| *function == name) {
            let (parameter, result) = FUNCTIONS[slot];
            return Some(Symbol::Function { slot: slot as u32, parameter, result });
        }
        match name {
            "fire_count_of" => Some(Symbol::Reference { slot: 0, result: Type::Int }),
            "mode_of" => Some(Symbol::Reference { slot: 1, result: Type::String }),
            _ => None,
        }
    }

    fn names(&self, visit: &mut dyn FnMut(&str)) {
        for name in FACTS.iter().map(|(name, _)| *name).chain(NAMES) {
            visit(name);
        }
        visit("fire_count_of");
        visit("mode_of");
    }
}

#[derive(Clone, Debug, Default)]
struct Members(BTreeMap<String, Option<String>>);

impl Map for Members {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn get(&self, key: &str) -> Option<Member<'_>> {
        self.0.get(key).map(|value| value.as_deref().map_or(Member::Int(1), Member::String))
    }
}

/// What a host observed.
#[derive(Clone, Debug)]
struct World {
    tool: String,
    path: String,
    n: i64,
    m: i64,
    x: f64,
    y: f64,
    ok: bool,
    denied: bool,
    tags: Vec<String>,
    labels: Members,
    tool_args: Members,
    spans: Vec<Members>,
}

impl Default for World {
    fn default() -> Self {
        let map = |members: &[(&str, Option<&str>)]| {
            let own =
                |(key, value): &(&str, Option<&str>)| ((*key).to_owned(), value.map(str::to_owned));
            Members(members.iter().map(own).collect())
        };
        Self {
            tool: "read".into(),
            path: "/etc/ssh/sshd.conf".into(),
            n: 7,
            m: -2,
            x: 2.5,
            y: -0.5,
            ok: true,
            denied: false,
            tags: vec!["a".into(), "ü".into(), "c😀".into()],
            labels: map(&[("env", Some("prod")), ("team", Some("core"))]),
            tool_args: map(&[("path", Some("/etc")), ("depth", None)]),
            spans: vec![map(&[("kind", Some("email"))]), map(&[])],
        }
    }
}

/// Lends the world, and notes what it was asked for.
struct Lender<'a> {
    world: &'a World,
    program: &'a Program,
    asked: Vec<String>,
}

impl<'a> Host<'a> for Lender<'a> {
    type Error = String;

    fn fact(&mut self, slot: u32) -> Result<Value<'a>, String> {
        let (name, _) = FACTS[slot as usize];
        self.asked.push(name.to_owned());
        Ok(self.world.fact(name))
    }

    fn call(&mut self, slot: u32, argument: Value<'_>) -> Result<Scalar<'a>, String> {
        let name = NAMES[slot as usize];
        self.asked.push(name.to_owned());
        self.world.call(name, argument)
    }

    fn reference(&mut self, index: u32) -> Result<Value<'a>, String> {
        let reference = &self.program.references()[index as usize];
        self.asked.push(format!("reference {}", reference.argument));
        Ok(if reference.slot == 0 {
            Value::Int(reference.argument.len() as i64)
        } else {
            Value::String(&reference.argument)
        })
    }
}

impl World {
    fn fact(&self, name: &str) -> Value<'_> {
        match name {
            "tool" => Value::String(&self.tool),
            "path" => Value::String(&self.path),
            "n" => Value::Int(self.n),
            "m" => Value::Int(self.m),
            "x" => Value::Double(self.x),
            "y" => Value::Double(self.y),
            "ok" => Value::Bool(self.ok),
            "denied" => Value::Bool(self.denied),
            "tags" => Value::StringList(&self.tags),
            "host.labels" => Value::StringMap(&self.labels),
            "tool_args" => Value::Map(&self.tool_args),
            "spans" => Value::MapList(&self.spans),
            _ => Value::String(""),
        }
    }

    fn call<'a>(&'a self, name: &str, argument: Value<'_>) -> Result<Scalar<'a>, String> {
        match (name, argument) {
            ("arg_string", Value::String("path")) => Ok(Scalar::String(Cow::Borrowed(&self.path))),
            ("arg_string", Value::String("fail")) => Err("provider failed".to_owned()),
            ("arg_string", Value::String(_)) => Ok(Scalar::String(Cow::Borrowed(""))),
            ("arg_int", Value::String(text)) => Ok(Scalar::Int(text.len() as i64)),
            ("score", Value::String("nan")) => Ok(Scalar::Double(f64::NAN)),
            ("score", Value::String(_)) => Ok(Scalar::Double(self.x / 4.0)),
            ("is_even", Value::Int(13)) => Ok(Scalar::Int(13)),
            ("is_even", Value::Int(value)) => Ok(Scalar::Bool(value % 2 == 0)),
            ("host.shout", Value::String(text)) => {
                Ok(Scalar::String(Cow::Owned(format!("{}!", text.to_uppercase()))))
            }
            ("negated", Value::Bool(value)) => Ok(Scalar::Bool(!value)),
            other => panic!("the program calls {other:?}"),
        }
    }
}

fn limits() -> Limits {
    Limits { nodes: 4_000_000, bytes: 64 << 20, errors: 1000 }
}

fn load(source: &str) -> Program {
    match compile(source, &Declared, &limits()) {
        Ok(program) => program,
        Err(errors) => panic!("{source}: {} {}", errors[0].clause(), errors[0]),
    }
}

fn refuse(source: &str) -> Vec<Error> {
    match compile(source, &Declared, &limits()) {
        Ok(_) => panic!("{source}: loads"),
        Err(errors) => errors,
    }
}

fn run(program: &Program, world: &World) -> Result<bool, Raise<String>> {
    let mut host = Lender { world, program, asked: Vec::new() };
    program.evaluate(&mut host, &mut Stack::new())
}

fn holds(source: &str) -> bool {
    match run(&load(source), &World::default()) {
        Ok(value) => value,
        Err(raise) => panic!("{source}: {raise} at {}", &source[raise.span.range()]),
    }
}

fn raises(source: &str) -> (RaiseKind<String>, &str) {
    match run(&load(source), &World::default()) {
        Ok(value) => panic!("{source}: {value}"),
        Err(raise) => (raise.kind, &source[raise.span.range()]),
    }
}
