//! Text with places: JSON and YAML read into one tree whose every node knows where it stands.
//!
//! Everything that people write comes through here, so that a diagnostic can point into the
//! user's own file. The rest of the engine sees [`Node`]s only and never asks which format
//! they came from: [`read`] a [`SourceFile`], go through its [`Document`]s, and point at
//! [`Node::span`].

mod build;
mod decode;
mod file;
mod json;
mod limits;
mod node;
mod number;
mod object;
mod pointer;
mod reading;
#[cfg(test)]
mod tests;
mod walk;
mod within;
mod yaml;

use std::sync::Arc;

use oar_expr::Span;

pub use file::{Format, LineColumn, SourceFile};
pub use limits::ReadLimits;
pub use node::{Node, Text, Value};
pub use number::Number;
pub use object::{Member, Object};
pub use pointer::join_pointer;
pub use reading::{Document, Reading};
pub use walk::{Step, walk};

use reading::{Fault, Report};

/// Reads a source: the one document of a JSON text, or those of a YAML stream.
///
/// ```
/// use oar_engine::document::source::{Format, ReadLimits, SourceFile, read};
///
/// let file = SourceFile::new("a.json", r#"{"oar": "1.0"}"#, Format::Json);
/// let reading = read(&file, &ReadLimits::default());
/// let root = &reading.documents[0].root;
/// let version = root.get("oar").unwrap();
/// assert_eq!(version.as_str(), Some("1.0"));
/// assert_eq!(file.slice(version.span), r#""1.0""#);
/// ```
#[must_use]
pub fn read(file: &Arc<SourceFile>, limits: &ReadLimits) -> Reading {
    let mut report = Report::new(file, limits);
    let text = file.text();
    let mut documents = Vec::new();
    let most = limits.bytes.min(u32::MAX as usize - 1);
    if text.len() > most {
        let message = format!("{} bytes of text, where {most} are the most", text.len());
        report.push(Fault::limit(Span::default(), message), String::new());
    } else {
        match file.format() {
            Format::Json => {
                let root = json::read(text, file.text_start(), limits, &mut report);
                let document = |root| Document { root, pointer_prefix: String::new() };
                documents.extend(root.map(document));
            }
            Format::Yaml => documents = yaml::read(text, limits, &mut report),
        }
    }
    Reading { file: Arc::clone(file), documents, diagnostics: report.into_diagnostics() }
}
