// SPDX-License-Identifier: Apache-2.0

#include "support/catch.h"
#include "tsuji/router/prediction/predictor_kinds.h"

using namespace tsuji;
using namespace tsuji::router;

namespace {

struct Made {
  Arena arena;
  PredictorKinds kinds = predictor_kinds();
  ArenaPtr<Predictors> predictors;

  void make(const std::string& kind, std::vector<unsigned> table = {}, unsigned ports = 4) {
    predictors = kinds.make(kind, PredictorParts{ports, std::move(table), arena});
  }
  unsigned predict(unsigned input) const { return predictors->predict(input, nullptr); }
};

void set(Made& made, const std::string& key, unsigned value) {
  std::string kind = "none";
  config::KeyTable keys;
  keys.add_choice("prediction.kind", kind, made.kinds.words(), "a predictor");
  made.kinds.add_keys(keys);
  keys.set_from_command_line(key + "=" + std::to_string(value));
}

}  // namespace

TEST_CASE("predictors: kind none makes no predictor, and kinds declare the facts that they need") {
  Made none;
  none.make("none");
  CHECK(none.predictors == nullptr);
  CHECK(none.kinds.names() == std::vector<std::string>{"none", "straight", "up", "latest_port",
                                                       "finite_context", "last_destination", "always_miss",
                                                       "oracle"});
  for (const std::string& kind : none.kinds.names()) {
    const PredictorTraits& traits = none.kinds.traits(kind);
    CHECK((traits.table == PredictorTable::straight) == (kind == "straight"));
    CHECK((traits.table == PredictorTable::up) == (kind == "up"));
    CHECK(traits.reads_coming == (kind == "always_miss" || kind == "oracle"));
  }
}

TEST_CASE("predictors: static ones always predict their table's port") {
  for (const char* kind : {"straight", "up"}) {
    Made made;
    made.make(kind, {2, no_port, 0, 3});
    for (unsigned round = 0; round < 2; ++round) {
      CHECK(made.predict(0) == 2);
      CHECK(made.predict(1) == no_port);
      CHECK(made.predict(2) == 0);
      CHECK(made.predict(3) == 3);
      for (unsigned input = 0; input < 4; ++input) made.predictors->learn(input, 7, 1);
    }
  }
}

TEST_CASE("predictors: the latest port is that of the input's previous head") {
  Made made;
  made.make("latest_port");
  CHECK(made.predict(0) == no_port);
  made.predictors->learn(0, 5, 3);
  made.predictors->learn(1, 5, 0);
  CHECK(made.predict(0) == 3);
  CHECK(made.predict(1) == 0);
  CHECK(made.predict(2) == no_port);
  made.predictors->learn(0, 5, 1);
  CHECK(made.predict(0) == 1);
}

TEST_CASE("predictors: a finite context learns a pattern whose places differ in their preceding ports") {
  const std::vector<unsigned> pattern{0, 0, 1, 0, 2};
  for (const unsigned heads : {1U, 2U, 3U}) {
    Made made;
    set(made, "prediction.context_heads", heads);
    made.make("finite_context");
    unsigned right = 0, total = 0;
    for (unsigned head = 0; head < 100; ++head) {
      const unsigned port = pattern[head % pattern.size()];
      if (head >= 20) {
        ++total;
        right += made.predict(2) == port ? 1 : 0;
      }
      made.predictors->learn(2, 1, port);
    }
    CHECK(made.predict(1) == no_port);  // each input has its own
    // 0 is followed by each of 0, 1 and 2; two preceding ports identify every place, except that (0, 0) is
    // ambiguous with an empty history.
    CHECK((right == total) == (heads >= 2));
    CHECK(right >= total * 2 / 5);
  }
  Made made;
  set(made, "prediction.context_heads", 9);
  CHECK_THROWS_WITH(made.make("finite_context"), Catch::Contains("prediction.context_heads") &&
                                                     Catch::Contains("too many entries") &&
                                                     Catch::Contains("accepted: 1..8"));
}

TEST_CASE("predictors: the last destination predicts the next head's port, from a table of its entries") {
  Made made;
  set(made, "prediction.entries", 4);
  made.make("last_destination");
  const auto learn = [&](NodeId destination, unsigned port) { made.predictors->learn(0, destination, port); };
  learn(1, 3);
  CHECK(made.predict(0) == no_port);
  learn(2, 2);  // after 1
  learn(1, 3);  // after 2
  CHECK(made.predict(0) == 2);
  learn(2, 1);
  CHECK(made.predict(0) == 3);
  learn(5, 0);  // shares the entry of 1
  CHECK(made.predict(0) == 1);
  CHECK(made.predict(1) == no_port);
}

TEST_CASE("predictors: the oracle names a port of the coming head's route, always_miss one that is none") {
  routing::RouteSet coming;
  Made oracle, miss;
  oracle.make("oracle");
  miss.make("always_miss");
  CHECK(oracle.predictors->predict(0, &coming) == no_port);
  CHECK(miss.predictors->predict(0, &coming) == no_port);
  CHECK(oracle.predict(0) == no_port);
  coming.add(0, 1);
  coming.add(2, 1);
  CHECK(oracle.predictors->predict(0, &coming) == 0);
  CHECK(oracle.predictors->predict(3, &coming) == 2);
  CHECK(miss.predictors->predict(0, &coming) == 1);
  coming.add(1, 1);
  CHECK(miss.predictors->predict(0, &coming) == 3);
  coming.add(3, 1);
  CHECK(miss.predictors->predict(0, &coming) == no_port);
}

TEST_CASE("predictors: bits that each kind remembers") {
  const auto bits = [](const std::string& kind, const char* key = "", unsigned value = 0,
                       unsigned ports = 5) {
    Made made;
    if (*key != '\0') set(made, key, value);
    made.make(kind, std::vector<unsigned>(ports, 0), ports);
    return made.predictors->state_bits();
  };
  for (const char* kind : {"straight", "up", "always_miss", "oracle"}) CHECK(bits(kind) == 0);
  // A port of five or none is in three bits, one of eight or none in four.
  CHECK(bits("latest_port") == 5 * 3);
  CHECK(bits("latest_port", "", 0, 8) == 8 * 4);
  CHECK(bits("finite_context", "prediction.context_heads", 2) == 5 * (5 + 25 * 3));
  CHECK(bits("last_destination", "prediction.entries", 12) == 5 * (4 + 12 * 3));
}
