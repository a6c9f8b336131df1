#include "comm/wait.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "comm/comm.hpp"

namespace resonio::comm {
namespace {

// A glance yields: on an idle core that costs a fraction of a microsecond, on a busy one it
// lets the rank run that we wait for. To sleep at once would cost a wake-up (10 us and more
// on a virtual machine) where the partner needs but a few microseconds; to yield for long,
// whole time slices where other programs compete for the core.
constexpr int signal_glances = 4;
// Nobody wakes a rank that waits for a message alone, so it looks for longer.
constexpr int message_glances = 200;
// Microseconds.
constexpr int first_slice = 100;
constexpr int longest_slice = 1000;
constexpr int first_nap = 20;  // between looks for a message
constexpr int longest_nap = 200;

timespec microseconds_to_timespec(int microseconds) {
  return {microseconds / 1'000'000, (microseconds % 1'000'000) * 1000L};
}

// Not FUTEX_PRIVATE_FLAG: the word may lie in memory shared by processes.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  // Whatever it returns (woken, changed, timed out, interrupted): the caller looks again.
  syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

int next_slice(int slice, int first, int longest) {
  return slice == 0 ? first : std::min(slice + slice / 2, longest);
}

}  // namespace

// Either the waker sees the sleeper's count, or the kernel (which compares under its own
// lock, after a full barrier) sees the new word: both sides write first, then look.
void Signal::wake() {
  if (sleepers_.load(std::memory_order_seq_cst) != 0) futex(word_, FUTEX_WAKE, INT_MAX, nullptr);
}

void Signal::add(std::uint32_t n) {
  word_.fetch_add(n, std::memory_order_seq_cst);
  wake();
}

void Signal::set(std::uint32_t value) {
  word_.store(value, std::memory_order_seq_cst);
  wake();
}

void Signal::sleep_while(std::uint32_t seen, int microseconds) {
  const timespec timeout = microseconds_to_timespec(microseconds);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  futex(word_, FUTEX_WAIT, seen, &timeout);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

void Pace::pause(Signal& signal, std::uint32_t seen, Comm& comm) {
  if (glances_ < signal_glances) {
    ++glances_;
    sched_yield();
    return;
  }
  slice_ = next_slice(slice_, first_slice, longest_slice);
  signal.sleep_while(seen, slice_);
  comm.progress();
}

void Pace::pause() {
  if (glances_ < message_glances) {
    ++glances_;
    sched_yield();
    return;
  }
  slice_ = next_slice(slice_, first_nap, longest_nap);
  const timespec nap = microseconds_to_timespec(slice_);
  nanosleep(&nap, nullptr);
}

void wait_for(Signal& signal, std::uint32_t wanted, Comm& comm) {
  wait_until(signal, comm, [&] { return signal.value() == wanted; });
}

}  // namespace resonio::comm
