// Memory and signals shared by processes, with forks.
#include "comm/process_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <string>

#include "comm/wait.hpp"
#include "temporary_file.hpp"

namespace resonio::test {
namespace {

using comm::i64;
using comm::SharedMemory;
using comm::Signal;

class ProcessMemory : public testing::TestWithParam<comm::SharingMethod> {
 protected:
  static comm::OfferedMemory offer(i64 bytes) {
    std::string why;
    auto offered = comm::OfferedMemory::create(GetParam(), bytes, why);
    EXPECT_NE(offered.memory(), nullptr) << why;
    return offered;
  }
};

TEST_P(ProcessMemory, IsTheSameInTwoProcessesAndZeroAtFirst) {
  const auto offered = offer(10'000);
  std::byte* const base = offered.memory()->base();
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(base[i], std::byte{0});
  base[0] = std::byte{1};
  EXPECT_EQ(0, exit_code_of([&] {
              std::string why;
              const auto opened = comm::open_offered(offered.description(), why);
              if (opened == nullptr || opened->base()[0] != std::byte{1}) return 1;
              opened->base()[9'999] = std::byte{2};
              return 0;
            }));
  EXPECT_EQ(base[9'999], std::byte{2});
}

TEST_P(ProcessMemory, SignalsWakeAcrossProcesses) {
  const auto offered = offer(sizeof(Signal));
  auto* signal = std::launder(reinterpret_cast<Signal*>(offered.memory()->base()));
  const pid_t child = fork();
  if (child == 0) {
    std::string why;
    const auto opened = comm::open_offered(offered.description(), why);
    if (opened == nullptr) _exit(1);
    auto* theirs = std::launder(reinterpret_cast<Signal*>(opened->base()));
    while (theirs->value() != 1) theirs->sleep_while(0, 2'000'000'000);
    theirs->set(2);
    _exit(0);
  }
  usleep(2000);
  signal->set(1);
  while (signal->value() != 2) signal->sleep_while(1, 2'000'000'000);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_P(ProcessMemory, CannotBeOpenedOnceWithdrawn) {
  comm::Shareable description;
  std::shared_ptr<SharedMemory> kept;
  {
    const auto offered = offer(100);
    description = offered.description();
    kept = offered.memory();
  }
  std::string why;
  EXPECT_EQ(comm::open_offered(description, why), nullptr);
  EXPECT_NE(why, "");
  kept->base()[99] = std::byte{1};  // still there
}

TEST_P(ProcessMemory, IsNotMistakenForAnotherBlock) {
  const auto offered = offer(100);
  auto wrong = offered.description();
  wrong.name[12] = wrong.name[12] == '0' ? '1' : '0';
  std::string why;
  EXPECT_EQ(comm::open_offered(wrong, why), nullptr);
  EXPECT_NE(why, "");
}

TEST_P(ProcessMemory, TooMuchIsRefused) {
  std::string why;
  const auto offered = comm::OfferedMemory::create(GetParam(), i64{1} << 60, why);
  EXPECT_EQ(offered.memory(), nullptr);
  EXPECT_NE(why, "");
}

INSTANTIATE_TEST_SUITE_P(Methods, ProcessMemory,
                         testing::Values(comm::SharingMethod::memfd, comm::SharingMethod::posix),
                         [](const auto& method) {
                           return method.param == comm::SharingMethod::memfd ? "memfd" : "posix";
                         });

}  // namespace
}  // namespace resonio::test
