//! Bytes of a file to text, and which format the text is in.

use std::path::Path;
use std::sync::Arc;

use oar_expr::Span;

use super::reading::REPRESENTABLE;
use super::{Format, SourceFile};
use crate::diagnostic::Diagnostic;

/// What stands before a UTF-8 text to mark it as one.
pub(super) const BYTE_ORDER_MARK: char = '\u{FEFF}';

impl Format {
    /// The format that a file name stands for: `.json`, `.yaml` or `.yml` in any case.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension()?.to_str()?;
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }

    /// The format that a text looks like: JSON if it starts as an array or object does.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if text.trim_start().starts_with(['{', '[']) { Self::Json } else { Self::Yaml }
    }
}

impl SourceFile {
    /// The source in the bytes of a file; without `format` its name or else its text decides.
    ///
    /// A byte order mark of UTF-8 stays in the text, so that every offset is an offset into the
    /// file; the readers skip it, and it is no column of its line.
    ///
    /// # Errors
    /// When the bytes are not UTF-8 or hold a NUL.
    pub fn from_bytes(
        name: impl Into<String>,
        bytes: &[u8],
        format: Option<Format>,
    ) -> Result<Arc<Self>, Diagnostic> {
        let name = name.into();
        let found = format.or_else(|| Format::of_name(&name));
        match decode(bytes) {
            Ok(text) => {
                let format = found.unwrap_or_else(|| Format::of_text(text));
                Ok(Self::new(name, text, format))
            }
            Err(refused) => {
                // Up to the offset the text is sound, so that the place is right; what is no
                // text is shown as replacement characters.
                let text = match refused.length {
                    0 => String::new(),
                    _ => String::from_utf8_lossy(bytes).into_owned(),
                };
                let start = u32::try_from(refused.offset).unwrap_or(u32::MAX);
                let length = text.get(refused.offset..).and_then(|t| t.chars().next());
                let length = length.map_or(0, char::len_utf8).min(4);
                let end = start.saturating_add(u32::try_from(length).unwrap_or(0));
                let file = Self::new(name, text, found.unwrap_or(Format::Yaml));
                let diagnostic = Diagnostic::error(REPRESENTABLE, refused.message)
                    .at(&file, Span::new(start, end), "")
                    .help("a document is UTF-8 text");
                Err(diagnostic)
            }
        }
    }
}

/// Why bytes are no text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoText {
    message: String,
    offset: usize,
    /// How many bytes are meant; 0 means the whole.
    length: usize,
}

fn decode(bytes: &[u8]) -> Result<&str, NoText> {
    // The mark of UTF-32 starts with that of UTF-16. Without a mark the zero bytes around the
    // first ASCII character tell.
    let wide = match *bytes {
        [0xFF, 0xFE, 0, 0, ..] | [_, 0, 0, 0, ..] => Some("UTF-32 (little endian)"),
        [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, _, ..] => Some("UTF-32 (big endian)"),
        [0xFF, 0xFE, ..] | [1..=255, 0, 1..=255, 0, ..] => Some("UTF-16 (little endian)"),
        [0xFE, 0xFF, ..] | [0, 1..=255, 0, 1..=255, ..] => Some("UTF-16 (big endian)"),
        _ => None,
    };
    if let Some(encoding) = wide {
        let message = format!("the file is {encoding}, not UTF-8");
        return Err(NoText { message, offset: 0, length: 0 });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let byte = bytes.get(offset).copied().unwrap_or_default();
        let message = format!("byte 0x{byte:02X} at offset {offset} is not valid UTF-8");
        NoText { message, offset, length: 1 }
    })?;
    match text.find('\0') {
        Some(offset) => {
            let message = format!("a NUL character at offset {offset}");
            Err(NoText { message, offset, length: 1 })
        }
        None => Ok(text),
    }
}
