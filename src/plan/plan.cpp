#include "plan/plan.hpp"

#include <algorithm>

namespace resonio::plan {

i64 Situation::lower() const {
  i64 lower = INT64_MAX;
  for (const Summary& r : ranks)
    if (r.bytes > 0) lower = std::min(lower, r.lower);
  return lower == INT64_MAX ? 0 : lower;
}

i64 Situation::upper() const {
  i64 upper = 0;
  for (const Summary& r : ranks)
    if (r.bytes > 0) upper = std::max(upper, r.upper);
  return upper;
}

i64 Situation::bytes() const {
  i64 bytes = 0;
  for (const Summary& r : ranks) bytes += r.bytes;
  return bytes;
}

i64 Situation::runs() const {
  i64 runs = 0;
  for (const Summary& r : ranks) runs += r.runs;
  return runs;
}

i64 Plan::rounds() const {
  i64 units = 0;
  for (const pattern::Window& family : families) units = std::max(units, family.count);
  return (units + units_per_round - 1) / units_per_round;
}

i64 Plan::buffer_size() const {
  i64 bytes = 0;
  for (const pattern::Window& family : families)
    bytes = std::max(bytes, family.length * std::min(units_per_round, family.count));
  return bytes;
}

pattern::Window Plan::window(std::size_t agent, i64 round) const {
  pattern::Window window = families[agent];
  const i64 first = round * units_per_round;
  window.offset += first * window.stride;
  window.count = std::clamp<i64>(window.count - first, 0, units_per_round);
  return window;
}

}  // namespace resonio::plan
