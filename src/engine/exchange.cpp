#include "engine/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "engine/agent.hpp"
#include "engine/copy.hpp"
#include "pattern/wire.hpp"

namespace resonio::engine {
namespace {

using pattern::Segment;
using pattern::Window;

/// One exchange on this rank: as an owner of bytes, and as agent of some families.
class Exchange {
 public:
  Exchange(comm::Comm& comm, Call& call, const Inspection& inspection, NodeBuffers& buffers,
           std::uint32_t turn)
      : context_(comm, call, buffers, turn),
        call_(call),
        plan_(call.plan),
        inspection_(inspection),
        outgoing_(plan_.agents.size() * NodeBuffers::slots) {
    send_oversized();
    for (std::size_t a = 0; a < plan_.agents.size(); ++a)
      if (plan_.agents[a] == comm.rank()) agents_.emplace_back(context_, a, peers_of(a));
    for (Message& message : oversized_) wait(*message.request);
    count_peers();
  }

  Outcome run() {
    const i64 bytes = call_.direction == Direction::write ? write() : read();
    for (Message& message : outgoing_)
      if (message.request) wait(*message.request);
    Outcome outcome;
    for (Agent& agent : agents_) {
      agent.finish();
      if (outcome.error.ok()) outcome.error = agent.error();
    }
    outcome.bytes = outcome.error.ok() ? bytes : 0;
    return outcome;
  }

 private:
  // Patterns too long for the inspector's allgather go to the agents they concern, clipped.
  [[nodiscard]] bool concerns(int rank, std::size_t agent) const;
  void send_oversized();
  std::vector<Peer> peers_of(std::size_t agent);
  pattern::Access receive_oversized(int rank);
  void count_peers();

  i64 write();
  i64 read();
  i64 contribute(i64 round);
  i64 consume(i64 round);
  void send(std::size_t agent, i64 round, const Window& window);
  i64 copy(Window window, std::byte* buffer, i64 valid);

  /// Agents in this rank's order: each rank starts elsewhere, so that they do not queue.
  template <class Visit>
  void for_each_agent(i64 round, Visit visit) {
    const std::size_t n = plan_.agents.size();
    const std::size_t start = static_cast<std::size_t>(context_.comm.rank()) * n /
                              static_cast<std::size_t>(context_.comm.size());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t a = (start + i) % n;
      const Window window = plan_.window(a, round);
      if (pattern::meets(call_.file, window)) visit(a, window);
    }
  }
  Handover& handover(std::size_t agent, i64 round) {
    return context_.buffers.handover(context_.agent_on_node[agent],
                                     static_cast<int>(round % NodeBuffers::slots));
  }
  std::byte* buffer(std::size_t agent, i64 round) {
    return context_.buffers.buffer(context_.agent_on_node[agent],
                                   static_cast<int>(round % NodeBuffers::slots));
  }
  void wait_turn(std::size_t agent, i64 round) {
    comm::wait_for(handover(agent, round).turn,
                   context_.turn + static_cast<std::uint32_t>(round) + 1, context_.comm);
  }

  ExchangeContext context_;
  Call& call_;
  const plan::Plan& plan_;
  const Inspection& inspection_;
  std::deque<Agent> agents_;  // does not move them: I/O under way refers to its slot
  std::deque<Message> oversized_;
  std::vector<Message> outgoing_;  // by agent and slot
};

// --- setting up ---

bool Exchange::concerns(int rank, std::size_t agent) const {
  const plan::Summary& s = inspection_.summaries()[static_cast<std::size_t>(rank)];
  const Window& family = plan_.families[agent];
  return s.bytes > 0 && family.count > 0 && s.lower < family.limit && s.upper > family.offset;
}

void Exchange::send_oversized() {
  const int me = context_.comm.rank();
  if (!inspection_.oversized(me)) return;
  for (std::size_t a = 0; a < plan_.agents.size(); ++a) {
    if (plan_.agents[a] == me || !concerns(me, a)) continue;
    const Window& family = plan_.families[a];
    Message& size = oversized_.emplace_back();
    Message& body = oversized_.emplace_back();
    body.bytes =
        call_.file.ascending()
            ? pattern::encode(pattern::clipped(call_.file, family.offset, family.limit).access)
            : inspection_.own_wire();
    const auto bytes = static_cast<i64>(body.bytes.size());
    size.bytes.resize(sizeof bytes);
    std::memcpy(size.bytes.data(), &bytes, sizeof bytes);
    size.request =
        context_.comm.isend(size.bytes.data(), sizeof bytes, plan_.agents[a], tag::pattern_size);
    body.request = context_.comm.isend(body.bytes.data(), bytes, plan_.agents[a], tag::pattern);
    call_.statistics.messages += 2;
  }
}

pattern::Access Exchange::receive_oversized(int rank) {
  i64 bytes = 0;
  wait(*context_.comm.irecv(&bytes, sizeof bytes, rank, tag::pattern_size));
  std::vector<std::byte> wire(static_cast<std::size_t>(bytes));
  wait(*context_.comm.irecv(wire.data(), bytes, rank, tag::pattern));
  return decode_or_stop(wire, rank);
}

std::vector<Peer> Exchange::peers_of(std::size_t agent) {
  std::vector<Peer> peers;
  for (int r = 0; r < context_.comm.size(); ++r) {
    if (!concerns(r, agent)) continue;
    Peer& peer = peers.emplace_back();
    peer.rank = r;
    if (r == context_.comm.rank()) peer.access = call_.file;
    else if (inspection_.oversized(r)) peer.access = receive_oversized(r);
    else peer.access = inspection_.access_of(r);
  }
  return peers;
}

void Exchange::count_peers() {
  i64 peers = 0;
  const int me = context_.comm.rank();
  for (int r = 0; r < context_.comm.size(); ++r) {
    bool shares = false;
    for (std::size_t a = 0; a < plan_.agents.size(); ++a) {
      if (plan_.agents[a] == r) shares = shares || concerns(me, a);
      if (plan_.agents[a] == me) shares = shares || concerns(r, a);
    }
    peers += r != me && shares ? 1 : 0;
  }
  call_.statistics.peers = std::max(call_.statistics.peers, peers);
}

// --- rounds ---

i64 Exchange::write() {
  const i64 rounds = plan_.rounds();
  i64 bytes = 0;
  for (i64 k = 0; k < rounds; ++k) {
    for (Agent& agent : agents_) agent.prepare(k);
    bytes += contribute(k);
    for (Agent& agent : agents_) agent.collect(k, k == rounds - 1);
  }
  return bytes;
}

i64 Exchange::read() {
  const i64 rounds = plan_.rounds();
  i64 bytes = 0;
  for (Agent& agent : agents_) agent.start(0, agents_.size() > 1);
  for (i64 k = 0; k < rounds; ++k) {
    for (Agent& agent : agents_) agent.publish(k);
    if (k + 1 < rounds)
      for (Agent& agent : agents_) agent.start(k + 1, true);
    bytes += consume(k);
  }
  return bytes;
}

/// Copies this rank's bytes of a window to or from an agent's buffer.
i64 Exchange::copy(Window window, std::byte* at, i64 valid) {
  i64 bytes = 0;
  for (i64 k = 0; k < window.count; ++k) {
    const Segment s = window.segment(k);
    bytes += copy_window(call_.direction, call_.file, s.offset, std::min(s.end(), valid),
                         at + k * window.length, call_.memory);
  }
  return bytes;
}

i64 Exchange::contribute(i64 round) {
  i64 bytes = 0;
  for_each_agent(round, [&](std::size_t a, const Window& window) {
    if (!context_.in_memory(plan_.agents[a])) {
      send(a, round, window);
      bytes += pattern::bytes_in(call_.file, window);
      return;
    }
    wait_turn(a, round);
    const i64 moved = copy(window, buffer(a, round), INT64_MAX);
    handover(a, round).served.add();
    bytes += moved;
    if (plan_.agents[a] != context_.comm.rank()) call_.statistics.exchanged_bytes += moved;
  });
  return bytes;
}

void Exchange::send(std::size_t agent, i64 round, const Window& window) {
  Message& message =
      outgoing_[agent * NodeBuffers::slots + static_cast<std::size_t>(round % NodeBuffers::slots)];
  if (message.request) wait(*message.request);
  const i64 bytes = pattern::bytes_in(call_.file, window);
  const std::byte* data = nullptr;
  if (call_.memory.flat() != nullptr && call_.file.ascending() && window.count == 1) {
    // One run in memory: sent from where it is.
    const Segment s = window.segment(0);
    data = call_.memory.flat() + call_.file.clip(s.offset, s.end()).offset;
  } else {
    message.bytes.resize(static_cast<std::size_t>(bytes));
    std::byte* packed = message.bytes.data();
    for (i64 k = 0; k < window.count; ++k) {
      const Segment s = window.segment(k);
      packed += copy_packed(Direction::write, call_.file, s.offset, s.end(), packed, call_.memory);
    }
    data = message.bytes.data();
  }
  message.request = context_.comm.isend(data, bytes, plan_.agents[agent], tag::data);
  call_.statistics.messages += 1;
  call_.statistics.exchanged_bytes += bytes;
}

i64 Exchange::consume(i64 round) {
  struct Incoming {
    Message message;
    Window window;
  };
  std::vector<Incoming> incoming;
  i64 bytes = 0;
  for_each_agent(round, [&](std::size_t a, const Window& window) {
    if (context_.in_memory(plan_.agents[a])) return;
    Incoming& in = incoming.emplace_back();
    in.window = window;
    in.message.bytes.resize(sizeof(i64) + static_cast<std::size_t>(bytes_in(call_.file, window)));
    in.message.request =
        context_.comm.irecv(in.message.bytes.data(), static_cast<i64>(in.message.bytes.size()),
                            plan_.agents[a], tag::data);
  });
  for_each_agent(round, [&](std::size_t a, const Window& window) {
    if (!context_.in_memory(plan_.agents[a])) return;
    wait_turn(a, round);
    const i64 moved = copy(window, buffer(a, round), handover(a, round).valid);
    handover(a, round).served.add();
    bytes += moved;
    if (plan_.agents[a] != context_.comm.rank()) call_.statistics.exchanged_bytes += moved;
  });
  for (Incoming& in : incoming) {
    wait(*in.message.request);
    i64 valid = 0;
    std::memcpy(&valid, in.message.bytes.data(), sizeof valid);
    std::byte* packed = in.message.bytes.data() + sizeof valid;
    for (i64 k = 0; k < in.window.count; ++k) {
      const Segment s = in.window.segment(k);
      const i64 hi = std::min(s.end(), valid);
      bytes += copy_packed(Direction::read, call_.file, s.offset, hi, packed, call_.memory);
      packed += pattern::bytes_in(call_.file, {s.offset, s.length, 0, 1});
    }
  }
  return bytes;
}

}  // namespace

ExchangeContext::ExchangeContext(comm::Comm& comm_, Call& call_, NodeBuffers& buffers_,
                                 std::uint32_t turn_)
    : comm(comm_), call(call_), buffers(buffers_), turn(turn_) {
  const comm::NodeMap& nodes = comm.nodes();
  std::vector<int> on_node(static_cast<std::size_t>(nodes.nodes()), 0);
  for (const int rank : call.plan.agents)
    agent_on_node.push_back(on_node[static_cast<std::size_t>(nodes.node_of(rank))]++);
  const int here = on_node[static_cast<std::size_t>(nodes.node_of(comm.rank()))];
  if (here > 0) shared = buffers.reserve(comm, here, call.plan.buffer_size());
}

bool ExchangeContext::in_memory(int rank) const {
  return shared && comm.nodes().node_of(rank) == comm.nodes().node_of(comm.rank());
}

void wait(comm::Request& request) {
  comm::poll_until([&] { return request.test(); });
}

Outcome run_exchange(comm::Comm& comm, Call& call, const Inspection& inspection,
                     NodeBuffers& buffers, std::uint32_t& turn) {
  const i64 before = call.storage.requests();
  Exchange exchange(comm, call, inspection, buffers, turn);
  const Outcome outcome = exchange.run();
  turn += static_cast<std::uint32_t>(call.plan.rounds());
  call.statistics.rounds += call.plan.rounds();
  call.statistics.io_requests += call.storage.requests() - before;
  return outcome;
}

}  // namespace resonio::engine
