# SPDX-License-Identifier: MIT
"""What the documentation says exists, and the programs it shows work."""
import re

import programs
import pytest
from buildlib import TREE, Build, run

PAGES = [TREE / "README.md", *sorted((TREE / "Documentation").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
COMPILERS = {"c": ["gcc", "-std=c11"], "cpp": ["g++", "-std=c++17"]}
# Names of examples, which exist only where they are shown.
EXAMPLES = {"CONFIG_X", "CONFIG_STACK_MINE"}

page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)


def read_all(pattern):
    return "\n".join(path.read_text() for path in TREE.glob(pattern))


@page
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
        assert target.startswith("https:") or (path.parent / target).exists(), target


@page
def test_files_exist(path):
    tops = "arch|core|stack|reclaim|sched|backends|include|samples|bench|tests|scripts|configs|Documentation"
    for name in re.findall(rf"`((?:{tops})/[\w./-]+)`", path.read_text()):
        # a build makes programs and *.ktest from sources; NAME and mine are for the reader
        assert (TREE / name).exists() or list(TREE.glob(f"{name}.*")) or re.search(
            r"\.ktest$|NAME|mine\b", name), name


@page
def test_symbols_exist(path):
    known = set(re.findall(r"^\s*(?:config|choice) (\w+)", "\n".join(
        map(read_all, ("**/Kconfig", "scripts/Kconfig.*"))), re.M))
    for name in re.findall(r"\b(?:KC_)?CONFIG_([A-Z0-9_]*[A-Z0-9])\b", path.read_text()):
        assert name in known or f"CONFIG_{name}" in EXAMPLES | known, name


@page
def test_functions_exist(path):
    code = read_all("include/**/*.h") + read_all("arch/**/*.h")
    for name in re.findall(r"\b(kcoro_\w+|kc_\w+)\(\)", path.read_text()):
        assert re.search(rf"\b{name}\b", code), name


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    root = tmp_path_factory.mktemp("docs")
    Build(programs.built().directory).make("install", f"DESTDIR={root}", "prefix=/usr")
    return root / "usr"


@page
def test_programs_work(path, stage, tmp_path):
    for language, text in BLOCK.findall(path.read_text()):
        if "int main(" in text:
            source = tmp_path / f"program.{language}"
            source.write_text(text)
            run(*COMPILERS[language], "-Wall", "-Wextra", "-Werror", f"-I{stage}/include", source,
                "-o", tmp_path / "program", stage / "lib/libkcoro.a", "-pthread")
            run(tmp_path / "program")


def test_readme_shows_the_sample():
    text = (TREE / "samples/squares.c").read_text()
    assert text[text.index("#include"):] in (TREE / "README.md").read_text()
    assert programs.run("samples/squares").stdout.split() == ["1", "4", "9", "16", "25"]
