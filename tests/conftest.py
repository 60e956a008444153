# SPDX-License-Identifier: MIT
"""Makes every C case of every configuration in matrix.toml a pytest item: config::suite.case.

All configurations are built before collection, several at a time, and show it. Collection asks
each test program for its cases. Then the programs run in the background, each as one process
for all of its cases, and the items pick up their results.

Two more items per configuration make sure that nothing is lost in silence: config::build fails
if the build or the listing does, config::complete if there are fewer cases than matrix.toml says
or if a program had problems that belong to no case.
"""
import concurrent.futures
import pathlib
import threading

import kmatrix
import pytest

KTEST = pytest.StashKey()


def pytest_addoption(parser):
    group = parser.getgroup("ktest", "kcoro's matrix of configurations")
    group.addoption("--ktest-config", action="append", default=[], metavar="GLOB",
                    help="only the entries of matrix.toml that match; repeatable; any tier")
    group.addoption("--ktest-tier", action="append", default=[], metavar="TIER",
                    help="tiers of matrix.toml to run (default: default)")
    group.addoption("--ktest-prebuilt", action="store_true",
                    help="take the builds as they are, run no make")


class Matrix:
    """The state of this session: entries, their programs, their running batches."""

    def __init__(self, config):
        self.config = config
        self.entries = kmatrix.load(
            tiers=config.getoption("--ktest-tier") or ("default",),
            globs=config.getoption("--ktest-config"))
        self.whole = not config.getoption("--ktest-config")
        self.errors = {}        # entry name: why there are no cases
        self.programs = {}      # entry name: [Program]
        self.batches = {}       # Program: Future
        self.lock = threading.Lock()
        self.pool = concurrent.futures.ThreadPoolExecutor(kmatrix.WORKERS)

    def say(self, text):
        """A line on the terminal now, captured or not, from any thread."""
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter:
            with self.lock:
                reporter.write(text + "\n", flush=True)

    def prepare(self, entry):
        """Build one entry and list its cases."""
        if not self.config.getoption("--ktest-prebuilt"):
            entry.build()
        programs = entry.programs()
        for program in programs:
            program.list()
        return programs

    def prepare_all(self):
        total = len(self.entries)
        watch = kmatrix.Stopwatch()
        self.say(f"building {total} configurations in {kmatrix.build_root()}")
        futures = {self.pool.submit(self.timed_prepare, entry): entry for entry in self.entries}
        for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
            entry = futures[future]
            try:
                seconds, self.programs[entry.name] = future.result()
                cases = sum(len(program.cases) for program in self.programs[entry.name])
                verdict = f"{cases} cases"
            except (kmatrix.MatrixError, OSError) as error:
                self.errors[entry.name] = str(error)
                seconds, verdict = "", "FAILED"
            self.say(f"  [{number:2}/{total}] {entry.name:<16} done   {seconds:>7}  {verdict}")
        self.say(f"built in {watch}")

    def timed_prepare(self, entry):
        watch = kmatrix.Stopwatch()
        self.say(f"          {entry.name:<16} starts")
        programs = self.prepare(entry)
        return str(watch), programs

    def start_batches(self, items):
        """Run what was selected, one job per program, in the order of the items."""
        chosen = {}
        for item in items:
            if isinstance(item, CaseItem):
                chosen.setdefault(item.program, []).append(item.name)
        for program, names in chosen.items():
            self.batches[program] = self.pool.submit(program.run, names)

    def all_cases(self):
        return {name for programs in self.programs.values()
                for program in programs for name in program.cases}


def pytest_collection(session):
    """Build first, if the matrix is going to be collected."""
    wanted = [pathlib.Path(arg.split("::")[0]).absolute() for arg in session.config.args]
    if any(path == kmatrix.MATRIX or path in kmatrix.MATRIX.parents for path in wanted):
        matrix = session.config.stash[KTEST] = Matrix(session.config)
        matrix.prepare_all()


def pytest_collect_file(file_path, parent):
    if file_path == kmatrix.MATRIX and KTEST in parent.config.stash:
        return MatrixFile.from_parent(parent, path=file_path)
    return None


def pytest_collection_finish(session):
    if KTEST in session.config.stash and not session.config.option.collectonly:
        session.config.stash[KTEST].start_batches(session.items)


def pytest_unconfigure(config):
    if KTEST in config.stash:
        config.stash[KTEST].pool.shutdown(cancel_futures=True)


class MatrixFile(pytest.File):
    def collect(self):
        for entry in self.config.stash[KTEST].entries:
            yield EntryNode.from_parent(self, name=entry.name, nodeid=entry.name, entry=entry)


class EntryNode(pytest.Collector):
    def __init__(self, entry, **kwargs):
        super().__init__(**kwargs)
        self.entry = entry

    def collect(self):
        matrix = self.config.stash[KTEST]
        yield BuildItem.from_parent(self, name="build", entry=self.entry)
        for program in matrix.programs.get(self.entry.name, []):
            for case in program.cases:
                yield CaseItem.from_parent(self, name=case, program=program)
        if self.entry.name in matrix.programs:
            yield CompleteItem.from_parent(self, name="complete", entry=self.entry)


class Failed(Exception):
    """A failure whose text says all."""


class MatrixItem(pytest.Item):
    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        # pytest takes a title that ends the node id for a Python name and rewrites its dots.
        return self.path, None, f"{self.nodeid} "

    @property
    def matrix(self):
        return self.config.stash[KTEST]


class BuildItem(MatrixItem):
    def __init__(self, entry, **kwargs):
        super().__init__(**kwargs)
        self.entry = entry

    def runtest(self):
        if self.entry.name in self.matrix.errors:
            raise Failed(self.matrix.errors[self.entry.name])


class CaseItem(MatrixItem):
    def __init__(self, program, **kwargs):
        super().__init__(**kwargs)
        self.program = program

    def runtest(self):
        outcome = self.matrix.batches[self.program].result()[self.name]
        if outcome.status == "fail":
            raise Failed(outcome.text)
        if outcome.status == "skip":
            pytest.skip(outcome.reason)
        if outcome.status in ("todo", "xfail"):
            pytest.xfail(outcome.reason)


class CompleteItem(MatrixItem):
    def __init__(self, entry, **kwargs):
        super().__init__(**kwargs)
        self.entry = entry

    def runtest(self):
        programs = self.matrix.programs[self.entry.name]
        problems = [problem for program in programs for problem in program.problems]
        count = sum(len(program.cases) for program in programs)
        if count < self.entry.min_cases:
            problems.append(f"{count} cases, but matrix.toml wants at least {self.entry.min_cases}")
        if problems:
            raise Failed("\n\n".join(problems))


@pytest.fixture(scope="session")
def ktest_cases(request):
    """All C cases of the matrix, for tests about the tests."""
    matrix = request.config.stash.get(KTEST, None)
    if not matrix or not matrix.whole:
        pytest.skip("knows all cases only when the whole matrix is run")
    return matrix.all_cases()
