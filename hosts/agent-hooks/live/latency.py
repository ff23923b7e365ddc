"""How long one decision takes, from the start of the process to its end.

usage: latency.py OAR [RUNS]

A pack of 100 rules, the state in SQLite, events that are let pass and that are blocked. It prints medians,
and what the process costs that only starts, loads no rules, or loads them alone.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAMS = ["rm -r", "git push --force,-f", "npm publish", "mkfs", "curl", "docker push", "cargo publish", "shutdown"]


def rules(count):
    texts = ["oar: '1.0'\nid: TALLY\nnamespace: acme.pack\nkind: schema\nanchor: tool.pre_invoke\n"
             "requires: {profiles: [tool]}\ncounter_scope: tool_args_fingerprint\neffect: allow\n"
             "on_fire: [increment_counter]\n"]
    for number in range(1, count):
        program = PROGRAMS[number % len(PROGRAMS)]
        texts.append(
            f"oar: '1.0'\nid: RULE_{number:03}\nnamespace: acme.pack\nkind: policy\nanchor: tool.pre_invoke\n"
            "requires: {profiles: [tool], facts: [hook.tool_kind, hook.shell_runs, hook.path_named]}\n"
            "selector: {hook.tool_kind: [shell]}\n"
            f"when: hook.shell_runs('{program} --never-{number}') || hook.path_named('never-{number}.*')\n"
            f"effect: block\ncopy:\n  what: Rule {number} is about {program}.\n  instead: Do it otherwise.\n")
    return "---\n".join(texts)


def event(line):
    return json.dumps({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": os.getcwd(), "tool_name": "Bash",
                       "tool_input": {"command": line}}).encode()


def main():
    oar, runs = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 101
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        (root / "hundred.yaml").write_text(rules(100))
        (root / "one.yaml").write_text(rules(1))
        env = {"HOME": directory, "PATH": os.environ["PATH"], "OAR_STATE_DIR": str(root / "state")}

        def median(arguments, data):
            times = []
            for _ in range(runs):
                begun = time.perf_counter()
                subprocess.run([oar, *arguments], input=data, env=env, capture_output=True, check=True)
                times.append((time.perf_counter() - begun) * 1000)
            return statistics.median(times)

        hook = ["hooks", "run", "claude", "--rules"]
        line = "cd src && cargo test --workspace 2>&1 | tail -20"
        for name, arguments, data in [
            ("start alone (`oar --version`)", ["--version"], b""),
            ("one rule", [*hook, root / "one.yaml"], event(line)),
            ("100 rules, let pass", [*hook, root / "hundred.yaml"], event(line)),
            ("100 rules, blocked", [*hook, root / "hundred.yaml"], event("rm -r --never-8 x")),
        ]:
            print(f"| {name} | {median(arguments, data):.1f} ms |")


if __name__ == "__main__":
    main()
