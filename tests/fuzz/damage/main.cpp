// SPDX-License-Identifier: Apache-2.0
// damaged_files [--cases N] [--seconds S] [--seed S] [--reader NAME] [--case N] [--folder DIR]
//
// Damages valid inputs of every reader and expects a value or a refusal of each. Exit 1: a reader broke a
// promise; its input is in DIR, and the last printed line names it, even if a sanitizer ends the process.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>

#include "last_words.h"
#include "mutation.h"
#include "readers.h"
#include "tsuji/core/error.h"
#include "tsuji/core/refusals.h"

namespace {

using namespace tsuji;
using namespace tsuji::fuzz;

constexpr std::size_t most_message =
    36'000;  // characters of a refusal: its parts are bounded (core/error.cpp), and a byte is shown as four
constexpr unsigned most_seconds = 20;  // limit of one case

struct Options {
  std::uint64_t cases = 0, seed = 1;
  double seconds = 0;
  std::string reader, folder = ".";
  std::optional<std::uint64_t> number;
};

/// Description of the running case; a signal handler writes it unchanged.
char running[512];

void say_running() {
  const auto length = ::write(STDERR_FILENO, running, std::strlen(running));
  (void)length;
}

void on_alarm(int) {
  say_running();
  ::_exit(3);
}

std::string shown(const std::string& text) {
  std::string line;
  for (const char letter : text.substr(0, 300)) line += letter >= 32 && letter < 127 ? letter : '?';
  return line;
}

struct Counts {
  std::uint64_t cases = 0, values = 0;
};

/// FNV-1a: gives each reader its own random numbers, independent of other readers.
std::uint64_t name_hash(const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

class Driver {
 public:
  explicit Driver(const Options& options) : options_(options) {}

  /// Runs one case. Returns the broken promise, or an empty text.
  std::string run(const InputReader& reader, std::uint64_t number, Counts& counts) {
    const std::string path = options_.folder + "/input.0";
    std::snprintf(running, sizeof running,
                  "damaged_files: --reader '%s' --seed %llu --case %llu; its input is %s\n",
                  reader.name.c_str(), static_cast<unsigned long long>(options_.seed),
                  static_cast<unsigned long long>(number), path.c_str());
    const std::string content = input(reader, number);
    write(path, content);
    ++counts.cases;
    ::alarm(most_seconds);
    std::string broken = read(reader, content, path, counts);
    ::alarm(0);
    return broken;
  }

 private:
  std::string input(const InputReader& reader, std::uint64_t number) const {
    CounterRandom random(options_.seed, number + (name_hash(reader.name) << 32));
    Mutator mutator(random, reader.words);
    const std::string& seed = reader.seeds[mutator.below(reader.seeds.size())];
    if (number < reader.seeds.size())  // the first cases are the undamaged seeds
      return reader.compressed ? compressed(reader.seeds[number]) : reader.seeds[number];
    if (!reader.compressed) return mutator.damaged(seed);
    return mutator.below(3) == 0 ? mutator.damaged(compressed(seed)) : compressed(mutator.damaged(seed));
  }

  static void write(const std::string& path, const std::string& content) {
    std::ofstream file(path, std::ios::binary);
    file << content;
    file.close();
    if (!file) throw ModelError("damaged_files", path + " cannot be written");
  }

  std::string read(const InputReader& reader, const std::string& content, const std::string& path,
                   Counts& counts) const {
    try {
      const std::string value = reader.read(content, path);
      ++counts.values;
      if (!reader.writes_itself) return "";
      const std::string again_path = path + "_again";
      write(again_path, value);
      const std::string again = reader.read(value, again_path);
      return again == value ? ""
                            : "another value when what was read is written and read again: " + shown(again);
    } catch (const ConfigError& refusal) {
      return fault_of(refusal, reader, path);
    } catch (const std::exception& error) {
      return std::string("an exception that is no refusal: ") + error.what();
    }
  }

  static std::string fault_of(const ConfigError& refusal, const InputReader& reader,
                              const std::string& path) {
    if (const auto* several = dynamic_cast<const ConfigErrors*>(&refusal)) {
      for (const ConfigError& one : several->all())
        if (std::string fault = fault_of(one, reader, path); !fault.empty()) return fault;
      return "";
    }
    const std::string text = refusal.what();
    const bool control = std::any_of(text.begin(), text.end(), [](char letter) {
      return static_cast<unsigned char>(letter) < 32 || letter == 127;
    });
    if (control) return "control bytes in the refusal: " + shown(text);
    if (text.size() > most_message) return "a refusal of " + std::to_string(text.size()) + " characters";
    if (reader.has_place && text.find(path) == std::string::npos)
      return "no place in the refusal: " + shown(text);
    if (refusal.accepted().empty()) return "a refusal that does not say what is accepted: " + shown(text);
    return "";
  }

  const Options& options_;
};

bool expired(const Options& options, std::chrono::steady_clock::time_point begin, std::uint64_t done) {
  if (options.number) return done > 0;
  if (options.cases != 0 && done >= options.cases) return true;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  return options.seconds != 0 && passed.count() >= options.seconds;
}

/// Runs all cases of one reader. Returns false if it broke a promise.
bool fuzz_reader(const InputReader& reader, const Options& options) {
  Driver driver(options);
  Counts counts;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t number = options.number.value_or(0); !expired(options, begin, counts.cases); ++number) {
    const std::string broken = driver.run(reader, number, counts);
    if (broken.empty()) continue;
    std::cout << "FAILED " << reader.name << ": " << broken << "\n" << running;
    return false;
  }
  std::cout << reader.name << ": " << counts.cases << " cases, " << counts.values
            << " of them read, the others refused\n";
  return true;
}

Options parse(int argc, char** argv) {
  CLI::App app("Damaged inputs of every reader");
  Options options;
  std::uint64_t number = 0;
  app.add_option("--cases", options.cases, "of each reader");
  app.add_option("--seconds", options.seconds, "of each reader, at most");
  app.add_option("--seed", options.seed, "of all cases");
  app.add_option("--reader", options.reader, "this one only");
  const CLI::Option* one = app.add_option("--case", number, "this one only");
  app.add_option("--folder", options.folder, "for the input files");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  if (one->count() != 0) options.number = number;
  if (options.cases == 0 && options.seconds == 0) options.cases = 1000;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  call_before_death(say_running);
  std::signal(SIGALRM, on_alarm);
  bool good = true, any = false;
  for (const InputReader& reader : input_readers()) {
    if (!options.reader.empty() && reader.name != options.reader) continue;
    any = true;
    good = fuzz_reader(reader, options) && good;
  }
  if (!any) {
    std::cerr << "damaged_files: no reader " << options.reader << "\n";
    return 2;
  }
  return good ? 0 : 1;
}
