// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/routing/routing.h"
#include "tsuji/traffic/checked_source.h"

namespace tsuji::traffic {

struct FlitNodeConfig {
  bool whole_packets = false;  ///< a packet starts only when a whole one fits into the router's buffer
  bool atomic_vcs = false;     ///< ... and only when that buffer is empty
  bool own_vcs = false;  ///< a node's link has its own number of channels: a packet may take any of them
  bool begins_at_vc_0 = false;  ///< with its first packet; else at virtual channel 1, where there is one
  bool asks_always = false;     ///< the source has channels of its own: it is asked whenever the node runs
  Cycle window_from = 0;        ///< flits ejected in [window_from, window_to) are counted apart
  Cycle window_to = never;
  unsigned nodes = CheckedSource::any_nodes;  ///< of the network
};

/// Observer of the nodes of a network, called in the cycle of an event, in no order among nodes.
class FlitNodeEvents {
 public:
  virtual ~FlitNodeEvents() = default;
  /// A packet was generated in cycle emission.created, the present one or an earlier one.
  virtual void on_born(End source, const Emission& emission) = 0;
  /// The last word of a packet's last flit came in cycle `tail`, the present one; its first flit could be
  /// taken in cycle `head`.
  virtual void on_delivered(const Packet& packet, Cycle head, Cycle tail) = 0;
};

/// A node that generates and takes packets, without a simulation kernel: a test calls advance() for every
/// cycle in which something may happen.
///
/// The source queue has no bound. A packet generated in cycle g has its head on the wires in g + 1 at the
/// earliest. Packets leave one after the other, each on one of the virtual channels that the routing allows,
/// which take turns. The sink takes every flit in the cycle in which it comes, but for heads while the source
/// is full (EmissionSource::is_full). A packet is delivered with the last word of its last flit, which may
/// come after the flit could be taken (FlitChannelConfig::whole_flit).
///
/// The sink checks in every run that the flits of a packet come in order, without a gap, on one virtual
/// channel, at the right node.
class FlitNodeState final : public Stepped {
 public:
  struct Parts {
    const FlitNodeConfig& config;
    PacketPool& pool;
    const routing::Routing& routing;
    FlitNodeEvents& events;
    Arena& arena;  ///< memory of the node's buffers
  };
  FlitNodeState(const Parts& parts, End end, std::unique_ptr<EmissionSource> source);
  FlitNodeState(const FlitNodeState&) = delete;
  FlitNodeState& operator=(const FlitNodeState&) = delete;

  /// Binds the channels to and from the router; `self` is woken. Called before the simulation starts.
  void bind(const Waker& self, FlitChannel& out, FlitChannel& in);

  /// Runs one cycle. Returns the next cycle in which the node has something to do by itself, `never` if only
  /// arrivals and credits can give it work.
  Cycle advance(Cycle now);
  /// advance(), and a wake-up for the cycle that it returns.
  void step(Cycle now) override;
  void approach(Cycle now, unsigned stage) const override;

  /// Forgets a packet that is being sent or received here; called between two cycles.
  void purge(PacketIndex packet, Cycle now);
  /// Tells the source that a packet of this node has been dropped; called between two cycles.
  void dropped(const Packet& packet, const char* cause, Cycle now);
  /// Asks a source again that somebody else has told something, between two cycles or in cycle `now`. Nothing
  /// is born of it before the next cycle.
  void source_changed(Cycle now);
  /// Between two cycles: packets that begin from now on ask another routing for their virtual channels, the
  /// one that waits for its beginning, too.
  void exchange_routing(const routing::Routing& routing, Cycle now);
  EmissionSource& source() { return *source_; }
  const EmissionSource& source() const { return *source_; }
  /// The cycle from which the link takes the next flit; `now` while a head waits for a source that is full.
  Cycle last_event(Cycle now) const;

  End end() const { return end_; }
  std::uint64_t packets_queued() const { return queued_; }  ///< born, and not begun to be sent
  /// A packet of which the last flit has not been sent, or no_packet.
  PacketIndex packet_being_sent() const { return sending_ ? packet_ : no_packet; }
  /// A packet of which all flits were taken and the last words are on the wires, or no_packet.
  PacketIndex packet_being_taken() const { return last_.at == never ? no_packet : last_.packet; }
  std::uint64_t packets_sent() const { return sent_; }  ///< their heads are on the wires
  std::uint64_t flits_sent() const { return out_->flits_sent(); }
  std::uint64_t flits_ejected() const { return flits_ejected_; }
  std::uint64_t flits_killed() const { return flits_killed_; }
  std::uint64_t flits_ejected_in_window() const { return flits_in_window_; }

 private:
  struct Pending {
    Cycle created;
    End destination;
    std::uint16_t flits;
    std::uint16_t payload_bytes;
    PacketIndex packet;
    PacketClass packet_class;
    std::array<std::uint64_t, 2> header;
  };
  /// A virtual channel of the ejection channel, and the packet that it brings. Fills a line of the
  /// processor's cache.
  struct alignas(64) Inlet : FlitRing {
    static constexpr std::uint16_t between_packets = 0xffff;  ///< no flit has that number
    PacketIndex packet = 0;
    std::uint16_t sequence = between_packets;  ///< of the flit that is due
    Cycle head = 0;                            ///< the cycle in which the packet's head came
  };
  /// The packet whose last flit is on the ejection channel's wires, which are one flit's at a time.
  struct LastWords {
    Cycle at = never;  ///< the last one comes
    Cycle head = 0;    ///< as Inlet's
    PacketIndex packet = 0;
  };
  static constexpr unsigned first_places = 4;  ///< size of the source queue in the arena

  void take_births(Cycle now);
  void watch_source(Cycle now);
  void ask_source(Cycle now);
  void enqueue(const Emission& emission);
  void grow_queue();
  Cycle run_cycle(Cycle now);
  void inject(Cycle now);
  bool start_packet(Cycle now);
  PacketIndex make_packet(const Pending& next);
  void send(Cycle now);
  Cycle may_start(unsigned vc, Cycle now) const;
  void eject(std::uint64_t vcs, Cycle now);
  void take(Inlet& inlet, const FlitSlot& flit, Cycle now);
  void end_packet(const Inlet& inlet, Cycle ready, Cycle now);
  bool look_at_last(unsigned line, Cycle now);
  void deliver(PacketIndex packet, Cycle head, Cycle now);
  void inject_in(Cycle cycle) {
    if (cycle < inject_at_) inject_at_ = cycle;
  }
  void plan(Cycle next);
  [[noreturn]] void fail(Cycle now, const Flit& flit, const char* what) const;
  [[noreturn]] void fail(Cycle now, PacketId packet, const std::string& what) const;

  // In the order in which a cycle comes to them.
  Cycle inject_at_ = never;   ///< next cycle in which injection has something to do
  Cycle again_at_ = never;    ///< cycle in which heads that waited for a full source are looked at again
  Cycle planned_at_ = never;  ///< cycle of the node's own last wake-up
  LastWords last_;
  ArrivalBoard arrivals_, credits_;
  Inlet* inlets_ = nullptr;
  bool more_ = false;  ///< upcoming_ is a packet that is not born yet
  bool full_ = false;  ///< the source takes no further packet
  bool sending_ = false;
  bool listens_ = false;        ///< the source is told of arrivals and departures, or has events of its own
  std::uint8_t vc_ = 0;         ///< of the packet that is being sent, or was sent last
  std::uint16_t sequence_ = 0;  ///< of the next flit
  std::uint16_t flits_ = 0;
  PacketIndex packet_ = 0;
  std::uint32_t flit_cycles_ = 1;
  std::uint32_t last_word_after_ = 0;  ///< the cycle in which a flit that comes can be taken
  Cycle free_at_ = 0;                  ///< cycle from which the link takes the next flit
  std::uint32_t head_ = 0, queued_ = 0;
  std::uint64_t flits_ejected_ = 0, flits_in_window_ = 0;
  const FlitNodeConfig& config_;
  FlitSender sender_;
  Pending* queue_;  ///< a ring that grows when a saturated source needs it
  std::uint32_t queue_mask_ = first_places - 1;
  std::uint32_t serial_ = 0;
  Alarm alarm_;
  Cycle event_at_ = never;  ///< EmissionSource::next_event()
  FlitChannel* out_ = nullptr;
  FlitChannel* in_ = nullptr;
  std::uint64_t sent_ = 0, flits_killed_ = 0;
  Emission upcoming_;
  PacketPool& pool_;
  const routing::Routing* routing_;
  FlitNodeEvents& events_;
  Arena& arena_;
  CheckedSource source_;
  const End end_;
  std::vector<Pending> larger_queue_;
};

}  // namespace tsuji::traffic
