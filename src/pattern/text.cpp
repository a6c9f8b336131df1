// The text form:
//
//   pattern = "empty" | ["@" offset] node
//   node    = { count "x[" stride "]" } leaf             loops, outermost first
//   leaf    = length                                     one run
//           | "(" offset ":" node { "|" offset ":" node } ")"     list
//           | "{" offset "+" length { "," offset "+" length } "}" runs
//
// Offsets in lists are relative to the list's place. Spaces may stand between any two symbols.
// All on one line, and complete: a list of a million runs is a long line.
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <iterator>

#include "pattern/checked.hpp"
#include "pattern/wire.hpp"

namespace resonio::pattern {
namespace {

using Out = std::back_insert_iterator<std::string>;

void print(const Node& node, Out out) {
  switch (node.kind) {
    case Node::Kind::run: fmt::format_to(out, "{}", node.size); return;
    case Node::Kind::loop:
      fmt::format_to(out, "{}x[{}] ", node.count, node.stride);
      print(*node.body, out);
      return;
    case Node::Kind::list:
      for (std::size_t i = 0; i < node.parts.size(); ++i) {
        fmt::format_to(out, "{}{}: ", i == 0 ? "(" : " | ", node.offsets[i]);
        print(*node.parts[i], out);
      }
      *out = ')';
      return;
    case Node::Kind::runs:
      for (std::size_t i = 0; i < node.offsets.size(); ++i)
        fmt::format_to(out, "{}{}+{}", i == 0 ? "{" : ", ", node.offsets[i],
                       node.lengths[node.lengths.size() == 1 ? 0 : i]);
      *out = '}';
      return;
  }
}

/// Recursive descent; after the first error every step returns nothing.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}
  std::optional<Pattern> pattern();
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::optional<Pattern> node();
  std::optional<Pattern> leaf();
  std::optional<Pattern> list();
  std::optional<Pattern> runs();
  std::optional<i64> number(const char* what);
  bool accept(std::string_view symbol);
  bool expect(std::string_view symbol);
  std::nullopt_t error(std::string_view reason);
  /// The pattern, or the error that its numbers are not possible.
  std::optional<Pattern> checked(std::optional<Pattern> pattern) {
    if (!pattern) error("not positive, or beyond the limit of 2^62 bytes");
    return pattern;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string why_;
};

std::nullopt_t Parser::error(std::string_view reason) {
  if (why_.empty()) why_ = fmt::format("at character {}: {}", at_ + 1, reason);
  return std::nullopt;
}

bool Parser::accept(std::string_view symbol) {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  if (!text_.substr(at_).starts_with(symbol)) return false;
  at_ += symbol.size();
  return true;
}

bool Parser::expect(std::string_view symbol) {
  if (accept(symbol)) return true;
  error(fmt::format("'{}' expected", symbol));
  return false;
}

std::optional<i64> Parser::number(const char* what) {
  accept("");  // spaces
  i64 value = 0;
  const char* begin = text_.data() + at_;
  const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (code == std::errc::result_out_of_range) return error(fmt::format("{} is too large", what));
  if (code != std::errc()) return error(fmt::format("{} expected", what));
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

std::optional<Pattern> Parser::pattern() {
  std::optional<Pattern> result;
  if (accept("empty")) {
    result = Pattern();
  } else {
    const auto origin = accept("@") ? number("offset") : 0;
    if (!origin) return std::nullopt;
    const auto body = node();
    if (!body) return std::nullopt;
    result = checked(checked::shifted(*body, *origin));
  }
  accept("");
  if (result && at_ != text_.size()) return error("end of text expected");
  return result;
}

std::optional<Pattern> Parser::node() {
  constexpr int max_depth = 500;
  if (++depth_ > max_depth) return error("nested too deeply");
  auto result = leaf();
  --depth_;
  return result;
}

std::optional<Pattern> Parser::leaf() {
  if (accept("(")) return list();
  if (accept("{")) return runs();
  const auto first = number("length, count, '(' or '{'");
  if (!first) return std::nullopt;
  if (!accept("x[")) return checked(checked::run(0, *first));
  const auto stride = number("stride");
  if (!stride || !expect("]")) return std::nullopt;
  const auto body = node();
  return body ? checked(checked::loop(*first, *stride, *body)) : std::nullopt;
}

std::optional<Pattern> Parser::list() {
  std::vector<Pattern> parts;
  do {
    const auto offset = number("offset");
    if (!offset || !expect(":")) return std::nullopt;
    const auto body = node();
    if (!body) return std::nullopt;
    const auto part = checked(checked::shifted(*body, *offset));
    if (!part) return std::nullopt;
    parts.push_back(*part);
  } while (accept("|"));
  if (!expect(")")) return std::nullopt;
  return checked(checked::sequence(parts));
}

std::optional<Pattern> Parser::runs() {
  std::vector<i64> offsets;
  std::vector<i64> lengths;
  do {
    const auto offset = number("offset");
    if (!offset || !expect("+")) return std::nullopt;
    const auto length = number("length");
    if (!length) return std::nullopt;
    offsets.push_back(*offset);
    lengths.push_back(*length);
  } while (accept(","));
  if (!expect("}")) return std::nullopt;
  return checked(checked::runs(std::move(offsets), std::move(lengths)));
}

}  // namespace

std::string to_text(const Pattern& pattern) {
  if (pattern.empty()) return "empty";
  std::string text = fmt::format("@{} ", pattern.origin());
  print(*pattern.node(), std::back_inserter(text));
  return text;
}

std::optional<Pattern> from_text(std::string_view text, std::string* why) {
  Parser parser(text);
  auto pattern = parser.pattern();
  if (!pattern && why != nullptr) *why = parser.why();
  return pattern;
}

}  // namespace resonio::pattern
