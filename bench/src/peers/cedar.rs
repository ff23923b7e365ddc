//! cedar-policy: a `forbid` a rule, and a `permit` of everything.
//!
//! Cedar visits every policy of a set, so its best host keeps a set for each tool. It has no
//! doubles; a decimal of four places stands in. Its reasons are a set, which is sorted here.

use std::collections::HashMap;

use cedar_policy::{
    Authorizer, Context, Entities, EntityId, EntityTypeName, EntityUid, Policy, PolicyId,
    PolicySet, Request, RestrictedExpression,
};

use super::FLAT_MOST;
use crate::contender::{Conditions, Engine, Entrant};
use crate::spec::{self, Condition, Input, Numbers, Spec};

pub const SLICED: Entrant = Entrant {
    name: "cedar sliced",
    text: |_, spec| text(spec),
    load: |specs, texts| Ok(Box::new(Cedar::new(specs, texts, false)?)),
    conditions: Some(conditions),
    most: None,
    flat: false,
};

pub const FLAT: Entrant = Entrant {
    name: "cedar flat",
    load: |specs, texts| Ok(Box::new(Cedar::new(specs, texts, true)?)),
    conditions: None,
    most: Some(FLAT_MOST),
    flat: true,
    ..SLICED
};

fn text(spec: &Spec) -> String {
    let Spec { tool, prefix, needle } = spec;
    format!(
        "forbid(principal, action == Action::\"{tool}\", resource) when {{ \
         context.path like \"{prefix}*\" || context.command like \"*{needle}*\" && \
         context.risk.greaterThan(decimal(\"0.75\")) }};"
    )
}

/// What the requests of all rules have in common.
struct Desk {
    authorizer: Authorizer,
    entities: Entities,
    principal: EntityUid,
    resource: EntityUid,
    action: EntityTypeName,
}

fn uid(ty: &EntityTypeName, id: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(ty.clone(), EntityId::new(id))
}

impl Desk {
    fn new() -> Self {
        let ty = |name: &str| name.parse::<EntityTypeName>().expect("a name of a type");
        Self {
            authorizer: Authorizer::new(),
            entities: Entities::empty(),
            principal: uid(&ty("Agent"), "agent"),
            resource: uid(&ty("Host"), "host"),
            action: ty("Action"),
        }
    }

    fn request<const N: usize>(
        &self,
        action: EntityUid,
        context: [(&str, RestrictedExpression); N],
    ) -> Request {
        let pairs = context.map(|(name, value)| (name.to_owned(), value));
        let context = Context::from_pairs(pairs).expect("names differ");
        let (principal, resource) = (self.principal.clone(), self.resource.clone());
        Request::new(principal, action, resource, context, None).expect("no schema refuses it")
    }

    /// The identifiers of the policies that forbid, or of the one that permits.
    fn reasons(&self, request: &Request, policies: &PolicySet) -> Vec<u32> {
        let response = self.authorizer.is_authorized(request, policies, &self.entities);
        assert!(response.diagnostics().errors().next().is_none(), "the policies are sound");
        let ids = response.diagnostics().reason().map(AsRef::<str>::as_ref);
        let forbidding = ids.filter(|id| *id != PERMIT).map(spec::number);
        let mut numbers: Vec<u32> = forbidding.collect();
        numbers.sort_unstable();
        numbers
    }
}

const PERMIT: &str = "permit";

/// A set with the one policy that permits what no other forbids.
fn permitting() -> Result<PolicySet, String> {
    let mut policies = PolicySet::new();
    add(&mut policies, PERMIT, "permit(principal, action, resource);")?;
    Ok(policies)
}

fn add(policies: &mut PolicySet, id: &str, text: &str) -> Result<(), String> {
    let policy = Policy::parse(Some(PolicyId::new(id)), text).map_err(|own| own.to_string())?;
    policies.add(policy).map_err(|error| error.to_string())
}

struct Cedar {
    desk: Desk,
    by_tool: HashMap<String, PolicySet>,
    flat: Option<PolicySet>,
}

impl Cedar {
    fn new(specs: &[Spec], texts: &[String], flat: bool) -> Result<Self, String> {
        let mut by_tool: HashMap<String, PolicySet> = HashMap::new();
        let mut all = if flat { Some(permitting()?) } else { None };
        for ((number, spec), text) in specs.iter().enumerate().zip(texts) {
            let policies = match &mut all {
                Some(all) => all,
                None if by_tool.contains_key(&spec.tool) => {
                    by_tool.get_mut(&spec.tool).expect("it was asked for")
                }
                None => by_tool.entry(spec.tool.clone()).or_insert(permitting()?),
            };
            add(policies, &spec::id(number), text)?;
        }
        Ok(Self { desk: Desk::new(), by_tool, flat: all })
    }
}

impl Engine for Cedar {
    fn decide(&mut self, input: &Input, fired: &mut Vec<u32>) {
        let policies = match &self.flat {
            Some(all) => Some(all),
            None => self.by_tool.get(&input.tool),
        };
        let Some(policies) = policies else { return };
        let request = self.desk.request(
            uid(&self.desk.action, &input.tool),
            [
                ("path", RestrictedExpression::new_string(input.path.clone())),
                ("command", RestrictedExpression::new_string(input.command.clone())),
                ("risk", RestrictedExpression::new_decimal(format!("{:.4}", input.risk))),
            ],
        );
        fired.extend(self.desk.reasons(&request, policies));
    }
}

fn conditions(conditions: &[Condition]) -> Result<Conditions, String> {
    let text = |condition: &Condition| match condition {
        Condition::Twenty => "context.a + context.b * 2 > 10 && \
             context.x.lessThan(decimal(\"0.5\")) || context.c - 1 == 3 && !context.flag"
            .to_owned(),
        Condition::AtLeast(least) => format!("context.a >= {least}"),
    };
    let mut policies = permitting()?;
    for (number, condition) in conditions.iter().enumerate() {
        let when = text(condition);
        let policy = format!("forbid(principal, action, resource) when {{ {when} }};");
        add(&mut policies, &spec::id(number), &policy)?;
    }
    let desk = Desk::new();
    let whole = conditions.iter().any(|own| matches!(own, Condition::Twenty));
    Ok(Box::new(move |own: &Numbers| {
        let action = uid(&desk.action, "call");
        let long = RestrictedExpression::new_long;
        let request = if whole {
            let x = RestrictedExpression::new_decimal(format!("{:.4}", own.x));
            let flag = RestrictedExpression::new_bool(own.flag);
            let lent = [
                ("a", long(own.a)),
                ("b", long(own.b)),
                ("c", long(own.c)),
                ("x", x),
                ("flag", flag),
            ];
            desk.request(action, lent)
        } else {
            desk.request(action, [("a", long(own.a))])
        };
        desk.reasons(&request, &policies).iter().map(|number| 1 << number).sum()
    }))
}
