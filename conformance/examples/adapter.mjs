// An adapter around a toy engine. The engine stands in toy.mjs; yours goes in its place.
import { createInterface } from "node:readline";
import { CannotDo, Refused, decide } from "./toy.mjs";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, rules, input } = JSON.parse(line);
  let answer;
  try {
    if (!rules) throw new CannotDo("only fixtures are known here"); // the handshake
    const reports = decide(rules, input);
    answer = { id, report: reports.at(-1), occurrences: reports };
  } catch (error) {
    if (error instanceof Refused) answer = { id, error: error.message, phase: "rules" };
    else if (error instanceof CannotDo) answer = { id: id ?? null, skipped: error.message };
    else throw error;
  }
  console.log(JSON.stringify(answer));
}
