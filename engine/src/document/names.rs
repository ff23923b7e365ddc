//! The spelling of identifiers, namespaces, anchors, fact names and references.
//!
//! The same patterns stand in `schema/`; a test compares the two.

/// A rule identifier ([OAR-DOC-6]).
pub(crate) fn is_rule_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_uppercase)
        && bytes.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// A namespace ([OAR-DOC-7]): labels of a host name, joined by dots.
pub(crate) fn is_namespace(text: &str) -> bool {
    text.split('.').all(is_label)
}

/// One label: lower-case letters and digits, hyphens only inside. Also a detector's name ([OAR-OPS-12]).
fn is_label(text: &str) -> bool {
    let inner = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.first().is_some_and(inner)
        && bytes.last().is_some_and(inner)
        && bytes.iter().all(|b| inner(b) || *b == b'-')
}

/// A reference to a rule: a bare identifier or a qualified one ([OAR-DOC-8]).
pub(crate) fn is_rule_reference(text: &str) -> bool {
    match text.split_once('/') {
        Some((namespace, id)) => is_namespace(namespace) && is_rule_id(id),
        None => is_rule_id(text),
    }
}

/// An anchor, core or the host's own ([OAR-PROF-5]).
pub(crate) fn is_anchor(text: &str) -> bool {
    text.split('.').all(|part| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_lowercase)
            && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
    })
}

/// The name of a fact or function, as one token of the condition language ([OAR-EXPR-2]).
pub(crate) fn is_fact_name(text: &str) -> bool {
    text.split('.').all(is_simple_name)
}

/// A name without dots.
pub(crate) fn is_simple_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// A detector reference ([OAR-OPS-12]).
pub(crate) fn is_detector_reference(text: &str) -> bool {
    text.strip_prefix("detector://").is_some_and(is_label)
}

/// An extension field ([OAR-DOC-26]).
pub(crate) fn is_extension(text: &str) -> bool {
    text.strip_prefix("x-").is_some_and(|rest| {
        rest.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
    })
}

/// The identity of a rule ([OAR-DOC-8]).
pub(crate) fn qualified(namespace: Option<&str>, id: &str) -> String {
    match namespace {
        Some(namespace) => format!("{namespace}/{id}"),
        None => id.to_owned(),
    }
}
