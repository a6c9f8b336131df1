// One call on its way through the engine: what executors are given.
#pragma once

#include <chrono>

#include "base/options.hpp"
#include "comm/comm.hpp"
#include "engine/memory.hpp"
#include "engine/scratch.hpp"
#include "engine/statistics.hpp"
#include "engine/write_guard.hpp"
#include "pattern/pattern.hpp"
#include "plan/plan.hpp"
#include "storage/file.hpp"

namespace resonio::engine {

struct Call {
  Direction direction;
  const pattern::Access& file;
  const Memory& memory;
  const plan::Plan& plan;
  const Options& options;
  storage::File& storage;
  WriteGuard& guard;
  Scratch& scratch;
  Phase& statistics;
};

/// Adds the seconds of its life to a statistic.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  ~Timer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_;
};

/// A transfer by the calling thread, counted.
Outcome transfer_counted(Call& call, Direction direction, std::span<const storage::Extent> extents);

/// Moves this rank's own bytes: Domains::own, and Domains::block at file offset `block_offset`.
Outcome run_own(Call& call, pattern::i64 block_offset);

}  // namespace resonio::engine
