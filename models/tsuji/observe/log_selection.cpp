// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/log_selection.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "tsuji/core/error.h"

namespace tsuji::observe {
namespace {

constexpr const char* option = "--log";
constexpr const char* levels[] = {"off", "debug", "trace"};

std::optional<LogLevel> level_named(const std::string& word) {
  for (const LogLevel level : {LogLevel::off, LogLevel::debug, LogLevel::trace})
    if (word == name_of(level)) return level;
  return std::nullopt;
}

/// Returns true if `number` is the text of a number below `count`.
bool is_below(const std::string& number, unsigned count) {
  constexpr std::size_t most_digits = 9;
  if (number.empty() || number.size() > most_digits) return false;
  if (number.find_first_not_of("0123456789") != std::string::npos) return false;
  if (number.size() > 1 && number.front() == '0') return false;
  return std::stoul(number) < count;
}

std::string accepted_text(const std::vector<LogModules>& all) {
  std::string text;
  for (const LogModules& modules : all) {
    text += modules.kind + ", ";
    if (modules.counts.empty()) continue;
    text += modules.kind;
    for (const unsigned count : modules.counts) text += ".0.." + std::to_string(count - 1);
    text += ", ";
  }
  return text + "or * for all";
}

/// The selector is the module's name, or that of what it is part of.
bool covers(const std::string& selector, const std::string& module) {
  if (selector.empty()) return true;
  return module.compare(0, selector.size(), selector) == 0 &&
         (module.size() == selector.size() || module[selector.size()] == '.');
}

}  // namespace

bool LogModules::has(const std::string& name) const {
  std::istringstream parts(name);
  std::string part;
  std::getline(parts, part, '.');
  if (part != kind || name.back() == '.') return false;
  for (std::size_t i = 0; std::getline(parts, part, '.'); ++i)
    if (i >= counts.size() || !is_below(part, counts[i])) return false;
  return true;
}

const char* name_of(LogLevel level) {
  return levels[static_cast<unsigned>(level)];
}

LogSelection::LogSelection(const std::string& text) : text_(text) {
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    add(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

void LogSelection::add(const std::string& term) {
  const std::size_t equals = std::min(term.find('='), term.size());
  std::string selector = term.substr(0, equals);
  std::optional<LogLevel> level = LogLevel::debug;
  if (equals < term.size()) {
    level = level_named(term.substr(equals + 1));
    if (!level) throw ConfigError(option, term, "no such level", "debug, trace, or off");
  } else if (const auto of_all = level_named(term)) {
    selector = "*";
    level = of_all;
  }
  if (selector.empty())
    throw ConfigError(option, text_, "a selector is missing",
                      "SELECTOR=LEVEL,..., e.g. nic=debug,router.5=trace");
  if (selector == "*") selector.clear();
  for (const Term& other : terms_)
    if (other.selector == selector)
      throw ConfigError(option, term, "its selector occurs twice in '" + text_ + "'", "one level for it");
  terms_.push_back({selector, *level});
}

void LogSelection::check(const std::vector<LogModules>& modules) const {
  for (const Term& term : terms_) {
    const bool found =
        term.selector.empty() || std::any_of(modules.begin(), modules.end(),
                                             [&](const LogModules& some) { return some.has(term.selector); });
    if (!found) throw ConfigError(option, term.selector, "there is no such module", accepted_text(modules));
  }
}

LogLevel LogSelection::level_of(const std::string& module) const {
  const Term* best = nullptr;
  for (const Term& term : terms_)
    if (covers(term.selector, module) && (best == nullptr || term.selector.size() > best->selector.size()))
      best = &term;
  return best == nullptr ? LogLevel::off : best->level;
}

}  // namespace tsuji::observe
