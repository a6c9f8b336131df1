// The small communicator that the engine needs. Two kinds: over MPI (src/comm/mpi_comm),
// and over threads of one process (src/comm/thread_comm; tests of many ranks, no mpirun).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"

namespace resonio::comm {

using i64 = std::int64_t;

/// Which ranks share memory. Node numbers ascend with their lowest rank.
class NodeMap {
 public:
  /// node_of[r]: any label; equal labels = same node.
  explicit NodeMap(std::span<const int> node_of);
  [[nodiscard]] int nodes() const { return static_cast<int>(members_.size()); }
  [[nodiscard]] int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// Ranks on a node, ascending; the first is its leader.
  [[nodiscard]] const std::vector<int>& members(int node) const {
    return members_[static_cast<std::size_t>(node)];
  }
  /// Index of a rank among its node's members.
  [[nodiscard]] int local_index(int rank) const { return local_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<int> node_of_;
  std::vector<int> local_;
  std::vector<std::vector<int>> members_;
};

/// Memory shared by the ranks of one node, zeroed. base() may differ between processes.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  [[nodiscard]] virtual std::byte* base() const = 0;
  [[nodiscard]] virtual i64 size() const = 0;
};

/// A point-to-point operation under way. Owned by the caller; wait before destroying it.
class Request {
 public:
  virtual ~Request() = default;
  /// True once done (stays true). Makes progress. Must be called by the comm's own thread.
  virtual bool test() = 0;
};
using RequestPtr = std::unique_ptr<Request>;

/// Not thread-safe: one thread per rank calls it, except where noted.
class Comm {
 public:
  virtual ~Comm() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual const NodeMap& nodes() const = 0;

  /// Non-blocking messages of any int64 length (bytes; > 2 GiB is split inside). Buffers
  /// stay the caller's until the request is done. Tags 0 ... 999 are the engine's.
  virtual RequestPtr isend(const void* data, i64 bytes, int to, int tag) = 0;
  virtual RequestPtr irecv(void* data, i64 bytes, int from, int tag) = 0;

  /// Keeps messages of the whole process moving (PMPI_Iprobe); cheap.
  virtual void progress() = 0;

  /// Collective over the ranks of this node: fresh zeroed shared memory, at least `bytes`
  /// (the same on all). Null on all of them if it cannot be had (logged why).
  virtual std::shared_ptr<SharedMemory> share(i64 bytes) = 0;

  /// Collective: mine (bytes) of every rank, in rank order, into all (bytes * size()).
  /// Through shared memory inside a node, messages between node leaders.
  virtual void allgather(const void* mine, void* all, i64 bytes) = 0;
  /// Collective: data of rank root to all.
  virtual void broadcast(void* data, i64 bytes, int root) = 0;
  virtual void barrier() = 0;

  /// Collective: the error of the lowest failing rank, on all ranks (its `rank` set); ok if
  /// none failed.
  [[nodiscard]] Error agree(const Error& mine);
};

}  // namespace resonio::comm
