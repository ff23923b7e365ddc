//! JSON pointers (RFC 6901): the way from the root of a file to a value.

use super::{Node, Value};

/// The pointer of the member or item `token` of the value at `pointer`.
///
/// ```
/// use oar_engine::document::source::join_pointer;
/// assert_eq!(join_pointer("/0/x", "a/b"), "/0/x/a~1b");
/// ```
#[must_use]
pub fn join_pointer(pointer: &str, token: &str) -> String {
    let mut joined = String::with_capacity(pointer.len() + token.len() + 1);
    joined.push_str(pointer);
    push_token(&mut joined, token);
    joined
}

pub(super) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

impl Node {
    /// The value that `pointer` leads to from here; the empty pointer leads to the node itself.
    #[must_use]
    pub fn find(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut node = self;
        for token in pointer.strip_prefix('/')?.split('/') {
            node = match &node.value {
                Value::Array(items) if is_index(token) => {
                    items.get(token.parse::<usize>().ok()?)?
                }
                Value::Object(object) if token.contains('~') => {
                    object.get(&token.replace("~1", "/").replace("~0", "~"))?
                }
                Value::Object(object) => object.get(token)?,
                _ => return None,
            };
        }
        Some(node)
    }
}

/// An index has no sign and no leading zero.
fn is_index(token: &str) -> bool {
    token == "0"
        || (!token.starts_with('0')
            && !token.is_empty()
            && token.bytes().all(|b| b.is_ascii_digit()))
}
