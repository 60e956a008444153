#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""size.py size|size-baseline|size-diff LIBRARY: what the library costs.

size prints text, data and bss of each object and the lines of source behind them.
size-baseline remembers the size of each function and variable, size-diff compares with that.
BASELINE names the file, size.baseline in the build directory by default.
"""
import json
import os
import sys

import kelf

BASELINE = os.environ.get("BASELINE", "size.baseline")
SRCTREE = os.environ.get("srctree", ".")
SOURCE_DIRS = ("arch", "core", "stack", "reclaim", "sched", "backends", "include")


def print_sizes(objects):
    print(f"{'text':>8} {'data':>8} {'bss':>8}  object")
    total = [0, 0, 0]
    for name, elf in objects:
        size = elf.size()
        total = [a + b for a, b in zip(total, size)]
        print("{:8} {:8} {:8}  {}".format(*size, name))
    print("{:8} {:8} {:8}  total".format(*total))


def print_lines():
    print(f"\n{'files':>8} {'lines':>8}  source")
    for top in SOURCE_DIRS:
        files = [os.path.join(where, name)
                 for where, _, names in os.walk(os.path.join(SRCTREE, top))
                 for name in names
                 if name.endswith((".c", ".h", ".S")) and "generated" not in where]
        lines = 0
        for path in files:
            with open(path, "rb") as file:
                lines += file.read().count(b"\n")
        print(f"{len(files):8} {lines:8}  {top}/")


def symbol_sizes(objects):
    sizes = {}
    for object_name, elf in objects:
        for name, size in elf.symbols():
            if name.startswith(".L"):
                continue  # clang names its string literals
            # Static functions of two objects may share a name.
            key = name if name not in sizes else f"{object_name}:{name}"
            sizes[key] = sizes.get(key, 0) + size
    return sizes


def print_diff(old, new):
    rows = sorted(((new.get(name, 0) - old.get(name, 0), name) for name in old.keys() | new.keys()),
                  key=lambda row: (-abs(row[0]), row[1]))
    print(f"{'old':>8} {'new':>8} {'delta':>8}  symbol")
    for delta, name in rows:
        if delta:
            print(f"{old.get(name, '-'):>8} {new.get(name, '-'):>8} {delta:+8}  {name}")
    print(f"{sum(old.values()):8} {sum(new.values()):8} "
          f"{sum(new.values()) - sum(old.values()):+8}  total")


def main(mode, library):
    objects = kelf.open_all(library)
    if mode == "size":
        print_sizes(objects)
        print_lines()
    elif mode == "size-baseline":
        with open(BASELINE, "w", encoding="utf-8") as file:
            json.dump(symbol_sizes(objects), file, indent=0, sort_keys=True)
        print(f"  sizes saved to {BASELINE}")
    else:
        if not os.path.exists(BASELINE):
            return f"size-diff: no {BASELINE}; make size-baseline saves one"
        with open(BASELINE, encoding="utf-8") as file:
            print_diff(json.load(file), symbol_sizes(objects))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
