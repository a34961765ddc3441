// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/follow.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/instruments/packet_story.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Finds the packets to follow, and their times: the first run.
class FindPackets final : public Instrument {
 public:
  FindPackets(const WatchedRun& run, Follow follow)
      : run_(run), follow_(std::move(follow)), wanted_(follow_.packets.begin(), follow_.packets.end()) {
    run.loaded.supervisor().tell_of_drops([this](const Packet& packet, network::NetworkDropCause cause,
                                                 const network::VcNetwork::InputPlace&, Cycle now) {
      if (wanted_.count(packet.id) != 0)
        dropped_[packet.id] = "was dropped in cycle " + std::to_string(now) + " (" +
                              network::network_drop_cause_name(cause) + ")";
    });
  }

  void delivered(const observe::DeliveredPacket& packet) override {
    if (packet.arrival != PacketArrival::first || packet.source.is_router()) return;
    if (follow_.slowest == 0) {
      std::uint32_t& last = last_of_[packet.source.number()];
      if (wanted_.count(packet.id) != 0) found_.push_back(packet);
      last = std::max(last, static_cast<std::uint32_t>(packet.id));
      return;
    }
    const auto slower = [](const observe::DeliveredPacket& a, const observe::DeliveredPacket& b) {
      const Cycle first = a.tail_cycle - a.created, second = b.tail_cycle - b.created;
      return first != second ? first > second : a.id < b.id;
    };
    if (found_.size() == follow_.slowest && !slower(packet, found_.back())) return;
    found_.insert(std::lower_bound(found_.begin(), found_.end(), packet, slower), packet);
    if (found_.size() > follow_.slowest) found_.pop_back();
  }

  void report(const RunEnd&, observe::Results& results) override {
    if (!results.partial()) check_all();
    observe::ResultTable& table = results.table("followed_packets", {{"packet", ""},
                                                                     {"source", "node"},
                                                                     {"destination", "node"},
                                                                     {"flits", ""},
                                                                     {"hops", "routers"},
                                                                     {"created", "cycle"},
                                                                     {"injected", "cycle"},
                                                                     {"head", "cycle"},
                                                                     {"tail", "cycle"},
                                                                     {"latency", "cycles"}});
    if (follow_.slowest == 0) order();
    for (const observe::DeliveredPacket& packet : found_)
      table.row({packet_name(packet.id), packet.source.name(), packet.destination.name(), packet.flits,
                 packet.hops, packet.created, packet.injected, packet.head_cycle, packet.tail_cycle,
                 packet.tail_cycle - packet.created});
  }

 private:
  /// In the order of the option.
  void order() {
    const auto place = [this](const observe::DeliveredPacket& packet) {
      return std::find(follow_.packets.begin(), follow_.packets.end(), packet.id);
    };
    std::sort(found_.begin(), found_.end(),
              [&](const auto& a, const auto& b) { return place(a) < place(b); });
  }
  void check_all() const {
    for (const PacketId id : follow_.packets) {
      const auto same = [id](const observe::DeliveredPacket& packet) { return packet.id == id; };
      if (std::none_of(found_.begin(), found_.end(), same)) refuse(id);
    }
  }
  [[noreturn]] void refuse(PacketId id) const {
    const auto last = last_of_.find(packet_source(id).number());
    const std::string known =
        last == last_of_.end()
            ? "packets of a node that sends; no packet of node " + packet_source(id).name() + " was delivered"
            : "packets that were delivered; the last number of node " + packet_source(id).name() + " is " +
                  std::to_string(last->second);
    const auto dropped = dropped_.find(id);
    throw ConfigError(
        follow_name, packet_name(id),
        dropped != dropped_.end() ? dropped->second
        : is_in_flight(id)
            ? "was not delivered: it is in flight at the end, in cycle " + std::to_string(run_.loaded.now())
            : "was not delivered in the run of " + std::to_string(run_.loaded.now()) + " cycles",
        known);
  }
  bool is_in_flight(PacketId id) const {
    bool found = false;
    run_.loaded.network().visit_packets_in_flight(
        [&](PacketIndex packet) { found = found || run_.loaded.pool().at(packet).id == id; });
    return found;
  }

  const WatchedRun& run_;
  const Follow follow_;
  const std::set<PacketId> wanted_;
  std::vector<observe::DeliveredPacket> found_;
  std::map<std::uint32_t, std::uint32_t> last_of_;  ///< [source]: last serial number that was delivered
  std::map<PacketId, std::string> dropped_;
};

/// Reports the stories of packets whose times are known: the second run.
class Story final : public Instrument {
 public:
  Story(const WatchedRun& run, const Follow& follow)
      : story_(run.loaded.network(), run.loaded.pool(), run.reconfiguration != nullptr, follow.times) {}
  void begin() override { story_.advance(0); }
  void delivered(const observe::DeliveredPacket& packet) override {
    if (packet.arrival == PacketArrival::first) story_.delivered(packet);
  }
  void advance(Cycle now) override { story_.advance(now); }
  Cycle next_stop() const override { return story_.next_stop(); }
  bool done() const override { return story_.done(); }
  void report(const RunEnd&, observe::Results& results) override {
    if (done() || !results.partial()) story_.add_to(results);
  }

 private:
  instruments::PacketStory story_;
};

class FollowKind final : public InstrumentKind {
  bool sees_deliveries(const platform::RunOptions& options) const override {
    return !options.of_option(follow_name).empty();
  }
  /// The second run alone: packets are found by their deliveries.
  bool sees_flits(const platform::RunOptions& options) const override { return alone(options); }
  bool alone(const platform::RunOptions& options) const override {
    const std::string value = options.of_option(follow_name);
    return !value.empty() && !Follow::parse(value).times.empty();
  }
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    const std::string value = run.options.of_option(follow_name);
    if (value.empty()) return nullptr;
    const Follow follow = Follow::parse(value);
    if (!follow.times.empty()) return std::make_unique<Story>(run, follow);
    return std::make_unique<FindPackets>(run, follow);
  }
};

}  // namespace

void add_follow(InstrumentTable& table) {
  table.push_back(std::make_unique<FollowKind>());
}

}  // namespace tsuji::session
