// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <vector>

#include "network/vc_rig.h"
#include "own_kinds.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/router/allocators/kinds.h"

// Custom allocators in a network, each a class, a struct of parameters and an entry in a copy of the tables.
// The switch allocator is that of platforms/example.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

/// Gives heads the lowest free channel, one after another; some channels are never given.
class LowestVc final : public router::VcAllocator {
 public:
  LowestVc(Arena& arena, const router::VcAllocatorShape& shape, unsigned kept)
      : VcAllocator(arena, shape), granted_(~0U << kept) {}

 private:
  void allocate_alone(router::VcRequest& /*request*/) override { allocate_all(); }
  void allocate_all() override {
    std::array<unsigned, 64> free{};
    free.fill(granted_);
    for (router::VcRequest& request : requests()) {
      const unsigned vcs = request.vcs & free.at(request.port);
      if (vcs == 0) continue;
      request.granted = static_cast<std::uint8_t>(router::first_of(vcs, 0));
      free.at(request.port) &= ~(1U << request.granted);
    }
  }

  const unsigned granted_;
};

/// Binds a new key, and a key of iSLIP.
struct LowestVcConfig {
  unsigned kept_vcs = 0;
  router::IslipConfig rounds;

  void add_keys(config::KeyTable& keys) {
    keys.add("router.kept_vcs", kept_vcs, {0, 15}, "", "lowest virtual channels, which no head is granted");
    rounds.add_keys(keys);
  }
  ArenaPtr<router::VcAllocator> make(Arena& arena, const router::VcAllocatorShape& shape) const {
    return make_in<LowestVc>(arena, arena, shape, kept_vcs + rounds.islip_iterations - 1);
  }
};

/// Grants each output to every input that requests it: against the contract.
class Lavish final : public router::SwitchAllocator {
 public:
  using SwitchAllocator::SwitchAllocator;

 private:
  void match() override {
    router::for_each_bit(wanted_, [&](unsigned output) {
      router::for_each_bit(outputs_[output].wishes, [&](unsigned input) {
        grant(input, output, router::first_of(vcs_of(input, output), 0));
      });
    });
  }
};

struct LavishConfig {
  ArenaPtr<router::SwitchAllocator> make(Arena& arena, const router::SwitchShape& shape) const {
    return make_in<Lavish>(arena, arena, shape);
  }
};

/// Grants every request its lowest channel, or a channel that it does not request: against the contract.
class LavishVc final : public router::VcAllocator {
 public:
  LavishVc(Arena& arena, const router::VcAllocatorShape& shape, unsigned beyond)
      : VcAllocator(arena, shape), beyond_(beyond) {}

 private:
  void allocate_alone(router::VcRequest& request) override {
    request.granted = static_cast<std::uint8_t>(router::first_of(request.vcs, 0) + beyond_);
  }
  void allocate_all() override {
    for (router::VcRequest& request : requests()) allocate_alone(request);
  }

  const unsigned beyond_;
};

struct LavishVcConfig {
  unsigned beyond = 0;

  void add_keys(config::KeyTable& keys) { keys.add("router.beyond", beyond, {0, 200}, "", "a mistake"); }
  ArenaPtr<router::VcAllocator> make(Arena& arena, const router::VcAllocatorShape& shape) const {
    return make_in<LavishVc>(arena, arena, shape, beyond);
  }
};

/// A mesh whose tables have the entries `lowest`, `lowest_input` and `lavish`, with their keys.
struct Machine {
  NetworkConfig config;
  config::KeyTable keys;

  explicit Machine(const std::vector<std::string>& assignments) {
    config.network.router.va_allocators.add<LowestVcConfig>("lowest");
    example::add_lowest_input(config.network.router.sa_allocators);
    config.network.router.va_allocators.add<LavishVcConfig>("lavish");
    config.network.router.sa_allocators.add<LavishConfig>("lavish");
    add_network_keys(keys, config);
    keys.set_from_command_line("topology.radices=3,3");
    for (const std::string& assignment : assignments) keys.set_from_command_line(assignment);
    keys.refuse_idle();
    config.validate();
  }
  /// Sum of the latencies of all packets, each of which is delivered.
  std::uint64_t latencies() const { return std::stoull(outcome()); }
  /// The sum as text, or the failure that ends the run.
  std::string outcome() const {
    return tsuji::test::forked([&] {
      VcRig rig(config);
      rig.build(load(0.5, 4, 1000));
      const bool idle = rig.run_until_idle(50'000);
      rig.loaded->check_conservation();
      if (!idle || rig.by_packet().size() != rig.loaded->accounts().packets_born()) return std::string("0");
      std::uint64_t sum = 0;
      for (const observe::DeliveredPacket& packet : rig.delivered) sum += packet.tail_cycle - packet.created;
      return std::to_string(sum);
    });
  }
};

}  // namespace

TEST_CASE("custom allocators are chosen by their names, and deliver all packets of a network") {
  const std::string va = "router.va_allocator=lowest", sa = "router.sa_allocator=lowest_input";
  const std::uint64_t islip = Machine({}).latencies(), own_va = Machine({va}).latencies(),
                      own_sa = Machine({sa}).latencies(),
                      fewer = Machine({va, "router.kept_vcs=3"}).latencies();
  CHECK(islip != 0);
  CHECK(own_va != 0);
  CHECK(own_va != islip);
  CHECK(own_sa != 0);
  CHECK(own_sa != islip);
  CHECK(own_sa != own_va);
  CHECK(fewer > own_va);
  const std::uint64_t both = Machine({va, sa, "router.kept_vcs=1"}).latencies();
  CHECK(both != 0);
  CHECK(both == Machine({va, sa, "router.islip_iterations=2"}).latencies());
}

TEST_CASE("custom allocators read the keys that they bind, and no others") {
  CHECK_THROWS_WITH(Machine({"router.kept_vcs=1"}),
                    Catch::Contains("has no effect with router.va_allocator islip") &&
                        Catch::Contains("accepted: router.va_allocator lowest, or"));
  CHECK_NOTHROW(Machine({"router.va_allocator=lowest", "router.sa_allocator=matrix", "router.kept_vcs=1",
                         "router.islip_iterations=2", "router.matrix_first=highest"}));
  CHECK_THROWS_WITH(
      Machine(
          {"router.va_allocator=matrix", "router.sa_allocator=lowest_input", "router.islip_iterations=2"}),
      Catch::Contains("router.va_allocator matrix and router.sa_allocator lowest_input") &&
          Catch::Contains("accepted: router.va_allocator islip, lowest, router.sa_allocator islip, or"));
  CHECK_THROWS_WITH(Machine({"router.va_allocator=lowest", "router.sa_allocator=lowest_input",
                             "router.matrix_first=highest"}),
                    Catch::Contains("accepted: router.va_allocator matrix, router.sa_allocator matrix, or"));
}

TEST_CASE("an allocator's wrong grants end the run, with the router, the cycle and the allocator's name") {
  CHECK_THAT(
      Machine({"router.sa_allocator=lavish"}).outcome(),
      Catch::Matches("exception: router [0-9]+, cycle [0-9]+: router.sa_allocator lavish grants output "
                     "[0-9] to virtual channel [0-9] of crossbar input [0-9]: the .*put has another "
                     "grant"));
  const std::string lavish = "router.va_allocator=lavish";
  const std::string grants =
      "exception: router [0-9]+, cycle [0-9]+, packet .*: router.va_allocator lavish "
      "grants virtual channel ";
  CHECK_THAT(Machine({lavish}).outcome(),
             Catch::Matches(grants + "0 of output [0-9] to virtual channel [0-9] of input [0-9]: the channel "
                                     "has another grant"));
  CHECK_THAT(Machine({lavish, "routing.kind=west_first", "router.va_input_arbiter=ports_and_vcs",
                      "router.va_requests=all"})
                 .outcome(),
             Catch::Matches(grants + ".*: the head has another grant"));
  CHECK_THAT(Machine({lavish, "router.beyond=16"}).outcome(),
             Catch::Matches(grants + "16 .*: the head does not request that"));
  CHECK_THAT(Machine({lavish, "router.vcs=2", "router.beyond=3"}).outcome(),
             Catch::Matches(grants + "3 .*: the head does not request that"));
}
