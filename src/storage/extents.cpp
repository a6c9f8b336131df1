#include "storage/extents.hpp"

#include <algorithm>

namespace resonio::storage {

ExtentWalk::ExtentWalk(const pattern::Access& file, i64 lo, i64 hi, std::byte* base,
                       const pattern::Access& memory)
    : memory_(memory), base_(base), file_cursor_(file, lo, hi) {}

/// Makes file_'s first run a run with bytes left.
bool ExtentWalk::next_run() {
  if (file_.count > 0 && file_done_ < file_.length) return true;
  file_done_ = 0;
  if (file_.count > 1) {
    --file_.count;
    file_.offset += file_.stride;
    file_.data += file_.length;
    return true;
  }
  return file_cursor_.next(file_);
}

/// Makes memory_piece_'s first run stand at memory_position_, with bytes left.
bool ExtentWalk::next_memory() {
  const i64 position = file_.data + file_done_;
  if (position != memory_position_) {  // first, or a jump in the data order
    memory_cursor_ = pattern::Cursor(memory_.pattern, memory_.begin + position, memory_.end);
    memory_position_ = position;
    memory_piece_ = {};
    memory_done_ = 0;
  }
  if (memory_piece_.count > 0 && memory_done_ < memory_piece_.length) return true;
  memory_done_ = 0;
  if (memory_piece_.count > 1) {
    --memory_piece_.count;
    memory_piece_.offset += memory_piece_.stride;
    return true;
  }
  return memory_cursor_.next(memory_piece_);
}

bool ExtentWalk::next(Extent& extent) {
  if (!next_run() || !next_memory()) return false;
  const i64 length = std::min(file_.length - file_done_, memory_piece_.length - memory_done_);
  extent = {file_.offset + file_done_, length, base_ + memory_piece_.offset + memory_done_};
  file_done_ += length;
  memory_done_ += length;
  memory_position_ += length;
  return true;
}

Outcome File::transfer_pattern(Direction direction, const pattern::Access& access, std::byte* base,
                               const pattern::Access& memory, i64 segments) {
  const i64 hi = access.pattern.upper();
  ExtentWalk walk(access, access.pattern.lower(), hi, base, memory);
  Outcome total;
  std::vector<Extent> list;
  Extent extent;
  for (bool more = true; more;) {
    list.clear();
    while (static_cast<i64>(list.size()) < segments && (more = walk.next(extent)))
      list.push_back(extent);
    if (list.empty()) break;
    i64 wanted = 0;
    for (const Extent& e : list) wanted += e.length;
    const Outcome part = transfer(direction, list);
    total.bytes += part.bytes;
    total.error = part.error;
    if (!part.error.ok() || part.bytes < wanted) break;
  }
  return total;
}

}  // namespace resonio::storage
