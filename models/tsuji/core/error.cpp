// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/printable.h"
#include "tsuji/core/refusals.h"

namespace tsuji {
namespace {

// Error texts go to people and terminals: parts that come from an input are escaped and shortened here, in
// one place for all errors.
constexpr std::size_t most_value_bytes = 200, most_key_bytes = 200, most_place_bytes = 600,
                      most_sentence_bytes = 4000, most_report_bytes = std::size_t{1} << 20;

std::string config_text(const std::string& place, const std::string& key, const std::string& value,
                        const std::string& problem, const std::string& accepted) {
  std::string text;
  if (!place.empty()) text += printable(place, most_place_bytes) + ": ";
  if (!key.empty()) text += printable(key, most_key_bytes) + ": ";
  text += printable(problem, most_sentence_bytes);
  if (!value.empty()) text += " (got '" + printable(value, most_value_bytes) + "')";
  if (!accepted.empty()) text += "; accepted: " + printable(accepted, most_sentence_bytes);
  return text;
}

/// One line for each of the first `most_lines` errors, then the number of the others.
std::string texts_of(const std::vector<ConfigError>& all) {
  constexpr std::size_t most_lines = 40;
  const std::size_t lines = std::min(all.size(), most_lines);
  std::string text = std::to_string(all.size()) + " mistakes";
  if (lines < all.size()) text += ", the first " + std::to_string(lines);
  for (std::size_t i = 0; i < lines; ++i) text += std::string("\n  ") + all[i].what();
  return text;
}

}  // namespace

ConfigError::ConfigError(std::string key, std::string value, std::string problem, std::string accepted)
    : std::runtime_error(config_text("", key, value, problem, accepted)),
      key_(std::move(key)),
      value_(std::move(value)),
      problem_(std::move(problem)),
      accepted_(std::move(accepted)) {}

ConfigError::ConfigError(const ConfigError& other, const std::string& place)
    : std::runtime_error(config_text(place, other.key_, other.value_, other.problem_, other.accepted_)),
      key_(other.key_),
      value_(other.value_),
      problem_(other.problem_),
      accepted_(other.accepted_),
      place_(place) {}

ConfigError::ConfigError(const std::string& text, const ConfigError& first)
    : std::runtime_error(text),
      key_(first.key_),
      value_(first.value_),
      problem_(first.problem_),
      accepted_(first.accepted_),
      place_(first.place_) {}

ConfigError ConfigError::at(const std::string& place) const {
  return ConfigError(*this, place);
}

ConfigErrors::ConfigErrors(std::vector<ConfigError> all)
    : ConfigError(texts_of(all), all.front()), all_(std::move(all)) {}

void Refusals::take_other_keys(const Refusals& more) {
  const std::size_t own = all_.size();
  for (const ConfigError& error : more.all_) {
    bool known = false;
    for (std::size_t i = 0; i < own; ++i) known = known || all_[i].key() == error.key();
    if (!known) all_.push_back(error);
  }
}

ModelError::ModelError(const std::string& module, Cycle cycle, const std::string& packet,
                       const std::string& what)
    : std::runtime_error(printable_lines(module + ", cycle " + std::to_string(cycle) +
                                             (packet.empty() ? "" : ", packet " + packet) + ": " + what,
                                         most_report_bytes)) {}

ModelError::ModelError(const std::string& part, const std::string& what)
    : std::runtime_error(printable_lines(part + ": " + what, most_report_bytes)) {}

}  // namespace tsuji
