# SPDX-License-Identifier: MIT
"""What an application outside the tree gets: installed files, pkg-config, CMake, the ABI check."""
import os
import re

import pytest
from buildlib import TREE, Build, run

PROGRAM = """
#include <stdio.h>
#include <kcoro/kcoro.h>

static int steps;

static void body(void *arg)
{
	(void)arg;
	steps++;
	kcoro_yield();
	steps++;
}

int main(void)
{
	char words[256];

	if (!kcoro_create_main()) {
		kc_abi_explain(KC_ABI_TAG, words, sizeof(words));
		puts(words);
		return 2;
	}
	kcoro_t *co = kcoro_create(body, NULL, 0);
	if (!co || kcoro_resume(co) || kcoro_resume(co) || kcoro_destroy(co))
		return 1;
	printf("steps %d, kcoro %s, %s\\n", steps, kc_version(), kc_abi_tag());
	return 0;
}
"""
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


class Stage:
    """An installation below DESTDIR, and programs built against it."""

    def __init__(self, build, root):
        self.build, self.root = build, root
        build.make("install", f"DESTDIR={root}", "prefix=/usr")
        self.lib = root / "usr/lib"

    def pkg_config(self, *args):
        return run("pkg-config", *args, "kcoro", PKG_CONFIG_SYSROOT_DIR=str(self.root),
                   PKG_CONFIG_LIBDIR=str(self.lib / "pkgconfig"),
                   PKG_CONFIG_ALLOW_SYSTEM_CFLAGS="1", PKG_CONFIG_ALLOW_SYSTEM_LIBS="1").split()

    def compile(self, where, *flags, compiler="gcc", text=PROGRAM, name="app.c", ok=True):
        source, program = where / name, where / "app"
        source.write_text(text)
        out = run(compiler, *STRICT, *self.pkg_config("--cflags"), source, "-o", program, *flags,
                  ok=ok)
        return program if ok else out

    def start(self, program, ok=True):
        return run(program, ok=ok, LD_LIBRARY_PATH=str(self.lib))


@pytest.fixture(scope="session")
def default(tmp_path_factory):
    root = tmp_path_factory.mktemp("install")
    build = Build(root / "b")
    build.make("defconfig")
    build.make("-j2")
    return Stage(build, root / "stage")


def linked_shared(program):
    return "libkcoro.so.0" in run("readelf", "-d", program)


def test_files(default):
    assert (default.lib / "libkcoro.so").resolve().name == "libkcoro.so.0.1.0"
    assert (default.lib / "libkcoro.so.0").is_symlink()
    headers = {path.name for path in (default.root / "usr/include/kcoro").iterdir()}
    assert {"kcoro.h", "config.h", "kc_config.h", "arch.h"} <= headers
    assert ((default.root / "usr/share/kcoro/config").read_text()
            == (default.build.path / ".config").read_text())
    assert not (default.lib / "libkcoro.a").read_bytes().startswith(b"!<thin>")


def test_shared_library_exports_only_the_api(default):
    symbols = re.findall(r"\b[TDBRV] (\S+)", run("nm", "-D", "--defined-only",
                                                 default.lib / "libkcoro.so"))
    assert symbols and all(re.match(r"(kcoro|kc)_\w+@@KCORO_0$", name) for name in symbols)
    assert "SONAME" in run("readelf", "-d", default.lib / "libkcoro.so")


def test_pkg_config_shared_and_static(default, tmp_path):
    program = default.compile(tmp_path, *default.pkg_config("--libs"))
    assert linked_shared(program)
    assert "steps 2, kcoro 0.1.0, kcoro 0.1 " in default.start(program)
    program = default.compile(tmp_path, "-static", *default.pkg_config("--libs", "--static"))
    assert "steps 2" in run(program)
    assert run(TREE / "scripts/extract-config", program) == (
        default.build.path / ".config").read_text()


def test_pkg_config_tells_the_configuration(default):
    assert "-fstack-clash-protection" in default.pkg_config("--cflags")
    assert default.pkg_config("--variable=kc_stack") == ["mapped"]
    assert default.pkg_config("--variable=kc_switch") == ["inline"]
    assert default.pkg_config("--modversion") == ["0.1.0"]


@pytest.mark.parametrize("inline", [[], ["-DKCORO_INLINE"]])
@pytest.mark.parametrize("compiler,standard", [("g++", "-std=c++17"), ("clang++", "-std=c++17"),
                                               ("clang", "-std=c11"), ("gcc", "-std=c11")])
def test_compilers_and_languages(default, tmp_path, compiler, standard, inline):
    name = "app.cc" if "++" in compiler else "app.c"
    program = default.compile(tmp_path, standard, *inline, *default.pkg_config("--libs"), name=name,
                              compiler=compiler)
    assert "steps 2" in default.start(program)


@pytest.mark.parametrize("compiler", ["gcc", "clang", "g++"])
def test_inlined_channels_warn_of_nothing(default, tmp_path, compiler):
    """The compiler sees the element, but not that the channel's elements are of its size."""
    fields = [f"char c{n}[{n}] = {{ 0 }};" for n in (1, 2, 3, 4, 7, 8, 9)]
    calls = [f"kc_chan_send(ch, c{n}) || kc_chan_recv(ch, c{n})" for n in (1, 2, 3, 4, 7, 8, 9)]
    text = ("#define KCORO_INLINE\n#include <kcoro/kcoro.h>\n"
            f"int use(struct kc_chan *ch) {{ {''.join(fields)} return {' || '.join(calls)}; }}\n")
    name = "app.cc" if "++" in compiler else "app.c"
    default.compile(tmp_path, "-O2", "-c", compiler=compiler, name=name, text=text)


# Compared before a switch, looked at after it: the compiler keeps the result in a mask register.
MASKS = """
#define KCORO_INLINE
#include <immintrin.h>
#include <kcoro/kcoro.h>

static int wrong;

static __attribute__((noinline)) int none_equal(const __m512i *a, const __m512i *b)
{
	__mmask64 equal = _mm512_cmpeq_epi8_mask(*a, *b);

	kcoro_yield();
	return _kortestz_mask64_u8(equal, equal);
}

static void body(void *arg)
{
	__m512i a = _mm512_set1_epi8(1), b = _mm512_set1_epi8(arg ? 2 : 1);

	wrong |= none_equal(&a, &b) != !!arg;
}

int main(void)
{
	kcoro_t *co[2];

	if (!__builtin_cpu_supports("avx512bw") || !kcoro_create_main())
		return 0;
	for (int i = 0; i < 2; i++)
		co[i] = kcoro_create(body, i ? co : NULL, 0);
	for (int i = 0; i < 4; i++)
		wrong |= kcoro_resume(co[i % 2]);
	return wrong;
}
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="needs x86_64")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_mask_registers_survive_the_inline_switch(default, tmp_path, compiler):
    program = default.compile(tmp_path, "-O2", "-mavx512f", "-mavx512bw",
                              *default.pkg_config("--libs"), compiler=compiler, text=MASKS)
    default.start(program)


# A thread that used the library ends after it was closed.
CLOSED = """
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static void *use(void *arg)
{
	void *lib = dlopen("libkcoro.so.0", RTLD_NOW);
	__extension__ const char *(*tag)(void) = (const char *(*)(void))dlsym(lib, "kc_abi_tag");
	__extension__ void *(*create_main)(const char *) =
		(void *(*)(const char *))dlsym(lib, "kcoro_create_main_abi");

	if (!create_main(tag()))
		return arg;
	return dlclose(lib) ? arg : NULL;
}

int main(void)
{
	pthread_t thread;
	void *ret;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, use, &ret) || pthread_join(thread, &ret) ||
		    ret)
			return 1;
	return 0;
}
"""


def test_a_closed_library_leaves_no_dangling_handlers(default, tmp_path):
    default.start(default.compile(tmp_path, "-pthread", text=CLOSED))


CMAKE = """
cmake_minimum_required(VERSION 3.16)
project(app C CXX)
find_package(kcoro 0.1 REQUIRED)
foreach(kind kcoro static shared)
    add_executable(c_${kind} app.c)
    add_executable(cxx_${kind} app.cc)
    target_link_libraries(c_${kind} kcoro::${kind})
    target_link_libraries(cxx_${kind} kcoro::${kind})
endforeach()
"""


def test_cmake(default, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    for name in ("app.c", "app.cc"):
        (tmp_path / name).write_text(PROGRAM)
    out = tmp_path / "out"
    run("cmake", "-S", tmp_path, "-B", out, f"-DCMAKE_PREFIX_PATH={default.root}/usr")
    run("cmake", "--build", out, "-j2")
    for language in ("c", "cxx"):
        for kind in ("kcoro", "static", "shared"):
            program = out / f"{language}_{kind}"
            assert "steps 2" in run(program)
            assert linked_shared(program) == (kind != "static")
    (tmp_path / "CMakeLists.txt").write_text(CMAKE.replace("kcoro 0.1 ", "kcoro 0.2 "))
    assert "0.1.0" in run("cmake", "-S", tmp_path, "-B", tmp_path / "other",
                          f"-DCMAKE_PREFIX_PATH={default.root}/usr", ok=False)


QUERY = """
#include <stdio.h>
#include <kcoro/kcoro.h>

static int show(const char *name, const char *value, void *arg)
{
	(*(int *)arg)++;
	printf("%s=%s\\n", name, value);
	return 0;
}

int main(void)
{
	int count = 0;

	kc_config_each(show, &count);
	printf("%d %s %s\\n", count, kc_config_get("STACK_DEFAULT_SIZE"),
	       kc_config_get("NO_SUCH") ? "yes" : "no");
	return 0;
}
"""


def test_query_at_run_time(default, tmp_path):
    out = default.start(default.compile(tmp_path, *default.pkg_config("--libs"), text=QUERY))
    assert out.endswith(" 65536 no\n")
    for line in default.build.config:
        match = re.match(r'CONFIG_(\w+)="?([^"]*)"?$', line)
        if match:
            assert f"{match[1]}={match[2]}\n" in out


def test_other_build_is_refused_and_lacks_the_query(default, tmp_path):
    """Headers of one build with the library of another; and CONFIG_QUERY=n names itself."""
    build = default.build.copy(tmp_path / "b")
    build.configure("SWITCH_ASM=y", "CONFIG_QUERY=n")
    build.make("-j2")
    other = Stage(build, tmp_path / "stage")

    program = default.compile(tmp_path, *default.pkg_config("--libs"))
    out = run(program, ok=False, LD_LIBRARY_PATH=str(other.lib))
    assert re.search(r'the program was compiled for "kcoro 0.1 \S+ SWITCH_INLINE.*", '
                     r'but the library is "kcoro 0.1 \S+ SWITCH_ASM', out)

    out = other.compile(tmp_path, *other.pkg_config("--libs"), text=QUERY, ok=False)
    assert "CONFIG_QUERY" in out and "undefined reference" not in out


def test_extract_config_round_trip(default, tmp_path):
    config = (default.build.path / ".config").read_text()
    for name in ("libkcoro.a", "libkcoro.so"):
        assert run(TREE / "scripts/extract-config", default.lib / name) == config
    again = Build(tmp_path / "again")
    again.path.mkdir()
    (again.path / ".config").write_text(config)
    again.make("olddefconfig")
    assert (again.path / ".config").read_text() == config
    assert "not an ELF file" in run(TREE / "scripts/extract-config", TREE / "Makefile", ok=False)


def test_static_only(default, tmp_path):
    build = Build(tmp_path / "b")
    build.make("tinyconfig")
    build.make("-j2")
    stage = Stage(build, tmp_path / "stage")
    assert not list(stage.lib.glob("*.so*"))
    program = stage.compile(tmp_path, *stage.pkg_config("--libs"), "-Wl,--gc-sections")
    assert "steps 2" in run(program)
    assert run(TREE / "scripts/extract-config", program) == (build.path / ".config").read_text()


def test_uninstall_leaves_nothing(default, tmp_path):
    build, root = default.build, tmp_path / "stage"
    variables = [f"DESTDIR={root}", "prefix=/opt/k", "libdir=/opt/k/lib64"]
    build.make("install", *variables)
    assert (root / "opt/k/lib64/pkgconfig/kcoro.pc").exists()
    build.make("uninstall", *variables)
    assert [path for path in root.rglob("*") if not path.is_dir()] == []


def test_install_refuses_spaces(default, tmp_path):
    bystander = tmp_path / "a"
    bystander.mkdir()
    for goal in ("install", "uninstall"):
        out = default.build.make(goal, f"DESTDIR={bystander} b", ok=False)
        assert "must not contain spaces" in out
        assert bystander.exists() and not list(bystander.iterdir())
