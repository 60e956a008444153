# SPDX-License-Identifier: MIT
"""scripts/kconfig/kconf.py on a Kconfig tree of its own."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
KCONF = TREE / "scripts/kconfig/kconf.py"

KCONFIG = """
mainmenu "test"

config NET
	bool "net"

config NET_DEPTH
	int "depth"
	depends on NET
	range 1 8
	default 4

config HAVE_FPU
	bool
	default y

config BASE
	bool

config TLS
	bool "tls"
	depends on NET
	select BASE

choice COLOUR
	prompt "colour"
	default RED
config RED
	bool "red"
config GREEN
	bool "green"
config BLUE
	bool "blue"
	depends on NET
endchoice

config LABEL
	string "label"
	default "a # b"
"""


class Tree:
    """A source tree with a Kconfig, and a build directory beside it."""

    def __init__(self, path):
        self.src, self.obj = path / "src", path / "obj"
        (self.src / "scripts").mkdir(parents=True)
        (self.src / "configs").mkdir()
        self.obj.mkdir()
        (self.src / "Kconfig").write_text(KCONFIG)
        (self.src / "scripts/abi-symbols").write_text("# comment\nNET\nNET_DEPTH\nRED\n")
        (self.src / "configs/tiny.config").write_text("CONFIG_GREEN=y\n")

    def run(self, *args, ok=True, **env):
        env = {**os.environ, "srctree": str(self.src), "ARCH": "x86_64", "KC_VERSION": "1.2.3", **env}
        done = subprocess.run([sys.executable, "-B", str(KCONF), *map(str, args)], cwd=self.obj,
                              env=env, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == ok, done.stdout + done.stderr
        return done.stdout + done.stderr

    def write(self, name, text):
        path = self.obj / name
        path.write_text(text)
        return path

    @property
    def config(self):
        return (self.obj / ".config").read_text()


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


STRICT = [
    ("CONFIG_NO_SUCH=y", "NO_SUCH: unknown symbol"),
    ("# CONFIG_NO_SUCH is not set", "NO_SUCH: unknown symbol"),
    ("CONFIG_TLS=y", "TLS=y does not take effect (it is n): unmet dependency: NET"),
    ("CONFIG_NET=y\nCONFIG_NET_DEPTH=9", "NET_DEPTH=9 does not take effect (it is 4): "
     "out of range: allowed is 1 to 8"),
    ("CONFIG_NET=y\nCONFIG_NET_DEPTH=many", "NET_DEPTH=many"),
    ("CONFIG_HAVE_FPU=y", "HAVE_FPU: it has no prompt"),
    ("# CONFIG_HAVE_FPU is not set", "HAVE_FPU=n does not take effect (it is y): it has no prompt"),
    ("CONFIG_RED=y\nCONFIG_GREEN=y", "RED=y does not take effect (it is n): GREEN is chosen"),
    ("CONFIG_BLUE=y", "BLUE=y does not take effect (it is n): unmet dependency: NET"),
    ("hello", "neither an assignment nor a comment"),
]


@pytest.mark.parametrize("text,message", STRICT)
@pytest.mark.parametrize("mode", ["load", "merge"])
def test_strict_load_names_symbol_and_reason(tree, mode, text, message):
    path = tree.write("hand.config", "# by hand\n" + text + "\n")
    out = tree.run(mode, path, ok=False)
    assert message in out
    assert f"{path}:" in out
    assert not (tree.obj / ".config").exists(), "a refused file must not leave a configuration"


def test_strict_load_takes_what_is_right(tree):
    tree.run("load", tree.write("x", "CONFIG_NET=y\nCONFIG_NET_DEPTH=8\nCONFIG_BLUE=y\n"
                                     'CONFIG_LABEL="q\\"x"\n'))
    assert "CONFIG_NET_DEPTH=8\n" in tree.config
    assert "CONFIG_BLUE=y\n" in tree.config
    assert 'CONFIG_LABEL="q\\"x"\n' in tree.config


def test_missing_file_and_missing_config(tree):
    assert "no such file" in tree.run("load", "nowhere_defconfig", ok=False)
    assert "make defconfig" in tree.run("olddefconfig", ok=False)


def test_users_old_config_is_not_strict(tree):
    tree.write(".config", "CONFIG_GONE=y\nCONFIG_TLS=y\nCONFIG_GREEN=y\n")
    tree.run("olddefconfig")
    assert "CONFIG_GREEN=y\n" in tree.config
    assert "GONE" not in tree.config and "CONFIG_TLS=y" not in tree.config


def test_fragment_keeps_the_rest(tree):
    tree.run("load", tree.write("x", "CONFIG_NET=y\nCONFIG_GREEN=y\n"))
    tree.run("merge", tree.write("y", "CONFIG_NET_DEPTH=2\nCONFIG_BLUE=y\n"))
    assert {"CONFIG_NET=y", "CONFIG_NET_DEPTH=2", "CONFIG_BLUE=y"} <= set(tree.config.split("\n"))


def test_savedefconfig_round_trip(tree):
    text = "CONFIG_NET=y\nCONFIG_NET_DEPTH=2\nCONFIG_GREEN=y\n"
    tree.run("load", tree.write("x", text))
    tree.run("savedefconfig")
    assert (tree.obj / "defconfig").read_text() == text


def test_allno_allyes_tiny(tree):
    tree.run("allyesconfig")
    assert "CONFIG_TLS=y\n" in tree.config
    tree.run("allnoconfig")
    assert "# CONFIG_NET is not set\n" in tree.config and "CONFIG_RED=y\n" in tree.config
    tree.run("tinyconfig")
    assert "# CONFIG_NET is not set\n" in tree.config and "CONFIG_GREEN=y\n" in tree.config
    pin = tree.write("pin", "CONFIG_NET=y\n")
    tree.run("allnoconfig", KCONFIG_ALLCONFIG=str(pin))
    assert "CONFIG_NET=y\n" in tree.config


def test_randconfig_repeats_and_reaches_everything(tree):
    seen = set()
    for seed in range(40):
        assert f"KCONFIG_SEED={seed}\n" in tree.run("randconfig", KCONFIG_SEED=str(seed))
        first = tree.config
        if seed < 3:
            tree.run("randconfig", KCONFIG_SEED=str(seed))
            assert tree.config == first
        assert not re.search(r"NET_DEPTH=(?!4)", first), "numbers keep their defaults"
        seen.update(first.split("\n"))
    assert {"CONFIG_RED=y", "CONFIG_GREEN=y", "CONFIG_BLUE=y", "CONFIG_NET=y", "CONFIG_TLS=y",
            "# CONFIG_NET is not set", "# CONFIG_TLS is not set"} <= seen


def test_randconfig_prints_its_own_seed_and_varies_ints(tree):
    depths = set()
    pin = tree.write("pin", "CONFIG_NET=y\nCONFIG_BLUE=y\n")
    for _ in range(12):
        seed = re.search(r"KCONFIG_SEED=(\d+)", tree.run("randconfig"))[1]
        tree.run("randconfig", KCONFIG_SEED=seed, KCONFIG_RAND_INT="1", KCONFIG_ALLCONFIG=str(pin))
        assert "CONFIG_BLUE=y\n" in tree.config
        depths.add(re.search(r"NET_DEPTH=(\d)", tree.config)[1])
    assert len(depths) > 1


def test_listnewconfig(tree):
    tree.write(".config", "CONFIG_NET=y\n")
    out = tree.run("listnewconfig")
    assert "CONFIG_NET_DEPTH=4" in out and "CONFIG_NET=y" not in out


def test_nconfig_points_elsewhere(tree):
    assert "menuconfig" in tree.run("nconfig", ok=False)


def test_syncconfig_writes_what_a_build_reads(tree):
    tree.run("load", tree.write("x", "CONFIG_NET=y\nCONFIG_NET_DEPTH=2\n"))
    tree.run("syncconfig")
    generated = tree.obj / "include/generated"
    header = (generated / "kcoro/config.h").read_text()
    assert '#define KC_ABI_TAG "kcoro 1.2 x86_64 NET NET_DEPTH=2 RED"' in header
    assert "#define KC_CONFIG_NET 1\n" in header and "KC_CONFIG_TLS" not in header
    assert "#define KC_VERSION_MINOR 2\n" in header
    autoconf = (generated / "autoconf.h").read_text()
    assert "#define CONFIG_NET_DEPTH 2\n" in autoconf
    assert '#define CONFIG_LABEL "a # b"\n' in autoconf
    assert 'KC_CONFIG_ENTRY("NET_DEPTH", "2")\n' in (generated / "config-table.h").read_text()
    conf = (tree.obj / "include/config/auto.conf").read_text()
    assert "CONFIG_LABEL := a \\# b\n" in conf and "kc-choice-colour := red\n" in conf


def test_syncconfig_touches_only_what_changed(tree):
    tree.run("load", tree.write("x", "CONFIG_NET=y\n"))
    tree.run("syncconfig")
    stamps = tree.obj / "include/config"
    for path in [*stamps.iterdir(), tree.obj / "include/generated/kcoro/config.h"]:
        os.utime(path, (1, 1))

    tree.run("syncconfig")
    touched = {p.name for p in stamps.iterdir() if p.stat().st_mtime > 1}
    assert touched == {"auto.conf", "auto.conf.cmd"}
    assert (tree.obj / "include/generated/kcoro/config.h").stat().st_mtime == 1

    tree.run("merge", tree.write("y", "CONFIG_NET_DEPTH=5\n"))
    tree.run("syncconfig")
    touched = {p.name for p in stamps.iterdir() if p.stat().st_mtime > 1}
    assert touched == {"auto.conf", "auto.conf.cmd", ".values", "NET_DEPTH", "KC_ABI_TAG"}


def test_a_mistake_in_kconfig_is_an_error(tree):
    with open(tree.src / "Kconfig", "a", encoding="utf-8") as file:
        file.write("\nconfig OOPS\n\tint 'oops'\n\tdefault yes\n")
    assert "OOPS" in tree.run("defconfig", ok=False)


def test_missing_kconfiglib_names_the_remedy(tree):
    done = subprocess.run([sys.executable, "-S", "-I", str(KCONF), "defconfig"], cwd=tree.obj,
                          capture_output=True, text=True, check=False)
    assert done.returncode and "scripts/need build" in done.stderr
