//! regorus: Rego compiled for its register machine.
//!
//! The machine has no index, so the best host gives each tool a package and each machine as many
//! packages as it takes: 200 of at most 254 entry points, and about 2,100 rules of this shape.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::RegoVM;
use regorus::rvm::program::Program;
use regorus::{Rc, Value};

use crate::contender::{Conditions, Engine, Entrant};
use crate::spec::{self, Condition, Input, Numbers, Spec};

pub const RVM: Entrant = Entrant {
    name: "rvm",
    text: |number, spec| text(number, spec, ""),
    load: |specs, texts| Ok(Box::new(ByTool::new(specs, texts)?)),
    conditions: Some(conditions),
    most: None,
    flat: false,
};

pub const RVM_FLAT: Entrant = Entrant {
    name: "rvm flat",
    text: |number, spec| text(number, spec, &format!("input.tool == \"{}\"; ", spec.tool)),
    load: |_, texts| Ok(Box::new(Flat::new(texts)?)),
    conditions: None,
    most: Some((2_000, "not loaded: a program holds 65,535 instructions")),
    flat: true,
};

fn text(number: usize, spec: &Spec, first: &str) -> String {
    let Spec { prefix, needle, .. } = spec;
    let id = spec::id(number);
    format!(
        "deny contains \"{id}\" if {{ {first}startswith(input.path, \"{prefix}\") }}\n\
         deny contains \"{id}\" if {{ {first}contains(input.command, \"{needle}\"); \
         input.risk > 0.75 }}\n"
    )
}

/// Compiles modules; the entry points are numbered as they are given.
fn compile(modules: &[(String, String)], entry_points: &[String]) -> Result<Arc<Program>, String> {
    fn unloaded(error: impl std::fmt::Display) -> String {
        format!("not loaded: {error}")
    }
    let mut engine = regorus::Engine::new();
    for (name, text) in modules {
        engine.add_policy(name.clone(), text.clone()).map_err(unloaded)?;
    }
    let first = entry_points.first().map(String::as_str).unwrap_or_default();
    let policy = engine.compile_with_entrypoint(&Rc::from(first)).map_err(unloaded)?;
    let entry_points: Vec<&str> = entry_points.iter().map(String::as_str).collect();
    Compiler::compile_from_policy(&policy, &entry_points).map_err(unloaded)
}

fn machine(program: Arc<Program>) -> RegoVM {
    let mut machine = RegoVM::new();
    machine.load_program(program);
    machine
}

/// The names of members of the input, made once.
struct Names<const N: usize>([Value; N]);

impl<const N: usize> Names<N> {
    fn new(names: [&str; N]) -> Self {
        Self(names.map(Value::from))
    }

    fn object(&self, values: [Value; N]) -> Value {
        let members: BTreeMap<Value, Value> = self.0.iter().cloned().zip(values).collect();
        Value::from(members)
    }
}

/// The numbers of the identifiers of a set, in order.
fn numbers(denied: &Value, into: &mut Vec<u32>) {
    let set = denied.as_set().expect("`deny` is a set");
    let ids = set.iter().map(|id| id.as_string().expect("of identifiers"));
    let first = into.len();
    into.extend(ids.map(|id| spec::number(id)));
    into[first..].sort_unstable();
}

struct ByTool {
    machines: Vec<RegoVM>,
    /// The machine and the entry point of each tool.
    places: HashMap<String, (usize, usize)>,
    names: Names<3>,
}

const PACKAGES: usize = 200;

impl ByTool {
    fn new(specs: &[Spec], texts: &[String]) -> Result<Self, String> {
        let mut modules: Vec<(&str, String)> = Vec::new();
        for (spec, text) in specs.iter().zip(texts) {
            match modules.last_mut() {
                Some((tool, module)) if *tool == spec.tool => module.push_str(text),
                _ => modules.push((&spec.tool, format!("package {}\n{text}", spec.tool))),
            }
        }
        let (mut machines, mut places) = (Vec::new(), HashMap::new());
        for modules in modules.chunks(PACKAGES) {
            let mut entry_points = Vec::new();
            for (tool, _) in modules {
                places.insert((*tool).to_owned(), (machines.len(), entry_points.len()));
                entry_points.push(format!("data.{tool}.deny"));
            }
            let modules: Vec<_> =
                modules.iter().map(|(tool, text)| ((*tool).to_owned(), text.clone())).collect();
            machines.push(machine(compile(&modules, &entry_points)?));
        }
        Ok(Self { machines, places, names: Names::new(["command", "path", "risk"]) })
    }
}

impl Engine for ByTool {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        let Some((machine, entry_point)) = self.places.get(&input.tool) else { return };
        let lent = self.names.object([
            input.command.as_str().into(),
            input.path.as_str().into(),
            input.risk.into(),
        ]);
        let machine = &mut self.machines[*machine];
        machine.set_input(lent);
        let denied = machine.execute_entry_point_by_index(*entry_point).expect("it is sound");
        numbers(&denied, fired);
    }
}

struct Flat {
    machine: RegoVM,
    names: Names<4>,
}

impl Flat {
    fn new(texts: &[String]) -> Result<Self, String> {
        let module = ("rules".to_owned(), format!("package bench\n{}", texts.concat()));
        let machine = machine(compile(&[module], &["data.bench.deny".to_owned()])?);
        Ok(Self { machine, names: Names::new(["command", "path", "risk", "tool"]) })
    }
}

impl Engine for Flat {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        let lent = self.names.object([
            input.command.as_str().into(),
            input.path.as_str().into(),
            input.risk.into(),
            input.tool.as_str().into(),
        ]);
        self.machine.set_input(lent);
        let denied = self.machine.execute_entry_point_by_index(0).expect("it is sound");
        numbers(&denied, fired);
    }
}

fn conditions(conditions: &[Condition]) -> Result<Conditions, String> {
    let body = |condition: &Condition| match condition {
        Condition::Twenty => {
            vec!["input.a + input.b * 2 > 10; input.x < 0.5", "input.c - 1 == 3; not input.flag"]
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        }
        Condition::AtLeast(least) => vec![format!("input.a >= {least}")],
    };
    let mut module = "package bench\n".to_owned();
    for (number, condition) in conditions.iter().enumerate() {
        for body in body(condition) {
            module.push_str(&format!("deny contains \"{}\" if {{ {body} }}\n", spec::id(number)));
        }
    }
    let program = compile(&[("rules".to_owned(), module)], &["data.bench.deny".to_owned()])?;
    let mut machine = machine(program);
    let whole = conditions.iter().any(|own| matches!(own, Condition::Twenty));
    let (all, one) = (Names::new(["a", "b", "c", "flag", "x"]), Names::new(["a"]));
    Ok(Box::new(move |own: &Numbers| {
        machine.set_input(if whole {
            all.object([own.a.into(), own.b.into(), own.c.into(), own.flag.into(), own.x.into()])
        } else {
            one.object([own.a.into()])
        });
        let denied = machine.execute_entry_point_by_index(0).expect("it is sound");
        let mut held = Vec::new();
        numbers(&denied, &mut held);
        held.iter().map(|number| 1 << number).sum()
    }))
}
