// Allgather, broadcast and barrier for every kind of Comm, written once: through a board in
// shared memory inside a node, by messages of the node leaders between nodes.
//
// One step: each rank puts its part on the board and arrives. The last to arrive releases
// the others, or, where there are several nodes, tells the leader, who trades with the other
// leaders first. The board has two areas in turn: whoever enters step n knows that all ranks
// of the node were released from step n-1, hence had read the area of step n-2. So a step
// needs one synchronisation, not two.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "comm/comm.hpp"
#include "comm/wait.hpp"

namespace resonio::comm {

/// Tags above the engine's.
constexpr int tag_collective = 1000;
constexpr int tag_share = 1001;

/// Labels of a node map in which every rank is a node of its own.
std::vector<int> every_rank_alone(int ranks);

class NodeCollectives : public Comm {
 public:
  [[nodiscard]] const NodeMap& nodes() const final { return nodes_; }
  void allgather(const void* mine, void* all, i64 bytes) final;
  void broadcast(void* data, i64 bytes, int root) final;
  void barrier() final;

 protected:
  /// Starts with every rank as a node of its own and no board.
  explicit NodeCollectives(int ranks);
  /// Size of the board of a communicator.
  [[nodiscard]] static i64 board_bytes(int ranks);
  /// Sets the node map and this node's board. Before it, only messages work.
  void attach(NodeMap nodes, std::shared_ptr<SharedMemory> board);

 private:
  struct Board;
  [[nodiscard]] Board& board() const;
  [[nodiscard]] std::byte* area() const;
  template <class BetweenNodes>
  void step(BetweenNodes between_nodes);
  void trade_blocks(std::byte* area, i64 bytes);
  void pass_on(std::byte* area, i64 bytes, int root_node);

  NodeMap nodes_;
  std::shared_ptr<SharedMemory> memory_;
  // A rank's place on the board: ordered by node, so that a node's part is one block.
  std::vector<int> rank_at_;      // place → rank
  std::vector<i64> first_place_;  // of each node; one more at the end
  i64 my_place_ = 0;
  bool in_rank_order_ = true;
  i64 area_bytes_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace resonio::comm
