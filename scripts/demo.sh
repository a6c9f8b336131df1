#!/usr/bin/env bash
# The demo; arguments go to `resonio demo`.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export RESONIO_LIBDIR=${RESONIO_LIBDIR:-$ROOT/build/dev/lib}
exec "$VENV/bin/resonio" demo "$@"
