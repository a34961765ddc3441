// SPDX-License-Identifier: Apache-2.0
#include "network/rtl_places.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(separator, from)) != std::string::npos; from = at + 1)
    parts.push_back(text.substr(from, at - from));
  parts.push_back(text.substr(from));
  return parts;
}

ConfigError refusal(const std::string& text, const std::string& problem, const std::string& accepted) {
  return {"rtl.places", text, problem, accepted};
}

std::string words_of(const std::vector<RtlDevice>& devices) {
  std::string words;
  for (const RtlDevice& device : devices) words += (words.empty() ? "" : ", ") + device.word;
  return words;
}

/// Places of one device, with what is refused among them.
class Expansion {
 public:
  Expansion(const graph::Topology& topology, const WrittenPlaces& written)
      : topology_(topology), written_(written) {
    for (const std::string& place : written.places) add(place);
  }
  RtlPlaces places;

 private:
  void add(const std::string& place) {
    if (place == "all") return add_all(place);
    const std::size_t dot = written_.device->at_ports ? place.find('.') : std::string::npos;
    const auto router = number_below(place.substr(0, dot), topology_.routers());
    if (!router) throw refused(place, "no place of this network");
    if (dot == std::string::npos) return add_router(*router, place);
    const auto port = number_below(place.substr(dot + 1), topology_.ports(*router));
    if (!port) throw refused(place, "no port of router " + std::to_string(*router), topology_.ports(*router));
    add_port(*router, *port, place);
  }
  void add_all(const std::string& place) {
    if (written_.places.size() > 1) throw refused(place, "is not combined with other places");
    for (graph::RouterId router = 0; router < topology_.routers(); ++router) add_router(router, place);
  }
  void add_router(graph::RouterId router, const std::string& place) {
    if (places.routers.count(router) != 0) throw refused(place, "a place twice");
    places.routers.insert(router);
    for (unsigned port = 0; written_.device->at_ports && port < topology_.ports(router); ++port)
      add_port(router, port, place);
  }
  void add_port(graph::RouterId router, unsigned port, const std::string& place) {
    if (!places.ports.insert({router, port}).second) throw refused(place, "a place twice");
    places.routers.insert(router);
  }
  ConfigError refused(const std::string& place, const std::string& problem, unsigned ports = 0) const {
    std::string accepted = "all, or routers 0.." + std::to_string(topology_.routers() - 1);
    if (written_.device->at_ports)
      accepted += ", or their ports as ROUTER.PORT" +
                  (ports > 0 ? " with ports 0.." + std::to_string(ports - 1) : std::string());
    return refusal(written_.device->word + "=" + place, problem, accepted + ", joined by +, each once");
  }

  const graph::Topology& topology_;
  const WrittenPlaces& written_;
};

/// ConfigError if a part of `whole` is also separate RTL in that router.
void refuse_part(const WrittenPlaces& whole, const RtlPlaces& places, const WrittenPlaces& part,
                 const RtlPlaces& part_places) {
  const std::vector<std::string>& holds = whole.device->holds;
  if (std::find(holds.begin(), holds.end(), part.device->word) == holds.end()) return;
  for (const graph::RouterId router : part_places.routers)
    if (places.routers.count(router) != 0)
      throw refusal(part.device->word + "=" + std::to_string(router),
                    "part of the RTL of " + whole.device->word + "=" + std::to_string(router),
                    "one of the two in a router");
}

}  // namespace

std::optional<unsigned> number_below(const std::string& text, unsigned below) {
  const bool digits = !text.empty() && text.size() < 9 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || std::stoul(text) >= below) return std::nullopt;
  return static_cast<unsigned>(std::stoul(text));
}

std::vector<WrittenPlaces> read_places(const std::string& text, const std::vector<RtlDevice>& devices) {
  std::vector<WrittenPlaces> written;
  if (text.empty()) return written;
  const std::string accepted = "DEVICE=PLACE+PLACE,DEVICE=PLACE with devices " + words_of(devices) +
                               ", each once, and places of each: all, or routers";
  for (const std::string& item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) throw refusal(text, "'" + item + "' is no DEVICE=PLACE", accepted);
    const std::string word = item.substr(0, equals);
    const auto device =
        std::find_if(devices.begin(), devices.end(), [&](const RtlDevice& one) { return one.word == word; });
    if (device == devices.end()) throw refusal(text, "there is no RTL of '" + word + "' here", accepted);
    const bool again = std::any_of(written.begin(), written.end(),
                                   [&](const WrittenPlaces& one) { return one.device == &*device; });
    if (again) throw refusal(text, "'" + word + "' twice", accepted);
    written.push_back({&*device, split(item.substr(equals + 1), '+')});
  }
  return written;
}

std::vector<RtlPlaces> places_in(const graph::Topology& topology, const std::vector<WrittenPlaces>& written) {
  std::vector<RtlPlaces> places;
  for (const WrittenPlaces& one : written) places.push_back(Expansion(topology, one).places);
  for (std::size_t whole = 0; whole < written.size(); ++whole)
    for (std::size_t part = 0; part < written.size(); ++part)
      refuse_part(written[whole], places[whole], written[part], places[part]);
  return places;
}

}  // namespace tsuji::bench
