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


def primes(count):
    found = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found if prime * prime <= number):
            found.append(number)
        number += 1
    return found


def test_sieve_prints_the_first_2000_primes():
    assert list(map(int, output("sieve").split())) == primes(2000)


@pytest.mark.parametrize("count", [1, 15, 31])
def test_sieve_takes_a_count(count):
    assert list(map(int, output("sieve", str(count)).split())) == primes(count)


def test_stages():
    assert "166666666666500000 (right)" in output("stages")


def test_fan_out_and_in():
    text = output("fan")
    batches = [int(n) for n in re.findall(r"worker \d: (\d+) batches", text)]
    assert len(batches) == 8 and sum(batches) == 100 and min(batches) > 0
    assert "77031 takes longest: 350 steps" in text


def test_goc_serves_all_jobs():
    text = output("goc")
    served = re.findall(r"w(\d) served (\d+)", text)
    assert sorted(who for who, _ in served) == list("1234")
    assert sum(int(n) for _, n in served) == 20
    assert "20 jobs served by 4 workers: Success" in text


TICKS = [(1, 20), (2, 40), (3, 60), (4, 80), (7, 150), (8, 160), (9, 180)]


def ticks(*args):
    text = output("ticker", *args)
    assert text.splitlines()[-1] == "stopped"
    return [(int(n), int(ms)) for n, ms in re.findall(r"tick (\d+) at (\d+) ms", text)]


def test_ticker_is_exact_by_a_virtual_clock():
    assert ticks("virtual") == TICKS


def test_ticker_never_ticks_early():
    heard = ticks()
    assert all(ms >= 20 * n for n, ms in heard)
    assert [n for n, _ in heard] == sorted({n for n, _ in heard})


def test_ratelimit():
    text = output("ratelimit")
    served = [int(ms) for ms in re.findall(r"(\d+) ms: request \d+ served", text)]
    refused = [int(ms) for ms in re.findall(r"(\d+) ms: request \d+ Connection timed out", text)]
    assert len(served) + len(refused) == 24
    assert all(ms % 2000 == 250 for ms in refused)
    # a bucket of 3 and one every 100 ms: no more than that in any span
    assert all(sum(a <= ms <= b for ms in served) <= 4 + (b - a) // 100
               for a in served for b in served if a <= b)


def test_philosophers_deadlock_is_explained():
    done = run("samples/philosophers")
    assert done.returncode == 0 and done.stderr == ""
    assert "The polite ones had 15 meals." in done.stdout
    names = ["Socrates", "Plato", "Aristotle", "Epicurus", "Zeno"]
    found = re.findall(r"(\d+) '(\w+)' PARKED, .* waits for mutex \S+ held by (\d+)", done.stdout)
    assert [name for _, name, _ in found] == names
    ids = [number for number, _, _ in found]
    assert [holder for _, _, holder in found] == ids[1:] + ids[:1]
    assert "The naive ones: Resource deadlock avoided." in done.stdout


def test_gc_finds_roots_on_parked_stacks():
    text = output("gc")
    assert re.findall(r"tree of worker \d: (\d+)", text) == ["511"] * 6
    assert "waited: 2047 cells" in text
    free = int(re.search(r"Collected several times, (\d+) of 20000", text)[1])
    # conservative: something stale may keep a tree or two
    assert free > 20000 - 3 * 2047


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
