// The floor of a collective on one node: what the same bytes cost without MPI.
//
//   floor FILE RANKS BLOCK BYTES REPETITIONS [WINDOW]
//
// RANKS processes (fork) hold interleaved blocks of a file of BYTES, as bench/interleaved.c has
// them. Phase "write": for one window of the file after another each process puts its blocks
// into memory that all share, waits for the others on a futex, and writes its even part of the
// window; "read" the other way round. Phases "block_write" and "block_read": each process
// has one contiguous part of the file, one pwrite or pread. The contents are checked outside of
// what is timed; the output has the form of bench/interleaved.c.
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "floor: %s\n", what);
  std::_Exit(1);
}

/// A barrier of processes that sleep, in shared memory.
class Barrier {
 public:
  void wait(std::uint32_t ranks) {
    const std::uint32_t turn = turn_.load();
    if (arrived_.fetch_add(1) + 1 == ranks) {
      arrived_.store(0);
      turn_.store(turn + 1);
      syscall(SYS_futex, &turn_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    }
    while (turn_.load() == turn) syscall(SYS_futex, &turn_, FUTEX_WAIT, turn, nullptr, nullptr, 0);
  }

 private:
  std::atomic<std::uint32_t> turn_{0};
  std::atomic<std::uint32_t> arrived_{0};
};

constexpr int kMostRanks = 64;

struct Shared {
  Barrier barrier;
  Clock::time_point started[kMostRanks], ended[kMostRanks];
};

struct Job {
  std::string path;
  std::int64_t ranks = 0, block = 0, bytes = 0, repetitions = 0, window = 0;
  std::int64_t rank = 0;
  Shared* shared = nullptr;
  char* windows[2] = {};  // taken in turn, so that one barrier a round is enough
  int file = -1;

  std::int64_t share() const { return bytes / ranks; }
  void wait() const { shared->barrier.wait(static_cast<std::uint32_t>(ranks)); }
};

std::uint64_t word_at(std::int64_t n, std::int64_t version) {
  return static_cast<std::uint64_t>(n + 1) * 0x9E3779B97F4A7C15u +
         static_cast<std::uint64_t>(version);
}

using Words = std::vector<std::uint64_t>;

/// The rank's own data: interleaved blocks, or one contiguous part.
void fill(const Job& job, bool interleaved, std::int64_t version, Words& words) {
  const std::int64_t size = job.block / 8;
  for (std::int64_t i = 0; i < job.share() / 8; ++i) {
    const std::int64_t place = interleaved ? (i / size * job.ranks + job.rank) * size + i % size
                                           : job.rank * (job.share() / 8) + i;
    words[static_cast<std::size_t>(i)] = word_at(place, version);
  }
}

/// Between the rank's contiguous data and its blocks in the window. A constant size makes the
/// compiler copy by a register or two.
template <std::int64_t Constant>
void copy_blocks(const Job& job, char* data, char* window, bool out) {
  const std::int64_t block = Constant > 0 ? Constant : job.block;
  const std::int64_t step = block * job.ranks;
  char* place = window + job.rank * block;
  for (std::int64_t n = job.window / step; n > 0; --n, place += step, data += block) {
    if (out) std::memcpy(place, data, static_cast<std::size_t>(block));
    else std::memcpy(data, place, static_cast<std::size_t>(block));
  }
}

void exchange(const Job& job, char* data, char* window, bool out) {
  switch (job.block) {
    case 8: return copy_blocks<8>(job, data, window, out);
    case 64: return copy_blocks<64>(job, data, window, out);
    default: return copy_blocks<0>(job, data, window, out);
  }
}

void transfer(const Job& job, char* data, std::int64_t offset, std::int64_t length, bool writing) {
  while (length > 0) {
    const auto size = static_cast<std::size_t>(length);
    const ssize_t n =
        writing ? pwrite(job.file, data, size, offset) : pread(job.file, data, size, offset);
    check(n > 0, writing ? "pwrite failed" : "pread failed");
    data += n;
    offset += n;
    length -= n;
  }
}

void collective(const Job& job, char* data, bool writing) {
  const std::int64_t part = job.window / job.ranks;
  const std::int64_t mine = job.rank * part;
  for (std::int64_t round = 0; round < job.bytes / job.window; ++round, data += part) {
    char* window = job.windows[round % 2];
    const std::int64_t offset = round * job.window + mine;
    if (writing) {
      exchange(job, data, window, true);
      job.wait();
      transfer(job, window + mine, offset, part, true);
    } else {
      transfer(job, window + mine, offset, part, false);
      job.wait();
      exchange(job, data, window, false);
    }
  }
}

enum class Way { collective, block };

double timed(const Job& job, Way way, bool writing, Words& words) {
  char* data = reinterpret_cast<char*>(words.data());
  Shared& shared = *job.shared;
  job.wait();
  shared.started[job.rank] = Clock::now();
  if (way == Way::collective) collective(job, data, writing);
  else transfer(job, data, job.rank * job.share(), job.share(), writing);
  shared.ended[job.rank] = Clock::now();
  job.wait();
  // From the first that starts to the last that ends: ranks that share a core run in turn.
  const auto first = *std::min_element(shared.started, shared.started + job.ranks);
  const auto last = *std::max_element(shared.ended, shared.ended + job.ranks);
  return std::chrono::duration<double>(last - first).count();
}

void check_file(const Job& job, std::int64_t version) {
  Words part(static_cast<std::size_t>(job.share() / 8)), right = part;
  transfer(job, reinterpret_cast<char*>(part.data()), job.rank * job.share(), job.share(), false);
  fill(job, false, version, right);
  check(part == right, "wrong bytes in the file after a write");
}

void report(const Job& job, const char* phase, std::vector<double> seconds) {
  if (job.rank != 0) return;
  std::printf(
      "{\"mode\": \"floor\", \"phase\": \"%s\", \"ranks\": %lld, \"block\": %lld, "
      "\"bytes\": %lld, \"seconds\": [",
      phase, static_cast<long long>(job.ranks), static_cast<long long>(job.block),
      static_cast<long long>(job.bytes));
  for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.9f", i ? ", " : "", seconds[i]);
  std::sort(seconds.begin(), seconds.end());
  const double megabytes = static_cast<double>(job.bytes) / 1e6;
  std::printf("], \"mb_per_s\": {\"min\": %.1f, \"median\": %.1f, \"max\": %.1f}}\n",
              megabytes / seconds.back(), megabytes / seconds[seconds.size() / 2],
              megabytes / seconds.front());
}

void run_way(const Job& job, Way way, const char* write_phase, const char* read_phase) {
  const bool interleaved = way == Way::collective;
  Words words(static_cast<std::size_t>(job.share() / 8)), right = words;
  std::vector<double> writes, reads;
  for (std::int64_t version = 0; version <= job.repetitions; ++version) {
    fill(job, interleaved, version, words);
    right = words;
    const double write = timed(job, way, true, words);
    job.wait();
    check_file(job, version);
    std::fill(words.begin(), words.end(), ~std::uint64_t{0});
    const double read = timed(job, way, false, words);
    check(words == right, "wrong bytes in memory after a read");
    if (version == 0) continue;  // made the file
    writes.push_back(write);
    reads.push_back(read);
  }
  report(job, write_phase, writes);
  report(job, read_phase, reads);
}

void run_rank(Job job) {
  job.file = open(job.path.c_str(), O_RDWR);
  check(job.file >= 0, "cannot open the file");
  run_way(job, Way::collective, "write", "read");
  run_way(job, Way::block, "block_write", "block_read");
  close(job.file);
  std::fflush(stdout);
}

void* shared_memory(std::int64_t size) {
  void* memory = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check(memory != MAP_FAILED, "no shared memory");
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  check(argc == 6 || argc == 7, "usage: floor FILE RANKS BLOCK BYTES REPETITIONS [WINDOW]");
  Job job;
  job.path = argv[1];
  job.ranks = std::atoll(argv[2]);
  job.block = std::atoll(argv[3]);
  job.bytes = std::atoll(argv[4]);
  job.repetitions = std::atoll(argv[5]);
  job.window = argc == 7 ? std::atoll(argv[6]) : std::min(job.bytes, std::int64_t{4} << 20);
  check(job.ranks > 0 && job.ranks <= kMostRanks, "RANKS is from 1 to 64");
  check(job.block > 0 && job.block % 8 == 0, "BLOCK is a multiple of 8");
  check(job.repetitions > 0, "REPETITIONS is greater than 0");
  check(job.window > 0 && job.window % (job.block * job.ranks) == 0,
        "WINDOW is a multiple of RANKS blocks");
  check(job.bytes > 0 && job.bytes % job.window == 0, "BYTES is a multiple of WINDOW");

  job.shared = new (shared_memory(sizeof(Shared))) Shared;
  for (char*& window : job.windows) window = static_cast<char*>(shared_memory(job.window));
  const int file = open(job.path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
  check(file >= 0, "cannot create the file");
  close(file);
  std::vector<pid_t> children;
  for (job.rank = 0; job.rank < job.ranks; ++job.rank) {
    const pid_t child = fork();
    check(child >= 0, "cannot fork");
    if (child == 0) {
      run_rank(job);
      std::_Exit(0);
    }
    children.push_back(child);
  }
  bool good = true;
  for (int status = 0; wait(&status) > 0;) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    if (good)  // the others would wait for ever at the barrier
      for (const pid_t child : children) kill(child, SIGTERM);
    good = false;
  }
  unlink(job.path.c_str());
  return good ? 0 : 1;
}
