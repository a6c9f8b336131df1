// What a file's calls cost, by direction: kept per rank, summed at close.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace resonio::engine {

struct Phase {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;     // bytes of the user's calls
  std::int64_t io_bytes = 0;  // bytes requested from storage
  std::int64_t io_requests = 0;
  std::int64_t exchanged_bytes = 0;  // bytes that left or entered this rank by exchange
  std::int64_t messages = 0;         // sent
  std::int64_t peers = 0;            // most peers in one call
  std::int64_t rounds = 0;
  double plan_seconds = 0;
  double exchange_seconds = 0;
  double io_seconds = 0;  // waiting for or doing I/O in the calling thread
  double total_seconds = 0;
};

struct Statistics {
  std::array<Phase, 4> phases{};                   // read, write, read_all, write_all
  std::map<std::string, std::int64_t> strategies;  // "write_all two-phase" → calls
};

}  // namespace resonio::engine
