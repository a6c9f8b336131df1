#include "storage/transfer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace resonio::storage {

const TransferCalls system_calls = {::pread, ::pwrite, ::preadv, ::pwritev};

namespace {

class Transfer {
 public:
  Transfer(const TransferCalls& calls, int fd, Direction direction, std::atomic<i64>& requests)
      : calls_(calls), fd_(fd), direction_(direction), requests_(requests) {}

  Outcome run(std::span<const Extent> extents);

 private:
  enum class Step { moved, end_of_file, failed };
  bool move_one(Extent extent);
  bool move_group(std::span<const Extent> group);
  template <class Call>
  Step issue(i64 offset, i64 wanted, i64& moved, Call call);

  const TransferCalls& calls_;
  int fd_;
  Direction direction_;
  std::atomic<i64>& requests_;
  Outcome outcome_;
  i64 file_end_ = INT64_MAX;  // a read has found the end of the file at or before this offset
};

/// One system call, continued if interrupted. `moved` becomes what it moved.
template <class Call>
Transfer::Step Transfer::issue(i64 offset, i64 wanted, i64& moved, Call call) {
  ssize_t result = 0;
  do result = call();
  while (result < 0 && errno == EINTR);
  const bool writing = direction_ == Direction::write;
  if (result > 0) {
    requests_.fetch_add(1, std::memory_order_relaxed);
    moved = result;
    outcome_.bytes += moved;
    return Step::moved;
  }
  if (result == 0 && !writing) {
    file_end_ = std::min(file_end_, offset);
    return Step::end_of_file;
  }
  // A write that moves nothing and gives no reason would be repeated without end.
  const int sys = result < 0 ? errno : EIO;
  outcome_.error = errno_error(
      sys, fmt::format("{} of {} bytes at offset {}", writing ? "write" : "read", wanted, offset));
  return Step::failed;
}

/// False if the transfer is to stop.
bool Transfer::move_one(Extent extent) {
  while (extent.length > 0) {
    i64 moved = 0;
    const auto length = static_cast<std::size_t>(extent.length);
    const Step step = issue(extent.offset, extent.length, moved, [&] {
      return direction_ == Direction::read
                 ? calls_.pread(fd_, extent.memory, length, extent.offset)
                 : calls_.pwrite(fd_, extent.memory, length, extent.offset);
    });
    if (step != Step::moved) return step == Step::end_of_file;
    extent.offset += moved;
    extent.memory += moved;
    extent.length -= moved;
  }
  return true;
}

/// Drops the first `bytes` bytes of the vector.
std::span<iovec> advanced(std::span<iovec> vector, i64 bytes) {
  auto left = static_cast<std::size_t>(bytes);
  while (!vector.empty() && left >= vector.front().iov_len) {
    left -= vector.front().iov_len;
    vector = vector.subspan(1);
  }
  if (!vector.empty()) {
    vector.front().iov_base = static_cast<std::byte*>(vector.front().iov_base) + left;
    vector.front().iov_len -= left;
  }
  return vector;
}

/// Extents that are contiguous in the file, at most IOV_MAX. False if the transfer is to stop.
bool Transfer::move_group(std::span<const Extent> group) {
  std::array<iovec, IOV_MAX> storage;
  i64 offset = group.front().offset;
  i64 left = 0;
  std::size_t used = 0;
  for (const Extent& extent : group) {
    if (extent.length == 0) continue;
    storage[used++] = {extent.memory, static_cast<std::size_t>(extent.length)};
    left += extent.length;
  }
  std::span<iovec> vector(storage.data(), used);
  while (left > 0) {
    i64 moved = 0;
    const auto count = static_cast<int>(vector.size());
    const Step step = issue(offset, left, moved, [&] {
      return direction_ == Direction::read ? calls_.preadv(fd_, vector.data(), count, offset)
                                           : calls_.pwritev(fd_, vector.data(), count, offset);
    });
    if (step != Step::moved) return step == Step::end_of_file;
    vector = advanced(vector, moved);
    offset += moved;
    left -= moved;
  }
  return true;
}

Outcome Transfer::run(std::span<const Extent> extents) {
  while (!extents.empty()) {
    std::size_t count = 1;
    i64 end = extents[0].offset + extents[0].length;
    while (count < extents.size() && count < IOV_MAX && extents[count].offset == end)
      end += extents[count++].length;
    const auto group = extents.first(count);
    extents = extents.subspan(count);
    // The list may go back in the file, so the end of the file is the end of a group only.
    if (group[0].offset >= file_end_) continue;
    if (!(count == 1 ? move_one(group[0]) : move_group(group))) break;
  }
  return outcome_;
}

}  // namespace

Outcome transfer_extents(const TransferCalls& calls, int fd, Direction direction,
                         std::span<const Extent> extents, std::atomic<i64>& requests) {
  return Transfer(calls, fd, direction, requests).run(extents);
}

}  // namespace resonio::storage
