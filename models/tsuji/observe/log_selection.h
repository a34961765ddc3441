// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsuji::observe {

/// Detail of a module's lines in a log. debug: heads and tails of packets, and changes of state; trace: every
/// flit, credit and counter, too.
enum class LogLevel : std::uint8_t { off, debug, trace };
const char* name_of(LogLevel level);

/// Modules of one kind: "router" with counts {64} names router.0 to router.63, "switch" with {3, 16}
/// switch.0.0 to switch.2.15.
struct LogModules {
  std::string kind;
  std::vector<unsigned> counts;
  /// One of them, or their kind, has this name.
  bool has(const std::string& name) const;
};

/// Levels of modules after a text as "nic=debug,router.5=trace".
///
/// A term is a selector, SELECTOR=LEVEL, or a level, which is that of all modules. A selector is the name of
/// a module or of a kind, or "*"; without a level its modules log at debug. The longest selector of a module
/// decides.
class LogSelection {
 public:
  /// ConfigError (--log) for a text that is no selection, and for a selector that comes twice.
  explicit LogSelection(const std::string& text);
  /// ConfigError (--log) for a selector of none of these modules.
  void check(const std::vector<LogModules>& modules) const;
  LogLevel level_of(const std::string& module) const;
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
