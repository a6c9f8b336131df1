// Random patterns, datatypes and file views, each with the list of its bytes' offsets found by
// brute force as it is put together: the oracle that everything built on patterns is compared
// with. It shares no code with src/pattern.
#pragma once

#include "random_patterns.hpp"  // IWYU pragma: export
#include "random_types.hpp"     // IWYU pragma: export
