#include "comm/node_collectives.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "comm/messages.hpp"

namespace resonio::comm {
namespace {

constexpr std::size_t cache_line = 64;

/// Pages that are never used cost nothing, so the area is roomy.
i64 bytes_of_area(int ranks) { return std::max<i64>(i64{1} << 20, i64{256} * ranks); }

void copy_bytes(void* to, const void* from, i64 bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

std::vector<int> every_rank_alone(int ranks) {
  std::vector<int> labels(static_cast<std::size_t>(ranks));
  std::iota(labels.begin(), labels.end(), 0);
  return labels;
}

struct NodeCollectives::Board {
  alignas(cache_line) std::atomic<std::uint32_t> arrived;
  alignas(cache_line) Signal full;      // epoch in which all have arrived: for the leader
  alignas(cache_line) Signal released;  // epoch whose result may be read
};

NodeCollectives::NodeCollectives(int ranks) : nodes_(every_rank_alone(ranks)) {}

i64 NodeCollectives::board_bytes(int ranks) {
  return static_cast<i64>(sizeof(Board)) + 2 * bytes_of_area(ranks);
}

void NodeCollectives::attach(NodeMap nodes, std::shared_ptr<SharedMemory> board) {
  nodes_ = std::move(nodes);
  memory_ = std::move(board);
  area_bytes_ = bytes_of_area(size());
  epoch_ = 0;
  rank_at_.clear();
  first_place_.clear();
  for (int node = 0; node < nodes_.nodes(); ++node) {
    first_place_.push_back(static_cast<i64>(rank_at_.size()));
    const auto& members = nodes_.members(node);
    rank_at_.insert(rank_at_.end(), members.begin(), members.end());
  }
  first_place_.push_back(static_cast<i64>(rank_at_.size()));
  const auto node = static_cast<std::size_t>(nodes_.node_of(rank()));
  my_place_ = first_place_[node] + nodes_.local_index(rank());
  in_rank_order_ = std::is_sorted(rank_at_.begin(), rank_at_.end());
}

NodeCollectives::Board& NodeCollectives::board() const {
  return *std::launder(reinterpret_cast<Board*>(memory_->base()));
}

std::byte* NodeCollectives::area() const {
  return memory_->base() + sizeof(Board) + (epoch_ % 2) * static_cast<std::size_t>(area_bytes_);
}

/// The second half of a step: this rank's part is on the board. Afterwards the area holds
/// what between_nodes() and the node's ranks put there.
template <class BetweenNodes>
void NodeCollectives::step(BetweenNodes between_nodes) {
  Board& shared = board();
  const auto& members = nodes_.members(nodes_.node_of(rank()));
  const bool leader = members.front() == rank();
  const auto before = shared.arrived.fetch_add(1, std::memory_order_acq_rel);
  const bool last = before + 1 == members.size();
  if (last) shared.arrived.store(0, std::memory_order_relaxed);

  if (nodes_.nodes() == 1) {
    if (last) shared.released.set(epoch_);
    else wait_for(shared.released, epoch_, *this);
  } else if (leader) {
    if (!last) wait_for(shared.full, epoch_, *this);
    between_nodes();
    shared.released.set(epoch_);
  } else {
    if (last) shared.full.set(epoch_);
    wait_for(shared.released, epoch_, *this);
  }
}

void NodeCollectives::allgather(const void* mine, void* all, i64 bytes) {
  if (size() == 1) return copy_bytes(all, mine, bytes);
  const auto* source = static_cast<const std::byte*>(mine);
  auto* target = static_cast<std::byte*>(all);
  const i64 most = area_bytes_ / size();
  i64 done = 0;
  do {
    const i64 part = std::min(most, bytes - done);
    ++epoch_;
    std::byte* const shared = area();
    copy_bytes(shared + my_place_ * part, source + done, part);
    step([&] { trade_blocks(shared, part); });
    if (in_rank_order_ && part == bytes) {
      copy_bytes(target, shared, bytes * size());
    } else {
      for (int place = 0; place < size(); ++place)
        copy_bytes(target + rank_at_[static_cast<std::size_t>(place)] * bytes + done,
                   shared + place * part, part);
    }
    done += part;
  } while (done < bytes);
}

void NodeCollectives::barrier() { allgather(nullptr, nullptr, 0); }

void NodeCollectives::broadcast(void* data, i64 bytes, int root) {
  if (size() == 1) return;
  auto* position = static_cast<std::byte*>(data);
  for (i64 done = 0; done < bytes;) {
    const i64 part = std::min(area_bytes_, bytes - done);
    ++epoch_;
    std::byte* const shared = area();
    if (rank() == root) copy_bytes(shared, position + done, part);
    step([&] { pass_on(shared, part, nodes_.node_of(root)); });
    if (rank() != root) copy_bytes(position + done, shared, part);
    done += part;
  }
}

/// Bruck's allgather of the nodes' blocks (`bytes` a rank): in phase k, node i holds blocks
/// i ... i + 2^k - 1 (cyclic) and sends them to node i - 2^k. Blocks already lie where they
/// belong, so a cyclic range is one message, or two where it wraps round.
void NodeCollectives::trade_blocks(std::byte* area, i64 bytes) {
  const int count = nodes_.nodes();
  const int me = nodes_.node_of(rank());
  const auto each_piece = [&](int first, int blocks, auto use) {
    const int end = std::min(first + blocks, count);
    const auto place = [&](int node) { return first_place_[static_cast<std::size_t>(node)]; };
    use(area + place(first) * bytes, (place(end) - place(first)) * bytes);
    if (first + blocks > count) use(area, place(first + blocks - count) * bytes);
  };
  std::vector<RequestPtr> requests;
  for (int have = 1; have < count; have *= 2) {
    const int blocks = std::min(have, count - have);
    const int from_node = (me + have) % count;
    const int from = nodes_.members(from_node).front();
    const int to = nodes_.members((me - have + count) % count).front();
    requests.clear();
    each_piece(from_node, blocks, [&](std::byte* data, i64 length) {
      requests.push_back(irecv(data, length, from, tag_collective));
    });
    each_piece(me, blocks, [&](std::byte* data, i64 length) {
      requests.push_back(isend(data, length, to, tag_collective));
    });
    wait_all(requests);
  }
}

/// Binomial tree over the nodes, from root_node.
void NodeCollectives::pass_on(std::byte* area, i64 bytes, int root_node) {
  const int count = nodes_.nodes();
  const int relative = (nodes_.node_of(rank()) - root_node + count) % count;
  const auto leader = [&](int r) { return nodes_.members((r + root_node) % count).front(); };
  int distance = 1;
  while (distance < count && (relative & distance) == 0) distance *= 2;
  if (relative != 0) receive(*this, area, bytes, leader(relative - distance), tag_collective);
  std::vector<RequestPtr> requests;
  for (distance /= 2; distance > 0; distance /= 2)
    if (relative + distance < count)
      requests.push_back(isend(area, bytes, leader(relative + distance), tag_collective));
  wait_all(requests);
}

}  // namespace resonio::comm
