# SPDX-License-Identifier: MIT
"""Just enough of ELF and ar to look into libraries of any machine without its binutils."""
import os
import struct

SHF_WRITE, SHF_ALLOC = 1, 2
SHT_SYMTAB, SHT_NOBITS = 2, 8


class Section:
    def __init__(self, name, kind, flags, size, data, link):
        self.name, self.kind, self.flags = name, kind, flags
        self.size, self.data, self.link = size, data, link


class Elf:
    """One ELF file in memory."""

    def __init__(self, data):
        if data[:4] != b"\x7fELF":
            raise ValueError("not an ELF file")
        self.wide = data[4] == 2
        self.order = "<" if data[5] == 1 else ">"
        # e_shoff, e_shentsize, e_shnum, e_shstrndx
        shoff, = self.unpack("Q" if self.wide else "I", data, 40 if self.wide else 32)
        entsize, count, names_at = self.unpack("3H", data, 58 if self.wide else 46)
        heads = [self.unpack("IIQQQQIIQQ" if self.wide else "10I", data, shoff + i * entsize)
                 for i in range(count)]
        self.sections = []
        for name, kind, flags, _, offset, size, link, *_ in heads:
            body = b"" if kind == SHT_NOBITS else data[offset:offset + size]
            self.sections.append(Section(name, kind, flags, size, body, link))
        names = self.sections[names_at].data if count else b""
        for section in self.sections:
            section.name = c_string(names, section.name)

    def unpack(self, fmt, data, offset):
        return struct.unpack_from(self.order + fmt, data, offset)

    def section(self, name):
        return next((s.data for s in self.sections if s.name == name), None)

    def size(self):
        """(text, data, bss) as size(1) counts them: read-only data is text."""
        text = data = bss = 0
        for s in self.sections:
            if not s.flags & SHF_ALLOC:
                continue
            if s.kind == SHT_NOBITS:
                bss += s.size
            elif s.flags & SHF_WRITE:
                data += s.size
            else:
                text += s.size
        return text, data, bss

    def symbols(self):
        """Yield (name, size) of each function and object that is defined here."""
        for table in (s for s in self.sections if s.kind == SHT_SYMTAB):
            strings = self.sections[table.link].data
            step = 24 if self.wide else 16
            for at in range(0, len(table.data), step):
                if self.wide:
                    name, info, _, index, _, size = self.unpack("IBBHQQ", table.data, at)
                else:
                    name, _, size, info, _, index = self.unpack("IIIBBH", table.data, at)
                if info & 15 in (1, 2, 6) and index and size:
                    yield c_string(strings, name), size


def c_string(data, offset):
    return data[offset:data.index(b"\0", offset)].decode()


def members(data):
    """Yield (name, content) of an ar archive."""
    at, long_names = 8, b""
    while at + 60 <= len(data):
        name = data[at:at + 16].decode().rstrip()
        size = int(data[at + 48:at + 58])
        body = data[at + 60:at + 60 + size]
        at += 60 + size + (size & 1)
        if name == "//":
            long_names = body
        elif name not in ("/", "/SYM64/"):
            if name[0] == "/":
                start = int(name[1:])
                name = long_names[start:long_names.index(b"\n", start)].decode()
            yield name.rstrip("/"), body


def open_all(path):
    """The (name, Elf) pairs of a library, object or program."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] == b"!<arch>\n":
        return [(name, Elf(body)) for name, body in members(data)]
    return [(os.path.basename(path), Elf(data))]
