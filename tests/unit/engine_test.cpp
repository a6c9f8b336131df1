// Every strategy against the oracle: a plain rendering of the pattern, byte by byte, over
// threads as ranks. Random patterns, ranks, node maps, buffers and hints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "comm/thread_comm.hpp"
#include "engine/file.hpp"
#include "pattern/type.hpp"
#include "plan/strategy.hpp"
#include "storage/faulty.hpp"
#include "thread_ranks.hpp"

namespace resonio::engine {
namespace {

using pattern::Access;
using pattern::Pattern;
using Bytes = std::vector<std::byte>;
using Random = std::mt19937_64;

i64 pick(Random& random, i64 low, i64 high) {
  return std::uniform_int_distribution<i64>(low, high)(random);
}

std::byte value(i64 seed, i64 i) {
  return static_cast<std::byte>((seed * 31 + i * 7 + i / 251) & 255);
}

/// What one rank does in a call: its access, its buffer, and where its data bytes are.
struct Part {
  Access file;
  Bytes buffer;
  Memory memory;
};

/// Byte offsets of an access in data order: the plain rendering.
std::vector<i64> render(const Access& access) {
  std::vector<i64> offsets;
  for (i64 d = access.begin; d < access.end; ++d) offsets.push_back(access.pattern.offset_of(d));
  return offsets;
}

// --- random calls ---

/// Disjoint parts: an interleaved vector, with holes or without.
std::vector<Access> interleaved(Random& random, int ranks) {
  const i64 block = pick(random, 1, 80);
  const i64 gap = pick(random, 0, 2) == 0 ? pick(random, 1, 50) : 0;
  const i64 count = pick(random, 1, 40);
  std::vector<Access> parts;
  for (int r = 0; r < ranks; ++r) {
    const Pattern p = Pattern::loop(count, ranks * block + gap, Pattern::run(r * block, block));
    const i64 from = pick(random, 0, p.size() / 2);
    parts.push_back(pick(random, 0, 3) == 0 ? Access{p, from, pick(random, from, p.size())}
                                            : Access::whole(p));
  }
  return parts;
}

/// Disjoint parts: a block distribution of a 3-d array, tiled as a view is.
std::vector<Access> distributed(Random& random, int ranks) {
  const std::vector<i64> gsizes = {pick(random, 1, 7), pick(random, 1, 9), pick(random, 1, 12)};
  std::vector<i64> grid = {1, 1, 1};
  i64 rest = ranks;
  for (int d = 0; d < 2; ++d)
    for (i64 f = rest; f >= 1; --f)
      if (rest % f == 0 && pick(random, 0, 2) == 0) {
        grid[static_cast<std::size_t>(d)] = f;
        rest /= f;
        break;
      }
  grid[2] = rest;
  std::vector<pattern::Distribution> kinds;
  std::vector<i64> args;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool cyclic = pick(random, 0, 1) == 0;
    kinds.push_back(cyclic ? pattern::Distribution::cyclic : pattern::Distribution::block);
    args.push_back(cyclic ? pick(random, 1, 3) : pattern::default_dist_arg);
  }
  std::vector<Access> parts;
  for (int r = 0; r < ranks; ++r) {
    pattern::View view;
    view.disp = 13;
    view.filetype = pattern::darray(ranks, r, gsizes, kinds, args, grid, pattern::Order::c,
                                    pattern::elementary(pick(random, 0, 0) == 0 ? 4 : 8));
    const i64 size = view.filetype.pattern.size();
    parts.push_back(size == 0 ? Access{} : view.access(0, size * 2));
  }
  return parts;
}

/// Disjoint parts: irregular runs dealt out at random; some ranks may get nothing.
std::vector<Access> irregular(Random& random, int ranks, i64 runs) {
  std::vector<std::vector<i64>> offsets(static_cast<std::size_t>(ranks));
  auto lengths = offsets;
  i64 at = pick(random, 0, 300);
  for (i64 i = 0; i < runs; ++i) {
    const i64 length = pick(random, 0, 40);
    const auto r = static_cast<std::size_t>(pick(random, 0, ranks - 1));
    offsets[r].push_back(at);
    lengths[r].push_back(length);
    at += length + (pick(random, 0, 3) == 0 ? pick(random, 0, 900) : 0);
  }
  std::vector<Access> parts;
  for (std::size_t r = 0; r < offsets.size(); ++r)
    parts.push_back(Access::whole(Pattern::runs(offsets[r], lengths[r])));
  return parts;
}

/// Contiguous parts in rank order or not, some empty.
std::vector<Access> contiguous(Random& random, int ranks) {
  std::vector<i64> order(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) order[static_cast<std::size_t>(r)] = r;
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Access> parts(static_cast<std::size_t>(ranks));
  i64 at = pick(random, 0, 5000);
  for (const i64 r : order) {
    const i64 length = pick(random, 0, 3) == 0 ? 0 : pick(random, 1, 3000);
    parts[static_cast<std::size_t>(r)] = Access::whole(Pattern::run(at, length));
    at += length;
  }
  return parts;
}

/// For reads only: anything, overlapping, out of order.
std::vector<Access> overlapping(Random& random, int ranks) {
  std::vector<Access> parts;
  for (int r = 0; r < ranks; ++r) {
    const Pattern inner =
        Pattern::loop(pick(random, 1, 5), pick(random, -30, 60),
                      Pattern::run(2000 + pick(random, 0, 300), pick(random, 1, 40)));
    parts.push_back(
        Access::whole(Pattern::loop(pick(random, 1, 6), pick(random, -200, 400), inner)));
  }
  return parts;
}

std::vector<Access> random_files(Random& random, int ranks, bool read) {
  switch (pick(random, 0, read ? 5 : 4)) {
    case 0: return interleaved(random, ranks);
    case 1: return distributed(random, ranks);
    case 2: return irregular(random, ranks, pick(random, 0, 60));
    case 3: return irregular(random, ranks, 60 * ranks);  // too long for the inspector's slot
    case 4: return contiguous(random, ranks);
    default: return overlapping(random, ranks);
  }
}

/// A buffer for `bytes` data bytes: one run, strided, backwards, or a struct of pieces.
Part make_part(Random& random, Access file, i64 seed) {
  Part part;
  const i64 bytes = file.size();
  part.file = std::move(file);
  Pattern memory = Pattern::run(7, bytes);
  if (bytes > 0) switch (pick(random, 0, 4)) {
      case 1: {
        const i64 unit = pick(random, 1, 24);
        memory = Pattern::loop((bytes + unit - 1) / unit, unit + pick(random, 1, 9),
                               Pattern::run(3, unit));
        break;
      }
      case 2: {  // negative stride
        const i64 unit = pick(random, 1, 16);
        const i64 count = (bytes + unit - 1) / unit;
        memory = Pattern::loop(count, -unit - 2, Pattern::run(count * (unit + 2), unit));
        break;
      }
      case 3: {
        const std::vector<Pattern> pieces = {Pattern::loop(3, 8, Pattern::run(0, 4)),
                                             Pattern::run(40, 11)};
        const Pattern body = Pattern::sequence(pieces);
        memory = Pattern::loop((bytes + 22) / 23, 64, body);
        break;
      }
      default: break;
    }
  part.buffer.resize(static_cast<std::size_t>(memory.upper() + 16));
  for (std::size_t i = 0; i < part.buffer.size(); ++i)
    part.buffer[i] = value(seed, static_cast<i64>(i));
  part.memory.access = {memory, 0, bytes};
  return part;
}

// --- files ---

class TemporaryFile {
 public:
  TemporaryFile() {
    char name[] = "/tmp/resonio-test-XXXXXX";
    const int fd = mkstemp(name);
    EXPECT_GE(fd, 0);
    close(fd);
    path_ = name;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }
  void fill(const Bytes& bytes) const {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] Bytes content() const {
    Bytes bytes(std::filesystem::file_size(path_));
    std::ifstream in(path_, std::ios::binary);
    in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }

 private:
  std::string path_;
};

Bytes background(i64 size) {
  Bytes bytes(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = value(99, static_cast<i64>(i));
  return bytes;
}

struct Setting {
  int ranks = 1;
  std::vector<int> node_of;
  Options options;
  bool collective = true;
  comm::ThreadCommOptions comm;
};

Setting random_setting(Random& random, const std::string& strategy, int most_ranks) {
  Setting s;
  s.ranks = static_cast<int>(pick(random, 1, most_ranks));
  const i64 nodes = std::vector<i64>{1, 2, s.ranks}[static_cast<std::size_t>(pick(random, 0, 2))];
  for (int r = 0; r < s.ranks; ++r) s.node_of.push_back(static_cast<int>(r % nodes));
  std::string why;
  EXPECT_EQ(set_hint(s.options, "resonio_strategy", strategy, &why), HintStatus::taken);
  s.options.cb_buffer_size =
      std::vector<i64>{4096, 12288, 1 << 20}[static_cast<std::size_t>(pick(random, 0, 2))];
  s.options.cb_nodes = pick(random, 0, 3);
  s.options.ind_rd_buffer_size = pick(random, 0, 1) == 0 ? 4096 : 1 << 20;
  s.options.ind_wr_buffer_size = pick(random, 0, 1) == 0 ? 4096 : 1 << 19;
  s.options.list_segments = pick(random, 1, 64);
  s.options.ds_read = static_cast<Toggle>(pick(random, 0, 2));
  s.options.ds_write = static_cast<Toggle>(pick(random, 0, 2));
  s.comm.fail_share = pick(random, 0, 5) == 0;
  return s;
}

/// Runs one call on all ranks; outcomes by rank.
std::vector<Outcome> run(const Setting& setting, const std::string& path, Direction direction,
                         std::vector<Part>& parts, int calls = 1,
                         const std::shared_ptr<storage::Faults>& faults = nullptr) {
  std::vector<Outcome> outcomes(parts.size());
  test::run_ranks(
      setting.node_of,
      [&](comm::Comm& comm) {
        const auto r = static_cast<std::size_t>(comm.rank());
        auto opened = storage::open_posix(path, {.read = true, .write = true});
        ASSERT_TRUE(opened.error.ok()) << opened.error.text;
        if (faults) opened.file = storage::faulty(std::move(opened.file), faults);
        File file(comm, std::move(opened.file), path, setting.options);
        Part& part = parts[r];
        part.memory.base = part.buffer.data();
        for (int c = 0; c < calls; ++c)
          outcomes[r] = setting.collective
                            ? file.transfer_all(direction, part.file, part.memory, {})
                            : file.transfer(direction, part.file, part.memory);
        comm.barrier();
      },
      setting.comm);
  return outcomes;
}

void check_write(Random& random, const Setting& setting) {
  std::vector<Part> parts;
  for (Access& access : random_files(random, setting.ranks, false))
    parts.push_back(make_part(random, std::move(access), static_cast<i64>(parts.size())));
  TemporaryFile file;
  Bytes expected = background(pick(random, 0, 3000));
  file.fill(expected);
  for (const Part& part : parts) {
    const auto to = render(part.file);
    const auto from = render(part.memory.access);
    for (std::size_t d = 0; d < to.size(); ++d) {
      if (static_cast<std::size_t>(to[d]) >= expected.size())
        expected.resize(static_cast<std::size_t>(to[d]) + 1, std::byte{0});
      expected[static_cast<std::size_t>(to[d])] = part.buffer[static_cast<std::size_t>(from[d])];
    }
  }
  const auto outcomes =
      run(setting, file.path(), Direction::write, parts, static_cast<int>(pick(random, 1, 2)));
  for (std::size_t r = 0; r < parts.size(); ++r) {
    ASSERT_TRUE(outcomes[r].error.ok()) << outcomes[r].error.text;
    ASSERT_EQ(outcomes[r].bytes, parts[r].file.size());
  }
  ASSERT_EQ(file.content(), expected);
}

void check_read(Random& random, const Setting& setting) {
  std::vector<Part> parts;
  for (Access& access : random_files(random, setting.ranks, true))
    parts.push_back(make_part(random, std::move(access), static_cast<i64>(parts.size())));
  TemporaryFile file;
  const Bytes content = background(pick(random, 0, 6000));
  file.fill(content);
  std::vector<Bytes> expected;
  std::vector<i64> bytes;
  for (const Part& part : parts) {
    expected.push_back(part.buffer);
    bytes.push_back(0);
    const auto from = render(part.file);
    const auto to = render(part.memory.access);
    for (std::size_t d = 0; d < from.size(); ++d) {
      if (static_cast<std::size_t>(from[d]) >= content.size()) {
        if (!part.file.ascending()) continue;
        break;
      }
      expected.back()[static_cast<std::size_t>(to[d])] = content[static_cast<std::size_t>(from[d])];
      ++bytes.back();
    }
  }
  const auto outcomes = run(setting, file.path(), Direction::read, parts);
  for (std::size_t r = 0; r < parts.size(); ++r) {
    ASSERT_TRUE(outcomes[r].error.ok()) << outcomes[r].error.text;
    if (!parts[r].file.ascending() && bytes[r] < parts[r].file.size()) continue;  // beyond the end
    ASSERT_EQ(outcomes[r].bytes, bytes[r]) << "rank " << r;
    ASSERT_EQ(parts[r].buffer, expected[r]) << "rank " << r;
  }
}

std::vector<std::string> comparable_strategies() {
  std::vector<std::string> names;
  for (const plan::Strategy* s : plan::strategies())
    if (s->name != "block") names.emplace_back(s->name);  // not in the view's order by design
  return names;
}

class EveryStrategy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, WritesWhatTheOracleWrites) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Setting setting = random_setting(random, GetParam(), seed % 10 == 0 ? 16 : 6);
    check_write(random, setting);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryStrategy, ReadsWhatTheOracleReads) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed + 1000);
    Setting setting = random_setting(random, GetParam(), seed % 10 == 0 ? 16 : 6);
    check_read(random, setting);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryStrategy, ServesIndependentCalls) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed + 2000);
    Setting setting = random_setting(random, GetParam(), 4);
    setting.collective = false;
    if (seed % 2 == 0) check_write(random, setting);
    else check_read(random, setting);
    if (HasFatalFailure()) return;
  }
}

/// Fails the n-th transfer, for every n that happens: all ranks get the same error, nobody
/// hangs, and the next call works.
TEST_P(EveryStrategy, AgreesOnAFailureOfAnyTransfer) {
  for (const Direction direction : {Direction::read, Direction::write}) {
    for (i64 n = 0; n < 12; ++n) {
      Random random(7);
      Setting setting;
      setting.ranks = 4;
      setting.node_of = n % 2 == 0 ? std::vector<int>{0, 0, 0, 0} : std::vector<int>{0, 1, 0, 1};
      std::string why;
      set_hint(setting.options, "resonio_strategy", GetParam(), &why);
      setting.options.cb_buffer_size = 4096;
      std::vector<Part> parts;
      for (int r = 0; r < 4; ++r)
        parts.push_back(make_part(
            random, Access::whole(Pattern::loop(200, 400, Pattern::run(r * 100, 90))), r));
      TemporaryFile file;
      file.fill(background(80000));
      auto faults = std::make_shared<storage::Faults>();
      faults->fail_transfer_at = n;
      const auto outcomes = run(setting, file.path(), direction, parts, 1, faults);
      const bool failed = faults->transfers > n;
      for (const Outcome& outcome : outcomes) {
        ASSERT_EQ(outcome.error.code, failed ? Code::io : Code::ok) << outcome.error.text;
        ASSERT_EQ(outcome.error.rank, outcomes[0].error.rank);
      }
      ASSERT_TRUE(failed || n > 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy, testing::ValuesIn(comparable_strategies()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Engine, BlockWritesEachRanksBytesInRankOrderAndReadsThemBack) {
  Setting setting;
  setting.ranks = 3;
  setting.node_of = {0, 0, 0};
  std::string why;
  set_hint(setting.options, "resonio_strategy", "block", &why);
  std::vector<Part> parts;
  Random random(1);
  for (int r = 0; r < 3; ++r) {
    Part part =
        make_part(random, Access::whole(Pattern::loop(10, 30, Pattern::run(5 + r * 10, 10))), r);
    part.buffer.assign(200, static_cast<std::byte>('a' + r));
    part.memory.access = Access::whole(Pattern::run(0, 100));
    parts.push_back(std::move(part));
  }
  TemporaryFile file;
  for (const Outcome& o : run(setting, file.path(), Direction::write, parts))
    ASSERT_TRUE(o.error.ok());
  const Bytes content = file.content();
  ASSERT_EQ(content.size(), 305u);
  for (std::size_t i = 5; i < 305; ++i)
    ASSERT_EQ(content[i], static_cast<std::byte>('a' + (i - 5) / 100));
  for (Part& part : parts) part.buffer.assign(200, std::byte{0});
  for (const Outcome& o : run(setting, file.path(), Direction::read, parts))
    ASSERT_TRUE(o.error.ok());
  for (std::size_t r = 0; r < 3; ++r)
    ASSERT_EQ(parts[r].buffer[99], static_cast<std::byte>('a' + static_cast<int>(r)));
}

/// One rank brings an error: all return it, no byte is moved.
TEST(Engine, AnArgumentErrorOfOneRankIsEveryRanks) {
  TemporaryFile file;
  file.fill(background(100));
  const std::vector<int> node_of = {0, 0, 1, 1};
  std::atomic<int> right = 0;
  test::run_ranks(node_of, [&](comm::Comm& comm) {
    File f(comm, storage::open_posix(file.path(), {.read = true, .write = true}).file, "f", {});
    std::byte buffer[8] = {};
    const Access access = Access::whole(Pattern::run(comm.rank() * 8, 8));
    const Memory memory{buffer, Access::whole(Pattern::run(0, 8))};
    const Error argument = comm.rank() == 2 ? make_error(Code::count, "count is -1") : Error{};
    const Outcome o = f.transfer_all(Direction::write, access, memory, argument);
    if (o.error.code == Code::count && o.error.rank == 2 && o.bytes == 0) ++right;
    comm.barrier();
  });
  EXPECT_EQ(right, 4);
  EXPECT_EQ(file.content(), background(100));
}

/// Interleaved blocks without holes: an agent writes its domain in one request a round, and
/// nothing is read.
TEST(Engine, TwoPhaseWritesCoveredDomainsWithoutReading) {
  TemporaryFile file;
  const std::vector<int> node_of = {0, 0, 0, 0};
  std::atomic<i64> requests = 0;
  std::atomic<i64> bytes = 0;
  test::run_ranks(node_of, [&](comm::Comm& comm) {
    Options options;
    std::string why;
    set_hint(options, "resonio_strategy", "two-phase", &why);
    set_hint(options, "cb_nodes", "2", &why);
    set_hint(options, "cb_buffer_size", "65536", &why);
    File f(comm, storage::open_posix(file.path(), {.read = true, .write = true}).file, "f",
           options);
    Bytes buffer(64 * 1024);
    const Access access =
        Access::whole(Pattern::loop(1024, 256, Pattern::run(comm.rank() * 64, 64)));
    const Memory memory{buffer.data(), Access::whole(Pattern::run(0, 64 * 1024))};
    ASSERT_TRUE(f.transfer_all(Direction::write, access, memory, {}).error.ok());
    const Phase& phase = f.statistics().phases[3];
    requests += phase.io_requests;
    bytes += phase.io_bytes;
    EXPECT_EQ(phase.rounds, 2);
    comm.barrier();
  });
  EXPECT_EQ(requests, 4);  // 256 KiB, two agents, 64 KiB a round
  EXPECT_EQ(bytes, 256 * 1024);
}

/// Several files of one process at once, each with its own comm.
TEST(Engine, TwoFilesAtOnce) {
  TemporaryFile first;
  TemporaryFile second;
  std::vector<std::jthread> jobs;
  for (TemporaryFile* file : {&first, &second})
    jobs.emplace_back([file] {
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Random random(seed + 77);
        Setting setting = random_setting(random, "two-phase", 4);
        check_write(random, setting);
      }
    });
}

}  // namespace
}  // namespace resonio::engine
