#include "pattern/trim.hpp"

#include <algorithm>
#include <utility>

#include "pattern/wire.hpp"

namespace resonio::pattern {
namespace {

std::size_t index(i64 i) { return static_cast<std::size_t>(i); }

/// True if there is no list anywhere below.
bool regular(const Node* node) {
  while (node->kind == Node::Kind::loop) node = node->body.get();
  return node->kind == Node::Kind::run;
}

/// The entry of a list that holds data byte d.
i64 entry(const Node& node, i64 d) {
  if (node.data_before.empty()) return d / node.lengths[0];
  return std::upper_bound(node.data_before.begin(), node.data_before.end(), d) -
         node.data_before.begin() - 1;
}

/// Parts in sequence, with begin of the first and end of the last carried over.
Access joined(std::vector<Pattern> parts, const Access& first, const Access& last) {
  parts.front() = first.pattern;
  parts.back() = last.pattern;
  Pattern whole = Pattern::sequence(parts);
  const i64 end = whole.size() - (last.pattern.size() - last.end);
  return {std::move(whole), first.begin, end};
}

Access trim(i64 offset, const NodePtr& node, i64 begin, i64 end);

Access trim_loop(i64 offset, const Node& node, i64 begin, i64 end) {
  const i64 size = node.body->size;
  const i64 first = begin / size;
  const i64 last = (end - 1) / size;
  offset += first * node.stride;
  begin -= first * size;
  end -= first * size;
  if (first == last) return trim(offset, node.body, begin, end);
  // Lists may be long: with no whole iteration between the ends, only what is used of them.
  if (last == first + 1 && !regular(node.body.get()))
    return joined(std::vector<Pattern>(2), trim(offset, node.body, begin, size),
                  trim(offset + node.stride, node.body, 0, end - size));
  const Pattern body = Pattern::from_node(offset, node.body);
  return {Pattern::loop(last - first + 1, node.stride, body), begin, end};
}

Access trim_list(i64 offset, const Node& node, i64 begin, i64 end) {
  const i64 first = entry(node, begin);
  const i64 last = entry(node, end - 1);
  const auto at = [&](i64 i) { return offset + node.offsets[index(i)]; };
  begin -= node.data_before[index(first)];
  end -= node.data_before[index(last)];
  const NodePtr& head = node.parts[index(first)];
  const NodePtr& tail = node.parts[index(last)];
  if (first == last) return trim(at(first), head, begin, end);
  std::vector<Pattern> parts(index(last - first + 1));
  for (i64 i = first + 1; i < last; ++i)
    parts[index(i - first)] = Pattern::from_node(at(i), node.parts[index(i)]);
  return joined(std::move(parts), trim(at(first), head, begin, head->size),
                trim(at(last), tail, 0, end));
}

Access trim_runs(i64 offset, const Node& node, i64 begin, i64 end) {
  const i64 first = entry(node, begin);
  const i64 last = entry(node, end - 1);
  const bool equal = node.lengths.size() == 1;
  const i64 before = equal ? first * node.lengths[0] : node.data_before[index(first)];
  begin -= before;
  end -= before;
  if (first == last)
    return Access::whole(Pattern::run(offset + node.offsets[index(first)] + begin, end - begin));
  const auto slice = [&](const std::vector<i64>& values) {
    return std::vector<i64>(values.begin() + first, values.begin() + last + 1);
  };
  std::vector<i64> offsets = slice(node.offsets);
  for (i64& o : offsets) o += offset;
  return {Pattern::runs(std::move(offsets), equal ? node.lengths : slice(node.lengths)), begin,
          end};
}

Access trim(i64 offset, const NodePtr& node, i64 begin, i64 end) {
  if (begin == 0 && end == node->size) return {Pattern::from_node(offset, node), begin, end};
  switch (node->kind) {
    case Node::Kind::run: break;
    case Node::Kind::loop: return trim_loop(offset, *node, begin, end);
    case Node::Kind::list: return trim_list(offset, *node, begin, end);
    case Node::Kind::runs: return trim_runs(offset, *node, begin, end);
  }
  return Access::whole(Pattern::run(offset + begin, end - begin));
}

}  // namespace

Access trimmed(const Access& access) {
  if (access.empty()) return {};
  return trim(access.pattern.origin(), access.pattern.node_ptr(), access.begin, access.end);
}

Clipped clipped(const Access& access, i64 lo, i64 hi) {
  const Segment data = access.clip(lo, hi);
  return {trimmed({access.pattern, access.begin + data.offset, access.begin + data.end()}),
          data.offset};
}

}  // namespace resonio::pattern
