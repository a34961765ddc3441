// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/print.h"

#include <string>

namespace tsuji::graph {
namespace {

/// A double-quoted string that is valid in JSON and in dot.
std::string quoted(const std::string& text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += std::string("\\u00") + digits[byte >> 4] + digits[byte & 15];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string coordinates_text(Coordinates coordinates) {
  std::string text;
  for (unsigned c : coordinates) text += (text.empty() ? "" : ", ") + std::to_string(c);
  return text;
}

std::string json_port(PortRef at) {
  return "[" + std::to_string(at.router) + ", " + std::to_string(at.port) + "]";
}

void print_json_port(const Topology& topology, const Topology::Far& far, std::ostream& out) {
  switch (far.kind) {
    case Topology::Far::Kind::nothing:
      out << "null";
      return;
    case Topology::Far::Kind::node:
      out << "{\"node\": " << far.node;
      break;
    case Topology::Far::Kind::router:
      out << "{\"router\": " << far.at.router << ", \"port\": " << far.at.port << ", \"link\": " << far.link
          << ", \"latency_cycles\": " << topology.links()[far.link].latency_cycles;
      break;
  }
  if (!far.sends) out << ", \"sends\": false";
  if (!far.receives) out << ", \"receives\": false";
  out << "}";
}

}  // namespace

void print_dot(const Topology& topology, std::ostream& out) {
  out << "graph " << quoted(topology.name()) << " {\n  node [shape=box];\n";
  for (RouterId router = 0; router < topology.routers(); ++router) {
    out << "  r" << router << " [label=\"" << router;
    const auto& coordinates = topology.coordinates(router);
    if (!coordinates.empty()) out << "\\n(" << coordinates_text(coordinates) << ")";
    out << "\"];\n";
  }
  for (const RouterLink& link : topology.links()) {
    out << "  r" << link.a.router << " -- r" << link.b.router << " [taillabel=\"" << link.a.port
        << "\", headlabel=\"" << link.b.port << "\"";
    if (link.latency_cycles != 1) out << ", label=\"" << link.latency_cycles << "\"";
    if (link.one_way) out << ", dir=forward";
    out << "];\n";
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const NodePorts& at = topology.node(node);
    out << "  n" << node << " [shape=circle, label=\"" << node << "\"];\n";
    const bool same = at.inject == at.eject;
    const std::string latency =
        at.latency_cycles == 0 ? "" : ", label=\"" + std::to_string(at.latency_cycles) + "\"";
    out << "  n" << node << " -- r" << at.inject.router << " [headlabel=\"" << at.inject.port << "\""
        << latency << (same ? "" : ", dir=forward") << "];\n";
    if (!same)
      out << "  r" << at.eject.router << " -- n" << node << " [taillabel=\"" << at.eject.port << "\""
          << latency << ", dir=forward];\n";
  }
  out << "}\n";
}

void print_json(const Topology& topology, std::ostream& out) {
  const auto separator = [](bool last) { return last ? "\n" : ",\n"; };
  out << "{\n\"name\": " << quoted(topology.name()) << ",\n\"routers\": [\n";
  for (RouterId router = 0; router < topology.routers(); ++router) {
    out << "  {\"router\": " << router << ", \"coordinates\": ["
        << coordinates_text(topology.coordinates(router)) << "], \"ports\": [";
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      out << (port == 0 ? "" : ", ");
      print_json_port(topology, topology.far(router, port), out);
    }
    out << "]}" << separator(router + 1 == topology.routers());
  }
  out << "],\n\"links\": [\n";
  for (std::size_t i = 0; i < topology.links().size(); ++i) {
    const RouterLink& link = topology.links()[i];
    out << "  {\"link\": " << i << ", \"a\": " << json_port(link.a) << ", \"b\": " << json_port(link.b)
        << ", \"latency_cycles\": " << link.latency_cycles
        << ", \"class\": " << quoted(topology.link_class(static_cast<std::uint32_t>(i)).name)
        << ", \"one_way\": " << (link.one_way ? "true" : "false") << "}"
        << separator(i + 1 == topology.links().size());
  }
  out << "],\n\"nodes\": [\n";
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const NodePorts& at = topology.node(node);
    out << "  {\"node\": " << node << ", \"inject\": " << json_port(at.inject)
        << ", \"eject\": " << json_port(at.eject);
    if (at.latency_cycles != 0) out << ", \"latency_cycles\": " << at.latency_cycles;
    out << "}" << separator(node + 1 == topology.nodes());
  }
  out << "]\n}\n";
}

}  // namespace tsuji::graph
