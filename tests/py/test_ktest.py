# SPDX-License-Identifier: MIT
"""ktest on suites that misbehave (selftest/broken.c): each must get the verdict it deserves."""
import pathlib
import re
import subprocess
import time

import kmatrix
import ktap
import pytest

TESTS = pathlib.Path(__file__).parent.parent
SOURCES = ["check", "case", "proc", "run", "main", "fail"]

# case: what the result line says after '#', and what its log shows
VERDICTS = {
    "broken.expect": ("", "EXPECT_EQ(1 + 1, 3) failed: 1 + 1 = 2, 3 = 3\nwent on"),
    "broken.assert": ("", "ASSERT_EQ(1 + 1, 3) failed: 1 + 1 = 2, 3 = 3\nreproduce"),
    "broken.segv": ("ERROR killed by SIGSEGV", ""),
    "broken.aborts": ("ERROR killed by SIGABRT", ""),
    "broken.exits_0": ("ERROR ended early with exit status 0", ""),
    "broken.exits_0_hard": ("ERROR ended early with exit status 0", ""),
    "broken.exits_3": ("ERROR exit status 3", ""),
    "broken.skip_after_failure": ("", "EXPECT_TRUE(false) failed"),
    "broken.fakes_results": ("", "ok 1 broken"),
    "broken.hangs": ("TIMEOUT 1 s", ""),
    "broken.hangs_deaf": ("TIMEOUT 1 s", ""),
    "broken.spins": ("TIMEOUT 1 s", ""),
    "broken.leaves_child": ("ERROR left processes behind", ""),
    "broken.leaves_daemon": ("ERROR left processes behind", ""),
    "broken.hangs_with_child": ("TIMEOUT 1 s", ""),
    "broken.expect_in_thread": ("", "EXPECT_TRUE(false) failed"),
    "broken.assert_in_thread": ("", "ASSERT_TRUE(false) failed"),
    "broken.closes_outputs": ("", ""),
    "broken.closes_everything": ("", ""),
    "broken.leaks_fd": ("", "(/dev/null)"),
    "broken.leaks_objects": ("", "leaks objects: 0 before, 2 after"),
    "broken.defers_too_much": ("", "more than 64 deferred calls"),
    "broken.survives": ("", "not SIGABRT but exit status 0"),
    "broken.dies_otherwise": ("", "not SIGABRT but killed by SIGTERM"),
    "broken.dies_in_silence": ("", '"last words" was not printed'),
    "broken.exits_instead": ("", "not SIGABRT but exit status 6"),
    "broken.fails_before_death": ("", ""),
    "broken.prints_a_lot": ("", "line 99999"),
    "broken.param[bad]": ("", "EXPECT_TRUE(param->good) failed"),
    "broken.inject_leak": ("", "calloc failing (call 2): +1 blocks or bytes are left over"),
    "broken.inject_lie": ("", "malloc failing (call 1): returned 1"),
    "broken.inject_crash": ("", "call 1 failing: killed by SIGSEGV"),
    "broken.inject_none": ("", "returned -5 although no call failed"),
    "exit_crashes.good": ("ERROR killed by SIGABRT", ""),
    "init_crashes.good": ("ERROR killed by SIGSEGV", ""),
    "init_fails.good": ("", "init of suite init_fails returned -1"),
}
PASSING = {"broken.good", "broken.param[good]", "broken.param[also good]"}
OTHERS = {"broken.fails_sometimes", "runner.before", "runner.kills_it", "runner.after"}


def build(directory, *sources, cflags=()):
    """Compile a test program without the library."""
    calls = re.search(r"ktest-fail-calls := ((?:.*\\\n)*.*)", (TESTS / "Makefile").read_text())[1]
    wrap = [f"-Wl,--wrap={call}" for call in calls.replace("\\\n", " ").split()]
    program = directory / "program.ktest"
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread",
                    f"-I{TESTS / 'ktest'}", *cflags, *wrap, "-o", program, *sources,
                    *(TESTS / "ktest" / f"{name}.c" for name in SOURCES)], check=True)
    return program


def run(*args, **kwargs):
    return subprocess.run([str(arg) for arg in args], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, errors="replace", timeout=100, **kwargs)


def cases_of(result):
    return ktap.case_names(ktap.parse(result.stdout))


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    return build(tmp_path_factory.mktemp("broken"), TESTS / "selftest" / "broken.c")


@pytest.fixture(scope="module")
def report(broken):
    names = [name for name in sorted(VERDICTS) + sorted(PASSING)]
    start = time.monotonic()
    result = run(broken, *(arg for name in names for arg in ("--run", name)))
    assert time.monotonic() - start < 60
    return result


def test_list_is_complete(broken):
    result = run(broken, "--list")
    assert result.returncode == 0
    assert set(result.stdout.splitlines()) == set(VERDICTS) | PASSING | OTHERS


@pytest.mark.parametrize("name", sorted(VERDICTS))
def test_verdict(report, name):
    directive, log = VERDICTS[name]
    test = cases_of(report)[name]
    assert test.status == "fail"
    assert f"{test.directive} {test.reason}".strip() == directive
    assert log in re.sub(r"(?m)^\S+:\d+: ", "", "\n".join(test.log))


@pytest.mark.parametrize("name", sorted(PASSING))
def test_neighbours_pass(report, name):
    assert cases_of(report)[name].status == "pass"


def test_report_is_well_formed(report):
    root = ktap.parse(report.stdout)
    assert report.returncode == 1
    assert not list(root.all_errors())
    assert set(ktap.case_names(root)) == set(VERDICTS) | PASSING


def test_no_process_survives(report, broken):
    """What hung, forked or became a daemon is gone with the program."""
    mine = [pid for pid in pathlib.Path("/proc").iterdir() if pid.name.isdigit()
            and exe_of(pid) == str(broken)]
    assert report.returncode == 1 and not mine


def exe_of(pid):
    try:
        return str((pid / "exe").readlink())
    except OSError:
        return None


def test_stdout_closed(broken):
    """With nowhere to report to, the exit status still tells."""
    result = subprocess.run([broken, "--run", "broken.good"], preexec_fn=lambda: __import__("os").close(1),
                            stderr=subprocess.PIPE, timeout=60)
    assert result.returncode == 2


def test_seed_reproduces(broken):
    def failing(seed):
        return run(broken, "--run", "broken.fails_sometimes", "--seed", seed).returncode
    seeds = [failing(seed) for seed in range(40)]
    assert 0 < sum(seeds) < 40
    assert seeds == [failing(seed) for seed in range(40)]


def test_repeat_stops_at_failure_and_names_its_seed(broken):
    result = run(broken, "--run", "broken.fails_sometimes", "--repeat", 1000, "--seed", 5)
    assert result.returncode == 1
    seed = re.search(r"reproduce: \S+ --run 'broken.fails_sometimes' --seed (\d+)", result.stdout)[1]
    assert run(broken, "--run", "broken.fails_sometimes", "--seed", seed).returncode == 1


@pytest.mark.parametrize("glob,expected", [
    ("init_*", {"init_crashes.good", "init_fails.good"}),
    ("broken.param", {"broken.param[good]", "broken.param[bad]", "broken.param[also good]"}),
    ("broken.param[bad]", {"broken.param[bad]"}),
    ("*.exits_0*", {"broken.exits_0", "broken.exits_0_hard"}),
    ("runner", {"runner.before", "runner.kills_it", "runner.after"}),
])
def test_globs(broken, glob, expected):
    assert set(run(broken, "--list", "--run", glob).stdout.splitlines()) == expected


@pytest.mark.parametrize("args", [["--run", "no.such"], ["--nonsense"], ["--repeat", "0"],
                                  ["--timeout-scale", "0"], ["stray"]])
def test_bad_arguments(broken, args):
    result = run(broken, *args)
    assert result.returncode == 2 and result.stderr and not result.stdout


def test_no_fork(broken):
    result = run(broken, "--no-fork", "--run", "broken.good")
    assert result.returncode == 0 and cases_of(result)["broken.good"].status == "pass"
    result = run(broken, "--no-fork", "--run", "broken.expect", "--run", "broken.good")
    assert result.returncode == 1 and cases_of(result)["broken.good"].status == "pass"
    result = run(broken, "--no-fork", "--run", "broken.assert", "--run", "broken.segv")
    assert result.returncode == 1 and "Bail out!" in result.stdout
    assert run(broken, "--no-fork", "--run", "broken.segv").returncode == -11


def test_timeout_scale(broken):
    start = time.monotonic()
    result = run(broken, "--run", "broken.hangs", "--timeout-scale", 2.5)
    assert 2.9 < time.monotonic() - start < 6
    assert cases_of(result)["broken.hangs"].reason == "3 s"


def test_verbose_shows_passing_output(broken, tmp_path):
    program = build(tmp_path, source(tmp_path, 'KTEST_SUITE(s); KTEST(s, c) { ktest_log("hello"); }'))
    assert "hello" not in run(program).stderr
    assert "hello" in run(program, "--verbose").stderr


def source(tmp_path, text):
    path = tmp_path / "source.c"
    path.write_text('#include "ktest.h"\n' + text)
    return path


def test_slow_cases_can_be_left_out(tmp_path):
    program = build(tmp_path, source(
        tmp_path, "KTEST_SUITE(s); KTEST_SLOW(s, slow) { } KTEST(s, quick) { }"))
    cases = cases_of(run(program, "--no-slow"))
    assert (cases["s.slow"].status, cases["s.quick"].status) == ("skip", "pass")
    assert cases_of(run(program))["s.slow"].status == "pass"


def test_two_cases_of_one_name_are_refused(tmp_path):
    array = 'static const struct { const char *desc; } p[] = { { "a" }, { "a" } };'
    program = build(tmp_path, source(
        tmp_path, f"{array} KTEST_SUITE(s); KTEST_PARAM(s, c, p) {{ (void)param; }}"))
    result = run(program)
    assert result.returncode == 2 and "two cases are named s.c[a]" in result.stderr


def test_name_that_would_break_the_report_is_refused(tmp_path):
    array = 'static const struct { const char *desc; } p[] = { { "a # SKIP" } };'
    program = build(tmp_path, source(
        tmp_path, f"{array} KTEST_SUITE(s); KTEST_PARAM(s, c, p) {{ (void)param; }}"))
    assert run(program).returncode == 2


def test_order_is_that_of_the_source(broken):
    names = run(broken, "--list", "--run", "broken").stdout.split("\n")
    assert names.index("broken.good") < names.index("broken.expect") < names.index("broken.segv")


def test_gc_sections_keep_cases(tmp_path):
    program = build(tmp_path, TESTS / "selftest" / "broken.c",
                    cflags=["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"])
    assert set(run(program, "--list").stdout.splitlines()) == set(VERDICTS) | PASSING | OTHERS


# The Python side: a program that loses its runner, does not list, or lists nothing.

def native(tmp_path):
    return kmatrix.Entry(name="test", directory=tmp_path)


def test_batch_that_dies_does_not_blame_neighbours(broken, tmp_path):
    program = kmatrix.Program(native(tmp_path), broken)
    names = ["runner.before", "runner.kills_it", "runner.after", "broken.good"]
    results = program.run(names)
    assert results["runner.before"].status == "pass"
    assert results["runner.after"].status == "pass"
    assert results["broken.good"].status == "pass"
    killed = results["runner.kills_it"]
    assert killed.status == "fail" and "no result" in killed.text and "SIGKILL" in killed.text


def test_exit_status_without_failed_case_is_a_problem(tmp_path):
    """As of a tool that wraps the program and found something at its end."""
    script = tmp_path / "wrapped.ktest"
    script.write_text("#!/bin/sh\necho KTAP version 1; echo 1..1\n"
                      "echo '  KTAP version 1'; echo '  1..1'; echo '  ok 1 c'\n"
                      "echo ok 1 s\necho a leak >&2\nexit 99\n")
    script.chmod(0o755)
    program = kmatrix.Program(native(tmp_path), script)
    assert program.run(["s.c"])["s.c"].status == "pass"
    assert len(program.problems) == 1 and "a leak" in program.problems[0]


@pytest.mark.parametrize("body,message", [("exit 3", "exit status 3"), ("exit 0", "lists no cases"),
                                          ("kill -9 $$", "SIGKILL"), ("echo a b c", "a b c")])
def test_listing_fails_loudly(tmp_path, body, message):
    script = tmp_path / "lister.ktest"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    with pytest.raises(kmatrix.MatrixError, match=re.escape(message)):
        kmatrix.Program(native(tmp_path), script).list()


def test_program_that_hangs_as_a_whole(tmp_path):
    script = tmp_path / "hangs.ktest"
    script.write_text("#!/bin/sh\necho KTAP version 1\nsleep 1000\n")
    script.chmod(0o755)
    program = kmatrix.Program(native(tmp_path), script)
    program.limit = 0.5
    result = program.run(["s.c"])["s.c"]
    assert result.status == "fail" and "still running after" in result.text
