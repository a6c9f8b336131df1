#include "mpiio/statistics_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "mpiio/file.hpp"

namespace resonio::mpiio {
namespace {

using nlohmann::json;
using Phases = std::array<engine::Phase, 4>;
constexpr std::array<const char*, 4> phase_names = {"read", "write", "read_all", "write_all"};

void add(engine::Phase& sum, const engine::Phase& part) {
  sum.calls += part.calls;
  sum.bytes += part.bytes;
  sum.io_bytes += part.io_bytes;
  sum.io_requests += part.io_requests;
  sum.exchanged_bytes += part.exchanged_bytes;
  sum.messages += part.messages;
  sum.peers = std::max(sum.peers, part.peers);
  sum.rounds += part.rounds;
  sum.plan_seconds += part.plan_seconds;
  sum.exchange_seconds += part.exchange_seconds;
  sum.io_seconds += part.io_seconds;
  sum.total_seconds += part.total_seconds;
}

json to_json(const engine::Phase& p) {
  return {{"calls", p.calls},
          {"bytes", p.bytes},
          {"io_bytes", p.io_bytes},
          {"io_requests", p.io_requests},
          {"exchanged_bytes", p.exchanged_bytes},
          {"messages", p.messages},
          {"peers", p.peers},
          {"rounds", p.rounds},
          {"plan_seconds", p.plan_seconds},
          {"exchange_seconds", p.exchange_seconds},
          {"io_seconds", p.io_seconds},
          {"total_seconds", p.total_seconds}};
}

/// Collective: sums over all ranks, by phase.
json gather_phases(File& file) {
  const auto ranks = static_cast<std::size_t>(file.comm().size());
  std::vector<Phases> all(ranks);
  file.comm().allgather(&file.engine().statistics().phases, all.data(), sizeof(Phases));
  Phases sums{};
  for (const Phases& one : all)
    for (std::size_t i = 0; i < sums.size(); ++i) add(sums[i], one[i]);
  json result = json::object();
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i].calls > 0) result[phase_names[i]] = to_json(sums[i]);
  return result;
}

/// Collective: calls by strategy, summed over all ranks.
json gather_strategies(File& file) {
  comm::Comm& comm = file.comm();
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::string mine = json(file.engine().statistics().strategies).dump();
  const i64 length = static_cast<i64>(mine.size());
  std::vector<i64> lengths(ranks);
  comm.allgather(&length, lengths.data(), sizeof length);
  const auto longest = static_cast<std::size_t>(*std::max_element(lengths.begin(), lengths.end()));
  mine.resize(longest, ' ');
  std::string all(longest * ranks, ' ');
  comm.allgather(mine.data(), all.data(), static_cast<i64>(longest));
  std::map<std::string, i64> sums;
  for (std::size_t r = 0; r < ranks; ++r) {
    const json one = json::parse(all.substr(r * longest, longest));
    for (const auto& [name, calls] : one.items()) sums[name] += calls.get<i64>();
  }
  return sums;
}

json changed_hints(const Options& options) {
  json result = json::object();
  const Options defaults;
  for (const HintInfo& hint : known_hints())
    if (const std::string value = get_hint(options, hint.name);
        value != get_hint(defaults, hint.name))
      result[std::string(hint.name)] = value;
  return result;
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  mpi::api().Get_library_version(text, &length);
  const std::string_view all(text);  // one line (Open MPI) or several (MPICH)
  std::string version(all.substr(0, all.find('\n')));
  std::replace(version.begin(), version.end(), '\t', ' ');
  return version;
}

/// One write, so that lines of several programs do not mix.
void append_line(const char* path, const std::string& line) {
  const int fd = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const bool written =
      fd >= 0 && ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written) log::warning("RESONIO_STATS={}: {}", path, std::strerror(errno));
  if (fd >= 0) ::close(fd);
}

}  // namespace

void write_statistics(File& file) {
  comm::Comm& comm = file.comm();
  const char* path = std::getenv("RESONIO_STATS");
  bool wanted = path != nullptr && *path != '\0';
  comm.broadcast(&wanted, sizeof wanted, 0);
  if (!wanted) return;
  json line = {{"file", file.name()},
               {"ranks", comm.size()},
               {"nodes", comm.nodes().nodes()},
               {"mpi", mpi_library()},
               {"hints", changed_hints(file.engine().options())},
               {"phases", gather_phases(file)},
               {"strategies", gather_strategies(file)}};
  // A file name need not be UTF-8.
  if (comm.rank() == 0)
    append_line(path, line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace resonio::mpiio
