#include "engine/node_buffers.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace resonio::engine {
namespace {

constexpr std::int64_t page = 4096;
// A rank may serve several families; untouched words cost no memory.
constexpr std::int64_t most_agents = 1024;
constexpr std::int64_t round_up(std::int64_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

bool NodeBuffers::reserve(comm::Comm& comm, int agents, std::int64_t bytes) {
  const auto& nodes = comm.nodes();
  const auto ranks = static_cast<std::int64_t>(nodes.members(nodes.node_of(comm.rank())).size());
  // The control words keep their place whatever the layout of the buffers behind them.
  control_bytes_ =
      round_up(std::max(ranks, most_agents) * slots * static_cast<std::int64_t>(sizeof(Handover)));
  buffer_bytes_ = round_up(bytes);
  const std::int64_t needed = control_bytes_ + agents * slots * buffer_bytes_;
  if (memory_ && memory_->size() >= needed) return true;
  memory_ = comm.share(needed);
  if (!memory_) log::info("no {} bytes of memory to share on this node: using messages", needed);
  return memory_ != nullptr;
}

Handover& NodeBuffers::handover(int agent, int slot) {
  return reinterpret_cast<Handover*>(memory_->base())[agent * slots + slot];
}

std::byte* NodeBuffers::buffer(int agent, int slot) {
  return memory_->base() + control_bytes_ + (agent * slots + slot) * buffer_bytes_;
}

}  // namespace resonio::engine
