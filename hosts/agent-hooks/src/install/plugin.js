// Asks `oar hooks run opencode` before and after every tool call and at every message.
// Written by `oar hooks install opencode`; `oar hooks uninstall opencode` removes it.
// Whatever goes wrong here throws, and what throws does not run.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const WORDS = "@WORDS@"
const MILLISECONDS = "@MILLISECONDS@"
const BYTES_MAX = 64 * 1024 * 1024

function ask(hook, input, output, directory) {
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, ["hooks", "run", "opencode", "--event", hook, ...WORDS], {
      stdio: ["pipe", "pipe", "ignore"],
    })
    let text = ""
    const fail = (why) => {
      clearTimeout(timer)
      child.kill("SIGKILL")
      reject(new Error(`[oar] the guard of this session failed: ${why}`))
    }
    const timer = setTimeout(() => fail("it did not answer in time"), MILLISECONDS)
    child.on("error", (error) => fail(error.message))
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (part) => {
      text += part
      if (text.length > BYTES_MAX) fail("its answer is too long")
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code !== 0) return fail(`it ended with ${signal ?? code}`)
      try {
        const answer = JSON.parse(text)
        if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error("no object")
        resolve(answer)
      } catch (error) {
        fail(`its answer is no JSON: ${error.message}`)
      }
    })
    child.stdin.end(JSON.stringify({ hook, directory, input, output }))
  })
}

export const OarGuard = async ({ client, directory }) => {
  const warn = async (answer) => {
    if (!answer.warn) return
    try {
      await client.tui.showToast({ body: { message: answer.warn, variant: "warning" } })
    } catch {
      // Without a terminal there is nobody to show it to.
    }
  }
  const asked = async (hook, input, output) => {
    const answer = await ask(hook, input, output, directory)
    await warn(answer)
    if (answer.deny) throw new Error(answer.deny)
    return answer
  }
  return {
    "tool.execute.before": async (input, output) => {
      const answer = await asked("tool.execute.before", input, { args: output.args ?? {} })
      if (answer.args) output.args = answer.args
    },
    "tool.execute.after": async (input, output) => {
      const answer = await asked(
        "tool.execute.after",
        { ...input, args: input.args ?? {} },
        { title: output.title, output: output.output, metadata: output.metadata },
      )
      if (typeof answer.output === "string") {
        output.output = answer.output
        output.title = input.tool
        if (output.metadata && "output" in output.metadata) output.metadata.output = answer.output
        if (output.metadata && "preview" in output.metadata) output.metadata.preview = answer.output
      }
      if (answer.add) output.output = `${output.output ?? ""}\n${answer.add}`
    },
    "chat.message": async (input, output) => {
      const answer = await asked("chat.message", input, { parts: output.parts ?? [] })
      const part = (output.parts ?? []).find((own) => own.type === "text")
      if (answer.add && part) part.text += `\n${answer.add}`
    },
  }
}
