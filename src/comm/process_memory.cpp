#include "comm/process_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace resonio::comm {
namespace {

class MappedMemory final : public SharedMemory {
 public:
  MappedMemory(void* base, i64 bytes) : base_(base), bytes_(bytes) {}
  ~MappedMemory() override { munmap(base_, static_cast<std::size_t>(bytes_)); }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  [[nodiscard]] std::byte* base() const override { return static_cast<std::byte*>(base_); }
  [[nodiscard]] i64 size() const override { return bytes_; }

 private:
  void* base_;
  i64 bytes_;
};

std::string failed(std::string_view doing) {
  return fmt::format("{}: {}", doing, std::strerror(errno));
}

std::shared_ptr<SharedMemory> map(int fd, i64 bytes, std::string& why) {
  void* base =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) {
    why = failed("mmap");
    return nullptr;
  }
  return std::make_shared<MappedMemory>(base, bytes);
}

/// "/resonio-" and 32 random digits: a name for shm_open, and without the slash for memfd.
bool choose_name(Shareable& description, std::string& why) {
  std::array<std::uint64_t, 2> random{};
  if (getrandom(random.data(), sizeof random, 0) != sizeof random) {
    why = failed("getrandom");
    return false;
  }
  const auto end = fmt::format_to_n(description.name, sizeof description.name - 1,
                                    "/resonio-{:016x}{:016x}", random[0], random[1]);
  *end.out = '\0';
  return true;
}

int make_file(const Shareable& description, std::string& why) {
  const bool memfd = description.method == SharingMethod::memfd;
  const int fd = memfd ? memfd_create(description.name + 1, MFD_CLOEXEC)
                       : shm_open(description.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) why = failed(memfd ? "memfd_create" : "shm_open");
  return fd;
}

bool make_room(int fd, const Shareable& description, std::string& why) {
  if (ftruncate(fd, description.bytes) != 0) {
    why = failed(fmt::format("size of {} bytes", description.bytes));
    return false;
  }
  // /dev/shm may be small (containers: 64 MiB), and a page that is missing there at first use
  // is a SIGBUS: claim them now. A memfd is limited only by the machine's memory.
  if (description.method == SharingMethod::posix) {
    errno = posix_fallocate(fd, 0, description.bytes);
    if (errno != 0) {
      why = failed(fmt::format("{} bytes in /dev/shm", description.bytes));
      return false;
    }
  }
  return true;
}

/// Opens the creator's descriptor. In another PID namespace the number may be some other
/// process, and its descriptor anything: look at its name before opening it.
int open_descriptor(const Shareable& offered, std::string& why) {
  const auto path = fmt::format("/proc/{}/fd/{}", offered.pid, offered.fd);
  std::array<char, 128> target{};
  if (readlink(path.c_str(), target.data(), target.size() - 1) < 0) {
    why = failed(path);
    return -1;
  }
  if (std::strstr(target.data(), offered.name + 1) == nullptr) {
    why = fmt::format("{} is {}, not the block offered", path, target.data());
    return -1;
  }
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) why = failed(path);
  return fd;
}

}  // namespace

OfferedMemory OfferedMemory::create(SharingMethod method, i64 bytes, std::string& why) {
  OfferedMemory result;
  Shareable& description = result.description_;
  description.bytes = std::max<i64>(bytes, 1);
  if (!choose_name(description, why)) return result;
  description.method = method;
  description.pid = getpid();
  description.fd = make_file(description, why);
  if (description.fd >= 0 && make_room(description.fd, description, why))
    result.memory_ = map(description.fd, description.bytes, why);
  return result;
}

OfferedMemory::OfferedMemory(OfferedMemory&& other) noexcept
    : description_(std::exchange(other.description_, {})), memory_(std::move(other.memory_)) {}

/// Withdraws the offer. Those who have opened it keep it.
OfferedMemory::~OfferedMemory() {
  if (description_.fd < 0) return;
  close(description_.fd);
  if (description_.method == SharingMethod::posix) shm_unlink(description_.name);
}

std::shared_ptr<SharedMemory> open_offered(const Shareable& offered, std::string& why) {
  int fd = -1;
  if (offered.method == SharingMethod::memfd) {
    fd = open_descriptor(offered, why);
  } else {
    fd = shm_open(offered.name, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0) why = failed("shm_open");
  }
  if (fd < 0) return nullptr;
  auto memory = map(fd, offered.bytes, why);
  close(fd);
  return memory;
}

}  // namespace resonio::comm
