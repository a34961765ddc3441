// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "support/refusals.h"

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/host/library/credits.h"
#include "tsuji/host/library/envelope.h"
#include "tsuji/host/library/heap.h"
#include "tsuji/host/library/matching.h"
#include "tsuji/host/library/software_times.h"
#include "tsuji/host/library/task_layout.h"
#include "tsuji/nic/tables.h"

using namespace tsuji;
using namespace tsuji::host;
using Catch::Contains;
using tsuji::test::check_bounds;
using tsuji::test::refused_key;

TEST_CASE("headers of messages decode to what was encoded") {
  Envelope envelope;
  envelope.kind = EnvelopeKind::request_to_send;
  envelope.context = Context::collective;
  envelope.source = 1023;
  envelope.tag = 3546016;
  envelope.message_bytes = (std::uint64_t{1} << 40) + 3;
  envelope.slot = 1023;
  envelope.sequence = 0xFFFFFFFF;
  envelope.tail = 0xABCDEF;
  const Envelope read = Envelope::decode(envelope.encode());
  CHECK(read.kind == envelope.kind);
  CHECK(read.context == envelope.context);
  CHECK(read.source == envelope.source);
  CHECK(read.tag == envelope.tag);
  CHECK(read.message_bytes == envelope.message_bytes);
  CHECK(read.slot == envelope.slot);
  CHECK(read.sequence == envelope.sequence);
  CHECK(read.tail == envelope.tail);

  const ClearToSend clear = ClearToSend::decode(ClearToSend{0x7FFFFFFFFFF8, 1023}.encode());
  CHECK(clear.address == 0x7FFFFFFFFFF8);
  CHECK(clear.slot == 1023);
  CHECK(ClearToSend{0, 0}.encode() != 0);
  const DataArrived arrived = DataArrived::decode(DataArrived{7, 0xFFEEDDCCBBAA99}.encode());
  CHECK(arrived.tail_bytes == 7);
  CHECK(arrived.tail == 0xFFEEDDCCBBAA99);
  CHECK(DataArrived{0, 0}.encode() != 0);
}

TEST_CASE("heap blocks never overlap, are line-aligned and are reused") {
  Heap heap(0x1000, 1 << 20);
  CounterRandom random(7, 0);
  struct Piece {
    std::uint64_t address, bytes;
  };
  std::vector<Piece> pieces;
  for (unsigned round = 0; round < 2000; ++round) {
    if (pieces.size() > 20 || (!pieces.empty() && random.below(2) == 0)) {
      const auto at = static_cast<std::ptrdiff_t>(random.below(pieces.size()));
      heap.give_back(pieces[static_cast<std::size_t>(at)].address,
                     pieces[static_cast<std::size_t>(at)].bytes);
      pieces.erase(pieces.begin() + at);
    } else {
      const std::uint64_t bytes = random.below(5000);
      const std::uint64_t address = heap.take(bytes);
      REQUIRE(address % nic::line_bytes == 0);
      REQUIRE((address >= 0x1000 && address + bytes <= 0x1000 + (1 << 20)));
      for (const Piece& piece : pieces) {
        const bool apart = address + bytes <= piece.address || piece.address + piece.bytes <= address;
        REQUIRE((apart && address != piece.address));
      }
      pieces.push_back({address, bytes});
    }
    REQUIRE(heap.blocks_in_use() == pieces.size());
  }
  const std::uint64_t again = heap.take(77);
  heap.give_back(again, 77);
  CHECK(heap.take(100) == again);
  CHECK_THROWS_WITH(heap.take(1 << 21),
                    Contains("no room for 2097152 bytes") && Contains("library.heap_bytes"));
}

TEST_CASE("a heap's blocks are little larger than requested, and its last byte is used") {
  for (const std::uint64_t bytes : {0U, 1U, 128U, 129U, 1024U, 1025U, 1281U, 2048U, 2049U, 100000U}) {
    INFO(bytes);
    Heap wide(4096, 1 << 20);
    CHECK(wide.bytes_in_blocks() == 0);
    CHECK(wide.take(bytes) == 4096);
    const std::uint64_t block = wide.bytes_in_blocks();
    const std::uint64_t lines = std::max<std::uint64_t>(1, (bytes + 127) / 128) * 128;
    CHECK(block % 128 == 0);
    CHECK(block >= lines);
    // Exact up to eight lines, then four classes a power of two.
    if (lines <= 8 * 128) CHECK(block == lines);
    CHECK(block <= lines * 5 / 4);
    CHECK(wide.take(bytes) == 4096 + block);
    Heap just(0, 2 * block);
    just.take(bytes);
    CHECK(just.take(bytes) == block);
    CHECK_THROWS_WITH(just.take(0),
                      Contains("no room for 0 bytes in addition to " + std::to_string(2 * block)));
    Heap less(0, 2 * block - 1);
    less.take(bytes);
    CHECK_THROWS_AS(less.take(bytes), ConfigError);
  }
}

TEST_CASE("sizes of one class of a heap reuse the same blocks, sizes of another do not") {
  // In lines: each size up to eight alone, then four classes a power of two.
  const std::vector<std::vector<std::uint64_t>> classes = {{1},      {2},      {7},      {8},      {9, 10},
                                                           {11, 12}, {15, 16}, {17, 20}, {21, 24}, {29, 32},
                                                           {33, 40}, {57, 64}, {65, 80}};
  Heap heap(0, 1 << 22);
  heap.take(1);  // so that the heap is never empty and reset
  std::vector<std::uint64_t> last;
  for (const auto& sizes : classes) {
    CAPTURE(sizes.front());
    for (const std::uint64_t lines : sizes) {
      const std::uint64_t block = heap.take(lines * 128);
      heap.give_back(block, lines * 128);
      for (const std::uint64_t other : sizes) {
        const std::uint64_t again = heap.take(other * 128 - 127);
        CHECK(again == block);
        heap.give_back(again, other * 128 - 127);
      }
      CHECK(std::count(last.begin(), last.end(), block) == 0);
      if (lines == sizes.back()) last.push_back(block);
    }
  }
}

TEST_CASE("a heap is reset when all blocks have been released") {
  Heap heap(4096, 1 << 20);
  const std::uint64_t small = heap.take(100), large = heap.take(5000);
  heap.give_back(small, 100);
  CHECK(heap.bytes_in_blocks() > 5000);
  heap.give_back(large, 5000);
  CHECK(heap.blocks_in_use() == 0);
  CHECK(heap.bytes_in_blocks() == 0);
  CHECK(heap.take(5000) == 4096);
  {
    const HeapBlock block(heap, 10);
    CHECK(block.address() > 4096);
    CHECK(heap.blocks_in_use() == 2);
  }
  CHECK(heap.blocks_in_use() == 1);
}

TEST_CASE("credits bound the messages in flight and all return") {
  for (const std::uint32_t credits : {1U, 2U, 3U, 4U, 7U}) {
    CreditLedger sender(3, credits), receiver(3, credits);
    std::uint64_t in_buffer = 0, taken = 0;
    for (unsigned round = 0; round < 1000; ++round) {
      while (sender.may_send(2)) {
        sender.sent(2);
        ++in_buffer;
      }
      REQUIRE(in_buffer <= credits);
      REQUIRE(in_buffer > 0);  // credits not yet returned never block the pair
      while (in_buffer > 0) {
        --in_buffer;
        ++taken;
        if (receiver.take(0)) sender.told(2, receiver.taken(0));
      }
    }
    CHECK(receiver.taken(0) == taken);
    CHECK(sender.may_send(1));
  }
}

TEST_CASE("a message buffer holds all that credits allow beside a quarter that is not reported yet") {
  for (const std::uint64_t sources : {1U, 2U, 63U, 64U, 1024U}) {
    for (const std::uint64_t credits : {1U, 4U, 32U}) {
      const std::uint64_t bytes = message_buffer_bytes(sources, credits);
      CHECK(bytes % (4 * nic::line_bytes) == 0);
      CHECK(sources * credits * 256 + bytes / 4 < bytes);
      CHECK(bytes <= sources * credits * 256 * 4 / 3 + 2048);
    }
  }
}

TEST_CASE("receives and messages match in order, with wildcards") {
  MatchQueues queues;
  const auto message = [](std::uint32_t source, std::int32_t tag, Context context = Context::user) {
    Envelope envelope;
    envelope.source = source;
    envelope.tag = tag;
    envelope.context = context;
    return envelope;
  };
  RequestId request = 99;
  queues.post({3, 1, Context::user}, 0);
  queues.post({any_source, 1, Context::user}, 1);
  queues.post({3, any_tag, Context::user}, 2);
  CHECK_FALSE(queues.match_message(message(3, 1, Context::collective), request));
  CHECK(queues.match_message(message(4, 1), request));
  CHECK(request == 1);
  CHECK(queues.match_message(message(3, 1), request));
  CHECK(request == 0);
  CHECK_FALSE(queues.match_message(message(4, 1), request));
  CHECK(queues.match_message(message(3, 8), request));
  CHECK(request == 2);

  queues.keep({message(1, 5), 100});
  queues.keep({message(2, 5), 200});
  queues.keep({message(1, 5), 300});
  Unexpected found;
  CHECK_FALSE(queues.match_receive({1, 6, Context::user}, found));
  CHECK(queues.match_receive({2, any_tag, Context::user}, found));
  CHECK(found.copy == 200);
  CHECK(queues.match_receive({any_source, 5, Context::user}, found));
  CHECK(found.copy == 100);
  CHECK(queues.match_receive({1, 5, Context::user}, found));
  CHECK(found.copy == 300);
}

TEST_CASE("areas of a task do not share lines, and slots do not cross pages") {
  LibraryConfig config;
  config.send_slots = 33;
  const TaskLayout layout = plan_task_layout(config, 3, 100, 2, 0x20000, 0x8000);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> areas = {
      {layout.header_queue, layout.header_queue_bytes},
      {layout.message_buffer[0], layout.message_buffer_bytes[0]},
      {layout.message_buffer[1], layout.message_buffer_bytes[1]},
      {layout.synchronization_counters, 128 * 8},
      {layout.barrier_counter, 8},
      {layout.send_slots, 33 * 256},
      {layout.send_notifications, 33 * 8},
      {layout.credit_table, 100 * 8},
      {layout.clear_to_send, 64 * 8},
      {layout.data_sent, 64 * 8},
      {layout.data_arrived, 64 * 8},
      {layout.group_notifications, 2 * 8},
      {layout.release_counter, 8},
      {layout.heap, layout.heap_bytes}};
  std::set<std::uint64_t> begins;
  std::uint64_t behind = layout.base;
  for (const auto& [begin, bytes] : areas) {
    CHECK(begin % nic::line_bytes == 0);
    CHECK(begin >= behind);
    behind = begin + bytes;
  }
  CHECK(behind == layout.end);
  CHECK(layout.end % nic::page_bytes == 0);
  CHECK(layout.send_slots % 256 == 0);
  CHECK(layout.header_queue % layout.header_queue_bytes == 0);
  CHECK_THROWS_WITH(plan_task_layout(config, 0, 1, 2, 4096, 0),
                    Contains("library.base") && Contains("65536"));
}

TEST_CASE("a task's layout has its own identity, and room for its peers and groups") {
  LibraryConfig config;
  config.header_queue_bytes = 65536;
  config.credits = 3;
  config.collective_messages = 5;
  const TaskLayout first = plan_task_layout(config, 0, 65, 3, 0x20000, 0x8040),
                   last = plan_task_layout(config, 64, 65, 3, 0x20000, 0x8040);
  CHECK(first.pe == 0);
  CHECK(last.pe == 64);
  CHECK(last.pes == 65);
  CHECK(last.register_set == 3);
  CHECK(last.buffer_entry == 0x8040);
  CHECK(last.base == 0x20000);
  CHECK(last.header_queue == 0x20000);
  CHECK(last.header_queue_bytes == 65536);
  CHECK(last.message_buffer_bytes[0] == message_buffer_bytes(65, 3));
  CHECK(last.message_buffer_bytes[1] == message_buffer_bytes(1, 5));
  CHECK(last.heap_bytes == config.heap_bytes);
  // Tasks address each other's areas by their own addresses.
  for (const auto area :
       {&TaskLayout::barrier_counter, &TaskLayout::release_counter, &TaskLayout::credit_table,
        &TaskLayout::clear_to_send, &TaskLayout::data_arrived, &TaskLayout::heap, &TaskLayout::end})
    CHECK(first.*area == last.*area);
  CHECK(last.multicast_groups == 2);
  CHECK(plan_task_layout(config, 0, 64, 2, 0x20000, 0).multicast_groups == 1);
  CHECK(plan_task_layout(config, 0, 1, 2, 0x20000, 0).multicast_groups == 1);
  CHECK(plan_task_layout(config, 0, 129, 2, 0x20000, 0).multicast_groups == 3);
  CHECK(message_buffer_bytes(1, 3) == 1536);
  for (const std::uint64_t base : {0U, 0x8000U, 0x10001U})
    CHECK_THROWS_WITH(plan_task_layout(config, 0, 1, 2, base, 0), Contains("library.base"));
}

TEST_CASE("impossible sizes and times of the library are refused") {
  const auto refused = [](auto change, const std::string& key) {
    LibraryConfig config;
    change(config);
    CHECK_THROWS_AS(config.validate(), ConfigError);
    CHECK_THROWS_WITH(config.validate(), Contains(key) && Contains("accepted: "));
  };
  CHECK_NOTHROW(LibraryConfig{}.validate());
  refused([](LibraryConfig& c) { c.header_queue_bytes = 2048; }, "library.header_queue_bytes");
  refused([](LibraryConfig& c) { c.header_queue_bytes = 5000; }, "library.header_queue_bytes");
  refused([](LibraryConfig& c) { c.credits = 0; }, "library.credits");
  refused([](LibraryConfig& c) { c.send_slots = 0; }, "library.send_slots");
  refused([](LibraryConfig& c) { c.rendezvous_slots = 2000; }, "library.rendezvous_slots");
  refused([](LibraryConfig& c) { c.collective_messages = 0; }, "library.collective_messages");
  refused([](LibraryConfig& c) { c.heap_bytes = 5000; }, "library.heap_bytes");

  SoftwareTimes times;
  CHECK_NOTHROW(times.validate());
  times.mpi_send_ns = -1;
  CHECK_THROWS_WITH(times.validate(), Contains("software.mpi_send_ns") && Contains("0..1e9 ns"));
  times.mpi_send_ns = 0;
  times.poll_loop_ns = 0;
  CHECK_THROWS_WITH(times.validate(), Contains("software.poll_loop_ns"));
  times.poll_loop_ns = 10;
  times.paralib_send_ns = 13;
  CHECK(times.in_cycles(ClockPeriod(12500)).paralib_send == 2);
}

TEST_CASE("sizes of the library are accepted up to their bounds, and refused beyond them") {
  LibraryConfig config;
  check_bounds("library.header_queue_bytes", config, config.header_queue_bytes, 4096, 65536);
  check_bounds("library.credits", config, config.credits, 1, 64);
  check_bounds("library.send_slots", config, config.send_slots, 1, 1024);
  check_bounds("library.rendezvous_slots", config, config.rendezvous_slots, 1, 1024);
  check_bounds("library.collective_messages", config, config.collective_messages, 1, 1024);
  check_bounds("library.heap_bytes", config, config.heap_bytes, 4096, std::uint64_t{1} << 29);
  config.heap_bytes = 4096 + 128;
  CHECK(refused_key(config) == "library.heap_bytes");
}

TEST_CASE(
    "times of the library are accepted up to their bounds, refused beyond them, and rounded up to cycles") {
  SoftwareTimes times;
  struct Time {
    const char* key;
    double& ns;
    double least;
  };
  const Time all[] = {{"paralib_send_ns", times.paralib_send_ns, 0},
                      {"paralib_receive_ns", times.paralib_receive_ns, 0},
                      {"mpi_send_ns", times.mpi_send_ns, 0},
                      {"mpi_receive_ns", times.mpi_receive_ns, 0},
                      {"mpi_control_ns", times.mpi_control_ns, 0},
                      {"copy_ns_per_word", times.copy_ns_per_word, 0},
                      {"reduce_ns_per_word", times.reduce_ns_per_word, 0},
                      {"poll_loop_ns", times.poll_loop_ns, 0.001},
                      {"system_call_ns", times.system_call_ns, 0.001}};
  for (const Time& time : all) {
    INFO(time.key);
    const double valid = time.ns;
    for (const double ns : {time.least, 1e9}) {
      time.ns = ns;
      CHECK(refused_key(times).empty());
    }
    for (const double ns : {time.least - 0.0001, 1e9 + 1, std::nan("")}) {
      time.ns = ns;
      CHECK(refused_key(times) == std::string("software.") + time.key);
    }
    time.ns = valid;
  }
  double ns = 10;
  for (const Time& time : all) time.ns = ns += 10;
  const SoftwareCycles cycles = times.in_cycles(ClockPeriod(10000));
  CHECK(cycles.paralib_send == 2);
  CHECK(cycles.paralib_receive == 3);
  CHECK(cycles.mpi_send == 4);
  CHECK(cycles.mpi_receive == 5);
  CHECK(cycles.mpi_control == 6);
  CHECK(cycles.copy(3) == 21);
  CHECK(cycles.reduce(2) == 16);
  times.copy_ns_per_word = 1;
  // Rounded once a loop.
  CHECK(times.in_cycles(ClockPeriod(10000)).copy(11) == 2);
}

TEST_CASE("messages of one peer and tag are numbered from 0") {
  workload::MessageNumbers numbers;
  CHECK(numbers.next(1, 5) == 0);
  CHECK(numbers.next(1, 6) == 0);
  CHECK(numbers.next(2, 5) == 0);
  CHECK(numbers.next(1, 5) == 1);
  CHECK(numbers.next(1, 5) == 2);
  CHECK(numbers.next(1, 6) == 1);
}
