#pragma once

#include <cstdint>

#include "host/plain_bench.h"
#include "tsuji/core/random.h"

namespace tsuji::host::test {

/// Words of its own that an initiator writes and reads back, by threads and by non-blocking requests that
/// follow each other, in each form of END_RESP.
struct Mixture {
  static constexpr unsigned rounds = 200;
  Mixture(PlainInitiator<>& own, unsigned id) : initiator(own), number(id) {
    initiator.form = static_cast<EndForm>(number % 3);
    for (unsigned thread = 0; thread < 3; ++thread) sc_core::sc_spawn([this, thread] { block(thread); });
    sc_core::sc_spawn([this] { request(); });
  }
  static void pause(CounterRandom& random) { sc_core::wait(cycles(0.25 * random.below(200))); }
  std::uint64_t place(unsigned who) const { return 4096 * number + 512 * who; }
  void block(unsigned who) {
    CounterRandom random(number, who);
    for (unsigned round = 0; round < rounds; ++round) {
      pause(random);
      std::uint64_t word = random.next(), read = 0;
      const std::uint64_t at = place(who) + random.below(300);
      initiator.transport(tlm::TLM_WRITE_COMMAND, at, &word, 8, cycles(0.25 * random.below(100)));
      CHECK(initiator.transport(tlm::TLM_READ_COMMAND, at, &read, 8) >= sc_core::sc_time_stamp());
      CHECK(read == word);
      ++served;
    }
  }
  void request() {
    CounterRandom random(number, 9);
    for (unsigned round = 0; round < rounds; ++round) {
      pause(random);
      std::uint64_t read = ~std::uint64_t{0};
      auto& payload = initiator.make();
      initiator.fill(payload, tlm::TLM_READ_COMMAND, place(7), &read, 8);
      const std::size_t before = initiator.answers.size();
      CHECK(initiator.request(payload) == tlm::TLM_ACCEPTED);
      while (initiator.answers.size() == before) sc_core::wait(cycles(0.5));
      pause(random);
      if (initiator.form == EndForm::called_later) CHECK(initiator.end(payload) == tlm::TLM_COMPLETED);
      CHECK(read == 0);
      ++served;
    }
  }
  PlainInitiator<>& initiator;
  const unsigned number;
  unsigned served = 0;
};

}  // namespace tsuji::host::test
