// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/progress_timer.h"

#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::router;

namespace {

struct Head {
  bool waits = false, reported = false;
  Cycle since = 0;
};

/// Heads that begin, move and leave at random. The router checks them when the timer is due, and at no other
/// time.
struct Played {
  unsigned reports = 0, looks = 0;
  unsigned waits = 0;  ///< beginnings and moves of heads
};

Played play(Cycle timeout, std::uint64_t seed) {
  Played played;
  CounterRandom random(seed, 0);
  ProgressTimer timer(timeout);
  std::vector<Head> heads(4);
  for (Cycle now = 0; now < 3000; ++now) {
    for (Head& head : heads) {
      const std::uint64_t drawn = random.below(40);
      if (!head.waits && drawn < 4) {
        head = {true, false, now};
        timer.start(now);
        ++played.waits;
      } else if (head.waits && drawn == 4) {
        head.since = now;
        ++played.waits;
      } else if (head.waits && drawn == 5) {
        head.waits = false;
      }
    }
    std::vector<bool> late(heads.size());
    if (timer.next_look() <= now) {
      ++played.looks;
      timer.begin_look();
      for (std::size_t h = 0; h < heads.size(); ++h)
        late[h] = heads[h].waits && !heads[h].reported && timer.late(heads[h].since, now);
    }
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const bool due = heads[h].waits && !heads[h].reported && heads[h].since + timeout <= now;
      CAPTURE(seed, timeout, now, h);
      REQUIRE(late[h] == due);
      if (!due) continue;
      heads[h].reported = true;
      ++played.reports;
    }
  }
  return played;
}

}  // namespace

TEST_CASE("heads are late in exactly the cycle of their timeout, and all of them are found") {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    CAPTURE(seed);
    const Played often = play(1 + seed % 7, seed), seldom = play(50, seed);
    CHECK(often.reports > 100);
    CHECK(seldom.reports > 0);
    // A wait has one cycle in which its timeout expires.
    CHECK(often.looks <= often.waits);
    CHECK(seldom.looks <= seldom.waits);
  }
}

TEST_CASE("without a timeout nothing is checked") {
  ProgressTimer timer(0);
  timer.start(10);
  CHECK_FALSE(timer.runs());
  CHECK(timer.next_look() == never);
  CHECK(ProgressTimer(1).runs());
}

TEST_CASE("a head is over the hop limit from the first hop after the limit on, and never without a limit") {
  const ProgressTimer limited(0, 3);
  CHECK_FALSE(limited.runs());
  CHECK_FALSE(limited.too_many(3));
  CHECK(limited.too_many(4));
  CHECK_FALSE(ProgressTimer(7).too_many(65535));
}
