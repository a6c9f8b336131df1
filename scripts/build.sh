#!/usr/bin/env bash
# Builds everything with a CMake preset (PRESET, default dev) into build/<preset>.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
preset=${PRESET:-dev}
say "building ($preset)"
cmake --preset "$preset" > "build/$preset.configure.log" 2>&1 || { cat "build/$preset.configure.log" >&2; exit 1; }
cmake --build "build/$preset" -j"$JOBS"
