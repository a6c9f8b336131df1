// The one table of hints: name, kind, meaning, and how a value becomes an option.
#include "base/options.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <limits>

namespace resonio {
namespace {

enum class Kind { bytes, count, toggle, strategy };

struct Hint {
  HintInfo info;
  Kind kind;
  std::size_t offset;    // of the member in Options
  std::int64_t minimum;  // bytes, count
};

#define BYTES(name, member, minimum, meaning) \
  Hint { {name, "bytes", meaning}, Kind::bytes, offsetof(Options, member), minimum }
#define COUNT(name, member, minimum, meaning) \
  Hint { {name, "count", meaning}, Kind::count, offsetof(Options, member), minimum }
#define TOGGLE(name, member, meaning) \
  Hint { {name, "toggle", meaning}, Kind::toggle, offsetof(Options, member), 0 }
#define STRATEGY(name, member, meaning) \
  Hint { {name, "strategy", meaning}, Kind::strategy, offsetof(Options, member), 0 }

constexpr std::array table = {
    STRATEGY("resonio_strategy_read", strategy_read, "strategy for reads, or auto"),
    STRATEGY("resonio_strategy_write", strategy_write, "strategy for writes, or auto"),
    COUNT("resonio_list_segments", list_segments, 1,
          "segments of one list request (strategies list and pattern)"),
    BYTES("cb_buffer_size", cb_buffer_size, 4096,
          "bytes an agent (aggregator) moves in one round of a collective call"),
    COUNT("cb_nodes", cb_nodes, 0, "number of agents (aggregators); 0 = chosen by resonio"),
    BYTES("ind_rd_buffer_size", ind_rd_buffer_size, 4096, "window of read sieving"),
    BYTES("ind_wr_buffer_size", ind_wr_buffer_size, 4096, "window of write sieving"),
    TOGGLE("romio_cb_read", cb_read,
           "collective buffering for reads: enable = always, disable = never"),
    TOGGLE("romio_cb_write", cb_write,
           "collective buffering for writes: enable = always, disable = never"),
    TOGGLE("romio_ds_read", ds_read,
           "data sieving for reads: enable = always where there are holes, disable = never"),
    TOGGLE("romio_ds_write", ds_write,
           "data sieving for writes (holes are read and rewritten under a lock): enable = always "
           "where there are holes, disable = never"),
    BYTES("striping_unit", striping_unit, 0,
          "stripe size of the file; boundaries between agents are aligned to it"),
    COUNT("striping_factor", striping_factor, 0, "number of servers of the file"),
};

constexpr std::array<std::string_view, 3> toggles = {"automatic", "enable", "disable"};
constexpr std::size_t strategy_size = sizeof(Options::strategy_read);

template <class T>
T& member(Options& options, std::size_t offset) {
  return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(&options) + offset);
}

const Hint* find(std::string_view name) {
  for (const Hint& hint : table)
    if (hint.info.name == name) return &hint;
  return nullptr;
}

/// A decimal number, for bytes also with K, M, G.
bool parse(std::string_view text, bool suffix, std::int64_t& result) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{}) return false;
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  if (unit.empty()) return true;
  const auto power = std::string_view("KMG").find(unit[0]);
  if (!suffix || unit.size() != 1 || power == std::string_view::npos || result < 0) return false;
  const int shift = 10 * (static_cast<int>(power) + 1);
  if (result > (std::numeric_limits<std::int64_t>::max() >> shift)) return false;
  result <<= shift;
  return true;
}

bool set_number(Options& options, const Hint& hint, std::string_view value, std::string* why) {
  std::int64_t number = 0;
  if (!parse(value, hint.kind == Kind::bytes, number)) {
    *why =
        hint.kind == Kind::bytes ? "not a number of bytes (such as 4194304 or 4M)" : "not a number";
    return false;
  }
  if (number < hint.minimum) {
    *why = fmt::format("less than {}", hint.minimum);
    return false;
  }
  member<std::int64_t>(options, hint.offset) = number;
  return true;
}

bool set_toggle(Options& options, const Hint& hint, std::string_view value, std::string* why) {
  for (std::size_t i = 0; i < toggles.size(); ++i)
    if (toggles[i] == value) {
      member<Toggle>(options, hint.offset) = static_cast<Toggle>(i);
      return true;
    }
  *why = "not one of automatic, enable, disable";
  return false;
}

bool set_strategy(char (&target)[strategy_size], std::string_view value, std::string* why) {
  if (value.empty() || value.size() >= strategy_size) {
    *why = "not the name of a strategy";
    return false;
  }
  std::memset(target, 0, strategy_size);
  std::memcpy(target, value.data(), value.size());
  return true;
}

constexpr HintInfo both_strategies = {"resonio_strategy", "strategy",
                                      "strategy for reads and writes, or auto"};

}  // namespace

std::span<const HintInfo> known_hints() {
  static const auto infos = [] {
    std::array<HintInfo, table.size() + 1> all{};
    all[0] = both_strategies;
    for (std::size_t i = 0; i < table.size(); ++i) all[i + 1] = table[i].info;
    return all;
  }();
  return infos;
}

HintStatus set_hint(Options& options, std::string_view name, std::string_view value,
                    std::string* why) {
  std::string ignored;
  if (why == nullptr) why = &ignored;
  if (name == both_strategies.name) {
    const bool taken = set_strategy(options.strategy_read, value, why) &&
                       set_strategy(options.strategy_write, value, why);
    return taken ? HintStatus::taken : HintStatus::invalid;
  }
  const Hint* hint = find(name);
  if (hint == nullptr) return HintStatus::unknown;
  bool taken = false;
  switch (hint->kind) {
    case Kind::bytes:
    case Kind::count: taken = set_number(options, *hint, value, why); break;
    case Kind::toggle: taken = set_toggle(options, *hint, value, why); break;
    case Kind::strategy:
      taken = set_strategy(member<char[strategy_size]>(options, hint->offset), value, why);
      break;
  }
  return taken ? HintStatus::taken : HintStatus::invalid;
}

std::string get_hint(const Options& const_options, std::string_view name) {
  Options options = const_options;
  if (name == both_strategies.name) {
    const std::string_view read = options.strategy_read;
    return std::string(read == options.strategy_write ? read : "mixed");
  }
  const Hint* hint = find(name);
  if (hint == nullptr) return {};
  switch (hint->kind) {
    case Kind::bytes:
    case Kind::count: return std::to_string(member<std::int64_t>(options, hint->offset));
    case Kind::toggle:
      return std::string(toggles[static_cast<std::size_t>(member<Toggle>(options, hint->offset))]);
    case Kind::strategy: return member<char[strategy_size]>(options, hint->offset);
  }
  return {};
}

}  // namespace resonio
