// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>

#include "own_kinds.h"
#include "tsuji/core/error.h"

namespace example {
namespace {

using namespace tsuji;
using namespace tsuji::router;

/// Store-and-forward router with one packet buffer: a packet whose tail has arrived moves from its input into
/// the buffer, requests its route, and leaves flit by flit; then the next input with a whole packet is
/// served. Packets in a cycle of full routers deadlock: use the router in topologies of one-way links.
class OneBufferRouter final : public FlitRouter, private RouteClient {
 public:
  OneBufferRouter(graph::RouterId id, const std::vector<RouterPort>& ports, const RouterParts& parts)
      : id_(id), ports_(ports), parts_(parts), senders_(ports.size()) {}

  void bind(const Waker& self) override {
    self_ = self;
    parts_.lookup.bind_client(*this);
    Cycle flight = 1;
    for (unsigned p = 0; p < ports(); ++p) {
      for (unsigned v = 0; v < vcs(p); ++v) inputs_.push_back({p, v});
      if (ports_[p].in != nullptr) flight = std::max(flight, ports_[p].in->ready_after() + 1);
    }
    if (inputs_.size() > 64) throw ModelError(name(), "it has more than 64 input virtual channels");
    calendar_ = ArrivalCalendar(*parts_.arena, static_cast<unsigned>(inputs_.size()), flight, true);
    unsigned line = 0;
    for (unsigned p = 0; p < ports(); ++p) {
      if (ports_[p].out != nullptr) ports_[p].out->bind_sender(self, calendar_, leaves_after, senders_[p]);
      if (ports_[p].in == nullptr) continue;
      ports_[p].in->bind_receiver(self, calendar_, line, 0, *parts_.arena);
      line += vcs(p);
    }
  }

  void step(Cycle now) override {
    calendar_.take(0, now);
    calendar_.busy(0) = 0;
    if (parts_.lookup.is_run_by_router()) parts_.lookup.run(now);
    if (!buffer_.empty()) send(now);
    if (buffer_.empty()) take(now);
    if (!buffer_.empty()) self_.wake_at(now + 1);
  }

  graph::RouterId id() const override { return id_; }
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  const RouterPort& port(unsigned p) const override { return ports_[p]; }
  RouterCounters counters() const override { return counters_; }
  Cycle last_event(Cycle now) const override { return ready_ == never ? now : ready_; }
  void visit_inside(const std::function<void(PacketIndex)>& visit) const override {
    for (const Flit& flit : buffer_) visit(flit.packet);
  }

  static constexpr Cycle leaves_after = 1;  ///< cycles from the decision to the wires

 private:
  struct Input {
    unsigned port, vc;
  };

  std::string name() const { return "router " + std::to_string(id_); }

  void send(Cycle now) {
    FlitChannel& out = *ports_[route_.port].out;
    const auto vc = static_cast<unsigned>(__builtin_ctz(route_.vcs));
    if (now < ready_ || out.ring(vc).credit_at() > now) return;
    out.send(now, vc, buffer_.front());
    buffer_.pop_front();
    ++counters_.flits;
  }

  void take(Cycle now) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[(next_ + i) % inputs_.size()];
      FlitChannel& in = *ports_[input.port].in;
      const FlitRing& ring = in.ring(input.vc);
      if (!ring.front().holds_flit() || ring.front().cycle() > now) continue;
      Packet& packet = parts_.pool.at(ring.front().packet());
      if (packet.flits > ring.depth())
        throw ModelError(name(), now, packet_name(packet.id), "the packet is longer than an input's buffer");
      const FlitSlot& tail = ring.behind_front(packet.flits - 1U);
      if (!tail.holds_flit() || tail.cycle() > now) continue;
      for (unsigned f = 0; f < packet.flits; ++f) {
        buffer_.push_back(ring.front().flit());
        in.pop(now, input.vc);
      }
      ask(input, packet, now);
      next_ += i + 1;
      return;
    }
  }

  void ask(const Input& input, Packet& packet, Cycle now) {
    routing::RouteQuery query;
    query.router = id_;
    query.in_port = input.port;
    query.in_vc = input.vc;
    query.source = packet.source;
    query.destination = packet.destination;
    query.packet_class = packet.packet_class;
    query.hops = packet.hops++;
    query.packet = packet.id;
    query.seed = parts_.seed;
    routing::RouteSet candidates;
    ready_ = never;
    const Cycle at = parts_.lookup.request(now, query, 0, candidates);
    if (at != never) route_answer(0, at, candidates);
  }

  void route_answer(std::uint32_t, Cycle at, const routing::RouteSet& candidates) override {
    if (candidates.size() == 0) throw ModelError(name(), at, "", "there is no route");
    route_ = candidates[0];
    ready_ = at;
  }

  const graph::RouterId id_;
  const std::vector<RouterPort> ports_;
  const RouterParts parts_;
  std::vector<FlitSender> senders_;
  std::vector<Input> inputs_;
  ArrivalCalendar calendar_;
  Waker self_;
  std::deque<Flit> buffer_;  ///< the packet that leaves
  routing::RouteCandidate route_{};
  Cycle ready_ = 0;       ///< its flits may leave by `route_`; `never`: the look-up has not answered
  std::size_t next_ = 0;  ///< input whose turn it is
  RouterCounters counters_;
};

struct OneBufferConfig {
  RouterKind make(const VcRouterConfig& /*config*/) const {
    RouterKind kind;
    kind.name = "one-buffer router";
    kind.departs_after_cycles = OneBufferRouter::leaves_after;
    kind.make = [](graph::RouterId id, const std::vector<RouterPort>& ports, const RouterParts& parts) {
      return make_in<OneBufferRouter>(*parts.arena, id, ports, parts);
    };
    return kind;
  }
};

}  // namespace

void add_one_buffer(RouterKinds& kinds) {
  kinds.add<OneBufferConfig>("one_buffer");
}

}  // namespace example
