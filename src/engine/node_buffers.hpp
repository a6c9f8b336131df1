// The agents' window buffers on one node, in memory that the node's ranks share, and the
// words by which they hand them to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "comm/comm.hpp"
#include "comm/wait.hpp"

namespace resonio::engine {

/// Hand-over of one buffer. `turn` counts rounds of the file: the agent sets it when the
/// buffer is ready for that round (to be filled by a write, to be emptied by a read); each
/// rank that shares bytes adds one to `served` when it is through. Neither is ever reset.
struct alignas(64) Handover {
  comm::Signal turn;
  comm::Signal served;
  std::int64_t valid = 0;  // read: the file's bytes are in the buffer up to this offset
};

class NodeBuffers {
 public:
  static constexpr int slots = 2;  // one is exchanged while the other is under I/O

  /// Collective over the ranks of this node: room for `agents` agents (at most 1024, or as many as
  /// the node has ranks) with `slots` buffers of `bytes` each. False on all of them if no memory
  /// can be shared (logged).
  bool reserve(comm::Comm& comm, int agents, std::int64_t bytes);

  [[nodiscard]] Handover& handover(int agent, int slot);
  [[nodiscard]] std::byte* buffer(int agent, int slot);

 private:
  std::shared_ptr<comm::SharedMemory> memory_;
  std::int64_t control_bytes_ = 0;
  std::int64_t buffer_bytes_ = 0;  // as laid out by the last reserve
};

}  // namespace resonio::engine
