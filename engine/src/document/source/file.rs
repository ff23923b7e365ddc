//! A file as the user wrote it: its name, its text, its lines.

use std::sync::Arc;

/// How a source is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON (RFC 8259), the interchange form ([OAR-DOC-1]).
    Json,
    /// YAML 1.2 core schema, one document or a stream of them.
    Yaml,
}

/// A line and a column, both counted from 1. A column counts what a person sees as a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A named source text that diagnostics point into.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    format: Format,
}

impl SourceFile {
    /// A source named `name` (usually its path) with the given text.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>, format: Format) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into(), format })
    }

    /// The name it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How the text is written.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }
}
