// The array constructors: both build from the dimension that varies fastest outwards, so
// that full dimensions fold into longer runs as they are added.
#include <algorithm>
#include <array>

#include "pattern/type.hpp"

namespace resonio::pattern {
namespace {

/// The dimension that varies k-th fastest.
std::size_t dimension(Order order, std::size_t k, std::size_t dimensions) {
  return order == Order::fortran ? k : dimensions - 1 - k;
}

/// Elements owned by process `coordinate` of `processes` when `elements`, `stride` bytes
/// apart, are dealt out in blocks of `block`.
Pattern dealt(i64 block, i64 elements, i64 coordinate, i64 processes, i64 stride,
              const Pattern& element) {
  const i64 round = block * processes;
  const i64 first = coordinate * block;
  if (first >= elements) return {};
  const i64 rounds = (elements - first - 1) / round + 1;  // the last may be cut short
  const i64 tail_begin = first + (rounds - 1) * round;
  const i64 tail = std::min(block, elements - tail_begin);
  const i64 full = tail == block ? rounds : rounds - 1;
  const std::array parts{
      Pattern::loop(full, round * stride, Pattern::loop(block, stride, element))
          .shifted(first * stride),
      full == rounds ? Pattern()
                     : Pattern::loop(tail, stride, element).shifted(tail_begin * stride),
  };
  return Pattern::sequence(parts);
}

i64 block_size(Distribution distribution, i64 darg, i64 elements, i64 processes) {
  switch (distribution) {
    case Distribution::block:
      return darg == default_dist_arg ? (elements + processes - 1) / processes : darg;
    case Distribution::cyclic: return darg == default_dist_arg ? 1 : darg;
    case Distribution::none: break;
  }
  return elements;
}

}  // namespace

Type subarray(std::span<const i64> sizes, std::span<const i64> subsizes,
              std::span<const i64> starts, Order order, const Type& t) {
  Pattern pattern = t.pattern;
  i64 stride = t.extent;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const std::size_t d = dimension(order, k, sizes.size());
    pattern = Pattern::loop(subsizes[d], stride, pattern).shifted(starts[d] * stride);
    stride *= sizes[d];
  }
  return {pattern, 0, stride, true};
}

Type darray(i64 size, i64 rank, std::span<const i64> gsizes, std::span<const Distribution> distribs,
            std::span<const i64> dargs, std::span<const i64> psizes, Order order, const Type& t) {
  std::vector<i64> coordinates(gsizes.size());
  for (std::size_t d = 0; d < gsizes.size(); ++d) {  // the process grid is in C order, always
    size /= psizes[d];
    coordinates[d] = rank / size;
    rank %= size;
  }
  Pattern pattern = t.pattern;
  i64 stride = t.extent;
  for (std::size_t k = 0; k < gsizes.size(); ++k) {
    const std::size_t d = dimension(order, k, gsizes.size());
    const i64 block = block_size(distribs[d], dargs[d], gsizes[d], psizes[d]);
    pattern = dealt(block, gsizes[d], coordinates[d], psizes[d], stride, pattern);
    stride *= gsizes[d];
  }
  return {pattern, 0, stride, true};
}

}  // namespace resonio::pattern
