// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/arena.h"
#include "tsuji/core/message_class.h"
#include "tsuji/core/packet.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/routing/routing.h"
#include "tsuji/traffic/checked_source.h"
#include "tsuji/traffic/congestion_kinds.h"

namespace tsuji::traffic {

struct FlitNodeConfig {
  bool whole_packets = false;  ///< A packet starts only if the router's buffer has room for all of it.
  bool atomic_vcs = false;     ///< A packet starts only if the router's buffer is empty as well.
  /// The node's link has its own number of virtual channels, and a packet may use any of them.
  bool own_vcs = false;
  /// The first packet uses virtual channel 0; else virtual channel 1 if there is one.
  bool begins_at_vc_0 = false;
  bool asks_always = false;  ///< The source has its own channels: its next_event() and is_full() are read in
                             ///< every cycle that the node runs.
  Cycle window_from = 0;     ///< Flits ejected in [window_from, window_to) are counted separately.
  Cycle window_to = never;
  unsigned nodes = CheckedSource::any_nodes;  ///< Nodes of the network.
  MessageClasses classes = {};                ///< Classes of messages (Emission::sid); empty: none.
  ClassPolicy policy = {};                    ///< Sets of virtual channels of the classes.
  bool acknowledges = false;  ///< Receivers acknowledge each packet (CongestionTraits::acknowledges).

  /// Number of cycles in [from, to) that belong to the measurement window.
  std::uint64_t cycles_in_window(Cycle from, Cycle to) const {
    const Cycle first = std::max(from, window_from), end = std::min(to, window_to);
    return first < end ? end - first : 0;
  }
};

/// Congestion control at a node. Acknowledgements are packets of one flit that sources and measurements do
/// not see.
struct CongestionCounts {
  std::uint64_t held_back = 0;  ///< Packets that waited for the control, each once.
  std::uint64_t halvings = 0;   ///< Times that a window was halved.
  std::uint64_t acks_made = 0,  ///< Acknowledgements made.
      acks_sent = 0,            ///< Acknowledgements whose head has left.
      acks_taken = 0,           ///< Acknowledgements that have arrived.
      marks_taken = 0;          ///< Those of them with a mark.

  CongestionCounts& operator+=(const CongestionCounts& other) {
    held_back += other.held_back;
    halvings += other.halvings;
    acks_made += other.acks_made;
    acks_sent += other.acks_sent;
    acks_taken += other.acks_taken;
    marks_taken += other.marks_taken;
    return *this;
  }
};

/// Observer of the nodes of a network. Each function is called in the cycle of the event; the order among
/// nodes is undefined.
class FlitNodeEvents {
 public:
  virtual ~FlitNodeEvents() = default;
  /// A packet was generated in cycle emission.created, which is `now`, the present cycle, or an earlier one.
  virtual void on_born(End source, const Emission& emission, Cycle now) = 0;
  /// The last word of a packet's last flit arrived in cycle `tail`, the present one; its first flit could be
  /// ejected in cycle `head`.
  virtual void on_delivered(const Packet& packet, Cycle head, Cycle tail) = 0;
};

/// A node that generates and ejects packets, without a simulation kernel.
///
/// The source queue is unbounded, unless the source's births may wait. A packet generated in cycle g has its
/// head on the link in cycle g + 1 or later. Packets leave one after the other, each on one of the virtual
/// channels that the routing allows, chosen round-robin. The sink ejects every flit in the cycle of its
/// arrival, except head flits while the source is full (EmissionSource::is_full). A packet is delivered with
/// the last word of its last flit, which can be later than the ejection of the flit
/// (FlitChannelConfig::whole_flit).
///
/// With classes of messages, each set of virtual channels has a separate queue, and a node that sends a
/// packet of one set can send flits of others between its flits (ClassArbiter). The sink ejects no head of a
/// class in EmissionSource::closed_classes(), and flits of other virtual channels meanwhile.
///
/// The sink checks in every run that the flits of a packet arrive in order, without a gap, on one virtual
/// channel and at the right node.
///
/// Contract:
/// - bind() once, before the simulation starts;
/// - advance() or step() in every cycle in which something may happen: the cycle that advance() returned, and
///   the cycles in which a flit or a credit arrives;
/// - purge(), dropped(), source_changed() and exchange_routing() between two cycles, with `now` the last
///   cycle that has run (source_changed() also within a cycle).
class FlitNodeState final : public Stepped {
 public:
  struct Parts {
    const FlitNodeConfig& config;
    PacketPool& pool;
    const routing::Routing& routing;
    FlitNodeEvents& events;
    Arena& arena;  ///< memory of the node's buffers
  };
  /// `control` may be null: back-pressure alone.
  FlitNodeState(const Parts& parts, End end, std::unique_ptr<EmissionSource> source,
                std::unique_ptr<CongestionControl> control = nullptr);
  FlitNodeState(const FlitNodeState&) = delete;
  FlitNodeState& operator=(const FlitNodeState&) = delete;

  /// Binds the channels to and from the router; they wake `self`.
  void bind(const Waker& self, FlitChannel& out, FlitChannel& in);

  /// From now on the node makes and ends packets in `pool`, which shares the packets of the pool given at
  /// construction, and reports to `events`: both belong to the thread that runs the node. Called before the
  /// first cycle.
  void join_lane(PacketPool& pool, FlitNodeEvents& events) {
    pool_ = &pool;
    events_ = &events;
  }

  /// Runs one cycle. Returns the next cycle in which the node has work of its own; `never` if only arriving
  /// flits or credits can cause work.
  Cycle advance(Cycle now);
  /// Runs one cycle and plans a wake-up for the cycle that advance() returns.
  void step(Cycle now) override;
  void approach(Cycle now, unsigned stage) const override;

  /// Discards a packet that is being sent or received here.
  void purge(PacketIndex packet, Cycle now);
  /// Reports to the source that a packet of this node has been dropped.
  void dropped(const Packet& packet, const char* cause, Cycle now);
  /// Reads the source again after its state has changed by a call from outside the node. A packet that
  /// results is born in the next cycle or later.
  void source_changed(Cycle now);
  /// Replaces the routing. It determines the virtual channels of packets that start from now on, including a
  /// packet that waits to start.
  void exchange_routing(const routing::Routing& routing, Cycle now);
  EmissionSource& source() { return *source_; }
  const EmissionSource& source() const { return *source_; }
  /// Mask of the classes of messages of which the node ejects no further packet.
  unsigned closed_classes() const { return closed_; }
  /// Cycle from which the link accepts the next flit; `now` while a head flit waits because the source is
  /// full.
  Cycle last_event(Cycle now) const;

  End end() const { return end_; }
  /// Packets that are born and not yet started.
  std::uint64_t packets_queued() const {
    std::uint64_t packets = stream_.queued;
    for (const Stream& other : parked_) packets += other.queued;
    return packets;
  }
  /// The packet whose head but not last flit has been sent, or no_packet.
  PacketIndex packet_being_sent() const { return stream_.sending ? stream_.packet : no_packet; }
  /// Calls visit(packet) for each packet of other classes whose head but not last flit has been sent.
  template <class Visit>
  void visit_others_being_sent(const Visit& visit) const {
    for (const Stream& other : parked_)
      if (other.sending) visit(other.packet);
  }
  /// The packet whose flits have all been ejected while its last words are still on the link, or no_packet.
  PacketIndex packet_being_taken() const { return last_.at == never ? no_packet : last_.packet; }
  /// Packets whose head is on the link, without acknowledgements of congestion control.
  std::uint64_t packets_sent() const { return sent_ - congestion_.acks_sent; }
  /// Congestion control at this node.
  CongestionCounts congestion() const;
  std::uint64_t flits_sent() const { return out_->flits_sent(); }
  std::uint64_t flits_ejected() const { return flits_ejected_; }
  /// Flits of flits_ejected() that arrive in cycle `now` or later, of a packet that was taken with its head.
  std::uint64_t flits_to_come(Cycle now) const {
    return in_->whole_packets() && last_.at != never && last_.at >= now ? last_.at + 1 - now : 0;
  }
  std::uint64_t flits_killed() const { return flits_killed_; }
  /// Flits ejected in the window and before cycle `now`, at most the present one; `never`: the present one.
  std::uint64_t flits_ejected_in_window(Cycle now = never) const {
    if (!in_->whole_packets() || last_.at == never) return flits_in_window_;
    return flits_in_window_ + config_.cycles_in_window(last_.head, std::min(now, last_.at + 1));
  }

 private:
  struct Pending {
    Cycle created;
    End destination;
    std::uint16_t flits;
    std::uint16_t payload_bytes;
    PacketIndex packet;
    PacketClass packet_class;
    std::uint8_t sid;
    bool held_back;        ///< Counted in CongestionCounts::held_back.
    routing::VcMask vcs;   ///< Virtual channels that the packet may take.
    std::uint32_t serial;  ///< Number of the packet at its source, in order of birth.
    std::array<std::uint64_t, 2> header;
  };
  /// A virtual channel of the ejection channel, and the packet that it receives. Occupies one cache line of
  /// the host.
  struct alignas(64) Inlet : FlitRing {
    /// Value of `sequence` between two packets; no flit has this number.
    static constexpr std::uint16_t between_packets = 0xffff;
    PacketIndex packet = 0;
    std::uint16_t sequence = between_packets;  ///< Sequence number of the flit that is expected next.
    Cycle head = 0;                            ///< Cycle in which the packet's head arrived.
  };
  /// The packet whose last flit is still arriving word by word, since the link carries one flit at a time; or
  /// the packet that was taken with its head (take_packet), until its last flit arrives.
  struct LastWords {
    Cycle at = never;  ///< Cycle in which the last word arrives.
    Cycle head = 0;    ///< Inlet::head of the packet.
    PacketIndex packet = 0;
  };
  static constexpr unsigned first_places = 4;  ///< Initial size of the source queue, which is in the arena.
  static constexpr std::uint32_t waiting_places = 4;  ///< Largest queue of a source whose births may wait.
  /// Packets of the queue among which congestion control finds one that may start.
  static constexpr std::uint32_t admitted_places = 16;
  /// First serial number of acknowledgements of congestion control; packets are numbered in order of birth.
  static constexpr std::uint32_t first_ack_serial = 0x8000'0000;

  /// A queue of packets, and the packet that is sent from it. Without classes of messages a node has one.
  struct Stream {
    bool sending = false;
    std::uint8_t vc = 0;         ///< Virtual channel of the packet that is being sent, or was sent last.
    std::uint16_t sequence = 0;  ///< Sequence number of the next flit to send.
    std::uint16_t flits = 0;
    routing::VcMask vcs = static_cast<routing::VcMask>(~0U);  ///< Virtual channels of its packets.
    PacketIndex packet = 0;
    std::uint32_t head = 0, queued = 0;
    std::uint32_t queue_mask = first_places - 1;
    Pending* queue = nullptr;  ///< Ring buffer that grows if a saturated source needs it.
    std::vector<Pending> larger_queue = {};
  };

  void take_birth(Cycle now);
  void take_births(Cycle now);
  void watch_source(Cycle now);
  void ask_source(Cycle now);
  void enqueue(const Emission& emission);
  void grow_queue();
  Cycle run_cycle(Cycle now);
  void inject(Cycle now);
  void inject_by_class(Cycle now);
  void add_streams(Arena& arena);
  void watch_classes(Cycle now);
  bool holds_back(const FlitSlot& head, Cycle now);
  /// Makes `stream_` the stream of a set.
  void select(unsigned set) {
    if (set == set_) return;
    std::swap(stream_, parked_[set_]);
    std::swap(stream_, parked_[set]);
    set_ = set;
  }
  bool has_work() const { return stream_.sending || stream_.queued > 0; }
  bool start_packet(Cycle now);
  bool admit(Cycle now);
  void bring_forward(std::uint32_t from, std::uint32_t to);
  void count_start(const Pending& next, Cycle now);
  void acknowledge(const Packet& packet, Cycle now);
  void take_acknowledgement(const Packet& packet, Cycle now);
  Pending& waiting(std::uint32_t place) { return stream_.queue[(stream_.head + place) & stream_.queue_mask]; }
  PacketIndex make_packet(const Pending& next);
  void send(Cycle now);
  void tell_departed(Cycle now);
  void send_packet(Cycle now);
  Cycle may_start(unsigned vc, Cycle now) const;
  void eject(std::uint64_t vcs, Cycle now);
  void take(Inlet& inlet, const FlitSlot& flit, Cycle now);
  void take_flit(Inlet& inlet, FlitSlot& front, Cycle now);
  void take_packet(Inlet& inlet, const FlitSlot& head, Cycle now);
  void end_packet(const Inlet& inlet, Cycle ready, Cycle now);
  void await_last(const LastWords& last, Cycle now);
  bool look_at_last(unsigned line, Cycle now);
  void deliver(PacketIndex packet, Cycle head, Cycle now);
  void inject_in(Cycle cycle) {
    if (cycle < inject_at_) inject_at_ = cycle;
  }
  void plan(Cycle next);
  [[noreturn]] void fail(Cycle now, const Flit& flit, const char* what) const;
  [[noreturn]] void fail(Cycle now, PacketId packet, const std::string& what) const;

  // In the order in which a cycle reads them.
  Cycle inject_at_ = never;   ///< Next cycle in which injection has work.
  Cycle again_at_ = never;    ///< Cycle in which heads that waited for a full source are tried again.
  Cycle planned_at_ = never;  ///< Cycle of the wake-up that the node has planned itself.
  LastWords last_;
  ArrivalCalendar arrivals_, credits_;
  Inlet* inlets_ = nullptr;
  Stream stream_;
  bool more_ = false;        ///< `upcoming_` holds a packet that is not born yet.
  bool full_ = false;        ///< The source accepts no further packet.
  std::uint8_t closed_ = 0;  ///< Classes of which the source accepts no further packet.
  bool listens_ = false;     ///< The source is notified of arrivals and departures, or has events of its own.
  std::uint32_t flit_cycles_ = 1;
  std::uint32_t last_word_after_ = 0;              ///< Cycles from a flit's arrival to its last word.
  Cycle free_at_ = 0;                              ///< Cycle from which the link accepts the next flit.
  std::uint32_t most_queued_ = ~std::uint32_t{0};  ///< Packets in the queue above which births wait.
  std::uint64_t flits_ejected_ = 0, flits_in_window_ = 0;
  const FlitNodeConfig& config_;
  FlitSender sender_;
  std::uint32_t serial_ = 0;
  Alarm alarm_;
  Cycle event_at_ = never;  ///< EmissionSource::next_event()
  FlitChannel* out_ = nullptr;
  FlitChannel* in_ = nullptr;
  std::uint64_t sent_ = 0, flits_killed_ = 0;
  Emission upcoming_;
  PacketPool* pool_;
  const routing::Routing* routing_;
  FlitNodeEvents* events_;
  Arena& arena_;
  CheckedSource source_;
  const End end_;

  // With classes of messages: `stream_` is the stream of set `set_`; the places of the others are in parked_,
  // whose element `set_` is empty.
  const bool has_classes_;
  unsigned set_ = 0;
  std::vector<Stream> parked_;
  ClassArbiter arbiter_;

  // Congestion control: `control_` is null without it. Acknowledgements are the first `acks_queued_` packets
  // of the queue.
  const std::unique_ptr<CongestionControl> control_;
  Cycle held_until_ = 0;  ///< Cycle from which the control lets a packet start; `never`: not known.
  std::uint32_t acks_queued_ = 0;
  CongestionCounts congestion_;
};

}  // namespace tsuji::traffic
