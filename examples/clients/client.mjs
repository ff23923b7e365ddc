import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const arguments_ = ["eval", "--stream", "--rules", "examples/coding-basics"];
const oar = spawn(process.env.OAR ?? "oar", arguments_, { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: oar.stdout })[Symbol.asyncIterator]();

async function decide(occurrence) {
  oar.stdin.write(JSON.stringify(occurrence) + "\n");
  const answer = JSON.parse((await lines.next()).value);
  return answer.report ?? { decision: "block", rule: answer.error };
}

const call = { name: "shell", arguments: { command: "git push --force" } };
const report = await decide({ anchor: "tool.pre_invoke", session: "s1", tool_call: call });
console.log(report.decision, "by", report.rule);
oar.stdin.end();
