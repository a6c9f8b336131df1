// Executor of plans with an exchange: agents move windows of the file in rounds, and bytes
// go between owners and agents through shared memory inside a node, by messages between
// nodes. Two buffers an agent, so that one round's exchange runs during another's I/O.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/comm.hpp"
#include "comm/wait.hpp"
#include "engine/call.hpp"
#include "engine/inspect.hpp"
#include "engine/node_buffers.hpp"

namespace resonio::engine {

/// What agents and owners share in one call.
struct ExchangeContext {
  comm::Comm& comm;
  Call& call;
  NodeBuffers& buffers;
  std::uint32_t turn = 0;          // rounds of this file before the call
  bool shared = false;             // this node's agents have shared buffers
  std::vector<int> agent_on_node;  // agent → index among the agents of its node

  ExchangeContext(comm::Comm& comm_, Call& call_, NodeBuffers& buffers_, std::uint32_t turn_);
  /// True if this rank and that one hand bytes over in memory.
  [[nodiscard]] bool in_memory(int rank) const;
};

/// Waits for a message, making progress.
void wait(comm::Request& request);

/// A message under way and the bytes it carries (or lands in).
struct Message {
  std::vector<std::byte> bytes;
  comm::RequestPtr request;
};

namespace tag {
constexpr int pattern_size = 1;
constexpr int pattern = 2;
constexpr int data = 3;
}  // namespace tag

/// Runs the call's plan. Collective; every rank goes through all rounds whatever fails, and
/// the outcome's error is this rank's own: the caller agrees on it. Adds the rounds to turn.
Outcome run_exchange(comm::Comm& comm, Call& call, const Inspection& inspection,
                     NodeBuffers& buffers, std::uint32_t& turn);

}  // namespace resonio::engine
