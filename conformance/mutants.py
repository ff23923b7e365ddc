#!/usr/bin/env python3
"""The mutation proof of the corpus: what of a seeded sample of changed code do the tests notice?

    conformance/mutants.py [--seed N] [--size N] [--jobs N] [--dir DIR] [--rev REV] [--only NAME...]

Needs `cargo install cargo-mutants`; it is no part of CI. Works in clones of its own (DIR-0, DIR-1
and so on), at one commit, so the tree it stands in may change meanwhile; what is not committed does
not count. Run again after an interruption, it goes on where it was (DIR.fates.json).

Mutants are taken from expr/src and engine/src/{load,decide}: of every file a share by its number,
and at least six where there are as many, in the order of SHA-256 over seed and name. They go from
judge to judge until one notices: those of expr by its quick unit tests first, which cost the least,
then all by the corpus, in process, then by the unit tests of both crates, and what is left by the
tests that embed the engine, the slow ones last. `--only` judges the mutants whose names contain one
of the texts given instead of a sample, which is how survivors are looked at again. The report goes to standard output,
the logs of cargo-mutants stay in DIR-*.out.
"""

import argparse
import hashlib
import json
import pathlib
import queue
import re
import resource
import subprocess
import sys
import threading
from collections import Counter

FILES = ["expr/src/**/*.rs", "engine/src/load/**/*.rs", "engine/src/decide/**/*.rs"]
AT_LEAST = 6
# A mutant that never ends must not take the machine with it: seconds of one processor, which a
# busy machine does not lengthen, seconds by the clock, and bytes of memory.
PROCESSOR, SECONDS, MEMORY = 20, 200, 8 << 30
QUICK = ["--", "--skip=differential", "--skip=depth"]
OTHERS = ["bounds", "embedding", "explain", "handle"]
SLOW = ["one_by_one", "failing", "hostile", "leaks", "watch"]
# Each judge: whose mutants it sees, the packages, what is built, what is run of it.
STAGES = [
    ("quick unit tests", "expr/", ["oar-expr"], ["--lib"], QUICK),
    ("corpus", "", ["oar-conformance"], ["--test=corpus"], []),
    ("unit tests", "", ["oar-expr", "oar-engine"], ["--lib"], []),
    ("engine's other tests", "", ["oar-engine"], [f"--test={name}" for name in OTHERS], []),
    (
        "engine's slow tests",
        "",
        ["oar-engine"],
        ["--features=watch,testing", *(f"--test={name}" for name in SLOW)],
        [],
    ),
]
# So many mutants go to one run of cargo-mutants; what is judged after each run is kept.
CHUNK = 45
NICE = ["nice", "-n", "5"]


def run(command, **more):
    return subprocess.run(command, text=True, **more)


def revision(rev):
    here = pathlib.Path(__file__).resolve().parents[1]
    command = ["git", "-C", here, "rev-parse", "--verify", f"{rev}^{{commit}}"]
    return here, run(command, check=True, stdout=subprocess.PIPE).stdout.strip()


def clone(here, directory, commit):
    """A clean clone at the commit; its build directory is kept from run to run."""
    if not directory.exists():
        run(["git", "clone", "-q", "--no-checkout", here, directory], check=True)
    git = ["git", "-C", directory]
    run([*git, "fetch", "-q", here, commit], check=True)
    run([*git, "checkout", "-q", "--force", "--detach", commit], check=True)


def every_mutant(directory):
    command = ["cargo", "mutants", "--list", "--json", "-d", directory]
    for pattern in FILES:
        command += ["-f", pattern]
    listed = run(command, check=True, stdout=subprocess.PIPE)
    return [(mutant["file"], mutant["name"]) for mutant in json.loads(listed.stdout)]


def sample(mutants, seed, size):
    """As many of each file as its share, never less than AT_LEAST; which ones, the seed says."""
    by_file = {}
    for file, name in mutants:
        by_file.setdefault(file, []).append(name)
    chosen = []
    for file, names in sorted(by_file.items()):
        names.sort(key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest())
        share = max(AT_LEAST, round(size * len(names) / len(mutants)))
        chosen += names[:share]
    return chosen


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))


def sound(directory, packages, built):
    """A judge who finds fault with the code as it is judges nothing."""
    command = [*NICE, "cargo", "test", "-q", "--profile=mutants", *built]
    command += [f"--package={package}" for package in packages]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    judged = run(command, cwd=directory, **pipes)
    if judged.returncode != 0:
        raise RuntimeError("the tests fail without any mutant:\n" + judged.stdout[-3000:])


def judge(directory, names, packages, built, run_with):
    """What cargo-mutants says of each of the mutants."""
    out = directory.with_name(directory.name + ".out")
    out.mkdir(exist_ok=True)
    config = out / "sample.toml"
    patterns = [f"^{re.escape(name)}$".replace("\\ ", " ") for name in names]
    config.write_text(f"examine_re = {json.dumps(patterns)}\n")
    command = [*NICE, "cargo", "mutants", "--in-place", "--config", config, "--colors=never"]
    command += ["-d", directory, "-o", out, "--profile=mutants", "--baseline=skip"]
    command += ["--timeout", str(SECONDS), "--build-timeout", "300"]
    command += [f"--file={pattern}" for pattern in FILES]
    command += [f"--test-package={package}" for package in packages]
    # Building, too, must leave out the tests that are not run.
    command += [f"--cargo-arg={argument}" for argument in built] + run_with[:1] + run_with
    ended = run(command, stdout=sys.stderr, preexec_fn=limit)
    # 0: all caught, 2: some missed, 3: some ran out of time; all else is no result.
    if ended.returncode not in (0, 2, 3):
        raise RuntimeError(f"cargo mutants ended with {ended.returncode}")
    outcomes = json.loads((out / "mutants.out/outcomes.json").read_text())["outcomes"]
    return {
        outcome["scenario"]["Mutant"]["name"]: outcome["summary"]
        for outcome in outcomes
        if outcome["scenario"] != "Baseline"
    }


class Proof:
    """The fate of each mutant, shared by the jobs and kept in a file."""

    def __init__(self, file, commit):
        self.file, self.commit, self.lock, self.error = file, commit, threading.Lock(), None
        self.all = json.loads(file.read_text()) if file.exists() else {}
        self.fates = self.all.setdefault(commit, {})

    def note(self, stage, summaries):
        words = {"CaughtMutant": stage, "Timeout": stage, "Unviable": "unviable"}
        with self.lock:
            for name, summary in summaries.items():
                # cargo-mutants adds mutants that were not asked for; what is decided stays so.
                if "fate" in self.fates.get(name, {}):
                    continue
                missed = self.fates.get(name, {}).get("missed", [])
                fate = words.get(summary)
                self.fates[name] = {"fate": fate} if fate else {"missed": [*missed, stage]}
            self.file.write_text(json.dumps(self.all, indent=1))

    def left(self, names, stage):
        """Those that no stage has decided and this one has not seen."""

        def undecided(entry):
            return "fate" not in entry and stage not in entry.get("missed", [])

        return [name for name in names if undecided(self.fates.get(name, {}))]

    def work(self, directory, chunks, stage, packages, built, run_with):
        try:
            sound(directory, packages, built)
            while self.error is None:
                names = chunks.get_nowait()
                self.note(stage, judge(directory, names, packages, built, run_with))
        except queue.Empty:
            pass
        except Exception as error:  # noqa: BLE001 - the other job must hear of it, whatever it is
            self.error = error

    def judge(self, directories, names):
        for stage, of, *how in STAGES:
            own = [name for name in names if name.startswith(of)]
            left, chunks = self.left(own, stage), queue.Queue()
            for start in range(0, len(left), CHUNK):
                chunks.put(left[start : start + CHUNK])
            jobs = [
                threading.Thread(target=self.work, args=(d, chunks, stage, *how))
                for d in (directories if left else [])
            ]
            for job in jobs:
                job.start()
            for job in jobs:
                job.join()
            if self.error is not None:
                sys.exit(str(self.error))
            if self.left(own, stage):
                sys.exit(f"{len(self.left(own, stage))} mutants were never judged")

    def fate(self, name):
        return self.fates[name].get("fate", "survived")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=360)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dir", type=pathlib.Path, default=pathlib.Path("/tmp/oar-mutants"))
    parser.add_argument("--rev", default="HEAD")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    options = parser.parse_args()
    base = options.dir.resolve()
    here, commit = revision(options.rev)
    directories = [base.with_name(f"{base.name}-{job}") for job in range(options.jobs)]
    for directory in directories:
        clone(here, directory, commit)
    mutants = every_mutant(directories[0])
    if options.only:
        texts = options.only
        names = [name for _, name in mutants if any(text in name for text in texts)]
    else:
        names = sample(mutants, options.seed, options.size)
    if not names:
        sys.exit("no mutant has such a name")
    proof = Proof(base.with_name(base.name + ".fates.json"), commit)
    proof.judge(directories, names)
    counts = Counter(proof.fate(name) for name in names)
    viable = len(names) - counts["unviable"]
    caught = sum(counts[stage] for stage, *_ in STAGES)
    print(f"commit {commit}, " + ("chosen by name" if options.only else f"seed {options.seed}"))
    print(f"{len(mutants)} mutants in all, {len(names)} tried, {viable} viable")
    for stage, *_ in STAGES:
        print(f"  caught by the {stage}: {counts[stage]} ({counts[stage] / max(viable, 1):.1%})")
    print(f"  survived: {counts['survived']}")
    print(f"caught: {caught} of {viable}, {caught / max(viable, 1):.1%}")
    for name in names:
        if proof.fate(name) == "survived":
            print(f"survived: {name}")


if __name__ == "__main__":
    main()
