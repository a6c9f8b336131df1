#pragma once

#include <cstddef>
#include <cstdint>

#include "pattern/pattern.hpp"

namespace resonio::engine {

using i64 = std::int64_t;

/// A user's buffer: data byte d of the call is at base + access.pattern.offset_of(begin + d).
/// Borrowed for the call.
struct Memory {
  std::byte* base = nullptr;
  pattern::Access access;

  /// Address of data byte 0 if the buffer is one run; else null.
  [[nodiscard]] std::byte* flat() const {
    if (!access.pattern.contiguous()) return nullptr;
    return base + access.pattern.origin() + access.begin;
  }
};

}  // namespace resonio::engine
