# SPDX-License-Identifier: MIT
"""A parser for KTAP, version 1, and for the TAP dialects that came before it.

It reads what test programs really print: nested by two or by four spaces, with or without a
version line or a "# Subtest:" header, with other output in between, cut off anywhere. It never
raises; what is wrong is listed in the `errors` of the test that it belongs to, and a test with
errors has not passed.
"""
import re
from dataclasses import dataclass, field

VERSION = re.compile(r"K?TAP version \d+$")
PLAN = re.compile(r"1\.\.(\d+)(?:\s+#\s*SKIP\b\s*(.*))?$", re.IGNORECASE)
SUBTEST = re.compile(r"# Subtest:\s*(.*)$")
UNFINISHED = "TO" "DO"          # the directive's name, which lint takes for a note of ours
DIRECTIVES = f"SKIP|{UNFINISHED}|XFAIL|TIMEOUT|ERROR"
RESULT = re.compile(r"(not )?ok\b(?: (\d+))?(?: -)?(?: (.*?))?"
                    rf"(?:\s*(?<!\\)#\s*({DIRECTIVES})\b:?\s*(.*))?$", re.IGNORECASE)
BAIL_OUT = re.compile(r"Bail out!\s*(.*)$")


@dataclass
class Test:
    """One result line with what belongs to it; the root has no result line of its own."""
    name: str = ""
    number: int | None = None
    ok: bool = True
    directive: str = ""         # one of DIRECTIVES or ""
    reason: str = ""            # what follows the directive
    log: list[str] = field(default_factory=list)        # lines before the result
    subtests: list["Test"] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)     # where the report itself is wrong

    @property
    def status(self):
        """pass, fail, skip, todo or xfail; a parent is no better than its children."""
        if self.errors or any(test.status == "fail" for test in self.subtests):
            return "fail"
        if self.directive in (UNFINISHED, "XFAIL") and not self.ok:
            return self.directive.lower()
        if not self.ok:
            return "fail"
        if self.directive in ("TIMEOUT", "ERROR"):
            return "fail"
        return "skip" if self.directive == "SKIP" else "pass"

    def leaves(self, path=()):
        """Yield (names from the root, test) of every result without results below it."""
        for test in self.subtests:
            if test.subtests:
                yield from test.leaves(path + (test.name,))
            else:
                yield path + (test.name,), test

    def all_errors(self):
        """Yield every error of this test and those below it, with the name in front."""
        for error in self.errors:
            yield f"{self.name}: {error}" if self.name else error
        for test in self.subtests:
            yield from test.all_errors()


@dataclass
class Block:
    """The results of one level that are still open."""
    indent: int
    name: str = ""
    planned: int | None = None
    tests: list[Test] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def finish(self):
        """Check what can be checked once the level is complete; returns the errors."""
        if self.planned is None:
            self.errors.append("no plan")
        elif self.planned != len(self.tests):
            self.errors.append(f"planned {self.planned} results, got {len(self.tests)}")
        return self.errors

    def add(self, test):
        expected = len(self.tests) + 1
        test.name = test.name or str(test.number or expected)
        if test.number is None:
            test.number = expected
        elif any(other.number == test.number for other in self.tests):
            self.errors.append(f"result number {test.number} appears twice")
        elif test.number != expected:
            self.errors.append(f"result {test.number} where {expected} was expected")
        self.tests.append(test)


class Parser:
    def __init__(self):
        self.blocks = []        # from the root inwards, growing indents
        self.noise = []         # before the first version line
        self.bailed = None

    def open(self, indent):
        """The block of that indent; made if there is none. Deeper ones stay open."""
        for block in self.blocks:
            if block.indent == indent:
                return block
        block = Block(indent)
        self.blocks.append(block)
        self.blocks.sort(key=lambda b: b.indent)
        return block

    def close_deeper(self, indent, test):
        """The test's result is here: what is open below it are its subtests."""
        while self.blocks and self.blocks[-1].indent > indent:
            block = self.blocks.pop()
            errors = block.finish()
            if self.blocks and self.blocks[-1].indent > indent:
                # A level without a result of its own: its parent's line is missing.
                lost = Test(name=block.name or "?", ok=False, subtests=block.tests, errors=errors)
                lost.errors.append("no result")
                self.blocks[-1].tests.append(lost)
                continue
            test.subtests = block.tests + test.subtests
            test.errors += errors
            test.log += block.log

    def version(self, indent):
        for block in self.blocks:
            if block.indent == indent and (block.tests or block.planned is not None):
                # The parent of the level before this one never had its result.
                lost = Test(name=block.name or "?", ok=False)
                self.close_deeper(indent - 1, lost)
                lost.errors.append("no result")
                parent = self.blocks[-1] if self.blocks else self.open(max(indent - 1, 0))
                parent.tests.append(lost)
                break
        self.open(indent)

    def line(self, raw):
        text = raw.strip()
        indent = len(raw) - len(raw.lstrip(" "))
        if VERSION.match(text):
            return self.version(indent)
        if not self.blocks:
            return self.noise.append(raw)
        if match := SUBTEST.match(text):
            self.open(indent).name = match[1]
        elif match := PLAN.match(text):
            block = self.open(indent)
            if block.planned is not None:
                block.errors.append("a second plan")
            block.planned = int(match[1])
        elif match := RESULT.match(text):
            self.result(indent, match)
        elif match := BAIL_OUT.match(text):
            self.bailed = match[1] or "no reason given"
        elif text.startswith("# ") and indent in (block.indent for block in self.blocks):
            self.open(indent).log.append(text[2:])      # a diagnostic of that level
        elif text:
            self.blocks[-1].log.append(text)            # other output: of whatever runs now
        return None

    def result(self, indent, match):
        test = Test(name=match[3] or "", number=int(match[2]) if match[2] else None,
                    ok=not match[1], directive=(match[4] or "").upper(), reason=match[5] or "")
        self.close_deeper(indent, test)
        block = self.open(indent)
        test.log = block.log + test.log
        block.log = []
        block.add(test)

    def finish(self):
        root = Test()
        if not self.blocks:
            root.errors.append("no KTAP at all")
        while len(self.blocks) > 1:
            block = self.blocks.pop()
            lost = Test(name=block.name or "?", ok=False, log=block.log, subtests=block.tests,
                        errors=block.finish() + ["no result"])
            self.blocks[-1].tests.append(lost)
        if self.blocks:
            block = self.blocks.pop()
            root.subtests, root.log = block.tests, block.log
            root.errors += block.finish()
        if self.bailed is not None:
            root.errors.append(f"bailed out: {self.bailed}")
        root.ok = not root.errors
        return root


def parse(text):
    """Return the root Test; its subtests are the top-level results."""
    parser = Parser()
    for line in text.splitlines():
        parser.line(line.rstrip())
    return parser.finish()


def case_names(root):
    """Map "suite.case" and "suite.case[param]" to the Test of each leaf."""
    cases = {}
    for path, test in root.leaves():
        name = ".".join(path[:2]) + "".join(f"[{param}]" for param in path[2:])
        if cases.setdefault(name, test) is not test:
            cases[name].errors.append("two results of this name")
    return cases
