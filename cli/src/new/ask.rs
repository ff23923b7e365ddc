//! Questions, where there is a terminal to ask at.

use std::io::{IsTerminal as _, stdin, stdout};

use dialoguer::console::Term;
use dialoguer::{Input, MultiSelect, Select};

use crate::output::Trouble;

/// `given`, or else the answer to a question.
///
/// # Errors
/// When there is nobody to ask, or no answer comes.
pub(super) fn or<T>(
    given: Option<T>,
    name: &str,
    ask: impl FnOnce(&Term) -> dialoguer::Result<T>,
) -> Result<T, Trouble> {
    if let Some(given) = given {
        return Ok(given);
    }
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Trouble::Usage(format!(
            "{name} is missing, and there is no terminal to ask at"
        )));
    }
    let terminal = Term::stdout();
    ask(&terminal).map_err(|error| {
        // A question that is broken off leaves the cursor hidden.
        drop(terminal.show_cursor());
        Trouble::Io(format!("no answer: {error}"))
    })
}

/// A line of text that passes the test.
pub(super) fn text(
    terminal: &Term,
    prompt: &str,
    test: impl Fn(&str) -> Result<(), String>,
) -> dialoguer::Result<String> {
    let input = Input::new().with_prompt(prompt);
    input.validate_with(|text: &String| test(text)).interact_text_on(terminal)
}

/// One of several, each with what it means; the answer is its position.
pub(super) fn one(
    terminal: &Term,
    prompt: &str,
    items: &[(String, String)],
) -> dialoguer::Result<usize> {
    Select::new().with_prompt(prompt).items(lines(items)).default(0).interact_on(terminal)
}

/// Any of several; the answer is their positions. `chosen` are so from the start.
pub(super) fn several(
    terminal: &Term,
    prompt: &str,
    items: &[(String, String)],
    chosen: &[usize],
) -> dialoguer::Result<Vec<usize>> {
    let defaults: Vec<bool> = (0..items.len()).map(|at| chosen.contains(&at)).collect();
    let prompt = format!("{prompt} (space chooses, enter ends)");
    let select = MultiSelect::new().with_prompt(prompt).items(lines(items)).defaults(&defaults);
    select.interact_on(terminal)
}

fn lines(items: &[(String, String)]) -> Vec<String> {
    let width = items.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    items.iter().map(|(name, about)| format!("{name:width$}  {about}")).collect()
}
