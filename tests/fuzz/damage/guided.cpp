// SPDX-License-Identifier: Apache-2.0
// guided_files [options of libFuzzer] [FOLDER...]: inputs of one reader, TSUJI_READER, that reach code which
// earlier inputs did not. A reader gives a value or a ConfigError with its place; the seeds of readers.cpp
// are written to TSUJI_SEEDS, a folder for libFuzzer to start from, and its words to TSUJI_WORDS, a
// dictionary for -dict.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "readers.h"
#include "tsuji/core/error.h"
#include "tsuji/core/refusals.h"

namespace {

using namespace tsuji;

const fuzz::InputReader& reader() {
  static const std::vector<fuzz::InputReader> readers = fuzz::input_readers();
  const char* const name = std::getenv("TSUJI_READER");
  for (const fuzz::InputReader& one : readers)
    if (name != nullptr && one.name == name) return one;
  std::cerr << "guided_files: TSUJI_READER is not one of:";
  for (const fuzz::InputReader& one : readers) std::cerr << " '" << one.name << "'";
  std::cerr << "\n";
  std::exit(2);
}

std::string input_path() {
  const char* const folder = std::getenv("TSUJI_INPUT");
  return std::string(folder == nullptr ? "." : folder) + "/guided.0.input";
}

void write_seeds(const std::string& folder) {
  unsigned number = 0;
  for (const std::string& seed : reader().seeds)
    std::ofstream(folder + "/seed" + std::to_string(number++), std::ios::binary)
        << (reader().compressed ? fuzz::compressed(seed) : seed);
}

/// A word on each line, in quotes, of which quotes and backslashes within it are escaped.
void write_words(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (const std::string& word : reader().words) {
    file << '"';
    for (const char each : word) file << (each == '"' || each == '\\' ? "\\" : "") << each;
    file << "\"\n";
  }
}

[[noreturn]] void fail(const std::string& broken) {
  std::cerr << "guided_files: " << broken << "\n";
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (const char* const folder = std::getenv("TSUJI_SEEDS"); folder != nullptr) write_seeds(folder);
  if (const char* const path = std::getenv("TSUJI_WORDS"); path != nullptr) write_words(path);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t bytes) {
  static const fuzz::InputReader& one = reader();
  static const std::string path = input_path();
  const std::string content(reinterpret_cast<const char*>(data), bytes);
  std::ofstream(path, std::ios::binary) << content;
  try {
    one.read(content, path);
  } catch (const ConfigErrors&) {
  } catch (const ConfigError& refusal) {
    const std::string text = refusal.what();
    if (one.has_place && text.find(path) == std::string::npos) fail("no place in the refusal: " + text);
    if (refusal.accepted().empty()) fail("a refusal that does not say what is accepted: " + text);
  } catch (const std::exception& error) {
    fail(std::string("an exception that is no refusal: ") + error.what());
  }
  return 0;
}
