// SPDX-License-Identifier: Apache-2.0
// Certificates of Detour-UD hold for a checker that shares no code, and the checker reports planted errors.

#include "tsuji/routing/detour/detour_certificate.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/faulty_cubes.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/routing/detour/detour_ud.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;
using Catch::Contains;
using graph::CubeShape;
using Json = nlohmann::ordered_json;

namespace {

Json certificate_of(const Topology& topology, const FaultSet& faults, const DetourConfig& config = {}) {
  const auto generation = std::make_shared<const DetourGeneration>(topology, faults, config);
  const DetourUd routing(topology, 2, generation);
  return detour_certificate(topology, *generation,
                            check_recovery(topology, *generation, routing, routing.ud_vcs()));
}

struct Checked {
  int status;
  std::string text;
};

/// The checker's exit status and output for these texts, each in a file.
Checked check(const std::vector<std::string>& texts) {
  std::string folder = (std::filesystem::temp_directory_path() / "tsuji_certificate_XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  std::string command = "/usr/bin/python3 " TSUJI_SOURCE_DIR "/scripts/check_certificate.py";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string name = folder + "/" + std::to_string(i) + ".json";
    std::ofstream(name) << texts[i];
    command += " " + name;
  }
  Checked result{-1, {}};
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) result.text += static_cast<char>(c);
  result.status = WEXITSTATUS(pclose(pipe));
  std::filesystem::remove_all(folder);
  return result;
}

Checked check(const Json& certificate) {
  return check(std::vector<std::string>{certificate.dump()});
}

}  // namespace

TEST_CASE("certificates of cubes with any faults hold for the independent checker") {
  const Figure2 figure;
  std::vector<std::string> texts{certificate_of(figure.torus, figure.dead).dump(),
                                 certificate_of(graph::make_torus({4, 4}, 1, 1), {}).dump()};
  for (const Topology& topology : {graph::make_torus({5, 5}, 1, 1), graph::make_torus({3, 3, 3}, 1, 1),
                                   graph::make_mesh({4, 4}, 2, 1), graph::make_torus({2, 6}, 1, 1)}) {
    DetourConfig config;
    for (const FaultSet& faults : random_faults(topology, 12, 21)) {
      config.region_distance = 1 + texts.size() % 3;
      config.all_paths = texts.size() % 4 != 0;
      texts.push_back(certificate_of(topology, faults, config).dump());
    }
  }
  const Checked result = check(texts);
  INFO(result.text);
  CHECK(result.status == 0);
  CHECK_THAT(result.text, Contains("0.json: holds: 100 living routers, 8 in fault regions, 0 cut off"));
  CHECK_THAT(result.text, Contains("/" + std::to_string(texts.size() - 1) + ".json: holds"));
}

TEST_CASE("planted errors in a certificate are reported") {
  const Figure2 figure;
  const Json sound = certificate_of(figure.torus, figure.dead);
  const auto number = [&](char letter) { return std::to_string(figure.router.at(letter)); };
  const auto with_word = [&](const char* table, char here, char to, unsigned word) {
    Json planted = sound;
    std::string text = planted["tables"][table][number(here)];
    text[figure.router.at(to)] = "0123456789abcdef"[word];
    planted["tables"][table][number(here)] = text;
    return check(planted);
  };
  const auto place = [&](char here, char to) {
    return "router " + number(here) + ", destination " + number(to) + ": ";
  };
  constexpr unsigned east = 1U << CubeShape::up_port(0), west = 1U << CubeShape::down_port(0);
  constexpr unsigned south = 1U << CubeShape::up_port(1), north = 1U << CubeShape::down_port(1);

  const Checked bit = with_word("torus", 'D', 'G', south | west | east | north);
  CHECK(bit.status == 1);
  CHECK_THAT(bit.text, Contains(place('D', 'G') + "the torus word is 1111, should be 0111"));
  CHECK_THAT(with_word("torus", 'D', 'G', south).text, Contains("the torus word is 0100, should be 0111"));
  CHECK_THAT(with_word("torus", 'A', 'G', south).text,
             Contains(place('A', 'G') + "port 2 leads onto a dead link"));
  // E to H to B is down, then up (fig. 4).
  const Checked up = with_word("up_down", 'E', 'B', south);
  CHECK(up.status == 1);
  CHECK_THAT(up.text,
             Contains(place('E', 'B') + "up by port 1 of router " + number('H') + ", after down by port 2"));
  CHECK_THAT(with_word("up_down", 'E', 'B', 0).text,
             Contains(place('E', 'B') + "the up/down word has no candidate"));
  // A points back to E, which points to A.
  CHECK_THAT(with_word("up_down", 'A', 'B', east).text, Contains("does not rise"));
  // One candidate less, which violates only the definition.
  const std::string words = sound["tables"]["up_down"]["0"];
  const std::size_t two = words.find_first_of("3569ac");
  REQUIRE(two != std::string::npos);
  Json fewer = sound;
  std::string one = words;
  one[two] = words[two] == '3' || words[two] == '5' || words[two] == '9' ? '1' : '2';
  fewer["tables"]["up_down"]["0"] = one;
  CHECK_THAT(check(fewer).text,
             Contains("router 0, destination " + std::to_string(two) + ": the up/down word is 00"));

  const auto with = [&](const auto& change) {
    Json planted = sound;
    change(planted);
    const Checked result = check(planted);
    CHECK(result.status == 1);
    return result.text;
  };
  CHECK_THAT(
      with([&](Json& c) { c["numbers"][number('C')][CubeShape::up_port(1)] = 4'000'000; }),
      Contains("the number of port 2, 4000000, does not rise to that of port 2 of router " + number('F')));
  CHECK_THAT(with([](Json& c) { c["cut_off"] = {3}; }), Contains("cut off are [3], should be []"));
  CHECK_THAT(with([](Json& c) { c["region"].erase(0); }), Contains("the region is"));
  CHECK_THAT(with([](Json& c) { c["region_distance"] = 1; }), Contains("the region is"));
  CHECK_THAT(with([](Json& c) { c["root"] = 1000; }), Contains("root 1000 is not a living router"));
  CHECK_THAT(with([](Json& c) { c["root"] = 99; }), Contains("after down by port"));
  CHECK_THAT(with([](Json& c) { c["faults"]["links"] = {200}; }), Contains("dead link 200 does not exist"));
  CHECK_THAT(with([](Json& c) { c["faults"]["routers"] = {1, 1}; }), Contains("occur twice in [1, 1]"));
  CHECK_THAT(with([](Json& c) { c["faults"]["links"] = Json::array(); }), Contains("the region is"));
  CHECK_THAT(with([](Json& c) { c["tables"]["torus"].erase("43"); }),
             Contains("torus words are for routers [34, 44, "));
  CHECK_THAT(with([](Json& c) { c["paths"] = "one"; }), Contains("should be one bit of"));
}

TEST_CASE("an invalid certificate is refused") {
  CHECK(check(std::vector<std::string>{"{}"}).status == 2);
  CHECK(check(std::vector<std::string>{"no"}).status == 2);
  CHECK(check(std::vector<std::string>{}).status == 2);
  Json short_words = certificate_of(graph::make_torus({4, 4}, 1, 1), {});
  short_words["tables"]["up_down"]["0"] = "00";
  CHECK(check(short_words).status == 2);
}

TEST_CASE("a verdict that does not hold has no certificate") {
  const Topology torus = graph::make_torus({4, 4}, 1, 1);
  const DetourGeneration generation(torus, {});
  RecoveryVerdict verdict;
  verdict.leads_on = false;
  CHECK_THROWS_AS(detour_certificate(torus, generation, verdict), ModelError);
}
