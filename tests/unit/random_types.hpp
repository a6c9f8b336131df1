// Random datatypes and file views, each with its type map or tile found by brute force (see
// pattern_generators.hpp).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "pattern/type.hpp"
#include "random_patterns.hpp"

namespace resonio::test {

using pattern::Type;
using pattern::View;

// --- Random datatypes ---

/// A type map as the MPI standard defines it: bytes in order, and marks for the bounds.
struct TypeMap {
  Bytes bytes;
  Bytes lb_marks;
  Bytes ub_marks;

  [[nodiscard]] bool nothing() const { return bytes.empty() && lb_marks.empty(); }
  [[nodiscard]] i64 lb() const {
    return nothing() ? 0 : lowest(lb_marks.empty() ? bytes : lb_marks);
  }
  [[nodiscard]] i64 ub() const {
    return nothing() ? 0 : ub_marks.empty() ? highest(bytes) + 1 : highest(ub_marks);
  }
  [[nodiscard]] i64 extent() const { return ub() - lb(); }
  void add(const TypeMap& t, i64 displacement) {
    append(bytes, t.bytes, displacement);
    append(lb_marks, t.lb_marks, displacement);
    append(ub_marks, t.ub_marks, displacement);
  }
  void add_block(const TypeMap& t, i64 displacement, i64 blocklength) {
    for (i64 k = 0; k < blocklength; ++k) add(t, displacement + k * t.extent());
  }
  void mark(i64 lb, i64 ub) {
    lb_marks = {lb};
    ub_marks = {ub};
  }
};

struct KnownType {
  Type type;
  TypeMap map;
};

inline KnownType random_type(const Draw& draw, const Options& options);

/// The element numbers of dimension d that a process owns.
inline std::vector<i64> owned_indices(pattern::Distribution distribution, i64 darg, i64 gsize,
                                      i64 psize, i64 coordinate) {
  std::vector<i64> owned;
  using pattern::Distribution;
  const bool standard = darg == pattern::default_dist_arg;
  const i64 block = distribution == Distribution::block && standard ? (gsize + psize - 1) / psize
                    : standard                                      ? 1
                                                                    : darg;
  for (i64 i = 0; i < gsize; ++i)
    if (distribution == Distribution::none || i / block % psize == coordinate) owned.push_back(i);
  return owned;
}

/// All combinations of one index from each dimension as element numbers of the array, in
/// memory order.
inline std::vector<i64> elements_at(const std::vector<std::vector<i64>>& indices,
                                    const std::vector<i64>& sizes, pattern::Order order) {
  std::vector<i64> elements{0};
  const std::size_t n = sizes.size();
  for (std::size_t k = 0; k < n; ++k) {  // slowest dimension first
    const std::size_t d = order == pattern::Order::c ? k : n - 1 - k;
    std::vector<i64> next;
    for (const i64 element : elements)
      for (const i64 i : indices[d]) next.push_back(element * sizes[d] + i);
    elements = std::move(next);
  }
  return elements;
}

inline TypeMap array_map(const std::vector<i64>& elements, const std::vector<i64>& sizes,
                         const TypeMap& t) {
  TypeMap map;
  i64 all = 1;
  for (const i64 size : sizes) all *= size;
  for (const i64 element : elements) append(map.bytes, t.bytes, element * t.extent());
  map.mark(0, all * t.extent());
  return map;
}

/// Coordinates of a process in a grid in C order.
inline std::vector<i64> coordinates_of(i64 rank, const std::vector<i64>& psizes) {
  std::vector<i64> coordinates(psizes.size());
  for (std::size_t d = psizes.size(); d-- > 0; rank /= psizes[d]) coordinates[d] = rank % psizes[d];
  return coordinates;
}

namespace detail {

inline KnownType random_vector(const Draw& draw, const Options& options, const KnownType& t) {
  const i64 count = count_of(draw, 4);
  const i64 blocklength = count_of(draw, 3);
  const i64 extent = t.map.extent();
  KnownType result;
  i64 stride = 0;
  if (draw(0, 1) == 0) {
    const i64 elements = options.ascending ? blocklength + draw(0, 3) : draw(-4, 6);
    stride = elements * extent;
    result.type = pattern::vector(count, blocklength, elements, t.type);
  } else {
    stride = options.ascending ? blocklength * extent + distance(draw, options, 0, 20)
                               : distance(draw, options, -40, 60);
    result.type = pattern::hvector(count, blocklength, stride, t.type);
  }
  for (i64 k = 0; k < count; ++k) result.map.add_block(t.map, k * stride, blocklength);
  return result;
}

/// indexed, indexed_block and struct, by the three constructors that have displacements.
inline KnownType random_indexed(const Draw& draw, const Options& options, const KnownType& t) {
  const i64 kind = draw(0, 2);
  const i64 common = count_of(draw, 2);
  const i64 step = draw(0, 2) == 0 ? draw(0, 40) : 0;  // regular displacements
  std::vector<i64> blocklengths;
  std::vector<i64> displacements;
  std::vector<Type> types;
  KnownType result;
  const i64 count = count_of(draw, 5);
  for (i64 i = 0, end = 0; i < count; ++i) {
    KnownType part = t;
    if (kind == 2) part = random_type(draw, options);
    blocklengths.push_back(kind == 0 || step != 0 ? common : count_of(draw, 3));
    displacements.push_back(step != 0           ? i * step
                            : options.ascending ? end + distance(draw, options, 0, 20)
                                                : distance(draw, options, -60, 60));
    end = displacements.back() + blocklengths.back() * part.map.extent();
    if (options.ascending && !part.map.bytes.empty()) end += std::max<i64>(0, part.map.lb());
    types.push_back(part.type);
    result.map.add_block(part.map, displacements.back(), blocklengths.back());
  }
  result.type = kind == 0   ? pattern::hindexed_block(common, displacements, t.type)
                : kind == 1 ? pattern::hindexed(blocklengths, displacements, t.type)
                            : pattern::structure(blocklengths, displacements, types);
  return result;
}

inline KnownType random_resized(const Draw& draw, const Options& options, const KnownType& t) {
  const i64 lb = options.ascending ? 0 : draw(-20, 20);
  const i64 extent = options.ascending && !t.map.bytes.empty()
                         ? highest(t.map.bytes) + 1 + distance(draw, options, 0, 20)
                         : distance(draw, options, -10, 60);
  KnownType result{pattern::resized(lb, extent, t.type), t.map};
  result.map.mark(lb, lb + extent);
  return result;
}

inline KnownType random_subarray(const Draw& draw, const KnownType& t) {
  std::vector<i64> sizes, subsizes, starts;
  std::vector<std::vector<i64>> indices;
  const i64 dimensions = draw(1, 3);
  for (i64 d = 0; d < dimensions; ++d) {
    sizes.push_back(draw(1, 5));
    subsizes.push_back(draw(0, 2) == 0 ? sizes.back() : draw(1, sizes.back()));
    starts.push_back(draw(0, sizes.back() - subsizes.back()));
    indices.emplace_back();
    for (i64 i = 0; i < subsizes.back(); ++i) indices.back().push_back(starts.back() + i);
  }
  const auto order = draw(0, 1) == 0 ? pattern::Order::c : pattern::Order::fortran;
  return {pattern::subarray(sizes, subsizes, starts, order, t.type),
          array_map(elements_at(indices, sizes, order), sizes, t.map)};
}

}  // namespace detail

/// The arguments of a darray for all ranks of its process grid.
struct DarrayArguments {
  std::vector<i64> gsizes;
  std::vector<pattern::Distribution> distribs;
  std::vector<i64> dargs;
  std::vector<i64> psizes;
  i64 processes = 1;
  pattern::Order order = pattern::Order::c;

  [[nodiscard]] Type type(i64 rank, const Type& t) const {
    return pattern::darray(processes, rank, gsizes, distribs, dargs, psizes, order, t);
  }
  [[nodiscard]] TypeMap map(i64 rank, const TypeMap& t) const {
    const std::vector<i64> coordinates = coordinates_of(rank, psizes);
    std::vector<std::vector<i64>> indices;
    for (std::size_t d = 0; d < gsizes.size(); ++d)
      indices.push_back(owned_indices(distribs[d], dargs[d], gsizes[d], psizes[d], coordinates[d]));
    return array_map(elements_at(indices, gsizes, order), gsizes, t);
  }
};

inline DarrayArguments random_darray(const Draw& draw) {
  using pattern::Distribution;
  DarrayArguments a;
  const i64 dimensions = draw(1, 3);
  for (i64 d = 0; d < dimensions; ++d) {
    const auto distribution = static_cast<Distribution>(draw(0, 2));
    a.gsizes.push_back(draw(1, 9));
    a.distribs.push_back(distribution);
    a.psizes.push_back(distribution == Distribution::none ? 1 : draw(1, 3));
    const i64 least =
        distribution == Distribution::block ? (a.gsizes.back() - 1) / a.psizes.back() + 1 : 1;
    const bool standard = distribution == Distribution::none || draw(0, 1) == 0;
    a.dargs.push_back(standard ? pattern::default_dist_arg : least + draw(0, 3));
    a.processes *= a.psizes.back();
  }
  a.order = draw(0, 1) == 0 ? pattern::Order::c : pattern::Order::fortran;
  return a;
}

inline KnownType random_elementary(const Draw& draw, const Options& options) {
  const i64 size = options.unit > 0 ? options.unit : i64{1} << draw(0, 3);
  KnownType result{pattern::elementary(size), {}};
  for (i64 i = 0; i < size; ++i) result.map.bytes.push_back(i);
  return result;
}

/// A random nest of type constructors. Where the bytes would be too many or (if asked for) not
/// ascend, an elementary type.
inline KnownType random_type(const Draw& draw, const Options& options) {
  if (options.depth <= 0) return random_elementary(draw, options);
  Options inner = options;
  --inner.depth;
  const KnownType t = random_type(draw, inner);
  KnownType result;
  switch (draw(0, 5)) {
    case 0: {
      const i64 count = detail::count_of(draw, 4);
      result.type = pattern::contiguous(count, t.type);
      result.map.add_block(t.map, 0, count);
      break;
    }
    case 1: result = detail::random_vector(draw, options, t); break;
    case 2: result = detail::random_indexed(draw, inner, t); break;
    case 3: result = detail::random_resized(draw, options, t); break;
    case 4: result = detail::random_subarray(draw, t); break;
    default: {
      const DarrayArguments a = random_darray(draw);
      const i64 rank = draw(0, a.processes - 1);
      result = {a.type(rank, t.type), a.map(rank, t.map)};
    }
  }
  const bool allowed =
      detail::allowed(result.map.bytes, options) && result.map.lb_marks.size() <= options.most;
  return allowed ? result : random_elementary(draw, options);
}

// --- Random file views ---

struct KnownView {
  View view;
  Bytes tile;      // of the filetype at address 0
  i64 extent = 0;  // of the filetype

  /// By counting through the tiles.
  [[nodiscard]] i64 offset_of(i64 position) const {
    i64 base = view.disp;
    const i64 size = static_cast<i64>(tile.size());
    for (; position >= size; position -= size) base += extent;
    return base + tile[static_cast<std::size_t>(position)];
  }
  [[nodiscard]] Bytes bytes(i64 position, i64 count) const {
    Bytes result;
    for (i64 i = 0; i < count; ++i) result.push_back(offset_of(position + i));
    return result;
  }
};

/// A view as a file accepts it: the filetype has bytes, its offsets are not negative and rise,
/// from tile to tile too. The sizes of filetype and accesses are multiples of the etype's.
inline KnownView random_view(const Draw& draw, Options options = {}) {
  options.ascending = true;
  if (options.unit == 0) options.unit = i64{1} << draw(0, 3);
  KnownType t = random_type(draw, options);
  if (t.map.bytes.empty()) t = random_elementary(draw, options);
  const i64 lower = lowest(t.map.bytes);
  if (t.map.extent() < detail::span_of(t.map.bytes)) {
    const i64 extent = detail::span_of(t.map.bytes) + draw(0, 20);
    t.type = pattern::resized(lower, extent, t.type);
    t.map.mark(lower, lower + extent);
  }
  const i64 disp = std::max<i64>(0, -lower) + detail::distance(draw, options, 0, 100);
  return {{disp, options.unit, t.type}, t.map.bytes, t.map.extent()};
}

}  // namespace resonio::test
