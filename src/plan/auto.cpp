// The default: picks a strategy from the shape of the call. Rules, until a cost model
// measures the machine; the numbers are where the alternatives cost about the same on local
// file systems (bench/).
#include <algorithm>

#include "plan/strategy.hpp"

namespace resonio::plan {
namespace {

constexpr i64 large_run = 1 << 20;  // runs from here on gain nothing by being collected
// Distance of runs below which a request for each costs more than moving the bytes between:
// reading them once, or reading and writing them under a lock.
constexpr i64 sieve_read_spacing = 32 << 10;
constexpr i64 sieve_write_spacing = 2 << 10;
constexpr i64 sieve_run = 8 << 10;  // longer runs are worth a request anyway

/// Ranks access ranges that do not overlap, in any order: nothing to gain from an exchange.
bool interleaved(const Situation& situation) {
  std::vector<pattern::Segment> ranges;
  for (const Summary& r : situation.ranks)
    if (r.bytes > 0) ranges.push_back({r.lower, r.upper - r.lower});
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].offset < ranges[i - 1].end()) return true;
  return false;
}

/// The way for a call in which each rank moves its own bytes: what pays for its runs.
Proposal own(const Situation& situation, std::string why) {
  const bool read = situation.direction == Direction::read;
  const Toggle sieving = read ? situation.options->ds_read : situation.options->ds_write;
  i64 range = 0;
  bool ascending = true;
  for (const Summary& r : situation.ranks) {
    if (r.bytes > 0) range += r.upper - r.lower;
    ascending = ascending && r.ascending;
  }
  const i64 bytes = std::max<i64>(situation.bytes(), 1);
  const i64 runs = std::max<i64>(situation.runs(), 1);
  const bool holes = range > bytes;
  const i64 spacing = read ? sieve_read_spacing : sieve_write_spacing;
  const bool pays = bytes / runs < sieve_run && range / runs <= spacing;
  std::string_view name = "list";
  if (!holes) name = "independent";
  else if (ascending && (read || situation.rewrite_safe) && sieving != Toggle::disable &&
           (sieving == Toggle::enable || pays))
    name = "sieve";
  Proposal proposal = find_strategy(name)->propose(situation);
  proposal.plan->why = std::move(why);
  return proposal;
}

Proposal propose(const Situation& situation) {
  if (!situation.collective) return own(situation, "independent call");
  const bool read = situation.direction == Direction::read;
  const Toggle buffering = read ? situation.options->cb_read : situation.options->cb_write;
  if (situation.bytes() == 0) return own(situation, "no rank accesses any byte");
  if (buffering == Toggle::disable) return own(situation, "collective buffering is disabled");
  if (buffering == Toggle::automatic) {
    if (!interleaved(situation)) return own(situation, "the ranks' ranges are not interleaved");
    if (situation.bytes() / std::max<i64>(situation.runs(), 1) >= large_run)
      return own(situation, "the runs are large");
  }
  Proposal proposal = find_strategy("two-phase")->propose(situation);
  proposal.plan->why = buffering == Toggle::enable ? "collective buffering is enabled"
                                                   : "small runs of several ranks interleave";
  return proposal;
}

constexpr Strategy strategy = {"auto", "chosen from the shape of the call", propose};
const Enrol enrol(strategy);

}  // namespace
}  // namespace resonio::plan
