// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/vc_network_waves.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/link/flit_watch.h"
#include "tsuji/network/dense/dense_network.h"

namespace tsuji::instruments {
namespace {

constexpr unsigned stage_bits = 3;

/// Name of the packet that was on a virtual channel last.
struct PacketName {
  std::optional<PacketId> id;  ///< empty: none was
  observe::WaveText text;

  void become(PacketId packet) {
    if (id == packet) return;
    id = packet;
    text.end_at(put_name(text.begin(), packet));
  }
};

/// "3.17.0 H": packet, sequence, and whether it is a head or a tail.
void put_flit(observe::WaveText& text, const Flit& flit, const PacketName& packet) {
  static_assert(longest_packet_name + 10 <= observe::WaveText::most);
  text = packet.text;
  char* at = text.begin() + packet.text.view().size();
  *at++ = '.';
  at = std::to_chars(at, at + 5, flit.sequence).ptr;
  if (flit.is_head()) at = std::copy_n(" H", 2, at);
  if (flit.is_tail()) at = std::copy_n(" T", 2, at);
  text.end_at(at);
}

/// "3.17 to 5": packet and destination, and whether it is in recovery.
void put_packet(observe::WaveText& text, const Packet& packet) {
  constexpr std::string_view to = " to ", recovers = ", recovers";
  static_assert(longest_packet_name + to.size() + End::longest_name + recovers.size() <=
                observe::WaveText::most);
  char* at = put_name(text.begin(), packet.id);
  at = std::copy_n(to.data(), to.size(), at);
  at = packet.destination.put_name(at);
  if (packet.packet_class == PacketClass::recovery) at = std::copy_n(recovers.data(), recovers.size(), at);
  text.end_at(at);
}

std::string text_of(const char* what, unsigned number) {
  return what + std::to_string(number);
}

}  // namespace

void VcNetworkWavesConfig::validate_with(const graph::Topology& topology) const {
  for (const graph::RouterId id : routers) {
    if (id < topology.routers()) continue;
    throw ConfigError("waves.routers", std::to_string(id), "there is no such router",
                      "0.." + std::to_string(topology.routers() - 1) + ", or [] for all");
  }
}

/// Input virtual channels of one router.
class VcNetworkWaves::RouterWave final : public router::RouterProbe {
 public:
  RouterWave(const Parts& parts, LevelTimeline& timeline, graph::RouterId id, Cycle last_cycle)
      : parts_(parts),
        timeline_(timeline),
        config_(parts.network.config().router),
        last_cycle_(last_cycle),
        id_(id) {
    if (parts.network.is_dense()) return;
    router::RouterModule& at = parts.network.module(id);
    behind_ = at.probe();
    at.set_probe(this);
  }
  graph::RouterId id() const { return id_; }

  /// Adds the virtual channels of an input port, fed by a channel.
  void add_port(unsigned port, unsigned vcs, unsigned depth_flits, const std::string& path,
                const std::string& group, bool slots) {
    if (ports_.size() <= port) {
      ports_.resize(port + 1);
      guesses_.resize(port + 1);
    }
    if (config_.prediction.on()) add_guesses(guesses_[port], path, group);
    for (unsigned v = 0; v < vcs; ++v) {
      const std::string own = path + text_of(".vc", v);
      Vc vc;
      vc.stage = stage_level(own + ".stage", group);
      vc.packet = timeline_.text_level(parts_.wave.add(own + ".packet", 0, observe::WaveFormat::text, group));
      vc.places.resize(depth_flits);
      vc.place = own;
      FollowedPackets::Part part{group, {own + ".packet", own + ".stage", path + ".flit"}};
      for (unsigned s = 0; s < depth_flits && slots; ++s) {
        part.paths.push_back(own + text_of(".slot", s));
        vc.slots.push_back(stage_level(part.paths.back(), group));
      }
      part.paths.push_back(own + ".occupancy");
      parts_.followed.add(own, std::move(part));
      parts_.followed.include(own, path);
      ports_[port].push_back(std::move(vc));
    }
    if (config_.prediction.on())
      parts_.followed.add(path, {"prediction at " + input_name(port), {path + ".prediction"}});
  }

  void on_stage(graph::RouterId router, unsigned port, unsigned v, PacketIndex packet,
                router::HeadStage stage, Cycle at) override {
    if (behind_ != nullptr) behind_->on_stage(router, port, v, packet, stage, at);
    if (at > last_cycle_) return;
    Vc& vc = ports_[port][v];
    // A head whose words pass, or that leaks, crosses before it requests its route.
    if (stage == router::HeadStage::route_computation || stage == router::HeadStage::inside ||
        (stage == router::HeadStage::crossing && !vc.begun)) {
      ++vc.turn;
      const Packet& head = parts_.pool.at(packet);
      parts_.followed.comes(head, vc.place, at);
      put_packet(timeline_.set_text(vc.packet, at, vc.turn), head);
    }
    vc.inside = packet;
    vc.begun = stage != router::HeadStage::none;
    if (stage == router::HeadStage::inside) return;  // the stage is not known
    vc.active = stage == router::HeadStage::switch_allocation || stage == router::HeadStage::crossing;
    const ShownStage shown = shown_stage(stage);
    set_stage(vc.stage, at, vc.turn, shown);
    if (shown == ShownStage::idle) timeline_.clear_text(vc.packet, at, vc.turn);
    if (vc.held > 0) show_slot(vc, vc.read, at, shown == ShownStage::idle ? ShownStage::wait : shown);
  }

  void on_prediction(graph::RouterId router, unsigned port, unsigned v, PacketIndex packet,
                     router::PredictionOutcome outcome, Cycle at) override {
    if (behind_ != nullptr) behind_->on_prediction(router, port, v, packet, outcome, at);
    if (at > last_cycle_) return;
    Guesses& guesses = guesses_[port];
    timeline_.set(guesses.level, at, ++guesses.heads, static_cast<std::uint64_t>(outcome) + 1);
    timeline_.set(guesses.level, at + 1, guesses.heads, 0);
  }

  void arrives(unsigned port, unsigned v, const Flit& flit, Cycle ready) {
    if (hides_stages()) return;
    Vc& vc = ports_[port][v];
    vc.places[vc.write] = {flit, ready, ++vc.flits, false};
    if (config_.des_cycles != 0) show_slot(vc, vc.write, ready - config_.des_cycles, ShownStage::des);
    const bool at_once = vc.held == 0 && vc.active && !flit.is_head();
    show_slot(vc, vc.write, ready, at_once ? ShownStage::sa : ShownStage::wait);
    vc.write = next(vc, vc.write);
    ++vc.held;
  }

  /// A tail leaves a buffer whose slots are not shown, and this router.
  void tail_passes(unsigned port, unsigned v, Cycle departure) {
    Vc& vc = ports_[port][v];
    vc.active = vc.begun = false;
    const Cycle serializes = departure - config_.ser_cycles;
    set_stage(vc.stage, serializes - config_.st_cycles, vc.turn, ShownStage::st);
    set_stage(vc.stage, serializes, vc.turn, ShownStage::ser);
    show_end(vc, departure);
  }

  /// The flit at the front leaves its buffer. It is discarded, unless an output reports it, or has reported
  /// it before (PredictionCheck::leak).
  void leaves(unsigned port, unsigned v, Cycle now) {
    if (hides_stages()) return;
    Vc& vc = ports_[port][v];
    Place& place = vc.places[vc.read];
    if (place.ready > now) place.turn = ++vc.flits;  // its words pass: it is not buffered later
    leaving_ = {&vc, vc.read, now};
    show_slot(vc, vc.read, now + 1, ShownStage::idle);
    if (place.flit.is_tail()) {
      vc.active = vc.begun = false;
      if (place.crossed) show_end(vc, now + 1);
    }
    vc.read = next(vc, vc.read);
    --vc.held;
    if (vc.held == 0 || !vc.active || vc.places[vc.read].flit.is_head()) return;
    show_slot(vc, vc.read, std::max(now + 1, vc.places[vc.read].ready), ShownStage::sa);
  }

  /// An output was given the flit that has just left its buffer, or a copy of one that has not.
  void departs(const Flit& flit, Cycle departure, Cycle now) {
    parts_.followed.goes(parts_.pool.at(flit.packet), departure);
    if (hides_stages()) return show_end_inside(flit, departure);
    const Leaving left = std::exchange(leaving_, Leaving{});
    const Flit known = left.vc == nullptr ? Flit{} : left.vc->places[left.place].flit;
    // In the next cycle the index in the pool may belong to another packet.
    if (left.now == now && known.valid() && known.packet == flit.packet && known.sequence == flit.sequence)
      return show_passage(*left.vc, left.place, left.now, departure, flit.is_tail());
    if (!config_.prediction.leaks() || !leak(flit))
      throw ModelError("waveform", now, packet_name(parts_.pool.at(flit.packet).id),
                       "a flit left a router without having been in one of its buffers");
  }

 private:
  /// A slot of a buffer.
  struct Place {
    Flit flit;
    Cycle ready = 0;
    std::uint64_t turn = 0;  ///< number of flits up to this one
    bool crossed = false;    ///< a copy of the flit has left
  };
  struct Vc {
    LevelTimeline::LevelId stage = 0, packet = 0;
    PacketIndex inside = 0;                     ///< packet of the head that came last
    std::vector<LevelTimeline::LevelId> slots;  ///< empty: not shown
    std::string place;                          ///< name for FollowedPackets
    std::vector<Place> places;
    std::uint64_t turn = 0, flits = 0;  ///< number of packets and of flits so far
    unsigned read = 0, write = 0, held = 0;
    bool active = false;  ///< the packet at the front has an output
    bool begun = false;   ///< its head was reported
  };
  /// Outcomes of an input's heads, each for a cycle.
  struct Guesses {
    LevelTimeline::LevelId level = 0;
    std::uint64_t heads = 0;  ///< number of heads so far
  };
  struct Leaving {
    const Vc* vc = nullptr;
    unsigned place = 0;
    Cycle now = 0;
  };

  std::string input_name(unsigned port) const {
    return "router " + std::to_string(id_) + text_of(" input ", port);
  }
  LevelTimeline::LevelId stage_level(const std::string& path, const std::string& group) {
    const observe::SignalId signal = parts_.wave.add(path, stage_bits, observe::WaveFormat::decimal, group);
    static constexpr const char* names[] = {"-", "wait", "RC", "VA", "SA", "ST", "Des", "Ser"};
    for (std::uint64_t value = 0; value < std::size(names); ++value)
      parts_.wave.name_value(signal, value, names[value]);
    return timeline_.level(signal);
  }
  void add_guesses(Guesses& guesses, const std::string& path, const std::string& group) {
    const observe::SignalId signal =
        parts_.wave.add(path + ".prediction", stage_bits, observe::WaveFormat::decimal, group);
    const router::PredictionCheck check = config_.prediction.check;
    const char* const wrong = check == router::PredictionCheck::kill   ? "kill"
                              : check == router::PredictionCheck::leak ? "leak"
                                                                       : "wrong";
    const char* const names[] = {"-", "hit", wrong, "lost", "no room", "not idle", "none"};
    static_assert(std::size(names) == router::PredictionCounters::outcomes + 1);
    for (std::uint64_t value = 0; value < std::size(names); ++value)
      parts_.wave.name_value(signal, value, names[value]);
    guesses.level = timeline_.level(signal);
  }
  static ShownStage shown_stage(router::HeadStage stage) {
    switch (stage) {
      case router::HeadStage::route_computation:
      case router::HeadStage::standing:
        return ShownStage::rc;
      case router::HeadStage::vc_allocation:
        return ShownStage::va;
      case router::HeadStage::switch_allocation:
        return ShownStage::sa;
      case router::HeadStage::crossing:
        return ShownStage::st;
      case router::HeadStage::inside:
      case router::HeadStage::none:
        break;
    }
    return ShownStage::idle;
  }
  void set_stage(LevelTimeline::LevelId level, Cycle at, std::uint64_t turn, ShownStage stage) {
    timeline_.set(level, at, turn, static_cast<std::uint64_t>(stage));
  }
  static unsigned next(const Vc& vc, unsigned place) { return place + 1 == vc.places.size() ? 0 : place + 1; }
  void show_slot(const Vc& vc, unsigned place, Cycle at, ShownStage stage) {
    if (!vc.slots.empty()) set_stage(vc.slots[place], at, vc.places[place].turn, stage);
  }
  void show_passage(const Vc& vc, unsigned place, Cycle now, Cycle departure, bool tail) {
    Cycle serializes = departure - config_.ser_cycles, traverses = serializes - config_.st_cycles;
    if (traverses < now) {  // words that pass skip serialization
      traverses = now;
      serializes = departure;
    }
    if (traverses > now + 1) show_slot(vc, place, now + 1, ShownStage::sa);
    // The flit is forwarded by prediction.
    if (traverses == now && serializes > now + 1) show_slot(vc, place, now + 1, ShownStage::st);
    for (const auto& [at, stage] :
         {std::pair{traverses, ShownStage::st}, std::pair{serializes, ShownStage::ser},
          std::pair{departure, ShownStage::idle}}) {
      show_slot(vc, place, at, stage);
      if (tail) set_stage(vc.stage, at, vc.turn, stage);
    }
    if (tail) timeline_.clear_text(vc.packet, departure, vc.turn);
  }
  void show_end(const Vc& vc, Cycle at) {
    set_stage(vc.stage, at, vc.turn, ShownStage::idle);
    timeline_.clear_text(vc.packet, at, vc.turn);
  }
  /// Evaluated late, since routers exist from the first cycle on.
  bool hides_stages() {
    if (!hides_stages_) hides_stages_ = parts_.network.router(id_).telling()->hides_stages();
    return *hides_stages_;
  }
  /// For a router without observable stages: a flit has left, from an unknown slot.
  void show_end_inside(const Flit& flit, Cycle at) {
    if (!flit.is_tail()) return;
    for (auto& port : ports_) {
      for (Vc& vc : port)
        if (vc.begun && vc.inside == flit.packet) {
          vc.begun = false;
          show_end(vc, at);
        }
    }
  }
  /// Returns true if a buffer has the flit of which a copy leaves.
  bool leak(const Flit& flit) {
    for (auto& port : ports_) {
      for (Vc& vc : port) {
        unsigned at = vc.read;
        for (unsigned held = 0; held < vc.held; ++held, at = next(vc, at)) {
          Place& place = vc.places[at];
          if (place.flit.is_killed() || place.flit.packet != flit.packet ||
              place.flit.sequence != flit.sequence)
            continue;
          place.crossed = !flit.is_killed();
          return true;
        }
      }
    }
    return false;
  }

  const Parts& parts_;
  LevelTimeline& timeline_;
  const router::VcRouterConfig& config_;
  const Cycle last_cycle_;
  const graph::RouterId id_;
  std::optional<bool> hides_stages_;  ///< empty: not known yet
  router::RouterProbe* behind_ = nullptr;
  std::vector<std::vector<Vc>> ports_;
  std::vector<Guesses> guesses_;  ///< [port]
  Leaving leaving_;               ///< the flit that left its buffer last, until an output reports it
};

/// A channel: its wires, and for every virtual channel the buffer at its end and the credits at its sender.
class VcNetworkWaves::ChannelWave {
 public:
  ChannelWave(const Parts& parts, LevelTimeline& timeline, const Use& use, const std::string& path,
              const std::string& group, Cycle first_cycle)
      : pool_(parts.pool),
        timeline_(timeline),
        first_cycle_(first_cycle),
        in_order_(!parts.network.config().router.prediction.on()),
        flit_cycles_(use.place.channel == nullptr ? 1 : use.place.channel->flit_cycles()),
        names_(use.vcs) {
    flit_ = timeline.text_level(parts.wave.add(path + ".flit", 0, observe::WaveFormat::text, group));
    vc_ = timeline.level(
        parts.wave.add(path + ".vc", observe::bits_for(use.vcs - 1), observe::WaveFormat::decimal, group));
    const unsigned bits = observe::bits_for(use.depth_flits);
    for (unsigned v = 0; v < use.vcs; ++v) {
      const std::string own = path + text_of(".vc", v);
      credits_.push_back(timeline_.level(
          parts.wave.add(own + ".credits", bits, observe::WaveFormat::decimal, group), use.depth_flits));
      occupancy_.push_back(
          timeline_.level(parts.wave.add(own + ".occupancy", bits, observe::WaveFormat::decimal, group)));
    }
  }

  /// A flit is sent in cycle `now`.
  void sends(unsigned vc, const Flit& flit, Cycle now, Cycle departure, Cycle ready) {
    timeline_.add(credits_[vc], now + 1, -1);
    timeline_.add(occupancy_[vc], ready, 1);
    show_wires(vc, flit, departure);
  }
  /// A flit is in the buffer no longer from `gone` on, and its credit may be used from `usable` on.
  void frees(unsigned vc, Cycle gone, Cycle usable) {
    timeline_.add(credits_[vc], usable, 1);
    timeline_.add(occupancy_[vc], gone, -1);
  }

 private:
  void show_wires(unsigned vc, const Flit& flit, Cycle departure) {
    const Cycle over = departure + flit_cycles_;
    if (vc != last_vc_ || !in_order_) timeline_.set(vc_, departure, 0, last_vc_ = vc);
    if (over < first_cycle_) return;
    // A hit may leave before a flit that was reported earlier: that flit does not end with it.
    names_[vc].become(pool_.at(flit.packet).id);
    put_flit(timeline_.set_text(flit_, departure, departure), flit, names_[vc]);
    timeline_.clear_text(flit_, over, departure);
  }

  const PacketPool& pool_;
  LevelTimeline& timeline_;
  const Cycle first_cycle_;
  const bool in_order_;  ///< flits are reported in the order of their departures
  const Cycle flit_cycles_;
  unsigned last_vc_ = 0;  ///< virtual channel of the last flit
  LevelTimeline::LevelId flit_ = 0, vc_ = 0;
  std::vector<LevelTimeline::LevelId> credits_, occupancy_;
  std::vector<PacketName> names_;  ///< [vc]
};

/// Source of a channel between modules and of its ends.
class VcNetworkWaves::ChannelWatch final : public FlitWatch {
 public:
  struct Ends {
    RouterWave* sender = nullptr;    ///< null: not shown
    RouterWave* receiver = nullptr;  ///< null: not shown
    unsigned port = 0;               ///< port of the receiver
  };
  ChannelWatch(const ClockDomain& domain, FlitChannel& channel, const Ends& ends, ChannelWave& wave,
               Cycle last_cycle)
      : FlitWatch(channel),
        domain_(domain),
        ends_(ends),
        wave_(wave),
        last_cycle_(last_cycle),
        ready_(channel.vcs(), Readies(channel.depth_flits())) {}

  void sees_flit(const FlitChannel&, unsigned vc, const Flit& flit, Cycle departure, Cycle ready) override {
    const Cycle now = domain_.now();
    if (now > last_cycle_) return;
    ready_[vc].push(ready);
    wave_.sends(vc, flit, now, departure, ready);
    if (ends_.sender != nullptr) ends_.sender->departs(flit, departure, now);
    if (ends_.receiver != nullptr) ends_.receiver->arrives(ends_.port, vc, flit, ready);
  }

  void sees_credit(const FlitChannel&, unsigned vc, Cycle now, Cycle usable) override {
    if (now > last_cycle_) return;
    // A flit whose words pass is gone before it could be buffered.
    wave_.frees(vc, std::max(now + 1, ready_[vc].pop()), usable);
    if (ends_.receiver != nullptr) ends_.receiver->leaves(ends_.port, vc, now);
  }

 private:
  /// Queue of the cycles in which the flits of a virtual channel, at most its depth, are ready.
  class Readies {
   public:
    explicit Readies(unsigned depth_flits) : cycles_(depth_flits) {}
    void push(Cycle ready) { cycles_[advance(write_)] = ready; }
    Cycle pop() { return cycles_[advance(read_)]; }

   private:
    unsigned advance(unsigned& place) const {
      const unsigned before = place;
      place = place + 1 == cycles_.size() ? 0 : place + 1;
      return before;
    }
    std::vector<Cycle> cycles_;
    unsigned read_ = 0, write_ = 0;
  };

  const ClockDomain& domain_;
  const Ends ends_;
  ChannelWave& wave_;
  const Cycle last_cycle_;
  std::vector<Readies> ready_;  ///< [vc]: of the flits on the wires or in the buffer
};

/// Source of a router without modules and of its channels. The acts of a sender or receiver that is not shown
/// are known when they arrive here, which is later by the wires' cycles.
class VcNetworkWaves::DenseWatch final : public network::dense::RouterWatch {
 public:
  using Times = network::dense::DenseNetwork::ChannelTimes;
  using Flits = network::dense::WatchedFlit;

  DenseWatch(const Parts& parts, RouterWave& wave, Cycle last_cycle)
      : pool_(parts.pool),
        dense_(parts.network.dense()),
        followed_(parts.followed),
        wave_(wave),
        last_cycle_(last_cycle) {
    const unsigned ports = parts.network.topology().ports(wave.id());
    plan_.arrivals.resize(ports);
    plan_.credits.resize(ports);
  }
  /// The channel into a port; `shown_there`: its sender is shown, too.
  void add_input(unsigned port, unsigned vcs, ChannelWave& wave, const Times& times, bool shown_there) {
    plan_.arrivals[port] = !shown_there;
    add(inputs_, dense_.first_input_vc({wave_.id(), port}), vcs, {&wave, times, port, 0});
  }
  void add_output(unsigned port, unsigned vcs, ChannelWave& wave, const Times& times, bool shown_there) {
    plan_.credits[port] = !shown_there;
    add(outputs_, dense_.first_output_vc({wave_.id(), port}), vcs, {&wave, times, port, 0});
  }
  void attach() { dense_.watch(wave_.id(), *this, plan_); }

  void arrives(unsigned input_vc, const Flits& flit, Cycle now) override {
    const Place& at = inputs_[input_vc];
    const Cycle sent = now - at.times.flit;
    if (sent <= last_cycle_) at.wave->sends(at.vc, flit_of(flit), sent, sent + at.times.departure, now);
  }
  void gets_credit(unsigned output_vc, Cycle now) override {
    const Place& at = outputs_[output_vc];
    const Cycle freed = now - at.times.credit;
    if (freed <= last_cycle_) at.wave->frees(at.vc, freed + 1, now);
  }
  void starts(unsigned input_vc, PacketIndex packet, Cycle now) override {
    packets_[input_vc] = packet;
    tell(input_vc, router::HeadStage::route_computation, now);
  }
  void requests_vc(unsigned input_vc, Cycle now) override {
    tell(input_vc, router::HeadStage::vc_allocation, now);
  }
  void granted_vc(unsigned input_vc, Cycle end) override {
    tell(input_vc, router::HeadStage::switch_allocation, end);
  }
  void passes(unsigned input_vc, unsigned output_vc, const Flits& flit, Cycle now) override {
    if (now > last_cycle_) return;
    const Place& from = inputs_[input_vc];
    const Place& to = outputs_[output_vc];
    const Cycle departure = now + to.times.departure;
    from.wave->frees(from.vc, now + 1, now + from.times.credit);
    to.wave->sends(to.vc, flit_of(flit), now, departure, now + to.times.flit);
    followed_.goes(pool_.at(flit.packet), departure);
    if (flit.tail) wave_.tail_passes(from.port, from.vc, departure);
  }

 private:
  /// A virtual channel of a port.
  struct Place {
    ChannelWave* wave;
    Times times;
    unsigned port, vc;
  };
  void add(std::vector<Place>& places, unsigned first, unsigned vcs, Place place) {
    if (places.size() < first + vcs) places.resize(first + vcs);
    for (place.vc = 0; place.vc < vcs; ++place.vc) places[first + place.vc] = place;
    packets_.resize(std::max(packets_.size(), places.size()));
  }
  void tell(unsigned input_vc, router::HeadStage stage, Cycle at) {
    wave_.on_stage(wave_.id(), inputs_[input_vc].port, inputs_[input_vc].vc, packets_[input_vc], stage, at);
  }
  static Flit flit_of(const Flits& flit) {
    unsigned flags = Flit::is_flit;
    if (flit.sequence == 0) flags |= Flit::head;
    if (flit.tail) flags |= Flit::tail;
    return {flit.packet, flit.sequence, static_cast<std::uint8_t>(flags)};
  }

  const PacketPool& pool_;
  network::dense::DenseNetwork& dense_;
  FollowedPackets& followed_;
  RouterWave& wave_;
  const Cycle last_cycle_;
  network::dense::RouterWatchPlan plan_;
  std::vector<Place> inputs_, outputs_;  ///< [number of the virtual channel]
  std::vector<PacketIndex> packets_;     ///< [input VC]: packet at the front
};

VcNetworkWaves::VcNetworkWaves(const Parts& parts, const VcNetworkWavesConfig& config)
    : parts_(parts),
      config_(config),
      timeline_(std::make_unique<LevelTimeline>(parts.wave, parts.domain)),
      by_id_(parts.network.routers()) {
  config_.validate_with(parts.network.topology());
  std::vector<graph::RouterId> wanted = config_.routers;
  for (graph::RouterId id = 0; id < parts.network.routers() && config_.routers.empty(); ++id)
    wanted.push_back(id);
  for (const graph::RouterId id : wanted) {
    if (by_id_[id] != nullptr) continue;
    routers_.push_back(std::make_unique<RouterWave>(parts_, *timeline_, id, config_.last_cycle));
    by_id_[id] = routers_.back().get();
  }
  if (parts_.network.is_dense()) {
    for (const auto& router : routers_)
      dense_.push_back(std::make_unique<DenseWatch>(parts_, *router, config_.last_cycle));
  }
  add_channels();
  for (const auto& router : dense_) router->attach();
}

VcNetworkWaves::~VcNetworkWaves() = default;

/// A channel between two of the routers is shown at its receiver.
void VcNetworkWaves::add_channels() {
  std::vector<Shown> shown;
  const std::vector<Use> uses = parts_.network.channel_uses();
  for (std::size_t number = 0; number < uses.size(); ++number) {
    const Use& use = uses[number];
    if (wave_of(use.place.to.router) != nullptr) {
      shown.push_back({use.place.to, false, use, number});
    } else if (wave_of(use.place.from.router) != nullptr) {
      shown.push_back({use.place.from, true, use, number});
    }
  }
  std::sort(shown.begin(), shown.end(), [](const Shown& a, const Shown& b) {
    return std::tie(a.at.router, a.output, a.at.port) < std::tie(b.at.router, b.output, b.at.port);
  });
  for (const Shown& one : shown) add_channel(one);
}

void VcNetworkWaves::add_channel(const Shown& shown) {
  const network::VcNetwork::ChannelPlace& place = shown.use.place;
  const graph::PortRef& at = shown.at;
  const graph::PortRef& other = shown.output ? place.to : place.from;
  const std::optional<End>& node = shown.output ? place.to_node : place.from_node;
  const std::string path = text_of("network.r", at.router) + text_of(shown.output ? ".out" : ".in", at.port);
  const std::string group =
      text_of("router ", at.router) + text_of(shown.output ? " output " : " input ", at.port) +
      (shown.output ? " to " : " from ") +
      (node ? node->is_router() ? std::string("control") : text_of("node ", node->node())
            : text_of("router ", other.router) + text_of(" port ", other.port));
  channels_.push_back(
      std::make_unique<ChannelWave>(parts_, *timeline_, shown.use, path, group, config_.first_cycle));
  if (parts_.network.is_dense()) {
    watch_densely(shown, *channels_.back());
  } else {
    const ChannelWatch::Ends ends{wave_of(place.from.router), wave_of(place.to.router), at.port};
    watches_.push_back(std::make_unique<ChannelWatch>(parts_.domain, *place.channel, ends, *channels_.back(),
                                                      config_.last_cycle));
  }
  if (!shown.output)
    wave_of(at.router)->add_port(at.port, shown.use.vcs, shown.use.depth_flits, path, group, config_.slots);
}

void VcNetworkWaves::watch_densely(const Shown& shown, ChannelWave& wave) {
  if (times_.empty()) times_ = parts_.network.dense().channel_times();
  const network::VcNetwork::ChannelPlace& place = shown.use.place;
  const auto& times = times_[shown.number];
  const auto watch_of = [this](graph::RouterId id) -> DenseWatch* {
    for (std::size_t r = 0; r < routers_.size(); ++r)
      if (routers_[r].get() == wave_of(id)) return dense_[r].get();
    return nullptr;
  };
  DenseWatch* const sender = place.from_node ? nullptr : watch_of(place.from.router);
  DenseWatch* const receiver = place.to_node ? nullptr : watch_of(place.to.router);
  if (sender != nullptr) sender->add_output(place.from.port, shown.use.vcs, wave, times, receiver != nullptr);
  if (receiver != nullptr) receiver->add_input(place.to.port, shown.use.vcs, wave, times, sender != nullptr);
  late_by_ = std::max({late_by_, times.flit, times.credit});
}

void VcNetworkWaves::advance(Cycle now) {
  advanced_to_ = now;
  write_before(now - std::min(late_by_, now));
}

void VcNetworkWaves::write_before(Cycle now) {
  timeline_->pass(now);
  parts_.wave.advance(parts_.domain.ps_of(now));
}

void VcNetworkWaves::finish() {
  if (parts_.network.is_dense()) {
    parts_.network.dense().end_watches(parts_.domain.now());
    write_before(advanced_to_);
  }
  timeline_->finish();
}

}  // namespace tsuji::instruments
