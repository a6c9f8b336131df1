#include "plan/own.hpp"

namespace resonio::plan {
namespace {

Proposal propose(const Situation&) { return own("pattern", Issue::pattern, "asked for"); }

constexpr Strategy strategy = {
    "pattern", "each rank's pattern itself handed to the storage (datatype I/O)", propose};
const Enrol enrol(strategy);

}  // namespace
}  // namespace resonio::plan
