// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/crosspoint_use.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "tsuji/observe/busiest_rows.h"

namespace tsuji::instruments {
namespace {

using observe::Value;

struct LinkRow {
  std::string from, to;
  unsigned stage = 0, line = 0;
  std::uint64_t packets = 0, flits = 0;
  Value multicast_flits;  ///< null: not counted
};

bool link_is_before(const LinkRow& a, const LinkRow& b) {
  return std::tie(b.flits, a.stage, a.line) < std::tie(a.flits, b.stage, b.line);
}

struct FifoRow {
  unsigned stage = 0, switch_index = 0, input = 0, output = 0;
  FifoUse use;
};

bool fifo_is_before(const FifoRow& a, const FifoRow& b) {
  return std::tie(b.use.flits, a.stage, a.switch_index, a.input, a.output) <
         std::tie(a.use.flits, b.stage, b.switch_index, b.input, b.output);
}

Value rate(std::uint64_t part, Cycle cycles) {
  return cycles == 0 ? Value(nullptr) : Value(static_cast<double>(part) / static_cast<double>(cycles));
}

std::vector<Value> row_of(const LinkRow& link, Cycle cycles) {
  return {link.from,    link.to,    link.flits,          rate(link.flits, cycles),
          link.packets, link.stage, link.multicast_flits};
}

std::vector<Value> row_of(const FifoRow& fifo, Cycle cycles) {
  return {"switch" + std::to_string(fifo.stage) + "_" + std::to_string(fifo.switch_index),
          fifo.input,
          fifo.output,
          fifo.use.flits,
          rate(fifo.use.flits, cycles),
          fifo.use.packets,
          fifo.use.multicast_copies,
          rate(fifo.use.packet_cycles, cycles),
          fifo.use.most_packets};
}

/// "switch1_3:2" for an input or output of a switch, or "node 5".
std::string end_text(const graph::Multistage& topology, unsigned stage, unsigned line) {
  const graph::Multistage::Place place = topology.place(stage, line);
  return "switch" + std::to_string(stage) + "_" + std::to_string(place.switch_index) + ":" +
         std::to_string(place.port);
}

}  // namespace

void add_crosspoint_use_keys(config::KeyTable& keys, CrosspointUseConfig& config) {
  keys.add("links.rows", config.links.rows, {0, 100'000'000}, "rows",
           "number of rows of the tables links and crosspoints in result.json, the busiest first");
  keys.add("links.csv", config.links.csv,
           "whether to write links.csv and crosspoints.csv, with all links and crosspoint FIFOs, to the "
           "output folder");
  keys.add("links.crosspoints", config.crosspoints,
           "whether to record the table crosspoints: packets, multicast copies and occupancy of every "
           "crosspoint FIFO");
}

/// Counts of one channel and of the FIFOs that it fills. Slots of a FIFO are freed in the order of arrivals.
class CrosspointUse::LinkUse final : public PacketLinkProbe {
 public:
  LinkUse(PacketLink& link, bool fifos)
      : link_(link), behind_(link.probe()), uses_(fifos ? link.fifos() : 0), waiting_(uses_.size()) {
    link.set_probe(this);
  }

  bool on_send(Cycle now, PacketTransfer& transfer) override {
    const bool enters = behind_ == nullptr || behind_->on_send(now, transfer);
    const bool multicast = transfer.packet->kind == PacketKind::multicast;
    if (multicast) multicast_flits_ += transfer.packet->flits;
    for (std::uint32_t left = uses_.empty() ? 0 : transfer.port_bits; left != 0; left &= left - 1) {
      const auto fifo = static_cast<unsigned>(__builtin_ctz(left));
      waiting_[fifo].push({now + link_.latency_cycles(), enters});
      if (!enters) continue;
      FifoUse& use = uses_[fifo];
      ++use.packets;
      use.flits += transfer.packet->flits;
      use.multicast_copies += multicast ? 1 : 0;
    }
    return enters;
  }

  void on_room(unsigned fifo, Cycle at) override {
    if (behind_ != nullptr) behind_->on_room(fifo, at);
    if (uses_.empty()) return;
    const Stay stay = waiting_[fifo].leave(at - 1 - link_.latency_cycles());
    uses_[fifo].packet_cycles += stay.cycles;
    uses_[fifo].most_packets = std::max(uses_[fifo].most_packets, stay.packets);
  }

  std::uint64_t multicast_flits() const { return multicast_flits_; }
  /// Counts up to cycle `now`, exclusive.
  FifoUse use(unsigned fifo, Cycle now) const {
    FifoUse use = uses_[fifo];
    waiting_[fifo].add_up_to(now, use);
    return use;
  }

 private:
  struct Arrival {
    Cycle at = 0;
    bool enters = true;
  };
  /// Time of a packet in its FIFO, and the number of packets there at its arrival, itself included.
  struct Stay {
    Cycle cycles = 0;
    unsigned packets = 0;
  };
  /// Packets of a FIFO that have been sent and whose end is not known, and the ends of the last ones, in
  /// rings of the FIFO's capacity.
  class Arrivals {
   public:
    void push(Arrival arrival) { sent_[(first_ + count_++) % most_slots] = arrival; }
    Stay leave(Cycle left) {
      const Arrival oldest = sent_[first_];
      first_ = (first_ + 1) % most_slots;
      --count_;
      if (!oldest.enters) return {};
      const Stay stay{left - oldest.at, 1 + still_there(oldest.at)};
      left_[next_left_] = left;
      next_left_ = (next_left_ + 1) % most_slots;
      return stay;
    }
    /// Adds the packets up to cycle `now`: the end of a packet may be known before its arrival, or may not be
    /// known yet.
    void add_up_to(Cycle now, FifoUse& use) const {
      for (const Cycle left : left_) use.packet_cycles -= left > now ? left - now : 0;
      unsigned before = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        const Arrival& arrival = sent_[(first_ + i) % most_slots];
        if (!arrival.enters || arrival.at >= now) continue;
        use.packet_cycles += now - arrival.at;
        use.most_packets = std::max(use.most_packets, ++before + still_there(arrival.at));
      }
    }

   private:
    static constexpr std::size_t most_slots = 8;
    unsigned still_there(Cycle arrival) const {
      return static_cast<unsigned>(
          std::count_if(left_.begin(), left_.end(), [&](Cycle left) { return left > arrival; }));
    }
    std::array<Arrival, most_slots> sent_{};
    std::array<Cycle, most_slots> left_{};
    std::size_t first_ = 0, count_ = 0, next_left_ = 0;
  };

  PacketLink& link_;
  PacketLinkProbe* const behind_;
  std::uint64_t multicast_flits_ = 0;
  std::vector<FifoUse> uses_;
  std::vector<Arrivals> waiting_;
};

CrosspointUse::CrosspointUse(network::CrosspointNetwork& network, const CrosspointUseConfig& config)
    : network_(network), config_(config) {
  if (!config.crosspoints) return;
  const graph::Multistage& topology = network.topology();
  for (unsigned stage = 0; stage <= topology.stages(); ++stage) {
    auto& row = links_.emplace_back();
    const bool to_switches = stage < topology.stages();
    for (unsigned line = 0; line < topology.lines(); ++line)
      row.push_back(std::make_unique<LinkUse>(network.link(stage, line), to_switches));
  }
}

CrosspointUse::~CrosspointUse() = default;

FifoUse CrosspointUse::fifo(unsigned stage, unsigned switch_index, unsigned input, unsigned output,
                            Cycle now) const {
  return links_[stage][network_.topology().line(stage, {switch_index, input})]->use(output, now);
}

void CrosspointUse::report(Cycle cycles, const std::string& folder, observe::Results& results) const {
  report_links(cycles, folder, results);
  if (config_.crosspoints) report_crosspoints(cycles, folder, results);
}

void CrosspointUse::report_links(Cycle cycles, const std::string& folder, observe::Results& results) const {
  const graph::Multistage& topology = network_.topology();
  const auto for_each = [&](const auto& visit) {
    for (unsigned stage = 0; stage <= topology.stages(); ++stage) {
      const bool at_nodes = stage == 0 || stage == topology.stages();
      for (unsigned line = 0; line < (at_nodes ? topology.nodes() : topology.lines()); ++line) {
        const PacketLink& link = network_.link(stage, line);
        const std::string node = "node " + std::to_string(line);
        visit(LinkRow{stage == 0 ? node : end_text(topology, stage - 1, line),
                      stage == topology.stages() ? node : end_text(topology, stage, line), stage, line,
                      link.packets_sent(), link.flits_sent(),
                      config_.crosspoints ? Value(links_[stage][line]->multicast_flits()) : Value(nullptr)});
      }
    }
  };
  observe::BusiestRows<LinkRow> busiest(config_.links.rows, link_is_before);
  for_each([&](const LinkRow& row) { busiest.add(row); });
  observe::ResultTable& table = results.table("links", {{"from", ""},
                                                        {"to", ""},
                                                        {"flits", "flits"},
                                                        {"utilization", "flits/cycle"},
                                                        {"packets", "packets"},
                                                        {"stage", ""},
                                                        {"multicast_flits", "flits"}});
  for (const LinkRow& row : busiest.sorted()) table.row(row_of(row, cycles));
  if (!config_.links.csv) return;
  results.file("links.csv", "a line for every link");
  observe::RowFile file(folder + "/links.csv", "from,to,flits,utilization,packets,stage,multicast_flits");
  for_each([&](const LinkRow& row) { file.add(row_of(row, cycles)); });
  file.close();
}

void CrosspointUse::report_crosspoints(Cycle cycles, const std::string& folder,
                                       observe::Results& results) const {
  const graph::Multistage& topology = network_.topology();
  const auto for_each = [&](const auto& visit) {
    for (unsigned stage = 0; stage < topology.stages(); ++stage)
      for (unsigned index = 0; index < topology.switches_per_stage(); ++index)
        for (unsigned input = 0; input < topology.radix(); ++input)
          for (unsigned output = 0; output < topology.radix(); ++output)
            visit(FifoRow{stage, index, input, output, fifo(stage, index, input, output, cycles)});
  };
  observe::BusiestRows<FifoRow> busiest(config_.links.rows, fifo_is_before);
  for_each([&](const FifoRow& row) { busiest.add(row); });
  observe::ResultTable& table = results.table("crosspoints", {{"switch", ""},
                                                              {"input", ""},
                                                              {"output", ""},
                                                              {"flits", "flits"},
                                                              {"utilization", "flits/cycle"},
                                                              {"packets", "packets"},
                                                              {"multicast_copies", "packets"},
                                                              {"fill_mean", "packets"},
                                                              {"fill_max", "packets"}});
  for (const FifoRow& row : busiest.sorted()) table.row(row_of(row, cycles));
  if (!config_.links.csv) return;
  results.file("crosspoints.csv", "a line for every crosspoint FIFO");
  observe::RowFile file(folder + "/crosspoints.csv",
                        "switch,input,output,flits,utilization,packets,multicast_copies,fill_mean,fill_max");
  for_each([&](const FifoRow& row) { file.add(row_of(row, cycles)); });
  file.close();
}

}  // namespace tsuji::instruments
