# SPDX-License-Identifier: MIT
"""What the library promises about its own code: checked in the sources and in the objects."""
import re
import shutil

import pytest
from buildlib import TREE, Build, run

LIBRARY = ("arch", "core", "stack", "reclaim", "sched", "backends", "include")
PORTS = {"x86_64": "x86_64-linux-gnu-", "arm64": "aarch64-linux-gnu-", "riscv": "riscv64-linux-gnu-"}


def sources(*tops, suffixes=(".c", ".h", ".S")):
    """{path in the tree: text} of the library's files."""
    return {str(path.relative_to(TREE)): path.read_text()
            for top in tops or LIBRARY for path in sorted((TREE / top).rglob("*"))
            if path.suffix in suffixes}


def code(text):
    """Without comments and strings."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.S)


def undefined(library):
    """{member: symbols it takes from elsewhere}"""
    found = {}
    for line in run("nm", "-A", "--undefined-only", library).splitlines():
        member, name = line.split(":")[1], line.split()[-1]
        found.setdefault(member, set()).add(name)
    return found


@pytest.fixture(scope="module")
def default(tmp_path_factory):
    build = Build(tmp_path_factory.mktemp("rules") / "b")
    build.make("defconfig")
    build.make("-j2")
    return build


@pytest.fixture(scope="module", params=PORTS)
def port(request, tmp_path_factory):
    """(name, build) of each processor, with the switch as one function"""
    where = tmp_path_factory.mktemp(request.param)
    (where / "asm.config").write_text("CONFIG_SWITCH_ASM=y\n")
    build = Build(where / "b")
    build.make(f"ARCH={request.param}", "tinyconfig", where / "asm.config")
    build.make("-j2")
    return request.param, build


# --- The switch ---------------------------------------------------------------------------------

def test_no_setjmp(default):
    for path, text in sources().items():
        assert not re.search(r"\b_?(sig)?(set|long)jmp\w*\s*\(|setjmp\.h|jmp_buf", code(text)), path
    for member, names in undefined(default.path / "libkcoro.a").items():
        assert not [name for name in names if "jmp" in name], member


def instructions(objdump, path):
    """The instructions of an object, without addresses."""
    out = run(objdump, "-d", "--no-show-raw-insn", path)
    return re.findall(r"^ +[0-9a-f]+:\t(\S.*?)\s*(?:#.*|//.*)?$", out, re.M)


JUMPS = {"x86_64": r"(notrack )?jmp +\*", "arm64": r"br\s+x", "riscv": r"(c\.)?jr\s+(?!ra)"}


def test_switch_ends_in_a_jump(port):
    arch, build = port
    body = instructions(PORTS[arch] + "objdump", build.path / f"arch/{arch}/switch.o")
    assert len(body) > 10
    assert not [line for line in body if re.match(r"(repz? |bnd )?ret", line)]
    jumps = [line for line in body if re.match(JUMPS[arch], line)]
    assert len(jumps) == 2, "one to the other coroutine, one back to the caller"
    assert body[-1] == jumps[1]
    # The inline one is the compiler's caller, so there is nothing to return from.
    header = (TREE / f"arch/{arch}/include/kcoro/arch.h").read_text()
    text = "".join(re.findall(r'"([^"\n]*)"', header[header.index("__asm__ volatile"):]))
    text = text.replace(r"\n", " ").replace(r"\t", " ")
    assert not re.search(r"\bret\b", text)
    assert re.search({"x86_64": r"jmpq \*", "arm64": r"\bbr x", "riscv": r"\bjr t"}[arch], text)


def offsets(text):
    """{"KC_CTX_SP": 0, ...} of a port's header, for 64-bit machines"""
    text = text.replace("KC_RV_BYTES", "8")
    return {name: eval(value) for name, value in      # numbers and products of numbers
            re.findall(r"^#define (KC_CTX_\w+)\s+([\d* ()]+)$", text, re.M)}


def test_offsets_are_asserted(tmp_path, port):
    arch, build = port
    header = TREE / f"arch/{arch}/include/kcoro/arch.h"
    text = header.read_text()
    known = offsets(text)
    asserted = set(re.findall(r"== (KC_CTX_\w+)", (TREE / "arch/offsets.c").read_text()))
    assert len(known) >= 4 and set(known) <= asserted

    # Each offset, changed by a word, is a compile-time error that names it.
    (tmp_path / "kcoro").mkdir()
    command = [PORTS[arch] + "gcc", "-fsyntax-only", "-include", TREE / "include/internal/kconfig.h",
               "-I", tmp_path, "-I", TREE / "include", "-I", build.path / "include/generated",
               TREE / "arch/offsets.c"]
    copy = tmp_path / "kcoro/arch.h"
    copy.write_text(text)
    run(*command)
    for name in known:
        copy.write_text(re.sub(rf"(#define {name}\s+)(.*)", r"\1(8 + \2)", text))
        assert f'"{name}"' in run(*command, ok=False)

    # Inline assembler writes numbers; they are these offsets and no others.
    asm = "".join(re.findall(r'^.*".*$', text, re.M))
    used = {"x86_64": lambda: re.findall(r"(\d+)\(%%r[ds]i\)", asm),
            "arm64": lambda: [n or 0 for n in re.findall(r"\[x[01](?:, #(\d+))?\]", asm)],
            "riscv": lambda: [8 * int(n) for n in re.findall(r"KC_RV_OFF\((\d)\)", asm)]}[arch]()
    fields = {value for name, value in known.items() if name != "KC_CTX_SIZE"}
    pairs = {8} if arch == "arm64" else set()       # stp and ldp take the frame pointer along
    assert {int(n) for n in used} | pairs == fields


def test_ports_are_directories():
    ports = {path.parent.name for path in (TREE / "arch").glob("*/Makefile")}
    assert ports == {*PORTS, "generic"}
    for port in PORTS:
        for name in ("include/kcoro/arch.h", "entry.S", "switch.S"):
            assert (TREE / "arch" / port / name).is_file(), f"{port}/{name}"
    processors = r"\b(__x86_64__|__amd64__|__i386__|__aarch64__|__arm__|__riscv\w*|__mips\w*)\b"
    for path, text in sources("core", "stack", "reclaim", "include").items():
        assert not re.search(processors, code(text)), f"{path} belongs to no port"
    for path, text in sources("arch").items():
        assert not re.search(r"\b(__linux__|__APPLE__|__FreeBSD__|_WIN32|__CYGWIN__)\b", code(text)), \
            f"{path}: ports are for processors"


# --- Manners ------------------------------------------------------------------------------------

# Who may use what would otherwise be bad manners: the panic, the report of a deadlock, which an
# option takes away, and the fault handler, which passes on a signal that somebody else has sent.
MANNERS = {"abort": {"panic.o"}, "write": {"panic.o", "deadlock.o"}, "raise": {"report.o"}}
RUDE = re.compile(r"(v?d?f?printf|f?puts|f?putc|putchar|perror|std(out|err)|v?(err|warn)x?|syslog"
                  r"|_?_?exit|_Exit|quick_exit|abort|raise|kill|__assert_fail|fwrite|writev?"
                  r"|__\w+_chk)$")


@pytest.mark.parametrize("lines", [[], ["DEBUG=y", "SMP=y", "STACK_HIGHWATER=y"],
                                   ["SWITCH_UCONTEXT=y", "STACK_HEAP=y"],
                                   ["DEADLOCK_TEXT=n"]],
                         ids=["default", "debug", "portable", "silent"])
def test_library_does_not_print_or_exit(default, tmp_path, lines):
    build = default.copy(tmp_path / "b")
    if lines:
        build.configure(*lines)
        build.make("-j2")
    rude = {}
    for member, names in undefined(build.path / "libkcoro.a").items():
        for name in names:
            if RUDE.match(name):
                rude.setdefault(name, set()).add(member)
    assert rude.pop("abort") == {"panic.o"}
    assert ("deadlock.o" in rude.get("write", ())) == ("DEADLOCK_TEXT=n" not in lines)
    assert all(users <= MANNERS.get(name, set()) for name, users in rude.items()), rude


def test_annotations_vanish(default, tmp_path):
    """Tools that are not selected leave neither calls nor instructions behind."""
    tools = re.compile(r"asan|tsan|lsan|sanitizer|valgrind|gcov", re.I)

    def traces(build):
        calls = {name for names in undefined(build.path / "libkcoro.a").values() for name in names}
        return {name for name in calls if tools.search(name)}

    def client_requests(build):
        # valgrind's magic: four rotations that add up to nothing
        return len(re.findall(r"\brol +\$0x3,%rdi", run("objdump", "-d", build.path / "libkcoro.a")))

    assert not traces(default)
    with_tool = default.copy(tmp_path / "b")
    with_tool.configure("VALGRIND=y")
    with_tool.make("-j2")
    arch = next(name for name in PORTS if f"CONFIG_ARCH_{name.upper()}=y" in default.config)
    if arch == "x86_64":
        assert client_requests(default) == 0 and client_requests(with_tool) > 0

    # And they cost no field: the block is as large as without the member.
    source = tmp_path / "size.c"
    source.write_text("#include <internal/coro.h>\n"
                      "_Static_assert(sizeof(struct kc_san) == EMPTY, \"\");\n"
                      "_Static_assert((sizeof(struct kcoro) > BLOCK) == !!EMPTY, \"\");\n")
    block = re.search(r"sizeof\(struct kcoro\) = (\d+)", run(
        "gdb", "-batch", "-ex", 'printf "sizeof(struct kcoro) = %d\\n", sizeof(struct kcoro)',
        default.path / "core/kcoro.o"))[1]
    for build, empty in ((default, "0"), (with_tool, "sizeof(struct kc_san)")):
        run("gcc", "-fsyntax-only", f"-DEMPTY={empty}", f"-DBLOCK={block}", "-include",
            TREE / "include/internal/kconfig.h", "-I", TREE / "include", "-I",
            TREE / "arch" / arch / "include", "-I", build.path / "include/generated", source)


def test_no_brace_macros():
    """A macro is a whole: no half blocks, no half expressions."""
    for path, text in sources().items():
        joined = code(re.sub(r"\\\n", " ", text))
        for macro in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(.*)$", joined, re.M):
            for opening, closing in ("{}", "()", "[]"):
                assert macro.count(opening) == macro.count(closing), f"{path}: {macro}"


# --- Options ------------------------------------------------------------------------------------

def test_stacks_are_guarded_by_default(default):
    assert {"CONFIG_GUARD_LIGHT=y", "CONFIG_GUARD_REPORT=y"} <= set(default.config)


def unused(tree):
    """What scripts/lint.py says about the options of a tree."""
    return run("/usr/bin/python3", "-B", "-c", "import sys, lint; print(*lint.check_kconfig("
               "sys.argv[1], lint.tracked(sys.argv[1])), sep='\\n')", tree,
               cwd=TREE / "scripts").strip()


def test_no_unused_symbol():
    """Each option does something, and what the sources ask for is an option."""
    assert unused(TREE) == ""
    files = run("git", "ls-files", "-co", "--exclude-standard", "*Kconfig*", cwd=TREE).split()
    defined = {name for path in files
               for name in re.findall(r"^\s*config (\w+)", (TREE / path).read_text(), re.M)}
    for path, text in sources().items():
        used = set(re.findall(r"\b(?:KC_)?CONFIG_([A-Z0-9]\w*)", code(text)))
        used -= {"BLOB", "ENTRY", "H"}      # KC_CONFIG_BLOB and the like are no options
        assert used <= defined, f"{path}: {used - defined}"


def test_an_unused_symbol_is_found(tmp_path):
    tree = tmp_path / "tree"
    for top in ("arch", "core", "stack", "reclaim", "sched", "backends", "include", "scripts"):
        shutil.copytree(TREE / top, tree / top)
    for name in ("Kconfig", "Makefile"):
        shutil.copy(TREE / name, tree / name)
    assert unused(tree) == ""
    with (tree / "core/Kconfig").open("a") as file:
        file.write('\nconfig FORGOTTEN\n\tbool "Forgotten"\n\thelp\n\t  Does nothing.\n')
    assert "FORGOTTEN: used nowhere" in unused(tree)
