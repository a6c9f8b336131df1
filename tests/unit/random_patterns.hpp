// Random patterns, each with the offsets of its bytes found by brute force (see
// pattern_generators.hpp). Draw decides: in a rapidcheck property `rapidcheck_draw()` (so that
// failures shrink), elsewhere `seeded_draw(seed)`.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pattern/pattern.hpp"

namespace resonio::test {

using pattern::Access;
using pattern::Cursor;
using pattern::i64;
using pattern::Pattern;
using pattern::Piece;
using pattern::Segment;

/// A whole number in [low, high].
using Draw = std::function<i64(i64 low, i64 high)>;

inline Draw rapidcheck_draw() {
  return [](i64 low, i64 high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<i64>(low, high + 1));
  };
}

inline Draw seeded_draw(std::uint64_t seed) {
  return [random = std::mt19937_64(seed)](i64 low, i64 high) mutable {
    return std::uniform_int_distribution<i64>(low, high)(random);
  };
}

/// How many cases each property of this binary tries, unless RC_PARAMS is set outside.
inline bool cases(int count) {
#ifdef __SANITIZE_ADDRESS__
  count /= 4;  // which is tens of times slower here: it keeps a stack for every allocation
#endif
  return setenv("RC_PARAMS", ("max_success=" + std::to_string(count)).c_str(), 0) == 0;
}

// --- Oracle ---

/// Offset of every data byte, in data order.
using Bytes = std::vector<i64>;

/// As runs in data order, neighbours joined.
inline std::vector<Segment> runs_of(const Bytes& bytes) {
  std::vector<Segment> runs;
  for (const i64 offset : bytes) {
    if (!runs.empty() && runs.back().end() == offset) ++runs.back().length;
    else runs.push_back({offset, 1});
  }
  return runs;
}

/// Offsets rise and no byte comes twice.
inline bool ascends(const Bytes& bytes) {
  return std::adjacent_find(bytes.begin(), bytes.end(), std::greater_equal<>()) == bytes.end();
}

inline i64 lowest(const Bytes& bytes) { return *std::min_element(bytes.begin(), bytes.end()); }
inline i64 highest(const Bytes& bytes) { return *std::max_element(bytes.begin(), bytes.end()); }

/// The bytes again, displaced.
inline void append(Bytes& to, const Bytes& bytes, i64 displacement) {
  for (const i64 offset : bytes) to.push_back(offset + displacement);
}

/// The bytes that an access says it has, by iteration; throws if its data positions have gaps.
inline Bytes bytes_of(const Access& access) {
  Bytes bytes;
  Cursor cursor(access.pattern, access.begin, access.end);
  i64 data = access.begin;
  for (Piece piece; cursor.next(piece); data += piece.bytes()) {
    if (piece.data != data || piece.bytes() <= 0) throw std::logic_error("gap in the data");
    for (i64 k = 0; k < piece.count; ++k)
      for (i64 i = 0; i < piece.length; ++i) bytes.push_back(piece.offset + k * piece.stride + i);
  }
  return bytes;
}

// --- Random patterns ---

struct Options {
  int depth = 3;           // constructors around the innermost runs, at most
  std::size_t most = 600;  // data bytes; what would be larger is left out
  bool ascending = false;  // offsets must rise, as in a file view
  bool large = false;      // some distances beyond 2^40
  i64 unit = 0;            // length of all innermost runs; 0: any
};

struct KnownPattern {
  Pattern pattern;
  Bytes bytes;
};

namespace detail {

inline i64 distance(const Draw& draw, const Options& options, i64 low, i64 high) {
  const i64 value = draw(low, high);
  const bool enlarge = options.large && std::abs(value) < 1000 && draw(0, 3) == 0;
  return enlarge ? value * (i64{1} << 38) : value;
}

/// Seldom none.
inline i64 count_of(const Draw& draw, i64 most) { return draw(0, 14) == 0 ? 0 : draw(1, most); }

inline bool allowed(const Bytes& bytes, const Options& options) {
  return bytes.size() <= options.most && (!options.ascending || ascends(bytes));
}

inline i64 span_of(const Bytes& bytes) {
  return bytes.empty() ? 0 : highest(bytes) + 1 - lowest(bytes);
}

}  // namespace detail

inline KnownPattern random_pattern(const Draw& draw, const Options& options);

namespace detail {

inline KnownPattern random_run(const Draw& draw, const Options& options) {
  const i64 offset = distance(draw, options, options.ascending ? 0 : -20, 40);
  const i64 length = options.unit > 0 ? options.unit : count_of(draw, 9);
  KnownPattern result{Pattern::run(offset, length), {}};
  for (i64 i = 0; i < length; ++i) result.bytes.push_back(offset + i);
  return result;
}

inline KnownPattern random_loop(const Draw& draw, const Options& options,
                                const KnownPattern& body) {
  const i64 count = count_of(draw, 5);
  const i64 span = span_of(body.bytes);
  const i64 stride = options.ascending || draw(0, 1) == 0
                         ? span + distance(draw, options, 0, 12)
                         : distance(draw, options, -2 * span - 4, 2 * span + 4);
  KnownPattern result{Pattern::loop(count, stride, body.pattern), {}};
  for (i64 k = 0; k < count; ++k) append(result.bytes, body.bytes, k * stride);
  return result;
}

/// Parts at places that rise, with some order (or none) where that is not asked for.
inline KnownPattern random_sequence(const Draw& draw, const Options& options) {
  std::vector<Pattern> parts;
  KnownPattern result;
  const bool rising = options.ascending || draw(0, 1) == 0;
  const bool equal = draw(0, 3) == 0;
  KnownPattern part;
  const i64 count = count_of(draw, 5);
  for (i64 i = 0; i < count; ++i) {
    if (i == 0 || !equal) part = random_pattern(draw, options);
    if (part.bytes.empty()) continue;
    const i64 from = result.bytes.empty() ? 0 : highest(result.bytes) + 1;
    const i64 to = rising ? from + (draw(0, 2) == 0 ? 0 : distance(draw, options, 0, 30))
                          : distance(draw, options, -100, 100);
    parts.push_back(part.pattern.shifted(to - lowest(part.bytes)));
    append(result.bytes, part.bytes, to - lowest(part.bytes));
  }
  result.pattern = Pattern::sequence(parts);
  return result;
}

inline KnownPattern random_runs(const Draw& draw, const Options& options) {
  const bool rising = options.ascending || draw(0, 1) == 0;
  const bool equal = draw(0, 1) == 0;
  const i64 length = options.unit > 0 ? options.unit : draw(1, 6);
  const i64 count = count_of(draw, 8);
  std::vector<i64> offsets;
  std::vector<i64> lengths;
  KnownPattern result;
  for (i64 i = 0, end = 0; i < count; ++i) {
    offsets.push_back(rising ? end + distance(draw, options, 0, 9)
                             : distance(draw, options, -60, 60));
    lengths.push_back(equal ? length : length * count_of(draw, 3));
    end = offsets.back() + lengths.back();
    for (i64 b = 0; b < lengths.back(); ++b) result.bytes.push_back(offsets.back() + b);
  }
  if (equal && count > 0 && draw(0, 1) == 0) lengths = {length};
  result.pattern = Pattern::runs(std::move(offsets), std::move(lengths));
  return result;
}

}  // namespace detail

inline KnownPattern random_pattern(const Draw& draw, const Options& options) {
  Options inner = options;
  --inner.depth;
  if (options.depth <= 0) return detail::random_run(draw, options);
  KnownPattern body;
  KnownPattern result;
  switch (draw(0, 3)) {
    case 0:
      body = random_pattern(draw, inner);
      result = detail::random_loop(draw, options, body);
      break;
    case 1: result = detail::random_sequence(draw, inner); break;
    case 2: result = detail::random_runs(draw, options); break;
    default:
      body = random_pattern(draw, inner);
      const i64 by = detail::distance(draw, options, options.ascending ? 0 : -50, 50);
      result.pattern = body.pattern.shifted(by);
      append(result.bytes, body.bytes, by);
  }
  return detail::allowed(result.bytes, options) ? result : detail::random_run(draw, options);
}

struct KnownAccess {
  Access access;
  Bytes bytes;  // of the access: [begin, end) of the pattern
};

/// A part of a random pattern, sometimes all of it, sometimes nothing.
inline KnownAccess random_access(const Draw& draw, const Options& options) {
  const KnownPattern known = random_pattern(draw, options);
  const i64 size = static_cast<i64>(known.bytes.size());
  const bool whole = draw(0, 3) == 0;
  const i64 begin = whole ? 0 : draw(0, size);
  const i64 end = whole ? size : draw(begin, size);
  return {{known.pattern, begin, end}, {known.bytes.begin() + begin, known.bytes.begin() + end}};
}

}  // namespace resonio::test
