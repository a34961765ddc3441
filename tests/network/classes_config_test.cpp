// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/classes_config.h"

#include <string>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/network/config/network_config.h"

using namespace tsuji;
using namespace tsuji::network;

namespace {

MessageClasses classes_of(const std::string& list, unsigned vcs) {
  ClassesConfig config;
  config.list = list;
  return config.read(vcs);
}
std::string refusal_of(const std::string& list, unsigned vcs) {
  return tsuji::test::text_of<ConfigError>([&] { classes_of(list, vcs); }, "accepted");
}

}  // namespace

TEST_CASE("a list of classes has each value, and defaults for the others") {
  const MessageClasses classes = classes_of(
      "request vcs 0-1 priority 3 weight 4 share 5 answer reply flits 6, reply vcs 2-3 flits 7 queue 9 delay "
      "11",
      4);
  REQUIRE(classes.all.size() == 2);
  const MessageClass &request = classes.all[0], &reply = classes.all[1];
  CHECK(request.name == "request");
  CHECK(request.vc_mask() == 0x3);
  CHECK(request.priority == 3);
  CHECK(request.weight == 4);
  CHECK(request.share == 5);
  CHECK(request.answer == 1U);
  CHECK(request.flits == 6);
  CHECK(reply.vc_mask() == 0xc);
  CHECK(reply.priority == 0);
  CHECK(reply.weight == 1);
  CHECK(reply.share == 0);  // an answer is not generated, too
  CHECK(!reply.answer);
  CHECK(reply.flits == 7);
  CHECK(reply.queue == 9);
  CHECK(reply.delay_cycles == 11);
  CHECK(classes_of("request vcs 0 answer reply flits 2, reply vcs 1 flits 2 share 3", 2).all[1].share == 3);
  CHECK(classes_of("request vcs 0 answer reply, reply vcs 1 flits 2", 2).all[1].queue == 8);
  CHECK(classes_of("", 4).all.empty());
}

TEST_CASE("values of a class have the range that a refusal names") {
  struct Value {
    const char* name;
    unsigned least, most;
  };
  const auto one =
      GENERATE(Value{"priority", 0, 255}, Value{"weight", 1, 255}, Value{"share", 0, 1'000'000},
               Value{"flits", 1, 65'535}, Value{"queue", 1, 65'535}, Value{"delay", 0, 1'000'000});
  const auto list = [&](unsigned value) {
    const std::string given = std::string(" ") + one.name + " " + std::to_string(value);
    // A second class is generated, and has the length of the first.
    const std::string length = one.name == std::string("flits") ? given : " flits 2";
    return "a vcs 0 answer b" + length + ", b vcs 1" + (length == given ? "" : length) + given;
  };
  CAPTURE(one.name);
  CHECK(refusal_of(list(one.least), 2) == "accepted");
  CHECK(refusal_of(list(one.most), 2) == "accepted");
  const std::string range =
      std::string(one.name) + " " + std::to_string(one.least) + ".." + std::to_string(one.most);
  CHECK_THAT(refusal_of(list(one.most + 1), 2),
             Catch::Contains("not a number in range") && Catch::Contains(range));
  if (one.least > 0) CHECK_THAT(refusal_of(list(one.least - 1), 2), Catch::Contains(range));
  CHECK_THAT(refusal_of("a vcs 0 " + std::string(one.name) + " 2x", 1), Catch::Contains(range));
}

TEST_CASE("a list of classes that is not one is refused") {
  const auto refuses = [](const std::string& list, unsigned vcs, const char* problem) {
    CAPTURE(list);
    CHECK_THAT(refusal_of(list, vcs), Catch::Contains(problem));
  };
  refuses("a", 1, "not a class of messages");
  refuses("a vcs", 1, "not a class of messages");
  refuses("A vcs 0", 1, "not a name");
  refuses("a vcs 0 vcs 0", 1, "given twice for a class");
  refuses("a flits 1", 1, "a class without virtual channels");
  refuses("a vcs 0 colour 1", 1, "not a value of a class");
  refuses("a vcs 1-0", 2, "an empty range");
  refuses("a vcs 0-16", 16, "not a number in range");
  refuses("a vcs 0, a vcs 1", 2, "the class is given twice");
  refuses("a vcs 0 answer b", 1, "there is no such class");
  refuses("a vcs 0 answer b flits 1, b vcs 1 answer a flits 1", 2, "answered forever");
  refuses("a vcs 0 answer b, b vcs 1", 2, "answers without a length");
  refuses("a vcs 0-2", 2, "uses virtual channel 2");
  refuses("a vcs 0", 2, "no class uses virtual channel 1");
  refuses("a vcs 0-1, b vcs 1", 2, "shares some of its virtual channels with");
  refuses("a vcs 0 priority 1, b vcs 0", 1, "another priority or weight");
  refuses("a vcs 0 weight 2, b vcs 0", 1, "another priority or weight");
  refuses("a vcs 0 queue 2", 1, "no class is answered by this one");
  refuses("a vcs 0 delay 2", 1, "no class is answered by this one");
  refuses("a vcs 0 share 0", 1, "no class is generated");
  refuses("a vcs 0 flits 2, b vcs 1", 2, "some of the generated classes have a length");
  CHECK(refusal_of("a vcs 0-15", 16) == "accepted");
  CHECK(refusal_of("a vcs 0 priority 1, b vcs 0 priority 1", 1) == "accepted");
}

TEST_CASE("a class has a priority or a weight only for the allocator that reads it") {
  const auto read = [](const char* list, const char* allocator) {
    NetworkConfig config;
    config.network.vcs = 2;
    config.network.router.sa_allocator = allocator;
    config.classes.list = list;
    return config.message_classes();
  };
  const char *const priority = "a vcs 0 priority 1, b vcs 1", *const weight = "a vcs 0, b vcs 1 weight 2";
  CHECK(read(priority, "strict_priority").order == ClassOrder::strict_priority);
  CHECK(read(weight, "weighted_round_robin").order == ClassOrder::weighted_round_robin);
  CHECK(read("a vcs 0, b vcs 1", "islip").order == ClassOrder::round_robin);
  for (const char* const allocator : {"islip", "weighted_round_robin"})
    CHECK_THROWS_WITH(read(priority, allocator), Catch::Contains("does not read the priority of class a"));
  for (const char* const allocator : {"islip", "strict_priority"})
    CHECK_THROWS_WITH(read(weight, allocator), Catch::Contains("does not read the weight of class b"));
}
