#include "lookup/network_run.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/line_reader.h"

namespace tsuji::bench {
namespace {

using Packet = NetworkRun::Packet;
using Switch = NetworkRun::Switch;

bool operator==(const Packet& a, const Packet& b) {
  return a.source == b.source && a.destination == b.destination && a.injected == b.injected &&
         a.head == b.head && a.tail == b.tail;
}
bool operator==(const Switch& a, const Switch& b) {
  return a.lookups == b.lookups && a.hits == b.hits && a.misses == b.misses;
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

std::string label(std::uint64_t id, const Packet*) {
  return "packet " + packet_name(id);
}
std::string label(std::uint64_t router, const Switch*) {
  return "switch " + std::to_string(router);
}

std::uint64_t order(const Packet& packet) {
  return packet.tail;
}
std::uint64_t order(const Switch&) {
  return 0;
}

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
  packets_[p.id] = {p.source, p.destination, p.injected, p.head_cycle, p.tail_cycle};
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

void NetworkRun::write(const std::string& path) const {
  std::ofstream file(path);
  file << "# packet,id,source,destination,injected_cycle,head_cycle,tail_cycle\n"
          "# switch,router,lookups,hits,misses\n";
  for (const auto& [id, p] : packets_)
    file << "packet," << id << ',' << p.source << ',' << p.destination << ',' << p.injected << ',' << p.head
         << ',' << p.tail << '\n';
  for (const auto& [router, s] : switches_)
    file << "switch," << router << ',' << s.lookups << ',' << s.hits << ',' << s.misses << '\n';
  file.close();
  if (!file) throw ModelError("network_bench", path + " cannot be written");
}

NetworkRun NetworkRun::read(const std::string& path) {
  NetworkRun run;
  LineReader lines(path, "--against", LineReader::LastLine::ends, "a file that --out has written");
  const auto refuse = [&path](const std::string& problem) {
    throw ConfigError("--against", path, problem, "a file that --out has written");
  };
  for (std::string_view text; lines.next(text);) {
    if (text.empty() || text[0] == '#') continue;
    std::string line(text);
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream in(line);
    std::string what;
    std::uint64_t key = 0;
    Packet p{};
    Switch s{};
    in >> what >> key;
    if (what == "packet" && in >> p.source >> p.destination >> p.injected >> p.head >> p.tail)
      run.packets_[key] = p;
    else if (what == "switch" && in >> s.lookups >> s.hits >> s.misses)
      run.switches_[key] = s;
    else
      refuse("not a line of a packet or a switch: " + line);
  }
  return run;
}

std::string NetworkRun::difference(const NetworkRun& before, const std::string& name) const {
  const std::string packet = first_difference(packets_, before.packets_, name);
  return packet.empty() ? first_difference(switches_, before.switches_, name) : packet;
}

}  // namespace tsuji::bench
