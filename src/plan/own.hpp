// Strategies in which every rank moves its own bytes: they differ in how requests leave.
#pragma once

#include "plan/strategy.hpp"

namespace resonio::plan {

/// Own domains, every rank an agent, no exchange.
inline Proposal own(std::string_view strategy, Issue issue, std::string why) {
  Plan plan;
  plan.strategy = strategy;
  plan.issue = issue;
  plan.why = std::move(why);
  return {std::move(plan), {}};
}

}  // namespace resonio::plan
