#include "comm/thread_comm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>
#include <mutex>
#include <stdexcept>

#include "base/log.hpp"
#include "comm/local_memory.hpp"
#include "comm/messages.hpp"
#include "comm/node_collectives.hpp"

namespace resonio::comm {
namespace {

/// One side of a message. Only `done` is looked at without the mailbox's lock.
struct Side {
  int peer = 0;  // the sender, in a mailbox of the receiver
  int tag = 0;
  const std::byte* source = nullptr;  // of a send: the sender's buffer or `buffered`
  std::byte* target = nullptr;        // of a receive
  i64 bytes = 0;
  std::vector<std::byte> buffered;
  std::atomic<bool> done{false};

  [[nodiscard]] bool matches(const Side& other) const {
    return peer == other.peer && tag == other.tag;
  }
};
using SidePtr = std::shared_ptr<Side>;
using Queue = std::list<SidePtr>;

/// What others sent to a rank and what it waits for; each queue in order of posting.
struct Mailbox {
  std::mutex mutex;
  Queue sends;
  Queue receives;

  void remove(const SidePtr& side) {
    const std::lock_guard lock(mutex);
    sends.remove(side);
    receives.remove(side);
  }
};

struct Hub {
  Hub(std::size_t ranks, const ThreadCommOptions& o) : options(o), mailboxes(ranks) {}
  ThreadCommOptions options;
  std::vector<Mailbox> mailboxes;
};

/// Takes the first side that matches out of the queue; null if there is none.
SidePtr take(Queue& queue, const Side& side) {
  const auto found =
      std::find_if(queue.begin(), queue.end(), [&](const auto& s) { return s->matches(side); });
  if (found == queue.end()) return nullptr;
  SidePtr result = *found;
  queue.erase(found);
  return result;
}

void deliver(Side& send, Side& receive) {
  if (send.bytes != receive.bytes)
    throw std::logic_error(fmt::format("a message of {} bytes (tag {}) is received as {} bytes",
                                       send.bytes, send.tag, receive.bytes));
  if (send.bytes > 0)
    std::memcpy(receive.target, send.source, static_cast<std::size_t>(send.bytes));
  send.done.store(true, std::memory_order_release);
  receive.done.store(true, std::memory_order_release);
}

class ThreadRequest final : public Request {
 public:
  ThreadRequest(std::shared_ptr<Hub> hub, Mailbox& mailbox, SidePtr side)
      : hub_(std::move(hub)), mailbox_(mailbox), side_(std::move(side)) {}
  /// An unfinished one is withdrawn: its buffer may be gone (a test that failed half way).
  ~ThreadRequest() override {
    if (!ThreadRequest::test()) mailbox_.remove(side_);
  }
  ThreadRequest(const ThreadRequest&) = delete;
  ThreadRequest& operator=(const ThreadRequest&) = delete;
  bool test() override { return side_->done.load(std::memory_order_acquire); }

 private:
  std::shared_ptr<Hub> hub_;
  Mailbox& mailbox_;
  SidePtr side_;
};

class ThreadComm final : public NodeCollectives {
 public:
  ThreadComm(std::shared_ptr<Hub> hub, int rank, const NodeMap& nodes,
             std::shared_ptr<SharedMemory> board)
      : NodeCollectives(static_cast<int>(hub->mailboxes.size())),
        hub_(std::move(hub)),
        rank_(rank) {
    attach(nodes, std::move(board));
  }
  static i64 bytes_of_board(int ranks) { return board_bytes(ranks); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return static_cast<int>(hub_->mailboxes.size()); }
  RequestPtr isend(const void* data, i64 bytes, int to, int tag) override;
  RequestPtr irecv(void* data, i64 bytes, int from, int tag) override;
  void progress() override {}
  std::shared_ptr<SharedMemory> share(i64 bytes) override;

 private:
  Mailbox& mailbox(int rank) { return hub_->mailboxes[static_cast<std::size_t>(rank)]; }
  std::shared_ptr<Hub> hub_;
  int rank_;
};

RequestPtr ThreadComm::isend(const void* data, i64 bytes, int to, int tag) {
  const auto side = std::make_shared<Side>();
  side->peer = rank_;
  side->tag = tag;
  side->source = static_cast<const std::byte*>(data);
  side->bytes = bytes;
  Mailbox& box = mailbox(to);
  const std::lock_guard lock(box.mutex);
  if (const SidePtr receive = take(box.receives, *side)) {
    deliver(*side, *receive);
  } else {
    box.sends.push_back(side);
    if (bytes <= hub_->options.eager_bytes) {
      side->buffered.assign(side->source, side->source + bytes);
      side->source = side->buffered.data();
      side->done.store(true, std::memory_order_release);
    }
  }
  return std::make_unique<ThreadRequest>(hub_, box, side);
}

RequestPtr ThreadComm::irecv(void* data, i64 bytes, int from, int tag) {
  const auto side = std::make_shared<Side>();
  side->peer = from;
  side->tag = tag;
  side->target = static_cast<std::byte*>(data);
  side->bytes = bytes;
  Mailbox& box = mailbox(rank_);
  const std::lock_guard lock(box.mutex);
  if (const SidePtr send = take(box.sends, *side)) deliver(*send, *side);
  else box.receives.push_back(side);
  return std::make_unique<ThreadRequest>(hub_, box, side);
}

/// The leader allocates and shows its pointer to the others; it waits until all have copied.
std::shared_ptr<SharedMemory> ThreadComm::share(i64 bytes) {
  const auto& members = nodes().members(nodes().node_of(rank_));
  const int leader = members.front();
  if (members.size() == 1) return LocalMemory::make(bytes);
  if (rank_ != leader) {
    const std::shared_ptr<SharedMemory>* shown = nullptr;
    receive(*this, &shown, sizeof shown, leader, tag_share);
    auto memory = *shown;
    send(*this, nullptr, 0, leader, tag_share);
    return memory;
  }
  std::shared_ptr<SharedMemory> memory;
  if (!hub_->options.fail_share) memory = LocalMemory::make(bytes);
  if (memory == nullptr) log::info("no shared memory of {} bytes among threads", bytes);
  const auto* shown = &memory;
  for (const int member : members)
    if (member != leader) send(*this, &shown, sizeof shown, member, tag_share);
  for (const int member : members)
    if (member != leader) receive(*this, nullptr, 0, member, tag_share);
  return memory;
}

}  // namespace

std::vector<std::unique_ptr<Comm>> make_thread_comms(std::span<const int> node_of,
                                                     const ThreadCommOptions& options) {
  const int ranks = static_cast<int>(node_of.size());
  const NodeMap nodes(node_of);
  const auto hub = std::make_shared<Hub>(node_of.size(), options);
  std::vector<std::shared_ptr<SharedMemory>> boards;
  for (int node = 0; node < nodes.nodes(); ++node) {
    boards.push_back(LocalMemory::make(ThreadComm::bytes_of_board(ranks)));
    if (boards.back() == nullptr) throw std::bad_alloc();
  }
  std::vector<std::unique_ptr<Comm>> comms;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto node = static_cast<std::size_t>(nodes.node_of(rank));
    comms.push_back(std::make_unique<ThreadComm>(hub, rank, nodes, boards[node]));
  }
  return comms;
}

}  // namespace resonio::comm
