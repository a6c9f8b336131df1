// What hints decide, as values. Made from the hint table (src/base/options.cpp): names,
// meaning, checks and documentation of every hint live there and nowhere else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace resonio {

enum class Toggle : std::int32_t { automatic, enable, disable };

/// Trivially copyable: rank 0's values are broadcast at open, set_view and set_info.
struct Options {
  char strategy_read[32] = "auto";              // resonio_strategy, resonio_strategy_read
  char strategy_write[32] = "auto";             // resonio_strategy, resonio_strategy_write
  std::int64_t cb_buffer_size = 4 << 20;        // bytes an agent moves in one round
  std::int64_t cb_nodes = 0;                    // number of agents; 0 = automatic
  std::int64_t ind_rd_buffer_size = 512 << 10;  // sieving window, bytes; stays in the cache
  std::int64_t ind_wr_buffer_size = 512 << 10;
  std::int64_t list_segments = 64;     // resonio_list_segments: segments of one list request
  Toggle cb_read = Toggle::automatic;  // romio_cb_read
  Toggle cb_write = Toggle::automatic;
  Toggle ds_read = Toggle::automatic;  // romio_ds_read
  Toggle ds_write = Toggle::automatic;
  std::int64_t striping_unit = 0;  // 0 = unknown
  std::int64_t striping_factor = 0;
};

struct HintInfo {
  std::string_view name;
  std::string_view kind;  // "bytes", "count", "toggle", "strategy"
  std::string_view meaning;
};
/// Every hint resonio understands.
std::span<const HintInfo> known_hints();

enum class HintStatus { taken, unknown, invalid };
/// Sets the hint in options. invalid: value unusable, options unchanged, *why says why.
HintStatus set_hint(Options& options, std::string_view name, std::string_view value,
                    std::string* why);
/// The value in use, as MPI_File_get_info shows it. Empty if the name is unknown.
std::string get_hint(const Options& options, std::string_view name);

}  // namespace resonio
