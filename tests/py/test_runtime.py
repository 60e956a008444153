# SPDX-License-Identifier: MIT
"""What the system sees of a runtime: its processor time, its system calls, its threads."""
import os
import re
import shutil
import subprocess
import time

import kmatrix
import pytest
from programs import built

SECONDS = 2


@pytest.fixture(scope="module")
def sleeper():
    """A program in which one coroutine sleeps and two others wait."""
    entry = built()
    entry.build(kmatrix.WORKERS, ("tests", "PROGS=runtime/sleeper"))
    return str(entry.directory / "tests/runtime/sleeper")


def start(*command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def test_idle_uses_no_cpu(sleeper):
    begin = time.monotonic()
    process = start(sleeper, str(SECONDS * 1000))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert time.monotonic() - begin >= SECONDS
    # Loading the program is in it as well; one that spun would have used two seconds.
    assert usage.ru_utime + usage.ru_stime < 0.1
    assert usage.ru_nvcsw < 50, "it was woken again and again"


def traced(tmp_path, sleeper, milliseconds):
    """The system calls of all its threads between begin and end of the sleep."""
    log = tmp_path / "trace"
    done = subprocess.run(["strace", "-f", "-qq", "-o", str(log), sleeper, str(milliseconds)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode and re.search(r"ptrace|PTRACE|Operation not permitted", done.stderr):
        pytest.skip(f"strace may not trace here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    calls = re.findall(r"^\d+ +(\w+\(.*)$", log.read_text(), re.M)
    marks = [number for number, call in enumerate(calls) if call.startswith('write(1, "", 0)')]
    assert len(marks) == 2, calls
    return calls[marks[0] + 1:marks[1]], calls


def test_idle_makes_one_system_call(tmp_path, sleeper):
    """It sleeps once, until the first deadline, however far that is."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    between, _ = traced(tmp_path, sleeper, SECONDS * 1000)
    assert len(between) == 1, between
    assert re.match(r"(clock_)?nanosleep", between[0]), between
    # A time of less than a millisecond is a sleep as well, not a loop.
    between, _ = traced(tmp_path, sleeper, 0)
    assert len(between) <= 1, between


def test_no_threads(tmp_path, sleeper):
    process = start(sleeper, str(SECONDS * 1000))
    try:
        time.sleep(SECONDS / 2)
        assert os.listdir(f"/proc/{process.pid}/task") == [str(process.pid)]
    finally:
        assert process.wait(60) == 0
    if shutil.which("strace"):
        _, calls = traced(tmp_path, sleeper, 10)
        assert not [call for call in calls if re.match(r"(clone3?|v?fork)\(", call)]


def test_wall_clock_is_not_asked(sleeper):
    """Deadlines are of the monotonic clock: nothing in the library reads the time of day."""
    library = os.path.join(os.path.dirname(sleeper), "../../libkcoro.a")
    names = subprocess.run(["nm", "--undefined-only", library], capture_output=True, text=True,
                           check=True).stdout.split()
    assert "clock_gettime" in names
    assert not {"time", "gettimeofday", "ftime", "timespec_get"} & set(names)


# --- what the compiler made of it ------------------------------------------------------------------

ATOMIC = re.compile(r"\block\b|\bxchg\b.*\(|\bmfence\b")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="reads x86-64 instructions")
@pytest.mark.parametrize("member", ["n1.o", "wait.o", "chan.o", "select.o", "timer.o", "loop.o"])
def test_no_atomic_instructions(sleeper, member):
    """One thread needs no locks: neither calls nor instructions, in a build without SMP."""
    library = os.path.join(os.path.dirname(sleeper), "../../libkcoro.a")
    text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", library], capture_output=True,
                          text=True, check=True).stdout
    parts = dict(re.findall(r"^(\S+):     file format.*?\n(.*?)(?=^\S+:     file format|\Z)", text,
                            re.M | re.S))
    assert member in parts, sorted(parts)
    body = [line for line in parts[member].splitlines() if re.match(r" +[0-9a-f]+:", line)]
    assert len(body) > 10
    assert not [line for line in body if ATOMIC.search(line)]
    assert "pthread_" not in parts[member]
