# SPDX-License-Identifier: MIT
"""The matrix leaves nothing out: every choice, every port, every tool."""
import importlib.util
import os
import re
import shutil

import kconfiglib
import kmatrix
import pytest
from buildlib import TREE, run

ENTRIES = kmatrix.load()
PORTS = {path.parent.name for path in (TREE / "arch").glob("*/Makefile")} - {"generic"}


def entries(*lines, arch=None):
    """Entries whose configuration has all these lines, for a processor (None: this machine's)."""
    return [entry for entry in ENTRIES if set(lines) <= set(entry.config)
            and [word for word in entry.make if word.startswith("ARCH=")] == (
                [f"ARCH={arch}"] if arch else [])]


def host():
    name = os.uname().machine
    return {"aarch64": "arm64", "riscv64": "riscv"}.get(name, name)


def test_sanitizers_are_in_the_matrix():
    def compilers(symbol):
        return {"clang" if "LLVM=1" in entry.make else "gcc" for entry in entries(f"{symbol}=y")}

    assert compilers("ASAN") == compilers("UBSAN") == {"gcc", "clang"}
    assert compilers("TSAN")
    for entry in entries("ASAN=y"):
        assert entry.kind == "asan" and "detect_leaks=1" in entry.env["ASAN_OPTIONS"]
    assert any("use_after_return=1" in entry.env["ASAN_OPTIONS"] for entry in entries("ASAN=y")), \
        "fake stacks are switched, too"
    assert entries("TSAN=y", "SMP=y"), "threads that share"
    assert any(entry.runner and entry.runner[0] == "valgrind" for entry in entries("VALGRIND=y"))
    # A tool that only watches some programs proves nothing of the others.
    assert not any(entry.skip for entry in ENTRIES)


@pytest.fixture(scope="module")
def kconfig():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"srctree": str(TREE), "ARCH": host(), "SRCARCH": host(), "CC": "gcc",
                            "CC_VERSION_TEXT": "", "KC_VERSION": "0",
                            "EXTERNAL_KCONFIG": "scripts/Kconfig.none"}.items():
            patch.setenv(name, value)
        yield kconfiglib.Kconfig(str(TREE / "Kconfig"), warn_to_stderr=False)


def test_every_switch_is_in_the_matrix(kconfig):
    """And every member of every other choice of the library."""
    chosen = {line.partition("=")[0] for entry in ENTRIES for line in entry.config
              if line.endswith("=y")}
    for name in ("tiny.config", "debug_defconfig"):
        chosen |= set(re.findall(r"^CONFIG_(\w+)=y", (TREE / "configs" / name).read_text(), re.M))
    for choice in kconfig.unique_choices:
        # What no entry asks for is covered only if it is the default.
        missing = {sym.name for sym in choice.syms} - chosen
        assert missing <= {choice.selection.name}, choice.name
    ported = {arch: {name for name in ("SWITCH_INLINE", "SWITCH_ASM")
                     if name == "SWITCH_INLINE" or entries(f"{name}=y", arch=arch)}
              for arch in [None, *sorted(PORTS - {"x86_64"})] if entries(arch=arch)}
    assert all(names == {"SWITCH_INLINE", "SWITCH_ASM"} for names in ported.values()), ported
    assert entries("SWITCH_UCONTEXT=y"), "the portable switch runs the same suites"


def test_cross_builds_are_in_the_matrix():
    for arch in PORTS - {"x86_64"}:
        found = entries(arch=arch)
        assert found, arch
        for entry in found:
            assert entry.kind == "qemu" and entry.runner[0].startswith("qemu-"), entry.name
            assert shutil.which(entry.runner[0]), f"scripts/need test installs {entry.runner[0]}"


def test_entries_have_enough_cases():
    """A suite that is lost on the way is noticed."""
    assert all(entry.min_cases >= 30 for entry in ENTRIES)


def test_coverage_target(tmp_path):
    command = run("make", "-n", "coverage", cwd=TREE)
    script = re.search(r"python3\S* (\S+\.py)$", command.strip(), re.M)[1]
    assert "coverage" in run("make", "help", cwd=TREE)
    tier = kmatrix.load(tiers=("coverage",))
    assert len(tier) > 2 and all("COVERAGE=y" in entry.config for entry in tier)

    # The script itself, with one program of one configuration.
    spec = importlib.util.spec_from_file_location("kcoro_coverage", TREE / script)
    coverage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(coverage)
    entry = kmatrix.Entry(name="one", directory=tmp_path / "one", config=["COVERAGE=y"],
                          make=["PROGS=arch.ktest"])
    trace, failures = coverage.measure(entry)
    assert not failures
    table = list(coverage.table(trace))
    core = next(line for line in table if re.match(r"core ", line))
    reached, lines = map(int, re.search(r"(\d+) of +(\d+)", core).groups())
    assert lines > 100 and lines / 10 < reached < lines, table
