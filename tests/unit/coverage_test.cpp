// The union of accesses against a byte map, over random regular and irregular accesses.
#include "pattern/coverage.hpp"

#include <gtest/gtest.h>

#include <random>

namespace resonio::pattern {
namespace {

using Random = std::mt19937_64;

i64 pick(Random& random, i64 low, i64 high) {
  return std::uniform_int_distribution<i64>(low, high)(random);
}

std::vector<Segment> by_map(const std::vector<Access>& accesses, i64 lo, i64 hi) {
  std::vector<bool> map(static_cast<std::size_t>(hi - lo), false);
  for (const Access& access : accesses)
    for (i64 d = access.begin; d < access.end; ++d) {
      const i64 offset = access.pattern.offset_of(d);
      if (offset >= lo && offset < hi) map[static_cast<std::size_t>(offset - lo)] = true;
    }
  std::vector<Segment> segments;
  for (i64 i = 0; i < hi - lo; ++i) {
    if (!map[static_cast<std::size_t>(i)]) continue;
    if (segments.empty() || segments.back().end() != lo + i) segments.push_back({lo + i, 0});
    ++segments.back().length;
  }
  return segments;
}

Access random_access(Random& random, bool regular) {
  if (regular) {  // parts of one interleaving: often without holes
    const i64 period = 16 * pick(random, 1, 4);
    const Pattern p = Pattern::loop(pick(random, 1, 30), period,
                                    Pattern::run(4 * pick(random, 0, 16), 4 * pick(random, 1, 4)));
    return Access::whole(p);
  }
  const Pattern inner = Pattern::loop(pick(random, 1, 4), pick(random, -20, 40),
                                      Pattern::run(pick(random, 0, 99), pick(random, 1, 20)));
  const Pattern p = Pattern::loop(pick(random, 1, 5), pick(random, -60, 120), inner);
  const i64 from = pick(random, 0, p.size());
  return {p, from, pick(random, from, p.size())};
}

TEST(Coverage, IsTheUnionByte) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    std::vector<Access> accesses;
    const i64 ranks = pick(random, 0, 6);
    for (i64 r = 0; r < ranks; ++r) accesses.push_back(random_access(random, seed % 3 != 0));
    std::vector<const Access*> pointers;
    for (const Access& a : accesses) pointers.push_back(&a);
    const i64 lo = pick(random, -50, 300);
    const i64 hi = lo + pick(random, 1, 900);
    const Coverage found = coverage(pointers, lo, hi);
    ASSERT_TRUE(found.complete);
    ASSERT_EQ(found.segments, by_map(accesses, lo, hi)) << "seed " << seed;
    ASSERT_EQ(coverage(pointers, lo, hi, 1).complete, found.segments.size() <= 1);
  }
}

/// A thousand million interleaved blocks: only feasible if periods are skipped.
TEST(Coverage, TakesRegularInterleavingInOneStep) {
  std::vector<Access> accesses;
  std::vector<const Access*> pointers;
  for (int r = 0; r < 8; ++r)
    accesses.push_back(Access::whole(Pattern::loop(i64{1} << 30, 64, Pattern::run(8 * r, 8))));
  for (const Access& a : accesses) pointers.push_back(&a);
  const Coverage found = coverage(pointers, 12345, (i64{1} << 36) - 7);
  EXPECT_EQ(found.segments, (std::vector<Segment>{{12345, (i64{1} << 36) - 7 - 12345}}));
}

/// Two ranks write the same half of each period: as many bytes as the window, and holes.
TEST(Coverage, IsNotFooledByOverlap) {
  const Access a = Access::whole(Pattern::loop(100, 64, Pattern::run(0, 32)));
  const Access* twice[] = {&a, &a};
  EXPECT_EQ(coverage(twice, 0, 6400).segments.size(), 100u);
}

}  // namespace
}  // namespace resonio::pattern
