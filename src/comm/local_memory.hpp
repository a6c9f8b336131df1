// Memory of one process in the role of shared memory: for a node of one rank, and for
// threads as ranks. On the heap, so that sanitizers see its ends.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "comm/comm.hpp"

namespace resonio::comm {

class LocalMemory final : public SharedMemory {
 public:
  /// Null if there is not enough memory.
  static std::shared_ptr<SharedMemory> make(i64 bytes) {
    // calloc: zeroed, without touching pages that are never used.
    void* block = std::calloc(static_cast<std::size_t>(bytes) + alignment, 1);
    if (block == nullptr) return nullptr;
    return std::shared_ptr<SharedMemory>(new LocalMemory(block, bytes));
  }
  ~LocalMemory() override { std::free(block_); }
  LocalMemory(const LocalMemory&) = delete;
  LocalMemory& operator=(const LocalMemory&) = delete;

  [[nodiscard]] std::byte* base() const override {
    const auto address = reinterpret_cast<std::uintptr_t>(block_);
    return static_cast<std::byte*>(block_) + (alignment - address % alignment) % alignment;
  }
  [[nodiscard]] i64 size() const override { return bytes_; }

 private:
  static constexpr std::size_t alignment = 64;  // a cache line
  LocalMemory(void* block, i64 bytes) : block_(block), bytes_(bytes) {}
  void* block_;
  i64 bytes_;
};

}  // namespace resonio::comm
