// Storage against the oracle of a plain array: whatever the system does to the calls, the
// bytes of the file and of memory are those of the extents.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <rapidcheck/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>

#include "comm/wait.hpp"
#include "storage/faulty.hpp"
#include "storage/file.hpp"
#include "storage/io_threads.hpp"
#include "storage/transfer.hpp"

namespace resonio::test {
namespace {

using storage::Direction;
using storage::Extent;
using storage::File;
using storage::i64;
using Bytes = std::vector<std::byte>;
using Random = std::mt19937;

i64 below(Random& random, i64 limit) {
  return std::uniform_int_distribution<i64>(0, limit - 1)(random);
}

Bytes random_content(Random& random, i64 size) {
  Bytes result(static_cast<std::size_t>(size));
  for (auto& byte : result) byte = static_cast<std::byte>(random());
  return result;
}

/// A directory of the test's own, gone afterwards.
class TemporaryFile {
 public:
  TemporaryFile() {
    if (mkdtemp(directory_) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = std::string(directory_) + "/file";
  }
  ~TemporaryFile() {
    unlink(path_.c_str());
    rmdir(directory_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string directory() const { return directory_; }

  void fill(const Bytes& content) const {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
  }
  [[nodiscard]] Bytes content() const {
    std::ifstream in(path_, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
  }

 private:
  char directory_[32] = "/tmp/resonio-test-XXXXXX";
  std::string path_;
};

constexpr storage::OpenMode read_only{};
constexpr storage::OpenMode read_write{.write = true, .create = true};
constexpr storage::OpenMode write_only{.read = false, .write = true, .create = true};

std::unique_ptr<File> opened(const std::string& path, storage::OpenMode mode = read_write) {
  auto result = storage::open_posix(path, mode);
  if (result.file == nullptr) throw std::runtime_error(result.error.text);
  return std::move(result.file);
}

Outcome write_text(File& file, i64 offset, const char* text) {
  Bytes bytes(std::strlen(text));
  std::memcpy(bytes.data(), text, bytes.size());
  const Extent extent{offset, static_cast<i64>(bytes.size()), bytes.data()};
  return file.transfer(Direction::write, {&extent, 1});
}

std::string read_text(File& file, i64 offset, i64 length) {
  std::string text(static_cast<std::size_t>(length), '?');
  const Extent extent{offset, length, reinterpret_cast<std::byte*>(text.data())};
  const Outcome outcome = file.transfer(Direction::read, {&extent, 1});
  EXPECT_TRUE(outcome.error.ok()) << outcome.error.text;
  text.resize(static_cast<std::size_t>(outcome.bytes));
  return text;
}

// ---- transfers of random extents

/// Extents in any order, many contiguous with the one before, some empty; memory in pieces
/// that do not touch.
struct Transfer {
  std::vector<Extent> extents;
  Bytes memory;
};

Transfer random_transfer(Random& random, i64 file_limit) {
  Transfer result;
  const i64 count = below(random, 8) == 0 ? below(random, 3000) : below(random, 40);
  const i64 longest = 1 + below(random, 200);
  i64 end = 0;
  i64 memory = 0;
  for (i64 i = 0; i < count; ++i) {
    const i64 length = below(random, longest);
    const i64 offset = below(random, 3) == 0 ? below(random, file_limit) : end;
    result.extents.push_back({offset, length, nullptr});
    end = offset + length;
    memory += length + 3;
  }
  result.memory = random_content(random, memory);
  std::byte* next = result.memory.data();
  for (auto& extent : result.extents) {
    extent.memory = next;
    next += extent.length + 3;
  }
  return result;
}

/// What a write makes of a file's content.
void apply_write(const std::vector<Extent>& extents, Bytes& content) {
  for (const Extent& e : extents) {
    if (e.length == 0) continue;
    const auto end = static_cast<std::size_t>(e.offset + e.length);
    if (content.size() < end) content.resize(end);
    std::memcpy(content.data() + e.offset, e.memory, static_cast<std::size_t>(e.length));
  }
}

/// What a read makes of memory (`copy` holds the same bytes as the extents' memory, at
/// `base`). Returns the bytes read.
i64 apply_read(const Transfer& transfer, const Bytes& content, Bytes& copy) {
  i64 bytes = 0;
  for (const Extent& e : transfer.extents) {
    const i64 there = std::clamp<i64>(static_cast<i64>(content.size()) - e.offset, 0, e.length);
    if (there > 0)
      std::memcpy(copy.data() + (e.memory - transfer.memory.data()), content.data() + e.offset,
                  static_cast<std::size_t>(there));
    bytes += there;
  }
  return bytes;
}

i64 total_bytes(const std::vector<Extent>& extents) {
  i64 bytes = 0;
  for (const Extent& e : extents) bytes += e.length;
  return bytes;
}

using Issue = std::function<Outcome(Direction, std::span<const Extent>)>;

void check_random_transfers(Random& random, const TemporaryFile& file, const Issue& issue) {
  Bytes content = random_content(random, below(random, 5000));
  file.fill(content);
  for (int i = 0; i < 6; ++i) {
    Transfer transfer = random_transfer(random, 6000);
    if (below(random, 2) == 0) {
      const Outcome outcome = issue(Direction::write, transfer.extents);
      RC_ASSERT(outcome.error.ok());
      RC_ASSERT(outcome.bytes == total_bytes(transfer.extents));
      apply_write(transfer.extents, content);
      RC_ASSERT(file.content() == content);
    } else {
      Bytes expected = transfer.memory;
      const i64 bytes = apply_read(transfer, content, expected);
      const Outcome outcome = issue(Direction::read, transfer.extents);
      RC_ASSERT(outcome.error.ok());
      RC_ASSERT(outcome.bytes == bytes);
      RC_ASSERT(transfer.memory == expected);
    }
  }
}

RC_GTEST_PROP(Posix, MovesWhatTheExtentsSay, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const TemporaryFile file;
  file.fill({});
  const auto posix = opened(file.path());
  check_random_transfers(random, file, [&](Direction direction, std::span<const Extent> extents) {
    return posix->transfer(direction, extents);
  });
}

/// The system's calls, but now and then interrupted or cut short.
namespace unreliable {
Random random;

bool interrupted() {
  if (below(random, 4) != 0) return false;
  errno = EINTR;
  return true;
}
std::size_t shortened(std::size_t length) {
  return below(random, 2) == 0
             ? length
             : 1 + static_cast<std::size_t>(below(random, static_cast<i64>(length)));
}
ssize_t one_read(int fd, void* to, std::size_t length, off_t offset) {
  return interrupted() ? -1 : ::pread(fd, to, shortened(length), offset);
}
ssize_t one_write(int fd, const void* from, std::size_t length, off_t offset) {
  return interrupted() ? -1 : ::pwrite(fd, from, shortened(length), offset);
}
/// A random beginning of the vector, cut in the middle of an entry.
template <class Call>
ssize_t part_of(const iovec* vector, int count, Call call) {
  if (interrupted()) return -1;
  std::vector<iovec> part(vector, vector + 1 + below(random, count));
  part.back().iov_len = shortened(part.back().iov_len);
  return call(part.data(), static_cast<int>(part.size()));
}
ssize_t vector_read(int fd, const iovec* vector, int count, off_t offset) {
  return part_of(vector, count, [&](const iovec* v, int n) { return ::preadv(fd, v, n, offset); });
}
ssize_t vector_write(int fd, const iovec* vector, int count, off_t offset) {
  return part_of(vector, count, [&](const iovec* v, int n) { return ::pwritev(fd, v, n, offset); });
}
constexpr storage::TransferCalls calls{one_read, one_write, vector_read, vector_write};
}  // namespace unreliable

RC_GTEST_PROP(Posix, ContinuesInterruptedAndShortCalls, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  unreliable::random.seed(static_cast<unsigned>(random()));
  const TemporaryFile file;
  file.fill({});
  const int fd = open(file.path().c_str(), O_RDWR);
  std::atomic<i64> requests{0};
  check_random_transfers(random, file, [&](Direction direction, std::span<const Extent> extents) {
    return transfer_extents(unreliable::calls, fd, direction, extents, requests);
  });
  close(fd);
}

// ---- requests

TEST(Posix, NeighboursInTheFileAreOneRequest) {
  const TemporaryFile file;
  const auto posix = opened(file.path());
  Bytes memory(100);
  const Extent one{0, 50, memory.data()};
  posix->transfer(Direction::write, {&one, 1});
  EXPECT_EQ(posix->requests(), 1);
  std::byte* m = memory.data();
  const Extent touching[] = {{10, 5, m + 40}, {15, 0, nullptr}, {15, 5, m}, {20, 7, m + 60}};
  posix->transfer(Direction::write, touching);
  EXPECT_EQ(posix->requests(), 2);
  posix->transfer(Direction::read, touching);
  EXPECT_EQ(posix->requests(), 3);
  const Extent apart[] = {{10, 5, m}, {16, 5, m + 5}, {11, 5, m + 10}};
  posix->transfer(Direction::write, apart);
  EXPECT_EQ(posix->requests(), 6);
  posix->transfer(Direction::write, {});
  EXPECT_EQ(posix->requests(), 6);
}

TEST(Posix, MoreNeighboursThanTheSystemTakesAreSplit) {
  const TemporaryFile file;
  const auto posix = opened(file.path());
  constexpr i64 count = 2 * IOV_MAX + 1;
  Bytes memory(2 * count);
  std::vector<Extent> extents;
  for (i64 i = 0; i < count; ++i) {
    memory[static_cast<std::size_t>(2 * i)] = static_cast<std::byte>(i);
    extents.push_back({i, 1, memory.data() + 2 * i});
  }
  EXPECT_EQ(posix->transfer(Direction::write, extents).bytes, count);
  EXPECT_EQ(posix->requests(), 3);
  const Bytes content = file.content();
  ASSERT_EQ(content.size(), static_cast<std::size_t>(count));
  for (i64 i = 0; i < count; ++i)
    ASSERT_EQ(content[static_cast<std::size_t>(i)], static_cast<std::byte>(i));
}

// ---- the end of the file, limits, errors

TEST(Posix, ReadStopsAtTheEndOfTheFile) {
  const TemporaryFile file;
  const auto posix = opened(file.path());
  write_text(*posix, 0, "0123456789");
  EXPECT_EQ(read_text(*posix, 7, 10), "789");
  EXPECT_EQ(read_text(*posix, 10, 10), "");
  EXPECT_EQ(read_text(*posix, 1000, 10), "");
  std::string memory(12, '?');
  auto* m = reinterpret_cast<std::byte*>(memory.data());
  // Beyond the end, across it, and back inside.
  const Extent extents[] = {{20, 4, m}, {8, 2, m + 4}, {10, 2, m + 6}, {0, 4, m + 8}};
  const Outcome outcome = posix->transfer(Direction::read, extents);
  EXPECT_TRUE(outcome.error.ok());
  EXPECT_EQ(outcome.bytes, 6);
  EXPECT_EQ(memory, "????89??0123");
}

TEST(Posix, OffsetsBeyond4GiB) {
  const TemporaryFile file;
  const auto posix = opened(file.path());
  const i64 far = (i64{5} << 30) + 3;
  ASSERT_TRUE(write_text(*posix, far, "far").error.ok());
  EXPECT_EQ(posix->size().bytes, far + 3);
  EXPECT_EQ(read_text(*posix, far - 1, 10), std::string("\0far", 4));
}

TEST(Posix, AFailureSaysWhatAndWhereAndCountsWhatWentBefore) {
  const TemporaryFile file;
  file.fill(Bytes(10));
  const auto posix = opened(file.path(), read_only);
  const Outcome outcome = write_text(*posix, 4, "abc");
  EXPECT_EQ(outcome.bytes, 0);
  EXPECT_EQ(outcome.error.sys, EBADF);
  EXPECT_NE(std::strstr(outcome.error.text, "write of 3 bytes at offset 4"), nullptr);
  EXPECT_EQ(posix->requests(), 0);
}

/// Runs work in a child process, where limits may be set; its exit code.
int exit_code_of(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Posix, AWriteCutShortByALimitFailsAfterWhatFits) {
  const TemporaryFile file;
  const int code = exit_code_of([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{6000, 6000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    const auto posix = opened(file.path());
    Bytes memory(9000, std::byte{7});
    const Extent extents[] = {{0, 4000, memory.data()}, {4000, 5000, memory.data() + 4000}};
    const Outcome outcome = posix->transfer(Direction::write, extents);
    if (outcome.bytes != 6000) return 2;
    return outcome.error.sys == EFBIG && outcome.error.code == Code::io ? 0 : 3;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(file.content(), Bytes(6000, std::byte{7}));
}

TEST(Posix, AFullDeviceIsNoSpace) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const auto full = opened("/dev/full", {.read = false, .write = true});
  const Outcome outcome = write_text(*full, 0, "abc");
  EXPECT_EQ(outcome.error.code, Code::no_space);
  EXPECT_EQ(outcome.bytes, 0);
}

constexpr int cannot_mount = 77;

/// Runs work in a child that sees a file system of its own mounted on `directory`.
int exit_code_on(const char* type, const char* options, const std::string& directory,
                 const std::function<int()>& work) {
  return exit_code_of([&] {
    const bool mounted = unshare(CLONE_NEWNS) == 0 &&
                         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount(type, directory.c_str(), type, 0, options) == 0;
    return mounted ? work() : cannot_mount;
  });
}

TEST(Posix, AFullFileSystemTakesWhatFits) {
  const TemporaryFile file;
  const int code = exit_code_on("tmpfs", "size=64k", file.directory(), [&] {
    const auto posix = opened(file.path());
    Bytes memory(100'000, std::byte{7});
    const Extent extents[] = {{0, 60'000, memory.data()}, {60'000, 40'000, memory.data()}};
    const Outcome outcome = posix->transfer(Direction::write, extents);
    if (outcome.error.code != Code::no_space) return 1;
    if (outcome.bytes != 65'536 || posix->size().bytes != 65'536) return 2;
    return posix->preallocate(100'000).code == Code::no_space ? 0 : 3;
  });
  if (code == cannot_mount) GTEST_SKIP() << "may not mount a small tmpfs (not root)";
  EXPECT_EQ(code, 0);
}

TEST(Posix, PreallocateWhereTheFileSystemCannot) {
  const TemporaryFile file;
  const int code = exit_code_on("ramfs", "", file.directory(), [&] {
    const auto posix = opened(file.path());
    const int fd = open(file.path().c_str(), O_RDWR);
    if (fallocate(fd, 0, 0, 1) == 0) return cannot_mount;  // this one can
    write_text(*posix, 0, "0123456789");
    if (!posix->preallocate(5).ok() || posix->size().bytes != 10) return 1;
    if (!posix->preallocate(20).ok() || posix->size().bytes != 20) return 2;
    return read_text(*posix, 0, 11) == std::string("0123456789\0", 11) ? 0 : 3;
  });
  if (code == cannot_mount) GTEST_SKIP() << "no file system without fallocate (not root)";
  EXPECT_EQ(code, 0);
}

TEST(Posix, OpenErrors) {
  const TemporaryFile file;
  const auto code = [](const std::string& path, storage::OpenMode mode) {
    const auto result = storage::open_posix(path, mode);
    EXPECT_EQ(result.file == nullptr, !result.error.ok());
    return result.error.code;
  };
  EXPECT_EQ(code(file.path(), read_only), Code::no_such_file);
  EXPECT_EQ(code(file.path(), read_write), Code::ok);
  EXPECT_EQ(code(file.path(), {.write = true, .create = true, .exclusive = true}),
            Code::file_exists);
  EXPECT_EQ(code(file.directory(), read_only), Code::bad_file);
  EXPECT_EQ(code(file.directory(), read_write), Code::bad_file);
  EXPECT_EQ(code(file.path() + "/under", read_write), Code::bad_file);
  EXPECT_EQ(code(file.directory() + "/" + std::string(300, 'x'), read_write), Code::bad_file);
  ASSERT_EQ(chmod(file.path().c_str(), 0400), 0);
  if (geteuid() == 0) return;  // root may
  EXPECT_EQ(code(file.path(), read_write), Code::access);
}

TEST(Posix, CreatesWithThePermissionsAsked) {
  const TemporaryFile file;
  const mode_t before = umask(022);
  (void)opened(file.path(), {.write = true, .create = true, .permissions = 0660});
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(Posix, IsReadableUnlessWriteOnly) {
  const TemporaryFile file;
  EXPECT_FALSE(opened(file.path(), write_only)->readable());
  EXPECT_TRUE(opened(file.path(), read_write)->readable());
  EXPECT_TRUE(opened(file.path(), read_only)->readable());
}

TEST(Posix, Remove) {
  const TemporaryFile file;
  file.fill(Bytes(3));
  EXPECT_TRUE(storage::remove_posix(file.path()).ok());
  EXPECT_EQ(storage::remove_posix(file.path()).code, Code::no_such_file);
}

// ---- size, space, sync, close

TEST(Posix, SizeIsSetButPreallocateNeverShrinks) {
  const TemporaryFile file;
  const auto posix = opened(file.path());
  write_text(*posix, 0, "0123456789");
  EXPECT_TRUE(posix->truncate(4).ok());
  EXPECT_EQ(posix->size().bytes, 4);
  EXPECT_TRUE(posix->preallocate(2).ok());
  EXPECT_TRUE(posix->preallocate(0).ok());
  EXPECT_EQ(posix->size().bytes, 4);
  EXPECT_TRUE(posix->preallocate(100'000).ok());
  EXPECT_EQ(posix->size().bytes, 100'000);
  struct stat status {};
  ASSERT_EQ(stat(file.path().c_str(), &status), 0);
  EXPECT_GE(status.st_blocks * 512, 100'000);
  EXPECT_EQ(read_text(*posix, 0, 6), std::string("0123\0\0", 6));
  EXPECT_TRUE(posix->truncate(0).ok());
  EXPECT_EQ(posix->size().bytes, 0);
}

TEST(Posix, SyncAndCloseOnce) {
  const TemporaryFile file;
  const auto posix = opened(file.path());
  write_text(*posix, 0, "abc");
  EXPECT_TRUE(posix->sync().ok());
  EXPECT_TRUE(posix->close().ok());
  EXPECT_TRUE(posix->close().ok());
  EXPECT_EQ(posix->sync().sys, EBADF);
}

// ---- locks

TEST(Posix, LocksExcludeOtherOpensOfTheSameProcess) {
  const TemporaryFile file;
  const auto first = opened(file.path());
  ASSERT_TRUE(first->lock(100, 50, true).ok());
  std::atomic<bool> entered{false};
  std::thread other([&] {
    const auto second = opened(file.path());
    EXPECT_TRUE(second->lock(0, 100, true).ok());  // beside it: at once
    EXPECT_TRUE(second->lock(150, 0, true).ok());  // to the end
    EXPECT_TRUE(second->lock(149, 1, true).ok());  // waits
    entered = true;
    EXPECT_TRUE(second->unlock(0, 0).ok());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(entered);
  EXPECT_TRUE(first->unlock(100, 50).ok());
  other.join();
  EXPECT_TRUE(entered);
}

TEST(Posix, SharedLocksAdmitEachOther) {
  const TemporaryFile file;
  const auto first = opened(file.path());
  const auto second = opened(file.path());
  EXPECT_TRUE(first->lock(0, 10, false).ok());
  EXPECT_TRUE(second->lock(0, 10, false).ok());
}

TEST(Posix, ALockedCounterLosesNothing) {
  const TemporaryFile file;
  file.fill(Bytes(sizeof(int)));
  const auto add = [&] {
    const auto posix = opened(file.path());
    for (int i = 0; i < 200; ++i) {
      int counter = 0;
      const Extent extent{0, sizeof counter, reinterpret_cast<std::byte*>(&counter)};
      EXPECT_TRUE(posix->lock(0, sizeof counter, true).ok());
      posix->transfer(Direction::read, {&extent, 1});
      ++counter;
      posix->transfer(Direction::write, {&extent, 1});
      EXPECT_TRUE(posix->unlock(0, sizeof counter).ok());
    }
  };
  std::thread a(add);
  std::thread b(add);
  a.join();
  b.join();
  int counter = 0;
  std::memcpy(&counter, file.content().data(), sizeof counter);
  EXPECT_EQ(counter, 400);
}

// ---- several threads

TEST(Posix, ThreadsShareAFile) {
  const TemporaryFile file;
  const auto posix = opened(file.path());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Bytes memory(64, static_cast<std::byte>('a' + t));
      for (i64 i = t; i < 400; i += 4) {
        const Extent extent{i * 64, 64, memory.data()};
        posix->transfer(Direction::write, {&extent, 1});
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(posix->requests(), 400);
  const Bytes content = file.content();
  ASSERT_EQ(content.size(), 400U * 64);
  for (std::size_t i = 0; i < content.size(); ++i)
    ASSERT_EQ(content[i], static_cast<std::byte>('a' + i / 64 % 4));
}

// ---- faults

struct Faulty {
  TemporaryFile place;
  std::shared_ptr<storage::Faults> faults = std::make_shared<storage::Faults>();
  std::unique_ptr<File> file = storage::faulty(opened(place.path()), faults);
};

TEST(Faulty, FailsTheChosenTransferOnly) {
  const Faulty f;
  const auto other = storage::faulty(opened(f.place.path()), f.faults);  // counts along
  f.faults->fail_transfer_at = 2;
  f.faults->sys = EDQUOT;
  EXPECT_TRUE(write_text(*f.file, 0, "aa").error.ok());
  EXPECT_TRUE(write_text(*other, 2, "bb").error.ok());
  const Outcome failed = write_text(*f.file, 0, "xx");
  EXPECT_EQ(failed.error.code, Code::quota);
  EXPECT_EQ(failed.bytes, 0);
  EXPECT_EQ(read_text(*f.file, 0, 4), "aabb");
  EXPECT_EQ(f.faults->transfers, 4);
}

TEST(Faulty, AFullDiskTakesWhatFits) {
  const Faulty f;
  f.faults->space = 10;
  std::string text = "0123456789abcdef";
  auto* m = reinterpret_cast<std::byte*>(text.data());
  const Extent extents[] = {{0, 6, m}, {6, 6, m + 6}, {2, 1, m + 15}};
  const Outcome outcome = f.file->transfer(Direction::write, extents);
  EXPECT_EQ(outcome.error.code, Code::no_space);
  EXPECT_EQ(outcome.bytes, 10);
  EXPECT_EQ(read_text(*f.file, 0, 20), "0123456789");
  EXPECT_TRUE(write_text(*f.file, 8, "xy").error.ok());
  const Outcome beyond = write_text(*f.file, 50, "z");
  EXPECT_EQ(beyond.error.code, Code::no_space);
  EXPECT_EQ(beyond.bytes, 0);
  EXPECT_EQ(f.file->size().bytes, 10);
  EXPECT_EQ(f.file->preallocate(11).code, Code::no_space);
  EXPECT_EQ(f.file->truncate(11).code, Code::no_space);
  EXPECT_TRUE(f.file->truncate(10).ok());
}

TEST(Faulty, FailsLocksAndSyncOnDemandAndPassesTheRestOn) {
  const Faulty f;
  EXPECT_TRUE(f.file->lock(0, 1, true).ok());
  EXPECT_TRUE(f.file->unlock(0, 1).ok());
  EXPECT_TRUE(f.file->sync().ok());
  f.faults->fail_lock = true;
  f.faults->fail_sync = true;
  EXPECT_EQ(f.file->lock(0, 1, true).code, Code::io);
  EXPECT_EQ(f.file->sync().code, Code::io);
  EXPECT_TRUE(f.file->readable());
  EXPECT_FALSE(storage::faulty(opened(f.place.path(), write_only), f.faults)->readable());
  write_text(*f.file, 0, "abc");
  EXPECT_EQ(f.file->requests(), 1);
  EXPECT_TRUE(f.file->close().ok());
}

// ---- I/O threads

void wait_for_job(storage::Job& job) {
  while (job.finished.value() == 0) job.finished.sleep_while(0, 1000);
}

TEST(IoThreads, GiveTheOutcome) {
  std::vector<storage::JobPtr> jobs;
  for (i64 i = 0; i < 500; ++i) jobs.push_back(storage::submit([i] { return Outcome{{}, i}; }));
  for (i64 i = 0; i < 500; ++i) {
    auto& job = *jobs[static_cast<std::size_t>(i)];
    wait_for_job(job);
    EXPECT_EQ(job.outcome.bytes, i);
    EXPECT_TRUE(job.outcome.error.ok());
  }
}

TEST(IoThreads, ExceptionsBecomeErrors) {
  const auto job = storage::submit([]() -> Outcome { throw std::runtime_error("something"); });
  const auto odd = storage::submit([]() -> Outcome { throw 3; });
  wait_for_job(*job);
  wait_for_job(*odd);
  EXPECT_EQ(job->outcome.error.code, Code::other);
  EXPECT_NE(std::strstr(job->outcome.error.text, "something"), nullptr);
  EXPECT_EQ(odd->outcome.error.code, Code::other);
}

TEST(IoThreads, RunAsideAndTakeNoSignals) {
  const auto caller = std::this_thread::get_id();
  std::thread::id runner;
  sigset_t blocked;
  const auto job = storage::submit([&] {
    runner = std::this_thread::get_id();
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return Outcome{};
  });
  wait_for_job(*job);
  EXPECT_NE(runner, caller);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGPROF, SIGCHLD})
    EXPECT_EQ(sigismember(&blocked, number), 1) << number;
  sigset_t mine;
  pthread_sigmask(SIG_SETMASK, nullptr, &mine);
  EXPECT_EQ(sigismember(&mine, SIGUSR1), 0);
}

TEST(IoThreads, ReleaseWhatAJobHeldBeforeItIsFinished) {
  const auto held = std::make_shared<int>(1);
  const auto job = storage::submit([held] { return Outcome{}; });
  wait_for_job(*job);
  EXPECT_EQ(held.use_count(), 1);
}

#ifdef __SANITIZE_THREAD__
constexpr bool threads_after_fork = false;  // ThreadSanitizer ends the child
#else
constexpr bool threads_after_fork = true;
#endif

TEST(IoThreads, WorkInAForkedChild) {
  if (!threads_after_fork) GTEST_SKIP() << "ThreadSanitizer";
  wait_for_job(*storage::submit([] { return Outcome{}; }));  // the parent has threads
  EXPECT_EQ(exit_code_of([] {
              const auto job = storage::submit([] { return Outcome{{}, 7}; });
              wait_for_job(*job);
              return static_cast<int>(job->outcome.bytes);
            }),
            7);
}

TEST(IoThreads, DoNotKeepAProcessFromEnding) {
  if (!threads_after_fork) GTEST_SKIP() << "ThreadSanitizer";
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 4; ++i) {
      (void)storage::submit([] {
        pause();  // would last for ever
        return Outcome{};
      });
    }
    usleep(10'000);
    std::exit(5);  // the ordinary way, with destructors
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << status;
}

}  // namespace
}  // namespace resonio::test
