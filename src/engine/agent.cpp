#include "engine/agent.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "engine/copy.hpp"
#include "pattern/coverage.hpp"

namespace resonio::engine {
namespace {

using pattern::Segment;
using pattern::Window;

// Pieces closer together than this cost more as requests of their own than as part of a
// larger one whose holes are moved, too.
constexpr i64 sieve_spacing = 16 << 10;

/// From the first to past the last byte of any peer in a segment, and the sum of their bytes.
struct Reach {
  Segment range;
  i64 bytes = 0;
};

Reach reach(const std::vector<const Peer*>& peers, Segment segment) {
  i64 first = INT64_MAX;
  i64 last = INT64_MIN;
  i64 bytes = 0;
  for (const Peer* peer : peers) {
    const pattern::Access& access = peer->access;
    if (!access.ascending()) {
      pattern::ClippedCursor cursor(access, segment.offset, segment.end());
      for (pattern::Piece p; cursor.next(p); bytes += p.bytes()) {
        const i64 back = p.offset + (p.count - 1) * p.stride;
        first = std::min({first, p.offset, back});
        last = std::max({last, p.offset + p.length, back + p.length});
      }
      continue;
    }
    const Segment data = access.clip(segment.offset, segment.end());
    if (data.length == 0) continue;
    first = std::min(first, access.pattern.offset_of(access.begin + data.offset));
    last = std::max(last, access.pattern.offset_of(access.begin + data.end() - 1) + 1);
    bytes += data.length;
  }
  if (bytes == 0) return {{segment.offset, 0}, 0};
  return {{first, last - first}, bytes};
}

std::vector<const pattern::Access*> accesses(const std::vector<const Peer*>& peers) {
  std::vector<const pattern::Access*> result;
  for (const Peer* peer : peers) result.push_back(&peer->access);
  return result;
}

}  // namespace

Agent::Agent(ExchangeContext& context, std::size_t index, std::vector<Peer> peers)
    : context_(context), index_(index), peers_(std::move(peers)) {
  if (context_.shared) return;
  for (auto& bytes : private_)
    bytes.resize(static_cast<std::size_t>(context_.call.plan.buffer_size()));
}

Handover& Agent::handover(i64 round) {
  const auto slot = static_cast<int>(round % NodeBuffers::slots);
  if (!context_.shared) return private_handover_[static_cast<std::size_t>(slot)];
  return context_.buffers.handover(context_.agent_on_node[index_], slot);
}

std::byte* Agent::buffer(i64 round) {
  const auto slot = static_cast<int>(round % NodeBuffers::slots);
  if (!context_.shared) return private_[static_cast<std::size_t>(slot)].data();
  return context_.buffers.buffer(context_.agent_on_node[index_], slot);
}

/// The round's slot, with everything of its last use behind it, and the round's peers.
Agent::Slot& Agent::open_slot(i64 round) {
  Slot& slot = slots_[static_cast<std::size_t>(round % NodeBuffers::slots)];
  finish_io(slot);
  slot.window = context_.call.plan.window(index_, round);
  slot.peers.clear();
  slot.message_peers.clear();
  slot.messages.clear();
  slot.extents.clear();
  slot.outcome = {};
  std::uint32_t in_memory = 0;
  for (const Peer& peer : peers_) {
    if (!pattern::meets(peer.access, slot.window)) continue;
    slot.peers.push_back(&peer);
    if (context_.in_memory(peer.rank)) ++in_memory;
    else slot.message_peers.push_back(&peer);
  }
  slot.served_target = handover(round).served.value() + in_memory;
  return slot;
}

// --- write ---

/// Decides what of a segment is written, and reads what must survive in its holes.
void Agent::cover_for_write(Slot& slot, Segment segment, std::byte* at) {
  const Options& options = context_.call.options;
  const auto all = accesses(slot.peers);
  const bool may_rewrite = options.ds_write != Toggle::disable && context_.call.storage.readable();
  const i64 most = may_rewrite ? std::max<i64>(1, segment.length / sieve_spacing) : INT64_MAX;
  auto cover = pattern::coverage(all, segment.offset, segment.end(), most);
  const bool holes = !cover.complete || cover.segments.size() > 1;
  if (holes && may_rewrite && (!cover.complete || options.ds_write == Toggle::enable)) {
    const Segment range = reach(slot.peers, segment).range;
    const storage::Extent extent{range.offset, range.length, at + (range.offset - segment.offset)};
    slot.rewrites.push_back(std::make_unique<Rewrite>(context_.call.storage, extent));
    Rewrite& rewrite = *slot.rewrites.back();
    if (!rewrite.no_locks()) {
      note(rewrite.error());
      context_.call.statistics.io_bytes += range.length;
      slot.extents.push_back(extent);
      return;
    }
    slot.rewrites.pop_back();
    log::info("no sieving: the file system has no byte-range locks; holes are written around");
    cover = pattern::coverage(all, segment.offset, segment.end());
  }
  for (const Segment& s : cover.segments)
    slot.extents.push_back({s.offset, s.length, at + (s.offset - segment.offset)});
}

void Agent::prepare(i64 round) {
  Slot& slot = open_slot(round);
  for (i64 k = 0; k < slot.window.count && !slot.peers.empty(); ++k)
    cover_for_write(slot, slot.window.segment(k), buffer(round) + k * slot.window.length);
  handover(round).turn.set(context_.turn + static_cast<std::uint32_t>(round) + 1);
  post_receives(slot);
}

void Agent::post_receives(Slot& slot) {
  for (const Peer* peer : slot.message_peers) {
    const i64 bytes = pattern::bytes_in(peer->access, slot.window);
    Message& message = slot.messages.emplace_back();
    message.bytes.resize(static_cast<std::size_t>(bytes));
    message.request = context_.comm.irecv(message.bytes.data(), bytes, peer->rank, tag::data);
  }
}

/// Puts the messages that have arrived into the window; true when none is missing.
bool Agent::unpack_arrived(Slot& slot, std::byte* window) {
  bool all = true;
  for (std::size_t i = 0; i < slot.messages.size(); ++i) {
    Message& message = slot.messages[i];
    if (!message.request) continue;
    if (!message.request->test()) {
      all = false;
      continue;
    }
    message.request.reset();
    std::byte* packed = message.bytes.data();
    for (i64 k = 0; k < slot.window.count; ++k) {
      const Segment s = slot.window.segment(k);
      packed += copy_unpacked(Direction::write, slot.message_peers[i]->access, s.offset, s.end(),
                              window + k * slot.window.length, packed);
    }
  }
  return all;
}

void Agent::collect(i64 round, bool last) {
  Slot& slot = slots_[static_cast<std::size_t>(round % NodeBuffers::slots)];
  comm::Signal& served = handover(round).served;
  comm::wait_until(served, context_.comm, [&] {
    return unpack_arrived(slot, buffer(round)) && served.value() == slot.served_target;
  });
  run_io(slot, Direction::write, !last);
  if (last) finish_io(slot);
}

// --- read ---

/// Decides what of a segment is read: all of its range, or only the pieces wanted.
void Agent::cover_for_read(Slot& slot, Segment segment, std::byte* at) {
  const Reach wanted = reach(slot.peers, segment);
  if (wanted.bytes == 0) return;
  const Toggle sieving = context_.call.options.ds_read;
  std::vector<Segment> pieces = {wanted.range};
  if (wanted.bytes < wanted.range.length && sieving != Toggle::enable) {
    const i64 most = sieving == Toggle::disable
                         ? INT64_MAX
                         : std::max<i64>(1, wanted.range.length / sieve_spacing);
    auto cover = pattern::coverage(accesses(slot.peers), segment.offset, segment.end(), most);
    if (cover.complete) pieces = std::move(cover.segments);
  }
  for (const Segment& s : pieces)
    slot.extents.push_back({s.offset, s.length, at + (s.offset - segment.offset)});
}

void Agent::start(i64 round, bool background) {
  if (round >= NodeBuffers::slots)
    wait_served(slots_[static_cast<std::size_t>(round % NodeBuffers::slots)], round);
  Slot& slot = open_slot(round);
  for (i64 k = 0; k < slot.window.count && !slot.peers.empty(); ++k)
    cover_for_read(slot, slot.window.segment(k), buffer(round) + k * slot.window.length);
  run_io(slot, Direction::read, background);
}

void Agent::publish(i64 round) {
  Slot& slot = slots_[static_cast<std::size_t>(round % NodeBuffers::slots)];
  finish_io(slot);
  i64 valid = INT64_MAX;
  i64 got = slot.outcome.bytes;
  for (const storage::Extent& e : slot.extents) {  // ascending: the file ends where bytes lack
    if (got < e.length) {
      valid = e.offset + got;
      break;
    }
    got -= e.length;
  }
  Handover& hand = handover(round);
  hand.valid = valid;
  hand.turn.set(context_.turn + static_cast<std::uint32_t>(round) + 1);
  send_packed(slot, buffer(round), valid);
}

/// To each peer that is not in memory: how far the bytes are valid, and its bytes.
void Agent::send_packed(Slot& slot, std::byte* window, i64 valid) {
  for (const Peer* peer : slot.message_peers) {
    const i64 bytes = pattern::bytes_in(peer->access, slot.window);
    Message& message = slot.messages.emplace_back();
    message.bytes.resize(sizeof valid + static_cast<std::size_t>(bytes));
    std::memcpy(message.bytes.data(), &valid, sizeof valid);
    std::byte* packed = message.bytes.data() + sizeof valid;
    for (i64 k = 0; k < slot.window.count; ++k) {
      const Segment s = slot.window.segment(k);
      packed += copy_unpacked(Direction::read, peer->access, s.offset, s.end(),
                              window + k * slot.window.length, packed);
    }
    const auto total = static_cast<i64>(message.bytes.size());
    message.request = context_.comm.isend(message.bytes.data(), total, peer->rank, tag::data);
    context_.call.statistics.messages += 1;
    context_.call.statistics.exchanged_bytes += bytes;
  }
}

/// Waits until all have emptied the slot's buffer.
void Agent::wait_served(Slot& slot, i64 round) {
  comm::wait_for(handover(round).served, slot.served_target, context_.comm);
  for (Message& message : slot.messages) wait(*message.request);
}

// --- both ---

void Agent::run_io(Slot& slot, Direction direction, bool background) {
  if (error_ || slot.extents.empty()) {  // after an error the rounds go on, without I/O
    slot.rewrites.clear();
    return;
  }
  storage::File& file = context_.call.storage;
  if (background) {
    slot.job = storage::submit(
        [&file, direction, &slot] { return file.transfer(direction, slot.extents); });
    return;
  }
  const Timer timer(context_.call.statistics.io_seconds);
  slot.outcome = file.transfer(direction, slot.extents);
  context_.call.statistics.io_bytes += slot.outcome.bytes;
}

void Agent::finish_io(Slot& slot) {
  if (slot.job) {
    const Timer timer(context_.call.statistics.io_seconds);
    comm::wait_for(slot.job->finished, 1, context_.comm);
    slot.outcome = slot.job->outcome;
    slot.job.reset();
    context_.call.statistics.io_bytes += slot.outcome.bytes;
  }
  slot.rewrites.clear();
  note(slot.outcome.error);
}

void Agent::finish() {
  for (Slot& slot : slots_) {
    finish_io(slot);
    for (Message& message : slot.messages)
      if (message.request) wait(*message.request);
  }
}

void Agent::note(const Error& error) {
  if (!error_ && error) error_ = error;
}

}  // namespace resonio::engine
