// Log to stderr, chosen by RESONIO_LOG=error|warning|info|debug (default: warning).
// One line a message: "resonio[rank] level: text".
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace resonio::log {

enum class Level { error, warning, info, debug };

/// True if messages of this level are printed.
[[nodiscard]] bool enabled(Level level);
void write(Level level, std::string_view text);
/// Rank shown in each line (of MPI_COMM_WORLD); -1 until known.
void set_rank(int rank);

template <class... A>
void error(fmt::format_string<A...> f, A&&... a) {
  if (enabled(Level::error)) write(Level::error, fmt::format(f, std::forward<A>(a)...));
}
template <class... A>
void warning(fmt::format_string<A...> f, A&&... a) {
  if (enabled(Level::warning)) write(Level::warning, fmt::format(f, std::forward<A>(a)...));
}
template <class... A>
void info(fmt::format_string<A...> f, A&&... a) {
  if (enabled(Level::info)) write(Level::info, fmt::format(f, std::forward<A>(a)...));
}
template <class... A>
void debug(fmt::format_string<A...> f, A&&... a) {
  if (enabled(Level::debug)) write(Level::debug, fmt::format(f, std::forward<A>(a)...));
}

}  // namespace resonio::log
