#include "comm/comm.hpp"

#include <map>

namespace resonio::comm {

NodeMap::NodeMap(std::span<const int> node_of) {
  std::map<int, int> number_of;  // label → node
  for (const int label : node_of) {
    const int rank = static_cast<int>(node_of_.size());
    const auto [entry, fresh] = number_of.try_emplace(label, static_cast<int>(members_.size()));
    if (fresh) members_.emplace_back();
    auto& members = members_[static_cast<std::size_t>(entry->second)];
    node_of_.push_back(entry->second);
    local_.push_back(static_cast<int>(members.size()));
    members.push_back(rank);
  }
}

// Only where somebody failed is more than four bytes a rank moved.
Error Comm::agree(const Error& mine) {
  const std::int32_t failed = mine.ok() ? 0 : 1;
  std::int32_t few[64];
  std::vector<std::int32_t> many;
  std::int32_t* all = few;
  const auto ranks = static_cast<std::size_t>(size());
  if (ranks > std::size(few)) {
    many.resize(ranks);
    all = many.data();
  }
  allgather(&failed, all, sizeof failed);
  for (int r = 0; r < size(); ++r) {
    if (all[r] == 0) continue;
    Error result = mine;
    broadcast(&result, sizeof result, r);
    result.rank = r;
    return result;
  }
  return {};
}

}  // namespace resonio::comm
