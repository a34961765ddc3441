// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/run_record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <ostream>
#include <string_view>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/line_reader.h"

namespace tsuji::session {
namespace {

using Packet = RunRecord::Packet;
using Router = RunRecord::Router;
using Switch = RunRecord::Switch;

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

std::string packet_of(std::uint64_t id, const Packet*) {
  return packet_name(id);
}
template <class Row>
std::string packet_of(std::uint64_t, const Row*) {
  return "";
}
std::string place_of(std::uint64_t, const Packet*) {
  return "";
}
std::string place_of(std::uint64_t router, const Switch*) {
  return "switch " + std::to_string(router) + ": ";
}
std::string place_of(std::uint64_t router, const Router*) {
  return "router " + std::to_string(router) + ": ";
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

constexpr const char* against = "compare.against";
constexpr const char* written_by_out = "a run.csv that compare.record has written";
constexpr std::uint64_t most_number = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t most_node = std::numeric_limits<std::uint32_t>::max();

/// A word, followed by numbers separated by commas.
class Line {
 public:
  Line(std::string_view text, std::string place) : text_(text), place_(std::move(place)) {}

  std::string_view kind() const { return text_.substr(0, text_.find(',')); }
  /// Reads as many numbers as there are bounds, each at most its bound; ConfigError otherwise.
  template <std::size_t count>
  std::array<std::uint64_t, count> numbers(const std::array<std::uint64_t, count>& most) const {
    std::array<std::uint64_t, count> values{};
    std::string_view rest = text_.substr(kind().size());
    for (std::size_t i = 0; i < count; ++i) {
      if (rest.empty()) refuse(text_, "the line has too few fields");
      rest.remove_prefix(1);
      const std::string_view field = rest.substr(0, rest.find(','));
      const auto read = std::from_chars(field.data(), field.data() + field.size(), values[i]);
      if (read.ec != std::errc() || read.ptr != field.data() + field.size() || values[i] > most[i])
        refuse(field, "not a number from 0 to " + std::to_string(most[i]));
      rest.remove_prefix(field.size());
    }
    if (!rest.empty()) refuse(rest, "the line has too many fields");
    return values;
  }
  /// `value`: the refused part of the line.
  [[noreturn]] void refuse(std::string_view value, const std::string& problem) const {
    throw ConfigError(against, std::string(value), problem, written_by_out)
        .at(place_ + ":" + std::to_string(value.data() - text_.data() + 1));
  }

 private:
  const std::string_view text_;
  const std::string place_;
};

/// The first difference by order(); of equal ones that with the lowest key.
template <class Row>
RunDifference first_difference(const std::map<std::uint64_t, Row>& here,
                               const std::map<std::uint64_t, Row>& before, const std::string& name) {
  const auto find = [](const std::map<std::uint64_t, Row>& rows, std::uint64_t key) -> const Row* {
    const auto row = rows.find(key);
    return row == rows.end() ? nullptr : &row->second;
  };
  RunDifference first;
  const auto compare = [&](std::uint64_t key, const Row* mine, const Row* other) {
    if (mine != nullptr && other != nullptr && *mine == *other) return;
    const Cycle at =
        std::min(mine == nullptr ? never : order(*mine), other == nullptr ? never : order(*other));
    if (!first.text.empty() && at >= first.cycle) return;
    first = {at, packet_of(key, mine),
             place_of(key, mine) + name + ": " + text(other) + "; here: " + text(mine)};
  };
  for (const auto& [key, row] : here) compare(key, &row, find(before, key));
  for (const auto& [key, row] : before) compare(key, find(here, key), &row);
  return first;
}

}  // namespace

void RunRecord::add(const observe::DeliveredPacket& p) {
  Packet& packet = packets_[p.id];
  packet.source = p.source.number();
  packet.destination = p.destination.number();
  packet.injected = p.injected;
  packet.head = p.head_cycle;
  packet.tail = p.tail_cycle;
}

void RunRecord::add(std::uint32_t router, const lookup::LookupCounters& counters) {
  switches_[router] = {counters.cache.lookups, counters.cache.hits, counters.cache.misses};
}

void RunRecord::write(std::ostream& out) const {
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

RunRecord RunRecord::read(const std::string& path) {
  RunRecord run;
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
    if (!first) line.refuse(text, "this packet, switch or router is already in an earlier line");
  }
  return run;
}

RunDifference RunRecord::difference(const RunRecord& before, const std::string& name) const {
  RunDifference found = first_difference(packets_, before.packets_, name);
  if (found.text.empty()) found = first_difference(switches_, before.switches_, name);
  return found.text.empty() ? first_difference(routers_, before.routers_, name) : found;
}

LatencyScore RunRecord::score(const RunRecord& before) const {
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

}  // namespace tsuji::session
