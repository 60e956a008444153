# SPDX-License-Identifier: MIT
"""Fifty random configurations build without a warning and pass a smoke test.

The seeds are fixed, so a failure stays until it is mended. KTEST_SEED_BASE=N tries others.
"""
import concurrent.futures
import os
import shlex
import shutil
import subprocess

import kmatrix
import pytest

BASE = int(os.environ.get("KTEST_SEED_BASE", "1"))
SEEDS = range(BASE, BASE + 50)
PINNED = kmatrix.ROOT / "tests" / "qemu.config"


def variables(seed):
    """Most seeds are for this machine and gcc; some for clang and for the other ports."""
    if seed % 10 == 2:
        return ["ARCH=arm64", f"KCONFIG_ALLCONFIG={PINNED}"]
    if seed % 10 == 7:
        return ["ARCH=riscv", f"KCONFIG_ALLCONFIG={PINNED}"]
    return ["LLVM=1"] if seed % 5 == 1 else []


def attempt(seed, directory):
    """Configure, build, run. Returns None or the text of the failure."""
    make = ["make", "-C", str(kmatrix.ROOT), f"O={directory}", *variables(seed)]
    arch = next((var[5:] for var in make if var.startswith("ARCH=")), None)
    steps = [
        [*make, "randconfig", f"KCONFIG_SEED={seed}"],
        [*make, "all", "CFLAGS=-Werror"],
        [*make, "tests", "PROGS=smoke", "CFLAGS=-Werror"],
        [*kmatrix.runner(arch), f"{directory}/tests/smoke"],
    ]
    for step in steps:
        try:
            result = subprocess.run(step, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, errors="replace",
                                    env=kmatrix.clean_environment(), timeout=300)
            rc, out = result.returncode, result.stdout
        except subprocess.TimeoutExpired as error:
            rc, out = 1, f"{error.stdout}\nno end after {error.timeout} s"
        if rc or (step is steps[-1] and "smoke: ok" not in out):
            return (f"seed {seed}: {shlex.join(step)}: {kmatrix.ended(rc)}\n"
                    f"{kmatrix.tail(out)}\n\nto reproduce:\n"
                    + "\n".join(f"  {shlex.join(s)}" for s in steps))
    return None


@pytest.fixture(scope="module")
def attempts():
    """All seeds in the background, several at a time; each test waits for its own."""
    root = kmatrix.build_root() / "randconfig"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    with concurrent.futures.ThreadPoolExecutor(kmatrix.WORKERS) as pool:
        yield {seed: pool.submit(attempt, seed, root / str(seed)) for seed in SEEDS}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_randconfig(attempts, seed):
    failure = attempts[seed].result()
    if failure:
        pytest.fail(failure, pytrace=False)
    shutil.rmtree(kmatrix.build_root() / "randconfig" / str(seed), ignore_errors=True)


def test_seeds_differ():
    """The goal really is random, and reproducible."""
    def config(seed, name):
        directory = kmatrix.build_root() / "randconfig-seed" / name
        subprocess.run(["make", "-C", str(kmatrix.ROOT), f"O={directory}", "randconfig",
                        f"KCONFIG_SEED={seed}"], check=True, stdout=subprocess.DEVNULL,
                       env=kmatrix.clean_environment())
        text = (directory / ".config").read_text()
        shutil.rmtree(directory)
        return text
    assert config(BASE, "a") == config(BASE, "b")
    assert config(BASE, "a") != config(BASE + 1, "c")
