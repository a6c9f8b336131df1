// Jobs on I/O threads: outcomes, exceptions, signals, forks, the end of the process.
#include "storage/io_threads.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "temporary_file.hpp"

namespace resonio::test {
namespace {

using storage::i64;

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
