#include "mpiio/hints.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>

#include "base/log.hpp"

namespace resonio::mpiio {
namespace {

/// The text up to the separator; what follows it stays in `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const auto at = rest.find(separator);
  const auto taken = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return taken;
}

bool matches(std::string_view glob, const std::string& file) {
  const std::string pattern(glob);
  const std::string last = file.substr(file.find_last_of('/') + 1);
  return fnmatch(pattern.c_str(), file.c_str(), 0) == 0 ||
         fnmatch(pattern.c_str(), last.c_str(), 0) == 0;
}

std::vector<Hint> info_hints(MPI_Info info) {
  std::vector<Hint> hints;
  if (info == MPI_INFO_NULL) return hints;
  const auto& api = mpi::api();
  int count = 0;
  api.Info_get_nkeys(info, &count);
  for (int i = 0; i < count; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    char value[MPI_MAX_INFO_VAL + 1] = {};
    int found = 0;
    api.Info_get_nthkey(info, i, key);
    api.Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    if (found != 0) hints.push_back({key, value});
  }
  return hints;
}

void apply(Options& options, const std::vector<Hint>& hints, const char* from,
           const std::string& file) {
  for (const Hint& hint : hints) {
    std::string why;
    switch (set_hint(options, hint.name, hint.value, &why)) {
      case HintStatus::taken: break;
      case HintStatus::unknown:
        log::info("{}: hint {}={} from {} is unknown and ignored", file, hint.name, hint.value,
                  from);
        break;
      case HintStatus::invalid:
        log::warning("{}: hint {}={} from {} is not used: {}; {} stays", file, hint.name,
                     hint.value, from, why, get_hint(options, hint.name));
        break;
    }
  }
}

}  // namespace

std::vector<Hint> environment_hints(std::string_view setting, const std::string& file) {
  std::vector<Hint> hints;
  while (!setting.empty()) {
    std::string_view entry = take(setting, ',');
    if (!matches(take(entry, ':'), file)) continue;
    while (!entry.empty()) {
      std::string_view value = take(entry, ':');
      const std::string_view name = take(value, '=');
      if (!name.empty()) hints.push_back({std::string(name), std::string(value)});
    }
  }
  return hints;
}

Options with_hints(const Options& options, MPI_Info info, const std::string& file) {
  Options result = options;
  apply(result, info_hints(info), "the program", file);
  if (const char* setting = std::getenv("RESONIO_HINTS"))
    apply(result, environment_hints(setting, file), "RESONIO_HINTS", file);
  return result;
}

MPI_Info make_info(const Options& options, const std::vector<Hint>& more) {
  const auto& api = mpi::api();
  MPI_Info info = MPI_INFO_NULL;
  api.Info_create(&info);
  const auto set = [&](const std::string& name, std::string value) {
    value.resize(std::min<std::size_t>(value.size(), MPI_MAX_INFO_VAL - 1));
    if (!value.empty()) api.Info_set(info, name.c_str(), value.c_str());
  };
  for (const HintInfo& hint : known_hints())
    set(std::string(hint.name), get_hint(options, hint.name));
  for (const Hint& hint : more) set(hint.name, hint.value);
  return info;
}

}  // namespace resonio::mpiio
