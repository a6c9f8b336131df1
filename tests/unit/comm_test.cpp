// Signals, node maps, messages and collectives, with threads as ranks.
#include "comm/comm.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>

#include "comm/messages.hpp"
#include "comm/wait.hpp"
#include "thread_ranks.hpp"

namespace resonio::test {
namespace {

using comm::Comm;
using comm::i64;
using comm::NodeMap;
using comm::RequestPtr;
using comm::SharedMemory;
using comm::Signal;
using Bytes = std::vector<std::byte>;
using Random = std::mt19937;

i64 below(Random& random, i64 limit) {
  return std::uniform_int_distribution<i64>(0, limit - 1)(random);
}

/// Sizes as they come: mostly small, some 0, a few of many pieces.
i64 random_bytes(Random& random) {
  const i64 limits[] = {1, 16, 600, 5000, 70'000, 300'000};
  const i64 kinds = below(random, 8) == 0 ? 6 : 4;
  return below(random, limits[below(random, kinds)] + 1);
}

/// Bytes that tell who made them, when and for what.
Bytes made_bytes(i64 bytes, i64 rank, i64 step) {
  Bytes result(static_cast<std::size_t>(bytes));
  auto state = static_cast<std::uint64_t>(rank * 7919 + step + 1);
  for (auto& byte : result) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::byte>(state >> 56);
  }
  return result;
}

/// A group of ranks: node labels in any order, or 1, 2, all nodes.
struct Group {
  std::vector<int> labels;
  comm::ThreadCommOptions options;
  unsigned seed;
};

Group random_group() {
  const int ranks = *rc::gen::inRange(1, 17);
  const auto seed = *rc::gen::arbitrary<unsigned>();
  Group group{node_labels(ranks, 1), {}, seed};
  switch (*rc::gen::inRange(0, 4)) {
    case 0: break;
    case 1: group.labels = node_labels(ranks, std::min(2, ranks)); break;
    case 2: group.labels = node_labels(ranks, ranks); break;
    default: {  // scattered
      Random random(seed);
      for (auto& label : group.labels) label = static_cast<int>(below(random, 4)) * 10;
    }
  }
  group.options.eager_bytes = *rc::gen::element<i64>(0, 4096);
  return group;
}

void check(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}
#define CHECK(condition) check(condition, #condition)

// ---- node maps

TEST(NodeMap, NumbersNodesByTheirLowestRank) {
  const int labels[] = {7, 3, 7, 3, 9};
  const NodeMap map(labels);
  EXPECT_EQ(map.nodes(), 3);
  EXPECT_EQ(map.members(0), (std::vector{0, 2}));
  EXPECT_EQ(map.members(1), (std::vector{1, 3}));
  EXPECT_EQ(map.members(2), (std::vector{4}));
  EXPECT_EQ(map.node_of(3), 1);
  EXPECT_EQ(map.local_index(0), 0);
  EXPECT_EQ(map.local_index(2), 1);
  EXPECT_EQ(map.local_index(3), 1);
  EXPECT_EQ(map.local_index(4), 0);
}

// ---- signals

TEST(Signal, ZeroBytesAreOne) {
  alignas(Signal) std::byte raw[sizeof(Signal)] = {};
  auto* signal = std::launder(reinterpret_cast<Signal*>(raw));
  EXPECT_EQ(signal->value(), 0U);
  signal->add(3);
  EXPECT_EQ(signal->value(), 3U);
  signal->set(8);
  EXPECT_EQ(signal->value(), 8U);
}

TEST(Signal, SleepEndsWithoutAnyChange) {
  Signal signal;
  signal.sleep_while(0, 1000);           // returns at all
  signal.sleep_while(1, 2'000'000'000);  // another value: at once
  EXPECT_EQ(signal.value(), 0U);
}

TEST(Signal, WakesASleeper) {
  for (int i = 0; i < 50; ++i) {
    Signal signal;
    std::thread sleeper([&] {
      while (signal.value() == 0) signal.sleep_while(0, 2'000'000'000);  // half an hour
    });
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (i % 3 == 0) signal.set(5);
    else signal.add();
    sleeper.join();
  }
}

TEST(Signal, PassesDataToAndFro) {
  constexpr std::uint32_t rounds = 5000;
  Signal ping;
  Signal pong;
  std::uint32_t data = 0;  // not atomic: the signals order the accesses
  run_ranks(2, 1, [&](Comm& comm) {
    for (std::uint32_t i = 1; i <= rounds; ++i) {
      if (comm.rank() == 0) {
        ++data;
        ping.add();
        wait_for(pong, i, comm);
      } else {
        wait_for(ping, i, comm);
        ++data;
        pong.set(i);
      }
    }
  });
  EXPECT_EQ(data, 2 * rounds);
}

TEST(Signal, WaitUntilAsksAlsoWithoutAnyChange) {
  std::atomic<bool> arrived{false};
  run_ranks(2, 1, [&](Comm& comm) {
    Signal silent;
    if (comm.rank() == 0) comm::wait_until(silent, comm, [&] { return arrived.load(); });
    else arrived = true;
  });
}

/// A Comm that counts calls of progress().
class CountingComm final : public Comm {
 public:
  int progressed = 0;
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] const NodeMap& nodes() const override { return nodes_; }
  RequestPtr isend(const void*, i64, int, int) override { return nullptr; }
  RequestPtr irecv(void*, i64, int, int) override { return nullptr; }
  void progress() override { ++progressed; }
  std::shared_ptr<SharedMemory> share(i64) override { return nullptr; }
  void allgather(const void*, void*, i64) override {}
  void broadcast(void*, i64, int) override {}
  void barrier() override {}

 private:
  NodeMap nodes_{std::vector{0}};
};

TEST(Signal, WaitingMakesProgress) {
  CountingComm comm;
  Signal signal;
  comm::wait_until(signal, comm, [&] { return comm.progressed == 3; });
  EXPECT_EQ(comm.progressed, 3);
}

// ---- messages

RC_GTEST_PROP(Messages, ArriveInOrderFromEachRankAndTag, ()) {
  const Group group = random_group();
  const int messages = *rc::gen::inRange(1, 8);
  const auto size_of = [&](int from, int to, int tag, int number) {
    Random random(group.seed + static_cast<unsigned>(((from * 17 + to) * 3 + tag) * 8 + number));
    return random_bytes(random) / 8;
  };
  run_ranks(
      group.labels,
      [&](Comm& comm) {
        std::vector<Bytes> sent;
        std::vector<std::pair<Bytes, Bytes>> received;  // buffer, expected
        std::vector<std::function<RequestPtr()>> starts;
        const int ranks = comm.size();
        const auto many = static_cast<std::size_t>(ranks * 2 * messages);
        sent.reserve(many);  // requests point into them
        received.reserve(many);
        std::vector<RequestPtr> requests;
        const auto step = [](int tag, int number) { return tag * 100 + number; };
        for (int peer = 0; peer < ranks; ++peer)  // also to itself
          for (int tag = 0; tag < 2; ++tag)
            for (int n = 0; n < messages; ++n) {
              const i64 length = size_of(comm.rank(), peer, tag, n);
              sent.push_back(made_bytes(length, comm.rank(), step(tag, n)));
              requests.push_back(comm.isend(sent.back().data(), length, peer, tag));
            }
        for (int tag = 1; tag >= 0; --tag)  // tags in the other order
          for (int peer = 0; peer < ranks; ++peer)
            for (int n = 0; n < messages; ++n) {
              const i64 length = size_of(peer, comm.rank(), tag, n);
              received.emplace_back(Bytes(static_cast<std::size_t>(length)),
                                    made_bytes(length, peer, step(tag, n)));
              requests.push_back(comm.irecv(received.back().first.data(), length, peer, tag));
            }
        comm::wait_all(requests);
        for (const auto& [got, expected] : received) CHECK(got == expected);
      },
      group.options);
}

TEST(Messages, LongOnesAreDoneOnlyWhenReceived) {
  run_ranks(2, 1, [](Comm& comm) {
    Bytes data(5000);
    if (comm.rank() == 0) {
      const auto request = comm.isend(data.data(), 5000, 1, 0);
      CHECK(!request->test());
      comm.barrier();
      comm::wait_all({&request, 1});
    } else {
      comm.barrier();
      comm::receive(comm, data.data(), 5000, 0, 0);
    }
  });
}

TEST(Messages, OfAnotherLengthThanExpectedAreAnError) {
  const int labels[] = {0};
  const auto comms = comm::make_thread_comms(labels);
  Bytes data(8);
  const auto sent = comms[0]->isend(data.data(), 8, 0, 0);
  EXPECT_THROW((void)comms[0]->irecv(data.data(), 4, 0, 0), std::logic_error);
}

// ---- collectives

class Collectives {
 public:
  Collectives(Comm& comm, unsigned seed) : comm_(comm), random_(seed) {}
  /// One operation, chosen and sized alike on all ranks.
  void next() {
    ++step_;
    switch (below(random_, 5)) {
      case 0: return allgather();
      case 1: return broadcast();
      case 2: return comm_.barrier();
      case 3: return agree();
      default: return share();
    }
  }

 private:
  void allgather() {
    const i64 bytes = random_bytes(random_);
    const Bytes mine = made_bytes(bytes, comm_.rank(), step_);
    Bytes all(static_cast<std::size_t>(bytes * comm_.size()), std::byte{0xaa});
    comm_.allgather(mine.data(), all.data(), bytes);
    for (int r = 0; r < comm_.size(); ++r) {
      const Bytes expected = made_bytes(bytes, r, step_);
      CHECK(std::equal(expected.begin(), expected.end(), all.begin() + r * bytes));
    }
  }

  void broadcast() {
    const i64 bytes = 10 * random_bytes(random_);
    const int root = static_cast<int>(below(random_, comm_.size()));
    Bytes data = made_bytes(bytes, comm_.rank(), step_);
    comm_.broadcast(data.data(), bytes, root);
    CHECK(data == made_bytes(bytes, root, step_));
  }

  void agree() {
    std::vector<Error> errors(static_cast<std::size_t>(comm_.size()));
    const i64 kind = below(random_, 3);  // nobody fails, one does, any may
    const i64 only = below(random_, comm_.size());
    int lowest = -1;
    for (int r = 0; r < comm_.size(); ++r) {
      const bool fails = kind == 1 ? r == only : kind == 2 && below(random_, 2) == 0;
      if (!fails) continue;
      errors[static_cast<std::size_t>(r)] =
          make_error(r % 2 == 0 ? Code::no_space : Code::io, fmt::format("rank {} fails", r), r);
      if (lowest < 0) lowest = r;
    }
    const Error agreed = comm_.agree(errors[static_cast<std::size_t>(comm_.rank())]);
    CHECK(agreed.rank == lowest);
    if (lowest < 0) return CHECK(agreed.ok());
    const Error& expected = errors[static_cast<std::size_t>(lowest)];
    CHECK(agreed.code == expected.code && agreed.sys == expected.sys);
    CHECK(std::strcmp(agreed.text, expected.text) == 0);
  }

  void share() {
    const i64 bytes = comm_.size() + random_bytes(random_);
    const auto memory = comm_.share(bytes);
    CHECK(memory != nullptr && memory->size() >= bytes);
    std::byte* const base = memory->base();
    CHECK(std::all_of(base, base + bytes, [](std::byte b) { return b == std::byte{0}; }));
    comm_.barrier();
    base[comm_.rank()] = std::byte{1};
    comm_.barrier();
    const NodeMap& map = comm_.nodes();  // only ranks of this node have written here
    for (int r = 0; r < comm_.size(); ++r) {
      const bool here = map.node_of(r) == map.node_of(comm_.rank());
      CHECK(base[r] == (here ? std::byte{1} : std::byte{0}));
    }
    comm_.barrier();
  }

  Comm& comm_;
  Random random_;  // the same on all ranks
  i64 step_ = 0;
};

RC_GTEST_PROP(Collectives, GiveEveryRankTheBytesOfEvery, ()) {
  const Group group = random_group();
  const int steps = *rc::gen::inRange(1, 25);
  run_ranks(
      group.labels,
      [&](Comm& comm) {
        Collectives operations(comm, group.seed);
        for (int i = 0; i < steps; ++i) operations.next();
      },
      group.options);
}

TEST(Collectives, MixWithMessagesUnderWay) {
  for (const int nodes : {1, 2, 4}) {
    run_ranks(4, nodes,
              [](Comm& comm) {
                const int next = (comm.rank() + 1) % 4;
                const int previous = (comm.rank() + 3) % 4;
                const Bytes sent = made_bytes(10'000, comm.rank(), 0);
                Bytes received(10'000);
                const auto sending = comm.isend(sent.data(), 10'000, next, 7);
                Collectives operations(comm, 99);
                for (int i = 0; i < 20; ++i) operations.next();
                comm::receive(comm, received.data(), 10'000, previous, 7);
                comm::wait_all({&sending, 1});
                CHECK(received == made_bytes(10'000, previous, 0));
              },
              {.eager_bytes = 0});
  }
}

TEST(Collectives, NobodyLeavesABarrierBeforeAllAreThere) {
  for (const int nodes : {1, 3, 7}) {
    std::atomic<int> arrived{0};
    run_ranks(7, nodes, [&](Comm& comm) {
      for (int i = 1; i <= 300; ++i) {
        ++arrived;
        comm.barrier();
        CHECK(arrived >= 7 * i);
      }
    });
  }
}

TEST(Collectives, AllgatherInPlace) {
  run_ranks(5, 2, [](Comm& comm) {
    std::vector<int> all(5, -1);
    auto& mine = all[static_cast<std::size_t>(comm.rank())];
    mine = comm.rank() * 11;
    comm.allgather(&mine, all.data(), sizeof mine);
    CHECK((all == std::vector{0, 11, 22, 33, 44}));
  });
}

TEST(Collectives, ManyRanksAgree) {  // more than agree() keeps on its stack
  run_ranks(70, 3, [](Comm& comm) {
    CHECK(comm.agree({}).ok());
    const Error agreed = comm.agree(comm.rank() == 68 ? make_error(Code::quota, "full") : Error{});
    CHECK(agreed.code == Code::quota && agreed.rank == 68);
  });
}

TEST(Share, FailsOnAllRanksOfANode) {
  std::atomic<int> failures{0};
  run_ranks(6, 2, [&](Comm& comm) { failures += comm.share(100) == nullptr ? 1 : 0; },
            {.fail_share = true});
  EXPECT_EQ(failures, 6);
}

TEST(Share, OutlivesTheComm) {
  std::vector<std::shared_ptr<SharedMemory>> kept(3);
  run_ranks(3, 1, [&](Comm& comm) {
    kept[static_cast<std::size_t>(comm.rank())] = comm.share(64);
    kept[static_cast<std::size_t>(comm.rank())]->base()[comm.rank()] = std::byte{9};
  });
  for (int r = 0; r < 3; ++r) EXPECT_EQ(kept[0]->base()[r], std::byte{9});
}

}  // namespace
}  // namespace resonio::test
