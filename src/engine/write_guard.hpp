// Keeps plain writes and read-modify-writes of one open file apart, between the ranks of a
// node: a sieving rank reads holes and writes them back, and a byte that another rank writes
// into such a hole in between would be lost. Byte-range locks would do it, too, at two system
// calls for every plain write; these are two atomic operations.
#pragma once

#include <cstdint>
#include <memory>

#include "base/direction.hpp"
#include "comm/comm.hpp"
#include "comm/wait.hpp"

namespace resonio::engine {

class WriteGuard {
  struct Words {
    std::atomic<std::uint32_t> plain;     // plain writes under way
    std::atomic<std::uint32_t> rewriter;  // 1: somebody rewrites or is about to
    comm::Signal changed;
  };

 public:
  /// Collective over the ranks of each node.
  explicit WriteGuard(comm::Comm& comm);

  /// True if all ranks of the file are under this guard (one node, memory shared).
  [[nodiscard]] bool covers_all() const { return covers_all_; }

  /// Any number of plain writes at a time; waits while somebody rewrites or wants to. Reads
  /// pass.
  class Plain {
   public:
    Plain(WriteGuard& guard, Direction direction);
    ~Plain();
    Plain(const Plain&) = delete;
    Plain& operator=(const Plain&) = delete;

   private:
    Words* words_;  // null: nothing held
  };
  /// One read-modify-write, alone.
  class Exclusive {
   public:
    explicit Exclusive(WriteGuard& guard);
    ~Exclusive();
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;

   private:
    WriteGuard& guard_;
  };

 private:
  template <class Ready>
  void wait(Ready ready);

  comm::Comm& comm_;
  std::shared_ptr<comm::SharedMemory> memory_;
  Words* words_ = nullptr;  // null: nobody to keep apart
  bool covers_all_ = false;
};

}  // namespace resonio::engine
