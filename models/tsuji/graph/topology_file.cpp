// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/topology_file.h"

#include <algorithm>
#include <istream>
#include <map>
#include <set>

#include "tsuji/core/error.h"
#include "tsuji/core/line_reader.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

constexpr std::uint64_t most_routers = 1U << 20;
constexpr std::uint64_t most_ports = 1024;
constexpr std::uint64_t most_links = 1U << 23;
constexpr std::uint64_t most_latency = 1'000'000;
constexpr std::size_t most_classes = 64;

struct Word {
  std::string text, place;
  [[noreturn]] void refuse(const std::string& problem, const std::string& accepted) const {
    throw ConfigError("topology.file", text, problem, accepted).at(place);
  }
};

/// A port as written in the file; `port` is `none` if the file does not name it.
struct Place {
  PortRef at;
  Word word;
};

struct LinkLine {
  Place a, b;
  Cycle latency_cycles;
  bool one_way = false;
  bool own_latency = false;
  std::uint8_t link_class = 0;
};

struct NodeLine {
  Place inject, eject;
  bool same = true;
  Cycle latency_cycles = 0;
  Word word;
};

/// Reads the words of one line in turn.
class Line {
 public:
  Line(std::string_view text, const std::string& place) {
    std::size_t i = 0;
    while (i < text.size() && text[i] != '#') {
      if (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < text.size() && text[i] != ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '#') ++i;
      words_.push_back({std::string(text.substr(begin, i - begin)), place + ":" + std::to_string(begin + 1)});
    }
    end_.place = place + ":" + std::to_string(i + 1);
  }
  bool done() const { return next_ == words_.size(); }
  bool is_next(const char* word) {
    if (done() || words_[next_].text != word) return false;
    ++next_;
    return true;
  }
  const Word& take(const std::string& wanted) {
    if (done()) end_.refuse("the line has too few fields", wanted);
    return words_[next_++];
  }
  void expect(const char* word) {
    const Word& here = take(word);
    if (here.text != word) here.refuse("unexpected word", word);
  }
  void expect_end(const std::string& wanted) const {
    if (!done()) words_[next_].refuse("unexpected word", wanted);
  }

 private:
  std::vector<Word> words_;
  std::size_t next_ = 0;
  Word end_;
};

std::uint64_t number(const Word& word, const std::string& text, std::uint64_t least, std::uint64_t most) {
  const std::string accepted = "an integer " + std::to_string(least) + ".." + std::to_string(most);
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
    word.refuse("not a number", accepted);
  const std::uint64_t value = std::stoull(text);
  if (value < least || value > most) word.refuse("out of range", accepted);
  return value;
}

Place port_place(const Word& word) {
  const std::size_t dot = word.text.find('.');
  Place place{{}, word};
  place.at.router = static_cast<RouterId>(number(word, word.text.substr(0, dot), 0, most_routers - 1));
  if (dot != std::string::npos)
    place.at.port = static_cast<std::uint32_t>(number(word, word.text.substr(dot + 1), 0, most_ports - 1));
  return place;
}

class Reader {
 public:
  Reader(std::string name, Cycle latency) : name_(std::move(name)), latency_(latency) {}

  void line(std::string_view text) { statement(Line(text, name_ + ":" + std::to_string(++lines_))); }

  Topology topology() {
    check_identifiers();
    assign_ports();
    std::vector<RouterLink> links;
    for (const LinkLine& line : links_) {
      links.push_back(
          {line.a.at, line.b.at, line.latency_cycles, line.one_way, line.own_latency, line.link_class});
    }
    std::vector<NodePorts> nodes;
    for (const auto& [id, node] : nodes_)
      nodes.push_back({node.inject.at, node.eject.at, node.latency_cycles});
    std::vector<std::vector<unsigned>> coordinates;
    for (const auto& entry : routers_) coordinates.push_back(entry.second.coordinates);
    Topology topology(name_, ports_, std::move(links), std::move(nodes), Shape{}, std::move(coordinates));
    topology.set_link_classes(classes_, [](const RouterLink& link) { return unsigned{link.link_class}; });
    return topology;
  }

 private:
  struct RouterLine {
    Word word;                ///< its first occurrence
    std::uint32_t ports = 0;  ///< 0: as many as are used
    std::vector<unsigned> coordinates;
    bool described = false;
    std::map<std::uint32_t, Word> used;  ///< ports named in the file
  };

  void statement(Line line) {
    if (line.done()) return;
    const Word& what = line.take("");
    if (what.text == "router")
      router_line(line);
    else if (what.text == "link")
      link_line(line);
    else if (what.text == "node")
      node_line(line);
    else
      what.refuse("unknown statement", "router, link, node");
  }

  void router_line(Line& line) {
    const Word& word = line.take("a router");
    const auto id = static_cast<RouterId>(number(word, word.text, 0, most_routers - 1));
    RouterLine& router = mention(id, word);
    if (router.described) word.refuse("described twice", "one line for each router");
    router.described = true;
    if (line.is_next("ports")) {
      const Word& ports = line.take("a number of ports");
      router.ports = static_cast<std::uint32_t>(number(ports, ports.text, 1, most_ports));
    }
    if (line.is_next("at")) {
      do {
        const Word& axis = line.take("a coordinate");
        router.coordinates.push_back(static_cast<unsigned>(number(axis, axis.text, 0, most_routers)));
      } while (!line.done());
    }
    line.expect_end("router R [ports P] [at X Y ...]");
  }

  void link_line(Line& line) {
    LinkLine link{take_place(line), take_place(line), latency_};
    link.own_latency = take_latency(line, link.latency_cycles);
    link.link_class = take_class(line);
    link.one_way = line.is_next("one-way");
    if (links_.size() == most_links)
      link.a.word.refuse("too many links", "at most " + std::to_string(most_links) + " in a file");
    line.expect_end("link A[.PORT] B[.PORT] [latency CYCLES] [class NAME] [one-way]");
    links_.push_back(link);
  }

  void node_line(Line& line) {
    NodeLine node;
    node.word = line.take("a node");
    const auto id = static_cast<NodeId>(number(node.word, node.word.text, 0, most_routers - 1));
    if (line.is_next("in")) {
      node.inject = take_place(line);
      line.expect("out");
      node.eject = take_place(line);
      node.same = false;
    } else {
      line.expect("at");
      node.inject = node.eject = take_place(line);
    }
    take_latency(line, node.latency_cycles);
    line.expect_end(
        "node N at R[.PORT] [latency CYCLES], or node N in R[.PORT] out R[.PORT] [latency CYCLES]");
    if (!nodes_.emplace(id, node).second)
      node.word.refuse("a node is described twice", "one line for each node");
  }

  /// Returns false, and does not change `latency`, if the line has none.
  static bool take_latency(Line& line, Cycle& latency) {
    if (!line.is_next("latency")) return false;
    const Word& cycles = line.take("cycles");
    latency = number(cycles, cycles.text, 1, most_latency);
    return true;
  }

  /// Class of a link; links without one are of class "link".
  std::uint8_t take_class(Line& line) {
    if (!line.is_next("class")) return 0;
    const Word& name = line.take("the name of a class");
    const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (name.text == "node" || !std::all_of(name.text.begin(), name.text.end(), is_part))
      name.refuse("not a name of a class",
                  "lower-case letters, digits and _; node is the class of nodes' links");
    const auto known = std::find(classes_.begin(), classes_.end(), name.text);
    if (known == classes_.end() && classes_.size() == most_classes)
      name.refuse("too many classes", "at most " + std::to_string(most_classes) + " in a file");
    const auto index = static_cast<std::uint8_t>(known - classes_.begin());
    if (known == classes_.end()) classes_.push_back(name.text);
    return index;
  }

  Place take_place(Line& line) {
    Place place = port_place(line.take("a router"));
    mention(place.at.router, place.word);
    return place;
  }

  RouterLine& mention(RouterId id, const Word& word) {
    RouterLine& router = routers_[id];
    if (router.word.place.empty()) router.word = word;
    return router;
  }

  template <class Map>
  void without_holes(const Map& map, const char* what) const {
    std::uint32_t expected = 0;
    for (const auto& entry : map) {
      if (entry.first != expected++)
        entry.second.word.refuse(std::string(what) + " " + std::to_string(expected - 1) + " is missing",
                                 "consecutive identifiers from 0");
    }
  }

  void check_identifiers() const {
    const Word whole{"", name_};
    if (nodes_.empty()) whole.refuse("no node in this file", "node N at R");
    without_holes(routers_, "router");
    without_holes(nodes_, "node");
  }

  /// Visits every place in the order of the file: named ports are reserved first, the others get the lowest
  /// free port.
  template <class Visit>
  void for_places(const Visit& visit) {
    for (LinkLine& link : links_) {
      visit(link.a);
      visit(link.b);
    }
    for (auto& entry : nodes_) {
      visit(entry.second.inject);
      if (entry.second.same)
        entry.second.eject = entry.second.inject;
      else
        visit(entry.second.eject);
    }
  }

  void assign_ports() {
    for_places([&](Place& place) {
      if (place.at.port == none) return;
      RouterLine& router = routers_[place.at.router];
      if (!router.used.emplace(place.at.port, place.word).second)
        place.word.refuse("this port is used already", "a free port of the router, or none");
    });
    for_places([&](Place& place) {
      if (place.at.port != none) return;
      RouterLine& router = routers_[place.at.router];
      std::uint32_t port = 0;
      while (router.used.count(port) != 0) ++port;
      if (port == most_ports)
        place.word.refuse("the router has no free port",
                          "at most " + std::to_string(most_ports) + " ports of a router");
      router.used.emplace(port, place.word);
      place.at.port = port;
    });
    for (const auto& entry : routers_) {
      const RouterLine& router = entry.second;
      if (router.used.empty()) router.word.refuse("nothing is attached to this router", "a link or a node");
      const auto used = static_cast<std::uint32_t>(router.used.size());
      const auto& [highest, word] = *router.used.rbegin();
      if (router.ports == 0 && highest != used - 1)
        word.refuse("lower ports of the router have neither a link nor a node",
                    "consecutive ports, or 'router " + std::to_string(entry.first) + " ports P'");
      if (router.ports != 0 && highest >= router.ports)
        word.refuse("more than the " + std::to_string(router.ports) + " ports of router " +
                        std::to_string(entry.first),
                    "more ports, or fewer links");
      ports_.push_back(router.ports != 0 ? router.ports : used);
    }
  }

  std::string name_;
  Cycle latency_;
  std::uint64_t lines_ = 0;
  std::vector<LinkLine> links_;
  std::vector<std::string> classes_{"link"};
  std::map<NodeId, NodeLine> nodes_;
  std::map<RouterId, RouterLine> routers_;
  std::vector<unsigned> ports_;
};

}  // namespace

Topology read_topology(std::istream& text, const std::string& name, Cycle link_latency_cycles) {
  Reader reader(name, link_latency_cycles);
  for (std::string line; std::getline(text, line);) reader.line(line);
  if (text.bad()) throw ConfigError("topology.file", name, "cannot be read", "a readable text");
  return reader.topology();
}

Topology read_topology_file(const std::string& path, Cycle link_latency_cycles) {
  Reader reader(path, link_latency_cycles);
  LineReader lines(path, "topology.file");
  for (std::string_view line; lines.next(line);) reader.line(line);
  return reader.topology();
}

void TopologyFileConfig::add_keys(config::KeyTable& keys) {
  keys.add_path("topology.file", file, "file: path of the topology file");
}

void TopologyFileConfig::validate() const {
  if (file.empty())
    throw ConfigError("topology.file", "", "no file for topology.kind file", "the path of a topology file");
}

Topology TopologyFileConfig::make(Cycle link_latency_cycles) const {
  validate();
  return read_topology_file(file, link_latency_cycles);
}

void add_topology_file(TopologyKinds& kinds) {
  kinds.add<TopologyFileConfig>("file");
}

}  // namespace tsuji::graph
