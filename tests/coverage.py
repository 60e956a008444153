#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Line coverage of the library over several configurations: `make coverage`.

Builds the entries of tier "coverage" in matrix.toml, runs their tests, merges what lcov finds
and writes build/coverage/index.html. A line counts as covered if one configuration runs it.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import kmatrix

PARTS = ("arch", "core", "stack", "reclaim", "sched", "backends", "include")


def lcov(*args):
    """Run lcov; branch coverage is switched on under its name of version 1 or 2."""
    version = subprocess.run(["lcov", "--version"], capture_output=True, text=True, check=True)
    old = re.search(r"version 1\.", version.stdout)
    switch = "lcov_branch_coverage=1" if old else "branch_coverage=1"
    tool("lcov", "--quiet", "--rc", switch, *args)


def tool(*command):
    """Run a command that is silent unless it fails; lcov prints warnings about its own code."""
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    if result.returncode:
        raise kmatrix.MatrixError(f"{command[0]} failed\n{kmatrix.tail(result.stderr)}")


def measure(entry):
    """Build and run one entry; returns its tracefile and what failed."""
    watch = kmatrix.Stopwatch()
    for stale in entry.directory.rglob("*.gcda"):
        stale.unlink()
    entry.build()
    failures = []
    for program in entry.programs():
        outcomes = program.run(program.list())
        failures += [f"{entry.name}::{name}\n{outcome.text}"
                     for name, outcome in outcomes.items() if outcome.status == "fail"]
    trace, unrun, run = (entry.directory / f"{name}.info" for name in ("coverage", "unrun", "run"))
    capture = ["--capture", "--directory", entry.directory, "--base-directory", kmatrix.ROOT,
               "--test-name", re.sub(r"\W", "_", entry.name), "--output-file"]
    lcov(*capture, unrun, "--initial")          # so that code which never ran counts, as zero
    lcov(*capture, run)
    lcov("--add-tracefile", unrun, "--add-tracefile", run, "--output-file", trace)
    lcov("--extract", trace, *(kmatrix.ROOT / part / "*" for part in PARTS),
         "--output-file", trace)
    print(f"  {entry.name:<16} {watch}", flush=True)
    return trace, failures


def table(trace):
    """Lines and functions per directory. A file has one record per configuration in the trace."""
    hits = {"DA": {}, "FNDA": {}}
    for line in trace.read_text().splitlines():
        kind, _, value = line.partition(":")
        if kind == "SF":
            path = str(pathlib.Path(value).relative_to(kmatrix.ROOT))
        elif kind in hits:
            one, two = value.split(",")[:2]
            key, count = (one, two) if kind == "DA" else (two, one)
            hits[kind][path, key] = max(hits[kind].get((path, key), 0), int(count))
    counts = collections.defaultdict(lambda: [0, 0, 0, 0])
    for column, kind in ((0, "DA"), (2, "FNDA")):
        for (path, _), count in hits[kind].items():
            for name in (os.path.dirname(path), "all"):
                counts[name][column] += count > 0
                counts[name][column + 1] += 1
    total = counts.pop("all", [0, 0, 0, 0])
    yield f"{'directory':<28} {'lines':>14} {'':>7} {'functions':>12} {'':>7}"
    for name, (lines, of, functions, of_functions) in [*sorted(counts.items()), ("all", total)]:
        yield (f"{name:<28} {lines:>6} of {of:>4} {percent(lines, of):>7}"
               f" {functions:>4} of {of_functions:>4} {percent(functions, of_functions):>7}")


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def main():
    output = kmatrix.build_root() / "coverage"
    output.mkdir(parents=True, exist_ok=True)
    entries = kmatrix.load(tiers=("coverage",))
    print(f"measuring {len(entries)} configurations", flush=True)
    with concurrent.futures.ThreadPoolExecutor(kmatrix.WORKERS) as pool:
        results = list(pool.map(measure, entries))
    merged = output / "coverage.info"
    lcov(*(arg for trace, _ in results for arg in ("--add-tracefile", trace)),
         "--output-file", merged)
    tool("genhtml", "--quiet", "--branch-coverage", "--prefix", kmatrix.ROOT, "--show-details",
         "--title", "kcoro", "--output-directory", output, merged)
    print("\n".join(table(merged)))
    print(f"report: {output}/index.html")
    failures = [failure for _, found in results for failure in found]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (kmatrix.MatrixError, subprocess.CalledProcessError) as error:
        sys.exit(f"coverage: {error}")
