//! The calls of observation functions in a condition, for [`Needs`](crate::decide::Needs).

use std::collections::HashSet;

use oar_expr::{Ast, NodeId, NodeKind, UnaryOperator};

use super::environment::Environment;
use super::vocabulary::Declaration;
use crate::observe::FactValue;

/// Each call of a function of the host with its argument, `None` where that is no literal.
pub(crate) fn literal_calls(
    text: &str,
    environment: &Environment,
) -> Vec<(u32, Option<FactValue>)> {
    let mut calls = Vec::new();
    let mut seen = HashSet::new();
    // The text was compiled before, so it parses.
    let Ok(ast) = oar_expr::parse(text) else { return calls };
    for node in ast.nodes() {
        let NodeKind::Call { name, arguments } = node.kind else { continue };
        let Some((slot, entry)) = text.get(name.range()).and_then(|name| environment.named(name))
        else {
            continue;
        };
        if !matches!(entry.declaration(), Declaration::Function { .. }) {
            continue;
        }
        let call = match ast.children(arguments) {
            [argument] => (slot, literal(&ast, *argument)),
            _ => (slot, None),
        };
        // Conditions are long enough for comparing each call with each.
        if seen.insert(format!("{call:?}")) {
            calls.push(call);
        }
    }
    calls
}

fn literal(ast: &Ast, id: NodeId) -> Option<FactValue> {
    match ast.node(id)?.kind {
        NodeKind::Bool(value) => Some(FactValue::Bool(value)),
        NodeKind::Double(value) => Some(FactValue::Double(value)),
        NodeKind::String { start, end } => {
            Some(FactValue::String(ast.string(start, end).to_owned()))
        }
        NodeKind::Int { magnitude, .. } => i64::try_from(magnitude).ok().map(FactValue::Int),
        NodeKind::Unary { operator: UnaryOperator::Negate, operand } => {
            match ast.node(operand)?.kind {
                NodeKind::Int { magnitude, .. } => {
                    0_i64.checked_sub_unsigned(magnitude).map(FactValue::Int)
                }
                NodeKind::Double(value) => Some(FactValue::Double(-value)),
                _ => None,
            }
        }
        _ => None,
    }
}
