// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"

// Networks whose links fail during the run, with routings that do not avoid them: packets are dropped, and
// end-to-end retry still delivers every message once.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* transient_faults =
    "0@300:900,5@400:700,9@350:1400,14@900:1500,20@500:600,27@1000:1100,3@1:200";

traffic::RetryConfig retry(Cycle timeout, unsigned most_tries = 8, unsigned ack_flits = 1) {
  traffic::RetryConfig config;
  config.timeout_cycles = timeout;
  config.most_tries = most_tries;
  config.ack_flits = ack_flits;
  return config;
}

NetworkConfig faulty(const std::string& faults) {
  NetworkConfig config = torus(4);
  config.network.vcs = 4;
  config.link_faults = faults;
  return config;
}

TrafficConfig loop(std::uint64_t window, const char* pattern = "uniform") {
  TrafficConfig traffic;
  traffic.kind = "closed_loop";
  traffic.pattern = pattern;
  traffic.to_self = false;
  traffic.of<traffic::ClosedLoopConfig>().window = window;
  traffic.lengths.of<workload::LengthRange>().packet_flits = 4;
  return traffic;
}

std::uint64_t ended(const observe::PacketFates& fates) {
  std::uint64_t sum = fates.delivered;
  for (const auto& [cause, packets] : fates.dropped) sum += packets;
  return sum;
}

/// A run in a separate process.
struct Run {
  NetworkConfig network = faulty("");
  traffic::RetryConfig retry;
  TrafficConfig traffic;
  std::vector<VcRig::Send> list;  ///< replaces `traffic` if not empty
  Cycle end = 0;                  ///< 0: until nothing is left to do
  Cycle checked_until = 0;        ///< end of the cycles after which the accounts are checked
  Cycle full_from = never;        ///< start of the cycles that `full` counts
  std::uint64_t full = 0;

  Json play(const RunOrder& order = {}) const {
    const std::string text = tsuji::test::forked([&] { return played(order).dump(); });
    if (text.empty() || text[0] != '{') throw std::runtime_error(text);
    return Json::parse(text);
  }

 private:
  Json played(const RunOrder& order) const {
    VcRig rig(in_order(network, order));
    rig.parts->retry = retry;
    rig.run_ahead(order.ahead);
    if (list.empty()) {
      rig.build(traffic, 3);
    } else {
      rig.build(list);
    }
    Json facts{{"most_under_way", 0}, {"full_cycles", 0}};
    for (Cycle now = 1; now < checked_until; ++now) {
      rig.loaded->run_to(now);
      check_accounts(rig);
      const std::uint64_t under_way = rig.loaded->accounts().fates().under_way;
      if (under_way > facts["most_under_way"]) facts["most_under_way"] = under_way;
      if (now >= full_from && under_way == full) facts["full_cycles"] = facts["full_cycles"].get<int>() + 1;
    }
    if (end != 0) {
      rig.loaded->run_to(end);
    } else if (!rig.run_until_idle(10'000'000)) {
      throw std::runtime_error("it does not end");
    }
    check_accounts(rig);
    add_facts(rig, facts);
    return facts;
  }
  /// Checks that every packet of the network has one fate, and so has every message.
  static void check_accounts(const VcRig& rig) {
    rig.loaded->check_conservation();
    for (const observe::PacketFates& fates :
         {rig.loaded->accounts().fates(), rig.loaded->accounts().network_fates()}) {
      if (fates.born != ended(fates) + fates.under_way) throw std::runtime_error("fates do not add up");
    }
  }
  static void add_facts(const VcRig& rig, Json& facts) {
    const observe::PacketFates fates = rig.loaded->accounts().fates();
    facts["born"] = fates.born;
    facts["delivered"] = fates.delivered;
    facts["under_way"] = fates.under_way;
    facts["packets_dropped"] = rig.loaded->supervisor().packets_dropped();
    facts["in_use"] = rig.loaded->pool().in_use();
    facts["messages_kept"] = rig.loaded->retry() == nullptr ? 0 : rig.loaded->retry()->messages_kept();
    std::set<std::string> story;  // deliveries, independent of their order within a cycle
    for (const observe::DeliveredPacket& packet : rig.delivered) {
      std::string line = packet_name(packet.id);
      for (const std::uint64_t value :
           {packet.created, packet.injected, packet.head_cycle, packet.tail_cycle,
            Cycle{packet.destination.number()}, static_cast<Cycle>(packet.arrival)})
        line += " " + std::to_string(value);
      story.insert(line);
    }
    facts["story"] = story;
    Json firsts = Json::array();
    for (const observe::DeliveredPacket& packet : rig.delivered)
      if (packet.arrival == PacketArrival::first)
        firsts.push_back({packet.created, packet.injected, packet.tail_cycle});
    facts["firsts"] = firsts;
    if (rig.loaded->retry() == nullptr) return;
    observe::Results results("test", "", 1, {});
    rig.loaded->retry()->add_to(results);
    const Json json = results.to_json();
    for (const auto& [name, metric] : json["metrics"].items()) facts[name] = metric["value"];
    facts["pairs"] = json["tables"]["given_up"]["rows"];
  }
};

/// Returns the facts of a run, checked to be equal in all orders of modules; one of them has its accounts
/// checked.
Json in_all_orders(Run run, Cycle checked_until) {
  run.checked_until = checked_until;
  const Json first = run.play();
  run.checked_until = 0;
  for (const RunOrder& order : run_orders) {
    CAPTURE(static_cast<int>(order.processes), order.shuffle_seed, order.ahead);
    Json other = run.play(order);
    for (const char* name : {"most_under_way", "full_cycles", "firsts"}) other[name] = first[name];
    CHECK((other == first));
  }
  return first;
}

std::uint64_t number(const Json& facts, const char* name) {
  return facts[name].get<std::uint64_t>();
}

}  // namespace

TEST_CASE("retry: links come and go, and every message is delivered once, in any order of modules") {
  Run run;
  run.network = faulty(transient_faults);
  run.retry = retry(150);
  run.traffic = load(0.25, 4, 1600);
  const Json facts = in_all_orders(run, 2500);
  CHECK(number(facts, "born") > 1000);
  CHECK(number(facts, "delivered") == number(facts, "born"));
  CHECK(facts["firsts"].size() == number(facts, "born"));
  CHECK(number(facts, "packets_dropped") > 20);
  CHECK(number(facts, "given_up") == 0);
  CHECK(number(facts, "packets_repeated") > 10);
  CHECK(number(facts, "acks_sent") == number(facts, "born") + number(facts, "duplicates"));
  CHECK(number(facts, "in_use") == 0);
  CHECK(number(facts, "messages_kept") == 0);
  run.end = 1000;
  CHECK(number(run.play(), "messages_kept") > 1);
}

TEST_CASE(
    "retry: without faults nothing is repeated, and with too short timeouts everything still arrives once") {
  const bool impatient = GENERATE(false, true);
  Run run;
  run.retry = impatient ? retry(1, 20) : retry(1000);
  run.traffic = load(0.2, 3, 1000);
  const Json facts = in_all_orders(run, 1500);
  CHECK(number(facts, "delivered") == number(facts, "born"));
  CHECK(facts["firsts"].size() == number(facts, "born"));
  CHECK((number(facts, "packets_repeated") != 0) == impatient);
  CHECK(number(facts, "duplicates") == number(facts, "packets_repeated"));
  CHECK(number(facts, "given_up") == 0);
  // Doubling the timeout reaches the round trip of a few dozen cycles under any load.
  CHECK(number(facts, "packets_repeated") < 8 * number(facts, "born"));
}

TEST_CASE(
    "retry: a message that is dropped once arrives a timeout later, with a latency from its first birth") {
  const graph::Topology topology = make_topology(torus(4).topology, 1);
  std::uint32_t link = 0;
  while (topology.links()[link].a.router + topology.links()[link].b.router != 1) ++link;
  Run run;
  run.retry = retry(400);
  run.list = {{0, 1, 10, 5}};
  const Json undisturbed = run.play();
  run.network = faulty(std::to_string(link) + "@5:300");
  const Json repeated = run.play();
  CHECK(number(undisturbed, "packets_dropped") == 0);
  CHECK(number(repeated, "packets_dropped") == 1);
  CHECK(number(repeated, "packets_repeated") == 1);
  const auto fast = undisturbed["firsts"][0].get<std::vector<Cycle>>(),
             late = repeated["firsts"][0].get<std::vector<Cycle>>();
  CHECK((fast[0] == 10 && fast[1] == 10 && late[0] == 10));
  // The wait begins when the last of 5 flits is sent, or when the packet is dropped in the network.
  CHECK(late[1] >= 10 + 400);
  CHECK(late[1] <= 14 + 400);
  CHECK(late[2] - late[1] == fast[2] - fast[1]);
}

TEST_CASE("retry: messages between disconnected ends are given up, and all others are delivered") {
  Run run;
  run.network = faulty("0@200,5@200,9@200");  // dimension order has one route
  run.retry = retry(100, 3);
  run.traffic = load(0.2, 4, 1000);
  const Json facts = in_all_orders(run, 2500);
  const std::uint64_t given_up = number(facts, "given_up"), lost = number(facts, "packets_lost");
  CHECK(number(facts, "under_way") == 0);
  CHECK(lost > 50);
  CHECK(number(facts, "born") == number(facts, "delivered") + lost);
  CHECK(facts["firsts"].size() == number(facts, "delivered"));
  // Acknowledgements take another route than data: some messages arrive, and their senders do not learn it.
  CHECK(given_up > lost);
  std::uint64_t told = 0, told_lost = 0;
  for (const auto& row : facts["pairs"]) {
    told += row[2].get<std::uint64_t>();
    told_lost += row[3].get<std::uint64_t>();
  }
  CHECK(told == given_up);
  CHECK(told_lost == lost);
}

TEST_CASE(
    "retry: a message that is given up while its packet is in flight is delivered or lost, never both") {
  Run run;
  run.network.routing.kind = "duato";
  run.network.network.router.atomic_vcs = true;
  run.retry = retry(3, 1);
  run.traffic = loop(6);
  run.end = 2500;
  run.full_from = 500;
  run.full = 16 * 6;
  const Json facts = in_all_orders(run, 2000);
  CHECK(number(facts, "packets_dropped") == 0);
  CHECK(number(facts, "given_up") > 1000);
  // Packets overtake: a later one reports to the receiver that its sender no longer repeats an earlier one.
  CHECK(number(facts, "packets_lost") > 0);
  CHECK(number(facts, "packets_lost") == number(facts, "duplicates"));
  CHECK(number(facts, "most_under_way") == 16 * 6);
  CHECK(number(facts, "full_cycles") > 0);
}

TEST_CASE("retry: the measurement counts each message once, and keeps Little's law") {
  const auto measured = [](bool with) {
    observe::MeasureConfig measure;
    measure.warmup_cycles = 200;
    measure.cycles = 1000;
    measure.drain_cycles = 100'000;
    VcRig rig(faulty(with ? transient_faults : ""));
    observe::LoadMeasurement measurement(measure, rig.plan.topology.nodes());
    if (with) rig.parts->retry = retry(200, 8, 3);
    rig.parts->measurement = &measurement;
    rig.build(load(0.2, 4, 0), 3);
    while (!measurement.finished(rig.loaded->now())) rig.loaded->run_to(rig.loaded->now() + 100);
    measurement.flits_ejected(rig.loaded->accounts().flits_ejected_in_window());
    measurement.close(rig.loaded->now());
    observe::Results results("test", "", 1, {});
    observe::NetworkMetrics metrics = measurement.metrics();
    rig.loaded->accounts().add_counters(metrics);
    metrics.add_to(results, 16, rig.loaded->now(), measurement.rate_cycles());
    measurement.add_to(results);
    return results.to_json()["metrics"].dump();
  };
  const Json bare = Json::parse(tsuji::test::forked([&] { return measured(false); }));
  const Json with = Json::parse(tsuji::test::forked([&] { return measured(true); }));
  const auto value = [](const Json& metrics, const char* name) {
    return metrics[name]["value"].get<double>();
  };
  for (const Json& metrics : {bare, with}) {
    CHECK(value(metrics, "measured_packets_undelivered") == 0);
    CHECK(value(metrics, "packets_dropped") == 0);
    // Acknowledgements of 3 flits each would raise this by three quarters.
    CHECK(value(metrics, "accepted_flits_per_node_cycle") ==
          Approx(value(metrics, "offered_flits_per_node_cycle")).epsilon(0.1));
  }
  CHECK(value(with, "offered_flits_per_node_cycle") == value(bare, "offered_flits_per_node_cycle"));
  CHECK(value(with, "measured_packets") == value(bare, "measured_packets"));
  // Packets that waited for a timeout count from their first birth.
  CHECK(value(with, "latency_cycles_max") > 200);
  CHECK(value(bare, "latency_cycles_max") < 200);
}

TEST_CASE("a closed loop proceeds with full windows when packets are dropped, with and without retry") {
  const char* const pattern = GENERATE("uniform", "transpose");
  const bool with = GENERATE(false, true);
  CAPTURE(pattern, with);
  Run run;
  run.network = faulty(transient_faults);
  if (with) run.retry = retry(150);
  run.traffic = loop(3, pattern);
  run.end = 3500;
  run.full_from = 1600;  // after the last fault
  run.full = 3 * (std::string(pattern) == "uniform" ? 16 : 12);
  const Json facts = in_all_orders(run, 3000);
  CHECK(number(facts, "packets_dropped") > 10);
  CHECK(number(facts, "most_under_way") == run.full);
  CHECK(number(facts, "full_cycles") > 5);
}

TEST_CASE(
    "retry: accounts refuse a second delivery, and a message that its sender keeps although it is given up") {
  PacketPool pool;
  RetryAccounts accounts(retry(100), 2, nullptr);
  traffic::Emission message;
  message.created = 3;
  message.destination = 1;
  message.flits = 2;
  message.payload_bytes = 0;
  const auto list = [](std::vector<traffic::Emission> emissions) {
    return std::make_unique<traffic::ListedEmissions>(std::move(emissions));
  };
  const auto source = accounts.wrap(list({message}), 0, pool), sink = accounts.wrap(list({}), 1, pool);
  source->advance(3);
  traffic::Emission leaving;
  REQUIRE(source->next(leaving));
  const PacketRef packet = pool.attach(leaving.packet);
  const observe::DeliveredPacket record = observe::DeliveredPacket::of(*packet, 10, 11);
  accounts.check(3);
  const bool arrives = GENERATE(true, false);
  if (arrives) {
    CHECK(accounts.delivered(*packet, record, accounts.judge(*packet)).arrival == PacketArrival::first);
    accounts.check(3);
    // The sink's source was not notified of the first packet, so it takes the next one for a first packet,
    // too.
    CHECK_THROWS_WITH(accounts.delivered(*packet, record, accounts.judge(*packet)),
                      Catch::Contains("delivered twice"));
    return;
  }
  CHECK(accounts.on_given_up(*packet, {1, 0}, 5) == nullptr);  // a packet is in flight
  CHECK_THROWS_WITH(accounts.check(5), Catch::Contains("message 0 from node 0 to node 1 is neither"));
}
