// Patterns as bytes (to other ranks), as a fingerprint (plan cache), as text (logs, tests).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pattern/pattern.hpp"

namespace resonio::pattern {

/// Wire form: varint loops; lists delta-coded. decode(encode(a)) accesses the same bytes in
/// the same order. Only what lies in [begin, end) is sent. Described in wire.cpp.
[[nodiscard]] std::vector<std::byte> encode(const Access& access);
/// Nothing if the bytes are not a valid wire form (they are checked, never trusted).
[[nodiscard]] std::optional<Access> decode(std::span<const std::byte> bytes);
/// The access's bytes at offsets [lo, hi) only, as an access of its own, with data positions
/// kept: returns {access, data position (relative to begin) of its first byte}. Regular
/// patterns stay loops. Needs ascending.
struct Clipped {
  Access access;
  i64 data_offset = 0;
};
[[nodiscard]] Clipped clipped(const Access& access, i64 lo, i64 hi);

/// 64-bit hash of the access; equal for accesses that differ only by a shift in the file.
[[nodiscard]] std::uint64_t fingerprint(const Access& access);

/// Text form, e.g. "@1024 8x[8192] 16x[256] 64": origin, loops outermost first as
/// count x [stride], run length; lists "(off: ... | off: ...)"; runs "{off+len, ...}".
[[nodiscard]] std::string to_text(const Pattern& pattern);
/// Reads to_text's form. Nothing (and a reason in *why if given) if it is malformed.
[[nodiscard]] std::optional<Pattern> from_text(std::string_view text, std::string* why = nullptr);

}  // namespace resonio::pattern
