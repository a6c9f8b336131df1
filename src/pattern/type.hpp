// Typed patterns: a pattern with the lower bound and extent that datatypes have, and the
// constructors of the MPI standard (MPI-4.1, chapter 5) in bytes. No MPI here: src/mpiio
// walks the handles and calls these.
#pragma once

#include <span>

#include "pattern/pattern.hpp"

namespace resonio::pattern {

/// A datatype: which bytes relative to its address, and where the next one in a row starts.
struct Type {
  Pattern pattern;      // bytes in type map order
  i64 lb = 0;           // lower bound
  i64 extent = 0;       // ub - lb
  bool marked = false;  // bounds were set (resized, subarray, darray), not found from the bytes:
                        // in a type made of several, marked bounds count alone
};

/// `size` bytes without holes, extent = size.
Type elementary(i64 size);
Type contiguous(i64 count, const Type& t);
Type hvector(i64 count, i64 blocklength, i64 stride_bytes, const Type& t);
Type vector(i64 count, i64 blocklength, i64 stride, const Type& t);
Type hindexed(std::span<const i64> blocklengths, std::span<const i64> displacements_bytes,
              const Type& t);
Type hindexed_block(i64 blocklength, std::span<const i64> displacements_bytes, const Type& t);
/// Struct: types[i] repeated blocklengths[i] times at displacements_bytes[i]. The extent is not
/// rounded up for alignment: how much is the compiler's and the MPI's business (use resized).
Type structure(std::span<const i64> blocklengths, std::span<const i64> displacements_bytes,
               std::span<const Type> types);
Type resized(i64 lb, i64 extent, const Type& t);

enum class Order { c, fortran };
/// Subarray (MPI-4.1, 5.1.3): sizes, subsizes, starts of equal length, in elements.
Type subarray(std::span<const i64> sizes, std::span<const i64> subsizes,
              std::span<const i64> starts, Order order, const Type& t);

enum class Distribution { block, cyclic, none };
constexpr i64 default_dist_arg = -1;
/// Darray (MPI-4.1, 5.1.4): the part of rank `rank` of `size`; process grid in C order.
Type darray(i64 size, i64 rank, std::span<const i64> gsizes, std::span<const Distribution> distribs,
            std::span<const i64> dargs, std::span<const i64> psizes, Order order, const Type& t);

/// The bytes of `count` elements of t at address 0.
Pattern repeat(i64 count, const Type& t);

/// A file view (MPI-4.1, 14.3): filetype tiled without end from displacement `disp`.
struct View {
  i64 disp = 0;
  i64 etype_size = 1;
  Type filetype = elementary(1);

  /// Data bytes [position, position + bytes) of the view as an access to the file.
  /// Shift-canonical: the pattern starts at the tile that holds `position`, so equal
  /// accesses at different tiles have equal fingerprints.
  [[nodiscard]] Access access(i64 position, i64 bytes) const;
  /// Absolute file offset of data byte `position`; one past the last tile's byte allowed.
  [[nodiscard]] i64 offset_of(i64 position) const;
  /// Data bytes of the view at file offsets below `offset` (for SEEK_END). Needs an
  /// ascending filetype.
  [[nodiscard]] i64 bytes_before(i64 offset) const;
};

}  // namespace resonio::pattern
