#pragma once

#include <array>
#include <memory>
#include <systemc>
#include <vector>

#include "core/packet.h"
#include "link/clock_domain.h"
#include "link/flit_link.h"
#include "routing/routing.h"
#include "traffic/emission.h"

namespace tsuji::traffic {

struct FlitNodeConfig {
  bool whole_packets = false;  ///< a packet starts only when a whole one fits into the router's buffer
  bool atomic_vcs = false;     ///< ... and only when that buffer is empty
  bool own_vcs = false;        ///< the injection channel has a number of its own: any of them may be taken
  bool asks_always = false;    ///< the source has channels of its own: it is asked whenever the node runs
  Cycle window_from = 0;       ///< flits ejected in [window_from, window_to) are counted apart
  Cycle window_to = never;
};

/// What the nodes of a network tell; called in the cycle in which it happens, in no order among nodes.
class FlitNodeEvents {
 public:
  virtual ~FlitNodeEvents() = default;
  /// A packet was generated in cycle emission.created (now, or before: the node was woken for something
  /// else).
  virtual void on_born(NodeId node, const Emission& emission) = 0;
  /// The last flit of a packet is here; its head came in cycle `head`.
  virtual void on_delivered(const Packet& packet, Cycle head, Cycle tail) = 0;
};

/// A processor's interface of the plainest kind: a source queue without bound in front of the injection
/// channel, and a sink that takes every flit in the cycle in which it comes. A packet generated in cycle g
/// has its head on the wires in g + 1 at the earliest; packets leave one after the other, each on a virtual
/// channel of the routing's choice, taken in turn.
///
/// Checks, always on: flits of a packet come in order, without a gap, on one virtual channel, at the right
/// node.
class FlitNode final : public sc_core::sc_module, public Clocked {
 public:
  /// Bound to one link end, or to two where injection and ejection are different links.
  sc_core::sc_port<FlitEndIf, 2, sc_core::SC_ONE_OR_MORE_BOUND> port;

  FlitNode(sc_core::sc_module_name name, ClockDomain& domain, const FlitNodeConfig& config, PacketPool& pool,
           const routing::Routing& routing, NodeId node, std::unique_ptr<EmissionSource> source,
           FlitNodeEvents& events, Arena& arena);

  void step(Cycle now) override;

  /// Between two cycles: forgets a packet that is being sent or received here.
  void purge(PacketIndex packet, Cycle now);
  /// Between two cycles: no packet is generated any more.
  void stop_source() {
    more_ = false;
    stopped_ = true;
    event_at_ = never;
  }

  NodeId node() const { return node_; }
  std::uint64_t packets_born() const { return born_; }
  std::uint64_t flits_born() const { return flits_born_; }
  std::uint64_t packets_sent() const { return sent_; }  ///< their heads are on the wires
  std::uint64_t flits_sent() const { return flits_sent_; }
  std::uint64_t flits_ejected() const { return flits_ejected_; }
  std::uint64_t flits_killed() const { return flits_killed_; }
  std::uint64_t flits_ejected_in_window() const { return flits_in_window_; }
  std::uint64_t packets_delivered() const { return delivered_; }
  std::size_t queued() const { return queued_; }
  bool sending() const { return sending_; }

 private:
  struct Pending {
    Cycle created;
    NodeId destination;
    std::uint16_t flits;
    std::uint16_t payload_bytes;
    PacketIndex packet;
    std::array<std::uint64_t, 2> header;
  };
  struct Arriving {
    PacketIndex packet = 0;
    std::uint16_t sequence = 0;
    bool open = false;
    Cycle head = 0;
  };

  void end_of_elaboration() override;
  void take_births(Cycle now);
  void watch_source();
  void ask_source(Cycle now);
  void enqueue(const Emission& emission);
  bool start_packet(Cycle now);
  PacketIndex make_packet(const Pending& next);
  void send(Cycle now);
  bool may_start(unsigned vc, Cycle now, Cycle& at) const;
  void eject(std::uint64_t vcs, Cycle now);
  void take(unsigned vc, const FlitSlot& flit, Cycle now);
  void deliver(PacketIndex packet, Cycle head, Cycle now);
  void wake_for_injection(Cycle cycle);
  [[noreturn]] void fail(Cycle now, const Flit& flit, const char* what) const;

  const FlitNodeConfig& config_;
  PacketPool& pool_;
  const routing::Routing& routing_;
  const NodeId node_;
  const std::unique_ptr<EmissionSource> source_;
  FlitNodeEvents& events_;
  Arena& arena_;
  FlitChannel* out_ = nullptr;
  FlitChannel* in_ = nullptr;
  FlitSender sender_;
  ArrivalBoard arrival_board_, credit_board_;
  ArrivalBoard::Column arrivals_, credits_;

  Emission upcoming_;
  bool more_ = false;
  bool stopped_ = false;
  bool full_ = false;  ///< the source takes no further packet
  bool sending_ = false;
  std::uint8_t vc_ = 0;         ///< of the packet that is being sent, or was last
  std::uint16_t sequence_ = 0;  ///< of the next flit
  std::uint16_t flits_ = 0;
  PacketIndex packet_ = 0;
  Cycle free_at_ = 0;
  Cycle event_at_ = never;      ///< the source has something to do of its own accord
  Cycle inject_at_ = never;     ///< the next cycle in which injection has something to do
  std::vector<Pending> queue_;  ///< a ring that grows when a saturated source needs it
  std::uint32_t head_ = 0, queued_ = 0;
  std::uint32_t serial_ = 0;
  std::vector<Arriving> arriving_;  ///< per virtual channel
  std::uint64_t born_ = 0, flits_born_ = 0, sent_ = 0, flits_sent_ = 0, flits_ejected_ = 0, flits_killed_ = 0,
                flits_in_window_ = 0, delivered_ = 0;
};

}  // namespace tsuji::traffic
