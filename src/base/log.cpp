#include "base/log.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

namespace resonio::log {
namespace {

constexpr std::array<std::string_view, 4> names = {"error", "warning", "info", "debug"};
std::atomic<int> world_rank{-1};

void put(std::string_view line) {
  // One write a line, so that lines of several ranks do not mix.
  [[maybe_unused]] const auto n = ::write(STDERR_FILENO, line.data(), line.size());
}

Level level_from_environment() {
  const char* value = std::getenv("RESONIO_LOG");
  if (value == nullptr || *value == '\0') return Level::warning;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == value) return static_cast<Level>(i);
  put(fmt::format("resonio: warning: RESONIO_LOG={} is not one of error, warning, info, debug\n",
                  value));
  return Level::warning;
}

}  // namespace

bool enabled(Level level) {
  static const Level limit = level_from_environment();
  return level <= limit;
}

void set_rank(int rank) { world_rank = rank; }

void write(Level level, std::string_view text) {
  const int rank = world_rank;
  const auto name = names[static_cast<std::size_t>(level)];
  put(rank < 0 ? fmt::format("resonio: {}: {}\n", name, text)
               : fmt::format("resonio[{}] {}: {}\n", rank, name, text));
}

}  // namespace resonio::log
