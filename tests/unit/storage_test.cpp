// Files of the operating system: requests, ends, limits, errors, locks; and injected faults.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <functional>
#include <thread>

#include "storage/faulty.hpp"
#include "storage/file.hpp"
#include "temporary_file.hpp"

namespace resonio::test {
namespace {

using storage::Direction;
using storage::Extent;
using storage::File;
using storage::i64;

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

}  // namespace
}  // namespace resonio::test
