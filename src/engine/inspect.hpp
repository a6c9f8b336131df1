// The inspector: what each rank is told of the others at the start of a collective call, in
// one allgather of a fixed few hundred bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "comm/comm.hpp"
#include "pattern/pattern.hpp"
#include "plan/plan.hpp"

namespace resonio::engine {

class Inspection {
 public:
  /// Collective. `argument` is an error this rank brings along (or ok).
  Inspection(comm::Comm& comm, const pattern::Access& access, bool argument_error);

  [[nodiscard]] const std::vector<plan::Summary>& summaries() const { return summaries_; }
  /// True if any rank brought an error.
  [[nodiscard]] bool argument_error() const { return argument_error_; }
  /// True if that rank's pattern is too long to have come along; it travels to the agents that
  /// need it, clipped to their part.
  [[nodiscard]] bool oversized(int rank) const;
  /// The pattern of a rank that is not oversized.
  [[nodiscard]] pattern::Access access_of(int rank) const;
  /// This rank's own wire form, whole.
  [[nodiscard]] const std::vector<std::byte>& own_wire() const { return own_wire_; }

 private:
  static constexpr std::size_t slot_bytes = 512;
  struct Header {
    plan::Summary summary;
    std::int64_t wire_bytes = 0;
    bool argument_error = false;
  };
  static constexpr std::size_t inline_bytes = slot_bytes - sizeof(Header);

  [[nodiscard]] Header header(int rank) const;

  std::vector<plan::Summary> summaries_;
  std::vector<std::byte> slots_;
  std::vector<std::byte> own_wire_;
  bool argument_error_ = false;
};

/// One rank's summary, made locally.
[[nodiscard]] plan::Summary summarize(const pattern::Access& access);

/// Bytes of a wire form as an access. The bytes come from our own encoder in another rank of
/// the same job: if they do not decode, the program is stopped.
[[nodiscard]] pattern::Access decode_or_stop(std::span<const std::byte> wire, int from);

}  // namespace resonio::engine
