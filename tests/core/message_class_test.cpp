// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/message_class.h"

#include <map>

#include "support/catch.h"

using namespace tsuji;

namespace {

MessageClass class_on(unsigned first_vc, unsigned vcs, unsigned priority, unsigned weight) {
  MessageClass one;
  one.first_vc = first_vc;
  one.vcs = vcs;
  one.priority = priority;
  one.weight = weight;
  return one;
}

/// Grants of each set while all `wishes` remain.
std::map<unsigned, unsigned> grants(ClassArbiter& arbiter, const ClassPolicy& policy, unsigned wishes,
                                    unsigned cycles) {
  std::map<unsigned, unsigned> of_set;
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    const unsigned set = arbiter.choose(policy, wishes);
    REQUIRE((wishes >> set & 1U) != 0);
    arbiter.served(policy, set);
    ++of_set[set];
  }
  return of_set;
}

}  // namespace

TEST_CASE("classes with equal virtual channels are one set") {
  MessageClasses classes;
  classes.all = {class_on(0, 2, 0, 1), class_on(2, 3, 0, 1), class_on(0, 2, 0, 1), class_on(5, 1, 0, 1)};
  const ClassPolicy policy = classes.policy();
  CHECK(policy.sets == 3);
  CHECK(classes.set_of(0) == 0);
  CHECK(classes.set_of(1) == 1);
  CHECK(classes.set_of(2) == 0);
  CHECK(classes.set_of(3) == 2);
  CHECK(policy.vcs[0] == 0b000011);
  CHECK(policy.vcs[1] == 0b011100);
  CHECK(policy.vcs[2] == 0b100000);
  for (unsigned vc = 0; vc < 6; ++vc) CHECK((policy.vcs.at(policy.set_of_vc.at(vc)) >> vc & 1U) == 1);
}

TEST_CASE("a class arbiter serves weights exactly, priorities first and equals in turn") {
  MessageClasses classes;
  classes.all = {class_on(0, 1, 1, 3), class_on(1, 1, 7, 1), class_on(2, 1, 1, 5)};
  SECTION("weights") {
    classes.order = ClassOrder::weighted_round_robin;
    const ClassPolicy policy = classes.policy();
    ClassArbiter arbiter(policy);
    CHECK(grants(arbiter, policy, 0b111, 900) == std::map<unsigned, unsigned>{{0, 300}, {1, 100}, {2, 500}});
    CHECK(grants(arbiter, policy, 0b011, 400) == std::map<unsigned, unsigned>{{0, 300}, {1, 100}});
    CHECK(grants(arbiter, policy, 0b010, 5) == std::map<unsigned, unsigned>{{1, 5}});
  }
  SECTION("weights are interleaved") {
    classes.order = ClassOrder::weighted_round_robin;
    const ClassPolicy policy = classes.policy();
    ClassArbiter arbiter(policy);
    CHECK(grants(arbiter, policy, 0b111, 3).size() == 3);
  }
  SECTION("priorities") {
    classes.order = ClassOrder::strict_priority;
    const ClassPolicy policy = classes.policy();
    ClassArbiter arbiter(policy);
    CHECK(grants(arbiter, policy, 0b111, 90) == std::map<unsigned, unsigned>{{1, 90}});
    CHECK(grants(arbiter, policy, 0b101, 90) == std::map<unsigned, unsigned>{{0, 45}, {2, 45}});
  }
  SECTION("turns") {
    const ClassPolicy policy = classes.policy();
    ClassArbiter arbiter(policy);
    CHECK(grants(arbiter, policy, 0b111, 90) == std::map<unsigned, unsigned>{{0, 30}, {1, 30}, {2, 30}});
  }
}

TEST_CASE("a class knows whether it answers another") {
  MessageClasses classes;
  classes.all = {class_on(0, 1, 0, 1), class_on(1, 1, 0, 1)};
  CHECK_FALSE(classes.any_answers());
  classes.all[0].answer = 1;
  CHECK(classes.any_answers());
  CHECK(classes.answers(1));
  CHECK_FALSE(classes.answers(0));
}
