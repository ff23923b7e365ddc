//! The text of a condition.

use oar_expr::{Limits, compile, parse};

use crate::lab::{Declared, host};
use crate::reference::{check, syntax};

/// The naive parser recurses, so it is asked for short texts alone.
const SHORT: usize = 600;

/// Any text is compiled or refused with places in it, and the naive checker agrees on which.
pub fn condition(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let compiled = compile(text, &Declared, &Limits::default());
    let parsed = parse(text);
    match &compiled {
        Ok(program) => {
            assert!(parsed.is_ok());
            assert!(program.node_count() <= Limits::default().nodes);
            for used in program.uses() {
                assert!(text.get(used.span.range()).is_some());
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                let line = error.to_string();
                assert!(!line.is_empty() && !line.contains('\n'), "{line:?}");
                assert!(text.get(error.span().range()).is_some(), "{line}: {:?}", error.span());
                assert!(error.clause().starts_with("OAR-"));
                let _ = error.help();
            }
        }
    }
    if text.len() <= SHORT {
        let tree = syntax::parse(text);
        // The naive parser also refuses literals that do not fit, which ours leaves to the checker.
        assert!(tree.is_none() || parsed.is_ok(), "the grammar: {parsed:?}");
        let names = check::Names { host: host(), is_rule: &|_| true };
        let is_sound = tree.is_some_and(|tree| check::is_sound(&tree, &names));
        assert_eq!(compiled.is_ok(), is_sound, "the types: {:?}", compiled.err());
    }
}
