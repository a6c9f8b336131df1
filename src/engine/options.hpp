// Options under the engine's name: see base/options.hpp.
#pragma once

#include "base/options.hpp"

namespace resonio::engine {
using resonio::get_hint;
using resonio::HintInfo;
using resonio::HintStatus;
using resonio::known_hints;
using resonio::Options;
using resonio::set_hint;
using resonio::Toggle;
}  // namespace resonio::engine
