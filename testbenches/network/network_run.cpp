// SPDX-License-Identifier: Apache-2.0
#include "network/network_run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iomanip>
#include <limits>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/line_reader.h"

namespace tsuji::bench {
namespace {

using Packet = NetworkRun::Packet;
using Router = NetworkRun::Router;
using Switch = NetworkRun::Switch;

bool operator==(const Packet& a, const Packet& b) {
  return a.source == b.source && a.destination == b.destination && a.injected == b.injected &&
         a.head == b.head && a.tail == b.tail;
}
bool operator==(const Switch& a, const Switch& b) {
  return a.lookups == b.lookups && a.hits == b.hits && a.misses == b.misses;
}
bool operator==(const Router& a, const Router& b) {
  return a.flits == b.flits;
}

std::string text(const Packet* packet) {
  if (packet == nullptr) return "not delivered";
  return "from node " + std::to_string(packet->source) + " in cycle " + std::to_string(packet->injected) +
         ", head at node " + std::to_string(packet->destination) + " in cycle " +
         std::to_string(packet->head) + ", tail in cycle " + std::to_string(packet->tail);
}
std::string text(const Switch* one) {
  if (one == nullptr) return "none";
  return std::to_string(one->lookups) + " look-ups, " + std::to_string(one->hits) + " hits, " +
         std::to_string(one->misses) + " misses";
}
std::string text(const Router* one) {
  return one == nullptr ? "none" : std::to_string(one->flits) + " flits";
}

std::string label(std::uint64_t id, const Packet*) {
  return "packet " + packet_name(id);
}
std::string label(std::uint64_t router, const Switch*) {
  return "switch " + std::to_string(router);
}
std::string label(std::uint64_t router, const Router*) {
  return "router " + std::to_string(router);
}

std::uint64_t order(const Packet& packet) {
  return packet.tail;
}
std::uint64_t order(const Switch&) {
  return 0;
}
std::uint64_t order(const Router&) {
  return 0;
}

constexpr const char* against = "--against";
constexpr const char* written_by_out = "a file that --out has written";
constexpr std::uint64_t most_number = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t most_node = std::numeric_limits<std::uint32_t>::max();

/// A word and numbers with commas between them.
class Line {
 public:
  Line(std::string_view text, std::string place) : text_(text), place_(std::move(place)) {}

  std::string_view kind() const { return text_.substr(0, text_.find(',')); }
  /// As many as there are bounds, each at most its bound; ConfigError otherwise.
  template <std::size_t count>
  std::array<std::uint64_t, count> numbers(const std::array<std::uint64_t, count>& most) const {
    std::array<std::uint64_t, count> values{};
    std::string_view rest = text_.substr(kind().size());
    for (std::size_t i = 0; i < count; ++i) {
      if (rest.empty()) refuse(text_, "the line ends too early");
      rest.remove_prefix(1);
      const std::string_view field = rest.substr(0, rest.find(','));
      const auto read = std::from_chars(field.data(), field.data() + field.size(), values[i]);
      if (read.ec != std::errc() || read.ptr != field.data() + field.size() || values[i] > most[i])
        refuse(field, "not a number from 0 to " + std::to_string(most[i]));
      rest.remove_prefix(field.size());
    }
    if (!rest.empty()) refuse(rest, "more than a line holds");
    return values;
  }
  /// `value`: a piece of the line.
  [[noreturn]] void refuse(std::string_view value, const std::string& problem) const {
    throw ConfigError(against, std::string(value), problem, written_by_out)
        .at(place_ + ":" + std::to_string(value.data() - text_.data() + 1));
  }

 private:
  const std::string_view text_;
  const std::string place_;
};

/// The first difference by order(), of equals the lowest key.
template <class Row>
std::string first_difference(const std::map<std::uint64_t, Row>& here,
                             const std::map<std::uint64_t, Row>& before, const std::string& name) {
  const auto find = [](const std::map<std::uint64_t, Row>& rows, std::uint64_t key) -> const Row* {
    const auto row = rows.find(key);
    return row == rows.end() ? nullptr : &row->second;
  };
  std::uint64_t earliest = ~std::uint64_t{0};
  std::string found;
  const auto compare = [&](std::uint64_t key, const Row* mine, const Row* other) {
    if (mine != nullptr && other != nullptr && *mine == *other) return;
    const std::uint64_t at = std::min(mine == nullptr ? ~std::uint64_t{0} : order(*mine),
                                      other == nullptr ? ~std::uint64_t{0} : order(*other));
    if (at >= earliest) return;
    earliest = at;
    found = label(key, mine) + ": " + name + ": " + text(other) + "; here: " + text(mine);
  };
  for (const auto& [key, row] : here) compare(key, &row, find(before, key));
  for (const auto& [key, row] : before) compare(key, find(here, key), &row);
  return found;
}

}  // namespace

void NetworkRun::add(const observe::DeliveredPacket& p) {
  Packet& packet = packets_[p.id];
  packet.source = p.source.number();
  packet.destination = p.destination.number();
  packet.injected = p.injected;
  packet.head = p.head_cycle;
  packet.tail = p.tail_cycle;
}

void NetworkRun::add(std::uint32_t router, const lookup::LookupCounters& counters) {
  switches_[router] = {counters.cache.lookups, counters.cache.hits, counters.cache.misses};
}

NetworkRun::Switch NetworkRun::sum() const {
  Switch sum{0, 0, 0};
  for (const auto& [router, one] : switches_)
    sum = {sum.lookups + one.lookups, sum.hits + one.hits, sum.misses + one.misses};
  return sum;
}

void NetworkRun::write(std::ostream& out) const {
  out << "# packet,id,source,destination,injected_cycle,head_cycle,tail_cycle\n"
         "# switch,router,lookups,hits,misses\n"
         "# router,router,flits\n";
  for (const auto& [id, p] : packets_)
    out << "packet," << id << ',' << p.source << ',' << p.destination << ',' << p.injected << ',' << p.head
        << ',' << p.tail << '\n';
  for (const auto& [router, s] : switches_)
    out << "switch," << router << ',' << s.lookups << ',' << s.hits << ',' << s.misses << '\n';
  for (const auto& [router, r] : routers_) out << "router," << router << ',' << r.flits << '\n';
}

NetworkRun NetworkRun::read(const std::string& path) {
  NetworkRun run;
  LineReader lines(path, against, LineReader::LastLine::ends, written_by_out);
  for (std::string_view text; lines.next(text);) {
    if (text.empty() || text[0] == '#') continue;
    const Line line(text, lines.place());
    bool first = true;
    if (line.kind() == "packet") {
      const auto n =
          line.numbers<6>({most_number, most_node, most_node, most_number, most_number, most_number});
      Packet packet;
      packet.source = static_cast<NodeId>(n[1]);
      packet.destination = static_cast<NodeId>(n[2]);
      packet.injected = n[3];
      packet.head = n[4];
      packet.tail = n[5];
      first = run.packets_.emplace(n[0], packet).second;
    } else if (line.kind() == "switch") {
      const auto n = line.numbers<4>({most_node, most_number, most_number, most_number});
      first = run.switches_.emplace(n[0], Switch{n[1], n[2], n[3]}).second;
    } else if (line.kind() == "router") {
      const auto n = line.numbers<2>({most_node, most_number});
      first = run.routers_.emplace(n[0], Router{n[1]}).second;
    } else {
      line.refuse(line.kind(), "not a line of a packet, a switch or a router");
    }
    if (!first) line.refuse(text, "the same packet, switch or router as in a line above");
  }
  return run;
}

std::string NetworkRun::difference(const NetworkRun& before, const std::string& name) const {
  std::string found = first_difference(packets_, before.packets_, name);
  if (found.empty()) found = first_difference(switches_, before.switches_, name);
  return found.empty() ? first_difference(routers_, before.routers_, name) : found;
}

LatencyScore NetworkRun::score(const NetworkRun& before) const {
  LatencyScore score;
  std::uint64_t sum_before = 0, found = 0;
  for (const auto& [id, packet] : packets_) {
    const auto other = before.packets_.find(id);
    if (other == before.packets_.end()) {
      ++score.lost;
      continue;
    }
    ++found;
    const Packet& past = other->second;
    if (past.source != packet.source || past.destination != packet.destination) {
      ++score.lost;
      continue;
    }
    const auto later = static_cast<std::int64_t>(packet.tail - packet.injected) -
                       static_cast<std::int64_t>(past.tail - past.injected);
    ++(later == 0 ? score.equal : later > 0 ? score.later : score.earlier);
    ++score.packets;
    score.later_sum += later;
    sum_before += past.tail - past.injected;
    score.most_later = std::max(score.most_later, later);
    score.most_earlier = std::max(score.most_earlier, -later);
  }
  score.lost += before.packets_.size() - found;
  if (score.packets != 0)
    score.mean_before = static_cast<double>(sum_before) / static_cast<double>(score.packets);
  return score;
}

std::string LatencyScore::text(const std::string& name) const {
  std::ostringstream text;
  text << packets << " packets, " << lost << " lost or changed; latency from injection to tail: mean "
       << std::fixed << std::setprecision(2) << mean_before << " cycles in " << name << ", here "
       << mean_before + (packets == 0 ? 0 : static_cast<double>(later_sum) / static_cast<double>(packets))
       << "; " << equal << " equal, " << later << " later by up to " << most_later << " cycles, " << earlier
       << " earlier by up to " << most_earlier << '\n';
  return text.str();
}

}  // namespace tsuji::bench
