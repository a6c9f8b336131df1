// Where bytes live. One interface; posix is one of them, decorators (faulty, counting) wrap
// another. Implementations are safe to call from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/direction.hpp"
#include "base/error.hpp"
#include "pattern/pattern.hpp"

namespace resonio::storage {

using i64 = std::int64_t;

/// `length` bytes of the file at `offset`, and where they are in memory. Memory is the
/// caller's and is only read by a write.
struct Extent {
  i64 offset = 0;
  i64 length = 0;
  std::byte* memory = nullptr;
};

using resonio::Direction;

class File {
 public:
  virtual ~File() = default;

  /// Transfers all extents, in the given order. Neighbours that are contiguous in the file
  /// become one vectored request. Short transfers and EINTR are continued. A read stops
  /// counting at end of file: bytes beyond it are left untouched in memory; the outcome's
  /// bytes are those actually transferred. On an error: what was transferred before it.
  virtual Outcome transfer(Direction direction, std::span<const Extent> extents) = 0;

  /// Datatype I/O: the pattern itself is handed to the storage. Byte d of the transfer is at
  /// access.pattern.offset_of(access.begin + d) in the file and at
  /// base + memory.pattern.offset_of(memory.begin + d) in memory. Here: as lists of at most
  /// `segments` extents a request; a storage that understands patterns overrides it.
  virtual Outcome transfer_pattern(Direction direction, const pattern::Access& access,
                                   std::byte* base, const pattern::Access& memory, i64 segments);

  /// False if opened write-only: then nothing can be read and rewritten around holes.
  [[nodiscard]] virtual bool readable() const { return true; }

  virtual Outcome size() = 0;  // bytes = file size
  virtual Error truncate(i64 size) = 0;
  /// Space for [0, size) is allocated; never shrinks the file; its size becomes >= size.
  virtual Error preallocate(i64 size) = 0;
  virtual Error sync() = 0;
  /// Exclusive or shared lock on [offset, offset+length), waits; between processes and
  /// between opens in one process. length 0 = to the end.
  virtual Error lock(i64 offset, i64 length, bool exclusive) = 0;
  virtual Error unlock(i64 offset, i64 length) = 0;
  /// Requests issued to the system so far (calls that moved data).
  [[nodiscard]] virtual i64 requests() const = 0;
  /// Reports what closing says (NFS, quota); the destructor closes silently.
  virtual Error close() = 0;
};

struct OpenMode {
  bool read = true;
  bool write = false;
  bool create = false;
  bool exclusive = false;
  int permissions = 0666;  // before umask
};

struct Opened {
  Error error;
  std::unique_ptr<File> file;
};
/// Local. The file on a POSIX file system.
Opened open_posix(const std::string& path, OpenMode mode);
Error remove_posix(const std::string& path);

}  // namespace resonio::storage
