//! What the published schemas say of the members and words of a document.

use std::sync::LazyLock;

use oar_engine::document::schema::DocumentKind;
use serde_json::Value;

static RULE: LazyLock<Value> = LazyLock::new(|| parsed(DocumentKind::Rule));
static CAPABILITY: LazyLock<Value> = LazyLock::new(|| parsed(DocumentKind::Capability));
static CONFIG: LazyLock<Value> = LazyLock::new(|| parsed(DocumentKind::Config));

fn parsed(kind: DocumentKind) -> Value {
    serde_json::from_str(kind.schema()).unwrap_or_default()
}

/// A part of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    root: &'static Value,
    own: &'static Value,
}

impl Part {
    /// What the schema of a kind says of the value at a path.
    pub(super) fn at<'p>(
        kind: DocumentKind,
        path: impl IntoIterator<Item = &'p str>,
    ) -> Option<Self> {
        let root: &'static Value = match kind {
            DocumentKind::Rule => &RULE,
            DocumentKind::Capability => &CAPABILITY,
            DocumentKind::Config => &CONFIG,
        };
        path.into_iter().try_fold(Self { root, own: root }, Self::below)
    }

    fn below(self, token: &str) -> Option<Self> {
        let schema = self.meant();
        let member = schema.get("properties").and_then(|own| own.get(token));
        let own = member.or_else(|| match token.bytes().all(|b| b.is_ascii_digit()) {
            true => schema.get("items"),
            false => {
                let any = schema.get("additionalProperties").filter(|own| own.is_object());
                any.or_else(|| extension(schema).filter(|_| token.starts_with("x-")))
            }
        })?;
        Some(Self { own, ..self })
    }

    /// The definition that is referred to.
    fn meant(self) -> &'static Value {
        let pointer = self.own.get("$ref").and_then(Value::as_str);
        let found = pointer.and_then(|own| self.root.pointer(own.strip_prefix('#')?));
        found.unwrap_or(self.own)
    }

    /// The members that are named, those that must be there first.
    pub(super) fn members(self) -> Vec<(&'static str, Self)> {
        let schema = self.meant();
        let required = schema.get("required").and_then(Value::as_array);
        let rank = |name: &str| {
            let mut names = required.into_iter().flatten();
            names.position(|own| own.as_str() == Some(name)).unwrap_or(usize::MAX)
        };
        let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let members = members.map(|(name, own)| (name.as_str(), Self { own, ..self }));
        let mut members: Vec<_> = members.collect();
        members.sort_by_key(|(name, _)| rank(name));
        members
    }

    pub(super) fn is_object(self) -> bool {
        self.meant().get("type").and_then(Value::as_str) == Some("object")
    }

    pub(super) fn kind(self) -> &'static str {
        self.meant().get("type").and_then(Value::as_str).unwrap_or_default()
    }

    /// The words that it can be.
    pub(super) fn words(self) -> Vec<&'static str> {
        let schema = self.meant();
        let one = |own: &'static Value| own.get("enum").and_then(Value::as_array);
        let any = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        let all = one(schema).into_iter().chain(any.filter_map(one)).flatten();
        all.filter_map(Value::as_str).collect()
    }

    /// What it means.
    pub(super) fn about(self) -> Option<&'static str> {
        let own = self.own.get("description").or_else(|| self.meant().get("description"));
        own.and_then(Value::as_str)
    }

    /// What holds where it is left out.
    pub(super) fn default(self) -> Option<String> {
        let default = self.own.get("default")?;
        Some(default.as_str().map_or_else(|| default.to_string(), str::to_owned))
    }
}

/// What the schema of a rule says of members of an implementation's own.
fn extension(schema: &'static Value) -> Option<&'static Value> {
    schema.get("patternProperties")?.as_object()?.values().next()
}
