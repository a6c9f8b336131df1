"""`resonio doctor`: what is here, what would happen, what is missing and how to get it."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from resonio import filesystem, hints, installations, libraries, output
from resonio.filesystem import FileSystem
from resonio.installations import Installation
from resonio.mpi import Mpi, of_program

DEBIAN_PACKAGES = {
    Mpi.MPICH: ("mpich libmpich-dev", "libhdf5-mpich-dev"),
    Mpi.OPENMPI: ("openmpi-bin libopenmpi-dev", "libhdf5-openmpi-dev"),
}


@dataclass(frozen=True)
class Advice:
    """Something that is missing."""

    what: str
    how: str


@dataclass
class Report:
    """All that was found."""

    mpis: list[Installation]
    mpi4py: str
    file_system: FileSystem
    cores: int
    shared_memory_free: int
    memfd: bool
    environment: dict[str, str]
    unknown_hints: list[str]
    library_directories: list[str]
    missing: list[Advice]
    usable: bool


def run(path: Path, as_json: bool) -> int:
    """Look, and print. 0 if programs can be run through resonio here, else 1."""
    report = examine(path)
    if as_json:
        print(json.dumps(asdict(report), indent=1, default=str))
    else:
        show(report)
    return 0 if report.usable else 1


def examine(path: Path) -> Report:
    """Collect all facts."""
    place = filesystem.look(path)
    mpis = installations.look(Path(place.directory))
    environment = {k: v for k, v in sorted(os.environ.items()) if _matters(k)}
    tables = hints.load()
    shm = os.statvfs("/dev/shm") if Path("/dev/shm").is_dir() else None
    return Report(
        mpis=mpis,
        mpi4py=_mpi4py(),
        file_system=place,
        cores=len(os.sched_getaffinity(0)),
        shared_memory_free=shm.f_frsize * shm.f_bavail if shm else 0,
        memfd=_memfd_works(),
        environment=environment,
        unknown_hints=unknown_hints(environment, tables) if tables else [],
        library_directories=[str(d) for d in libraries.directories() if d.is_dir()],
        missing=advice(mpis, place, tables is not None),
        usable=any(one.works and one.launchers for one in mpis) and not place.writable,
    )


def unknown_hints(environment: dict[str, str], tables: hints.Tables) -> list[str]:
    """Names of hints in RESONIO_HINTS and in the file ROMIO_HINTS names that resonio ignores."""
    names = hints.unknown_in(environment.get("RESONIO_HINTS", ""), tables)
    romio = environment.get("ROMIO_HINTS", "")
    if romio and Path(romio).is_file():
        lines = [line.split() for line in Path(romio).read_text(errors="replace").splitlines()]
        keys = [words[0] for words in lines if words and not words[0].startswith("#")]
        names += [key for key in keys if not tables.known(key)]
    return list(dict.fromkeys(names))


def advice(mpis: list[Installation], place: FileSystem, has_tables: bool) -> list[Advice]:
    """What is missing, with the command that brings it."""
    result = []
    for one in mpis:
        mpi_packages, hdf5_package = DEBIAN_PACKAGES[one.name]
        if not one.found or not one.launchers:
            part = "" if not one.found else "'s launcher"
            result.append(Advice(f"{one.name.title}{part}", _apt(mpi_packages)))
            continue
        if not one.hdf5:
            what = f"parallel HDF5 for {one.name.title} (only programs that use it need it)"
            result.append(Advice(what, _apt(hdf5_package)))
        if not one.resonio:
            what = f"resonio's library for {one.name.title}"
            result.append(Advice(what, "in the source tree: make build; or set RESONIO_LIBDIR"))
        elif not one.works:
            what = f"a working library for {one.name.title}: {one.problem}"
            result.append(Advice(what, "rebuild it with this MPI's headers: make build"))
    if not has_tables:
        result.append(Advice("the table of hints (resonio-hints)", "make build"))
    if place.writable:
        what = f"permission to write in {place.directory}: {place.writable}"
        result.append(Advice(what, "give `resonio doctor` another directory"))
    return result


def show(report: Report) -> None:
    """Print the report as tables."""
    output.table("MPI", ["", *(one.name.title for one in report.mpis)], mpi_rows(report.mpis))
    print()
    output.table("Here", ["", ""], here_rows(report))
    if report.missing:
        print()
        rows = [[one.what, one.how] for one in report.missing]
        output.table("Missing", ["what", "how to get it"], rows)
    print()
    print("usable" if report.usable else "not usable: see what is missing")


def mpi_rows(mpis: list[Installation]) -> list[list[str]]:
    """A row for each fact, a column for each MPI."""

    def works(one: Installation) -> str:
        if not one.resonio:
            return "-"
        return "1 MiB written and read through it" if one.works else one.problem

    return [
        ["version", *(one.version or "not found" for one in mpis)],
        ["library", *(one.library or "-" for one in mpis)],
        ["launchers", *(" ".join(one.launchers) or "-" for one in mpis)],
        ["parallel HDF5", *(one.hdf5 or "-" for one in mpis)],
        ["resonio's library", *(one.resonio or "not built" for one in mpis)],
        ["works", *(works(one) for one in mpis)],
    ]


def here_rows(report: Report) -> list[list[str]]:
    """Facts on the file system and the machine, with what follows from each."""
    fs = report.file_system
    seen = "many nodes may see it" if fs.shared else "only this node sees it"
    locks = "work" if not fs.locks else f"{fs.locks}: writes never read and rewrite holes"
    rows = [
        ["directory", fs.directory],
        ["file system", f"{fs.type} on {fs.mount}, {seen}"],
        ["free", f"{output.human(fs.free)} of {output.human(fs.size)}"],
        ["byte-range locks", locks],
        ["layout", "taken as one server; the hints striping_unit and striping_factor tell more"],
        ["exchange in this node", _exchange(report)],
        ["cores", f"{report.cores}; with more ranks than that under MPICH: resonio run --yield"],
        ["python3", report.mpi4py],
    ]
    rows += [[name, value] for name, value in report.environment.items()]
    if "ROMIO_HINTS" in report.environment:
        rows.append(["", "resonio reads RESONIO_HINTS, not ROMIO_HINTS"])
    if report.unknown_hints:
        rows.append(["hints nobody knows", " ".join(report.unknown_hints)])
    return rows


def _exchange(report: Report) -> str:
    if report.memfd:
        return "by shared memory (memfd)"
    if report.shared_memory_free > 0:
        return f"by shared memory (/dev/shm, {output.human(report.shared_memory_free)} free)"
    return "by messages: there is neither memfd nor /dev/shm"


def _matters(name: str) -> bool:
    return name.startswith(("RESONIO_", "ROMIO_")) or name == "LD_PRELOAD"


def _memfd_works() -> bool:
    try:
        os.close(os.memfd_create("resonio"))
    except OSError:
        return False
    return True


def _mpi4py() -> str:
    python = shutil.which("python3")
    if python is None:
        return "not found"
    found = of_program(Path(python), ["script.py"])
    return f"{python}: {found.reason}"


def _apt(packages: str) -> str:
    if shutil.which("apt-get") is None:
        return f"with your system's packages or modules (Debian's are {packages})"
    return f"apt-get install -y --no-install-recommends {packages}"
