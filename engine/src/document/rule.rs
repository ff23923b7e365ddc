//! A rule as its author wrote it, read from a document that fits the schema ([OAR-CONF-1]).
//!
//! The reader decides quickly whether a document fits; it does not say why one does not.
//! `schema` explains that, and a test holds that the two accept the same documents.

use std::collections::HashSet;

use super::names;
use super::source::{Node, Object};

/// Where a rule stands in the order of evaluation, and nothing else ([OAR-DOC-10], [OAR-EVAL-2]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Evaluated first.
    Schema,
    /// Evaluated second.
    Policy,
    /// Evaluated third.
    Invariant,
    /// Evaluated last; runs a detector.
    Detector,
}

/// What a rule does when it fires ([OAR-DOC-11]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Stops the occurrence.
    Block,
    /// Tells the operator.
    Warn,
    /// Tells the agent.
    Nudge,
    /// Records a pass and decides nothing ([OAR-EVAL-7]).
    Allow,
    /// Changes the content (section 7.2).
    Transform,
}

/// How loudly a rule runs ([OAR-DOC-16]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enforcement {
    /// It acts.
    Enforce,
    /// It is evaluated and recorded, and does nothing ([OAR-OPS-1]).
    Monitor,
    /// It is loaded and left aside ([OAR-OPS-2]).
    Off,
}

/// A side-effect of firing ([OAR-FIRE-1]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Adds one to `fire_count`.
    IncrementCounter,
    /// Sets `fire_count` to zero.
    ResetCounter,
    /// Emits a record to the event stream ([OAR-FIRE-7]).
    PublishEvent,
    /// Adds one to `breaker_count`.
    IncrementBreaker,
    /// Sets `breaker_count` to zero.
    ResetBreaker,
}

/// What a transform does to a span ([OAR-OPS-13]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransformAction {
    /// Replaces it, by a fixed placeholder unless a replacement is given.
    Redact,
    /// Replaces it.
    Replace,
    /// Inserts behind it.
    Annotate,
}

/// A member of `copy` ([OAR-DOC-24]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyMember {
    /// `title`
    Title,
    /// `what`
    What,
    /// `cause`
    Cause,
    /// `why`
    Why,
    /// `fix`
    Fix,
    /// `instead`
    Instead,
}

macro_rules! words {
    ($type:ident: $($variant:ident = $word:literal),* $(,)?) => {
        impl $type {
            /// Every value, in the order of the standard.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word for it in documents and reports.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// The value of a word.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
words!(Kind: Schema = "schema", Policy = "policy", Invariant = "invariant", Detector = "detector");
words!(Effect: Block = "block", Warn = "warn", Nudge = "nudge", Allow = "allow", Transform = "transform");
words!(Enforcement: Enforce = "enforce", Monitor = "monitor", Off = "off");
words!(Action: IncrementCounter = "increment_counter", ResetCounter = "reset_counter",
    PublishEvent = "publish_event", IncrementBreaker = "increment_breaker",
    ResetBreaker = "reset_breaker");
words!(TransformAction: Redact = "redact", Replace = "replace", Annotate = "annotate");
words!(CopyMember: Title = "title", What = "what", Cause = "cause", Why = "why", Fix = "fix",
    Instead = "instead");

/// A rule document, its strings borrowed from the source.
#[derive(Debug)]
pub(crate) struct RuleDocument<'d> {
    pub(crate) id: &'d Node,
    pub(crate) namespace: Option<&'d str>,
    pub(crate) kind: Kind,
    pub(crate) anchor: &'d Node,
    pub(crate) selector: Option<&'d Object>,
    pub(crate) when: Option<&'d Node>,
    pub(crate) flow: Option<&'d Node>,
    pub(crate) effect: Effect,
    pub(crate) enforcement: Enforcement,
    pub(crate) mandatory: bool,
    pub(crate) on_error: Option<&'d Node>,
    pub(crate) on_fire: Vec<Action>,
    pub(crate) overrides: &'d [Node],
    pub(crate) required_profiles: Listed<'d>,
    pub(crate) required_facts: Listed<'d>,
    pub(crate) transform: Option<TransformDocument<'d>>,
    pub(crate) detector: Option<&'d Node>,
    pub(crate) copy: Option<&'d Object>,
    pub(crate) counter_scope: Option<&'d Node>,
}

/// A list of different names, asked for single ones.
#[derive(Debug, Default)]
pub(crate) struct Listed<'d> {
    pub(crate) nodes: &'d [Node],
    /// The names again, where there are many.
    many: HashSet<&'d str>,
}

impl<'d> Listed<'d> {
    /// Up to here comparing with every name is as fast as a look-up.
    const FEW: usize = 16;

    fn of(nodes: &'d [Node]) -> Self {
        let names = nodes.iter().filter(|_| nodes.len() > Self::FEW).filter_map(Node::as_str);
        Self { nodes, many: names.collect() }
    }

    /// Whether `name` is one of them.
    pub(crate) fn contains(&self, name: &str) -> bool {
        if self.nodes.len() > Self::FEW {
            return self.many.contains(name);
        }
        self.nodes.iter().any(|node| node.as_str() == Some(name))
    }
}

/// The `transform` of a rule ([OAR-OPS-13]).
#[derive(Debug)]
pub(crate) struct TransformDocument<'d> {
    pub(crate) action: TransformAction,
    pub(crate) target: &'d Node,
    pub(crate) replacement: Option<&'d str>,
}

impl<'d> RuleDocument<'d> {
    /// The qualified identifier ([OAR-DOC-8]).
    pub(crate) fn qualified(&self) -> String {
        names::qualified(self.namespace, self.id.as_str().unwrap_or_default())
    }

    /// Reads a rule, or `None` when the document does not fit the schema.
    pub(crate) fn read(root: &'d Node) -> Option<Self> {
        let object = root.as_object()?;
        let mut oar = false;
        let (mut id, mut kind, mut anchor, mut effect) = (None, None, None, None);
        let mut rule = Optional::default();
        for member in object.iter() {
            let node = &member.node;
            match &*member.name {
                "oar" => oar = super::version::check(node.as_str()?).is_ok(),
                "id" => id = Some(named(node, names::is_rule_id)?),
                "kind" => kind = Some(Kind::parse(node.as_str()?)?),
                "anchor" => anchor = Some(named(node, names::is_anchor)?),
                "effect" => effect = Some(Effect::parse(node.as_str()?)?),
                _ => rule.member(&member.name, node)?,
            }
        }
        let (id, kind, anchor, effect) = (id?, kind?, anchor?, effect?);
        let fits = oar
            && (effect == Effect::Transform) == rule.transform.is_some()
            && (kind == Kind::Detector) == rule.detector.is_some();
        fits.then_some(Self {
            id,
            namespace: rule.namespace,
            kind,
            anchor,
            selector: rule.selector,
            when: rule.when,
            flow: rule.flow,
            effect,
            enforcement: rule.enforcement.unwrap_or(Enforcement::Enforce),
            mandatory: rule.mandatory,
            on_error: rule.on_error,
            on_fire: rule.on_fire,
            overrides: rule.overrides,
            required_profiles: rule.required_profiles,
            required_facts: rule.required_facts,
            transform: rule.transform,
            detector: rule.detector,
            copy: rule.copy,
            counter_scope: rule.counter_scope,
        })
    }
}

/// The members that a rule may leave out.
#[derive(Default)]
struct Optional<'d> {
    namespace: Option<&'d str>,
    selector: Option<&'d Object>,
    when: Option<&'d Node>,
    flow: Option<&'d Node>,
    enforcement: Option<Enforcement>,
    mandatory: bool,
    on_error: Option<&'d Node>,
    on_fire: Vec<Action>,
    overrides: &'d [Node],
    required_profiles: Listed<'d>,
    required_facts: Listed<'d>,
    transform: Option<TransformDocument<'d>>,
    detector: Option<&'d Node>,
    copy: Option<&'d Object>,
    counter_scope: Option<&'d Node>,
}

impl<'d> Optional<'d> {
    fn member(&mut self, name: &str, node: &'d Node) -> Option<()> {
        match name {
            "namespace" => self.namespace = named(node, names::is_namespace)?.as_str(),
            "selector" => self.selector = Some(selector(node)?),
            "when" => self.when = Some(named(node, |_| true)?),
            "flow" => self.flow = Some(flow(node)?),
            "enforcement" => self.enforcement = Some(Enforcement::parse(node.as_str()?)?),
            "mandatory" => self.mandatory = node.as_bool()?,
            "on_error" => self.on_error = Some(named(node, is_on_error)?),
            "on_fire" => self.on_fire = actions(node)?,
            "overrides" => self.overrides = unique(node, names::is_rule_reference)?,
            "requires" => self.requires(node.as_object()?)?,
            "transform" => self.transform = Some(transform(node.as_object()?)?),
            "detector" => self.detector = Some(detector(node.as_object()?)?),
            "copy" => self.copy = Some(copy(node)?),
            "counter_scope" => self.counter_scope = Some(named(node, names::is_fact_name)?),
            "references" => references(node.as_object()?)?,
            "status" => status(node.as_str()?)?,
            "related" => related(node.as_array()?)?,
            _ => names::is_extension(name).then_some(())?,
        }
        Some(())
    }

    fn requires(&mut self, object: &'d Object) -> Option<()> {
        for member in object.iter() {
            match &*member.name {
                "profiles" => self.required_profiles = Listed::of(unique(&member.node, |_| true)?),
                "facts" => {
                    self.required_facts = Listed::of(unique(&member.node, names::is_fact_name)?);
                }
                _ => return None,
            }
        }
        Some(())
    }
}

/// The node, when it is a string that passes the test.
fn named(node: &Node, test: impl Fn(&str) -> bool) -> Option<&Node> {
    test(node.as_str()?).then_some(node)
}

fn is_on_error(text: &str) -> bool {
    matches!(text, "fail_closed" | "fail_open") || names::is_rule_reference(text)
}

/// A list of different strings that each pass the test.
fn unique(node: &Node, test: impl Fn(&str) -> bool) -> Option<&[Node]> {
    let items = node.as_array()?;
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        texts.push(item.as_str().filter(|text| test(text))?);
    }
    texts.sort_unstable();
    texts.is_sorted_by(|a, b| a < b).then_some(items)
}

fn selector(node: &Node) -> Option<&Object> {
    let object = node.as_object()?;
    for clause in object.iter() {
        if !names::is_fact_name(&clause.name) {
            return None;
        }
        unique(&clause.node, |value| !value.is_empty())?;
    }
    Some(object)
}

fn flow(node: &Node) -> Option<&Node> {
    let steps = node.as_array()?;
    let named = steps.iter().all(|step| step.as_str().is_some_and(|step| !step.is_empty()));
    (named && !steps.is_empty()).then_some(node)
}

fn actions(node: &Node) -> Option<Vec<Action>> {
    node.as_array()?.iter().map(|action| Action::parse(action.as_str()?)).collect()
}

fn transform(object: &Object) -> Option<TransformDocument<'_>> {
    let (mut action, mut target, mut replacement) = (None, None, None);
    for member in object.iter() {
        match &*member.name {
            "action" => action = Some(TransformAction::parse(member.node.as_str()?)?),
            "target" => target = Some(named(&member.node, |_| true)?),
            "replacement" => replacement = Some(member.node.as_str()?),
            _ => return None,
        }
    }
    let (action, target) = (action?, target?);
    (action == TransformAction::Redact || replacement.is_some()).then_some(TransformDocument {
        action,
        target,
        replacement,
    })
}

fn detector(object: &Object) -> Option<&Node> {
    let reference = named(object.get("ref")?, names::is_detector_reference)?;
    (object.len() == 1).then_some(reference)
}

fn copy(node: &Node) -> Option<&Object> {
    let object = node.as_object()?;
    let known = |member: &super::source::Member| {
        CopyMember::parse(&member.name).is_some() && member.node.as_str().is_some()
    };
    object.iter().all(known).then_some(object)
}

fn references(object: &Object) -> Option<()> {
    let filled = |tag: &Node| tag.as_str().is_some_and(|tag| !tag.is_empty());
    let mut lists = object.iter().map(|member| member.node.as_array());
    lists.all(|tags| tags.is_some_and(|tags| tags.iter().all(filled))).then_some(())
}

fn status(word: &str) -> Option<()> {
    matches!(word, "experimental" | "test" | "stable" | "deprecated").then_some(())
}

fn related(entries: &[Node]) -> Option<()> {
    entries.iter().try_for_each(|entry| {
        let object = entry.as_object()?;
        named(object.get("id")?, names::is_rule_reference)?;
        let kind = object.get("type")?.as_str()?;
        let known = matches!(kind, "derived" | "obsolete" | "merged" | "renamed" | "similar");
        (known && object.len() == 2).then_some(())
    })
}
