"""What a resonio library must define and must not ask for.

check_symbols.py NM LIBRARY HEADER...: every MPI_File_ function that the MPI's headers declare is
defined, as MPI_ and PMPI_, and no other; no symbol of an MPI library is left undefined, since the
library is also loaded into processes without MPI, and where MPI is loaded locally (Python).
"""

import re
import subprocess
import sys
from pathlib import Path


def symbols(nm: str, library: str, kind: str) -> set[str]:
    output = subprocess.run(
        [nm, "-D", kind, library], check=True, capture_output=True, text=True
    ).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines()}


def declared_functions(headers: list[str]) -> set[str]:
    text = "".join(Path(h).read_text() for h in headers if Path(h).exists())
    # Prototypes only; the handle converters of Fortran are functions in both MPIs.
    return {f for f in re.findall(r"\bMPI_File_\w+(?=\()", text) if "errhandler_f" not in f}


def main() -> int:
    nm, library, *headers = sys.argv[1:]
    defined = symbols(nm, library, "--defined-only")
    undefined = symbols(nm, library, "--undefined-only")
    functions = declared_functions(headers)
    problems = [f"only {len(functions)} functions declared?"] if len(functions) < 61 else []
    for function in sorted(functions):
        problems += [f"not defined: {s}" for s in (function, "P" + function) if s not in defined]
    ours = {s for s in defined if s.startswith("MPI_File_")}
    problems += [f"not in this MPI: {s}" for s in sorted(ours - functions)]
    problems += [
        f"undefined: {s}"
        for s in sorted(undefined)
        if re.match(r"P?MPI_|ompi_|opal_|MPIR_|MPID", s)
    ]
    print("\n".join(problems) or f"{library}: {len(functions)} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
