// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/load_measurement.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>

#include "tsuji/core/error.h"
#include "tsuji/observe/busiest_rows.h"

namespace tsuji::observe {
namespace {

/// Parts of the interval or sample, from which batches are made.
constexpr unsigned least_cells = 1000;

Value ratio(double part, double whole) {
  return whole > 0 ? Value(part / whole) : Value(nullptr);
}

}  // namespace

DeliveredPacket DeliveredPacket::of(const Packet& packet, Cycle head, Cycle tail) {
  DeliveredPacket delivered;
  delivered.id = packet.id;
  delivered.source = packet.source;
  delivered.destination = packet.destination;
  delivered.created = packet.created;
  delivered.injected = packet.injected;
  delivered.head_cycle = head;
  delivered.tail_cycle = tail;
  delivered.flits = packet.flits;
  delivered.hops = packet.hops;
  delivered.message_class = packet.sid;
  delivered.request = packet.header[0];
  delivered.recovered = packet.packet_class == PacketClass::recovery;
  return delivered;
}

void MeasureConfig::add_keys(config::KeyTable& keys) {
  constexpr Cycle longest = 1'000'000'000'000;
  keys.add_choice("measure.mode", mode,
                  {{"cycles", MeasureMode::cycles}, {"arrivals", MeasureMode::arrivals}},
                  "packets of the measured sample; cycles: those generated in an interval, followed until "
                  "they arrive; arrivals: those whose arrival number in the network is in a range");
  keys.add(
      "measure.warmup_cycles", warmup_cycles, {0, longest}, "auto", "cycles",
      "warm-up before the measurement interval; auto: until the steady state is detected by the MSER-5 rule");
  keys.add("measure.longest_warmup_cycles", longest_warmup_cycles, {1, longest}, "cycles",
           "longest automatic warm-up; the report says whether the network is not stationary by then");
  keys.add("measure.cycles", cycles, {1, longest}, "cycles", "length of the measurement interval");
  keys.add(
      "measure.drain_cycles", drain_cycles, {0, longest}, "cycles",
      "longest drain after the measurement interval; packets that have not arrived by then are reported");
  keys.add("measure.first_arrival", first_arrival, {1, longest}, "packets",
           "number of the first arriving packet of the sample");
  keys.add("measure.last_arrival", last_arrival, {1, longest}, "packets",
           "number of the last arriving packet of the sample");
  keys.add("measure.most_cycles", most_cycles, {1, longest}, "cycles",
           "cycle in which the run ends even if the sample is incomplete");
  keys.add("measure.batches", batches, {2, 1000}, "",
           "largest number of batches for the batch-means confidence interval of the mean latency; "
           "correlated batches are merged");
  for (const char* key : {"warmup_cycles", "longest_warmup_cycles", "cycles", "drain_cycles"})
    keys.only_with(std::string("measure.") + key, {{"measure.mode", {"cycles"}}});
  for (const char* key : {"first_arrival", "last_arrival", "most_cycles"})
    keys.only_with(std::string("measure.") + key, {{"measure.mode", {"arrivals"}}});
  keys.only_with("measure.longest_warmup_cycles", {{"measure.warmup_cycles", {"auto"}}});
}

void MeasureConfig::validate() const {
  const auto refuse = [](const char* key, std::uint64_t value, const char* problem, const char* accepted) {
    throw ConfigError(key, std::to_string(value), problem, accepted);
  };
  if (cycles == 0) refuse("measure.cycles", cycles, "nothing is measured", "1 or more");
  if (!warmup_cycles && mode == MeasureMode::arrivals) {
    throw ConfigError("measure.warmup_cycles", "auto", "a sample by arrivals has no warm-up in cycles",
                      "measure.mode cycles");
  }
  if (longest_warmup_cycles == 0)
    refuse("measure.longest_warmup_cycles", 0, "a warm-up takes time", "1 or more");
  if (batches < 2 || batches > 1000) refuse("measure.batches", batches, "out of range", "2..1000");
  if (first_arrival == 0) refuse("measure.first_arrival", 0, "arrivals count from 1", "1 or more");
  if (last_arrival < first_arrival) {
    throw ConfigError("measure.last_arrival", std::to_string(last_arrival), "the sample is empty",
                      "at least measure.first_arrival, " + std::to_string(first_arrival));
  }
}

LoadMeasurement::LoadMeasurement(const MeasureConfig& config, unsigned nodes)
    : config_(config),
      ledger_(nodes),
      cells_((least_cells + config.batches - 1) / config.batches * config.batches),
      accepted_of_source_(nodes, 0),
      sends_(nodes, false),
      backlog_(nodes, config.mode == MeasureMode::cycles ? 16 : 1),
      destination_of_source_(nodes, nowhere) {
  config.validate();
  if (config.mode == MeasureMode::cycles && !config.warmup_cycles) {
    warmup_ = std::make_unique<WarmupWatch>(nodes);
  } else if (config.mode == MeasureMode::cycles) {
    little_.begin_at(*config.warmup_cycles);
    little_.end_at(*config.warmup_cycles + config.cycles);
  } else if (config.first_arrival == 1) {
    little_.begin_at(0);
  }
}

void LoadMeasurement::born(Cycle created, NodeId source, unsigned flits, unsigned message_class) {
  ledger_.born(source, created);
  little_.born(created);
  sends_[source] = true;
  if (classes_) classes_->born(message_class, source, created, flits, in_interval(created));
  if (warmup_) {
    warmup_->born(created, source);
    born_in_warmup_ = true;
  }
  if (!in_interval(created)) return;
  ++births_measured_;
  share_.offer(flits);
  backlog_.offered(source, part_of(created));
}

void LoadMeasurement::delivered(const DeliveredPacket& packet) {
  const Cycle born_at = ledger_.take(packet.id, packet.tail_cycle);
  if (born_at != packet.created || packet.injected < born_at || packet.tail_cycle < packet.injected) {
    throw ModelError("measurement", packet.tail_cycle, packet_name(packet.id),
                     "born in cycle " + std::to_string(born_at) + ", arrives as one of cycle " +
                         std::to_string(packet.created) + ", sent in " + std::to_string(packet.injected));
  }
  ++delivered_;
  const NodeId source = packet.source.node();
  note_destination(source, packet.destination.node());
  if (classes_)
    classes_->delivered(packet.message_class, source, packet.tail_cycle, packet.flits,
                        in_interval(packet.tail_cycle));
  if (config_.mode == MeasureMode::arrivals) {
    count_arrival(packet);
    if (in_interval(packet.tail_cycle)) backlog_.ended(source, 0);
    little_.ended(born_at, packet.tail_cycle, packet.tail_cycle - packet.created);
    return;
  }
  little_.ended(born_at, packet.tail_cycle, packet.tail_cycle - packet.created);
  if (warmup_) {
    warmup_->arrived(packet.tail_cycle, source, packet.tail_cycle - packet.created, packet.hops);
  }
  if (in_interval(packet.tail_cycle)) {
    ++accepted_of_source_[source];
    backlog_.ended(source, part_of(packet.tail_cycle));
  }
  if (!in_interval(packet.created)) return;
  ++ends_measured_;
  measure(packet, (packet.created - little_.from()) * cells_.size() / config_.cycles);
}

void LoadMeasurement::dropped(PacketId id, Cycle created, Cycle now) {
  const Cycle born_at = ledger_.take(id, now);
  if (born_at != created || now < created) {
    throw ModelError("measurement", now, packet_name(id), "dropped with another birth than its source's");
  }
  ++dropped_;
  if (warmup_) warmup_->dropped(now, packet_source(id).node());
  if (in_interval(now)) backlog_.ended(packet_source(id).node(), part_of(now));
  little_.ended(born_at, now, now - created);
  if (config_.mode == MeasureMode::arrivals || !in_interval(created)) return;
  ++ends_measured_;
  ++dropped_measured_;
}

void LoadMeasurement::count_arrival(const DeliveredPacket& packet) {
  if (!of_this_cycle_.empty() && packet.tail_cycle != of_this_cycle_.front().tail_cycle) {
    if (packet.tail_cycle < of_this_cycle_.front().tail_cycle) {
      throw ModelError(
          "measurement", packet.tail_cycle, packet_name(packet.id),
          "reported after an arrival of cycle " + std::to_string(of_this_cycle_.front().tail_cycle));
    }
    flush_cycle();
  }
  of_this_cycle_.push_back(packet);
  // Which packet of a cycle completes a number depends on the order of calls, but not in which cycle it is.
  ++arrivals_;
  if (arrivals_ + 1 == config_.first_arrival) little_.begin_at(packet.tail_cycle + 1);
  if (arrivals_ == config_.last_arrival) little_.end_at(packet.tail_cycle + 1);
}

void LoadMeasurement::flush_cycle() {
  std::sort(of_this_cycle_.begin(), of_this_cycle_.end(),
            [](const DeliveredPacket& a, const DeliveredPacket& b) {
              return std::tie(a.destination, a.id) < std::tie(b.destination, b.id);
            });
  const std::uint64_t sample = config_.last_arrival - config_.first_arrival + 1;
  for (const DeliveredPacket& packet : of_this_cycle_) {
    const std::uint64_t number = ++arrivals_in_order_;
    if (number < config_.first_arrival || number > config_.last_arrival) continue;
    share_.accepted_flits += packet.flits;
    ++accepted_of_source_[packet.source.node()];
    measure(packet, (number - config_.first_arrival) * cells_.size() / sample);
  }
  of_this_cycle_.clear();
}

void LoadMeasurement::measure(const DeliveredPacket& packet, std::size_t cell) {
  const Cycle latency = packet.tail_cycle - packet.created;
  const NodeId source = packet.source.node();
  latency_.record(latency);
  if (classes_) classes_->measured(packet.message_class, latency, packet.request, packet.tail_cycle);
  latency_from_injection_.record(packet.tail_cycle - packet.injected);
  groups_.record(packet.hops, distances_ == nullptr ? 0 : (*distances_)(source, packet.destination.node()),
                 latency);
  recovered_measured_ += packet.recovered ? 1 : 0;
  hops_sum_ += packet.hops;
  hops_.record(packet.hops, latency);
  ++cells_[cell].packets;
  cells_[cell].sum += latency;
  backlog_.delivered(source, latency, packet.hops);
}

Cycle LoadMeasurement::next_warmup_check() const {
  return warmup_ ? std::min(warmup_->next_check(), config_.longest_warmup_cycles) : never;
}

bool LoadMeasurement::begins(Cycle now) {
  if (now < next_warmup_check()) return false;
  stationary_ = warmup_->stationary(now);
  if (!stationary_ && now < config_.longest_warmup_cycles) return false;
  warmup_.reset();
  little_.begin_at(now);
  little_.end_at(now + config_.cycles);
  return true;
}

bool LoadMeasurement::finished(Cycle now) const {
  if (now >= latest_end()) return true;
  if (config_.mode == MeasureMode::arrivals) return arrivals_ >= config_.last_arrival;
  return now >= little_.to() && ends_measured_ == births_measured_;
}

Cycle LoadMeasurement::latest_end() const {
  if (config_.mode == MeasureMode::arrivals) return config_.most_cycles;
  return little_.to() == never ? never : little_.to() + config_.drain_cycles;
}

double LoadMeasurement::progress(Cycle now) const {
  if (config_.mode == MeasureMode::arrivals) {
    return static_cast<double>(arrivals_) / static_cast<double>(config_.last_arrival);
  }
  return static_cast<double>(std::min(now, little_.to())) / static_cast<double>(little_.to());
}

void LoadMeasurement::cut(Cycle now) {
  if (little_.from() == never || little_.from() > now) little_.begin_at(now);
  if (little_.to() == never || little_.to() > now) little_.end_at(now);
}

void LoadMeasurement::close(Cycle now) {
  if (closed_) throw ModelError("measurement", now, "", "closed twice");
  closed_ = true;
  flush_cycle();
  // A sample that never began or never ended ends here, and is reported as incomplete.
  if (little_.from() == never) little_.begin_at(now);
  if (little_.to() == never) little_.end_at(std::max(now, little_.from()));
  ledger_.for_each([&](Cycle created) { little_.left_over(created); });
  little_.check();
  if (classes_) classes_->close(now);
}

std::uint64_t LoadMeasurement::undelivered() const {
  if (config_.mode == MeasureMode::cycles) return births_measured_ - ends_measured_;
  return config_.last_arrival - config_.first_arrival + 1 - latency_.count();
}

std::string LoadMeasurement::why_nothing_measured() const {
  if (latency_.count() != 0) return "";
  if (config_.mode == MeasureMode::arrivals)
    return std::to_string(arrivals_) + " packets arrive, and the sample begins with number " +
           std::to_string(config_.first_arrival) + " (measure.first_arrival)";
  const std::string births = std::to_string(births_measured_) + " born in cycles " +
                             std::to_string(little_.from()) + ".." + std::to_string(little_.to() - 1);
  if (births_measured_ == 0)
    return births +
           (delivered_ + dropped_ == 0 ? ""
                                       : ", and " + std::to_string(delivered_ + dropped_) + " others end") +
           " (measure.warmup_cycles, measure.cycles)";
  if (dropped_measured_ == births_measured_) return births + ", and all of them are dropped";
  return births + ", and none of them arrives (measure.drain_cycles)";
}

AcceptedShare LoadMeasurement::share() const {
  AcceptedShare share = share_;
  share.under_way = little_.inside_at_begin() + little_.inside_at_end();
  return share;
}

Cycle LoadMeasurement::rate_cycles() const {
  const Cycle cycles = little_.length();
  const bool too_short =
      config_.mode == MeasureMode::arrivals && share_.accepted_flits > ledger_.sources() * cycles;
  return too_short ? 0 : cycles;
}

std::size_t LoadMeasurement::whole_parts() const {
  if (config_.mode == MeasureMode::arrivals) return 1;
  return static_cast<std::size_t>(little_.length() * backlog_.parts() / config_.cycles);
}

Stability LoadMeasurement::stability() const {
  Stability result;
  const std::size_t parts = whole_parts();
  if (parts == 0) {
    result.reason = "the interval was cut off";
    return result;
  }
  result.backlog = backlog_.judge(parts, static_cast<double>(little_.length()), hops_.undisturbed());
  result.latency = series_growth(cells_);
  result.worst_destination = destination_of_source_[result.backlog.worst_source];
  result.one_destination = result.worst_destination != nowhere && result.worst_destination != anywhere;
  const double wait = mean_wait();
  if (latency_.count() > 0) result.over_zero_load = latency_.mean() / (latency_.mean() - wait);
  result.decide(misses_packets(), little_.length());
  // The sample by arrivals has no length that one could choose.
  if (config_.mode == MeasureMode::arrivals) result.needs_cycles = 0;
  return result;
}

NetworkMetrics LoadMeasurement::metrics() const {
  NetworkMetrics metrics;
  metrics.flits_offered = share_.offered_flits;
  metrics.flits_accepted = share_.accepted_flits;
  metrics.hops_sum = hops_sum_;
  metrics.latency_cycles = latency_;
  metrics.packets_not_measured = delivered_ - latency_.count();
  return metrics;
}

void LoadMeasurement::add_to(Results& results) const {
  if (!closed_) throw ModelError("measurement", "results before the end of the run");
  add_latency(results, "latency_from_injection_cycles", latency_from_injection_, "cycles");
  results.metric("warmup_cycles",
                 config_.mode == MeasureMode::cycles ? Value(little_.from()) : Value(nullptr), "cycles");
  results.metric("warmup_stationary", born_in_warmup_ ? Value(stationary_ ? 1 : 0) : Value(nullptr), "");
  results.metric("measured_from_cycle", little_.from(), "cycles");
  results.metric("measured_cycles", little_.length(), "cycles");
  results.metric("measured_packets", latency_.count(), "packets");
  results.metric("measured_packets_undelivered", undelivered(), "packets");
  results.metric("measured_packets_dropped", dropped_measured_, "packets");
  results.metric("latency_is_lower_bound", misses_packets() ? 1 : 0, "");
  if (misses_packets()) mark_lower_bounds(results);
  results.metric("packets_dropped", dropped_, "packets");
  const Stability judged = stability();
  const bool offered = judged.backlog.offered > 0;
  results.metric("accepted_share", offered ? Value(share().share()) : Value(nullptr), "");
  results.metric("accepted_share_confidence95", offered ? Value(share().confidence()) : Value(nullptr), "");
  judged.add_to(results);
  add_confidence(results);
  add_fairness(results);
  const auto cycles = static_cast<double>(little_.length());
  results.metric("population_packets_mean", ratio(static_cast<double>(little_.population_cycles()), cycles),
                 "packets");
  results.metric("throughput_times_latency_packets", ratio(static_cast<double>(little_.latencies()), cycles),
                 "packets");
  groups_.add_by_hops(results);
  if (distances_ != nullptr) groups_.add_by_distance(results);
  if (classes_)
    classes_->add_to(results, static_cast<double>(rate_cycles()) * static_cast<double>(sends_.size()),
                     starvation_cycles_);
}

/// A packet that has not arrived yet has a longer latency than those of its age that have, and more to go.
void LoadMeasurement::mark_lower_bounds(Results& results) const {
  for (const char* latency : {"latency_cycles", "latency_from_injection_cycles"}) {
    for (const char* of : {"_mean", "_p50", "_p95", "_p99", "_p999", "_max"})
      results.lower_bound(std::string(latency) + of);
  }
}

const char* LoadMeasurement::confidence_word(const BatchConfidence& confidence) const {
  if (misses_packets()) return "lower_bound";
  if (stability().saturated()) return "saturated";
  if (never_stationary()) return "not_stationary";
  switch (confidence.verdict) {
    case BatchConfidence::Verdict::independent:
      return "independent";
    case BatchConfidence::Verdict::dependent:
      return "dependent";
    case BatchConfidence::Verdict::few_packets:
      break;
  }
  return "few_packets";
}

double LoadMeasurement::mean_wait() const {
  if (latency_.count() == 0) return 0;
  return static_cast<double>(latency_.sum() - hops_.least_sum()) / static_cast<double>(latency_.count());
}

void LoadMeasurement::add_confidence(Results& results) const {
  const double service = share_.offered_flits == 0 ? 1.0
                                                   : static_cast<double>(share_.offered_squares) /
                                                         static_cast<double>(share_.offered_flits);
  const double cycles_a_cell =
      std::max(1.0, static_cast<double>(little_.length())) / static_cast<double>(cells_.size());
  const double wait = mean_wait();
  const BatchConfidence confidence = batch_confidence(
      cells_, config_.batches, {queueing_correlation_cycles(wait, service) / cycles_a_cell, wait});
  const std::string word = confidence_word(confidence);
  const bool given = word == "independent";
  const double time = confidence.correlation_cells * cycles_a_cell;
  results.metric("latency_cycles_mean_confidence95", given ? Value(confidence.half_width) : Value(nullptr),
                 "cycles");
  results.metric("latency_confidence", word, "");
  results.metric("confidence_batches", given ? Value(confidence.batches) : Value(nullptr), "");
  results.metric("latency_correlation_cycles", time > 0 ? Value(time) : Value(nullptr), "cycles");
  add_batches(results);
}

/// Equal parts, whatever they depend on.
void LoadMeasurement::add_batches(Results& results) const {
  ResultTable& table =
      results.table("batches", {{"batch", ""}, {"packets", "packets"}, {"latency_mean", "cycles"}});
  const std::size_t cells_a_batch = cells_.size() / config_.batches;
  std::vector<double> means;
  for (std::size_t i = 0; i < config_.batches; ++i) {
    SeriesCell batch;
    for (std::size_t c = i * cells_a_batch; c < (i + 1) * cells_a_batch; ++c) {
      batch.packets += cells_[c].packets;
      batch.sum += cells_[c].sum;
    }
    const Value mean = ratio(static_cast<double>(batch.sum), static_cast<double>(batch.packets));
    table.row({i, batch.packets, mean});
    if (batch.packets != 0) means.push_back(mean.number());
  }
  // With an empty batch there is no series of means to speak of.
  const bool known = means.size() == config_.batches;
  results.metric("batch_lag1_correlation", known ? Value(lag1_correlation(means)) : Value(nullptr), "");
}

void LoadMeasurement::add_fairness(Results& results) const {
  std::uint64_t least = ~std::uint64_t{0}, most = 0, sources = 0;
  double sum = 0, squares = 0;
  for (std::size_t node = 0; node < sends_.size(); ++node) {
    if (!sends_[node]) continue;
    ++sources;
    const std::uint64_t packets = accepted_of_source_[node];
    least = std::min(least, packets);
    most = std::max(most, packets);
    sum += static_cast<double>(packets);
    squares += static_cast<double>(packets) * static_cast<double>(packets);
  }
  results.metric("sources", sources, "nodes");
  results.metric("accepted_packets_per_source_min", sources > 0 ? Value(least) : Value(nullptr), "packets");
  results.metric("accepted_packets_per_source_max", sources > 0 ? Value(most) : Value(nullptr), "packets");
  results.metric("fairness_jain", ratio(sum * sum, static_cast<double>(sources) * squares), "");
}

void LoadMeasurement::write_sources(const std::string& path,
                                    const std::function<std::string(NodeId)>& router_of) const {
  RowFile file(path, "node,router,offered_packets,accepted_packets,latency_mean");
  for (NodeId node = 0; node < sends_.size(); ++node) {
    if (!sends_[node]) continue;
    file.add({node, router_of(node), backlog_.offered(node), accepted_of_source_[node],
              ratio(static_cast<double>(backlog_.latency_sum(node)),
                    static_cast<double>(backlog_.delivered(node)))});
  }
  file.close();
}

}  // namespace tsuji::observe
