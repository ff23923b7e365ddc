//! Templates of copy.

use oar_engine::document::rule::CopyMember;
use oar_engine::observe::FactValue;
use oar_engine::{Host, Loader, Session, Source};
use serde_json::json;

use crate::bytes::Bytes;
use crate::lab::{self, FACTS, host, moment, observations};
use crate::reference::copy as naive;
use crate::reference::facts::View;
use crate::reference::rule::Rule;

/// The bytes that choose the values; what follows is the template.
const CHOICES: usize = 16;

const SHORT: usize = 2_000;

/// A template loads or is refused as the naive reader says, and renders to the same text.
pub fn copy(data: &[u8]) {
    let (choices, text) = data.split_at(data.len().min(CHOICES));
    let Ok(text) = std::str::from_utf8(text) else { return };
    let facts: Vec<&str> =
        FACTS.iter().map(|(name, ..)| *name).filter(|name| name.starts_with("lab.")).collect();
    let document = json!({
        "oar": "1.0", "id": "R", "kind": "policy", "anchor": "tool.pre_invoke", "effect": "warn",
        "requires": {"facts": facts}, "copy": {"what": text},
    });
    let mut capability = lab::capability();
    capability["profiles"] = json!([]);
    let loader = Loader::new(Source::value("capability", capability));
    let loaded = loader.rules(Source::value("rule", document.clone())).load();
    let template = (text.len() <= SHORT).then(|| naive::parse(text));
    let rules = match loaded {
        Ok(loaded) => loaded.rules,
        Err(error) => {
            lab::check(error.diagnostics());
            let is_sound = template.flatten().is_some_and(|t| naive::is_sound(&t, host()));
            assert!(!is_sound, "refused: {error}");
            return;
        }
    };
    let observed = observations(&mut Bytes::new(choices));
    let mut occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    for (name, value) in &observed {
        occurrence.fact(name, FactValue::from(value.clone())).unwrap();
    }
    let (host_of_engine, mut session) = (Host::new(), Session::new("s"));
    let outcome = host_of_engine.decide(&mut session, &occurrence);
    let rendered = outcome.copy();
    let Some(template) = template else { return };
    let template = template.expect("the engine took it");
    assert!(naive::is_sound(&template, host()));
    let rule = Rule::of(&document).unwrap();
    let moment = moment(observed);
    let view = View { moment: &moment, rule: &rule, findings: None };
    let wanted = naive::render(&template, &view).unwrap();
    assert_eq!(rendered.get(CopyMember::What), Some(&*wanted));
}
