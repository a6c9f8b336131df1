// Every operation on patterns against the offsets of their bytes, one by one.
#include "pattern/pattern.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "pattern/wire.hpp"
#include "pattern_generators.hpp"

namespace resonio::test {
namespace {

using pattern::bytes_in;
using pattern::ClippedCursor;
using pattern::meets;
using pattern::Node;
using pattern::to_text;
using pattern::Window;

const bool configured = cases(2000);

Options random_options(const Draw& draw) {
  Options options;
  options.depth = static_cast<int>(draw(0, 5));
  options.ascending = draw(0, 1) == 0;
  options.large = draw(0, 2) == 0;
  return options;
}

/// A data byte: its position relative to the access's begin, and its offset.
struct Byte {
  i64 data;
  i64 offset;
  bool operator==(const Byte&) const = default;
};
void showValue(const Byte& b, std::ostream& out) { out << b.data << " at " << b.offset; }

std::vector<Byte> bytes_between(const Bytes& bytes, i64 lo, i64 hi) {
  std::vector<Byte> result;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] >= lo && bytes[i] < hi) result.push_back({static_cast<i64>(i), bytes[i]});
  return result;
}

std::vector<Byte> clipped_bytes(const Access& access, i64 lo, i64 hi) {
  std::vector<Byte> result;
  ClippedCursor cursor(access, lo, hi);
  for (Piece piece; cursor.next(piece);) {
    RC_ASSERT(piece.bytes() > 0);
    for (i64 i = 0; i < piece.bytes(); ++i)
      result.push_back(
          {piece.data + i, piece.offset + i / piece.length * piece.stride + i % piece.length});
  }
  return result;
}

i64 naive_before(const Bytes& bytes, i64 offset) {
  return std::count_if(bytes.begin(), bytes.end(), [&](i64 o) { return o < offset; });
}

/// An offset near one of the bytes, or anywhere, or at the ends of the number range.
i64 random_offset(const Draw& draw, const Bytes& bytes) {
  switch (draw(0, 9)) {
    case 0: return draw(-300, 300);
    case 1: return draw(0, 1) == 0 ? INT64_MIN : INT64_MAX;
    default:
      if (bytes.empty()) return 0;
      return bytes[static_cast<std::size_t>(draw(0, static_cast<i64>(bytes.size()) - 1))] +
             draw(-2, 3);
  }
}

RC_GTEST_PROP(Pattern, describes_its_bytes, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [pattern, bytes] = random_pattern(draw, random_options(draw));
  RC_LOG() << to_text(pattern) << '\n';
  RC_ASSERT(pattern.size() == static_cast<i64>(bytes.size()));
  RC_ASSERT(pattern.empty() == bytes.empty());
  RC_ASSERT(pattern.ascending() == ascends(bytes));
  RC_ASSERT(bytes_of(Access::whole(pattern)) == bytes);
  if (bytes.empty()) return;
  RC_ASSERT(pattern.origin() == bytes.front());
  RC_ASSERT(pattern.lower() == lowest(bytes));
  RC_ASSERT(pattern.upper() == highest(bytes) + 1);
  if (pattern.contiguous()) RC_ASSERT(runs_of(bytes).size() == 1U);
  for (std::size_t d = 0; d < bytes.size(); ++d)
    RC_ASSERT(pattern.offset_of(static_cast<i64>(d)) == bytes[d]);
}

RC_GTEST_PROP(Pattern, shifts, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [pattern, bytes] = random_pattern(draw, random_options(draw));
  const i64 by = draw(0, 1) == 0 ? draw(-100, 100) : i64{3} << 60;
  Bytes shifted;
  append(shifted, bytes, by);
  RC_ASSERT(bytes_of(Access::whole(pattern.shifted(by))) == shifted);
}

RC_GTEST_PROP(Pattern, counts_bytes_before_an_offset, ()) {
  const Draw draw = rapidcheck_draw();
  Options options = random_options(draw);
  options.ascending = true;
  const auto [pattern, bytes] = random_pattern(draw, options);
  RC_LOG() << to_text(pattern) << '\n';
  for (int i = 0; i < 20; ++i) {
    const i64 offset = random_offset(draw, bytes);
    RC_ASSERT(pattern.bytes_before(offset) == naive_before(bytes, offset));
  }
}

RC_GTEST_PROP(Cursor, starts_and_stops_anywhere, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [access, bytes] = random_access(draw, random_options(draw));
  RC_LOG() << to_text(access.pattern) << " from " << access.begin << " to " << access.end << '\n';
  RC_ASSERT(bytes_of(access) == bytes);
}

RC_GTEST_PROP(Access, counts_its_runs, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [access, bytes] = random_access(draw, random_options(draw));
  RC_LOG() << to_text(access.pattern) << " from " << access.begin << " to " << access.end << '\n';
  i64 runs = 0;
  Cursor cursor(access.pattern, access.begin, access.end);
  for (Piece piece; cursor.next(piece);) runs += piece.count;
  RC_ASSERT(access.run_count() == runs);
  RC_ASSERT(access.run_count() >= static_cast<i64>(runs_of(bytes).size()));
}

RC_GTEST_PROP(Access, knows_its_bounds, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [access, bytes] = random_access(draw, random_options(draw));
  RC_LOG() << to_text(access.pattern) << " from " << access.begin << " to " << access.end << '\n';
  const Segment bounds = access.bounds();
  if (bytes.empty()) {
    RC_ASSERT(bounds.length == 0);
    RC_ASSERT(access.contiguous());
    return;
  }
  if (access.ascending()) {
    RC_ASSERT(bounds == (Segment{bytes.front(), bytes.back() + 1 - bytes.front()}));
    RC_ASSERT(access.contiguous() == (runs_of(bytes).size() == 1U));
  } else {
    RC_ASSERT(bounds.offset <= lowest(bytes));
    RC_ASSERT(bounds.end() > highest(bytes));
    if (access.contiguous()) RC_ASSERT(runs_of(bytes).size() == 1U);
  }
}

RC_GTEST_PROP(Access, clips_to_an_interval, ()) {
  const Draw draw = rapidcheck_draw();
  Options options = random_options(draw);
  options.ascending = true;
  const auto [access, bytes] = random_access(draw, options);
  RC_LOG() << to_text(access.pattern) << " from " << access.begin << " to " << access.end << '\n';
  for (int i = 0; i < 20; ++i) {
    const i64 lo = random_offset(draw, bytes);
    const i64 hi = random_offset(draw, bytes);
    const auto inside = bytes_between(bytes, lo, hi);
    const Segment clip = access.clip(lo, hi);
    RC_ASSERT(clip.length == static_cast<i64>(inside.size()));
    if (!inside.empty()) RC_ASSERT(clip.offset == inside.front().data);
  }
}

RC_GTEST_PROP(ClippedCursor, visits_what_lies_inside, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [access, bytes] = random_access(draw, random_options(draw));
  RC_LOG() << to_text(access.pattern) << " from " << access.begin << " to " << access.end << '\n';
  for (int i = 0; i < 10; ++i) {
    const i64 lo = random_offset(draw, bytes);
    const i64 hi = random_offset(draw, bytes);
    RC_LOG() << "in [" << lo << ", " << hi << ")\n";
    RC_ASSERT(clipped_bytes(access, lo, hi) == bytes_between(bytes, lo, hi));
  }
}

Window random_window(const Draw& draw, const Bytes& bytes) {
  const i64 from = bytes.empty() ? 0 : lowest(bytes);
  const i64 span = bytes.empty() ? 10 : highest(bytes) + 1 - from;
  Window window;
  window.count = draw(0, 6);
  window.offset = from + draw(-5, span / 2 + 5);
  window.length = draw(1, span / 4 + 3);
  window.stride = window.length + draw(0, span / 4 + 3);
  if (draw(0, 1) == 0) window.limit = window.offset + draw(0, 2 * span);
  return window;
}

RC_GTEST_PROP(Window, counts_the_bytes_of_an_access_inside, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [access, bytes] = random_access(draw, random_options(draw));
  const Window window = random_window(draw, bytes);
  const auto inside = [&](i64 offset) {
    const i64 at = offset - window.offset;
    return at >= 0 && offset < window.limit && at % window.stride < window.length &&
           at / window.stride < window.count;
  };
  const i64 expected = std::count_if(bytes.begin(), bytes.end(), inside);
  RC_ASSERT(bytes_in(access, window) == expected);
  RC_ASSERT(meets(access, window) == (expected > 0));
}

RC_GTEST_PROP(Window, has_size_and_end, ()) {
  const Draw draw = rapidcheck_draw();
  const Window window = random_window(draw, {0, 40});
  i64 size = 0;
  i64 end = window.offset;
  for (i64 k = 0; k < window.count; ++k) {
    const i64 from = window.offset + k * window.stride;
    i64 length = 0;
    while (length < window.length && from + length < window.limit) ++length;
    RC_ASSERT(window.segment(k) == (Segment{from, length}));
    size += length;
    if (length > 0) end = from + length;
  }
  RC_ASSERT(window.size() == size);
  RC_ASSERT(window.end() == end);
}

// --- The description is as short as promised ---

TEST(PatternFolding, adjacent_copies_of_a_run_are_one_run) {
  EXPECT_EQ(to_text(Pattern::loop(5, 8, Pattern::run(3, 8))), "@3 40");
}

TEST(PatternFolding, copies_in_descending_order_stay_a_loop) {
  EXPECT_EQ(to_text(Pattern::loop(5, -8, Pattern::run(3, 8))), "@3 5x[-8] 8");
}

TEST(PatternFolding, a_loop_that_continues_its_body_becomes_one_loop) {
  const Pattern inner = Pattern::loop(4, 16, Pattern::run(0, 8));
  EXPECT_EQ(to_text(Pattern::loop(3, 64, inner)), "@0 12x[16] 8");
  EXPECT_EQ(to_text(Pattern::loop(3, 65, inner)), "@0 3x[65] 4x[16] 8");
}

TEST(PatternFolding, one_copy_is_no_loop_and_none_is_empty) {
  EXPECT_EQ(to_text(Pattern::loop(1, 99, Pattern::run(3, 8))), "@3 8");
  EXPECT_TRUE(Pattern::loop(0, 99, Pattern::run(3, 8)).empty());
  EXPECT_TRUE(Pattern::loop(7, 99, Pattern()).empty());
}

TEST(PatternFolding, a_sequence_joins_neighbours_and_drops_empty_parts) {
  const std::array parts{Pattern::run(0, 4), Pattern(), Pattern::run(4, 4), Pattern::run(20, 8)};
  EXPECT_EQ(to_text(Pattern::sequence(parts)), "@0 2x[20] 8");
}

TEST(PatternFolding, a_regular_sequence_of_equal_loops_is_a_loop) {
  const Pattern body = Pattern::loop(3, 10, Pattern::run(0, 4));
  const Pattern same = Pattern::loop(3, 10, Pattern::run(0, 4));
  const std::array parts{body.shifted(5), same.shifted(105), body.shifted(205)};
  EXPECT_EQ(to_text(Pattern::sequence(parts)), "@5 3x[100] 3x[10] 4");
}

TEST(PatternFolding, regular_runs_are_a_loop) {
  EXPECT_EQ(to_text(Pattern::runs({8, 24, 40}, {4})), "@8 3x[16] 4");
  EXPECT_EQ(to_text(Pattern::runs({8, 24, 41}, {4})), "@8 {0+4, 16+4, 33+4}");
  EXPECT_EQ(to_text(Pattern::runs({8, 24, 40}, {4, 4, 5})), "@8 {0+4, 16+4, 32+5}");
}

TEST(PatternFolding, a_regular_pattern_is_iterated_in_families) {
  const Pattern grid = Pattern::loop(1000, 1 << 20, Pattern::loop(100, 64, Pattern::run(0, 8)));
  Cursor cursor(grid, 0, grid.size());
  i64 steps = 0;
  for (Piece piece; cursor.next(piece); ++steps) {
    ASSERT_EQ(piece.count, 100);
    ASSERT_EQ(piece.stride, 64);
  }
  EXPECT_EQ(steps, 1000);
}

TEST(Pattern64, offsets_and_sizes_of_petabytes) {
  const i64 peta = i64{1} << 50;
  const Pattern p =
      Pattern::loop(4096, peta, Pattern::loop(1 << 20, 1 << 28, Pattern::run(7, 1 << 20)));
  EXPECT_EQ(p.size(), i64{1} << 52);
  EXPECT_EQ(p.upper(), 4095 * peta + ((i64{1} << 20) - 1) * (1 << 28) + 7 + (1 << 20));
  const i64 d = (i64{1} << 51) + (i64{5} << 20) + 3;
  const i64 offset = 2048 * peta + i64{5} * (1 << 28) + 7 + 3;
  EXPECT_EQ(p.offset_of(d), offset);
  EXPECT_EQ(p.bytes_before(offset), d);
}

}  // namespace
}  // namespace resonio::test
