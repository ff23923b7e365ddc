//! Checks documents without loading them, as far as what was given allows.
//!
//! Where no capability document was given, or the one given is not valid, rules are held against
//! every host that there can be: what no host has is a fault, what a host may have of its own is
//! listed in [`Needs`]. The checks are the loader's own.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::Vocabulary;
use super::capability::Capability;
use super::draft::Draft;
use super::environment::Tier;
use super::loader::{Gathered, configure, identity, read_capability};
use super::resolve::resolve;
use super::source::Source;
use crate::diagnostic::{Diagnostic, Location, Severity};
use crate::document::rule::Enforcement;
use crate::document::source::{Node, ReadLimits, Reading, SourceFile};

/// Checks capability document, rules and configurations.
///
/// ```
/// use oar_engine::Source;
/// use oar_engine::load::Checker;
///
/// let rule = "{oar: '1.0', id: R, kind: policy, anchor: tool.pre_invoke, effect: block,
///              when: acme.tier == 'gold', requires: {facts: [acme.tier]}}";
/// let checked = Checker::new().rules(Source::yaml("rule.yaml", rule)).check();
/// assert!(checked.diagnostics().is_empty());
/// let needs = checked.rules()[0].needs().unwrap();
/// assert_eq!(needs.host_names(), ["acme.tier"]);
/// assert!(!needs.is_portable());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Checker {
    capability: Option<Source>,
    rules: Vec<Source>,
    configs: Vec<Source>,
    limits: ReadLimits,
}

/// What a check found.
#[derive(Debug)]
pub struct Checked {
    diagnostics: Vec<Diagnostic>,
    rules: Vec<CheckedRule>,
    capability: Option<Capability>,
}

/// A rule document that was checked.
#[derive(Clone, Debug)]
pub struct CheckedRule {
    name: Option<String>,
    location: Location,
    sound: bool,
    enforcement: Option<Enforcement>,
    needs: Option<Needs>,
}

/// What a rule needs of a host to be loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    anchor: String,
    is_core_anchor: bool,
    profiles: Vec<String>,
    names: Vec<String>,
    host_names: Vec<String>,
    window: usize,
    nodes: u32,
    transforms: bool,
    detector: Option<String>,
    uses_profiles: Vec<String>,
    outside_profiles: Vec<(String, String)>,
}

impl Checker {
    /// A checker with nothing to check.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, holding the rules against the host that this document describes.
    #[must_use]
    pub fn capability(mut self, capability: Source) -> Self {
        self.capability = Some(capability);
        self
    }

    /// The same, with rules: a document, an array, or a stream ([OAR-DOC-31]).
    #[must_use]
    pub fn rules(mut self, rules: Source) -> Self {
        self.rules.push(rules);
        self
    }

    /// The same, with a configuration.
    #[must_use]
    pub fn config(mut self, config: Source) -> Self {
        self.configs.push(config);
        self
    }

    /// Checks everything and collects what is wrong.
    #[must_use]
    pub fn check(&self) -> Checked {
        let mut diagnostics = Vec::new();
        let capability = self.capability.as_ref().and_then(|source| {
            let read = read_capability(source, &self.limits);
            read.map_err(|faults| diagnostics.extend(faults)).ok()
        });
        let any_host = Capability::of_any_host();
        let host = capability.as_ref().unwrap_or(&any_host);
        let readings: Vec<Reading> = self.rules.iter().map(|s| s.read(&self.limits)).collect();
        let mut gathered = Gathered::default();
        for reading in &readings {
            gathered.reading(reading, host, &mut diagnostics);
        }
        let mut rules: Vec<CheckedRule> = readings.iter().flat_map(documents).collect();
        let places = Places::of(&rules);
        for draft in &gathered.drafts {
            let rule = places.at(draft.placed.file, &draft.placed.pointer(""));
            if let Some(rule) = rule.and_then(|position| rules.get_mut(position)) {
                rule.needs = Some(Needs::of(draft, host));
            }
        }
        let Gathered { drafts, failed } = gathered;
        let mut resolved = resolve(drafts, &failed, host, &mut diagnostics);
        configure(&self.configs, &self.limits, &failed, &mut resolved.rules, &mut diagnostics);
        let in_force: HashMap<&str, Enforcement> =
            resolved.rules.iter().map(|rule| (&*rule.qualified, rule.enforcement)).collect();
        for rule in &mut rules {
            rule.enforcement = in_force.get(rule.name.as_deref().unwrap_or_default()).copied();
        }
        let errors = diagnostics.iter().filter(|d| d.severity() == Severity::Error);
        for place in errors.filter_map(Diagnostic::location) {
            let rule = places.at(&place.file, &place.pointer);
            if let Some(rule) = rule.and_then(|position| rules.get_mut(position)) {
                rule.sound = false;
            }
        }
        Checked { diagnostics, rules, capability }
    }
}

/// Every rule document of a reading.
fn documents(reading: &Reading) -> impl Iterator<Item = CheckedRule> {
    reading.documents.iter().flat_map(move |document| {
        let rule = move |root: &Node, pointer: String| CheckedRule {
            name: identity(root),
            location: Location {
                file: std::sync::Arc::clone(&reading.file),
                span: root.span,
                pointer,
            },
            sound: true,
            enforcement: None,
            needs: None,
        };
        let prefix = &document.pointer_prefix;
        match document.root.as_array() {
            None => vec![rule(&document.root, prefix.clone())],
            Some(members) => {
                let members = members.iter().enumerate();
                members.map(|(item, member)| rule(member, format!("{prefix}/{item}"))).collect()
            }
        }
    })
}

impl Checked {
    /// Everything that was found, warnings included.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// How many of the findings are errors.
    #[must_use]
    pub fn errors(&self) -> usize {
        super::loader::errors(&self.diagnostics)
    }

    /// The rule documents, in their order.
    #[must_use]
    pub fn rules(&self) -> &[CheckedRule] {
        &self.rules
    }

    /// The host that the rules were held against; `None` when it was every host.
    #[must_use]
    pub fn capability(&self) -> Option<&Capability> {
        self.capability.as_ref()
    }
}

impl CheckedRule {
    /// The qualified identifier, as far as it can be told ([OAR-DOC-8]).
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Where the document stands.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Whether nothing is wrong with it.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.sound
    }

    /// How it runs, configuration applied ([OAR-CFG-3]); `None` when its document is faulty.
    #[must_use]
    pub fn enforcement(&self) -> Option<Enforcement> {
        self.enforcement
    }

    /// What it needs of a host; `None` when its document is faulty.
    #[must_use]
    pub fn needs(&self) -> Option<&Needs> {
        self.needs.as_ref()
    }

    /// Whether an error is of this rule.
    #[must_use]
    pub fn is_faulted_by(&self, diagnostic: &Diagnostic) -> bool {
        diagnostic.severity() == Severity::Error
            && diagnostic.location().is_some_and(|place| {
                let below = place.pointer.strip_prefix(&*self.location.pointer);
                Arc::ptr_eq(&place.file, &self.location.file)
                    && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }
}

/// Where the rules stand: by file and pointer, the position of each. A value that the host holds
/// has pointers and no places, and a value that is not written has a place without length.
struct Places(HashMap<*const SourceFile, HashMap<String, usize>>);

impl Places {
    fn of(rules: &[CheckedRule]) -> Self {
        let mut files: HashMap<_, HashMap<_, _>> = HashMap::new();
        for (position, rule) in rules.iter().enumerate() {
            let Location { file, pointer, .. } = &rule.location;
            files.entry(Arc::as_ptr(file)).or_default().insert(pointer.clone(), position);
        }
        Self(files)
    }

    /// The position of the rule that a pointer leads to or into. A rule is a file, a document or
    /// a member of a stream, or a member of such a document.
    fn at(&self, file: &Arc<SourceFile>, pointer: &str) -> Option<usize> {
        let rules = self.0.get(&Arc::as_ptr(file))?;
        let mut starts = pointer.match_indices('/').map(|(at, _)| at).skip(1);
        let (one, two) = (starts.next(), starts.next());
        let ends = [two.unwrap_or(pointer.len()), one.unwrap_or(pointer.len()), 0];
        ends.into_iter().find_map(|end| rules.get(pointer.get(..end)?)).copied()
    }
}

impl Needs {
    fn of(draft: &Draft<'_>, host: &Capability) -> Self {
        let document = &draft.document;
        let anchor = document.anchor.as_str().unwrap_or_default();
        let strings = |list: &[Node]| -> Vec<String> {
            list.iter().filter_map(|node| node.as_str().map(Into::into)).collect()
        };
        let profiles = strings(document.required_profiles.nodes);
        let mut host_names: BTreeSet<String> =
            draft.assumed.iter().map(|name| name.to_string()).collect();
        let mut uses_profiles = BTreeSet::new();
        let mut outside = BTreeSet::new();
        let used = draft.references.iter().filter_map(|slot| host.environment.entry(*slot));
        let names: BTreeSet<String> =
            used.clone().map(|entry| entry.name().to_owned()).chain(host_names.clone()).collect();
        let required = document.required_facts.nodes.iter().filter_map(Node::as_str);
        let required = required.filter_map(|name| Some(host.environment.named(name)?.1));
        for (entry, is_used) in used.map(|e| (e, true)).chain(required.map(|e| (e, false))) {
            match entry.tier() {
                Tier::Core => {}
                Tier::Host if is_used => drop(host_names.insert(entry.name().to_owned())),
                Tier::Host => {}
                Tier::Profile(position) => {
                    let known = Vocabulary::get().profiles.get(usize::from(position));
                    let Some(profile) = known.map(|own| own.name.as_str()) else { continue };
                    uses_profiles.insert(profile.to_owned());
                    if is_used && !document.required_profiles.contains(profile) {
                        outside.insert((entry.name().to_owned(), profile.to_owned()));
                    }
                }
            }
        }
        Self {
            anchor: anchor.to_owned(),
            is_core_anchor: Vocabulary::get().anchor(anchor).is_some(),
            uses_profiles: uses_profiles.into_iter().collect(),
            outside_profiles: outside.into_iter().collect(),
            profiles,
            names: names.into_iter().collect(),
            host_names: host_names.into_iter().collect(),
            window: document.flow.and_then(Node::as_array).map_or(0, <[_]>::len),
            nodes: nodes(draft),
            transforms: document.transform.is_some(),
            detector: document.detector.and_then(Node::as_str).map(Into::into),
        }
    }

    /// The moment that the rule is for.
    #[must_use]
    pub fn anchor(&self) -> &str {
        &self.anchor
    }

    /// Whether that moment is one of the standard's, which any host can map.
    #[must_use]
    pub fn is_core_anchor(&self) -> bool {
        self.is_core_anchor
    }

    /// The profiles that the rule requires.
    #[must_use]
    pub fn profiles(&self) -> &[String] {
        &self.profiles
    }

    /// Every fact and function that it uses: in its condition, selector, counter scope, transform
    /// target and copy ([OAR-FACT-11]).
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The facts and functions of a host's own that it uses.
    #[must_use]
    pub fn host_names(&self) -> &[String] {
        &self.host_names
    }

    /// The names that it uses of a profile without requiring the profile, each with the profile:
    /// they are reached by name, and the rule is not portable for it ([OAR-PROF-6]).
    #[must_use]
    pub fn outside_profiles(&self) -> &[(String, String)] {
        &self.outside_profiles
    }

    /// The profiles whose names it uses.
    #[must_use]
    pub fn uses_profiles(&self) -> &[String] {
        &self.uses_profiles
    }

    /// The least `activity_window` for its flow ([OAR-FACT-13]).
    #[must_use]
    pub fn window(&self) -> usize {
        self.window
    }

    /// The nodes of its condition ([OAR-EXPR-17]).
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Whether it changes content ([OAR-OPS-18]).
    #[must_use]
    pub fn transforms(&self) -> bool {
        self.transforms
    }

    /// The detector that it runs ([OAR-OPS-12]).
    #[must_use]
    pub fn detector(&self) -> Option<&str> {
        self.detector.as_deref()
    }

    /// Whether it means the same on every host with its profiles and a window for its flow
    /// ([OAR-PROF-6]).
    #[must_use]
    pub fn is_portable(&self) -> bool {
        self.is_core_anchor && self.host_names.is_empty() && self.outside_profiles.is_empty()
    }
}

/// The nodes of a rule's condition. One that names what only its host can type is not compiled,
/// yet it has its nodes ([OAR-EXPR-20]).
fn nodes(draft: &Draft<'_>) -> u32 {
    let parsed = || {
        let ast = oar_expr::parse(draft.document.when?.as_str()?).ok()?;
        u32::try_from(ast.node_count()).ok()
    };
    let compiled = draft.program.as_ref().map(oar_expr::Program::node_count);
    compiled.or_else(parsed).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &str) -> Checked {
        Checker::new().rules(Source::yaml("rules.yaml", rules)).check()
    }

    fn messages(checked: &Checked) -> Vec<String> {
        checked.diagnostics().iter().map(ToString::to_string).collect()
    }

    const RULE: &str = "oar: '1.0'\nkind: policy\neffect: block\nanchor: tool.pre_invoke\n";

    #[test]
    fn names_of_a_profile_are_checked_without_a_host() {
        let checked =
            check(&format!("{RULE}id: R\nwhen: tool == 1\nrequires: {{profiles: [tool]}}"));
        assert_eq!(messages(&checked), ["OAR-EXPR-11: `==` cannot compare string with int"]);
        assert!(!checked.rules()[0].is_sound());
    }

    #[test]
    fn a_host_may_declare_names_of_its_own() {
        let checked = check(&format!(
            "{RULE}id: R\nwhen: acme.rank(acme.name) > 1 || size(acme.name) == 0\n\
             requires: {{facts: [acme.rank, acme.name]}}"
        ));
        assert_eq!(messages(&checked), [""; 0]);
        let needs = checked.rules()[0].needs().unwrap();
        assert_eq!(needs.host_names(), ["acme.name", "acme.rank"]);
        // What the host alone can type is counted as well.
        assert_eq!(needs.nodes(), 9);
    }

    #[test]
    fn a_host_name_must_be_reached_all_the_same() {
        let checked = check(&format!("{RULE}id: R\nwhen: acme.name == 'a'"));
        assert_eq!(
            messages(&checked),
            ["OAR-FACT-20: `acme.name` is not reached through `requires`"]
        );
        let place = checked.diagnostics()[0].location().unwrap();
        assert_eq!(place.file.slice(place.span), "acme.name");
    }

    #[test]
    fn no_host_declares_a_name_without_a_namespace() {
        let checked =
            check(&format!("{RULE}id: R\nwhen: tol == 'a'\nrequires: {{profiles: [tool]}}"));
        assert_eq!(messages(&checked), ["OAR-FACT-3: unknown name `tol`"]);
        let checked = check(&format!(
            "{RULE}id: R\nwhen: tool_args.x == 'a'\nrequires: {{profiles: [tool]}}"
        ));
        assert_eq!(messages(&checked), ["OAR-FACT-3: unknown name `tool_args.x`"]);
        let checked = check(&format!("{RULE}id: R\nrequires: {{profiles: [tol], facts: [x]}}"));
        assert_eq!(
            messages(&checked),
            [
                "OAR-FACT-19: rule `R` requires profile `tol`, which is not one of the standard's",
                "OAR-FACT-19: rule `R` requires `x`, which the standard does not declare and no \
                 host can",
            ]
        );
    }

    #[test]
    fn faults_of_the_set_are_found_without_a_host() {
        let checked = check(&format!(
            "{RULE}id: A\noverrides: [B]\n---\n{RULE}id: A\n---\n{RULE}id: C\nanchor: {{}}"
        ));
        assert_eq!(
            messages(&checked),
            [
                "OAR-DOC-1: member `anchor` is given twice",
                "OAR-DOC-9: rule `A` is loaded twice",
                "OAR-EVAL-13: override `B` is not loaded",
            ]
        );
        let sound: Vec<bool> = checked.rules().iter().map(CheckedRule::is_sound).collect();
        assert_eq!(sound, [false, false, false]);
    }

    /// Rules that the host holds have no places, and what is not written has no length: the
    /// pointer tells whose fault it is.
    #[test]
    fn faults_are_told_of_the_rule_that_has_them() {
        let rule = |id: &str, when: serde_json::Value| {
            serde_json::json!({"oar": "1.0", "id": id, "kind": "policy", "effect": "block",
                "anchor": "tool.pre_invoke", "when": when})
        };
        let rules = [rule("A", "true".into()), rule("B", "1".into()), rule("C", "true".into())];
        let checked = Checker::new().rules(Source::value("rules", rules.to_vec().into())).check();
        let sound: Vec<bool> = checked.rules().iter().map(CheckedRule::is_sound).collect();
        assert_eq!(sound, [true, false, true]);
        let named: Vec<bool> = checked.rules().iter().map(|rule| rule.needs().is_some()).collect();
        assert_eq!(named, [true, false, true]);
        let fault = &checked.diagnostics()[0];
        let faulted: Vec<bool> = checked.rules().iter().map(|r| r.is_faulted_by(fault)).collect();
        assert_eq!(faulted, [false, true, false]);
        // Eleven rules: `/1` is no beginning of `/10`.
        let mut many: Vec<_> = (0..11).map(|n| rule(&format!("R{n}"), "true".into())).collect();
        many[10] = rule("R10", "1".into());
        let checked = Checker::new().rules(Source::value("rules", many.into())).check();
        let fault = &checked.diagnostics()[0];
        let faulted = checked.rules().iter().filter(|rule| rule.is_faulted_by(fault));
        assert_eq!(faulted.map(CheckedRule::name).collect::<Vec<_>>(), [Some("R10")]);
        let checked = check(&format!("{RULE}id: R\nwhen:\n---\n{RULE}id: S\nwhen:"));
        let sound: Vec<bool> = checked.rules().iter().map(CheckedRule::is_sound).collect();
        assert_eq!((checked.errors(), sound), (2, vec![false, false]));
    }

    /// Rules behind a fault that ends the reading of a stream are lost, not missing.
    #[test]
    fn what_was_lost_with_a_fault_is_not_missed() {
        let checked = check(&format!(
            "{RULE}id: A\noverrides: [B]\n---\nwhen: a ? b : c: d\n---\n{RULE}id: B\n"
        ));
        assert_eq!(messages(&checked), ["OAR-DOC-1: a `:` makes no member here"]);
    }

    #[test]
    fn an_invalid_capability_document_leaves_the_rules_checked() {
        let checked = Checker::new()
            .capability(Source::json("capability.json", "{}"))
            .rules(Source::yaml("rules.yaml", format!("{RULE}id: R\nwhen: tool ==")))
            .check();
        let last = messages(&checked).pop().unwrap();
        assert!(last.starts_with("OAR-EXPR-1"), "{last}");
        assert!(checked.capability().is_none());
    }

    #[test]
    fn portability_is_a_matter_of_anchor_names_and_profiles() {
        let needs = |rest: &str| {
            let checked = check(&format!("oar: '1.0'\nid: R\nkind: policy\neffect: block\n{rest}"));
            assert_eq!(messages(&checked), [""; 0], "{rest}");
            checked.rules()[0].needs().unwrap().clone()
        };
        let plain =
            needs("anchor: tool.pre_invoke\nrequires: {profiles: [tool]}\nwhen: tool == 'a'");
        assert!(plain.is_portable());
        let by_name =
            needs("anchor: tool.pre_invoke\nrequires: {facts: [tool]}\nwhen: tool == 'a'");
        assert_eq!(by_name.outside_profiles(), [("tool".to_owned(), "tool".to_owned())]);
        assert!(!by_name.is_portable());
        assert!(!needs("anchor: acme.moment").is_portable());
        assert_eq!(needs("anchor: tool.pre_invoke\nflow: [a, b]").window(), 2);
    }
}
