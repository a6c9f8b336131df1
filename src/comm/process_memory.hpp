// Memory shared by processes of one node. One process creates a block and describes it in a
// few bytes; the others, who get the description by a message, open it. Nothing stays behind
// in the file system, also after a crash (but for `posix`, between create and withdraw).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "comm/comm.hpp"

namespace resonio::comm {

enum class SharingMethod : std::int32_t {
  none,
  memfd,  // an unnamed file, opened by the others through /proc/<pid>/fd
  posix,  // shm_open; for where /proc of the creator cannot be seen
};

/// What others need to open a block. Goes as bytes.
struct Shareable {
  SharingMethod method = SharingMethod::none;
  std::int32_t pid = 0;
  std::int32_t fd = -1;
  std::int32_t pad = 0;
  i64 bytes = 0;
  char name[48] = {};  // random: no other block of any process has it
};

/// A block and, until withdrawn, the means of the others to open it.
class OfferedMemory {
 public:
  /// On failure: no memory, and `why`.
  static OfferedMemory create(SharingMethod method, i64 bytes, std::string& why);
  OfferedMemory(OfferedMemory&& other) noexcept;
  OfferedMemory& operator=(OfferedMemory&&) = delete;
  ~OfferedMemory();

  [[nodiscard]] const Shareable& description() const { return description_; }
  [[nodiscard]] const std::shared_ptr<SharedMemory>& memory() const { return memory_; }

 private:
  OfferedMemory() = default;
  Shareable description_;
  std::shared_ptr<SharedMemory> memory_;
};

/// Opens what another process offers, making sure that it is that very block. On failure:
/// null, and `why`.
std::shared_ptr<SharedMemory> open_offered(const Shareable& offered, std::string& why);

}  // namespace resonio::comm
