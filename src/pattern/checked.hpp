// Pattern's factories for numbers that come from outside (wire form, text).
#pragma once

#include <optional>

#include "pattern/pattern.hpp"

namespace resonio::pattern::checked {

/// Offsets, sizes and distances between any two bytes stay below this, so that no operation
/// on the pattern can overflow.
constexpr i64 limit = i64{1} << 62;

/// As Pattern's factories; nothing if a length or count is not positive, a part is missing
/// or the result goes beyond the limit.
[[nodiscard]] std::optional<Pattern> run(i64 offset, i64 length);
[[nodiscard]] std::optional<Pattern> loop(i64 count, i64 stride, const Pattern& body);
[[nodiscard]] std::optional<Pattern> sequence(std::span<const Pattern> parts);
/// lengths has one entry for all or one per offset.
[[nodiscard]] std::optional<Pattern> runs(std::vector<i64> offsets, std::vector<i64> lengths);
[[nodiscard]] std::optional<Pattern> shifted(const Pattern& pattern, i64 by);

}  // namespace resonio::pattern::checked
