# SPDX-License-Identifier: MIT
"""Debuggers and profilers see a coroutine's frames, up to its entry and no further."""
import re
import shutil

import programs
import pytest
from buildlib import TREE, Build, run

BROKEN = re.compile(r"corrupt|\?\?|Backtrace stopped|Cannot access")


# The portable switch enters through libc, whose business the rest is.
@pytest.fixture(scope="module", params=["SWITCH_INLINE", "SWITCH_ASM"])
def hello(request, tmp_path_factory):
    where = tmp_path_factory.mktemp(request.param)
    (where / "switch.config").write_text(f"CONFIG_{request.param}=y\n")
    build = Build(where / "b")
    build.make("defconfig", where / "switch.config")
    build.make("-j2", "samples")
    return build.path / "samples/hello"


def gdb(program, *commands):
    return run("gdb", "-batch", "-nx", "-ex", "set debuginfod enabled off",
               *(word for command in commands for word in ("-ex", command)), program, ok=None)


def backtraces(out):
    """Lists of frames, innermost first; a frame may span lines."""
    found = []
    for line in out.splitlines():
        if line.startswith("#0 "):
            found.append([])
        if found and line.startswith("#"):
            found[-1].append(line)
    return found


def test_gdb_backtrace_stops_at_entry(hello):
    out = gdb(hello, "break count", "run", "bt", "continue", "bt")
    traces = backtraces(out)
    assert len(traces) >= 2 and not BROKEN.search(out), out
    for frames in (traces[0], traces[-1]):
        assert "count (" in frames[0] and "kc_trampoline" in frames[-2], out
        assert "kc_arch_entry" in frames[-1], out


def test_gdb_shows_coroutines_that_do_not_run():
    """By the commands of scripts/kcoro-gdb.py."""
    out = gdb(programs.built().directory / "samples/hello", f"source {TREE}/scripts/kcoro-gdb.py",
              "break hello.c:26", "run", "kc-bt a", "kc-info a", "kc-info", "bt")
    suspended, running = out.split("coroutine 2 ")
    frames = backtraces(suspended)[-1]
    assert any("count (" in frame for frame in frames) and "kc_arch_entry" in frames[-1], out
    assert "SUSPENDED, stack 0x" in running
    assert "coroutine 1 'main' RUNNING" in running
    assert "main () at" in running, "registers are put back"


@pytest.mark.parametrize("hello", ["SWITCH_ASM"], indirect=True)
def test_gdb_steps_through_the_switch(hello):
    """At each instruction of the out-of-line switch the frames of one side are whole."""
    # by then both sides have run, so that neither is on its way through the entry
    out = gdb(hello, "break kc_arch_switch", "ignore 1 5", "run", "bt",
              *["stepi", "bt"] * 22)
    traces = backtraces(out)
    assert len(traces) > 20 and not BROKEN.search(out), out
    for frames in traces:
        assert re.search(r"kc_arch_entry|\bmain \(", frames[-1]), "\n".join(frames)
    ends = {"main" if " main (" in frames[-1] else "entry" for frames in traces}
    assert ends == {"main", "entry"}, "from one side to the other"


def test_perf_sees_frames_up_to_the_entry(tmp_path):
    """By frame pointers and by unwind tables, where perf is there and the kernel lets it."""
    if not shutil.which("perf"):
        pytest.skip("perf is not installed")
    build = Build(tmp_path / "b")
    build.make("defconfig")
    build.make("-j2")
    source = tmp_path / "busy.c"
    source.write_text("""
#include <kcoro/kcoro.h>
#include <time.h>
static volatile unsigned long n;
__attribute__((noinline)) static void leaf(void) { for (int i = 0; i < 100000; i++) n += i; }
__attribute__((noinline)) static void work(void) { leaf(); n++; }
static void body(void *arg)
{
	(void)arg;
	for (clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;)
		work();
	n++;
}
int main(void)
{
	kcoro_create_main();
	return kcoro_resume(kcoro_create(body, 0, 0));
}
""")
    arch = next(name for name in ("x86_64", "arm64", "riscv")
                if f"CONFIG_ARCH_{name.upper()}=y" in build.config)
    program = tmp_path / "busy"
    run("gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-I", build.tree / "include", "-I",
        build.path / "include/generated", "-I", build.tree / "arch" / arch / "include",
        source, build.path / "libkcoro.a", "-pthread", "-o", program)
    for graph in ("fp", "dwarf,8192"):
        data = tmp_path / "perf.data"
        out = run("perf", "record", "-q", "-e", "cpu-clock", "-F", "199", "--call-graph", graph,
                  "-o", data, program, ok=None)
        if not data.exists() or "No permission" in out or "not supported" in out:
            pytest.skip(f"perf cannot record here: {out[:200]}")
        script = run("perf", "script", "-i", data, "-F", "comm,ip,sym", ok=None)
        samples = [re.findall(r"^\s+[0-9a-f]+ (\S+)", text, re.M)
                   for text in script.split("\n\n") if " leaf" in text]
        assert samples, script[:2000]
        whole = [frames for frames in samples
                 if frames[-4:] == ["work", "body", "kc_trampoline", "kc_arch_entry"]
                 or frames[-3:] == ["body", "kc_trampoline", "kc_arch_entry"]]
        assert len(whole) > 0.9 * len(samples), (graph, samples[:3])
