// resonio-hints: the table of hints and the strategies as JSON, for the command's tables,
// checks and pages.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/options.hpp"
#include "plan/strategy.hpp"

int main() {
  const resonio::Options defaults;
  nlohmann::json hints = nlohmann::json::array();
  for (const auto& hint : resonio::known_hints())
    hints.push_back({{"name", hint.name},
                     {"kind", hint.kind},
                     {"default", resonio::get_hint(defaults, hint.name)},
                     {"meaning", hint.meaning}});
  nlohmann::json strategies = nlohmann::json::array();
  for (const auto* strategy : resonio::plan::strategies())
    strategies.push_back({{"name", strategy->name}, {"summary", strategy->summary}});
  std::puts(nlohmann::json{{"hints", hints}, {"strategies", strategies}}.dump(1).c_str());
}
