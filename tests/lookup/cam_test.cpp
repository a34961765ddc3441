// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <map>
#include <optional>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/cam.h"
#include "tsuji/lookup/cam_module.h"

using namespace tsuji;
using namespace tsuji::lookup;

namespace {

struct NaiveRow {
  std::uint64_t key, mask;
  std::uint32_t value;
};

/// Reference: rows in a map by index, so that the first match is the lowest.
class NaiveCam {
 public:
  explicit NaiveCam(const CamConfig& config) : config_(config) {}
  void write(const CamRequest& request) {
    if (request.operation == CamOperation::erase) rows_.erase(request.index);
    if (request.operation == CamOperation::insert) {
      const std::uint64_t mask = config_.kind == CamKind::ternary ? request.mask : ~std::uint64_t{0};
      rows_[request.index] = {request.key, mask, request.value};
    }
  }
  std::optional<Cam::Match> search(std::uint64_t key) const {
    for (const auto& [index, row] : rows_)
      if ((row.key & row.mask) == (key & row.mask)) return Cam::Match{index, row.value};
    return std::nullopt;
  }

 private:
  CamConfig config_;
  std::map<std::uint32_t, NaiveRow> rows_;
};

CamRequest random_request(CounterRandom& random, const CamConfig& config) {
  CamRequest request;
  request.valid = random.below(3) != 0;
  const auto kind = random.below(9);
  const CamOperation rare[] = {CamOperation::insert, CamOperation::insert, CamOperation::erase,
                               CamOperation::none};
  request.operation = kind < 5 ? CamOperation::search : rare[kind - 5];
  request.index = static_cast<std::uint32_t>(random.below(config.entries));
  request.key = random.below(40);
  request.mask = random.below(64);
  request.value = static_cast<std::uint32_t>(random.next());
  return request;
}

/// Expected answers of the memory with their cycles.
class Expectation {
 public:
  explicit Expectation(const CamConfig& config) : config_(config), naive_(config) {}
  /// Applies the cycle's request, as the memory receives it.
  void take(Cycle now, const CamRequest& request) {
    if (!request.valid || now < free_) return;
    free_ = config_.pipelined ? now + 1 : now + config_.access_cycles;
    ++accesses;
    if (request.operation == CamOperation::search)
      answers_.push_back({now + config_.access_cycles, naive_.search(request.key)});
    else
      naive_.write(request);
  }
  void check(Cycle now, const CamAnswer& answer) {
    REQUIRE(answer.ready == (now >= free_));
    const bool due = !answers_.empty() && answers_.front().first == now;
    REQUIRE(answer.valid == due);
    if (!due) return;
    const std::optional<Cam::Match> match = answers_.front().second;
    answers_.pop_front();
    REQUIRE(answer.hit == match.has_value());
    if (!match) return;
    REQUIRE(answer.index == match->index);
    REQUIRE(answer.value == match->value);
  }
  void reset() {
    naive_ = NaiveCam(config_);
    answers_.clear();
    free_ = 0;
  }
  std::uint64_t accesses = 0;

 private:
  CamConfig config_;
  NaiveCam naive_;
  Cycle free_ = 0;
  std::deque<std::pair<Cycle, std::optional<Cam::Match>>> answers_;
};

}  // namespace

TEST_CASE("a memory finds the lowest row that matches, a ternary one with masks") {
  Cam binary({CamKind::binary, 8, 16, 1, true});
  binary.insert(5, 0x12, 0, 50);
  binary.insert(3, 0x12, 0, 30);
  CHECK(binary.search(0x12)->index == 3);
  binary.erase(3);
  binary.erase(3);
  CHECK(binary.search(0x12)->value == 50);
  CHECK_FALSE(binary.search(0x13));
  Cam ternary({CamKind::ternary, 8, 16, 1, true});
  ternary.insert(0, 0xab00, 0xff00, 1);
  ternary.insert(1, 0, 0, 2);
  CHECK(ternary.search(0xab7f)->value == 1);
  CHECK(ternary.search(0x1234)->value == 2);
}

TEST_CASE("nonexistent rows and keys that are too wide break an invariant") {
  Cam cam({CamKind::ternary, 8, 16, 1, true});
  CHECK_THROWS_AS(cam.insert(8, 0, 0, 0), ModelError);
  CHECK_THROWS_AS(cam.erase(8), ModelError);
  CHECK_THROWS_AS(cam.insert(0, 0x10000, 0, 0), ModelError);
  CHECK_THROWS_AS(cam.insert(0, 0, 0x10000, 0), ModelError);
  CHECK_THROWS_AS(Cam({CamKind::binary, 0, 16, 1, true}), ConfigError);
  CHECK_THROWS_AS(Cam({CamKind::binary, 1, 65, 1, true}), ConfigError);
  CHECK_THROWS_AS(Cam({CamKind::binary, 1, 64, 0, true}), ConfigError);
}

TEST_CASE("keys have one bit at least and 64 at most") {
  CHECK_THROWS_AS(Cam({CamKind::binary, 1, 0, 1, true}), ConfigError);
  Cam one({CamKind::binary, 1, 1, 1, true});
  one.insert(0, 1, 0, 7);
  CHECK(one.search(1)->value == 7);
  CHECK_FALSE(one.search(0));
  CHECK_THROWS_AS(one.insert(0, 2, 0, 0), ModelError);
  Cam widest({CamKind::binary, 1, 64, 1, true});
  widest.insert(0, ~std::uint64_t{0}, 0, 9);
  CHECK(widest.search(~std::uint64_t{0})->value == 9);
  CHECK_FALSE(widest.search(~std::uint64_t{0} >> 1));
}

TEST_CASE("requests are taken and answered in their cycles, for random requests") {
  const CamConfig config{GENERATE(CamKind::binary, CamKind::ternary), 16, 6, GENERATE(Cycle{1}, 2, 5, 25),
                         GENERATE(true, false)};
  CAPTURE(config.access_cycles, config.pipelined);
  CounterRandom random(5, config.access_cycles);
  CamState state(config);
  Expectation wanted(config);
  CamAnswer answer;
  for (Cycle now = 0; now < 5000; ++now) {
    wanted.check(now, answer);
    if (now % 1777 == 1776) {
      answer = state.reset();
      wanted.reset();
      continue;
    }
    const CamRequest request = random_request(random, config);
    wanted.take(now, request);
    answer = state.step(request);
  }
  CHECK(state.accesses() == wanted.accesses);
}

TEST_CASE("the module with pins equals the class without SystemC in every cycle") {
  const CamConfig config{CamKind::ternary, 16, 6, 3, false};
  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true);
  sc_core::sc_signal<bool> reset("reset"), valid("valid"), ready("ready"), answered("answered"), hit("hit");
  sc_core::sc_signal<std::uint32_t> operation("operation"), index("index"), value("value"), found("found"),
      got("got");
  sc_core::sc_signal<std::uint64_t> key("key"), mask("mask");
  CamModule cam("cam", config);
  cam.clock(clock);
  cam.reset(reset);
  cam.request_valid(valid);
  cam.request_operation(operation);
  cam.request_index(index);
  cam.request_key(key);
  cam.request_mask(mask);
  cam.request_value(value);
  cam.request_ready(ready);
  cam.answer_valid(answered);
  cam.answer_hit(hit);
  cam.answer_index(found);
  cam.answer_value(got);
  CounterRandom random(6, 1);
  CamState state(config);
  CamAnswer answer;
  for (unsigned cycle = 0; cycle < 2000; ++cycle) {
    const CamRequest request = random_request(random, config);
    const bool clear = random.below(200) == 0;
    reset.write(clear);
    valid.write(request.valid);
    operation.write(static_cast<std::uint32_t>(request.operation));
    index.write(request.index);
    key.write(request.key);
    mask.write(request.mask);
    value.write(request.value);
    sc_core::sc_start(1, sc_core::SC_NS);
    answer = clear ? state.reset() : state.step(request);
    REQUIRE(ready.read() == answer.ready);
    REQUIRE(answered.read() == answer.valid);
    REQUIRE(hit.read() == answer.hit);
    REQUIRE(found.read() == answer.index);
    REQUIRE(got.read() == answer.value);
  }
}

TEST_CASE("a memory serves first come first served, one at a time, one a cycle, or all at once") {
  CamQueue one(25, 25);
  CHECK(one.start(100) == 100);
  CHECK(one.start(100) == 125);
  CHECK(one.start(110) == 150);
  CHECK(one.start(300) == 300);
  CamQueue many(25, 0);
  CHECK(many.start(100) == 100);
  CHECK(many.start(100) == 100);
  CamQueue one_a_cycle(25, 1);
  CHECK(one_a_cycle.start(100) == 100);
  CHECK(one_a_cycle.start(100) == 101);
  CHECK(one_a_cycle.start(101) == 102);
  CHECK(one_a_cycle.start(200) == 200);
}
