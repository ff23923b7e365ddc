//! cel: flat variable names, lent by a resolver, which costs half of a map of arguments.

use std::sync::Arc;

use cel::common::types::{CelBool, CelDouble, CelInt, CelString};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::{Context, Env, Program, Value};

use super::{Asked, FLAT_MOST, bits};
use crate::contender::{Conditions, Engine, Entrant};
use crate::spec::{Condition, Input, Numbers, Spec};

pub const CEL: Entrant = Entrant {
    name: "cel",
    text: |_, spec| text(spec),
    load: |specs, texts| Ok(Box::new(Cel::new(Asked::by_tool(specs, texts, Program::compile)?))),
    conditions: Some(conditions),
    most: None,
    flat: false,
};

pub const CEL_FLAT: Entrant = Entrant {
    name: "cel flat",
    text: |_, spec| format!("tool == '{}' && ({})", spec.tool, text(spec)),
    load: |_, texts| Ok(Box::new(Cel::new(Asked::all(texts, Program::compile)?))),
    conditions: None,
    most: Some(FLAT_MOST),
    flat: true,
};

fn text(spec: &Spec) -> String {
    let Spec { prefix, needle, .. } = spec;
    format!("path.startsWith('{prefix}') || command.contains('{needle}') && risk > 0.75")
}

struct Cel {
    rules: Asked<Program>,
    environment: Arc<Env>,
}

impl Cel {
    fn new(rules: Asked<Program>) -> Self {
        Self { rules, environment: Arc::new(Env::stdlib()) }
    }
}

/// What an input lends.
struct Lent<'a> {
    tool: CelString<'a>,
    path: CelString<'a>,
    command: CelString<'a>,
    risk: CelDouble,
}

impl VariableResolver for Lent<'_> {
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        let value: &'b dyn Val = match name {
            "path" => &self.path,
            "command" => &self.command,
            "risk" => &self.risk,
            "tool" => &self.tool,
            _ => return None,
        };
        Some(CowVal::Borrowed(value))
    }
}

fn holds(program: &Program, context: &Context<'_, '_>) -> bool {
    let value = Value::resolve_val(program.expression(), context).expect("the program is sound");
    let held = value.as_ref().downcast_ref::<CelBool>().expect("a condition is true or false");
    *held.inner()
}

impl Engine for Cel {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        let lent = Lent {
            tool: CelString::from(input.tool.as_str()),
            path: CelString::from(input.path.as_str()),
            command: CelString::from(input.command.as_str()),
            risk: CelDouble::from(input.risk),
        };
        let mut context = Context::with_env(Arc::clone(&self.environment));
        context.set_variable_resolver(&lent);
        self.rules.ask(input, fired, |program| holds(program, &context));
    }
}

struct LentNumbers {
    a: CelInt,
    b: CelInt,
    c: CelInt,
    x: CelDouble,
    flag: CelBool,
}

impl VariableResolver for LentNumbers {
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        let value: &'b dyn Val = match name {
            "a" => &self.a,
            "b" => &self.b,
            "c" => &self.c,
            "x" => &self.x,
            "flag" => &self.flag,
            _ => return None,
        };
        Some(CowVal::Borrowed(value))
    }
}

fn conditions(conditions: &[Condition]) -> Result<Conditions, String> {
    let text = |condition: &Condition| match condition {
        Condition::Twenty => "a + b * 2 > 10 && x < 0.5 || c - 1 == 3 && !flag".to_owned(),
        Condition::AtLeast(least) => format!("a >= {least}"),
    };
    let compile = |own| Program::compile(&text(own)).map_err(|error| error.to_string());
    let programs = conditions.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
    let environment = Arc::new(Env::stdlib());
    Ok(Box::new(move |own: &Numbers| {
        let lent = LentNumbers {
            a: own.a.into(),
            b: own.b.into(),
            c: own.c.into(),
            x: own.x.into(),
            flag: own.flag.into(),
        };
        let mut context = Context::with_env(Arc::clone(&environment));
        context.set_variable_resolver(&lent);
        bits(&programs, |program| holds(program, &context))
    }))
}
