# Sourced by the other scripts: strict mode, the root of the tree, messages, MPI as root.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
VENV=$ROOT/.venv
DEPS=$ROOT/.deps
MPIS="mpich openmpi"
JOBS=${JOBS:-$(nproc)}

say() { printf '== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# fresh STAMP KEY: true if STAMP holds KEY already. done_with STAMP KEY: write it.
fresh() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }
done_with() { mkdir -p "$(dirname "$1")" && printf '%s\n' "$2" > "$1"; }

# Open MPI refuses to run as root, and more ranks than cores, unless told that it is meant.
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
