// Two-phase collective I/O (Thakur, Gropp, Lusk; ROMIO's baseline): the range accessed by
// all ranks is split evenly between the agents, each moves its part in rounds of
// cb_buffer_size, and bytes are exchanged between their owners and the agents.
#include <algorithm>
#include <numeric>

#include "plan/strategy.hpp"

namespace resonio::plan {
namespace {

constexpr i64 page = 4096;
// Below this many bytes an agent costs more in synchronisation than its copying saves.
constexpr i64 least_bytes_per_agent = 256 << 10;
constexpr int most_agents_per_node = 8;

/// The first ranks of each node in turn, so that agents spread over the nodes; ascending.
std::vector<int> spread(const Situation& situation, i64 wanted) {
  const auto ranks = static_cast<int>(situation.ranks.size());
  std::vector<int> on_node(static_cast<std::size_t>(situation.nodes), 0);
  std::vector<int> turn(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r)
    turn[static_cast<std::size_t>(r)] =
        on_node[static_cast<std::size_t>(situation.node_of[static_cast<std::size_t>(r)])]++;
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return turn[static_cast<std::size_t>(a)] < turn[static_cast<std::size_t>(b)];
  });
  order.resize(static_cast<std::size_t>(std::min<i64>(wanted, ranks)));
  std::sort(order.begin(), order.end());
  return order;
}

i64 agent_count(const Situation& situation, i64 range) {
  if (situation.options->cb_nodes > 0) return situation.options->cb_nodes;
  const i64 by_nodes = static_cast<i64>(situation.nodes) * most_agents_per_node;
  return std::clamp<i64>(range / least_bytes_per_agent, 1, by_nodes);
}

Proposal propose(const Situation& situation) {
  if (!situation.collective) return {{}, "the call is not collective"};
  if (situation.bytes() == 0) return {{}, "no rank accesses any byte"};
  const i64 align = std::max<i64>(situation.options->striping_unit, page);
  const i64 lower = situation.lower();
  const i64 upper = situation.upper();
  const i64 base = lower / align * align;

  Plan plan;
  plan.strategy = "two-phase";
  plan.why = "asked for";
  plan.domains = Domains::families;
  plan.exchange = Exchange::direct;
  plan.issue = Issue::rounds;
  plan.agents = spread(situation, agent_count(situation, upper - lower));
  const auto agents = static_cast<i64>(plan.agents.size());
  const i64 share = ((upper - base + agents - 1) / agents + align - 1) / align * align;
  const i64 unit = std::min(situation.options->cb_buffer_size, share);
  for (i64 a = 0; a < agents; ++a) {
    const i64 begin = std::max(lower, base + a * share);
    const i64 end = std::min(upper, base + (a + 1) * share);
    const i64 length = std::max<i64>(0, end - begin);
    plan.families.push_back({begin, unit, unit, (length + unit - 1) / unit, end});
  }
  return {std::move(plan), {}};
}

constexpr Strategy strategy = {"two-phase", "even split between agents, direct exchange, rounds",
                               propose};
const Enrol enrol(strategy);

}  // namespace
}  // namespace resonio::plan
