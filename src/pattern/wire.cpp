// The wire form. Numbers are LEB128 varints: seven bits a byte, low bits first, the top bit set
// in all but the last; `int` is zigzag (0, -1, 1, -2 ... as 0, 1, 2, 3 ...), `uint` plain.
//
//   access = 0                                               no bytes
//          | node int:origin uint:begin uint:cut             cut: data bytes unused at the end
//   node   = 1 uint:size                                     run
//          | 2 uint:count int:stride node                    loop
//          | 3 uint:n (n-1) x int:step  n x node             list; step: from the part before
//          | 4 uint:n (n-1) x int:step  node                 list of n equal parts
//          | 5 uint:n uint:length (n-1) x int:gap            runs of equal length
//          | 6 uint:n uint:length (n-1) x (int:gap uint:length)   gap: from the last run's end
//
// Nodes are relative to their own first byte. Sizes, bounds and prefix sums are not sent: the
// receiver builds the pattern with the same factories as everybody, from checked numbers.
#include "pattern/wire.hpp"

#include <xxhash.h>

#include <algorithm>

#include "pattern/checked.hpp"
#include "pattern/trim.hpp"

namespace resonio::pattern {
namespace {

enum class Tag : std::uint8_t { none, run, loop, list, equal_list, equal_runs, runs };
constexpr int max_depth = 500;  // nested nodes in a form that is accepted

// --- Writing ---

class Writer {
 public:
  void uint(i64 value) {
    auto rest = static_cast<std::uint64_t>(value);
    for (; rest >= 0x80; rest >>= 7) bytes_.push_back(static_cast<std::byte>(rest | 0x80));
    bytes_.push_back(static_cast<std::byte>(rest));
  }
  void sint(i64 value) {
    const auto twice = static_cast<std::uint64_t>(value) << 1;
    uint(static_cast<i64>(value < 0 ? ~twice : twice));
  }
  void tag(Tag value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void node(const Node& node);
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void list(const Node& node);
  void runs(const Node& node);

  std::vector<std::byte> bytes_;
};

void Writer::node(const Node& node) {
  switch (node.kind) {
    case Node::Kind::run:
      tag(Tag::run);
      uint(node.size);
      return;
    case Node::Kind::loop:
      tag(Tag::loop);
      uint(node.count);
      sint(node.stride);
      this->node(*node.body);
      return;
    case Node::Kind::list: list(node); return;
    case Node::Kind::runs: runs(node); return;
  }
}

void Writer::list(const Node& list) {
  const bool equal = std::all_of(list.parts.begin(), list.parts.end(),
                                 [&](const NodePtr& part) { return part == list.parts[0]; });
  tag(equal ? Tag::equal_list : Tag::list);
  uint(static_cast<i64>(list.parts.size()));
  for (std::size_t i = 1; i < list.parts.size(); ++i) sint(list.offsets[i] - list.offsets[i - 1]);
  for (std::size_t i = 0; i < (equal ? 1 : list.parts.size()); ++i) node(*list.parts[i]);
}

void Writer::runs(const Node& runs) {
  const bool equal = runs.lengths.size() == 1;
  bytes_.reserve(bytes_.size() + runs.offsets.size() * (equal ? 3 : 5));
  tag(equal ? Tag::equal_runs : Tag::runs);
  uint(static_cast<i64>(runs.offsets.size()));
  uint(runs.lengths[0]);
  for (std::size_t i = 1; i < runs.offsets.size(); ++i) {
    const i64 previous = runs.lengths[equal ? 0 : i - 1];
    sint(runs.offsets[i] - runs.offsets[i - 1] - previous);
    if (!equal) uint(runs.lengths[i]);
  }
}

// --- Reading ---

/// After the first number that is cut off or out of range, `failed` and nothing but zeros.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  i64 uint() {
    const std::uint64_t value = number();
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return fail();
    return static_cast<i64>(value);
  }
  i64 sint() {
    const std::uint64_t value = number();
    const auto half = static_cast<i64>(value >> 1);
    return (value & 1) != 0 ? ~half : half;
  }
  Tag tag() {
    const i64 value = uint();
    return value > static_cast<i64>(Tag::runs) ? Tag::none : static_cast<Tag>(value);
  }
  /// A number of entries, each of which takes at least one byte but the first.
  std::size_t entries() {
    const auto n = static_cast<std::size_t>(uint());
    return n >= 1 && n - 1 <= bytes_.size() ? n : static_cast<std::size_t>(fail());
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool done() const { return !failed_ && bytes_.empty(); }
  i64 fail() {
    failed_ = true;
    bytes_ = {};
    return 0;
  }

 private:
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(bytes_[0]);
      bytes_ = bytes_.subspan(1);
      if (shift == 63 && byte > 1) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

std::optional<Pattern> read_node(Reader& in, int depth);

/// The sum of two numbers of the form; a failure of the reader if it overflows.
i64 sum(Reader& in, i64 a, i64 b) {
  i64 result = 0;
  return __builtin_add_overflow(a, b, &result) ? in.fail() : result;
}

std::optional<Pattern> read_list(Reader& in, bool equal, int depth) {
  const std::size_t n = in.entries();
  std::vector<i64> offsets(n);
  for (std::size_t i = 1; i < n; ++i) offsets[i] = sum(in, offsets[i - 1], in.sint());
  std::vector<Pattern> parts;
  bool flat = true;  // a list of nothing but runs is not sent as a list: refuse to flatten it
  for (std::size_t i = 0; i < n; ++i) {
    const auto part = equal && i > 0 ? parts[0] : read_node(in, depth + 1);
    if (!part) return std::nullopt;
    const auto placed = checked::shifted(*part, offsets[i]);
    if (!placed) return std::nullopt;
    flat = flat && part->node()->kind != Node::Kind::loop && part->node()->kind != Node::Kind::list;
    parts.push_back(*placed);
  }
  if (flat || in.failed()) return std::nullopt;
  return checked::sequence(parts);
}

std::optional<Pattern> read_runs(Reader& in, bool equal) {
  const std::size_t n = in.entries();
  std::vector<i64> lengths{in.uint()};
  std::vector<i64> offsets(n);
  lengths.reserve(equal ? 1 : n);
  for (std::size_t i = 1; i < n; ++i) {
    offsets[i] = sum(in, sum(in, offsets[i - 1], lengths.back()), in.sint());
    if (!equal) lengths.push_back(in.uint());
  }
  if (in.failed()) return std::nullopt;
  return checked::runs(std::move(offsets), std::move(lengths));
}

std::optional<Pattern> read_node(Reader& in, Tag tag, int depth) {
  if (depth > max_depth) return std::nullopt;
  switch (tag) {
    case Tag::run: return checked::run(0, in.uint());
    case Tag::loop: {
      const i64 count = in.uint();
      const i64 stride = in.sint();
      const auto body = read_node(in, depth + 1);
      return body ? checked::loop(count, stride, *body) : std::nullopt;
    }
    case Tag::list:
    case Tag::equal_list: return read_list(in, tag == Tag::equal_list, depth);
    case Tag::equal_runs:
    case Tag::runs: return read_runs(in, tag == Tag::equal_runs);
    case Tag::none: break;
  }
  return std::nullopt;
}

std::optional<Pattern> read_node(Reader& in, int depth) { return read_node(in, in.tag(), depth); }

// --- Hashing ---

template <class T>
std::uint64_t mixed(std::uint64_t seed, std::span<const T> values) {
  return XXH3_64bits_withSeed(values.data(), values.size_bytes(), seed);
}

std::uint64_t hash_of(const Node& node) {
  const i64 fields[] = {static_cast<i64>(node.kind), node.size, node.count, node.stride};
  std::uint64_t hash = mixed<i64>(0, fields);
  hash = mixed<i64>(hash, node.offsets);
  hash = mixed<i64>(hash, node.lengths);
  std::vector<std::uint64_t> children;
  children.reserve(node.parts.size() + 1);
  if (node.body) children.push_back(hash_of(*node.body));
  for (std::size_t i = 0; i < node.parts.size(); ++i) {
    const bool shared = i > 0 && node.parts[i] == node.parts[i - 1];
    children.push_back(shared ? children.back() : hash_of(*node.parts[i]));
  }
  return mixed<std::uint64_t>(hash, children);
}

}  // namespace

std::vector<std::byte> encode(const Access& access) {
  const Access used = trimmed(access);
  Writer out;
  if (used.empty()) {
    out.tag(Tag::none);
    return out.take();
  }
  out.node(*used.pattern.node());
  out.sint(used.pattern.origin());
  out.uint(used.begin);
  out.uint(used.pattern.size() - used.end);
  return out.take();
}

std::optional<Access> decode(std::span<const std::byte> bytes) {
  if (bytes.size() == 1 && bytes[0] == std::byte{0}) return Access();
  Reader in(bytes);
  const auto body = read_node(in, 0);
  if (!body) return std::nullopt;
  const auto pattern = checked::shifted(*body, in.sint());
  const i64 begin = in.uint();
  const i64 cut = in.uint();
  if (!pattern || !in.done() || cut >= pattern->size() - begin) return std::nullopt;
  return Access{*pattern, begin, pattern->size() - cut};
}

std::uint64_t fingerprint(const Access& access) {
  const Access used = trimmed(access);
  if (used.empty()) return 0;
  const i64 ends[] = {used.begin, used.end};
  return mixed<i64>(hash_of(*used.pattern.node()), ends);
}

}  // namespace resonio::pattern
