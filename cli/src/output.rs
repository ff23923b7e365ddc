//! What every command writes, in which colour, and how it ends.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use oar_engine::diagnostic::render::{Role, concise, full_with};
use oar_engine::diagnostic::{Diagnostic, Severity};

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// Where a terminal shows it and NO_COLOR is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    fn choice(self) -> ColorChoice {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
    }
}

/// How a command judged its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing is wrong.
    Fine,
    /// The input is bad: errors, failing tests.
    Bad,
    /// The decision is block, and the caller wants to know by the exit code.
    Blocked,
}

impl Verdict {
    /// Bad when there is anything that counts.
    pub(crate) fn unless(bad: bool) -> Self {
        if bad { Self::Bad } else { Self::Fine }
    }
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Fine => Self::SUCCESS,
            Verdict::Bad => Self::from(1),
            Verdict::Blocked => Self::from(4),
        }
    }
}

/// Why a command came to no verdict.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The arguments make no sense together.
    Usage(String),
    /// Something could not be read or written.
    Io(String),
    /// Documents that the command needs do not load: the reader gets the faults themselves.
    Documents(Vec<Diagnostic>),
    /// The same for a reader who must not see what the documents hold.
    Redacted(Vec<Diagnostic>),
    /// Nobody reads the output any more.
    Closed,
}

impl Trouble {
    /// A file that could not be read.
    pub(crate) fn unreadable(path: &str, error: &io::Error) -> Self {
        Self::Io(format!("cannot read `{path}`: {}", reason(error)))
    }
}

/// The system's words without its error number, in lower case like our own messages.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Io(message) => f.write_str(message),
            Self::Documents(diagnostics) | Self::Redacted(diagnostics) => {
                write!(f, "{} do not load", counted(diagnostics.len(), "document"))
            }
            Self::Closed => f.write_str("the output is closed"),
        }
    }
}

impl From<Trouble> for ExitCode {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Documents(_) | Trouble::Redacted(_) => Self::from(1),
            Trouble::Usage(_) => Self::from(2),
            Trouble::Io(_) | Trouble::Closed => Self::from(3),
        }
    }
}

/// Writes a trouble to standard error.
pub(crate) fn complain(color: Color, trouble: &Trouble) {
    let mut stderr = AutoStream::new(io::stderr(), color.choice());
    let text = match trouble {
        Trouble::Documents(diagnostics) => {
            let texts: Vec<String> = diagnostics.iter().map(|d| full_with(d, painted)).collect();
            texts.join("\n")
        }
        Trouble::Redacted(diagnostics) => diagnostics.iter().map(|d| concise(d) + "\n").collect(),
        _ => {
            let error = AnsiColor::Red.on_default().bold();
            format!("{error}error{error:#}: {trouble}\n")
        }
    };
    // There is nowhere left to say that standard error is closed.
    drop(stderr.write_all(text.as_bytes()));
}

/// Standard output, with colour where it is seen.
pub(crate) struct Output {
    stream: AutoStream<io::Stdout>,
    closed: bool,
    failed: Option<io::Error>,
}

impl Output {
    pub(crate) fn new(color: Color) -> Self {
        Self { stream: AutoStream::new(io::stdout(), color.choice()), closed: false, failed: None }
    }

    /// Writes text as it is.
    pub(crate) fn text(&mut self, text: &str) {
        if self.closed || self.failed.is_some() {
            return;
        }
        if let Err(error) = self.stream.write_all(text.as_bytes()) {
            match error.kind() {
                io::ErrorKind::BrokenPipe => self.closed = true,
                _ => self.failed = Some(error),
            }
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: &str) {
        self.text(&format!("{text}\n"));
    }

    /// Writes what was held back, so that a reader who waits for it sees it.
    pub(crate) fn flush(&mut self) {
        if let Err(error) = self.stream.flush() {
            match error.kind() {
                io::ErrorKind::BrokenPipe => self.closed = true,
                _ => self.failed = Some(error),
            }
        }
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed || self.failed.is_some()
    }

    /// Writes a diagnostic in full, with an empty line behind it.
    pub(crate) fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.text(&full_with(diagnostic, painted));
        self.text("\n");
    }

    /// Ends the output.
    pub(crate) fn finish(&mut self) -> Result<(), Trouble> {
        self.flush();
        match (self.failed.take(), self.closed) {
            (Some(error), _) => {
                Err(Trouble::Io(format!("cannot write the output: {}", reason(&error))))
            }
            (None, true) => Err(Trouble::Closed),
            (None, false) => Ok(()),
        }
    }
}

/// `text` in the colour of its role in a diagnostic.
pub(crate) fn painted(role: Role, text: &str) -> String {
    let style = match role {
        Role::Title(severity) | Role::Mark(severity) => of_severity(severity),
        Role::Message => Style::new().bold(),
        Role::Gutter => AnsiColor::Blue.on_default(),
        Role::Related => AnsiColor::Cyan.on_default(),
        _ => Style::new(),
    };
    format!("{style}{text}{style:#}")
}

fn of_severity(severity: Severity) -> Style {
    match severity {
        Severity::Error => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
    }
}

/// `text` in a style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// What is good.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What is bad.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What deserves a second look.
pub(crate) const DOUBT: Style = AnsiColor::Yellow.on_default().bold();
/// What is said beside the matter.
pub(crate) const ASIDE: Style = Style::new().dimmed();
/// What leads.
pub(crate) const HEAD: Style = Style::new().bold();

/// `1 rule`, `2 rules`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// "`a`, `b` and `c`".
pub(crate) fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let mut quoted: Vec<String> = names.into_iter().map(|n| format!("`{}`", n.as_ref())).collect();
    match (quoted.pop(), quoted.as_slice()) {
        (None, _) => String::new(),
        (Some(last), []) => last,
        (Some(last), before) => format!("{} and {last}", before.join(", ")),
    }
}
