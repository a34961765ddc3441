// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/multicast_numbers.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::traffic {

std::uint32_t MulticastNumbers::add(std::vector<Number> numbers, unsigned members) {
  if (numbers.empty()) return none;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(lists_.size()));
    lists_.emplace_back();
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  lists_[place] = {std::move(numbers), members};
  return place + 1;
}

std::uint32_t MulticastNumbers::read(std::uint32_t list, NodeId member, std::uint32_t usual) {
  if (list == none) return usual;
  List& own = lists_[list - 1];
  if (own.readers == 0)
    throw ModelError("numbers of multicasts", 0, "",
                     "node " + std::to_string(member) + " reads a list of numbers after all of its readers");
  const auto is_his = [member](const Number& number) { return number.first == member; };
  const auto found = std::find_if(own.numbers.begin(), own.numbers.end(), is_his);
  const std::uint32_t number = found == own.numbers.end() ? usual : found->second;
  if (--own.readers == 0) {
    own.numbers.clear();
    free_.push_back(list - 1);
  }
  return number;
}

}  // namespace tsuji::traffic
