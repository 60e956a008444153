# SPDX-License-Identifier: MIT
"""The plug-in of Documentation/adding-a-plugin.md: outside the tree, built, chosen, running."""
import re
import shutil

import pytest
from buildlib import TREE, Build, built, run

EXAMPLE = TREE / "Documentation/external-stack"


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """The text's commands, with the example copied away from the tree."""
    root = tmp_path_factory.mktemp("external")
    shutil.copytree(EXAMPLE, root / "mine")
    build = Build(root / "b")
    build.make(f"EXTERNAL={root}/mine", "defconfig", f"{root}/mine/resident.config")
    out = build.make("-j2", "all", "samples", "CFLAGS=-Werror")
    assert "external/resident.o" in built(out) and "stack/mapped.o" not in built(out)
    build.make("tests", "PROGS=smoke")
    return build


def test_it_is_chosen_and_found_in_the_library(build):
    config = run(TREE / "scripts/extract-config", build.path / "libkcoro.so")
    assert "CONFIG_STACK_RESIDENT=y\n" in config
    assert "CONFIG_STACK_MAPPED=y" not in config


def test_it_runs(build):
    assert "smoke: ok" in run(build.path / "tests/smoke")
    assert "this port works" in run(build.path / "samples/porting/verify")


def test_its_stacks_are_resident(build):
    """The sample touches one page of each 64 KiB stack; the plug-in touched them all."""
    text = run(build.path / "samples/million", "500")
    assert float(re.search(r"(\d+) bytes resident each", text)[1]) > 60000


def test_it_is_short():
    code = [line for line in (EXAMPLE / "resident.c").read_text().split("\n")
            if line.strip() and not line.lstrip().startswith(("/", "*"))]
    assert len(code) < 40


def test_the_text_shows_the_files():
    text = (TREE / "Documentation/adding-a-plugin.md").read_text()
    for name in ("Kconfig", "Makefile", "resident.c", "resident.config"):
        lines = (EXAMPLE / name).read_text().split("\n")
        body = "\n".join(line for line in lines if "SPDX" not in line and "About:" not in line)
        assert body.strip() in text, name
