#!/usr/bin/env bash
# Benchmarks of an optimised build; arguments go to `resonio bench`.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
PRESET=release scripts/build.sh
export RESONIO_LIBDIR=$ROOT/build/release/lib
exec "$VENV/bin/resonio" bench "$@"
