# SPDX-License-Identifier: MIT
"""bench/kcbench: its command line and its output; the figures themselves are not judged here."""
import json

import buildlib
from buildlib import Build
from programs import run

BARE = {"switch": "ns", "resume": "ns", "resume-call": "ns", "switch-1000": "ns",
        "resume-1000": "ns", "resume-call-1000": "ns",
        "create": "ns", "create-warm": "ns", "memory": "bytes", "memory-pagetables": "bytes"}
RUNTIME = ("yield2 yield2-call yield1000 yield1000-call spawn1 spawn-join spawn100k spawn100k-cold "
           "chan0 chan0s chan128 mpmc mpmc0 sieve chan0-call chan0s-call chan128-call mpmc-call "
           "mpmc0-call sieve-call select8 mutex cond mutex-call cond-call "
           "sleep1m timer-add timer-cancel timer-fire").split()
WORKLOADS = {**BARE, **{name: "ms" if name.startswith("sieve") else "ns" for name in RUNTIME}}
FIELDS = {"workload", "who", "unit", "median", "min", "max", "runs"}


def results(*args):
    done = run("bench/kcbench", "--json", *args)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done


def test_list_names_every_workload():
    done = run("bench/kcbench", "--list")
    assert done.returncode == 0
    assert {line.split()[0] for line in done.stdout.splitlines()} == set(WORKLOADS)


def test_json_is_one_object_a_line():
    lines, done = results("--runs", "2", "--count", "1000", *WORKLOADS)
    assert [line["workload"] for line in lines] == list(WORKLOADS)
    for line in lines:
        assert set(line) == FIELDS
        assert line["who"] == "kcoro"
        assert line["unit"] == WORKLOADS[line["workload"]]
        assert line["runs"] == 2
        assert line["min"] <= line["median"] <= line["max"]
        if line["unit"] != "bytes":
            assert line["min"] > 0
    assert done.stderr == ""


def test_peers_have_a_version_or_are_named_as_missing():
    lines, done = results("--runs", "1", "--count", "20000", "--peers", "switch")
    peers = {line["who"] for line in lines} - {"kcoro"}
    assert lines[0]["who"] == "kcoro"
    assert all(any(c.isdigit() for c in who) for who in peers)
    missing = [line for line in done.stderr.splitlines() if "not built" in line]
    # Boost.Fiber has a scheduler and no bare switch
    assert len(peers) + len(missing) - sum("peer fiber" in line for line in missing) == 4
    assert all("missing" in line for line in missing)


def test_peers_of_the_runtime():
    lines, done = results("--runs", "1", "--count", "1000", "--peers", *RUNTIME)
    built = {line["who"].split()[0] for line in lines}
    for name in RUNTIME:
        who = {line["who"].split()[0] for line in lines if line["workload"] == name}
        absent = {"State", "boost.fiber"} if name.startswith(("select", "timer")) else set()
        assert who == built - absent, name
    assert "no figure" not in done.stderr


def test_notes_tell_what_a_peer_does_else():
    done = run("bench/kcbench", "--runs", "1", "--count", "1000", "--peers", "chan0", "spawn100k")
    for line in done.stdout.splitlines():
        if "State Threads" in line:
            assert ("one slot made of conditions" in line) == ("chan0" in title)
        elif line and line[0] != " ":
            title = line


def test_a_build_without_a_runtime_measures_the_rest(tmp_path):
    build = Build(tmp_path)
    build.make("tinyconfig", "bench")
    names = buildlib.run(tmp_path / "bench/kcbench", "--list")
    assert [line.split()[0] for line in names.splitlines()] == list(BARE)


def test_table_shows_ratio_to_peers():
    done = run("bench/kcbench", "--runs", "1", "--count", "20000", "--peers", "switch")
    assert done.returncode == 0
    assert "kcoro is" in done.stdout and "ucontext" in done.stdout


def test_unknown_workload_lists_the_known():
    done = run("bench/kcbench", "switch", "swich")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "swich" in done.stderr
    assert all(name in done.stderr for name in WORKLOADS)


def test_bad_numbers_are_refused():
    for args in (["--runs", "0"], ["--runs", "x"], ["--runs", "100"], ["--count", "-1"], ["--what"]):
        assert run("bench/kcbench", *args, "switch").returncode == 2


def test_stack_size_is_the_users():
    """A large stack is reserved, not resident; a stack below the minimum is an error."""
    lines, _ = results("--runs", "1", "--count", "2000", "--stack", "1048576", "memory")
    assert lines[0]["median"] < 3 * 4096
    done = run("bench/kcbench", "--runs", "1", "--count", "10", "--stack", "64", "memory")
    assert done.returncode == 1
    assert "memory" in done.stderr
