// Extents to system calls: how a list of extents becomes reads and writes of a descriptor.
// The calls come in a table, so that tests can interrupt and shorten them.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <span>

#include "storage/file.hpp"

namespace resonio::storage {

struct TransferCalls {
  ssize_t (*pread)(int, void*, std::size_t, off_t);
  ssize_t (*pwrite)(int, const void*, std::size_t, off_t);
  ssize_t (*preadv)(int, const iovec*, int, off_t);
  ssize_t (*pwritev)(int, const iovec*, int, off_t);
};
static_assert(sizeof(off_t) == 8, "files beyond 2 GiB need 64-bit offsets");

/// The system's own.
extern const TransferCalls system_calls;

/// File::transfer on a descriptor. Adds the calls that moved data to `requests`.
Outcome transfer_extents(const TransferCalls& calls, int fd, Direction direction,
                         std::span<const Extent> extents, std::atomic<i64>& requests);

}  // namespace resonio::storage
