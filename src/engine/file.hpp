// A file under a communicator: runs any plan over any comm and storage. This is what
// src/mpiio calls; it knows accesses (patterns of bytes) and no MPI type.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/options.hpp"
#include "comm/comm.hpp"
#include "engine/memory.hpp"
#include "engine/node_buffers.hpp"
#include "engine/scratch.hpp"
#include "engine/statistics.hpp"
#include "engine/write_guard.hpp"
#include "pattern/pattern.hpp"
#include "plan/strategy.hpp"
#include "storage/file.hpp"

namespace resonio::engine {

using pattern::Access;
using storage::Direction;

class File {
 public:
  /// Collective over the comm, which must outlive the file. `storage` may be null on a rank whose
  /// open failed (every call then returns Code::file there).
  File(comm::Comm& comm, std::unique_ptr<storage::File> storage, std::string name,
       const Options& options);
  ~File();

  /// Independent: local. access.size() == memory.access.size() bytes.
  Outcome transfer(Direction direction, const Access& access, const Memory& memory);

  /// Collective over the comm. `argument` is an error this rank found before the call (or
  /// ok): any rank's makes all ranks return that error and no byte is moved. A rank with
  /// nothing to do passes an empty access. The outcome's bytes are this rank's own.
  Outcome transfer_all(Direction direction, const Access& access, const Memory& memory,
                       const Error& argument);

  [[nodiscard]] storage::File* storage() { return storage_.get(); }
  [[nodiscard]] const Options& options() const { return options_; }
  /// Collective in effect: must be given equal values on all ranks.
  void set_options(const Options& options) { options_ = options; }
  [[nodiscard]] const Statistics& statistics() const { return statistics_; }
  /// Strategy that ran last, and why that one ("" before the first call).
  [[nodiscard]] const std::string& last_strategy() const { return last_strategy_; }

 private:
  Outcome run_collective(Direction direction, const Access& access, const Memory& memory,
                         const Error& argument, Phase& phase);
  void announce(Direction direction, const plan::Choice& choice, bool collective);

  comm::Comm& comm_;
  std::unique_ptr<storage::File> storage_;
  std::string name_;
  Options options_;
  Statistics statistics_;
  std::string last_strategy_;
  std::vector<int> node_of_;
  WriteGuard guard_;
  Scratch scratch_;
  NodeBuffers buffers_;
  std::uint32_t turn_ = 0;  // rounds of exchange so far
};

}  // namespace resonio::engine
