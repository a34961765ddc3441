// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "router/paper_islip.h"
#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/router/allocators/kinds.h"
#include "tsuji/router/arbiter.h"

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

std::vector<Request> grants_of(SwitchAllocator& allocator) {
  std::vector<Request> list;
  allocator.allocate(
      [&](const SwitchGrant& grant) {
        list.push_back({grant.input, grant.output, grant.vc});
      },
      [](const WrongGrant& wrong) { FAIL(wrong.reason); });
  return list;
}

/// Allocator that returns the grants given by the test.
class ScriptedAllocator final : public SwitchAllocator {
 public:
  using SwitchAllocator::SwitchAllocator;
  std::vector<Request> script;

 private:
  void match() override {
    for (const auto& [input, output, vc] : script) grant(input, output, vc);
  }
};

void ask(SwitchAllocator& allocator, const std::set<Request>& requests) {
  for (const auto& [input, output, vc] : requests) allocator.request(input, output, vc);
}

void forget(SwitchAllocator& allocator, const std::set<Request>& requests) {
  for (const auto& [input, output, vc] : requests) allocator.withdraw(input, output, vc);
}

/// Bytes that an allocator takes of its arena.
template <class Kinds, class Shape>
double bytes_of(const Kinds& kinds, const std::string& kind, const Shape& shape) {
  constexpr std::size_t large_page = std::size_t{1} << 21;
  Arena arena;
  const auto place = [&] { return static_cast<const std::byte*>(arena.take(1, 1)); };
  arena.take(large_page, 1);  // the next pieces lie one after another in the rest of its chunk
  const std::byte* const first = place();
  const auto allocator = kinds.make(kind, arena, shape);
  return static_cast<double>(place() - first);
}

}  // namespace

TEST_CASE("a switch allocator grants an input and an output once, and only what was requested") {
  const auto kind = GENERATE("separable", "matrix", "islip", "strict_priority", "weighted_round_robin");
  const auto iterations = GENERATE(1U, 3U);
  const SwitchShape shape{7, 5, 4};
  Arena arena;
  SwitchAllocatorKinds kinds = switch_allocator_kinds();
  MessageClasses classes;
  classes.all.resize(2);
  classes.all[1].first_vc = 1;
  classes.all[1].vcs = 3;
  classes.all[1].weight = 2;
  classes.order = ClassOrder::weighted_round_robin;
  kinds.of<ClassSwitchConfig>().policy = classes.policy();
  kinds.of<IslipConfig>().islip_iterations = iterations;
  CHECK(kinds.traits(kind).keeps_contract);  // a run does not repeat these checks
  const auto allocator = kinds.make(kind, arena, shape);
  CounterRandom random(3, 1);
  for (unsigned cycle = 0; cycle < 2000; ++cycle) {
    const std::set<Request> requests = random_requests(random, shape, 0.05 + 0.4 * random.unit());
    ask(*allocator, requests);
    std::set<unsigned> inputs, outputs;
    const std::vector<Request> grants = grants_of(*allocator);
    for (const Request& grant : grants) {
      CHECK(requests.count(grant) == 1);
      CHECK(inputs.insert(std::get<0>(grant)).second);
      CHECK(outputs.insert(std::get<1>(grant)).second);
    }
    CHECK((requests.empty() || !grants.empty()));
    CHECK(allocator->any() == !requests.empty());  // requests remain until they are withdrawn
    forget(*allocator, requests);
    CHECK_FALSE(allocator->any());
  }
}

TEST_CASE("a switch allocator refuses grants of one input or output twice, and of what was not requested") {
  const auto reason_of = [](const std::vector<Request>& script) {
    Arena arena;
    ScriptedAllocator allocator(arena, {2, 2, 2});
    ask(allocator, {{0, 0, 0}, {0, 1, 1}, {1, 0, 0}});
    allocator.script = script;
    std::string reason;
    allocator.allocate([](const SwitchGrant&) {}, [&](const WrongGrant& wrong) { reason = wrong.reason; });
    return reason;
  };
  CHECK(reason_of({{0, 1, 1}, {1, 0, 0}}).empty());
  CHECK(reason_of({{0, 0, 0}, {1, 0, 0}}) == "the output has another grant");
  CHECK(reason_of({{0, 0, 0}, {0, 1, 1}}) == "the input has another grant");
  CHECK(reason_of({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}) ==
        "there are more grants than outputs");
  const Request wrong =
      GENERATE(Request{1, 1, 0}, Request{0, 0, 1}, Request{0, 2, 0}, Request{0, 64, 0}, Request{0, 200, 0},
               Request{2, 0, 0}, Request{200, 0, 0}, Request{0, 0, 16}, Request{0, 0, 200});
  CHECK(reason_of({wrong}) == "nothing requests that");
}

TEST_CASE("iSLIP grants what the published algorithm grants") {
  const auto iterations = GENERATE(1U, 2U, 4U);
  const auto vcs = GENERATE(1U, 4U);
  const auto ports = GENERATE(6U, 20U);  // lines in one word and in more
  const SwitchShape shape{ports, ports, vcs};
  Arena arena;
  const auto allocator = IslipConfig{iterations}.make(arena, shape);
  PaperIslip paper(shape, iterations);
  CounterRandom random(5, 1);
  for (unsigned cycle = 0; cycle < 3000; ++cycle) {
    const std::set<Request> requests = random_requests(random, shape, 0.02 + 0.6 * random.unit());
    ask(*allocator, requests);
    const std::vector<Request> grants = grants_of(*allocator);
    CHECK(std::set<Request>(grants.begin(), grants.end()) == paper.match(requests));
    forget(*allocator, requests);
  }
}

TEST_CASE("the order of requests does not matter to a switch allocator") {
  const auto kind = GENERATE("separable", "matrix", "islip");
  const SwitchShape shape{5, 5, 4};
  Arena arena;
  const auto forward = switch_allocator_kinds().make(kind, arena, shape);
  const auto backward = switch_allocator_kinds().make(kind, arena, shape);
  CounterRandom random(9, 1);
  for (unsigned cycle = 0; cycle < 1000; ++cycle) {
    const std::set<Request> requests = random_requests(random, shape, 0.3);
    ask(*forward, requests);
    for (auto r = requests.rbegin(); r != requests.rend(); ++r)
      backward->request(std::get<0>(*r), std::get<1>(*r), std::get<2>(*r));
    const auto one = grants_of(*forward), other = grants_of(*backward);
    CHECK(std::set<Request>(one.begin(), one.end()) == std::set<Request>(other.begin(), other.end()));
    forget(*forward, requests);
    forget(*backward, requests);
  }
}

TEST_CASE("inputs that all want one output are served in turn") {
  const auto kind = GENERATE("separable", "matrix", "islip");
  const SwitchShape shape{4, 4, 2};
  Arena arena;
  const auto allocator = switch_allocator_kinds().make(kind, arena, shape);
  for (unsigned input = 0; input < 4; ++input) {
    allocator->request(input, 2, 0);
    allocator->request(input, 2, 1);
  }
  std::map<Request, unsigned> served;
  for (unsigned cycle = 0; cycle < 80; ++cycle) {
    for (const Request& grant : grants_of(*allocator)) ++served[grant];
  }
  REQUIRE(served.size() == 8);
  for (const auto& [request, times] : served) CHECK(times == 10);
}

TEST_CASE("iSLIP desynchronizes: a fully loaded switch sends on every output in every cycle") {
  constexpr unsigned ports = 8;
  const SwitchShape shape{ports, ports, ports};
  Arena arena;
  const auto allocator = IslipConfig().make(arena, shape);
  for (unsigned input = 0; input < ports; ++input) {
    for (unsigned output = 0; output < ports; ++output) allocator->request(input, output, output);
  }
  for (unsigned cycle = 0; cycle < 2 * ports; ++cycle) grants_of(*allocator);
  for (unsigned cycle = 0; cycle < 100; ++cycle) CHECK(grants_of(*allocator).size() == ports);
}

TEST_CASE("a matrix arbiter serves the least recently served requester") {
  Arena arena;
  MatrixBank bank(arena, 2, 5);
  std::vector<unsigned> last_served(5, 0);
  CounterRandom random(2, 2);
  for (unsigned time = 1; time < 2000; ++time) {
    const std::uint64_t wishes = 1 + random.below(31);
    const unsigned picked = bank.arbitrate(1, wishes);
    REQUIRE((wishes >> picked & 1U) == 1);
    for (unsigned line = 0; line < 5; ++line) {
      if ((wishes >> line & 1U) == 0 || line == picked) continue;
      // Requesters that were never served go by number.
      CHECK((last_served[picked] < last_served[line] ||
             (last_served[picked] == last_served[line] && picked < line)));
    }
    bank.served(1, picked);
    last_served[picked] = time;
  }
}

TEST_CASE("a virtual-channel allocator grants a head one free channel, and a channel to one head") {
  const auto kind = GENERATE("separable", "matrix", "islip");
  const VcAllocatorShape shape{20, 5, 4};
  Arena arena;
  CHECK(vc_allocator_kinds().traits(kind).keeps_contract);  // a run does not repeat these checks
  const auto allocator = vc_allocator_kinds().make(kind, arena, shape);
  CounterRandom random(4, 4);
  for (unsigned cycle = 0; cycle < 2000; ++cycle) {
    std::map<unsigned, std::pair<unsigned, unsigned>> wishes;  // input vc -> port, mask
    for (unsigned v = 0; v < shape.input_vcs; ++v) {
      if (random.unit() > 0.2) continue;
      wishes[v] = {static_cast<unsigned>(random.below(5)), 1 + static_cast<unsigned>(random.below(15))};
      allocator->request(v, wishes[v].first, static_cast<std::uint16_t>(wishes[v].second));
    }
    if (!allocator->any()) continue;
    std::set<std::pair<unsigned, unsigned>> taken;
    std::set<unsigned> ports_served, ports_wanted;
    for (const VcRequest& request : allocator->allocate()) {
      ports_wanted.insert(request.port);
      if (request.granted == VcRequest::nothing) continue;
      CHECK((wishes.at(request.input_vc).second >> request.granted & 1U) == 1);
      CHECK(taken.insert({request.port, request.granted}).second);
      ports_served.insert(request.port);
    }
    CHECK(ports_served == ports_wanted);  // every requested port grants a channel
  }
}

TEST_CASE("heads that compete for one virtual channel get it in turn") {
  const auto kind = GENERATE("separable", "matrix", "islip");
  Arena arena;
  const auto allocator = vc_allocator_kinds().make(kind, arena, {6, 2, 4});
  std::map<unsigned, unsigned> served;
  for (unsigned cycle = 0; cycle < 60; ++cycle) {
    for (unsigned v = 0; v < 6; ++v) allocator->request(v, 1, 0b0100);
    for (const VcRequest& request : allocator->allocate()) {
      if (request.granted != VcRequest::nothing) ++served[request.input_vc];
    }
  }
  for (unsigned v = 0; v < 6; ++v) CHECK(served[v] == 10);
}

TEST_CASE(
    "an uncontested head gets the output's virtual channels in turn, and then has the lowest priority") {
  const auto kind = GENERATE("islip", "separable", "matrix");
  Arena arena;
  VcAllocatorShape shape;
  shape.input_vcs = 3;
  shape.ports = 2;
  shape.vcs = 4;
  const auto allocator = vc_allocator_kinds().make(kind, arena, shape);
  for (const unsigned expected : {0U, 1U, 2U, 3U, 0U}) {
    allocator->request(1, 1, 0xf);
    CHECK(allocator->allocate().begin()->granted == expected);
  }
  // Virtual channel 2 has served input 1, and not yet input 2.
  for (const unsigned input : {1U, 2U}) allocator->request(input, 1, 1U << 2);
  for (const VcRequest& request : allocator->allocate())
    CHECK((request.granted == 2) == (request.input_vc == 2));
}

TEST_CASE("iSLIP moves the pointers of virtual channels in its first iteration alone") {
  Arena arena;
  VcAllocatorShape shape;
  shape.input_vcs = 3;
  shape.ports = 1;
  shape.vcs = 2;
  const auto allocator = IslipConfig{2}.make(arena, shape);
  const auto granted = [&] {
    for (const unsigned input : {0U, 1U, 2U}) allocator->request(input, 0, 3);
    std::vector<unsigned> list;
    for (const VcRequest& request : allocator->allocate()) list.push_back(request.granted);
    return list;
  };
  constexpr unsigned none = VcRequest::nothing;
  // Both prefer input 0, which takes 0; in the second iteration 1 goes to input 1, and still prefers input 0.
  CHECK(granted() == std::vector<unsigned>{0, 1, none});
  CHECK(granted() == std::vector<unsigned>{1, 0, none});
}

TEST_CASE("a virtual-channel allocator has 64 ports at most") {
  Arena arena;
  for (const std::string& kind : vc_allocator_kinds().names()) {
    VcAllocatorShape shape;
    shape.input_vcs = 4;
    shape.ports = 64;
    CHECK_NOTHROW(vc_allocator_kinds().make(kind, arena, shape));
    shape.ports = 65;
    CHECK_THROWS_WITH(vc_allocator_kinds().make(kind, arena, shape), Catch::Contains("more than 64 ports"));
  }
}

TEST_CASE("an allocator takes memory for pairs of virtual channels as its kind states") {
  constexpr unsigned ports = 32, vcs = 4, lines = ports * vcs;
  constexpr double pairs = double{lines} * lines;
  for (const std::string& kind : vc_allocator_kinds().names()) {
    const double bytes = bytes_of(vc_allocator_kinds(), kind, VcAllocatorShape{lines, ports, vcs});
    CHECK(vc_allocator_kinds().traits(kind).bytes_of_pair == Approx(bytes / pairs).margin(0.7));
  }
  for (const std::string& kind : switch_allocator_kinds().names()) {
    const double bytes = bytes_of(switch_allocator_kinds(), kind, SwitchShape{ports, ports, vcs});
    CHECK(switch_allocator_kinds().traits(kind).bytes_of_pair == Approx(bytes / pairs).margin(0.7));
  }
}

TEST_CASE("an allocator names its algorithm") {
  Arena arena;
  VcAllocatorShape of_vcs{8, 2, 4};
  of_vcs.input_arbiter = GENERATE(VaInputArbiter::vcs, VaInputArbiter::ports_and_vcs);
  const auto vc_allocation = [&](const std::string& kind) {
    return vc_allocator_kinds().make(kind, arena, of_vcs)->stands_for();
  };
  CHECK(vc_allocation("islip") == "virtual-channel allocation by iSLIP");
  CHECK(vc_allocation("separable") == "separable virtual-channel allocation, input first");
  CHECK(vc_allocation("matrix") == "separable virtual-channel allocation, input first");
  SwitchAllocatorKinds kinds = switch_allocator_kinds();
  kinds.of<SeparableSwitchConfig>().sa_input_arbiter = GENERATE(SaInputArbiter::vcs, SaInputArbiter::outputs);
  const auto switch_allocation = [&](const std::string& kind) {
    return kinds.make(kind, arena, {2, 2, 4})->stands_for();
  };
  CHECK(switch_allocation("islip") == "switch allocation by iSLIP");
  CHECK(switch_allocation("separable") == "separable switch allocation, input first");
  CHECK(switch_allocation("matrix") == "separable switch allocation, input first");
  for (const char* const kind : {"strict_priority", "weighted_round_robin"})
    CHECK(switch_allocation(kind) == "separable switch allocation between classes of messages, output first");
}
