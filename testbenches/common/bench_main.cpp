// SPDX-License-Identifier: Apache-2.0
#include "common/bench_main.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <iterator>
#include <utility>

#include "common/pin_bench.h"
#include "common/played_pins.h"
#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

/// Runs long enough that every output should have moved.
constexpr Cycle long_run = 10'000;

struct Options {
  std::string device, dut, window, play;
  std::uint64_t seed = 1;
  bool list = false, activity = false;
  PinBenchConfig bench;
};

const Device& find(const std::vector<Device>& devices, const std::string& name) {
  std::string names;
  for (const Device& device : devices) {
    if (device.name == name) return device;
    names += (names.empty() ? "" : ", ") + device.name;
  }
  throw ConfigError("--device", name, "there is no such device", names);
}

void read_window(Options& options) {
  if (options.window.empty()) return;
  const std::size_t colon = options.window.find(':');
  const auto number = [&](const std::string& text) -> Cycle {
    const bool digits = !text.empty() && text.size() < 19 &&
                        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (colon == std::string::npos || !digits)
      throw ConfigError("--window", options.window, "not a range of cycles", "FROM:TO");
    return std::stoull(text);
  };
  options.bench.wave_from = number(options.window.substr(0, colon));
  options.bench.wave_to = number(options.window.substr(colon + 1));
}

/// Status of a run whose outputs were equal: whether they moved as they should.
int report_idle(const Device& device, const PinBench& bench) {
  std::vector<std::string> idle = bench.idle_outputs(), expected = device.constant;
  std::sort(idle.begin(), idle.end());
  std::sort(expected.begin(), expected.end());
  std::vector<std::string> wrong;
  std::set_symmetric_difference(idle.begin(), idle.end(), expected.begin(), expected.end(),
                                std::back_inserter(wrong));
  for (const std::string& pin : wrong) {
    const bool still = std::binary_search(idle.begin(), idle.end(), pin);
    std::cout << device.name << ": " << pin << (still ? " never moved" : " moved, and should not") << '\n';
  }
  return wrong.empty() ? 0 : 1;
}

std::string stimulus_name(const Options& options) {
  return options.play.empty() ? "seed " + std::to_string(options.seed) : "inputs of " + options.play;
}

int report(const Options& options, const Device& device, const std::vector<Dut*>& sides,
           const PinBench& bench) {
  if (bench.difference()) {
    for (const std::string& line : bench.difference()->lines)
      std::cout << options.device << ": " << line << '\n';
    std::cout << stimulus_name(options) << ", waveform: " << options.bench.difference_wave << '\n';
    return 1;
  }
  std::cout << options.device << ": " << bench.cycles() << " cycles, " << stimulus_name(options) << ": "
            << (sides.size() == 2 ? "all outputs of model and twin equal" : sides[0]->pins.side())
            << (device.scoreboard ? ", all rules of the scoreboard kept" : "") << ", digest 0x" << std::hex
            << bench.digest() << std::dec << '\n';
  if (options.activity) bench.print_activity(std::cout);
  // Which outputs a record moves is not the bench's affair.
  return bench.cycles() < long_run || !options.play.empty() ? 0 : report_idle(device, bench);
}

/// The record that is played, whose cycles the bench runs, or the device's own stimulus.
std::unique_ptr<Stimulus> make_stimulus(Options& options, const Device& device, const PinList& pins,
                                        const Drive& drive) {
  if (options.play.empty()) return device.stimulus(drive, options.seed);
  auto played = std::make_unique<PlayedPins>(options.play, pins.pins());
  options.bench.cycles = played->cycles();
  return played;
}

int simulate(Options& options, const Device& device) {
  sc_core::sc_signal<bool> clock("clock");
  std::vector<std::unique_ptr<Dut>> duts;
  if (options.dut != "twin") duts.push_back(device.model(clock));
  if (options.dut != "model") duts.push_back(device.twin(clock));
  std::vector<Dut*> sides;
  for (const auto& dut : duts) sides.push_back(dut.get());
  Drive drive(duts[0]->pins);
  const std::unique_ptr<Stimulus> stimulus = make_stimulus(options, device, duts[0]->pins, drive);
  std::vector<std::unique_ptr<Scoreboard>> scoreboards;
  while (device.scoreboard && scoreboards.size() < sides.size())
    scoreboards.push_back(device.scoreboard(drive));
  PinBench bench("bench", options.bench, clock, sides, *stimulus, drive, std::move(scoreboards));
  bench.run();
  return report(options, device, sides, bench);
}

int run(Options& options, const std::vector<Device>& devices) {
  if (options.list) {
    for (const Device& device : devices) std::cout << device.name << ": " << device.what << '\n';
    return 0;
  }
  if (!options.dut.empty() && options.dut != "model" && options.dut != "twin" && options.dut != "both")
    throw ConfigError("--dut", options.dut, "no side of the bench", "model, twin or both");
  if (options.bench.cycles == 0) throw ConfigError("--cycles", "0", "nothing would be run", "1 or more");
  const Device& device = find(devices, options.device);
  if (options.dut.empty()) options.dut = device.twin ? "both" : "model";
  if (!device.twin && options.dut != "model")
    throw ConfigError("--dut", options.dut, device.name + " has no twin", "model");
  return simulate(options, device);
}

/// Refuses words that no option takes, options of 0.1 with their names of today.
int refuse_words(const CLI::App& app, const CLI::ExtrasError& error) {
  for (const std::string& word : app.remaining()) {
    for (const auto& [before, now] :
         {std::pair("--trace", "--waves"), std::pair("--trace-window", "--window")}) {
      if (word.substr(0, word.find('=')) != before) continue;
      std::cerr << "bench: "
                << ConfigError(word, "", std::string("is called ") + now + " since 0.2", now).what() << '\n';
      return 2;
    }
  }
  app.exit(error);
  return 2;
}

}  // namespace

int bench_main(int argc, char** argv, const std::vector<Device>& devices) {
  Options options;
  CLI::App app("Drives a model, its RTL twin, or both side by side through their pins", "bench");
  app.add_option("--device", options.device, "what is tested; --list names all");
  app.add_flag("--list", options.list, "the devices, and stop");
  app.add_option(
      "--dut", options.dut,
      "model, twin, or both and every output compared in every cycle; both by default if there is a twin");
  CLI::Option* const cycles = app.add_option("--cycles", options.bench.cycles, "cycles of the clock");
  app.add_option("--compare-from", options.bench.compared_from,
                 "the first cycle whose outputs are compared, for a twin whose registers begin at random");
  CLI::Option* const seed = app.add_option("--seed", options.seed, "of the stimulus");
  app.add_option(
         "--play", options.play,
         "inputs of a file that --record has written, of this bench or of network_bench, in place of the "
         "device's own stimulus")
      ->excludes(cycles)
      ->excludes(seed);
  app.add_option("--waves", options.bench.wave, "a waveform of the whole run: FILE.vcd or FILE.fst");
  app.add_option("--window", options.window, "FROM:TO in cycles, both included");
  app.add_option("--record", options.bench.record,
                 "all pins in all cycles as text, to be replayed into the RTL elsewhere: a file");
  app.add_option("--difference-wave", options.bench.difference_wave,
                 "where the cycles around the first difference are written");
  app.add_flag("--activity", options.activity, "how often each output moved");
  try {
    app.parse(argc, argv);
    read_window(options);
    return run(options, devices);
  } catch (const CLI::ExtrasError& error) {
    return refuse_words(app, error);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const ConfigError& error) {
    std::cerr << "bench: " << error.what() << '\n';
    return 2;
  } catch (const sc_core::sc_report& error) {
    std::cerr << "bench: " << error.what() << '\n';
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "bench: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace tsuji::bench
