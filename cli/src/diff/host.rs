//! What the two versions need of a host, and what their own capability documents say.

use std::collections::{BTreeMap, BTreeSet};

use oar_engine::load::{Capability, Declaration, Tier};

use super::Side;

/// Something of a host that is new or gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostChange {
    /// What it is: `profile`, `anchor`, …
    pub(crate) what: &'static str,
    pub(crate) gone: BTreeSet<String>,
    pub(crate) new: BTreeSet<String>,
    /// For what is new, the rules that need it.
    pub(crate) rules: BTreeMap<String, Vec<String>>,
}

/// What is needed, by its kind and name; each with the rules that need it.
type Needed = BTreeMap<&'static str, BTreeMap<String, Vec<String>>>;

/// What rules of the later version need and none of the earlier did, and the other way round.
pub(super) fn needs(before: &Side, after: &Side) -> Vec<HostChange> {
    let (earlier, later) = (needed(before), needed(after));
    let kinds: BTreeSet<&'static str> = earlier.keys().chain(later.keys()).copied().collect();
    let nothing = BTreeMap::new();
    let change = |what: &'static str| {
        let one = earlier.get(what).unwrap_or(&nothing);
        let other = later.get(what).unwrap_or(&nothing);
        let names = |from: &BTreeMap<String, Vec<String>>,
                     without: &BTreeMap<String, Vec<String>>| {
            from.keys().filter(|name| !without.contains_key(*name)).cloned().collect()
        };
        let new: BTreeSet<String> = names(other, one);
        let rules = other.iter().filter(|(name, _)| new.contains(*name));
        let rules = rules.map(|(name, rules)| (name.clone(), rules.clone())).collect();
        HostChange { what, gone: names(one, other), new, rules }
    };
    let changes = kinds.into_iter().map(change);
    changes.filter(|change| !change.gone.is_empty() || !change.new.is_empty()).collect()
}

fn needed(side: &Side) -> Needed {
    let mut needed = Needed::new();
    let mut add = |what: &'static str, name: &str, rule: &str| {
        let rules = needed.entry(what).or_default().entry(name.to_owned()).or_default();
        rules.push(rule.to_owned());
    };
    let mut window: Option<(usize, &str)> = None;
    let mut nodes: Option<(u32, &str)> = None;
    for (rule, needs) in side.needs() {
        add("anchor", needs.anchor(), rule);
        needs.profiles().iter().for_each(|name| add("profile", name, rule));
        needs.host_names().iter().for_each(|name| add("host fact", name, rule));
        needs.detector().iter().for_each(|name| add("detector", name, rule));
        if needs.transforms() {
            add("support of", "transforms", rule);
        }
        window = window.max(Some((needs.window(), rule)));
        nodes = nodes.max(Some((needs.nodes(), rule)));
    }
    if let Some((window, rule)) = window.filter(|(window, _)| *window > 0) {
        add("activity window", &format!("of {window}"), rule);
    }
    // Every host takes 256 nodes ([OAR-EXPR-17]).
    if let Some((nodes, rule)) = nodes.filter(|(nodes, _)| *nodes > 256) {
        add("conditions", &format!("of {nodes} nodes"), rule);
    }
    needed
}

/// What the capability documents say, where both versions have one.
pub(super) fn declared(before: &Side, after: &Side) -> Vec<HostChange> {
    let (Some(one), Some(other)) = (before.checked.capability(), after.checked.capability()) else {
        return Vec::new();
    };
    let (one, other) = (said(one), said(other));
    let kinds = one.iter().zip(&other);
    kinds
        .map(|((what, before), (_, after))| HostChange {
            what,
            gone: before.difference(after).cloned().collect(),
            new: after.difference(before).cloned().collect(),
            rules: BTreeMap::new(),
        })
        .filter(|change| !change.gone.is_empty() || !change.new.is_empty())
        .collect()
}

fn said(capability: &Capability) -> [(&'static str, BTreeSet<String>); 9] {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    let anchors = capability.core_anchors().map(|(core, local)| match core == local {
        true => core.to_owned(),
        false => format!("{core} as {local}"),
    });
    let facts = capability.environment().entries().iter();
    let facts = facts.filter(|entry| entry.tier() == Tier::Host);
    let facts = facts.map(|entry| match entry.declaration() {
        Declaration::Fact(ty) => format!("{}: {ty}", entry.name()),
        Declaration::Function { parameter, result } => {
            format!("{}: ({parameter}) -> {result}", entry.name())
        }
    });
    let one = |text: String| BTreeSet::from([text]);
    let transforms = if capability.supports_transform() { "supported" } else { "not supported" };
    [
        ("name", one(capability.host().to_owned())),
        ("core anchor", anchors.collect()),
        ("host anchor", owned(capability.host_anchors().collect())),
        ("profile", owned(capability.profiles().collect())),
        ("host fact", facts.collect()),
        ("detector", owned(capability.detectors().collect())),
        ("activity window", one(format!("of {}", capability.activity_window()))),
        ("conditions", one(format!("of {} nodes", capability.expression_nodes_max()))),
        ("transforms", one(transforms.to_owned())),
    ]
}
