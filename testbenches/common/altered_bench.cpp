// SPDX-License-Identifier: Apache-2.0
#include "common/altered_bench.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "common/bench_main.h"

namespace tsuji::bench {

AlteredBench::AlteredBench(int argc, char** argv)
    : words_(argv, argv + argc),
      mutant_(static_cast<std::uint32_t>(std::strtoul(take_option("--mutant").c_str(), nullptr, 10))),
      coverage_(take_option("--coverage")) {
  const std::string seed = take_option("--random-start");
  if (seed.empty()) return;
  Verilated::randReset(2);
  Verilated::randSeed(std::atoi(seed.c_str()));
}

/// Takes an option and its value out of the command line; the value, or nothing.
std::string AlteredBench::take_option(const char* name) {
  const auto at = std::find_if(words_.begin(), words_.end(),
                               [name](const char* word) { return std::strcmp(word, name) == 0; });
  if (words_.end() - at < 2) return "";
  std::string value = at[1];
  words_.erase(at, at + 2);
  return value;
}

int AlteredBench::run(const Device& device) {
  return bench_main(static_cast<int>(words_.size()), words_.data(), {device});
}

}  // namespace tsuji::bench
