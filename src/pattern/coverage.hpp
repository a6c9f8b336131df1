// Which bytes of an interval several accesses cover together: decides whether an agent may
// write its window as one piece.
#pragma once

#include <span>
#include <vector>

#include "pattern/pattern.hpp"

namespace resonio::pattern {

struct Coverage {
  std::vector<Segment> segments;  // ascending, disjoint, not touching
  bool complete = true;           // false: more than `most` segments; those found are missing some
};

/// The union of the accesses inside [lo, hi). Accesses may overlap each other. Regular
/// interleaving (equal strides whose runs fill the period) is one step for all its periods;
/// everything else is a merge, a step a run. Gives up at more than `most` segments.
[[nodiscard]] Coverage coverage(std::span<const Access* const> accesses, i64 lo, i64 hi,
                                i64 most = INT64_MAX);

}  // namespace resonio::pattern
