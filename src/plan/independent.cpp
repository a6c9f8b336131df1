#include "plan/own.hpp"

namespace resonio::plan {
namespace {

Proposal propose(const Situation&) { return own("independent", Issue::as_given, "asked for"); }

constexpr Strategy strategy = {"independent", "each rank's runs, one request a run", propose};
const Enrol enrol(strategy);

}  // namespace
}  // namespace resonio::plan
