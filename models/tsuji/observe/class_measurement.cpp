// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/class_measurement.h"

#include <utility>

namespace tsuji::observe {

ClassMeasurement::ClassMeasurement(std::vector<std::string> names, unsigned nodes)
    : classes_(names.size()), sources_(names.size() * nodes) {
  for (std::size_t c = 0; c < names.size(); ++c) classes_[c].name = std::move(names[c]);
}

void ClassMeasurement::born(unsigned message_class, NodeId source, Cycle created, unsigned flits,
                            bool measured) {
  ++classes_.at(message_class).packets_born;
  if (measured) classes_[message_class].flits_offered += flits;
  AtSource& waits = at(message_class, source);
  if (waits.in_flight++ == 0) waits.since = created;
}

void ClassMeasurement::note(unsigned message_class, NodeId source, const AtSource& waits, Cycle now) {
  OfClass& one = classes_[message_class];
  if (now - waits.since <= one.starved_cycles) return;
  one.starved_cycles = now - waits.since;
  one.starved_from = waits.since;
  one.starved_source = source;
}

void ClassMeasurement::delivered(unsigned message_class, NodeId source, Cycle now, unsigned flits,
                                 bool in_interval) {
  OfClass& one = classes_.at(message_class);
  ++one.packets_delivered;
  if (in_interval) one.flits_accepted += flits;
  dropped(message_class, source, now);
}

void ClassMeasurement::dropped(unsigned message_class, NodeId source, Cycle now) {
  AtSource& waits = at(message_class, source);
  note(message_class, source, waits, now);
  --waits.in_flight;
  waits.since = now;
}

void ClassMeasurement::close(Cycle now) {
  for (unsigned c = 0; c < classes_.size(); ++c)
    for (NodeId source = 0; source < sources_.size() / classes_.size(); ++source)
      if (at(c, source).in_flight != 0) note(c, source, at(c, source), now);
}

namespace {

/// Mean, median, 99 % and largest value; null for an empty histogram.
void add_times(const LatencyHistogram& times, std::vector<Value>& row) {
  if (times.count() == 0) {
    row.resize(row.size() + 4, nullptr);
    return;
  }
  row.insert(row.end(), {times.mean(), times.percentile(500), times.percentile(990), times.max()});
}

}  // namespace

void ClassMeasurement::add_to(Results& results, double node_cycles, Cycle starvation_cycles) const {
  ResultTable& table = results.table("classes", {{"class", ""},
                                                 {"packets_born", "packets"},
                                                 {"packets_delivered", "packets"},
                                                 {"offered", "flits/node/cycle"},
                                                 {"accepted", "flits/node/cycle"},
                                                 {"packets_measured", "packets"},
                                                 {"latency_mean", "cycles"},
                                                 {"latency_p50", "cycles"},
                                                 {"latency_p99", "cycles"},
                                                 {"latency_max", "cycles"},
                                                 {"round_trip_mean", "cycles"},
                                                 {"round_trip_p50", "cycles"},
                                                 {"round_trip_p99", "cycles"},
                                                 {"round_trip_max", "cycles"},
                                                 {"longest_wait", "cycles"},
                                                 {"longest_wait_from", "cycle"},
                                                 {"longest_wait_source", "node"}});
  for (const OfClass& one : classes_) {
    const auto rate = [node_cycles](std::uint64_t flits) {
      return node_cycles > 0 ? Value(static_cast<double>(flits) / node_cycles) : Value(nullptr);
    };
    std::vector<Value> row = {one.name,
                              one.packets_born,
                              one.packets_delivered,
                              rate(one.flits_offered),
                              rate(one.flits_accepted),
                              one.latency.count()};
    add_times(one.latency, row);
    add_times(one.round_trip, row);
    row.insert(row.end(), {one.starved_cycles, one.starved_from, one.starved_source});
    table.row(row);
    if (one.starved_cycles >= starvation_cycles)
      results.warn("class " + one.name + " is starved: of the packets of node " +
                   std::to_string(one.starved_source) + " none arrives for " +
                   std::to_string(one.starved_cycles) + " cycles from cycle " +
                   std::to_string(one.starved_from) + " on (classes.starvation_cycles)");
  }
}

}  // namespace tsuji::observe
