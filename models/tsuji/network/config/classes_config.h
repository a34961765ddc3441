// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/core/message_class.h"
#include "tsuji/core/units.h"

namespace tsuji::network {

/// Classes of messages, in the text of a configuration.
struct ClassesConfig {
  /// Comma-separated list, each "NAME vcs FIRST-LAST [priority N] [weight N] [share N] [answer NAME] [flits
  /// N] [queue N] [delay N]"; empty: no classes.
  std::string list;
  Cycle starvation_cycles = 10'000;  ///< Time without a delivery after which a class counts as starved.

  /// Returns true if there are classes.
  bool on() const { return !list.empty(); }
  /// Reads the list. Throws ConfigError with the key classes.list for a malformed text, for classes that
  /// contradict each other, and for virtual channels of 0..`vcs` - 1 that no class uses.
  MessageClasses read(unsigned vcs) const;
  /// Binds the keys classes.*.
  void add_keys(config::KeyTable& keys);
};

}  // namespace tsuji::network
