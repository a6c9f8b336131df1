// Collective and independent access through random views and memory types, compared with a
// rendering byte by byte that knows no MPI-IO.   oracle DIRECTORY [SEED [CASES]]
//
// All ranks draw the same numbers from (seed, case), and (seed, case, rank) for what is a
// rank's own, so that every rank can tell what every other one does.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "check.h"
#include "random_type.hpp"

namespace {

using oracle::i64;
using oracle::Random;
using oracle::Type;
using Bytes = std::vector<unsigned char>;

constexpr std::array<const char*, 6> strategies = {"auto", "independent", "sieve",
                                                   "list", "pattern",     "two-phase"};
constexpr std::array<const char*, 4> call_names = {"at", "at_all", "pointer", "pointer_all"};
enum class Call { at, at_all, pointer, pointer_all };

struct World {
  int rank = 0;
  int size = 1;
};

/// What is the same on all ranks of a case.
struct Case {
  std::uint64_t seed = 0;
  int layout = 0;     // how ranks share the file: see view_of
  i64 base = 0;       // displacement of all views
  i64 prefilled = 0;  // bytes behind base that the file has before
  int element_bytes = 1;
  std::string strategy;
  i64 cb_buffer_size = 0;
  i64 cb_nodes = 0;
  i64 sieve_buffer = 0;
  Call write = Call::at;
  Call read = Call::at;

  Random shared(std::uint64_t salt) const { return Random(seed * 1000003 + salt); }
  Random own(int rank, std::uint64_t salt) const {
    return Random((seed * 131 + static_cast<std::uint64_t>(rank) + 7) * 1000003 + salt);
  }
};

Case draw(std::uint64_t seed) {
  Random random(seed);
  Case c;
  c.seed = seed;
  c.layout = static_cast<int>(random.between(0, 4));
  c.base = random.chance(15) ? (i64{5} << 30) + random.between(0, 9999) : random.between(0, 5000);
  c.prefilled = random.chance(40) ? 0 : random.between(0, 60000);
  c.element_bytes = std::array{1, 4, 8, 3}[static_cast<std::size_t>(random.between(0, 3))];
  c.strategy = strategies[static_cast<std::size_t>(random.between(0, strategies.size() - 1))];
  c.cb_buffer_size = random.chance(70) ? 4096 : random.between(4096, 1 << 20);
  c.cb_nodes = random.between(0, 4);
  c.sieve_buffer = random.chance(70) ? 4096 : random.between(4096, 1 << 20);
  c.write = static_cast<Call>(random.between(0, 3));
  c.read = static_cast<Call>(random.between(0, 3));
  return c;
}

// --- views ---

/// A rank's view: etype and filetype, and where its tiles start.
struct View {
  i64 disp = 0;
  Type etype;
  Type filetype;

  /// File offset of data byte d.
  i64 offset_of(i64 d) const {
    const i64 n = filetype.size();
    return disp + d / n * filetype.extent() + filetype.bytes()[static_cast<std::size_t>(d % n)];
  }
};

Type element(const Case& c) {
  switch (c.element_bytes) {
    case 1: return oracle::predefined(MPI_BYTE);
    case 4: return oracle::predefined(MPI_INT);
    case 8: return oracle::predefined(MPI_DOUBLE);
    default: return oracle::contiguous(3, oracle::predefined(MPI_CHAR));
  }
}

/// Each element of a tile belongs to a random rank or to none.
Type random_slots(const Case& c, const Type& element, World who) {
  Random random = c.shared(1);
  const i64 slots = random.between(1, 400);
  const i64 nobody = random.between(0, 2);
  const i64 longest = random.between(1, 9);
  std::vector<int> lengths;
  std::vector<int> at;
  for (i64 slot = 0; slot < slots;) {
    const i64 owner = random.between(0, who.size - 1 + nobody);
    const i64 length = std::min(random.between(1, longest), slots - slot);
    if (owner == who.rank) {
      lengths.push_back(static_cast<int>(length));
      at.push_back(static_cast<int>(slot));
    }
    slot += length;
  }
  return oracle::resized(0, slots * element.extent(), oracle::indexed(lengths, at, element));
}

Type block_cyclic(const Case& c, const Type& element, World who) {
  Random random = c.shared(2);
  const i64 block = random.between(1, 40);
  const i64 blocks = random.between(1, 30);
  const Type mine = oracle::hvector(blocks, block, block * who.size, element, false);
  const Type at =
      oracle::hindexed({1}, {static_cast<MPI_Aint>(who.rank * block * element.extent())}, mine);
  return oracle::resized(0, blocks * block * who.size * element.extent(), at);
}

Type distributed_array(const Case& c, const Type& element, World who) {
  Random random = c.shared(3);
  const int dims = static_cast<int>(random.between(1, 3));
  const auto grid = oracle::random_grid(random, who.size, dims);
  const auto sizes = oracle::random_sizes(random, dims, 14);
  const auto how = oracle::random_distributions(random, grid, sizes);
  const int order = random.chance(50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  return oracle::darray(who.size, who.rank, sizes, how, order, element);
}

/// Slabs of an array, of unequal thickness, some of them empty.
Type slabs(const Case& c, const Type& element, World who) {
  Random random = c.shared(4);
  std::vector<int> sizes = oracle::random_sizes(random, 3, 9);
  const auto axis = static_cast<std::size_t>(random.between(0, 2));
  std::vector<int> starts(3, 0);
  std::vector<int> parts = sizes;
  sizes[axis] = 0;
  for (int r = 0; r < who.size; ++r) {
    const int thickness = static_cast<int>(random.between(0, 5));
    if (r == who.rank) {
      starts[axis] = sizes[axis];
      parts[axis] = thickness;
    }
    sizes[axis] += thickness;
  }
  const i64 extent = element.extent() * sizes[0] * sizes[1] * sizes[2];
  if (parts[axis] == 0) return oracle::contiguous(0, element);
  const Type mine = oracle::subarray(sizes, parts, starts,
                                     random.chance(50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, element);
  return oracle::resized(0, extent, mine);
}

constexpr i64 region = 40000;  // layout 4: bytes of the file for each rank

View view_of(const Case& c, World who) {
  if (c.layout == 4) {  // each rank in its own part of the file, by any type
    Random random = c.own(who.rank, 5);
    Type any = oracle::random_filetype(random, 3);
    return {c.base + who.rank * region, oracle::predefined(MPI_BYTE), std::move(any)};
  }
  Type e = element(c);
  Type t = c.layout == 0   ? random_slots(c, e, who)
           : c.layout == 1 ? block_cyclic(c, e, who)
           : c.layout == 2 ? distributed_array(c, e, who)
                           : slabs(c, e, who);
  return {c.base, std::move(e), std::move(t)};
}

// --- calls ---

/// One call of one rank: memory, and the part of the view it moves.
struct Access {
  Type memory;
  i64 count = 0;
  i64 position = 0;  // data byte of the view where it starts
  i64 bytes = 0;
};

/// Two calls, the second behind the first.
std::vector<Access> accesses_of(const Case& c, const View& view, World who, bool read) {
  Random random = c.own(who.rank, read ? 11 : 12);
  const i64 etype = view.etype.size();
  i64 longest = random.chance(50) ? 3000 : 40000;
  if (c.layout == 4) {  // stay inside the rank's region
    const i64 end = view.filetype.bytes().back() + 1;
    longest = std::max<i64>(region - end, 0) / std::max<i64>(view.filetype.extent(), 1) *
              view.filetype.size();
  }
  i64 position = random.between(0, std::min<i64>(20, longest / 4 / etype)) * etype;
  std::vector<Access> all;
  for (int call = 0; call < 2; ++call) {
    Type memory = oracle::random_type(random, static_cast<int>(random.between(0, 3)));
    while (read && oracle::overlaps(memory.repeated(3)))
      memory = oracle::random_type(random, static_cast<int>(random.between(0, 3)));
    const i64 step = std::lcm(std::max<i64>(memory.size(), 1), etype);
    const i64 room = std::max<i64>(longest / 2 - position, 0) / step;
    i64 steps = random.chance(15) ? 0 : random.between(0, std::min<i64>(room, 2000));
    if (memory.size() == 0 || view.filetype.size() == 0) steps = 0;
    const i64 bytes = steps * step;
    i64 count = memory.size() == 0 ? random.between(0, 3) : bytes / memory.size();
    while (read && count > 0 && oracle::overlaps(memory.repeated(count))) {
      memory = oracle::contiguous(bytes, oracle::predefined(MPI_BYTE));
      count = 1;
    }
    all.push_back({std::move(memory), count, position, bytes});
    position += bytes;
  }
  return all;
}

unsigned char data_byte(const Case& c, int rank, int call, i64 d) {
  std::uint64_t x = c.seed * 7919 + static_cast<std::uint64_t>(rank) * 104729 +
                    static_cast<std::uint64_t>(call) * 1299709 + static_cast<std::uint64_t>(d);
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15u;
  return static_cast<unsigned char>(1 + (x >> 32) % 254);
}

/// Memory around an address, with bytes on both sides that nothing may touch.
struct Memory {
  Bytes bytes;
  i64 zero = 0;
  explicit Memory(const std::vector<i64>& offsets) {
    i64 low = 0;
    i64 high = 0;
    for (const i64 b : offsets) {
      low = std::min(low, b);
      high = std::max(high, b + 1);
    }
    bytes.assign(static_cast<std::size_t>(high - low + 64), 0xEE);
    zero = 32 - low;
  }
  unsigned char& operator[](i64 offset) { return bytes[static_cast<std::size_t>(zero + offset)]; }
  unsigned char* address() { return bytes.data() + zero; }
};

int transfer(MPI_File file, Call call, bool read, const View& view, const Access& a, void* buffer,
             MPI_Status* status) {
  const int count = static_cast<int>(a.count);
  const MPI_Datatype type = a.memory.handle();
  const MPI_Offset at = a.position / view.etype.size();
  switch (call) {
    case Call::at:
      return read ? MPI_File_read_at(file, at, buffer, count, type, status)
                  : MPI_File_write_at(file, at, buffer, count, type, status);
    case Call::at_all:
      return read ? MPI_File_read_at_all(file, at, buffer, count, type, status)
                  : MPI_File_write_at_all(file, at, buffer, count, type, status);
    case Call::pointer:
      return read ? MPI_File_read(file, buffer, count, type, status)
                  : MPI_File_write(file, buffer, count, type, status);
    default:
      return read ? MPI_File_read_all(file, buffer, count, type, status)
                  : MPI_File_write_all(file, buffer, count, type, status);
  }
}

void check_status(MPI_Status& status, const Access& a, i64 wanted) {
  int bytes = -1;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  CHECK(bytes == wanted);
  if (a.memory.size() == 0) return;
  int count = -1;
  MPI_Get_count(&status, a.memory.handle(), &count);
  CHECK(count == (wanted % a.memory.size() == 0 ? wanted / a.memory.size() : MPI_UNDEFINED));
}

/// The file's bytes from base on.
Bytes file_from(const char* name, i64 base) {
  const int fd = ::open(name, O_RDONLY);
  const i64 size = ::lseek(fd, 0, SEEK_END);
  Bytes bytes(static_cast<std::size_t>(std::max<i64>(size - base, 0)));
  for (std::size_t done = 0; done < bytes.size();) {
    const auto n =
        ::pread(fd, bytes.data() + done, bytes.size() - done, base + static_cast<i64>(done));
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  ::close(fd);
  return bytes;
}

void prefill(const char* name, const Case& c) {
  const int fd = ::open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
  Bytes bytes(static_cast<std::size_t>(c.prefilled), 0xFF);
  CHECK(::pwrite(fd, bytes.data(), bytes.size(), c.base) == static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

MPI_Info hints(const Case& c) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "resonio_strategy", c.strategy.c_str());
  MPI_Info_set(info, "cb_buffer_size", std::to_string(c.cb_buffer_size).c_str());
  MPI_Info_set(info, "cb_nodes", std::to_string(c.cb_nodes).c_str());
  MPI_Info_set(info, "ind_rd_buffer_size", std::to_string(c.sieve_buffer).c_str());
  MPI_Info_set(info, "ind_wr_buffer_size", std::to_string(c.sieve_buffer).c_str());
  return info;
}

/// The image of the file as all ranks' writes leave it.
Bytes expected_file(const Case& c, World who) {
  Bytes image(static_cast<std::size_t>(c.prefilled), 0xFF);
  for (int r = 0; r < who.size; ++r) {
    const View view = view_of(c, {r, who.size});
    const auto calls = accesses_of(c, view, {r, who.size}, false);
    for (int call = 0; call < 2; ++call) {
      const Access& a = calls[static_cast<std::size_t>(call)];
      // Memory may overlap itself: its byte decides, not the data position.
      const auto offsets = a.memory.repeated(a.count);
      Memory memory(offsets);
      for (i64 d = 0; d < a.bytes; ++d)
        memory[offsets[static_cast<std::size_t>(d)]] = data_byte(c, r, call, d);
      for (i64 d = 0; d < a.bytes; ++d) {
        const auto at = static_cast<std::size_t>(view.offset_of(a.position + d) - c.base);
        if (at >= image.size()) image.resize(at + 1, 0);
        image[at] = memory[offsets[static_cast<std::size_t>(d)]];
      }
    }
  }
  return image;
}

void check_pointer(MPI_File file, const View& view, const Access& last) {
  MPI_Offset at = -1;
  MPI_Offset byte = -1;
  CHECK_OK(MPI_File_get_position(file, &at));
  CHECK(at == (last.position + last.bytes) / view.etype.size());
  if (view.filetype.size() == 0) return;
  CHECK_OK(MPI_File_get_byte_offset(file, at, &byte));
  CHECK(byte == view.offset_of(last.position + last.bytes));
}

bool uses_pointer(Call call) { return call == Call::pointer || call == Call::pointer_all; }

void write_all_calls(MPI_File file, const Case& c, const View& view, World who) {
  const auto calls = accesses_of(c, view, who, false);
  if (uses_pointer(c.write))
    CHECK_OK(MPI_File_seek(file, calls[0].position / view.etype.size(), MPI_SEEK_SET));
  for (int call = 0; call < 2; ++call) {
    const Access& a = calls[static_cast<std::size_t>(call)];
    const auto offsets = a.memory.repeated(a.count);
    Memory memory(offsets);
    for (i64 d = 0; d < a.bytes; ++d)
      memory[offsets[static_cast<std::size_t>(d)]] = data_byte(c, who.rank, call, d);
    MPI_Status status;
    CHECK_OK(transfer(file, c.write, false, view, a, memory.address(), &status));
    check_status(status, a, a.bytes);
  }
  if (uses_pointer(c.write)) check_pointer(file, view, calls[1]);
}

void read_all_calls(MPI_File file, const Case& c, const View& view, World who, const Bytes& image) {
  const auto calls = accesses_of(c, view, who, true);
  if (uses_pointer(c.read))
    CHECK_OK(MPI_File_seek(file, calls[0].position / view.etype.size(), MPI_SEEK_SET));
  for (const Access& a : calls) {
    const auto offsets = a.memory.repeated(a.count);
    Memory memory(offsets);
    Memory wanted(offsets);
    i64 there = 0;  // bytes of the access before the end of the file
    for (; there < a.bytes; ++there) {
      const auto at = static_cast<std::size_t>(view.offset_of(a.position + there) - c.base);
      if (at >= image.size()) break;
      wanted[offsets[static_cast<std::size_t>(there)]] = image[at];
    }
    MPI_Status status;
    CHECK_OK(transfer(file, c.read, true, view, a, memory.address(), &status));
    check_status(status, a, there);
    CHECK(memory.bytes == wanted.bytes);
  }
  if (uses_pointer(c.read)) check_pointer(file, view, calls[1]);
}

void run(const char* name, const Case& c, World who) {
  if (who.rank == 0) prefill(name, c);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file;
  MPI_Info info = hints(c);
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, info, &file));
  require_resonio(file);
  {
    const View view = view_of(c, who);
    CHECK_OK(MPI_File_set_view(file, view.disp, view.etype.handle(), view.filetype.handle(),
                               "native", info));
    write_all_calls(file, c, view, who);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    const Bytes image = file_from(name, c.base);
    if (who.rank == 0) CHECK(image == expected_file(c, who));
    read_all_calls(file, c, view, who, image);
  }
  MPI_Info_free(&info);
  MPI_File_close(&file);
}

/// Collective: tells which case it was, if it failed anywhere.
void name_failure(const Case& c, long number, World who, int before) {
  const int mine = check_failures - before;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (all == 0 || who.rank != 0) return;
  fprintf(stderr,
          "  case %ld: layout %d, base %lld, strategy %s, cb_buffer_size %lld, cb_nodes %lld, "
          "sieve %lld, write %s, read %s\n",
          number, c.layout, c.base, c.strategy.c_str(), c.cb_buffer_size, c.cb_nodes,
          c.sieve_buffer, call_names[static_cast<std::size_t>(c.write)],
          call_names[static_cast<std::size_t>(c.read)]);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* name = test_file(argc, argv, "oracle.dat");
  const long seed = argc > 2 ? std::atol(argv[2]) : 1;
  const long cases = argc > 3 ? std::atol(argv[3]) : 100;
  const long first = argc > 4 ? std::atol(argv[4]) : 0;
  World who;
  MPI_Comm_rank(MPI_COMM_WORLD, &who.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &who.size);
  for (long i = first; i < first + cases; ++i) {
    const int before = check_failures;
    const Case c = draw(static_cast<std::uint64_t>(seed * 100000 + i));
    run(name, c, who);
    name_failure(c, i, who, before);
  }
  if (who.rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  return check_verdict("oracle");
}
