// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/instruments/wait_chain.h"
#include "tsuji/results/results.h"

namespace tsuji::instruments {

/// Times of a packet, as an earlier run of the same configuration has measured them.
struct PacketTimes {
  PacketId id = 0;
  Cycle created = 0, injected = 0, tail = 0;
};

/// Stories of a few packets whose times are known: the routers that each head visits, the parts of its
/// latency there, and for each wait the packet that it waits for, with the chain of waits after that one.
///
/// Contract: advance() when exactly the cycles before `now` have run, at least in every cycle that
/// next_stop() names; delivered() for every delivery; add_to() at the end. While no followed packet is in
/// flight, the network has no probe of a story.
class PacketStory {
 public:
  /// `pauses`: routers may be suspended. The references outlive the story.
  PacketStory(network::VcNetwork& network, const PacketPool& pool, bool pauses,
              const std::vector<PacketTimes>& packets);
  ~PacketStory();

  Cycle next_stop() const;
  void advance(Cycle now);
  /// ModelError for a packet whose times differ from those of the earlier run.
  void delivered(const observe::DeliveredPacket& packet);
  /// Returns true once all packets were delivered.
  bool done() const;
  /// Adds the tables `packet_hops` and `packet_waits`. ModelError for a packet that was not delivered.
  void add_to(observe::Results& results) const;

 private:
  using Place = network::VcNetwork::InputPlace;
  /// Cycles of a wait with one cause and one holder.
  struct Wait {
    std::size_t part = 0;  ///< index of the part of the latency
    Cycle first = 0, cycles = 0;
    std::string wanted;  ///< outputs and virtual channels, as "port:vc port:vc"
    std::optional<WaitLink> holder;
    std::vector<WaitLink> behind;  ///< waits of the holder
  };
  /// Visit of a head to a router; the first hop is its source, the last one its node.
  struct Hop {
    std::optional<End> end;  ///< source or destination; empty: a router
    Place place;             ///< input virtual channel of the router
    unsigned out_port = 0, out_vc = 0;
    Cycle arrived = 0, left = 0;
    std::vector<Cycle> parts;  ///< since the departure before
    std::vector<Wait> waits;
  };
  struct Followed {
    PacketTimes times;
    PacketIndex index = 0;
    bool on_its_way = false, done = false;
    std::vector<Hop> hops;
    std::vector<Cycle> parts;           ///< up to the last departure; at the end of the whole latency
    std::vector<router::VcView> views;  ///< of all input virtual channels of its router one cycle before
    Cycle viewed = never;               ///< cycle of `views`
  };

  bool is_open(const Followed& packet) const { return !packet.done && packet.times.created <= now_; }
  void departs(const PacketLedger::Departure& departure);
  void leaves_source(Followed& packet, const PacketLedger::Departure& departure);
  void sample(Followed& packet, Cycle cycle);
  void add_wait(Hop& hop, Wait wait) const;
  std::optional<Wait> wait_of(Followed& packet, Cycle cycle) const;
  void wait_for_switch(const Followed& packet, Cycle cycle, Wait& wait) const;
  void add_rows(const Followed& packet, observe::ResultTable& hops, observe::ResultTable& waits) const;
  std::size_t part(const char* name) const;

  network::VcNetwork& network_;
  const PacketPool& pool_;
  const bool pauses_;
  const WaitChain chain_;
  std::vector<Followed> packets_;
  std::vector<std::string> part_names_;
  std::unique_ptr<PacketLedger> ledger_;  ///< null while no packet is followed
  /// A packet that an end sent or took while a followed packet waited there.
  struct Turn {
    End end;
    PacketId packet;
    Cycle until;  ///< its head left, or its tail was taken
  };
  static std::vector<Turn> turns_at(const std::vector<Turn>& turns, const End& end, PacketId waiting);
  void add_turns(Hop& hop, const char* part_name, const std::vector<Turn>& turns, Cycle from, Cycle to) const;
  std::vector<Turn> sent_, taken_;
  Cycle now_ = 0;  ///< the cycles before it have run
};

}  // namespace tsuji::instruments
