# SPDX-License-Identifier: MIT
"""The matrix of configurations: read matrix.toml, build an entry, run its test programs.

Knows nothing of pytest; conftest.py and coverage.py are its users.
"""
import dataclasses
import fnmatch
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time
import tomllib

import ktap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MATRIX = ROOT / "tests" / "matrix.toml"
WORKERS = os.cpu_count() or 1
# What a make that runs us has set for itself is not meant for the makes we run.
NOT_OURS = re.compile(r"MAKE|MFLAGS|KC_|KCONFIG_|(O|V|W|ARCH|SRCARCH|CROSS_COMPILE|LLVM|CC|CXX|AR"
                      r"|CFLAGS|LDFLAGS|EXTERNAL|DESTDIR|srctree|objtree)$")


class MatrixError(Exception):
    """Something that must not be passed over in silence; the text is for the user."""


@dataclasses.dataclass
class Outcome:
    """The verdict on one case, ready to be shown."""
    status: str                 # as ktap.Test.status
    reason: str = ""
    text: str = ""


@dataclasses.dataclass
class Entry:
    """One line of the matrix: a configuration, how it is built and how its programs are run."""
    name: str
    directory: pathlib.Path
    base: str = "defconfig"             # a configuration goal of make
    config: list = dataclasses.field(default_factory=list)      # lines on top, without CONFIG_
    make: list = dataclasses.field(default_factory=list)        # variables for make
    runner: list = dataclasses.field(default_factory=list)      # command before the program
    kind: str = "native"                # what the programs see as $KTEST_RUNNER
    env: dict = dataclasses.field(default_factory=dict)
    timeout_scale: float = 1
    slow: bool = True                   # run slow cases
    skip: list = dataclasses.field(default_factory=list)        # programs not to be run
    min_cases: int = 1
    tier: str = "default"

    def make_command(self, *goals):
        return ["make", "-C", str(ROOT), f"O={self.directory}", *self.make, *goals]

    def commands(self, jobs, goals=("tests",)):
        """What builds the entry, as it could be typed."""
        configure = [self.base]
        if self.config:
            configure.append(str(self.fragment))
        return [self.make_command(*configure), self.make_command(f"-j{jobs}", *goals)]

    @property
    def fragment(self):
        return self.directory / "matrix.config"

    def build(self, jobs=1, goals=("tests",)):
        """Build; the log is kept in the directory. Raises MatrixError with the log's end."""
        self.directory.mkdir(parents=True, exist_ok=True)
        lines = [line if line.startswith("#") else f"CONFIG_{line}" for line in self.config]
        self.fragment.write_text("".join(f"{line}\n" for line in lines))
        log = self.directory / "matrix.log"
        with log.open("w") as out:
            for command in self.commands(jobs, goals):
                print("$", shlex.join(command), file=out, flush=True)
                rc = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=subprocess.STDOUT, env=clean_environment()).returncode
                if rc:
                    raise MatrixError(f"build of {self.name} failed ({ended(rc)}):\n"
                                      f"{tail(log.read_text(errors='replace'))}")

    def programs(self):
        """The test programs that the build left."""
        found = [path for path in sorted(self.directory.glob("tests/*.ktest"))
                 if path.name not in self.skip]
        if not found:
            raise MatrixError(f"{self.name}: no test programs in {self.directory}/tests")
        return [Program(self, path) for path in found]


class Program:
    """One *.ktest of an entry."""

    def __init__(self, entry, path):
        self.entry = entry
        self.path = path
        self.limit = 900        # seconds for the whole program; its cases have their own
        self.problems = []      # what cannot be blamed on one case
        self.cases = []

    def command(self, *args):
        return [*self.entry.runner, str(self.path), *map(str, args)]

    def execute(self, *args):
        """Run it; returns (exit status or None if it had to be killed, stdout, stderr)."""
        env = {**os.environ, **self.entry.env, "KTEST_RUNNER": self.entry.kind}
        # Files rather than pipes: a process left behind cannot keep us waiting.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(self.command(*args), stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err, env=env, start_new_session=True)
            try:
                rc = process.wait(self.limit)
            except subprocess.TimeoutExpired:
                rc = None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        return rc, *texts

    def list(self):
        rc, out, err = self.execute("--list")
        if rc != 0:
            raise MatrixError(f"{self.path} --list: {self.ended(rc)}\n{tail(out + err)}")
        self.cases = out.splitlines()
        bad = [name for name in self.cases if "." not in name]
        if bad or not self.cases:
            raise MatrixError(f"{self.path} --list: " +
                              (f"not a case: {bad[0]}" if bad else "lists no cases"))
        return self.cases

    def ended(self, rc):
        return f"still running after {self.limit} s" if rc is None else ended(rc)

    def arguments(self):
        args = ["--timeout-scale", self.entry.timeout_scale]
        return args if self.entry.slow else [*args, "--no-slow"]

    def run(self, names):
        """Run these cases in one go; returns {name: Outcome}, complete in any event.

        What has no result then, because the program died, is run again one by one: only the
        case that is to blame fails.
        """
        chosen = [] if names == self.cases else [arg for name in names for arg in ("--run", name)]
        rc, out, err = self.execute(*self.arguments(), *chosen)
        root = ktap.parse(out)
        found = ktap.case_names(root)
        outcomes = {name: self.outcome(name, found[name]) for name in names if name in found}
        missing = [name for name in names if name not in found]
        for name in missing:
            outcomes[name] = self.run_alone(name)
        failed = any(outcome.status == "fail" for outcome in outcomes.values())
        errors = list(root.all_errors())
        if not missing and (rc not in (0, 1) or rc != failed or errors):
            self.problems.append(f"{self.shell(*self.arguments())}: {self.ended(rc)}, with "
                                 f"{'a' if failed else 'no'} failed case\n"
                                 + "\n".join(errors) + "\n" + tail(err))
        elif missing and not failed:
            self.problems.append(f"{self.shell(*self.arguments())}: {self.ended(rc)}, but alone "
                                 f"each case passes\n" + "\n".join(errors) + "\n" + tail(err))
        return outcomes

    def run_alone(self, name):
        rc, out, err = self.execute(*self.arguments(), "--run", name)
        test = ktap.case_names(ktap.parse(out)).get(name)
        if test:
            return self.outcome(name, test)
        return Outcome("fail", "no result", f"no result: {self.ended(rc)}\n{tail(out + err)}\n"
                                            f"{self.shell('--run', name)}")

    def outcome(self, name, test):
        reason = f"{test.directive} {test.reason}".strip()
        if test.status != "fail":
            return Outcome(test.status, test.reason or test.directive)
        log = [line for line in test.log if not line.startswith("reproduce:")]
        seed = next((line.rsplit(" ", 1)[1] for line in test.log
                     if line.startswith("reproduce:")), None)
        again = self.shell("--run", name, *(["--seed", seed] if seed else []))
        return Outcome("fail", reason, "\n".join([*log, *test.errors, reason, again]).strip())

    def shell(self, *args):
        """The command with its environment, to be pasted."""
        return shlex.join([*(f"{key}={value}" for key, value in self.entry.env.items()),
                           *self.command(*args)])


def ended(rc):
    if rc < 0:
        return f"killed by {signal.Signals(-rc).name}"
    return f"exit status {rc}"


def tail(text, lines=40):
    kept = text.rstrip().splitlines()[-lines:]
    return "\n".join(kept)


def clean_environment():
    return {key: value for key, value in os.environ.items() if not NOT_OURS.match(key)}


def build_root():
    """Where builds go: $KTEST_BUILD_DIR, else build/ in make's O= or in the source tree."""
    if "KTEST_BUILD_DIR" in os.environ:
        return pathlib.Path(os.environ["KTEST_BUILD_DIR"]).resolve()
    return pathlib.Path(os.environ.get("KCORO_O") or ROOT).resolve() / "build"


def load(path=MATRIX, tiers=("default",), globs=()):
    """The entries of these tiers whose name matches one of the globs (if there are any)."""
    data = tomllib.loads(pathlib.Path(path).read_text())
    defaults = data.pop("defaults", {})
    runners = data.pop("runner", {})
    entries = []
    for name, own in data.pop("entry").items():
        values = {**defaults, **own}
        values["config"] = defaults.get("config", []) + own.get("config", [])
        runner = values.pop("runner", "native")
        if runner != "native" and runner not in runners:
            raise MatrixError(f"{path}: entry {name}: no runner '{runner}'")
        values = {**runners.get(runner, {}), **values}
        values["env"] = {**runners.get(runner, {}).get("env", {}), **own.get("env", {})}
        values["runner"] = values.pop("command", [])
        unknown = set(values) - {field.name for field in dataclasses.fields(Entry)}
        if unknown:
            raise MatrixError(f"{path}: entry {name}: unknown key {', '.join(sorted(unknown))}")
        entries.append(Entry(name=name, directory=build_root() / name, **values))
    if data:
        raise MatrixError(f"{path}: unknown table {', '.join(sorted(data))}")
    chosen = [entry for entry in entries
              if (entry.tier in tiers if not globs else
                  any(fnmatch.fnmatch(entry.name, glob) for glob in globs))]
    if not chosen:
        raise MatrixError(f"no entry of {path} matches {' '.join(globs) or ' '.join(tiers)}")
    return chosen


def runner(arch):
    """The command before a program for this processor (None: this machine), as in the matrix."""
    return next((entry.runner for entry in load() if f"ARCH={arch}" in entry.make), [])


class Stopwatch:
    def __init__(self):
        self.start = time.monotonic()

    def __str__(self):
        return f"{time.monotonic() - self.start:.1f} s"
