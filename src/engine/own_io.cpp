// Executor of plans without an exchange: each rank moves its own bytes.
#include <algorithm>
#include <vector>

#include "base/log.hpp"
#include "engine/call.hpp"
#include "engine/copy.hpp"
#include "engine/rewrite.hpp"
#include "storage/extents.hpp"

namespace resonio::engine {
namespace {

using pattern::Segment;
using storage::Extent;

/// Adds a part to a total; true to go on (no error, not at the end of the file).
bool add(Outcome& total, const Outcome& part, i64 wanted) {
  total.bytes += part.bytes;
  total.error = part.error;
  return part.error.ok() && part.bytes == wanted;
}

/// Requests of at most `segments` runs of the file each, in data order.
Outcome in_lists(Call& call, Segment bounds, i64 segments) {
  storage::ExtentWalk walk(call.file, bounds.offset, bounds.end(), call.memory.base,
                           call.memory.access);
  std::vector<Extent> list;
  Outcome total;
  i64 runs = 0;
  i64 wanted = 0;
  const auto flush = [&] {
    const bool more = add(total, transfer_counted(call, call.direction, list), wanted);
    list.clear();
    runs = wanted = 0;
    return more;
  };
  for (Extent e; walk.next(e);) {
    const bool same_run = !list.empty() && list.back().offset + list.back().length == e.offset;
    if (!same_run && runs == segments && !flush()) return total;
    runs += same_run ? 0 : 1;
    wanted += e.length;
    list.push_back(e);
  }
  if (!list.empty()) flush();
  return total;
}

/// The same, for a write kept apart from ranks of this node that rewrite holes.
Outcome plain_lists(Call& call, Segment bounds, i64 segments) {
  const WriteGuard::Plain plain(call.guard, call.direction);
  return in_lists(call, bounds, segments);
}

Outcome by_pattern(Call& call) {
  const Timer timer(call.statistics.io_seconds);
  const WriteGuard::Plain plain(call.guard, call.direction);
  const i64 before = call.storage.requests();
  const Outcome outcome = call.storage.transfer_pattern(
      call.direction, call.file, call.memory.base, call.memory.access, call.options.list_segments);
  call.statistics.io_requests += call.storage.requests() - before;
  call.statistics.io_bytes += outcome.bytes;
  return outcome;
}

/// Reads one window and takes the wanted bytes out of it.
Outcome sieve_read(Call& call, Segment range, std::byte* buffer) {
  const Extent extent{range.offset, range.length, buffer};
  Outcome outcome = transfer_counted(call, Direction::read, {&extent, 1});
  outcome.bytes = copy_window(Direction::read, call.file, range.offset,
                              range.offset + outcome.bytes, buffer, call.memory);
  return outcome;
}

/// Reads one window, puts the new bytes in and writes it, alone and under a lock.
Outcome sieve_write(Call& call, Segment range, std::byte* buffer) {
  const Extent extent{range.offset, range.length, buffer};
  {
    const WriteGuard::Exclusive alone(call.guard);
    const Rewrite rewrite(call.storage, extent);
    if (rewrite.ok()) {
      const i64 bytes =
          copy_window(Direction::write, call.file, range.offset, range.end(), buffer, call.memory);
      call.statistics.io_bytes += range.length;
      const Outcome outcome = transfer_counted(call, Direction::write, {&extent, 1});
      return {outcome.error, outcome.error.ok() ? bytes : 0};
    }
    if (!rewrite.no_locks()) return {rewrite.error(), 0};
  }
  log::info(
      "no sieving at offset {}: the file system has no byte-range locks; the pieces are "
      "written one by one",
      range.offset);
  return plain_lists(call, range, call.options.list_segments);
}

/// Writes a window without holes. Locked all the same: ranks of other nodes may sieve here.
/// Guard before lock, as in sieve_write.
Outcome write_whole(Call& call, Segment range) {
  const WriteGuard::Plain plain(call.guard, Direction::write);
  const Error locked = call.storage.lock(range.offset, range.length, true);
  const Outcome outcome = in_lists(call, range, 1);
  if (locked.ok()) (void)call.storage.unlock(range.offset, range.length);
  return outcome;
}

Outcome by_sieving(Call& call) {
  const bool read = call.direction == Direction::read;
  if (!read && !call.storage.readable()) {
    log::info("no sieving: the file is open for writing only; the pieces are written one by one");
    return plain_lists(call, call.file.bounds(), call.options.list_segments);
  }
  const i64 window = read ? call.options.ind_rd_buffer_size : call.options.ind_wr_buffer_size;
  const Segment bounds = call.file.bounds();
  std::byte* buffer = call.scratch.get(std::min(window, bounds.length));
  Outcome total;
  for (i64 done = 0; done < call.file.size();) {
    const i64 first = call.file.pattern.offset_of(call.file.begin + done);
    const Segment data = call.file.clip(first, std::min(first + window, bounds.end()));
    const i64 last = call.file.pattern.offset_of(call.file.begin + data.end() - 1);
    const Segment range{first, last + 1 - first};
    Outcome part;
    if (range.length == data.length)  // no hole: nothing to sieve
      part = read ? in_lists(call, range, 1) : write_whole(call, range);
    else part = read ? sieve_read(call, range, buffer) : sieve_write(call, range, buffer);
    if (!add(total, part, data.length)) break;
    done += data.length;
  }
  return total;
}

/// This rank's bytes as one block at `offset`, whatever its view.
Outcome as_block(Call& call, i64 offset) {
  const auto block = pattern::Access::whole(pattern::Pattern::run(offset, call.file.size()));
  Call as_one{call.direction, block,      call.memory,  call.plan,      call.options,
              call.storage,   call.guard, call.scratch, call.statistics};
  return plain_lists(as_one, block.bounds(), 1);
}

}  // namespace

Outcome transfer_counted(Call& call, Direction direction, std::span<const Extent> extents) {
  const Timer timer(call.statistics.io_seconds);
  const i64 before = call.storage.requests();
  const Outcome outcome = call.storage.transfer(direction, extents);
  call.statistics.io_requests += call.storage.requests() - before;
  call.statistics.io_bytes += outcome.bytes;
  return outcome;
}

Outcome run_own(Call& call, i64 block_offset) {
  if (call.file.empty()) return {};
  switch (call.plan.issue) {
    case plan::Issue::as_given: return plain_lists(call, call.file.bounds(), 1);
    case plan::Issue::list:
      return plain_lists(call, call.file.bounds(), call.options.list_segments);
    case plan::Issue::pattern: return by_pattern(call);
    case plan::Issue::sieve: return by_sieving(call);
    case plan::Issue::one_contiguous: return as_block(call, block_offset);
    case plan::Issue::rounds: break;
  }
  return {make_error(Code::other, "a plan with rounds needs an exchange"), 0};
}

}  // namespace resonio::engine
