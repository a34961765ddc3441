// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/follow.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tsuji/core/error.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/platform/child_process.h"
#include "tsuji/platform/load_sweep.h"
#include "tsuji/platform/sweep_runs.h"
#include "tsuji/session/network_run.h"
#include "tsuji/workload/pattern_kinds.h"

namespace tsuji::session {
namespace {

using platform::RunOptions;

constexpr const char* accepted =
    "packets as SOURCE.SERIAL (15.105), several with commas between, or slowest:N with N = 1..100";
constexpr const char* slowest_prefix = "slowest:";
constexpr unsigned most_packets = 100;
constexpr std::size_t most_in_view = 8;  ///< packets that waves.packet takes

ConfigError refused(const std::string& value, const std::string& problem) {
  return {follow_name, value, problem, accepted};
}

unsigned number(const std::string& text, const std::string& value) {
  unsigned parsed = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size() || parsed == 0 ||
      parsed > most_packets)
    throw refused(value, "is no number of packets");
  return parsed;
}

/// Messages of routers have names like r12.3 in packets.csv, and no story.
void refuse_control_message(const std::string& name) {
  if (name.size() < 2 || name[0] != 'r' || name.find_first_not_of("0123456789.", 1) != std::string::npos)
    return;
  throw refused(name, "is a control message of router " + name.substr(1, name.find('.') - 1) +
                          ", and only packets of nodes are followed");
}

instruments::PacketTimes times_of(PacketId id, const std::string& text, const std::string& value) {
  instruments::PacketTimes times{id};
  std::istringstream cycles(text);
  char first = 0, second = 0, more = 0;
  if (!(cycles >> times.created >> first >> times.injected >> second >> times.tail) || first != ':' ||
      second != ':' || cycles >> more)
    throw refused(value, "names no packet");
  return times;
}

/// Runs of the configuration in child processes, for what the first run has found.
class FurtherRuns {
 public:
  FurtherRuns(const RunOptions& options, observe::Results& results) : options_(options), results_(results) {}

  /// The second run: hops and waits of the packets.
  void tell(const std::string& packets) {
    const std::string folder = options_.file("followed");
    const nlohmann::ordered_json document = play({follow_name, packets}, folder);
    for (const char* name : {"packet_hops", "packet_waits"}) copy(document["tables"][name], name);
    std::filesystem::remove_all(folder);
  }
  /// The third run: a waveform of the routers on the packets' routes, while these are in flight.
  void record(const std::string& packets, Picoseconds from, Picoseconds to) {
    const std::string folder = options_.file("followed_waves");
    std::string routers;
    for (const std::string& router : routers_) routers += (routers.empty() ? "" : ",") + router;
    const bool fst = options_.wave_format == observe::WaveFileFormat::fst;
    play({"--waves", "--waves-format", fst ? "fst" : "vcd", "--set", "waves.packet=" + packets, "--set",
          "waves.routers=[" + routers + "]", "--window", ns(from) + ":" + ns(to)},
         folder);
    const std::string wave = fst ? "network.fst" : "network.vcd";
    // Kept: the waveform, its view, and the names of stages that the view reads.
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().filename().string().rfind("network.", 0) != 0)
        std::filesystem::remove_all(entry.path());
    results_.file("followed_waves/" + wave, "waveform of the packets' routers");
    results_.file("followed_waves/network.gtkw", "view for GTKWave, in the order of the routes");
  }

 private:
  nlohmann::ordered_json play(std::vector<std::string> words, const std::string& folder) const {
    words.insert(words.begin(), {platform::own_executable(), options_.file("resolved.yaml")});
    words.insert(words.end(), {"--out", folder, "--quiet"});
    const std::string log = options_.file("followed.log");
    platform::ChildProcess process(words, log);
    process.wait();
    const std::string said = platform::one_line(platform::text_of_file(log));
    std::filesystem::remove(log);
    if (process.exit_status() != 0)
      throw ModelError("story", "a further run ended with exit status " +
                                    std::to_string(process.exit_status()) + ": " + said);
    return nlohmann::ordered_json::parse(platform::text_of_file(folder + "/result.json"));
  }

  void copy(const nlohmann::ordered_json& table, const char* name) {
    std::vector<observe::ResultTable::Column> columns;
    for (const auto& column : table["columns"]) columns.push_back({column["name"], column["unit"]});
    observe::ResultTable& copied = results_.table(name, columns);
    const std::string router = "router ";
    for (const auto& row : table["rows"]) {
      std::vector<observe::Value> cells;
      for (const auto& one : row) cells.push_back(observe::Value::of(one));
      const std::string place = row[2];
      if (place.rfind(router, 0) == 0) routers_.insert(place.substr(router.size()));
      copied.row(std::move(cells));
    }
  }

  /// Three decimals, as --window reads them.
  static std::string ns(Picoseconds time) {
    const std::string digits = std::to_string(time % 1000);
    return std::to_string(time / 1000) + "." + std::string(3 - digits.size(), '0') + digits;
  }

  const RunOptions& options_;
  observe::Results& results_;
  std::set<std::string> routers_;  ///< that the packets pass
};

/// The value of --follow of the second run, for the packets that the first one has found.
std::string with_times(const observe::ResultTable& packets) {
  std::string text;
  for (const std::vector<observe::Value>& row : packets.rows())
    text += (text.empty() ? "" : ",") + row[0].text() + "@" + row[5].text() + ":" + row[6].text() + ":" +
            row[8].text();
  return text;
}

void show(observe::Results& results) {
  constexpr std::size_t most_rows = 40;
  results.show_rows("followed_packets", most_rows, "followed packets");
  const auto rows = [&](const char* name) {
    return std::min(results.rows_of(name).rows().size(), most_rows);
  };
  results.show_rows("packet_hops", rows("packet_hops"), "their hops",
                    {"packet", "place", "at", "in", "out", "arrived", "left", "link", "router", "wait_front",
                     "wait_vc", "wait_credit", "wait_switch"});
  results.show_rows("packet_waits", rows("packet_waits"), "what they waited for",
                    {"packet", "place", "cause", "first", "cycles", "wanted", "held_by", "chain"});
}

void tell_stories(const NetworkRunConfig& config, const RunOptions& options, observe::Results& results) {
  const observe::ResultTable& packets = results.rows_of("followed_packets");
  if (packets.rows().empty()) throw refused(options.of_option(follow_name), "no packet was delivered");
  FurtherRuns further(options, results);
  further.tell(with_times(packets));
  if (options.record_waves) {
    std::string names;
    double from = packets.rows()[0][6].number(), to = 0;
    for (std::size_t i = 0; i < std::min(packets.rows().size(), most_in_view); ++i) {
      names += (i == 0 ? "" : " ") + packets.rows()[i][0].text();
      from = std::min(from, packets.rows()[i][6].number());
      to = std::max(to, packets.rows()[i][8].number());
    }
    const ClockPeriod period(config.machine.clock_period_ps);
    further.record(names, period.ps_at(static_cast<Cycle>(from)), period.ps_at(static_cast<Cycle>(to) + 2));
  }
  show(results);
}

}  // namespace

Follow Follow::parse(const std::string& text) {
  Follow follow;
  if (text.rfind(slowest_prefix, 0) == 0) {
    follow.slowest = number(text.substr(std::string(slowest_prefix).size()), text);
    return follow;
  }
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t at = word.find('@');
    refuse_control_message(word.substr(0, at));
    const PacketId id = packet_named(word.substr(0, at), follow_name, accepted);
    if (std::find(follow.packets.begin(), follow.packets.end(), id) != follow.packets.end())
      throw refused(text, packet_name(id) + " is named twice");
    follow.packets.push_back(id);
    if (at != std::string::npos) follow.times.push_back(times_of(id, word.substr(at + 1), text));
  }
  if (follow.packets.empty() || follow.packets.size() > most_packets || text.back() == ',' ||
      (!follow.times.empty() && follow.times.size() != follow.packets.size()))
    throw refused(text, "is no list of up to " + std::to_string(most_packets) + " packets");
  return follow;
}

platform::PlatformOption follow_option(const NetworkRunConfig& config,
                                       const std::function<void(const RunOptions&, observe::Results&)>& run) {
  platform::PlatformOption option;
  option.name = follow_name;
  option.value_name = "PACKETS|slowest:N";
  option.meaning =
      "report the story of packets, as SOURCE.SERIAL (15.105) with commas between, or of the N slowest: "
      "hops, "
      "waits and who caused them, from a second, identical run; with --waves also a waveform of their "
      "routers";
  option.run = [&config, run](const std::string& value, const RunOptions& options,
                              observe::Results& results) {
    const Follow follow = Follow::parse(value);
    RunOptions first = options;
    first.with[follow_name] = value;
    if (!follow.times.empty()) return run(first, results);
    platform::check_read_again("topology.file", config.machine.topology.of<graph::TopologyFileConfig>().file);
    platform::check_read_again("traffic.matrix", config.traffic.patterns.of<workload::MatrixConfig>().matrix);
    first.record_waves = false;
    run(first, results);
    RunOptions further = options;
    further.with[follow_name] = value;
    if (!results.partial()) tell_stories(config, further, results);
  };
  return option;
}

}  // namespace tsuji::session
