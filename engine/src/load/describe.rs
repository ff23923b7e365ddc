//! Capability documents made by code, to load with and to publish ([OAR-FACT-21]).

use std::fmt;

use serde_json::{Map, Value as Json, json};

use super::source::Source;
use super::vocabulary::Vocabulary;

/// Describes a host, and writes the description down.
///
/// Core anchors that are not mapped are unsupported; whether the whole is valid
/// ([OAR-FACT-24]) is checked where it is loaded.
///
/// ```
/// use oar_engine::{Loader, load::CapabilityBuilder};
///
/// let described = CapabilityBuilder::new("acme")
///     .core_anchor("tool.pre_invoke", "before_tool")
///     .profile("tool")
///     .fact("acme.owner", "string", "Who owns the repository at hand.")
///     .fact("acme.risk", "(string) -> int", "How risky an environment is.");
/// let rules = Loader::new(described.source()).load()?.rules;
/// assert_eq!(rules.capability().host(), "acme");
/// assert!(described.to_yaml().starts_with("oar_capability_version: \"1.0\"\nhost: \"acme\"\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CapabilityBuilder {
    host: String,
    core: Vec<(String, String)>,
    host_anchors: Vec<String>,
    profiles: Vec<String>,
    detectors: Vec<String>,
    facts: Vec<[String; 3]>,
    activity_window: usize,
    expression_nodes_max: u32,
    supports_transform: bool,
}

impl CapabilityBuilder {
    /// A host of this namespace that offers nothing yet: conditions of 256 nodes, which is the
    /// least ([OAR-EXPR-17]), no activity window, no transforms.
    #[must_use]
    pub fn new(host: impl Into<String>) -> Self {
        Self {
            host: host.into(),
            core: Vec::new(),
            host_anchors: Vec::new(),
            profiles: Vec::new(),
            detectors: Vec::new(),
            facts: Vec::new(),
            activity_window: 0,
            expression_nodes_max: 256,
            supports_transform: false,
        }
    }

    /// The same, with a core anchor and the host's own name for it ([OAR-PROF-2]).
    #[must_use]
    pub fn core_anchor(mut self, core: impl Into<String>, local: impl Into<String>) -> Self {
        self.core.push((core.into(), local.into()));
        self
    }

    /// The same, with every core anchor under its own name.
    #[must_use]
    pub fn every_core_anchor(mut self) -> Self {
        let names = Vocabulary::get().anchors.iter().map(|anchor| anchor.name.clone());
        self.core = names.map(|name| (name.clone(), name)).collect();
        self
    }

    /// The same, with an anchor of the host's own catalogue ([OAR-PROF-5]).
    #[must_use]
    pub fn host_anchor(mut self, name: impl Into<String>) -> Self {
        self.host_anchors.push(name.into());
        self
    }

    /// The same, claiming a profile, which is to publish all of it ([OAR-FACT-16]).
    #[must_use]
    pub fn profile(mut self, name: impl Into<String>) -> Self {
        self.profiles.push(name.into());
        self
    }

    /// The same, with a registered detector ([OAR-OPS-12]).
    #[must_use]
    pub fn detector(mut self, reference: impl Into<String>) -> Self {
        self.detectors.push(reference.into());
        self
    }

    /// The same, with a fact of the host, or a function when `ty` is a signature such as
    /// `(string) -> int`, and what it observes ([OAR-FACT-18]).
    #[must_use]
    pub fn fact(
        mut self,
        name: impl Into<String>,
        ty: impl fmt::Display,
        observation: impl Into<String>,
    ) -> Self {
        self.facts.push([name.into(), ty.to_string(), observation.into()]);
        self
    }

    /// The same, looking at so many recent steps in `flow` ([OAR-PROF-3]).
    #[must_use]
    pub fn activity_window(mut self, steps: usize) -> Self {
        self.activity_window = steps;
        self
    }

    /// The same, loading conditions of so many nodes ([OAR-EXPR-17]).
    #[must_use]
    pub fn expression_nodes_max(mut self, nodes: u32) -> Self {
        self.expression_nodes_max = nodes;
        self
    }

    /// The same, for a host that can change content ([OAR-OPS-18]).
    #[must_use]
    pub fn supports_transform(mut self) -> Self {
        self.supports_transform = true;
        self
    }

    /// The document, to load with; diagnostics name it `capability.yaml`.
    #[must_use]
    pub fn source(&self) -> Source {
        Source::yaml("capability.yaml", self.to_yaml())
    }

    /// The document as a value.
    #[must_use]
    pub fn to_json(&self) -> Json {
        self.members().into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The document as YAML, in the order of the standard: what a host publishes.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        for (name, value) in self.members() {
            text.push_str(name);
            text.push(':');
            match &value {
                Json::Object(members) => {
                    for (name, value) in members {
                        text.push_str(&format!("\n  {name}:"));
                        block(&mut text, value, 4);
                    }
                }
                value => block(&mut text, value, 2),
            }
            text.push('\n');
        }
        text
    }

    fn members(&self) -> Vec<(&'static str, Json)> {
        let mapped = |name: &str| self.core.iter().any(|(core, _)| core == name);
        let names = Vocabulary::get().anchors.iter().map(|anchor| &anchor.name);
        let unsupported: Vec<&String> = names.filter(|name| !mapped(name)).collect();
        let core: Map<String, Json> =
            self.core.iter().map(|(core, local)| (core.clone(), json!(local))).collect();
        let mut anchors = Map::from_iter([("core".to_owned(), Json::Object(core))]);
        if !unsupported.is_empty() {
            anchors.insert("unsupported".to_owned(), json!(unsupported));
        }
        if !self.host_anchors.is_empty() {
            anchors.insert("host".to_owned(), json!(self.host_anchors));
        }
        let mut members = vec![
            ("oar_capability_version", json!("1.0")),
            ("host", json!(self.host)),
            ("anchors", Json::Object(anchors)),
            ("profiles", json!(self.profiles)),
            ("activity_window", json!(self.activity_window)),
            ("detectors", json!(self.detectors)),
            ("expression_nodes_max", json!(self.expression_nodes_max)),
            ("supports_transform", json!(self.supports_transform)),
        ];
        if !self.facts.is_empty() {
            let fact = |[name, ty, observation]: &[String; 3]| json!({"name": name, "type": ty, "observation": observation});
            members.push(("host_facts", self.facts.iter().map(fact).collect()));
        }
        members
    }
}

/// A list or an object of scalars as block lines; JSON strings are YAML strings.
fn block(text: &mut String, value: &Json, indent: usize) {
    let line = |text: &mut String, content: String| {
        text.push_str(&format!("\n{:indent$}{content}", ""));
    };
    match value {
        Json::Array(items) if !items.is_empty() => {
            items.iter().for_each(|item| line(text, format!("- {item}")));
        }
        Json::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(name, value)| line(text, format!("{name}: {value}")));
        }
        value => text.push_str(&format!(" {value}")),
    }
}

#[cfg(test)]
mod tests {
    use super::CapabilityBuilder;
    use crate::document::source::{Format, ReadLimits, SourceFile, read};
    use crate::{Loader, Source};

    fn full() -> CapabilityBuilder {
        CapabilityBuilder::new("acme")
            .core_anchor("model.output", "after_model")
            .core_anchor("tool.pre_invoke", "tool.pre_invoke")
            .host_anchor("acme_render")
            .profile("content")
            .profile("tool")
            .detector("detector://noop")
            .fact(
                "acme.labels",
                oar_expr::Type::StringMap,
                "Say \"no: # \\ ü\n\u{85}\u{2028}\u{7f}\".",
            )
            .fact("acme.ask", "(string) -> int", "")
            .activity_window(7)
            .expression_nodes_max(300)
            .supports_transform()
    }

    #[test]
    fn what_is_written_is_read_back() {
        for builder in [CapabilityBuilder::new("a"), full(), full().every_core_anchor()] {
            let yaml = builder.to_yaml();
            let file = SourceFile::new("c.yaml", yaml.clone(), Format::Yaml);
            let reading = read(&file, &ReadLimits::default());
            assert!(reading.diagnostics.is_empty(), "{:?}\n{yaml}", reading.diagnostics);
            let roots: Vec<_> = reading.documents.iter().map(|d| d.root.to_json()).collect();
            assert_eq!(roots, [builder.to_json()], "{yaml}");
            for source in [builder.source(), Source::value("c", builder.to_json())] {
                let capability = Loader::new(source).load().unwrap().rules;
                assert_eq!(capability.capability().host(), builder.host);
            }
        }
    }

    #[test]
    fn the_document_reads_well() {
        let wanted = "oar_capability_version: \"1.0\"\nhost: \"acme\"\nanchors:\n  core:\n    \
            model.output: \"after_model\"\n    tool.pre_invoke: \"tool.pre_invoke\"\n  host:\n    \
            - \"acme_render\"\n  unsupported:\n    - \"tool.handler\"\n";
        let yaml = full().to_yaml();
        assert!(yaml.starts_with(wanted), "{yaml}");
        assert!(yaml.contains("\nprofiles:\n  - \"content\"\n  - \"tool\"\nactivity_window: 7\n"));
    }

    #[test]
    fn what_is_wrong_is_found_where_it_is_loaded() {
        let error = |builder: CapabilityBuilder| {
            let error = Loader::new(builder.source()).load().unwrap_err();
            let place = error.diagnostics()[0].location().unwrap();
            (error.to_string(), place.file.text().get(place.span.range()).unwrap().to_owned())
        };
        let (message, underlined) = error(full().fact("other.x", "int", ""));
        assert_eq!(
            message,
            "OAR-FACT-18: host fact `other.x` is not under the host's namespace `acme`"
        );
        assert_eq!(underlined, "\"other.x\"");
        assert!(error(full().fact("acme.x", "integer", "")).0.contains("`integer`"));
    }
}
