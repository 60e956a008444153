# SPDX-License-Identifier: MIT
"""The KTAP parser on recorded reports: golden/NAME.ktap must read as golden/NAME.txt."""
import pathlib

import ktap
import pytest

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"


def dump(root):
    """The parsed report, one line per case, log line and error."""
    lines = []
    for name, test in ktap.case_names(root).items():
        directive = f": {test.directive} {test.reason}".rstrip() if test.directive else ""
        lines.append(f"{test.status} {name}{directive}")
        lines += [f"  log {line}" for line in test.log]
    lines += [f"error {error}" for error in root.all_errors()]
    return lines


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.ktap")))
def test_golden(name):
    root = ktap.parse((GOLDEN / f"{name}.ktap").read_text())
    assert dump(root) == (GOLDEN / f"{name}.txt").read_text().splitlines()


def test_every_golden_file_has_its_pair():
    assert {path.stem for path in GOLDEN.glob("*.ktap")} == \
           {path.stem for path in GOLDEN.glob("*.txt")}


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.ktap")))
def test_cut_off_anywhere(name):
    """No prefix of a report upsets the parser, and none counts as complete before its end."""
    text = (GOLDEN / f"{name}.ktap").read_text()
    for end in range(len(text)):
        root = ktap.parse(text[:end])
        assert isinstance(root.status, str)


def test_cut_off_report_fails():
    """A report that lost any of its lines is never a success."""
    lines = (GOLDEN / "empty-suite.ktap").read_text().splitlines()
    whole = ["KTAP version 1", "1..2", "  KTAP version 1", "  # Subtest: a", "  1..2",
             "  ok 1 x", "  ok 2 y", "ok 1 a", "ok 2 b"]
    assert ktap.parse("\n".join(whole)).status == "pass"
    assert ktap.parse("\n".join(lines)).status == "pass"
    for missing in range(len(whole)):
        if whole[missing].lstrip().startswith(("KTAP", "# Subtest")):
            continue
        rest = whole[:missing] + whole[missing + 1:]
        assert ktap.parse("\n".join(rest)).status == "fail", whole[missing]
    for end in range(len(whole)):
        assert ktap.parse("\n".join(whole[:end])).status == "fail", whole[:end]


def test_bubbling():
    root = ktap.parse((GOLDEN / "parent-lies.ktap").read_text())
    assert root.subtests[0].ok and root.subtests[0].status == "fail"
    assert root.status == "fail"


def test_crlf_and_bytes():
    root = ktap.parse("KTAP version 1\r\n1..1\r\nok 1 a\ufffd\r\n")
    assert root.status == "pass"
    assert list(ktap.case_names(root)) == ["a\ufffd"]
