#include "pattern/checked.hpp"

#include <algorithm>
#include <utility>

namespace resonio::pattern::checked {
namespace {

bool within(i64 value) { return value > -limit && value < limit; }

std::optional<i64> product(i64 a, i64 b) {
  i64 result = 0;
  if (__builtin_mul_overflow(a, b, &result) || !within(result)) return std::nullopt;
  return result;
}

/// The distance between the lowest and the highest byte, and the size: within the limit?
/// No sum or difference of two numbers within it overflows.
bool accepted(i64 lower, i64 upper, i64 size) {
  return within(lower) && within(upper) && within(upper - lower) && within(size);
}

std::optional<Pattern> accepted(Pattern pattern) {
  const Node& node = *pattern.node();
  if (!accepted(node.lower, node.upper, node.size) ||
      !accepted(pattern.lower(), pattern.upper(), node.size))
    return std::nullopt;
  return pattern;
}

}  // namespace

std::optional<Pattern> run(i64 offset, i64 length) {
  if (length <= 0 || !within(offset) || !within(length)) return std::nullopt;
  return accepted(Pattern::run(offset, length));
}

std::optional<Pattern> loop(i64 count, i64 stride, const Pattern& body) {
  if (count <= 0 || body.empty() || !product(count, body.size()) || !product(count - 1, stride))
    return std::nullopt;
  return accepted(Pattern::loop(count, stride, body));
}

std::optional<Pattern> sequence(std::span<const Pattern> parts) {
  if (parts.empty()) return std::nullopt;
  i64 size = 0;
  i64 lower = limit;
  i64 upper = -limit;
  for (const Pattern& part : parts) {
    if (part.empty() || !within(size += part.size())) return std::nullopt;
    lower = std::min(lower, part.lower());
    upper = std::max(upper, part.upper());
  }
  if (!accepted(lower, upper, size)) return std::nullopt;
  return accepted(Pattern::sequence(parts));
}

std::optional<Pattern> runs(std::vector<i64> offsets, std::vector<i64> lengths) {
  if (offsets.empty() || (lengths.size() != 1 && lengths.size() != offsets.size()))
    return std::nullopt;
  i64 size = 0;
  i64 lower = limit;
  i64 upper = -limit;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const i64 length = lengths[lengths.size() == 1 ? 0 : i];
    if (length <= 0 || !within(length) || !within(offsets[i]) || !within(size += length))
      return std::nullopt;
    lower = std::min(lower, offsets[i]);
    upper = std::max(upper, offsets[i] + length);
  }
  if (!accepted(lower, upper, size)) return std::nullopt;
  return accepted(Pattern::runs(std::move(offsets), std::move(lengths)));
}

std::optional<Pattern> shifted(const Pattern& pattern, i64 by) {
  if (pattern.empty() || !within(by) || !within(pattern.origin() + by)) return std::nullopt;
  return accepted(pattern.shifted(by));
}

}  // namespace resonio::pattern::checked
