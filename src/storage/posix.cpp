// Files of the operating system.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/log.hpp"
#include "storage/file.hpp"
#include "storage/transfer.hpp"

namespace resonio::storage {
namespace {

/// Repeats a system call that signals interrupt. The errno of a failure, or 0.
template <class Call>
int errno_of(Call call) {
  while (call() < 0)
    if (errno != EINTR) return errno;
  return 0;
}

template <class... A>
Error result(int sys, fmt::format_string<A...> doing, A&&... a) {
  if (sys == 0) return {};
  return errno_error(sys, fmt::format(doing, std::forward<A>(a)...));
}

bool says_unsupported(int sys) { return sys == EOPNOTSUPP || sys == ENOSYS || sys == ENOLCK; }

class PosixFile final : public File {
 public:
  PosixFile(int fd, bool readable) : fd_(fd), readable_(readable) {}
  ~PosixFile() override { PosixFile::close(); }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  Outcome transfer(Direction direction, std::span<const Extent> extents) override {
    return transfer_extents(system_calls, fd_, direction, extents, requests_);
  }
  [[nodiscard]] bool readable() const override { return readable_; }
  Outcome size() override;
  Error truncate(i64 size) override;
  Error preallocate(i64 size) override;
  Error sync() override;
  Error lock(i64 offset, i64 length, bool exclusive) override;
  Error unlock(i64 offset, i64 length) override;
  [[nodiscard]] i64 requests() const override { return requests_.load(std::memory_order_relaxed); }
  Error close() override;

 private:
  int set_lock(short type, i64 offset, i64 length);

  int fd_;
  bool readable_;
  std::atomic<i64> requests_{0};
};

Outcome PosixFile::size() {
  struct stat status {};
  const int sys = errno_of([&] { return fstat(fd_, &status); });
  return {result(sys, "size of the file"), sys == 0 ? status.st_size : 0};
}

Error PosixFile::truncate(i64 size) {
  return result(errno_of([&] { return ftruncate(fd_, size); }), "setting the size to {} bytes",
                size);
}

// Where the file system cannot allocate ahead (NFS 3, some FUSE), the size at least is as
// promised. Nothing is written: zeros would race with the data of other processes.
Error PosixFile::preallocate(i64 size) {
  if (size == 0) return {};
  const int sys = errno_of([&] { return fallocate(fd_, 0, 0, size); });
  if (!says_unsupported(sys)) return result(sys, "allocation of {} bytes", size);
  log::info("preallocate: the file system cannot allocate ahead; only the size is set");
  const Outcome now = this->size();
  if (!now.error.ok() || now.bytes >= size) return now.error;
  return truncate(size);
}

// The size and what else is needed to read the data back; times can wait.
Error PosixFile::sync() {
  return result(errno_of([&] { return fdatasync(fd_); }), "sync");
}

// Locks of the open file description: two opens in one process exclude each other, and
// another close in the process does not drop them (as it does the older kind).
int PosixFile::set_lock(short type, i64 offset, i64 length) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = length;
  return errno_of([&] { return fcntl(fd_, F_OFD_SETLKW, &lock); });
}

Error PosixFile::lock(i64 offset, i64 length, bool exclusive) {
  const int sys = set_lock(exclusive ? F_WRLCK : F_RDLCK, offset, length);
  if (sys == 0) return {};
  const auto doing = fmt::format("lock of {} bytes at offset {}", length, offset);
  if (!says_unsupported(sys) && sys != EINVAL) return errno_error(sys, doing);
  return make_error(Code::unsupported_operation,
                    doing +
                        ": this file system has no locks (Lustre: mount with -o flock; or "
                        "hint romio_ds_write=disable, and no atomic mode)",
                    sys);
}

Error PosixFile::unlock(i64 offset, i64 length) {
  return result(set_lock(F_UNLCK, offset, length), "unlock of {} bytes at offset {}", length,
                offset);
}

Error PosixFile::close() {
  if (fd_ < 0) return {};
  const int fd = fd_;
  fd_ = -1;
  // Not repeated after EINTR: Linux has released the descriptor by then.
  const int sys = ::close(fd) < 0 && errno != EINTR ? errno : 0;
  return result(sys, "close");
}

int open_flags(OpenMode mode) {
  int flags = O_CLOEXEC;
  flags |= mode.read && mode.write ? O_RDWR : mode.write ? O_WRONLY : O_RDONLY;
  if (mode.create) flags |= O_CREAT;
  if (mode.create && mode.exclusive) flags |= O_EXCL;
  return flags;
}

}  // namespace

Opened open_posix(const std::string& path, OpenMode mode) {
  int fd = -1;
  const int sys = errno_of([&] {
    return fd = ::open(path.c_str(), open_flags(mode), static_cast<mode_t>(mode.permissions));
  });
  if (sys != 0) return {result(sys, "open"), nullptr};
  auto file = std::make_unique<PosixFile>(fd, mode.read);
  // A directory opens for reading, and fails only later.
  struct stat status {};
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) return {result(EISDIR, "open"), nullptr};
  return {{}, std::move(file)};
}

Error remove_posix(const std::string& path) {
  return result(errno_of([&] { return ::unlink(path.c_str()); }), "removal");
}

}  // namespace resonio::storage
