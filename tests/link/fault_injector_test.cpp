// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/fault_injector.h"

#include <algorithm>
#include <array>
#include <limits>

#include "support/catch.h"
#include "support/refusals.h"
#include "tsuji/core/flit.h"

using namespace tsuji;

namespace {

PacketRef full_packet(PacketPool& pool, PacketKind kind) {
  PacketRef ref = pool.make();
  Packet& packet = ref.edit();
  packet.kind = kind;
  packet.map = 0x123456789abcdef0;
  packet.header = {0x1111, 0x2222};
  packet.payload_bytes = 256;
  std::fill_n(packet.payload.data(), Packet::max_payload_bytes, std::byte{0x5a});
  packet.flits = kind == PacketKind::single_cast ? 103 : 106;
  return ref;
}

}  // namespace

TEST_CASE("errors are counted as injected, at any rate") {
  PacketPool pool;
  FaultInjectorConfig config;
  config.single_bit_per_flit = 1.0;
  config.data_words_only = true;
  FaultInjector injector(config, pool, 3, false);
  std::uint64_t carried = 0;
  for (int i = 0; i < 100; ++i) {
    PacketTransfer transfer{full_packet(pool, PacketKind::single_cast), 1, 0};
    REQUIRE(injector.on_send(0, transfer));
    carried += transfer.packet->spelling.error_count;
  }
  CHECK(carried > 100);
  CHECK(injector.counters().single_bit == carried);
}

TEST_CASE("a packet that lost a flit is detected, with any number of further errors") {
  PacketPool pool;
  FaultInjectorConfig config;
  config.single_bit_per_flit = 0.15;
  config.lost_per_flit = 0.01;
  config.data_words_only = true;
  FaultInjector injector(config, pool, 4, false);
  unsigned losses = 0;
  for (int i = 0; i < 500; ++i) {
    PacketTransfer transfer{full_packet(pool, i % 2 == 0 ? PacketKind::single_cast : PacketKind::multicast),
                            1, 0};
    const std::uint64_t before = injector.counters().lost;
    injector.on_send(0, transfer);
    const bool lost = injector.counters().lost != before;
    losses += lost ? 1 : 0;
    REQUIRE((judge(*transfer.packet).cause == FlitDropCause::flit_lost) == lost);
  }
  CHECK(losses > 100);
}

TEST_CASE("an injector counts nothing before its first packet, and is enabled by any fault") {
  PacketPool pool;
  FaultInjectorConfig config;
  CHECK_FALSE(config.enabled());
  for (double* probability :
       {&config.single_bit_per_flit, &config.double_bit_per_flit, &config.lost_per_flit}) {
    *probability = 0.01;
    CHECK(config.enabled());
    *probability = 0.0;
  }
  const FaultInjector injector(config, pool, 1, true);
  CHECK(injector.counters().single_bit == 0);
  CHECK(injector.counters().double_bit == 0);
  CHECK(injector.counters().lost == 0);
  CHECK(injector.counters().dropped_port_parity == 0);
}

TEST_CASE("a double error flips any two of a word's data bits, and spares the port flit") {
  PacketPool pool;
  FaultInjectorConfig config;
  config.double_bit_per_flit = 0.05;
  FaultInjector injector(config, pool, 5, false);
  std::uint64_t errors = 0, single = 0;
  std::uint32_t flipped = 0;
  for (int i = 0; i < 1000; ++i) {
    PacketTransfer transfer{full_packet(pool, PacketKind::single_cast), 1, 0};
    REQUIRE(injector.on_send(0, transfer));
    for (unsigned e = 0; e < transfer.packet->spelling.error_count; ++e) {
      const FlitError& error = transfer.packet->spelling.errors[e];
      CHECK_FALSE(error.lost);
      // The port flit gets a single-bit error instead.
      CHECK(__builtin_popcount(error.flip) == (error.flit == 0 ? 1 : 2));
      if (error.flit != 0) flipped |= error.flip;
      ++(error.flit == 0 ? single : errors);
    }
  }
  CHECK(errors > 1000);
  CHECK(flipped == (1U << flit_data_bits) - 1U);
  CHECK(injector.counters().double_bit == errors);
  CHECK(injector.counters().single_bit == single);
}

TEST_CASE("a single error flips any bit of a flit, and in a port flit only data and parity") {
  for (const bool data_only : {false, true}) {
    PacketPool pool;
    FaultInjectorConfig config;
    config.single_bit_per_flit = 0.04;
    config.data_words_only = data_only;
    FaultInjector injector(config, pool, 8, false);
    std::uint32_t of_port_flits = 0, of_others = 0;
    for (int i = 0; i < 4000; ++i) {
      PacketTransfer transfer{full_packet(pool, PacketKind::single_cast), 1, 0};
      REQUIRE(injector.on_send(0, transfer));
      for (unsigned e = 0; e < transfer.packet->spelling.error_count; ++e) {
        const FlitError& error = transfer.packet->spelling.errors[e];
        CHECK(__builtin_popcount(error.flip) == 1);
        (error.flit == 0 ? of_port_flits : of_others) |= error.flip;
      }
    }
    constexpr std::uint32_t data = (1U << flit_data_bits) - 1U, all = (1U << flit_bits) - 1U;
    CHECK(of_port_flits == (data_only ? 0 : data << 1 | 1U));
    CHECK(of_others == (data_only ? data : all));
  }
}

TEST_CASE("faults are as frequent as their probabilities, on every flit alike") {
  PacketPool pool;
  FaultInjectorConfig config;
  config.single_bit_per_flit = 0.002;
  config.double_bit_per_flit = 0.003;
  config.lost_per_flit = 0.005;
  FaultInjector injector(config, pool, 9, false);
  constexpr unsigned packets = 6000, flits = 103, parts = 4;
  std::array<unsigned, parts> hits{};
  for (unsigned i = 0; i < packets; ++i) {
    PacketTransfer transfer{full_packet(pool, PacketKind::single_cast), 1, 0};
    REQUIRE(injector.on_send(0, transfer));
    for (unsigned e = 0; e < transfer.packet->spelling.error_count; ++e)
      ++hits[transfer.packet->spelling.errors[e].flit * parts / flits];
  }
  const double all = packets * flits;
  const FaultInjector::Counters& counted = injector.counters();
  // 1,200 and more of each: three standard deviations are below a tenth.
  CHECK(static_cast<double>(counted.single_bit) / all == Approx(0.002).epsilon(0.1));
  CHECK(static_cast<double>(counted.double_bit) / all == Approx(0.003).epsilon(0.1));
  CHECK(static_cast<double>(counted.lost) / all == Approx(0.005).epsilon(0.1));
  for (const unsigned hit : hits) CHECK(hit / (all / parts) == Approx(0.01).epsilon(0.1));
}

TEST_CASE(
    "if the next switch checks port flits, it drops packets with a damaged port flit, and counts them") {
  PacketPool pool;
  FaultInjectorConfig config;
  config.single_bit_per_flit = 0.02;
  FaultInjector checked(config, pool, 6, true), unchecked(config, pool, 6, false);
  std::uint64_t dropped = 0;
  for (int i = 0; i < 2000; ++i) {
    PacketTransfer one{full_packet(pool, PacketKind::single_cast), 1, 0};
    PacketTransfer other{full_packet(pool, PacketKind::single_cast), 1, 0};
    const bool passed = checked.on_send(0, one);
    REQUIRE(unchecked.on_send(0, other));
    bool hit = false;
    for (unsigned e = 0; e < other.packet->spelling.error_count; ++e)
      hit = hit || other.packet->spelling.errors[e].flit == 0;
    CHECK(passed == !hit);
    dropped += hit ? 1 : 0;
  }
  CHECK(dropped > 10);
  CHECK(checked.counters().dropped_port_parity == dropped);
  CHECK(unchecked.counters().dropped_port_parity == 0);
}

TEST_CASE("probabilities of faults are accepted from 0 to 1 each and in sum, and refused beyond that") {
  using Member = double FaultInjectorConfig::*;
  for (const auto& [key, member] : {std::pair<std::string, Member>{"faults.single_bit_per_flit",
                                                                   &FaultInjectorConfig::single_bit_per_flit},
                                    {"faults.double_bit_per_flit", &FaultInjectorConfig::double_bit_per_flit},
                                    {"faults.lost_per_flit", &FaultInjectorConfig::lost_per_flit}}) {
    for (const double taken : {0.0, 0.5, 1.0}) {
      FaultInjectorConfig config;
      config.*member = taken;
      CHECK(test::refused_key(config).empty());
    }
    for (const double refused : {-0.001, 1.001, std::numeric_limits<double>::quiet_NaN()}) {
      FaultInjectorConfig config;
      config.*member = refused;
      CHECK(test::refused_key(config) == key);
    }
  }
  FaultInjectorConfig config;
  config.single_bit_per_flit = 0.25;
  config.double_bit_per_flit = 0.25;
  config.lost_per_flit = 0.5;
  CHECK(test::refused_key(config).empty());
  config.double_bit_per_flit = 0.375;
  CHECK(test::refused_key(config) == "faults.single_bit_per_flit");
}
