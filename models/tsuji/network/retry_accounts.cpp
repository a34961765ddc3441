// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/retry_accounts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::network {

using traffic::RetryKey;
using traffic::RetryState;

RetryAccounts::RetryAccounts(const traffic::RetryConfig& config, unsigned nodes,
                             observe::LoadMeasurement* measurement, OnLost on_lost)
    : config_(config),
      measurement_(measurement),
      on_lost_(std::move(on_lost)),
      sources_(nodes),
      serials_(nodes) {}

std::unique_ptr<traffic::EmissionSource> RetryAccounts::wrap(
    std::unique_ptr<traffic::EmissionSource> messages, NodeId node, PacketPool& pool, bool has_channels,
    traffic::RetryEvents& events) {
  auto source = std::make_unique<traffic::RetrySource>(
      traffic::RetrySource::Parts{std::move(messages), config_, pool, events, has_channels}, node);
  sources_[node] = source.get();
  return source;
}

bool RetryAccounts::sources_share() const {
  return std::any_of(sources_.begin(), sources_.end(), [](const traffic::RetrySource* source) {
    return source != nullptr && source->messages().lookahead_cycles() != never;
  });
}

void RetryAccounts::on_message_born(NodeId source, const RetryKey& key, const traffic::Emission& emission) {
  Message& message = memory_.add(messages_, {source, key}, Message())->second;
  message.serial = serials_[source]++;
  message.created = emission.created;
  ++born_;
  born_flits_ += emission.flits;
  if (measurement_ != nullptr) measurement_->born(emission.created, source, emission.flits);
}

void RetryAccounts::on_packet(const Packet& packet, RetryState::Kind kind) {
  if (on_packet_) on_packet_(packet, kind);
  if (kind == RetryState::Kind::acknowledgement) {
    ++acks_sent_;
    return;
  }
  if (kind == RetryState::Kind::message) return;  // counted with the message's birth
  ++repeated_;
  const auto place = messages_.find(key_of(packet));
  if (place != messages_.end()) ++place->second.packets;
}

const char* RetryAccounts::on_given_up(const Packet& message, const RetryKey& key, Cycle now) {
  const NodeId source = message.source.node();
  if (on_given_up_) on_given_up_(source, key, now);
  ++given_up_;
  ++given_up_of_pair_[{source, key.peer}].given_up;
  const auto place = messages_.find({source, key});
  if (place == messages_.end()) return nullptr;  // it is there, and its acknowledgements were lost
  place->second.given_up = true;
  return place->second.packets != 0 ? nullptr : lose(place, now);
}

void RetryAccounts::on_lost(const Packet& packet, const char* cause, Cycle now) {
  if (on_lost_) on_lost_(packet, cause, now);
}

std::uint64_t RetryAccounts::messages_kept() const {
  std::uint64_t kept = 0;
  for (const traffic::RetrySource* source : sources_) kept += source == nullptr ? 0 : source->state().kept();
  return kept;
}

/// Returns the cause.
const char* RetryAccounts::lose(Messages::iterator place, Cycle now) {
  const auto [source, key] = place->first;
  ++lost_;
  ++given_up_of_pair_[{source, key.peer}].lost;
  const Message message = place->second;
  if (measurement_ != nullptr) measurement_->dropped(packet_id(source, message.serial), message.created, now);
  memory_.erase(messages_, place);
  return message.last_drop;
}

/// One packet less of a message that this one has not delivered; the cause where it is lost now. `drop`: its
/// own cause, null for one that arrived.
const char* RetryAccounts::end_one(const Packet& packet, const char* drop, Cycle now) {
  const auto place = messages_.find(key_of(packet));
  if (place == messages_.end()) return nullptr;
  Message& message = place->second;
  --message.packets;
  if (drop != nullptr) message.last_drop = drop;
  return message.packets != 0 || !message.given_up ? nullptr : lose(place, now);
}

RetryAccounts::End RetryAccounts::delivered(const Packet& packet, const observe::DeliveredPacket& record,
                                            PacketArrival arrival) {
  End end;
  end.arrival = arrival;
  if (end.arrival != PacketArrival::first) {
    count_other(record);
    if (end.arrival == PacketArrival::acknowledgement) return end;
    ++duplicates_;
    end.lost = end_one(packet, nullptr, record.tail_cycle);
    return end;
  }
  const auto place = messages_.find(key_of(packet));
  if (place == messages_.end())
    throw ModelError("network", record.tail_cycle, packet_name(packet.id),
                     "its message is delivered twice, or was never born");
  observe::DeliveredPacket message = record;
  message.id = packet_id(packet.source, place->second.serial);
  if (place->second.created != packet.created)
    throw ModelError("network", record.tail_cycle, packet_name(packet.id), "its message has another birth");
  memory_.erase(messages_, place);
  ++delivered_;
  if (measurement_ != nullptr) measurement_->delivered(message);
  return end;
}

const char* RetryAccounts::dropped(const Packet& packet, const char* cause, Cycle now) {
  return packet.acknowledges ? nullptr : end_one(packet, cause, now);
}

void RetryAccounts::count_other(const observe::DeliveredPacket& record) {
  const Cycle from = std::max(record.head_cycle, window_from_);
  const Cycle to = std::min(record.tail_cycle + 1, window_to_);
  if (from >= to) return;
  other_flits_ += record.flits * (to - from) / (record.tail_cycle + 1 - record.head_cycle);
}

observe::PacketFates RetryAccounts::fates() const {
  observe::PacketFates fates;
  fates.born = born_;
  fates.delivered = delivered_;
  fates.dropped.emplace_back("given_up", lost_);
  fates.under_way = messages_.size();
  return fates;
}

void RetryAccounts::check(Cycle now) const {
  for (const traffic::RetrySource* source : sources_) {
    if (source != nullptr) source->state().check(now);
  }
  for (const auto& [key, message] : messages_) {
    if (is_here_ && !is_here_(key.first)) continue;
    const bool kept = sources_[key.first]->state().keeps(key.second);
    if (kept != message.given_up && (kept || message.packets != 0)) continue;
    throw ModelError("network", now, "",
                     "message " + std::to_string(key.second.sequence) + " from node " +
                         std::to_string(key.first) + " to node " + std::to_string(key.second.peer) +
                         " is neither delivered, nor kept, nor given up with packets in flight");
  }
  if (born_ == delivered_ + lost_ + messages_.size()) return;
  throw ModelError("network", now, "",
                   std::to_string(born_) + " messages were born, " + std::to_string(delivered_) +
                       " delivered and " + std::to_string(lost_) + " lost, and " +
                       std::to_string(messages_.size()) + " are under way");
}

void RetryAccounts::add_to(observe::Results& results) const {
  results.metric("packets_repeated", repeated_, "packets");
  results.metric("acks_sent", acks_sent_, "packets");
  results.metric("duplicates", duplicates_, "packets");
  results.metric("given_up", given_up_, "packets");
  results.metric("packets_lost", lost_, "packets");
  constexpr std::size_t most_rows = 256;
  observe::ResultTable& table = results.table(
      "given_up", {{"source", ""}, {"destination", ""}, {"given_up", "packets"}, {"lost", "packets"}});
  std::size_t rows = 0;
  for (const auto& [pair, count] : given_up_of_pair_) {
    if (++rows > most_rows) break;
    table.row({pair.first, pair.second, count.given_up, count.lost});
  }
}

}  // namespace tsuji::network
