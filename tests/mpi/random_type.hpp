// Random MPI datatypes with their bytes written out one by one: the plain rendering that
// everything is compared with. It knows the constructors' definitions in the standard, and
// nothing else.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace oracle {

using i64 = long long;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  i64 between(i64 low, i64 high) {  // both ends can come
    return low + static_cast<i64>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  std::mt19937_64 engine_;
};

/// A committed datatype and the offset of each of its data bytes, in data order.
class Type {
 public:
  Type(MPI_Datatype type, std::vector<i64> bytes, bool owned)
      : type_(type), bytes_(std::move(bytes)), owned_(owned) {
    MPI_Count lb = 0;
    MPI_Count extent = 0;
    if (owned_) MPI_Type_commit(&type_);
    MPI_Type_get_extent_x(type_, &lb, &extent);
    lb_ = lb;
    extent_ = extent;
  }
  ~Type() {
    if (owned_) MPI_Type_free(&type_);
  }
  Type(Type&& other) noexcept { *this = std::move(other); }
  Type& operator=(Type&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(bytes_, other.bytes_);
    std::swap(lb_, other.lb_);
    std::swap(extent_, other.extent_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  MPI_Datatype handle() const { return type_; }
  const std::vector<i64>& bytes() const { return bytes_; }
  i64 size() const { return static_cast<i64>(bytes_.size()); }
  i64 lb() const { return lb_; }
  i64 extent() const { return extent_; }

  /// Offsets of `count` elements in a row.
  std::vector<i64> repeated(i64 count) const {
    std::vector<i64> all;
    for (i64 i = 0; i < count; ++i) append(all, *this, i * extent_);
    return all;
  }
  static void append(std::vector<i64>& all, const Type& t, i64 at) {
    for (const i64 b : t.bytes_) all.push_back(at + b);
  }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<i64> bytes_;
  i64 lb_ = 0;
  i64 extent_ = 0;
  bool owned_ = false;
};

inline std::vector<i64> run(i64 at, i64 length) {
  std::vector<i64> bytes(static_cast<std::size_t>(length));
  std::iota(bytes.begin(), bytes.end(), at);
  return bytes;
}

inline Type predefined(MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  return {type, run(0, size), false};
}

inline Type short_int() {  // the named type with a hole
  struct ShortInt {
    short s;
    int i;
  };
  std::vector<i64> bytes = run(0, sizeof(short));
  const auto rest = run(offsetof(ShortInt, i), sizeof(int));
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return {MPI_SHORT_INT, bytes, false};
}

inline Type basic(Random& random) {
  switch (random.between(0, 7)) {
    case 0: return predefined(MPI_BYTE);
    case 1: return predefined(MPI_SHORT);
    case 2: return predefined(MPI_INT);
    case 3: return predefined(MPI_DOUBLE);
    case 4: return predefined(MPI_C_DOUBLE_COMPLEX);
    case 5: return predefined(MPI_DOUBLE_INT);
    case 6: return short_int();
    default: return predefined(MPI_CHAR);
  }
}

// --- constructors ---

inline Type duplicate(const Type& t) {
  MPI_Datatype made;
  MPI_Type_dup(t.handle(), &made);
  return {made, t.bytes(), true};
}

inline Type resized(i64 lb, i64 extent, const Type& t) {
  MPI_Datatype made;
  MPI_Type_create_resized(t.handle(), lb, extent, &made);
  return {made, t.bytes(), true};
}

inline Type contiguous(i64 count, const Type& t) {
  MPI_Datatype made;
  MPI_Type_contiguous(static_cast<int>(count), t.handle(), &made);
  return {made, t.repeated(count), true};
}

/// The bytes of blocks of t at byte displacements.
inline std::vector<i64> blocks(const std::vector<int>& lengths, const std::vector<MPI_Aint>& at,
                               const Type& t) {
  std::vector<i64> bytes;
  for (std::size_t i = 0; i < at.size(); ++i)
    for (int k = 0; k < lengths[i]; ++k) Type::append(bytes, t, at[i] + k * t.extent());
  return bytes;
}

inline Type hvector(i64 count, i64 length, i64 stride, const Type& t, bool in_bytes) {
  MPI_Datatype made;
  const int n = static_cast<int>(count);
  const int b = static_cast<int>(length);
  if (in_bytes) MPI_Type_create_hvector(n, b, stride, t.handle(), &made);
  else MPI_Type_vector(n, b, static_cast<int>(stride), t.handle(), &made);
  std::vector<i64> bytes;
  for (i64 i = 0; i < count; ++i)
    for (i64 k = 0; k < length; ++k)
      Type::append(bytes, t, i * stride * (in_bytes ? 1 : t.extent()) + k * t.extent());
  return {made, bytes, true};
}

inline Type indexed(const std::vector<int>& lengths, const std::vector<int>& at, const Type& t) {
  MPI_Datatype made;
  MPI_Type_indexed(static_cast<int>(at.size()), lengths.data(), at.data(), t.handle(), &made);
  std::vector<MPI_Aint> in_bytes(at.begin(), at.end());
  for (MPI_Aint& d : in_bytes) d *= t.extent();
  return {made, blocks(lengths, in_bytes, t), true};
}

inline Type hindexed(const std::vector<int>& lengths, const std::vector<MPI_Aint>& at,
                     const Type& t) {
  MPI_Datatype made;
  MPI_Type_create_hindexed(static_cast<int>(at.size()), lengths.data(), at.data(), t.handle(),
                           &made);
  return {made, blocks(lengths, at, t), true};
}

inline Type indexed_block(int length, const std::vector<int>& at, const Type& t) {
  MPI_Datatype made;
  MPI_Type_create_indexed_block(static_cast<int>(at.size()), length, at.data(), t.handle(), &made);
  std::vector<MPI_Aint> in_bytes(at.begin(), at.end());
  for (MPI_Aint& d : in_bytes) d *= t.extent();
  return {made, blocks(std::vector<int>(at.size(), length), in_bytes, t), true};
}

inline Type hindexed_block(int length, const std::vector<MPI_Aint>& at, const Type& t) {
  MPI_Datatype made;
  MPI_Type_create_hindexed_block(static_cast<int>(at.size()), length, at.data(), t.handle(), &made);
  return {made, blocks(std::vector<int>(at.size(), length), at, t), true};
}

inline Type structure(const std::vector<int>& lengths, const std::vector<MPI_Aint>& at,
                      const std::vector<const Type*>& types) {
  MPI_Datatype made;
  std::vector<MPI_Datatype> handles;
  std::vector<i64> bytes;
  for (std::size_t i = 0; i < types.size(); ++i) {
    handles.push_back(types[i]->handle());
    for (int k = 0; k < lengths[i]; ++k)
      Type::append(bytes, *types[i], at[i] + k * types[i]->extent());
  }
  MPI_Type_create_struct(static_cast<int>(at.size()), lengths.data(), at.data(), handles.data(),
                         &made);
  return {made, bytes, true};
}

/// Calls visit(index of each dimension, element number) for all elements of an array, in the
/// order of its storage.
template <class Visit>
void for_each_element(const std::vector<int>& sizes, int order, Visit visit) {
  const std::size_t n = sizes.size();
  std::vector<int> index(n, 0);
  i64 elements = 1;
  for (const int s : sizes) elements *= s;
  for (i64 e = 0; e < elements; ++e) {
    visit(index, e);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t d = order == MPI_ORDER_C ? n - 1 - i : i;
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
}

inline Type subarray(const std::vector<int>& sizes, const std::vector<int>& parts,
                     const std::vector<int>& starts, int order, const Type& t) {
  MPI_Datatype made;
  MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), parts.data(),
                           starts.data(), order, t.handle(), &made);
  std::vector<i64> bytes;
  for_each_element(sizes, order, [&](const std::vector<int>& index, i64 e) {
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (index[d] < starts[d] || index[d] >= starts[d] + parts[d]) return;
    Type::append(bytes, t, e * t.extent());
  });
  return {made, bytes, true};
}

struct Distribution {
  int kind = MPI_DISTRIBUTE_NONE;
  int argument = MPI_DISTRIBUTE_DFLT_DARG;
  int processes = 1;

  bool owns(int coordinate, int index, int size) const {
    if (kind == MPI_DISTRIBUTE_NONE) return true;
    int block = argument;
    if (argument == MPI_DISTRIBUTE_DFLT_DARG)
      block = kind == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
    return index / block % processes == coordinate;
  }
};

inline Type darray(int ranks, int rank, const std::vector<int>& sizes,
                   const std::vector<Distribution>& how, int order, const Type& t) {
  std::vector<int> kinds;
  std::vector<int> arguments;
  std::vector<int> grid;
  for (const Distribution& d : how) {
    kinds.push_back(d.kind);
    arguments.push_back(d.argument);
    grid.push_back(d.processes);
  }
  MPI_Datatype made;
  MPI_Type_create_darray(ranks, rank, static_cast<int>(sizes.size()), sizes.data(), kinds.data(),
                         arguments.data(), grid.data(), order, t.handle(), &made);
  std::vector<int> at(sizes.size());  // this rank in the process grid, always in C order
  for (std::size_t i = sizes.size(); i-- > 0; rank /= grid[i]) at[i] = rank % grid[i];
  std::vector<i64> bytes;
  for_each_element(sizes, order, [&](const std::vector<int>& index, i64 e) {
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (!how[d].owns(at[d], index[d], sizes[d])) return;
    Type::append(bytes, t, e * t.extent());
  });
  return {made, bytes, true};
}

// --- random ones ---

/// A process grid of `ranks` in `dims` dimensions.
inline std::vector<int> random_grid(Random& random, int ranks, int dims) {
  std::vector<int> grid(static_cast<std::size_t>(dims), 1);
  for (int factor = 2; ranks > 1; ++factor)
    for (; ranks % factor == 0; ranks /= factor)
      grid[static_cast<std::size_t>(random.between(0, dims - 1))] *= factor;
  return grid;
}

inline std::vector<Distribution> random_distributions(Random& random, const std::vector<int>& grid,
                                                      const std::vector<int>& sizes) {
  std::vector<Distribution> how;
  for (std::size_t d = 0; d < grid.size(); ++d) {
    Distribution one;
    one.processes = grid[d];
    if (grid[d] > 1 || random.chance(60)) {
      one.kind = random.chance(50) ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
      const int smallest = (sizes[d] + grid[d] - 1) / grid[d];  // that holds all, for blocks
      if (random.chance(50))
        one.argument = static_cast<int>(one.kind == MPI_DISTRIBUTE_BLOCK
                                            ? random.between(smallest, smallest + 1)
                                            : random.between(1, 3));
    }
    how.push_back(one);
  }
  return how;
}

inline std::vector<int> random_sizes(Random& random, int dims, int longest) {
  std::vector<int> sizes;
  for (int d = 0; d < dims; ++d) sizes.push_back(static_cast<int>(random.between(1, longest)));
  return sizes;
}

inline Type random_array(Random& random, const Type& t) {
  const int dims = static_cast<int>(random.between(1, 3));
  const int order = random.chance(50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  const std::vector<int> sizes = random_sizes(random, dims, 6);
  if (t.size() > 0 && random.chance(40)) {  // Open MPI refuses a darray of nothing
    const int ranks = static_cast<int>(random.between(1, 6));
    const auto grid = random_grid(random, ranks, dims);
    const auto how = random_distributions(random, grid, sizes);
    return darray(ranks, static_cast<int>(random.between(0, ranks - 1)), sizes, how, order, t);
  }
  std::vector<int> parts;
  std::vector<int> starts;
  for (const int size : sizes) {
    parts.push_back(static_cast<int>(random.between(1, size)));
    starts.push_back(static_cast<int>(random.between(0, size - parts.back())));
  }
  return subarray(sizes, parts, starts, order, t);
}

inline Type random_indexed(Random& random, const Type& t) {
  const auto n = static_cast<std::size_t>(random.between(0, 5));
  std::vector<int> lengths;
  std::vector<int> at;
  std::vector<MPI_Aint> at_bytes;
  for (std::size_t i = 0; i < n; ++i) {
    lengths.push_back(static_cast<int>(random.between(0, 3)));
    at.push_back(static_cast<int>(random.between(-6, 20)));
    at_bytes.push_back(random.between(-40, 200));
  }
  const int length = static_cast<int>(random.between(1, 3));
  switch (random.between(0, 3)) {
    case 0: return indexed(lengths, at, t);
    case 1: return hindexed(lengths, at_bytes, t);
    case 2: return indexed_block(length, at, t);
    default: return hindexed_block(length, at_bytes, t);
  }
}

/// Any type, `depth` constructors deep, of at most about 4,000 bytes.
inline Type random_type(Random& random, int depth) {
  if (depth == 0) return basic(random);
  Type t = random_type(random, depth - 1);
  if (t.size() > 1000) return t;
  switch (random.between(0, 7)) {
    case 0: return contiguous(random.between(1, 4), t);
    case 1:
      return hvector(random.between(1, 4), random.between(1, 3), random.between(-5, 9), t, false);
    case 2:
      return hvector(random.between(1, 4), random.between(1, 3), random.between(-99, 99), t, true);
    case 3:
    case 4: return random_indexed(random, t);
    case 5: return random_array(random, t);
    case 6: {
      const Type other = random_type(random, depth - 1);
      const Type third = basic(random);
      return structure({static_cast<int>(random.between(0, 2)), 1, 1},
                       {random.between(-50, 300), random.between(0, 300), random.between(0, 300)},
                       {&t, &other, &third});
    }
    default:
      return random.chance(30) ? duplicate(t)
                               : resized(random.between(-16, 16), random.between(1, 400), t);
  }
}

inline bool overlaps(std::vector<i64> bytes) {
  std::sort(bytes.begin(), bytes.end());
  return std::adjacent_find(bytes.begin(), bytes.end()) != bytes.end();
}

/// One that may be a filetype of a file open for writing, its tiles one behind the other.
inline Type random_filetype(Random& random, int depth) {
  for (int tries = 0; tries < 40; ++tries) {
    Type t = random_type(random, depth);
    const auto& b = t.bytes();
    if (b.empty() || b.front() < 0) continue;
    if (std::adjacent_find(b.begin(), b.end(), std::greater_equal<>()) != b.end()) continue;
    if (t.extent() >= b.back() + 1 - b.front() && random.chance(70)) return t;
    return resized(0, b.back() + 1 + random.between(0, 64), t);
  }
  return contiguous(random.between(1, 9), basic(random));
}

}  // namespace oracle
