//! One occurrence of an anchor, as the host describes it.

use std::fmt;

use oar_expr::{Map, Value};
use serde_json::Value as Json;

use super::fact::Supplied;
use super::given::{Given, Mistyped};
use super::json::{LentMap, bounded_object};
use crate::document::source::Object;
use crate::load::{AnchorIndex, RuleSet, UnknownAnchor};

/// A handle to an anchor of one rule set, so that a misspelled moment fails at start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub(crate) index: u32,
    pub(crate) stamp: u64,
}

/// A handle to a fact or function of one rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactId {
    pub(crate) slot: u32,
    pub(crate) stamp: u64,
}

/// A tool call, from which the engine observes `tool`, `tool_args`, their fingerprint and the
/// typed arguments ([OAR-CONF-40]).
#[derive(Clone, Copy)]
pub struct ToolCall<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: Arguments<'a>,
}

/// A call's arguments, wherever the host holds them.
#[derive(Clone, Copy)]
pub(crate) enum Arguments<'a> {
    Json(LentMap<'a>),
    Document(&'a Object),
}

impl Arguments<'_> {
    pub(crate) fn as_map(&self) -> &dyn Map {
        match self {
            Self::Json(map) => map,
            Self::Document(object) => *object,
        }
    }

    /// The arguments with all they nest, for a record.
    pub(crate) fn to_json(self) -> serde_json::Map<String, Json> {
        match self {
            Self::Json(map) => bounded_object(map.0),
            Self::Document(object) => {
                object.iter().map(|own| (own.name.to_string(), own.node.to_json())).collect()
            }
        }
    }
}

impl<'a> ToolCall<'a> {
    /// A call of the tool `name`.
    #[must_use]
    pub fn new(name: &'a str, arguments: &'a serde_json::Map<String, Json>) -> Self {
        Self { name, arguments: Arguments::Json(LentMap(arguments)) }
    }

    /// A call whose arguments stand in a document, numbers kept as they were written.
    #[must_use]
    pub fn from_document(name: &'a str, arguments: &'a Object) -> Self {
        Self { name, arguments: Arguments::Document(arguments) }
    }

    /// The name of the tool.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }
}

/// Neither name nor arguments, which are observations like any other.
impl fmt::Debug for ToolCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = self.arguments.as_map().len();
        f.debug_struct("ToolCall").field("arguments", &arguments).finish_non_exhaustive()
    }
}

/// A value that an occurrence cannot take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SupplyError {
    /// The name is not declared by the core tier, a claimed profile or the host ([OAR-FACT-1]).
    #[error("`{0}` is not a declared fact or function")]
    Undeclared(String),
    /// The name belongs to the engine: the anchor and the counters ([OAR-CONF-32]).
    #[error("`{0}` is observed by the engine and cannot be supplied")]
    Core(String),
    /// The handle belongs to another rule set.
    #[error("the handle belongs to another rule set")]
    Foreign,
}

/// What happened: the moment, the facts, the content and the tool call.
///
/// Everything is lent by the host; deciding reads it and keeps nothing.
///
/// ```
/// # use oar_engine::{Loader, Source};
/// # let capability = r#"{"oar_capability_version": "1.0", "host": "acme",
/// #   "anchors": {"core": {"tool.pre_invoke": "tool.pre_invoke"}, "unsupported": [
/// #     "tool.handler", "tool.post_invoke", "agent.post_turn", "agent.finalize",
/// #     "model.input", "model.output", "model.tool_result"]},
/// #   "profiles": ["session"], "activity_window": 0, "detectors": [],
/// #   "expression_nodes_max": 256, "supports_transform": false}"#;
/// # let rules = Loader::new(Source::json("capability.json", capability)).load()?.rules;
/// let mut occurrence = rules.occurrence("tool.pre_invoke")?;
/// occurrence.fact("session_posture", "build")?;
/// assert!(occurrence.fact("session_postur", "build").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Occurrence<'a> {
    pub(crate) rules: &'a RuleSet,
    pub(crate) place: Place<'a>,
    given: Given<'a>,
    /// Whether a supplied value is not of its declared type.
    pub(crate) wrong: bool,
    pub(crate) content: Option<&'a str>,
    pub(crate) call: Option<ToolCall<'a>>,
    pub(crate) activity: Option<Vec<&'a str>>,
}

/// The moment of an occurrence.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// A declared anchor.
    Declared(&'a AnchorIndex),
    /// A name that the host does not declare: nothing is selected there.
    Undeclared(&'a str),
}

impl<'a> Occurrence<'a> {
    pub(crate) fn at(rules: &'a RuleSet, index: &'a AnchorIndex) -> Self {
        Self::new(rules, Place::Declared(index))
    }

    fn new(rules: &'a RuleSet, place: Place<'a>) -> Self {
        Self {
            rules,
            place,
            given: Given::default(),
            wrong: false,
            content: None,
            call: None,
            activity: None,
        }
    }

    /// An occurrence at the anchor of a handle.
    ///
    /// # Errors
    /// When the handle was made by another rule set.
    pub fn at_anchor(rules: &'a RuleSet, anchor: Anchor) -> Result<Self, SupplyError> {
        match rules.anchors.get(anchor.index as usize) {
            Some(index) if anchor.stamp == rules.stamp => Ok(Self::at(rules, index)),
            _ => Err(SupplyError::Foreign),
        }
    }

    /// An occurrence at a moment that may be undeclared; nothing is selected at such a one.
    #[must_use]
    pub fn anywhere(rules: &'a RuleSet, anchor: &'a str) -> Self {
        match rules.occurrence(anchor) {
            Ok(occurrence) => occurrence,
            Err(UnknownAnchor(_)) => Self::new(rules, Place::Undeclared(anchor)),
        }
    }

    /// Supplies the value of the fact `name`, or the result of the function `name` for every
    /// argument. A later value replaces an earlier one. A value of the wrong type makes the
    /// rules that reference it errored, not this call ([OAR-FACT-26]).
    ///
    /// # Errors
    /// When the name is not declared, or is the engine's own.
    pub fn fact(
        &mut self,
        name: &str,
        value: impl Into<Supplied<'a>>,
    ) -> Result<&mut Self, SupplyError> {
        let slot = self.rules.environment().slot(name);
        self.supply(slot.ok_or_else(|| SupplyError::Undeclared(name.to_owned()))?, value.into())
    }

    /// The same by handle, without a look-up.
    ///
    /// # Errors
    /// When the handle belongs to another rule set or to a name that is the engine's own.
    pub fn set(
        &mut self,
        fact: FactId,
        value: impl Into<Supplied<'a>>,
    ) -> Result<&mut Self, SupplyError> {
        if fact.stamp != self.rules.stamp {
            return Err(SupplyError::Foreign);
        }
        self.supply(fact.slot, value.into())
    }

    fn supply(&mut self, slot: u32, value: Supplied<'a>) -> Result<&mut Self, SupplyError> {
        let Some(entry) = self.rules.environment().entry(slot) else {
            return Err(SupplyError::Foreign);
        };
        if entry.derivation.is_some_and(super::Derivation::is_core) {
            return Err(SupplyError::Core(entry.name().to_owned()));
        }
        self.wrong |= !self.given.put(slot, entry.ty(), value);
        Ok(self)
    }

    /// The content at the occurrence ([OAR-CONF-34]).
    pub fn content(&mut self, content: &'a str) -> &mut Self {
        self.content = Some(content);
        self
    }

    /// The tool call at the occurrence ([OAR-CONF-40]).
    pub fn tool_call(&mut self, call: ToolCall<'a>) -> &mut Self {
        self.call = Some(call);
        self
    }

    /// The recent steps, oldest first, in place of the session's own window ([OAR-FACT-12]).
    pub fn recent_activity(&mut self, steps: impl IntoIterator<Item = &'a str>) -> &mut Self {
        self.activity = Some(steps.into_iter().collect());
        self
    }

    /// The host-local name of its anchor ([OAR-CONF-29]).
    #[must_use]
    pub fn anchor(&self) -> &'a str {
        match self.place {
            Place::Undeclared(name) => name,
            Place::Declared(index) => &index.local,
        }
    }

    /// The content, if there is any.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        self.content
    }

    /// The tool call, if there is one.
    #[must_use]
    pub fn call(&self) -> Option<&ToolCall<'a>> {
        self.call.as_ref()
    }

    pub(crate) fn index(&self) -> Option<&'a AnchorIndex> {
        match self.place {
            Place::Declared(index) => Some(index),
            Place::Undeclared(_) => None,
        }
    }

    /// The supplied value of a slot, if the host supplied one.
    pub(crate) fn supplied(&self, slot: u32) -> Option<Result<Value<'_>, Mistyped>> {
        self.given.get(slot)
    }

    /// The supplied value of a slot as a record writes it; see [`Given::written`].
    pub(crate) fn written(&self, slot: u32) -> Option<Option<Json>> {
        self.given.written(slot)
    }

    /// The supplied value of a slot, if it is at hand in one step.
    #[inline]
    pub(crate) fn lent(&self, slot: u32) -> Option<Value<'_>> {
        self.given.lent(slot)
    }

    /// Whether the supplied value of a slot is of another type than the declared one.
    pub(crate) fn is_wrong(&self, slot: u32) -> bool {
        matches!(self.given.get(slot), Some(Err(Mistyped)))
    }
}

/// The moment, and the names of what was supplied: a host logs this, and must not log values.
impl fmt::Debug for Occurrence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let environment = self.rules.environment();
        let slots = (0_u32..).zip(environment.entries());
        let supplied = slots.filter(|(slot, _)| self.given.get(*slot).is_some());
        let names: Vec<&str> = supplied.map(|(_, entry)| entry.name()).collect();
        f.debug_struct("Occurrence")
            .field("anchor", &self.anchor())
            .field("facts", &names)
            .field("content_bytes", &self.content.map(str::len))
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}
