//! What the loaded rules say in their documents, for explanations: deciding keeps none of it.

use std::collections::HashMap;
use std::sync::Arc;

use super::capability::Capability;
use super::loader::{Loader, identity};
use super::vocabulary::Vocabulary;
use crate::diagnostic::Location;
use crate::document::source::Node;

/// The text of every rule of a [`Loader`], by qualified identifier.
#[derive(Clone, Debug, Default)]
pub struct RuleTexts {
    by_rule: HashMap<String, RuleText>,
}

/// What a rule's document says.
#[derive(Clone, Debug)]
pub struct RuleText {
    pub(crate) location: Location,
    pub(crate) anchor: String,
    pub(crate) when: Option<String>,
    pub(crate) has_flow: bool,
}

impl RuleText {
    /// Where the document stands.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The moment that it names.
    #[must_use]
    pub fn anchor(&self) -> &str {
        &self.anchor
    }

    /// Its condition.
    #[must_use]
    pub fn when(&self) -> Option<&str> {
        self.when.as_deref()
    }

    /// Whether it waits for earlier steps.
    #[must_use]
    pub fn has_flow(&self) -> bool {
        self.has_flow
    }

    /// The host-local name of its moment ([OAR-PROF-4]).
    pub(crate) fn local_anchor<'c>(&'c self, capability: &'c Capability) -> &'c str {
        let core = Vocabulary::get().anchor(&self.anchor);
        let local = core.and_then(|position| capability.core_anchors.get(position));
        local.and_then(Option::as_deref).unwrap_or(&self.anchor)
    }
}

impl RuleTexts {
    /// What the rule of this qualified identifier says.
    #[must_use]
    pub fn get(&self, rule: &str) -> Option<&RuleText> {
        self.by_rule.get(rule)
    }
}

impl Loader {
    /// Reads the documents of the rules once more, for
    /// [`Host::explain`](crate::Host::explain).
    #[must_use]
    pub fn texts(&self) -> RuleTexts {
        let mut texts = RuleTexts::default();
        for source in &self.rules {
            let reading = source.read(&self.limits);
            for document in &reading.documents {
                let prefix = &document.pointer_prefix;
                let mut take = |root: &Node, pointer: String| {
                    let Some(rule) = identity(root) else { return };
                    let text = |member| root.get(member).and_then(Node::as_str);
                    let text = RuleText {
                        location: Location {
                            file: Arc::clone(&reading.file),
                            span: root.span,
                            pointer,
                        },
                        anchor: text("anchor").unwrap_or_default().to_owned(),
                        when: text("when").map(str::to_owned),
                        has_flow: root.get("flow").is_some(),
                    };
                    texts.by_rule.insert(rule, text);
                };
                match document.root.as_array() {
                    None => take(&document.root, prefix.clone()),
                    Some(members) => {
                        for (item, member) in members.iter().enumerate() {
                            take(member, format!("{prefix}/{item}"));
                        }
                    }
                }
            }
        }
        texts
    }
}
