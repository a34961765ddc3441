// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/kept_runs.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tsuji/core/error.h"

namespace tsuji::platform {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> words_of(const std::string& line, std::size_t number) {
  const Json words = Json::parse(line, nullptr, false);
  const auto is_text = [](const Json& word) { return word.is_string(); };
  if (!words.is_array() || !std::all_of(words.begin(), words.end(), is_text)) {
    throw ConfigError("--check-runs", line, "line " + std::to_string(number) + " is not a command line",
                      R"(a JSON array of words, e.g. ["--set", "seed=2"])");
  }
  return words.get<std::vector<std::string>>();
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    done += static_cast<std::size_t>(count);
  }
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 65536> bytes{};
  for (;;) {
    const ssize_t count = read(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

ModelError no_answer(const std::vector<std::string>& words, const std::string& reason) {
  return {"--check-runs", "no answer to " + Json(words).dump() + reason};
}

std::string answer_in_copy(const std::vector<std::string>& words, const Answer& answer) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw ModelError("--check-runs", std::strerror(errno));
  const pid_t copy = fork();
  if (copy < 0) throw ModelError("--check-runs", std::strerror(errno));
  if (copy == 0) {
    close(ends[0]);
    try {
      write_all(ends[1], answer(words).dump());
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) throw no_answer(words, "");
  return text;
}

Json answer_here(const std::vector<std::string>& words, const Answer& answer) {
  try {
    return answer(words);
  } catch (const std::exception& error) {
    throw no_answer(words, std::string(": ") + error.what());
  }
}

}  // namespace

KeptState kept_state(const std::string& folder) {
  std::ifstream file(folder + "/result.json", std::ios::binary);
  if (!file.is_open())
    return std::filesystem::exists(folder + "/failure.txt") ? KeptState::failed : KeptState::unfinished;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json result = Json::parse(text, nullptr, false);
  return result.is_object() && result.value("status", "") == "complete" ? KeptState::complete
                                                                        : KeptState::unfinished;
}

void answer_command_lines(std::istream& lines, std::ostream& out, const Answer& answer,
                          const Completion& complete, CallsOfAnswer calls) {
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const std::vector<std::string> words = words_of(line, number);
    Json document = calls == CallsOfAnswer::in_copies ? Json::parse(answer_in_copy(words, answer))
                                                      : answer_here(words, answer);
    complete(document);
    out << document.dump() << '\n';
  }
}

}  // namespace tsuji::platform
