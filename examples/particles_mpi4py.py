"""Particles and a density mesh, written and read with mpi4py's MPI-IO.

    mpiexec -n 4 python particles_mpi4py.py FILE [PARTICLES MESH SNAPSHOTS]

A snapshot is an array of 64-byte particle records and a cubic mesh of doubles. Particles are
dealt to the processes like cards (number i belongs to rank i mod P), the mesh is cut into
boxes; both go through a file view and one collective call. Then every process reads what its
neighbour wrote, and checks it. Nothing here knows of resonio. The contents depend on the sizes
only, not on the number of processes.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from mpi4py import MPI

COMM = MPI.COMM_WORLD
PARTICLE = np.dtype(
    [
        ("id", "<i8"),
        ("position", "<f8", 3),
        ("velocity", "<f8", 3),
        ("mass", "<f4"),
        ("charge", "<f4"),
    ]
)


@dataclass
class Part:
    """One process's part of a snapshot: where it lies in the file, and its contents."""

    offset: int  # of the data set in the file
    element: MPI.Datatype
    view: MPI.Datatype
    contents: np.ndarray


def particles_of(rank: int, total: int, snapshot: int) -> np.ndarray:
    number = np.arange(rank, total, COMM.size)
    particles = np.empty(number.size, PARTICLE)
    particles["id"] = number
    particles["position"] = (number[:, None] * np.array([1.0, 0.5, 0.25])) + snapshot
    particles["velocity"] = np.sin(number)[:, None] * np.array([1.0, -1.0, 2.0])
    particles["mass"] = 1.0 + number % 7
    particles["charge"] = (number % 3) - 1.0
    return particles


def particle_part(rank: int, total: int, snapshot: int, offset: int) -> Part:
    contents = particles_of(rank, total, snapshot)
    element = MPI.BYTE.Create_contiguous(PARTICLE.itemsize).Commit()
    # Every P-th record; the view starts at the rank's first one.
    view = element.Create_vector(contents.size, 1, COMM.size).Commit()
    return Part(offset + rank * PARTICLE.itemsize, element, view, contents)


def mesh_part(rank: int, size: int, snapshot: int, offset: int) -> Part:
    grid = MPI.Compute_dims(COMM.size, 3)
    # The first axis varies slowest in the file: cut it least.
    place = np.unravel_index(rank, grid)[::-1]
    grid = grid[::-1]
    start = [size * p // n for p, n in zip(place, grid, strict=True)]
    stop = [size * (p + 1) // n for p, n in zip(place, grid, strict=True)]
    box = [b - a for a, b in zip(start, stop, strict=True)]
    x, y, z = np.ogrid[tuple(slice(a, b) for a, b in zip(start, stop, strict=True))]
    contents = ((x * size + y) * size + z + 0.5 * snapshot).astype("<f8")
    view = MPI.DOUBLE.Create_subarray([size] * 3, box, start, MPI.ORDER_C).Commit()
    return Part(offset, MPI.DOUBLE, view, contents)


def parts_of(rank: int, particles: int, mesh: int, snapshots: int) -> list[Part]:
    parts = []
    offset = 0
    for snapshot in range(snapshots):
        parts.append(particle_part(rank, particles, snapshot, offset))
        offset += particles * PARTICLE.itemsize
        parts.append(mesh_part(rank, mesh, snapshot, offset))
        offset += mesh**3 * 8
    return parts


def free_types(parts: list[Part]) -> None:
    for part in parts:
        part.view.Free()
        if part.element != MPI.DOUBLE:
            part.element.Free()


def each_view(path: str, amode: int, parts: list[Part], move: Callable[..., None]) -> float:
    """Opens the file, moves each part through its view; returns the slowest rank's seconds."""
    COMM.Barrier()
    started = MPI.Wtime()
    file = MPI.File.Open(COMM, path, amode)
    for part in parts:
        file.Set_view(part.offset, part.element, part.view)
        count = part.contents.nbytes // part.element.size
        move(file, [part.contents, count, part.element])
    file.Close()
    return COMM.allreduce(MPI.Wtime() - started, MPI.MAX)


def main() -> int:
    path = sys.argv[1]
    sizes = [int(a) for a in sys.argv[2:]] or [1 << 20, 200, 2]
    if len(sizes) != 3 or min(sizes[:2]) < COMM.size:
        print("at least one particle and one plane of the mesh for each process", file=sys.stderr)
        return 2
    mine = parts_of(COMM.rank, *sizes)
    write_seconds = each_view(path, MPI.MODE_CREATE | MPI.MODE_WRONLY, mine, MPI.File.Write_all)

    free_types(mine)

    neighbours = parts_of((COMM.rank + 1) % COMM.size, *sizes)
    right = [part.contents.copy() for part in neighbours]
    for part in neighbours:
        part.contents.view(np.uint8).fill(0xFF)
    read_seconds = each_view(path, MPI.MODE_RDONLY, neighbours, MPI.File.Read_all)
    wrong = sum(
        int(np.count_nonzero(part.contents != contents))
        for part, contents in zip(neighbours, right, strict=True)
    )
    wrong = COMM.allreduce(wrong)
    free_types(neighbours)
    if COMM.rank == 0:
        report = {
            "program": "particles_mpi4py",
            "ranks": COMM.size,
            "bytes": sizes[2] * (sizes[0] * PARTICLE.itemsize + sizes[1] ** 3 * 8),
            "wrong": wrong,
            "write_seconds": round(write_seconds, 6),
            "read_seconds": round(read_seconds, 6),
        }
        print(json.dumps(report))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
