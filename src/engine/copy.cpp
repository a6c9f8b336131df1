#include "engine/copy.hpp"

#include <algorithm>
#include <cstring>

#include "storage/extents.hpp"

namespace resonio::engine {
namespace {

template <std::size_t length>
void copy_fixed(std::byte* target, i64 target_stride, const std::byte* source, i64 source_stride,
                i64 count) {
  for (; count > 0; --count) {
    std::memcpy(target, source, length);  // of a constant length: a few moves
    target += target_stride;
    source += source_stride;
  }
}

/// Copies the window's part with memory (or packed bytes) that is one run from `flat` on,
/// data byte 0 at flat.
i64 copy_flat(Direction direction, pattern::ClippedCursor cursor, i64 lo, std::byte* buffer,
              std::byte* flat) {
  i64 bytes = 0;
  for (pattern::Piece p; cursor.next(p);) {
    std::byte* window = buffer + (p.offset - lo);
    if (direction == Direction::write)
      copy_runs(window, p.stride, flat + p.data, p.length, p.length, p.count);
    else copy_runs(flat + p.data, p.length, window, p.stride, p.length, p.count);
    bytes += p.bytes();
  }
  return bytes;
}

}  // namespace

void copy_runs(std::byte* target, i64 target_stride, const std::byte* source, i64 source_stride,
               i64 length, i64 count) {
  if (target_stride == length && source_stride == length) {
    length *= count;
    count = 1;
  }
  switch (count == 1 ? 0 : length) {
    case 1: return copy_fixed<1>(target, target_stride, source, source_stride, count);
    case 2: return copy_fixed<2>(target, target_stride, source, source_stride, count);
    case 4: return copy_fixed<4>(target, target_stride, source, source_stride, count);
    case 8: return copy_fixed<8>(target, target_stride, source, source_stride, count);
    case 12: return copy_fixed<12>(target, target_stride, source, source_stride, count);
    case 16: return copy_fixed<16>(target, target_stride, source, source_stride, count);
    case 24: return copy_fixed<24>(target, target_stride, source, source_stride, count);
    case 32: return copy_fixed<32>(target, target_stride, source, source_stride, count);
    case 48: return copy_fixed<48>(target, target_stride, source, source_stride, count);
    case 64: return copy_fixed<64>(target, target_stride, source, source_stride, count);
    case 128: return copy_fixed<128>(target, target_stride, source, source_stride, count);
    case 256: return copy_fixed<256>(target, target_stride, source, source_stride, count);
    default:
      for (; count > 0; --count) {
        std::memcpy(target, source, static_cast<std::size_t>(length));
        target += target_stride;
        source += source_stride;
      }
  }
}

i64 copy_window(Direction direction, const pattern::Access& file, i64 lo, i64 hi, std::byte* buffer,
                const Memory& memory) {
  if (std::byte* flat = memory.flat())
    return copy_flat(direction, pattern::ClippedCursor(file, lo, hi), lo, buffer, flat);
  storage::ExtentWalk walk(file, lo, hi, memory.base, memory.access);
  i64 bytes = 0;
  for (storage::Extent e; walk.next(e); bytes += e.length) {
    std::byte* window = buffer + (e.offset - lo);
    const auto length = static_cast<std::size_t>(e.length);
    if (direction == Direction::write) std::memcpy(window, e.memory, length);
    else std::memcpy(e.memory, window, length);
  }
  return bytes;
}

i64 copy_packed(Direction direction, const pattern::Access& file, i64 lo, i64 hi, std::byte* packed,
                const Memory& memory) {
  storage::ExtentWalk walk(file, lo, hi, memory.base, memory.access);
  i64 bytes = 0;
  for (storage::Extent e; walk.next(e); bytes += e.length) {
    const auto length = static_cast<std::size_t>(e.length);
    if (direction == Direction::write) std::memcpy(packed + bytes, e.memory, length);
    else std::memcpy(e.memory, packed + bytes, length);
  }
  return bytes;
}

i64 copy_unpacked(Direction direction, const pattern::Access& file, i64 lo, i64 hi,
                  std::byte* window, std::byte* packed) {
  pattern::ClippedCursor cursor(file, lo, hi);
  i64 bytes = 0;
  for (pattern::Piece p; cursor.next(p); bytes += p.bytes()) {
    std::byte* at = window + (p.offset - lo);
    if (direction == Direction::write)
      copy_runs(at, p.stride, packed + bytes, p.length, p.length, p.count);
    else copy_runs(packed + bytes, p.length, at, p.stride, p.length, p.count);
  }
  return bytes;
}

}  // namespace resonio::engine
