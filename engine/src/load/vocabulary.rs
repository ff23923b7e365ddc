//! The names that the standard fixes, read once from `vocabulary.yaml`.
//!
//! Adding a profile means editing that file alone.

use std::sync::LazyLock;

use oar_expr::Type;

use crate::document::source::{Format, Node, ReadLimits, SourceFile, read};

/// What a declared name stands for, before it gets a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// A plain fact of the type.
    Fact(Type),
    /// An observation function with one scalar parameter and a scalar result ([OAR-FACT-27]).
    Function {
        /// The type of its argument.
        parameter: Type,
        /// The type of its result.
        result: Type,
    },
}

impl Declaration {
    /// Reads a type of [OAR-FACT-22] or a signature `(scalar) -> scalar` ([OAR-FACT-27]).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let Some(rest) = text.strip_prefix('(') else {
            return text.parse().ok().map(Self::Fact);
        };
        let (parameter, result) = rest.split_once(") -> ")?;
        let scalar = |name: &str| name.parse::<Type>().ok().filter(|ty| ty.is_scalar());
        Some(Self::Function { parameter: scalar(parameter)?, result: scalar(result)? })
    }
}

/// A name of the standard.
#[derive(Debug)]
pub struct Name {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub declaration: Declaration,
    /// What it observes, in a line or two.
    pub observation: String,
}

/// A capability profile of section 5.4.
#[derive(Debug)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Which hosts provide it.
    pub about: String,
    /// Whether its facts come from registered detectors ([OAR-OPS-22]).
    pub detector_backed: bool,
    /// Its facts and functions.
    pub names: Vec<Name>,
}

/// A core anchor of section 8.1.
#[derive(Debug)]
pub struct CoreAnchor {
    /// Its identifier.
    pub name: String,
    /// The moment it names.
    pub moment: String,
}

/// Everything that the standard names.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// The core anchors ([OAR-PROF-1]).
    pub anchors: Vec<CoreAnchor>,
    /// The core tier ([OAR-FACT-15]).
    pub core: Vec<Name>,
    /// The profiles ([OAR-FACT-16]).
    pub profiles: Vec<Profile>,
    /// The detector references that every engine running a corpus provides ([OAR-CONF-25]).
    pub detectors: Vec<String>,
}

/// The text that is read.
const TEXT: &str = include_str!("../../../vocabulary.yaml");

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let file = SourceFile::new("vocabulary.yaml", TEXT, Format::Yaml);
    let reading = read(&file, &ReadLimits::default());
    reading
        .documents
        .first()
        .map(|document| Vocabulary::from_node(&document.root))
        .unwrap_or_default()
});

impl Vocabulary {
    /// The vocabulary of Open Agent Rules 1.0.
    #[must_use]
    pub fn get() -> &'static Self {
        &VOCABULARY
    }

    /// The profile of that name.
    #[must_use]
    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.name == name)
    }

    /// The profile that `name` belongs to.
    pub(crate) fn profile_of(&self, name: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.names.iter().any(|own| own.name == name))
    }

    /// What a name of a profile stands for, whether or not a host claims the profile.
    pub(crate) fn declaration(&self, name: &str) -> Option<Declaration> {
        let mut names = self.profiles.iter().flat_map(|profile| &profile.names);
        names.find(|own| own.name == name).map(|own| own.declaration)
    }

    /// The position of a core anchor in the standard's list.
    pub(crate) fn anchor(&self, name: &str) -> Option<usize> {
        self.anchors.iter().position(|anchor| anchor.name == name)
    }

    fn from_node(root: &Node) -> Self {
        Self {
            anchors: each(root, "anchors", |node| {
                Some(CoreAnchor { name: text(node, "name")?, moment: text(node, "moment")? })
            }),
            core: each(root, "core", name),
            profiles: each(root, "profiles", |node| {
                Some(Profile {
                    name: text(node, "name")?,
                    about: text(node, "about")?,
                    detector_backed: node.get("detector_backed")?.as_bool()?,
                    names: each(node, "facts", name),
                })
            }),
            detectors: each(root, "detectors", |node| text(node, "ref")),
        }
    }
}

fn each<T>(node: &Node, member: &str, read: impl Fn(&Node) -> Option<T>) -> Vec<T> {
    let items = node.get(member).and_then(Node::as_array).unwrap_or_default();
    items.iter().filter_map(read).collect()
}

fn text(node: &Node, member: &str) -> Option<String> {
    node.get(member)?.as_str().map(str::to_owned)
}

fn name(node: &Node) -> Option<Name> {
    Some(Name {
        name: text(node, "name")?,
        declaration: Declaration::parse(node.get("type")?.as_str()?)?,
        observation: text(node, "observation")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The embedded file is read leniently, so this holds that nothing of it is lost.
    #[test]
    fn every_entry_of_the_embedded_file_is_read() {
        let vocabulary = Vocabulary::get();
        assert_eq!(vocabulary.anchors.len(), 8);
        assert_eq!(vocabulary.core.len(), 5);
        let sizes: Vec<_> =
            vocabulary.profiles.iter().map(|p| (p.name.as_str(), p.names.len())).collect();
        assert_eq!(
            sizes,
            [
                ("tool", 11),
                ("session", 3),
                ("filesystem", 4),
                ("content-provenance", 7),
                ("content", 1),
                ("secrets", 1),
                ("pii", 1),
                ("prompt-injection", 1),
                ("jailbreak", 1),
                ("moderation", 2),
                ("mcp", 14),
            ]
        );
        let backed: Vec<_> =
            vocabulary.profiles.iter().filter(|p| p.detector_backed).map(|p| &*p.name).collect();
        assert_eq!(backed, ["secrets", "pii", "prompt-injection", "jailbreak", "moderation"]);
        assert_eq!(
            vocabulary.detectors,
            ["detector://noop", "detector://error", "detector://fixture"]
        );
        assert_eq!(TEXT.matches("observation:").count(), 5 + 46);
    }

    fn digest(names: &[Name]) -> String {
        use sha2::{Digest, Sha256};
        let lines = names.iter().map(|own| format!("{} {:?}\n", own.name, own.declaration));
        let digest = Sha256::digest(lines.collect::<String>());
        digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }

    /// [OAR-VER-1]: a minor revision removes and renames nothing.
    #[test]
    fn the_names_and_types_of_1_0_are_frozen() {
        let vocabulary = Vocabulary::get();
        let anchors: Vec<_> =
            vocabulary.anchors.iter().map(|anchor| anchor.name.as_str()).collect();
        assert_eq!(
            anchors,
            [
                "tool.pre_invoke",
                "tool.handler",
                "tool.post_invoke",
                "agent.post_turn",
                "agent.finalize",
                "model.input",
                "model.output",
                "model.tool_result",
            ]
        );
        assert_eq!(digest(&vocabulary.core), "a2df139e");
    }

    /// [OAR-VER-5]: a fact more or less makes another profile.
    #[test]
    fn each_profile_of_1_0_is_frozen() {
        let profiles = Vocabulary::get().profiles.iter();
        let digests: Vec<_> =
            profiles.map(|own| format!("{} {}", own.name, digest(&own.names))).collect();
        assert_eq!(
            digests,
            [
                "tool d08cefb8",
                "session 5624f72e",
                "filesystem 2c7411d2",
                "content-provenance 6fac2923",
                "content fe9d0d1c",
                "secrets ffa49222",
                "pii ba38c886",
                "prompt-injection f426ef00",
                "jailbreak a6286788",
                "moderation 1bc1ce9a",
                "mcp d6531060"
            ]
        );
    }

    #[test]
    fn signatures_take_and_return_scalars() {
        let function = Declaration::Function { parameter: Type::String, result: Type::Double };
        assert_eq!(Declaration::parse("(string) -> double"), Some(function));
        assert_eq!(Declaration::parse("map"), Some(Declaration::Fact(Type::Map)));
        for text in ["(string)->double", "(map) -> int", "(int) -> list<map>", "() -> int", "int64"]
        {
            assert_eq!(Declaration::parse(text), None, "{text}");
        }
    }
}
