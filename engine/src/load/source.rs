//! Where a document comes from: text, a file that was read, or a value that the host holds.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::diagnostic::Diagnostic;
use crate::document::source::{Document, Format, Node, ReadLimits, Reading, SourceFile, read};

/// Documents to load.
///
/// ```
/// use oar_engine::Source;
/// let text = Source::yaml("rules.yaml", "oar: '1.0'");
/// let value = Source::value("generated", serde_json::json!({"oar": "1.0"}));
/// ```
#[derive(Clone, Debug)]
pub struct Source(Kind);

#[derive(Clone, Debug)]
enum Kind {
    File(Arc<SourceFile>),
    Node(Arc<SourceFile>, Node),
    Unreadable(Diagnostic),
}

impl Source {
    /// JSON text: one document, or an array of them.
    #[must_use]
    pub fn json(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::file(SourceFile::new(name, text, Format::Json))
    }

    /// YAML text: one document or a stream.
    #[must_use]
    pub fn yaml(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::file(SourceFile::new(name, text, Format::Yaml))
    }

    /// The bytes of a file, whose name or text tells the format. Bytes that are no text become
    /// a diagnostic of the load.
    #[must_use]
    pub fn bytes(name: &str, bytes: &[u8]) -> Self {
        match SourceFile::from_bytes(name, bytes, None) {
            Ok(file) => Self::file(file),
            Err(diagnostic) => Self(Kind::Unreadable(diagnostic)),
        }
    }

    /// A file that was read already.
    #[must_use]
    pub fn file(file: Arc<SourceFile>) -> Self {
        Self(Kind::File(file))
    }

    /// A value that the host holds. Diagnostics name it and point with JSON pointers.
    #[must_use]
    pub fn value(name: impl Into<String>, value: serde_json::Value) -> Self {
        Self::node(name, Node::from_json(&value))
    }

    /// A value of another document, such as a rule inside a fixture.
    #[must_use]
    pub fn node(name: impl Into<String>, node: Node) -> Self {
        Self(Kind::Node(SourceFile::new(name, "", Format::Json), node))
    }

    /// Feeds its text to a digest, its role and length before it so that no two lists of
    /// sources run together.
    pub(super) fn hash(&self, role: u8, hash: &mut Sha256) {
        let mut feed = |text: &str| {
            hash.update([role]);
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        };
        match &self.0 {
            Kind::File(file) => feed(file.text()),
            Kind::Node(_, node) => feed(&node.to_json().to_string()),
            Kind::Unreadable(diagnostic) => feed(diagnostic.message()),
        }
    }

    /// Reads it: its documents as they are written, whether or not they load.
    ///
    /// ```
    /// use oar_engine::Source;
    /// let reading = Source::yaml("rule.yaml", "id: R").read(&Default::default());
    /// assert_eq!(reading.documents[0].root.get("id").unwrap().as_str(), Some("R"));
    /// ```
    #[must_use]
    pub fn read(&self, limits: &ReadLimits) -> Reading {
        match &self.0 {
            Kind::File(file) => read(file, limits),
            Kind::Node(file, node) => Reading {
                file: Arc::clone(file),
                documents: vec![Document { root: node.clone(), pointer_prefix: String::new() }],
                diagnostics: Vec::new(),
            },
            Kind::Unreadable(diagnostic) => Reading {
                file: SourceFile::new("", "", Format::Json),
                documents: Vec::new(),
                diagnostics: vec![diagnostic.clone()],
            },
        }
    }
}
