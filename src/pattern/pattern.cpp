#include "pattern/pattern.hpp"

#include <algorithm>
#include <utility>

namespace resonio::pattern {
namespace {

std::size_t index(i64 i) { return static_cast<std::size_t>(i); }

bool same_shape(const NodePtr& a, const NodePtr& b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->size != b->size || a->count != b->count || a->stride != b->stride)
    return false;
  if (a->offsets != b->offsets || a->lengths != b->lengths || a->parts.size() != b->parts.size())
    return false;
  if (a->body && !same_shape(a->body, b->body)) return false;
  for (std::size_t i = 0; i < a->parts.size(); ++i) {
    // Equal parts often are one node: compared once, not once for each place.
    const bool seen = i > 0 && a->parts[i] == a->parts[i - 1] && b->parts[i] == b->parts[i - 1];
    if (!seen && !same_shape(a->parts[i], b->parts[i])) return false;
  }
  return true;
}

NodePtr run_node(i64 length) {
  auto node = std::make_shared<Node>();
  node->size = length;
  node->upper = length;
  return node;
}

/// True if the numbers rise or fall by one constant step.
bool arithmetic(std::span<const i64> values) {
  for (std::size_t i = 2; i < values.size(); ++i)
    if (values[i] - values[i - 1] != values[1] - values[0]) return false;
  return true;
}

i64 run_length(const Node& node, i64 i) {
  return node.lengths.size() == 1 ? node.lengths[0] : node.lengths[index(i)];
}
i64 run_data(const Node& node, i64 i) {
  return node.data_before.empty() ? i * node.lengths[0] : node.data_before[index(i)];
}

/// Index of the part of a list (or run of runs) that holds data byte d.
i64 part_of(const Node& node, i64 d) {
  if (node.data_before.empty()) return d / node.lengths[0];
  const auto after = std::upper_bound(node.data_before.begin(), node.data_before.end(), d);
  return after - node.data_before.begin() - 1;
}

/// The child of a loop or list that holds data byte d (relative); moves d and offset to it.
const Node* enter(const Node* node, i64& d, i64& offset) {
  const bool loop = node->kind == Node::Kind::loop;
  const i64 i = loop ? d / node->body->size : part_of(*node, d);
  d -= loop ? i * node->body->size : node->data_before[index(i)];
  offset += loop ? i * node->stride : node->offsets[index(i)];
  return loop ? node->body.get() : node->parts[index(i)].get();
}

/// Index of the run that holds data byte d.
i64 run_index(const Node* node, i64 d) {
  i64 runs = 0;
  for (;;) switch (node->kind) {
      case Node::Kind::run: return runs;
      case Node::Kind::runs: return runs + part_of(*node, d);
      case Node::Kind::loop:
        runs += d / node->body->size * node->body->run_count;
        d %= node->body->size;
        node = node->body.get();
        break;
      case Node::Kind::list: {
        const i64 part = part_of(*node, d);
        for (i64 i = 0; i < part; ++i) runs += node->parts[index(i)]->run_count;
        d -= node->data_before[index(part)];
        node = node->parts[index(part)].get();
        break;
      }
    }
}

i64 floor_div(i64 a, i64 b) {
  const i64 q = a / b;
  return q * b > a ? q - 1 : q;
}

}  // namespace

Pattern Pattern::from_node(i64 offset, NodePtr node) { return {offset, std::move(node)}; }

Pattern Pattern::run(i64 offset, i64 length) {
  return length <= 0 ? Pattern() : Pattern(offset, run_node(length));
}

Pattern Pattern::shifted(i64 by) const { return node_ ? Pattern(origin_ + by, node_) : *this; }

Pattern Pattern::loop(i64 count, i64 stride, const Pattern& body) {
  if (count <= 0 || body.empty()) return {};
  if (count == 1) return body;
  const Node& inner = *body.node_;
  if (inner.kind == Node::Kind::run && stride == inner.size)
    return run(body.origin_, inner.size * count);
  if (inner.kind == Node::Kind::loop && stride == inner.stride * inner.count)
    return loop(count * inner.count, inner.stride, {body.origin_, inner.body});

  auto node = std::make_shared<Node>();
  const i64 last = (count - 1) * stride;
  node->kind = Node::Kind::loop;
  node->count = count;
  node->stride = stride;
  node->body = body.node_;
  node->size = inner.size * count;
  node->lower = inner.lower + std::min<i64>(0, last);
  node->upper = inner.upper + std::max<i64>(0, last);
  node->run_count = inner.run_count * count;
  node->ascending = inner.ascending && stride >= inner.upper;
  return {body.origin_, std::move(node)};
}

Pattern Pattern::runs(std::vector<i64> offsets, std::vector<i64> lengths) {
  const bool equal_in = lengths.size() == 1 && offsets.size() != 1;
  std::size_t kept = 0;
  std::vector<i64> kept_lengths;
  kept_lengths.reserve(equal_in ? offsets.size() : 0);
  if (!equal_in) kept_lengths = lengths;
  else kept_lengths.assign(offsets.size(), lengths[0]);
  for (std::size_t i = 0; i < offsets.size(); ++i) {  // drop empties, join neighbours
    const i64 length = kept_lengths[i];
    if (length <= 0) continue;
    if (kept > 0 && offsets[kept - 1] + kept_lengths[kept - 1] == offsets[i]) {
      kept_lengths[kept - 1] += length;
      continue;
    }
    offsets[kept] = offsets[i];
    kept_lengths[kept++] = length;
  }
  if (kept == 0) return {};
  if (kept == 1) return run(offsets[0], kept_lengths[0]);
  offsets.resize(kept);
  kept_lengths.resize(kept);
  const bool equal = std::all_of(kept_lengths.begin(), kept_lengths.end(),
                                 [&](i64 l) { return l == kept_lengths[0]; });
  const i64 origin = offsets[0];
  if (equal && arithmetic(offsets))
    return loop(static_cast<i64>(kept), offsets[1] - origin, run(origin, kept_lengths[0]));

  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::runs;
  node->run_count = static_cast<i64>(kept);
  node->lower = 0;
  if (!equal) node->data_before.resize(kept);
  i64 previous_end = INT64_MIN;
  for (std::size_t i = 0; i < kept; ++i) {
    offsets[i] -= origin;
    if (!equal) node->data_before[i] = node->size;
    node->ascending = node->ascending && offsets[i] >= previous_end;
    previous_end = offsets[i] + kept_lengths[i];
    node->lower = std::min(node->lower, offsets[i]);
    node->upper = std::max(node->upper, previous_end);
    node->size += kept_lengths[i];
  }
  if (equal) kept_lengths.resize(1);
  node->offsets = std::move(offsets);
  node->lengths = std::move(kept_lengths);
  return {origin, std::move(node)};
}

Pattern Pattern::sequence(std::span<const Pattern> parts) {
  // Flat where all parts are runs; else a list, with neighbouring runs joined.
  std::vector<Pattern> kept;
  bool flat = true;
  for (const Pattern& part : parts) {
    if (part.empty()) continue;
    const bool is_run = part.node_->kind == Node::Kind::run;
    flat = flat && (is_run || part.node_->kind == Node::Kind::runs);
    if (is_run && !kept.empty() && kept.back().contiguous() && kept.back().upper() == part.origin_)
      kept.back() = run(kept.back().origin_, kept.back().size() + part.size());
    else kept.push_back(part);
  }
  if (kept.empty()) return {};
  if (kept.size() == 1) return kept[0];
  std::vector<i64> offsets;
  if (flat) {
    std::vector<i64> lengths;
    for (const Pattern& part : kept) {
      const Node& node = *part.node_;
      if (node.kind == Node::Kind::run) {
        offsets.push_back(part.origin_);
        lengths.push_back(node.size);
        continue;
      }
      for (std::size_t i = 0; i < node.offsets.size(); ++i) {
        offsets.push_back(part.origin_ + node.offsets[i]);
        lengths.push_back(run_length(node, static_cast<i64>(i)));
      }
    }
    return runs(std::move(offsets), std::move(lengths));
  }

  for (const Pattern& part : kept) offsets.push_back(part.origin_);
  const bool equal = std::all_of(kept.begin(), kept.end(), [&](const Pattern& part) {
    return same_shape(part.node_, kept[0].node_);
  });
  if (equal && arithmetic(offsets))
    return loop(static_cast<i64>(kept.size()), offsets[1] - offsets[0], kept[0]);

  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::list;
  node->run_count = 0;
  const i64 origin = offsets[0];
  i64 previous_end = INT64_MIN;
  for (const Pattern& part : kept) {
    const i64 lower = part.lower() - origin;
    node->ascending = node->ascending && part.ascending() && lower >= previous_end;
    previous_end = part.upper() - origin;
    node->lower = std::min(node->lower, lower);
    node->upper = std::max(node->upper, previous_end);
    node->data_before.push_back(node->size);
    node->offsets.push_back(part.origin_ - origin);
    node->size += part.size();
    node->run_count += part.run_count();
    node->parts.push_back(part.node_);
  }
  return {origin, std::move(node)};
}

i64 Pattern::offset_of(i64 d) const {
  const Node* node = node_.get();
  i64 offset = origin_;
  while (node->kind == Node::Kind::loop || node->kind == Node::Kind::list)
    node = enter(node, d, offset);
  if (node->kind == Node::Kind::run) return offset + d;
  const i64 i = part_of(*node, d);
  return offset + node->offsets[index(i)] + d - run_data(*node, i);
}

i64 Pattern::bytes_before(i64 offset) const {
  if (offset <= lower()) return 0;
  if (offset >= upper()) return size();  // these two first: the distance may not fit in an i64
  const Node* node = node_.get();
  i64 before = 0;
  i64 rest = offset - origin_;  // relative to the node's first byte, which is its lowest
  for (;;) {
    if (rest <= 0) return before;
    if (rest >= node->upper) return before + node->size;
    switch (node->kind) {
      case Node::Kind::run: return before + rest;
      case Node::Kind::loop: {
        const i64 i = std::min(rest / node->stride, node->count - 1);
        before += i * node->body->size;
        rest -= i * node->stride;
        node = node->body.get();
        break;
      }
      case Node::Kind::list:
      case Node::Kind::runs: {
        const auto after = std::lower_bound(node->offsets.begin(), node->offsets.end(), rest);
        const i64 i = after - node->offsets.begin() - 1;
        rest -= node->offsets[index(i)];
        before += run_data(*node, i);
        if (node->kind == Node::Kind::runs) return before + std::min(rest, run_length(*node, i));
        node = node->parts[index(i)].get();
        break;
      }
    }
  }
}

// --- Cursor ---

Cursor::Cursor(const Pattern& pattern, i64 begin, i64 end) : position_(begin), end_(end) {
  if (begin >= end) return;
  stack_.reserve(8);
  descend(pattern.node(), pattern.origin(), 0, begin);
}

/// Pushes the frames down to the leaf that holds data byte data + skip.
void Cursor::descend(const Node* node, i64 offset, i64 data, i64 skip) {
  for (;;) {
    Frame frame{node, offset, data, 0};
    switch (node->kind) {
      case Node::Kind::run: stack_.push_back(frame); return;
      case Node::Kind::runs:
        frame.index = part_of(*node, skip);
        stack_.push_back(frame);
        return;
      case Node::Kind::loop: {
        const i64 i = skip / node->body->size;
        frame.index = i + 1;
        stack_.push_back(frame);
        if (node->body->kind == Node::Kind::run) return;  // a family: a leaf of its own
        skip -= i * node->body->size;
        data += i * node->body->size;
        offset += i * node->stride;
        node = node->body.get();
        break;
      }
      case Node::Kind::list: {
        const i64 i = part_of(*node, skip);
        frame.index = i + 1;
        stack_.push_back(frame);
        skip -= node->data_before[index(i)];
        data += node->data_before[index(i)];
        offset += node->offsets[index(i)];
        node = node->parts[index(i)].get();
        break;
      }
    }
  }
}

/// The next piece of a leaf from position_ on; false if the leaf is done.
bool Cursor::emit(Frame& frame, Piece& piece) {
  const Node& node = *frame.node;
  const i64 done = position_ - frame.data;
  const i64 left = end_ - position_;
  if (done >= node.size) return false;
  if (node.kind == Node::Kind::run) {
    piece = {position_, frame.offset + done, std::min(node.size - done, left), 0, 1};
  } else if (node.kind == Node::Kind::loop) {
    const i64 length = node.body->size;
    const i64 i = done / length;
    const i64 inside = done - i * length;
    const i64 at = frame.offset + i * node.stride + inside;
    if (inside != 0 || left < length)
      piece = {position_, at, std::min(length - inside, left), 0, 1};
    else piece = {position_, at, length, node.stride, std::min(node.count - i, left / length)};
  } else {
    const i64 i = frame.index;
    const i64 inside = done - run_data(node, i);
    const i64 rest = run_length(node, i) - inside;
    piece = {position_, frame.offset + node.offsets[index(i)] + inside, std::min(rest, left), 0, 1};
    if (piece.length == rest) ++frame.index;
  }
  position_ += piece.bytes();
  return true;
}

bool Cursor::next(Piece& piece) {
  while (position_ < end_ && !stack_.empty()) {
    Frame& frame = stack_.back();
    const Node& node = *frame.node;
    const bool loop = node.kind == Node::Kind::loop;
    const bool inner =
        node.kind == Node::Kind::list || (loop && node.body->kind != Node::Kind::run);
    if (!inner) {
      if (emit(frame, piece)) return true;
      stack_.pop_back();
      continue;
    }
    const i64 i = frame.index;
    if (i >= (loop ? node.count : static_cast<i64>(node.parts.size()))) {
      stack_.pop_back();
      continue;
    }
    ++frame.index;
    if (loop)
      descend(node.body.get(), frame.offset + i * node.stride, frame.data + i * node.body->size, 0);
    else
      descend(node.parts[index(i)].get(), frame.offset + node.offsets[index(i)],
              frame.data + node.data_before[index(i)], 0);
  }
  return false;
}

// --- Access ---

Segment Access::bounds() const {
  if (empty()) return {};
  if (!ascending()) return {pattern.lower(), pattern.upper() - pattern.lower()};
  const i64 first = pattern.offset_of(begin);
  return {first, pattern.offset_of(end - 1) + 1 - first};
}

bool Access::contiguous() const {
  return empty() || pattern.contiguous() || (ascending() && bounds().length == size());
}

Segment Access::clip(i64 lo, i64 hi) const {
  if (empty() || hi <= lo) return {};
  const i64 from = std::clamp(pattern.bytes_before(lo), begin, end);
  const i64 to = std::clamp(pattern.bytes_before(hi), from, end);
  return {from - begin, to - from};
}

i64 Access::run_count() const {
  if (empty()) return 0;
  if (begin == 0 && end == pattern.size()) return pattern.run_count();
  const Node* node = pattern.node();
  return run_index(node, end - 1) - run_index(node, begin) + 1;
}

// --- ClippedCursor ---

ClippedCursor::ClippedCursor(const Access& access, i64 lo, i64 hi)
    : base_(access.begin),
      lo_(std::clamp(lo, access.pattern.lower(), access.pattern.upper())),
      hi_(std::clamp(hi, access.pattern.lower(), access.pattern.upper())),
      filter_(!access.ascending()) {
  const Segment data = filter_ ? Segment{0, access.size()} : access.clip(lo, hi);
  cursor_ = Cursor(access.pattern, base_ + data.offset, base_ + data.end());
}

bool ClippedCursor::next(Piece& piece) {
  if (filter_) return next_filtered(piece);
  if (!cursor_.next(piece)) return false;
  piece.data -= base_;
  return true;
}

bool ClippedCursor::next_filtered(Piece& piece) {
  for (;;) {
    while (next_run_ < last_run_) {
      const i64 k = next_run_++;
      const i64 offset = family_.offset + k * family_.stride;
      const i64 from = std::max(offset, lo_);
      const i64 to = std::min(offset + family_.length, hi_);
      if (from >= to) continue;
      const i64 data = family_.data + k * family_.length + (from - offset);
      piece = {data - base_, from, to - from, 0, 1};
      return true;
    }
    if (!cursor_.next(family_)) return false;
    // Runs k that may meet [lo, hi): offset_k > lo - length and offset_k < hi.
    next_run_ = 0;
    last_run_ = family_.count;
    const i64 s = family_.stride;
    const i64 after = lo_ - family_.length - family_.offset;  // k*s must be above
    const i64 below = hi_ - family_.offset;                   // k*s must be below
    if (s > 0) {
      next_run_ = std::max(next_run_, floor_div(after, s) + 1);
      last_run_ = std::min(last_run_, floor_div(below - 1, s) + 1);
    } else if (s < 0) {
      next_run_ = std::max(next_run_, floor_div(-below, -s) + 1);
      last_run_ = std::min(last_run_, floor_div(-after - 1, -s) + 1);
    }
  }
}

// --- Window ---

Segment Window::segment(i64 k) const {
  const i64 from = offset + k * stride;
  return {from, from <= limit - length ? length : std::max<i64>(limit - from, 0)};
}

i64 Window::size() const {
  if (count <= 0) return 0;
  if (count == 1 || stride <= 0) return segment(0).length;
  if (segment(count - 1).length == length) return count * length;
  const i64 whole = std::clamp<i64>(floor_div(limit - length - offset, stride) + 1, 0, count);
  return whole * length + (whole < count ? segment(whole).length : 0);
}

i64 Window::end() const {
  for (i64 k = count - 1; k >= 0; --k)
    if (const Segment s = segment(k); s.length > 0) return s.end();
  return offset;
}

i64 bytes_in(const Access& access, const Window& window) {
  i64 bytes = 0;
  for (i64 k = 0; k < window.count; ++k) {
    const Segment s = window.segment(k);
    if (access.ascending()) {
      bytes += access.clip(s.offset, s.end()).length;
      continue;
    }
    ClippedCursor cursor(access, s.offset, s.end());
    for (Piece piece; cursor.next(piece);) bytes += piece.bytes();
  }
  return bytes;
}

bool meets(const Access& access, const Window& window) {
  if (access.empty()) return false;
  for (i64 k = 0; k < window.count; ++k) {
    const Segment s = window.segment(k);
    if (access.ascending()) {
      if (access.clip(s.offset, s.end()).length > 0) return true;
      continue;
    }
    ClippedCursor cursor(access, s.offset, s.end());
    if (Piece piece; cursor.next(piece)) return true;
  }
  return false;
}

}  // namespace resonio::pattern
