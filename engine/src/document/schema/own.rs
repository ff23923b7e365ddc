//! A judge of our own for the published schemas, where the `jsonschema` crate is left out.
//!
//! It knows the keywords and the patterns that `schema/` uses and no others; a test holds that
//! it finds what the `jsonschema` crate finds. It recurses along the schemas, which are ours and
//! shallow, and never along a document.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::{Map, Value as Json};

use super::{DocumentKind, Violation, Wrong};
use crate::document::names;
use crate::document::source::join_pointer;
use crate::load::Declaration;

/// Every violation of the schema of `kind`, or `None` when that schema cannot be read.
pub(super) fn judge(kind: DocumentKind, instance: &Json) -> Option<Vec<Violation>> {
    type Schema = LazyLock<Option<Json>>;
    static RULE: Schema = LazyLock::new(|| parse(DocumentKind::Rule));
    static CAPABILITY: Schema = LazyLock::new(|| parse(DocumentKind::Capability));
    static CONFIG: Schema = LazyLock::new(|| parse(DocumentKind::Config));
    let root = match kind {
        DocumentKind::Rule => RULE.as_ref(),
        DocumentKind::Capability => CAPABILITY.as_ref(),
        DocumentKind::Config => CONFIG.as_ref(),
    }?;
    let mut judge = Judge { root, found: Vec::new() };
    judge.value(root, instance, "");
    Some(judge.found)
}

fn parse(kind: DocumentKind) -> Option<Json> {
    serde_json::from_str(kind.schema()).ok()
}

struct Judge<'s> {
    root: &'s Json,
    found: Vec<Violation>,
}

impl<'s> Judge<'s> {
    fn wrong(&mut self, pointer: &str, wrong: Wrong) {
        self.found.push(Violation { pointer: pointer.to_owned(), wrong });
    }

    /// Whether a schema accepts a value, its violations aside.
    fn accepts(&self, schema: &'s Json, instance: &Json) -> bool {
        let mut judge = Judge { root: self.root, found: Vec::new() };
        judge.value(schema, instance, "");
        judge.found.is_empty()
    }

    fn value(&mut self, schema: &'s Json, instance: &Json, pointer: &str) {
        let keywords = match schema {
            Json::Object(keywords) => keywords,
            Json::Bool(true) => return,
            _ => return self.wrong(pointer, Wrong::Forbidden),
        };
        for (keyword, argument) in keywords {
            match keyword.as_str() {
                "$ref" => {
                    let path = argument.as_str().and_then(|path| path.strip_prefix('#'));
                    if let Some(schema) = path.and_then(|path| self.root.pointer(path)) {
                        self.value(schema, instance, pointer);
                    }
                }
                "type" => {
                    let wanted = argument.as_str().unwrap_or_default();
                    if !is_of_type(instance, wanted) {
                        self.wrong(pointer, Wrong::Type(super::with_article(wanted)));
                    }
                }
                "enum" if !argument.as_array().is_some_and(|words| words.contains(instance)) => {
                    self.wrong(pointer, Wrong::Enum(argument.clone()));
                }
                "const" if argument != instance => {
                    self.wrong(pointer, Wrong::Other("const".to_owned()));
                }
                "allOf" => {
                    for schema in argument.as_array().into_iter().flatten() {
                        self.value(schema, instance, pointer);
                    }
                }
                "anyOf" => {
                    let mut schemas = argument.as_array().into_iter().flatten();
                    if !schemas.any(|schema| self.accepts(schema, instance)) {
                        self.wrong(pointer, Wrong::AnyOf);
                    }
                }
                "if" => {
                    let branch = if self.accepts(argument, instance) { "then" } else { "else" };
                    if let Some(schema) = keywords.get(branch) {
                        self.value(schema, instance, pointer);
                    }
                }
                _ => self.of_type(keyword, argument, keywords, instance, pointer),
            }
        }
    }

    /// The keywords that say something about values of one type alone.
    fn of_type(
        &mut self,
        keyword: &str,
        argument: &'s Json,
        keywords: &'s Map<String, Json>,
        instance: &Json,
        pointer: &str,
    ) {
        match (instance, keyword) {
            (Json::String(text), "pattern") if !matches(argument, text) => {
                self.wrong(pointer, Wrong::Pattern);
            }
            (Json::String(text), "minLength") if text.is_empty() => {
                self.wrong(pointer, Wrong::EmptyString);
            }
            (Json::Number(number), "minimum") if number.as_f64() < argument.as_f64() => {
                self.wrong(pointer, Wrong::Minimum(argument.to_string()));
            }
            (Json::Array(items), "minItems") if items.is_empty() => {
                self.wrong(pointer, Wrong::EmptyList);
            }
            (Json::Array(items), "uniqueItems") => {
                let mut seen = HashSet::new();
                if !items.iter().all(|item| seen.insert(item.to_string())) {
                    self.wrong(pointer, Wrong::Repeated);
                }
            }
            (Json::Array(items), "items") => {
                for (index, item) in items.iter().enumerate() {
                    self.value(argument, item, &format!("{pointer}/{index}"));
                }
            }
            (Json::Object(members), "required") => {
                for name in argument.as_array().into_iter().flatten().filter_map(Json::as_str) {
                    if !members.contains_key(name) {
                        self.wrong(pointer, Wrong::Required(name.to_owned()));
                    }
                }
            }
            (Json::Object(members), "properties") => {
                for (name, schema) in argument.as_object().into_iter().flatten() {
                    if let Some(value) = members.get(name) {
                        self.value(schema, value, &join_pointer(pointer, name));
                    }
                }
            }
            (Json::Object(members), "propertyNames") => {
                for name in members.keys() {
                    if !self.accepts(argument, &Json::String(name.clone())) {
                        self.wrong(pointer, Wrong::Name(name.clone()));
                    }
                }
            }
            (Json::Object(members), "patternProperties") => {
                for (pattern, schema) in argument.as_object().into_iter().flatten() {
                    for (name, value) in members {
                        if matches_pattern(pattern, name) {
                            self.value(schema, value, &join_pointer(pointer, name));
                        }
                    }
                }
            }
            (Json::Object(members), "additionalProperties") => {
                self.additional(argument, keywords, members, pointer);
            }
            _ => {}
        }
    }

    /// The members that neither `properties` nor `patternProperties` speaks of.
    fn additional(
        &mut self,
        schema: &'s Json,
        keywords: &Map<String, Json>,
        members: &Map<String, Json>,
        pointer: &str,
    ) {
        let properties = keywords.get("properties").and_then(Json::as_object);
        let patterns = keywords.get("patternProperties").and_then(Json::as_object);
        let spoken_of = |name: &str| {
            properties.is_some_and(|own| own.contains_key(name))
                || patterns.is_some_and(|own| own.keys().any(|p| matches_pattern(p, name)))
        };
        let more = members.iter().filter(|(name, _)| !spoken_of(name));
        if *schema == Json::Bool(false) {
            let names: Vec<String> = more.map(|(name, _)| name.clone()).collect();
            if !names.is_empty() {
                let known = properties.into_iter().flatten().map(|(name, _)| name.clone());
                self.wrong(pointer, Wrong::Unknown { names, known: known.collect() });
            }
            return;
        }
        for (name, value) in more {
            self.value(schema, value, &join_pointer(pointer, name));
        }
    }
}

fn is_of_type(instance: &Json, wanted: &str) -> bool {
    match (wanted, instance) {
        ("object", Json::Object(_))
        | ("array", Json::Array(_))
        | ("string", Json::String(_))
        | ("boolean", Json::Bool(_))
        | ("number", Json::Number(_))
        | ("null", Json::Null) => true,
        ("integer", Json::Number(number)) => {
            number.is_i64()
                || number.is_u64()
                || number.as_f64().is_some_and(|value| value.fract() == 0.0)
        }
        _ => false,
    }
}

fn matches(pattern: &Json, text: &str) -> bool {
    pattern.as_str().is_some_and(|pattern| matches_pattern(pattern, text))
}

/// The patterns of `schema/` by their text; one that is not known here matches nothing.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let test: fn(&str) -> bool = match pattern {
        "^[A-Z][A-Z0-9_]*$" => names::is_rule_id,
        r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$" => names::is_namespace,
        r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$" => is_version,
        r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$" => names::is_anchor,
        r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$" => names::is_fact_name,
        r"^([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*/)?[A-Z][A-Z0-9_]*$" => {
            names::is_rule_reference
        }
        "^detector://[a-z0-9]([a-z0-9-]*[a-z0-9])?$" => names::is_detector_reference,
        r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.[A-Za-z_][A-Za-z0-9_]*$" => {
            is_host_fact
        }
        r"^\((bool|int|double|string)\) -> (bool|int|double|string)$" => is_signature,
        "^x-[a-z0-9]+(-[a-z0-9]+)*$" => names::is_extension,
        _ => |_| false,
    };
    test(text)
}

fn is_version(text: &str) -> bool {
    let part = |part: &str| {
        part == "0"
            || (part.starts_with(|c: char| ('1'..='9').contains(&c))
                && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    text.split_once('.').is_some_and(|(major, minor)| part(major) && part(minor))
}

fn is_host_fact(text: &str) -> bool {
    text.rsplit_once('.')
        .is_some_and(|(host, name)| names::is_namespace(host) && names::is_simple_name(name))
}

fn is_signature(text: &str) -> bool {
    matches!(Declaration::parse(text), Some(Declaration::Function { .. }))
}
