// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/network/dense/head_watch.h"
#include "tsuji/network/dense/packet_credits.h"
#include "tsuji/network/dense/wires.h"
#include "tsuji/routing/routing.h"
#include "tsuji/traffic/checked_source.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::network::dense {

/// Constants of all nodes of a network.
struct NodeShared {
  const traffic::FlitNodeConfig& config;
  const routing::Routing& routing;
  PacketPool& pool;
  traffic::FlitNodeEvents& events;
  Buffers buffers;
  HeadQueue* queues;           ///< RouterShared::queues
  unsigned vcs = 1;            ///< virtual channels of links to nodes
  HeadWatch* watch = nullptr;  ///< null: none
  bool passes_whole = false;   ///< RouterShared::passes_whole
};

/// A node that generates and ejects packets in the cycles in which traffic::FlitNodeState does: flits of one
/// cycle, and no packet is dropped. Its sink is never full, unless its source owns channels.
///
/// Invariant, checked for every flit: the flits of a packet arrive on one virtual channel without those of
/// another packet between them, at the right node, and the node never has more credits than the router's
/// buffer has places.
class Node {
 public:
  Node(NodeId id, const NodeShared& shared, std::unique_ptr<traffic::EmissionSource> source, Arena& arena,
       Home& home, unsigned unit, HeadQueues& queues);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// The link to a router's input, whose queues of heads begin at `heads` and whose bits begin at
  /// `first_bit`.
  void connect_output(const Wire& wire, QueueIndex heads, unsigned first_bit);
  /// Credits of the sink, to a router's output virtual channels whose bits begin at `first_bit`.
  void connect_credits(const Wire& wire, unsigned first_bit);
  /// All neighbourhoods have joined their threads. From now on the node makes and ends packets in the pool of
  /// `shared`, and reports to its events: both belong to the thread that runs it.
  void join_threads(const NodeShared& shared, Crossings& crossings);
  /// Reads the first packet of the source. Called once, after the connections and before the first cycle.
  void begin();
  QueueIndex heads() const { return heads_; }
  unsigned unit() const { return unit_; }
  Home& home() const { return *home_; }

  /// Requests the source's next packet after an event at another node in cycle `now`.
  void source_changed(Cycle now);
  /// A channel of the source calls in cycle `now`, in which the neighbourhood has not run yet.
  void ring(Cycle now) {
    called_ = true;
    home_->run_now(now, unit_);
  }

  /// Runs those of `nodes`, whose units are those from `first` on, whose bit is in `units`.
  using Run = void (*)(Node* nodes, unsigned first, Bits units, const Moment& at, Work& work);
  /// `passes_whole`: NodeShared::passes_whole; `slim`: rows are words of SlimBits.
  static Run runner(bool passes_whole, bool slim, bool has_channels);

  // Between two cycles.

  NodeId id() const { return id_; }
  traffic::EmissionSource& source() const { return *source_; }
  std::uint64_t packets_queued() const { return queued_; }
  std::uint64_t packets_sent() const { return sent_; }
  std::uint64_t flits_sent() const { return flits_sent_; }
  std::uint64_t flits_ejected() const { return flits_ejected_; }
  /// Flits ejected in the window and before cycle `now`, at most the present one.
  std::uint64_t flits_ejected_in_window(Cycle now) const {
    return flits_in_window_ + sum_of_taken([&](const Inlet& inlet) {
             return shared_->config.cycles_in_window(inlet.head, std::min(now, taken_until(inlet)));
           });
  }
  /// The packet whose head but not last flit has been sent, or traffic::no_packet.
  PacketIndex packet_being_sent() const { return sending_ ? packet_ : traffic::no_packet; }
  /// A packet whose head but not last flit has been taken, or traffic::no_packet; of a node that passes whole
  /// packets.
  PacketIndex packet_being_taken() const {
    return taking_vcs_ == 0 ? traffic::no_packet : first_taken().packet;
  }
  /// Calls visit(PacketIndex) for all packets of packet_being_taken() but that one.
  template <class Visit>
  void visit_others_being_taken(const Visit& visit) const {
    for (unsigned vcs = taking_vcs_ & (taking_vcs_ - 1U); vcs != 0; vcs &= vcs - 1)
      visit(inlets_[lowest(vcs)].packet);
  }
  std::uint64_t flits_killed() const { return 0; }
  /// Flits of flits_ejected() that arrive in cycle `now` or later.
  std::uint64_t flits_to_come(Cycle now) const {
    return sum_of_taken(
        [now](const Inlet& inlet) { return taken_until(inlet) > now ? taken_until(inlet) - now : 0; });
  }
  /// Flits of flits_sent() that leave in cycle `now` or later.
  std::uint64_t flits_to_leave(Cycle now) const {
    const Cycle until = free_at_ + (sending_ ? 1 : 0);
    return shared_->passes_whole && until > now ? until - now : 0;
  }

  std::uint64_t flits_held() const;
  /// Flits on the wires to a virtual channel of the sink.
  unsigned flits_held(unsigned vc) const;
  /// Credits of a virtual channel of the link to the router, with those under way.
  unsigned credits(unsigned vc) const;
  /// Adds flits_held() of each virtual channel.
  void add_flits_held(unsigned* of_vcs) const;
  /// Adds credits() of each virtual channel.
  void add_credits(unsigned* of_vcs) const;
  void visit_packets(const std::function<void(PacketIndex)>& visit) const;
  Cycle last_event(Cycle now) const;

 private:
  struct Pending {
    Cycle created;
    End destination;
    std::uint16_t flits;
    std::uint16_t payload_bytes;
    PacketIndex packet;
    PacketClass packet_class;
    routing::VcMask vcs;
    std::array<std::uint64_t, 2> header;
  };
  /// A virtual channel of the sink, and the packet that it receives.
  struct Inlet {
    Cycle head = 0;  ///< cycle in which the packet's head arrived
    PacketIndex packet = 0;
    std::uint16_t left = 0;     ///< flits of the packet that have not arrived; 0: between two packets
    std::uint16_t waiting = 0;  ///< flits, or whole packets, that have arrived and wait for the source's room
  };
  /// A virtual channel of the link to the router.
  struct Outlet {
    Bits far_bit = 0;  ///< bit of the flits at the router
    Count credits;
    QueueIndex heads = 0;  ///< of the virtual channel at the router
  };
  static constexpr unsigned first_places = 2;  ///< initial size of the source queue, which is in the arena
  static constexpr std::uint32_t waiting_places = 4;  ///< largest queue of a source whose births may wait

  /// Properties that all nodes of a network share, known when it is built.
  template <bool whole, bool channels, class RowWord>
  struct Kind {
    static constexpr bool passes_whole = whole;     ///< NodeShared::passes_whole
    static constexpr bool has_channels = channels;  ///< FlitNodeConfig::asks_always
    using Word = RowWord;                           ///< of a row
  };

  template <class Kind>
  static void run(Node* nodes, unsigned first, Bits units, const Moment& at, Work& work);
  template <class Word>
  static Run runner(bool passes_whole, bool has_channels);
  template <class Kind>
  void step(const Moment& at, Work& work);
  void take_credits(Bits credits, Cycle now);
  template <class Word>
  void take(unsigned vc, const Moment& at);
  void begin_taking(Inlet& inlet, unsigned vc, Cycle now);
  template <class Word>
  void take_waiting(Bits flits, const Moment& at, Work& work);
  // Whole packets.
  void take_packet_credits(Bits credits, Cycle now);
  template <class Word>
  void take_packet(unsigned vc, const Moment& at);
  template <class Word>
  void take_packets(Bits heads, const Moment& at);
  void end_packet(unsigned vc, Cycle now);
  template <class Word>
  void send_packet(const Moment& at);
  bool has_room(unsigned vc, Cycle now);
  /// One whose packet is being taken; `taking_vcs_` is not 0.
  const Inlet& first_taken() const { return inlets_[lowest(taking_vcs_)]; }
  /// Cycle after the last flit of the packet that is being taken there.
  static Cycle taken_until(const Inlet& inlet) { return inlet.head + inlet.left; }
  /// Sum of the values of all inlets whose packet is being taken.
  template <class Value>
  std::uint64_t sum_of_taken(const Value& value) const {
    std::uint64_t sum = 0;
    for (unsigned vcs = taking_vcs_; vcs != 0; vcs &= vcs - 1) sum += value(inlets_[lowest(vcs)]);
    return sum;
  }
  template <class Visit>
  void visit_arriving(unsigned vc, const Visit& visit) const;
  void deliver(PacketIndex packet, Cycle head, Cycle now);
  template <class Kind>
  void inject(const Moment& at);
  void take_births(Cycle now);
  void enqueue(const traffic::Emission& emission);
  void grow_queue();
  void ask_source(Cycle now);
  void watch_source();
  template <bool passes_whole>
  bool start_packet(Cycle now);
  bool may_start(const Outlet& vc, Cycle now) const;
  unsigned credits_to_start(Cycle now) const;
  PacketIndex make_packet(const Pending& next);
  template <class Word>
  void send(const Moment& at);
  void plan(const Moment& at, Work& work);
  void inject_in(Cycle cycle) {
    if (cycle < inject_at_) inject_at_ = cycle;
  }
  [[noreturn]] void fail(Cycle now, PacketId packet, const std::string& what) const;

  Cycle inject_at_ = never;   ///< next cycle in which injection has work
  Cycle planned_at_ = never;  ///< cycle of the wake-up that the node has planned itself
  const NodeShared* shared_;
  Home* home_;
  void* row_;  ///< in slot 0
  Inlet* inlets_;
  Outlet* out_;
  PacketCredits* packet_credits_ = nullptr;  ///< [VC]; null unless NodeShared::passes_whole
  Wire wire_, credit_wire_;
  std::uint8_t unit_;
  std::uint8_t credit_bit_ = 0;  ///< first bit of the credits at the router
  std::uint8_t vc_ = 0;          ///< virtual channel of the packet that is being sent, or was sent last
  bool more_ = false;            ///< upcoming_ holds a packet that is not born yet
  bool sending_ = false;
  bool blocked_ = false;  ///< injection waits for a credit
  bool called_ : 1;       ///< a source that owns channels looks at them in this cycle
  bool full_ : 1;         ///< EmissionSource::is_full() of a source that owns channels
  bool listens_ = false;  ///< the source is notified of arrivals and departures, or has events of its own
  std::uint16_t sequence_ = 0;  ///< number of the next flit to send
  std::uint16_t flits_ = 0;
  PacketIndex packet_ = 0;
  std::uint32_t serial_ = 0;
  std::uint16_t waiting_vcs_ = 0;  ///< virtual channels of the sink in which flits wait
  std::uint16_t taking_vcs_ = 0;   ///< those whose packet's flits are taken one a cycle; of whole packets
  Cycle free_at_ = 0;  ///< cycle from which the link accepts the next flit, at most that after the last step
  Pending* queue_;     ///< ring that grows if a saturated source needs it
  std::uint32_t head_ = 0, queued_ = 0, queue_mask_ = first_places - 1;
  std::uint32_t most_queued_ = ~std::uint32_t{0};  ///< packets in the queue above which births wait
  std::uint64_t flits_ejected_ = 0, flits_in_window_ = 0, flits_sent_ = 0, sent_ = 0;
  Cycle event_at_ = never;  ///< EmissionSource::next_event()
  traffic::Emission upcoming_;
  traffic::CheckedSource source_;
  std::vector<Pending> larger_queue_;
  const NodeId id_;
  QueueIndex heads_;  ///< heads on the wires to the sink, of its first virtual channel
};

}  // namespace tsuji::network::dense
