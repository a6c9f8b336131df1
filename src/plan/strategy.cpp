#include "plan/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resonio::plan {
namespace {

std::vector<const Strategy*>& registry() {
  static std::vector<const Strategy*> all;
  return all;
}

}  // namespace

Enrol::Enrol(const Strategy& strategy) { registry().push_back(&strategy); }

std::vector<const Strategy*> strategies() {
  auto all = registry();
  std::sort(all.begin(), all.end(),
            [](const Strategy* a, const Strategy* b) { return a->name < b->name; });
  return all;
}

const Strategy* find_strategy(std::string_view name) {
  for (const Strategy* strategy : registry())
    if (strategy->name == name) return strategy;
  return nullptr;
}

Choice choose(const Situation& situation) {
  const Options& options = *situation.options;
  const std::string_view wanted =
      situation.direction == Direction::read ? options.strategy_read : options.strategy_write;
  std::string note;
  bool unknown = false;
  if (const Strategy* strategy = find_strategy(wanted)) {
    Proposal proposal = strategy->propose(situation);
    if (proposal.plan) return {std::move(*proposal.plan), {}, false};
    note = fmt::format("{} does not apply: {}", wanted, proposal.why_not);
  } else {
    unknown = true;
    note = fmt::format("there is no strategy {}", wanted);
  }
  return {*find_strategy("auto")->propose(situation).plan, std::move(note), unknown};
}

}  // namespace resonio::plan
