// SPDX-License-Identifier: Apache-2.0
// Remote read, swap, compare & swap: memory and notifications against a sequential model, the limit of
// requests, and refusals.

#include <algorithm>
#include <cstring>

#include "nic/rig.h"
#include "support/catch.h"
#include "support/forked.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

// Addresses in each node's task: data that the other node reads, words that it swaps, destinations of its
// replies.
constexpr std::uint64_t readable_at = 0x800000, words_at = 0xA00000, results_at = 0xC00000,
                        notifications_at = 0xE00000;
constexpr unsigned pages = 32, words = 16, rrids = ReplyNotification::entries;
constexpr std::uint64_t area = std::uint64_t{pages} * page_bytes;
constexpr std::array<unsigned, 2> cid_of{3, 5};

/// A task on each of two nodes, with queues for its parcels and one for the node's replies.
void open_tasks(Pair& pair) {
  for (unsigned n = 0; n < 2; ++n) {
    Node& node = n == 0 ? pair.a : pair.b;
    node.open_set(reply_set, 0, 8192);
    node.open_set(2, cid_of[n], 65536);
    node.open_set(3, cid_of[n]);
    const NodeEntry other{true, static_cast<std::uint16_t>(1 - n), static_cast<std::uint8_t>(cid_of[1 - n])};
    node.memory.poke_word(node_table_at + std::uint64_t{8} * (1 - n), other.encode());
    node.map(cid_of[n], notifications_at, 1);
    node.memory.poke_word(buffers_at + std::uint64_t{64} * cid_of[n] + std::uint64_t{8} * 5,
                          notifications_at);
  }
}

void open(Pair& pair) {
  open_tasks(pair);
  for (unsigned n = 0; n < 2; ++n) {
    Node& node = n == 0 ? pair.a : pair.b;
    node.map(cid_of[n], readable_at, pages, false);
    node.map(cid_of[n], words_at, 1);
    node.map(cid_of[n], results_at, pages);
  }
}

/// A Pair whose tasks may send requests to each other.
struct Asking : Pair {
  explicit Asking(const NicConfig& config = {}, const MemoryTimes& times = {}) : Pair("pair", config, times) {
    elaborate();
    open(*this);
  }
};

ParcelHeader request(Protocol protocol, std::uint16_t pe, std::uint64_t remote, std::uint64_t third,
                     std::uint64_t fourth, std::uint8_t rrid = 0, std::uint32_t length = 8) {
  ParcelHeader header;
  header.protocol = protocol;
  header.logical_pe = pe;
  header.source = remote;
  header.destination = third;
  header.notification = fourth;
  header.rrid = rrid;
  header.length = length;
  return header;
}

/// One node's task and the expected results of the other one's requests.
struct Task {
  std::vector<unsigned char> readable, results;
  std::array<std::uint64_t, words> word{};
  std::array<std::array<std::uint64_t, 2>, rrids> notification{};

  static Task random_task(CounterRandom& random) {
    Task task;
    task.readable = random_bytes(random, area);
    task.results.resize(area);
    for (std::uint64_t& word : task.word) word = random.below(4);
    return task;
  }
  void load(Node& node, unsigned cid) const {
    node.fill(cid, readable_at, readable);
    for (unsigned w = 0; w < words; ++w) node.memory.poke_word(node.physical(cid, words_at + 8 * w), word[w]);
  }
  void check(const Node& node, unsigned cid) const {
    CHECK(node.bytes(cid, results_at, area) == results);
    for (unsigned w = 0; w < words; ++w) CHECK(node.word(cid, words_at + 8 * w) == word[w]);
    for (unsigned id = 0; id < rrids; ++id) {
      CAPTURE(id);
      const std::uint64_t at = notifications_at + ReplyNotification::bytes * id;
      CHECK(node.word(cid, at) == notification[id][0]);
      CHECK(node.word(cid, at + 8) == notification[id][1]);
    }
  }
};

/// A random request of `own` to `other`, applied to the model at once.
ParcelHeader random_request(CounterRandom& random, std::uint16_t pe, Task& own, Task& other) {
  const auto rrid = static_cast<std::uint8_t>(random.below(rrids));
  const std::uint64_t w = random.below(words);
  const std::uint64_t old = other.word[w], value = random.below(4), compared = random.below(4);
  switch (random.below(3)) {
    case 0: {
      const auto length =
          static_cast<std::uint32_t>(8 * (1 + random.below(random.below(6) == 0 ? 2000 : 80)));
      const std::uint64_t from = 8 * random.below((area - length) / 8),
                          to = 8 * random.below((area - length) / 8);
      std::memcpy(own.results.data() + to, other.readable.data() + from, length);
      own.notification[rrid] = {1, 0};
      return request(Protocol::remote_read, pe, readable_at + from, results_at + to, 0, rrid, length);
    }
    case 1: {
      const std::uint64_t to = 8 * random.below(area / 8);
      std::memcpy(own.results.data() + to, &old, 8);
      other.word[w] = value;
      return request(Protocol::swap, pe, words_at + 8 * w, value, results_at + to, rrid);
    }
    default:
      own.notification[rrid] = {old == compared ? 3U : 1U, old};
      if (old == compared) other.word[w] = value;
      return request(Protocol::compare_swap, pe, words_at + 8 * w, compared, value, rrid);
  }
}

/// Two tasks request from each other at once, and put data into each other's memory beside that.
void all_is_answered(std::uint64_t seed, unsigned outstanding, std::uint64_t stalls) {
  NicConfig config;
  config.sender.outstanding_requests = outstanding;
  MemoryTimes times;
  times.stall_bound = stalls;
  times.seed = seed;
  Asking pair(config, times);
  CounterRandom random(seed, 17);
  std::array<Task, 2> tasks{Task::random_task(random), Task::random_task(random)};
  for (unsigned n = 0; n < 2; ++n) tasks[n].load(n == 0 ? pair.a : pair.b, cid_of[n]);
  constexpr unsigned requests = 400;
  for (unsigned n = 0; n < 2; ++n) {
    Node& node = n == 0 ? pair.a : pair.b;
    for (unsigned i = 0; i < requests; ++i)
      node.push(2, random_request(random, static_cast<std::uint16_t>(1 - n), tasks[n], tasks[1 - n]));
    node.ring_at_start(2);
  }
  pair.run();
  for (unsigned n = 0; n < 2; ++n) {
    const Node& node = n == 0 ? pair.a : pair.b;
    tasks[n].check(node, cid_of[n]);
    CHECK(node.nic.drained(pair.domain.now() + 1));
    CHECK(node.nic.sender_counters().parcels[0] == 2 * requests);
  }
  CHECK(pair.pool.in_use() == 0);
}

/// Requests of node a and the last packets of the replies to it, in the order in which they were written out.
struct Exchange {
  std::vector<Cycle> asked, answered;  ///< injected; written out at a
};

Exchange exchange_of(const Pair& pair) {
  Exchange exchange;
  for (const Delivery& delivery : pair.b.deliveries)
    if (is_request(delivery.header.protocol)) exchange.asked.push_back(delivery.injected);
  for (const Delivery& delivery : pair.a.deliveries)
    if (is_reply(delivery.header.protocol) && delivery.header.last) exchange.answered.push_back(delivery.now);
  return exchange;
}

}  // namespace

TEST_CASE("requests of two tasks to each other end as in sequential order") {
  all_is_answered(21, 2, 0);
}
TEST_CASE("requests end as in sequential order with random memory stalls") {
  all_is_answered(22, 2, 150);
}
TEST_CASE("requests end as in sequential order with one at a time") {
  all_is_answered(23, 1, 40);
}
TEST_CASE("requests end as in sequential order with many at a time") {
  all_is_answered(24, 40, 40);
}

TEST_CASE("512 KB are read from a remote node, from and to odd places") {
  Pair pair("pair");
  elaborate();
  open_tasks(pair);
  pair.b.map(cid_of[1], readable_at, 129, false);
  pair.a.map(cid_of[0], results_at, 129);
  CounterRandom random(25, 1);
  const auto data = random_bytes(random, ParcelHeader::max_data_bytes);
  const std::uint64_t from = readable_at + 8 * 13, to = results_at + 8 * 203;
  pair.b.fill(cid_of[1], from, data);
  pair.a.push(2, request(Protocol::remote_read, 1, from, to, 0, 7, ParcelHeader::max_data_bytes));
  pair.a.ring_at_start(2);
  pair.run();
  CHECK(pair.a.bytes(cid_of[0], to, data.size()) == data);
  CHECK(pair.a.word(cid_of[0], notifications_at + 7 * 16) == ReplyNotification::arrived);
}

namespace {

/// Sends 20 requests of three lengths. `reached`: the limit of outstanding requests is also reached.
void limit_holds(unsigned limit, bool reached) {
  NicConfig config;
  config.sender.outstanding_requests = limit;
  Asking pair(config);
  for (unsigned i = 0; i < 20; ++i)
    pair.a.push(2, request(Protocol::remote_read, 1, readable_at, results_at, 0, 0, 8 * (1 + 200 * (i % 3))));
  pair.a.ring_at_start(2);
  pair.run();
  const Exchange exchange = exchange_of(pair);
  REQUIRE(exchange.asked.size() == 20);
  REQUIRE(exchange.answered.size() == 20);
  bool full = false;
  for (unsigned i = 0; i < 20; ++i) {
    if (i >= limit) CHECK(exchange.asked[i] > exchange.answered[i - limit]);
    if (i + 1 >= limit) full = full || exchange.asked[i] < exchange.answered[i + 1 - limit];
  }
  CHECK(full == reached);
}

}  // namespace

TEST_CASE("one request at a time waits for its reply, with a limit of one") {
  limit_holds(1, true);
}
TEST_CASE("two requests at a time wait for their replies") {
  limit_holds(2, true);
}
TEST_CASE("five requests at a time wait for their replies, with a limit of five") {
  limit_holds(5, true);
}

TEST_CASE("parcels of another task pass requests that wait") {
  NicConfig config;
  config.sender.outstanding_requests = 1;
  Asking pair(config);
  for (unsigned i = 0; i < 6; ++i)
    pair.a.push(2, request(Protocol::remote_read, 1, readable_at, results_at, 0, 0, 8192));
  pair.a.ring_at_start(2);
  // Later than the first request, and in another queue.
  pair.at(50, [&pair] {
    pair.a.push(3, dma(readable_at, results_at, 64));
    pair.a.ring(3);
  });
  pair.run();
  const auto& at_b = pair.b.deliveries;
  const auto put = std::find_if(at_b.begin(), at_b.end(),
                                [](const Delivery& d) { return d.header.protocol == Protocol::remote_dma; });
  REQUIRE(put != at_b.end());
  CHECK(put - at_b.begin() == 1);
}

TEST_CASE("a reply's header and a parcel that come in one cycle are served in turn") {
  // Node b answers a request and sends a parcel, whose queue pointer it writes after `cycle`. Returns the
  // sets in the order in which RHM fetches their headers, p for the parcel and r for the reply, and the cycle
  // in which the reply's header was written.
  struct Order {
    std::string sets;
    Cycle reply_written = 0;
  };
  const auto order_of = [](Cycle cycle) {
    const std::string text = test::forked([cycle] {
      Asking pair;
      pair.b.push(2, dma(readable_at, results_at, 8, 0));
      pair.b.ring_at_start(2);  // set 2 is the last one served
      pair.a.push(2, request(Protocol::swap, 1, words_at, 5, results_at, 0));
      pair.at(1000, [&pair] { pair.a.ring(2); });
      pair.at(cycle, [&pair] {
        pair.b.push(2, dma(readable_at, results_at, 8, 0));
        pair.b.ring(2);
      });
      pair.run();
      std::string sets;
      Cycle written = 0;
      for (const MemoryRequest& one : pair.b.memory.log) {
        if (one.bytes != ParcelHeader::bytes) continue;
        if (one.initiator == 0) written = one.last_word;
        if (one.initiator == 1) sets += one.address < queues_at + 2 * 65536 ? "r" : "p";
      }
      return sets + " " + std::to_string(written);
    });
    const std::size_t space = text.find(' ');
    return Order{text.substr(0, space), std::stoull(text.substr(space))};
  };
  const Cycle written = order_of(100'000).reply_written;
  REQUIRE(written > 1000);
  // Both count from the cycle after the one in which the header is written, and the reply's set has priority.
  CHECK(order_of(written - 1).sets == "ppr");
  CHECK(order_of(written).sets == "prp");
  CHECK(order_of(written + 1).sets == "prp");
}

TEST_CASE("an interface with a reply to send is not drained") {
  Asking pair;
  pair.a.push(2, request(Protocol::remote_read, 1, readable_at, results_at, 0));
  pair.a.ring_at_start(2);
  bool begun = false;
  for (Cycle cycle = 1; cycle < 2000; ++cycle)
    pair.at(cycle, [&pair, &begun, cycle] {
      begun = begun || pair.pool.in_use() > 0;
      const bool still = pair.pool.in_use() == 0 && pair.a.nic.drained(cycle) && pair.b.nic.drained(cycle);
      // Only the reply remains to come.
      if (begun && still) CHECK(pair.a.deliveries.size() == 1);
    });
  pair.run();
  CHECK(pair.a.deliveries.size() == 1);
}

TEST_CASE("a parcel after a request that had to wait does not wait for the reply") {
  NicConfig config;
  config.sender.outstanding_requests = 1;
  Asking pair(config);
  for (unsigned i = 0; i < 2; ++i)
    pair.a.push(2, request(Protocol::remote_read, 1, readable_at, results_at, 0, 0, 8192));
  pair.a.push(2, dma(readable_at, results_at, 64));
  pair.a.ring_at_start(2);
  pair.run();
  const Exchange exchange = exchange_of(pair);
  REQUIRE(exchange.answered.size() == 2);
  REQUIRE(pair.b.deliveries.size() == 3);
  CHECK(pair.b.deliveries[2].injected > exchange.answered[0]);
  CHECK(pair.b.deliveries[2].now < exchange.answered[1]);
}

TEST_CASE("a swap's and a compare & swap's reply take the sum of their steps' cycles") {
  Asking pair;
  pair.b.memory.poke_word(pair.b.physical(cid_of[1], words_at), 77);
  pair.a.push(2, request(Protocol::swap, 1, words_at, 5, results_at, 0));
  pair.a.ring_at_start(2);
  pair.run();
  CHECK(pair.a.word(cid_of[0], results_at) == 77);
  CHECK(pair.b.word(cid_of[1], words_at) == 5);
  REQUIRE(pair.b.deliveries.size() == 1);
  REQUIRE(pair.a.deliveries.size() == 1);
  const Delivery& asked = pair.b.deliveries[0];
  const Delivery& answered = pair.a.deliveries[0];
  // At b the header is in memory in `asked.now`. One cycle later RHM sees it, chooses the queue, reads 32
  // bytes (request, grant, 33 cycles and three words), checks, and sets the port: `created`. No table is
  // read.
  CHECK(answered.created == asked.now + 1 + 1 + 1 + 33 + 3 + 1 + 1);
  // The packet has no data from memory: chosen in the next cycle, header built a cycle later, on the wires.
  CHECK(answered.injected == answered.created + 1 + 1 + 1);
}

TEST_CASE("bad requests and replies are refused with their cause") {
  const auto problem = [](auto change, Protocol protocol = Protocol::swap, unsigned set = 2) {
    ParcelHeader header = request(protocol, 1, 0x1000, 0x2000, 0x3000);
    change(header);
    return parcel_problem(header, set);
  };
  const auto nothing = [](ParcelHeader&) {};
  for (const Protocol protocol : {Protocol::remote_read, Protocol::swap, Protocol::compare_swap}) {
    CHECK(problem(nothing, protocol).empty());
    CHECK(problem([](auto& h) { h.kind = PacketKind::multicast; }, protocol) == "a request goes to one node");
    CHECK(problem([](auto& h) { h.inline_data = true; }, protocol) ==
          "a request must not carry data, write to a log or raise an interrupt");
    CHECK(problem([](auto& h) { h.log = true; }, protocol) ==
          "a request must not carry data, write to a log or raise an interrupt");
    CHECK(problem([](auto& h) { h.interrupt = true; }, protocol) ==
          "a request must not carry data, write to a log or raise an interrupt");
    const bool reads = protocol == Protocol::remote_read;
    CHECK(problem([](auto& h) { h.source = 0x1004; }, protocol) ==
          (reads ? "" : "source address is not a multiple of 8"));
    CHECK(problem(nothing, protocol, reply_set) == "replies, and nothing else, are in the queue of set 1");
  }
  CHECK(problem([](auto& h) { h.destination = 0x2001; }, Protocol::remote_read) ==
        "destination address is not a multiple of 4");
  CHECK(problem([](auto& h) { h.length = 512 * 1024; }, Protocol::remote_read).empty());
  CHECK(problem([](auto& h) { h.length = 512 * 1024 + 8; }, Protocol::remote_read) ==
        "data length 524296 exceeds 512 KB");
  CHECK(problem([](auto& h) { h.notification = 4; }) == "destination address is not a multiple of 8");
  CHECK(problem([](auto& h) { h.notification = 4; }, Protocol::compare_swap).empty());
  CHECK(problem([](auto& h) { h.destination = 3; }).empty());
  CHECK(problem([](auto& h) { h.length = 16; }) == "swap and compare & swap work on 8 bytes");
  CHECK(problem([](auto& h) { h.notify = true; }) == "swap and compare & swap have no send notification");
  for (const Protocol protocol :
       {Protocol::remote_read_reply, Protocol::swap_reply, Protocol::compare_swap_reply})
    CHECK(problem(nothing, protocol) == "replies, and nothing else, are in the queue of set 1");
}

TEST_CASE("a request to a node without a queue for replies stops the run") {
  Asking pair;
  pair.b.set(sender_os_base + reply_set * sender_set_stride + queue_bytes, 0);
  pair.a.push(2, request(Protocol::remote_read, 1, readable_at, results_at, 0));
  pair.a.ring_at_start(2);
  CHECK_THROWS_WITH(pair.run(),
                    Catch::Contains("receiver") && Catch::Contains("the queue for replies is disabled"));
}

namespace {

/// Packets returned for 160 long reads, whose replies leave far more slowly than requests come, to a queue of
/// 127 headers.
std::size_t replies_with(unsigned outstanding) {
  NicConfig config;
  config.sender.outstanding_requests = outstanding;
  Asking pair(config);
  pair.b.set(sender_os_base + reply_set * sender_set_stride + queue_bytes, 4096);
  for (unsigned i = 0; i < 160; ++i)
    pair.a.push(2, request(Protocol::remote_read, 1, readable_at, results_at, 0, 0, 16384));
  pair.a.ring_at_start(2);
  pair.run();
  return pair.a.deliveries.size();
}

}  // namespace

TEST_CASE("as many requests as a queue for replies holds are answered") {
  CHECK(replies_with(127) == std::size_t{160} * 64);
}
TEST_CASE("more requests than a queue for replies holds stop the run") {
  CHECK_THROWS_WITH(replies_with(160), Catch::Contains("the queue for replies is full"));
}

TEST_CASE("a reply for a task without a notification buffer stops the run") {
  Asking pair;
  pair.a.memory.poke_word(buffers_at + std::uint64_t{64} * cid_of[0] + std::uint64_t{8} * 5, 0);
  pair.a.push(2, request(Protocol::compare_swap, 1, words_at, 1, 2));
  pair.a.ring_at_start(2);
  CHECK_THROWS_WITH(pair.run(), Catch::Contains("the cid has no remote-read notification buffer"));
}

TEST_CASE("equal requests take equal cycles in any order of modules") {
  MemoryTimes times;
  times.stall_bound = 60;
  std::vector<std::unique_ptr<Pair>> pairs;
  const auto clock = [](ProcessMode mode, std::uint64_t shuffle) {
    ClockDomainConfig config;
    config.mode = mode;
    config.shuffle_seed = shuffle;
    return config;
  };
  pairs.push_back(std::make_unique<Pair>("fast", NicConfig{}, times, clock(ProcessMode::one_for_all, 0)));
  pairs.push_back(std::make_unique<Pair>("each", NicConfig{}, times, clock(ProcessMode::process_each, 0)));
  for (const std::uint64_t seed : {1, 2, 3, 4})
    pairs.push_back(std::make_unique<Pair>("shuffled" + std::to_string(seed), NicConfig{}, times,
                                           clock(ProcessMode::one_for_all, seed)));
  elaborate();
  for (auto& pair : pairs) {
    open(*pair);
    CounterRandom random(31, 1);
    std::array<Task, 2> tasks{Task::random_task(random), Task::random_task(random)};
    for (unsigned i = 0; i < 200; ++i) {
      pair->a.push(2, random_request(random, 1, tasks[0], tasks[1]));
      pair->b.push(2, random_request(random, 0, tasks[1], tasks[0]));
    }
    pair->a.ring_at_start(2);
    pair->b.ring_at_start(2);
  }
  pairs[0]->run();
  for (auto& pair : pairs) {
    pair->domain.rethrow_failure();
    CHECK(pair->a.deliveries.size() > 200);
    CHECK(pair->a.deliveries == pairs[0]->a.deliveries);
    CHECK(pair->b.deliveries == pairs[0]->b.deliveries);
    CHECK(pair->a.memory.log == pairs[0]->a.memory.log);
    CHECK(pair->b.memory.log == pairs[0]->b.memory.log);
  }
}
