// Patterns by themselves: what it costs to make one from a datatype, to start in its middle, to
// intersect it with an interval, to send it, and to walk over all of it. Three of them:
//   lattice    8 x 8 x 32 x 128 sites of 576 bytes in a 32 x 32 x 64 x 128 lattice
//   irregular  1,000,000 blocks at irregular places (hindexed)
//   vector     1,000,000 x 8 bytes, 64 bytes apart
#include <benchmark/benchmark.h>

#include <array>
#include <random>
#include <vector>

#include "pattern/type.hpp"
#include "pattern/wire.hpp"

namespace {

using namespace resonio::pattern;

constexpr i64 million = 1000000;

struct Lattice {
  static Type type() {
    const std::array<i64, 4> sizes{32, 32, 64, 128};
    const std::array<i64, 4> subsizes{8, 8, 32, 128};
    const std::array<i64, 4> starts{8, 16, 32, 0};
    return subarray(sizes, subsizes, starts, Order::c, elementary(576));
  }
};

struct Irregular {
  struct Blocks {
    std::vector<i64> lengths;
    std::vector<i64> displacements;
  };
  static const Blocks& blocks() {
    static const Blocks made = [] {
      Blocks b;
      std::mt19937_64 random(1);
      i64 at = 0;
      for (i64 i = 0; i < million; ++i) {
        b.lengths.push_back(std::uniform_int_distribution<i64>(1, 64)(random));
        b.displacements.push_back(at += std::uniform_int_distribution<i64>(1, 500)(random));
        at += b.lengths.back() * 8;
      }
      return b;
    }();
    return made;
  }
  static Type type() { return hindexed(blocks().lengths, blocks().displacements, elementary(8)); }
};

struct Vector {
  static Type type() { return vector(million, 1, 8, elementary(8)); }
};

/// Data positions or offsets, in no order, without the cost of a random number in the loop.
std::vector<i64> anywhere(i64 below) {
  std::mt19937_64 random(2);
  std::vector<i64> places(4096);
  for (i64& place : places) place = std::uniform_int_distribution<i64>(0, below - 1)(random);
  return places;
}

template <class Shape>
void decode_type(benchmark::State& state) {
  if constexpr (std::is_same_v<Shape, Irregular>) Irregular::blocks();
  for (auto _ : state) benchmark::DoNotOptimize(Shape::type());
}

template <class Shape>
void seek(benchmark::State& state) {
  const Pattern pattern = Shape::type().pattern;
  const std::vector<i64> places = anywhere(pattern.size());
  std::size_t i = 0;
  for (auto _ : state) {
    Cursor cursor(pattern, places[i++ % places.size()], pattern.size());
    Piece piece;
    benchmark::DoNotOptimize(cursor.next(piece));
    benchmark::DoNotOptimize(piece);
  }
}

template <class Shape>
void before(benchmark::State& state) {
  const Pattern pattern = Shape::type().pattern;
  const std::vector<i64> places = anywhere(pattern.upper());
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(pattern.bytes_before(places[i++ % places.size()]));
}

template <class Shape>
void intersect(benchmark::State& state) {
  const Access access = Access::whole(Shape::type().pattern);
  const std::vector<i64> places = anywhere(access.pattern.upper());
  std::size_t i = 0;
  for (auto _ : state) {
    const i64 lo = places[i++ % places.size()];
    benchmark::DoNotOptimize(access.clip(lo, lo + (1 << 20)));
  }
}

template <class Shape>
void iterate(benchmark::State& state) {
  const Pattern pattern = Shape::type().pattern;
  i64 steps = 0;
  for (auto _ : state) {
    steps = 0;
    Cursor cursor(pattern, 0, pattern.size());
    for (Piece piece; cursor.next(piece); ++steps) benchmark::DoNotOptimize(piece);
  }
  state.counters["steps"] = static_cast<double>(steps);
  state.counters["runs"] = static_cast<double>(pattern.run_count());
}

template <class Shape>
void wire_and_back(benchmark::State& state) {
  const Access access = Access::whole(Shape::type().pattern);
  for (auto _ : state) benchmark::DoNotOptimize(decode(encode(access)));
  state.counters["bytes"] = static_cast<double>(encode(access).size());
}

template <class Shape>
void fingerprinted(benchmark::State& state) {
  const Access access = Access::whole(Shape::type().pattern);
  for (auto _ : state) benchmark::DoNotOptimize(fingerprint(access));
}

#define RESONIO_SHAPES(operation)  \
  BENCHMARK(operation<Lattice>);   \
  BENCHMARK(operation<Irregular>); \
  BENCHMARK(operation<Vector>)

RESONIO_SHAPES(decode_type);
RESONIO_SHAPES(seek);
RESONIO_SHAPES(before);
RESONIO_SHAPES(intersect);
RESONIO_SHAPES(iterate);
RESONIO_SHAPES(wire_and_back);
RESONIO_SHAPES(fingerprinted);

}  // namespace

BENCHMARK_MAIN();
