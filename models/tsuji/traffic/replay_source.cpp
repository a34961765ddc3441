// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/replay_source.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::traffic {
namespace {

using workload::MessageKey;
using workload::RankMessage;
using Part = RankMessage::Part;
using Header = std::array<std::uint64_t, 2>;

// Word 0: source, destination, tag. Word 1: the message's last packet (1 bit), clear for SharedSource (4),
// number (24), collective (1), part (2), bytes (32).
constexpr std::uint32_t most_number = (1U << 24) - 1;
constexpr std::uint64_t last_packet = std::uint64_t{1} << 63;

Header encode(const RankMessage& message) {
  const MessageKey& key = message.key;
  return {std::uint64_t{key.source} << 48 | std::uint64_t{key.destination} << 32 |
              static_cast<std::uint32_t>(key.tag),
          std::uint64_t{key.number} << 35 | std::uint64_t{key.collective} << 34 |
              std::uint64_t{static_cast<std::uint8_t>(message.part)} << 32 | message.bytes};
}

RankMessage decode(const Header& header) {
  RankMessage message;
  message.key.source = static_cast<std::uint16_t>(header[0] >> 48);
  message.key.destination = static_cast<std::uint16_t>(header[0] >> 32);
  message.key.tag = static_cast<std::int32_t>(header[0] & 0xFFFF'FFFF);
  message.key.number = static_cast<std::uint32_t>(header[1] >> 35) & most_number;
  message.key.collective = (header[1] >> 34 & 1U) != 0;
  message.part = static_cast<Part>(header[1] >> 32 & 3U);
  message.bytes = header[1] & 0xFFFF'FFFF;
  return message;
}

/// Name of a message's part in a report; a request precedes the data, an answer travels in the opposite
/// direction.
const char* part_name(Part part) {
  if (part == Part::request) return "its announcement";
  if (part == Part::clear_to_send) return "the receiver's answer to its announcement";
  return "";
}

}  // namespace

ReplaySource::ReplaySource(const Parts& parts, NodeId node)
    : nic_(parts.nic),
      places_(parts.places),
      node_(node),
      rails_(parts.rails),
      stripes_(rails_.choice() == RailChoice::packet ? rails_.count() : 1),
      message_latencies_(parts.message_latencies),
      outgoing_(rails_.count()) {
  workload::RankOutlet& outlet = *this;
  for (const std::uint16_t rank : places_.ranks_on[node])
    ranks_.push_back(std::make_unique<workload::RankReplay>(parts.trace, rank, parts.replay, outlet));
  if (!ranks_.empty()) event_ = 1;
}

workload::RankReplay& ReplaySource::replay_of(std::uint16_t rank) {
  for (const auto& replay : ranks_) {
    if (replay->rank() == rank) return *replay;
  }
  throw ModelError("node " + std::to_string(node_), now_, "",
                   "rank " + std::to_string(rank) + " is not here");
}

void ReplaySource::send(const RankMessage& message) {
  const std::uint16_t receiver = message.receiver();
  if (is_local(receiver)) {
    ++counters_.local_messages;
    counters_.local_bytes += message.payload_bytes();
    local_.push_back({now_ + nic_.local_cycles, false, 0, message});
    return;
  }
  if (message.key.number > most_number || message.bytes > most_message_bytes)
    throw ModelError("node " + std::to_string(node_), now_, "",
                     "a message that a packet header cannot represent");
  emit(message, nic_.packets(message.payload_bytes()));
  if (message.part == Part::request || message.part == Part::clear_to_send) {
    ++counters_.control_packets;
    return;
  }
  ++counters_.messages;
  counters_.message_bytes += message.bytes;
  counters_.data_packets += nic_.packets(message.bytes);
}

/// Queues a message: on one network port, or each packet on the next one.
void ReplaySource::emit(const RankMessage& message, std::uint64_t packets) {
  if (rails_.count() == 1) {
    outgoing_.front().push_back({message, now_, message.payload_bytes(), 0});
    return;
  }
  const NodeId destination = places_.node_of[message.receiver()];
  const auto ports = static_cast<unsigned>(std::min<std::uint64_t>(packets, stripes_));
  for (unsigned packet = 0; packet < ports; ++packet)
    outgoing_[rails_.choose(emitted_ + packet, destination)].push_back(
        {message, now_, message.payload_bytes(), std::uint64_t{packet} * nic_.packet_bytes});
  if (ports > 1 && message.part == Part::data) leaving_.push_back({encode(message), ports});
  emitted_ += stripes_ == 1 ? 1 : packets;
}

bool ReplaySource::next(unsigned rail, Emission& emission) {
  std::deque<Outgoing>& outgoing = outgoing_[rail];
  if (outgoing.empty()) return false;
  Outgoing& first = outgoing.front();
  const std::uint64_t bytes = std::min<std::uint64_t>(first.bytes - first.at, nic_.packet_bytes);
  emission = Emission{};
  emission.created = first.created;
  emission.flits = static_cast<std::uint16_t>(nic_.flits(bytes));
  emission.destination = rails_.place(places_.node_of[first.message.receiver()], rail);
  emission.header = encode(first.message);
  first.at += std::uint64_t{nic_.packet_bytes} * stripes_;
  if (first.at >= first.bytes) {
    emission.header[1] |= last_packet;
    outgoing.pop_front();
  }
  return true;
}

bool ReplaySource::is_quiet() const {
  const auto is_empty = [](const std::deque<Outgoing>& outgoing) { return outgoing.empty(); };
  return event_ == never && std::all_of(outgoing_.begin(), outgoing_.end(), is_empty);
}

/// Counts the packets of a message.
bool ReplaySource::is_complete(const Packet& packet, const RankMessage& message) {
  const std::uint64_t packets = nic_.packets(message.payload_bytes());
  if (packets == 1) return true;
  const Header header{packet.header[0], packet.header[1] & ~last_packet};
  auto at = std::find_if(incoming_.begin(), incoming_.end(),
                         [&](const Incoming& known) { return known.header == header; });
  if (at == incoming_.end()) at = incoming_.insert(at, {header, packets});
  if (--at->packets_left != 0) return false;
  incoming_.erase(at);
  return true;
}

void ReplaySource::arrived(unsigned rail, Cycle now, const Packet& packet) {
  const RankMessage message = decode(packet.header);
  if (!is_complete(packet, message)) return;
  if (message.part == Part::eager || message.part == Part::data) {
    ++counters_.messages_arrived;
    counters_.bytes_arrived += message.bytes;
    if (message_latencies_ != nullptr) message_latencies_->record(now - packet.created);
  }
  tell_ranks({now + 1, false, static_cast<std::uint8_t>(rail), message});
}

/// Queues an event of a network port after those of its cycle at lower ports: ports of a node run in any
/// order.
void ReplaySource::tell_ranks(const Event& event) {
  network_.push_back(event);
  for (auto at = network_.end() - 1; rails_.count() > 1 && at != network_.begin() &&
                                     (at - 1)->cycle == at->cycle && (at - 1)->rail > at->rail;
       --at)
    std::swap(*at, *(at - 1));
  event_ = std::min(event_, event.cycle);
}

/// Counts the network ports on which a message has left.
bool ReplaySource::has_left(const Packet& packet, const RankMessage& message) {
  if (stripes_ == 1 || nic_.packets(message.payload_bytes()) == 1) return true;
  const Header header{packet.header[0], packet.header[1] & ~last_packet};
  const auto at = std::find_if(leaving_.begin(), leaving_.end(),
                               [&](const Leaving& known) { return known.header == header; });
  if (at == leaving_.end() || --at->ports_left != 0) return false;
  leaving_.erase(at);
  return true;
}

void ReplaySource::departed(unsigned rail, Cycle now, const Packet& packet) {
  if ((packet.header[1] & last_packet) == 0) return;
  const RankMessage message = decode(packet.header);
  if (message.part != Part::data || !has_left(packet, message)) return;
  tell_ranks({now + 1, true, static_cast<std::uint8_t>(rail), message});
}

void ReplaySource::dropped(Cycle now, const Packet& packet, const char* cause) {
  if (!lost_headers_.insert({packet.header[0], packet.header[1] & ~last_packet}).second) return;
  const RankMessage message = decode(packet.header);
  workload::LostMessage& lost = lost_.emplace_back();
  lost.source = message.key.source;
  lost.destination = message.key.destination;
  lost.tag = message.key.tag;
  lost.collective = message.key.collective;
  lost.bytes = message.bytes;
  lost.part = part_name(message.part);
  lost.cycle = now;
  lost.cause = cause;
}

void ReplaySource::take_events(std::deque<Event>& events, Cycle now) {
  while (!events.empty() && events.front().cycle <= now) {
    const Event event = events.front();
    events.pop_front();
    if (event.departure) {
      replay_of(event.message.key.source).departed(now, event.message.key);
    } else {
      replay_of(event.message.receiver()).arrived(now, event.message);
    }
  }
}

void ReplaySource::advance(Cycle now) {
  now_ = now;
  take_events(network_, now);
  take_events(local_, now);
  event_ = never;
  for (const auto& rank : ranks_) {
    rank->play(now);
    event_ = std::min(event_, rank->wakes_at());
  }
  for (const auto* events : {&network_, &local_}) {
    if (!events->empty()) event_ = std::min(event_, events->front().cycle);
  }
}

}  // namespace tsuji::traffic
