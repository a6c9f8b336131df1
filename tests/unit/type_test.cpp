// Type constructors, views and arrays against type maps put together entry by entry.
#include "pattern/type.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <numeric>

#include "pattern/wire.hpp"
#include "pattern_generators.hpp"

namespace resonio::test {
namespace {

using pattern::default_dist_arg;
using pattern::Distribution;
using pattern::Order;
using pattern::to_text;

const bool configured = cases(1000);

void expect_equal(const KnownType& known) {
  const auto& [type, map] = known;
  RC_LOG() << to_text(type.pattern) << '\n';
  RC_ASSERT(bytes_of(Access::whole(type.pattern)) == map.bytes);
  RC_ASSERT(type.lb == map.lb());
  RC_ASSERT(type.extent == map.extent());
}

Options random_options(const Draw& draw) {
  Options options;
  options.depth = static_cast<int>(draw(0, 4));
  options.ascending = draw(0, 2) == 0;
  options.large = draw(0, 2) == 0;
  return options;
}

RC_GTEST_PROP(Type, constructors_follow_the_type_map, ()) {
  const Draw draw = rapidcheck_draw();
  expect_equal(random_type(draw, random_options(draw)));
}

RC_GTEST_PROP(Type, repeat_places_elements_an_extent_apart, ()) {
  const Draw draw = rapidcheck_draw();
  const KnownType t = random_type(draw, random_options(draw));
  const i64 count = draw(0, 4);
  TypeMap map;
  map.add_block(t.map, 0, count);
  RC_ASSERT(bytes_of(Access::whole(pattern::repeat(count, t.type))) == map.bytes);
}

RC_GTEST_PROP(Darray, gives_each_process_its_elements, ()) {
  const Draw draw = rapidcheck_draw();
  const KnownType t = random_elementary(draw, {});
  const DarrayArguments a = random_darray(draw);
  Bytes together;
  for (i64 rank = 0; rank < a.processes; ++rank) {
    const KnownType part{a.type(rank, t.type), a.map(rank, t.map)};
    expect_equal(part);
    RC_ASSERT(part.type.pattern.ascending());
    append(together, bytes_of(Access::whole(part.type.pattern)), 0);
  }
  std::sort(together.begin(), together.end());
  Bytes all(static_cast<std::size_t>(a.type(0, t.type).extent));
  std::iota(all.begin(), all.end(), 0);
  RC_ASSERT(together == all);
}

RC_GTEST_PROP(View, access_is_a_part_of_the_tiling, ()) {
  const Draw draw = rapidcheck_draw();
  Options options = random_options(draw);
  const KnownView known = random_view(draw, options);
  const i64 tile = static_cast<i64>(known.tile.size());
  const i64 position = draw(0, 3 * tile);
  const i64 bytes = draw(0, 2 * tile + 3);
  const Access access = known.view.access(position, bytes);
  RC_LOG() << to_text(access.pattern) << " from " << access.begin << " to " << access.end << '\n';
  RC_ASSERT(bytes_of(access) == known.bytes(position, bytes));
  RC_ASSERT(access.ascending());
  RC_ASSERT(access.begin < tile);
  RC_ASSERT(access.pattern.size() - access.end < tile);
  for (i64 i = 0; i < bytes; ++i)
    RC_ASSERT(known.view.offset_of(position + i) == known.offset_of(position + i));
}

RC_GTEST_PROP(View, counts_bytes_before_an_offset, ()) {
  const Draw draw = rapidcheck_draw();
  const KnownView known = random_view(draw, random_options(draw));
  const i64 tile = static_cast<i64>(known.tile.size());
  const Bytes bytes = known.bytes(0, 3 * tile + 1);
  for (int i = 0; i < 20; ++i) {
    const i64 offset = draw(0, 4) == 0
                           ? draw(-10, known.view.disp + 10)
                           : bytes[static_cast<std::size_t>(draw(0, 3 * tile))] + draw(-2, 2);
    if (offset > bytes.back()) continue;
    const i64 expected =
        std::count_if(bytes.begin(), bytes.end(), [&](i64 o) { return o < offset; });
    RC_ASSERT(known.view.bytes_before(offset) == expected);
  }
}

RC_GTEST_PROP(View, counts_bytes_of_tiles_that_overlap, ()) {
  const Draw draw = rapidcheck_draw();
  Options options;
  options.ascending = true;
  KnownType t = random_type(draw, options);
  if (t.map.bytes.empty()) t = random_elementary(draw, options);
  const i64 extent = draw(1, 20);
  const View view{0, 1, pattern::resized(0, extent, t.type)};
  const i64 offset = draw(-20, 100);
  i64 expected = 0;
  for (i64 k = 0; k * extent + lowest(t.map.bytes) < offset; ++k)
    for (const i64 o : t.map.bytes) expected += o + k * extent < offset ? 1 : 0;
  RC_ASSERT(view.bytes_before(offset) == expected);
}

RC_GTEST_PROP(View, equal_accesses_in_different_tiles_differ_by_a_shift_only, ()) {
  const Draw draw = rapidcheck_draw();
  const KnownView known = random_view(draw, random_options(draw));
  const i64 tile = static_cast<i64>(known.tile.size());
  const i64 position = draw(0, tile - 1);
  const i64 bytes = draw(1, 3 * tile);
  const Access first = known.view.access(position, bytes);
  const Access later = known.view.access(position + 7 * tile, bytes);
  RC_ASSERT(later.bounds().offset == first.bounds().offset + 7 * known.extent);
  RC_ASSERT(pattern::fingerprint(later) == pattern::fingerprint(first));
}

TEST(View, far_beyond_32_bits) {
  const i64 tera = i64{1} << 40;
  const Type column = pattern::resized(0, 4 * tera, pattern::elementary(tera));
  const View view{5, 1, column};
  const i64 far = (i64{1} << 60) + 17;  // tile 2^20
  EXPECT_EQ(view.offset_of(far), 5 + (i64{1} << 62) + 17);
  EXPECT_EQ(view.bytes_before(5 + (i64{1} << 62) + 17), far);
  const Access access = view.access(far, 2 * tera);
  EXPECT_EQ(access.bounds().offset, 5 + (i64{1} << 62) + 17);
  EXPECT_EQ(access.size(), 2 * tera);
}

TEST(View, a_contiguous_view_is_one_run_wherever_it_is_accessed) {
  const View view{100, 8, pattern::contiguous(3, pattern::elementary(8))};
  EXPECT_EQ(to_text(view.access(50, 1000).pattern), "@150 1000");
  EXPECT_EQ(view.access(50, 1000).begin, 0);
}

TEST(View, nothing_to_access) {
  const View empty{100, 1, pattern::contiguous(0, pattern::elementary(8))};
  EXPECT_TRUE(empty.access(0, 10).empty());
  EXPECT_EQ(empty.offset_of(7), 100);
  EXPECT_EQ(empty.bytes_before(1000), 0);
  EXPECT_TRUE(View{}.access(3, 0).empty());
}

// --- Bounds ---

TEST(TypeBounds, negative_stride_and_displacement) {
  const Type t = pattern::hvector(3, 2, -16, pattern::elementary(4));
  EXPECT_EQ(t.lb, -32);
  EXPECT_EQ(t.extent, 40);
  const std::array<i64, 2> displacements{-12, 20};
  const Type u = pattern::hindexed_block(1, displacements, t);
  EXPECT_EQ(u.lb, -44);
  EXPECT_EQ(u.lb + u.extent, 28);
}

TEST(TypeBounds, blocks_without_elements_do_not_count) {
  const std::array<i64, 3> blocklengths{1, 0, 1};
  const std::array<i64, 3> displacements{8, 1000, 16};
  const Type t = pattern::hindexed(blocklengths, displacements, pattern::elementary(4));
  EXPECT_EQ(t.lb, 8);
  EXPECT_EQ(t.extent, 12);
  EXPECT_EQ(pattern::hindexed({}, {}, pattern::elementary(4)).extent, 0);
  EXPECT_EQ(pattern::hindexed_block(3, {}, pattern::elementary(4)).extent, 0);
  EXPECT_EQ(pattern::structure({}, {}, {}).extent, 0);
}

TEST(TypeBounds, set_bounds_count_alone) {
  const std::array types{pattern::resized(-4, 6, pattern::elementary(4)), pattern::elementary(8)};
  const std::array<i64, 2> ones{1, 1};
  const std::array<i64, 2> displacements{0, 100};
  const Type t = pattern::structure(ones, displacements, types);
  EXPECT_EQ(t.lb, -4);
  EXPECT_EQ(t.extent, 6);
  EXPECT_TRUE(pattern::contiguous(2, t).marked);
  EXPECT_EQ(pattern::contiguous(2, t).extent, 12);
}

TEST(TypeBounds, an_empty_type_can_have_an_extent) {
  const Type t = pattern::resized(0, 16, pattern::contiguous(0, pattern::elementary(4)));
  EXPECT_EQ(pattern::contiguous(3, t).extent, 48);
  EXPECT_TRUE(pattern::contiguous(3, t).pattern.empty());
}

// --- As few loops as promised ---

TEST(TypeFolding, four_dimensional_subarray) {
  const std::array<i64, 4> sizes{32, 32, 64, 128};
  const Type site = pattern::contiguous(72, pattern::elementary(8));
  const std::array<i64, 4> subsizes{8, 8, 32, 128};
  const std::array<i64, 4> starts{8, 16, 32, 0};
  const Type full = pattern::subarray(sizes, subsizes, starts, Order::c, site);
  // The last dimension is full: it folds with the one before.
  EXPECT_EQ(to_text(full.pattern), "@1285816320 8x[150994944] 8x[4718592] 2359296");
  const std::array<i64, 4> partial{8, 8, 32, 100};
  const Type part = pattern::subarray(sizes, partial, starts, Order::c, site);
  EXPECT_EQ(to_text(part.pattern), "@1285816320 8x[150994944] 8x[4718592] 32x[73728] 57600");
  EXPECT_EQ(part.extent, i64{32} * 32 * 64 * 128 * 576);
}

TEST(TypeFolding, all_of_an_array_is_a_run) {
  const std::array<i64, 3> sizes{4, 5, 6};
  const std::array<i64, 3> zero{};
  for (const Order order : {Order::c, Order::fortran})
    EXPECT_EQ(to_text(pattern::subarray(sizes, sizes, zero, order, pattern::elementary(8)).pattern),
              "@0 960");
}

TEST(TypeFolding, subarray_in_fortran_order) {
  const std::array<i64, 2> sizes{10, 4};
  const std::array<i64, 2> subsizes{3, 2};
  const std::array<i64, 2> starts{1, 2};
  EXPECT_EQ(
      to_text(pattern::subarray(sizes, subsizes, starts, Order::fortran, pattern::elementary(1))
                  .pattern),
      "@21 2x[10] 3");
}

TEST(TypeFolding, vectors_of_vectors) {
  const Type e = pattern::elementary(4);
  EXPECT_EQ(to_text(pattern::vector(10, 3, 3, e).pattern), "@0 120");
  const Type v = pattern::resized(0, 32, pattern::vector(4, 1, 2, e));
  EXPECT_EQ(to_text(pattern::contiguous(5, v).pattern), "@0 20x[8] 4");
  EXPECT_EQ(to_text(pattern::hvector(5, 2, 64, v).pattern), "@0 40x[8] 4");
  EXPECT_EQ(to_text(pattern::hvector(5, 1, 64, v).pattern), "@0 5x[64] 4x[8] 4");
}

TEST(TypeFolding, indexed_with_regular_displacements) {
  const Type e = pattern::elementary(4);
  const std::array<i64, 4> regular{100, 80, 60, 40};
  const std::array<i64, 4> lengths{2, 2, 2, 2};
  EXPECT_EQ(to_text(pattern::hindexed(lengths, regular, e).pattern), "@100 4x[-20] 8");
  EXPECT_EQ(to_text(pattern::hindexed_block(2, regular, e).pattern), "@100 4x[-20] 8");
  const Type v = pattern::vector(2, 1, 2, e);
  EXPECT_EQ(to_text(pattern::hindexed_block(1, regular, v).pattern), "@100 4x[-20] 2x[8] 4");
  const std::array<i64, 4> ones{1, 1, 1, 1};
  EXPECT_EQ(to_text(pattern::hindexed(ones, regular, v).pattern), "@100 4x[-20] 2x[8] 4");
  const std::array types{e, e, e, e};
  EXPECT_EQ(to_text(pattern::structure(lengths, regular, types).pattern), "@100 4x[-20] 8");
}

TEST(TypeFolding, darray_in_blocks_is_a_subarray) {
  const std::array<i64, 2> gsizes{8, 8};
  const std::array<i64, 2> psizes{2, 2};
  const std::array<i64, 2> dargs{default_dist_arg, default_dist_arg};
  const std::array blocks{Distribution::block, Distribution::block};
  EXPECT_EQ(
      to_text(pattern::darray(4, 3, gsizes, blocks, dargs, psizes, Order::c, pattern::elementary(1))
                  .pattern),
      "@36 4x[8] 4");
  const std::array cyclic{Distribution::cyclic, Distribution::cyclic};
  EXPECT_EQ(
      to_text(pattern::darray(4, 3, gsizes, cyclic, dargs, psizes, Order::c, pattern::elementary(1))
                  .pattern),
      "@9 4x[16] 4x[2] 1");
}

TEST(Darray, more_processes_than_elements) {
  const std::array<i64, 1> gsizes{2};
  const std::array<i64, 1> psizes{4};
  const std::array<i64, 1> dargs{default_dist_arg};
  const std::array blocks{Distribution::block};
  const Type t =
      pattern::darray(4, 3, gsizes, blocks, dargs, psizes, Order::c, pattern::elementary(8));
  EXPECT_TRUE(t.pattern.empty());
  EXPECT_EQ(t.extent, 16);
}

}  // namespace
}  // namespace resonio::test
