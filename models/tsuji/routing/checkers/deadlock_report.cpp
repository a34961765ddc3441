// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checkers/deadlock.h"

namespace tsuji::routing {
namespace {

using graph::Topology;

const char* theorem_text(DeadlockTheorem theorem) {
  switch (theorem) {
    case DeadlockTheorem::acyclic:
      return "Dally and Seitz, all candidates counted";
    case DeadlockTheorem::escape_wormhole:
      return "Duato 1993, wormhole, virtual channels taken when empty";
    case DeadlockTheorem::escape_cut_through:
      break;
  }
  return "Duato 1996, packets wait as a whole";
}

std::string cycle_text(const DeadlockReport& report, const Topology& topology) {
  std::string out = "a cycle of " + std::to_string(report.cycle.size()) + ", each waits for the next:\n";
  for (std::size_t i = 0; i < report.cycle.size(); ++i) {
    const Channel& channel = report.cycle[i];
    if (!channel.waits.empty()) {
      out += "  " + channel.waits + "\n";
      continue;
    }
    out += "  " + channel.text() + " -> router " +
           std::to_string(topology.far(channel.router, channel.port).at.router);
    if (i < report.witnesses.size()) {
      const CycleWitness& witness = report.witnesses[i];
      out += ", held by a packet from node " + std::to_string(witness.source) + " to " +
             std::to_string(witness.destination);
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::string Channel::text() const {
  if (!waits.empty()) return waits;
  return "router " + std::to_string(router) + " port " + std::to_string(port) + " vc " + std::to_string(vc);
}

std::string DeadlockReport::text(const Topology& topology) const {
  std::string out = topology.name() + ": " + std::to_string(channels) + " virtual channels";
  if (escape_channels > 0) out += ", " + std::to_string(escape_channels) + " of them escape channels";
  out += ", " + std::to_string(dependencies);
  if (theorem == DeadlockTheorem::escape_wormhole) out += " extended";
  out += " dependencies\n";
  if (deadlock_free)
    out += std::string("free of deadlock: no cycle (") + theorem_text(theorem) + ")\n";
  else
    out += "not free of deadlock\n";
  if (!cycle.empty()) out += cycle_text(*this, topology);
  out += delivers ? "every packet can reach its node" : "not every packet reaches its node";
  out += finite ? ", at most " + std::to_string(longest_path) + " links"
                : ", but packets may travel in cycles forever (livelock)";
  out += minimal ? ", shortest paths only\n" : ", not only by shortest paths\n";
  if (!all_outcomes) out += "left out: random choices of packets, of which a sample was followed\n";
  if (escape_channels > 0 && !extended())
    out += "escape channels count as any other: they may be taken before they are empty\n";
  for (std::size_t i = 0; i < problems.size(); ++i)
    out += (i == 0 ? "first problem: " : "problem: ") + problems[i] + "\n";
  if (more_problems) out += "and more problems\n";
  if (!waits.empty()) out += "waits for a link: " + waits + "\n";
  if (messages)
    out += std::string("messages: answers of nodes are ") +
           (deadlock_free ? "included, no request waits forever for room for its answer\n"
                          : "included in the dependencies\n");
  if (outages)
    out += "failing links: checked for every cycle in which a link is down, with the packets in flight\n";
  return out;
}

}  // namespace tsuji::routing
