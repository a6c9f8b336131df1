// Turns an access to a file and one to memory into extents, lazily.
#pragma once

#include "storage/file.hpp"

namespace resonio::storage {

/// Walks both accesses in data order and gives the longest pieces that are contiguous in
/// both. Both must have the same size and outlive the walk.
class ExtentWalk {
 public:
  /// The bytes of `file` at offsets in [lo, hi); data byte d is at
  /// base + memory.pattern.offset_of(memory.begin + d).
  ExtentWalk(const pattern::Access& file, i64 lo, i64 hi, std::byte* base,
             const pattern::Access& memory);
  bool next(Extent& extent);

 private:
  bool next_run();
  bool next_memory();

  const pattern::Access& memory_;
  std::byte* base_;
  pattern::ClippedCursor file_cursor_;
  pattern::Piece file_;  // family under way; its first run is the current one
  i64 file_done_ = 0;    // bytes of the current run given out
  pattern::Cursor memory_cursor_;
  pattern::Piece memory_piece_;
  i64 memory_done_ = 0;
  i64 memory_position_ = -1;  // data position the memory side stands at
};

}  // namespace resonio::storage
