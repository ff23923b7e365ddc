//! A condition over values of the declared types.

use std::collections::BTreeMap;

use oar_conformance::generate::{Family, generate};
use oar_engine::observe::JsonMap;
use oar_expr::{Host, Limits, RaiseKind, Scalar, Stack, Value, compile};
use serde_json::{Map, Value as Json, json};

use crate::bytes::Bytes;
use crate::lab::{Declared, FACTS, FUNCTIONS, moment, observations};
use crate::reference::facts::View;
use crate::reference::rule::Rule;
use crate::reference::value::{Type, Val};

/// The bytes that choose the values; what follows is the condition.
const CHOICES: usize = 32;

const SHORT: usize = 600;

/// What type-checks never fails on types, and comes to what the naive evaluator says.
pub fn values(data: &[u8]) {
    let (choices, text) = data.split_at(data.len().min(CHOICES));
    let observed = observations(&mut Bytes::new(choices));
    let Ok(text) = std::str::from_utf8(text) else { return };
    // With no text, one that is sound by construction.
    let generated;
    let text = if text.is_empty() {
        let seed = Bytes::new(choices).word();
        generated = generate(Family::Conditions, seed, 0).fixture["rules"][0]["when"].clone();
        generated.as_str().unwrap()
    } else {
        text
    };
    let Ok(program) = compile(text, &Declared, &Limits::default()) else { return };
    let held = Held::of(&observed);
    let result = program.evaluate(&mut Lab { held: &held }, &mut Stack::new());
    if let Err(raise) = &result {
        assert!(raise.kind != RaiseKind::WrongType, "failed on types: {text}");
        assert!(text.get(raise.span.range()).is_some());
    }
    if text.len() > SHORT {
        return;
    }
    let document = json!({"id": "R", "anchor": "tool.pre_invoke", "when": text});
    let rule = Rule::of(&document).expect("the compiler took it");
    let moment = moment(observed);
    if !rule.rules_read().is_empty() {
        return;
    }
    let view = View { moment: &moment, rule: &rule, findings: None };
    let wanted = view.holds(rule.when.as_ref().unwrap());
    assert_eq!(result.ok(), wanted.ok(), "{result:?}: {text} over {:?}", moment.facts);
}

/// The observed values, in a form that can be lent.
struct Held {
    facts: Vec<Val>,
    results: Vec<Val>,
    maps: BTreeMap<usize, JsonMap>,
    lists: BTreeMap<usize, Vec<JsonMap>>,
}

impl Held {
    fn of(observed: &Map<String, Json>) -> Self {
        let read = |name: &str, ty: &str| {
            let ty = Type::named(ty).unwrap();
            observed.get(name).map_or_else(|| ty.zero(), |value| ty.read(value).unwrap())
        };
        let result = |ty: &str| ty.rsplit(' ').next().unwrap().to_owned();
        let mut facts: Vec<Val> = FACTS.iter().map(|(name, ty, _)| read(name, ty)).collect();
        for (place, (name, ..)) in FACTS.iter().enumerate() {
            if *name == "anchor" {
                facts[place] = Val::Text("tool.pre_invoke".to_owned());
            }
        }
        let results = FUNCTIONS.iter().map(|(name, ty, ..)| read(name, &result(ty))).collect();
        let mut maps = BTreeMap::new();
        let mut lists = BTreeMap::new();
        for (place, value) in facts.iter().enumerate() {
            match value {
                Val::Map(map) => {
                    maps.insert(place, JsonMap::new(map.clone()));
                }
                Val::Maps(list) => {
                    lists.insert(place, list.iter().cloned().map(JsonMap::new).collect());
                }
                _ => {}
            }
        }
        Self { facts, results, maps, lists }
    }
}

struct Lab<'a> {
    held: &'a Held,
}

impl<'a> Host<'a> for Lab<'a> {
    type Error = std::convert::Infallible;

    fn fact(&mut self, slot: u32) -> Result<Value<'a>, Self::Error> {
        let place = usize::try_from(slot).unwrap();
        Ok(match &self.held.facts[place] {
            Val::Bool(b) => Value::Bool(*b),
            Val::Int(i) => Value::Int(*i),
            Val::Double(d) => Value::Double(*d),
            Val::Text(text) => Value::String(text),
            Val::Texts(list) => Value::StringList(list),
            Val::TextMap(map) => Value::StringMap(map),
            Val::Maps(_) => Value::MapList(&self.held.lists[&place]),
            Val::Map(_) => Value::Map(&self.held.maps[&place]),
        })
    }

    fn call(&mut self, slot: u32, _: Value<'_>) -> Result<Scalar<'a>, Self::Error> {
        Ok(match &self.held.results[usize::try_from(slot).unwrap()] {
            Val::Bool(b) => Scalar::Bool(*b),
            Val::Int(i) => Scalar::Int(*i),
            Val::Double(d) => Scalar::Double(*d),
            Val::Text(text) => Scalar::String(text.as_str().into()),
            other => unreachable!("{other:?} is no result of a function"),
        })
    }

    fn reference(&mut self, _: u32) -> Result<Value<'a>, Self::Error> {
        Ok(Value::Int(0))
    }
}
