//! What a capability document declares: names with their types, and anchors (sections 5.3, 5.4, 8).

use std::collections::BTreeMap;

use serde_json::Value;

use super::value::Type;

#[derive(Debug, Default)]
pub(crate) struct Host {
    facts: BTreeMap<String, Type>,
    functions: BTreeMap<String, (Type, Type)>,
    /// From core anchor to local one.
    core: BTreeMap<String, String>,
    pub(crate) window: usize,
    pub(crate) nodes_max: u64,
}

const CORE: &str = "anchor string; fire_count int; breaker_count int";

/// The profiles that the generated fixtures use; a function is written with `->`.
const PROFILES: [(&str, &str); 6] = [
    (
        "tool",
        "tool string; tool_args map; tool_args_fingerprint string; \
         arg_validation_errors list<string>; arg_validation_reason string; \
         arg_validation_field string; permission_profile string; policy_denied bool; \
         tool_arg_string string->string; tool_arg_int string->int; tool_arg_bool string->bool",
    ),
    ("session", "session_posture string; principal string; principal_roles list<string>"),
    (
        "filesystem",
        "is_directory bool; not_found bool; path_denied bool; path_outside_scope string->bool",
    ),
    ("content", "content_length int"),
    ("secrets", "secret_matches list<map>"),
    ("jailbreak", "jailbreak_score double"),
];

impl Host {
    pub(crate) fn of(capability: &Value) -> Self {
        let mut host = Self {
            window: usize::try_from(capability["activity_window"].as_u64().unwrap()).unwrap(),
            nodes_max: capability["expression_nodes_max"].as_u64().unwrap(),
            ..Self::default()
        };
        host.declare_all(CORE);
        for profile in capability["profiles"].as_array().unwrap() {
            let known = PROFILES.iter().find(|(name, _)| profile == name);
            host.declare_all(known.expect("a profile that the generators use").1);
        }
        for fact in capability["host_facts"].as_array().into_iter().flatten() {
            let ty = fact["type"].as_str().unwrap().replace(['(', ')', ' '], "");
            host.declare(fact["name"].as_str().unwrap(), &ty);
        }
        for (core, local) in capability["anchors"]["core"].as_object().unwrap() {
            host.core.insert(core.clone(), local.as_str().unwrap().to_owned());
        }
        host
    }

    fn declare_all(&mut self, list: &str) {
        for entry in list.split("; ") {
            let (name, ty) = entry.trim().split_once(' ').unwrap();
            self.declare(name, ty);
        }
    }

    fn declare(&mut self, name: &str, ty: &str) {
        match ty.split_once("->") {
            Some((argument, result)) => {
                let signature = (Type::named(argument).unwrap(), Type::named(result).unwrap());
                self.functions.insert(name.to_owned(), signature);
            }
            None => {
                self.facts.insert(name.to_owned(), Type::named(ty).unwrap());
            }
        }
    }

    pub(crate) fn fact(&self, name: &str) -> Option<Type> {
        self.facts.get(name).copied()
    }

    pub(crate) fn function(&self, name: &str) -> Option<(Type, Type)> {
        self.functions.get(name).copied()
    }

    /// The local anchor that a rule's anchor stands for ([OAR-CONF-3]).
    pub(crate) fn local<'a>(&'a self, anchor: &'a str) -> &'a str {
        self.core.get(anchor).map_or(anchor, String::as_str)
    }

    /// What the fact `anchor` says at a local anchor.
    pub(crate) fn told<'a>(&'a self, local: &'a str) -> &'a str {
        self.core.iter().find(|(_, l)| *l == local).map_or(local, |(core, _)| core.as_str())
    }
}
