//! The names that a condition can use, and what they mean.

use oar_engine::document::source::{Node, ReadLimits};
use oar_engine::load::{Declaration, Name, Vocabulary};
use oar_expr::Type;

use super::cursor::View;

/// A name of the condition language or of a host.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) signature: String,
    /// Its type where it is a plain fact.
    pub(super) fact: Option<Type>,
    /// Where it comes from.
    pub(super) tier: String,
    /// The profile that a rule has to require for it.
    pub(super) profile: Option<String>,
    pub(super) about: String,
}

/// The functions of the language itself (OAR-EXPR-16).
const BUILTINS: [(&str, &str, &str); 4] = [
    ("size", "(string, list or map) -> int", "How many characters, items or members it has."),
    ("starts_with", "(string, string) -> bool", "Whether the first begins with the second."),
    ("ends_with", "(string, string) -> bool", "Whether the first ends with the second."),
    ("contains", "(string, string) -> bool", "Whether the second is part of the first."),
];

impl Named {
    fn new(name: &str, declaration: Declaration, tier: String, about: &str) -> Self {
        let (fact, signature) = match declaration {
            Declaration::Fact(ty) => (Some(ty), ty.to_string()),
            Declaration::Function { parameter, result } => {
                (None, format!("({parameter}) -> {result}"))
            }
        };
        let about = about.trim().to_owned();
        Self { name: name.to_owned(), signature, fact, tier, profile: None, about }
    }

    fn standard(name: &Name, profile: Option<&str>) -> Self {
        let tier = match profile {
            Some(profile) => format!("profile `{profile}`"),
            None => "core tier".to_owned(),
        };
        let own = Self::new(&name.name, name.declaration, tier, &name.observation);
        Self { profile: profile.map(str::to_owned), ..own }
    }

    /// What it is, for people.
    pub(super) fn told(&self) -> String {
        format!("**`{}`** `{}`, {}\n\n{}", self.name, self.signature, self.tier, self.about)
    }
}

/// The facts and functions of the host, or of every host where none is described.
pub(super) fn declared(view: &View<'_>) -> Vec<Named> {
    let vocabulary = Vocabulary::get();
    let claimed: Option<Vec<&str>> = view.capability().map(|host| host.profiles().collect());
    let has = |name: &str| claimed.as_ref().is_none_or(|own| own.contains(&name));
    let core = vocabulary.core.iter().map(|name| Named::standard(name, None));
    let profiles = vocabulary.profiles.iter().filter(|profile| has(&profile.name));
    let profiles = profiles.flat_map(|profile| {
        profile.names.iter().map(|name| Named::standard(name, Some(&profile.name)))
    });
    core.chain(profiles).chain(of_host(view)).collect()
}

/// The functions of the language.
pub(super) fn builtins() -> impl Iterator<Item = Named> {
    BUILTINS.iter().map(|(name, signature, about)| Named {
        name: (*name).to_owned(),
        signature: (*signature).to_owned(),
        fact: None,
        tier: "of the condition language".to_owned(),
        profile: None,
        about: (*about).to_owned(),
    })
}

/// A name, wherever it comes from; also one of a profile that the host does not have.
pub(super) fn named(view: &View<'_>, name: &str) -> Option<Named> {
    let declared = declared(view).into_iter().chain(builtins()).find(|own| own.name == name);
    declared.or_else(|| {
        let mut profiles = Vocabulary::get().profiles.iter();
        profiles.find_map(|profile| {
            let own = profile.names.iter().find(|own| own.name == name)?;
            Some(Named::standard(own, Some(&profile.name)))
        })
    })
}

/// The facts that the host has of its own, from its document.
fn of_host(view: &View<'_>) -> Vec<Named> {
    let Some(host) = view.capability() else { return Vec::new() };
    let inputs = view.found.into_iter().flat_map(|found| &found.pack.capabilities);
    let readings = inputs.map(|input| input.source.read(&ReadLimits::default()));
    let mut all = Vec::new();
    for document in readings.flat_map(|reading| reading.documents) {
        let facts = document.root.get("host_facts").and_then(Node::as_array).unwrap_or_default();
        all.extend(facts.iter().filter_map(|fact| {
            let text = |member: &str| fact.get(member).and_then(Node::as_str);
            let declaration = Declaration::parse(text("type")?)?;
            let tier = format!("host `{}`", host.host());
            Some(Named::new(text("name")?, declaration, tier, text("observation").unwrap_or("")))
        }));
    }
    all
}
