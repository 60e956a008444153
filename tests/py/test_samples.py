# SPDX-License-Identifier: MIT
"""Each sample does what it shows."""
import re

import pytest
from buildlib import Build
from kmatrix import WORKERS
from programs import run


def output(name, *args):
    done = run(f"samples/{name}", *args)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_hello_takes_turns():
    text = output("hello")
    assert re.findall(r"(one|two): (\d)", text) == [(w, n) for n in "123" for w in ("one", "two")]
    assert "FINISHED" in text


def test_generator():
    text = output("generator")
    assert "0 1 1 2 3 5 8 13 21 34 55 89 144 233 377" in text
    assert sorted(re.search(r"Permutations: (.*)", text)[1].split()) == \
        ["abc", "acb", "bac", "bca", "cab", "cba"]
    assert "362880 permutations" in text


def test_samefringe():
    text = output("samefringe")
    assert "the same fringe, 100000 leaves" in text
    assert "different, 0 leaves" in text


def test_parser_answers_while_it_is_fed():
    assert re.findall(r"= (\d+)", output("parser")) == ["6", "308", "146"]


def test_pipeline():
    assert "166666666666500000 (right)" in output("pipeline")


def test_million_takes_a_count():
    text = output("million", "2000")
    assert "2000 coroutines created and parked, guard: " in text
    assert "2000 woken" in text


def test_overflow_names_the_coroutine():
    done = run("samples/overflow")
    assert done.returncode == 0
    assert "bottomless" in done.stderr and "innocent" not in done.stderr
    assert "ended by signal" in done.stdout


def test_backtrace_ends_at_the_entry():
    text = output("backtrace")
    frames = [line for line in text.splitlines() if "[0x" in line]
    names = [re.search(r"\((\w*)", f)[1] for f in frames]
    assert names[:3] == ["inner", "outer", "body"]
    assert len(names) <= 6
    assert "main" not in names


def test_embed_needs_no_allocation():
    text = output("embed")
    assert "red    ###.###." in text and "green  #..#..#" in text


def test_porters_programs():
    assert "hello, world" in output("porting/helloworld")
    assert "this port works" in output("porting/verify")
    assert "FAIL" not in output("porting/verify")
    assert "grows down" in output("porting/stackdir")
    assert "struct kc_ctx" in output("porting/regs")
    assert "port that fits" in output("porting/porting")


@pytest.mark.parametrize("arch", ["arm64", "riscv"])
def test_verify_on_other_machines(arch, tmp_path):
    """`make verify` runs all samples; of the tests one program, for the matrix runs the others."""
    build = Build(tmp_path / "b")
    text = build.make(f"ARCH={arch}", "defconfig", "verify", "PROGS=arch.ktest", f"-j{WORKERS}")
    assert f"all of it works on {arch}" in text
    assert text.count(" works\n") > 12 and "tests/arch.ktest           works" in text, text
