#pragma once

#include <cstdint>

namespace resonio {

enum class Direction : std::uint8_t { read, write };

}  // namespace resonio
