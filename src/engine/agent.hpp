// The agent's side of an exchange: one family of windows that this rank moves for all.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "engine/exchange.hpp"
#include "engine/rewrite.hpp"
#include "storage/io_threads.hpp"

namespace resonio::engine {

/// A rank whose bytes meet the agent's family.
struct Peer {
  int rank = -1;
  pattern::Access access;
};

class Agent {
 public:
  Agent(ExchangeContext& context, std::size_t index, std::vector<Peer> peers);

  // A write's round: prepare (the buffer is ready to be filled), then collect (it is full:
  // its I/O starts, or runs at once in the last round).
  void prepare(i64 round);
  void collect(i64 round, bool last);

  // A read's round: start (its I/O begins, in the background if wanted), then publish (the
  // buffer is ready to be emptied).
  void start(i64 round, bool background);
  void publish(i64 round);

  /// Waits for all I/O and messages.
  void finish();
  /// The first error of this agent's I/O.
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  struct Slot {
    pattern::Window window;
    std::vector<const Peer*> peers;   // that meet the window
    std::uint32_t served_target = 0;  // handover.served when all in memory are through
    std::vector<Message> messages;    // one for each peer that is not in memory
    std::vector<const Peer*> message_peers;
    std::vector<storage::Extent> extents;  // what goes to or comes from storage
    std::vector<std::unique_ptr<Rewrite>> rewrites;
    storage::JobPtr job;
    Outcome outcome;
  };

  Slot& open_slot(i64 round);
  Handover& handover(i64 round);
  std::byte* buffer(i64 round);
  void cover_for_write(Slot& slot, pattern::Segment segment, std::byte* at);
  void cover_for_read(Slot& slot, pattern::Segment segment, std::byte* at);
  void post_receives(Slot& slot);
  bool unpack_arrived(Slot& slot, std::byte* window);
  void send_packed(Slot& slot, std::byte* window, i64 valid);
  void wait_served(Slot& slot, i64 round);
  void run_io(Slot& slot, Direction direction, bool background);
  void finish_io(Slot& slot);
  void note(const Error& error);

  ExchangeContext& context_;
  std::size_t index_;
  std::vector<Peer> peers_;
  std::array<Slot, NodeBuffers::slots> slots_;
  std::array<std::vector<std::byte>, NodeBuffers::slots> private_;  // if nothing is shared
  std::array<Handover, NodeBuffers::slots> private_handover_;
  Error error_;
};

}  // namespace resonio::engine
