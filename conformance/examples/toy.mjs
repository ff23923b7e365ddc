// A toy engine. It knows one thing: a rule without selector or condition, on a host that adds
// nothing to what every host has. It says so where it is asked for more.

const CORE = [
  "agent.finalize", "agent.post_turn", "model.input", "model.output",
  "model.tool_result", "tool.handler", "tool.post_invoke", "tool.pre_invoke",
];
const MEMBERS = {
  oar: /^1\.0$/,
  id: /^[A-Z][A-Z0-9_]*$/,
  kind: /^(schema|policy|invariant)$/,
  anchor: new RegExp(`^(${CORE.join("|").replaceAll(".", "\\.")})$`),
  effect: /^(block|warn|nudge|allow)$/,
  namespace: /^[a-z]+(\.[a-z]+)*$/,
};
const BARE_HOST = {
  oar_capability_version: "1.0", profiles: [], activity_window: 0,
  detectors: [], supports_transform: false,
};

/** The rule must not load. */
export class Refused extends Error {}

/** The toy does not know. */
export class CannotDo extends Error {}

/** The reports of all occurrences, which is always one here. */
export function decide(rules, given) {
  const { capability, anchor, session_id, ...more } = given;
  if (Object.keys(more).length > 0) {
    throw new CannotDo("no facts, content, tool calls, configuration or several occurrences");
  }
  const supported = anchorsOf(capability);
  const [rule] = rules;
  if (rules.length !== 1 || !isObject(rule)) throw new CannotDo("no sets of rules");
  for (const [member, value] of Object.entries(rule)) {
    const known = Object.hasOwn(MEMBERS, member) && MEMBERS[member];
    if (!known || typeof value !== "string" || !known.test(value)) {
      throw new CannotDo(`nothing is known of this \`${member}\``);
    }
  }
  for (const member of Object.keys(MEMBERS)) {
    if (!(member in rule) && member !== "namespace") {
      throw new Refused(`OAR-DOC-2: \`${member}\` is missing`);
    }
  }
  if (!Object.hasOwn(supported, rule.anchor)) {
    throw new Refused(`OAR-PROF-4: the host does not support \`${rule.anchor}\``);
  }
  return [report(rule, rule.anchor === anchor)];
}

/** The core anchors of a host that spells them as the standard does, and claims nothing. */
function anchorsOf(capability) {
  const { host, anchors, expression_nodes_max, ...rest } = isObject(capability) ? capability : {};
  const { core, unsupported, ...more } = isObject(anchors) ? anchors : {};
  const plain =
    sameMembers(rest, BARE_HOST) && [256, 1024].includes(expression_nodes_max) &&
    typeof host === "string" && /^[a-z]+(\.[a-z]+)*$/.test(host) &&
    isObject(core) && Array.isArray(unsupported) && Object.keys(more).length === 0 &&
    JSON.stringify([...Object.keys(core), ...unsupported].sort()) === JSON.stringify(CORE) &&
    Object.entries(core).every(([name, local]) => name === local);
  if (!plain) throw new CannotDo("no host but the plainest");
  return core;
}

function sameMembers(a, b) {
  const text = (object) => JSON.stringify(Object.entries(object).sort());
  return text(a) === text(b);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What the standard wants to know of an occurrence. */
function report(rule, fires) {
  const decided = fires && rule.effect !== "allow";
  const qualified = rule.namespace === undefined ? rule.id : `${rule.namespace}/${rule.id}`;
  const name = { code: rule.id, rule: qualified, copy: {} };
  const advises = decided && (rule.effect === "warn" || rule.effect === "nudge");
  return {
    decision: decided ? rule.effect : "none",
    ...(decided ? name : {}),
    applied: fires ? [`${qualified}:fired`] : [],
    on_fire: [],
    transforms: [],
    skipped_transforms: [],
    advisories: advises ? [name] : [],
    counters: {},
    events: [],
  };
}
