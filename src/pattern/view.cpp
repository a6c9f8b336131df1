// File views: a filetype tiled without end. All results are found from the tile number by
// arithmetic; nothing is kept for each tile.
#include <algorithm>

#include "pattern/type.hpp"

namespace resonio::pattern {

Access View::access(i64 position, i64 bytes) const {
  const Pattern& tile = filetype.pattern;
  if (bytes <= 0 || tile.empty()) return {};
  if (tile.contiguous() && tile.size() == filetype.extent)
    return Access::whole(Pattern::run(disp + tile.lower() + position, bytes));
  const i64 first = position / tile.size();
  const i64 begin = position % tile.size();
  const i64 tiles = (begin + bytes - 1) / tile.size() + 1;
  const Pattern pattern = Pattern::loop(tiles, filetype.extent, tile);
  return {pattern.shifted(disp + first * filetype.extent), begin, begin + bytes};
}

i64 View::offset_of(i64 position) const {
  const Pattern& tile = filetype.pattern;
  if (tile.empty()) return disp;
  const i64 number = position / tile.size();
  return disp + number * filetype.extent + tile.offset_of(position % tile.size());
}

i64 View::bytes_before(i64 offset) const {
  const Pattern& tile = filetype.pattern;
  const i64 rest = offset - disp;
  if (tile.empty() || rest <= tile.lower()) return 0;
  if (filetype.extent <= 0) return tile.bytes_before(rest);  // tiles do not move on: the first
  // Tiles that end at or below `offset` count whole; of those that begin below it (more than
  // one only if tiles overlap), the bytes below it.
  const i64 whole = rest < tile.upper() ? 0 : (rest - tile.upper()) / filetype.extent + 1;
  i64 bytes = whole * tile.size();
  for (i64 k = whole; rest - k * filetype.extent > tile.lower(); ++k)
    bytes += tile.bytes_before(rest - k * filetype.extent);
  return bytes;
}

}  // namespace resonio::pattern
