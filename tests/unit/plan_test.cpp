// Plans as values: which strategy a shape of call gets, and who owns what in which round.
#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include "plan/strategy.hpp"

namespace resonio::plan {
namespace {

/// Everything a situation refers to.
struct Case {
  Options options;
  std::vector<Summary> ranks;
  std::vector<int> node_of;
  int nodes = 1;
  Direction direction = Direction::write;
  bool collective = true;

  [[nodiscard]] Situation situation() const {
    return {direction, collective, ranks, node_of, nodes, &options, true};
  }
};

/// Blocks dealt out in turn: rank r has blocks r, r + ranks, ...
Case interleaved(int ranks, i64 block, i64 blocks_each) {
  Case c;
  for (int r = 0; r < ranks; ++r) {
    const i64 lower = r * block;
    const i64 upper = lower + (blocks_each - 1) * ranks * block + block;
    c.ranks.push_back({lower, upper, blocks_each * block, blocks_each, true});
    c.node_of.push_back(0);
  }
  return c;
}

Plan two_phase(const Case& c) { return *find_strategy("two-phase")->propose(c.situation()).plan; }
std::string_view chosen(const Case& c) { return choose(c.situation()).plan.strategy; }

TEST(TwoPhase, SplitsTheRangeEvenlyOnPagesAndInRounds) {
  Case c = interleaved(4, 64, 16384);  // 4 MiB
  c.options.cb_nodes = 2;
  c.options.cb_buffer_size = 1 << 20;
  const Plan plan = two_phase(c);
  EXPECT_EQ(plan.agents, (std::vector<int>{0, 1}));
  EXPECT_EQ(plan.rounds(), 2);
  EXPECT_EQ(plan.buffer_size(), 1 << 20);
  EXPECT_EQ(plan.window(0, 0).segment(0), (pattern::Segment{0, 1 << 20}));
  EXPECT_EQ(plan.window(0, 1).segment(0), (pattern::Segment{1 << 20, 1 << 20}));
  EXPECT_EQ(plan.window(1, 0).segment(0), (pattern::Segment{2 << 20, 1 << 20}));
  EXPECT_EQ(plan.window(1, 1).segment(0), (pattern::Segment{3 << 20, 1 << 20}));
  EXPECT_EQ(plan.window(1, 2).count, 0);
}

TEST(TwoPhase, AlignsToTheStripeAndLosesNoByteAtTheEnds) {
  for (const i64 start : {0, 1, 5000, 70000}) {
    for (const i64 length : {1, 4096, 65536, 1000003}) {
      Case c;
      c.ranks = {{start, start + length, length / 2 + 1, 9, true},
                 {start, start + length, length / 2 + 1, 9, true},
                 {0, 0, 0, 0, true}};
      c.node_of = {0, 0, 0};
      c.options.cb_nodes = 3;
      c.options.cb_buffer_size = 40000;
      c.options.striping_unit = 65536;
      const Plan plan = two_phase(c);
      i64 next = start;  // the windows of all agents and rounds tile [start, start + length)
      for (std::size_t a = 0; a < plan.agents.size(); ++a)
        for (i64 k = 0; k < plan.rounds(); ++k) {
          const pattern::Window window = plan.window(a, k);
          if (window.count == 0) continue;
          EXPECT_EQ(window.segment(0).offset, next);
          EXPECT_TRUE(k > 0 || next == start || next % 65536 == 0) << next;
          next = window.segment(0).end();
        }
      EXPECT_EQ(next, start + length);
    }
  }
}

TEST(TwoPhase, SpreadsAgentsOverNodes) {
  Case c = interleaved(6, 4096, 1024);
  c.node_of = {0, 0, 0, 1, 1, 1};
  c.nodes = 2;
  c.options.cb_nodes = 2;
  EXPECT_EQ(two_phase(c).agents, (std::vector<int>{0, 3}));
  c.options.cb_nodes = 3;
  EXPECT_EQ(two_phase(c).agents, (std::vector<int>{0, 1, 3}));
  c.options.cb_nodes = 100;
  EXPECT_EQ(two_phase(c).agents.size(), 6u);
}

TEST(Auto, CollectsSmallInterleavedRunsOnly) {
  EXPECT_EQ(chosen(interleaved(4, 64, 1000)), "two-phase");
  EXPECT_EQ(chosen(interleaved(4, 8 << 20, 10)), "list");
  EXPECT_EQ(chosen(interleaved(1, 64, 1000)), "independent");
  Case apart = interleaved(4, 64, 1);  // one run each, side by side
  EXPECT_EQ(chosen(apart), "independent");
}

TEST(Auto, ObeysCollectiveBufferingHints) {
  Case c = interleaved(4, 64, 1000);
  c.options.cb_write = Toggle::disable;
  EXPECT_EQ(chosen(c), "sieve");
  c.direction = Direction::read;
  EXPECT_EQ(chosen(c), "two-phase");
  Case apart = interleaved(4, 64, 1);
  apart.options.cb_write = Toggle::enable;
  EXPECT_EQ(chosen(apart), "two-phase");
}

TEST(Auto, SievesOnlyWhereHolesArePackedAndNothingCanBeLost) {
  Case c;
  c.collective = false;
  c.node_of = {0};
  c.ranks = {{0, 256000, 64000, 1000, true}};  // 64 of every 256 bytes
  EXPECT_EQ(chosen(c), "sieve");
  c.options.ds_write = Toggle::disable;
  EXPECT_EQ(chosen(c), "list");
  c.options.ds_write = Toggle::automatic;
  c.ranks = {{0, 256000000, 64000, 1000, true}};  // far apart
  EXPECT_EQ(chosen(c), "list");
  c.ranks = {{0, 256000, 64000, 1000, true}};
  Situation unsafe = c.situation();
  unsafe.rewrite_safe = false;
  EXPECT_EQ(choose(unsafe).plan.strategy, "list");
  unsafe.direction = Direction::read;
  EXPECT_EQ(choose(unsafe).plan.strategy, "sieve");
}

TEST(Choose, TellsWhyAStrategyDoesNotRun) {
  Case c = interleaved(2, 64, 10);
  c.collective = false;
  c.ranks.resize(1);
  std::string why;
  ASSERT_EQ(set_hint(c.options, "resonio_strategy", "two-phase", &why), HintStatus::taken);
  const Choice collective_only = choose(c.situation());
  EXPECT_EQ(collective_only.plan.strategy, "sieve");
  EXPECT_NE(collective_only.note.find("not collective"), std::string::npos);
  EXPECT_FALSE(collective_only.unknown);
  ASSERT_EQ(set_hint(c.options, "resonio_strategy_write", "three-phase", &why), HintStatus::taken);
  EXPECT_TRUE(choose(c.situation()).unknown);
}

TEST(Hints, RejectWhatIsNoValueAndKeepTheOldOne) {
  Options options;
  std::string why;
  EXPECT_EQ(set_hint(options, "cb_buffer_size", "8M", &why), HintStatus::taken);
  EXPECT_EQ(get_hint(options, "cb_buffer_size"), "8388608");
  for (const char* bad : {"", "x", "12x", "-5", "9999999999999999999", "9999999999G", "1.5"})
    EXPECT_EQ(set_hint(options, "cb_buffer_size", bad, &why), HintStatus::invalid) << bad;
  EXPECT_EQ(get_hint(options, "cb_buffer_size"), "8388608");
  EXPECT_EQ(set_hint(options, "romio_ds_write", "maybe", &why), HintStatus::invalid);
  EXPECT_EQ(set_hint(options, "no_such_hint", "1", &why), HintStatus::unknown);
  EXPECT_EQ(get_hint(options, "no_such_hint"), "");
  for (const HintInfo& hint : known_hints())
    EXPECT_NE(get_hint(options, hint.name), "") << hint.name;
}

}  // namespace
}  // namespace resonio::plan
