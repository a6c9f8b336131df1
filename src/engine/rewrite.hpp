// Read-modify-write of a range with holes, under a lock on that range: nobody else's bytes
// in the holes may be lost.
#pragma once

#include "base/error.hpp"
#include "storage/file.hpp"

namespace resonio::engine {

class Rewrite {
 public:
  /// Locks the range and reads it into extent.memory; what lies beyond the end of the file
  /// is zero. Check ok() before writing; if it is false nothing is locked.
  Rewrite(storage::File& file, const storage::Extent& extent);
  /// Gives the lock back (also after an error).
  ~Rewrite();
  Rewrite(const Rewrite&) = delete;
  Rewrite& operator=(const Rewrite&) = delete;

  [[nodiscard]] bool ok() const { return error_.ok(); }
  /// Why it failed.
  [[nodiscard]] const Error& error() const { return error_; }
  /// True if it failed because the file system has no locks: write the pieces one by one.
  [[nodiscard]] bool no_locks() const { return no_locks_; }

 private:
  storage::File& file_;
  storage::Extent extent_;
  Error error_;
  bool locked_ = false;
  bool no_locks_ = false;
};

}  // namespace resonio::engine
