"""A one-rank MPI program without a compiler: writes and reads a file by MPI-IO, through ctypes.

Run as `python -m resonio.probe MPI LIBMPI DIRECTORY [LIBRESONIO]` with LIBRESONIO preloaded;
prints one line of JSON. Without LIBRESONIO it only asks the MPI for its version.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

SIZE = 1 << 20
# The same numbers in both MPIs.
MODE_CREATE, MODE_RDWR, MODE_DELETE_ON_CLOSE, MODE_EXCL = 1, 8, 16, 64


class Handles:
    """The few handles needed. MPICH's are numbers, Open MPI's addresses of objects."""

    def __init__(self, mpi: str, library: ctypes.CDLL) -> None:
        if mpi == "mpich":
            self.type: type = ctypes.c_int
            self.self, self.null_info, self.byte = 0x44000001, 0x1C000000, 0x4C00010D
            self.ignore = ctypes.c_void_p(1)
        else:
            self.type = ctypes.c_void_p
            self.self, self.null_info, self.byte = (
                ctypes.addressof(ctypes.c_char.in_dll(library, name))
                for name in ("ompi_mpi_comm_self", "ompi_mpi_info_null", "ompi_mpi_byte")
            )
            self.ignore = ctypes.c_void_p(0)


class Failure(Exception):
    """An MPI call failed."""


def version(library: ctypes.CDLL) -> str:
    """The first part of the MPI's own version text."""
    text = ctypes.create_string_buffer(1 << 16)
    length = ctypes.c_int()
    library.MPI_Get_library_version(text, ctypes.byref(length))
    first = text.value.decode(errors="replace").split("\n")[0].split(",")[0]
    return " ".join(first.replace("Version:", "").split())


def check_preloaded(ours: str) -> None:
    """A program's call must reach our function, not the MPI's own."""
    reached, wanted = (
        ctypes.cast(ctypes.CDLL(name).MPI_File_open, ctypes.c_void_p).value for name in (None, ours)
    )
    if reached != wanted:
        raise Failure("MPI_File_open of another library is called although it is preloaded")


def transfer(mpi: str, library: ctypes.CDLL, directory: str) -> None:
    """Write a pattern, read it back, compare."""
    handles = Handles(mpi, library)
    handle, offset, pointer = handles.type, ctypes.c_int64, ctypes.c_void_p
    everything = ctypes.CDLL(None)  # where a program's calls go: the preloaded library first

    def call(name: str, *arguments: object) -> None:
        code = getattr(everything if "File" in name else library, name)(*arguments)
        if code != 0:
            raise Failure(f"{name} returned {code}")

    call("MPI_Init", None, None)
    file = pointer()
    path = str(Path(directory) / f".resonio-doctor-{os.getpid()}").encode()
    mode = MODE_CREATE | MODE_EXCL | MODE_RDWR | MODE_DELETE_ON_CLOSE
    call(
        "MPI_File_open", handle(handles.self), path, mode, handle(handles.null_info),
        ctypes.byref(file),
    )  # fmt: skip
    pattern = bytes(range(251)) * (SIZE // 251 + 1)
    buffer = ctypes.create_string_buffer(pattern[:SIZE], SIZE)
    back = ctypes.create_string_buffer(SIZE)
    byte = handle(handles.byte)
    for name, memory in (("MPI_File_write_at_all", buffer), ("MPI_File_read_at_all", back)):
        call(name, file, offset(0), memory, ctypes.c_int(SIZE), byte, handles.ignore)
    call("MPI_File_close", ctypes.byref(file))
    call("MPI_Finalize")
    if back.raw != buffer.raw:
        raise Failure("what was read is not what was written")


def main() -> None:
    """Try, and say in JSON what came of it."""
    mpi, libmpi, directory, ours = sys.argv[1:5]
    result = {"version": "", "works": False, "problem": ""}
    try:
        library = ctypes.CDLL(libmpi, mode=ctypes.RTLD_GLOBAL)
        result["version"] = version(library)
        if ours:
            check_preloaded(ours)
            transfer(mpi, library, directory)
            result["works"] = True
    except (Failure, OSError, AttributeError, ValueError) as error:
        result["problem"] = str(error)
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
