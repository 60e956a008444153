# SPDX-License-Identifier: MIT
"""The samples and benchmarks of the default configuration, built once for all who ask."""
import functools
import subprocess

import kmatrix


@functools.cache
def built():
    entry = kmatrix.Entry(name="programs", directory=kmatrix.build_root() / "programs",
                          config=["WERROR=y"])
    entry.build(kmatrix.WORKERS, ("samples", "bench"))
    return entry


def run(name, *args):
    """Run a program of the build directory to its end."""
    return subprocess.run([str(built().directory / name), *args], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
