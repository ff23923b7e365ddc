//! `oar-conformance generate`

use oar_conformance::generate::{Family, generate};

use super::{CannotRun, End, print};

/// Prints random fixtures, one a line, without expectations: for `diff` and for fuzzing.
#[derive(clap::Args)]
pub(crate) struct GenerateArgs {
    /// The same seed gives the same fixtures.
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    seed: u64,
    /// How many of each family.
    #[arg(long, value_name = "COUNT", default_value = "100")]
    count: u64,
    /// conditions, rules, transforms, copy or documents, which is all unless given; or failures or
    /// edges, which follow spec/notes.md where the standard leaves a choice. May be repeated.
    #[arg(long, value_name = "FAMILY", value_parser = family)]
    family: Vec<Family>,
}

fn family(name: &str) -> Result<Family, String> {
    Family::named(name).ok_or_else(|| {
        let names: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
        format!("one of {} is wanted", names.join(", "))
    })
}

pub(crate) fn run(args: &GenerateArgs) -> Result<End, CannotRun> {
    let families = if args.family.is_empty() { &Family::SETTLED[..] } else { &args.family };
    for family in families {
        for number in 0..args.count {
            print(&format!("{}\n", generate(*family, args.seed, number).fixture))?;
        }
    }
    Ok(End::Fine)
}
