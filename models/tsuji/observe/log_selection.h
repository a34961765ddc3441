// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsuji::observe {

/// Detail of a module's lines in a log. debug: heads and tails of packets, and changes of state. trace: also
/// every flit, credit and counter.
enum class LogLevel : std::uint8_t { off, debug, trace };
/// Word of a level in a selection.
const char* name_of(LogLevel level);

/// Modules of one kind: "router" with counts {64} names router.0 to router.63, "switch" with {3, 16}
/// switch.0.0 to switch.2.15.
struct LogModules {
  std::string kind;              ///< First part of the names.
  std::vector<unsigned> counts;  ///< Number of values of each index in a name.
  /// True if `name` is the name of a module or of the kind.
  bool has(const std::string& name) const;
};

/// Levels of modules, from a text such as "nic=debug,router.5=trace".
///
/// A term is a selector, SELECTOR=LEVEL, or a level, which applies to all modules. A selector is the name of
/// a module or of a kind, or "*"; without a level it selects debug. The longest selector that matches a
/// module decides.
class LogSelection {
 public:
  /// Throws ConfigError (--log) for a malformed text and for a selector that occurs twice.
  explicit LogSelection(const std::string& text);
  /// Throws ConfigError (--log) for a selector that matches none of these modules.
  void check(const std::vector<LogModules>& modules) const;
  /// Level of a module; off if no selector matches.
  LogLevel level_of(const std::string& module) const;
  /// Text of the selection.
  const std::string& text() const { return text_; }

 private:
  struct Term {
    std::string selector;  ///< empty: all
    LogLevel level;
  };
  void add(const std::string& term);

  std::string text_;
  std::vector<Term> terms_;
};

}  // namespace tsuji::observe
