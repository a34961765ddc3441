// SPDX-License-Identifier: Apache-2.0

#include "tsuji/link/flit_link.h"
#include "support/catch.h"
#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/arena.h"

using namespace tsuji;

TEST_CASE("flit link: an end receives the other end's flits, and each channel has its name and its sizes") {
  const ClockDomain owner("owner", {});
  FlitChannelConfig there, back;
  there.vcs = 3;
  back.vcs = 5;
  FlitLink link(owner, 'n', 12, &there, &back);
  const FlitLink& same = link;
  CHECK(link.name() == "owner.n12");
  REQUIRE(link.forward() != nullptr);
  REQUIRE(link.backward() != nullptr);
  CHECK(link.forward()->vcs() == 3);
  CHECK(link.backward()->vcs() == 5);
  CHECK(link.a().out() == link.forward());
  CHECK(link.b().in() == link.forward());
  CHECK(link.b().out() == link.backward());
  CHECK(link.a().in() == link.backward());
  CHECK(same.forward() == link.forward());
  CHECK(same.backward() == link.backward());
  CHECK(link.forward()->name() == "owner.n12->");
  CHECK(link.backward()->name() == "owner.n12<-");
}

TEST_CASE("flit link: a default channel takes a cycle in each direction, and one for its credit") {
  const FlitChannelConfig config;
  FlitChannel channel(config);
  Arena arena;
  ArrivalCalendar sends(arena, 4, 8), receives(arena, 4, 8);
  FlitSender sender;
  channel.bind_receiver({}, receives, 0, 0, arena);
  channel.bind_sender({}, sends, 1, sender);
  CHECK(channel.vcs() == 4);
  CHECK(channel.depth_flits() == 8);
  CHECK(channel.flit_cycles() == 1);
  CHECK(channel.ready_after() == 1);
  CHECK(channel.flits_held() == 0);
  FlitChannelConfig slow;
  slow.flit_cycles = 3;  // handled with its first word
  CHECK(FlitChannel(slow).ready_after() == 1);
  Flit flit;
  flit.flags = Flit::is_flit | Flit::head | Flit::tail;
  channel.send(10, 2, flit);
  CHECK(channel.ring(2).front().cycle() == 10 + 1 + 1);
  channel.pop(12, 2);
  CHECK(channel.last_event() == 12 + 1 + 1 + 1);
}

TEST_CASE("flit link: a watch for a credit is cancelled by the index that set it, and by no other") {
  for (const unsigned forgets : {3U, 4U}) {
    FlitChannelConfig config;
    config.depth_flits = 1;
    FlitChannel channel(config);
    Arena arena;
    ArrivalCalendar sends(arena, 8, 8), receives(arena, 4, 8);
    FlitSender sender;
    channel.bind_receiver({}, receives, 0, 0, arena);
    channel.bind_sender({}, sends, 1, sender);
    Flit flit;
    flit.flags = Flit::is_flit | Flit::head | Flit::tail;
    channel.send(10, 1, flit);
    channel.watch_credit(1, 3);
    channel.forget_watch(1, forgets);
    channel.pop(12, 1);
    CHECK(sends.take(0, 12 + 3) == (forgets == 3 ? 0 : 1U << 3));
  }
}

TEST_CASE("flit link: a one-way link has one channel") {
  const ClockDomain owner("owner", {});
  const FlitChannelConfig config;
  FlitLink there(owner, 'l', 0, &config, nullptr), back(owner, 'l', 1, nullptr, &config);
  CHECK(there.backward() == nullptr);
  CHECK(there.a().in() == nullptr);
  CHECK(there.b().out() == nullptr);
  CHECK(there.a().out() == there.forward());
  CHECK(back.forward() == nullptr);
  CHECK(back.a().out() == nullptr);
  CHECK(back.b().in() == nullptr);
  CHECK(back.a().in() == back.backward());
}
