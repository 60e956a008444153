# SPDX-License-Identifier: MIT
"""gdb -x scripts/kcoro-gdb.py PROGRAM: commands for coroutines.

kc-bt EXPR   backtrace of a coroutine that does not run; EXPR is a kcoro_t pointer
kc-info EXPR its id, name, state and stack
"""
import gdb

FRAME_POINTERS = (("x86-64", "rbp"), ("aarch64", "x29"), ("riscv", "s0"))
STATES = ("CREATED", "SUSPENDED", "READY", "RUNNING", "PARKED", "FINISHED", "SUSPENDED (resuming)")


def coroutine(text):
    kind = gdb.lookup_type("struct kcoro").pointer()
    return gdb.parse_and_eval(text or "kcoro_current_head").cast(kind).dereference()


class Backtrace(gdb.Command):
    """kc-bt EXPR: backtrace of a coroutine that does not run."""

    def __init__(self):
        super().__init__("kc-bt", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        context = coroutine(argument)["head"]["ctx"]
        gdb.newest_frame().select()
        machine = gdb.newest_frame().architecture().name()
        fp = next(reg for name, reg in FRAME_POINTERS if name in machine)
        registers = {"sp": "sp", "fp": fp, "pc": "pc"}
        running = {reg: int(gdb.parse_and_eval(f"(unsigned long)${reg}"))
                   for reg in registers.values()}
        try:
            for field, reg in registers.items():
                gdb.execute(f"set ${reg} = {int(context[field])}")
            gdb.execute("bt")
        finally:
            for reg, value in running.items():
                gdb.execute(f"set ${reg} = {value}")


class Info(gdb.Command):
    """kc-info EXPR: id, name, state and stack of a coroutine, by default of the running one."""

    def __init__(self):
        super().__init__("kc-info", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _from_tty):
        co = coroutine(argument)
        has_name = "name" in [field.name for field in co.type.fields()]
        name = co["name"].string() if has_name else ""
        state, base, size = int(co["head"]["state"]), int(co["stack"]["base"]), int(co["stack"]["size"])
        print(f"coroutine {int(co['id'])} '{name}' "
              f"{STATES[state] if state < len(STATES) else 'released'}"
              + (f", stack {base:#x}-{base + size:#x}" if size else ", the thread's own stack"))


Backtrace()
Info()
