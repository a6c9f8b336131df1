#include "plan/own.hpp"

namespace resonio::plan {
namespace {

Proposal propose(const Situation& situation) {
  for (const Summary& rank : situation.ranks)
    if (!rank.ascending) return {{}, "a rank accesses offsets that do not ascend"};
  return own("sieve", Issue::sieve, "asked for");
}

constexpr Strategy strategy = {
    "sieve", "each rank's own bytes in large windows around holes (data sieving)", propose};
const Enrol enrol(strategy);

}  // namespace
}  // namespace resonio::plan
