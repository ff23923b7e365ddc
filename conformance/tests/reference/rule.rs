//! A rule as its document states it, its names and what it refers to.

use serde_json::Value;

use super::copy::{self, Template};
use super::syntax::{self, Expr};
use super::value::Val;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enforcement {
    Enforce,
    Monitor,
    Off,
}

impl Enforcement {
    fn named(name: &str) -> Self {
        match name {
            "monitor" => Self::Monitor,
            "off" => Self::Off,
            _ => Self::Enforce,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) document: Value,
    pub(crate) id: String,
    pub(crate) qualified: String,
    pub(crate) enforcement: Enforcement,
    pub(crate) when: Option<Expr>,
    /// Each member of the copy.
    pub(crate) copy: Vec<(String, Template)>,
}

impl Rule {
    /// `None` when the condition or the copy is not derived by its grammar.
    pub(crate) fn of(document: &Value) -> Option<Self> {
        let text = |name: &str| document.get(name).and_then(Value::as_str);
        let id = text("id").unwrap_or_default().to_owned();
        let qualified = match text("namespace") {
            Some(namespace) => format!("{namespace}/{id}"),
            None => id.clone(),
        };
        let when = match text("when") {
            Some(when) => Some(syntax::parse(when)?),
            None => None,
        };
        let members = document.get("copy").and_then(Value::as_object).into_iter().flatten();
        let copy = members
            .map(|(name, text)| Some((name.clone(), copy::parse(text.as_str().unwrap())?)))
            .collect::<Option<_>>()?;
        let enforcement = Enforcement::named(text("enforcement").unwrap_or_default());
        Some(Self { document: document.clone(), id, qualified, enforcement, when, copy })
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.document.get(name)?.as_str()
    }

    pub(crate) fn list(&self, name: &str) -> Vec<&str> {
        let list = self.document.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// A bare reference is to the rule's own namespace ([OAR-EVAL-13], [OAR-OPS-5]).
    pub(crate) fn resolve(&self, reference: &str) -> String {
        match self.text("namespace") {
            Some(namespace) if !reference.contains('/') => format!("{namespace}/{reference}"),
            _ => reference.to_owned(),
        }
    }

    pub(crate) fn overrides(&self, other: &Rule) -> bool {
        self.list("overrides").iter().any(|entry| self.resolve(entry) == other.qualified)
    }

    pub(crate) fn is(&self, name: &str, value: &str) -> bool {
        self.text(name) == Some(value)
    }

    /// Every fact and function that the condition names.
    pub(crate) fn condition_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        if let Some(when) = &self.when {
            collect(when, &mut names);
        }
        names
    }

    /// Every fact that the copy names.
    pub(crate) fn copy_names(&self) -> Vec<String> {
        self.copy.iter().flat_map(|(_, template)| copy::names(template)).collect()
    }

    /// The rules whose counters the condition reads.
    pub(crate) fn rules_read(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(when) = &self.when {
            readings(when, &mut found);
        }
        found.iter().map(|reference| self.resolve(reference)).collect()
    }
}

fn children(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Literal(_) | Expr::LeastMagnitude | Expr::Name(_) => Vec::new(),
        Expr::List(items) | Expr::Call(_, items) => items.iter().collect(),
        Expr::Not(a) | Expr::Minus(a) => vec![a],
        Expr::Index(a, b) | Expr::Binary(_, a, b) => vec![a, b],
        Expr::Ternary(a, b, c) => vec![a, b, c],
    }
}

fn collect(expr: &Expr, names: &mut Vec<String>) {
    if let Expr::Name(name) | Expr::Call(name, _) = expr {
        names.push(name.clone());
    }
    children(expr).into_iter().for_each(|child| collect(child, names));
}

fn readings(expr: &Expr, found: &mut Vec<String>) {
    if let Expr::Call(name, arguments) = expr
        && matches!(name.as_str(), "fire_count_of" | "breaker_count_of")
        && let [Expr::Literal(Val::Text(rule))] = arguments.as_slice()
    {
        found.push(rule.clone());
    }
    children(expr).into_iter().for_each(|child| readings(child, found));
}

/// Applies the configuration documents in their order ([OAR-CFG-2] to [OAR-CFG-8]).
pub(crate) fn configure(rules: &mut [Rule], documents: &[Value]) {
    for document in documents {
        for entry in document.get("disable").and_then(Value::as_array).into_iter().flatten() {
            named(rules, entry.as_str().unwrap()).enforcement = Enforcement::Off;
        }
        let modes = document.get("enforcement").and_then(Value::as_object);
        for (name, mode) in modes.into_iter().flatten() {
            named(rules, name).enforcement = Enforcement::named(mode.as_str().unwrap());
        }
    }
}

fn named<'a>(rules: &'a mut [Rule], name: &str) -> &'a mut Rule {
    let exact = rules.iter().position(|rule| rule.qualified == name);
    let index = exact.or_else(|| rules.iter().position(|rule| rule.id == name));
    &mut rules[index.expect("a configuration names a loaded rule")]
}
