# SPDX-License-Identifier: MIT
"""scripts/kcoro-gdb.py shows coroutines that do not run."""
import programs
from buildlib import TREE, run


def test_backtrace_of_a_suspended_coroutine():
    program = programs.built().directory / "samples/hello"
    out = run("gdb", "-batch", "-nx", "-x", TREE / "scripts/kcoro-gdb.py", "-ex", "break hello.c:26",
              "-ex", "run", "-ex", "kc-bt a", "-ex", "kc-info a", "-ex", "kc-info", "-ex", "bt",
              program, ok=None)
    suspended, running = out.split("coroutine 2 ")
    frames = suspended[suspended.index("#0"):].strip().split("\n")
    assert "count (" in "".join(frames) and "kc_arch_entry" in frames[-1], out
    assert "SUSPENDED, stack 0x" in running
    assert "coroutine 1 'main' RUNNING" in running
    assert "main () at" in running, "registers are put back"
