#!/usr/bin/env python3
"""The mutation proof of the corpus: what of a seeded sample of changed code do the tests notice?

    conformance/mutants.py [--seed N] [--size N] [--dir DIR] [--rev REV] [--only NAME...]

Needs `cargo install cargo-mutants`; it is no part of CI. Works in a clone of its own (--dir), at
one commit, so the tree it stands in may change meanwhile; what is not committed does not count.

Mutants are taken from expr/src and engine/src/{load,decide}: of every file a share by its number,
and at least six where there are as many, in the order of SHA-256 over seed and name. The corpus,
in process, judges first; the unit tests of both crates judge what it lets through. `--only` judges
the mutants whose names contain one of the texts given instead of a sample, which is how survivors
are looked at again. The report goes to standard output, the logs of cargo-mutants stay in DIR.out.
"""

import argparse
import hashlib
import json
import pathlib
import re
import resource
import subprocess
import sys
from collections import Counter

FILES = ["expr/src/**/*.rs", "engine/src/load/**/*.rs", "engine/src/decide/**/*.rs"]
AT_LEAST = 6
# A mutant that never ends must not take the machine with it: seconds, and bytes of memory.
SECONDS, MEMORY = 20, 8 << 30
STAGES = [
    ("corpus", ["oar-conformance"], ["--test=corpus"]),
    ("unit tests", ["oar-expr", "oar-engine"], ["--lib"]),
]


def run(command, **more):
    return subprocess.run(command, text=True, **more)


def clone(directory, rev):
    """A clean clone at the commit; its build directory is kept from run to run."""
    here = pathlib.Path(__file__).resolve().parents[1]
    commit = run(["git", "-C", here, "rev-parse", rev], check=True, stdout=subprocess.PIPE)
    commit = commit.stdout.strip()
    if not directory.exists():
        run(["git", "clone", "-q", "--no-checkout", here, directory], check=True)
    run(["git", "-C", directory, "fetch", "-q", here, rev], check=True)
    run(["git", "-C", directory, "checkout", "-q", "--force", "--detach", commit], check=True)
    return commit


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


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def sound(directory, packages, arguments):
    """A judge who finds fault with the code as it is judges nothing."""
    command = ["nice", "-n", "5", "cargo", "test", "-q", "--profile", "mutants"]
    for package in packages:
        command += ["-p", package]
    judged = run(command + arguments, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if judged.returncode != 0:
        sys.exit("the tests fail without any mutant:\n" + judged.stdout[-3000:])


def judge(directory, names):
    """By each stage in turn what the stages before let through; the fate of every mutant."""
    out = directory.with_name(directory.name + ".out")
    out.mkdir(exist_ok=True)
    fate, left = {}, names
    for judge_name, packages, arguments in STAGES:
        if not left:
            break
        sound(directory, packages, arguments)
        config = out / "sample.toml"
        patterns = [f"^{re.escape(name)}$".replace("\\ ", " ") for name in left]
        config.write_text(f"examine_re = {json.dumps(patterns)}\n")
        command = ["nice", "-n", "5", "cargo", "mutants", "--in-place", "--config", config]
        command += ["-d", directory, "-o", out, "--profile", "mutants", "--colors=never"]
        command += ["--timeout", str(SECONDS), "--build-timeout", "200", "--baseline=skip"]
        for pattern in FILES:
            command += ["-f", pattern]
        for package in packages:
            command += ["--test-package", package]
        command += [f"--cargo-arg={argument}" for argument in arguments]
        ended = run(command, stdout=sys.stderr, preexec_fn=limit_memory)
        # 0: all caught, 2: some missed, 3: some ran out of time; all else is no result.
        if ended.returncode not in (0, 2, 3):
            sys.exit(f"cargo mutants ended with {ended.returncode}")
        results = json.loads((out / "mutants.out/outcomes.json").read_text())["outcomes"]
        for result in results:
            if result["scenario"] == "Baseline":
                continue
            name = result["scenario"]["Mutant"]["name"]
            summary = result["summary"]
            fate[name] = {
                "CaughtMutant": judge_name,
                "Timeout": judge_name,
                "Unviable": "unviable",
            }.get(summary, "survived")
        left = [name for name in left if fate.get(name, "survived") == "survived"]
    return fate


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=400)
    parser.add_argument("--dir", type=pathlib.Path, default=pathlib.Path("/tmp/oar-mutants"))
    parser.add_argument("--rev", default="HEAD")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    options = parser.parse_args()
    directory = options.dir.resolve()
    commit = clone(directory, options.rev)
    mutants = every_mutant(directory)
    if options.only:
        texts = options.only
        names = [name for _, name in mutants if any(text in name for text in texts)]
    else:
        names = sample(mutants, options.seed, options.size)
    if not names:
        sys.exit("no mutant has such a name")
    fate = judge(directory, names)
    missing = [name for name in names if name not in fate]
    if missing:
        sys.exit(f"{len(missing)} mutants were never judged, such as {missing[0]}")
    counts = Counter(fate.values())
    viable = len(names) - counts["unviable"]
    caught = sum(counts[stage] for stage, _, _ in STAGES)
    print(f"commit {commit}, seed {options.seed}" + (", chosen by name" if options.only else ""))
    print(f"{len(mutants)} mutants in all, {len(names)} tried, {viable} viable")
    for stage, _, _ in STAGES:
        print(f"  caught by the {stage}: {counts[stage]} ({counts[stage] / max(viable, 1):.1%})")
    print(f"  survived: {counts['survived']}")
    print(f"caught: {caught} of {viable}, {caught / max(viable, 1):.1%}")
    for name in names:
        if fate[name] == "survived":
            print(f"survived: {name}")


if __name__ == "__main__":
    main()
