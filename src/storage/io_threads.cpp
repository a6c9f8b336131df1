#include "storage/io_threads.hpp"

#include <pthread.h>
#include <unistd.h>

#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/log.hpp"

namespace resonio::storage {
namespace {

constexpr int default_threads = 2;
constexpr int most_threads = 64;

int threads_from_environment() {
  const char* text = std::getenv("RESONIO_IO_THREADS");
  if (text == nullptr || *text == '\0') return default_threads;
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error == std::errc{} && rest == end && value >= 1 && value <= most_threads) return value;
  log::warning("RESONIO_IO_THREADS={} is not a number from 1 to {}; using {}", text, most_threads,
               default_threads);
  return default_threads;
}

void run(Job& job) {
  try {
    job.outcome = job.work();
  } catch (const std::exception& e) {
    job.outcome.error = make_error(Code::other, fmt::format("I/O thread: {}", e.what()));
  } catch (...) {
    job.outcome.error = make_error(Code::other, "I/O thread: unknown exception");
  }
  job.work = nullptr;  // what it captured may end with the job's owner
  job.finished.set(1);
}

/// Signals are the program's: none is delivered to a thread started while this exists.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

/// The threads of one process. Never destroyed, and its threads are detached: at exit they
/// end with the process, whatever they wait for, and no destructor runs under their feet.
class Pool {
 public:
  explicit Pool(Pool* parents) : parents_(parents) {}
  [[nodiscard]] bool of_this_process() const { return process_ == getpid(); }
  /// False if there is no thread and none can be started.
  bool put(const JobPtr& job);

 private:
  bool start_thread();
  [[noreturn]] void serve();

  const pid_t process_ = getpid();
  const int limit_ = threads_from_environment();
  Pool* const parents_;  // after a fork, what the parent had: kept reachable
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<JobPtr> jobs_;
  int threads_ = 0;
  int idle_ = 0;
};

void Pool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [&] { return !jobs_.empty(); });
    --idle_;
    JobPtr job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    run(*job);
    job.reset();
    lock.lock();
  }
}

bool Pool::start_thread() {
  const SignalsBlocked blocked;
  try {
    std::thread([this] { serve(); }).detach();
  } catch (const std::system_error& e) {
    log::warning("cannot start an I/O thread: {}", e.what());
    return false;
  }
  ++threads_;
  return true;
}

bool Pool::put(const JobPtr& job) {
  const std::lock_guard lock(mutex_);
  const bool wanted = static_cast<std::size_t>(idle_) <= jobs_.size();
  if (wanted && threads_ < limit_ && !start_thread() && threads_ == 0) return false;
  jobs_.push_back(job);
  changed_.notify_one();
  return true;
}

/// This process's pool. A forked child has none of its parent's threads, and perhaps a
/// locked mutex: it gets a pool of its own.
Pool& pool() {
  static std::atomic<Pool*> current{nullptr};
  Pool* known = current.load(std::memory_order_acquire);
  while (known == nullptr || !known->of_this_process()) {
    auto fresh = std::make_unique<Pool>(known);
    if (current.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel))
      return *fresh.release();
  }
  return *known;
}

}  // namespace

JobPtr submit(std::function<Outcome()> work) {
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  if (!pool().put(job)) run(*job);  // late, but done
  return job;
}

}  // namespace resonio::storage
