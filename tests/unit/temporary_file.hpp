// What tests of storage share: a file that goes away, text in and out, work in a child.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/file.hpp"

namespace resonio::test {

using Bytes = std::vector<std::byte>;

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

inline std::unique_ptr<storage::File> opened(const std::string& path,
                                             storage::OpenMode mode = read_write) {
  auto result = storage::open_posix(path, mode);
  if (result.file == nullptr) throw std::runtime_error(result.error.text);
  return std::move(result.file);
}

inline Outcome write_text(storage::File& file, std::int64_t offset, const char* text) {
  Bytes bytes(std::strlen(text));
  std::memcpy(bytes.data(), text, bytes.size());
  const storage::Extent extent{offset, static_cast<std::int64_t>(bytes.size()), bytes.data()};
  return file.transfer(storage::Direction::write, {&extent, 1});
}

inline std::string read_text(storage::File& file, std::int64_t offset, std::int64_t length) {
  std::string text(static_cast<std::size_t>(length), '?');
  const storage::Extent extent{offset, length, reinterpret_cast<std::byte*>(text.data())};
  const Outcome outcome = file.transfer(storage::Direction::read, {&extent, 1});
  EXPECT_TRUE(outcome.error.ok()) << outcome.error.text;
  text.resize(static_cast<std::size_t>(outcome.bytes));
  return text;
}

/// Runs work in a child process, where limits may be set; its exit code.
inline int exit_code_of(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace resonio::test
