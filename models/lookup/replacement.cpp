#include "lookup/replacement.h"

#include "lookup/named_rows.h"

namespace tsuji::lookup {
namespace {

// Least recently used: a ring of ways, the most recent one first. state[0] is the first, then the ways'
// successors, then their predecessors; the first one's predecessor is the oldest.

unsigned lru_words(unsigned ways) {
  return 1 + 2 * ways;
}

void lru_start(std::uint16_t* state, unsigned ways) {
  std::uint16_t *const next = state + 1, *const before = next + ways;
  // Way 0 is the oldest, so an empty set fills from there.
  state[0] = static_cast<std::uint16_t>(ways - 1);
  for (unsigned way = 0; way < ways; ++way) {
    next[way] = static_cast<std::uint16_t>(way == 0 ? ways - 1 : way - 1);
    before[way] = static_cast<std::uint16_t>(way + 1 == ways ? 0 : way + 1);
  }
}

void lru_touch(std::uint16_t* state, unsigned ways, unsigned way) {
  const std::uint16_t first = state[0];
  if (first == way) return;
  std::uint16_t *const next = state + 1, *const before = next + ways;
  const std::uint16_t oldest = before[first];
  state[0] = static_cast<std::uint16_t>(way);
  if (oldest == way) return;  // the ring only turns
  next[before[way]] = next[way];
  before[next[way]] = before[way];
  next[oldest] = before[first] = static_cast<std::uint16_t>(way);
  next[way] = first;
  before[way] = oldest;
}

unsigned lru_victim(const std::uint16_t* state, unsigned ways, CounterRandom&) {
  return state[1 + ways + state[0]];
}

// First in, first out: the way that comes next.

unsigned one_word(unsigned) {
  return 1;
}

void zero_word(std::uint16_t* state, unsigned) {
  state[0] = 0;
}

void fifo_fill(std::uint16_t* state, unsigned ways, unsigned way) {
  state[0] = static_cast<std::uint16_t>(way + 1 == ways ? 0 : way + 1);
}

unsigned fifo_victim(const std::uint16_t* state, unsigned, CounterRandom&) {
  return state[0];
}

unsigned random_victim(const std::uint16_t*, unsigned ways, CounterRandom& random) {
  return static_cast<unsigned>(random.below(ways));
}

// Pseudo-LRU: a binary tree over the ways; a node's bit says in which half the victim is, 0: the lower. Node
// 1 is the root, node n has 2n and 2n+1 below it; bit n of the state.

unsigned tree_words(unsigned ways) {
  return (ways + 15) / 16;
}

void tree_start(std::uint16_t* state, unsigned ways) {
  for (unsigned word = 0; word < tree_words(ways); ++word) state[word] = 0;
}

void tree_touch(std::uint16_t* state, unsigned ways, unsigned way) {
  unsigned node = 1;
  for (unsigned half = ways / 2; half > 0; half /= 2) {
    const bool upper = (way & half) != 0;
    const auto bit = static_cast<std::uint16_t>(1U << node % 16);
    if (upper)
      state[node / 16] &= static_cast<std::uint16_t>(~bit);
    else
      state[node / 16] |= bit;
    node = 2 * node + (upper ? 1 : 0);
  }
}

unsigned tree_victim(const std::uint16_t* state, unsigned ways, CounterRandom&) {
  unsigned node = 1;
  while (node < ways) node = 2 * node + (state[node / 16] >> node % 16 & 1U);
  return node - ways;
}

/// One more policy is its functions and one more line here.
constexpr ReplacementPolicy policies[] = {
    {"lru", lru_words, lru_start, lru_touch, lru_touch, lru_victim, false},
    {"fifo", one_word, zero_word, nullptr, fifo_fill, fifo_victim, false},
    {"random", one_word, zero_word, nullptr, nullptr, random_victim, false},
    {"pseudo_lru", tree_words, tree_start, tree_touch, tree_touch, tree_victim, true},
};

}  // namespace

const ReplacementPolicy& find_replacement(const std::string& name) {
  return find_row(policies, "lookup.replacement", name, "unknown replacement policy");
}

std::vector<std::string> replacement_names() {
  std::vector<std::string> names;
  for (const ReplacementPolicy& policy : policies) names.emplace_back(policy.name);
  return names;
}

}  // namespace tsuji::lookup
