#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""lint.py [TREE]: the rules of the house that a program can check."""
import glob
import os
import re
import subprocess
import sys

import checklayer

LIBRARY = ("arch", "core", "stack", "reclaim", "sched", "backends")
# Formats that have no comments, and texts that are read by people as they are.
NO_SPDX = (".md", ".json", ".ktap", ".txt", "LICENSES/MIT", "_defconfig")


def tracked(tree):
    """Paths under version control, or all files of an unpacked release."""
    git = subprocess.run(["git", "-C", tree, "ls-files", "-co", "--exclude-standard"],
                         capture_output=True, text=True, check=False)
    if git.returncode == 0:
        return [p for p in git.stdout.splitlines() if os.path.isfile(os.path.join(tree, p))]
    return [os.path.relpath(os.path.join(where, name), tree)
            for where, _, names in os.walk(tree) for name in names]


def read(tree, path):
    with open(os.path.join(tree, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def check_spdx(tree, paths):
    for path in paths:
        if not path.endswith(NO_SPDX):
            head = read(tree, path).split("\n")[:2]
            if not any("SPDX-License-Identifier: MIT" in line for line in head):
                yield f"{path}:1: no SPDX-License-Identifier line"


def check_text(tree, paths):
    """Columns, trailing blanks, and words that promise instead of doing."""
    for path in paths:
        if not path.endswith((".c", ".cc", ".h", ".S", ".py", ".sh", "Makefile", "Kconfig")):
            continue
        for number, line in enumerate(read(tree, path).split("\n"), 1):
            if len(line.expandtabs(8)) > 100 and path.endswith((".c", ".cc", ".h", ".S")):
                yield f"{path}:{number}: longer than 100 columns"
            if line != line.rstrip():
                yield f"{path}:{number}: blanks at the end of the line"
            # In tests the word is a KTAP directive.
            if re.search(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b", line) and not path.startswith("tests/"):
                yield f"{path}:{number}: unfinished business"


def check_conditionals(tree, paths):
    """Configuration picks whole functions and stubs; inside core's functions IS_ENABLED() does."""
    for path in paths:
        if not path.endswith((".c", ".h", ".S")):
            continue
        body = False
        for number, line in enumerate(read(tree, path).split("\n"), 1):
            if line.startswith(("{", "}")):
                body = line.startswith("{")
            if body and path.startswith("core/") and re.match(r"\s*#\s*(el)?if.*\bCONFIG_", line):
                yield f"{path}:{number}: #if CONFIG_ in a function; use IS_ENABLED() or a stub"
            if re.search(r"CONFIG_\w*\s*##|##\s*(KC_)?CONFIG_", line):
                yield f"{path}:{number}: a pasted CONFIG_ name is invisible to the dependencies"


def check_basenames(paths):
    """Two members of an archive must not share a name."""
    seen = {}
    for path in paths:
        top = path.split("/")[0]
        if top in LIBRARY and path.endswith((".c", ".S")):
            # Ports exclude each other, so each may have its own switch.S.
            key = os.path.splitext(os.path.basename(path))[0]
            other = seen.setdefault(key, path)
            if other != path and not (top == "arch" and other.startswith("arch/")):
                yield f"{path}:1: same object name as {other}"


def check_kconfig(tree, paths):
    """Each symbol has help and is used; each choice has a name; select only what has no prompt."""
    for name, value in {"srctree": tree, "ARCH": "x86_64", "SRCARCH": "x86_64", "CC": "cc",
                        "CC_VERSION_TEXT": "", "KC_VERSION": "0",
                        "EXTERNAL_KCONFIG": "scripts/Kconfig.none"}.items():
        os.environ.setdefault(name, value)
    import kconfiglib
    kconf = kconfiglib.Kconfig("Kconfig", warn_to_stderr=False)
    yield from (f"Kconfig: {warning}" for warning in kconf.warnings)
    users = set()
    for path in paths:
        if path.endswith((".c", ".cc", ".h", ".S")) or os.path.basename(path).startswith("Makefile"):
            users.update(re.findall(r"(?:CONFIG_|include/config/)(\w+)", read(tree, path)))
    for sym in kconf.unique_defined_syms:
        # What other symbols say about this one, its own choice and menu apart.
        users.update(item.name for node in sym.nodes for item in node.referenced
                     if isinstance(item, kconfiglib.Symbol) and item is not sym)
    for sym in kconf.unique_defined_syms:
        where = f"{sym.nodes[0].filename}:{sym.nodes[0].linenr}: {sym.name}"
        if not any(node.help for node in sym.nodes):
            yield f"{where}: no help"
        if sym.name not in users and not sym.choice and not sym.selects:
            yield f"{where}: used nowhere"
        for target, _ in sym.selects:
            if any(node.prompt for node in target.nodes):
                yield f"{where}: selects {target.name}, which has a prompt; use depends on"
    for choice in kconf.unique_choices:
        if not choice.name:
            yield f"{choice.nodes[0].filename}:{choice.nodes[0].linenr}: choice without a name"


def check_maintainers(tree):
    for number, line in enumerate(read(tree, "MAINTAINERS").split("\n"), 1):
        if line.startswith("F:"):
            pattern = line[2:].strip()
            if not glob.glob(os.path.join(tree, pattern)):
                yield f"MAINTAINERS:{number}: nothing matches {pattern}"


def main(tree):
    tree = os.path.abspath(tree)
    paths = tracked(tree)
    problems = [*check_spdx(tree, paths), *check_text(tree, paths), *checklayer.check(tree),
                *check_conditionals(tree, paths), *check_basenames(paths),
                *check_kconfig(tree, paths), *check_maintainers(tree)]
    for problem in problems:
        print(problem)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
