// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>

#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/workload/arrivals/on_off.h"
#include "tsuji/workload/length_kinds.h"
#include "tsuji/workload/packet_list.h"
#include "tsuji/workload/random_streams.h"

using namespace tsuji;
using namespace tsuji::workload;
using tsuji::test::refusal;
using tsuji::test::TextFile;

namespace {

/// The parameters of an arrival process: a rate, and that of bursts for processes with bursts.
struct ArrivalConfig : ArrivalRate {
  double burst_packets_per_cycle = 0.25;
  double burst_cycles = 100;
};

std::unique_ptr<ArrivalProcess> make_arrivals(const std::string& name, const ArrivalConfig& config) {
  ArrivalKinds kinds = arrival_kinds();
  kinds.of<OnOffConfig>() = {config.burst_packets_per_cycle * config.flits_per_packet, config.burst_cycles};
  return workload::make_arrivals(kinds, name, config);
}

/// The cycles of a node's births before `end`.
std::vector<Cycle> births(const std::string& name, const ArrivalConfig& config, Cycle end, NodeId node = 3) {
  const auto arrivals = make_arrivals(name, config);
  CounterRandom random = traffic_random(11, RandomStream::arrivals, node);
  std::vector<Cycle> result;
  for (Cycle at = arrivals->gap(random); at < end; at += arrivals->gap(random)) result.push_back(at);
  return result;
}

struct Moments {
  double mean = 0, variance = 0;
};

/// Mean and variance of the number of births in windows of `length` cycles.
Moments window_counts(const std::vector<Cycle>& list, Cycle end, Cycle length) {
  std::vector<double> counts(end / length, 0.0);
  for (const Cycle at : list) {
    if (at / length < counts.size()) counts[at / length] += 1;
  }
  Moments result;
  for (const double count : counts) result.mean += count / static_cast<double>(counts.size());
  for (const double count : counts) {
    result.variance += (count - result.mean) * (count - result.mean) / static_cast<double>(counts.size() - 1);
  }
  return result;
}

}  // namespace

TEST_CASE("Bernoulli arrivals have the mean and the variance of independent cycles") {
  constexpr Cycle end = 4'000'000, length = 100;
  for (const double p : {0.5, 0.1, 0.025, 0.004}) {
    ArrivalConfig config;
    config.packets_per_cycle = p;
    const auto list = births("bernoulli", config, end);
    const double cycles = static_cast<double>(end);
    CHECK(std::abs(static_cast<double>(list.size()) / cycles - p) <= 5 * std::sqrt(p * (1 - p) / cycles));
    // A count is binomial. The standard error of its variance is below variance x sqrt((2 + 1 / variance) /
    // n).
    const Moments counts = window_counts(list, end, length);
    const double variance = length * p * (1 - p);
    const Cycle whole_windows = end / length;
    const auto windows = static_cast<double>(whole_windows);
    CHECK(std::abs(counts.variance - variance) <= 5 * variance * std::sqrt((2 + 1 / variance) / windows));
  }
  ArrivalConfig all;
  all.packets_per_cycle = 1;
  CHECK(births("bernoulli", all, 100).size() == 99);  // cycles 1..99
}

TEST_CASE("periodic arrivals keep their rate exactly and begin at random") {
  for (const double rate : {1.0, 0.75, 0.1, 0.075, 0.003}) {
    ArrivalConfig config;
    config.packets_per_cycle = rate;
    std::map<Cycle, unsigned> firsts;
    for (NodeId node = 0; node < 200; ++node) {
      const auto list = births("periodic", config, 20000, node);
      REQUIRE(list.front() >= 1);
      REQUIRE(static_cast<double>(list.front()) <= 1 / rate + 1);
      ++firsts[list.front()];
      for (std::size_t i = 0; i < list.size(); ++i) {
        // Never more than a cycle from the ideal line.
        const double ideal = static_cast<double>(i) / rate;
        const double since = static_cast<double>(list[i] - list.front());
        REQUIRE(since <= ideal);
        REQUIRE(since > ideal - 1);
      }
    }
    if (rate < 0.5) CHECK(firsts.size() > 5);
  }
}

TEST_CASE("on-off arrivals have the configured mean, and bursts of the configured length and density") {
  ArrivalConfig config;
  config.packets_per_cycle = 0.05;
  config.burst_packets_per_cycle = 1.0;  // every cycle in a burst has a birth
  config.burst_cycles = 20;
  constexpr Cycle end = 20'000'000;
  const auto list = births("on_off", config, end);
  std::vector<double> on, off;
  double run = 1;
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i] == list[i - 1] + 1) {
      ++run;
      continue;
    }
    on.push_back(run);
    off.push_back(static_cast<double>(list[i] - list[i - 1] - 1));
    run = 1;
  }
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  // Bursts of 20 cycles take 5 % of the time, so pauses last 380. Both are geometric; five standard errors. A
  // pause has at least one cycle, so bursts never join.
  const double bursts = static_cast<double>(on.size());
  CHECK(std::abs(mean(on) - 20) <= 5 * std::sqrt(20.0 * 19 / bursts));
  CHECK(std::abs(mean(off) - 380) <= 5 * std::sqrt(380.0 * 379 / bursts));
  // The number of births in T cycles of a two-state chain has variance p (1-p) T (1 + l) / (1 - l), with
  // l = 1 - 1/20 - 1/380.
  const double l = 1 - 1.0 / 20 - 1.0 / 380, cycles = static_cast<double>(end);
  const double deviation = std::sqrt(0.05 * 0.95 * cycles * (1 + l) / (1 - l));
  CHECK(std::abs(static_cast<double>(list.size()) - 0.05 * cycles) <= 5 * deviation);
}

TEST_CASE("a burst of less than full density keeps the mean") {
  ArrivalConfig config;
  config.packets_per_cycle = 0.02;
  config.burst_packets_per_cycle = 0.25;
  config.burst_cycles = 200;
  constexpr Cycle end = 20'000'000;
  const double cycles = static_cast<double>(end), share = 0.08;
  const double l = 1 - 1.0 / 200 - share / (1 - share) / 200;
  const double deviation = std::sqrt(cycles * (0.25 * 0.25 * share * (1 - share) * (1 + l) / (1 - l) + 0.02));
  const auto list = births("on_off", config, end);
  CHECK(std::abs(static_cast<double>(list.size()) - 0.02 * cycles) <= 5 * deviation);
  // Far more variable than Bernoulli, whose index of dispersion is 1 - p.
  const Moments counts = window_counts(list, end, 1000);
  CHECK(counts.variance > 10 * counts.mean);
}

TEST_CASE("the first arrival of on-off follows the steady state") {
  ArrivalConfig config;
  config.packets_per_cycle = 0.3;
  config.burst_packets_per_cycle = 1.0;
  config.burst_cycles = 50;
  unsigned in_first_cycle = 0;
  constexpr unsigned nodes = 20000;
  for (NodeId node = 0; node < nodes; ++node) in_first_cycle += births("on_off", config, 2, node).size();
  CHECK(std::abs(in_first_cycle / double(nodes) - 0.3) <= 5 * std::sqrt(0.3 * 0.7 / nodes));
}

TEST_CASE("impossible arrivals are refused") {
  ArrivalConfig config;
  for (const double rate : {0.0, -0.1, 1e-10, 1.01, std::nan("")}) {
    config.packets_per_cycle = rate;
    CHECK_THAT(refusal([&] { make_arrivals("bernoulli", config); }),
               Catch::Contains("traffic.load_flits_per_node_cycle"));
  }
  for (const double rate : {1e-9, 1.0}) {
    config.packets_per_cycle = rate;
    CHECK(refusal([&] { make_arrivals("bernoulli", config); }).empty());
  }
  // In flits, the unit of the given load.
  config.flits_per_packet = 4;
  config.packets_per_cycle = 2e-12 / 4;
  CHECK_THAT(refusal([&] { make_arrivals("bernoulli", config); }),
             Catch::Contains("(got '2e-12'); accepted: 0, or at least 4e-09 flits/cycle"));
  config.packets_per_cycle = 4.8 / 4;
  CHECK_THAT(refusal([&] { make_arrivals("bernoulli", config); }),
             Catch::Contains("(got '4.8'); accepted: at most 4 flits/cycle"));
  config.packets_per_cycle = 0.5;
  CHECK_THAT(refusal([&] { make_arrivals("poisson", config); }),
             Catch::Contains("bernoulli, periodic, on_off"));
  config.burst_packets_per_cycle = 0.4;
  CHECK_THAT(refusal([&] { make_arrivals("on_off", config); }),
             Catch::Contains("traffic.burst_load_flits_per_node_cycle") &&
                 Catch::Contains("(got '1.6'); accepted: 2..4 flits/cycle"));
  config.burst_packets_per_cycle = 0.6;
  config.burst_cycles = 2;
  CHECK_THAT(refusal([&] { make_arrivals("on_off", config); }),
             Catch::Contains("traffic.burst_cycles") && Catch::Contains("at least 5 cycles"));
  config.packets_per_cycle = 1e-8;
  config.burst_cycles = 100;
  CHECK_THAT(refusal([&] { make_arrivals("on_off", config); }), Catch::Contains("longer than 10^9 cycles"));
}

TEST_CASE("packet lengths have their distribution and their mean") {
  CounterRandom random(5, 5);
  constexpr unsigned draws = 100000;
  const auto count = [&](const PacketLengths& lengths) {
    std::map<unsigned, double> result;
    for (unsigned i = 0; i < draws; ++i) result[lengths.draw(random)] += 1.0 / draws;
    return result;
  };
  CHECK(count(PacketLengths::fixed(65535)).at(65535) == Approx(1.0));

  const PacketLengths range = PacketLengths::range(3, 7);
  CHECK(range.mean() == 5);
  const auto uniform = count(range);
  CHECK(uniform.size() == 5);
  for (unsigned flits = 3; flits <= 7; ++flits) CHECK(uniform.at(flits) == Approx(0.2).margin(0.007));

  const PacketLengths list = PacketLengths::weighted({1, 9, 4}, {3, 1, 0});
  CHECK(list.mean() == 3);
  const auto weighted = count(list);
  CHECK(weighted.size() == 2);
  CHECK(weighted.at(1) == Approx(0.75).margin(0.007));
  CHECK(PacketLengths::weighted({2, 6}, {}).mean() == 4);
  CHECK(count(PacketLengths::weighted({2, 6}, {0, 1})).at(6) == Approx(1.0));
}

TEST_CASE("the longest packet is the longest that can be drawn") {
  CHECK(PacketLengths::fixed(1).longest() == 1);
  CHECK(PacketLengths::range(3, 7).longest() == 7);
  CHECK(PacketLengths::range(1, 65535).longest() == 65535);
  CHECK(PacketLengths::weighted({1, 9, 4}, {3, 1, 2}).longest() == 9);
  CHECK(PacketLengths::weighted({4, 9, 1}, {}).longest() == 9);
  CHECK(PacketLengths::weighted({1, 9, 4}, {3, 0, 1}).longest() == 4);
  CHECK(PacketLengths::weighted({5, 9}, {1, 0}).longest() == 5);
  const PacketLengths one = PacketLengths::range(6, 6);
  CounterRandom random(5, 5), untouched(5, 5);
  CHECK(one.draw(random) == 6);
  CHECK(one.mean() == 6);
  // A fixed length costs no random number.
  CHECK(random.next() == untouched.next());
}

TEST_CASE("impossible packet lengths are refused with their key") {
  CHECK_THAT(refusal([] { PacketLengths::fixed(0); }), Catch::Contains("traffic.packet_flits"));
  CHECK_THAT(refusal([] { PacketLengths::fixed(65536); }), Catch::Contains("1..65535"));
  CHECK_THAT(refusal([] { PacketLengths::range(4, 3); }), Catch::Contains("traffic.largest_packet_flits"));
  CHECK_THAT(refusal([] { PacketLengths::weighted({}, {}); }), Catch::Contains("traffic.lengths"));
  CHECK_THAT(refusal([] { PacketLengths::weighted({1, 0}, {}); }), Catch::Contains("traffic.lengths"));
  CHECK_THAT(refusal([] { PacketLengths::weighted({1, 2}, {1}); }), Catch::Contains("traffic.weights"));
  CHECK_THAT(refusal([] { PacketLengths::weighted({1, 2}, {0, 0}); }), Catch::Contains("all weights are 0"));
}

TEST_CASE("keys of lengths set the parameters of their kinds, which name the key of the longest packet") {
  LengthKinds kinds = length_kinds();
  std::string length = "fixed";
  config::KeyTable keys;
  keys.add_choice("traffic.length", length, kinds.words(), "the lengths");
  kinds.add_keys(keys);
  keys.set_from_command_line("traffic.packet_flits=3");
  CHECK_NOTHROW(keys.refuse_idle());
  keys.set_from_command_line("traffic.largest_packet_flits=7");
  keys.set_from_command_line("traffic.lengths=[5,9]");
  keys.set_from_command_line("traffic.weights=[3,1]");
  const std::map<std::string, std::pair<std::string, unsigned>> longest = {
      {"fixed", {"traffic.packet_flits", 3}},
      {"range", {"traffic.largest_packet_flits", 7}},
      {"weighted", {"traffic.lengths", 9}}};
  for (const std::string& name : kinds.names()) {
    CHECK(kinds.traits(name).longest == longest.at(name).first);
    CHECK(kinds.make(name).longest() == longest.at(name).second);
  }
  CHECK(kinds.make("range").mean() == 5);
  CHECK(kinds.make("weighted").mean() == 6);
  const std::string idle = refusal([&] { keys.refuse_idle(); });
  CHECK_THAT(idle, Catch::Contains("accepted: traffic.length range, or") &&
                       Catch::Contains("accepted: traffic.length weighted, or"));
}

TEST_CASE("a list of packets is read source by source") {
  const TextFile file(
      "# cycle source destination flits\n"
      "5 2 0 4\n"
      "3 1 2 65535\n"
      "5 2 2 1   # to itself, in the same cycle\n"
      "0 0 1 9\n");
  const auto lists = read_packet_list(file.path(), 3);
  REQUIRE(lists.size() == 3);
  REQUIRE(lists[2].size() == 2);
  CHECK(lists[2][0].created == 5);
  CHECK(lists[2][0].destination == 0);
  CHECK(lists[2][0].flits == 4);
  CHECK(lists[2][1].destination == 2);
  REQUIRE(lists[1].size() == 1);
  CHECK(lists[1][0].flits == 65535);
  CHECK(lists[0][0].created == 0);
}

TEST_CASE("a list of packets is checked against its network's largest packet and the run's last cycle") {
  const auto read = [](const std::string& line) {
    const TextFile file(line + "\n");
    PacketListLimits limits;
    limits.flits = 16;
    limits.because = " (so it is)";
    limits.last_cycle = 1000;
    return refusal([&] { read_packet_list(file.path(), 2, limits); });
  };
  CHECK(read("1000 0 1 16").empty());
  CHECK_THAT(read("1001 0 1 16"), Catch::Contains("not a cycle (got '1001'); accepted: 0..1000"));
  CHECK_THAT(read("1000 0 1 17"),
             Catch::Contains("the packet is too large (got '17'); accepted: 1..16 (so it is)"));
}

TEST_CASE("a packet of a list may name its virtual channel") {
  const TextFile file("0 0 1 4 2\n0 1 0 4\n");
  PacketListLimits limits;
  limits.vcs = 3;
  const auto lists = read_packet_list(file.path(), 2, limits);
  CHECK(lists[0][0].vcs == 0b100);
  CHECK(lists[1][0].vcs == 0xffff);
  const auto refused = [&](unsigned vcs, const std::string& text) {
    limits.vcs = vcs;
    return tsuji::test::refusal_of_file(text,
                                        [&](const std::string& path) { read_packet_list(path, 2, limits); });
  };
  CHECK_THAT(refused(3, "0 0 1 4 3\n"),
             Catch::StartsWith("FILE:1:9: traffic.list: not a virtual channel (got '3'); accepted: 0..2"));
  CHECK_THAT(refused(3, "0 0 1 4 2 1\n"),
             Catch::StartsWith("FILE:1:11: traffic.list: the line has too many"));
  CHECK_THAT(refused(0, "0 0 1 4 0\n"),
             Catch::StartsWith("FILE:1:9: traffic.list: the line has too many") && !Catch::Contains("VC"));
}

TEST_CASE("a wrong list of packets is refused with line and column") {
  const auto read = [](const std::string& text) {
    return tsuji::test::refusal_of_file(text, [](const std::string& path) { read_packet_list(path, 3); });
  };
  CHECK_THAT(read("1 0 1 4\n2 3 1 4\n"), Catch::StartsWith("FILE:2:3: traffic.list: not a node (got '3')"));
  CHECK_THAT(read("1 0 x 4\n"), Catch::StartsWith("FILE:1:5: traffic.list: not a node (got 'x')"));
  CHECK_THAT(read("1 0 1 0\n"), Catch::StartsWith("FILE:1:7: traffic.list: not a number of flits (got '0')"));
  CHECK_THAT(read("1 0 1 65536\n"), Catch::StartsWith("FILE:1:7: traffic.list: not a number of flits"));
  for (const char* cycle : {"140737488355329", "4611686018427387904", "9223372036854775808",
                            "18446744073709551615", "18446744073709551616"})
    CHECK_THAT(read(std::string(cycle) + " 0 1 4\n"),
               Catch::StartsWith("FILE:1:1: traffic.list: ") && Catch::Contains("0..140737488355328"));
  CHECK_THAT(read("1.5 0 1 4\n"), Catch::StartsWith("FILE:1:1: traffic.list: not a cycle"));
  CHECK_THAT(read("1 0 1\n"),
             Catch::StartsWith("FILE:1:5: traffic.list: the line has too few fields, this is the last"));
  CHECK_THAT(
      read("7 0 1 4\n3 1 0 4\n6 0 1 4\n"),
      Catch::StartsWith("FILE:3:1: traffic.list: before the packet that node 0 sends above (got '6')"));
  CHECK_THAT(read("# nothing\n"), Catch::Contains("no packet in it"));
  CHECK(read("1 0 1 4").empty());  // a last line without a newline
  CHECK_THAT(read("1 0 1 4\n2 0 1"),
             Catch::StartsWith("FILE:2:5: traffic.list: the line has too few fields, this is the last"));
  CHECK_THAT(refusal([] { read_packet_list("/nowhere/list", 3); }), Catch::Contains("/nowhere/list"));
}
