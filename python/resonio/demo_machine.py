"""The machine and the software that measurements were made with."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from resonio import __version__, demo_contenders, libraries, output
from resonio.mpi import Mpi


def describe(chosen: list[Mpi]) -> dict[str, str]:
    """What a reader of the numbers must know, by heading."""
    facts = {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="minutes"),
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "resonio": _version(),
        "cores": f"{len(os.sched_getaffinity(0))} ({_field('/proc/cpuinfo', 'model name')})",
        "memory": _memory(),
        "system": _field("/etc/os-release", "PRETTY_NAME").strip('"'),
        "kernel": f"{platform.system()} {platform.release()}",
    }
    for mpi in chosen:
        facts[mpi.title] = _mpi_version(mpi)
    facts["load before"] = f"{os.getloadavg()[0]:.1f}"
    return facts


def busy() -> str:
    """A warning if other work is going on, else nothing."""
    load = os.getloadavg()[0]
    cores = len(os.sched_getaffinity(0))
    if load < 0.5 * cores:
        return ""
    return f"the load of this machine is {load:.1f} on {cores} cores: times will be noisy"


def _field(path: str, name: str) -> str:
    try:
        text = Path(path).read_text()
    except OSError:
        return "unknown"
    found = re.search(rf"^{name}\s*[:=]\s*(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else "unknown"


def _memory() -> str:
    kibibytes = re.match(r"(\d+) kB", _field("/proc/meminfo", "MemTotal"))
    return output.human(int(kibibytes.group(1)) * 1024) if kibibytes else "unknown"


def _version() -> str:
    git = shutil.which("git")
    if git is None or not (libraries.TREE / ".git").exists():
        return __version__
    words = [git, "-C", str(libraries.TREE), "describe", "--always", "--dirty"]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    commit = answer.stdout.strip()
    return f"{__version__} ({commit})" if commit else __version__


def _mpi_version(mpi: Mpi) -> str:
    words = [demo_contenders.launcher(mpi), "--version"]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(r"\d+\.\d+\.\d+\S*", answer.stdout)
    return found.group(0) if found else "unknown"
