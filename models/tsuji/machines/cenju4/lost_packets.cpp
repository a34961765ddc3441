// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/lost_packets.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <tuple>

#include "tsuji/nic/parcel.h"

namespace tsuji::machines {
namespace {

const char* protocol_name(nic::Protocol protocol) {
  constexpr const char* names[] = {"remote_dma",
                                   "remote_dma_register0",
                                   "remote_dma_register1",
                                   "remote_dma_register2",
                                   "message0",
                                   "message1",
                                   "atomic_add",
                                   "remote_read",
                                   "swap",
                                   "compare_swap",
                                   "remote_read_reply",
                                   "swap_reply",
                                   "compare_swap_reply"};
  const auto number = static_cast<std::size_t>(protocol);
  return number < std::size(names) ? names[number] : "unknown";
}

/// Place of a packet's bytes: the offset in its parcel, or an address.
std::string place_text(const nic::PacketHeader& header) {
  std::ostringstream text;
  if (header.protocol == nic::Protocol::message0 || header.protocol == nic::Protocol::message1)
    text << "from byte " << header.address << " of the parcel on";
  else if (header.protocol >= nic::Protocol::remote_dma_register0 &&
           header.protocol <= nic::Protocol::remote_dma_register2)
    text << "at the register's address + " << header.address;
  else
    text << (header.protocol == nic::Protocol::remote_read ? "from " : "to ") << "address 0x" << std::hex
         << header.address;
  return text.str();
}

}  // namespace

void LostPackets::add(const Packet& packet, const char* cause, Cycle now) {
  lost_.push_back({now, packet.id, packet.source.node(), packet.destination.node(), packet.kind, packet.sid,
                   packet.header, cause});
}

std::vector<NodeId> LostPackets::destinations() const {
  std::vector<NodeId> nodes;
  for (const Lost& lost : lost_) nodes.push_back(lost.destination);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::string LostPackets::end_text(const Cenju4Config& config, NodeId node) {
  std::string text;
  for (const auto& rank : config.ranks_on(node)) {
    text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank.rank);
    if (config.job_count() > 1) text += " of job " + std::to_string(rank.job);
  }
  return (text.empty() ? "" : text + " at ") + "node " + std::to_string(node);
}

std::string LostPackets::what_text(const Lost& lost) {
  if (lost.kind == PacketKind::synchronization) return "synchronization " + std::to_string(lost.sid);
  const nic::PacketHeader header = nic::PacketHeader::decode(lost.header);
  std::string text = lost.kind == PacketKind::multicast ? "multicast, " : "";
  text += protocol_name(header.protocol);
  text += ", " + std::to_string(header.payload_bytes) + " bytes " + place_text(header);
  if (header.first && header.last)
    text += ", all of its parcel";
  else if (header.first || header.last)
    text += header.first ? ", first of its parcel" : ", last of its parcel";
  return text;
}

std::string LostPackets::text_of(const Lost& lost) const {
  std::string text = "packet " + packet_name(lost.id) + " from " + end_text(config_, lost.source) + " to " +
                     end_text(config_, lost.destination) + ", " + what_text(lost);
  text += ", in cycle " + std::to_string(lost.cycle) + ": ";
  if (most_tries_ == 0) return text + lost.cause;
  text += "given_up after " + std::to_string(most_tries_) + " tries";
  return std::strcmp(lost.cause, "given_up") == 0 ? text : text + ", the last drop: " + lost.cause;
}

std::string LostPackets::report(unsigned most_lines) const {
  std::vector<Lost> sorted = lost_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Lost& a, const Lost& b) { return std::tie(a.cycle, a.id) < std::tie(b.cycle, b.id); });
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < most_lines; ++i) text += "\n  lost: " + text_of(sorted[i]);
  if (sorted.size() > most_lines) text += "\n  and " + std::to_string(sorted.size() - most_lines) + " more";
  return text;
}

}  // namespace tsuji::machines
