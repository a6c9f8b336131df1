"""The little of an ELF file that tells what it is linked with."""

from __future__ import annotations

import mmap
import os
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB = 1, 5
DEFAULT_LOADER = Path("/lib64/ld-linux-x86-64.so.2")


@dataclass
class Elf:
    """What a file asks of the dynamic loader."""

    interpreter: str | None = None  # a shared library has none, nor a static program
    dynamic: bool = False
    needed: list[str] = field(default_factory=list)


def read(path: Path) -> Elf | None:
    """The file's ELF facts, or None if it is not an ELF file that can be read."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                return None
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _parse(data)
    except (OSError, ValueError, struct.error):
        return None


def contains(path: Path, text: bytes) -> bool:
    """Whether the bytes occur anywhere in the file, for instance a symbol's name."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(text) >= 0
    except (OSError, ValueError):
        return False


def libraries(path: Path) -> dict[str, Path | None]:
    """Every library the dynamic loader would load for the file, theirs included, by name.

    None where it finds no file. The loader is asked itself: it knows about search paths.
    """
    facts = read(path)
    if facts is None or not facts.dynamic:
        return {}
    loader = Path(facts.interpreter) if facts.interpreter else DEFAULT_LOADER
    if not loader.exists():
        return dict.fromkeys(facts.needed)
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    answer = subprocess.run(
        [loader, "--list", path.resolve()],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, Path | None] = dict.fromkeys(facts.needed)
    for line in answer.stdout.splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        if arrow:
            found[name] = None if rest.startswith("not found") else Path(rest.split(" (0x")[0])
    return found


def _parse(data: mmap.mmap) -> Elf:
    wide = data[4] == 2
    order = "<" if data[5] == 1 else ">"
    if wide:
        (table,) = struct.unpack_from(order + "Q", data, 32)
        size, count = struct.unpack_from(order + "HH", data, 54)
    else:
        (table,) = struct.unpack_from(order + "I", data, 28)
        size, count = struct.unpack_from(order + "HH", data, 42)
    segments = [_segment(data, table + i * size, wide, order) for i in range(count)]
    elf = Elf()
    for kind, offset, _, length in segments:
        if kind == PT_INTERP:
            elf.interpreter = data[offset : offset + length].rstrip(b"\0").decode()
        elif kind == PT_DYNAMIC:
            elf.dynamic = True
            elf.needed = _needed(data, offset, length, segments, wide, order)
    return elf


Segment = tuple[int, int, int, int]  # kind, offset in the file, address, bytes in the file


def _segment(data: mmap.mmap, at: int, wide: bool, order: str) -> Segment:
    if wide:
        kind, _, offset, address, _, length = struct.unpack_from(order + "IIQQQQ", data, at)
    else:
        kind, offset, address, _, length = struct.unpack_from(order + "IIIII", data, at)
    return kind, offset, address, length


def _needed(
    data: mmap.mmap, offset: int, length: int, segments: list[Segment], wide: bool, order: str
) -> list[str]:
    entry = struct.Struct(order + ("qQ" if wide else "iI"))
    names: list[int] = []
    strings = 0
    for at in range(offset, offset + length - entry.size + 1, entry.size):
        tag, value = entry.unpack_from(data, at)
        if tag == DT_NEEDED:
            names.append(value)
        elif tag == DT_STRTAB:
            strings = value
    for kind, start, address, size in segments:
        if kind == PT_LOAD and address <= strings < address + size:
            base = start + strings - address
            return [data[base + n : data.find(b"\0", base + n)].decode() for n in names]
    return []
