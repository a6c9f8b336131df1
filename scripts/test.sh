#!/usr/bin/env bash
# Every test: C++ units and MPI programs (ctest), the units again under address and undefined
# behaviour sanitizers, the command (pytest), and the demo at a small size.
# Goes on after a failure, so that one run shows all of them; the exit code tells.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export RESONIO_LIBDIR=$ROOT/build/dev/lib  # not an older build that may be there, too
failed=()
step() {
  local name=$1 start=$SECONDS
  shift
  say "$name"
  "$@" || failed+=("$name")
  echo "-- $name: $((SECONDS - start)) s"
}

units=$(find tests/unit -name '*_test.cpp' -printf '%f\n' | sed 's/\.cpp$//' | sort)
sanitized_units() {
  cmake --preset asan > build/asan.configure.log 2>&1 || { cat build/asan.configure.log >&2; return 1; }
  # shellcheck disable=SC2086  # one target a word
  cmake --build build/asan -j"$JOBS" --target $units || return 1
  ctest --test-dir build/asan -j"$JOBS" --output-on-failure --no-tests=error \
    -R "^($(echo $units | tr ' ' '|'))\$"
}

step "C++ and MPI tests" ctest --test-dir build/dev -j"$JOBS" --output-on-failure --no-tests=error
step "C++ unit tests under sanitizers" sanitized_units
step "tests of the command" "$VENV/bin/python" -m pytest -q
step "demo, small" scripts/demo.sh --size small --out build/demo-small

if [ ${#failed[@]} -gt 0 ]; then
  printf 'FAILED: %s\n' "${failed[@]}"
  exit 1
fi
echo "all tests passed in $SECONDS s"
