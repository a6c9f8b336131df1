#include "comm/mpi/mpi_comm.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "comm/local_memory.hpp"
#include "comm/messages.hpp"
#include "comm/mpi/mpi_error.hpp"
#include "comm/mpi/node_labels.hpp"
#include "comm/node_collectives.hpp"
#include "comm/process_memory.hpp"

namespace resonio::comm {
namespace {

// MPI counts are int: longer messages go in parts, which MPI keeps in order.
constexpr i64 longest_part = i64{1} << 30;

class MpiRequest final : public Request {
 public:
  /// post(offset, count, request) starts one part.
  template <class Post>
  MpiRequest(i64 bytes, Post post) {
    const i64 first = std::min(bytes, longest_part);
    post(i64{0}, static_cast<int>(first), &first_);
    for (i64 done = first; done < bytes; done += longest_part) {
      rest_.push_back(MPI_REQUEST_NULL);
      post(done, static_cast<int>(std::min(longest_part, bytes - done)), &rest_.back());
    }
  }
  bool test() override {
    return test(first_) &&
           std::all_of(rest_.begin(), rest_.end(), [](MPI_Request& part) { return test(part); });
  }

 private:
  static bool test(MPI_Request& part) {
    if (part == MPI_REQUEST_NULL) return true;
    int done = 0;
    check(mpi::api().Test(&part, &done, MPI_STATUS_IGNORE), "Test");
    return done != 0;
  }
  MPI_Request first_ = MPI_REQUEST_NULL;
  std::vector<MPI_Request> rest_;
};

/// The program's communicator, once more.
class Duplicate {
 public:
  explicit Duplicate(MPI_Comm original) {
    check(mpi::api().Comm_dup(original, &comm_), "Comm_dup");
    check(mpi::api().Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "Comm_set_errhandler");
  }
  ~Duplicate() {
    int finalized = 0;
    mpi::api().Finalized(&finalized);
    if (finalized == 0) mpi::api().Comm_free(&comm_);
  }
  Duplicate(const Duplicate&) = delete;
  Duplicate& operator=(const Duplicate&) = delete;
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

int rank_of(MPI_Comm comm) {
  int rank = 0;
  check(mpi::api().Comm_rank(comm, &rank), "Comm_rank");
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  check(mpi::api().Comm_size(comm, &size), "Comm_size");
  return size;
}

/// In which order to try them.
std::vector<SharingMethod> methods_to_try() {
  const char* text = std::getenv("RESONIO_SHARED_MEMORY");
  const std::string_view wanted = text != nullptr ? text : "";
  if (wanted == "none") return {};
  if (wanted == "memfd") return {SharingMethod::memfd};
  if (wanted == "posix") return {SharingMethod::posix};
  if (!wanted.empty())
    log::warning("RESONIO_SHARED_MEMORY={} is not one of memfd, posix, none; ignored", wanted);
  return {SharingMethod::memfd, SharingMethod::posix};
}

class MpiComm final : public NodeCollectives {
 public:
  explicit MpiComm(MPI_Comm original);

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  RequestPtr isend(const void* data, i64 bytes, int to, int tag) override;
  RequestPtr irecv(void* data, i64 bytes, int from, int tag) override;
  void progress() override;
  std::shared_ptr<SharedMemory> share(i64 bytes) override;

 private:
  std::shared_ptr<SharedMemory> offer(i64 bytes);
  bool offer_by(SharingMethod method, i64 bytes, std::shared_ptr<SharedMemory>& memory);
  std::shared_ptr<SharedMemory> accept();
  [[nodiscard]] const std::vector<int>& my_node() const {
    return nodes().members(nodes().node_of(rank_));
  }
  bool all_have(bool mine) const;

  Duplicate comm_;
  int rank_;
  int size_;
  std::vector<SharingMethod> methods_;  // a leader's: how to share memory, best first
};

MpiComm::MpiComm(MPI_Comm original)
    : NodeCollectives(size_of(original)),
      comm_(original),
      rank_(rank_of(original)),
      size_(size_of(original)) {
  if (size_ == 1) return;
  const NodeMap found(node_labels(comm_.get()));
  attach(found, nullptr);  // share() needs the map
  if (my_node().front() == rank_) methods_ = methods_to_try();
  auto board = share(board_bytes(size_));
  // On a single node share() has told all ranks the same.
  if (found.nodes() == 1 ? board != nullptr : all_have(board != nullptr)) {
    attach(found, std::move(board));
    return;
  }
  if (rank_ == 0)
    log::warning(
        "ranks of a node cannot share memory (reasons: RESONIO_LOG=info); "
        "data goes by messages instead");
  board = LocalMemory::make(board_bytes(size_));
  if (!all_have(board != nullptr)) throw std::bad_alloc();
  attach(NodeMap(every_rank_alone(size_)), std::move(board));
}

bool MpiComm::all_have(bool mine) const {
  const int have = mine ? 1 : 0;
  int all = 0;
  check(mpi::api().Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, comm_.get()), "Allreduce");
  return all == 1;
}

RequestPtr MpiComm::isend(const void* data, i64 bytes, int to, int tag) {
  return std::make_unique<MpiRequest>(bytes, [&](i64 offset, int count, MPI_Request* request) {
    check(mpi::api().Isend(static_cast<const std::byte*>(data) + offset, count, MPI_BYTE, to, tag,
                           comm_.get(), request),
          "Isend");
  });
}

RequestPtr MpiComm::irecv(void* data, i64 bytes, int from, int tag) {
  return std::make_unique<MpiRequest>(bytes, [&](i64 offset, int count, MPI_Request* request) {
    check(mpi::api().Irecv(static_cast<std::byte*>(data) + offset, count, MPI_BYTE, from, tag,
                           comm_.get(), request),
          "Irecv");
  });
}

void MpiComm::progress() {
  int found = 0;
  check(mpi::api().Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.get(), &found, MPI_STATUS_IGNORE),
        "Iprobe");
}

/// The leader offers a block by one method after another until all could open it.
std::shared_ptr<SharedMemory> MpiComm::share(i64 bytes) {
  if (my_node().size() == 1) return LocalMemory::make(bytes);
  return my_node().front() == rank_ ? offer(bytes) : accept();
}

std::shared_ptr<SharedMemory> MpiComm::offer(i64 bytes) {
  for (const SharingMethod method : methods_) {
    std::shared_ptr<SharedMemory> memory;
    if (offer_by(method, bytes, memory)) return memory;
  }
  const Shareable nothing;
  for (const int member : my_node())
    if (member != rank_) send(*this, &nothing, sizeof nothing, member, tag_share);
  log::info("no shared memory of {} bytes among the {} ranks of this node", bytes,
            my_node().size());
  return nullptr;
}

/// False if it cannot be created, or some rank could not open it.
bool MpiComm::offer_by(SharingMethod method, i64 bytes, std::shared_ptr<SharedMemory>& memory) {
  std::string why;
  const auto offered = OfferedMemory::create(method, bytes, why);
  if (offered.memory() == nullptr) {
    log::info("shared memory: {}", why);
    return false;
  }
  for (const int member : my_node())
    if (member != rank_) send(*this, &offered.description(), sizeof(Shareable), member, tag_share);
  int all_opened = 1;
  for (const int member : my_node()) {
    if (member == rank_) continue;
    int opened = 0;
    receive(*this, &opened, sizeof opened, member, tag_share);
    all_opened &= opened;
  }
  for (const int member : my_node())
    if (member != rank_) send(*this, &all_opened, sizeof all_opened, member, tag_share);
  if (all_opened != 0) memory = offered.memory();
  return all_opened != 0;
}

std::shared_ptr<SharedMemory> MpiComm::accept() {
  const int leader = my_node().front();
  for (;;) {
    Shareable offered;
    receive(*this, &offered, sizeof offered, leader, tag_share);
    if (offered.method == SharingMethod::none) return nullptr;
    std::string why;
    auto memory = open_offered(offered, why);
    if (memory == nullptr) log::info("shared memory: {}", why);
    const int opened = memory != nullptr ? 1 : 0;
    send(*this, &opened, sizeof opened, leader, tag_share);
    int all_opened = 0;
    receive(*this, &all_opened, sizeof all_opened, leader, tag_share);
    if (all_opened != 0) return memory;
  }
}

}  // namespace

std::unique_ptr<Comm> make_mpi_comm(MPI_Comm comm) { return std::make_unique<MpiComm>(comm); }

}  // namespace resonio::comm
