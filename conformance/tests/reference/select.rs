//! Which rules an occurrence selects (section 3), and flow ([OAR-FACT-12]).

use serde_json::Value;

use super::facts::{Moment, View};
use super::rule::{Enforcement, Rule};
use super::value::Val;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    No,
    Yes,
    /// A clause names a fact that cannot be had, and no other clause decides.
    Failed,
}

pub(crate) fn select(moment: &Moment<'_>, rule: &Rule) -> Selection {
    let anchor = moment.host.local(rule.text("anchor").unwrap());
    if rule.enforcement == Enforcement::Off || anchor != moment.anchor {
        return Selection::No;
    }
    let view = View { moment, rule, findings: None };
    let mut result = Selection::Yes;
    let clauses = rule.document.get("selector").and_then(Value::as_object);
    for (name, list) in clauses.into_iter().flatten() {
        let list = list.as_array().unwrap();
        let lists = |text: &String| list.iter().any(|entry| entry == text.as_str());
        let matches = match view.fact(name) {
            _ if list.is_empty() => false,
            Ok(Val::Text(text)) => lists(&text),
            Ok(Val::Texts(texts)) => texts.iter().any(lists),
            _ => {
                result = Selection::Failed;
                continue;
            }
        };
        if !matches {
            return Selection::No;
        }
    }
    result
}

/// Whether the steps of the rule's flow appear in the window, in order; without a flow they do.
pub(crate) fn flow_matches(moment: &Moment<'_>, rule: &Rule) -> bool {
    let mut steps = moment.window.iter();
    rule.list("flow").into_iter().all(|wanted| steps.any(|step| step == wanted))
}
