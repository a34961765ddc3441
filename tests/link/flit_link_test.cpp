#include <catch2/catch.hpp>

#include "tsuji/link/clock_domain.h"
#include "tsuji/link/flit_link.h"

using namespace tsuji;

TEST_CASE(
    "flit link: an end receives what the other one sends, and each channel has its name and its sizes") {
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

TEST_CASE("flit link: one that leads one way has one channel") {
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
