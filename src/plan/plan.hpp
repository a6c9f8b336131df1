// A plan: what one call does, as a value on four axes (domains, agents, exchange, issue).
// Pure: made from what every rank knows, so that all ranks of a collective make the same one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/direction.hpp"
#include "base/options.hpp"
#include "pattern/pattern.hpp"

namespace resonio::plan {

using i64 = std::int64_t;

/// One rank's part of a call, as all ranks know it.
struct Summary {
  i64 lower = 0;  // smallest file offset
  i64 upper = 0;  // largest end
  i64 bytes = 0;  // 0: takes part with nothing
  i64 runs = 0;   // runs in the file, as described
  bool ascending = true;
};

/// What a strategy plans from.
struct Situation {
  Direction direction = Direction::read;
  bool collective = false;
  std::span<const Summary> ranks;  // one entry in an independent call
  std::span<const int> node_of;    // node of each rank
  int nodes = 1;
  const Options* options = nullptr;
  // A read-modify-write of holes cannot lose what another rank writes there meanwhile.
  bool rewrite_safe = true;

  [[nodiscard]] i64 lower() const;  // over the ranks with bytes; 0 if none
  [[nodiscard]] i64 upper() const;
  [[nodiscard]] i64 bytes() const;
  [[nodiscard]] i64 runs() const;
};

/// Who owns which bytes of the file in this call.
enum class Domains {
  own,       // each rank its own
  families,  // each agent a family of intervals (even split: its part in buffer-size units)
  block,     // each rank one block, in rank order; file order ignored
};
/// How bytes get from owner to agent.
enum class Exchange {
  none,
  direct,  // shared memory inside a node, messages between nodes, only peers that share bytes
};
/// In what order and form requests leave.
enum class Issue { as_given, list, sieve, pattern, one_contiguous, rounds };

struct Plan {
  std::string_view strategy;  // name of the strategy that made it
  std::string why;            // one clause, for the log and MPI_File_get_info
  Domains domains = Domains::own;
  Exchange exchange = Exchange::none;
  Issue issue = Issue::as_given;

  // Domains::families: agent i is rank agents[i] and owns families[i].
  std::vector<int> agents;
  std::vector<pattern::Window> families;
  i64 units_per_round = 1;  // intervals of its family an agent moves in one round

  /// Rounds of the longest family.
  [[nodiscard]] i64 rounds() const;
  /// Bytes of the largest window.
  [[nodiscard]] i64 buffer_size() const;
  /// What agent i moves in a round; no segments after its last.
  [[nodiscard]] pattern::Window window(std::size_t agent, i64 round) const;
};

}  // namespace resonio::plan
