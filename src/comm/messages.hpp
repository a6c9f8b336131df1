// Blocking messages, made of the non-blocking ones.
#pragma once

#include <span>

#include "comm/comm.hpp"
#include "comm/wait.hpp"

namespace resonio::comm {

/// Waits until all are done.
inline void wait_all(std::span<const RequestPtr> requests) {
  for (const auto& request : requests) poll_until([&] { return request->test(); });
}

inline void send(Comm& comm, const void* data, i64 bytes, int to, int tag) {
  const auto request = comm.isend(data, bytes, to, tag);
  wait_all({&request, 1});
}

inline void receive(Comm& comm, void* data, i64 bytes, int from, int tag) {
  const auto request = comm.irecv(data, bytes, from, tag);
  wait_all({&request, 1});
}

}  // namespace resonio::comm
