// Access patterns: sets of byte runs in data order, kept as nested strided loops.
//
// A pattern maps data bytes 0 ... size()-1 to byte offsets. Regular patterns are kept as
// loops, so that every operation costs O(loops); irregular ones as lists with prefix sums.
// All offsets, lengths and counts are bytes or counts in int64. Patterns are immutable
// values; copies share the description.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace resonio::pattern {

using i64 = std::int64_t;

/// Bytes [offset, offset + length).
struct Segment {
  i64 offset = 0;
  i64 length = 0;
  [[nodiscard]] i64 end() const { return offset + length; }
  bool operator==(const Segment&) const = default;
};

/// One step of an iteration: a strided family of `count` runs of `length` bytes. Run k
/// holds data bytes [data + k*length, +length) at [offset + k*stride, +length).
struct Piece {
  i64 data = 0;
  i64 offset = 0;
  i64 length = 0;
  i64 stride = 0;
  i64 count = 0;
  [[nodiscard]] i64 bytes() const { return length * count; }
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// What a pattern is made of. The first data byte of a node is at relative offset 0.
/// Made only by Pattern's factories, which normalise: no empty parts, adjacent runs
/// joined, loops folded.
struct Node {
  enum class Kind : std::uint8_t {
    run,   // one run of `size` bytes
    loop,  // `count` copies of `body`, `stride` apart
    list,  // parts[i] at offsets[i]; data order is list order
    runs,  // run i: lengths[i] bytes at offsets[i]  (a list of many runs, flat)
  };
  Kind kind = Kind::run;
  bool ascending = true;       // offsets ascend in data order and do not overlap
  i64 size = 0;                // data bytes
  i64 lower = 0;               // smallest offset (<= 0)
  i64 upper = 0;               // largest end
  i64 run_count = 1;           // runs as described (neighbours may touch)
  i64 count = 0;               // loop
  i64 stride = 0;              // loop
  NodePtr body;                // loop
  std::vector<NodePtr> parts;  // list
  std::vector<i64> offsets;    // list, runs
  std::vector<i64> lengths;    // runs; one entry if all are equal
  std::vector<i64>
      data_before;  // list, runs: data bytes before part i; runs: only if lengths differ
};

class Pattern {
 public:
  /// Empty: no bytes.
  Pattern() = default;

  static Pattern run(i64 offset, i64 length);
  /// `count` copies of body, `stride` bytes apart (any sign). Folds where it can.
  static Pattern loop(i64 count, i64 stride, const Pattern& body);
  /// The parts one after another in data order, each at its own offsets.
  static Pattern sequence(std::span<const Pattern> parts);
  /// Irregular runs in data order; lengths has one entry for all or one per offset.
  static Pattern runs(std::vector<i64> offsets, std::vector<i64> lengths);
  /// From a node made elsewhere (wire form): first data byte at `offset`. Not checked.
  static Pattern from_node(i64 offset, NodePtr node);

  [[nodiscard]] Pattern shifted(i64 by) const;

  [[nodiscard]] bool empty() const { return node_ == nullptr; }
  [[nodiscard]] i64 size() const { return node_ ? node_->size : 0; }
  [[nodiscard]] i64 lower() const { return node_ ? origin_ + node_->lower : 0; }
  [[nodiscard]] i64 upper() const { return node_ ? origin_ + node_->upper : 0; }
  [[nodiscard]] i64 run_count() const { return node_ ? node_->run_count : 0; }
  [[nodiscard]] bool ascending() const { return node_ == nullptr || node_->ascending; }
  /// One run: data byte d is at offset lower() + d.
  [[nodiscard]] bool contiguous() const {
    return node_ == nullptr || node_->kind == Node::Kind::run;
  }
  /// Offset of the first data byte.
  [[nodiscard]] i64 origin() const { return origin_; }
  [[nodiscard]] const Node* node() const { return node_.get(); }
  [[nodiscard]] const NodePtr& node_ptr() const { return node_; }

  /// Offset of data byte d, 0 <= d < size().
  [[nodiscard]] i64 offset_of(i64 d) const;
  /// Data bytes at offsets below `offset`. Needs ascending(). O(loops), O(log n) in lists.
  [[nodiscard]] i64 bytes_before(i64 offset) const;

 private:
  Pattern(i64 origin, NodePtr node) : origin_(origin), node_(std::move(node)) {}
  i64 origin_ = 0;
  NodePtr node_;
};

/// Lazy forward iteration over data bytes [begin, end) of a pattern. The pattern must
/// outlive the cursor. Start costs O(loops) (a seek), each step O(1) amortised.
class Cursor {
 public:
  Cursor() = default;
  Cursor(const Pattern& pattern, i64 begin, i64 end);
  /// The next family of runs; false at the end. Pieces never are empty.
  bool next(Piece& piece);

 private:
  struct Frame {
    const Node* node;
    i64 offset;  // absolute offset of the node's first data byte
    i64 data;    // data position of that byte
    i64 index;   // next iteration or part
  };
  void descend(const Node* node, i64 offset, i64 data, i64 skip);
  bool emit(Frame& frame, Piece& piece);

  std::vector<Frame> stack_;
  i64 position_ = 0;
  i64 end_ = 0;
};

/// Data bytes [begin, end) of a pattern: what one call accesses, in a file or in memory.
struct Access {
  Pattern pattern;
  i64 begin = 0;
  i64 end = 0;

  [[nodiscard]] static Access whole(Pattern pattern) {
    const i64 n = pattern.size();
    return {std::move(pattern), 0, n};
  }
  [[nodiscard]] i64 size() const { return end - begin; }
  [[nodiscard]] bool empty() const { return end <= begin; }
  /// Smallest offset and largest end of the bytes accessed. Exact where ascending;
  /// otherwise bounds of the whole pattern.
  [[nodiscard]] Segment bounds() const;
  /// True if the accessed bytes are one run.
  [[nodiscard]] bool contiguous() const;
  [[nodiscard]] bool ascending() const { return pattern.ascending(); }
  /// Data range (relative to begin) of the bytes at offsets in [lo, hi). Needs ascending().
  [[nodiscard]] Segment clip(i64 lo, i64 hi) const;
  /// Runs described in the accessed part (an upper bound of maximal runs).
  [[nodiscard]] i64 run_count() const;
};

/// Iterates over the part of an access that lies at offsets in [lo, hi). Works for any
/// access: O(loops) to start if ascending, else by filtering all its runs.
/// Piece::data is relative to access.begin.
class ClippedCursor {
 public:
  ClippedCursor(const Access& access, i64 lo, i64 hi);
  bool next(Piece& piece);

 private:
  bool next_filtered(Piece& piece);

  i64 base_ = 0;
  i64 lo_ = 0;
  i64 hi_ = 0;
  bool filter_ = false;
  Cursor cursor_;
  Piece family_;      // filtering: the family under way,
  i64 next_run_ = 0;  // its next run
  i64 last_run_ = 0;  // and one past its last that may lie inside
};

/// A cyclic domain or a round's window of one: `count` intervals of `length` bytes,
/// `stride` apart, the first at `offset`, all clipped to offsets below `limit`.
struct Window {
  i64 offset = 0;
  i64 length = 0;
  i64 stride = 0;
  i64 count = 0;
  i64 limit = INT64_MAX;

  [[nodiscard]] Segment segment(i64 k) const;
  /// Bytes in all segments.
  [[nodiscard]] i64 size() const;
  [[nodiscard]] i64 end() const;
};

/// Data bytes of an access inside a window. O(segments * loops) if ascending.
[[nodiscard]] i64 bytes_in(const Access& access, const Window& window);
/// True if any byte lies inside. Stops at the first.
[[nodiscard]] bool meets(const Access& access, const Window& window);

}  // namespace resonio::pattern
