//! Rules as they are written, for commands that look at them rather than decide with them.
//!
//! The engine says whether a document loads; this is what its members say once it does. Nothing
//! here complains: what is not as a rule should be reads as absent.

mod condition;
mod copy;
mod order;

use std::collections::HashMap;
use std::sync::Arc;

use oar_engine::Source;
use oar_engine::diagnostic::Location;
use oar_engine::document::rule::{Effect, Enforcement, Kind};
use oar_engine::document::source::{Node, Object, ReadLimits, SourceFile, join_pointer};

pub(crate) use condition::{Condition, Term, Terms, is_counter_reader};
pub(crate) use copy::names;
pub(crate) use order::Order;

/// One rule document.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) file: Arc<SourceFile>,
    /// Where the document stands in its file.
    pub(crate) pointer: String,
    pub(crate) root: Node,
}

impl Written {
    /// Every document of a source.
    pub(crate) fn all(source: &Source) -> Vec<Self> {
        let reading = source.read(&ReadLimits::default());
        let mut all = Vec::new();
        for document in &reading.documents {
            let prefix = &document.pointer_prefix;
            let written = |root: &Node, pointer| Self {
                file: Arc::clone(&reading.file),
                pointer,
                root: root.clone(),
            };
            match document.root.as_array() {
                None => all.push(written(&document.root, prefix.clone())),
                Some(items) => {
                    let items = items.iter().enumerate();
                    all.extend(items.map(|(at, item)| written(item, format!("{prefix}/{at}"))));
                }
            }
        }
        all
    }

    /// The qualified identifier ([OAR-DOC-8]).
    pub(crate) fn name(&self) -> String {
        self.qualify(self.id())
    }

    /// The bare identifier.
    pub(crate) fn id(&self) -> &str {
        self.text("id").unwrap_or_default()
    }

    /// The qualified identifier that `reference` means in this rule ([OAR-EVAL-13]).
    pub(crate) fn qualify(&self, reference: &str) -> String {
        match self.text("namespace") {
            Some(namespace) if !reference.contains('/') => format!("{namespace}/{reference}"),
            _ => reference.to_owned(),
        }
    }

    /// A member that is a string.
    pub(crate) fn text(&self, member: &str) -> Option<&str> {
        self.root.get(member)?.as_str()
    }

    /// A member that is an object.
    pub(crate) fn object(&self, member: &str) -> Option<&Object> {
        self.root.get(member)?.as_object()
    }

    /// The strings of a list, each with its node.
    pub(crate) fn list(&self, member: &str) -> impl Iterator<Item = (&str, &Node)> {
        strings(self.root.get(member))
    }

    /// The strings of a list in `requires`.
    pub(crate) fn required(&self, member: &str) -> impl Iterator<Item = (&str, &Node)> {
        strings(self.root.get("requires").and_then(|requires| requires.get(member)))
    }

    pub(crate) fn anchor(&self) -> &str {
        self.text("anchor").unwrap_or_default()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.text("kind").and_then(Kind::parse).unwrap_or(Kind::Policy)
    }

    pub(crate) fn effect(&self) -> Effect {
        self.text("effect").and_then(Effect::parse).unwrap_or(Effect::Block)
    }

    /// As the author declared it ([OAR-DOC-16]).
    pub(crate) fn enforcement(&self) -> Enforcement {
        self.text("enforcement").and_then(Enforcement::parse).unwrap_or(Enforcement::Enforce)
    }

    pub(crate) fn mandatory(&self) -> bool {
        self.root.get("mandatory").and_then(Node::as_bool).unwrap_or_default()
    }

    /// The condition, parsed.
    pub(crate) fn condition(&self) -> Option<Condition<'_>> {
        Condition::parse(self.text("when")?)
    }

    /// The place of a node of this document.
    pub(crate) fn place(&self, node: &Node, pointer: &str) -> Location {
        Location {
            file: Arc::clone(&self.file),
            span: node.span,
            pointer: format!("{}{pointer}", self.pointer),
        }
    }

    /// The place of a member; that of the identifier where the member is absent.
    pub(crate) fn place_of(&self, member: &str) -> Location {
        let (node, member) = match (self.root.get(member), self.root.get("id")) {
            (Some(node), _) => (node, member),
            (None, Some(id)) => (id, "id"),
            (None, None) => return self.place(&self.root, ""),
        };
        self.place(node, &join_pointer("", member))
    }
}

fn strings(list: Option<&Node>) -> impl Iterator<Item = (&str, &Node)> {
    let items = list.and_then(Node::as_array).unwrap_or_default();
    items.iter().filter_map(|item| Some((item.as_str()?, item)))
}

/// Rules that are loaded together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    all: Vec<Written>,
    by_name: HashMap<String, usize>,
}

impl Rules {
    /// The rules of several sources, in base order ([OAR-EVAL-1]).
    pub(crate) fn of<'s>(sources: impl IntoIterator<Item = &'s Source>) -> Self {
        let mut all: Vec<Written> = sources.into_iter().flat_map(Written::all).collect();
        all.sort_by_cached_key(|rule| (rule.kind(), rule.name()));
        let by_name = all.iter().enumerate().map(|(at, rule)| (rule.name(), at)).collect();
        Self { all, by_name }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Written> {
        self.all.get(*self.by_name.get(name)?)
    }

    /// In base order.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Written> {
        self.all.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
}
