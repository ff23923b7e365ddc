//! `oar schema`, `oar completions` and `oar man`: what editors, shells and readers need.

use clap::{Command, CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::output::{Output, Trouble, Verdict};

/// Prints a published JSON Schema, for editors and other tools.
#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    /// Which one.
    name: Schema,
}

/// A published schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Schema {
    /// A rule.
    Rule,
    /// A capability document.
    Capability,
    /// A configuration.
    Config,
    /// A file of cases for `oar test`.
    Test,
    /// The messages of `oar eval --stream`.
    Stream,
    /// The output of `oar check --format json`.
    Check,
    /// The output of `oar diff --json`.
    Diff,
    /// The output of `oar replay --json`.
    Replay,
    /// A record of an occurrence, as `oar eval --record` writes it.
    Audit,
    /// A conformance fixture.
    Fixture,
    /// The messages between the conformance runner and an engine.
    Adapter,
}

impl Schema {
    fn text(self) -> &'static str {
        match self {
            Self::Rule => include_str!("../../schema/rule.schema.json"),
            Self::Capability => include_str!("../../schema/capability.schema.json"),
            Self::Config => include_str!("../../schema/config.schema.json"),
            Self::Test => include_str!("../../schema/test.schema.json"),
            Self::Stream => include_str!("../../schema/stream.schema.json"),
            Self::Check => include_str!("../../schema/check.schema.json"),
            Self::Diff => include_str!("../../schema/diff.schema.json"),
            Self::Replay => include_str!("../../schema/replay.schema.json"),
            Self::Audit => include_str!("../../schema/audit.schema.json"),
            Self::Fixture => include_str!("../../schema/fixture.schema.json"),
            Self::Adapter => include_str!("../../schema/adapter.schema.json"),
        }
    }
}

/// Prints completions for a shell.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// Which shell.
    shell: Shell,
}

/// Prints a manual page in roff: that of `oar`, or of one of its commands.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The command.
    command: Option<String>,
}

pub(crate) fn schema(args: &SchemaArgs, output: &mut Output) -> Verdict {
    output.text(args.name.text());
    Verdict::Fine
}

pub(crate) fn completions<C: CommandFactory>(
    args: &CompletionsArgs,
    output: &mut Output,
) -> Verdict {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut C::command(), "oar", &mut text);
    output.text(&String::from_utf8_lossy(&text));
    Verdict::Fine
}

/// # Errors
/// When there is no such command.
pub(crate) fn man<C: CommandFactory>(
    args: &ManArgs,
    output: &mut Output,
) -> Result<Verdict, Trouble> {
    let mut root: Command = C::command();
    root.build();
    let command = match &args.command {
        None => root,
        Some(name) => {
            let found = root.find_subcommand(name).cloned();
            found.ok_or_else(|| Trouble::Usage(format!("`oar` has no command `{name}`")))?
        }
    };
    let mut text = Vec::new();
    let render = clap_mangen::Man::new(command).render(&mut text);
    render.map_err(|error| Trouble::Io(format!("cannot write the manual page: {error}")))?;
    output.text(&String::from_utf8_lossy(&text));
    Ok(Verdict::Fine)
}
