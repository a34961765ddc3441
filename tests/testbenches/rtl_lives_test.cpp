// SPDX-License-Identifier: Apache-2.0
// Lifetimes of Verilated RTL: any number of instances, made and destroyed in any order, under the address
// sanitizer.

#include <systemc.h>  // as Verilator wants it

#include "Vrtl_lives.h"
#include "Vrtl_lives__Dpi.h"

#include <verilated_vcd_c.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "router/verilated_rtl.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::bench;

int rtl_lives_call(int value) {
  return rtl_lives_back(2 * value);
}

namespace {

using Texts = std::vector<std::string>;

class Life final : public VerilatedRtl<Vrtl_lives, VerilatedVcdC> {
 public:
  explicit Life(const std::string& name) : VerilatedRtl(name) {}
  /// Runs one cycle with this value at the input. Returns the failed checks of its rising edge.
  Texts cycle(unsigned char value, Picoseconds time = 1000) {
    model().value = value;
    model().clock = 0;
    eval(time);
    model().clock = 1;
    eval(time);
    return checks();
  }
  /// Failed checks, with the file's name without its path.
  Texts checks() {
    Texts texts = messages.take();
    for (std::string& text : texts) text.erase(0, text.find("rtl_lives.sv"));
    return texts;
  }
};

std::unique_ptr<Life> life(std::size_t number) {
  return std::make_unique<Life>("r" + std::to_string(number));
}

/// Checks that the instance has separate scopes, functions and messages.
void check_alive(Life& one, const std::string& name) {
  CHECK(one.cycle(1, 12'340) ==
        Texts{"rtl_lives.sv:14: Assertion failed in " + name + ".rtl_lives: " + name + ".rtl_lives at 1234"});
  CHECK(one.cycle(20).empty());
  CHECK(one.model().answer == 60);
}

/// A Verilated class whose construction fails.
class Unmade {
 public:
  Unmade(VerilatedContext*, const char*) { throw std::runtime_error("unmade"); }
  void eval() {}
  void final() {}
};

bool no_context_is_left() {
  return Verilated::threadContextp() == Verilated::defaultContextp();
}

}  // namespace

TEST_CASE("instances of Verilated RTL are destroyed in any order") {
  for (std::size_t count = 1; count <= 4; ++count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    do {
      std::vector<std::unique_ptr<Life>> lives;
      for (std::size_t n = 0; n < count; ++n) lives.push_back(life(n));
      for (const std::size_t n : order) {
        check_alive(*lives[n], "r" + std::to_string(n));
        lives[n].reset();
        CHECK(no_context_is_left());
        for (std::size_t other = 0; other < count; ++other)
          if (lives[other]) check_alive(*lives[other], "r" + std::to_string(other));
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_CASE(
    "instances of Verilated RTL are made and destroyed at random, evaluated or not, with and without "
    "waveforms") {
  std::mt19937 random(1);
  std::vector<std::unique_ptr<Life>> lives(64);
  for (unsigned round = 0; round < 3000; ++round) {
    const std::size_t n = random() % lives.size();
    std::unique_ptr<Life>& one = lives[n];
    if (one && random() % 2 == 0) {
      check_alive(*one, "r" + std::to_string(n));
    } else if (one) {
      one.reset();
    } else {
      one = life(n);
      if (random() % 16 == 0) one->open_wave("rtl_lives.vcd");
    }
  }
  lives.clear();
  std::remove("rtl_lives.vcd");
  CHECK(no_context_is_left());
}

TEST_CASE("instances of Verilated RTL with one name have separate scopes") {
  const auto stays = life(0);
  const VerilatedContext& context = *Verilated::threadContextp();
  auto goes = life(0);
  check_alive(*stays, "r0");
  goes.reset();
  CHECK(context.scopeFind("r0.rtl_lives") != nullptr);
}

TEST_CASE("a failed construction of Verilated RTL leaves the thread no dangling context") {
  CHECK_THROWS_WITH(VerilatedRtl<Unmade>("r0"), "unmade");
  CHECK(no_context_is_left());
}

TEST_CASE("messages of Verilated RTL are its failed checks with file and line") {
  const auto one = life(0);
  CHECK(one->cycle(0).empty());
  CHECK(one->cycle(2) == Texts{"rtl_lives.sv:15: $finish"});
  CHECK(one->cycle(3) == Texts{"rtl_lives.sv:16: $stop"});
  CHECK(one->cycle(4) == Texts{"rtl_lives.sv:17: Assertion failed in r0.rtl_lives: for good"});
  CHECK(one->cycle(5) == Texts{"rtl_lives.sv:21: Assertion failed in r0.rtl_lives: after a line"});
  CHECK(one->cycle(6) == Texts{"rtl_lives.sv:22: Assertion failed in r0.rtl_lives.own: 'assert' failed."});
}

TEST_CASE("Verilated RTL whose signals never settle is aborted") {
  const auto one = life(0);
  CHECK_THROWS_WITH(one->cycle(7), Catch::EndsWith("did not converge."));
  CHECK(one->cycle(0).empty());
}

TEST_CASE("final blocks of Verilated RTL run once, and not without an evaluation") {
  const auto unused = life(0);
  unused->model().value = 8;
  unused->run_final_blocks();
  CHECK(unused->messages.empty());
  const auto used = life(1);
  used->cycle(8, 20'000);
  unused->cycle(0, 30'000);
  used->run_final_blocks();
  CHECK(used->checks() ==
        Texts{"rtl_lives.sv:26: Assertion failed in r1.rtl_lives: r1.rtl_lives at the end, 2000"});
  used->run_final_blocks();
  CHECK(used->messages.empty());
}

TEST_CASE("the simulation's time is $time in the RTL's precision") {
  OwnContext context(1);
  for (const auto& [precision, units] :
       {std::pair(-12, 12'340'000U), std::pair(-9, 12'340U), std::pair(-6, 12U)}) {
    context.use().timeprecision(precision);
    context.set_time(12'340'000);
    CHECK(context.use().time() == units);
  }
  context.use().timeprecision(-15);
  context.set_time(7);
  CHECK(context.use().time() == 7000);
}
