#include "pattern/coverage.hpp"

#include <algorithm>
#include <queue>

namespace resonio::pattern {
namespace {

/// One access on its way through the interval: the runs of `family` from its first on are
/// still to come.
struct Walker {
  ClippedCursor cursor;
  Piece family;

  Walker(const Access& access, i64 lo, i64 hi) : cursor(access, lo, hi) {}
  bool advance(i64 runs) {
    family.offset += runs * family.stride;
    family.count -= runs;
    return family.count > 0 || cursor.next(family);
  }
};

/// Joins what it is given, in ascending order of starts, to maximal segments.
class Joined {
 public:
  Joined(Coverage& result, i64 most) : result_(result), most_(most) {}
  bool add(i64 from, i64 to) {
    if (result_.segments.empty() || from > result_.segments.back().end()) {
      if (static_cast<i64>(result_.segments.size()) >= most_) return result_.complete = false;
      result_.segments.push_back({from, to - from});
    } else if (to > result_.segments.back().end()) {
      result_.segments.back().length = to - result_.segments.back().offset;
    }
    return true;
  }

 private:
  Coverage& result_;
  i64 most_;
};

Coverage by_sorting(std::span<const Access* const> accesses, i64 lo, i64 hi, i64 most) {
  std::vector<Segment> all;
  for (const Access* access : accesses) {
    ClippedCursor cursor(*access, lo, hi);
    for (Piece p; cursor.next(p);)
      for (i64 k = 0; k < p.count; ++k) all.push_back({p.offset + k * p.stride, p.length});
  }
  std::sort(all.begin(), all.end(),
            [](const Segment& a, const Segment& b) { return a.offset < b.offset; });
  Coverage result;
  Joined joined(result, most);
  for (const Segment& s : all)
    if (!joined.add(s.offset, s.end())) break;
  return result;
}

class Merge {
 public:
  Merge(std::span<const Access* const> accesses, i64 lo, i64 hi, i64 most)
      : joined_(result_, most) {
    walkers_.reserve(accesses.size());
    for (const Access* access : accesses) {
      walkers_.emplace_back(*access, lo, hi);
      if (walkers_.back().cursor.next(walkers_.back().family)) {
        order_.push_back(walkers_.size() - 1);
        sink(order_.begin() + static_cast<std::ptrdiff_t>(order_.size()) - 1);
      }
    }
  }

  Coverage run() {
    while (!order_.empty()) {
      const i64 periods = whole_periods();
      if (periods > 0) {
        if (!skip(periods)) break;
        continue;
      }
      Piece& first = family(0);
      if (!joined_.add(first.offset, first.offset + first.length)) break;
      step(0, 1);
    }
    return std::move(result_);
  }

 private:
  Piece& family(std::size_t i) { return walkers_[order_[i]].family; }

  /// Restores ascending order by first run, for an element that may be too far right.
  void sink(std::vector<std::size_t>::iterator at) {
    while (at != order_.begin() &&
           walkers_[*at].family.offset < walkers_[*(at - 1)].family.offset) {
      std::iter_swap(at, at - 1);
      --at;
    }
  }

  /// Moves walker i of the order on by some runs, keeping the order.
  void step(std::size_t i, i64 runs) {
    if (!walkers_[order_[i]].advance(runs)) {
      order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    while (i + 1 < order_.size() && family(i).offset > family(i + 1).offset) {
      std::swap(order_[i], order_[i + 1]);
      ++i;
    }
  }

  /// Periods from the first run on that the coming runs fill without a hole, all walkers in
  /// step; 0 if there are none.
  i64 whole_periods() {
    const i64 start = family(0).offset;
    const i64 period = family(0).stride;
    i64 periods = family(0).count;
    if (periods < 2 || period <= 0) return 0;
    i64 end = start;
    inside_ = 0;
    for (; inside_ < order_.size(); ++inside_) {
      const Piece& p = family(inside_);
      if (p.offset >= start + period) break;
      if (p.stride != period || p.offset > end) return 0;
      periods = std::min(periods, p.count);
      end = std::max(end, p.offset + p.length);
    }
    if (end < start + period) return 0;
    if (inside_ < order_.size())
      periods = std::min(periods, (family(inside_).offset - start) / period);
    return periods;
  }

  /// Covers that many periods at once and moves the walkers inside past them.
  bool skip(i64 periods) {
    const i64 start = family(0).offset;
    const i64 period = family(0).stride;
    i64 end = start;
    std::vector<std::size_t> moved(order_.begin(),
                                   order_.begin() + static_cast<std::ptrdiff_t>(inside_));
    order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(inside_));
    for (const std::size_t w : moved) {
      const Piece& p = walkers_[w].family;
      end = std::max(end, p.offset + (periods - 1) * period + p.length);
    }
    if (!joined_.add(start, end)) return false;
    for (const std::size_t w : moved) {
      if (!walkers_[w].advance(periods)) continue;
      const auto at =
          std::lower_bound(order_.begin(), order_.end(), w, [&](std::size_t a, std::size_t b) {
            return walkers_[a].family.offset < walkers_[b].family.offset;
          });
      order_.insert(at, w);
    }
    return true;
  }

  Coverage result_;
  Joined joined_;
  std::vector<Walker> walkers_;
  std::vector<std::size_t> order_;  // walkers with runs left, ascending by their first
  std::size_t inside_ = 0;          // walkers with a run in the period looked at
};

}  // namespace

Coverage coverage(std::span<const Access* const> accesses, i64 lo, i64 hi, i64 most) {
  for (const Access* access : accesses)
    if (!access->ascending()) return by_sorting(accesses, lo, hi, most);
  return Merge(accesses, lo, hi, most).run();
}

}  // namespace resonio::pattern
