#include "core/error.h"

namespace tsuji {
namespace {

std::string config_text(const std::string& place, const std::string& key, const std::string& value,
                        const std::string& problem, const std::string& accepted) {
  std::string text;
  if (!place.empty()) text += place + ": ";
  if (!key.empty()) text += key + ": ";
  text += problem;
  if (!value.empty()) text += " (got '" + value + "')";
  if (!accepted.empty()) text += "; accepted: " + accepted;
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

ConfigError ConfigError::at(const std::string& place) const {
  return ConfigError(*this, place);
}

ModelError::ModelError(const std::string& module, Cycle cycle, const std::string& packet,
                       const std::string& what)
    : std::runtime_error(module + ", cycle " + std::to_string(cycle) +
                         (packet.empty() ? "" : ", packet " + packet) + ": " + what) {}

ModelError::ModelError(const std::string& part, const std::string& what)
    : std::runtime_error(part + ": " + what) {}

}  // namespace tsuji
