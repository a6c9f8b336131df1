// Runs a function on N threads as N ranks of a communicator.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "comm/thread_comm.hpp"

namespace resonio::test {

/// Labels of `ranks` ranks in `nodes` contiguous nodes (nodes == 1: all on one node).
inline std::vector<int> node_labels(int ranks, int nodes) {
  std::vector<int> labels;
  for (int r = 0; r < ranks; ++r) labels.push_back(r * nodes / ranks);
  return labels;
}

/// Threads under way, and the first exception among them.
class RankThreads {
 public:
  template <class F>
  void start(F work) {
    {
      const std::lock_guard lock(mutex_);
      ++running_;
    }
    threads_.emplace_back([this, work = std::move(work)] {
      std::exception_ptr thrown;
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      if (thrown != nullptr && failure_ == nullptr) failure_ = thrown;
      --running_;
      changed_.notify_all();
    });
  }

  /// Joins all and throws what one of them threw. A rank that threw leaves others waiting for
  /// it: they get some seconds, then the process stops with the exception's text, rather than
  /// hang.
  void join() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ == 0 || failure_ != nullptr; });
    if (!changed_.wait_for(lock, std::chrono::seconds(20), [&] { return running_ == 0; })) stop();
    lock.unlock();
    for (auto& thread : threads_) thread.join();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  [[noreturn]] void stop() const {
    try {
      std::rethrow_exception(failure_);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "a rank failed, others wait for it: %s\n", e.what());
    } catch (...) {
      std::fprintf(stderr, "a rank failed, others wait for it\n");
    }
    std::abort();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

/// Calls work(comm) on one thread for each entry of node_of (labels: equal = same node).
/// An exception of a rank (RC_ASSERT, for instance) is thrown again here.
template <class Work>
void run_ranks(std::span<const int> node_of, Work work,
               const comm::ThreadCommOptions& options = {}) {
  const auto comms = comm::make_thread_comms(node_of, options);
  RankThreads threads;
  for (const auto& one : comms) threads.start([&work, &one] { work(*one); });
  threads.join();
}

/// The same for `ranks` ranks in `nodes` contiguous nodes.
template <class Work>
void run_ranks(int ranks, int nodes, Work work, const comm::ThreadCommOptions& options = {}) {
  run_ranks(node_labels(ranks, nodes), work, options);
}

}  // namespace resonio::test
