// Copying between a window's buffer and a user's memory, by patterns.
#pragma once

#include <cstddef>

#include "base/direction.hpp"
#include "engine/memory.hpp"
#include "pattern/pattern.hpp"

namespace resonio::engine {

/// Copies `count` runs of `length` bytes; run k from source + k*source_stride to
/// target + k*target_stride. Runs do not overlap between source and target.
void copy_runs(std::byte* target, i64 target_stride, const std::byte* source, i64 source_stride,
               i64 length, i64 count);

/// The bytes of `file` at offsets [lo, hi), between memory and a buffer in which the byte at
/// file offset lo is at `buffer`. write: memory → buffer; read: buffer → memory.
/// Returns the bytes copied.
i64 copy_window(Direction direction, const pattern::Access& file, i64 lo, i64 hi, std::byte* buffer,
                const Memory& memory);

/// The same bytes, between memory and a packed buffer that holds them one after another in
/// data order. write: memory → packed; read: packed → memory.
i64 copy_packed(Direction direction, const pattern::Access& file, i64 lo, i64 hi, std::byte* packed,
                const Memory& memory);

/// Between a packed buffer and a window's buffer. write: packed → window; read: the reverse.
i64 copy_unpacked(Direction direction, const pattern::Access& file, i64 lo, i64 hi,
                  std::byte* window, std::byte* packed);

}  // namespace resonio::engine
