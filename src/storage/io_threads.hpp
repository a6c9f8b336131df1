// I/O in the background: jobs run on threads that make no MPI call, so that it works at
// MPI_THREAD_SINGLE. Threads start with the first job and are shared by a process.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/error.hpp"
#include "comm/wait.hpp"

namespace resonio::storage {

/// One job's state; `finished` becomes 1 when outcome is set.
struct Job {
  std::function<Outcome()> work;
  Outcome outcome;
  comm::Signal finished;
};
using JobPtr = std::shared_ptr<Job>;

/// Runs work on an I/O thread (RESONIO_IO_THREADS, default 2). Exceptions become Code::other.
JobPtr submit(std::function<Outcome()> work);

}  // namespace resonio::storage
