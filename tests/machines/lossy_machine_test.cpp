// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "machines/machines.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/host/library/trace_program.h"
#include "tsuji/machines/cenju4/vc_machine.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/workload/npb/npb.h"

// Whole Cenju-4 nodes on a network whose links and routers die during the run. With retry the programs end
// with the same bytes in their memories; without retry the lost packets are reported.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::machines;
using namespace tsuji::network::test;
using tsuji::test::forked;
using Json = nlohmann::ordered_json;

namespace {

/// Nodes of the 4x4 torus that have the ranks 0 to 7: many routes cross routers without a rank.
const JobPlacement ranks = {0, 2, 5, 7, 8, 10, 13, 15};

/// An iteration like cg's with data at fixed places, so that memory areas can be compared: exchanges with
/// three partners in turn and sums over all ranks, each of which changes what is sent next. Then cg itself,
/// which checks every byte.
class Watched final : public host::RankProgram {
 public:
  static constexpr unsigned words = 320, sums = 8, rounds = 60;
  Watched(host::RankRuntime& runtime, const workload::Trace& trace, std::vector<std::uint64_t>& memory)
      : runtime_(runtime), program_(runtime, trace, 0.01), memory_(memory) {}
  void run() override {
    const host::HeapBlock own(runtime_.heap, 8 * words), in(runtime_.heap, 8 * words),
        part(runtime_.heap, 8 * sums), sum(runtime_.heap, 8 * sums);
    std::vector<std::uint64_t> x(words), y(words), s(sums);
    for (unsigned i = 0; i < words; ++i) x[i] = 1000 * runtime_.rank() + i;
    for (unsigned round = 0; round < rounds; ++round) {
      runtime_.cpu.app_write(own.address(), x.data(), 8 * words);
      exchange(runtime_.rank() ^ (1U << (round % 3)), own.address(), in.address());
      runtime_.cpu.app_read(in.address(), y.data(), 8 * words);
      runtime_.cpu.app_write(part.address(), x.data() + round, 8 * sums);
      runtime_.collectives.all_reduce({part.address(), 8 * sums}, sum.address());
      runtime_.cpu.app_read(sum.address(), s.data(), 8 * sums);
      for (unsigned i = 0; i < words; ++i)
        x[i] = 6364136223846793005ULL * (x[i] ^ x[i] >> 29) + (y[i] >> 7 | y[i] << 57) + s[i % sums] + i;
    }
    runtime_.cpu.app_write(own.address(), x.data(), 8 * words);
    program_.run();
    for (const host::HeapBlock* block : {&own, &in, &part, &sum}) look(block->address());
    memory_.push_back(program_.data_digest());
  }
  workload::RankState state() const override { return program_.state(); }

 private:
  void exchange(std::uint32_t partner, std::uint64_t from, std::uint64_t to) {
    constexpr std::int32_t tag = 77;
    const auto coming = runtime_.messages.irecv({partner, tag, host::Context::user}, to, 8 * words);
    runtime_.messages.wait(runtime_.messages.isend(partner, tag, from, 8 * words));
    runtime_.messages.wait(coming);
  }
  /// Reads through the cache.
  void look(std::uint64_t address) {
    std::vector<std::uint64_t> bytes(sums);
    runtime_.cpu.app_read(address, bytes.data(), 8 * sums);
    memory_.insert(memory_.end(), bytes.begin(), bytes.end());
  }

  host::RankRuntime& runtime_;
  host::TraceProgram program_;
  std::vector<std::uint64_t>& memory_;
};

struct Run {
  std::string events;       ///< faults.events, with Detour-UD
  std::string link_faults;  ///< or link.faults, with dimension order
  Losses losses = Losses::recovering;
  Cycle timeout = 0;
  unsigned most_tries = 8;
  unsigned retry_packets = 16;
  bool small_cache = false;          ///< direct-mapped
  tsuji::test::Script::Body script;  ///< empty: cg

  /// Runs in a separate process. A failure is returned as "failed".
  Json play(const RunOrder& order = {}) const {
    const std::string text = forked([&] { return played(order).dump(); });
    if (text.empty() || text[0] != '{') return {{"failed", text}};
    return Json::parse(text);
  }

 private:
  NetworkConfig network_config(const RunOrder& order) const {
    NetworkConfig config = in_order(torus(4), order);
    config.network.vcs = 4;
    config.clock_period_ps = 12500;
    config.link_faults = link_faults;
    config.dead.events = events;
    config.dead.losses = losses;
    if (link_faults.empty()) config.routing.kind = "detour_ud";
    config.resolve();
    config.validate();
    return config;
  }
  Cenju4Config node_config() const {
    Cenju4Config nodes;
    if (small_cache) {
      nodes.processor.cache.bytes = 4096;
      nodes.processor.cache.ways = 1;
    }
    nodes.library.barrier = host::BarrierMethod::dissemination;
    nodes.library.broadcast = host::BroadcastMethod::tree;
    nodes.library.heap_bytes = 1 << 20;
    nodes.jobs = {ranks};
    return nodes;
  }
  Json played(const RunOrder& order) const {
    const NetworkConfig network = network_config(order);
    const NetworkPlan plan(network);
    const Cenju4Config nodes = VcMachine::complete_config(node_config(), network, plan.topology);
    traffic::LinkBridgeConfig bridge;
    bridge.retry_packets = retry_packets;
    const auto reconfiguration = make_reconfiguration(network, plan.topology, *plan.routing);
    VcMachine::Parts parts{network, plan.topology, *plan.routing, nodes, bridge};
    parts.retry.timeout_cycles = timeout;
    parts.retry.most_tries = most_tries;
    parts.fault_reaction = reconfiguration.get();
    VcMachine::validate_retry(parts.retry, bridge, plan.topology.nodes());
    VcMachine machine(parts);
    platform::Cenju4Job job(machine);
    workload::NpbConfig npb;
    npb.name = "cg.S.8";
    npb.steps = 1;
    const workload::Trace trace = workload::make_npb_trace(npb);
    std::vector<std::vector<std::uint64_t>> memory(ranks.size());
    job.load([&](host::RankRuntime& runtime) -> std::unique_ptr<host::RankProgram> {
      if (script) return std::make_unique<tsuji::test::Script>(runtime, script);
      return std::make_unique<Watched>(runtime, trace, memory.at(runtime.rank()));
    });
    job.run([](Cycle) {});
    Json facts{{"end", job.end_cycle()}, {"memory", memory}, {"lost", machine.lost().packets()}};
    add_accounts(machine, facts);
    return facts;
  }
  static void add_accounts(const VcMachine& machine, Json& facts) {
    const observe::NetworkMetrics metrics = machine.metrics();
    facts["sent"] = metrics.packets_sent;
    facts["delivered"] = metrics.packets_delivered();
    const LoadedNetwork& network = machine.network();
    std::uint64_t dropped = 0;
    for (const NetworkDropCause cause : network.accounts().drop_causes())
      if (cause != NetworkDropCause::control) dropped += network.supervisor().dropped(cause);
    facts["dropped"] = dropped;
    for (const observe::PacketFates& fates :
         {network.accounts().fates(), network.accounts().network_fates()}) {
      std::uint64_t ended = fates.delivered + fates.under_way;
      for (const auto& [cause, packets] : fates.dropped) ended += packets;
      if (fates.born + fates.born_at_routers != ended + fates.ended_at_routers)
        throw std::runtime_error("fates do not add up");
    }
    if (network.retry() == nullptr) return;
    observe::Results results("test", "", 1, {});
    network.retry()->add_to(results);
    const Json json = results.to_json();
    for (const auto& [name, metric] : json["metrics"].items()) facts[name] = metric["value"];
  }
};

std::uint64_t number(const Json& facts, const char* name) {
  if (!facts.contains(name)) throw std::runtime_error(facts.dump());
  return facts[name].get<std::uint64_t>();
}

const Json& undisturbed() {
  static const Json facts = Run().play();
  if (facts.contains("memory")) {
    // The memory comparison is meaningful only if ranks hold different values.
    std::set<std::uint64_t> first_words;
    for (const Json& rank : facts["memory"]) first_words.insert(rank[0].get<std::uint64_t>() % 1024);
    if (first_words.size() != ranks.size()) throw std::runtime_error("they do not tell: " + facts.dump());
  }
  return facts;
}

/// Every link between routers dies three times in the run, one after another, and returns.
std::string link_events() {
  const std::uint64_t end = number(undisturbed(), "end");
  std::string text;
  for (unsigned event = 0; event < 96; ++event) {
    const std::uint64_t from = end / 20 + event * end / 110;
    text += (text.empty() ? "link " : ", link ") + std::to_string(event % 32) + "@" + std::to_string(from) +
            ":" + std::to_string(from + end / 100);
  }
  return text;
}

/// The links of a router, each with the text `when` after it.
std::string links_of(graph::RouterId router, const std::string& when) {
  const graph::Topology topology = make_topology(torus(4).topology, 1);
  std::string text;
  for (std::uint32_t link = 0; link < topology.links().size(); ++link) {
    const graph::RouterLink& ends = topology.links()[link];
    if (ends.a.router == router || ends.b.router == router)
      text += (text.empty() ? "" : ",") + std::to_string(link) + when;
  }
  return text;
}

void check_same_memory(const Json& facts) {
  INFO(facts.dump());
  REQUIRE(facts.contains("memory"));
  CHECK((facts["memory"] == undisturbed()["memory"]));
  CHECK(facts["delivered"] == facts["sent"]);
  CHECK(facts["lost"] == 0);
}

}  // namespace

namespace {

/// Runs cg on a network whose links die and return, in the usual order of modules and in others.
void play_in_orders(const std::vector<unsigned>& orders) {
  Run run;
  run.events = link_events();
  run.timeout = 2000;
  const Json first = run.play();
  check_same_memory(first);
  CHECK(number(first, "dropped") > 3);
  CHECK(number(first, "packets_repeated") > 3);
  CHECK(number(first, "end") > number(undisturbed(), "end"));
  CHECK(number(first, "acks_sent") == number(first, "sent") + number(first, "duplicates"));
  for (const unsigned order : orders) {
    CAPTURE(order);
    CHECK((run.play(run_orders[order]) == first));
  }
}

}  // namespace

TEST_CASE(
    "cg on a network whose links die and return ends with the same memory, in another order of modules") {
  play_in_orders({1});
}

TEST_CASE("cg on a network whose links die and return ends with the same memory, in any order of modules",
          "[.][long]") {
  play_in_orders({2, 3});
}

TEST_CASE("cg survives the death of routers without ranks, also with a retry memory of one packet") {
  const std::uint64_t end = number(undisturbed(), "end");
  Run run;
  run.events = "router 3@" + std::to_string(end / 12);
  for (const unsigned router : {1U, 4U, 6U, 9U, 11U, 12U, 14U})
    run.events += ", router " + std::to_string(router) + "@" + std::to_string((router + 1) * end / 16) + ":" +
                  std::to_string((router + 2) * end / 16 - 1);
  run.timeout = 2000;
  run.retry_packets = GENERATE(1U, 16U);
  run.losses = GENERATE(Losses::recovering, Losses::everything);
  const Json facts = run.play();
  check_same_memory(facts);
  CHECK(number(facts, "dropped") > 0);
}

TEST_CASE("cg with retry repeats nothing without faults, and discards duplicates with a short timeout") {
  Run run;
  run.timeout = 20'000;
  const Json calm = run.play();
  check_same_memory(calm);
  CHECK(number(calm, "packets_repeated") == 0);
  CHECK(number(calm, "duplicates") == 0);
  run.retry_packets = 1;
  const Json one_by_one = run.play();
  check_same_memory(one_by_one);
  CHECK(number(one_by_one, "end") > number(calm, "end"));
  run.retry_packets = 16;
  run.timeout = 10;
  run.most_tries = 20;
  const Json impatient = run.play();
  check_same_memory(impatient);
  CHECK(number(impatient, "duplicates") > 100);
}

TEST_CASE("without retry a lost packet ends the run, with the packet, its ranks and the cause") {
  Run run;
  run.events = link_events();
  const Json failed = run.play();
  REQUIRE(failed.contains("failed"));
  const auto text = failed["failed"].get<std::string>();
  CAPTURE(text);
  CHECK_THAT(text, Catch::Contains("programs wait forever"));
  const std::regex line(
      "lost: packet \\d+\\.\\d+ from rank (\\d) at node (\\d+) to rank (\\d) at node (\\d+), "
      "(message0|message1|remote_dma|atomic_add), (\\d+) bytes (to address 0x[0-9a-f]+|from byte \\d+ of the "
      "parcel on)(|, all of its parcel|, first of its parcel|, last of its parcel), in cycle (\\d+): "
      "(link_down|in_recovery)");
  std::smatch match;
  REQUIRE(std::regex_search(text, match, line));
  CHECK(ranks.at(std::stoul(match[1])) == std::stoul(match[2]));
  CHECK(ranks.at(std::stoul(match[3])) == std::stoul(match[4]));
  for (const RunOrder& order : run_orders) CHECK((run.play(order) == failed));
}

TEST_CASE("links that fail under a routing that does not avoid them need retry, too") {
  const std::uint64_t end = number(undisturbed(), "end");
  Run run;
  run.link_faults = "0@" + std::to_string(end / 4) + ":" + std::to_string(end / 2) + ",9@" +
                    std::to_string(end / 3) + ":" + std::to_string(end / 2);
  const auto text = run.play()["failed"].get<std::string>();
  CHECK_THAT(text,
             Catch::Contains("lost: packet ") && (Catch::Contains("no_way") || Catch::Contains("link_down")));
  run.timeout = 3000;
  const Json facts = run.play();
  check_same_memory(facts);
  CHECK(number(facts, "dropped") > 0);
}

TEST_CASE("a dead node with a rank is reported with its rank, the waiting ranks, and the cause") {
  const std::uint64_t end = number(undisturbed(), "end");
  Run run;
  run.events = "router 10@" + std::to_string(end / 3);
  run.timeout = GENERATE(0U, 500U);
  run.most_tries = 3;
  const auto text = run.play()["failed"].get<std::string>();
  CAPTURE(text);
  CHECK_THAT(text, Catch::Contains("rank 5 at node 10 is cut off: router 10 died in cycle " +
                                   std::to_string(end / 3)));
  CHECK_THAT(text, Catch::Contains("8 of 8 programs wait forever"));
  CHECK_THAT(text, Catch::Contains("node 10 waits since cycle "));
  CHECK_THAT(text, Catch::Contains("rank 5: "));
  const std::string cause =
      run.timeout == 0 ? ": unreachable" : ": given_up after 3 tries, the last drop: unreachable";
  CHECK_THAT(text, Catch::Contains(cause) || Catch::Contains("dead_router"));
  CHECK(std::regex_search(text, std::regex("lost: packet [^\n]*rank 5 at node 10[^\n]* in cycle \\d+: ")));
}

namespace {

/// Rank 7 sends a message and ends; the others continue in a ring. Messages to rank 7 after its end are no
/// error.
void ring_without_last(host::RankRuntime& own, bool sends_to_last) {
  const std::uint32_t last = own.ranks() - 1;
  const host::HeapBlock out(own.heap, 2048), in(own.heap, 2048);
  if (own.rank() == last) {
    own.messages.wait(own.messages.isend(0, 1, out.address(), 64));
    return;
  }
  if (own.rank() == 0)
    own.messages.wait(own.messages.irecv({last, 1, host::Context::user}, in.address(), 64));
  const std::uint32_t to = (own.rank() + 1) % last, from = (own.rank() + last - 1) % last;
  for (int round = 0; round < 12; ++round) {
    const auto received = own.messages.irecv({from, 2, host::Context::user}, in.address(), 2048);
    own.messages.wait(own.messages.isend(to, 2, out.address(), 2048));
    own.messages.wait(received);
    if (sends_to_last && own.rank() == 1 && round == 10)
      own.messages.wait(own.messages.isend(last, 3, out.address(), 64));
  }
}

}  // namespace

TEST_CASE("the node of a rank that has finished may die, with and without packets for it") {
  for (const bool sends_to_last : {false, true}) {
    Run run;
    run.script = [=](host::RankRuntime& own) { ring_without_last(own, sends_to_last); };
    const std::uint64_t end = number(run.play(), "end");
    run.events = "router 15@" + std::to_string(end / 2);
    run.timeout = 1000;
    run.most_tries = 2;
    const Json facts = run.play();
    CAPTURE(facts.dump());
    CHECK(number(facts, "sent") == number(facts, "delivered") + number(facts, "lost"));
    CHECK((number(facts, "lost") != 0) == sends_to_last);
  }
}

TEST_CASE("a lost packet is reported although no rank waits for it, if its node lives") {
  Run run;
  // Dimension order from node 13 to node 0 has no route while this link is down.
  run.script = [](host::RankRuntime& own) {
    const host::HeapBlock out(own.heap, 64);
    if (own.rank() == 6) own.messages.wait(own.messages.isend(0, 1, out.address(), 64));
  };
  run.link_faults = links_of(13, "@1");
  const Json facts = run.play();
  REQUIRE(facts.contains("failed"));
  const auto text = facts["failed"].get<std::string>();
  CHECK_THAT(text, Catch::Contains("all programs have finished"));
  CHECK_THAT(text, Catch::Contains("from rank 6 at node 13 to rank 0 at node 0, message0"));
}

namespace {

/// Rank 1 writes words of rank 0, the second 600,000 cycles after the first. Rank 0 polls for the last of
/// `words` at addresses that evict each other from its cache, so that its processor never sleeps.
void poll_through_misses(host::RankRuntime& own, unsigned words) {
  constexpr std::uint64_t bytes = 64 << 10;
  const host::HeapBlock area(own.heap, bytes);
  own.cpu.store(area.address(), 0);
  own.cpu.store(area.address() + 4096, 0);
  own.cpu.compute(20'000);
  for (unsigned word = 0; own.rank() == 1 && word < words; ++word) {
    if (word != 0) own.cpu.compute(600'000);
    own.paralib.put_word(host::Target::pe(0), area.address() + 4096 * word, 1);
  }
  if (own.rank() != 0) return;
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t at = 0; at < bytes; at += 4096) addresses.push_back(area.address() + at);
  own.cpu.poll_until(
      addresses.data(), addresses.size(),
      [&] {
        for (const std::uint64_t at : addresses) (void)own.cpu.load(at);
        return own.cpu.load(area.address() + 4096 * (words - 1)) != 0;
      },
      "a word of rank 1");
}

}  // namespace

TEST_CASE(
    "a processor that only polls waits for a packet that is repeated after more than a million cycles") {
  Run run;
  run.small_cache = true;
  run.link_faults = links_of(ranks[1], "@1:400000");
  run.timeout = 30'000'000;
  run.most_tries = 2;
  run.script = [](host::RankRuntime& own) { poll_through_misses(own, 1); };
  const Json facts = run.play();
  CAPTURE(facts.dump());
  CHECK(number(facts, "packets_repeated") == 1);
  CHECK(number(facts, "end") > 30'000'000);
}

TEST_CASE("packets that wait for a lost one do not prolong a run whose processors only poll") {
  Run run;
  run.small_cache = true;
  run.link_faults = links_of(ranks[1], "@1:400000");
  run.script = [](host::RankRuntime& own) { poll_through_misses(own, 2); };
  const auto text = run.play()["failed"].get<std::string>();
  CHECK_THAT(text, Catch::Contains("for a word of rank 1") && Catch::Contains("1 packets were lost") &&
                       Catch::Contains("from rank 1 at node 2 to rank 0 at node 0, remote_dma, 8 bytes"));
}

TEST_CASE("retry memories that allow more early packets than a node has room for are refused") {
  traffic::RetryConfig retry;
  traffic::LinkBridgeConfig bridge;
  bridge.early_packets = 100;
  bridge.retry_packets = 8;
  const auto refusal = [&] {
    const auto error =
        tsuji::test::thrown<ConfigError>([&] { VcMachine::validate_retry(retry, bridge, 16); });
    return error ? error->key() + "=" + error->value() + ": " + error->accepted() : "accepted";
  };
  CHECK(refusal() == "accepted");  // no retry
  retry.timeout_cycles = 100;
  CHECK(refusal() == "nic.early_packets=100: at least 105, or nic.retry_packets up to 7");
  bridge.retry_packets = 7;
  CHECK(refusal() == "accepted");
  bridge.retry_packets = 8;
  bridge.early_packets = 105;
  CHECK(refusal() == "accepted");
}
