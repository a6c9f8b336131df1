// A storage for tests: fails chosen calls, shortens transfers, counts.
#pragma once

#include <atomic>
#include <memory>

#include "storage/file.hpp"

namespace resonio::storage {

/// Which call fails and how. Counters are shared by all files made with the same Faults.
struct Faults {
  std::atomic<i64> fail_transfer_at{-1};  // the n-th transfer (from 0) fails; -1 = none
  std::atomic<i64> transfers{0};          // transfers seen
  int sys = 5;                            // errno of the failure (EIO)
  std::atomic<i64> space{-1};             // writes that end beyond fail with ENOSPC; -1 = no limit
  std::atomic<bool> fail_lock{false};
  std::atomic<bool> fail_sync{false};
};

std::unique_ptr<File> faulty(std::unique_ptr<File> file, std::shared_ptr<Faults> faults);

}  // namespace resonio::storage
