// Cutting a pattern down to the data bytes that are accessed.
#pragma once

#include "pattern/pattern.hpp"

namespace resonio::pattern {

/// The same bytes in the same order, described by no more than is needed: lists are cut to
/// the entries accessed, loops to the iterations, one run to its bytes. What is left over at
/// either end of a first or last iteration stays cut off by begin and end.
[[nodiscard]] Access trimmed(const Access& access);

}  // namespace resonio::pattern
