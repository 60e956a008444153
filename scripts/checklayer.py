#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""checklayer.py [TREE]: may this file include that one?

Arrows point down only: core -> the plug-ins' contracts -> helpers -> public headers -> libc.
A plug-in sees its own contract and the helpers, never core's private headers or a sibling.
"""
import os
import re
import sys

# Directory of a plug-in kind -> the contract it implements, in include/internal.
CONTRACTS = {"arch": "arch.h", "sched": "sched.h", "stack": "stack.h",
             "backends": "backend.h", "reclaim": "reclaim.h"}
PUBLIC_ONLY = ("samples", "bench")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def layer(path):
    """include/kcoro and include/internal are layers; else the top directory is."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "include" else parts[0]


def verdict(path, quoted, target):
    """Why the file at path may not include target, or None."""
    home = layer(path)
    if quoted and "../" in target:
        target = os.path.normpath(os.path.join(os.path.dirname(path), target))
        return None if layer(target) == home else f"{home}/ must not see the inside of {layer(target)}/"
    if target.startswith("internal/"):
        contract = target[len("internal/"):]
        if home == "include/kcoro":
            return "a public header must not need internal ones"
        if home in PUBLIC_ONLY:
            return "only public headers are for applications"
        if home in CONTRACTS and contract in CONTRACTS.values() and contract != CONTRACTS[home]:
            return f"a plug-in in {home}/ implements {CONTRACTS[home]}, not {contract}"
        return None
    if target.startswith("kcoro/"):
        return None
    top = target.split("/")[0]
    if not quoted:
        if home == "include/kcoro" and top in ("core", *CONTRACTS):
            return "a public header needs only public headers and libc"
        return None
    if "/" in target and top in ("core", *CONTRACTS) and top != home:
        return f"{home}/ must not see the inside of {top}/"
    return None


def sources(tree):
    for top in ("include", "core", *CONTRACTS, *PUBLIC_ONLY):
        for where, _, names in os.walk(os.path.join(tree, top)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(where, name), tree)
                if name.endswith((".c", ".cc", ".h", ".S")) and "/generated/" not in path:
                    yield path


def check(tree):
    """Yield one message per forbidden include."""
    for path in sources(tree):
        with open(os.path.join(tree, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                match = INCLUDE.match(line)
                reason = match and verdict(path, match[1] == '"', match[2])
                if reason:
                    yield f"{path}:{number}: includes {match[2]}: {reason}"


if __name__ == "__main__":
    problems = list(check(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(bool(problems))
