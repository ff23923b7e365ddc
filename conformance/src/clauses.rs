//! The clauses of the standard, as `spec/clauses.json` lists them.

use std::sync::OnceLock;

use serde_json::Value;

/// A clause of the standard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its identifier, such as `OAR-EVAL-4`.
    pub id: String,
    /// The section it stands in.
    pub section: String,
    /// How binding it is.
    pub level: Level,
    /// What it says, in a line of our own.
    pub summary: String,
}

/// How binding a clause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It says what must be or must not be.
    Must,
    /// It says what should be, what may be, or how things are.
    Other,
    /// Its number is not used any more.
    Retired,
}

const TEXT: &str = include_str!("../../spec/clauses.json");

/// Every clause, in the order of the standard.
#[must_use]
pub fn all() -> &'static [Clause] {
    static CLAUSES: OnceLock<Vec<Clause>> = OnceLock::new();
    // The text is part of the program; a test reads it and counts.
    CLAUSES.get_or_init(|| parse(TEXT).unwrap_or_default())
}

/// The clause called `id`.
#[must_use]
pub fn find(id: &str) -> Option<&'static Clause> {
    all().iter().find(|clause| clause.id == id)
}

fn parse(text: &str) -> Option<Vec<Clause>> {
    let list: Value = serde_json::from_str(text).ok()?;
    list.as_array()?.iter().map(clause).collect()
}

fn clause(value: &Value) -> Option<Clause> {
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let level = match text("level")?.as_str() {
        "MUST" | "MUST NOT" => Level::Must,
        "retired" => Level::Retired,
        _ => Level::Other,
    };
    Some(Clause { id: text("id")?, section: text("section")?, level, summary: text("summary")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_of_the_list_is_read() {
        assert_eq!(all().len(), TEXT.matches("\"id\":").count());
        let clause = find("OAR-EVAL-4").unwrap();
        assert_eq!((clause.level, clause.section.as_str()), (Level::Must, "4"));
        assert_eq!(find("OAR-CONF-27").unwrap().level, Level::Retired);
        assert_eq!(find("OAR-EVAL-400"), None);
    }
}
