// SPDX-License-Identifier: Apache-2.0
#include "router/rtl_fit.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

[[noreturn]] void refuse(const char* key, std::uint64_t value, const std::string& problem,
                         const std::string& fits) {
  throw ConfigError(key, std::to_string(value), problem, fits);
}

unsigned bits_for(std::uint64_t values) {
  unsigned bits = 1;
  while (bits < 64 && (values - 1) >> bits != 0) ++bits;
  return bits;
}

std::uint64_t values(unsigned bits) {
  return std::uint64_t{1} << std::min(bits, 63U);
}

/// Places that are parameters are those of one mesh.
void check_radices(const RtlPlace& place) {
  const std::vector<unsigned>& radices = place.rtl.about.radices;
  if (radices.empty()) return;
  const graph::Topology& topology = place.around.topology;
  const graph::Coordinates corner = topology.coordinates(topology.routers() - 1);
  std::vector<unsigned> last(corner.begin(), corner.end());
  for (unsigned& coordinate : last) ++coordinate;
  const auto text = [](const std::vector<unsigned>& numbers) {
    std::string joined;
    for (const unsigned number : numbers) joined += (joined.empty() ? "" : ",") + std::to_string(number);
    return joined;
  };
  if (last != radices)
    throw ConfigError("topology.radices", text(last),
                      "the RTL has its place as a parameter, and was made for others", text(radices));
}

/// Ports to nodes have rules of their own in RTL that knows which these are.
void check_node_ports(const RtlPlace& place) {
  const RtlDescription& about = place.rtl.about;
  if (about.node_ports == 0) return;
  for (std::uint32_t port = 0; port < place.ends.size(); ++port) {
    const unsigned of_rtl = about.port_order.empty() ? port : about.port_order[port];
    if (place.ends[port].to_node == ((about.node_ports >> of_rtl & 1U) != 0)) continue;
    const bool node = place.ends[port].to_node;
    throw ConfigError("topology.kind", "",
                      "port " + std::to_string(port) + " of router " + std::to_string(place.id) +
                          " leads to a " + (node ? "node" : "router") + ", and that of the RTL to a " +
                          (node ? "router" : "node"),
                      "a network with nodes at the ports of NODE_PORTS");
  }
}

void check_ports(const RtlPlace& place) {
  const RtlDescription& about = place.rtl.about;
  const auto most =
      static_cast<std::uint64_t>(about.port_order.empty() ? place.rtl.port_count() : about.port_order.size());
  if (place.ends.size() > most)
    refuse("topology.kind", place.ends.size(),
           "router " + std::to_string(place.id) + " has more ports than the RTL",
           std::to_string(most) + " ports at most");
  for (const router::RouterPort& end : place.ends) {
    for (const FlitChannel* channel : {end.in, end.out}) {
      if (channel == nullptr) continue;
      if (channel->vcs() > about.vcs)
        refuse(end.to_node ? "router.node_vcs" : "router.vcs", channel->vcs(),
               "more virtual channels than the RTL has", "1.." + std::to_string(about.vcs));
      if (about.flow == RtlFlow::credits && channel->depth_flits() != about.buffer_flits)
        refuse("router.buffer_flits", channel->depth_flits(), "the RTL has buffers of another depth",
               std::to_string(about.buffer_flits));
      if (about.flow == RtlFlow::on_off && channel->depth_flits() <= about.reserve_flits)
        refuse("router.buffer_flits", channel->depth_flits(),
               "the RTL sends " + std::to_string(about.reserve_flits) + " flits after off",
               std::to_string(about.reserve_flits + 1) + " and more");
    }
  }
}

/// Numbers of routers, nodes and flits have the bits that they need.
void check_widths(const RtlPlace& place) {
  const graph::Topology& topology = place.around.topology;
  const RouterRtl& rtl = place.rtl;
  std::array<unsigned, 3> largest{};
  for (graph::RouterId id = 0; id < topology.routers(); ++id)
    for (std::size_t axis = 0; axis < largest.size() && axis < topology.coordinates(id).size(); ++axis)
      largest[axis] = std::max(largest[axis], topology.coordinates(id)[axis]);
  const auto coordinate = [&](const RtlBits& bits, std::size_t axis) {
    if (bits && !bits.fits(largest[axis]))
      refuse("topology.radices", largest[axis] + std::uint64_t{1},
             "the RTL's coordinate " + std::to_string(axis) + " has " + std::to_string(bits.width) + " bits",
             "1.." + std::to_string(values(bits.width)));
  };
  for (std::size_t axis = 0; axis < largest.size(); ++axis) coordinate(rtl.own_coordinates[axis], axis);
  if (rtl.own_router && rtl.own_router.width < bits_for(topology.routers()))
    refuse("topology.kind", topology.routers(),
           "the RTL's own number has " + std::to_string(rtl.own_router.width) + " bits",
           std::to_string(values(rtl.own_router.width)) + " routers at most");
  const auto ends = rtl.about.destination_is_router ? topology.routers() : topology.nodes();
  if (rtl.table_row && !rtl.table_rows && rtl.table_row.width < bits_for(topology.nodes()))
    refuse("topology.kind", topology.nodes(),
           "the RTL's table has rows of " + std::to_string(rtl.table_row.width) + " bits",
           std::to_string(values(rtl.table_row.width)) + " nodes at most");
  for (const RtlPortPins& port : rtl.ports) {
    const RtlFlitPins& in = port.in;
    for (std::size_t axis = 0; axis < largest.size(); ++axis) coordinate(in.coordinates[axis], axis);
    if (in.destination && in.destination.width < bits_for(ends))
      refuse("topology.kind", ends,
             "the RTL's destination has " + std::to_string(in.destination.width) + " bits",
             std::to_string(values(in.destination.width)) + " destinations at most");
    const unsigned longest = place.around.longest_packet_flits, minus = rtl.about.length_minus;
    if (in.length && longest != 0 && (longest < minus || !in.length.fits(longest - minus)))
      refuse(
          "traffic.packet_flits", longest,
          "the RTL's length has " + std::to_string(in.length.width) + " bits",
          std::to_string(std::max(minus, 1U)) + ".." + std::to_string(values(in.length.width) - 1 + minus));
  }
}

constexpr const char* fits_table =
    "a routing that looks at router and destination alone (tori: routing.ties fixed, routing.dateline "
    "switching)";

[[noreturn]] void refuse_routes(const RtlPlace& place, NodeId node) {
  throw ConfigError("routing.kind", "",
                    "inputs of router " + std::to_string(place.id) + " have different routes to node " +
                        std::to_string(node) + ", and the RTL has one table for all",
                    fits_table);
}

/// Routes of one candidate in the form of a table; null: there are none.
const routing::TableImage* route_image(const routing::Routing& routing) {
  const routing::TableImage* const image = routing.table_image();
  return image != nullptr && image->table_form() == routing::TableForm::port_and_vcs ? image : nullptr;
}

/// A table of one candidate for each destination determines the route of every head.
void check_table(const RtlPlace& place) {
  const routing::TableImage* const image = route_image(place.routing);
  if (image == nullptr)
    throw ConfigError("routing.kind", "", "no table has it, and the RTL has one", fits_table);
  for (NodeId node = 0; node < place.around.topology.nodes(); ++node) {
    const routing::RouteCandidate first = image->table_entry(place.id, 0, node);
    for (std::uint32_t port = 1; port < place.ends.size(); ++port) {
      const routing::RouteCandidate other = image->table_entry(place.id, port, node);
      if (other.port != first.port || other.vcs != first.vcs) refuse_routes(place, node);
    }
  }
}

bool same_routes(const routing::RouteSet& a, const routing::RouteSet& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const routing::RouteCandidate& one, const routing::RouteCandidate& other) {
                      return one.port == other.port && one.vcs == other.vcs && one.rank == other.rank;
                    });
}

/// The same with several candidates.
void check_candidates(const RtlPlace& place) {
  const routing::Routing& routing = place.routing;
  if (routing.max_candidates() > place.rtl.table_candidates)
    refuse("routing.kind", routing.max_candidates(),
           "the RTL's table has " + std::to_string(place.rtl.table_candidates) + " candidates for a head",
           "a routing with as many");
  if (!routing.promises().place_decides || routing.random_choices() != nullptr ||
      routing.decisions() != nullptr || routing.recovery() != nullptr || routing.table_reads() != nullptr)
    throw ConfigError("routing.kind", "", "no table has it, and the RTL has one", fits_table);
  // The model's turn among equal candidates counts such a one, and the RTL's does not.
  if (routing.promises().turns_back)
    throw ConfigError("routing.kind", "", "a candidate may be the port that a head came in by", fits_table);
  for (NodeId node = 0; node < place.around.topology.nodes(); ++node) {
    const routing::RouteSet first = table_routes(routing, place.id, 0, 0, node);
    for (std::uint32_t port = 0; port < place.ends.size(); ++port)
      for (std::uint32_t vc = 0; vc < place.rtl.about.vcs; ++vc)
        if (!same_routes(first, table_routes(routing, place.id, port, vc, node))) refuse_routes(place, node);
  }
}

/// With several channels every head may leave by the channel by which it has come.
void check_channels(const RtlPlace& place) {
  const std::vector<RtlChannel>& channels = place.rtl.about.channels;
  if (channels.empty()) return;
  const std::string fits =
      "routes to the virtual channels of the same channel, as those of classes with virtual channels of "
      "their own";
  if (!place.routing.promises().place_decides)
    throw ConfigError("routing.kind", "",
                      "routes depend on more than place and destination, and the RTL has " +
                          std::to_string(channels.size()) + " channels",
                      fits);
  routing::RouteQuery query;
  query.router = place.id;
  routing::RouteSet routes;
  for (const RtlChannel& channel : channels)
    for (query.in_port = 0; query.in_port < place.ends.size(); ++query.in_port) {
      const FlitChannel* const in = place.ends[query.in_port].in;
      const unsigned end = in == nullptr ? 0 : std::min(channel.first_vc + channel.vcs, in->vcs());
      for (query.in_vc = channel.first_vc; query.in_vc < end; ++query.in_vc)
        for (NodeId node = 0; node < place.around.topology.nodes(); ++node) {
          query.destination = node;
          place.routing.route(query, routes);
          const std::uint64_t own = ((std::uint64_t{1} << channel.vcs) - 1) << channel.first_vc;
          if (std::any_of(routes.begin(), routes.end(), [&](const routing::RouteCandidate& route) {
                return place.ends[route.port].to_node || (route.vcs & own) != 0;
              }))
            continue;
          throw ConfigError("routing.kind", "",
                            "a head that comes to router " + std::to_string(place.id) +
                                " by virtual channel " + std::to_string(query.in_vc) + ", channel " +
                                channel.name + ", has no virtual channel of that on its way to node " +
                                std::to_string(node),
                            fits);
        }
    }
}

}  // namespace

routing::RouteSet table_routes(const routing::Routing& routing, graph::RouterId router, std::uint32_t in_port,
                               std::uint32_t in_vc, NodeId destination) {
  // route() may look at the source, and the table says that it does not matter.
  if (const routing::TableImage* const image = route_image(routing)) {
    const routing::RouteCandidate entry = image->table_entry(router, in_port, destination);
    routing::RouteSet one;
    one.add(entry.port, entry.vcs);
    return one;
  }
  routing::RouteQuery query;
  query.router = router;
  query.in_port = in_port;
  query.in_vc = in_vc;
  query.destination = destination;
  routing::RouteSet routes;
  routing.route(query, routes);
  return routes;
}

void check_fit(const RtlPlace& place) {
  check_radices(place);
  check_ports(place);
  check_node_ports(place);
  check_widths(place);
  check_channels(place);
  if (place.rtl.table_rows) return;
  if (place.routing.recovery() != nullptr)
    throw ConfigError("routing.kind", "", "heads are taken into recovery, which the RTL does not do",
                      "a routing without recovery");
  const bool table = static_cast<bool>(place.rtl.table_valid);
  if (table && place.rtl.table_candidates > 1 && route_image(place.routing) == nullptr)
    return check_candidates(place);
  if (table) check_table(place);
  const unsigned candidates = place.routing.max_candidates();
  if (candidates > 1 && (table || place.rtl.ports[0].in.output))
    refuse("routing.kind", candidates, "the RTL takes one candidate for a head, and there may be several",
           "a routing with one candidate");
}

}  // namespace tsuji::bench
