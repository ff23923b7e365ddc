//! The fingerprint of a tool call ([OAR-FACT-28]).

use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};

use super::value::{Failure, decimal};

pub(crate) fn fingerprint(tool: &str, arguments: &Map<String, Value>) -> Result<String, Failure> {
    let mut text = String::from("oar-tool-1.0\0[");
    string(tool, &mut text);
    text.push(',');
    canonical(&Value::Object(arguments.clone()), &mut text)?;
    text.push(']');
    Ok(Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect())
}

fn canonical(value: &Value, out: &mut String) -> Result<(), Failure> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(&b.to_string()),
        Value::Number(number) => out.push_str(&decimal(exact(number)?)),
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                canonical(item, out)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort_by(|a, b| a.chars().cmp(b.chars()));
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(key, out);
                out.push(':');
                canonical(&members[key], out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

/// The number as a double, if it is that number still.
fn exact(number: &Number) -> Result<f64, Failure> {
    let double = number.as_f64().filter(|d| d.is_finite()).ok_or(Failure)?;
    let int = number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
    match int {
        Some(int) if double as i128 != int => Err(Failure),
        _ => Ok(double),
    }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push('"');
}
