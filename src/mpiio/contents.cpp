#include "mpiio/contents.hpp"

#include <cstddef>

#include "mpiio/export.hpp"

namespace resonio::mpiio {
namespace {

struct Envelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;  // large counts: only of types that were made with MPI_Count
  MPI_Count types = 0;
  int combiner = 0;
};

#if RESONIO_LARGE_COUNTS
// A type that was made with MPI_Count shows its contents to these alone. They are not in
// mpi::Api as libraries of before MPI 4 lack them.
template <class Function>
Function large(const char* name) {
  return reinterpret_cast<Function>(mpi::optional_symbol(name));
}
auto large_envelope() {
  static const auto f = large<decltype(&PMPI_Type_get_envelope_c)>("PMPI_Type_get_envelope_c");
  return f;
}
auto large_contents() {
  static const auto f = large<decltype(&PMPI_Type_get_contents_c)>("PMPI_Type_get_contents_c");
  return f;
}
#endif

Envelope envelope_of(MPI_Datatype handle) {
  Envelope e;
#if RESONIO_LARGE_COUNTS
  if (const auto get = large_envelope()) {
    get(handle, &e.integers, &e.addresses, &e.counts, &e.types, &e.combiner);
    return e;
  }
#endif
  int integers = 0;
  int addresses = 0;
  int types = 0;
  mpi::api().Type_get_envelope(handle, &integers, &addresses, &types, &e.combiner);
  e.integers = integers;
  e.addresses = addresses;
  e.types = types;
  return e;
}

/// How many of the integers come before the large counts in the constructor's order.
std::size_t integers_first(int combiner, std::size_t integers) {
  if (combiner == MPI_COMBINER_SUBARRAY) return 1;  // ndims
  if (combiner == MPI_COMBINER_DARRAY) return 3;    // size, rank, ndims
  return integers;
}

}  // namespace

int combiner_of(MPI_Datatype handle) { return envelope_of(handle).combiner; }

bool predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

Contents::Contents(MPI_Datatype handle) {
  const Envelope e = envelope_of(handle);
  combiner_ = e.combiner;
  std::vector<int> integers(static_cast<std::size_t>(e.integers));
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(e.addresses));
  std::vector<MPI_Count> counts(static_cast<std::size_t>(e.counts));
  types_.resize(static_cast<std::size_t>(e.types));
#if RESONIO_LARGE_COUNTS
  if (e.counts > 0)
    large_contents()(handle, e.integers, e.addresses, e.counts, e.types, integers.data(),
                     addresses.data(), counts.data(), types_.data());
  else
#endif
    mpi::api().Type_get_contents(handle, static_cast<int>(e.integers),
                                 static_cast<int>(e.addresses), static_cast<int>(e.types),
                                 integers.data(), addresses.data(), types_.data());
  const auto split =
      integers.begin() + static_cast<std::ptrdiff_t>(integers_first(combiner_, integers.size()));
  arguments_.reserve(integers.size() + addresses.size() + counts.size());
  arguments_.assign(integers.begin(), counts.empty() ? integers.end() : split);
  arguments_.insert(arguments_.end(), addresses.begin(), addresses.end());
  arguments_.insert(arguments_.end(), counts.begin(), counts.end());
  if (!counts.empty()) arguments_.insert(arguments_.end(), split, integers.end());
}

Contents::~Contents() {
  for (MPI_Datatype& type : types_)
    if (!predefined(combiner_of(type))) mpi::api().Type_free(&type);
}

}  // namespace resonio::mpiio
