// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/lane_crossing.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/drawn_channel.h"
#include "tsuji/core/random.h"

// A channel between modules of two threads: each end sees in every cycle what it would see of a channel in
// one thread.

using namespace tsuji;

namespace {

constexpr unsigned first_line = 3, watch_line = 1;

/// A channel with a sender and a receiver that act at random, and a record of what each sees.
class Rig {
 public:
  Rig(const FlitChannelConfig& config, Cycle after_cycles, std::uint64_t seed, bool crosses)
      : config_(config), channel_(config), random_(seed, 1) {
    constexpr Cycle horizon = 20;
    receiver_calendar_ = ArrivalCalendar(arena_, 16, horizon);
    sender_calendar_ = ArrivalCalendar(arena_, 16, horizon);
    channel_.bind_receiver(Waker{}, receiver_calendar_, first_line, after_cycles, arena_);
    channel_.bind_sender(Waker{}, sender_calendar_, 1, sender_);
    watched_.resize(config.vcs);
    if (crosses) crossing_ = std::make_unique<LaneCrossing>(channel_, arena_);
  }

  void send_in(Cycle now) {
    const std::uint64_t due = sender_calendar_.take(0, now);
    for (unsigned vc = 0; vc < config_.vcs; ++vc) {
      const FlitRing& ring = sender_.ring(vc);
      const unsigned line = watch_line + vc;
      // A watched credit is announced in the first cycle in which it can be used.
      if (watched_[vc] && ring.credit_at() <= now) {
        ++((due >> line & 1U) != 0 ? called : not_called);
        watched_[vc] = false;
      }
      sender_calendar_.clear_busy(line);
      note(sender_sees, now, vc, "credits " + std::to_string(ring.credits(now)));
      if (ring.credit_at() > now) {
        // In one thread a credit in flight may be known already, and is not watched then.
        if (ring.credit_at() == never && !watched_[vc] && draw(now, vc, 1) % 2 == 0) {
          channel_.watch_credit(vc, line);
          watched_[vc] = true;
        } else if (watched_[vc] && draw(now, vc, 2) % 8 == 0) {
          channel_.forget_watch(vc, line);
          watched_[vc] = false;
        }
        continue;
      }
      if (draw(now, vc, 3) % 4 == 0) continue;
      Flit flit;
      flit.packet = serial_ / 7;
      flit.sequence = static_cast<std::uint16_t>(serial_ % 7);
      flit.flags = Flit::is_flit;
      ++serial_;
      channel_.send(now, vc, flit);
      break;  // a flit a cycle
    }
  }

  void receive_in(Cycle now) {
    const std::uint64_t due = receiver_calendar_.take(0, now);
    for (unsigned vc = 0; vc < config_.vcs; ++vc) {
      FlitRing& ring = channel_.ring(vc);
      const bool here = ring.front().holds_flit() && ring.front().cycle() <= now;
      const unsigned line = first_line + vc;
      if (here && ring.front().cycle() == now)
        note(receiver_sees, now, vc, (due >> line & 1U) != 0 ? "arrives" : "UNANNOUNCED");
      if (ring.front().holds_flit() && ring.front().cycle() > now)
        receiver_calendar_.announce(line, now, ring.front().cycle());
      receiver_calendar_.clear_busy(line);
      // Long pauses fill the buffer, and it is emptied in a few cycles.
      if (!here || (now / 64 + vc) % 3 == 0 || draw(now, vc, 4) % 5 == 0) continue;
      const Flit flit = ring.front().flit();
      note(receiver_sees, now, vc,
           "takes " + std::to_string(flit.packet) + "." + std::to_string(flit.sequence));
      channel_.pop(now, vc);
    }
  }

  void exchange(Cycle last) {
    if (crossing_) crossing_->exchange(last);
    channel_.check_credits(last);
  }
  std::uint64_t held() const { return channel_.flits_held(); }
  std::vector<std::string> sender_sees, receiver_sees;
  unsigned called = 0, not_called = 0;  ///< watched credits

 private:
  static void note(std::vector<std::string>& sees, Cycle now, unsigned vc, const std::string& what) {
    sees.push_back(std::to_string(now) + " " + std::to_string(vc) + " " + what);
  }
  std::uint64_t draw(Cycle now, unsigned vc, unsigned which) const {
    return random_.bits(64 * now + 8 * vc + which) >> 16;
  }

  const FlitChannelConfig config_;
  Arena arena_;
  FlitChannel channel_;
  ArrivalCalendar sender_calendar_, receiver_calendar_;
  FlitSender sender_;
  std::unique_ptr<LaneCrossing> crossing_;
  std::vector<bool> watched_;
  std::uint32_t serial_ = 0;
  const CounterRandom random_;
};

}  // namespace

TEST_CASE("both ends of a channel between two threads see what the ends of a channel in one thread see") {
  std::size_t arrivals = 0, calls = 0, full = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CounterRandom random(seed, 0);
    const FlitChannelConfig config = tsuji::test::drawn_channel(random);
    const Cycle after = random.below(2);
    const Cycle window = std::min(1 + config.latency_cycles + after,
                                  1 + config.credit_latency_cycles + config.credit_process_cycles);
    CAPTURE(seed, window);
    Rig one(config, after, seed, false), crossed(config, after, seed, true);
    for (Cycle first = 0; first < 1500; first += window) {
      for (Cycle now = first; now < first + window; ++now) {
        one.send_in(now);
        one.receive_in(now);
      }
      const bool sender_first = random.below(2) == 0;
      for (const bool sender : {sender_first, !sender_first})
        for (Cycle now = first; now < first + window; ++now)
          sender ? crossed.send_in(now) : crossed.receive_in(now);
      one.exchange(first + window - 1);
      crossed.exchange(first + window - 1);
      CHECK(one.held() == crossed.held());
      full += one.held() == std::uint64_t{config.vcs} * config.depth_flits ? 1 : 0;
    }
    const bool same_sender = one.sender_sees == crossed.sender_sees;  // not the text of both
    const bool same_receiver = one.receiver_sees == crossed.receiver_sees;
    CHECK(same_sender);
    CHECK(same_receiver);
    CHECK(crossed.not_called == 0);
    calls += crossed.called;
    for (const std::string& line : one.receiver_sees) {
      arrivals += line.find("arrives") != std::string::npos ? 1 : 0;
      if (line.find("UNANNOUNCED") != std::string::npos) FAIL(line);
    }
  }
  CHECK(arrivals > 10'000);
  CHECK(calls > 1'000);
  CHECK(full > 100);
}

TEST_CASE("a channel between two threads has no probe") {
  struct Probe final : FlitProbe {
    void on_flit(const FlitChannel&, unsigned, const Flit&, Cycle, Cycle) override {}
    void on_credit(const FlitChannel&, unsigned, Cycle, Cycle) override {}
  } probe;
  Arena arena;
  FlitChannel channel{FlitChannelConfig{}};
  ArrivalCalendar calendar(arena, 8, 4);
  FlitSender sender;
  channel.bind_receiver(Waker{}, calendar, 0, 0, arena);
  channel.bind_sender(Waker{}, calendar, 1, sender);
  const LaneCrossing crossing(channel, arena);
  CHECK_THROWS_WITH(channel.set_probe(&probe), Catch::Contains("a probe on a channel between modules"));
}
