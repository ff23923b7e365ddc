//! How each member of a report is compared.

use serde_json::{Map, Value};

use super::Difference;

/// Where `got`, the member called `member` of a report, differs from what is `wanted` of it.
/// `got` is `None` where the report has no such member.
pub(super) fn compare(
    member: &'static str,
    wanted: &Value,
    got: Option<&Value>,
) -> Vec<Difference> {
    let mut found = Found { member, differences: Vec::new() };
    match (member, wanted) {
        ("counters", Value::Object(wanted)) => found.counters(wanted, got),
        ("copy", Value::Object(wanted)) => found.copy("", wanted, got),
        ("advisories", Value::Array(wanted)) => found.advisories(wanted, got),
        ("transforms" | "skipped_transforms" | "events", Value::Array(wanted)) => {
            found.records(wanted, got);
        }
        _ if Some(wanted) == got => {}
        _ => found.add(String::new(), wanted, got),
    }
    found.differences
}

struct Found {
    member: &'static str,
    differences: Vec<Difference>,
}

impl Found {
    fn add(&mut self, path: String, wanted: &Value, got: Option<&Value>) {
        self.differences.push(Difference {
            occurrence: None,
            member: self.member,
            path,
            wanted: wanted.clone(),
            got: got.cloned(),
        });
    }

    /// A counter that is asserted to be zero may be absent ([OAR-CONF-21]). The empty map asserts
    /// that nothing was counted: otherwise it would assert nothing.
    fn counters(&mut self, wanted: &Map<String, Value>, got: Option<&Value>) {
        let nothing = Map::new();
        let got = match got {
            None => &nothing,
            Some(Value::Object(counters)) => counters,
            other => return self.add(String::new(), &Value::Object(wanted.clone()), other),
        };
        if wanted.is_empty() {
            let counted = got
                .values()
                .any(|entry| entry.as_object().is_none_or(|e| e.values().any(|v| !is_zero(v))));
            if counted {
                let got = Value::Object(got.clone());
                self.add(String::new(), &Value::Object(Map::new()), Some(&got));
            }
            return;
        }
        for (key, values) in wanted {
            for (name, value) in values.as_object().into_iter().flatten() {
                let got = got.get(key).and_then(|entry| entry.get(name));
                if got != Some(value) && !(got.is_none() && is_zero(value)) {
                    self.add(format!("[\"{key}\"].{name}"), value, got);
                }
            }
        }
    }

    /// Each asserted member exactly; the empty object asserts that there is no copy
    /// ([OAR-COPY-1], [OAR-COPY-11]).
    fn copy(&mut self, path: &str, wanted: &Map<String, Value>, got: Option<&Value>) {
        let members = got.and_then(Value::as_object);
        if wanted.is_empty() {
            if got.is_some() && members.is_none_or(|members| !members.is_empty()) {
                self.add(path.to_owned(), &Value::Object(Map::new()), got);
            }
            return;
        }
        for (name, text) in wanted {
            let got = members.and_then(|members| members.get(name)).filter(|got| !got.is_null());
            if got != Some(text) {
                self.add(format!("{path}.{name}"), text, got);
            }
        }
    }

    /// By length and order, and of each item what is asserted of it ([OAR-CONF-37]).
    fn advisories(&mut self, wanted: &[Value], got: Option<&Value>) {
        let Some(items) = got.and_then(Value::as_array).filter(|got| got.len() == wanted.len())
        else {
            return self.add(String::new(), &Value::Array(wanted.to_vec()), got);
        };
        for (index, (wanted, got)) in wanted.iter().zip(items).enumerate() {
            for (name, value) in wanted.as_object().into_iter().flatten() {
                let path = format!("[{index}].{name}");
                let got = got.get(name).filter(|got| !got.is_null());
                match value {
                    Value::Object(copy) => self.copy(&path, copy, got),
                    _ if got == Some(value) => {}
                    _ => self.add(path, value, got),
                }
            }
        }
    }

    /// By length and order, each item with the members that the standard gives it: one that is
    /// not asserted must be absent, as the replacement of a bare redaction. What an engine adds
    /// under other names is its own affair.
    fn records(&mut self, wanted: &[Value], got: Option<&Value>) {
        let names: &[&str] = match self.member {
            "transforms" => &["action", "target", "replacement"],
            "skipped_transforms" => &["rule", "start", "end", "reason"],
            _ => &["rule", "anchor", "effect"],
        };
        let known = |item: &Value| -> Value {
            let member = |name: &&str| Some(((*name).to_owned(), item.get(name)?.clone()));
            names.iter().filter_map(member).filter(|(_, value)| !value.is_null()).collect()
        };
        let same = got.and_then(Value::as_array).is_some_and(|got| {
            got.len() == wanted.len()
                && got.iter().zip(wanted).all(|(got, wanted)| known(got) == *wanted)
        });
        if !same {
            self.add(String::new(), &Value::Array(wanted.to_vec()), got);
        }
    }
}

fn is_zero(value: &Value) -> bool {
    value.as_i64() == Some(0)
}

/// The members of a report, in the order in which a person reads them.
pub const REPORT: [&str; 12] = [
    "decision",
    "code",
    "rule",
    "applied",
    "on_fire",
    "transforms",
    "skipped_transforms",
    "advisories",
    "counters",
    "events",
    "content",
    "copy",
];

/// Where two reports say different things, for comparing engines with each other. Nothing, `null`
/// and an empty object are the same here, and so are absent and zero counters.
#[must_use]
pub fn differing_members(a: &Value, b: &Value) -> Vec<&'static str> {
    let plain = |report: &Value, member: &str| match report.get(member) {
        None | Some(Value::Null) => Value::Null,
        Some(Value::Object(members)) if member == "counters" => {
            let entry = |entry: &Value| -> Map<String, Value> {
                let values = entry.as_object().into_iter().flatten();
                values.filter(|(_, v)| !is_zero(v)).map(|(k, v)| (k.clone(), v.clone())).collect()
            };
            let counted: Map<String, Value> = members
                .iter()
                .map(|(key, values)| (key.clone(), entry(values)))
                .filter(|(_, values)| !values.is_empty())
                .map(|(key, values)| (key, Value::Object(values)))
                .collect();
            if counted.is_empty() { Value::Null } else { Value::Object(counted) }
        }
        Some(Value::Object(members)) if members.is_empty() => Value::Null,
        Some(value) => value.clone(),
    };
    REPORT.into_iter().filter(|member| plain(a, member) != plain(b, member)).collect()
}
