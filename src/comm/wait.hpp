// Waiting for a word in memory that other ranks of the node (or an I/O thread) change.
// Sleeps on a futex in short slices, so that a rank that waits here gives its core away,
// and still calls Comm::progress between slices: a rank that sleeps may hold the other end
// of a rendezvous message that somebody waits for.
#pragma once

#include <atomic>
#include <cstdint>

namespace resonio::comm {

class Comm;

/// A counter in (possibly shared) memory. All zero bytes is a valid initial state.
class Signal {
 public:
  [[nodiscard]] std::uint32_t value() const { return word_.load(std::memory_order_acquire); }
  /// Adds n and wakes the waiters, if any. From any thread or process.
  void add(std::uint32_t n = 1);
  /// Sets and wakes. From any thread or process.
  void set(std::uint32_t value);
  /// Sleeps until the value may differ from `seen`, or about `microseconds` passed.
  void sleep_while(std::uint32_t seen, int microseconds);

 private:
  void wake();

  std::atomic<std::uint32_t> word_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};
static_assert(sizeof(Signal) == 8 && std::atomic<std::uint32_t>::is_always_lock_free);

/// The pace of one wait: a few glances that give the core to whoever wants it, then sleeps
/// in growing slices.
class Pace {
 public:
  /// One pause of a wait for `signal` to differ from `seen`.
  void pause(Signal& signal, std::uint32_t seen, Comm& comm);
  /// One pause of a wait for something that wakes nobody (messages).
  void pause();

 private:
  int glances_ = 0;
  int slice_ = 0;  // microseconds; 0 = not yet slept
};

/// Waits until signal.value() == wanted, with comm.progress() in between.
void wait_for(Signal& signal, std::uint32_t wanted, Comm& comm);

/// Waits until done() is true; `done` is asked after each change of the signal and at least
/// every slice. For waits on several things at once (messages and a signal).
template <class Done>
void wait_until(Signal& signal, Comm& comm, Done done) {
  for (Pace pace;;) {
    const auto seen = signal.value();
    if (done()) return;
    pace.pause(signal, seen, comm);
  }
}

/// Waits until done() is true, asking it again and again: for messages alone, whose arrival
/// changes no signal. `done` makes the progress (Request::test does).
template <class Done>
void poll_until(Done done) {
  for (Pace pace; !done();) pace.pause();
}

}  // namespace resonio::comm
