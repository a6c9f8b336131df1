#!/usr/bin/env bash
# The demo; arguments go to `resonio demo`.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
exec "$VENV/bin/resonio" demo "$@"
