//! The long form: the message, the place in the user's text with marks under what is meant,
//! other places that matter, and advice.

use super::snippet::{Row, rows};
use super::title;
use super::visible::visible;
use crate::diagnostic::{Diagnostic, Location, Severity};
use crate::document::source::LineColumn;

/// What a piece of a rendering is, for callers that colour it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// The severity and the code.
    Title(Severity),
    /// The message.
    Message,
    /// Arrows, line numbers and the bars beside them.
    Gutter,
    /// The marks under what is meant.
    Mark(Severity),
    /// The marks under another place that matters, and what is said of it.
    Related,
}

/// The diagnostic with the lines that it points at. It ends with a line break.
///
/// ```
/// use oar_engine::diagnostic::{Diagnostic, render};
/// use oar_engine::document::source::{Format, SourceFile};
///
/// let file = SourceFile::new("shell.yaml", "id: A\nwhen: tool == 1\n", Format::Yaml);
/// let diagnostic = Diagnostic::error("OAR-EXPR-11", "`==` cannot compare string with int")
///     .at(&file, oar_expr::Span::new(12, 21), "/when")
///     .help("`tool` is declared as string");
/// assert_eq!(
///     render::full(&diagnostic),
///     "\
/// error[OAR-EXPR-11]: `==` cannot compare string with int
///  --> shell.yaml:2:7 (/when)
///   |
/// 2 | when: tool == 1
///   |       ^^^^^^^^^
///   = help: `tool` is declared as string
/// "
/// );
/// ```
#[must_use]
pub fn full(diagnostic: &Diagnostic) -> String {
    full_with(diagnostic, |_, text| text.to_owned())
}

/// The same as [`full`], with each piece given to `paint` first, which may put codes of a
/// terminal around it.
#[must_use]
pub fn full_with(diagnostic: &Diagnostic, paint: impl Fn(Role, &str) -> String) -> String {
    let severity = diagnostic.severity();
    let main = diagnostic.location().map(|location| (location, place(location)));
    let related: Vec<_> = diagnostic.related().iter().map(|r| (r, place(&r.location))).collect();
    let numbers = main
        .iter()
        .flat_map(|(_, rows)| rows)
        .chain(related.iter().flat_map(|(_, rows)| rows))
        .filter_map(|row| row.number);
    let narrowest = usize::from(main.is_some());
    let width = numbers.max().map_or(narrowest, |number| number.to_string().len());
    let mut out = Output { text: String::new(), width, paint };

    let title = (out.paint)(Role::Title(severity), &title(diagnostic));
    let message = (out.paint)(Role::Message, &format!(": {}", visible(diagnostic.message())));
    out.line(&(title + &message));
    if let Some((location, rows)) = &main {
        out.head("-->", location);
        out.snippet(rows, '^', Role::Mark(severity), "");
    }
    for (related, rows) in &related {
        out.head(":::", &related.location);
        out.snippet(rows, '-', Role::Related, &visible(&related.message));
    }
    if let Some(help) = diagnostic.advice() {
        let gutter = format!("{:width$} = ", "");
        let gutter = (out.paint)(Role::Gutter, &gutter);
        out.line(&format!("{gutter}help: {}", visible(help)));
    }
    out.text
}

/// `file:line:column`
pub(super) fn position(location: &Location) -> String {
    let LineColumn { line, column } = location.file.line_column(location.span.start);
    format!("{}:{line}:{column}", visible(location.file.name()))
}

/// The lines to show; none of a file without text, such as that of a value held by the host.
fn place(location: &Location) -> Vec<Row> {
    if location.file.text().is_empty() {
        return Vec::new();
    }
    rows(&location.file, location.span)
}

struct Output<P> {
    text: String,
    /// Of the widest line number.
    width: usize,
    paint: P,
}

impl<P: Fn(Role, &str) -> String> Output<P> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn head(&mut self, arrow: &str, location: &Location) {
        let arrow = (self.paint)(Role::Gutter, &format!("{:1$}{arrow} ", "", self.width));
        let pointer = match location.pointer.as_str() {
            "" => String::new(),
            pointer => format!(" ({})", visible(pointer)),
        };
        self.line(&format!("{arrow}{}{pointer}", position(location)));
    }

    /// The rows, with `label` behind the last marks.
    fn snippet(&mut self, rows: &[Row], mark: char, role: Role, label: &str) {
        let width = self.width;
        let empty = (self.paint)(Role::Gutter, &format!("{:width$} | ", ""));
        if !rows.is_empty() {
            // Codes of a terminal would keep a blank at the end from being trimmed.
            let bare = (self.paint)(Role::Gutter, &format!("{:width$} |", ""));
            self.line(&bare);
        }
        for (at, row) in rows.iter().enumerate() {
            let Some(number) = row.number else {
                self.line(&(self.paint)(Role::Gutter, &row.text));
                continue;
            };
            let gutter = (self.paint)(Role::Gutter, &format!("{number:>width$} | "));
            self.line(&format!("{gutter}{}", row.text));
            let marks: String = std::iter::repeat_n(mark, row.marks).collect();
            let is_last = at + 1 == rows.len();
            let said = if is_last { format!("{marks} {label}") } else { marks };
            if !said.trim().is_empty() {
                let painted = (self.paint)(role, said.trim_end());
                self.line(&format!("{empty}{:1$}{painted}", "", row.indent));
            }
        }
    }
}
