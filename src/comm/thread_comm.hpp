// A Comm for each of several threads of one process: ranks without MPI, for tests of many
// ranks under sanitizers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/comm.hpp"

namespace resonio::comm {

struct ThreadCommOptions {
  /// Messages up to this size are buffered; longer ones are done only when received (as in
  /// MPI's rendezvous). 0 finds programs that count on buffering.
  i64 eager_bytes = 4096;
  /// share() fails on every node of more than one rank, as where /dev/shm is full.
  bool fail_share = false;
};

/// One Comm for each entry of node_of (labels: equal = same node). Comm r is to be used by
/// one thread, the one that plays rank r. What they share lives as long as any of them.
std::vector<std::unique_ptr<Comm>> make_thread_comms(std::span<const int> node_of,
                                                     const ThreadCommOptions& options = {});

}  // namespace resonio::comm
