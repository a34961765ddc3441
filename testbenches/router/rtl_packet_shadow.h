// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/link/flit_pins.h"
#include "tsuji/lookup/local_lookup.h"
#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/vc/vc_router.h"

namespace tsuji::bench {

/// Parameters of the model beside RTL of other times.
struct PacketShadowConfig {
  router::VcRouterConfig router;
  Cycle rc_cycles = 1;
  Cycle credit_process_cycles = 1;
};

/// Packets of one router or of several, in RTL and in its model.
struct PacketDifferences {
  std::uint64_t packets = 0;  ///< that have left both
  /// Packets that left the RTL by another port than the model's, or after one that came later by the same
  /// virtual channel.
  std::uint64_t differing = 0;
  std::string first;                          ///< such a packet, the earliest; empty: none
  Cycle first_cycle = never;                  ///< of its departure from the RTL
  std::int64_t least = 0, most = 0, sum = 0;  ///< cycles by which tails left the RTL later than the model

  void add(const PacketDifferences& other);
};

/// The network's model of a router beside its RTL, which may have other times. The model gets the RTL's
/// flits in the cycles in which they come, as long as it has places for them, and a place at the far end when
/// the RTL's copy of the flit gives it back. Packets are compared, not cycles.
///
/// Contract: in each cycle of the RTL's clock flit_in(), credit() and flit_out() for what happens at its
/// pins, then run().
class RtlPacketShadow {
 public:
  /// Names a passage of a packet through the router.
  using Passage = std::uint32_t;

  RtlPacketShadow(const PacketShadowConfig& config, graph::RouterId id,
                  const std::vector<router::RouterPort>& ends, const router::RouterParts& parts);
  ~RtlPacketShadow();

  /// A head comes in by the RTL's pins; `hops`: routers that it has passed before.
  Passage head_in(unsigned port, unsigned vc, const Packet& packet, std::uint16_t hops);
  /// A flit of a passage comes in, also the head.
  void flit_in(Passage passage, bool head, bool tail);
  /// A flit of a passage leaves the RTL.
  void flit_out(Passage passage, unsigned port, unsigned vc, bool head, bool tail, Cycle now);
  /// The oldest flit of an output virtual channel has left the buffer at the far end.
  void credit(unsigned port, unsigned vc);
  /// Flits that left the RTL by an output virtual channel and are in that buffer.
  std::size_t away(unsigned port, unsigned vc) const { return outputs_[port].away[vc].size(); }
  /// Runs the model until the end of cycle `now`.
  void run(Cycle now);
  /// Runs the model until it is empty, for `most` cycles at most, with free places at the far ends.
  void finish(Cycle most);
  /// Packets that have not left both the RTL and the model.
  std::uint64_t unfinished() const { return under_way_; }
  const PacketDifferences& differences() const { return differences_; }

 private:
  struct Input;
  struct Output {
    std::unique_ptr<FlitChannel> channel;
    std::unique_ptr<FlitPinDriver> driver;
    std::vector<std::deque<Passage>> away;   ///< [vc] flits of the RTL at the far end
    std::vector<std::deque<Passage>> model;  ///< [vc] flits of the model at the far end
  };
  /// A flit that waits in front of the model.
  struct Waiting {
    Passage passage;
    bool head, tail;
  };
  struct Way {
    PacketId id = 0;
    std::uint8_t in_port = 0, in_vc = 0;
    std::uint64_t number = 0;  ///< of packets of its input virtual channel
    std::uint8_t rtl_port = 0, model_port = 0;
    Cycle rtl_head = never, rtl_tail = never, model_tail = never;
    bool overtaken = false;
    PacketId before = 0;  ///< packet that has overtaken it in the RTL
    unsigned flits = 0;   ///< that left the RTL
    unsigned freed = 0;   ///< of these, at the far end again
    unsigned told = 0;    ///< of the model's, whose places have come back
    PacketIndex model_packet = 0;
  };

  void cycle();
  void feed();
  void return_places();
  void take_outputs();
  void finish_packet(Passage passage);
  void release(Passage passage);

  const router::VcRouterConfig config_;  // which the router refers to
  const graph::RouterId id_;
  Arena arena_;
  PacketPool pool_;
  lookup::LocalLookup lookup_;
  std::vector<std::unique_ptr<Input>> inputs_;  ///< [port]; null: nothing is connected
  std::vector<Output> outputs_;
  ArenaPtr<router::VcRouter> router_;
  std::vector<Way> ways_;
  std::vector<Passage> free_;
  std::vector<Passage> of_packet_;  ///< [packet of the model]
  /// Latest packet that left the RTL, by input port, virtual channel and output port: number and identity.
  std::map<std::uint32_t, std::pair<std::uint64_t, PacketId>> latest_;
  PacketDifferences differences_;
  std::uint64_t under_way_ = 0;
  Cycle now_ = 1;  ///< cycle that the model runs next, later by one than the RTL's
};

}  // namespace tsuji::bench
