# SPDX-License-Identifier: MIT
"""The samples and benchmarks of the default configuration, built once for all who ask."""
import functools
import subprocess

import kmatrix

QEMU = {"arm64": ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
        "riscv": ("qemu-riscv64", "-L", "/usr/riscv64-linux-gnu")}


@functools.cache
def built(arch=None, goals=("samples", "bench")):
    directory = kmatrix.build_root() / f"programs-{arch or 'native'}"
    entry = kmatrix.Entry(name=f"programs-{arch or 'native'}", directory=directory,
                          config=["WERROR=y"], make=[f"ARCH={arch}"] if arch else [],
                          runner=list(QEMU.get(arch, ())))
    entry.build(kmatrix.WORKERS, goals)
    return entry


def run(name, *args, arch=None):
    """Run a program of the build directory to its end."""
    entry = built(arch) if arch is None else built(arch, ("samples",))
    return subprocess.run([*entry.runner, str(entry.directory / name), *args], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
