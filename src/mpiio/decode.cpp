#include "mpiio/decode.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "mpiio/contents.hpp"

namespace resonio::mpiio {
namespace {

using pattern::i64;
using pattern::Type;

#if defined(OPEN_MPI) && !OMPI_ENABLE_MPI1_COMPAT
// Constructors that only old Fortran programs call; Open MPI's header hides their names.
constexpr int combiner_hvector_integer = OMPI_WAS_MPI_COMBINER_HVECTOR_INTEGER;
constexpr int combiner_hindexed_integer = OMPI_WAS_MPI_COMBINER_HINDEXED_INTEGER;
constexpr int combiner_struct_integer = OMPI_WAS_MPI_COMBINER_STRUCT_INTEGER;
#else
constexpr int combiner_hvector_integer = MPI_COMBINER_HVECTOR_INTEGER;
constexpr int combiner_hindexed_integer = MPI_COMBINER_HINDEXED_INTEGER;
constexpr int combiner_struct_integer = MPI_COMBINER_STRUCT_INTEGER;
#endif

/// Takes a constructor's arguments one after another.
class Arguments {
 public:
  explicit Arguments(const std::vector<i64>& list) : rest_(list) {}
  i64 number() { return array(1)[0]; }
  std::span<const i64> array(i64 count) {
    const auto n = static_cast<std::size_t>(count);
    if (n > rest_.size()) throw std::runtime_error("a datatype's contents are incomplete");
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
  }

 private:
  std::span<const i64> rest_;
};

/// A named type has no holes but for the one in MPI_SHORT_INT, a struct of short and int.
Type named(MPI_Datatype handle) {
  MPI_Count size = 0;
  MPI_Count true_lb = 0;
  MPI_Count true_extent = 0;
  mpi::api().Type_size_x(handle, &size);
  mpi::api().Type_get_true_extent_x(handle, &true_lb, &true_extent);
  if (size == true_extent || size == 0) return pattern::elementary(size);
  if (handle != MPI_SHORT_INT)
    throw std::runtime_error(
        fmt::format("a predefined datatype of {} bytes in {} is not known", size, true_extent));
  struct ShortInt {
    short s;
    int i;
  };
  const std::array<i64, 2> ones{1, 1};
  const std::array<i64, 2> offsets{offsetof(ShortInt, s), offsetof(ShortInt, i)};
  const std::array<Type, 2> types{pattern::elementary(sizeof(short)),
                                  pattern::elementary(sizeof(int))};
  return pattern::structure(ones, offsets, types);
}

pattern::Order order_of(i64 order) {
  return order == MPI_ORDER_FORTRAN ? pattern::Order::fortran : pattern::Order::c;
}

pattern::Distribution distribution_of(i64 distribution) {
  if (distribution == MPI_DISTRIBUTE_BLOCK) return pattern::Distribution::block;
  if (distribution == MPI_DISTRIBUTE_CYCLIC) return pattern::Distribution::cyclic;
  return pattern::Distribution::none;
}

Type subarray(Arguments in, const Type& element) {
  const i64 n = in.number();
  const auto sizes = in.array(n);
  const auto subsizes = in.array(n);
  const auto starts = in.array(n);
  return pattern::subarray(sizes, subsizes, starts, order_of(in.number()), element);
}

Type darray(Arguments in, const Type& element) {
  const i64 size = in.number();
  const i64 rank = in.number();
  const i64 n = in.number();
  const auto gsizes = in.array(n);
  std::vector<pattern::Distribution> distributions;
  for (const i64 d : in.array(n)) distributions.push_back(distribution_of(d));
  std::vector<i64> dargs;
  for (const i64 d : in.array(n))
    dargs.push_back(d == MPI_DISTRIBUTE_DFLT_DARG ? pattern::default_dist_arg : d);
  const auto psizes = in.array(n);
  return pattern::darray(size, rank, gsizes, distributions, dargs, psizes, order_of(in.number()),
                         element);
}

/// Displacements in elements, as the indexed constructors take them.
std::vector<i64> in_bytes(std::span<const i64> displacements, const Type& element) {
  std::vector<i64> bytes(displacements.begin(), displacements.end());
  for (i64& d : bytes) d *= element.extent;
  return bytes;
}

Type indexed(int combiner, Arguments in, const Type& element) {
  const i64 count = in.number();
  const auto blocklengths = in.array(count);
  const auto displacements = in.array(count);
  if (combiner == MPI_COMBINER_INDEXED)
    return pattern::hindexed(blocklengths, in_bytes(displacements, element), element);
  return pattern::hindexed(blocklengths, displacements, element);
}

Type indexed_block(int combiner, Arguments in, const Type& element) {
  const i64 count = in.number();
  const i64 blocklength = in.number();
  const auto displacements = in.array(count);
  if (combiner == MPI_COMBINER_INDEXED_BLOCK)
    return pattern::hindexed_block(blocklength, in_bytes(displacements, element), element);
  return pattern::hindexed_block(blocklength, displacements, element);
}

Type vector(int combiner, Arguments in, const Type& element) {
  const i64 count = in.number();
  const i64 blocklength = in.number();
  const i64 stride = in.number();
  return combiner == MPI_COMBINER_VECTOR ? pattern::vector(count, blocklength, stride, element)
                                         : pattern::hvector(count, blocklength, stride, element);
}

Type structure(Arguments in, const std::vector<Type>& types) {
  const i64 count = in.number();
  const auto blocklengths = in.array(count);
  return pattern::structure(blocklengths, in.array(count), types);
}

Type build(const Contents& contents) {
  std::vector<Type> types;
  for (MPI_Datatype handle : contents.types()) types.push_back(decode(handle));
  const int combiner = contents.combiner();
  Arguments in(contents.arguments());
  switch (combiner) {
    case MPI_COMBINER_STRUCT:
    case combiner_struct_integer: return structure(in, types);
    default: break;
  }
  const Type& element = types.at(0);
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: return element;  // the new bounds: see decode
    case MPI_COMBINER_CONTIGUOUS: return pattern::contiguous(in.number(), element);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case combiner_hvector_integer: return vector(combiner, in, element);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case combiner_hindexed_integer: return indexed(combiner, in, element);
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK: return indexed_block(combiner, in, element);
    case MPI_COMBINER_SUBARRAY: return subarray(in, element);
    case MPI_COMBINER_DARRAY: return darray(in, element);
    default: break;
  }
  throw std::runtime_error(fmt::format("a datatype was made in an unknown way ({})", combiner));
}

}  // namespace

Type decode(MPI_Datatype handle) {
  const int combiner = combiner_of(handle);
  const Type type = predefined(combiner) ? named(handle) : build(Contents(handle));
  // Bounds are MPI's own: how it pads a struct is the business of each library.
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  mpi::api().Type_get_extent_x(handle, &lb, &extent);
  return pattern::resized(lb, extent, type);
}

}  // namespace resonio::mpiio
