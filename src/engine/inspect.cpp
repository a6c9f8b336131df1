#include "engine/inspect.hpp"

#include <cstdlib>
#include <cstring>

#include "base/log.hpp"
#include "pattern/wire.hpp"

namespace resonio::engine {

plan::Summary summarize(const pattern::Access& access) {
  const pattern::Segment bounds = access.bounds();
  return {bounds.offset, bounds.end(), access.size(), access.run_count(), access.ascending()};
}

pattern::Access decode_or_stop(std::span<const std::byte> wire, int from) {
  auto access = pattern::decode(wire);
  if (!access) {
    log::error(
        "the pattern that rank {} sent ({} bytes) cannot be read: memory was overwritten, or "
        "ranks run different versions of resonio",
        from, wire.size());
    std::abort();
  }
  return std::move(*access);
}

Inspection::Inspection(comm::Comm& comm, const pattern::Access& access, bool argument_error) {
  if (!access.empty()) own_wire_ = pattern::encode(access);
  Header mine;
  mine.summary = summarize(access);
  mine.wire_bytes = static_cast<std::int64_t>(own_wire_.size());
  mine.argument_error = argument_error;

  std::byte slot[slot_bytes] = {};
  std::memcpy(slot, &mine, sizeof mine);
  if (own_wire_.size() <= inline_bytes && !own_wire_.empty())
    std::memcpy(slot + sizeof mine, own_wire_.data(), own_wire_.size());
  const auto ranks = static_cast<std::size_t>(comm.size());
  slots_.resize(ranks * slot_bytes);
  comm.allgather(slot, slots_.data(), static_cast<std::int64_t>(slot_bytes));

  summaries_.reserve(ranks);
  for (int r = 0; r < comm.size(); ++r) {
    const Header h = header(r);
    summaries_.push_back(h.summary);
    argument_error_ = argument_error_ || h.argument_error;
  }
}

Inspection::Header Inspection::header(int rank) const {
  Header h;
  std::memcpy(&h, slots_.data() + static_cast<std::size_t>(rank) * slot_bytes, sizeof h);
  return h;
}

bool Inspection::oversized(int rank) const {
  return static_cast<std::size_t>(header(rank).wire_bytes) > inline_bytes;
}

pattern::Access Inspection::access_of(int rank) const {
  const std::byte* slot = slots_.data() + static_cast<std::size_t>(rank) * slot_bytes;
  const auto bytes = static_cast<std::size_t>(header(rank).wire_bytes);
  if (bytes == 0) return {};
  return decode_or_stop({slot + sizeof(Header), bytes}, rank);
}

}  // namespace resonio::engine
