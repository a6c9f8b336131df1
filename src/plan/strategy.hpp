// Strategies and how they are found. A new strategy is one new file in this folder that
// defines a planner and enrols it; nothing else changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"

namespace resonio::plan {

/// A plan, or why the strategy does not apply here.
struct Proposal {
  std::optional<Plan> plan;
  std::string why_not;
};

struct Strategy {
  std::string_view name;
  std::string_view summary;  // one line for people
  Proposal (*propose)(const Situation&);
};

/// Makes a strategy known; for static initialisers in the strategy's own file.
struct Enrol {
  explicit Enrol(const Strategy& strategy);
};

/// All strategies, by name.
std::vector<const Strategy*> strategies();
/// Null if there is none of that name.
const Strategy* find_strategy(std::string_view name);

struct Choice {
  Plan plan;
  std::string note;      // why the strategy asked for did not run; empty if it did
  bool unknown = false;  // there is none of that name
};
/// The plan of the strategy that options ask for in this direction; if that one does not
/// apply (or is unknown), auto's, with a note.
Choice choose(const Situation& situation);

}  // namespace resonio::plan
