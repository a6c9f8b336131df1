#include "storage/faulty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace resonio::storage {
namespace {

class FaultyFile final : public File {
 public:
  FaultyFile(std::unique_ptr<File> file, std::shared_ptr<Faults> faults)
      : file_(std::move(file)), faults_(std::move(faults)) {}

  Outcome transfer(Direction direction, std::span<const Extent> extents) override;
  [[nodiscard]] bool readable() const override { return file_->readable(); }
  Outcome size() override { return file_->size(); }
  Error truncate(i64 size) override { return limited(size, &File::truncate); }
  Error preallocate(i64 size) override { return limited(size, &File::preallocate); }
  Error sync() override { return faults_->fail_sync ? failure("sync") : file_->sync(); }
  Error lock(i64 offset, i64 length, bool exclusive) override {
    if (faults_->fail_lock) return failure("lock");
    return file_->lock(offset, length, exclusive);
  }
  Error unlock(i64 offset, i64 length) override { return file_->unlock(offset, length); }
  [[nodiscard]] i64 requests() const override { return file_->requests(); }
  Error close() override { return file_->close(); }

 private:
  [[nodiscard]] Error failure(std::string_view doing) const {
    return errno_error(faults_->sys, fmt::format("{} (injected)", doing));
  }
  Error limited(i64 size, Error (File::*set)(i64)) {
    const i64 space = faults_->space;
    if (space >= 0 && size > space) return errno_error(ENOSPC, "setting the size (injected)");
    return (file_.get()->*set)(size);
  }
  Outcome write_until_full(std::span<const Extent> extents, i64 space);

  std::unique_ptr<File> file_;
  std::shared_ptr<Faults> faults_;
};

Outcome FaultyFile::transfer(Direction direction, std::span<const Extent> extents) {
  const i64 number = faults_->transfers.fetch_add(1);
  if (number == faults_->fail_transfer_at)
    return {failure(direction == Direction::read ? "read" : "write"), 0};
  const i64 space = faults_->space;
  if (direction == Direction::write && space >= 0) return write_until_full(extents, space);
  return file_->transfer(direction, extents);
}

/// As a full disk does: everything before the first byte beyond `space` is written.
Outcome FaultyFile::write_until_full(std::span<const Extent> extents, i64 space) {
  const auto beyond = std::find_if(extents.begin(), extents.end(), [&](const Extent& e) {
    return e.length > 0 && e.offset + e.length > space;
  });
  if (beyond == extents.end()) return file_->transfer(Direction::write, extents);
  Outcome outcome = file_->transfer(
      Direction::write, extents.first(static_cast<std::size_t>(beyond - extents.begin())));
  if (!outcome.error.ok()) return outcome;
  Extent fitting = *beyond;
  fitting.length = std::max<i64>(space - beyond->offset, 0);
  const Outcome last = file_->transfer(Direction::write, {&fitting, 1});
  outcome.bytes += last.bytes;
  outcome.error = last.error;
  if (outcome.error.ok())
    outcome.error = errno_error(ENOSPC, fmt::format("write of {} bytes at offset {} (injected)",
                                                    beyond->length, beyond->offset));
  return outcome;
}

}  // namespace

std::unique_ptr<File> faulty(std::unique_ptr<File> file, std::shared_ptr<Faults> faults) {
  return std::make_unique<FaultyFile>(std::move(file), std::move(faults));
}

}  // namespace resonio::storage
