# SPDX-License-Identifier: MIT
"""The build itself: what is rebuilt when, where output goes, goals, plug-ins outside the tree."""
import json
import os
import re
import shutil

import pytest
from buildlib import TREE, Build, built, objects, run

LIBRARIES = {"libkcoro.a", "libkcoro.so.0.1.0"}


@pytest.fixture(scope="session")
def default(tmp_path_factory):
    """The default configuration, built once; tests work on copies."""
    build = Build(tmp_path_factory.mktemp("default") / "b")
    build.make("defconfig")
    build.make("-j2")
    return build


@pytest.fixture
def build(default, tmp_path):
    return default.copy(tmp_path / "b")


def mentions(symbol):
    """Objects of the library whose own source names a symbol."""
    found = run("grep", "-rlE", f"CONFIG_{symbol}\\b", "arch", "core", "stack", "reclaim",
                "include", "--include=*.[chS]", cwd=TREE, ok=None).split()
    return {re.sub(r"\.[cS]$", ".o", path) for path in found if not path.endswith(".h")}


# --- What is rebuilt ----------------------------------------------------------------------------

def test_second_make_does_nothing(build):
    assert build.make() == ""
    assert build.make("-j2", "V=2") == ""


def test_changed_symbol_rebuilds_its_users_only(build):
    build.configure("STACK_DEFAULT_SIZE=131072")
    made = built(build.make("-j2"))
    # Two files contain the configuration as such; the rest must name the symbol.
    users = objects("".join(f"  CC  {name}\n" for name in made)) - {"core/abi.o", "core/config.o"}
    assert users and users <= mentions("STACK_DEFAULT_SIZE")
    assert LIBRARIES <= made
    assert build.make() == ""


def test_changed_flag_rebuilds_what_it_touches(build):
    first = {str(path.relative_to(build.path)) for path in build.path.rglob("*.o")}
    assert objects(build.make("-j2", "CFLAGS=-DSOME_FLAG")) == first
    assert build.make("CFLAGS=-DSOME_FLAG") == ""
    out = build.make("-j2", "CFLAGS=-DSOME_FLAG", "LDFLAGS=-Wl,-O1", "V=2")
    assert built(out) == {"libkcoro.so.0.1.0"} and "(command changed)" in out


def test_changed_compiler_rebuilds_all(build):
    first = {str(path.relative_to(build.path)) for path in build.path.rglob("*.o")}
    out = build.make("-j2", "LLVM=1", "V=2")
    assert objects(out) == first and "CC_VERSION_TEXT" in out
    assert build.make() == "", "the directory remembers LLVM=1"
    assert objects(build.make("-j2", "LLVM=")) == first


def test_lost_object_is_made_again(build):
    victim = next(build.path.glob("core/*.o"))
    victim.unlink()
    out = build.make("V=2")
    assert objects(out) == {str(victim.relative_to(build.path))} and "(new)" in out


def test_v1_shows_commands(build):
    next(build.path.glob("core/*.o")).unlink()
    out = build.make("V=1")
    assert re.search(r"^\S*gcc .* -c -o core/", out, re.M)


def test_failing_compiler_leaves_no_object(build):
    build.make("CFLAGS=-no-such-flag", ok=False)
    build.make("-j2")
    assert build.make() == ""


# --- Where it goes ------------------------------------------------------------------------------

def test_in_tree_clean_and_mrproper(tmp_path):
    tree = tmp_path / "tree"
    files = run("git", "ls-files", "-co", "--exclude-standard", cwd=TREE).split()
    for name in files:
        if (TREE / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TREE / name, tree / name)
    before = {path.relative_to(tree) for path in tree.rglob("*")}

    out = run("make", "-j2", cwd=tree)
    assert "taking the defaults" in out and (tree / "libkcoro.a").exists()
    assert run("make", cwd=tree) == ""
    run("make", "clean", cwd=tree)
    assert (tree / ".config").exists() and not list(tree.rglob("*.o"))
    run("make", "mrproper", cwd=tree)
    left = {path.relative_to(tree) for path in tree.rglob("*")
            if path.is_file() or path.is_symlink()}
    assert left == {path for path in before if (tree / path).is_file()}


def test_output_directory_is_created_and_emptied(tmp_path):
    build = Build(tmp_path / "deep/er")
    build.make("tinyconfig", "all")
    build.make("mrproper")
    assert list(build.path.iterdir()) == []


def test_source_tree_stays_clean(default):
    for name in (".config", "libkcoro.a", "include/generated", "include/config"):
        assert not (TREE / name).exists()


@pytest.mark.parametrize("args", [["O=/tmp/a b"], ["O=/tmp/a:b"], ["EXTERNAL=/tmp/a b"]])
def test_awkward_paths_are_refused(args):
    assert "must not contain" in run("make", *args, cwd=TREE, ok=False)


def test_goals_in_order(tmp_path):
    build = Build(tmp_path / "b")
    (tmp_path / "x.config").write_text("CONFIG_NAME_LEN=7\n")
    out = run("make", "-f", TREE / "Makefile", f"O={build.path}", "tinyconfig", "x.config", "size",
              cwd=tmp_path)
    assert "CONFIG_NAME_LEN=7" in build.config and " total" in out


# --- Machines -----------------------------------------------------------------------------------

@pytest.mark.parametrize("arch,machine", [("arm64", "AArch64"), ("riscv", "RISC-V")])
def test_cross_build_is_remembered(tmp_path, arch, machine):
    build = Build(tmp_path / "b")
    build.make(f"ARCH={arch}", "tinyconfig")
    build.make("-j2")
    assert machine in run("readelf", "-h", build.path / "libkcoro.a")
    assert f"kcoro 0.1 {arch} " in (build.path / "include/generated/kcoro/config.h").read_text()
    assert "# CONFIG_THREADS is not set" in run(TREE / "scripts/extract-config",
                                                build.path / "libkcoro.a")


def test_arch_is_deduced(tmp_path):
    """From the compiler; ARCH= on the command line wins and finds its compiler by itself."""
    def machine(name, *args):
        build = Build(tmp_path / name)
        build.make(*args, "tinyconfig")
        build.make(*args, "-j2")
        header = (build.path / "include/generated/kcoro/config.h").read_text()
        return re.search(r'KC_ABI_TAG "kcoro \S+ (\w+)', header)[1]

    here = {"aarch64": "arm64", "riscv64": "riscv"}.get(os.uname().machine, os.uname().machine)
    assert machine("here") == here
    assert machine("compiler", "CC=aarch64-linux-gnu-gcc", "AR=aarch64-linux-gnu-ar") == "arm64"
    assert machine("prefix", "CROSS_COMPILE=riscv64-linux-gnu-") == "riscv"
    assert machine("forced", "ARCH=arm64") == "arm64"
    assert machine("portable", "ARCH=generic") == "generic"


def test_unknown_arch(tmp_path):
    build = Build(tmp_path / "b")
    out = build.make("ARCH=vax", "defconfig", ok=False)
    assert "there is no arch/vax" in out and "x86_64" in out
    # A compiler for a machine nobody has ported to: the portable switch is all there is.
    compiler = tmp_path / "vax-cc"
    compiler.write_text('#!/bin/sh\n[ "$1" = -dumpmachine ] && echo vax-dec-bsd || exec gcc "$@"\n')
    compiler.chmod(0o755)
    build.make(f"CC={compiler}", "defconfig")
    assert "CONFIG_SWITCH_UCONTEXT=y" in build.config
    assert not any("SWITCH_INLINE" in line for line in build.config)
    build.make(f"CC={compiler}", "-j2")
    out = build.make("CC=gcc", "ARCH=arm64", "CROSS_COMPILE=", ok=False)
    assert "makes code for" in out
    assert "does not run" in build.make("CROSS_COMPILE=no-such-", ok=False)


# --- Goals --------------------------------------------------------------------------------------

def test_help_lists_the_defconfigs():
    out = run("make", "help", cwd=TREE)
    defconfigs = sorted((TREE / "configs").glob("*_defconfig"))
    assert defconfigs
    for path in defconfigs:
        assert path.name in out


@pytest.mark.parametrize("path", sorted((TREE / "configs").glob("*_defconfig")), ids=lambda p: p.name)
def test_defconfigs_are_minimal(tmp_path, path):
    build = Build(tmp_path / "b")
    build.make(path.name, "savedefconfig")
    wanted = "".join(line for line in path.read_text().splitlines(True)
                     if not line.startswith("#") or line.endswith(" is not set\n"))
    assert (build.path / "defconfig").read_text() == wanted
    build.make("-j2", "CFLAGS=-Werror")


@pytest.mark.parametrize("path", sorted((TREE / "configs").glob("**/*.config")), ids=lambda p: p.name)
def test_fragment_applies(tmp_path, path):
    build = Build(tmp_path / "b")
    build.make("allnoconfig" if path.name == "tiny.config" else "defconfig",
               path.relative_to(TREE / "configs"))


def test_strict_load_through_make(tmp_path):
    build = Build(tmp_path / "b")
    build.make("defconfig")
    before = build.config
    bad = tmp_path / "bad.config"
    bad.write_text("CONFIG_STACK_STATIC=y\nCONFIG_STACK_DEFAULT_SIZE=7\nCONFIG_NOPE=y\n"
                   "CONFIG_HAVE_ARCH_SWITCH=y\n")
    out = build.make(bad, ok=False)
    for words in ("STACK_STATIC=y does not take effect", "unmet dependency: ", "!THREADS",
                  "STACK_DEFAULT_SIZE=7", "out of range: allowed is 1024 to 1073741824",
                  "NOPE: unknown symbol", "HAVE_ARCH_SWITCH: it has no prompt"):
        assert words in out
    assert build.config == before
    assert "nowhere_defconfig: no such file" in build.make("nowhere_defconfig", ok=False)


def test_randconfig_reaches_every_choice_member(tmp_path):
    build = Build(tmp_path / "b")
    missing = {f"CONFIG_{name}=y" for name in (
        "SWITCH_INLINE SWITCH_ASM SWITCH_UCONTEXT STACK_MAPPED STACK_HEAP STACK_STATIC STACK_CACHED "
        "STACK_FREED GUARD_NONE GUARD_MPROTECT GUARD_LIGHT OPTIMIZE_SPEED OPTIMIZE_SIZE "
        "OPTIMIZE_DEBUG SANITIZE_NONE ASAN TSAN").split()}
    for seed in range(100):
        if missing:
            build.make("-s", "randconfig", f"KCONFIG_SEED={seed}")
            missing -= set(build.config)
    assert not missing


def text_size(output):
    return int(re.search(r"^ *(\d+) +\d+ +\d+ +total$", output, re.M)[1])


CHANNELS = """
CONFIG_SCHED_N1=y
CONFIG_KEYS=0
# CONFIG_SYNC is not set
# CONFIG_INSPECT is not set
"""


def test_size(tmp_path):
    """Text and lines are reported; 4 KiB is the smallest, with channels, select, timers 12 KiB."""
    build = Build(tmp_path / "b")
    out = build.make("-j2", "tinyconfig", "size")
    assert 0 < text_size(out) <= 4096
    (tmp_path / "channels.config").write_text(CHANNELS)
    build.make(tmp_path / "channels.config")
    assert {"CONFIG_CHAN=y", "CONFIG_SELECT=y"} <= set(build.config)
    assert text_size(build.make("-j2", "size")) <= 12 * 1024
    assert re.search(r"^ *\d+ +\d+  core/$", out, re.M), "lines of source per directory"


def test_size_diff(build):
    assert "make size-baseline" in build.make("size-diff", ok=False)
    build.make("size-baseline")
    out = build.make("size-diff")
    assert re.search(r"\+0  total$", out, re.M) and out.count("\n") == 2
    build.configure("OPTIMIZE_SIZE=y")
    out = build.make("-j2", "size-diff")
    assert re.search(r"^ *\d+ +\d+ +-\d+  kcoro_\w+$", out, re.M)


def test_compile_commands_and_tags(build):
    build.make("compile_commands.json", "tags")
    commands = json.loads((build.path / "compile_commands.json").read_text())
    assert {entry["output"] for entry in commands} == {
        str(path.relative_to(build.path)) for path in build.path.rglob("*.o")}
    assert "kcoro_resume" in (build.path / "tags").read_text()


def test_interactive_goals_without_a_terminal(tmp_path):
    build = Build(tmp_path / "b")
    assert "menuconfig" in build.make("nconfig", ok=False)
    build.make("defconfig")
    build.make("oldconfig")
    assert "CONFIG_" not in build.make("listnewconfig")


def test_need_is_quick_and_knows_its_purposes():
    out = run(TREE / "scripts/need", "nonsense", ok=False)
    assert "build" in out and "test" in out
    assert run(TREE / "scripts/need", "build") == ""


# --- Languages ----------------------------------------------------------------------------------

THROWS = """
#include <stdexcept>
#include <string>
#include <kcoro/kcoro.h>

static std::string seen;

static void body(void *arg)
{
	const char *mine = static_cast<const char *>(arg);

	try {
		throw std::runtime_error(mine);
	} catch (...) {
		kcoro_yield();
		try {
			throw;
		} catch (const std::exception &e) {
			seen += e.what();
		}
	}
}

int main()
{
	char a[] = "a", b[] = "b";
	kcoro_t *one, *two;

	if (!kcoro_create_main())
		return 2;
	one = kcoro_create(body, a, 0);
	two = kcoro_create(body, b, 0);
	kcoro_resume(one);
	kcoro_resume(two);
	kcoro_resume(one);
	kcoro_resume(two);
	return seen != "ab";
}
"""


@pytest.mark.parametrize("how", ["archive", "archive -static", "shared"])
def test_exceptions_of_a_linked_program(default, tmp_path, how):
    """The C++ runtime is found in each way of linking, and no C program gets one."""
    (tmp_path / "a.cc").write_text(THROWS)
    (tmp_path / "a.c").write_text("#include <kcoro/kcoro.h>\n"
                                  "int main(void) { return !kcoro_create_main(); }\n")
    library = [default.path / "libkcoro.a"] if "archive" in how else [
        "-L", default.path, "-lkcoro", f"-Wl,-rpath,{default.path}"]
    arch = (default.path / ".config").read_text()
    arch = next(name for name in ("x86_64", "arm64", "riscv")
                if f"CONFIG_ARCH_{name.upper()}=y" in arch)
    flags = ["-I", TREE / "include", "-I", default.path / "include/generated",
             "-I", TREE / "arch" / arch / "include", *how.split()[1:]]
    for compiler, source in (("g++", "a.cc"), ("gcc", "a.c")):
        program = tmp_path / f"{compiler}-program"
        run(compiler, *flags, "-o", program, tmp_path / source, *library, "-pthread")
        run(program)
        assert ("libstdc++" in run("readelf", "-d", program)) == (
            compiler == "g++" and "-static" not in how)


# --- Plug-ins outside the tree ------------------------------------------------------------------

EXTERNAL_KCONFIG = """# SPDX-License-Identifier: MIT
choice STACK_MEMORY
config STACK_BUMP
	bool "Bump allocator"
	help
	  Twenty lines: one array, never freed.
endchoice
"""


def test_external_directory(default, tmp_path):
    plugin = tmp_path / "plugin"
    plugin.mkdir()
    (plugin / "Kconfig").write_text(EXTERNAL_KCONFIG)
    (plugin / "Makefile").write_text("obj-$(CONFIG_STACK_BUMP) += bump.o\n")
    (plugin / "bump.c").write_text("int kc_bump(void);\nint kc_bump(void) { return IS_ENABLED("
                                   "CONFIG_STACK_BUMP); }\n")
    build = default.copy(tmp_path / "b")
    out = build.make(f"EXTERNAL={plugin}")
    assert objects(out) <= {"core/abi.o", "core/config.o"}, "in the menu, but not selected"
    (tmp_path / "bump.config").write_text("CONFIG_STACK_BUMP=y\n")
    build.make(tmp_path / "bump.config")
    assert "CONFIG_STACK_BUMP=y" in build.config, "the directory remembers EXTERNAL"
    out = build.make("-j2", ok=None)
    assert "external/bump.o" in built(out)
    build.make("EXTERNAL=", "olddefconfig")
    assert "CONFIG_STACK_MAPPED=y" in build.config
    assert "external/bump.o" not in (build.path / ".libkcoro.a.cmd").read_text()


# --- Rules of the house -------------------------------------------------------------------------

def test_lint():
    assert run(TREE / "scripts/lint.py", TREE, ok=None) == ""
