//! What a record leaves out of what was observed.

use std::collections::BTreeSet;

/// Which values a record leaves out. Names, decisions and digests always stay.
///
/// ```
/// use oar_engine::audit::Redaction;
/// let some = Redaction::none().fact("acme.patient").content();
/// let all = Redaction::all().keep_tools(); // every value, but for the names of tools
/// # let _ = (some, all);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    all: bool,
    keep_tools: bool,
    content: bool,
    arguments: bool,
    facts: BTreeSet<String>,
}

impl Redaction {
    /// Nothing is left out: the record can be decided again.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Every value is left out: of facts, content, tool calls and recent steps.
    #[must_use]
    pub fn all() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// The same, keeping the names of tools, which say little about what was done with them.
    #[must_use]
    pub fn keep_tools(mut self) -> Self {
        self.keep_tools = true;
        self
    }

    /// The same, leaving out the values of the fact or function `name`, whoever observed it.
    #[must_use]
    pub fn fact(mut self, name: impl Into<String>) -> Self {
        self.facts.insert(name.into());
        self
    }

    /// The same, leaving out the content.
    #[must_use]
    pub fn content(mut self) -> Self {
        self.content = true;
        self
    }

    /// The same, leaving out the arguments of tool calls.
    #[must_use]
    pub fn arguments(mut self) -> Self {
        self.arguments = true;
        self
    }

    pub(super) fn hides_fact(&self, name: &str) -> bool {
        self.all || self.facts.contains(name)
    }

    pub(super) fn hides_content(&self) -> bool {
        self.all || self.content
    }

    pub(super) fn hides_arguments(&self) -> bool {
        self.all || self.arguments
    }

    pub(super) fn hides_tools(&self) -> bool {
        self.all && !self.keep_tools
    }
}
