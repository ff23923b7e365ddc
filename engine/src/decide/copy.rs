//! Copy rendered against the facts of the occurrence (Appendix C).

use std::fmt::Write;

use oar_expr::Value;

use super::facts::Asking;
use super::failure::Fault;
use crate::load::{Step, Template};
use crate::observe::write_double;

/// Renders one member ([OAR-COPY-1]).
pub(crate) fn render(template: &Template, asking: &Asking<'_>) -> Result<String, Fault> {
    let mut out = String::with_capacity(template.text.len());
    let mut next = 0;
    while let Some(step) = template.steps.get(next) {
        next += 1;
        match *step {
            Step::Text { start, end } => {
                out.push_str(template.text.get(start as usize..end as usize).unwrap_or_default());
            }
            Step::Bind { slot } => write_value(&mut out, asking.value(slot)?),
            Step::Unless { slot, inverted, to } => {
                if is_zero(asking.value(slot)?) != inverted {
                    next = to as usize;
                }
            }
            Step::Jump { to } => next = to as usize,
        }
    }
    Ok(out)
}

/// Writes a value out ([OAR-COPY-4]).
fn write_value(out: &mut String, value: Value<'_>) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Value::Int(value) => {
            // Writing to a string does not fail.
            let _ = write!(out, "{value}");
        }
        Value::Double(value) => write_double(out, value),
        Value::StringList(list) => {
            for index in 0..list.len() {
                if index > 0 {
                    out.push_str(", ");
                }
                out.push_str(list.get(index).unwrap_or_default());
            }
        }
        // The loader lets no binding name a value of another type.
        Value::StringMap(_) | Value::MapList(_) | Value::Map(_) => {}
    }
}

/// Whether a value is the zero value of its type ([OAR-FACT-25]).
fn is_zero(value: Value<'_>) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Int(value) => value == 0,
        Value::Double(value) => value == 0.0,
        Value::String(text) => text.is_empty(),
        Value::StringList(list) => list.is_empty(),
        Value::StringMap(map) | Value::Map(map) => map.is_empty(),
        Value::MapList(list) => list.is_empty(),
    }
}
