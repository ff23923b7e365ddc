"""The real agents, guarded by `oar hooks`, against a model on loopback.

usage: run.py OAR [DIRECTORY] [AGENT…]

OAR is the program; DIRECTORY keeps the agents' packages between runs. Each agent is installed by
`oar hooks install` into a home of its own and asked to say hello; the model wants one shell call, which
writes `marker.txt`. A test looks at whether the file is there and at what the model was told next.
Agents that cannot be had are named as skipped. It ends with 1 when something is not as it should be.
"""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from model import Model

PACKAGES = {"codex": "@openai/codex@0.171.0", "gemini": "@google/gemini-cli@0.61.0", "opencode": "opencode-ai@1.18.33"}
SECONDS = 240
# After so long no further test is begun.
BUDGET = 1200
TOKEN = "ghp_" + "a1" * 18
COMMAND = "echo it-ran > marker.txt; cat secret.txt"

COUNT = """
oar: "1.0"
id: TALLY
kind: schema
anchor: tool.pre_invoke
effect: allow
on_fire: [increment_counter]
"""
BLOCK = """
oar: "1.0"
id: NO_MARKER
kind: policy
anchor: tool.pre_invoke
requires: {facts: [hook.shell_runs]}
when: hook.shell_runs("echo it-ran")
effect: block
copy: {what: Markers are not made here., instead: Say it without one.}
"""
NUDGE = """
oar: "1.0"
id: TOLD
kind: policy
anchor: tool.post_invoke
effect: nudge
copy: {instead: Mind the forty-second gap.}
"""
MASK = """
oar: "1.0"
id: MASK
kind: detector
anchor: model.tool_result
requires: {profiles: [secrets]}
detector: {ref: "detector://token-shapes"}
when: size(secret_matches) > 0
effect: transform
transform: {action: redact, target: secret_matches, replacement: "[masked]"}
"""
WITHHOLD = """
oar: "1.0"
id: WITHHOLD
kind: policy
anchor: tool.post_invoke
effect: block
copy: {what: The result is withheld.}
"""
STOP = """
oar: "1.0"
id: NOT_YET
kind: policy
anchor: agent.post_turn
effect: block
copy: {instead: Say goodbye first.}
"""


class Run:
    """One agent in a home of its own."""

    def __init__(self, agent, bins, oar, rules):
        self.agent, self.bins = agent, bins
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=f"oar-live-{agent}-"))
        self.project = self.root / "project"
        self.project.mkdir()
        (self.project / "secret.txt").write_text(f"token={TOKEN}\n")
        (self.root / "rules.yaml").write_text(rules)
        # A copy, so that a test can put something else in its place.
        self.oar = self.root / "bin" / "oar"
        self.oar.parent.mkdir()
        shutil.copy(oar, self.oar)
        self.model = Model(COMMAND)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.root), "SHELL": "/bin/bash", "CI": "1",
                    "OAR_STATE_DIR": str(self.root / "state"), "TMPDIR": str(self.root / "tmp")}
        (self.root / "tmp").mkdir()
        getattr(self, agent)()
        done = subprocess.run([self.oar, "hooks", "install", agent, "--rules", self.root / "rules.yaml"],
                              env=self.env, cwd=self.project, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr

    def codex(self):
        home = self.root / ".codex"
        home.mkdir()
        (home / "config.toml").write_text(
            'model = "mock"\nmodel_provider = "mock"\napproval_policy = "never"\n'
            "check_for_update_on_startup = false\n[analytics]\nenabled = false\n"
            f'[model_providers.mock]\nname = "mock"\nbase_url = "http://127.0.0.1:{self.model.port}/v1"\n'
            'wire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n')
        self.env |= {"CODEX_HOME": str(home), "RUST_LOG": "error"}
        self.command = ["codex", "exec", "--dangerously-bypass-hook-trust",
                        "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "say hello"]

    def gemini(self):
        home = self.root / ".gemini"
        home.mkdir()
        (home / "settings.json").write_text(json.dumps({
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
            "general": {"disableAutoUpdate": True, "disableUpdateNag": True}}, indent=2))
        self.env |= {"GEMINI_API_KEY": "none", "GEMINI_CLI_NO_RELAUNCH": "true",
                     "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{self.model.port}"}
        self.command = ["gemini", "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", "say hello"]

    def opencode(self):
        home = self.root / ".config" / "opencode"
        home.mkdir(parents=True)
        (home / "opencode.json").write_text(json.dumps({
            "model": "mock/mock", "small_model": "mock/mock", "autoupdate": False, "share": "disabled",
            "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "mock",
                                  "options": {"baseURL": f"http://127.0.0.1:{self.model.port}/v1", "apiKey": "none"},
                                  "models": {"mock": {"name": "mock", "tool_call": True}}}}}))
        self.env |= {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
                     "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}
        self.command = ["opencode", "run", "say hello"]

    def go(self):
        program = self.bins / self.command[0]
        # A session of its own, so that what the agent started ends with it.
        child = subprocess.Popen([program, *self.command[1:]], env=self.env, cwd=self.project, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 start_new_session=True)
        try:
            self.output = child.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired as late:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            self.output = f"not done after {late.timeout} s"
        self.model.close()
        return self

    def ran(self):
        return (self.project / "marker.txt").exists()

    def told(self):
        """What the model was told after the call: every request but the first that has tools."""
        bodies = [body for _, body in self.model.requests]
        marks = ("call_output", "functionResponse", '"role":"tool"', '"role": "tool"')
        return "\n".join(body for body in bodies if any(mark in body for mark in marks))

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)


def script(run, text):
    """Puts something else in the place of the program."""
    run.oar.rename(run.oar.with_name("real"))
    run.oar.write_text(f"#!/bin/sh\n{text}\n")
    run.oar.chmod(0o755)


def blocked(run):
    run.go()
    return not run.ran() and "Markers are not made here." in run.told()


def allowed(run):
    run.go()
    return run.ran() and TOKEN in run.told()


def nudged(run):
    run.go()
    return run.ran() and "Mind the forty-second gap." in run.told()


def masked(run):
    run.go()
    every = "\n".join(body for _, body in run.model.requests)
    return run.ran() and "token=[masked]" in run.told() and TOKEN not in every


def withheld(run):
    run.go()
    every = "\n".join(body for _, body in run.model.requests)
    return run.ran() and "The result is withheld." in run.told() and TOKEN not in every


def held_once(run):
    begun = time.time()
    run.go()
    every = "\n".join(body for _, body in run.model.requests)
    return "Say goodbye first." in every and time.time() - begun < SECONDS and len(run.model.requests) < 12


def killed(run):
    script(run, "kill -9 $$")
    return not run.go().ran()


def gone(run):
    run.oar.unlink()
    return not run.go().ran()


def broken_rules(run):
    (run.root / "rules.yaml").write_text("oar: nonsense")
    return not run.go().ran()


def truncated(run):
    script(run, f'head -c 50 | "{run.oar.with_name("real")}" "$@"')
    return not run.go().ran()


def hanging_store(run):
    # One event makes the file, then it is held.
    subprocess.run([run.oar, "hooks", "check", run.agent], env=run.env, capture_output=True, timeout=60)
    store = sqlite3.connect(run.root / "state" / "state.db", isolation_level=None)
    store.execute("BEGIN EXCLUSIVE")
    try:
        return not run.go().ran()
    finally:
        store.close()


# The test, its rules, and the agents that cannot do it: there the opposite must hold, so that a new
# version that can is noticed.
TESTS = [
    (blocked, BLOCK, ()),
    (allowed, COUNT, ()),
    (nudged, NUDGE, ()),
    (masked, MASK, ()),
    (withheld, WITHHOLD, ()),
    (held_once, STOP, None),
    (killed, BLOCK, ("codex", "gemini")),
    (gone, BLOCK, ("codex",)),
    (broken_rules, COUNT, ()),
    (truncated, COUNT, ()),
    (hanging_store, COUNT, ()),
]


def install(directory):
    """The directory of the programs, or why there is none."""
    if not shutil.which("npm") or not shutil.which("node"):
        return None, "npm or node is missing"
    directory.mkdir(parents=True, exist_ok=True)
    bins = directory / "node_modules" / ".bin"
    if not all((bins / agent).exists() for agent in PACKAGES):
        (directory / "package.json").write_text('{"private": true}')
        try:
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", *PACKAGES.values()], cwd=directory,
                                  capture_output=True, text=True, timeout=400)
        except subprocess.TimeoutExpired:
            return None, "npm did not finish in time"
        if done.returncode != 0:
            return None, f"npm could not install them: {done.stderr.strip().splitlines()[-1:]}"
    return bins, None


def tried(agent, bins, oar, rules, test):
    run = Run(agent, bins, oar, rules)
    return run, test(run)


def main():
    oar = pathlib.Path(sys.argv[1]).resolve()
    here = pathlib.Path(__file__).resolve().parent
    directory = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else here.parents[2] / "target" / "live"
    wanted = sys.argv[3:] or list(PACKAGES)
    bins, why = install(directory.resolve())
    if bins is None:
        print(f"SKIPPED: {', '.join(PACKAGES)}: {why}")
        return 0
    wrong = 0
    start = time.time()
    for agent in wanted:
        version = subprocess.run([bins / agent, "--version"], capture_output=True, text=True, timeout=60)
        if version.returncode != 0:
            print(f"SKIPPED: {agent} does not start: {version.stderr.strip()[-200:]}")
            continue
        for test, rules, cannot in TESTS:
            if cannot is None and agent == "opencode":
                continue
            if time.time() - start > BUDGET:
                print(f"SKIPPED: {agent} {test.__name__}: no time left")
                continue
            begun = time.time()
            expected = agent not in (cannot or ())
            run, holds = tried(agent, bins, oar, rules, test)
            if holds != expected:
                # Once more: a machine under load is late now and then.
                run.close()
                run, holds = tried(agent, bins, oar, rules, test)
            word = "ok  " if holds == expected else "BAD "
            note = "" if expected else " (stays open, as documented)"
            print(f"{word} {agent:9} {test.__name__:14} {time.time() - begun:5.1f} s{note}", flush=True)
            if holds != expected:
                wrong += 1
                print(f"     ran={run.ran()} requests={len(run.model.requests)}\n{run.output[-1500:]}\n{run.told()[-1500:]}")
            run.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
