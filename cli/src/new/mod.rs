//! `oar new`: a commented start that is valid as it is.
//!
//! What is made is held against the pack that it goes to before anything is written, so that what
//! `oar new` leaves behind `oar check` and `oar test` accept.

mod ask;
mod capability;
mod pack;
mod place;
mod rule;
mod test;

use std::fs;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::input::shown;
use crate::output::{ASIDE, Output, Trouble, Verdict, styled};

/// Starts a rule, a pack, a capability document or cases: commented, and valid as it is.
///
/// What is needed and not given is asked for, where there is a terminal to ask at.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Rule(rule::Args),
    Pack(pack::Args),
    Capability(capability::Args),
    Test(test::Args),
}

/// What happens with the files that are made.
#[derive(Debug, clap::Args)]
struct Writing {
    /// Write over files that are there.
    #[arg(long)]
    force: bool,
    /// Print what would be written, and write nothing.
    #[arg(long, conflicts_with = "force")]
    print: bool,
}

/// A file to write.
struct Made {
    path: PathBuf,
    text: String,
}

/// Runs the command.
///
/// # Errors
/// When something is missing that cannot be asked for, what is made would not be valid where it
/// goes, or a file is there already.
pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    let (made, writing) = match &args.what {
        What::Rule(args) => (vec![rule::make(args)?], &args.writing),
        What::Pack(args) => (pack::make(args)?, &args.writing),
        What::Capability(args) => (vec![capability::make(args)?], &args.writing),
        What::Test(args) => (vec![test::make(args)?], &args.writing),
    };
    if writing.print {
        let several = made.len() > 1;
        for made in &made {
            if several {
                output.line(&styled(ASIDE, &format!("# {}", shown(&made.path))));
            }
            output.text(&made.text);
        }
        return Ok(Verdict::Fine);
    }
    let there = made.iter().find(|made| made.path.exists()).filter(|_| !writing.force);
    if let Some(there) = there {
        let message =
            format!("`{}` is there already; `--force` writes over it", shown(&there.path));
        return Err(Trouble::Usage(message));
    }
    for made in &made {
        write(made)?;
        output.line(&format!("wrote {}", shown(&made.path)));
    }
    Ok(Verdict::Fine)
}

fn write(made: &Made) -> Result<(), Trouble> {
    let unwritable = |error: std::io::Error| {
        Trouble::Io(format!("cannot write `{}`: {error}", shown(&made.path)))
    };
    if let Some(directory) = made.path.parent() {
        fs::create_dir_all(directory).map_err(unwritable)?;
    }
    fs::write(&made.path, &made.text).map_err(unwritable)
}

/// A parser of the words of the standard.
fn words<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(move |own| name(*own)));
    // The parser lets through nothing but these words.
    names.try_map(move |word| {
        all.iter().copied().find(|own| name(*own) == word).ok_or("it is none of the words")
    })
}

/// A text as a YAML scalar: plain where it is a word and nothing else.
pub(crate) fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        && !["true", "false", "null", "yes", "no", "on", "off"]
            .contains(&&*text.to_ascii_lowercase());
    match plain {
        true => text.to_owned(),
        false => serde_json::Value::from(text).to_string(),
    }
}

/// `[a, b]`
fn list<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.into_iter().map(scalar).collect();
    format!("[{}]", words.join(", "))
}
