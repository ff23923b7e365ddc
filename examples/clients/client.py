import json, os, subprocess

oar = subprocess.Popen(
    [os.environ.get("OAR", "oar"), "eval", "--stream", "--rules", "examples/coding-basics"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

def decide(occurrence):
    print(json.dumps(occurrence), file=oar.stdin, flush=True)
    answer = json.loads(oar.stdout.readline())
    return answer["report"] if "report" in answer else {"decision": "block", "rule": answer["error"]}

call = {"name": "shell", "arguments": {"command": "git push --force"}}
report = decide({"anchor": "tool.pre_invoke", "session": "s1", "tool_call": call})
print(report["decision"], "by", report.get("rule"))
oar.stdin.close()
oar.wait()
