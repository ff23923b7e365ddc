//! The `jsonschema` crate as the judge of the published schemas.

use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value as Json;

use super::{DocumentKind, Violation, Wrong, with_article};

/// Every violation of the schema of `kind`, or `None` when that schema cannot be read.
pub(super) fn judge(kind: DocumentKind, instance: &Json) -> Option<Vec<Violation>> {
    let validator = validator(kind)?;
    let violation = |error: ValidationError<'_>| Violation {
        pointer: error.instance_path().as_str().to_owned(),
        wrong: wrong(kind, &error),
    };
    Some(validator.iter_errors(instance).map(violation).collect())
}

fn validator(kind: DocumentKind) -> Option<&'static Validator> {
    static RULE: LazyLock<Option<Validator>> = LazyLock::new(|| compile(DocumentKind::Rule));
    static CAPABILITY: LazyLock<Option<Validator>> =
        LazyLock::new(|| compile(DocumentKind::Capability));
    static CONFIG: LazyLock<Option<Validator>> = LazyLock::new(|| compile(DocumentKind::Config));
    match kind {
        DocumentKind::Rule => RULE.as_ref(),
        DocumentKind::Capability => CAPABILITY.as_ref(),
        DocumentKind::Config => CONFIG.as_ref(),
    }
}

fn compile(kind: DocumentKind) -> Option<Validator> {
    jsonschema::validator_for(parsed(kind)?).ok()
}

fn parsed(kind: DocumentKind) -> Option<&'static Json> {
    static ALL: LazyLock<[Option<Json>; 3]> = LazyLock::new(|| {
        [DocumentKind::Rule, DocumentKind::Capability, DocumentKind::Config]
            .map(|kind| serde_json::from_str(kind.schema()).ok())
    });
    ALL.get(kind as usize)?.as_ref()
}

fn wrong(kind: DocumentKind, error: &ValidationError<'_>) -> Wrong {
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            Wrong::Required(property.as_str().unwrap_or_default().to_owned())
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => Wrong::Unknown {
            names: unexpected.clone(),
            known: known_fields(kind, error.schema_path().as_str()),
        },
        ValidationErrorKind::PropertyNames { error: inner } => {
            Wrong::Name(inner.instance().as_str().unwrap_or_default().to_owned())
        }
        ValidationErrorKind::FalseSchema => Wrong::Forbidden,
        ValidationErrorKind::Enum { options } => Wrong::Enum(Json::clone(options)),
        ValidationErrorKind::AnyOf { .. } => Wrong::AnyOf,
        ValidationErrorKind::Pattern { .. } => Wrong::Pattern,
        ValidationErrorKind::Type { kind } => Wrong::Type(types(kind)),
        ValidationErrorKind::MinLength { .. } => Wrong::EmptyString,
        ValidationErrorKind::MinItems { .. } => Wrong::EmptyList,
        ValidationErrorKind::UniqueItems => Wrong::Repeated,
        ValidationErrorKind::Minimum { limit } => Wrong::Minimum(limit.to_string()),
        other => Wrong::Other(other.keyword().to_owned()),
    }
}

fn types(wanted: &TypeKind) -> String {
    match wanted {
        TypeKind::Single(ty) => with_article(&ty.to_string()),
        TypeKind::Multiple(set) => {
            let names: Vec<_> = set.iter().map(|ty| ty.to_string()).collect();
            format!("one of {}", names.join(", "))
        }
    }
}

/// The fields of the object whose `additionalProperties` stands at `schema_path`.
fn known_fields(kind: DocumentKind, schema_path: &str) -> Vec<String> {
    let Some(schema) = parsed(kind) else { return Vec::new() };
    let owner = schema_path.strip_suffix("/additionalProperties").unwrap_or_default();
    let mut object = Some(schema);
    for token in owner.split('/').skip(1) {
        object = object.and_then(|object| {
            if token == "$ref" {
                let reference = object.get("$ref")?.as_str()?.strip_prefix('#')?;
                schema.pointer(reference)
            } else {
                object.get(token).or_else(|| object.get(token.parse::<usize>().ok()?))
            }
        });
    }
    let properties = object.and_then(|object| object.get("properties")?.as_object());
    properties.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}
