// Wire form, clipping, fingerprints and text: the same bytes come back, whatever is sent; and
// whatever comes that was not sent is refused or harmless.
#include "pattern/wire.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>

#include "pattern/trim.hpp"
#include "pattern_generators.hpp"

namespace resonio::test {
namespace {

using pattern::Clipped;
using pattern::clipped;
using pattern::decode;
using pattern::encode;
using pattern::fingerprint;
using pattern::from_text;
using pattern::to_text;
using pattern::trimmed;

using Wire = std::vector<std::byte>;

const bool configured = cases(2000);

Options random_options(const Draw& draw) {
  Options options;
  options.depth = static_cast<int>(draw(0, 5));
  options.ascending = draw(0, 1) == 0;
  options.large = draw(0, 2) == 0;
  return options;
}

/// Irregular runs of 8 bytes, about `spacing` bytes apart.
Pattern scattered(i64 count, i64 spacing) {
  const Draw draw = seeded_draw(7);
  std::vector<i64> offsets;
  for (i64 i = 0; i < count; ++i) offsets.push_back(i * spacing + draw(0, spacing / 2));
  return Pattern::runs(std::move(offsets), {8});
}

Pattern lattice_block() {
  const std::array<i64, 4> sizes{32, 32, 64, 128};
  const std::array<i64, 4> subsizes{8, 8, 32, 100};
  const std::array<i64, 4> starts{8, 16, 32, 7};
  return pattern::subarray(sizes, subsizes, starts, pattern::Order::c, pattern::elementary(576))
      .pattern;
}

// --- Wire form ---

RC_GTEST_PROP(Wire, brings_back_the_same_bytes, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [access, bytes] = random_access(draw, random_options(draw));
  RC_LOG() << to_text(access.pattern) << " from " << access.begin << " to " << access.end << '\n';
  const Wire wire = encode(access);
  const auto back = decode(wire);
  RC_ASSERT(back.has_value());
  RC_LOG() << to_text(back->pattern) << " from " << back->begin << " to " << back->end << '\n';
  RC_ASSERT(bytes_of(*back) == bytes);
  RC_ASSERT(back->ascending() || !access.ascending());
  RC_ASSERT(fingerprint(*back) == fingerprint(access));
  RC_ASSERT(encode(*back) == wire);
}

RC_GTEST_PROP(Wire, is_nothing_if_cut_short_or_longer, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [access, bytes] = random_access(draw, random_options(draw));
  Wire wire = encode(access);
  const auto length = static_cast<std::size_t>(draw(0, static_cast<i64>(wire.size()) - 1));
  RC_ASSERT(!decode(std::span(wire).first(length)));
  wire.push_back(std::byte{0});
  RC_ASSERT(!decode(wire));
}

/// All that a pattern says about itself is true: what must hold for anything decoded.
void expect_sound(const Access& access) {
  RC_ASSERT(access.begin >= 0);
  RC_ASSERT(access.end <= access.pattern.size());
  if (access.empty()) return;
  const Pattern& p = access.pattern;
  RC_ASSERT(p.lower() <= p.origin());
  RC_ASSERT(p.origin() < p.upper());
  RC_ASSERT(p.run_count() <= p.size());
  Cursor cursor(p, access.begin, access.end);
  i64 data = access.begin;
  i64 end = p.lower();
  Piece piece;
  for (int steps = 0; steps < 300 && cursor.next(piece); ++steps, data += piece.bytes()) {
    RC_ASSERT(piece.length > 0);
    RC_ASSERT(piece.count > 0);
    RC_ASSERT(piece.data == data);
    const i64 last = piece.offset + (piece.count - 1) * piece.stride;
    RC_ASSERT(std::min(piece.offset, last) >= p.lower());
    RC_ASSERT(std::max(piece.offset, last) + piece.length <= p.upper());
    RC_ASSERT(p.offset_of(data) == piece.offset);
    if (!p.ascending()) continue;
    RC_ASSERT(piece.offset >= end);
    RC_ASSERT(p.bytes_before(piece.offset) == data);
    end = last + piece.length;
  }
  RC_ASSERT(data == access.end || cursor.next(piece));
}

RC_GTEST_PROP(Wire, of_changed_bytes_is_refused_or_sound, ()) {
  const Draw draw = rapidcheck_draw();
  Wire wire = encode(random_access(draw, random_options(draw)).access);
  const i64 changes = draw(1, 4);
  for (i64 i = 0; i < changes && !wire.empty(); ++i) {
    const auto at = wire.begin() + draw(0, static_cast<i64>(wire.size()) - 1);
    const auto value = static_cast<std::byte>(draw(0, 2) == 0 ? draw(0, 255) : draw(0, 8));
    switch (draw(0, 4)) {
      case 0: wire.erase(at); break;
      case 1: wire.insert(at, value); break;
      case 2: wire.insert(at, static_cast<std::size_t>(draw(1, 9)), std::byte{0xff}); break;
      default: *at = value;
    }
  }
  if (const auto access = decode(wire)) expect_sound(*access);
}

RC_GTEST_PROP(Wire, of_any_bytes_is_refused_or_sound, (const std::vector<std::uint8_t>& bytes)) {
  if (const auto access = decode(std::as_bytes(std::span(bytes)))) expect_sound(*access);
}

TEST(Wire, nothing_is_one_byte) {
  EXPECT_EQ(encode({}).size(), 1U);
  EXPECT_TRUE(decode(encode({}))->empty());
  EXPECT_FALSE(decode({}));
}

TEST(Wire, of_regular_patterns_is_small) {
  EXPECT_LE(encode(Access::whole(lattice_block())).size(), 30U);
  EXPECT_LE(encode(Access::whole(Pattern::loop(1 << 30, 64, Pattern::run(0, 8)))).size(), 15U);
}

TEST(Wire, of_equal_parts_holds_their_form_once) {
  const Pattern part = lattice_block();
  std::vector<Pattern> parts;
  for (i64 i = 0; i < 1000; ++i) parts.push_back(part.shifted(i * i));
  EXPECT_LE(encode(Access::whole(Pattern::sequence(parts))).size(), 2100U);
}

TEST(Wire, of_irregular_runs_takes_a_few_bytes_each) {
  const Wire wire = encode(Access::whole(scattered(100000, 1000)));
  EXPECT_LE(wire.size(), 210000U);
}

TEST(Wire, holds_only_what_is_accessed) {
  const Pattern p = scattered(100000, 1000);
  EXPECT_LE(encode({p, 80004, 81004}).size(), 300U);
  // Also across the end of a tile that has a long list.
  const Pattern tiles = Pattern::loop(2, p.upper() + 100, p);
  EXPECT_LE(encode({tiles, p.size() - 500, p.size() + 500}).size(), 300U);
}

/// Numbers written by hand into the wire form.
Wire by_hand(std::initializer_list<std::uint64_t> numbers) {
  Wire wire;
  for (std::uint64_t rest : numbers) {
    for (; rest >= 0x80; rest >>= 7) wire.push_back(static_cast<std::byte>(rest | 0x80));
    wire.push_back(static_cast<std::byte>(rest));
  }
  return wire;
}

TEST(Wire, refuses_what_cannot_be) {
  const std::uint64_t huge = std::uint64_t{1} << 61;
  const std::uint64_t most = UINT64_MAX;
  ASSERT_TRUE(decode(by_hand({1, 8, 0, 0, 0})));  // a run of 8 at 0: the form is right
  EXPECT_FALSE(decode(by_hand({1, 0, 0, 0, 0}))) << "a run of no bytes";
  EXPECT_FALSE(decode(by_hand({1, most, 0, 0, 0}))) << "a run of too many";
  EXPECT_FALSE(decode(by_hand({1, 8, 0, 8, 0}))) << "begins at its end";
  EXPECT_FALSE(decode(by_hand({1, 8, 0, 4, 4}))) << "cut off at both ends";
  EXPECT_FALSE(decode(by_hand({1, 8, 0, 4, most}))) << "cut off too much";
  EXPECT_FALSE(decode(by_hand({1, 8, most, 0, 0}))) << "an offset beyond the limit";
  EXPECT_FALSE(decode(by_hand({7, 8, 0, 0, 0}))) << "an unknown node";
  ASSERT_TRUE(decode(by_hand({2, 3, 32, 1, 8, 0, 0, 0})));
  EXPECT_FALSE(decode(by_hand({2, 0, 32, 1, 8, 0, 0, 0}))) << "a loop without iterations";
  EXPECT_FALSE(decode(by_hand({2, huge, 32, 1, 8, 0, 0, 0}))) << "a loop too large";
  EXPECT_FALSE(decode(by_hand({2, 5, huge, 1, 8, 0, 0, 0}))) << "a loop too wide";
  EXPECT_FALSE(decode(by_hand({2, huge, 0, 1, 9, 0, 0, 0}))) << "a loop over itself too often";
  ASSERT_TRUE(decode(by_hand({5, 3, 8, 4, 6, 0, 0, 0})));
  const std::uint64_t back = 2 * huge - 1;  // from the end of a run of `huge` to its start
  ASSERT_TRUE(decode(by_hand({6, 2, huge - 9, 2 * huge - 19, 8, 0, 0, 0})));
  EXPECT_FALSE(
      decode(by_hand({5, 9, huge, back, back, back, back, back, back, back, back, 0, 0, 0})))
      << "runs that overlap and are too long together";
  EXPECT_FALSE(decode(by_hand({5, huge, 8, 4, 6, 0, 0, 0}))) << "more runs than bytes";
  EXPECT_FALSE(decode(by_hand({5, 3, huge, 4, 6, 0, 0, 0}))) << "runs too long together";
  EXPECT_FALSE(decode(by_hand({5, 3, 8, most - 1, most - 1, 0, 0, 0}))) << "runs too far apart";
  EXPECT_FALSE(decode(by_hand({6, 2, 8, 4, 0, 0, 0, 0}))) << "a run of no bytes among others";
  EXPECT_FALSE(decode(by_hand({3, 2, 99, 1, 8, 1, 8, 0, 0, 0}))) << "a list of runs only";
  EXPECT_FALSE(decode(Wire(11, std::byte{0xff}))) << "a number without end";
  Wire wide = by_hand({1, 8, 0, 0, 0});
  wide[1] = std::byte{0x88};
  wide.insert(wide.begin() + 2, 8, std::byte{0x80});
  wide.insert(wide.begin() + 10, std::byte{2});
  EXPECT_FALSE(decode(wide)) << "a number of more than 64 bits";
  wide[10] = std::byte{0};
  EXPECT_TRUE(decode(wide)) << "the same number with zeros ahead";
}

TEST(Wire, refuses_to_nest_without_end) {
  Wire wire;
  for (int i = 0; i < 100000; ++i)
    for (const int number : {3, 2, 8, 1, 1}) wire.push_back(static_cast<std::byte>(number));
  EXPECT_FALSE(decode(wire));
}

// --- Trimming and clipping ---

RC_GTEST_PROP(Trimmed, describes_the_same_bytes, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [access, bytes] = random_access(draw, random_options(draw));
  RC_LOG() << to_text(access.pattern) << " from " << access.begin << " to " << access.end << '\n';
  const Access once = trimmed(access);
  RC_ASSERT(bytes_of(once) == bytes);
  const Access twice = trimmed(once);
  RC_ASSERT(to_text(twice.pattern) == to_text(once.pattern));
  RC_ASSERT(twice.begin == once.begin);
  RC_ASSERT(twice.end == once.end);
}

RC_GTEST_PROP(Clipped, has_the_bytes_inside_and_where_they_begin, ()) {
  const Draw draw = rapidcheck_draw();
  Options options = random_options(draw);
  options.ascending = true;
  const auto [access, bytes] = random_access(draw, options);
  RC_LOG() << to_text(access.pattern) << " from " << access.begin << " to " << access.end << '\n';
  const i64 from = bytes.empty() ? 0 : bytes.front();
  const i64 span = bytes.empty() ? 10 : bytes.back() + 1 - from;
  for (int i = 0; i < 10; ++i) {
    const i64 lo = from + draw(-3, span + 3);
    const i64 hi = lo + draw(-3, span + 3);
    Bytes inside;
    std::copy_if(bytes.begin(), bytes.end(), std::back_inserter(inside),
                 [&](i64 o) { return o >= lo && o < hi; });
    const Clipped clip = clipped(access, lo, hi);
    RC_LOG() << "[" << lo << ", " << hi << "): " << to_text(clip.access.pattern) << '\n';
    RC_ASSERT(bytes_of(clip.access) == inside);
    RC_ASSERT(clip.access.ascending());
    if (inside.empty()) continue;
    RC_ASSERT(bytes[static_cast<std::size_t>(clip.data_offset)] == inside.front());
  }
}

TEST(Clipped, keeps_loops_and_cuts_lists) {
  const Pattern grid = Pattern::loop(100, 10000, Pattern::loop(50, 100, Pattern::run(0, 10)));
  const Clipped rows = clipped(Access::whole(grid), 20205, 40000);
  EXPECT_EQ(to_text(rows.access.pattern), "@20000 2x[10000] 50x[100] 10");
  EXPECT_EQ(rows.access.begin, 25);
  EXPECT_EQ(rows.data_offset, 1025);
  const Clipped part = clipped(Access::whole(grid), 20205, 20300);
  EXPECT_EQ(to_text(part.access.pattern), "@20205 5");
  EXPECT_EQ(part.access.begin, 0);
  const Pattern list = Pattern::runs({0, 30, 50, 90, 200}, {7});
  EXPECT_EQ(to_text(clipped(Access::whole(list), 30, 95).access.pattern), "@30 {0+7, 20+7, 60+7}");
}

// --- Fingerprint ---

RC_GTEST_PROP(Fingerprint, does_not_see_a_shift, ()) {
  const Draw draw = rapidcheck_draw();
  const Access access = random_access(draw, random_options(draw)).access;
  const i64 by = draw(0, 1) == 0 ? draw(-1000, 1000) : i64{1} << 60;
  const Access moved{access.pattern.shifted(by), access.begin, access.end};
  RC_ASSERT(fingerprint(moved) == fingerprint(access));
}

RC_GTEST_PROP(Fingerprint, sees_a_change_of_the_bytes, ()) {
  const Draw draw = rapidcheck_draw();
  const Options options = random_options(draw);
  const auto [a, a_bytes] = random_access(draw, options);
  const auto [b, b_bytes] = random_access(draw, options);
  if (a_bytes.empty() || b_bytes.empty()) return;
  Bytes moved;
  append(moved, b_bytes, a_bytes.front() - b_bytes.front());
  if (fingerprint(a) == fingerprint(b)) RC_ASSERT(moved == a_bytes);
}

TEST(Fingerprint, differs_between_alike_accesses) {
  const Pattern row = Pattern::loop(10, 100, Pattern::run(0, 10));
  const Pattern list = Pattern::runs({0, 30, 50, 90, 200}, {7});
  std::set<std::uint64_t> seen{0};
  const auto is_new = [&](const Access& access) { return seen.insert(fingerprint(access)).second; };
  EXPECT_TRUE(is_new(Access::whole(row)));
  EXPECT_TRUE(is_new({row, 1, 100}));
  EXPECT_TRUE(is_new({row, 0, 99}));
  EXPECT_TRUE(is_new(Access::whole(Pattern::loop(11, 100, Pattern::run(0, 10)))));
  EXPECT_TRUE(is_new(Access::whole(Pattern::loop(10, 101, Pattern::run(0, 10)))));
  EXPECT_TRUE(is_new(Access::whole(Pattern::loop(10, 100, Pattern::run(0, 11)))));
  EXPECT_TRUE(is_new(Access::whole(Pattern::loop(3, 5000, row))));
  EXPECT_TRUE(is_new(Access::whole(list)));
  EXPECT_TRUE(is_new(Access::whole(Pattern::runs({0, 30, 50, 91, 200}, {7}))));
  EXPECT_TRUE(is_new(Access::whole(Pattern::runs({0, 30, 50, 90, 200}, {7, 7, 7, 7, 8}))));
  EXPECT_TRUE(is_new(Access::whole(Pattern::runs({0, 30, 50, 90, 200}, {7, 7, 7, 8, 7}))));
  EXPECT_TRUE(is_new(Access::whole(Pattern::sequence(std::array{row, list.shifted(5000)}))));
  EXPECT_TRUE(is_new(Access::whole(Pattern::sequence(std::array{row, list.shifted(5001)}))));
}

TEST(Fingerprint, is_the_same_for_the_same_rows_of_an_array) {
  // Reading an array some rows at a time: each call is a different part of one pattern.
  const Pattern rows = Pattern::loop(1000, 4096, Pattern::run(0, 512));
  const auto call = [&](i64 k) { return fingerprint({rows, k * 5120, (k + 1) * 5120}); };
  EXPECT_EQ(call(0), call(1));
  EXPECT_EQ(call(0), call(99));
}

// --- Text ---

RC_GTEST_PROP(Text, is_read_back, ()) {
  const Draw draw = rapidcheck_draw();
  const auto [pattern, bytes] = random_pattern(draw, random_options(draw));
  const std::string text = to_text(pattern);
  RC_LOG() << text << '\n';
  std::string why;
  const auto back = from_text(text, &why);
  RC_ASSERT(why == "");
  RC_ASSERT(back.has_value());
  RC_ASSERT(bytes_of(Access::whole(*back)) == bytes);
  RC_ASSERT(to_text(*back) == text);
}

RC_GTEST_PROP(Text, changed_is_refused_with_a_reason_or_sound, ()) {
  const Draw draw = rapidcheck_draw();
  std::string text = to_text(random_pattern(draw, random_options(draw)).pattern);
  const std::string symbols = "0123456789-+x[](){}:|,@ e";
  const i64 changes = draw(1, 3);
  for (i64 i = 0; i < changes && !text.empty(); ++i) {
    const auto at = static_cast<std::size_t>(draw(0, static_cast<i64>(text.size()) - 1));
    const char symbol =
        symbols[static_cast<std::size_t>(draw(0, static_cast<i64>(symbols.size()) - 1))];
    if (draw(0, 2) == 0) text.erase(at, 1);
    else if (draw(0, 1) == 0) text.insert(at, 1, symbol);
    else text[at] = symbol;
  }
  RC_LOG() << text << '\n';
  std::string why;
  const auto pattern = from_text(text, &why);
  RC_ASSERT(pattern.has_value() == why.empty());
  if (pattern) expect_sound(Access::whole(*pattern));
}

TEST(Text, looks_as_documented) {
  EXPECT_EQ(to_text(Pattern()), "empty");
  EXPECT_EQ(to_text(Pattern::run(7, 3)), "@7 3");
  const Pattern grid = Pattern::loop(8, 8192, Pattern::loop(16, 256, Pattern::run(1024, 64)));
  EXPECT_EQ(to_text(grid), "@1024 8x[8192] 16x[256] 64");
  const std::array parts{grid, Pattern::runs({9, 5}, {2, 1})};
  EXPECT_EQ(to_text(Pattern::sequence(parts)),
            "@1024 (0: 8x[8192] 16x[256] 64 | -1015: {0+2, -4+1})");
}

TEST(Text, is_read_with_or_without_spaces_and_origin) {
  const auto read = [](std::string_view text) { return to_text(*from_text(text)); };
  EXPECT_EQ(read("64"), "@0 64");
  EXPECT_EQ(read(" @ 5 2x[100]{0+4,10+4,21+4} "), "@5 2x[100] {0+4, 10+4, 21+4}");
  EXPECT_EQ(read("(8:2x[4]1|100:3)"), "@8 (0: 2x[4] 1 | 92: 3)");
  EXPECT_EQ(read("{0+4, 4+4}"), "@0 8");
}

TEST(Text, malformed_has_a_reason) {
  const auto reason = [](std::string_view text) {
    std::string why = "read";
    EXPECT_FALSE(from_text(text, &why)) << text;
    return why;
  };
  EXPECT_EQ(reason(""), "at character 1: length, count, '(' or '{' expected");
  EXPECT_EQ(reason("@x 5"), "at character 2: offset expected");
  EXPECT_EQ(reason("5 5"), "at character 3: end of text expected");
  EXPECT_EQ(reason("3x[5 8"), "at character 6: ']' expected");
  EXPECT_EQ(reason("{0+4, 9}"), "at character 8: '+' expected");
  EXPECT_EQ(reason("(0: 4"), "at character 6: ')' expected");
  EXPECT_EQ(reason("99999999999999999999"),
            "at character 1: length, count, '(' or '{' is too large");
  EXPECT_EQ(reason("3x[9] 0"), "at character 8: not positive, or beyond the limit of 2^62 bytes");
  EXPECT_EQ(reason("4611686018427387904x[4611686018427387904] 4"),
            "at character 44: not positive, or beyond the limit of 2^62 bytes");
  EXPECT_EQ(reason(std::string(2000, '(')), "at character 2: offset expected");
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "(0:";
  EXPECT_EQ(reason(deep), "at character 1501: nested too deeply");
}

}  // namespace
}  // namespace resonio::test
