//! zen-expression: one compiled expression a rule, one VM that is reused.

use zen_expression::expression::Standard;
use zen_expression::variable::{Symbol, ToVariable, VariableMap};
use zen_expression::vm::VM;
use zen_expression::{Expression, Scope, Variable, compile_expression};

use super::{Asked, FLAT_MOST, bits};
use crate::contender::{Conditions, Engine, Entrant};
use crate::spec::{Condition, Input, Numbers, Spec};

pub const ZEN: Entrant = Entrant {
    name: "zen",
    text: |_, spec| text(spec),
    load: |specs, texts| Ok(Box::new(Zen::new(Asked::by_tool(specs, texts, compile)?, false))),
    conditions: Some(conditions),
    most: None,
    flat: false,
};

pub const ZEN_FLAT: Entrant = Entrant {
    name: "zen flat",
    text: |_, spec| format!("tool == '{}' and ({})", spec.tool, text(spec)),
    load: |_, texts| Ok(Box::new(Zen::new(Asked::all(texts, compile)?, true))),
    conditions: None,
    most: Some(FLAT_MOST),
    flat: true,
};

fn text(spec: &Spec) -> String {
    let Spec { prefix, needle, .. } = spec;
    format!("startsWith(path, '{prefix}') or contains(command, '{needle}') and risk > 0.75")
}

fn compile(text: &str) -> Result<Expression<Standard>, String> {
    compile_expression(text).map_err(|error| format!("{error:?}"))
}

struct Zen {
    rules: Asked<Expression<Standard>>,
    vm: VM,
    flat: bool,
}

impl Zen {
    fn new(rules: Asked<Expression<Standard>>, flat: bool) -> Self {
        Self { rules, vm: VM::new(), flat }
    }
}

fn holds(program: &Expression<Standard>, scope: &Scope, vm: &mut VM) -> bool {
    let result = program.evaluate_with_scope(scope, vm).expect("the expression is sound");
    result.as_bool().expect("a condition is true or false")
}

impl Engine for Zen {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        let mut map = VariableMap::with_capacity(4);
        map.insert(Symbol::from_static("path"), Variable::String(input.path.as_str().into()));
        map.insert(Symbol::from_static("command"), Variable::String(input.command.as_str().into()));
        map.insert(Symbol::from_static("risk"), input.risk.to_variable());
        if self.flat {
            map.insert(Symbol::from_static("tool"), Variable::String(input.tool.as_str().into()));
        }
        let scope = Scope::new(Variable::from_object(map));
        let vm = &mut self.vm;
        self.rules.ask(input, fired, |program| holds(program, &scope, vm));
    }
}

fn conditions(conditions: &[Condition]) -> Result<Conditions, String> {
    let text = |condition: &Condition| match condition {
        Condition::Twenty => "a + b * 2 > 10 and x < 0.5 or c - 1 == 3 and not flag".to_owned(),
        Condition::AtLeast(least) => format!("a >= {least}"),
    };
    let programs =
        conditions.iter().map(|own| compile(&text(own))).collect::<Result<Vec<_>, _>>()?;
    let whole = conditions.iter().any(|own| matches!(own, Condition::Twenty));
    let mut vm = VM::new();
    Ok(Box::new(move |own: &Numbers| {
        let mut map = VariableMap::with_capacity(5);
        map.insert(Symbol::from_static("a"), own.a.to_variable());
        if whole {
            map.insert(Symbol::from_static("b"), own.b.to_variable());
            map.insert(Symbol::from_static("c"), own.c.to_variable());
            map.insert(Symbol::from_static("x"), own.x.to_variable());
            map.insert(Symbol::from_static("flag"), Variable::Bool(own.flag));
        }
        let scope = Scope::new(Variable::from_object(map));
        bits(&programs, |program| holds(program, &scope, &mut vm))
    }))
}
