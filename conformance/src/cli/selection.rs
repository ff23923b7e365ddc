//! The options that say which fixtures are meant.

use oar_conformance::runner::Selection;

#[derive(clap::Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct SelectionArgs {
    /// Only fixtures whose identifier matches (`*` any characters, `?` one); may be repeated.
    #[arg(long, value_name = "GLOB")]
    filter: Vec<String>,
    /// Only fixtures that cover a clause of this area, such as EXPR; may be repeated.
    #[arg(long, value_name = "AREA")]
    area: Vec<String>,
    /// Only fixtures that cover this clause, such as OAR-EVAL-4; may be repeated.
    #[arg(long, value_name = "CLAUSE")]
    clause: Vec<String>,
    /// Only fixtures that every conforming engine must run.
    #[arg(long)]
    baseline: bool,
}

impl SelectionArgs {
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            globs: self.filter.clone(),
            areas: self.area.clone(),
            clauses: self.clause.clone(),
            baseline: self.baseline,
        }
    }
}
