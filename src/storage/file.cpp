// Patterns handed to a storage that takes only lists of extents.
#include "storage/file.hpp"

#include <algorithm>

namespace resonio::storage {
namespace {

/// An access run by run, each taken in parts of any size.
class Runs {
 public:
  explicit Runs(const pattern::Access& access)
      : cursor_(access.pattern, access.begin, access.end) {}

  /// Bytes left in the current run; 0 at the end of the access.
  [[nodiscard]] i64 left() {
    if (taken_ < piece_.length) return piece_.length - taken_;
    taken_ = 0;
    if (++run_ >= piece_.count) {
      run_ = 0;
      if (!cursor_.next(piece_)) piece_ = {};
    }
    return piece_.length;
  }
  /// Offset of the next byte, of which `bytes` are taken. After left() only.
  [[nodiscard]] i64 take(i64 bytes) {
    const i64 offset = piece_.offset + run_ * piece_.stride + taken_;
    taken_ += bytes;
    return offset;
  }

 private:
  pattern::Cursor cursor_;
  pattern::Piece piece_;
  i64 run_ = 0;
  i64 taken_ = 0;
};

}  // namespace

Outcome File::transfer_pattern(Direction direction, const pattern::Access& access, std::byte* base,
                               const pattern::Access& memory, i64 segments) {
  Runs in_file(access);
  Runs in_memory(memory);
  const auto most = static_cast<std::size_t>(std::max<i64>(segments, 1));
  std::vector<Extent> list;
  Outcome total;
  for (bool more = true; more && total.error.ok();) {
    const i64 length = std::min(in_file.left(), in_memory.left());
    more = length > 0;
    if (more) {
      const i64 offset = in_file.take(length);
      list.push_back({offset, length, base + in_memory.take(length)});
    }
    if (list.empty() || (more && list.size() < most)) continue;
    const Outcome part = transfer(direction, list);
    total.bytes += part.bytes;
    total.error = part.error;
    list.clear();
  }
  return total;
}

}  // namespace resonio::storage
