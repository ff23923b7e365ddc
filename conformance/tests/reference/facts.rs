//! What a rule can observe at an occurrence, and what its condition makes of it (Appendix A).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::fingerprint::fingerprint;
use super::host::Host;
use super::rule::Rule;
use super::syntax::Expr;
use super::value::{Failure, Type, Val};

/// By qualified identifier and, for a rule with a `counter_scope`, its value: `fire_count` and
/// `breaker_count` ([OAR-FIRE-5], [OAR-FIRE-10]).
pub(crate) type Counters = BTreeMap<(String, Option<String>), [i64; 2]>;

/// What the host observed at one occurrence.
#[derive(Debug)]
pub(crate) struct Moment<'a> {
    pub(crate) host: &'a Host,
    pub(crate) rules: &'a [Rule],
    /// The local anchor.
    pub(crate) anchor: &'a str,
    pub(crate) facts: Map<String, Value>,
    pub(crate) detector_facts: Option<Map<String, Value>>,
    pub(crate) call: Option<(String, Map<String, Value>)>,
    pub(crate) content: Option<String>,
    /// Oldest step first.
    pub(crate) window: Vec<String>,
    /// As they were before the occurrence ([OAR-FIRE-6]).
    pub(crate) before: Counters,
}

impl Moment<'_> {
    /// Whether the host supplied a value of a wrong type under the name.
    pub(crate) fn is_wrong(&self, name: &str) -> bool {
        let (value, ty) = (self.facts.get(name), self.type_of(name));
        matches!((value, ty), (Some(value), Some(ty)) if ty.read(value).is_err())
    }

    /// Of a fact, or of what a function yields.
    pub(crate) fn type_of(&self, name: &str) -> Option<Type> {
        self.host.fact(name).or(self.host.function(name).map(|(_, result)| result))
    }

    /// Under which key the counters of a rule stand; a detector has no say in it.
    pub(crate) fn counter_key(&self, rule: &Rule) -> Result<(String, Option<String>), Failure> {
        let scope = match rule.text("counter_scope") {
            None => None,
            Some(fact) => match (View { moment: self, rule, findings: None }).fact(fact)? {
                Val::Text(value) => Some(value),
                _ => return Err(Failure),
            },
        };
        Ok((rule.qualified.clone(), scope))
    }

    fn count(&self, rule: &Rule, which: usize) -> Result<Val, Failure> {
        let key = self.counter_key(rule)?;
        Ok(Val::Int(self.before.get(&key).map_or(0, |counts| counts[which])))
    }
}

/// What one rule sees of an occurrence: what the host observed and what its own detector found.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) moment: &'a Moment<'a>,
    pub(crate) rule: &'a Rule,
    pub(crate) findings: Option<&'a Map<String, Value>>,
}

impl View<'_> {
    fn told(&self, name: &str) -> Option<&Value> {
        self.findings.and_then(|findings| findings.get(name)).or(self.moment.facts.get(name))
    }

    pub(crate) fn fact(&self, name: &str) -> Result<Val, Failure> {
        let moment = self.moment;
        match name {
            "anchor" => return Ok(Val::Text(moment.host.told(moment.anchor).to_owned())),
            "fire_count" => return moment.count(self.rule, 0),
            "breaker_count" => return moment.count(self.rule, 1),
            _ => {}
        }
        let ty = moment.host.fact(name).expect("the condition was checked");
        if let Some(value) = self.told(name) {
            return ty.read(value);
        }
        match (name, &moment.call) {
            ("tool", Some((tool, _))) => Ok(Val::Text(tool.clone())),
            ("tool_args", Some((_, arguments))) => Ok(Val::Map(arguments.clone())),
            ("tool_args_fingerprint", Some((tool, arguments))) => {
                fingerprint(tool, arguments).map(Val::Text)
            }
            ("content_length", _) => {
                let length = moment.content.as_ref().map_or(0, |text| text.chars().count());
                Ok(Val::Int(i64::try_from(length).unwrap()))
            }
            _ => Ok(ty.zero()),
        }
    }

    fn call(&self, name: &str, argument: &Val) -> Result<Val, Failure> {
        let moment = self.moment;
        if let ("fire_count_of" | "breaker_count_of", Val::Text(reference)) = (name, argument) {
            let wanted = self.rule.resolve(reference);
            let rule = moment.rules.iter().find(|rule| rule.qualified == wanted);
            let rule = rule.expect("the reference was checked");
            return moment.count(rule, usize::from(name == "breaker_count_of"));
        }
        let (_, result) = moment.host.function(name).expect("the condition was checked");
        if let Some(value) = self.told(name) {
            return result.read(value);
        }
        let of_call = match (name, argument, &moment.call) {
            (
                "tool_arg_string" | "tool_arg_int" | "tool_arg_bool",
                Val::Text(argument),
                Some((_, arguments)),
            ) => arguments.get(argument),
            _ => None,
        };
        // Absent or of another type: zero.
        Ok(of_call.and_then(|value| result.read(value).ok()).unwrap_or_else(|| result.zero()))
    }

    pub(crate) fn holds(&self, condition: &Expr) -> Result<bool, Failure> {
        Ok(self.value(condition)? == Val::Bool(true))
    }

    fn value(&self, expr: &Expr) -> Result<Val, Failure> {
        match expr {
            Expr::Literal(value) => Ok(value.clone()),
            Expr::LeastMagnitude => Err(Failure),
            Expr::Name(name) => self.fact(name),
            Expr::List(items) => {
                let items = items.iter().map(|i| self.value(i)).collect::<Result<Vec<_>, _>>()?;
                Ok(list(items))
            }
            Expr::Call(name, arguments) => {
                let arguments =
                    arguments.iter().map(|a| self.value(a)).collect::<Result<Vec<_>, _>>()?;
                match (name.as_str(), arguments.as_slice()) {
                    ("size", [of]) => Ok(Val::Int(size(of))),
                    ("starts_with", [Val::Text(a), Val::Text(b)]) => {
                        Ok(Val::Bool(places(a, b).contains(&0)))
                    }
                    ("ends_with", [Val::Text(a), Val::Text(b)]) => {
                        let end = a.chars().count().checked_sub(b.chars().count());
                        Ok(Val::Bool(end.is_some_and(|end| places(a, b).contains(&end))))
                    }
                    ("contains", [Val::Text(a), Val::Text(b)]) => {
                        Ok(Val::Bool(!places(a, b).is_empty()))
                    }
                    (_, [argument]) => self.call(name, argument),
                    _ => unreachable!("the condition was checked"),
                }
            }
            Expr::Index(of, index) => index_of(self.value(of)?, &self.value(index)?),
            Expr::Not(a) => Ok(Val::Bool(!self.holds(a)?)),
            Expr::Minus(a) if **a == Expr::LeastMagnitude => Ok(Val::Int(i64::MIN)),
            Expr::Minus(a) => match self.value(a)? {
                Val::Int(i) => i.checked_neg().map(Val::Int).ok_or(Failure),
                Val::Double(d) => Ok(Val::Double(-d)),
                _ => unreachable!("the condition was checked"),
            },
            Expr::Ternary(condition, yes, no) => {
                self.value(if self.holds(condition)? { yes } else { no })
            }
            Expr::Binary(sign, a, b) if sign == "&&" => {
                Ok(Val::Bool(self.holds(a)? && self.holds(b)?))
            }
            Expr::Binary(sign, a, b) if sign == "||" => {
                Ok(Val::Bool(self.holds(a)? || self.holds(b)?))
            }
            Expr::Binary(sign, a, b) => binary(sign, self.value(a)?, self.value(b)?),
        }
    }
}

fn list(items: Vec<Val>) -> Val {
    if items.iter().all(|item| matches!(item, Val::Text(_))) {
        let text = |item| if let Val::Text(text) = item { text } else { String::new() };
        return Val::Texts(items.into_iter().map(text).collect());
    }
    let map = |item| if let Val::Map(map) = item { map } else { Map::new() };
    Val::Maps(items.into_iter().map(map).collect())
}

fn size(value: &Val) -> i64 {
    let size = match value {
        Val::Text(text) => text.chars().count(),
        Val::Texts(list) => list.len(),
        Val::TextMap(map) => map.len(),
        Val::Maps(list) => list.len(),
        Val::Map(map) => map.len(),
        Val::Bool(_) | Val::Int(_) | Val::Double(_) => unreachable!("the condition was checked"),
    };
    i64::try_from(size).unwrap()
}

/// Every offset, in code points, at which `part` stands in `whole`.
fn places(whole: &str, part: &str) -> Vec<usize> {
    let (whole, part): (Vec<char>, Vec<char>) = (whole.chars().collect(), part.chars().collect());
    (0..=whole.len()).filter(|&at| whole[at..].starts_with(&part)).collect()
}

fn index_of(of: Val, index: &Val) -> Result<Val, Failure> {
    let at = |i: &i64| usize::try_from(*i).map_err(|_| Failure);
    match (of, index) {
        (Val::TextMap(map), Val::Text(key)) => map.get(key).cloned().map(Val::Text),
        (Val::Texts(list), Val::Int(i)) => list.get(at(i)?).cloned().map(Val::Text),
        (Val::Maps(list), Val::Int(i)) => list.get(at(i)?).cloned().map(Val::Map),
        _ => unreachable!("the condition was checked"),
    }
    .ok_or(Failure)
}

fn binary(sign: &str, a: Val, b: Val) -> Result<Val, Failure> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    if let ("in", Val::Text(text)) = (sign, &a) {
        return Ok(Val::Bool(match b {
            Val::Texts(list) => list.contains(text),
            Val::TextMap(map) => map.contains_key(text),
            Val::Map(map) => map.contains_key(text),
            _ => unreachable!("the condition was checked"),
        }));
    }
    if matches!(sign, "+" | "-" | "*" | "/" | "%") {
        return match (a, b) {
            (Val::Int(a), Val::Int(b)) => int(sign, a, b).map(Val::Int).ok_or(Failure),
            (Val::Double(a), Val::Double(b)) => {
                double(sign, a, b).filter(|d| d.is_finite()).map(Val::Double).ok_or(Failure)
            }
            (Val::Text(a), Val::Text(b)) => Ok(Val::Text(a + &b)),
            _ => unreachable!("the condition was checked"),
        };
    }
    let order = match (&a, &b) {
        (Val::Bool(a), Val::Bool(b)) => a.cmp(b),
        (Val::Int(a), Val::Int(b)) => a.cmp(b),
        (Val::Text(a), Val::Text(b)) => a.chars().cmp(b.chars()),
        _ => {
            let number = |value: &Val| match value {
                Val::Int(i) => *i as f64,
                Val::Double(d) => *d,
                _ => unreachable!("the condition was checked"),
            };
            number(&a).partial_cmp(&number(&b)).expect("doubles are finite")
        }
    };
    Ok(Val::Bool(match sign {
        "==" => order == Equal,
        "!=" => order != Equal,
        "<" => order == Less,
        "<=" => order != Greater,
        ">" => order == Greater,
        ">=" => order != Less,
        _ => unreachable!("the grammar has no `{sign}`"),
    }))
}

/// In 128 bits, where nothing overflows ([OAR-EXPR-15], [OAR-EXPR-21]).
fn int(sign: &str, a: i64, b: i64) -> Option<i64> {
    let (a, b) = (i128::from(a), i128::from(b));
    let exact = match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        _ if b == 0 => return None,
        "/" => a / b,
        _ => a % b,
    };
    i64::try_from(exact).ok()
}

fn double(sign: &str, a: f64, b: f64) -> Option<f64> {
    match sign {
        "+" => Some(a + b),
        "-" => Some(a - b),
        "*" => Some(a * b),
        _ => (b != 0.0).then(|| a / b),
    }
}

/// What a rule is errored for before anything of it is evaluated: a value that the host supplied
/// with a wrong type, and that the rule refers to in whatever way ([OAR-FACT-26]).
pub(crate) fn names_a_wrong_value(moment: &Moment<'_>, rule: &Rule) -> bool {
    let selector = rule.document.get("selector").and_then(Value::as_object);
    let mut names: Vec<String> =
        selector.into_iter().flatten().map(|(name, _)| name.clone()).collect();
    names.extend(rule.condition_names());
    names.extend(rule.copy_names());
    names.extend(rule.text("counter_scope").map(str::to_owned));
    let target = rule.document.get("transform").and_then(|t| t.get("target"));
    names.extend(target.and_then(Value::as_str).map(str::to_owned));
    for read in rule.rules_read() {
        let read = moment.rules.iter().find(|rule| rule.qualified == read);
        names.extend(read.and_then(|rule| rule.text("counter_scope")).map(str::to_owned));
    }
    names.iter().any(|name| moment.is_wrong(name))
}

/// The facts that detectors produce ([OAR-OPS-22]).
pub(crate) fn is_of_a_detector(name: &str) -> bool {
    ["secret_matches", "pii_entities", "prompt_injection_score", "jailbreak_score"].contains(&name)
        || ["moderation_categories", "moderation_score"].contains(&name)
}
