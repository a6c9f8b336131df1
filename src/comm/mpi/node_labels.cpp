#include "comm/mpi/node_labels.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "base/log.hpp"
#include "comm/mpi/mpi_error.hpp"

namespace resonio::comm {
namespace {

/// RESONIO_NODES, at least 1.
int virtual_nodes() {
  const char* text = std::getenv("RESONIO_NODES");
  if (text == nullptr || *text == '\0') return 1;
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error == std::errc{} && rest == end && value >= 1) return value;
  log::warning("RESONIO_NODES={} is not a positive number; ignored", text);
  return 1;
}

/// Lowest rank on this rank's node.
int leader_of_node(MPI_Comm comm, int rank) {
  const auto& api = mpi::api();
  MPI_Comm node = MPI_COMM_NULL;
  check(api.Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
        "Comm_split_type");
  int leader = rank;
  const int error = api.Bcast(&leader, 1, MPI_INT, 0, node);
  api.Comm_free(&node);
  check(error, "Bcast");
  return leader;
}

}  // namespace

std::vector<int> node_labels(MPI_Comm comm) {
  const auto& api = mpi::api();
  int rank = 0;
  int size = 0;
  check(api.Comm_rank(comm, &rank), "Comm_rank");
  check(api.Comm_size(comm, &size), "Comm_size");
  if (size == 1) return {0};

  const int mine[2] = {leader_of_node(comm, rank), rank == 0 ? virtual_nodes() : 0};
  std::vector<int> all(2 * static_cast<std::size_t>(size));
  check(api.Allgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, comm), "Allgather");

  const std::int64_t blocks = std::min(all[1], size);
  std::map<std::pair<int, std::int64_t>, int> label_of;  // (real node, block)
  std::vector<int> labels;
  for (int r = 0; r < size; ++r) {
    const std::pair node(all[2 * static_cast<std::size_t>(r)], r * blocks / size);
    labels.push_back(label_of.try_emplace(node, static_cast<int>(label_of.size())).first->second);
  }
  return labels;
}

}  // namespace resonio::comm
