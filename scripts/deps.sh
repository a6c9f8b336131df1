#!/usr/bin/env bash
# Installs what building, testing and the demo need: Debian packages, the venv .venv, and
# mpi4py for each MPI in .deps/mpi4py-<mpi>. Does nothing when all of it is there.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
mkdir -p build "$DEPS"
exec 9> "$DEPS/.lock"
flock 9  # two makes at once must not install at once

apt_packages() {
  local wanted missing=() package
  wanted=$(grep -v '^#' scripts/apt-packages.txt)
  if ! command -v dpkg-query > /dev/null; then
    echo "Not a Debian system: see docs/dependencies.md for what must be installed by hand." >&2
    return
  fi
  for package in $wanted; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local run=()
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo > /dev/null && { sudo -n true 2> /dev/null || [ -t 0 ]; }; then
      run=(sudo)
    else
      die "Debian packages are missing, and this is neither root nor a user with sudo. Have them installed with:
  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    fi
  fi
  say "installing ${#missing[@]} Debian packages (log: build/apt.log): ${missing[*]}"
  local apt=("${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; } \
    > build/apt.log 2>&1 < /dev/null || { tail -n 30 build/apt.log >&2; die "apt-get failed"; }
}

PIP=("$VENV/bin/python" -m pip --disable-pip-version-check -q)

# The first Python that is new enough and can make a venv. Debian's own comes before those of
# version managers, because its headers are the ones python3-dev brings.
find_python() {
  local python
  for python in ${PYTHON:-/usr/bin/python3 python3 python3.13 python3.12 python3.11}; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
      echo "$python"
      return
    fi
  done
  die "no Python >= 3.11 with venv among: ${PYTHON:-/usr/bin/python3 python3}. Install one, or name it: make PYTHON=..."
}

venv() {
  local python key
  python=$(find_python)
  key=$("$python" -c 'import sys; print(sys.executable, sys.version)' | cat - pyproject.toml | sha256sum)
  ! fresh "$VENV/.stamp" "$key" || return 0
  say "Python environment in .venv ($("$python" --version))"
  [ -x "$VENV/bin/python" ] && [ "$("$VENV/bin/python" --version)" = "$("$python" --version)" ] \
    || "$python" -m venv --clear "$VENV"
  "${PIP[@]}" install 'pip>=23.1' 'setuptools>=68,<75' wheel 'cython>=3'
  "${PIP[@]}" install --no-build-isolation -e '.[demo,dev]'
  done_with "$VENV/.stamp" "$key"
}

# From source: the ready-made package of PyPI looks for a library name that Debian's MPICH does
# not have. Not optimised, since its one file takes ten times longer to compile otherwise, and
# it only wraps. No cache: pip's has one place for the builds of both MPIs.
mpi4py() {
  local mpi=$1 target=$DEPS/mpi4py-$1 key
  key="$("$VENV/bin/python" --version) $MPI4PY $(mpicc."$mpi" --version | head -1) $(dpkg-query -W "$2" 2> /dev/null || true)"
  ! fresh "$target/.stamp" "$key" || return 0
  say "mpi4py for $mpi, from source (a minute or two)"
  rm -rf "$target"
  env -u CC -u LDSHARED MPICC=$(command -v mpicc."$mpi") CFLAGS='-O0 -g0' \
    "${PIP[@]}" install --no-build-isolation --no-deps --no-cache-dir --no-binary mpi4py --target "$target" "$MPI4PY"
  PYTHONPATH=$target "$VENV/bin/python" -c 'import mpi4py.MPI' || die "mpi4py for $mpi cannot be imported"
  done_with "$target/.stamp" "$key"
}
# Not 4.x: it makes datatypes with MPI_Type_*_c, and MPICH 4.0's own MPI-IO (ROMIO) aborts in
# set_view on those ("Out of memory in file adio/common/flatten.c"). 3.1.6 cannot be built
# with newer setuptools.
MPI4PY='mpi4py==3.1.6'

apt_packages
venv
mpi4py mpich libmpich-dev &
first=$!
mpi4py openmpi libopenmpi-dev
wait $first
