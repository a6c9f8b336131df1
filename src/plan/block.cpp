// Block I/O, the reference of the inspector-executor paper (section 4): each rank moves its
// bytes as one contiguous block, in rank order. The file's order is NOT that of the views:
// only the same strategy reads back what it wrote. For measuring what no sorted write beats.
#include "plan/strategy.hpp"

namespace resonio::plan {
namespace {

Proposal propose(const Situation& situation) {
  if (!situation.collective) return {{}, "the call is not collective"};
  Plan plan;
  plan.strategy = "block";
  plan.domains = Domains::block;
  plan.issue = Issue::one_contiguous;
  plan.why = "asked for; a reference for measuring: the bytes are not in the order of the view";
  return {std::move(plan), {}};
}

constexpr Strategy strategy = {"block", "each rank one contiguous block, file order ignored",
                               propose};
const Enrol enrol(strategy);

}  // namespace
}  // namespace resonio::plan
