#!/usr/bin/env bash
# Benchmarks, of an optimised build; arguments go to bench/run.py.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
PRESET=release-bench
