// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "support/catch.h"
#include "tsuji/core/arena.h"
#include "tsuji/router/vc/vc_allocation.h"

using namespace tsuji;
using namespace tsuji::router;

namespace {

constexpr unsigned ports = 3, vcs = 2, depth = 4;

/// The stage with its outputs and the buffers downstream of them, and heads at input virtual channels.
struct Stage {
  explicit Stage(const VcRouterConfig& config)
      : allocation({config, 0, 1, pool, arena}, {ports * vcs, ports, vcs, 2}) {
    FlitChannelConfig channel;
    channel.vcs = vcs;
    channel.depth_flits = depth;
    for (unsigned p = 0; p < ports; ++p) {
      out.push_back(std::make_unique<FlitChannel>(channel));
      calendars.push_back(std::make_unique<ArrivalCalendar>(arena, vcs, 8));
      out[p]->bind_receiver({}, *calendars[p], 0, 0, arena);
      out[p]->bind_sender({}, own_calendar, 1, outputs[p].sender);
      ends[p].out = out[p].get();
      outputs[p].free_vcs = outputs[p].all_vcs = routing::vc_range(0, vcs);
    }
    allocation.bind(outputs, ends);
  }
  /// A head of a packet of `flits` flits on the first virtual channel of `port`.
  InputVc& head(unsigned port, unsigned flits, const std::vector<routing::RouteCandidate>& candidates) {
    InputVc& vc = inputs[port];
    vc.port = static_cast<std::uint8_t>(port);
    vc.number = static_cast<std::uint16_t>(port * vcs);
    PacketRef packet = pool.make_bare();
    packet.edit().flits = static_cast<std::uint16_t>(flits);
    vc.begin(packet.detach(), 0);
    routing::RouteSet routes;
    for (const routing::RouteCandidate& one : candidates) routes.add(one.port, one.vcs, one.rank);
    allocation.keep(vc, routes);
    return vc;
  }
  VcAllocation::Answer request(InputVc& vc, Cycle now) {
    again = never;
    return allocation.request(vc, now, again);
  }

  PacketPool pool;
  Arena arena;
  OutputPort outputs[ports];
  RouterPort ends[ports];
  InputVc inputs[ports];
  std::vector<std::unique_ptr<FlitChannel>> out;
  std::vector<std::unique_ptr<ArrivalCalendar>> calendars;
  ArrivalCalendar own_calendar{arena, ports* vcs + 1, 8};
  VcAllocation allocation;
  Cycle again = never;
};

using Answer = VcAllocation::Answer;

}  // namespace

TEST_CASE("a head requests the free virtual channels of its candidate, and is parked where there is none") {
  const VcRouterConfig config;
  Stage stage(config);
  InputVc& vc = stage.head(0, 2, {{1, 3, 0}});
  CHECK(stage.request(vc, 10) == Answer::requested);
  const VcAllocator::Requests first = stage.allocation.allocate();
  REQUIRE(first.end() - first.begin() == 1);
  CHECK(first.begin()->input_vc == vc.number);
  CHECK(first.begin()->port == 1);
  CHECK(first.begin()->granted == 0);
  CHECK_FALSE(stage.allocation.any_requests());
  stage.outputs[1].take(0);
  CHECK(stage.request(vc, 11) == Answer::requested);
  CHECK(stage.allocation.allocate().begin()->granted == 1);
  stage.outputs[1].take(1);
  CHECK_FALSE(stage.allocation.any_parked());
  CHECK(stage.request(vc, 12) == Answer::parked);
  CHECK(stage.again == never);
  CHECK(stage.allocation.any_parked());
  CHECK(stage.allocation.take_parked(0) == std::uint64_t{1} << vc.number);
  CHECK_FALSE(stage.allocation.any_parked());
  CHECK(stage.allocation.take_parked(0) == 0);
  stage.outputs[1].release(1);
  CHECK(stage.request(vc, 13) == Answer::requested);
}

TEST_CASE("a forgotten head is not parked any more") {
  const VcRouterConfig config;
  Stage stage(config);
  stage.outputs[1].free_vcs = 0;
  InputVc &one = stage.head(0, 2, {{1, 3, 0}}), &other = stage.head(2, 2, {{1, 3, 0}});
  CHECK(stage.request(one, 10) == Answer::parked);
  CHECK(stage.request(other, 10) == Answer::parked);
  stage.allocation.forget(one);
  CHECK(stage.allocation.take_parked(0) == std::uint64_t{1} << other.number);
}

TEST_CASE("candidates whose links are down leave no route, unless the head waits for them") {
  VcRouterConfig config;
  config.dead_route = GENERATE(DeadRoute::drop, DeadRoute::wait);
  const Answer expected = config.dead_route == DeadRoute::drop ? Answer::no_route : Answer::parked;
  Stage stage(config);
  InputVc& vc = stage.head(0, 2, {{1, 3, 0}, {2, 3, 1}});
  stage.out[1]->set_down(true, 9);
  CHECK(stage.request(vc, 10) == Answer::requested);
  CHECK(stage.allocation.allocate().begin()->port == 2);
  stage.out[2]->set_down(true, 10);
  CHECK(stage.request(vc, 11) == expected);
  CHECK(stage.request(stage.head(1, 2, {}), 11) == Answer::no_route);
}

TEST_CASE(
    "a virtual channel is allocated again at once, when the packet fits, or when all credits are back") {
  VcRouterConfig config;
  const unsigned kind = GENERATE(0U, 1U, 2U);
  if (kind == 1) config.switching = Switching::virtual_cut_through;
  if (kind == 2) config.atomic_vcs = true;
  Stage stage(config);
  InputVc& vc = stage.head(0, 2, {{1, 1, 0}});
  // Three flits of another packet are in the buffer of four; the first two of them leave it.
  Flit flit;
  flit.flags = Flit::is_flit;
  for (unsigned f = 0; f < 3; ++f) {
    flit.sequence = static_cast<std::uint16_t>(f);
    stage.out[1]->send(10 + f, 0, flit);
  }
  CHECK(stage.request(vc, 20) == (kind == 0 ? Answer::requested : Answer::parked));
  CHECK(stage.again == never);
  stage.out[1]->pop(20, 0);
  const Cycle back = stage.out[1]->ring(0).credits_at(2);
  REQUIRE(back > 21);
  CHECK(stage.request(vc, 21) == (kind == 0 ? Answer::requested : Answer::parked));
  CHECK(stage.again == (kind == 1 ? back : never));
  CHECK(stage.request(vc, back) == (kind == 2 ? Answer::parked : Answer::requested));
  for (unsigned f = 0; f < 2; ++f) stage.out[1]->pop(back + f, 0);
  const Cycle empty = stage.out[1]->ring(0).credits_at(depth);
  CHECK(stage.request(vc, empty - 1) == (kind == 2 ? Answer::parked : Answer::requested));
  CHECK(stage.request(vc, empty) == Answer::requested);
}

TEST_CASE("a parked head is woken by the credits that it needs") {
  VcRouterConfig config;
  config.atomic_vcs = true;
  Stage stage(config);
  InputVc& vc = stage.head(0, 2, {{1, 1, 0}});
  Flit flit;
  flit.flags = Flit::is_flit;
  stage.out[1]->send(10, 0, flit);
  CHECK(stage.request(vc, 20) == Answer::parked);
  stage.out[1]->pop(20, 0);
  CHECK((stage.own_calendar.take(0, stage.out[1]->ring(0).credits_at(depth)) >> (ports * vcs) & 1U) == 1);
}

TEST_CASE("a candidate without an output is a broken routing, with router, cycle and packet") {
  const VcRouterConfig config;
  Stage stage(config);
  stage.outputs[1].all_vcs = 0;
  stage.outputs[1].free_vcs = 0;
  InputVc& vc = stage.head(0, 2, {{1, 3, 0}});
  CHECK_THROWS_WITH(stage.request(vc, 77),
                    Catch::Contains("cycle 77") && Catch::Contains("port 1, which has no output"));
}
