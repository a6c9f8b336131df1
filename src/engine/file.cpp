#include "engine/file.hpp"

#include <optional>

#include "base/log.hpp"
#include "engine/call.hpp"
#include "engine/exchange.hpp"
#include "engine/inspect.hpp"

namespace resonio::engine {
namespace {

enum PhaseIndex : std::size_t { read_one, write_one, read_all, write_all };
constexpr std::array<std::string_view, 4> phase_names = {"read", "write", "read_all", "write_all"};

PhaseIndex phase_index(Direction direction, bool collective) {
  const bool read = direction == Direction::read;
  if (collective) return read ? read_all : write_all;
  return read ? read_one : write_one;
}

/// Where this rank's block starts in Block I/O: behind those of the ranks below it.
i64 block_offset(const plan::Situation& situation, int rank) {
  i64 offset = situation.lower();
  for (int r = 0; r < rank; ++r) offset += situation.ranks[static_cast<std::size_t>(r)].bytes;
  return offset;
}

}  // namespace

File::File(comm::Comm& comm, std::unique_ptr<storage::File> storage, std::string name,
           const Options& options)
    : comm_(comm),
      storage_(std::move(storage)),
      name_(std::move(name)),
      options_(options),
      guard_(comm) {
  for (int r = 0; r < comm_.size(); ++r) node_of_.push_back(comm_.nodes().node_of(r));
}

File::~File() = default;

Outcome File::transfer(Direction direction, const Access& access, const Memory& memory) {
  Phase& phase = statistics_.phases[phase_index(direction, false)];
  ++phase.calls;
  if (access.empty()) return {};
  std::byte* flat = memory.flat();
  if (flat != nullptr && access.pattern.contiguous()) {  // nothing to plan
    const storage::Extent extent{access.pattern.origin() + access.begin, access.size(), flat};
    const WriteGuard::Plain plain(guard_, direction);
    const Outcome outcome = storage_->transfer(direction, {&extent, 1});
    ++phase.io_requests;
    phase.io_bytes += outcome.bytes;
    phase.bytes += outcome.bytes;
    return outcome;
  }
  const Timer total(phase.total_seconds);
  const plan::Summary summary = summarize(access);
  const int node = 0;
  const plan::Choice choice = plan::choose(
      {direction, false, {&summary, 1}, {&node, 1}, 1, &options_, guard_.covers_all()});
  announce(direction, choice, false);
  Call call{direction, access, memory, choice.plan, options_, *storage_, guard_, scratch_, phase};
  const Outcome outcome = run_own(call, 0);
  phase.bytes += outcome.bytes;
  return outcome;
}

Outcome File::transfer_all(Direction direction, const Access& access, const Memory& memory,
                           const Error& argument) {
  Phase& phase = statistics_.phases[phase_index(direction, true)];
  ++phase.calls;
  const Timer total(phase.total_seconds);
  Outcome outcome = run_collective(direction, access, memory, argument, phase);
  outcome.error = comm_.agree(outcome.error);
  if (outcome.error) outcome.bytes = 0;
  phase.bytes += outcome.bytes;
  return outcome;
}

Outcome File::run_collective(Direction direction, const Access& access, const Memory& memory,
                             const Error& argument, Phase& phase) {
  std::optional<Inspection> inspection;
  plan::Situation situation;
  plan::Choice choice;
  {
    const Timer timer(phase.plan_seconds);
    inspection.emplace(comm_, access, argument.code != Code::ok);
    if (inspection->argument_error()) return {argument, 0};
    situation = {direction, true, inspection->summaries(), node_of_, comm_.nodes().nodes(),
                 &options_, true};
    choice = plan::choose(situation);
  }
  announce(direction, choice, true);
  Call call{direction, access, memory, choice.plan, options_, *storage_, guard_, scratch_, phase};
  if (choice.plan.exchange == plan::Exchange::none)
    return run_own(call, block_offset(situation, comm_.rank()));
  const double io_before = phase.io_seconds;
  double seconds = 0;
  Outcome outcome;
  {
    const Timer timer(seconds);
    outcome = run_exchange(comm_, call, *inspection, buffers_, turn_);
  }
  phase.exchange_seconds += seconds - (phase.io_seconds - io_before);
  return outcome;
}

/// Counts what runs, and logs it when it changes.
void File::announce(Direction direction, const plan::Choice& choice, bool collective) {
  const auto phase = phase_names[phase_index(direction, collective)];
  const auto [entry, first] =
      statistics_.strategies.try_emplace(fmt::format("{} {}", phase, choice.plan.strategy), 0);
  ++entry->second;
  last_strategy_ = choice.plan.strategy;
  // All ranks choose the same in a collective call: one of them tells.
  if (!first || (collective && comm_.rank() != 0)) return;
  const std::string text =
      choice.note.empty()
          ? fmt::format("{}: {}: {} ({})", name_, phase, choice.plan.strategy, choice.plan.why)
          : fmt::format("{}: {}: {}; {} runs instead ({})", name_, phase, choice.note,
                        choice.plan.strategy, choice.plan.why);
  if (choice.unknown) log::warning("{}", text);
  else log::info("{}", text);
}

}  // namespace resonio::engine
