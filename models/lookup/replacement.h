#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"

namespace tsuji::lookup {

/// Which entry of a full set makes room. The state of a set is an array of 16-bit words of which only the
/// policy knows what they mean. A set is filled in the order of its ways before anything is replaced.
struct ReplacementPolicy {
  const char* name;
  unsigned (*state_words)(unsigned ways);
  /// The state of an empty set.
  void (*start)(std::uint16_t* state, unsigned ways);
  /// The entry was looked up; null: makes no difference.
  void (*on_hit)(std::uint16_t* state, unsigned ways, unsigned way);
  /// The entry was written, in place of `way`'s old one or as the set's first there; null: as above.
  void (*on_fill)(std::uint16_t* state, unsigned ways, unsigned way);
  /// Of a set without an empty entry.
  unsigned (*victim)(const std::uint16_t* state, unsigned ways, CounterRandom& random);
  bool power_of_two_ways;  ///< others cannot be had
};

/// ConfigError of lookup.replacement for a name that is not in replacement_names().
const ReplacementPolicy& find_replacement(const std::string& name);
std::vector<std::string> replacement_names();

}  // namespace tsuji::lookup
