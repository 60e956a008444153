# SPDX-License-Identifier: MIT
"""Documentation/checklist.md names tests that exist.

The format is in Documentation/testing.md: table rows `| id | proof |`, where a proof names C
cases (`suite.case`), Python tests (`py:test_file::test_name`), or gives a reason in text that
starts with "Difference:" or "Later:".
"""
import pathlib
import re

import kmatrix
import pytest

CHECKLIST = kmatrix.ROOT / "Documentation" / "checklist.md"
PY = pathlib.Path(__file__).parent
ID = re.compile(r"`?(\d{3}-\d+)`?$")


def rows(text):
    """Yield (line number, id, proof) of every table row whose first cell is an id."""
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if line.lstrip().startswith("|") and (match := ID.match(cells[0])):
            yield number, match[1], cells[-1] if len(cells) > 1 else ""


def proofs(cell):
    """(C cases, Python tests) named in a cell."""
    names = re.findall(r"`([^`]+)`", cell)
    py = [name for name in names if name.startswith("py:")]
    c = [name for name in names if re.fullmatch(r"[a-z]\w*\.[a-z]\w*(\[[^]]*\])?", name)]
    return c, py


def python_test_exists(name):
    match = re.fullmatch(r"py:(test_\w+)(?:\.py)?::(test_\w+)(\[.*\])?", name)
    path = PY / f"{match[1]}.py" if match else None
    return bool(path and path.exists()
                and re.search(rf"^\s*def {match[2]}\(", path.read_text(), re.MULTILINE))


def check(text, cases):
    """All that is wrong with a checklist, as lines."""
    known = set(cases) | {case.split("[")[0] for case in cases}
    errors, seen = [], {}
    for number, ident, proof in rows(text):
        where = f"checklist.md:{number}: {ident}"
        if ident in seen:
            errors.append(f"{where}: already on line {seen[ident]}")
        seen.setdefault(ident, number)
        c_cases, py_tests = proofs(proof)
        reason = re.match(r"(Difference|Later): *(.*)", proof)
        if reason and len(reason[2]) < 8:
            errors.append(f"{where}: '{reason[1]}:' without a reason")
        if not reason and not c_cases and not py_tests:
            errors.append(f"{where}: no proof")
        errors += [f"{where}: no such case: {case}" for case in c_cases if case not in known]
        errors += [f"{where}: no such test: {test}" for test in py_tests
                   if not python_test_exists(test)]
    if not seen:
        errors.append("checklist.md: no rows")
    return errors


def test_every_proof_exists(ktest_cases):
    errors = check(CHECKLIST.read_text(), ktest_cases)
    if errors:
        pytest.fail("\n".join(errors), pytrace=False)


def test_python_proofs_exist():
    """The part that needs no builds; also catches ids listed twice and rows without proof."""
    text = CHECKLIST.read_text()
    everything = {case for _, _, proof in rows(text) for case in proofs(proof)[0]}
    errors = check(text, everything)
    if errors:
        pytest.fail("\n".join(errors), pytrace=False)


@pytest.mark.parametrize("row,message", [
    ("| `000-01` | `core.create` |", None),
    ("| 004-12 | `core.create`, `core.sizes`, `core.sizes[small]` |", None),
    ("| 000-01 | the text may say more: `core.create` and `kcoro_create()` |", None),
    ("| 000-01 | `py:test_checklist::test_the_check_itself` |", None),
    ("| 000-01 | Later: needs the scheduler |", None),
    ("| 000-01 | Difference: ours is better, see `core.create` |", None),
    ("| 000-01 | `core.gone` |", "no such case: core.gone"),
    ("| 000-01 | Difference: see `core.gone` |", "no such case: core.gone"),
    ("| 000-01 | `py:test_checklist::test_gone` |", "no such test"),
    ("| 000-01 | `py:nonsense` |", "no such test"),
    ("| 000-01 | `py:test_gone::test_gone` |", "no such test"),
    ("| 000-01 | |", "no proof"),
    ("| 000-01 | yes, tested |", "no proof"),
    ("| 000-01 | Later: |", "without a reason"),
    ("| 000-01 | `core.create` |\n| 000-01 | `core.create` |", "already on line 3"),
    ("nothing", "no rows"),
])
def test_the_check_itself(row, message):
    cases = {"core.create", "core.sizes[small]", "core.sizes[large]"}
    errors = check(f"| id | proof |\n| --- | --- |\n{row}\n", cases)
    if message:
        assert len(errors) == 1 and message in errors[0]
    else:
        assert not errors
