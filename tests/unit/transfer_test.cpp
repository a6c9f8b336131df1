// Extents to system calls against the oracle of a plain array: whatever the system does to
// the calls, the bytes of the file and of memory are those of the extents.
#include "storage/transfer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <random>

#include "temporary_file.hpp"

namespace resonio::test {
namespace {

using storage::Direction;
using storage::Extent;
using storage::i64;
using Random = std::mt19937;

i64 below(Random& random, i64 limit) {
  return std::uniform_int_distribution<i64>(0, limit - 1)(random);
}

Bytes random_content(Random& random, i64 size) {
  Bytes result(static_cast<std::size_t>(size));
  for (auto& byte : result) byte = static_cast<std::byte>(random());
  return result;
}

// ---- transfers of random extents

/// Extents in any order, many contiguous with the one before, some empty; memory in pieces
/// that do not touch.
struct Transfer {
  std::vector<Extent> extents;
  Bytes memory;
};

Transfer random_transfer(Random& random, i64 file_limit) {
  Transfer result;
  const i64 count = below(random, 8) == 0 ? below(random, 3000) : below(random, 40);
  const i64 longest = 1 + below(random, 200);
  i64 end = 0;
  i64 memory = 0;
  for (i64 i = 0; i < count; ++i) {
    const i64 length = below(random, longest);
    const i64 offset = below(random, 3) == 0 ? below(random, file_limit) : end;
    result.extents.push_back({offset, length, nullptr});
    end = offset + length;
    memory += length + 3;
  }
  result.memory = random_content(random, memory);
  std::byte* next = result.memory.data();
  for (auto& extent : result.extents) {
    extent.memory = next;
    next += extent.length + 3;
  }
  return result;
}

/// What a write makes of a file's content.
void apply_write(const std::vector<Extent>& extents, Bytes& content) {
  for (const Extent& e : extents) {
    if (e.length == 0) continue;
    const auto end = static_cast<std::size_t>(e.offset + e.length);
    if (content.size() < end) content.resize(end);
    std::memcpy(content.data() + e.offset, e.memory, static_cast<std::size_t>(e.length));
  }
}

/// What a read makes of memory (`copy` holds the same bytes as the extents' memory, at
/// `base`). Returns the bytes read.
i64 apply_read(const Transfer& transfer, const Bytes& content, Bytes& copy) {
  i64 bytes = 0;
  for (const Extent& e : transfer.extents) {
    const i64 there = std::clamp<i64>(static_cast<i64>(content.size()) - e.offset, 0, e.length);
    if (there > 0)
      std::memcpy(copy.data() + (e.memory - transfer.memory.data()), content.data() + e.offset,
                  static_cast<std::size_t>(there));
    bytes += there;
  }
  return bytes;
}

i64 total_bytes(const std::vector<Extent>& extents) {
  i64 bytes = 0;
  for (const Extent& e : extents) bytes += e.length;
  return bytes;
}

using Issue = std::function<Outcome(Direction, std::span<const Extent>)>;

void check_random_transfers(Random& random, const TemporaryFile& file, const Issue& issue) {
  Bytes content = random_content(random, below(random, 5000));
  file.fill(content);
  for (int i = 0; i < 6; ++i) {
    Transfer transfer = random_transfer(random, 6000);
    if (below(random, 2) == 0) {
      const Outcome outcome = issue(Direction::write, transfer.extents);
      RC_ASSERT(outcome.error.ok());
      RC_ASSERT(outcome.bytes == total_bytes(transfer.extents));
      apply_write(transfer.extents, content);
      RC_ASSERT(file.content() == content);
    } else {
      Bytes expected = transfer.memory;
      const i64 bytes = apply_read(transfer, content, expected);
      const Outcome outcome = issue(Direction::read, transfer.extents);
      RC_ASSERT(outcome.error.ok());
      RC_ASSERT(outcome.bytes == bytes);
      RC_ASSERT(transfer.memory == expected);
    }
  }
}

RC_GTEST_PROP(Posix, MovesWhatTheExtentsSay, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const TemporaryFile file;
  file.fill({});
  const auto posix = opened(file.path());
  check_random_transfers(random, file, [&](Direction direction, std::span<const Extent> extents) {
    return posix->transfer(direction, extents);
  });
}

/// The system's calls, but now and then interrupted or cut short.
namespace unreliable {
Random random;

bool interrupted() {
  if (below(random, 4) != 0) return false;
  errno = EINTR;
  return true;
}
std::size_t shortened(std::size_t length) {
  return below(random, 2) == 0
             ? length
             : 1 + static_cast<std::size_t>(below(random, static_cast<i64>(length)));
}
ssize_t one_read(int fd, void* to, std::size_t length, off_t offset) {
  return interrupted() ? -1 : ::pread(fd, to, shortened(length), offset);
}
ssize_t one_write(int fd, const void* from, std::size_t length, off_t offset) {
  return interrupted() ? -1 : ::pwrite(fd, from, shortened(length), offset);
}
/// A random beginning of the vector, cut in the middle of an entry.
template <class Call>
ssize_t part_of(const iovec* vector, int count, Call call) {
  if (interrupted()) return -1;
  std::vector<iovec> part(vector, vector + 1 + below(random, count));
  part.back().iov_len = shortened(part.back().iov_len);
  return call(part.data(), static_cast<int>(part.size()));
}
ssize_t vector_read(int fd, const iovec* vector, int count, off_t offset) {
  return part_of(vector, count, [&](const iovec* v, int n) { return ::preadv(fd, v, n, offset); });
}
ssize_t vector_write(int fd, const iovec* vector, int count, off_t offset) {
  return part_of(vector, count, [&](const iovec* v, int n) { return ::pwritev(fd, v, n, offset); });
}
constexpr storage::TransferCalls calls{one_read, one_write, vector_read, vector_write};
}  // namespace unreliable

RC_GTEST_PROP(Posix, ContinuesInterruptedAndShortCalls, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  unreliable::random.seed(static_cast<unsigned>(random()));
  const TemporaryFile file;
  file.fill({});
  const int fd = open(file.path().c_str(), O_RDWR);
  std::atomic<i64> requests{0};
  check_random_transfers(random, file, [&](Direction direction, std::span<const Extent> extents) {
    return transfer_extents(unreliable::calls, fd, direction, extents, requests);
  });
  close(fd);
}

}  // namespace
}  // namespace resonio::test
