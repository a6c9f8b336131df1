#include "pattern/type.hpp"

#include <algorithm>
#include <utility>

namespace resonio::pattern {
namespace {

/// The bounds of a type made of several: of all blocks that have bytes, or only of the
/// marked ones if there are any.
class Bounds {
 public:
  /// `blocklength` elements of t in a row, the first at `displacement`.
  void add(i64 displacement, i64 blocklength, const Type& t) {
    if (blocklength <= 0) return;
    add(displacement, t);
    add(displacement + (blocklength - 1) * t.extent, t);
  }
  [[nodiscard]] Type of(Pattern pattern) const {
    return {std::move(pattern), lb_, ub_ - lb_, marked_};
  }

 private:
  void add(i64 displacement, const Type& t) {
    if (!t.marked && (marked_ || t.pattern.empty())) return;
    const i64 lb = displacement + t.lb;
    const i64 ub = lb + t.extent;
    const bool first = !found_ || (t.marked && !marked_);
    lb_ = first ? lb : std::min(lb_, lb);
    ub_ = first ? ub : std::max(ub_, ub);
    found_ = true;
    marked_ = t.marked;
  }

  bool found_ = false;
  bool marked_ = false;
  i64 lb_ = 0;
  i64 ub_ = 0;
};

/// Blocks of a type whose blocks are single runs: no pattern is made for each block.
Pattern flat_blocks(std::span<const i64> blocklengths, std::span<const i64> displacements,
                    const Type& t) {
  std::vector<i64> offsets(displacements.begin(), displacements.end());
  std::vector<i64> lengths(blocklengths.begin(), blocklengths.end());
  for (i64& offset : offsets) offset += t.pattern.lower();
  for (i64& length : lengths) length *= t.pattern.size();
  return Pattern::runs(std::move(offsets), std::move(lengths));
}

/// True if any number of elements in a row is one run.
bool dense(const Type& t) { return t.pattern.contiguous() && t.extent == t.pattern.size(); }

}  // namespace

Type elementary(i64 size) { return {Pattern::run(0, size), 0, size}; }

Pattern repeat(i64 count, const Type& t) { return Pattern::loop(count, t.extent, t.pattern); }

Type contiguous(i64 count, const Type& t) {
  Bounds bounds;
  bounds.add(0, count, t);
  return bounds.of(repeat(count, t));
}

Type hvector(i64 count, i64 blocklength, i64 stride_bytes, const Type& t) {
  const Type block = contiguous(blocklength, t);
  Bounds bounds;
  if (count > 0) {
    bounds.add(0, 1, block);
    bounds.add((count - 1) * stride_bytes, 1, block);
  }
  return bounds.of(Pattern::loop(count, stride_bytes, block.pattern));
}

Type vector(i64 count, i64 blocklength, i64 stride, const Type& t) {
  return hvector(count, blocklength, stride * t.extent, t);
}

Type hindexed(std::span<const i64> blocklengths, std::span<const i64> displacements_bytes,
              const Type& t) {
  Bounds bounds;
  for (std::size_t i = 0; i < blocklengths.size(); ++i)
    bounds.add(displacements_bytes[i], blocklengths[i], t);
  if (t.pattern.empty()) return bounds.of({});
  if (dense(t)) return bounds.of(flat_blocks(blocklengths, displacements_bytes, t));
  std::vector<Pattern> blocks;
  blocks.reserve(blocklengths.size());
  Pattern block;
  for (std::size_t i = 0; i < blocklengths.size(); ++i) {
    // Equal neighbours share one description.
    if (i == 0 || blocklengths[i] != blocklengths[i - 1]) block = repeat(blocklengths[i], t);
    blocks.push_back(block.shifted(displacements_bytes[i]));
  }
  return bounds.of(Pattern::sequence(blocks));
}

Type hindexed_block(i64 blocklength, std::span<const i64> displacements_bytes, const Type& t) {
  const Type block = contiguous(blocklength, t);
  Bounds bounds;
  for (const i64 displacement : displacements_bytes) bounds.add(displacement, 1, block);
  if (block.pattern.empty() || displacements_bytes.empty()) return bounds.of({});
  if (block.pattern.contiguous()) {
    const i64 one[] = {1};
    return bounds.of(flat_blocks(one, displacements_bytes, block));
  }
  std::vector<Pattern> blocks;
  blocks.reserve(displacements_bytes.size());
  for (const i64 displacement : displacements_bytes)
    blocks.push_back(block.pattern.shifted(displacement));
  return bounds.of(Pattern::sequence(blocks));
}

Type structure(std::span<const i64> blocklengths, std::span<const i64> displacements_bytes,
               std::span<const Type> types) {
  Bounds bounds;
  std::vector<Pattern> blocks;
  blocks.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    bounds.add(displacements_bytes[i], blocklengths[i], types[i]);
    blocks.push_back(repeat(blocklengths[i], types[i]).shifted(displacements_bytes[i]));
  }
  return bounds.of(Pattern::sequence(blocks));
}

Type resized(i64 lb, i64 extent, const Type& t) { return {t.pattern, lb, extent, true}; }

}  // namespace resonio::pattern
