#!/usr/bin/env bash
# lint.sh check | format: formatting of C++ and C (clang-format) and Python (ruff); ruff's and mypy's checks.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
sources() { find src tests bench examples -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' \) | sort; }
python=(python tests/python examples)

case ${1:-check} in
  format)
    sources | xargs clang-format -i
    "$VENV/bin/ruff" check -q --fix "${python[@]}"
    "$VENV/bin/ruff" format "${python[@]}"
    ;;
  check)
    status=0
    say "clang-format" && { sources | xargs clang-format --dry-run -Werror || status=1; }
    say "ruff" && { "$VENV/bin/ruff" check "${python[@]}" || status=1; }
    "$VENV/bin/ruff" format --check "${python[@]}" || status=1
    say "mypy" && { "$VENV/bin/mypy" || status=1; }
    exit $status
    ;;
  *) die "lint.sh check | format" ;;
esac
