#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""kconf.py MODE [FILE]: what `make *config` does, and the files that a build reads.

The Kconfig language itself is kconfiglib's (Debian: python3-kconfiglib). This file adds what the
kernel's own tool has and kconfiglib lacks: random configurations, fragments, per-symbol stamps,
and a loader that refuses a hand-written file whose values would not take effect.
"""
import gzip
import os
import random
import re
import sys
import time

try:
    import kconfiglib
except ImportError:
    sys.exit(f"kconf: {sys.executable} has no kconfiglib.\n"
             "  On Debian run scripts/need build (or apt-get install python3-kconfiglib),\n"
             "  and use Debian's interpreter: make PYTHON3=/usr/bin/python3")
from kconfiglib import BOOL, HEX, INT, STRING, expr_str, expr_value

SRCTREE = os.environ.get("srctree", ".")
CONFIG = os.environ.get("KCONFIG_CONFIG", ".config")


class ConfigError(Exception):
    """A message for the user; ends the program."""


# --- Loading ------------------------------------------------------------------------------------

def new_kconf():
    """Parse the Kconfig tree; a warning in it is a mistake of ours, hence an error."""
    kconf = kconfiglib.Kconfig("Kconfig", warn_to_stderr=False)
    if kconf.warnings:
        raise ConfigError("\n".join(kconf.warnings))
    kconf.warn_assign_undef = False
    return kconf


def load_lenient(kconf):
    """Load the user's own .config: what no longer exists or applies falls to its default."""
    if not os.path.exists(CONFIG):
        raise ConfigError(f"there is no {CONFIG}; make defconfig or make menuconfig creates one")
    kconf.load_config(CONFIG)


def assignments(path):
    """Yield (line number, symbol name, value) of a configuration file; 'n' for "is not set"."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            unset = re.fullmatch(r"# CONFIG_(\w+) is not set", line)
            if unset:
                yield number, unset[1], "n"
            elif line and not line.startswith("#"):
                match = re.fullmatch(r"CONFIG_(\w+)=(.*)", line)
                if not match:
                    raise ConfigError(f"{path}:{number}: neither an assignment nor a comment: {line}")
                value = match[2]
                if value[:1] == '"':
                    value = kconfiglib.unescape(value[1:-1])
                yield number, match[1], value


def why_refused(sym, value):
    """Say why a symbol, after loading, does not have the value that the file gave it."""
    prompts = [node.prompt for node in sym.nodes if node.prompt]
    if not prompts:
        return "it has no prompt: it is computed, not chosen"
    if sym.visibility == 0:
        unmet = " || ".join(f"({expr_str(cond)})" if len(prompts) > 1 else expr_str(cond)
                            for _, cond in prompts)
        return f"unmet dependency: {unmet}"
    if sym.orig_type in (INT, HEX):
        low, high = active_range(sym)
        return "not a number" if low is None else f"out of range: allowed is {low} to {high}"
    if sym.choice and value == "y":
        return f"{sym.choice.selection.name} is chosen in the same choice"
    if sym.choice:
        return "it is the choice's only possible member or its default; choose another one with =y"
    if expr_value(sym.rev_dep):
        return f"it is selected by {expr_str(sym.rev_dep)}"
    return f"'{value}' is not a value of this type"


def active_range(sym):
    """The (low, high) that applies to a number now, or (None, None)."""
    base = 16 if sym.orig_type == HEX else 10
    for low, high, cond in sym.ranges:
        if expr_value(cond):
            return int(low.str_value, base), int(high.str_value, base)
    return None, None


def load_strict(kconf, path, replace):
    """Load a hand-written file; every line must take effect."""
    if not os.path.exists(path):
        raise ConfigError(f"{path}: no such file; `make help` lists what configs/ has")
    kconf.load_config(path, replace=replace)
    errors = []
    for number, name, value in assignments(path):
        sym = kconf.syms.get(name)
        where = f"{path}:{number}: {name}"
        if sym is None or not sym.nodes:
            errors.append(f"{where}: unknown symbol")
        elif sym.str_value != value and not same_number(sym, value):
            errors.append(f"{where}={value} does not take effect (it is {sym.str_value or 'unset'}):"
                          f" {why_refused(sym, value)}")
        elif not any(node.prompt for node in sym.nodes):
            errors.append(f"{where}: {why_refused(sym, value)}")
    if errors:
        raise ConfigError("\n".join(errors))


def same_number(sym, value):
    """0x10 and 0x010 are one value."""
    if sym.orig_type not in (INT, HEX):
        return False
    base = 16 if sym.orig_type == HEX else 10
    try:
        return int(sym.str_value, base) == int(value, base)
    except ValueError:
        return False


# --- Choosing values ----------------------------------------------------------------------------

def set_all_bools(kconf, value):
    """allyesconfig and allnoconfig: repeat until dependencies have settled."""
    changed = True
    while changed:
        changed = False
        for sym in kconf.unique_defined_syms:
            if sym.orig_type == BOOL and not sym.choice and sym.tri_value != value \
               and value in sym.assignable:
                sym.set_value(value)
                changed = True


def randomise(kconf, rng, vary_ints, pinned):
    """Give each symbol and choice a random value, some rounds long: a later round sees what an
    earlier one made visible, so every member of every choice can be reached."""
    for _ in range(3):
        for sym in kconf.unique_defined_syms:
            if sym in pinned or sym.choice:
                continue
            if sym.orig_type == BOOL and len(sym.assignable) > 1:
                sym.set_value(rng.choice(sym.assignable))
            elif sym.orig_type == INT and vary_ints and sym.visibility:
                low, high = active_range(sym)
                if low is not None:
                    sym.set_value(str(rng.randint(low, high)))
        for choice in kconf.unique_choices:
            members = [sym for sym in choice.syms if sym.visibility]
            if members and not pinned.intersection(choice.syms):
                rng.choice(members).set_value(2)


def randconfig(kconf):
    seed = int(os.environ.get("KCONFIG_SEED") or time.time_ns() % 1000000007)
    print(f"randconfig: KCONFIG_SEED={seed}", flush=True)
    pinned = {kconf.syms[name] for _, name, _ in apply_allconfig(kconf)}
    randomise(kconf, random.Random(seed), os.environ.get("KCONFIG_RAND_INT") == "1", pinned)


def apply_allconfig(kconf):
    """KCONFIG_ALLCONFIG=FILE fixes some symbols of an all*config or randconfig."""
    path = os.environ.get("KCONFIG_ALLCONFIG")
    if not path:
        return []
    load_strict(kconf, path, replace=False)
    return list(assignments(path))


# --- What a build reads -------------------------------------------------------------------------

def write_if_changed(path, text):
    """Keep the old file, and its time, if it says the same."""
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".tmp", path)


def set_symbols(kconf):
    """The symbols that have a value: {name: (type, value)}; a bool that is n has none."""
    return {sym.name: (sym.orig_type, sym.str_value) for sym in kconf.unique_defined_syms
            if sym.config_string and not (sym.orig_type == BOOL and sym.tri_value == 0)}


def c_value(kind, value):
    if kind == BOOL:
        return "1"
    return f'"{kconfiglib.escape(value)}"' if kind == STRING else value


def abi_tag(symbols, version, arch):
    """A readable name for everything that both a header's inline code and the library rely on."""
    with open(os.path.join(SRCTREE, "scripts/abi-symbols"), encoding="utf-8") as file:
        names = [line.split("#")[0].strip() for line in file]
    parts = ["kcoro", ".".join(version.split(".")[:2]), arch]
    for name in filter(None, names):
        if name in symbols:
            kind, value = symbols[name]
            parts.append(name if kind == BOOL else f"{name}={value}")
    return " ".join(parts)


def write_config_header(symbols, version, tag):
    major, minor, patch = version.split(".")
    lines = ["/* SPDX-License-Identifier: MIT */",
             "/* How this kcoro was configured. Generated by the build. */",
             "#ifndef KCORO_CONFIG_H", "#define KCORO_CONFIG_H", "",
             f"#define KC_VERSION_MAJOR {major}", f"#define KC_VERSION_MINOR {minor}",
             f"#define KC_VERSION_PATCH {patch}", f'#define KC_VERSION "{version}"',
             f'#define KC_ABI_TAG "{tag}"', ""]
    lines += [f"#define KC_CONFIG_{name} {c_value(*val)}" for name, val in symbols.items()]
    write_if_changed("include/generated/kcoro/config.h", "\n".join(lines) + "\n\n#endif\n")


def write_stamps(values):
    """Touch include/config/NAME for each value that differs from the last time."""
    old = {}
    if os.path.exists("include/config/.values"):
        with open("include/config/.values", encoding="utf-8") as file:
            old = dict(line.rstrip("\n").split("=", 1) for line in file)
    for name in sorted(old.keys() | values.keys()):
        if old.get(name) != values.get(name):
            with open(f"include/config/{name}", "w", encoding="utf-8"):
                pass
    write_if_changed("include/config/.values", "".join(f"{n}={v}\n" for n, v in values.items()))


def make_quote(text):
    return text.replace("$", "$$").replace("#", "\\#")


def syncconfig(kconf):
    """Write every file that is derived from .config."""
    load_lenient(kconf)
    version = os.environ["KC_VERSION"]
    symbols = set_symbols(kconf)
    tag = abi_tag(symbols, version, os.environ["ARCH"])
    os.makedirs("include/config", exist_ok=True)

    kconf.write_config(CONFIG, save_old=False)

    write_if_changed("include/generated/autoconf.h", "/* Generated by the build. */\n" + "".join(
        f"#define CONFIG_{name} {c_value(*val)}\n" for name, val in symbols.items()))
    write_config_header(symbols, version, tag)
    write_if_changed("include/generated/config-table.h", "".join(
        f'KC_CONFIG_ENTRY("{name}", "{kconfiglib.escape(val)}")\n'
        for name, (_, val) in sorted(symbols.items())))

    with open(CONFIG, "rb") as file:
        blob = gzip.compress(file.read(), mtime=0)
    rows = [", ".join(f"{byte:#04x}" for byte in blob[i:i + 16]) for i in range(0, len(blob), 16)]
    write_if_changed("include/generated/config-blob.h", "/* Generated: .config, by gzip. */\n"
                     "#define KC_CONFIG_BLOB \\\n" + " \\\n".join(
                         f'\t".byte {row}\\n"' for row in rows) + "\n")

    # auto.conf last: it is the target that says all of this is done.
    values = {name: val for name, (_, val) in symbols.items()}
    write_stamps({**values, "KC_ABI_TAG": tag, "KC_VERSION": version})
    with open("include/config/auto.conf.cmd", "w", encoding="utf-8") as file:
        sources = sorted({os.path.join(SRCTREE, name) for name in kconf.kconfig_filenames}
                         | {os.path.join(SRCTREE, "scripts/abi-symbols"), os.path.abspath(__file__)})
        file.write("kconfig-files := " + " \\\n  ".join(sources) + "\n"
                   "include/config/auto.conf: $(kconfig-files)\n$(kconfig-files): ;\n")
        for name in sorted(kconf.env_vars | {"KC_VERSION"}):
            file.write(f"ifneq ($({name}),{make_quote(os.environ.get(name, ''))})\n"
                       "include/config/auto.conf: FORCE\nendif\n")
    with open("include/config/auto.conf", "w", encoding="utf-8") as file:
        file.write("# Generated by the build.\n")
        for name, (kind, val) in symbols.items():
            file.write(f"CONFIG_{name} := {make_quote(val)}\n")
        for choice in kconf.unique_choices:
            if choice.name and choice.selection:
                file.write(f"kc-choice-{choice.name.lower()} := {short_name(choice)}\n")


def short_name(choice):
    """What distinguishes the chosen member: STACK_MAPPED of STACK_MEMORY is 'mapped'."""
    return choice.selection.name.split("_", 1)[-1].lower()


# --- Modes --------------------------------------------------------------------------------------

def save(kconf):
    print(kconf.write_config(CONFIG))


def interactive(kconf, mode):
    try:
        module = __import__(mode)
    except ImportError as error:
        package = "python3-tk" if mode == "guiconfig" else "python3-kconfiglib"
        raise ConfigError(f"{mode} needs {error.name}; on Debian: apt-get install {package}") from error
    getattr(module, mode)(kconf)


def ask_new(kconf):
    """Ask for symbols that .config does not mention; an answer may bring up more of them."""
    import oldconfig
    oldconfig.conf_changed = True
    while oldconfig.conf_changed:
        oldconfig.conf_changed = False
        for node in kconf.node_iter():
            oldconfig.oldconfig(node)


def run(mode, path=None):
    kconf = new_kconf()
    if mode in ("menuconfig", "guiconfig"):
        interactive(kconf, mode)
    elif mode == "nconfig":
        raise ConfigError("there is no nconfig; menuconfig is the terminal interface, guiconfig the windows one")
    elif mode == "oldconfig":
        load_lenient(kconf)
        ask_new(kconf)
        save(kconf)
    elif mode == "olddefconfig":
        load_lenient(kconf)
        save(kconf)
    elif mode == "syncconfig":
        syncconfig(kconf)
    elif mode == "listnewconfig":
        load_lenient(kconf)
        for sym in kconf.unique_defined_syms:
            if sym.user_value is None and sym.visibility and not sym.choice:
                print(sym.config_string, end="")
    elif mode == "savedefconfig":
        load_lenient(kconf)
        print(kconf.write_min_config("defconfig"))
    elif mode == "load":
        load_strict(kconf, path, replace=True)
        save(kconf)
    elif mode == "merge":
        if os.path.exists(CONFIG):
            kconf.load_config(CONFIG)
        load_strict(kconf, path, replace=False)
        save(kconf)
    elif mode == "defconfig":
        save(kconf)
    elif mode in ("allnoconfig", "allyesconfig"):
        set_all_bools(kconf, 2 if mode == "allyesconfig" else 0)
        apply_allconfig(kconf)
        save(kconf)
    elif mode == "tinyconfig":
        set_all_bools(kconf, 0)
        load_strict(kconf, os.path.join(SRCTREE, "configs/tiny.config"), replace=False)
        save(kconf)
    elif mode == "randconfig":
        randconfig(kconf)
        save(kconf)
    else:
        raise ConfigError(f"unknown mode {mode}")


if __name__ == "__main__":
    try:
        run(*sys.argv[1:])
    except (ConfigError, kconfiglib.KconfigError) as error:
        sys.exit(f"kconf: error: {error}".replace("\n", "\nkconf: error: "))
