"""What a directory's file system is and can do, found by looking and trying."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path

F_OFD_SETLK = 37
# Types that many nodes see; of others it is said that this node alone does.
SHARED_TYPES = frozenset(
    {"lustre", "ceph", "fuse.ceph", "gpfs", "beegfs", "pvfs2", "nfs", "nfs4", "fuse.glusterfs"}
    | {"panfs", "cifs", "9p", "wekafs", "fuse.dfuse"}
)


@dataclass(frozen=True)
class FileSystem:
    """The file system a directory is on."""

    directory: str
    mount: str
    type: str
    shared: bool
    size: int
    free: int
    writable: str  # "" or why not
    locks: str  # "" or why not


def look(path: Path) -> FileSystem:
    """Facts about the file system of a path, or of the directory it would be in."""
    directory = path.absolute()
    while not directory.is_dir() and directory != directory.parent:
        directory = directory.parent
    mount, kind = mount_of(directory, Path("/proc/self/mountinfo").read_text())
    numbers = os.statvfs(directory)
    writable, locks = _try_file(directory)
    return FileSystem(
        directory=str(directory),
        mount=mount,
        type=kind,
        shared=kind in SHARED_TYPES,
        size=numbers.f_frsize * numbers.f_blocks,
        free=numbers.f_frsize * numbers.f_bavail,
        writable=writable,
        locks=locks,
    )


def mount_of(directory: Path, mountinfo: str) -> tuple[str, str]:
    """Mount point and type of the file system a directory is on.

    Fields of a line: id, parent, device, root, mount point, options, ..., "-", type, source.
    """
    real = directory.resolve()
    best = ("/", "unknown")
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields, types = before.split(), after.split()
        if len(fields) < 5 or not types:
            continue
        # Blanks are written as octal numbers.
        point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[4])
        # The last mount on a point is the one that is seen.
        if real.is_relative_to(point) and len(point) >= len(best[0]):
            best = (point, types[0])
    return best


def _try_file(directory: Path) -> tuple[str, str]:
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            request = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
            try:
                fcntl.fcntl(file, F_OFD_SETLK, request)
            except OSError as error:
                return "", error.strerror or str(error)
            return "", ""
    except OSError as error:
        return error.strerror or str(error), "not tried"
