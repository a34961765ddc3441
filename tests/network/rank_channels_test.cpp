// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/rank_channels.h"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "support/catch.h"
#include "support/drawn_channel.h"
#include "tsuji/core/random.h"

// Two ranks in one process: each has the channel, one runs its sender and the other its receiver, and after
// each window their messages pass. Both see what the ends of a channel in one process see.

using namespace tsuji;
using network::RankChannels;

namespace {

/// A rank: its packets, and its copies of the channels.
struct RankEnd {
  RankEnd(const FlitChannelConfig& config, unsigned channels) : ranks(pool, arena, 2) {
    constexpr Cycle horizon = 20;
    for (unsigned c = 0; c < channels; ++c) {
      Part& part = *parts.emplace_back(std::make_unique<Part>(config));
      part.receiver_calendar = ArrivalCalendar(arena, 16, horizon);
      part.sender_calendar = ArrivalCalendar(arena, 16, horizon);
      part.channel.bind_receiver(Waker{}, part.receiver_calendar, 0, 0, arena);
      part.channel.bind_sender(Waker{}, part.sender_calendar, 1, part.sender);
    }
  }
  struct Part {
    explicit Part(const FlitChannelConfig& config) : channel(config) {}
    FlitChannel channel;
    ArrivalCalendar sender_calendar, receiver_calendar;
    FlitSender sender;
  };
  Arena arena;
  PacketPool pool;
  std::vector<std::unique_ptr<Part>> parts;
  RankChannels ranks;
};

/// Cycle, channel, virtual channel; the flit's packet (0: a killed copy), sequence and flags; cycle of its
/// slot.
using Seen = std::tuple<Cycle, unsigned, unsigned, PacketId, unsigned, unsigned, Cycle>;

/// Sender and receiver that act at random, alike in every rig of a seed.
class Traffic {
 public:
  Traffic(const FlitChannelConfig& config, unsigned channels, std::uint64_t seed)
      : config_(config), channels_(channels), random_(seed, 1), open_(channels * config.vcs) {}

  void send_in(Cycle now, RankEnd& end) {
    for (unsigned c = 0; c < channels_; ++c) {
      for (unsigned vc = 0; vc < config_.vcs; ++vc) {
        FlitChannel& channel = end.parts[c]->channel;
        if (end.parts[c]->sender.ring(vc).credit_at() > now || draw(now, c, vc, 3) % 4 == 0) continue;
        Open& open = open_[c * config_.vcs + vc];
        if (open.left == 0) {
          PacketRef made = end.pool.make_bare();
          made.edit().id = ++packets_;
          made.edit().flits = static_cast<std::uint16_t>(1 + draw(now, c, vc, 4) % 5);
          made.edit().created = now;
          open.left = made->flits;
          open.packet = made.detach();
        }
        Flit flit;
        flit.packet = open.packet;
        const unsigned flits = end.pool.at(open.packet).flits;
        flit.sequence = static_cast<std::uint16_t>(flits - open.left);
        flit.flags = Flit::is_flit;
        if (flit.sequence == 0) flit.flags |= Flit::head;
        if (open.left == 1) flit.flags |= Flit::tail;
        // A prediction that proves wrong leaves a killed copy, and the flit comes later.
        const bool killed = draw(now, c, vc, 5) % 8 == 0;
        if (killed) flit.flags |= Flit::killed;
        if (!killed) --open.left;
        channel.send(now, vc, flit);
        sent.push_back(now);
        break;  // a flit a cycle
      }
    }
  }
  void receive_in(Cycle now, RankEnd& end) {
    for (unsigned c = 0; c < channels_; ++c) {
      for (unsigned vc = 0; vc < config_.vcs; ++vc) {
        FlitRing& ring = end.parts[c]->channel.ring(vc);
        if (!ring.front().holds_flit() || ring.front().cycle() > now || (now / 64 + vc) % 3 == 0 ||
            draw(now, c, vc, 6) % 5 == 0)
          continue;
        const Flit flit = ring.front().flit();
        seen.emplace_back(now, c, vc, flit.is_killed() ? 0 : end.pool.at(flit.packet).id, flit.sequence,
                          flit.flags, ring.front().cycle());
        end.parts[c]->channel.pop(now, vc);
        if (flit.is_tail() && !flit.is_killed()) end.pool.attach(flit.packet).reset();
      }
    }
  }
  std::vector<Seen> seen;
  std::vector<Cycle> sent;  ///< [flit]

 private:
  struct Open {
    PacketIndex packet = 0;
    unsigned left = 0;
  };
  std::uint64_t draw(Cycle now, unsigned channel, unsigned vc, unsigned which) const {
    return random_.bits(256 * now + 64 * channel + 8 * vc + which) >> 16;
  }
  const FlitChannelConfig config_;
  const unsigned channels_;
  const CounterRandom random_;
  std::vector<Open> open_;
  PacketId packets_ = 0;
};

/// First cycles of a window, by put(): at the receiver for the flits, at the sender for the credits.
struct Exchanged {
  RankChannels::First sent, freed;
};

Exchanged exchange(RankEnd& sends, RankEnd& receives, Cycle last) {
  mpi::Bytes forth, back;
  Exchanged first{sends.ranks.put(1, forth), receives.ranks.put(0, back)};
  mpi::Reader to_receiver(forth), to_sender(back);
  receives.ranks.take(0, last, to_receiver);
  sends.ranks.take(1, last, to_sender);
  CHECK(to_receiver.at_end());
  CHECK(to_sender.at_end());
  return first;
}

std::set<PacketId> arriving(const RankEnd& end) {
  std::set<PacketId> found;
  end.ranks.visit_arriving([&](PacketIndex packet) { found.insert(end.pool.at(packet).id); });
  return found;
}

/// Packets whose head is on the other rank.
std::set<PacketIndex> left(const RankEnd& end) {
  std::set<PacketIndex> found;
  for (PacketIndex packet = 0; packet < 256; ++packet)
    if (end.ranks.has_left(packet)) found.insert(packet);
  return found;
}

}  // namespace

TEST_CASE("both ends of channels between two ranks see what the ends of channels in one process see") {
  std::uint64_t flits = 0, full = 0, halves = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CounterRandom random(seed, 0);
    const FlitChannelConfig config = tsuji::test::drawn_channel(random);
    const unsigned channels = 1 + static_cast<unsigned>(random.below(3));
    const Cycle window =
        std::min(1 + config.latency_cycles, 1 + config.credit_latency_cycles + config.credit_process_cycles);
    CAPTURE(seed, window);
    RankEnd whole(config, channels), sends(config, channels), receives(config, channels);
    for (unsigned c = 0; c < channels; ++c) {
      sends.ranks.add_sender(1, sends.parts[c]->channel);
      receives.ranks.add_receiver(0, receives.parts[c]->channel);
    }
    Traffic one(config, channels, seed), sent(config, channels, seed), received(config, channels, seed);
    for (Cycle first = 0; first < 800; first += window) {
      const std::size_t seen_before = one.seen.size();
      const std::size_t sent_before = one.sent.size();
      for (Cycle now = first; now < first + window; ++now) {
        one.send_in(now, whole);
        one.receive_in(now, whole);
        sent.send_in(now, sends);
        received.receive_in(now, receives);
      }
      const Exchanged exchanged = exchange(sends, receives, first + window - 1);
      const Cycle flit =
          one.sent.size() == sent_before ? never : one.sent[sent_before] + 1 + config.latency_cycles;
      const Cycle credit = one.seen.size() == seen_before
                               ? never
                               : std::get<0>(one.seen[seen_before]) + 1 + config.credit_latency_cycles +
                                     config.credit_process_cycles;
      CHECK(exchanged.sent.flit == flit);
      CHECK(exchanged.sent.credit == never);
      CHECK(exchanged.freed.flit == never);
      CHECK(exchanged.freed.credit == credit);
      // Of packets of which a part has crossed the receiver has a copy, and the sender knows.
      const std::set<PacketId> parts = arriving(receives);
      CHECK(arriving(sends).empty());
      CHECK(left(sends).size() == parts.size());
      halves += parts.size();
      full += one.sent.size() - one.seen.size() >= config.depth_flits ? 1 : 0;
      for (unsigned c = 0; c < channels; ++c) {
        whole.parts[c]->channel.check_credits(first + window - 1);
        sends.parts[c]->channel.check_credits(first + window - 1);
      }
    }
    const bool same = sent.sent == one.sent && received.seen == one.seen;  // not the text of both
    CHECK(same);
    flits += one.sent.size();
    // A packet that is forgotten on both ranks leaves no trace.
    for (const PacketIndex packet : left(sends)) sends.ranks.forget(packet);
    CHECK(left(sends).empty());
    receives.ranks.visit_arriving([&](PacketIndex packet) { receives.ranks.forget(packet); });
    CHECK(arriving(receives).empty());
  }
  CHECK(flits > 20'000);
  CHECK(full > 1'000);
  CHECK(halves > 1'000);
}
