// Every datatype constructor, alone and nested at random: what the type map says (and MPI_Pack,
// which checks the type map) is what must arrive in a file, and what MPI_Unpack puts into memory
// is what a read must put there; likewise for file views.   types [DIRECTORY [SEED [CASES]]]
#include <vector>

#include "check.h"
#include "random_type.hpp"

namespace {

using oracle::i64;
using oracle::Random;
using oracle::Type;
using Bytes = std::vector<unsigned char>;

Bytes random_bytes(Random& random, i64 size) {
  Bytes bytes(static_cast<std::size_t>(size));
  for (auto& b : bytes) b = static_cast<unsigned char>(random.between(1, 255));
  return bytes;
}

/// Memory for `count` elements of a type, which may start before or behind its address.
struct Memory {
  Bytes bytes;
  i64 zero = 0;  // index of the type's address
  unsigned char* address() { return bytes.data() + zero; }
};

Memory memory_for(Random& random, const Type& t, i64 count) {
  i64 low = 0;
  i64 high = 0;
  for (const i64 b : t.repeated(count)) {
    low = std::min(low, b);
    high = std::max(high, b + 1);
  }
  return {random_bytes(random, high - low + 64), 32 - low};
}

Bytes packed(const Type& t, int count, void* memory) {
  int size = 0;
  MPI_Pack_size(count, t.handle(), MPI_COMM_SELF, &size);
  Bytes out(static_cast<std::size_t>(size) + 1);
  int position = 0;
  MPI_Pack(memory, count, t.handle(), out.data(), size, &position, MPI_COMM_SELF);
  out.resize(static_cast<std::size_t>(position));
  return out;
}

/// What MPI_Unpack makes of the memory.
Memory unpacked(const Type& t, int count, Memory memory, Bytes data) {
  int position = 0;
  const int size = static_cast<int>(data.size());
  data.push_back(0);  // an address also where there is no data
  MPI_Unpack(data.data(), size, &position, memory.address(), count, t.handle(), MPI_COMM_SELF);
  return memory;
}

/// What the type map makes of the memory.
Memory scattered(const std::vector<i64>& offsets, Memory memory, const Bytes& data) {
  for (std::size_t d = 0; d < offsets.size(); ++d) memory.address()[offsets[d]] = data[d];
  return memory;
}

bool ascending(const std::vector<i64>& offsets) {
  return std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) ==
         offsets.end();
}

/// Open MPI 4 packs some types that overlap themselves or go backwards as if they did not
/// (an hvector of 3 bytes with stride -1, for one).
bool mpi_packs_rightly(const std::vector<i64>& offsets) {
#ifdef OPEN_MPI
  return ascending(offsets);
#else
  return !oracle::overlaps(offsets);
#endif
}

Bytes whole_file(const char* name) {
  Bytes bytes;
  FILE* file = std::fopen(name, "rb");
  for (int c; (c = std::fgetc(file)) != EOF;) bytes.push_back(static_cast<unsigned char>(c));
  std::fclose(file);
  return bytes;
}

/// As a type of memory.
void check_memory(Random& random, const char* name, const Type& t, int count) {
  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  Memory memory = memory_for(random, t, count);
  const auto offsets = t.repeated(count);
  Bytes data;
  for (const i64 b : offsets) data.push_back(memory.address()[b]);
  const bool compare_with_mpi = mpi_packs_rightly(offsets);
  if (compare_with_mpi) CHECK(packed(t, count, memory.address()) == data);
  MPI_Status status;
  int elements = 0;
  CHECK_OK(MPI_File_write(file, memory.address(), count, t.handle(), &status));
  MPI_Get_count(&status, t.handle(), &elements);
  CHECK(t.size() == 0 || elements == count);
  CHECK(whole_file(name) == data);

  if (!oracle::overlaps(offsets)) {
    Memory target = memory_for(random, t, count);
    const Memory wanted = scattered(offsets, target, data);
    if (compare_with_mpi) CHECK(unpacked(t, count, target, data).bytes == wanted.bytes);
    CHECK_OK(MPI_File_read_at(file, 0, target.address(), count, t.handle(), &status));
    MPI_Get_count(&status, t.handle(), &elements);
    CHECK(t.size() == 0 || elements == count);
    CHECK(target.bytes == wanted.bytes);
  }
  MPI_File_close(&file);
}

/// As a filetype: a write through the view puts bytes where the type map does.
void check_view(Random& random, const char* name, const Type& t, int count) {
  Memory image = memory_for(random, t, count);
  image.bytes.erase(image.bytes.begin(), image.bytes.begin() + image.zero);
  image.zero = 0;
  FILE* raw = std::fopen(name, "wb");
  std::fwrite(image.bytes.data(), 1, image.bytes.size(), raw);
  std::fclose(raw);
  Bytes data = random_bytes(random, t.size() * count);
  const Memory wanted = scattered(t.repeated(count), image, data);
  CHECK(unpacked(t, count, image, data).bytes == wanted.bytes);

  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, t.handle(), "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_write(file, data.data(), static_cast<int>(data.size()), MPI_BYTE,
                          MPI_STATUS_IGNORE));
  CHECK(whole_file(name) == wanted.bytes);
  Bytes back(data.size());
  CHECK_OK(MPI_File_read_at(file, 0, back.data(), static_cast<int>(back.size()), MPI_BYTE,
                            MPI_STATUS_IGNORE));
  CHECK(back == data);
  MPI_File_close(&file);
}

/// Each constructor once, by hand.
std::vector<Type> one_of_each(Random& random) {
  const Type real = oracle::predefined(MPI_DOUBLE);
  const Type pair = oracle::short_int();
  std::vector<Type> all;
  for (MPI_Datatype named :
       {MPI_BYTE, MPI_PACKED, MPI_CHAR, MPI_WCHAR, MPI_LONG_DOUBLE, MPI_INT64_T, MPI_C_BOOL,
        MPI_COUNT, MPI_2INT, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_LONG_DOUBLE_INT,
        MPI_INTEGER, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION})
    all.push_back(oracle::predefined(named));
  all.push_back(oracle::short_int());
  all.push_back(oracle::duplicate(pair));
  all.push_back(oracle::contiguous(3, pair));
  all.push_back(oracle::contiguous(0, pair));
  all.push_back(oracle::hvector(3, 2, 4, pair, false));
  all.push_back(oracle::hvector(3, 2, -77, pair, true));
  all.push_back(oracle::indexed({2, 0, 1}, {5, 1, -3}, pair));
  all.push_back(oracle::hindexed({2, 0, 1}, {50, 1, -30}, pair));
  all.push_back(oracle::indexed_block(2, {7, 0, 3}, pair));
  all.push_back(oracle::hindexed_block(2, {70, 0, 33}, pair));
  all.push_back(oracle::structure({1, 2, 1}, {0, 24, 13}, {&real, &pair, &real}));
  all.push_back(oracle::subarray({4, 5, 6}, {2, 3, 4}, {1, 2, 0}, MPI_ORDER_C, pair));
  all.push_back(oracle::subarray({4, 5, 6}, {2, 3, 4}, {1, 2, 0}, MPI_ORDER_FORTRAN, pair));
  all.push_back(oracle::darray(6, 4, {7, 9},
                               {{MPI_DISTRIBUTE_CYCLIC, 2, 2}, {MPI_DISTRIBUTE_BLOCK, 4, 3}},
                               MPI_ORDER_FORTRAN, real));
  all.push_back(oracle::resized(-8, 40, pair));
  MPI_Datatype f90;
  MPI_Type_create_f90_real(12, 30, &f90);
  all.push_back(oracle::predefined(f90));
  const Type f90_vector = oracle::hvector(2, 1, 3, all.back(), false);
  all.push_back(oracle::duplicate(f90_vector));
  MPI_Type_create_f90_complex(12, 30, &f90);
  all.push_back(oracle::predefined(f90));
  MPI_Type_create_f90_integer(8, &f90);
  all.push_back(oracle::predefined(f90));
  (void)random;
  return all;
}

#if MPI_VERSION >= 4 && defined(MPICH)
/// Types made with MPI_Count show their contents in another way.
std::vector<Type> with_large_counts() {
  const Type pair = oracle::short_int();
  const MPI_Count lengths[] = {2, 0, 1};
  const MPI_Count at[] = {5, 1, 3};
  const MPI_Count sizes[] = {4, 5};
  const MPI_Count parts[] = {2, 3};
  const MPI_Count starts[] = {1, 2};
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  const int grid[] = {2, 2};
  const MPI_Datatype types[] = {MPI_INT, MPI_SHORT_INT, MPI_DOUBLE};
  MPI_Datatype t;
  std::vector<Type> all;
  const auto add = [&](const Type& same) { all.emplace_back(t, same.bytes(), true); };
  MPI_Type_contiguous_c(3, MPI_SHORT_INT, &t);
  add(oracle::contiguous(3, pair));
  MPI_Type_vector_c(3, 2, 4, MPI_SHORT_INT, &t);
  add(oracle::hvector(3, 2, 4, pair, false));
  MPI_Type_create_hvector_c(3, 2, 77, MPI_SHORT_INT, &t);
  add(oracle::hvector(3, 2, 77, pair, true));
  MPI_Type_indexed_c(3, lengths, at, MPI_SHORT_INT, &t);
  add(oracle::indexed({2, 0, 1}, {5, 1, 3}, pair));
  MPI_Type_create_hindexed_c(3, lengths, at, MPI_SHORT_INT, &t);
  add(oracle::hindexed({2, 0, 1}, {5, 1, 3}, pair));
  MPI_Type_create_indexed_block_c(3, 2, at, MPI_SHORT_INT, &t);
  add(oracle::indexed_block(2, {5, 1, 3}, pair));
  MPI_Type_create_hindexed_block_c(3, 2, at, MPI_SHORT_INT, &t);
  add(oracle::hindexed_block(2, {5, 1, 3}, pair));
  MPI_Type_create_resized_c(MPI_SHORT_INT, 0, 24, &t);
  add(oracle::resized(0, 24, pair));
  MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_SHORT_INT, &t);
  add(oracle::subarray({4, 5}, {2, 3}, {1, 2}, MPI_ORDER_FORTRAN, pair));
  MPI_Type_create_darray_c(4, 3, 2, sizes, kinds, arguments, grid, MPI_ORDER_C, MPI_SHORT_INT, &t);
  add(oracle::darray(
      4, 3, {4, 5},
      {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 2}, {MPI_DISTRIBUTE_CYCLIC, 2, 2}},
      MPI_ORDER_C, pair));
  const Type integer = oracle::predefined(MPI_INT);
  const Type real = oracle::predefined(MPI_DOUBLE);
  const MPI_Count displacements[] = {40, 8, 100};
  MPI_Type_create_struct_c(3, lengths, displacements, types, &t);
  add(oracle::structure({2, 0, 1}, {40, 8, 100}, {&integer, &pair, &real}));
  return all;
}
#else
std::vector<Type> with_large_counts() { return {}; }
#endif

void check_both(Random& random, const char* name, const Type& t) {
  const int count = static_cast<int>(random.between(1, 4));
  check_memory(random, name, t, count);
  const auto& b = t.bytes();
  const bool view =
      !b.empty() && b.front() >= 0 && ascending(b) && t.extent() >= b.back() + 1 - b.front();
  if (view) check_view(random, name, t, count);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* name = test_file(argc, argv, "types.dat");
  const long seed = argc > 2 ? std::atol(argv[2]) : 1;
  const long cases = argc > 3 ? std::atol(argv[3]) : 300;
  {
    MPI_File file;
    CHECK_OK(
        MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    require_resonio(file);
    MPI_File_close(&file);
    Random random(static_cast<std::uint64_t>(seed));
    for (const Type& t : one_of_each(random)) check_both(random, name, t);
    for (const Type& t : with_large_counts()) check_both(random, name, t);
    for (long i = 0; i < cases; ++i) {
      const int before = check_failures;
      const int depth = static_cast<int>(random.between(1, 4));
      if (random.chance(60)) check_both(random, name, oracle::random_type(random, depth));
      else check_view(random, name, oracle::random_filetype(random, depth), 3);
      if (check_failures != before) fprintf(stderr, "  seed %ld, case %ld\n", seed, i);
    }
    MPI_File_delete(name, MPI_INFO_NULL);
  }
  return check_verdict("types");
}
