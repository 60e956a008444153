# SPDX-License-Identifier: MIT
"""Running make from tests: a build directory, and what a make did in it."""
import re
import shutil
import subprocess
from pathlib import Path

import kmatrix

TREE = kmatrix.ROOT
ENV = kmatrix.clean_environment()


def run(*command, ok=True, cwd=None, **env):
    """Run a command and return all it printed; it must succeed, or fail if ok is False."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**ENV, **env},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if ok is not None:
        assert (done.returncode == 0) == ok, f"{command}\n{done.stdout}"
    return done.stdout


class Build:
    """A build directory of a source tree."""

    def __init__(self, path, tree=TREE):
        self.path, self.tree = Path(path), Path(tree)

    def make(self, *args, ok=True, **env):
        return run("make", f"O={self.path}", *args, cwd=self.tree, ok=ok, **env)

    def copy(self, path):
        """The same build elsewhere; times are kept, so nothing is rebuilt there."""
        shutil.copytree(self.path, path, symlinks=True)
        return Build(path, self.tree)

    def configure(self, *lines):
        """Merge lines such as NAME_LEN=0 into the configuration."""
        fragment = self.path / "test.config"
        fragment.write_text("".join(f"CONFIG_{line}\n" for line in lines))
        return self.make(fragment)

    @property
    def config(self):
        return (self.path / ".config").read_text().split("\n")


def built(output):
    """What make says it made: {"core/kcoro.o", ...}, symbolic links apart."""
    return set(re.findall(r"^  (?:CC|CXX|AS|AR|LD)  +(\S+)", output, re.M))


def objects(output):
    return {name for name in built(output) if name.endswith(".o")}
